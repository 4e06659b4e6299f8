//! Probes: choose the entry points of a shader module and the bytes to upload, and decode the
//! bytes that come back.
//!
//! Every probe has the same interface, so that each generator writes the same program in its own
//! language:
//!
//! - set 0 binding 0, or the push constants: the block under test, read-only for read entries. In
//!   an array of buffers it is element [`BLOCK_ELEMENT`], the last one. A block at an address has
//!   no descriptor: the push constants consist of the address, or a ray generation has it in its record. A block in a shader record has
//!   none either; the record of a stage that the ray generation reaches is the last one of a table like
//!   such an array. A block in
//!   workgroup memory is a copy of this buffer, which holds `uint`s ([`jobs`] says how many).
//! - set 0 binding 1: output, a storage buffer of `uint`, refilled before each dispatch.
//! - set 0 binding 2: input, a read-only storage buffer of `uint`. Word 0 is the nonce; values and
//!   indices follow.
//! - set 0 binding 3, for [`Form::Copied`] only: a storage block of the same type in another layout
//!   (`copy_layout`), the source or the target of the copy.
//!
//! A read entry stores the nonce to `output[0]`, then form by form the bits of the leaves, each
//! padded to whole 32-bit words ([`words`]). A write entry has one form: it takes the leaves' bits
//! from the input and stores the nonce to `output[0]`. A bool is passed as 0 or 1. [`Wiring`] maps
//! the words to leaves and finds the indices that some forms take from the input.
//!
//! In a draw the probed stage does all this; the other stage is [`POINT`] or [`NOTHING`]. A
//! callable stage, and those of a ray, are reached from [`CALLER`], which is in a module of its own.
//!
//! A [`RegionJob`] handles many blocks at once: every block has its own part of the buffer, all
//! blocks share the input, and hashes answer for the reads.
//!
//! [`plan`] chooses leaves and entries, [`jobs`] makes the buffers of each dispatch, and
//! [`observe`] reads the results.
#![forbid(unsafe_code)]

mod axes;
pub mod binding;
mod complete;
mod copy_layout;
pub mod image;
mod interface;
mod jobs;
pub mod leaf_kind;
mod length;
mod observe;
mod plan;
mod regions;
pub mod reserved;
mod split_plan;
mod word_map;

pub use axes::{AddressSpace, Direction, Form};
pub use copy_layout::spread;
pub use interface::{BETWEEN_ALIGNMENT, Interface, PointerHolder, Socket};
pub use jobs::{BoundRange, PlanShader, ProbeJob, ProbeRun, address_alignment, jobs, push_words, workgroup_words};
pub use layoutproof_device::Stage;
pub use length::{Tail, length_in, tail};
pub use observe::{BufferRole, Observation, Observed, ProbeProblem, observe, observed_right};
pub use plan::{
    SelfLink, TooSmall, elements, forms_left_out, is_array_of_elements, needs, plan, plan_by_name, plan_in, self_link,
    too_small,
};
pub use regions::{
    CASES_OF_HASH, HASH_FACTOR, PUSH_BYTES, REGION_BYTES, RegionAnswer, RegionCase, RegionJob, RegionPlaces,
    has_regions,
};
pub use word_map::{AnswerPlace, AnswerSlot, Chunk, LANES, Wiring, is_indexed};

use std::collections::BTreeSet;

use layoutproof_device::Feature;
use layoutproof_layout::{Component, Leaf};

/// The element of an array of buffers that is the block under test. It is the last element.
pub const BLOCK_ELEMENT: u32 = 3;

/// Entry point of a vertex stage that places one point and does nothing else.
pub const POINT: &str = "point";

/// Entry point of a ray generation that reaches the record with the block under test and does nothing
/// else.
pub const CALLER: &str = "caller";

/// The name of the variable through which a shader fills workgroup memory word by word. It shares
/// its bytes with the block under test.
pub const WORKGROUP_WORDS: &str = "layoutproof_words";

/// Entry point of a fragment stage that does nothing.
pub const NOTHING: &str = "nothing";

/// The leaves and entry points of one shader module.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbePlan {
    /// The probed leaves, in the order of the output words.
    pub leaves: Vec<Leaf>,
    /// The leaves that are not in the module, each with the reason.
    pub not_probed: Vec<NotProbed>,
    pub entries: Vec<ProbeEntry>,
}

/// A leaf that no entry point reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NotProbed {
    pub leaf: Leaf,
    /// The reason, as a lowercase fragment that fits after "not probed: ".
    pub reason: String,
}

/// One entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeEntry {
    /// The entry point's name, such as `read_uniform` or `write_storage_vector`.
    pub name: String,
    /// The address space of the block.
    pub space: AddressSpace,
    pub stage: Stage,
    pub direction: Direction,
    /// The forms in the order of the output words; exactly one for a write entry.
    pub forms: Vec<Form>,
}

