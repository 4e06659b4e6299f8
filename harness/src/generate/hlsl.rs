//! Probes as HLSL: the user's own declarations, unchanged, with an entry point behind them that reads, or
//! writes, every leaf by name (`statements`).
//!
//! Declarations and a plan in, text out, for DXC, Clang and Slang: where the leaves are is the compiler's business. The
//! probe's output and input have registers in a space of their own and, for Vulkan, bindings beyond the user's.

mod statements;

use self::statements::Probed;
use super::ProduceError;
use crate::layout::{BlockLayout, Component, Leaf};
use crate::module::BlockKind;
use crate::probe::{ProbePlan, Wiring};
use crate::record::Form;
use crate::shape::Count;
use crate::toolchain::Language;

/// Register space of the probe's output (`u0`) and input (`t1`).
pub const SPACE: u32 = 1000;

/// Binding in descriptor set or group 0 of the probe's output; the input has the next one. WebGPU has none above 999.
pub const BINDING: u32 = 990;

/// Forms that have statements in HLSL 2021.
pub const FORMS: [Form; 4] = [Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];

/// Why the leaf cannot be read by a statement of the language, if it cannot: a fragment that fits after "not probed: ".
pub fn obstacle(leaf: &Leaf, language: Language) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    if scalar.is_minimum_precision() && size == 4 {
        return Some("minimum precision may be rounded on the way".to_owned());
    }
    match language {
        Language::Hlsl => (size == 1).then(|| "HLSL has no 8-bit types".to_owned()),
        Language::Slang => None,
    }
}

/// The declarations with the entry point of `plan`, whose words are those of `wiring`; the plan has one entry point, of
/// forms among [`FORMS`]. `layout` says which block the leaves are in; `language` is what will read the text.
///
/// # Errors
/// A block of a kind that HLSL cannot read, another form, or a plan without an entry point.
pub fn probe(
    (declarations, language): (&str, Language),
    layout: &BlockLayout,
    (plan, wiring): (&ProbePlan, &Wiring),
) -> Result<String, ProduceError> {
    let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
    let entry = plan.entries.first().ok_or_else(nothing)?;
    let probed = Probed { layout, plan, wiring };
    let body = probed.statements(entry.direction).ok_or_else(nothing)?;
    let whole = if entry.forms.contains(&Form::Whole) { statements::whole(language) } else { "" };
    let (output, input) = (BINDING, BINDING + 1);
    Ok(format!(
        "{declarations}
[[vk::binding({output}, 0)]] RWByteAddressBuffer layoutproof_output : register(u0, space{SPACE});
[[vk::binding({input}, 0)]] ByteAddressBuffer layoutproof_input : register(t1, space{SPACE});
{whole}[shader(\"compute\")]
[numthreads(1, 1, 1)]
void {name}()
{{
    layoutproof_output.Store(0, layoutproof_input.Load(0));
{body}}}
",
        name = entry.name,
    ))
}

/// The leaf's name in the language; `None` for kinds of block that HLSL does not have.
fn expression(layout: &BlockLayout, leaf: &Leaf) -> Option<String> {
    let namespace = layout.name.rsplit_once("::").map_or(String::new(), |(outer, _)| format!("{outer}::"));
    let dot = if leaf.path.is_empty() || leaf.path.starts_with('[') { "" } else { "." };
    match layout.kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer => Some(format!("{namespace}{}", leaf.path)),
        BlockKind::Globals => Some(leaf.path.clone()),
        BlockKind::ConstantBuffer | BlockKind::TextureBuffer | BlockKind::PushConstant | BlockKind::ParameterBlock => {
            let element = if layout.count == Count::Finite(1) { "" } else { "[0]" };
            Some(format!("{}{element}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::StructuredElement => {
            // The plan of a stride has the element's index in its paths.
            let element = if layout.stride.is_some() { "[0]" } else { "" };
            Some(format!("{}{element}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::EntryUniforms | BlockKind::Pointee | BlockKind::UniformBlock | BlockKind::StorageBlock => None,
    }
}

#[cfg(test)]
mod tests;
