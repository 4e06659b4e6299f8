//! Checks that a job fits on a device, and places its buffers.
//!
//! If the device has too little of something, the error is `Unsupported` with both numbers; a job
//! that no device could run gives `Api`. The shaders themselves are not checked.

use std::collections::BTreeSet;

use crate::descriptors::{DescriptorType, Descriptors};
use crate::placement::BufferPlacement;
use crate::{
    AddressHolder, BufferKind, DeviceInfo, Feature, Geometry, ImageKind, Job, JobAddress, JobBuffer, JobImage,
    RunnerError, Trace,
};

/// Bytes of a word. Ranges and what is around them consist of whole words.
const WORD: u32 = 4;

/// Most bytes that the address of a range is aligned to. Buffers are at multiples of twice as much in memory (those of
/// `SwiftShader` 5.0.0 at multiples of 256 bytes), so that the address can be an odd multiple.
pub const MOST_ALIGNED: u32 = 128;

/// Minimum number of bytes before a range that shaders reach by address.
const BEFORE_ADDRESS: u32 = 64;

/// Maximum number of mip levels of an image. A binding probe needs one per sampler that it
/// distinguishes; more would make images large.
const MAX_LEVELS: usize = 8;

/// The limits of a device on the resources of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Minimum alignment of a uniform range's offset, in bytes.
    pub uniform_alignment: u32,
    /// Minimum alignment of a storage range's offset, in bytes.
    pub storage_alignment: u32,
    pub uniform_range: u32,
    pub storage_range: u32,
    /// Largest inline uniform block, in bytes; 0 for a device without them.
    pub inline_uniform: u32,
    pub uniform_buffers: u32,
    pub storage_buffers: u32,
    /// Maximum number of sampled images in one stage, including combined ones and read-only typed
    /// buffers.
    pub sampled_images: u32,
    /// Maximum number of storage images in one stage, including writable typed buffers.
    pub storage_images: u32,
    /// Maximum number of samplers in one stage, including those of combined images.
    pub samplers: u32,
    /// Maximum number of descriptor sets: one more than the largest set number.
    pub sets: u32,
    /// Largest push-constant block, in bytes.
    pub push_constants: u32,
    /// Maximum number of workgroups of a dispatch in x, y, z.
    pub workgroups: [u32; 3],
    pub targets: u32,
    /// Size of the group handle at the start of a shader record, in bytes.
    pub record_handle: u32,
    /// Largest shader record with its handle, in bytes; 0 for a device without ray-tracing pipelines.
    pub record: u32,
}

impl Limits {
    /// Places every buffer of `job`, in the job's order. `descriptors` must belong to the job.
    ///
    /// # Errors
    /// `Unsupported` if the device has too little of something. `Api` if the job leaves nothing to
    /// read back, if its push constants are not a multiple of 4 bytes, if an address has no room in its
    /// holder or points to no byte of a buffer without a descriptor, if an image has no mip level or too many, if
    /// shader records do not fit the launch, and as [`BufferPlacement::of`].
    pub fn place(&self, job: &Job, descriptors: &Descriptors) -> Result<Vec<BufferPlacement>, RunnerError> {
        check_form(job)?;
        self.check_descriptors(descriptors)?;
        within("bytes of push constants", wide(job.push_constants.len()), self.push_constants)?;
        self.check_start(job)?;

        job.buffers.iter().map(|buffer| self.place_buffer(buffer)).collect()
    }

    fn check_descriptors(&self, descriptors: &Descriptors) -> Result<(), RunnerError> {
        let sets = descriptors.sets.last_key_value().map_or(0, |(last, _)| u64::from(*last) + 1);
        within("descriptor sets", sets, self.sets)?;

        for (what, counts, most) in [
            ("uniform buffers", is_uniform_buffer as fn(DescriptorType) -> bool, self.uniform_buffers),
            ("storage buffers", is_storage_buffer, self.storage_buffers),
            ("sampled images", is_sampled_image, self.sampled_images),
            ("storage images", is_storage_image, self.storage_images),
            ("samplers", is_sampler, self.samplers),
        ] {
            within(what, descriptors.count(counts), most)?;
        }
        Ok(())
    }

