//! Values of specialization constants in Vulkan's form.

use std::collections::BTreeMap;

use ash::vk;

/// Bytes per constant: a job only sets 32-bit constants and booleans.
const SIZE: usize = 4;

/// The constants and the places of their values.
pub(crate) struct Specialization {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Specialization {
    /// Takes the values by `SpecId`.
    pub(crate) fn new(constants: &BTreeMap<u32, u32>) -> Self {
        let entry = |(offset, id): (u32, &u32)| {
            vk::SpecializationMapEntry::default().constant_id(*id).offset(offset).size(SIZE)
        };
        Self {
            entries: (0..).step_by(SIZE).zip(constants.keys()).map(entry).collect(),
            data: constants.values().flat_map(|value| value.to_ne_bytes()).collect(),
        }
    }

    /// The constants in the form that a shader stage needs.
    pub(crate) fn info(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.data)
    }
}