impl ProbeEntry {
    /// True if the entry point needs pointers without a type.
    pub fn is_untyped(&self) -> bool {
        self.forms.iter().any(|form| form.is_untyped())
    }

    /// True if the entry point only queries an element count.
    pub fn is_length(&self) -> bool {
        matches!(self.forms[..], [form] if form.is_length())
    }

    /// Lists the features that a device needs for the space, the stage and the forms, except for push
    /// constants under test.
    pub fn requires(&self) -> BTreeSet<Feature> {
        let space: &[Feature] = match self.space {
            AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant => &[],
            AddressSpace::UniformElement => &[Feature::UniformBufferArray],
            AddressSpace::StorageElement => &[Feature::StorageBufferArray],
            AddressSpace::Address => &[Feature::BufferDeviceAddress, Feature::PushConstants],
            AddressSpace::ShaderRecord => &[Feature::RayTracingPipeline],
            AddressSpace::Workgroup => &[Feature::WorkgroupLayout],
            AddressSpace::InlineUniform => &[Feature::InlineUniformBlock],
            AddressSpace::HeapUniform | AddressSpace::HeapStorage => {
                &[Feature::DescriptorHeap, Feature::UntypedPointers]
            }
        };
        let stage: &[Feature] = match self.stage {
            Stage::Compute => &[],
            Stage::Vertex => &[Feature::Graphics, Feature::VertexStores],
            Stage::Fragment => &[Feature::Graphics, Feature::FragmentStores],
            // The push constants have the address of what a ray meets.
            Stage::Record(stage) if stage.needs_ray() => &[Feature::RayTracingPipeline, Feature::PushConstants],
            Stage::RayGeneration | Stage::Record(_) => &[Feature::RayTracingPipeline],
        };
        let untyped = self.is_untyped().then_some(Feature::UntypedPointers);
        space.iter().chain(stage).copied().chain(untyped).collect()
    }
}

/// Returns how many 32-bit words of the probe's output and input a leaf of this type needs.
pub fn words(component: Component) -> u32 {
    component.size.div_ceil(4)
}

impl ProbePlan {
    /// Moves every entry point to the compute stage and keeps its name.
    #[must_use]
    pub fn in_dispatches(mut self) -> Self {
        for entry in &mut self.entries {
            entry.stage = Stage::Compute;
        }
        self
    }

    /// Keeps the leaves for which `reason_to_skip` returns `None`; the others are not probed for
    /// the returned reason.
    #[must_use]
    pub fn without(mut self, reason_to_skip: impl Fn(&Leaf) -> Option<String>) -> Self {
        for leaf in std::mem::take(&mut self.leaves) {
            match reason_to_skip(&leaf) {
                None => self.leaves.push(leaf),
                Some(reason) => self.not_probed.push(NotProbed { leaf, reason }),
            }
        }
        self.pruned()
    }

    /// Keeps only the forms in `forms`.
    #[must_use]
    pub fn only(mut self, forms: &BTreeSet<Form>) -> Self {
        for entry in &mut self.entries {
            entry.forms.retain(|form| forms.contains(form));
        }
        self.pruned()
    }

    /// Keeps untyped pointers only in the spaces in `spaces`.
    #[must_use]
    pub fn untyped_only_in(mut self, spaces: &BTreeSet<AddressSpace>) -> Self {
        self.entries.retain(|entry| !entry.is_untyped() || spaces.contains(&entry.space));
        self
    }

    /// Removes forms without a leaf, and entry points without a form.
    fn pruned(mut self) -> Self {
        let any = !self.leaves.is_empty();
        let indexed = self.leaves.iter().any(word_map::is_indexed);
        let in_arrays = self.leaves.iter().any(word_map::is_in_array);

        for entry in &mut self.entries {
            // Where nothing can be indexed, a copy differs from the whole struct only in its memory,
            // and one kind of copy is enough.
            let copies = indexed || entry.space == AddressSpace::Storage;
            entry.forms.retain(|form| match form {
                Form::Indexed | Form::Divergent | Form::Function => indexed,
                Form::Private => any && copies,
                Form::Leaf
                | Form::Vector
                | Form::Whole
                | Form::Parameter
                | Form::Copied
                | Form::Linked
                | Form::Length
                | Form::ByteAddress
                | Form::Workgroup
                | Form::Untyped
                | Form::UntypedVector
                | Form::UntypedWhole
                | Form::UntypedLength
                | Form::Retyped => any,
                Form::Sized => in_arrays,
            });
        }

        self.entries.retain(|entry| !entry.forms.is_empty());
        self
    }

    /// Returns the first word of each leaf, counted from the first leaf's, and the word after the
    /// last leaf.
    pub fn first_words(&self) -> (Vec<u32>, u32) {
        let mut next = 0;
        let firsts = self.leaves.iter().map(|leaf| {
            let first = next;
            next += words(leaf.component);
            first
        });
        (firsts.collect(), next)
    }
}
