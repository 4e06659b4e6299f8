//! The programs of a plan: what each of them binds, what it reads, and where its own resources are.
//!
//! The first program binds everything, because a device that misplaces a descriptor may do so only beside the others.
//! Where that is more than every device must have room for, programs follow that bind a share each, and one for each
//! parameter that devices may lack the means for. What no program can bind beside another has one of its own. A sampler
//! is told by the mip level that it sees, and a texture has few of them, so samplers are read some at a time.
//!
//! Source of the room: Vulkan specification, "Required Limits"; WebGPU, 3.6.2 Limits.

use std::collections::BTreeSet;

use layoutproof_device::{ImageKind, ImageView, TexelType};

use super::kind::BoundKind;
use super::plan::{BindingPlan, ProbedBinding};
use super::site::BindingSite;

/// Samplers that one program can tell apart: the levels of a 128 x 128 texture without the smallest.
pub(super) const SAMPLER_LEVELS: u32 = 7;

/// Descriptor sets that every device has.
const SETS: u32 = 4;

/// The number of descriptors that one program may bind on any device, beside its own output and sampler.
const ROOM: DescriptorRoom = DescriptorRoom {
    uniform: 12,
    storage: 3,
    sampled: 16,
    storage_images: 4,
    samplers: SAMPLER_LEVELS,
    varyings: VARYINGS,
    targets: TARGETS,
};

/// Locations between two stages that every device has: 64 components without `Position`'s.
const VARYINGS: u32 = 15;

/// Render targets that every device has.
const TARGETS: u32 = 4;

/// Descriptors by what devices count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DescriptorRoom {
    uniform: u32,
    storage: u32,
    sampled: u32,
    storage_images: u32,
    samplers: u32,
    varyings: u32,
    targets: u32,
}

/// The kind of job that runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// A dispatch that stores what it read.
    Compute,
    /// A draw whose fragment stage gives what it was handed to targets, four words each.
    Varyings,
    /// A draw whose fragment stage gives each target the word of its own location.
    Targets,
}

/// The part of a plan that a program binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramExtent {
    /// Everything that can be bound together.
    Whole,
    /// As much as every device has room for.
    Share,
}

/// One program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingProgram {
    /// The kind of job that runs it.
    pub pass: Pass,
    /// The part of the plan that it binds.
    pub extent: ProgramExtent,
    /// The parameters that are bound.
    pub bound: Vec<ProbedBinding>,
    /// The reads, in the order of the answers.
    pub reads: Vec<ProgramRead>,
    /// The program's own resources.
    pub tools: ToolBindings,
}

/// One read of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramRead {
    /// Index into [`BindingProgram::bound`].
    pub of: usize,
    /// The site that should be read.
    pub site: BindingSite,
}

/// A location of a draw, with the word that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocationWord {
    /// The location.
    pub location: u32,
    /// The word of the location's site.
    pub word: u32,
}

/// Where a program's own resources are: bindings of set 0 that the plan leaves free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolBindings {
    /// Storage buffer of answers.
    pub output: u32,
    /// Textures whose mip levels name the samplers, one for each sampler that is read: OpenGL reads a texture through
    /// one sampler only.
    pub levels: Vec<u32>,
    /// Sampler through which cube maps are read, which have no texel coordinates.
    pub nearest: u32,
}

impl BindingProgram {
    /// Index of each read that is of a sampler, in order: the mip level that it sees.
    pub fn sampler_reads(&self) -> Vec<usize> {
        let is_sampler = |read: &ProgramRead| is_sampler(self.bound[read.of].kind);
        (0..self.reads.len()).filter(|index| is_sampler(&self.reads[*index])).collect()
    }

    /// The texels of the texture through which the sampler of this read is told.
    pub fn sampler_texel(&self, read: usize) -> TexelType {
        match self.bound[self.reads[read].of].kind {
            BoundKind::Sampler { comparison: true } => TexelType::Depth,
            BoundKind::Sampler { comparison: false }
            | BoundKind::Uniform
            | BoundKind::Storage { .. }
            | BoundKind::Image { .. }
            | BoundKind::PushConstants
            | BoundKind::Constant
            | BoundKind::Varying
            | BoundKind::Target => TexelType::Float,
        }
    }

    /// Returns true if a cube map is read.
    pub fn reads_cubes(&self) -> bool {
        self.bound.iter().any(|probed| is_sampled_cube(probed.kind))
    }

