//! Probes behind a user's own WGSL: the text and a block of it in, the text with an entry point that reads every leaf out.
//!
//! The block is the one that the author declares, `@size` and `@align` included; only the probe's buffers are ours, in a
//! group that the text leaves free.

use crate::layout::tree::LeafStep;
use crate::layout::{BlockLayout, LaidOut, LaidOutShape};
use crate::probe::{Interface, ProbeEntry, ProbePlan};

use super::{NotExpressible, laid_out};

/// Groups that WebGPU lets every pipeline have.
const GROUPS: u32 = 4;

/// Where the probe's buffers are bound behind this text.
///
/// # Errors
/// If the text uses every group.
pub fn buffers(text: &str) -> Result<Interface, NotExpressible> {
    let dense: String = text.split_whitespace().collect();
    let is_free = |group: &u32| ["", "u", "i"].iter().all(|end| !dense.contains(&format!("@group({group}{end})")));
    let group = (0..GROUPS).rev().find(is_free);
    let group = group.ok_or_else(|| NotExpressible::new("", "the text leaves no group for the probe's buffers"))?;
    Ok(Interface { output: (group, 0), input: (group, 1), ..Interface::default() })
}

/// The text with a probe of `layout`, which is a block of it, behind it.
///
/// # Errors
/// A leaf that WGSL has no expression for, or no group for the probe's buffers.
pub fn probe(
    text: &str,
    layout: &BlockLayout,
    (plan, entry): (&ProbePlan, &ProbeEntry),
) -> Result<String, NotExpressible> {
    let (block, group) = (laid_out(layout)?, buffers(text)?.output.0);
    let mut body = String::new();
    for (word, leaf) in (1..).zip(&plan.leaves) {
        let value = expression(layout.name.clone(), block, &leaf.steps);
        let value = value.ok_or_else(|| NotExpressible::new(&leaf.path, "no part of the block"))?;
        body += &format!("    layoutproof_output[{word}] = bitcast<u32>({value});\n");
    }
    let name = &entry.name;
    Ok(format!(
        "{text}
@group({group}) @binding(0) var<storage, read_write> layoutproof_output: array<u32>;
@group({group}) @binding(1) var<storage, read> layoutproof_input: array<u32>;

@compute @workgroup_size(1)
fn {name}() {{
    layoutproof_output[0] = layoutproof_input[0];
{body}}}
"
    ))
}

/// The expression behind `text` that takes these steps; WGSL's matrices are indexed by columns.
fn expression(text: String, laid_out: &LaidOut, steps: &[LeafStep]) -> Option<String> {
    match (&laid_out.shape, steps) {
        (LaidOutShape::Scalar(_), []) => Some(text),
        (LaidOutShape::Vector { .. }, [LeafStep::Component(index)]) => Some(format!("{text}[{index}]")),
        (LaidOutShape::Matrix { .. }, [LeafStep::Cell { row, column }]) => Some(format!("{text}[{column}][{row}]")),
        (LaidOutShape::Array { element, .. }, [LeafStep::Element(index), rest @ ..]) => {
            expression(format!("{text}[{index}]"), element, rest)
        }
        (LaidOutShape::Struct(members), [LeafStep::Member(index), rest @ ..]) => {
            let member = members.get(*index as usize)?;
            expression(format!("{text}.{}", member.name), &member.layout, rest)
        }
        (
            LaidOutShape::Scalar(_)
            | LaidOutShape::Vector { .. }
            | LaidOutShape::Matrix { .. }
            | LaidOutShape::Array { .. }
            | LaidOutShape::Struct(_)
            | LaidOutShape::Pointer
            | LaidOutShape::Resource,
            _,
        ) => None,
    }
}
