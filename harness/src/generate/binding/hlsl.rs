//! HLSL of a binding program for Direct3D 12: the declarations as their author wrote them, with an entry point behind them
//! that reads every parameter of the program and uses no other: compilers bind what is used.
//!
//! Where parameters are bound is the compiler's business, which is what the program is about. The program's own resources
//! have a register space of their own.

use std::fmt::Write;

use layoutproof_device::{ImageKind, ImageView, TexelType};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{BlockLayout, Leaf};

use crate::generate::hlsl::{SPACE, expression};
use crate::module::Module;
use crate::probe::binding::{BindingProgram, BoundKind, ENTRY, FIRST_ANSWER, ProbedBinding, is_sampled_cube};
use crate::probe::image::REFILL_WORD;

/// Says why HLSL cannot read as a word what is bound at a place: a lowercase fragment; `None` where it can.
pub fn not_readable(module: &Module, layouts: &[BlockLayout], probed: &ProbedBinding) -> Option<String> {
    let names_it =
        |name: &str| probed.path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let is_global = probed.path == "$Globals" || module.parameters.iter().any(|parameter| names_it(&parameter.name));
    // Members of a constant buffer have names of their own.
    let may_be_member =
        module.entry_points.is_empty() && !probed.path.contains('.') && block_of(layouts, &probed.path).is_none();
    if !is_global && !may_be_member {
        return Some("a parameter of an entry point".to_owned());
    }
    match probed.kind {
        BoundKind::Uniform | BoundKind::Storage { .. } => {
            let is_bytes = block_of(layouts, &probed.path).is_none();
            let word = block_of(layouts, &probed.path).and_then(word_of);
            (!is_bytes && word.is_none()).then(|| "a buffer without a number of 32 bits".to_owned())
        }
        BoundKind::Image { kind: ImageKind::Combined, .. } => Some("a combined image sampler".to_owned()),
        kind @ BoundKind::Image { texel: TexelType::Sint | TexelType::Uint, .. } if is_sampled_cube(kind) => {
            Some("a cube map of integers, which no sampler reads".to_owned())
        }
        BoundKind::Image { kind: ImageKind::Storage, view: ImageView::Cube | ImageView::CubeArray, .. } => {
            Some("a storage cube map".to_owned())
        }
        BoundKind::Sampler { comparison: true } => Some("a sampler that compares".to_owned()),
        BoundKind::Image { .. } | BoundKind::Sampler { comparison: false } => None,
        BoundKind::PushConstants | BoundKind::Constant | BoundKind::Varying | BoundKind::Target => {
            Some("nothing that Direct3D 12 binds".to_owned())
        }
    }
}

/// The source of `program`; `layouts` are those of the module's blocks, by any rule set that takes them.
///
/// # Panics
/// Never: a program has a texture of levels for each sampler that it reads.
pub fn source(declarations: &str, module: &Module, layouts: &[BlockLayout], program: &BindingProgram) -> String {
    let mut body = String::new();
    let mut samplers = program.tools.levels.iter();
    for (index, read) in (0_u32..).zip(&program.reads) {
        let probed = &program.bound[read.of];
        let element = read.site.element() - probed.site.element();
        let place = 4 * (FIRST_ANSWER + index);
        let value = match probed.kind {
            BoundKind::Sampler { .. } => {
                let levels = samplers.next().expect("each sampler that is read has a texture of levels");
                let path = element_of(module, probed, element);
                format!("asuint(layoutproof_levels{levels}.SampleLevel({path}, float2(0.5, 0.5), 0).x)")
            }
            _ => value(module, layouts, probed, element).unwrap_or_else(|| format!("{REFILL_WORD}u")),
        };
        writeln!(body, "    layoutproof_output.Store({place}, {value});").expect("a String takes every write");
    }

    let levels = program
        .tools
        .levels
        .iter()
        .map(|level| format!("Texture2D<float4> layoutproof_levels{level} : register(t{level}, space{SPACE});\n"));
    let nearest = program.tools.nearest;
    let nearest = if program.reads_cubes() {
        format!("SamplerState layoutproof_nearest : register(s{nearest}, space{SPACE});\n")
    } else {
        String::new()
    };

    format!(
        "{declarations}
RWByteAddressBuffer layoutproof_output : register(u{}, space{SPACE});
{}{nearest}[shader(\"compute\")]
[numthreads(1, 1, 1)]
void {ENTRY}()
{{
{body}    layoutproof_output.Store(0, layoutproof_output.Load(4));
}}
",
        program.tools.output,
        levels.collect::<String>(),
    )
}

/// The block of this name.
fn block_of<'a>(layouts: &'a [BlockLayout], path: &str) -> Option<&'a BlockLayout> {
    layouts.iter().find(|layout| layout.name == path)
}

