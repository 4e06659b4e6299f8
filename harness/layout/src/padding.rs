//! Finds the padding of a laid-out block: the bytes that no scalar owns, for `layoutproof show --padding`.
//!
//! Each struct is listed once, with its own padding. The block's total counts a struct once for
//! each place where it occurs. [`super::reorder`] suggests an order of members that saves bytes.
//! All sizes and offsets are in bytes. Unused bits of a bit-field's unit are not padding.

use serde::Serialize;

use super::reorder::{self, LayoutInput, MemberOrder};
use super::tree::{BlockLayout, LaidOut, LaidOutMember, LaidOutShape};
use crate::BlockKind;
use crate::shape::Count;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockPadding {
    /// Rule set, dialect included.
    pub rules: String,
    pub block: String,
    pub kind: BlockKind,
    /// Bytes of the block; for a structured buffer, its stride.
    pub size: u32,
    /// Bytes that no scalar owns.
    pub padding: u32,
    /// Share of padding in percent, rounded to the nearest whole number.
    pub percent: u32,
    /// Structs that have padding themselves, the block first.
    pub structs: Vec<PaddedStruct>,
}

/// Padding of one struct, without the padding inside its members' structs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PaddedStruct {
    /// The path of its first occurrence in the block; empty for the block itself.
    pub path: String,
    /// HLSL spelling.
    #[serde(rename = "type")]
    pub type_name: String,
    pub size: u32,
    pub holes: Vec<Hole>,
    /// A better order of its members, if one is known.
    pub better: Option<MemberOrder>,
}

/// A run of bytes that no scalar owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hole {
    pub kind: HoleKind,
    /// The member before, inside or after which the hole lies; empty if the block is not a struct.
    pub member: String,
    /// First byte, from the start of the struct; for a hole inside a member, the first byte of that
    /// member.
    pub offset: u32,
    /// Length in bytes.
    pub size: u32,
}

impl Hole {
    /// True if the hole lies between the elements or vectors of a member.
    pub fn is_inside(&self) -> bool {
        self.kind == HoleKind::Inside
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoleKind {
    Before,
    /// Inside a member: between the elements of an array or the vectors of a matrix.
    Inside,
    /// After the last member.
    Tail,
}

/// Finds the padding of a block; `None` if its rule set forbids the block or it has no fixed size.
pub fn padding(layout: &BlockLayout, declared: Option<LayoutInput<'_>>) -> Option<BlockPadding> {
    let root = layout.result.as_ref().ok()?;
    let own = root.size.finite()?;
    let size = layout.stride.unwrap_or(own).max(own);

    let mut found = PaddingCollector { structs: Vec::new(), seen: Vec::new() };
    found.block(root, size);
    if let Some(declared) = declared {
        for padded in &mut found.structs {
            padded.better = reorder::better(declared, &padded.path, &padded.type_name);
        }
    }

    let padding = waste(root).saturating_add(u64::from(size - own));
    let percent = (padding * 100 + u64::from(size) / 2).checked_div(u64::from(size)).unwrap_or(0);
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);

    Some(BlockPadding {
        rules: layout.rules.clone(),
        block: layout.name.clone(),
        kind: layout.kind,
        size,
        padding: number(padding),
        percent: number(percent),
        structs: found.structs,
    })
}

#[derive(Debug)]
struct PaddingCollector<'a> {
    structs: Vec<PaddedStruct>,
    seen: Vec<&'a LaidOut>,
}

impl<'a> PaddingCollector<'a> {
    fn block(&mut self, root: &'a LaidOut, size: u32) {
        match &root.shape {
            LaidOutShape::Struct(members) => self.structure("", root, members, size),
            _ => self.element(root, size),
        }
    }

    /// Handles a block that is not a struct: its own padding, and that of the structs inside it.
    fn element(&mut self, root: &'a LaidOut, size: u32) {
        let own = root.size.finite().unwrap_or(size);
        let mut holes = Vec::new();
        holes.extend(hole(HoleKind::Inside, "", 0..between(root)));
        holes.extend(hole(HoleKind::Tail, "", own..size));

        self.add("", root, holes, size);
        self.below("", root);
    }

    fn structure(&mut self, path: &str, layout: &'a LaidOut, members: &'a [LaidOutMember], size: u32) {
        if self.seen.contains(&layout) {
            return;
        }
        self.seen.push(layout);

        self.add(path, layout, holes(members, size), size);
        for member in members {
            let name = if member.is_base { "" } else { &member.name };
            self.below(&super::views::join(path, name), &member.layout);
        }
    }

