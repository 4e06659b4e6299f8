//! Finds the forms of access that a plan's leaves allow, since some forms need a value of the whole
//! block.
//!
//! A shader's block has only the members that contain a probed leaf. To write such a block as a
//! whole, or to copy it into one with another layout, the shader builds a value from the leaves.
//! For that no leaf may be missing: no array element that the plan leaves out, and no leaf that is
//! in another part of the plan.

use std::collections::BTreeSet;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LaidOut, LaidOutShape, Leaf, LeafStep};

use super::ProbePlan;
use crate::{Direction, Form};

impl ProbePlan {
    /// Removes the forms that need a value of the whole block if a leaf is missing.
    pub(super) fn without_missing_parts(mut self, laid_out: &LaidOut) -> Self {
        if !has_all_parts(laid_out, &self.leaves) {
            for entry in &mut self.entries {
                let is_read = entry.direction == Direction::Read;
                entry.forms.retain(|form| match form {
                    Form::Copied | Form::Private | Form::Function | Form::Workgroup => false,
                    Form::Whole | Form::UntypedWhole | Form::Retyped => is_read,
                    Form::Leaf
                    | Form::Vector
                    | Form::Parameter
                    | Form::Indexed
                    | Form::Divergent
                    | Form::Linked
                    | Form::Length
                    | Form::ByteAddress
                    | Form::Sized
                    | Form::Untyped
                    | Form::UntypedVector
                    | Form::UntypedLength => true,
                });
            }
        }

        self.pruned()
    }
}

/// Returns true if each member with a probed leaf has all of its leaves.
pub(super) fn has_all_parts(laid_out: &LaidOut, leaves: &[Leaf]) -> bool {
    let members = leaves.iter().map(member_path).collect();
    parts(laid_out, &members, &mut Vec::new()) == Some(leaves.len() as u64)
}

/// Returns the members on the way to a leaf, as indices in their structs.
pub(super) fn member_path(leaf: &Leaf) -> Vec<u32> {
    let members = leaf.steps.iter().filter_map(|step| match step {
        LeafStep::Member(index) => Some(*index),
        LeafStep::Element(_) | LeafStep::Cell { .. } | LeafStep::Component(_) => None,
    });
    members.collect()
}

/// Counts the leaves of the type at `path`, within the members in `members`. All paths in `members`
/// lead to leaves. Returns `None` for an unbounded array.
fn parts(laid_out: &LaidOut, members: &BTreeSet<Vec<u32>>, path: &mut Vec<u32>) -> Option<u64> {
    match &laid_out.shape {
        LaidOutShape::Scalar(_) => Some(1),
        LaidOutShape::Vector { length, .. } => Some(u64::from(*length)),
        LaidOutShape::Matrix { rows, columns, .. } => Some(u64::from(*rows) * u64::from(*columns)),
        LaidOutShape::Array { element, count, .. } => match count {
            Count::Finite(count) => Some(parts(element, members, path)?.saturating_mul(u64::from(*count))),
            Count::Unbounded => None,
        },
        LaidOutShape::Struct(inner) => {
            let mut all = 0_u64;
            for (index, member) in (0..).zip(inner) {
                path.push(index);
                let is_kept = members.range(path.clone()..).next().is_some_and(|first| first.starts_with(path));
                let own = if is_kept { parts(&member.layout, members, path) } else { Some(0) };
                path.pop();

                all = all.saturating_add(own?);
            }
            Some(all)
        }
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_layout::{BlockLayout, ElementChoice, LayoutOptions, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    /// Lays out the only block of the declarations.
    fn laid_out(declarations: &str) -> BlockLayout {
        let mut sources = SourceMap::default();
        let file = sources.add("test.hlsl", declarations);
        let end = u32::try_from(declarations.len()).unwrap();
        let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default()).unwrap();
        lay_out(&module.blocks[0], find("scalar").unwrap(), LayoutOptions::default())
    }

    /// Returns true if the block's leaves whose paths pass `keep` have all parts.
    fn has_all(declarations: &str, elements: ElementChoice, keep: impl Fn(&str) -> bool) -> bool {
        let layout = laid_out(declarations);
        let mut leaves = layout.leaves_in(elements);
        leaves.retain(|leaf| keep(&leaf.path));
        has_all_parts(&layout.result.unwrap(), &leaves)
    }

    #[test]
    fn members_may_be_missing_and_parts_of_them_may_not() {
        let block = "struct T { float a; float2 b; }; cbuffer S { float4 v; T t[3]; };";
        assert!(has_all(block, ElementChoice::Every, |_| true));
        assert!(has_all(block, ElementChoice::Every, |path| path.rsplit('.').next() != Some("a")));
        assert!(has_all(block, ElementChoice::Every, |path| path.starts_with('t')));
        assert!(!has_all(block, ElementChoice::Every, |path| path != "v.z"));
        assert!(!has_all(block, ElementChoice::Every, |path| path != "t[1].a"));
        assert!(!has_all(block, ElementChoice::Every, |path| !path.starts_with("t[2]")));
    }

    #[test]
    fn a_sample_of_a_long_array_is_not_all_of_it() {
        assert!(has_all("cbuffer S { float4 v[4]; };", ElementChoice::Sample, |_| true));
        assert!(!has_all("cbuffer S { float4 v[5]; };", ElementChoice::Sample, |_| true));
        assert!(!has_all("cbuffer S { float2x2 v[2][9]; float f; };", ElementChoice::Sample, |_| true));
    }

    #[test]
    fn an_array_without_end_has_never_all_parts() {
        let layout = laid_out("StructuredBuffer<float4> s;");
        let array = elements(&layout).unwrap();
        assert!(has_all_parts(&layout.result.clone().unwrap(), &layout.leaves()));
        assert!(!has_all_parts(&array.result.clone().unwrap(), &array.leaves()));
    }
}
