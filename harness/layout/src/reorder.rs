//! Finds an order of a struct's members that takes fewer bytes under a rule set, for
//! `layoutproof show --padding`.
//!
//! Members are measured once; an order is then a walk over them. If few kinds of members are left,
//! the search is exact. Otherwise the result is smaller than the declared order, but possibly not
//! the smallest, unless it has no padding at all. Structs with explicitly placed members,
//! bit-fields or arrays without a length keep their order. Sizes are in bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::LayoutOptions;
use super::alignment::Alignment;
use super::measured::ArrayFootprint;
use super::place::Cursor;
use super::rules::{Placement, RuleSet};
use super::slots::{self, MemberSlot, Precision};
use super::tree::{Extent, LaidOut, LaidOutShape};
use super::walk::lay_out;
use super::walk_state::{Level, WalkState};
use crate::scalar::Scalar;
use crate::shape::{Count, Member, StructType, Type};
use crate::{Block, BlockKind};

/// Structs with more members are not reordered.
const MAX_MEMBERS: usize = 1000;
/// Most states of the exact search, which takes some 10 milliseconds for them.
const MAX_STATES: usize = 20_000;
/// Most members that the search for a near order places.
const MAX_PLACED: usize = 200_000;

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
    let reordering = Reordering::of(declared, path, type_name)?;
    let found = reordering.best()?;
    let members = found.order.iter().map(|index| reordering.structure.members[*index].name.clone());
    let saves = reordering.size().checked_sub(found.size).filter(|saves| *saves > 0)?;
    Some(MemberOrder { members: members.collect(), size: found.size, saves })
}

/// A struct whose members may have another order, measured under one rule set.
#[derive(Debug)]
pub struct Reordering<'a> {
    declared: LayoutInput<'a>,
    kind: BlockKind,
    structure: Arc<StructType>,
    /// The base if there is one, then the members in declaration order.
    slots: Vec<MemberSlot>,
    placement: Placement,
    alignment: Alignment,
}

/// An order that the search found, with the indices of the members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOrder {
    pub order: Vec<usize>,
    /// Size of the struct, or stride of an element, in bytes.
    pub size: u32,
    /// True if no order takes fewer bytes.
    pub is_minimal: bool,
}

impl<'a> Reordering<'a> {
    /// Measures the struct at `path` of a block. `None` if its members cannot change places or the
    /// rule set forbids them.
    pub fn of(declared: LayoutInput<'a>, path: &str, type_name: &str) -> Option<Self> {
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
        // A nested struct is laid out alone. As the type of a constant buffer it follows the rules
        // for members of structs.
        let kind = if whole { declared.block.kind } else { BlockKind::ConstantBuffer };
        if structure.members.len() > MAX_MEMBERS || has_fixed_members(&structure) {
            return None;
        }

        let mut walk = WalkState::new(kind, declared.rules, declared.options);
        let placement = walk.placement(Level::Block);
        let slots = slots::of(&mut walk, &structure, &placement, Level::Block).ok()?;
        if !walk.refusals.is_empty() || slots.iter().any(|slot| slot.measured.layout.size.finite().is_none()) {
            return None;
        }
        let alignment = slots.iter().filter(|slot| !slot.is_empty()).map(|slot| slot.measured.alignment).max();
        let alignment = alignment.unwrap_or(Alignment::ONE);
        Some(Self { declared, kind, structure, slots, placement, alignment })
    }

    pub fn structure(&self) -> &StructType {
        &self.structure
    }

    /// Size, or stride of an element, in the declared order.
    pub fn size(&self) -> u32 {
        let order: Vec<usize> = (0..self.structure.members.len()).collect();
        self.size_of(&order).unwrap_or(u32::MAX)
    }

