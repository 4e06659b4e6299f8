//! Compiles WGSL to HLSL with naga, as wgpu does for Direct3D 12, and finds the byte at which that
//! HLSL reads each leaf of immediates.
//!
//! The registers are the numbers of groups and bindings: `@group(2) @binding(3)` is register 3 of
//! space 2. Immediates are root constants, for which naga declares a constant buffer; members that
//! WGSL packs more densely move in it. naga pads uniform buffers until both packings are equal, and
//! addresses storage buffers by bytes, so their offsets are those of WGSL.
//!
//! Source: naga 30, `back::hlsl`; wgpu-hal 30, `dx12/device.rs`.

use layoutproof_layout::{BlockLayout, LaidOut, LaidOutMember, LaidOutShape, LayoutOptions, Span, find, lay_out};
use naga::back::hlsl;
use naga::valid::ModuleInfo;
use naga::{AddressSpace, Module, ShaderStage};

use crate::naga_offsets::{NagaError, NagaShader, block_of, chain, load};
use crate::wgsl_probe::{BLOCK, WgslStep};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

/// The oldest shader model with 16-bit types; naga writes the same for newer ones.
const SHADER_MODEL: hlsl::ShaderModel = hlsl::ShaderModel::V6_2;

/// The register of the constant buffer that holds immediates, `b0` of space 0.
const IMMEDIATES: hlsl::BindTarget = hlsl::BindTarget {
    space: 0,
    register: 0,
    binding_array_size: None,
    dynamic_storage_buffer_offsets_index: None,
    restrict_indexing: false,
};

/// The HLSL of one entry point of WGSL. Call it through a
/// [`ModuleReader`](crate::module_reader::ModuleReader), which can run this in a separate
/// process.
pub(crate) fn hlsl_of_wgsl(text: &str, entry: &str) -> Result<String, NagaError> {
    let (module, info) = load(text)?;
    write_hlsl(&module, &info, entry)
}

pub(crate) fn write_hlsl(module: &Module, info: &ModuleInfo, entry: &str) -> Result<String, NagaError> {
    let options = hlsl::Options {
        shader_model: SHADER_MODEL,
        immediates_target: Some(IMMEDIATES),
        restrict_indexing: false,
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry.to_owned())) };

    let mut written = String::new();
    let reflection = hlsl::Writer::new(&mut written, &options, &pipeline)
        .write(module, info, None)
        .map_err(|error| NagaError::NoHlsl(chain(&error)))?;
    match reflection.entry_point_names.first() {
        Some(Ok(name)) if name == entry => Ok(written),
        Some(Ok(name)) => Err(NagaError::NoHlsl(format!("it calls the entry point `{name}`"))),
        Some(Err(error)) => Err(NagaError::NoHlsl(error.to_string())),
        None => Err(NagaError::NoHlsl("it writes no entry point".to_owned())),
    }
}

/// Absolute offset in bytes at which naga's HLSL reads each leaf of `shader`, in the order of its
/// source's paths, according to our rules for constant buffers; `None` for a path that it does not
/// have.
pub fn hlsl_offsets(shader: &NagaShader<'_>) -> Result<Vec<Option<u32>>, NagaError> {
    let is_immediate = block_of(&shader.module).is_some_and(|(_, block)| block.space == AddressSpace::Immediate);
    if !is_immediate {
        return Ok(shader.offsets());
    }
    let text = write_hlsl(&shader.module, &shader.info, &shader.source.entry)?;
    let layout = constant_buffer(&text)?;
    let packed = layout.result.map_err(|refusals| {
        let first = refusals.first().map(ToString::to_string).unwrap_or_default();
        NagaError::NoHlsl(format!("its constant buffer has no layout: {first}"))
    })?;
    Ok(shader.source.paths.iter().map(|path| offset_in(&packed, path)).collect())
}

