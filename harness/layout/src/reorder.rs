//! Finds an order of a struct's members that takes fewer bytes under a rule set, for
//! `layoutproof show --padding`.
//!
//! Tries two simple orders, largest alignment first and least padding next, and lays both out under
//! the same rule set. The result is smaller than the declared order, but not necessarily the
//! smallest. Structs with explicitly placed members, bit-fields or arrays without a length keep
//! their order. Sizes are in bytes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::LayoutOptions;
use super::rules::RuleSet;
use super::tree::{LaidOut, LaidOutShape};
use super::walk::lay_out;
use crate::shape::{Count, Member, StructType, Type};
use crate::{Block, BlockKind};

/// Structs with more members are not reordered: the number of layouts grows with the square of
/// this.
const MAX_MEMBERS: usize = 32;
/// Structs with more types, counted at each place, are not reordered.
const MAX_TYPES: usize = 1 << 10;

/// A block as declared, with its rule set, to try other orders of its members.
#[derive(Clone, Copy, Debug)]
pub struct LayoutInput<'a> {
    pub block: &'a Block,
    pub rules: &'a RuleSet,
    pub options: LayoutOptions,
}

/// A better order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberOrder {
    /// Names of the members, in the new order.
    pub members: Vec<String>,
    /// Size of the struct in this order, in bytes; for the element of a structured buffer, its
    /// stride.
    pub size: u32,
    /// Bytes saved compared with the declared order.
    pub saves: u32,
}

/// A better order for the struct at `path` of a block; `None` if the search finds none.
pub(super) fn better(declared: LayoutInput<'_>, path: &str, type_name: &str) -> Option<MemberOrder> {
    // The base of the block's struct has an empty path too.
    let whole = path.is_empty() && declared.block.element.to_string() == type_name;
    let structure = match &declared.block.element {
        Type::Struct(structure) if whole => Arc::clone(structure),
        element => {
            let mut named = BTreeMap::new();
            collect(element, &mut named);
            named.remove(type_name)?
        }
    };

    // A nested struct is laid out alone. As the type of a constant buffer it follows the rules for
    // members of structs.
    let kind = if whole { declared.block.kind } else { BlockKind::ConstantBuffer };
    if structure.members.len() > MAX_MEMBERS || structure.members.iter().any(is_fixed) {
        return None;
    }

    let trial = Trial { declared, kind, structure: &structure };
    let all: Vec<&Member> = structure.members.iter().collect();
    let (now, laid_out) = trial.lay_out(&all)?;
    if types(&laid_out) > MAX_TYPES {
        return None;
    }

    let orders = [trial.by_alignment()?, trial.least_padding()?];
    let sizes = orders.into_iter().filter_map(|order| Some((trial.lay_out(&order)?.0, order)));
    let (size, order) = sizes.min_by_key(|(size, _)| *size)?;

    let saves = now.checked_sub(size).filter(|saves| *saves > 0)?;
    Some(MemberOrder { members: order.iter().map(|member| member.name.clone()).collect(), size, saves })
}

/// Collects all structs that a type is or holds, by name. Anonymous structs cannot be
/// distinguished.
fn collect(ty: &Type, named: &mut BTreeMap<String, Arc<StructType>>) {
    match ty {
        Type::Struct(structure) => {
            let is_new =
                structure.name.is_empty() || named.insert(structure.name.clone(), Arc::clone(structure)).is_none();
            if is_new {
                collect_below(structure, named);
            }
        }
        Type::Array { element, .. } => collect(element, named),
        _ => {}
    }
}

/// Collects the structs in a struct's base and members.
fn collect_below(structure: &StructType, named: &mut BTreeMap<String, Arc<StructType>>) {
    if let Some(base) = &structure.base {
        collect(&Type::Struct(Arc::clone(base)), named);
    }
    for member in &structure.members {
        collect(&member.ty, named);
    }
}

/// True if something other than its type places the member.
fn is_fixed(member: &Member) -> bool {
    let Member { ty, bit_width, annotations, .. } = member;
    let explicit = annotations.packoffset.is_some() || annotations.vk_offset().is_some();
    let unbounded = ty.dimensions().1.contains(&Count::Unbounded);
    explicit || bit_width.is_some() || unbounded || annotations.constant_register().is_some()
}

fn types(layout: &LaidOut) -> usize {
    match &layout.shape {
        LaidOutShape::Struct(members) => members.iter().map(|member| types(&member.layout)).sum::<usize>() + 1,
        LaidOutShape::Array { element, .. } => types(element) + 1,
        _ => 1,
    }
}

/// A struct for which other orders of members are tried.
#[derive(Debug)]
struct Trial<'a> {
    declared: LayoutInput<'a>,
    kind: BlockKind,
    structure: &'a StructType,
}

impl<'a> Trial<'a> {
    /// Size (or stride, if there is one) and layout with only these members; `None` if the rule set
    /// forbids them.
    fn lay_out(&self, members: &[&Member]) -> Option<(u32, LaidOut)> {
        let structure =
            StructType { members: members.iter().map(|member| (*member).clone()).collect(), ..self.structure.clone() };
        let LayoutInput { block, rules, options } = self.declared;
        let block = Block { kind: self.kind, element: Type::Struct(Arc::new(structure)), ..block.clone() };

        let layout = lay_out(&block, rules, options);
        let laid_out = layout.result.ok()?;
        let size = laid_out.size.finite()?;
        Some((layout.stride.unwrap_or(size), laid_out))
    }

    /// Alignment and size of a single member.
    fn weight(&self, member: &Member) -> Option<(u32, u32)> {
        let (_, laid_out) = self.lay_out(&[member])?;
        let LaidOutShape::Struct(members) = laid_out.shape else { return None };
        let layout = &members.last()?.layout;
        Some((layout.alignment, layout.size.finite()?))
    }

    /// Largest alignment first, then largest size.
    fn by_alignment(&self) -> Option<Vec<&'a Member>> {
        let mut weighed = Vec::new();
        for member in &self.structure.members {
            weighed.push((Reverse(self.weight(member)?), member));
        }
        weighed.sort_by_key(|(weight, _)| *weight);
        Some(weighed.into_iter().map(|(_, member)| member).collect())
    }

    /// At each step picks the member that leaves the fewest bytes free before it, and among equals
    /// the heaviest.
    fn least_padding(&self) -> Option<Vec<&'a Member>> {
        let mut rest = self.by_alignment()?;
        let mut order = Vec::new();
        while !rest.is_empty() {
            let mut best: Option<(u32, usize)> = None;
            for (index, member) in rest.iter().enumerate() {
                order.push(*member);
                let hole = self.hole_before_last(&order)?;
                order.pop();
                if best.is_none_or(|(least, _)| hole < least) {
                    best = Some((hole, index));
                }
            }
            let (_, index) = best.expect("the loop ran, since there are members left");
            order.push(rest.remove(index));
        }

        Some(order)
    }

    /// Bytes between the end of the earlier members and the last member.
    fn hole_before_last(&self, members: &[&Member]) -> Option<u32> {
        let LaidOutShape::Struct(placed) = self.lay_out(members)?.1.shape else { return None };
        let (last, before) = placed.split_last()?;
        let end = |member: &super::LaidOutMember| Some(member.offset.saturating_add(member.layout.size.finite()?));
        let end = before.iter().filter_map(end).max().unwrap_or(0);
        Some(last.offset.saturating_sub(end))
    }
}
