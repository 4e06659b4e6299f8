//! Sorts the buffers, images and samplers of a job by set and binding, in the same way for every
//! runner.
//!
//! Runners get from here the descriptor type of each binding and the elements that the job names.
//! Arrays end with the last named element. Elements that the job leaves out get valid resources
//! with other contents than the named ones, so that a shader that reads them is noticed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::{BufferKind, ImageKind, ImageView, Job, JobImage, JobSampler, RunnerError, TexelType};

/// The texel of images in elements that a job leaves out. Probes use other values for theirs.
const LEFT_OUT_TEXEL: [u32; 4] = [0; 4];

/// The type of a descriptor. All elements of an array have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DescriptorType {
    Buffer(BufferKind),
    Image { kind: ImageKind, view: ImageView, texel: TexelType },
    Sampler { comparison: bool },
}

/// The descriptors of one binding: an array, of length 1 if the shader declares none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorArray {
    pub ty: DescriptorType,
    /// The index of each named element's resource among the job's buffers, images or samplers,
    /// depending on `ty`. Never empty.
    pub named: BTreeMap<u32, usize>,
}

impl DescriptorArray {
    pub fn elements(&self) -> RangeInclusive<u32> {
        0..=self.named.last_key_value().map_or(0, |(last, _)| *last)
    }

    /// Length of the array: 1 for a single descriptor.
    pub fn length(&self) -> u64 {
        u64::from(*self.elements().end()) + 1
    }

    /// The images of all elements, if these are images of `job`. Elements that the job leaves out
    /// get the form of the first named image, with zeros for texels.
    pub fn images(&self, job: &Job) -> Vec<JobImage> {
        let left_out = || {
            let first = &job.images[self.first()];
            JobImage { levels: vec![LEFT_OUT_TEXEL; first.levels.len()], ..first.clone() }
        };
        let image = |element| self.named.get(&element).map_or_else(left_out, |index| job.images[*index].clone());
        self.elements().map(image).collect()
    }

    /// The samplers of all elements, if these are samplers of `job`. Elements that the job leaves
    /// out see the first mip level that no named sampler sees.
    pub fn samplers(&self, job: &Job) -> Vec<JobSampler> {
        let is_seen = |level: &u32| self.named.values().any(|index| job.samplers[*index].level == *level);
        let unseen = (0..=u32::MAX).find(|level| !is_seen(level)).unwrap_or(u32::MAX);
        let left_out = || JobSampler { level: unseen, ..job.samplers[self.first()].clone() };
        let sampler = |element| self.named.get(&element).map_or_else(left_out, |index| job.samplers[*index].clone());
        self.elements().map(sampler).collect()
    }

    /// The bytes for the elements that `job` leaves out, if these are its buffers; `None` if it
    /// leaves none out. They are as long as the longest named range and repeat the word before the
    /// first named range.
    pub fn left_out_range(&self, job: &Job) -> Option<Vec<u8>> {
        if self.length() == self.named.len() as u64 {
            return None;
        }
        let longest = self.named.values().map(|index| job.buffers[*index].bytes.len()).max().unwrap_or(0);
        let word = job.buffers[self.first()].before_word.to_le_bytes();
        Some(word.into_iter().cycle().take(longest).collect())
    }

    /// The size of the inline uniform block, if this is one of `job`.
    pub fn inline_size(&self, job: &Job) -> Option<u32> {
        let is_inline = self.ty == DescriptorType::Buffer(BufferKind::InlineUniform);
        is_inline.then(|| u32::try_from(job.buffers[self.first()].bytes.len()).expect("within the device's limit"))
    }