    fn add(&mut self, path: &str, layout: &LaidOut, holes: Vec<Hole>, size: u32) {
        if !holes.is_empty() {
            let (path, type_name) = (path.to_owned(), layout.type_name.clone());
            self.structs.push(PaddedStruct { path, type_name, size, holes, better: None });
        }
    }

    /// Visits the structs that a member is or holds.
    fn below(&mut self, path: &str, layout: &'a LaidOut) {
        match &layout.shape {
            LaidOutShape::Struct(members) => {
                if let Some(size) = layout.size.finite() {
                    self.structure(path, layout, members, size);
                }
            }
            LaidOutShape::Array { element, .. } => self.below(&format!("{path}[]"), element),
            _ => {}
        }
    }
}

/// The holes of a struct of `size` bytes, without those inside its members' structs.
fn holes(members: &[LaidOutMember], size: u32) -> Vec<Hole> {
    let mut ordered: Vec<&LaidOutMember> = members.iter().filter(|member| !is_empty(&member.layout)).collect();
    ordered.sort_by_key(|member| member.offset);

    let mut found = Vec::new();
    let mut end = 0;
    let mut last = "";
    for (index, member) in ordered.iter().enumerate() {
        let name = if member.is_base { &member.layout.type_name } else { &member.name };
        found.extend(hole(HoleKind::Before, name, end..member.offset));
        let inside = between(&member.layout).saturating_sub(filled(&ordered, index));
        found.extend(hole(HoleKind::Inside, name, member.offset..member.offset.saturating_add(inside)));
        end = end.max(member.offset.saturating_add(member.layout.size.finite().unwrap_or(0)));
        last = name;
    }

    found.extend(hole(HoleKind::Tail, last, end..size));
    found
}

/// The bytes of other members that stand between the elements or vectors of one, by the order of their offsets.
fn filled(ordered: &[&LaidOutMember], index: usize) -> u32 {
    let ranges = |member: &LaidOutMember| member.layout.data_ranges(member.offset.into());
    let own = ordered[index];
    let end = own.offset.saturating_add(own.layout.size.finite().unwrap_or(0));
    let inside = ordered[index + 1..].iter().take_while(|other| other.offset < end);
    let inside = inside.flat_map(|other| ranges(other)).filter(|other| other.start < end.into());
    let is_free =
        |other: &std::ops::Range<u64>| ranges(own).iter().all(|own| own.end <= other.start || other.end <= own.start);
    let bytes = inside.filter(is_free).map(|other| other.end.min(end.into()) - other.start).sum::<u64>();
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn hole(kind: HoleKind, member: &str, bytes: std::ops::Range<u32>) -> Option<Hole> {
    let size = bytes.end.checked_sub(bytes.start).filter(|size| *size > 0)?;
    Some(Hole { kind, member: member.to_owned(), offset: bytes.start, size })
}

fn is_empty(layout: &LaidOut) -> bool {
    layout.size.finite() == Some(0)
}

/// Bytes inside a type that no element, vector or scalar owns; structs inside it count as owned.
fn between(layout: &LaidOut) -> u32 {
    let Some(size) = layout.size.finite() else { return 0 };

    let owned = match &layout.shape {
        LaidOutShape::Scalar(component) => component.size,
        LaidOutShape::Vector { component, length } => component.size * length,
        LaidOutShape::Matrix { component, rows, columns, .. } => component.size * rows * columns,
        LaidOutShape::Array { element, count: Count::Finite(count), .. } => {
            let element = element.size.finite().unwrap_or(0).saturating_sub(between(element));
            count.saturating_mul(element)
        }
        LaidOutShape::Array { count: Count::Unbounded, .. }
        | LaidOutShape::Struct(_)
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => size,
    };

    size.saturating_sub(owned)
}

/// All bytes of a type that no scalar owns, structs included.
fn waste(layout: &LaidOut) -> u64 {
    let inside = u64::from(between(layout));
    inside.saturating_add(structs_in(layout))
}

/// Bytes lost in the structs that a type is or holds.
fn structs_in(layout: &LaidOut) -> u64 {
    match &layout.shape {
        LaidOutShape::Struct(members) => {
            let holes = holes(members, layout.size.finite().unwrap_or(0));
            let own = holes.iter().map(|hole| u64::from(hole.size)).sum();
            members.iter().map(|member| structs_in(&member.layout)).fold(own, u64::saturating_add)
        }
        LaidOutShape::Array { element, count: Count::Finite(count), .. } => {
            structs_in(element).saturating_mul(u64::from(*count))
        }
        _ => 0,
    }
}
