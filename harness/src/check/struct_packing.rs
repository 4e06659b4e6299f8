//! The places of members after spirv-opt's `--struct-packing`, which moves the members of each struct and leaves the strides
//! of their arrays and matrices.
//!
//! Its alignments and sizes are no rule set: a matrix has as many vectors as one of its vectors has components, and a struct
//! no padding at its end. Members after a matrix stay where they are, because other decorations come between their offsets.
//!
//! Source: SPIRV-Tools 2026.4, `source/opt/struct_packing_pass.cpp`.

use std::collections::BTreeSet;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{
    BlockLayout, Component, LaidOut, LaidOutMember, LaidOutShape, Leaf, LeafStep, RuleSet, find, lay_out,
};
use layoutproof_probes::{Tail, elements, is_array_of_elements, tail};

use crate::check::relaid::{declared, paths_of};
use crate::check::subject::Subject;

/// The name of this packing in lists and records, next to those of rule sets.
pub(crate) const STRUCT_PACKING: &str = "struct-packing";

/// The words for the rules of an option.
pub(super) fn packing_rule(rules: &str) -> Option<&'static str> {
    match rules {
        "std140" => Some("std140"),
        "std430" => Some("std430"),
        "scalar" => Some("scalar"),
        "hlsl-cbuffer" => Some("hlslCbuffer"),
        _ => None,
    }
}

/// The rule set of the module that is packed by the rules of this name.
pub(super) fn unpacked_rules(rules: &str) -> Option<&'static RuleSet> {
    find(if rules == "std140" { "scalar" } else { "std140" })
}

/// A block in the module that is packed by the rules of the subject.
pub(super) fn unpacked(subject: &Subject, layout: &BlockLayout) -> Option<BlockLayout> {
    let declared = subject.declaration(layout.view)?;
    let unpacked = lay_out(declared, unpacked_rules(subject.rules)?, subject.source.options);
    if is_array_of_elements(layout) { elements(&unpacked) } else { Some(unpacked) }
}

/// A block of a module that is packed by one of those rules.
pub(super) struct StructPacking<'a> {
    original: &'a LaidOut,
    kept: BTreeSet<Vec<u32>>,
    is_scalar: bool,
    is_hlsl: bool,
    /// True if arrays and structs are aligned to 16 bytes.
    is_padded: bool,
}

impl<'a> StructPacking<'a> {
    pub(super) fn new(original: &'a LaidOut, leaves: &[Leaf], rules: &str) -> Self {
        let is_hlsl = rules == "hlsl-cbuffer";
        let (is_scalar, is_padded) = (rules == "scalar", is_hlsl || rules == "std140");
        Self { original, kept: paths_of(leaves), is_scalar, is_hlsl, is_padded }
    }

    /// Bytes from the start of the block to a leaf.
    pub(super) fn offset(&self, leaf: &Leaf) -> Option<u32> {
        let (mut part, mut path, mut offset) = (self.original, Vec::new(), 0);
        for step in &leaf.steps {
            match (&part.shape, step) {
                (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
                    let placed = self.placed(members, &path);
                    offset += placed.iter().find(|(placed, _)| placed == index)?.1;
                    path.push(*index);
                    part = &members.get(*index as usize)?.layout;
                }
                (LaidOutShape::Array { element, stride, .. }, LeafStep::Element(index)) => {
                    offset += stride.checked_mul(*index)?;
                    part = element;
                }
                (LaidOutShape::Matrix { component, order, stride, .. }, LeafStep::Cell { row, column }) => {
                    let (vector, place) = order.vector_and_element(*row, *column);
                    offset += stride.checked_mul(vector)? + place * component.size;
                }
                (LaidOutShape::Vector { component, .. }, LeafStep::Component(index)) => {
                    offset += index * component.size;
                }
                _ => return None,
            }
        }
        Some(offset)
    }

    /// The array without a length that ends the block: its member's name unless it is the block, the bytes before it, and
    /// those from one of its elements to the next.
    pub(super) fn tail(&self) -> Option<(Option<String>, u32, u32)> {
        let Tail { member, stride, .. } = tail(self.original)?;
        let LaidOutShape::Struct(members) = &self.original.shape else { return Some((None, 0, stride)) };
        let (name, last) = member?;
        let placed = self.placed(members, &[]);
        Some((Some(name), placed.iter().find(|(index, _)| *index == last)?.1, stride))
    }

    /// The declared members of a struct with their new offsets.
    fn placed(&self, members: &[LaidOutMember], path: &[u32]) -> Vec<(u32, u32)> {
        let declared = declared(members, path, &self.kept);
        let first_matrix = declared.iter().position(|(_, member)| holds_matrix(&member.layout));
        let moved = first_matrix.map_or(declared.len(), |place| place + 1);
        let staying = declared[moved..].iter().map(|(index, member)| (*index, member.offset));
        self.packed(&declared[..moved], path, self.is_hlsl).into_iter().chain(staying).collect()
    }

