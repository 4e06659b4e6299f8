//! Whether a job fits a device, and where its buffers then lie.
//!
//! A [`Job`] and the device's [`Limits`] go in, one [`Placement`] per buffer comes out. What the device has too little
//! of is `Unsupported`, with both numbers; a job that no device could run is `Api`. Shaders are not looked at.

use std::collections::BTreeSet;

use crate::placement::Placement;
use crate::runner::{BufferKind, DeviceInfo, Feature, Job, JobBuffer, RunnerError};

/// What a device has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Minimum alignment of a uniform range's offset, in bytes.
    pub uniform_alignment: u32,
    /// Minimum alignment of a storage range's offset, in bytes.
    pub storage_alignment: u32,
    /// Largest uniform range, in bytes.
    pub uniform_range: u32,
    /// Largest storage range, in bytes.
    pub storage_range: u32,
    /// Uniform buffers in one stage.
    pub uniform_buffers: u32,
    /// Storage buffers in one stage.
    pub storage_buffers: u32,
    /// Descriptor sets: one more than the largest set number.
    pub sets: u32,
    /// Largest push-constant block, in bytes.
    pub push_constants: u32,
    /// Workgroups of a dispatch in x, y, z.
    pub workgroups: [u32; 3],
}

impl Limits {
    /// Places every buffer of `job`, in the job's order.
    ///
    /// # Errors
    /// `Unsupported` if the device has too little of something. `Api` if the job has no buffers, if two share set and
    /// binding, if its push constants are no multiple of 4 bytes, or as [`Placement::of`].
    pub fn place(&self, job: &Job) -> Result<Vec<Placement>, RunnerError> {
        check_form(job)?;
        only_buffers(job)?;
        let sets = job.buffers.iter().map(|buffer| u64::from(buffer.set) + 1).max().unwrap_or(0);
        within("descriptor sets", sets, self.sets)?;
        let storages = job.buffers.iter().filter(|buffer| is_storage(buffer)).count();
        within("uniform buffers", wide(job.buffers.len() - storages), self.uniform_buffers)?;
        within("storage buffers", wide(storages), self.storage_buffers)?;
        within("bytes of push constants", wide(job.push_constants.len()), self.push_constants)?;
        for (wanted, most) in job.workgroups.into_iter().zip(self.workgroups) {
            within("workgroups in one dimension", wanted.into(), most)?;
        }
        job.buffers.iter().map(|buffer| self.place_buffer(buffer)).collect()
    }

    fn place_buffer(&self, buffer: &JobBuffer) -> Result<Placement, RunnerError> {
        let (what, alignment, most) = if is_storage(buffer) {
            ("bytes in a storage range", self.storage_alignment, self.storage_range)
        } else {
            ("bytes in a uniform range", self.uniform_alignment, self.uniform_range)
        };
        within(what, wide(buffer.bytes.len()), most)?;
        Placement::of(buffer, alignment)
    }
}

/// Checks that the device has all of `features`.
///
/// # Errors
/// `Unsupported` with the first one that it lacks.
pub fn check_features<'a>(
    device: &DeviceInfo,
    features: impl IntoIterator<Item = &'a Feature>,
) -> Result<(), RunnerError> {
    match features.into_iter().find(|feature| !device.features.contains(feature)) {
        Some(missing) => Err(RunnerError::Unsupported(missing.to_string())),
        None => Ok(()),
    }
}

/// Checks that the job is a dispatch with nothing but bound buffers and push constants.
///
/// # Errors
/// `Unsupported` with what it has besides.
pub fn only_buffers(job: &Job) -> Result<(), RunnerError> {
    let addressed = |buffer: &JobBuffer| matches!(buffer.kind, BufferKind::Address { .. });
    let beyond = [
        ("draws", job.draw.is_some()),
        ("images", !job.images.is_empty()),
        ("samplers", !job.samplers.is_empty()),
        ("specialization constants", !job.constants.is_empty()),
        ("buffers by address", job.buffers.iter().any(addressed)),
        ("arrays of buffers", job.buffers.iter().any(|buffer| buffer.element > 0)),
    ];
    match beyond.into_iter().find(|(_, present)| *present) {
        Some((what, _)) => Err(RunnerError::Unsupported(what.to_owned())),
        None => Ok(()),
    }
}

