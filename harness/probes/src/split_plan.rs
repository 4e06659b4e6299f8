//! Splits a plan that has too many leaves for one shader into several plans, or reduces it to fewer
//! leaves.

use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockLayout, Leaf};

use super::{ProbePlan, tail};

/// Limit on the values that a shader reads or writes: leaves times forms. Drivers' compile time
/// grows faster than the shader.
const MOST_VALUES: usize = 320;

/// Limit on the leaves of a shader, even with only one form.
const MOST_LEAVES: usize = 64;

impl ProbePlan {
    /// Splits the plan for `layout` into parts. A driver compiles each part in a time that grows
    /// linearly with its length.
    pub fn parts_for_drivers(self, layout: &BlockLayout) -> Vec<Self> {
        let forms = self.entries.iter().map(|entry| entry.forms.len()).max().unwrap_or(1).max(1);
        self.parts(layout, (MOST_VALUES / forms).min(MOST_LEAVES))
    }

    /// Reduces the plan for `layout` to at most `most` leaves. It always keeps the first and the
    /// last scalar, vector or matrix, and otherwise keeps values at even distances. No value is
    /// split.
    #[must_use]
    pub fn at_even_distances(self, layout: &BlockLayout, most: usize) -> Self {
        let Ok(laid_out) = &layout.result else { return self };
        if self.leaves.len() <= most {
            return self;
        }
        let values: Vec<&[Leaf]> = self.leaves.chunk_by(are_of_one_value).collect();
        // Assume that all values are as large as the largest one, and reserve one place for the
        // last value.
        let largest = values.iter().map(|value| value.len()).max().unwrap_or(1);
        let distance = values.len().div_ceil((most / largest).saturating_sub(1).max(1));
        let last = values.len() - 1;
        let chosen = values.iter().enumerate().filter(|(index, _)| index % distance == 0 || *index == last);
        let leaves = chosen.flat_map(|(_, value)| value.to_vec()).collect();
        Self { leaves, ..self }.without_missing_parts(laid_out)
    }

    /// Splits the plan for `layout` into plans of up to `most` leaves. The components of a vector
    /// or matrix stay together even if they exceed the limit; the leaves of a member of the block
    /// stay together if they do not.
    pub fn parts(self, layout: &BlockLayout, most: usize) -> Vec<Self> {
        let Ok(laid_out) = &layout.result else { return vec![self] };
        let mut parts: Vec<Vec<Leaf>> = Vec::new();
        for member in self.leaves.chunk_by(are_of_one_member) {
            let together: fn(&Leaf, &Leaf) -> bool =
                if member.len() > most { are_of_one_value } else { are_of_one_member };
            for leaves in member.chunk_by(together) {
                match parts.last_mut() {
                    Some(part) if part.len() + leaves.len() <= most => part.extend_from_slice(leaves),
                    Some(_) | None => parts.push(leaves.to_vec()),
                }
            }
        }
        if parts.len() < 2 {
            return vec![self];
        }
        let tail = tail(laid_out);
        let part = |leaves: Vec<Leaf>| {
            let mut part = Self { leaves, not_probed: Vec::new(), entries: self.entries.clone() };
            let has_length = tail.as_ref().is_some_and(|tail| tail.leaf(&part).is_some());
            for entry in &mut part.entries {
                entry.forms.retain(|form| !form.is_length() || has_length);
            }
            part.without_missing_parts(laid_out)
        };
        // Some forms apply to some leaves only, such as the length of an array, so a part may have
        // no entries.
        parts.into_iter().map(part).filter(|part| !part.entries.is_empty()).collect()
    }
}

/// Returns true if two leaves are in one member of the block, or if the block is the single value
/// that contains them.
fn are_of_one_member(one: &Leaf, next: &Leaf) -> bool {
    one.steps.first() == next.steps.first() || are_of_one_value(one, next)
}

