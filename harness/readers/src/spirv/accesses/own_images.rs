//! The textures and samplers that a host has to make for a module that is executed.

use std::collections::BTreeSet;

use layoutproof_device::{ImageKind, ImageView, TexelType};
use rspirv::spirv::{Dim, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::code::Function;
use super::instrument::NotExecutable;
use crate::spirv::types::{SpirvType, SpirvTypes, SpirvVariable};

/// A texture, an image that code writes, or a sampler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnImage {
    pub name: String,
    pub set: u32,
    pub binding: u32,
    /// Descriptors of an array.
    pub count: u32,
    pub kind: OwnImageKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OwnImageKind {
    /// `format` is the number of the module's image format, if it states one.
    Image {
        kind: ImageKind,
        view: ImageView,
        texel: TexelType,
        format: Option<u32>,
    },
    Sampler {
        comparison: bool,
    },
}

/// A resource that is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoResource {
    Multisampled,
    /// Nothing bounds an index into its texels.
    TexelBuffer,
    /// Nothing bounds an index into its descriptors.
    Array,
    Shared,
    Other,
}

impl NoResource {
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Multisampled => "a multisampled image",
            Self::TexelBuffer => "a texel buffer",
            Self::Array => "an array of textures or samplers whose index is no constant",
            Self::Shared => "at the binding of another resource",
            Self::Other => "an input attachment, an acceleration structure or the like",
        }
    }
}

/// The operands of `OpTypeImage` after the result.
#[derive(Clone, Copy, Debug)]
struct ImageType {
    component: Word,
    dim: Word,
    is_depth: bool,
    is_array: bool,
    is_multisampled: bool,
    sampled: Word,
    format: Word,
}

#[derive(Clone, Copy, Debug)]
enum OpaqueType {
    Image(ImageType),
    SampledImage(Word),
    Sampler,
}

/// The resources that are no buffers.
pub(super) fn images(
    words: &[Word],
    types: &SpirvTypes,
    reached: &[&Function<'_>],
    used: &FxHashSet<Word>,
) -> Result<Vec<OwnImage>, NotExecutable> {
    let opaque = opaque_types(words);
    let uses = Uses::of(types, reached);
    let mut images = Vec::new();
    let variables = || types.variables.iter().filter(|(id, _)| used.contains(id));
    let buffers = variables().filter(|(_, variable)| variable.class != StorageClass::UniformConstant);
    let mut places: BTreeSet<(u32, u32)> = buffers.filter_map(|(_, variable)| place(variable)).collect();
    for (id, variable) in variables() {
        if !matches!(variable.class, StorageClass::UniformConstant | StorageClass::AtomicCounter) {
            continue;
        }
        let name = variable.name.clone().unwrap_or_else(|| format!("%{id}"));
        let (ty, count) = match *types.get(variable.pointee) {
            SpirvType::Array { element, length, .. } => (element, Some(length).filter(|_| !uses.indexed.contains(id))),
            SpirvType::RuntimeArray { element, .. } => (element, None),
            _ => (variable.pointee, Some(1)),
        };
        let made = count.ok_or(NoResource::Array).and_then(|count| {
            let kind = kind(*opaque.get(&ty).ok_or(NoResource::Other)?, &opaque, types, uses.compared.contains(id))?;
            let (set, binding) = place(variable).unwrap_or_default();
            let is_free = places.insert((set, binding));
            let image = OwnImage { name: name.clone(), set, binding, count, kind };
            is_free.then_some(image).ok_or(NoResource::Shared)
        });
        images.push(made.map_err(|what| NotExecutable::Resource(name, what))?);
    }
    Ok(images)
}

fn place(variable: &SpirvVariable) -> Option<(u32, u32)> {
    Some((variable.set?, variable.binding?))
}

fn kind(
    ty: OpaqueType,
    opaque: &FxHashMap<Word, OpaqueType>,
    types: &SpirvTypes,
    is_compared: bool,
) -> Result<OwnImageKind, NoResource> {
    let (image, is_combined) = match ty {
        OpaqueType::Sampler => return Ok(OwnImageKind::Sampler { comparison: is_compared }),
        OpaqueType::Image(image) => (image, false),
        OpaqueType::SampledImage(of) => match opaque.get(&of) {
            Some(OpaqueType::Image(image)) => (*image, true),
            _ => return Err(NoResource::Other),
        },
    };
    let kind = match image.sampled {
        _ if is_combined => ImageKind::Combined,
        1 => ImageKind::Sampled,
        2 => ImageKind::Storage,
        _ => return Err(NoResource::Other),
    };
    let view = match (Dim::from_u32(image.dim), image.is_array) {
        (Some(Dim::Dim1D), false) => ImageView::D1,
        (Some(Dim::Dim1D), true) => ImageView::D1Array,
        (Some(Dim::Dim2D), false) => ImageView::D2,
        (Some(Dim::Dim2D), true) => ImageView::D2Array,
        (Some(Dim::Dim3D), false) => ImageView::D3,
        (Some(Dim::DimCube), false) => ImageView::Cube,
        (Some(Dim::DimCube), true) => ImageView::CubeArray,
        (Some(Dim::DimBuffer), _) => return Err(NoResource::TexelBuffer),
        _ => return Err(NoResource::Other),
    };
    if image.is_multisampled {
        return Err(NoResource::Multisampled);
    }
    let texel = match *types.get(image.component) {
        SpirvType::Float { bits: 32 } if image.is_depth || is_compared => TexelType::Depth,
        SpirvType::Float { bits: 32 } => TexelType::Float,
        SpirvType::Int { bits: 32, signed: true } => TexelType::Sint,
        SpirvType::Int { bits: 32, signed: false } => TexelType::Uint,
        _ => return Err(NoResource::Other),
    };
    let format = Some(image.format).filter(|format| kind == ImageKind::Storage && *format != 0);
    Ok(OwnImageKind::Image { kind, view, texel, format })
}

fn opaque_types(words: &[Word]) -> FxHashMap<Word, OpaqueType> {
    let mut found = FxHashMap::default();
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (instruction, after) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        rest = after;
        let ty = match (Op::from_u32(first & 0xFFFF), &instruction[1..]) {
            (Some(Op::TypeImage), [id, component, dim, depth, arrayed, samples, sampled, format, ..]) => {
                let (is_depth, is_array, is_multisampled) = (*depth == 1, *arrayed == 1, *samples == 1);
                let (component, dim, sampled, format) = (*component, *dim, *sampled, *format);
                let of = ImageType { component, dim, is_depth, is_array, is_multisampled, sampled, format };
                (*id, OpaqueType::Image(of))
            }
            (Some(Op::TypeSampledImage), [id, image]) => (*id, OpaqueType::SampledImage(*image)),
            (Some(Op::TypeSampler), [id]) => (*id, OpaqueType::Sampler),
            (Some(Op::Function), _) => break,
            _ => continue,
        };
        found.insert(ty.0, ty.1);
    }
    found
}

