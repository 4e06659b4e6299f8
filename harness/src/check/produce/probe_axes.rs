//! Chooses the spaces, stages and forms in which a block is probed.
//!
//! Every case is probed in uniform buffers, storage buffers and push constants, in the compute
//! stage. The other spaces and stages each cost pipelines, and drivers hardly change their
//! treatment of offsets there. By default, a run therefore probes only a core of subjects in them:
//! each case under one of its rule sets, chosen by the case's id, in the buffer kind that the rule
//! set is for (uniform if it aligns arrays to 16 bytes or is WGSL's).
//!
//! A buffer of a descriptor heap is probed there alone, whether a case has it or a user's file.
//!
//! A block of a user's file already implies a space: a `cbuffer` is bound as a uniform buffer. Such
//! a block is probed in that space, in every stage.
//!
//! Only blocks that are declared as shader records are probed in shader records by default, because
//! few devices have ray-tracing pipelines. Of those, only the core is reached by rays, since a driver
//! takes long to compile a pipeline that traces them.
//!
//! If the user names a space or a stage, every block is probed there. Few devices have untyped pointers,
//! so only the core is probed through them, in part of its spaces, unless the user names forms.

use std::collections::BTreeSet;

use layoutproof_device::RecordStage;
use layoutproof_layout::rules::HomeBuffer;
use layoutproof_layout::{Block, BlockKind, BlockLayout, Reach, find};

use crate::check::produce::settings::Settings;
use crate::check::subject::Subject;
use layoutproof_probes::{AddressSpace, Form, Stage};
use layoutproof_source::stable_hash::stable_hash;

/// Returns the spaces and stages for a block of `subject`. Some of the combinations may
/// be impossible.
pub(super) fn reach(subject: &Subject, layout: &BlockLayout, settings: &Settings) -> BTreeSet<(AddressSpace, Stage)> {
    let kind = layout.kind;
    let is_entry_record = subject.declaration(layout.view).is_some_and(Block::has_entry_record);
    let is_record = kind == BlockKind::ShaderRecord || is_entry_record;
    let usual = if layout.reach == Reach::DescriptorHeap {
        Usual::in_heap(kind)
    } else if subject.source.is_case {
        Usual::of_case(subject, is_record)
    } else {
        Usual::of_kind(kind, is_entry_record)
    };
    let has_space = |space: &AddressSpace| {
        settings.spaces.as_ref().map_or_else(|| usual.spaces.contains(space), |asked| asked.contains(space))
    };
    let has_stage = |(space, stage): &(AddressSpace, Stage)| match &settings.stages {
        Some(asked) => asked.contains(stage),
        None if stage.is_drawn() => usual.drawn == Some(*space),
        None if *space == AddressSpace::Address && stage.is_traced() => {
            subject.record_with_pointer(layout.view).is_some()
        }
        None if stage.record_stage().is_some_and(RecordStage::needs_ray) => is_reached_by_rays(subject),
        None => true,
    };
    let spaces = AddressSpace::ALL.into_iter().filter(has_space);
    spaces.flat_map(|space| Stage::ALL.map(|stage| (space, stage))).filter(has_stage).collect()
}

/// Returns the spaces in which the blocks of `subject` are probed through untyped pointers. Few devices
/// have these, so by default only the core of the cases is, and in part of its spaces.
pub(super) fn untyped_spaces(subject: &Subject, settings: &Settings) -> BTreeSet<AddressSpace> {
    use AddressSpace::{Address, PushConstant, Storage, Uniform, Workgroup};
    if settings.forms != Form::ALL.into() {
        AddressSpace::ALL.into()
    } else if !subject.source.is_case || !is_core(subject) {
        BTreeSet::new()
    } else if is_for_uniform(subject.rules) {
        [Uniform, PushConstant].into()
    } else {
        [Storage, Address, Workgroup].into()
    }
}

/// Returns the stages of a draw in which to probe a compiler's code for a block of `subject`. The
/// declaration itself fixes the space.
pub(crate) fn drawn_stages(subject: &Subject, settings: &Settings) -> Vec<Stage> {
    let is_drawn = |stage: &Stage| match &settings.stages {
        Some(asked) => asked.contains(stage),
        None => !subject.source.is_case || is_core(subject),
    };
    Stage::ALL.into_iter().filter(|stage| stage.is_drawn() && is_drawn(stage)).collect()
}