    /// Size, or stride of an element, in an order of the members; `None` if the rule set forbids it.
    pub fn size_of(&self, order: &[usize]) -> Option<u32> {
        let members = order.iter().map(|index| self.structure.members[*index].clone()).collect();
        let structure = StructType { members, ..(*self.structure).clone() };
        let LayoutInput { block, rules, options } = self.declared;
        let block = Block { kind: self.kind, element: Type::Struct(Arc::new(structure)), ..block.clone() };
        let layout = lay_out(&block, rules, options);
        let size = layout.result.ok()?.size.finite()?;
        Some(layout.stride.unwrap_or(size))
    }

    /// The best order that the search finds; `None` if the declared order is as good.
    pub fn best(&self) -> Option<FoundOrder> {
        let declared: Vec<usize> = (0..self.structure.members.len()).collect();
        let now = self.footprint(self.end(&declared)?)?;
        let bases = self.cursor()?.next();
        let sizes = self.members().map(|slot| slot.measured.layout.size.finite().unwrap_or(0));
        let least = self.footprint(sizes.fold(bases, u32::saturating_add))?;
        if now <= least {
            return None;
        }

        let candidates = [self.by_alignment(), self.least_padding()?];
        let mut order = candidates.into_iter().min_by_key(|order| self.end(order))?;
        let mut is_minimal = self.footprint(self.end(&order)?)? <= least;
        if !is_minimal && let Some(exact) = ExactSearch::of(self).and_then(|mut search| search.order()) {
            (order, is_minimal) = (exact, true);
        }
        let size = self.footprint(self.end(&order)?)?;
        if size >= now {
            return None;
        }
        let order = self.near(size).unwrap_or(order);
        // The walk has the last word.
        let size = self.size_of(&order).filter(|size| *size < self.size())?;
        Some(FoundOrder { order, size, is_minimal })
    }

    fn members(&self) -> impl Iterator<Item = &MemberSlot> {
        self.slots.iter().filter(|slot| !slot.is_base)
    }

    fn slot(&self, member: usize) -> &MemberSlot {
        &self.slots[member + self.slots.len() - self.structure.members.len()]
    }

    /// The position after the base.
    fn cursor(&self) -> Option<Cursor<'_>> {
        let mut cursor = Cursor::new(&self.placement, self.declared.options.sixteen_bit);
        for base in self.slots.iter().filter(|slot| slot.is_base) {
            cursor.push(base).ok()?;
        }
        Some(cursor)
    }

    fn end(&self, order: &[usize]) -> Option<u32> {
        let mut cursor = self.cursor()?;
        for member in order {
            cursor.push(self.slot(*member)).ok()?;
        }
        Some(cursor.next())
    }

    /// Size, or stride of an element, of a struct whose members end here.
    fn footprint(&self, end: u32) -> Option<u32> {
        let LayoutInput { rules, options, .. } = self.declared;
        let walk = WalkState::new(self.kind, rules, options);
        let footprint = walk.struct_footprint(end, self.alignment, false, Level::Block).ok()?;
        match self.kind {
            BlockKind::StructuredElement => Some(ArrayFootprint::new(rules, footprint, 1).ok()?.stride),
            _ => Some(footprint.size),
        }
    }

    /// Largest alignment first, then largest size.
    fn by_alignment(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.structure.members.len()).collect();
        let weight = |member: &usize| {
            let slot = self.slot(*member);
            Reverse((slot.start().bytes(), slot.measured.layout.size.finite()))
        };
        order.sort_by_key(weight);
        order
    }

    /// At each step picks the member that leaves the fewest bytes free before it, and among equals
    /// the heaviest.
    fn least_padding(&self) -> Option<Vec<usize>> {
        let mut rest = self.by_alignment();
        let mut order = Vec::new();
        let mut cursor = self.cursor()?;
        while !rest.is_empty() {
            let mut best: Option<(u32, usize)> = None;
            for (index, member) in rest.iter().enumerate() {
                let hole = cursor.clone().push(self.slot(*member)).ok()? - cursor.next();
                if best.is_none_or(|(least, _)| hole < least) {
                    best = Some((hole, index));
                }
                if hole == 0 {
                    break;
                }
            }
            let (_, index) = best.expect("the loop ran, since there are members left");
            let member = rest.remove(index);
            cursor.push(self.slot(member)).ok()?;
            order.push(member);
        }
        Some(order)
    }

    /// An order of this size that moves few members of the declared one: each goes where a hole is.
    fn near(&self, size: u32) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.structure.members.len()).collect();
        let mut placed = 0;
        loop {
            let end = self.end(&order)?;
            if self.footprint(end)? <= size {
                return Some(order);
            }
            let holes = self.holes(&order)?;
            let mut best: Option<(u32, usize, Vec<usize>)> = None;
            for from in 0..order.len() {
                for to in holes.iter().copied().filter(|to| *to != from && *to != from + 1) {
                    placed += order.len();
                    if placed > MAX_PLACED {
                        return None;
                    }
                    let mut moved = order.clone();
                    let member = moved.remove(from);
                    moved.insert(if to > from { to - 1 } else { to }, member);
                    let end = self.end(&moved)?;
                    let far = from.abs_diff(to);
                    if best.as_ref().is_none_or(|(least, near, _)| (end, far) < (*least, *near)) {
                        best = Some((end, far, moved));
                    }
                }
            }
            let (least, _, moved) = best?;
            if least >= end {
                return None;
            }
            order = moved;
        }
    }

    /// The places in an order before which bytes are free, and its end.
    fn holes(&self, order: &[usize]) -> Option<Vec<usize>> {
        let mut cursor = self.cursor()?;
        let mut holes = Vec::new();
        for (place, member) in order.iter().enumerate() {
            let before = cursor.next();
            if cursor.push(self.slot(*member)).ok()? > before {
                holes.push(place);
            }
        }
        holes.push(order.len());
        Some(holes)
    }
}