    /// Checks the targets of a draw or the workgroups of a dispatch.
    fn check_start(&self, job: &Job) -> Result<(), RunnerError> {
        if let Some(draw) = &job.draw {
            return within("targets of a draw", draw.targets.into(), self.targets);
        }
        for (wanted, most) in job.workgroups.into_iter().zip(self.workgroups) {
            within("workgroups in one dimension", wanted.into(), most)?;
        }
        Ok(())
    }

    fn place_buffer(&self, buffer: &JobBuffer) -> Result<BufferPlacement, RunnerError> {
        let storage = "bytes in a storage range";
        let (what, alignment, most) = match buffer.kind {
            BufferKind::Uniform | BufferKind::HeapUniform => {
                ("bytes in a uniform range", self.uniform_alignment, self.uniform_range)
            }
            BufferKind::InlineUniform => ("bytes in an inline uniform block", WORD, self.inline_uniform),
            BufferKind::StorageRead | BufferKind::Storage | BufferKind::HeapStorage => {
                (storage, self.storage_alignment, self.storage_range)
            }
            BufferKind::Captured => ("bytes of captured outputs", WORD, self.storage_range),
            BufferKind::Address { alignment } if alignment > MOST_ALIGNED => {
                return Err(RunnerError::Unsupported(format!("an address aligned to {alignment} bytes")));
            }
            BufferKind::Address { alignment } => (storage, odd_multiple(alignment), self.storage_range),
            BufferKind::ShaderRecord => {
                ("bytes in a shader record", self.record_handle, self.record.saturating_sub(self.record_handle))
            }
        };
        // A record ends with its guard, since the next record may start there.
        let guard = if buffer.kind == BufferKind::ShaderRecord { buffer.after.len() } else { 0 };
        within(what, wide(buffer.bytes.len() + guard), most)?;
        BufferPlacement::of(buffer, alignment)
    }
}

/// Returns the offset of a range that shaders reach by address: an odd multiple of its alignment,
/// or of a word if that is larger.
fn odd_multiple(alignment: u32) -> u32 {
    let alignment = alignment.max(WORD);
    BEFORE_ADDRESS.next_multiple_of(2 * alignment) + alignment
}

/// Checks that the device has all `features`.
///
/// # Errors
/// `Unsupported` with the first missing feature.
pub fn check_features<'a>(
    device: &DeviceInfo,
    features: impl IntoIterator<Item = &'a Feature>,
) -> Result<(), RunnerError> {
    match features.into_iter().find(|feature| !device.features.contains(feature)) {
        Some(missing) => Err(RunnerError::Unsupported(missing.to_string())),
        None => Ok(()),
    }
}

/// The features that `job` needs: those that it lists, and those that its form implies.
pub fn needed_features(job: &Job, descriptors: &Descriptors) -> BTreeSet<Feature> {
    let is_array_of = |counts: fn(DescriptorType) -> bool| {
        descriptors.iter().any(|binding| binding.length() > 1 && counts(binding.ty))
    };
    let follows = [
        (Feature::Graphics, job.draw.is_some()),
        (Feature::PushConstants, !job.push_constants.is_empty()),
        (Feature::BufferDeviceAddress, job.buffers.iter().any(is_at_address)),
        (Feature::UniformBufferArray, is_array_of(is_uniform_buffer)),
        (Feature::StorageBufferArray, is_array_of(is_storage_buffer)),
        (Feature::RayTracingPipeline, job.trace.is_some()),
        (Feature::InlineUniformBlock, is_of_kind(job, BufferKind::InlineUniform)),
        (Feature::MeshShader, matches!(job.geometry, Some(Geometry::Mesh { .. }))),
        (Feature::TransformFeedback, matches!(job.geometry, Some(Geometry::Vertex))),
        (Feature::DescriptorHeap, is_of_kind(job, BufferKind::HeapUniform) || is_of_kind(job, BufferKind::HeapStorage)),
    ];

    let mut features = job.requires.clone();
    features.extend(follows.into_iter().filter(|(_, needed)| *needed).map(|(feature, _)| feature));
    features
}

/// Checks the requirements that all devices have in common.
fn check_form(job: &Job) -> Result<(), RunnerError> {
    let targets = job.draw.as_ref().map_or(0, |draw| draw.targets);
    if job.buffers.is_empty() && targets == 0 {
        return refuse("without buffers there is nothing to read back".to_owned());
    }
    let size = job.push_constants.len();
    if !size.is_multiple_of(4) {
        return refuse(format!("{size} bytes of push constants are not a multiple of 4"));
    }
    job.images.iter().try_for_each(check_levels)?;
    check_records(job)?;
    check_geometry(job)?;
    check_addresses(job)
}