/// Returns true if two leaves are components of one vector or matrix.
fn are_of_one_value(one: &Leaf, next: &Leaf) -> bool {
    let (Some((component, value)), Some((_, next_value))) = (one.steps.split_last(), next.steps.split_last()) else {
        return false;
    };
    matches!(component, LeafStep::Component(_) | LeafStep::Cell { .. }) && value == next_value
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::plan_by_name;
    use crate::{AddressSpace, BoundRange, Form, Interface, PlanShader, Stage, jobs};
    use layoutproof_device::Shader;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    /// Returns the layout of the only block of `declarations`, and a plan that reads it in compute
    /// shaders.
    fn planned(declarations: &str) -> (BlockLayout, ProbePlan) {
        let mut sources = SourceMap::default();
        let file = sources.add("test.hlsl", declarations);
        let end = u32::try_from(declarations.len()).unwrap();
        let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default()).unwrap();
        let layout = lay_out(&module.blocks[0], find("scalar").unwrap(), LayoutOptions::default());
        let plan = plan_by_name(&layout, &layout.leaves(), &[(AddressSpace::Uniform, Stage::Compute)].into());
        (layout, plan)
    }

    /// Returns the leaf paths of each part of such a plan.
    fn parts(declarations: &str, most: usize) -> Vec<Vec<String>> {
        let (layout, plan) = planned(declarations);
        let total = plan.leaves.len();
        let parts = plan.parts(&layout, most);
        assert_eq!(parts.iter().map(|part| part.leaves.len()).sum::<usize>(), total);
        let paths = |part: &ProbePlan| part.leaves.iter().map(|leaf| leaf.path.clone()).collect();
        parts.iter().map(paths).collect()
    }

    #[test]
    fn vectors_and_matrices_stay_together() {
        let found = parts("cbuffer S { float a[3]; float3 v; float2x2 m; float b; };", 4);
        let expected = [
            &["a[0]", "a[1]", "a[2]"][..],
            &["v.x", "v.y", "v.z"],
            &["m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]"],
            &["b"],
        ];
        assert_eq!(found, expected);
        assert_eq!(parts("cbuffer S { float3 v; };", 1), [["v.x", "v.y", "v.z"]]);
    }

    #[test]
    fn a_part_that_no_form_is_about_is_left_out() {
        let (layout, plan) = planned("cbuffer S { float a[3]; float b, c, d; };");
        let parts = plan.only(&[Form::Indexed].into()).parts(&layout, 3);
        let paths: Vec<&str> = parts.iter().flat_map(|part| &part.leaves).map(|leaf| leaf.path.as_str()).collect();
        assert_eq!(paths, ["a[0]", "a[1]", "a[2]"]);
        assert!(parts.iter().all(|part| !part.entries.is_empty()));
    }

    /// Returns the leaf paths of a plan for these declarations, reduced to at most `most` leaves.
    fn at_even_distances(declarations: &str, most: usize) -> Vec<String> {
        let (layout, plan) = planned(declarations);
        plan.at_even_distances(&layout, most).leaves.into_iter().map(|leaf| leaf.path).collect()
    }

    #[test]
    fn a_plan_of_fewer_leaves_has_the_first_and_the_last_value() {
        let declarations = "cbuffer S { float a, b, c, d, e, f, g, h, i, j; };";
        assert_eq!(at_even_distances(declarations, 4), ["a", "e", "i", "j"]);
        assert_eq!(at_even_distances(declarations, 10).len(), 10);
        let vectors = "cbuffer S { float2 u; float a; float2 v, w; float b; };";
        assert_eq!(at_even_distances(vectors, 6), ["u.x", "u.y", "w.x", "w.y", "b"]);
    }

    #[test]
    fn a_plan_of_fewer_leaves_copies_no_value_that_it_has_in_part() {
        let (layout, plan) = planned("cbuffer S { float4 a[4]; float b; };");
        let plan = plan.at_even_distances(&layout, 12);
        let forms: Vec<Form> = plan.entries.iter().flat_map(|entry| entry.forms.clone()).collect();
        assert!(forms.contains(&Form::Leaf) && !forms.contains(&Form::Copied), "{forms:?}");
    }

    #[test]
    fn parts_near_the_end_run_with_the_exact_range() {
        let (layout, plan) = planned("cbuffer S { float4 a[128]; float b; };");
        let parts = plan.only(&[Form::Leaf].into()).parts(&layout, 64);
        let (shader, requires) = (Shader::Spirv(Vec::new()), BTreeSet::new());
        let shader = PlanShader {
            shader: &shader,
            requires: &requires,
            interface: Interface::default(),
            caller: |_| unreachable!("no entry is reached by rays"),
        };
        let is_exact = |part: &ProbePlan| {
            let jobs = jobs(&layout, part, shader).unwrap();
            jobs.iter().any(|job| job.range == BoundRange::Exact)
        };
        // Seven parts of 16 vectors come first, then the last 16 vectors, and `b` alone.
        let exact: Vec<bool> = parts.iter().map(is_exact).collect();
        assert_eq!(exact, [false, false, false, false, false, false, false, true, true]);
    }

    #[test]
    fn a_plan_that_is_small_enough_stays_whole() {
        assert_eq!(parts("cbuffer S { float a[3]; };", 3), [["a[0]", "a[1]", "a[2]"]]);
    }
}
