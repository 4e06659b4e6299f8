//! Values of specialization constants in the form that Vulkan takes.

use std::collections::BTreeMap;

use ash::vk;

/// Bytes of a constant: only 32-bit ones and booleans have values in a job.
const SIZE: usize = 4;

/// The constants and where each one's value lies.
pub(crate) struct Specialization {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Specialization {
    /// Constants by `SpecId`.
    pub(crate) fn new(constants: &BTreeMap<u32, u32>) -> Self {
        let entry = |(offset, id): (u32, &u32)| {
            vk::SpecializationMapEntry::default().constant_id(*id).offset(offset).size(SIZE)
        };
        Self {
            entries: (0..).step_by(SIZE).zip(constants.keys()).map(entry).collect(),
            data: constants.values().flat_map(|value| value.to_ne_bytes()).collect(),
        }
    }

    /// The constants in the form that a stage takes.
    pub(crate) fn info(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.data)
    }
}
