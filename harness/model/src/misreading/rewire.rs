//! Faults of descriptors: swaps two descriptors of a binding probe's job.
//!
//! The job stays valid for every device, because only descriptors of one kind are swapped.

use layoutproof_device::{BufferKind, ImageKind, ImageView, Job, TexelType};

use super::{DescriptorFault, Misreading, ModelFault};
use crate::descriptors::DescriptorKey;
use layoutproof_probes::binding::BindingSite;

/// A descriptor of a job, by its index among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescriptorIndex {
    Buffer(usize, BufferKind),
    Image(usize, (ImageKind, ImageView, TexelType)),
    /// The flag is true for a comparison sampler.
    Sampler(usize, bool),
}

impl Misreading {
    /// Returns the job as a device with this fault sees it; unchanged if there is nothing to swap.
    #[must_use]
    pub fn rewired(self, job: &Job) -> Job {
        let ModelFault::Descriptors(fault) = self.fault else { return job.clone() };
        let all = descriptors(job);
        let pairs =
            all.iter().enumerate().flat_map(|(index, one)| all[index + 1..].iter().map(move |two| (*one, *two)));
        let mut rewired = job.clone();
        if let Some(((one, at_one), (two, at_two))) =
            pairs.into_iter().find(|((one, at_one), (two, at_two))| is_swapped(fault, *one, *two, *at_one, *at_two))
        {
            put(&mut rewired, one, at_two);
            put(&mut rewired, two, at_one);
        }
        rewired
    }
}

/// The descriptors whose content identifies their place. This excludes the probe's output and its
/// auxiliary resources.
fn descriptors(job: &Job) -> Vec<(DescriptorIndex, DescriptorKey)> {
    let own = |(set, binding, element): DescriptorKey, word: Option<u32>| {
        let Some(site @ BindingSite::Descriptor { set: in_space, element: of_array, .. }) =
            word.and_then(BindingSite::of_word)
        else {
            return false;
        };
        let is_register = site.as_register().is_some_and(|(_, first)| first == binding);
        site == BindingSite::Descriptor { set, binding, element }
            || (is_register && (in_space, of_array) == (set, element))
    };

    let buffers = job.buffers.iter().enumerate().filter_map(|(index, buffer)| {
        let at = (buffer.set, buffer.binding, buffer.element);
        let word = buffer.bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        own(at, word).then_some((DescriptorIndex::Buffer(index, buffer.kind), at))
    });
    let images = job.images.iter().enumerate().filter_map(|(index, image)| {
        let at = (image.set, image.binding, image.element);
        let word = image.levels.first().map(|texel| texel[0]);
        own(at, word).then_some((DescriptorIndex::Image(index, (image.kind, image.view, image.texel)), at))
    });
    let samplers = job.samplers.iter().enumerate();
    let samplers =
        samplers.map(|(index, it)| (DescriptorIndex::Sampler(index, it.comparison), (it.set, it.binding, it.element)));

    buffers.chain(images).chain(samplers).collect()
}

fn is_swapped(
    fault: DescriptorFault,
    one: DescriptorIndex,
    two: DescriptorIndex,
    at_one: DescriptorKey,
    at_two: DescriptorKey,
) -> bool {
    let same_kind = match (one, two) {
        (DescriptorIndex::Buffer(_, one), DescriptorIndex::Buffer(_, two)) => one == two,
        (DescriptorIndex::Image(_, one), DescriptorIndex::Image(_, two)) => one == two,
        (DescriptorIndex::Sampler(_, one), DescriptorIndex::Sampler(_, two)) => one == two,
        (DescriptorIndex::Buffer(..) | DescriptorIndex::Image(..) | DescriptorIndex::Sampler(..), _) => false,
    };

    let ((set, binding, element), (other_set, other_binding, other_element)) = (at_one, at_two);
    same_kind
        && match fault {
            DescriptorFault::Bindings => set == other_set && binding != other_binding,
            DescriptorFault::Sets => set != other_set,
            DescriptorFault::Elements => (set, binding) == (other_set, other_binding) && element != other_element,
        }
}

fn put(job: &mut Job, descriptor: DescriptorIndex, at: DescriptorKey) {
    let (set, binding, element) = match descriptor {
        DescriptorIndex::Buffer(index, _) => {
            let buffer = &mut job.buffers[index];
            (&mut buffer.set, &mut buffer.binding, &mut buffer.element)
        }
        DescriptorIndex::Image(index, _) => {
            let image = &mut job.images[index];
            (&mut image.set, &mut image.binding, &mut image.element)
        }
        DescriptorIndex::Sampler(index, _) => {
            let sampler = &mut job.samplers[index];
            (&mut sampler.set, &mut sampler.binding, &mut sampler.element)
        }
    };

    (*set, *binding, *element) = at;
}
