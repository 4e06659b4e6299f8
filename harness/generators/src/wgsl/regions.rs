//! Writes modules of many blocks: one variable, whose struct has a member for each case at the start of the case's region.
//! One entry point does the work of the entry points with the same name in all cases.

use std::collections::BTreeSet;

use layoutproof_device::{Feature, Shader};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape};
use layoutproof_probes::{AddressSpace, ProbeEntry, RegionAnswer, RegionCase, RegionJob, RegionPlaces};
use layoutproof_readers::wgsl_probe::WgslStep;

use super::access::WgslLeafAccess;
use super::build::{Fit, WgslBuilder};
use super::entry::{Answers, CaseBody, shared_function};
use super::node::{NodeMember, WgslNode};
use super::{NotExpressible, UniformLayout, check_space, fit, laid_out, text};

/// Returns true if a block keeps its code in a module with others. In uniform blocks, compilers take matrices of two rows
/// apart, and differently in a struct of a struct: naga 30 panics at some of those. Immediates are too few to be shared.
pub fn fits_region(layout: &BlockLayout, entry: &ProbeEntry) -> bool {
    match entry.space {
        AddressSpace::PushConstant => false,
        AddressSpace::Uniform => layout.result.as_ref().is_ok_and(|block| !holds_matrix_of_two_rows(block)),
        _ => true,
    }
}

/// Returns true if a type is or holds a matrix of two rows in WGSL's sense.
pub fn holds_matrix_of_two_rows(part: &LaidOut) -> bool {
    match &part.shape {
        LaidOutShape::Matrix { rows, order: MatrixOrder::Column, .. } => *rows == 2,
        LaidOutShape::Matrix { columns, order: MatrixOrder::Row, .. } => *columns == 2,
        LaidOutShape::Array { element, .. } => holds_matrix_of_two_rows(element),
        LaidOutShape::Struct(members) => members.iter().any(|member| holds_matrix_of_two_rows(&member.layout)),
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => false,
    }
}

/// Makes the dispatches of cases whose entry points have the same name; `None` if they cannot share a module.
pub fn region_job(cases: Vec<RegionCase>) -> Option<RegionJob> {
    RegionJob::new(cases, |cases, places| {
        let requires = cases.iter().flat_map(|case| &case.probe.runs).flat_map(|run| run.job.requires.clone());
        let requires: BTreeSet<Feature> = requires.collect();
        let text = module(cases, places, &requires).ok()?;
        Some((Shader::Wgsl(text), requires))
    })
}

fn module(cases: &[RegionCase], places: &RegionPlaces, requires: &BTreeSet<Feature>) -> Result<String, NotExpressible> {
    let nothing = || NotExpressible::new("", "no block holds bytes");
    let entry = &cases.first().ok_or_else(nothing)?.probe.entry;
    let mut builder = WgslBuilder::new(Fit::Exact);
    let mut members = Vec::new();
    for (index, (case, start)) in cases.iter().zip(&places.block).enumerate() {
        let own = builder.fitting(fit(&case.layout.rules)).node("", laid_out(&case.layout)?)?;
        let node = own.ok_or_else(nothing)?;
        members.push(NodeMember { source: None, name: format!("case{index}"), offset: *start, node });
    }
    let blocks: Vec<WgslNode> = members.iter().map(|member| member.node.clone()).collect();
    let all = builder.declare_struct("", members)?.ok_or_else(nothing)?;
    let is_standard = requires.contains(&Feature::UniformBufferStandardLayout);
    check_space(&all, entry, if is_standard { UniformLayout::Standard } else { UniformLayout::Constrained })?;

    let answers = if RegionAnswer::of(entry) == RegionAnswer::Nonce { Answers::Stored } else { Answers::Hashed };
    let bodies = (0..).zip(cases).zip(&blocks).zip(&places.input).map(|(((index, case), block), input)| {
        let root = vec![WgslStep::Member { index, name: format!("case{index}") }];
        let leaf = |leaf| {
            let access = block.access(leaf)?;
            Ok(WgslLeafAccess { path: [&root[..], &access.path].concat(), ..access })
        };
        let leaves = case.plan.leaves.iter().map(leaf).collect::<Result<_, NotExpressible>>()?;
        Ok(CaseBody {
            entry: &case.probe.entry,
            block,
            root: root.clone(),
            leaves,
            input: *input as usize / 4,
            answers,
        })
    });
    let bodies = bodies.collect::<Result<Vec<_>, NotExpressible>>()?;
    let body = shared_function(&bodies, places.input[places.longest] as usize / 4, entry)?;
    Ok(text(builder, &all, entry, &body))
}