/// The layout of the constant buffer for immediates in naga's text.
fn constant_buffer(text: &str) -> Result<BlockLayout, NagaError> {
    let unknown = || NagaError::NoHlsl("its declarations are not understood".to_owned());
    let mut sources = SourceMap::default();
    let file = sources.add("naga.hlsl", text);
    let whole = Span { file, start: 0, end: u32::try_from(text.len()).map_err(|_| unknown())? };

    let module = declare(&mut sources, whole, &DeclareOptions::default()).map_err(|_| unknown())?;
    let block = module.blocks.iter().find(|block| block.name == BLOCK).ok_or_else(unknown)?;
    let rules = find("hlsl-cbuffer").ok_or_else(unknown)?;
    Ok(lay_out(block, rules, LayoutOptions::default()))
}

/// A part of naga's declaration, on the way down to a leaf.
enum HlslPart<'a> {
    Type(&'a LaidOut),
    /// A matrix with two rows, which naga splits into a member per column; offsets are from the
    /// start of their struct.
    Columns(Vec<&'a LaidOutMember>),
    /// A column of a matrix, with the bytes of a component.
    Column(u32),
}

fn offset_in(block: &LaidOut, path: &[WgslStep]) -> Option<u32> {
    let mut part = HlslPart::Type(block);
    let mut offset = 0_u32;
    for step in path {
        let (next, distance) = part.step(step)?;
        part = next;
        offset = offset.checked_add(distance)?;
    }
    Some(offset)
}

impl HlslPart<'_> {
    /// The part that a step leads to, and its distance in bytes.
    fn step(self, step: &WgslStep) -> Option<(Self, u32)> {
        match (self, step) {
            (Self::Type(LaidOut { shape: LaidOutShape::Struct(members), .. }), WgslStep::Member { name, .. }) => {
                let whole = members.iter().find(|member| member.name == *name);
                whole.map(|member| (Self::Type(&member.layout), member.offset)).or_else(|| {
                    let columns: Vec<&LaidOutMember> = columns_of(members, name).collect();
                    (!columns.is_empty()).then_some((Self::Columns(columns), 0))
                })
            }
            // naga replaces a matrix with two rows in an array by a struct.
            (Self::Type(LaidOut { shape: LaidOutShape::Struct(members), .. }), WgslStep::Column(index)) => {
                let member = members.get(usize::try_from(*index).ok()?)?;
                Some((Self::Type(&member.layout), member.offset))
            }
            (Self::Columns(members), WgslStep::Column(index)) => {
                let member = members.get(usize::try_from(*index).ok()?)?;
                Some((Self::Type(&member.layout), member.offset))
            }
            (
                Self::Type(LaidOut { shape: LaidOutShape::Array { element, stride, .. }, .. }),
                WgslStep::Element(index),
            ) => Some((Self::Type(element), stride.checked_mul(*index)?)),
            // WGSL's columns are the rows of a matrix that naga declares row_major.
            (
                Self::Type(LaidOut { shape: LaidOutShape::Matrix { component, stride, .. }, .. }),
                WgslStep::Column(index),
            ) => Some((Self::Column(component.size), stride.checked_mul(*index)?)),
            (Self::Type(LaidOut { shape: LaidOutShape::Vector { component, .. }, .. }), WgslStep::Component(index)) => {
                Some((Self::Column(component.size), component.size.checked_mul(*index)?))
            }
            (Self::Column(size), WgslStep::Component(index)) => Some((Self::Column(size), size.checked_mul(*index)?)),
            (
                Self::Type(_) | Self::Columns(_) | Self::Column(_),
                WgslStep::Member { .. } | WgslStep::Element(_) | WgslStep::Column(_) | WgslStep::Component(_),
            ) => None,
        }
    }
}

/// The members `NAME_0`, `NAME_1` and so on.
fn columns_of<'a>(members: &'a [LaidOutMember], name: &str) -> impl Iterator<Item = &'a LaidOutMember> {
    let column = move |number: usize| {
        let own = format!("{name}_{number}");
        members.iter().find(|member| member.name == own)
    };
    (0..).map_while(column)
}