fn check_levels(image: &JobImage) -> Result<(), RunnerError> {
    let most = match image.kind {
        ImageKind::Sampled | ImageKind::Combined | ImageKind::Storage => MAX_LEVELS,
        ImageKind::UniformTexels | ImageKind::StorageTexels => 1,
    };
    let JobImage { set, binding, .. } = image;
    match image.levels.len() {
        0 => refuse(format!("an image without a mip level at set {set} binding {binding}")),
        levels if levels > most => refuse(format!("{levels} mip levels at set {set} binding {binding}, not {most}")),
        _ => Ok(()),
    }
}

/// Checks that the job launches rays if it has shader records, that the ray generation has at most the
/// first record, and another stage at least one.
fn check_records(job: &Job) -> Result<(), RunnerError> {
    let is_record = |buffer: &&JobBuffer| buffer.kind == BufferKind::ShaderRecord;
    let mut elements: Vec<u32> = job.buffers.iter().filter(is_record).map(|record| record.element).collect();
    let records = elements.len();
    elements.sort_unstable();
    elements.dedup();
    match &job.trace {
        Some(_) if job.draw.is_some() => refuse("a draw and a launch of rays".to_owned()),
        _ if elements.len() < records => refuse("two shader records at one place of the table".to_owned()),
        Some(Trace { reached: None }) if records > 1 => {
            refuse(format!("{records} shader records of one ray generation"))
        }
        Some(Trace { reached: None }) if elements.first().is_some_and(|first| *first > 0) => {
            refuse("a shader record after that of the ray generation".to_owned())
        }
        Some(Trace { reached: Some(reached) }) if records == 0 => {
            refuse(format!("no shader record for the {} stage", reached.stage.as_str()))
        }
        Some(Trace { reached: Some(reached) })
            if reached.stage.needs_ray() && wide(job.push_constants.len()) < JobAddress::BYTES.into() =>
        {
            refuse("no room in the push constants for the address that rays need".to_owned())
        }
        None if records > 0 => refuse("a shader record without a launch of rays".to_owned()),
        Some(_) | None => Ok(()),
    }
}

/// Checks that a job starts in one way, that outputs are captured of vertices alone, and that buffers in a heap have numbers
/// of their own. A dispatch with a heap may have bound buffers, too, but neither arrays of them nor other descriptors.
fn check_geometry(job: &Job) -> Result<(), RunnerError> {
    let captured = is_of_kind(job, BufferKind::Captured);
    match &job.geometry {
        Some(_) if job.draw.is_some() || job.trace.is_some() => {
            return refuse("a draw without a fragment stage, and another start".to_owned());
        }
        Some(Geometry::Vertex) if !captured => return refuse("no buffer for the outputs of vertices".to_owned()),
        None | Some(Geometry::Mesh { .. }) if captured => {
            return refuse("a buffer for outputs without the vertices that have them".to_owned());
        }
        _ => {}
    }
    let is_in_heap = |buffer: &&JobBuffer| matches!(buffer.kind, BufferKind::HeapUniform | BufferKind::HeapStorage);
    let numbers: Vec<u32> = job.buffers.iter().filter(is_in_heap).map(|buffer| buffer.element).collect();
    let distinct: BTreeSet<u32> = numbers.iter().copied().collect();
    let fits = |buffer: &JobBuffer| match buffer.kind {
        BufferKind::HeapUniform | BufferKind::HeapStorage => true,
        BufferKind::Uniform | BufferKind::StorageRead | BufferKind::Storage => buffer.element == 0,
        BufferKind::InlineUniform | BufferKind::Address { .. } | BufferKind::ShaderRecord | BufferKind::Captured => {
            false
        }
    };
    let is_plain = job.draw.is_none() && job.trace.is_none() && job.geometry.is_none() && job.push_constants.is_empty();
    let has_others = !job.buffers.iter().all(fits) || !job.images.is_empty() || !job.samplers.is_empty();
    if !numbers.is_empty() && (!is_plain || has_others) {
        return refuse("a descriptor heap outside of a dispatch, or with more than single buffers".to_owned());
    }
    if distinct.len() < numbers.len() { refuse("two buffers at one place of the heap".to_owned()) } else { Ok(()) }
}

