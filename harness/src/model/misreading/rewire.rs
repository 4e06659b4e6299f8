//! Faults of descriptors: a binding probe's job in, the same job with two descriptors swapped out.
//!
//! The job stays one that every device takes: what changes places is of one kind.

use layoutproof_device::{BufferKind, ImageKind, ImageView, Job, TexelType};

use super::{DescriptorFault, Fault, Misreading};
use crate::probe::binding::Site;

/// Set, binding and element.
type At = (u32, u32, u32);

/// A descriptor of a job, by its place in the list of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Descriptor {
    Buffer(usize, BufferKind),
    Image(usize, (ImageKind, ImageView, TexelType)),
    /// With whether it compares.
    Sampler(usize, bool),
}

impl Misreading {
    /// The job as a device with this fault takes it. Of a job that has nothing to swap it is the job itself.
    #[must_use]
    pub fn rewired(self, job: &Job) -> Job {
        let Fault::Descriptors(fault) = self.fault else { return job.clone() };
        let all = descriptors(job);
        let pairs =
            all.iter().enumerate().flat_map(|(index, one)| all[index + 1..].iter().map(move |two| (*one, *two)));
        let mut rewired = job.clone();
        if let Some(((one, at_one), (two, at_two))) = pairs.into_iter().find(|pair| is_swapped(fault, *pair)) {
            put(&mut rewired, one, at_two);
            put(&mut rewired, two, at_one);
        }
        rewired
    }
}

/// The descriptors that hold the word of their own place: not the probe's output, nor what it reads others with.
fn descriptors(job: &Job) -> Vec<(Descriptor, At)> {
    let own = |(set, binding, element): At, word: Option<u32>| {
        let Some(site @ Site::Descriptor { set: in_space, element: of_array, .. }) = word.and_then(Site::of_word)
        else {
            return false;
        };
        let is_register = site.as_register().is_some_and(|(_, first)| first == binding);
        site == Site::Descriptor { set, binding, element } || (is_register && (in_space, of_array) == (set, element))
    };
    let buffers = job.buffers.iter().enumerate().filter_map(|(index, buffer)| {
        let at = (buffer.set, buffer.binding, buffer.element);
        let word = buffer.bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        own(at, word).then_some((Descriptor::Buffer(index, buffer.kind), at))
    });
    let images = job.images.iter().enumerate().filter_map(|(index, image)| {
        let at = (image.set, image.binding, image.element);
        let word = image.levels.first().map(|texel| texel[0]);
        own(at, word).then_some((Descriptor::Image(index, (image.kind, image.view, image.texel)), at))
    });
    let samplers = job.samplers.iter().enumerate();
    let samplers =
        samplers.map(|(index, it)| (Descriptor::Sampler(index, it.comparison), (it.set, it.binding, it.element)));
    buffers.chain(images).chain(samplers).collect()
}

fn is_swapped(fault: DescriptorFault, (one, two): ((Descriptor, At), (Descriptor, At))) -> bool {
    let same_kind = match (one.0, two.0) {
        (Descriptor::Buffer(_, one), Descriptor::Buffer(_, two)) => one == two,
        (Descriptor::Image(_, one), Descriptor::Image(_, two)) => one == two,
        (Descriptor::Sampler(_, one), Descriptor::Sampler(_, two)) => one == two,
        (Descriptor::Buffer(..) | Descriptor::Image(..) | Descriptor::Sampler(..), _) => false,
    };
    let ((set, binding, element), (other_set, other_binding, other_element)) = (one.1, two.1);
    same_kind
        && match fault {
            DescriptorFault::Bindings => set == other_set && binding != other_binding,
            DescriptorFault::Sets => set != other_set,
            DescriptorFault::Elements => (set, binding) == (other_set, other_binding) && element != other_element,
        }
}

fn put(job: &mut Job, descriptor: Descriptor, at: At) {
    let place = match descriptor {
        Descriptor::Buffer(index, _) => {
            let buffer = &mut job.buffers[index];
            (&mut buffer.set, &mut buffer.binding, &mut buffer.element)
        }
        Descriptor::Image(index, _) => {
            let image = &mut job.images[index];
            (&mut image.set, &mut image.binding, &mut image.element)
        }
        Descriptor::Sampler(index, _) => {
            let sampler = &mut job.samplers[index];
            (&mut sampler.set, &mut sampler.binding, &mut sampler.element)
        }
    };
    (*place.0, *place.1, *place.2) = at;
}
