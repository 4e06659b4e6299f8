//! Splits a plan into programs: their bindings, their reads, and the places of their own resources.
//!
//! The first program binds everything, because a device may misplace a descriptor only if the
//! others are present. If that exceeds the limits that every device supports, further programs bind
//! a share each, and a parameter that needs optional features gets its own program. A parameter
//! that cannot be bound together with another also gets its own program.
//!
//! The mip level that a sampler sees identifies it, and a texture has few levels, so a program
//! reads only some samplers at a time.
//!
//! Source of the limits: Vulkan specification, "Required Limits"; WebGPU, 3.6.2 Limits.

use std::collections::BTreeSet;

use layoutproof_device::{ImageKind, ImageView, TexelType};

use super::kind::BoundKind;
use super::plan::{BindingPlan, ProbedBinding};
use super::site::BindingSite;

/// Limit on the samplers that one program can distinguish: the levels of a 128 x 128 texture except
/// the smallest.
pub(super) const SAMPLER_LEVELS: u32 = 7;

/// Descriptor sets that every device supports.
const SETS: u32 = 4;

/// The number of descriptors that one program may bind on any device, apart from its own output and
/// sampler.
const ROOM: DescriptorRoom = DescriptorRoom {
    uniform: 12,
    storage: 3,
    sampled: 16,
    storage_images: 4,
    samplers: SAMPLER_LEVELS,
    varyings: VARYINGS,
    targets: TARGETS,
};

/// Locations between two stages that every device supports: 64 components minus those of
/// `Position`.
const VARYINGS: u32 = 15;

/// Render targets that every device supports.
const TARGETS: u32 = 4;

/// Numbers of descriptors, in the classes that device limits use.
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
    /// A dispatch that stores the words it read.
    Compute,
    /// A draw whose fragment stage writes its inputs to the targets, four words each.
    Varyings,
    /// A draw whose fragment stage writes to each target the word of its location.
    Targets,
}

/// The part of a plan that a program binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramExtent {
    /// Everything that can be bound together.
    Whole,
    /// As much as every device supports.
    Share,
}

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
    /// The site to read.
    pub site: BindingSite,
}

/// A location of a draw, with the word that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocationWord {
    pub location: u32,
    /// The word of the location's site.
    pub word: u32,
}

/// The places of a program's own resources: bindings of set 0 that the plan leaves free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolBindings {
    /// The storage buffer for the answers.
    pub output: u32,
    /// Textures whose mip levels identify the samplers. There is one for each sampler that is read,
    /// since OpenGL reads a texture through one sampler only.
    pub levels: Vec<u32>,
    /// The sampler for reading cube maps, which have no texel coordinates.
    pub nearest: u32,
}

impl BindingProgram {
    /// Returns the indices of the sampler reads, in order. A read's position in the list is the mip
    /// level that its sampler sees.
    pub fn sampler_reads(&self) -> Vec<usize> {
        let is_sampler = |read: &ProgramRead| is_sampler(self.bound[read.of].kind);
        (0..self.reads.len()).filter(|index| is_sampler(&self.reads[*index])).collect()
    }

    /// Returns the texel type of the texture that identifies the sampler of this read.
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

    /// Returns true if the program reads a cube map.
    pub fn reads_cubes(&self) -> bool {
        self.bound.iter().any(|probed| is_sampled_cube(probed.kind))
    }

    /// Returns the locations that a draw reads, in the order of the reads.
    pub fn locations(&self) -> Vec<LocationWord> {
        let of_read =
            |read: &ProgramRead| Some(LocationWord { location: read.site.location()?, word: read.site.word()? });
        self.reads.iter().filter_map(of_read).collect()
    }

    /// Returns the locations in ascending order without duplicates. Several parameters may name the
    /// same one.
    pub fn distinct_locations(&self) -> Vec<LocationWord> {
        let mut locations = self.locations();
        locations.sort_unstable();
        locations.dedup();
        locations
    }

    /// Returns the number of targets of the draw; 0 for a dispatch.
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

/// Returns true if this is a cube map without a built-in sampler.
pub fn is_sampled_cube(kind: BoundKind) -> bool {
    matches!(kind, BoundKind::Image { kind: ImageKind::Sampled, view: ImageView::Cube | ImageView::CubeArray, .. })
}

/// Makes the programs of `plan`; none if the plan reads nothing.
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
    /// Returns one read per bound parameter, in order, if the program itself reads only some of
    /// them; empty if it reads all.
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
        _ => Pass::Compute,
    }
}

fn reads(bound: &[ProbedBinding]) -> Vec<ProgramRead> {
    let all = bound.iter().enumerate();
    all.flat_map(|(of, probed)| probed.sites().map(move |site| ProgramRead { of, site })).collect()
}

/// Repeats a program until all its samplers are read. The first program reads everything else.
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

/// Finds the lowest free bindings of set 0.
fn tools(bound: &[ProbedBinding], samplers: usize) -> ToolBindings {
    let taken: BTreeSet<u32> = bound.iter().filter_map(|probed| in_first_set(probed.site)).collect();
    let mut free = (0..).filter(|binding| !taken.contains(binding));
    let mut next = || free.next().expect("a plan has fewer than 2^32 parameters");
    ToolBindings { output: next(), nearest: next(), levels: (0..samplers).map(|_| next()).collect() }
}

fn in_first_set(site: BindingSite) -> Option<u32> {
    match site {
        BindingSite::Descriptor { set: 0, binding, .. } => Some(binding),
        _ => None,
    }
}

/// Returns true if devices may lack the set or location, or support no descriptor arrays, no cube
/// map arrays or, on OpenGL, no one-dimensional images.
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

/// Splits parameters into shares that every device supports. A parameter that exceeds the limits
/// alone gets a separate share.
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
    /// Returns the room that is left after adding `probed`; `None` if it does not fit.
    fn less(self, probed: &ProbedBinding) -> Option<Self> {
        let take = |from: u32| from.checked_sub(probed.elements);
        Some(match probed.kind {
            BoundKind::Uniform => Self { uniform: take(self.uniform)?, ..self },
            BoundKind::Storage { .. } => Self { storage: take(self.storage)?, ..self },
            // A separate texture identifies each sampler.
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