    /// The offsets of members that follow one another. None crosses a register if `fits_registers`.
    fn packed(&self, declared: &[(u32, &LaidOutMember)], path: &[u32], fits_registers: bool) -> Vec<(u32, u32)> {
        let (mut end, mut least) = (0_u32, 1);
        let mut packed = Vec::new();
        for (index, member) in declared {
            let path = [path, &[*index]].concat();
            let size = self.size(&member.layout, &path);
            let own = self.alignment(&member.layout, &path);
            let crosses = fits_registers && size > 0 && end / 16 != (end + size - 1) / 16;
            let offset = end.next_multiple_of(own.max(if crosses { 16 } else { 1 }).max(least));
            // What follows a struct has at least its alignment.
            least = if matches!(member.layout.shape, LaidOutShape::Struct(_)) { own } else { 1 };
            end = offset + size;
            packed.push((*index, offset));
        }
        packed
    }

    fn alignment(&self, part: &LaidOut, path: &[u32]) -> u32 {
        let padded = if self.is_padded { 16 } else { 1 };
        match &part.shape {
            LaidOutShape::Scalar(component) => component.size,
            LaidOutShape::Vector { component, length } => self.alignment_of_vector(*component, *length),
            LaidOutShape::Matrix { component, rows, columns, order, .. } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                match (is_matrix(*component, *rows, *columns), vectors) {
                    (true, _) if self.is_scalar => component.size,
                    (true, _) if self.is_padded => component.size * 4,
                    (true, _) => component.size * if *columns == 3 { 4 } else { *columns },
                    (false, 1) => self.alignment_of_vector(*component, length),
                    (false, _) => padded.max(self.alignment_of_vector(*component, length)),
                }
            }
            LaidOutShape::Array { element, count: Count::Finite(_), .. } => padded.max(self.alignment(element, path)),
            LaidOutShape::Struct(members) => {
                let members = declared(members, path, &self.kept).into_iter();
                let of =
                    |(index, member): (u32, &LaidOutMember)| self.alignment(&member.layout, &[path, &[index]].concat());
                members.map(of).max().unwrap_or(1).max(padded)
            }
            // An array without a length ends the block.
            LaidOutShape::Array { count: Count::Unbounded, .. }
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => 1,
        }
    }

    fn alignment_of_vector(&self, component: Component, length: u32) -> u32 {
        match length {
            _ if self.is_scalar => component.size,
            3 => component.size * 4,
            _ => component.size * length,
        }
    }

    fn size(&self, part: &LaidOut, path: &[u32]) -> u32 {
        match &part.shape {
            LaidOutShape::Scalar(component) => component.size,
            LaidOutShape::Vector { component, length } => component.size * length,
            LaidOutShape::Matrix { component, rows, columns, order, .. } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                match (is_matrix(*component, *rows, *columns), vectors) {
                    (true, _) if self.is_scalar => component.size * rows,
                    (true, _) => {
                        let vector = if self.is_padded || *columns == 3 { 4 } else { *columns };
                        let unused = if self.is_hlsl { (4 - rows) * component.size } else { 0 };
                        rows * component.size * vector - unused
                    }
                    (false, 1) => component.size * length,
                    (false, _) => {
                        let alignment = self.alignment(part, path);
                        self.size_of_array(
                            (component.size * length).next_multiple_of(alignment),
                            vectors,
                            *component,
                            length,
                        )
                    }
                }
            }
            LaidOutShape::Array { element, count: Count::Finite(count), .. } => {
                let stride = self.size(element, path).next_multiple_of(self.alignment(part, path));
                let (component, length) = match &element.shape {
                    LaidOutShape::Scalar(component) => (*component, 1),
                    LaidOutShape::Vector { component, length } => (*component, *length),
                    LaidOutShape::Matrix { component, rows, .. } => (*component, *rows),
                    _ => return stride * count,
                };
                self.size_of_array(stride, *count, component, length)
            }
            LaidOutShape::Struct(members) => {
                // The size counts members as if registers had no ends.
                let placed = self.packed(&declared(members, path, &self.kept), path, false);
                let end = |(index, offset): &(u32, u32)| {
                    let member = &members[*index as usize].layout;
                    offset + self.size(member, &[path, &[*index]].concat())
                };
                placed.last().map_or(0, end)
            }
            LaidOutShape::Array { count: Count::Unbounded, .. }
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => 0,
        }
    }

    /// Under HLSL's rules the last element leaves what it does not need of a register.
    fn size_of_array(&self, stride: u32, count: u32, component: Component, length: u32) -> u32 {
        let unused = if self.is_hlsl { (4_u32.saturating_sub(length)) * component.size } else { 0 };
        (stride * count).saturating_sub(unused)
    }
}

fn holds_matrix(part: &LaidOut) -> bool {
    match &part.shape {
        LaidOutShape::Matrix { component, rows, columns, .. } => is_matrix(*component, *rows, *columns),
        LaidOutShape::Array { element, .. } => holds_matrix(element),
        _ => false,
    }
}

/// True if a module has a matrix type for it, and not an array of vectors.
fn is_matrix(component: Component, rows: u32, columns: u32) -> bool {
    component.scalar.is_float() && rows > 1 && columns > 1
}
