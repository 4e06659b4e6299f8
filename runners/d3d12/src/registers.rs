//! Finds the registers that a job binds, and the ranges in which its root signature declares them.
//!
//! The ranges are those that the job declares, plus one for each resource or array that is in none
//! of them.

use std::collections::BTreeMap;

use layoutproof_device::{BufferKind, ImageKind, Job, JobBuffer, JobImage, RegisterRange, ResourceClass, RunnerError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Direct3dRegister {
    pub(crate) class: ResourceClass,
    pub(crate) space: u32,
    pub(crate) number: u32,
}

/// The resource at a register: the index of one of the job's buffers, images or samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobResource {
    Buffer(usize),
    Image(usize),
    Sampler(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) named: BTreeMap<Direct3dRegister, JobResource>,
    pub(crate) ranges: Vec<RegisterRange>,
}

/// A resource before its register is computed: arrays begin at `first`.
struct ResourceSite {
    class: ResourceClass,
    space: u32,
    first: u32,
    element: u32,
    resource: JobResource,
}

impl Registers {
    /// Finds the registers of `job`.
    ///
    /// # Errors
    /// `Api` if two resources share a register; `Unsupported` for resources that Direct3D 12 lacks.
    pub(crate) fn of(job: &Job) -> Result<Self, RunnerError> {
        let mut registers = Self { named: BTreeMap::new(), ranges: job.root_signature.ranges.clone() };
        let mut lengths: BTreeMap<Direct3dRegister, u32> = BTreeMap::new();
        for site in sites(job)? {
            let ResourceSite { class, space, first, element, resource } = site;
            let number = first.checked_add(element).ok_or_else(|| refused("a register beyond 2^32 - 1"))?;
            let register = Direct3dRegister { class, space, number };
            if registers.named.insert(register, resource).is_some() {
                return Err(refused(&format!("two resources at {}{number} space {space}", class.letter())));
            }
            if !job.root_signature.ranges.iter().any(|range| contains(range, register)) {
                let length = lengths.entry(Direct3dRegister { class, space, number: first }).or_default();
                *length = (*length).max(element + 1);
            }
        }

        registers.ranges.extend(lengths.into_iter().map(|(first, length)| RegisterRange {
            class: first.class,
            space: first.space,
            first: first.number,
            count: Some(length),
            stride: 0,
        }));
        Ok(registers)
    }

    /// True if a range has more than one register.
    pub(crate) fn has_arrays(&self) -> bool {
        self.ranges.iter().any(|range| range.count != Some(1))
    }

    /// The resources in `range`, by their position in it.
    pub(crate) fn in_range(&self, range: &RegisterRange) -> impl Iterator<Item = (u32, JobResource)> {
        let first = Direct3dRegister { class: range.class, space: range.space, number: range.first };
        let inside = self.named.range(first..).take_while({
            let range = range.clone();
            move |(register, _)| contains(&range, **register)
        });
        inside.map(move |(register, resource)| (register.number - first.number, *resource))
    }
}

/// True if a range declares a register.
fn contains(range: &RegisterRange, register: Direct3dRegister) -> bool {
    let is_alike = range.class == register.class && range.space == register.space && range.first <= register.number;
    is_alike && range.count.is_none_or(|count| register.number - range.first < count)
}

fn sites(job: &Job) -> Result<Vec<ResourceSite>, RunnerError> {
    let mut sites = Vec::new();
    for (index, JobBuffer { set, binding, element, kind, .. }) in job.buffers.iter().enumerate() {
        let class = class_of_buffer(*kind)?;
        let resource = JobResource::Buffer(index);
        sites.push(ResourceSite { class, space: *set, first: *binding, element: *element, resource });
    }

    for (index, JobImage { set, binding, element, kind, .. }) in job.images.iter().enumerate() {
        let class = class_of_image(*kind)?;
        let resource = JobResource::Image(index);
        sites.push(ResourceSite { class, space: *set, first: *binding, element: *element, resource });
    }

    for (index, sampler) in job.samplers.iter().enumerate() {
        sites.push(ResourceSite {
            class: ResourceClass::Sampler,
            space: sampler.set,
            first: sampler.binding,
            element: sampler.element,
            resource: JobResource::Sampler(index),
        });
    }

    Ok(sites)
}

pub(crate) fn class_of_buffer(kind: BufferKind) -> Result<ResourceClass, RunnerError> {
    match kind {
        BufferKind::Address { .. } => Err(RunnerError::Unsupported("buffers by address".to_owned())),
        BufferKind::ShaderRecord => Err(RunnerError::Unsupported("shader records".to_owned())),
        BufferKind::InlineUniform | BufferKind::HeapUniform | BufferKind::HeapStorage | BufferKind::Captured => {
            Err(RunnerError::Unsupported("buffers that only Vulkan has".to_owned()))
        }
        kind => Ok(kind.class()),
    }
}

fn class_of_image(kind: ImageKind) -> Result<ResourceClass, RunnerError> {
    match kind {
        ImageKind::Sampled | ImageKind::UniformTexels => Ok(ResourceClass::ShaderResource),
        ImageKind::Storage | ImageKind::StorageTexels => Ok(ResourceClass::UnorderedAccess),
        ImageKind::Combined => Err(RunnerError::Unsupported("images with samplers of their own".to_owned())),
    }
}

fn refused(reason: &str) -> RunnerError {
    RunnerError::Api { call: "job".to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{RootSignature, Shader};

    use super::*;

    fn buffer(set: u32, binding: u32, element: u32, kind: BufferKind) -> JobBuffer {
        JobBuffer { set, binding, element, kind, bytes: vec![0; 4], after: Vec::new(), before_word: 0 }
    }

    #[test]
    fn classes_are_apart_and_arrays_take_registers_in_a_row() {
        use BufferKind::{Storage, StorageRead, Uniform};
        let buffers = vec![
            buffer(2, 0, 0, Uniform),
            buffer(2, 0, 0, Storage),
            buffer(2, 4, 1, StorageRead),
            buffer(2, 7, 2, StorageRead),
        ];
        let mut job = Job::compute(Shader::Dxil(Vec::new()), "main", buffers);
        let range = RegisterRange { class: ResourceClass::ShaderResource, space: 2, first: 7, count: None, stride: 8 };
        job.root_signature = RootSignature { ranges: vec![range.clone()], ..RootSignature::default() };
        let registers = Registers::of(&job).unwrap();

        let told = |range: &RegisterRange| format!("{}{} x {:?}", range.class.letter(), range.first, range.count);
        let ranges: Vec<String> = registers.ranges.iter().map(told).collect();
        assert_eq!(ranges, ["t7 x None", "b0 x Some(1)", "t4 x Some(2)", "u0 x Some(1)"]);
        assert_eq!(registers.in_range(&range).collect::<Vec<_>>(), [(2, JobResource::Buffer(3))]);
        assert_eq!(registers.in_range(&registers.ranges[2]).collect::<Vec<_>>(), [(1, JobResource::Buffer(2))]);
    }

    #[test]
    fn a_register_holds_one_resource() {
        let buffers = vec![buffer(1, 3, 0, BufferKind::Uniform), buffer(1, 2, 1, BufferKind::Uniform)];
        let job = Job::compute(Shader::Dxil(Vec::new()), "main", buffers);
        let error = Registers::of(&job).unwrap_err().to_string();
        assert_eq!(error, "job: two resources at b3 space 1");
    }
}