    /// The locations that a draw reads, in the order of the reads.
    pub fn locations(&self) -> Vec<LocationWord> {
        let of_read =
            |read: &ProgramRead| Some(LocationWord { location: read.site.location()?, word: read.site.word()? });
        self.reads.iter().filter_map(of_read).collect()
    }

    /// Each location once, ascending: several parameters may name one.
    pub fn distinct_locations(&self) -> Vec<LocationWord> {
        let mut locations = self.locations();
        locations.sort_unstable();
        locations.dedup();
        locations
    }

    /// Targets of the draw; 0 for a dispatch.
    pub fn targets(&self) -> u32 {
        match self.pass {
            Pass::Compute => 0,
            Pass::Varyings => (0_u32..).zip(self.reads.chunks(4)).map(|(index, _)| index + 1).last().unwrap_or(0),
            Pass::Targets => self.reads.iter().filter_map(|read| read.site.location()).max().map_or(0, |last| last + 1),
        }
    }
}

/// Returns true if this is a sampler without an image.
pub fn is_sampler(kind: BoundKind) -> bool {
    matches!(kind, BoundKind::Sampler { .. })
}

/// Returns true if this is a cube map without a sampler of its own.
pub fn is_sampled_cube(kind: BoundKind) -> bool {
    matches!(kind, BoundKind::Image { kind: ImageKind::Sampled, view: ImageView::Cube | ImageView::CubeArray, .. })
}

/// The programs of `plan`; none for a plan that reads nothing.
pub fn programs(plan: &BindingPlan) -> Vec<BindingProgram> {
    let mut programs = Vec::new();
    for pass in [Pass::Compute, Pass::Varyings, Pass::Targets] {
        let all = plan.probed.iter().filter(|probed| pass_of(probed.kind) == pass).cloned();
        let (apart, all): (Vec<ProbedBinding>, Vec<ProbedBinding>) = all.partition(|probed| probed.apart);
        let (far, near): (Vec<ProbedBinding>, Vec<ProbedBinding>) = all.iter().cloned().partition(is_far);
        let shares = split(near).into_iter().chain(far.into_iter().map(|probed| vec![probed]));
        let shares: Vec<Vec<ProbedBinding>> = shares.collect();

        programs.extend(rounds(pass, ProgramExtent::Whole, &all));
        if shares.len() > 1 {
            programs.extend(shares.into_iter().flat_map(|share| rounds(pass, ProgramExtent::Share, &share)));
        }
        programs
            .extend(apart.iter().flat_map(|probed| rounds(pass, ProgramExtent::Share, std::slice::from_ref(probed))));
    }
    programs
}

impl BindingProgram {
    /// One read of each bound parameter, in their order, if the program itself reads only some of them; empty if it reads all.
    pub fn uses_of_all_unless_read(&self) -> Vec<ProgramRead> {
        let is_read = |of: usize| self.reads.iter().any(|read| read.of == of);
        if (0..self.bound.len()).all(is_read) {
            return Vec::new();
        }
        let bound = self.bound.iter().enumerate();
        bound.filter_map(|(of, probed)| Some(ProgramRead { of, site: probed.sites().next()? })).collect()
    }
}

fn pass_of(kind: BoundKind) -> Pass {
    match kind {
        BoundKind::Varying => Pass::Varyings,
        BoundKind::Target => Pass::Targets,
        BoundKind::Uniform
        | BoundKind::Storage { .. }
        | BoundKind::Image { .. }
        | BoundKind::Sampler { .. }
        | BoundKind::PushConstants
        | BoundKind::Constant => Pass::Compute,
    }
}

fn reads(bound: &[ProbedBinding]) -> Vec<ProgramRead> {
    let all = bound.iter().enumerate();
    all.flat_map(|(of, probed)| probed.sites().map(move |site| ProgramRead { of, site })).collect()
}

