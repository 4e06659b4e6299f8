//! Probes as HLSL: the user's own declarations, unchanged, with an entry point behind them that reads every leaf by name.
//!
//! Declarations and a plan in, text out, for DXC, Clang and Slang: where the leaves are is the compiler's business. The
//! probe's output and input have registers in a space of their own and, for Vulkan, bindings beyond the user's.

use std::fmt::Write;

use super::ProduceError;
use crate::layout::{BlockLayout, Component, Leaf};
use crate::module::BlockKind;
use crate::probe::{Place, ProbePlan, Wiring};
use crate::record::Form;
use crate::scalar::Scalar;
use crate::shape::Count;

/// Register space of the probe's output (`u0`) and input (`t1`).
pub const SPACE: u32 = 1000;

/// Binding in descriptor set 0 of the probe's output; the input has the next one.
pub const BINDING: u32 = 1000;

/// Bindings from [`BINDING`] on that probes and programs have for themselves.
pub const BINDINGS: u32 = 3;

/// What the names of all parameters begin with that probes and programs have for themselves.
pub const OWN: &str = "layoutproof_";

/// Why the leaf cannot be read by a statement of HLSL, if it cannot: a fragment that fits after "not probed: ".
pub fn obstacle(leaf: &Leaf) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    if scalar.is_minimum_precision() && size == 4 {
        return Some("minimum precision may be rounded on the way".to_owned());
    }
    (size == 1).then(|| "HLSL has no 8-bit types".to_owned())
}

/// The declarations with the entry point of `plan`, whose words are those of `wiring`; the plan has one entry point, of
/// the form [`Form::Leaf`]. `layout` says which block the leaves are in.
///
/// # Errors
/// A block of a kind that HLSL cannot read, or a plan without an entry point.
pub fn probe(
    declarations: &str,
    layout: &BlockLayout,
    (plan, wiring): (&ProbePlan, &Wiring),
) -> Result<String, ProduceError> {
    let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
    let entry = plan.entries.first().ok_or_else(nothing)?;
    let mut body = String::new();
    for slot in wiring.slots.iter().filter(|slot| slot.form == Form::Leaf) {
        let leaf = &plan.leaves[slot.leaf as usize];
        let path = expression(layout, leaf).ok_or_else(nothing)?;
        for place in &slot.places {
            match place {
                Place::Word(word) => body.push_str(&store(&path, leaf.component, *word)),
                Place::Copy(_) => return Err(nothing()),
            }
        }
    }
    let (output, input) = (BINDING, BINDING + 1);
    Ok(format!(
        "{declarations}
[[vk::binding({output}, 0)]] RWByteAddressBuffer layoutproof_output : register(u0, space{SPACE});
[[vk::binding({input}, 0)]] ByteAddressBuffer layoutproof_input : register(t1, space{SPACE});
[shader(\"compute\")]
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
pub(super) fn expression(layout: &BlockLayout, leaf: &Leaf) -> Option<String> {
    let namespace = layout.name.rsplit_once("::").map_or(String::new(), |(outer, _)| format!("{outer}::"));
    let dot = if leaf.path.is_empty() || leaf.path.starts_with('[') { "" } else { "." };
    let buffer = if layout.count == Count::Finite(1) { "" } else { "[0]" };
    match layout.kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer => Some(format!("{namespace}{}", leaf.path)),
        BlockKind::Globals => Some(leaf.path.clone()),
        BlockKind::ConstantBuffer | BlockKind::TextureBuffer | BlockKind::PushConstant | BlockKind::ParameterBlock => {
            Some(format!("{}{buffer}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::StructuredElement => {
            // The plan of a stride has the element's index in its paths.
            let element = if layout.stride.is_some() { "[0]" } else { "" };
            Some(format!("{}{buffer}{element}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::EntryUniforms | BlockKind::Pointee | BlockKind::UniformBlock | BlockKind::StorageBlock => None,
    }
}

/// The statement that stores a leaf's bits at a word of the output.
fn store(path: &str, component: Component, word: u32) -> String {
    let byte = 4 * word;
    let mut text = String::new();
    let written = match (component.scalar, component.size) {
        (Scalar::Bool, _) => writeln!(text, "    layoutproof_output.Store({byte}, {path} ? 1u : 0u);"),
        (scalar, 8) if scalar.is_float() => writeln!(
            text,
            "    {{ uint low, high; asuint({path}, low, high); layoutproof_output.Store2({byte}, uint2(low, high)); }}"
        ),
        (_, 8) => writeln!(
            text,
            "    layoutproof_output.Store2({byte}, uint2((uint)({path}), (uint)((uint64_t)({path}) >> 32)));"
        ),
        (_, 2) => writeln!(text, "    layoutproof_output.Store({byte}, (uint)asuint16({path}));"),
        (scalar, _) if scalar.is_float() => writeln!(text, "    layoutproof_output.Store({byte}, asuint({path}));"),
        // Enums convert, too.
        (_, _) => writeln!(text, "    layoutproof_output.Store({byte}, (uint)({path}));"),
    };
    written.expect("a String takes every write");
    text
}