/// What a job must have on any device.
fn check_form(job: &Job) -> Result<(), RunnerError> {
    let refuse = |reason: String| Err(RunnerError::Api { call: "job".to_owned(), reason });
    if job.buffers.is_empty() {
        return refuse("without buffers there is nothing to read back".to_owned());
    }
    let size = job.push_constants.len();
    if !size.is_multiple_of(4) {
        return refuse(format!("{size} bytes of push constants are no multiple of 4"));
    }
    let mut taken = BTreeSet::new();
    match job.buffers.iter().find(|buffer| !taken.insert((buffer.set, buffer.binding, buffer.element))) {
        Some(second) => refuse(format!("two buffers at set {} binding {}", second.set, second.binding)),
        None => Ok(()),
    }
}

fn is_storage(buffer: &JobBuffer) -> bool {
    match buffer.kind {
        BufferKind::Uniform => false,
        BufferKind::StorageRead | BufferKind::Storage | BufferKind::Address { .. } => true,
    }
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
mod tests {
    use super::*;
    use crate::runner::{RunnerKind, Shader};

    const LIMITS: Limits = Limits {
        uniform_alignment: 64,
        storage_alignment: 16,
        uniform_range: 32,
        storage_range: 64,
        uniform_buffers: 1,
        storage_buffers: 2,
        sets: 4,
        push_constants: 8,
        workgroups: [3, 2, 1],
    };

    fn buffer(set: u32, binding: u32, kind: BufferKind, size: usize) -> JobBuffer {
        JobBuffer { set, binding, element: 0, kind, bytes: vec![0; size], after: vec![0; 4], before_word: 0 }
    }

    fn job(buffers: Vec<JobBuffer>) -> Job {
        Job { workgroups: [3, 2, 1], ..Job::compute(Shader::Wgsl(String::new()), "main", buffers) }
    }

    #[test]
    fn each_buffer_is_placed_by_the_alignment_of_its_kind() {
        use BufferKind::{Storage, StorageRead, Uniform};
        let job = job(vec![buffer(3, 0, Storage, 64), buffer(0, 0, Uniform, 32), buffer(0, 1, StorageRead, 4)]);
        let offsets: Vec<u32> = LIMITS.place(&job).unwrap().iter().map(|placement| placement.offset).collect();
        assert_eq!(offsets, [16, 64, 16]);
    }

    #[test]
    fn every_limit_is_named_with_both_numbers() {
        use BufferKind::{Storage, Uniform};
        let one = || buffer(0, 0, Storage, 4);
        let [mut push, mut groups] = [job(vec![one()]), job(vec![one()])];
        push.push_constants = vec![0; 12];
        groups.workgroups = [1, 3, 1];
        let many = |kind| (0..3).map(|binding| buffer(0, binding, kind, 4)).collect();
        for (job, lacks) in [
            (job(vec![buffer(4, 0, Storage, 4)]), "room for 5 descriptor sets; it has room for 4"),
            (job(many(Uniform)), "room for 3 uniform buffers; it has room for 1"),
            (job(many(Storage)), "room for 3 storage buffers; it has room for 2"),
            (job(vec![buffer(0, 0, Uniform, 36)]), "room for 36 bytes in a uniform range; it has room for 32"),
            (job(vec![buffer(0, 0, Storage, 68)]), "room for 68 bytes in a storage range; it has room for 64"),
            (push, "room for 12 bytes of push constants; it has room for 8"),
            (groups, "room for 3 workgroups in one dimension; it has room for 2"),
        ] {
            assert_eq!(LIMITS.place(&job), Err(RunnerError::Unsupported(lacks.to_owned())));
        }
    }

    #[test]
    fn malformed_jobs_are_refused() {
        let one = || buffer(1, 2, BufferKind::Storage, 4);
        let mut push = job(vec![one()]);
        push.push_constants = vec![0; 5];
        for (job, reason) in [
            (job(vec![]), "without buffers there is nothing to read back"),
            (job(vec![one(), one()]), "two buffers at set 1 binding 2"),
            (push, "5 bytes of push constants are no multiple of 4"),
        ] {
            let call = "job".to_owned();
            assert_eq!(LIMITS.place(&job), Err(RunnerError::Api { call, reason: reason.to_owned() }));
        }
    }

    #[test]
    fn the_first_missing_feature_is_named() {
        let device = DeviceInfo {
            id: String::new(),
            name: String::new(),
            driver: String::new(),
            api: String::new(),
            runner: RunnerKind::Ash,
            index: 0,
            hardware: false,
            features: BTreeSet::from([Feature::Int8, Feature::Int64]),
            max_uniform_range: 0,
            max_push_constants: 0,
        };
        assert_eq!(check_features(&device, &[Feature::Int64, Feature::Int8]), Ok(()));
        let found = check_features(&device, &[Feature::Int64, Feature::Float16, Feature::Int16]);
        assert_eq!(found, Err(RunnerError::Unsupported("shaderFloat16".to_owned())));
    }
}