    /// The index of the first named resource.
    fn first(&self) -> usize {
        *self.named.first_key_value().expect("a binding names at least one resource").1
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptors {
    /// By descriptor set, then by binding number.
    pub sets: BTreeMap<u32, BTreeMap<u32, DescriptorArray>>,
}

/// The binding of a resource, and its index among the job's resources of its type.
struct DescriptorSlot {
    set: u32,
    binding: u32,
    element: u32,
    index: usize,
}

impl Descriptors {
    /// Collects the descriptors of `job`. Buffers by address, in heaps and of outputs have none, nor shader records.
    ///
    /// # Errors
    /// `Api` if two resources share set, binding and element, or if an array has elements of
    /// different types.
    pub fn of(job: &Job) -> Result<Self, RunnerError> {
        let mut descriptors = Self::default();
        for (index, buffer) in job.buffers.iter().enumerate() {
            match buffer.kind {
                BufferKind::Uniform | BufferKind::InlineUniform | BufferKind::StorageRead | BufferKind::Storage => {
                    let place =
                        DescriptorSlot { set: buffer.set, binding: buffer.binding, element: buffer.element, index };
                    descriptors.add(&place, DescriptorType::Buffer(buffer.kind))?;
                }
                BufferKind::Address { .. }
                | BufferKind::ShaderRecord
                | BufferKind::HeapUniform
                | BufferKind::HeapStorage
                | BufferKind::Captured => {}
            }
        }

        for (index, image) in job.images.iter().enumerate() {
            let place = DescriptorSlot { set: image.set, binding: image.binding, element: image.element, index };
            let ty = DescriptorType::Image { kind: image.kind, view: image.view, texel: image.texel };
            descriptors.add(&place, ty)?;
        }

        for (index, sampler) in job.samplers.iter().enumerate() {
            let place = DescriptorSlot { set: sampler.set, binding: sampler.binding, element: sampler.element, index };
            descriptors.add(&place, DescriptorType::Sampler { comparison: sampler.comparison })?;
        }

        Ok(descriptors)
    }

    /// The descriptors of all bindings, in ascending order of sets and bindings.
    pub fn iter(&self) -> impl Iterator<Item = &DescriptorArray> {
        self.sets.values().flat_map(BTreeMap::values)
    }

    /// As [`Self::iter`], with the set and binding of each array.
    pub fn placed(&self) -> impl Iterator<Item = ((u32, u32), &DescriptorArray)> {
        self.sets.iter().flat_map(|(set, arrays)| arrays.iter().map(move |(binding, array)| ((*set, *binding), array)))
    }

    /// The bytes for all arrays of buffers from which `job` leaves elements out, by set and
    /// binding: see [`DescriptorArray::left_out_range`].
    pub fn left_out_ranges(&self, job: &Job) -> BTreeMap<(u32, u32), Vec<u8>> {
        let buffers = self.placed().filter(|(_, array)| matches!(array.ty, DescriptorType::Buffer(_)));
        buffers.filter_map(|(place, array)| Some((place, array.left_out_range(job)?))).collect()
    }

    /// The number of descriptors whose type satisfies `counts`, including all elements of arrays.
    pub fn count(&self, counts: impl Fn(DescriptorType) -> bool) -> u64 {
        self.iter().filter(|array| counts(array.ty)).map(DescriptorArray::length).sum()
    }

    fn add(&mut self, place: &DescriptorSlot, ty: DescriptorType) -> Result<(), RunnerError> {
        let refuse = |reason: &str| {
            let DescriptorSlot { set, binding, element, .. } = place;
            let at = if *element == 0 { String::new() } else { format!(" element {element}") };
            Err(RunnerError::Api {
                call: "job".to_owned(),
                reason: format!("{reason} at set {set} binding {binding}{at}"),
            })
        };

        let arrays = self.sets.entry(place.set).or_default();
        let array = arrays.entry(place.binding).or_insert_with(|| DescriptorArray { ty, named: BTreeMap::new() });

        if array.named.insert(place.element, place.index).is_some() {
            return refuse("two resources");
        }
        if array.ty != ty {
            return refuse("resources of different types");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JobBuffer, JobSampler, Shader};

    fn buffer(binding: u32, element: u32, kind: BufferKind) -> JobBuffer {
        JobBuffer { set: 1, binding, element, kind, bytes: vec![0; 4], after: Vec::new(), before_word: 0 }
    }

    fn job(buffers: Vec<JobBuffer>) -> Job {
        Job::compute(Shader::Wgsl(String::new()), "main", buffers)
    }

    #[test]
    fn arrays_end_with_the_last_named_element() {
        use BufferKind::{Address, Storage, Uniform};
        let mut job = job(vec![buffer(2, 3, Uniform), buffer(0, 0, Storage), buffer(2, 1, Uniform)]);
        job.buffers.push(buffer(0, 0, Address { alignment: 4 }));
        job.samplers.push(JobSampler { set: 0, binding: 2, element: 0, level: 0, comparison: false });
        let descriptors = Descriptors::of(&job).unwrap();
        let array = &descriptors.sets[&1][&2];
        assert_eq!(array.named, BTreeMap::from([(1, 2), (3, 0)]));
        assert_eq!(array.length(), 4);
        assert_eq!(array.elements(), 0..=3);
        assert_eq!(descriptors.sets[&1][&0].named, BTreeMap::from([(0, 1)]));
        assert_eq!(descriptors.sets[&0][&2].ty, DescriptorType::Sampler { comparison: false });
        assert_eq!(descriptors.count(|ty| ty == DescriptorType::Buffer(Uniform)), 4);
        assert_eq!(descriptors.count(|_| true), 6);
    }

    #[test]
    fn left_out_elements_are_unlike_the_named_ones() {
        let sampler = |element, level| JobSampler { set: 0, binding: 0, element, level, comparison: true };
        let image = |element, levels| {
            let (kind, view, texel) = (ImageKind::Sampled, ImageView::D3, TexelType::Sint);
            JobImage { set: 0, binding: 1, element, kind, view, texel, format: None, levels }
        };
        let mut job = job(vec![buffer(0, 2, BufferKind::Uniform), buffer(0, 0, BufferKind::Uniform)]);
        job.buffers[0].bytes = vec![9; 8];
        (job.buffers[0].before_word, job.buffers[1].before_word) = (0x0201, 0x0403_0201);
        job.samplers = vec![sampler(3, 1), sampler(0, 0)];
        job.images = vec![image(1, vec![[1, 2, 3, 4], [5, 6, 7, 8]])];
        let descriptors = Descriptors::of(&job).unwrap();
        let samplers = descriptors.sets[&0][&0].samplers(&job);
        assert_eq!(samplers.iter().map(|sampler| sampler.level).collect::<Vec<_>>(), [0, 2, 2, 1]);
        assert!(samplers.iter().all(|sampler| sampler.comparison));
        let images = descriptors.sets[&0][&1].images(&job);
        assert_eq!(images, [image(1, vec![[0; 4]; 2]), job.images[0].clone()]);
        let range = descriptors.sets[&1][&0].left_out_range(&job);
        assert_eq!(range, Some(vec![1, 2, 3, 4, 1, 2, 3, 4]));
        job.buffers.push(buffer(0, 1, BufferKind::Uniform));
        assert_eq!(Descriptors::of(&job).unwrap().sets[&1][&0].left_out_range(&job), None);
    }

    #[test]
    fn what_cannot_be_bound_together_is_named() {
        use BufferKind::{Storage, Uniform};
        let mut mixed = job(vec![buffer(2, 0, Storage)]);
        mixed.samplers.push(JobSampler { set: 1, binding: 2, element: 1, level: 0, comparison: true });
        for (job, reason) in [
            (job(vec![buffer(2, 0, Uniform), buffer(2, 0, Uniform)]), "two resources at set 1 binding 2"),
            (job(vec![buffer(2, 5, Uniform), buffer(2, 5, Uniform)]), "two resources at set 1 binding 2 element 5"),
            (
                job(vec![buffer(2, 0, Storage), buffer(2, 1, Uniform)]),
                "resources of different types at set 1 binding 2 element 1",
            ),
            (mixed, "resources of different types at set 1 binding 2 element 1"),
        ] {
            let call = "job".to_owned();
            assert_eq!(Descriptors::of(&job), Err(RunnerError::Api { call, reason: reason.to_owned() }));
        }
    }
}
