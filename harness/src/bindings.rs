//! What a job binds where: its buffers, images and samplers, by set and binding.
//!
//! A [`Job`] goes in; out comes, for each binding, the type of its descriptors and which of its elements the job names.
//! Arrays end with the last named element. What stands in the elements that nobody names is the runners' business, but
//! it must be a valid descriptor and unlike those that are named, so that a shader that reads there is found out.

use std::collections::BTreeMap;

use crate::runner::{BufferKind, ImageKind, ImageView, Job, RunnerError, TexelType};

/// What the descriptors of a binding are; all elements of an array are of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BindingType {
    /// Buffers.
    Buffer(BufferKind),
    /// Images.
    Image {
        /// How they are bound.
        kind: ImageKind,
        /// Their views.
        view: ImageView,
        /// Their texels.
        texel: TexelType,
    },
    /// Samplers.
    Sampler {
        /// Whether they compare.
        comparison: bool,
    },
}

/// One binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Type of the descriptors.
    pub ty: BindingType,
    /// By element, the index of the resource among the job's buffers, images or samplers, whichever `ty` says. Never
    /// empty.
    pub named: BTreeMap<u32, usize>,
}

impl Binding {
    /// Length of the array: 1 where it is none.
    pub fn length(&self) -> u64 {
        self.named.last_key_value().map_or(0, |(last, _)| u64::from(*last) + 1)
    }

    /// Whether the array has elements that the job does not name.
    pub fn has_unnamed(&self) -> bool {
        self.length() > self.named.len() as u64
    }
}

/// The bindings of a job, by set and binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Per descriptor set, per binding number.
    pub sets: BTreeMap<u32, BTreeMap<u32, Binding>>,
}

/// Where a resource is bound, and which of the job's resources of its type it is.
struct Place {
    set: u32,
    binding: u32,
    element: u32,
    index: usize,
}

impl Bindings {
    /// Collects the descriptors of `job`; buffers by address have none.
    ///
    /// # Errors
    /// `Api` if two share set, binding and element, or if the elements of an array are of different types.
    pub fn of(job: &Job) -> Result<Self, RunnerError> {
        let mut bindings = Self::default();
        for (index, buffer) in job.buffers.iter().enumerate() {
            match buffer.kind {
                BufferKind::Uniform | BufferKind::StorageRead | BufferKind::Storage => {
                    let place = Place { set: buffer.set, binding: buffer.binding, element: buffer.element, index };
                    bindings.add(&place, BindingType::Buffer(buffer.kind))?;
                }
                BufferKind::Address { .. } => {}
            }
        }
        for (index, image) in job.images.iter().enumerate() {
            let place = Place { set: image.set, binding: image.binding, element: image.element, index };
            let ty = BindingType::Image { kind: image.kind, view: image.view, texel: image.texel };
            bindings.add(&place, ty)?;
        }
        for (index, sampler) in job.samplers.iter().enumerate() {
            let place = Place { set: sampler.set, binding: sampler.binding, element: sampler.element, index };
            bindings.add(&place, BindingType::Sampler { comparison: sampler.comparison })?;
        }
        Ok(bindings)
    }

    /// Every binding, sets and bindings ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Binding> {
        self.sets.values().flat_map(BTreeMap::values)
    }

    /// How many descriptors there are of the types for which `counts` holds, all elements of arrays counted.
    pub fn count(&self, counts: impl Fn(BindingType) -> bool) -> u64 {
        self.iter().filter(|binding| counts(binding.ty)).map(Binding::length).sum()
    }

    fn add(&mut self, place: &Place, ty: BindingType) -> Result<(), RunnerError> {
        let refuse = |reason: &str| {
            let Place { set, binding, element, .. } = place;
            let at = if *element == 0 { String::new() } else { format!(" element {element}") };
            Err(RunnerError::Api {
                call: "job".to_owned(),
                reason: format!("{reason} at set {set} binding {binding}{at}"),
            })
        };
        let bindings = self.sets.entry(place.set).or_default();
        let binding = bindings.entry(place.binding).or_insert_with(|| Binding { ty, named: BTreeMap::new() });
        if binding.named.insert(place.element, place.index).is_some() {
            return refuse("two resources");
        }
        if binding.ty != ty {
            return refuse("resources of different types");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{JobBuffer, JobSampler, Shader};

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
        job.buffers.push(buffer(0, 0, Address { at: 0 }));
        job.samplers.push(JobSampler { set: 0, binding: 2, element: 0, level: 0, comparison: false });
        let bindings = Bindings::of(&job).unwrap();
        let array = &bindings.sets[&1][&2];
        assert_eq!(array.named, BTreeMap::from([(1, 2), (3, 0)]));
        assert_eq!((array.length(), array.has_unnamed()), (4, true));
        assert_eq!(bindings.sets[&1][&0].named, BTreeMap::from([(0, 1)]));
        assert!(!bindings.sets[&1][&0].has_unnamed());
        assert_eq!(bindings.sets[&0][&2].ty, BindingType::Sampler { comparison: false });
        assert_eq!(bindings.count(|ty| ty == BindingType::Buffer(Uniform)), 4);
        assert_eq!(bindings.count(|_| true), 6);
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
            assert_eq!(Bindings::of(&job), Err(RunnerError::Api { call, reason: reason.to_owned() }));
        }
    }
}