/// A leaf of 32 bits that the words of a small buffer show.
fn word_of(layout: &BlockLayout) -> Option<Leaf> {
    let shows = |leaf: &Leaf| match leaf.component.scalar {
        Scalar::Float32 | Scalar::Int32 | Scalar::Uint32 => leaf.offset < 128,
        Scalar::Bool
        | Scalar::Int8
        | Scalar::Uint8
        | Scalar::Int16
        | Scalar::Uint16
        | Scalar::Int64
        | Scalar::Uint64
        | Scalar::Float16
        | Scalar::Half
        | Scalar::Float64
        | Scalar::Min16Float
        | Scalar::Min16Int
        | Scalar::Min16Uint
        | Scalar::Min10Float
        | Scalar::Min12Int => false,
    };
    layout.leaves().into_iter().find(shows)
}

/// The expression for the word that a parameter's element holds; `None` where HLSL has none.
fn value(module: &Module, layouts: &[BlockLayout], probed: &ProbedBinding, element: u32) -> Option<String> {
    if let (BoundKind::Uniform | BoundKind::Storage { .. }, Some(layout)) =
        (probed.kind, block_of(layouts, &probed.path))
    {
        let leaf = word_of(layout)?;
        let named = expression(layout, &leaf)?;
        // The name has the first element of an array of buffers.
        let named = if probed.elements > 1 {
            let rest = named.strip_prefix(&layout.name)?.strip_prefix("[0]")?;
            format!("{}[{element}]{rest}", layout.name)
        } else {
            named
        };
        let is_float = leaf.component.scalar.is_float();
        return Some(if is_float { format!("asuint({named})") } else { format!("(uint)({named})") });
    }
    let path = element_of(module, probed, element);
    let (texel, read) = match probed.kind {
        BoundKind::Storage { .. } => return Some(format!("{path}.Load(0)")),
        BoundKind::Image { kind, view, texel } => (texel, read_of(kind, view)?),
        BoundKind::Uniform
        | BoundKind::Sampler { .. }
        | BoundKind::PushConstants
        | BoundKind::Constant
        | BoundKind::Varying
        | BoundKind::Target => return None,
    };
    Some(match texel {
        TexelType::Float | TexelType::Depth => format!("asuint({path}{read}.x)"),
        TexelType::Sint | TexelType::Uint => format!("(uint)({path}{read}.x)"),
    })
}

/// The path of an element, with an index for each dimension.
fn element_of(module: &Module, probed: &ProbedBinding, element: u32) -> String {
    let parameter = module.parameters.iter().find(|parameter| parameter.name == probed.path);
    let mut dimensions = Vec::new();
    let mut ty = parameter.map(|parameter| &parameter.ty);
    while let Some(Type::Array { element, count }) = ty {
        dimensions.push(match count {
            Count::Finite(count) => *count,
            Count::Unbounded => u32::MAX,
        });
        ty = Some(&**element);
    }
    // The parameter's type is not known for a path into a struct; its elements are counted in one dimension then.
    if dimensions.is_empty() && probed.elements > 1 {
        dimensions.push(u32::MAX);
    }

    let mut left = element;
    let mut indices = Vec::new();
    for dimension in dimensions.iter().rev() {
        indices.push(left % (*dimension).max(1));
        left /= (*dimension).max(1);
    }

    let indices = indices.iter().rev().map(|index| format!("[{index}]"));
    format!("{}{}", probed.path, indices.collect::<String>())
}

/// The operator or method that reads the first texel; `None` where HLSL has none.
fn read_of(kind: ImageKind, view: ImageView) -> Option<&'static str> {
    Some(match (kind, view) {
        (ImageKind::UniformTexels | ImageKind::StorageTexels, _) | (ImageKind::Storage, ImageView::D1) => "[0]",
        (ImageKind::Storage, ImageView::D1Array | ImageView::D2) => "[uint2(0, 0)]",
        (ImageKind::Storage, ImageView::D2Array | ImageView::D3) => "[uint3(0, 0, 0)]",
        (ImageKind::Sampled, ImageView::D1) => ".Load(int2(0, 0))",
        (ImageKind::Sampled, ImageView::D1Array | ImageView::D2) => ".Load(int3(0, 0, 0))",
        (ImageKind::Sampled, ImageView::D2Array | ImageView::D3) => ".Load(int4(0, 0, 0, 0))",
        (ImageKind::Sampled, ImageView::Cube) => ".SampleLevel(layoutproof_nearest, float3(1, 0, 0), 0)",
        (ImageKind::Sampled, ImageView::CubeArray) => ".SampleLevel(layoutproof_nearest, float4(1, 0, 0, 0), 0)",
        (ImageKind::Storage, ImageView::Cube | ImageView::CubeArray) | (ImageKind::Combined, _) => return None,
    })
}