/// Members that are alike for the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemberClass {
    size: u32,
    start: Alignment,
    whole: Option<u32>,
    precision: Precision,
    is_aggregate: bool,
}

impl MemberClass {
    fn of(slot: &MemberSlot) -> Self {
        let layout = &slot.measured.layout;
        Self {
            size: layout.size.finite().unwrap_or(0),
            start: slot.start(),
            whole: slot.measured.whole,
            precision: slot.precision,
            is_aggregate: matches!(layout.shape, LaidOutShape::Struct(_) | LaidOutShape::Array { .. }),
        }
    }
}

/// Finds an order with the earliest end: how many bytes the members that are left need depends only
/// on how many there are of each class, and on where in its row the next one starts.
struct ExactSearch<'a> {
    reordering: &'a Reordering<'a>,
    start: Cursor<'a>,
    /// Members of each class, in declaration order.
    classes: Vec<Vec<usize>>,
    /// Offsets that differ by this much are alike.
    period: u32,
    /// The fewest bytes for what is left, with the class of the first.
    known: HashMap<SearchState, (u32, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchState {
    left: Vec<u16>,
    next: u32,
    is_in_minimum_row: bool,
}

impl<'a> ExactSearch<'a> {
    /// `None` if the search would take too long.
    fn of(reordering: &'a Reordering<'a>) -> Option<Self> {
        let mut classes: Vec<(MemberClass, Vec<usize>)> = Vec::new();
        for member in 0..reordering.structure.members.len() {
            let class = MemberClass::of(reordering.slot(member));
            match classes.iter_mut().find(|(other, _)| *other == class) {
                Some((_, members)) => members.push(member),
                None => classes.push((class, vec![member])),
            }
        }
        let period = reordering.members().map(|slot| slot.start().bytes()).max()?.max(16);
        let finest = reordering.slots.iter().map(|slot| slot.start().bytes()).min()?.max(1);
        let classes: Vec<Vec<usize>> = classes.into_iter().map(|(_, members)| members).collect();
        let places = (period / finest) as usize;
        let states = classes.iter().try_fold(places, |states, class| states.checked_mul(class.len() + 1));
        states.filter(|states| *states <= MAX_STATES)?;
        let start = reordering.cursor()?;
        Some(Self { reordering, start, classes, period, known: HashMap::new() })
    }

    fn order(&mut self) -> Option<Vec<usize>> {
        let mut left: Vec<u16> =
            self.classes.iter().map(|class| u16::try_from(class.len()).ok()).collect::<Option<_>>()?;
        let mut cursor = self.start.clone();
        let mut order = Vec::new();
        while left.iter().any(|count| *count > 0) {
            let (_, class) = self.least(&mut left, &cursor)?;
            let members = &self.classes[class];
            let member = members[members.len() - usize::from(left[class])];
            cursor.push(self.reordering.slot(member)).ok()?;
            left[class] -= 1;
            order.push(member);
        }
        Some(order)
    }

    /// The fewest bytes for the members that are left, and the class of the first.
    fn least(&mut self, left: &mut Vec<u16>, cursor: &Cursor<'a>) -> Option<(u32, usize)> {
        let next = cursor.next() % self.period;
        let state = SearchState { left: left.clone(), next, is_in_minimum_row: cursor.is_in_minimum_row() };
        if let Some(known) = self.known.get(&state) {
            return Some(*known);
        }
        let here = cursor.at(next);
        let mut best: Option<(u32, usize)> = None;
        for class in 0..left.len() {
            if left[class] == 0 {
                continue;
            }
            let mut after = here.clone();
            after.push(self.reordering.slot(self.classes[class][0])).ok()?;
            left[class] -= 1;
            let rest = if left.iter().all(|count| *count == 0) { Some(0) } else { Some(self.least(left, &after)?.0) };
            left[class] += 1;
            let bytes = after.next() - next + rest?;
            if best.is_none_or(|(least, _)| bytes < least) {
                best = Some((bytes, class));
            }
        }
        let best = best?;
        self.known.insert(state, best);
        Some(best)
    }
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

fn collect_below(structure: &StructType, named: &mut BTreeMap<String, Arc<StructType>>) {
    if let Some(base) = &structure.base {
        collect(&Type::Struct(Arc::clone(base)), named);
    }
    for member in &structure.members {
        collect(&member.ty, named);
    }
}

/// True if something other than its type places a member of the struct, which then keeps its order.
pub fn has_fixed_members(structure: &StructType) -> bool {
    structure.members.iter().any(is_fixed)
}

/// True if something other than its type places the member.
fn is_fixed(member: &Member) -> bool {
    let Member { ty, bit_width, annotations, .. } = member;
    let explicit = annotations.packoffset.is_some() || annotations.vk_offset().is_some();
    let unbounded = ty.dimensions().1.contains(&Count::Unbounded);
    explicit || bit_width.is_some() || unbounded || annotations.constant_register().is_some()
}

/// The declaration that a layout belongs to, for files whose readers give layouts only. `None` if it
/// has bit-fields or members whose types it does not keep.
pub fn declared_type(layout: &LaidOut) -> Option<Type> {
    Some(match &layout.shape {
        LaidOutShape::Scalar(component) => Type::Scalar(component.scalar),
        LaidOutShape::Vector { component, length } => Type::vector(component.scalar, *length),
        LaidOutShape::Matrix { component, rows, columns, order, .. } => {
            Type::Matrix { scalar: component.scalar, rows: *rows, columns: *columns, order: Some(*order) }
        }
        LaidOutShape::Array { element, count, .. } => {
            Type::Array { element: Box::new(declared_type(element)?), count: *count }
        }
        LaidOutShape::Struct(members) => {
            let member = |member: &super::LaidOutMember| {
                let is_plain = !member.is_base && member.bits.is_none();
                Some(Member::new(member.name.as_str(), declared_type(&member.layout).filter(|_| is_plain)?))
            };
            let members: Option<Vec<Member>> = members.iter().map(member).collect();
            Type::from(StructType::new(layout.type_name.as_str(), members?))
        }
        // A number has the size and alignment of an address.
        LaidOutShape::Pointer { .. } if layout.size == Extent::Finite(8) => Type::Scalar(Scalar::Uint64),
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => return None,
    })
}
