//! Adds a probe to a user's own WGSL: an entry point that reads every leaf of one of its blocks.
//!
//! The block is the author's own declaration, including `@size` and `@align`. Only the probe's
//! buffers are ours, in a group that the text leaves free.

use std::collections::BTreeSet;

use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape, Leaf, without_indices};

use super::node::WgslScalar;
use super::{NotExpressible, laid_out};
use layoutproof_probes::reserved::Reserved;
use layoutproof_probes::{Interface, ProbeEntry, ProbePlan};

/// Number of groups that WebGPU guarantees for every pipeline.
const GROUPS: u32 = 4;

/// Finds bindings for the probe's buffers after this text.
///
/// # Errors
///
/// The text uses every group, or names one by an expression.
pub fn buffers(text: &str) -> Result<Interface, NotExpressible> {
    let dense: String = text.split_whitespace().collect();
    if dense.split("@group(").skip(1).any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())) {
        return Err(NotExpressible::new("", "the text names a group by an expression, which could be any"));
    }
    let is_free = |group: &u32| ["", "u", "i"].iter().all(|end| !dense.contains(&format!("@group({group}{end})")));
    let group = (0..GROUPS).rev().find(is_free);
    let group = group.ok_or_else(|| NotExpressible::new("", "the text leaves no group for the probe's buffers"))?;
    Ok(Interface::in_user_text((group, 0), (group, 1)))
}

/// Writes the text followed by a probe of `layout`, which is one of its blocks. `reserved` holds
/// the names that the text leaves free. `atomics` are the paths of the block's atomics, without
/// indices; only a built-in function can read these.
///
/// # Errors
///
/// WGSL has no expression for a leaf, or no group is free for the probe's buffers.
pub fn probe(
    text: &str,
    reserved: &Reserved,
    layout: &BlockLayout,
    atomics: &BTreeSet<String>,
    plan: &ProbePlan,
    entry: &ProbeEntry,
) -> Result<String, NotExpressible> {
    let prefix = reserved.prefix();
    let (block, group) = (laid_out(layout)?, buffers(text)?.output.0);
    let read = |(word, leaf): (usize, &Leaf)| {
        let value = expression(layout.name.clone(), block, &leaf.steps);
        let mut value = value.ok_or_else(|| NotExpressible::new(&leaf.path, "no part of the block"))?;
        if atomics.contains(&without_indices(&leaf.path)) {
            value = format!("atomicLoad(&{value})");
        }
        let value = WgslScalar::of(&leaf.path, leaf.component)?.word_of(&value);
        Ok(format!("    {prefix}output[{word}] = {value};\n"))
    };
    let body: String = (1..).zip(&plan.leaves).map(read).collect::<Result<_, NotExpressible>>()?;
    let name = &entry.name;
    Ok(format!(
        "{text}
@group({group}) @binding(0) var<storage, read_write> {prefix}output: array<u32>;
@group({group}) @binding(1) var<storage, read> {prefix}input: array<u32>;

@compute @workgroup_size(1)
fn {name}() {{
    {prefix}output[0] = {prefix}input[0];
{body}}}
"
    ))
}

/// Returns `text` extended by these steps. WGSL indexes matrices by columns.
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::FileId;
    use layoutproof_probes::AddressSpace;
    use layoutproof_probes::plan;
    use layoutproof_source::sources::SourceMap;
    use layoutproof_wgsl::WgslLayouts;

    const TEXT: &str = "
struct Light { position: vec3<f32>, @size(20) power: f32 }
struct Scene { view: mat3x2<f32>, lights: array<Light, 2> }
@group(3) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() { output[0] = u32(scene.lights[0].power); }
";

    /// naga accepts the generated WGSL next to the author's own names, and matrices are indexed by
    /// columns.
    #[test]
    fn leaves_are_read_by_the_names_of_the_author() {
        let mut sources = SourceMap::default();
        let layouts = WgslLayouts::read(TEXT, sources.add("user.wgsl", TEXT)).unwrap().blocks;
        let plan = plan(&layouts[0], &layouts[0].leaves(), &[AddressSpace::Uniform].into());
        let (reserved, atomics) = (Reserved::default(), BTreeSet::new());
        let text = probe(TEXT, &reserved, &layouts[0], &atomics, &plan, &plan.entries[0]).unwrap();
        assert!(text.starts_with(TEXT) && naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
        let word = |path: &str| plan.leaves.iter().position(|leaf| leaf.path == path).unwrap() + 1;
        let reads = |path: &str, value: &str| {
            assert!(text.contains(&format!("layoutproof_output[{}] = bitcast<u32>({value});", word(path))), "{text}");
        };
        reads("lights[1].power", "scene.lights[1].power");
        reads("lights[0].position.z", "scene.lights[0].position[2]");
        reads("view[1][2]", "scene.view[2][1]");
    }

    /// WGSL, "Atomic Types": the only valid operations on an atomic are the built-in functions for
    /// them.
    #[test]
    fn atomics_are_read_by_their_own_function() {
        const TEXT: &str = "
struct Inner { hits: atomic<u32>, plain: u32 }
struct Counters { first: atomic<i32>, list: array<atomic<u32>, 2>, inner: array<Inner, 2>, last: f32 }
@group(0) @binding(0) var<storage, read_write> counters: Counters;
@group(0) @binding(1) var<storage, read_write> alone: atomic<u32>;
@compute @workgroup_size(1) fn main() { counters.last = 1.0; }
";
        let WgslLayouts { module, blocks, .. } = WgslLayouts::read(TEXT, FileId::default()).unwrap();
        let mut reads = Vec::new();
        for layout in &blocks {
            let plan = plan(layout, &layout.leaves(), &[AddressSpace::Storage].into());
            let atomics = module.atomics(&layout.name);
            let text = probe(TEXT, &Reserved::default(), layout, &atomics, &plan, &plan.entries[0]).unwrap();
            assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
            let values = text.lines().filter_map(|line| line.split_once("bitcast<u32>(")?.1.strip_suffix(");"));
            reads.extend(values.map(str::to_owned));
        }
        let expected = [
            "atomicLoad(&counters.first)",
            "atomicLoad(&counters.list[0])",
            "atomicLoad(&counters.list[1])",
            "atomicLoad(&counters.inner[0].hits)",
            "counters.inner[0].plain",
            "atomicLoad(&counters.inner[1].hits)",
            "counters.inner[1].plain",
            "counters.last",
            "atomicLoad(&alone)",
        ];
        assert_eq!(reads, expected);
    }

    #[test]
    fn a_group_that_the_text_uses_is_none_of_ours() {
        assert_eq!(buffers(TEXT).unwrap().output, (2, 0));
        assert_eq!(buffers("@group ( 3u ) @group(2) @group(0)").unwrap().input, (1, 1));
        assert!(buffers("const G = 3; @group(G)").unwrap_err().to_string().contains("by an expression"));
        let all = "@group(0) @group(1) @group(2i) @group(3)";
        assert!(buffers(all).unwrap_err().to_string().contains("no group for the probe's buffers"));
    }
}