/// What code does with variables that are no buffers.
#[derive(Debug, Default)]
struct Uses {
    /// Those that comparisons read.
    compared: BTreeSet<Word>,
    /// Arrays with an index that is no constant below the length.
    indexed: BTreeSet<Word>,
}

impl Uses {
    fn of(types: &SpirvTypes, reached: &[&Function<'_>]) -> Self {
        let mut uses = Self::default();
        let opaque = types.variables.iter().filter(|(_, variable)| variable.class == StorageClass::UniformConstant);
        // The variables that lead to a value.
        let mut sources: FxHashMap<Word, Vec<Word>> = opaque.map(|(id, _)| (*id, vec![*id])).collect();
        // Callers come first.
        for instruction in reached.iter().flat_map(|function| &function.body) {
            let of = |operand: usize| {
                let id = instruction.operand(operand);
                id.and_then(|id| sources.get(&id)).cloned().unwrap_or_default()
            };
            let own = of(0);
            match instruction.op {
                Op::FunctionCall => {
                    let called = instruction.operand(0);
                    let Some(callee) = reached.iter().find(|it| Some(it.id) == called) else { continue };
                    let passed: Vec<Vec<Word>> = (1..=callee.parameters.len()).map(of).collect();
                    for (parameter, passed) in callee.parameters.iter().zip(passed) {
                        sources.entry(*parameter).or_default().extend(passed);
                    }
                }
                Op::AccessChain | Op::InBoundsAccessChain => {
                    let index = instruction.operand(1).and_then(|index| types.constants.value(index));
                    let is_below = |variable: &Word| match types.variables.get(variable).map(|it| types.get(it.pointee))
                    {
                        Some(SpirvType::Array { length, .. }) => index.is_some_and(|index| index < u64::from(*length)),
                        _ => false,
                    };
                    uses.indexed.extend(own.iter().filter(|variable| !is_below(variable)));
                    sources.extend(instruction.result.map(|id| (id, own)));
                }
                Op::Load | Op::Image | Op::CopyObject => sources.extend(instruction.result.map(|id| (id, own))),
                Op::SampledImage => sources.extend(instruction.result.map(|id| (id, [of(0), of(1)].concat()))),
                op => uses.compared.extend(own.into_iter().filter(|_| COMPARISONS.contains(&op))),
            }
        }
        uses
    }
}

const COMPARISONS: [Op; 10] = [
    Op::ImageSampleDrefImplicitLod,
    Op::ImageSampleDrefExplicitLod,
    Op::ImageSampleProjDrefImplicitLod,
    Op::ImageSampleProjDrefExplicitLod,
    Op::ImageDrefGather,
    Op::ImageSparseSampleDrefImplicitLod,
    Op::ImageSparseSampleDrefExplicitLod,
    Op::ImageSparseSampleProjDrefImplicitLod,
    Op::ImageSparseSampleProjDrefExplicitLod,
    Op::ImageSparseDrefGather,
];