/// Returns the stages, besides the ray generation, in which to probe a compiler's code for a shader record
/// of `subject`.
pub(crate) fn reached_stages(subject: &Subject, settings: &Settings) -> Vec<Stage> {
    let is_probed = |stage: &Stage| match &settings.stages {
        Some(asked) => asked.contains(stage),
        None if stage.record_stage().is_some_and(RecordStage::needs_ray) => is_reached_by_rays(subject),
        None => true,
    };
    Stage::ALL.into_iter().filter(|stage| stage.is_reached() && is_probed(stage)).collect()
}

/// Returns true if rays reach the shader records of `subject` unless the user names the stages.
fn is_reached_by_rays(subject: &Subject) -> bool {
    !subject.source.is_case || is_core(subject)
}

/// The default spaces and stages of a block.
struct Usual {
    /// The spaces in the stages outside of draws.
    spaces: BTreeSet<AddressSpace>,
    /// The one space that is also probed in the stages of a draw.
    drawn: Option<AddressSpace>,
}

impl Usual {
    fn of_case(subject: &Subject, is_record: bool) -> Self {
        let core = is_core(subject);
        let uniform = is_for_uniform(subject.rules);
        let usual = |space: &AddressSpace| match space {
            AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant => true,
            AddressSpace::UniformElement | AddressSpace::InlineUniform | AddressSpace::HeapUniform => core && uniform,
            AddressSpace::StorageElement
            | AddressSpace::HeapStorage
            | AddressSpace::Address
            | AddressSpace::Workgroup => core && !uniform,
            AddressSpace::ShaderRecord => is_record,
        };
        let home = if uniform { AddressSpace::Uniform } else { AddressSpace::Storage };
        Self { spaces: AddressSpace::ALL.into_iter().filter(usual).collect(), drawn: core.then_some(home) }
    }

    /// Returns the space of a buffer whose descriptor is in a heap.
    fn in_heap(kind: BlockKind) -> Self {
        let is_uniform = matches!(kind, BlockKind::ConstantBuffer | BlockKind::UniformBlock);
        let space = if is_uniform { AddressSpace::HeapUniform } else { AddressSpace::HeapStorage };
        Self { spaces: [space].into(), drawn: None }
    }

    /// Returns the spaces that a user's declaration implies. `is_entry_record` is true for parameters of a
    /// ray-tracing stage, which Vulkan compilers put into its record.
    fn of_kind(kind: BlockKind, is_entry_record: bool) -> Self {
        let (home, other) = match kind {
            // Vulkan compilers may turn an entry point's uniform parameters into push constants,
            // but not all blocks fit into those.
            BlockKind::EntryUniforms if is_entry_record => (AddressSpace::Uniform, Some(AddressSpace::ShaderRecord)),
            BlockKind::Cbuffer
            | BlockKind::ConstantBuffer
            | BlockKind::ParameterBlock
            | BlockKind::Globals
            | BlockKind::EntryUniforms
            | BlockKind::UniformBlock => (AddressSpace::Uniform, None),
            BlockKind::Tbuffer
            | BlockKind::TextureBuffer
            | BlockKind::StructuredElement
            | BlockKind::StorageBlock
            | BlockKind::StageData => (AddressSpace::Storage, None),
            BlockKind::PushConstant => (AddressSpace::PushConstant, None),
            BlockKind::Workgroup => (AddressSpace::Workgroup, None),
            // Each has the same layout in both, but not every device supports addresses and records.
            BlockKind::Pointee => (AddressSpace::Storage, Some(AddressSpace::Address)),
            BlockKind::ShaderRecord => (AddressSpace::Storage, Some(AddressSpace::ShaderRecord)),
        };
        Self { spaces: [home].into_iter().chain(other).collect(), drawn: Some(home) }
    }
}

/// Returns true if the subject is the one of its case that is probed everywhere.
pub(crate) fn is_core(subject: &Subject) -> bool {
    let expect = &subject.source.expect;
    // The lowest bits of the hash depend only on the lowest bits of each letter.
    let number = stable_hash(&subject.source.id) >> 8;
    match number.checked_rem(expect.len() as u64) {
        None => true,
        Some(chosen) => (0..).zip(expect).any(|(index, it): (u64, _)| index == chosen && it.rules == subject.rules),
    }
}

pub(crate) fn is_for_uniform(rules: &str) -> bool {
    find(rules).is_some_and(|rules| rules.home == HomeBuffer::Uniform)
}