/// Checks that addresses lie inside their holders (all of the shader records), do not overlap, like 64-bit
/// members, and point into buffers that shaders reach by address.
fn check_addresses(job: &Job) -> Result<(), RunnerError> {
    let mut taken = BTreeSet::new();
    if job.trace.as_ref().and_then(|trace| trace.reached.as_ref()).is_some_and(|reached| reached.stage.needs_ray()) {
        taken.insert((AddressHolder::PushConstants, 0));
    }
    for JobAddress { holder, at, buffer, target } in &job.addresses {
        let (name, size) = holder_of_address(job, *holder)?;
        let end = u64::from(*at) + u64::from(JobAddress::BYTES);
        if !at.is_multiple_of(JobAddress::BYTES) || end > wide(size) {
            return refuse(format!("an address at byte {at} of {size} bytes of {name}"));
        }
        if !taken.insert((*holder, *at)) {
            return refuse(format!("two addresses at byte {at} of {name}"));
        }

        let Some(pointee) = job.buffers.get(*buffer).filter(|buffer| is_at_address(buffer)) else {
            return refuse(format!("an address of buffer {buffer}, which is not reached by one"));
        };
        let size = pointee.bytes.len();
        if u64::from(*target) >= wide(size) {
            return refuse(format!("an address of byte {target} of {size} bytes of buffer {buffer}"));
        }
    }
    Ok(())
}

/// The name of an address's holder, and its bytes; those of the shortest shader record.
fn holder_of_address(job: &Job, holder: AddressHolder) -> Result<(String, usize), RunnerError> {
    match holder {
        AddressHolder::PushConstants => Ok(("push constants".to_owned(), job.push_constants.len())),
        AddressHolder::ShaderRecords => {
            let records = job.buffers.iter().filter(|buffer| buffer.kind == BufferKind::ShaderRecord);
            let shortest = records.map(|record| record.bytes.len()).min();
            Ok(("a shader record".to_owned(), shortest.unwrap_or(0)))
        }
        AddressHolder::Buffer(index) => {
            let holder = job.buffers.get(index).filter(|buffer| buffer.kind != BufferKind::ShaderRecord);
            let size = holder.map(|buffer| buffer.bytes.len());
            let size = size.ok_or_else(|| job_error(format!("an address in buffer {index}, which cannot hold one")))?;
            Ok((format!("buffer {index}"), size))
        }
    }
}

fn is_of_kind(job: &Job, kind: BufferKind) -> bool {
    job.buffers.iter().any(|buffer| buffer.kind == kind)
}

/// Returns true for a buffer without a descriptor, which shaders reach by an address.
fn is_at_address(buffer: &JobBuffer) -> bool {
    matches!(buffer.kind, BufferKind::Address { .. })
}

fn refuse(reason: String) -> Result<(), RunnerError> {
    Err(job_error(reason))
}

fn job_error(reason: String) -> RunnerError {
    RunnerError::Api { call: "job".to_owned(), reason }
}

fn is_uniform_buffer(ty: DescriptorType) -> bool {
    ty == DescriptorType::Buffer(BufferKind::Uniform)
}

fn is_storage_buffer(ty: DescriptorType) -> bool {
    matches!(ty, DescriptorType::Buffer(BufferKind::StorageRead | BufferKind::Storage))
}

fn is_sampled_image(ty: DescriptorType) -> bool {
    use ImageKind::{Combined, Sampled, UniformTexels};
    matches!(ty, DescriptorType::Image { kind: Sampled | Combined | UniformTexels, .. })
}

fn is_storage_image(ty: DescriptorType) -> bool {
    matches!(ty, DescriptorType::Image { kind: ImageKind::Storage | ImageKind::StorageTexels, .. })
}

fn is_sampler(ty: DescriptorType) -> bool {
    matches!(ty, DescriptorType::Sampler { .. } | DescriptorType::Image { kind: ImageKind::Combined, .. })
}

fn wide(size: usize) -> u64 {
    u64::try_from(size).expect("no platform of Rust has sizes above 64 bits")
}

fn within(what: &str, wanted: u64, most: u32) -> Result<(), RunnerError> {
    if wanted > most.into() {
        return Err(RunnerError::Unsupported(format!("room for {wanted} {what}; it has room for {most}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