/// Repeats a program as often as its samplers need; everything else is read by the first one.
fn rounds(pass: Pass, extent: ProgramExtent, bound: &[ProbedBinding]) -> Vec<BindingProgram> {
    let is_sampler = |read: &ProgramRead| is_sampler(bound[read.of].kind);
    let (samplers, others): (Vec<ProgramRead>, Vec<ProgramRead>) = reads(bound).into_iter().partition(is_sampler);
    let mut chunks: Vec<Vec<ProgramRead>> =
        samplers.chunks(SAMPLER_LEVELS as usize).map(<[ProgramRead]>::to_vec).collect();

    if chunks.is_empty() && !others.is_empty() {
        chunks.push(Vec::new());
    }
    if let Some(first) = chunks.first_mut() {
        first.splice(0..0, others);
    }

    let program = |reads: Vec<ProgramRead>| {
        let samplers = reads.iter().filter(|read| is_sampler(read)).count();
        BindingProgram { pass, extent, tools: tools(bound, samplers), bound: bound.to_vec(), reads }
    };
    chunks.into_iter().map(program).collect()
}

/// The lowest bindings of set 0 that nothing takes.
fn tools(bound: &[ProbedBinding], samplers: usize) -> ToolBindings {
    let taken: BTreeSet<u32> = bound.iter().filter_map(|probed| in_first_set(probed.site)).collect();
    let mut free = (0..).filter(|binding| !taken.contains(binding));
    let mut next = || free.next().expect("a plan has fewer than 2^32 parameters");
    ToolBindings { output: next(), nearest: next(), levels: (0..samplers).map(|_| next()).collect() }
}

fn in_first_set(site: BindingSite) -> Option<u32> {
    match site {
        BindingSite::Descriptor { set: 0, binding, .. } => Some(binding),
        BindingSite::Descriptor { .. }
        | BindingSite::PushConstants
        | BindingSite::Constant { .. }
        | BindingSite::Varying { .. }
        | BindingSite::Target { .. } => None,
    }
}

/// Returns true if devices may lack the set or location, or have no arrays of descriptors, no arrays of cube maps or, on OpenGL,
/// no one-dimensional images.
fn is_far(probed: &ProbedBinding) -> bool {
    use ImageView::{CubeArray, D1, D1Array};
    let rare = matches!(
        probed.kind,
        BoundKind::Image { kind: ImageKind::Sampled | ImageKind::Storage, view: D1 | D1Array | CubeArray, .. }
    );
    match probed.site {
        BindingSite::Descriptor { set, .. } => set >= SETS || probed.elements > 1 || rare,
        BindingSite::Varying { location } => location.saturating_add(probed.elements) > VARYINGS,
        BindingSite::Target { location } => location.saturating_add(probed.elements) > TARGETS,
        BindingSite::PushConstants | BindingSite::Constant { .. } => false,
    }
}

/// Parameters in shares for which every device has room; one that alone is too much has a share of its own.
fn split(all: Vec<ProbedBinding>) -> Vec<Vec<ProbedBinding>> {
    let mut shares: Vec<Vec<ProbedBinding>> = Vec::new();
    let mut room = DescriptorRoom::default();
    for probed in all {
        if let (Some(left), Some(share)) = (room.less(&probed), shares.last_mut()) {
            room = left;
            share.push(probed);
        } else {
            room = ROOM.less(&probed).unwrap_or_default();
            shares.push(vec![probed]);
        }
    }
    shares
}

impl DescriptorRoom {
    /// The room that is left beside `probed`; `None` if that does not fit.
    fn less(self, probed: &ProbedBinding) -> Option<Self> {
        let take = |from: u32| from.checked_sub(probed.elements);
        Some(match probed.kind {
            BoundKind::Uniform => Self { uniform: take(self.uniform)?, ..self },
            BoundKind::Storage { .. } => Self { storage: take(self.storage)?, ..self },
            // Each sampler is told by a texture of its own.
            BoundKind::Sampler { .. } => Self { samplers: take(self.samplers)?, sampled: take(self.sampled)?, ..self },
            BoundKind::Image { kind, .. } => match kind {
                ImageKind::Sampled | ImageKind::UniformTexels => Self { sampled: take(self.sampled)?, ..self },
                ImageKind::Storage | ImageKind::StorageTexels => {
                    Self { storage_images: take(self.storage_images)?, ..self }
                }
                ImageKind::Combined => Self { sampled: take(self.sampled)?, samplers: take(self.samplers)?, ..self },
            },
            BoundKind::Varying => Self { varyings: take(self.varyings)?, ..self },
            BoundKind::Target => Self { targets: take(self.targets)?, ..self },
            BoundKind::PushConstants | BoundKind::Constant => self,
        })
    }
}
