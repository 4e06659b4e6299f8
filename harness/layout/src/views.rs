//! The two flat views of a laid-out block: a row per member, and the leaves.
//!
//! Rows are the lines of `show` and the names in expectations; probes read and write leaves.
//! Offsets in both are absolute in the block, in bytes.

use std::collections::BTreeSet;

use super::tree::{
    BlockLayout, Component, LaidOut, LaidOutMember, LaidOutShape, LayoutWarning, LayoutWarningKind, Leaf, LeafStep,
    MemberRow,
};
use crate::shape::{Count, MatrixOrder};

/// [`BlockLayout::leaves`] returns at most this many leaves.
pub const MAX_LEAVES: usize = 1 << 16;

/// The number of elements of an unsized array that become leaves. Buffer images have room for this
/// many.
pub const UNSIZED_ELEMENTS: u32 = 2;

/// Selects the array elements that become leaves, in every dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementChoice {
    /// The first, second, middle and last element. The first two show the start and the stride of
    /// an array, the last its end, and the middle that the stride is constant.
    Sample,
    Every,
}

impl ElementChoice {
    /// The selected indices of an array of `count` elements, in ascending order, at most
    /// [`MAX_LEAVES`]. The middle of an even number is the first element of the second half.
    pub fn indices(self, count: u32) -> Vec<u32> {
        match self {
            Self::Every => (0..count).take(MAX_LEAVES).collect(),
            Self::Sample => {
                let chosen: BTreeSet<u32> = [0, 1, count / 2, count.saturating_sub(1)].into();
                chosen.into_iter().filter(|index| *index < count).collect()
            }
        }
    }
}

impl BlockLayout {
    /// A row per member of every struct level, in declaration order, parents before children; empty for a refused block.
    ///
    /// An array of structs has its own row, then its members once, under `lights[]`. A block whose element is not a struct
    /// has one row with an empty path. Resources, base structs and unnamed bit-fields have no row; the members of a base
    /// do.
    pub fn rows(&self) -> Vec<MemberRow> {
        let mut rows = Vec::new();
        if let Ok(root) = &self.result {
            match &root.shape {
                LaidOutShape::Struct(members) => push_members(&mut rows, "", 0, members),
                _ => push_row(&mut rows, PathOffset { path: String::new(), offset: 0 }, root),
            }
        }
        for warning in &self.warnings {
            mark_uncertain(&mut rows, warning);
        }
        rows
    }

    /// The scalar components in declaration order, at most [`MAX_LEAVES`]; empty for a refused block.
    ///
    /// Bit-fields and pointers are not leaves. An unsized array contributes its elements 0 and 1. A matrix contributes its
    /// cells row by row.
    pub fn leaves(&self) -> Vec<Leaf> {
        self.leaves_in(ElementChoice::Every)
    }

    /// The leaves in the chosen elements of arrays, in declaration order, at most [`MAX_LEAVES`].
    pub fn leaves_in(&self, elements: ElementChoice) -> Vec<Leaf> {
        let mut leaves = Leaves { elements, found: Vec::new(), steps: Vec::new() };
        if let Ok(root) = &self.result {
            leaves.visit(&PathOffset { path: String::new(), offset: 0 }, root);
        }
        leaves.found
    }

    /// The path of the leaf that owns the byte at `offset`, the first in declaration order; `None`
    /// for padding. An unsized array has its elements 0 and 1.
    pub fn leaf_path_at(&self, offset: u32) -> Option<String> {
        path_at(&PathOffset { path: String::new(), offset: 0 }, self.result.as_ref().ok()?, offset)
    }

    /// The number of leaves of the block, not capped at [`MAX_LEAVES`].
    pub fn leaf_count(&self) -> u64 {
        self.result.as_ref().map_or(0, leaf_count)
    }
}

/// A member's path below `parent`; a base struct, which has no name, adds nothing.
pub(super) fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() || name.is_empty() { format!("{parent}{name}") } else { format!("{parent}.{name}") }
}

/// A path with its absolute offset in bytes.
#[derive(Clone, Debug)]
struct PathOffset {
    path: String,
    offset: u32,
}

impl PathOffset {
    fn member(&self, name: &str, offset: u32) -> Self {
        Self { path: join(&self.path, name), offset: self.offset + offset }
    }

    /// The place of an element in brackets; `None` if it starts beyond 2^32.
    fn index(&self, index: &str, offset: Option<u32>) -> Option<Self> {
        Some(Self { path: format!("{}{index}", self.path), offset: self.offset.checked_add(offset?)? })
    }
}

/// Marks the rows that a warning makes uncertain: what has an unknown decoration and what is in it; or a value of uncertain
/// size, what holds it, and what comes after it.
fn mark_uncertain(rows: &mut [MemberRow], warning: &LayoutWarning) {
    let is_in = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let value = rows.iter().rposition(|row| is_in(&warning.path, &row.path));
    for (index, row) in rows.iter_mut().enumerate() {
        let is_reached = match warning.kind {
            LayoutWarningKind::UnknownDecoration
            | LayoutWarningKind::LayoutOfDriver
            | LayoutWarningKind::OtherSteps => is_in(&row.path, &warning.path),
            LayoutWarningKind::UncertainValue => {
                is_in(&warning.path, &row.path) || value.is_some_and(|value| index > value)
            }
            LayoutWarningKind::Ignored
            | LayoutWarningKind::OffsetOverlap
            | LayoutWarningKind::BrokenAlignment
            | LayoutWarningKind::NeedsFeature => false,
        };
        if is_reached {
            row.uncertain.get_or_insert_with(|| warning.message.clone());
        }
    }
}

fn push_members(rows: &mut Vec<MemberRow>, parent: &str, base: u32, members: &[LaidOutMember]) {
    let parent = PathOffset { path: parent.to_owned(), offset: base };
    for LaidOutMember { name, is_base, offset, bits, layout } in members {
        let place = parent.member(name, *offset);

        match (&layout.shape, bits) {
            (LaidOutShape::Struct(members), _) if *is_base => push_members(rows, &parent.path, place.offset, members),
            (_, None) => push_row(rows, place, layout),
            (_, Some(_)) if name.is_empty() => {}
            (_, Some(bits)) => {
                let row =
                    MemberRow { bit_offset: Some(bits.offset), bit_width: Some(bits.width), ..row(place, layout) };
                rows.push(row);
            }
        }
    }
}

/// The row of a member that is not a bit-field, and the rows below it.
fn push_row(rows: &mut Vec<MemberRow>, place: PathOffset, layout: &LaidOut) {
    let (element, dimensions) = dimensions(layout);
    let path = format!("{}{}", place.path, "[]".repeat(dimensions));
    let offset = place.offset;

    match &element.shape {
        LaidOutShape::Resource => {}
        LaidOutShape::Struct(members) => {
            rows.push(row(place, layout));
            push_members(rows, &path, offset, members);
        }
        _ => rows.push(row(place, layout)),
    }
}

/// The innermost element that is not an array, and the number of array dimensions.
fn dimensions(layout: &LaidOut) -> (&LaidOut, usize) {
    let mut element = layout;
    let mut dimensions = 0;
    while let LaidOutShape::Array { element: inner, .. } = &element.shape {
        element = inner;
        dimensions += 1;
    }
    (element, dimensions)
}

impl LaidOut {
    /// True for a resource or an array of resources.
    pub fn is_resource(&self) -> bool {
        dimensions(self).0.shape == LaidOutShape::Resource
    }
}

fn array_strides(layout: &LaidOut) -> Vec<u32> {
    let mut strides = Vec::new();
    let mut shape = &layout.shape;
    while let LaidOutShape::Array { element, stride, .. } = shape {
        strides.push(*stride);
        shape = &element.shape;
    }
    strides
}

fn row(place: PathOffset, layout: &LaidOut) -> MemberRow {
    let strides = array_strides(layout);
    let matrix = matrix_of(layout);

    MemberRow {
        path: place.path,
        type_name: layout.type_name.clone(),
        offset: place.offset,
        size: layout.size.finite(),
        unbounded: layout.size.finite().is_none(),
        alignment: layout.alignment,
        array_stride: strides.first().copied(),
        array_strides: if strides.len() > 1 { strides } else { Vec::new() },
        matrix_stride: matrix.and_then(|(_, stride)| stride),
        matrix_order: matrix.map(|(order, _)| order),
        bit_offset: None,
        bit_width: None,
        uncertain: None,
    }
}

/// The order and the stride of a matrix or of an array of matrices; no stride for a matrix of one vector.
fn matrix_of(layout: &LaidOut) -> Option<(MatrixOrder, Option<u32>)> {
    let LaidOutShape::Matrix { rows, columns, order, stride, .. } = dimensions(layout).0.shape else { return None };
    let vectors = order.vectors_and_length(rows, columns).0;
    Some((order, (vectors != 1).then_some(stride)))
}

#[derive(Debug)]
struct Leaves {
    elements: ElementChoice,
    found: Vec<Leaf>,
    steps: Vec<LeafStep>,
}

impl Leaves {
    fn visit(&mut self, place: &PathOffset, layout: &LaidOut) {
        match &layout.shape {
            LaidOutShape::Scalar(component) => self.push(place.clone(), *component),
            LaidOutShape::Vector { component, length } => self.visit_vector(place, *component, *length),
            LaidOutShape::Matrix { .. } => self.visit_matrix(place, &layout.shape),
            LaidOutShape::Array { element, count, stride } => self.visit_array(place, element, *count, *stride),
            LaidOutShape::Struct(members) => self.visit_struct(place, members),
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => {}
        }
    }

    fn visit_array(&mut self, place: &PathOffset, element: &LaidOut, count: Count, stride: u32) {
        // Skip elements without leaves, however many there are.
        let count = if leaf_count(element) == 0 { 0 } else { elements(count) };

        for index in self.elements.indices(count) {
            let Some(place) = place.index(&format!("[{index}]"), stride.checked_mul(index)) else { return };
            if !self.step(LeafStep::Element(index), |leaves| leaves.visit(&place, element)) {
                return;
            }
        }
    }

    fn visit_struct(&mut self, place: &PathOffset, members: &[LaidOutMember]) {
        for (index, member) in (0..).zip(members).filter(|(_, member)| member.bits.is_none()) {
            let place = place.member(&member.name, member.offset);
            self.step(LeafStep::Member(index), |leaves| leaves.visit(&place, &member.layout));
        }
    }

    fn visit_vector(&mut self, place: &PathOffset, component: Component, length: u32) {
        for (index, name) in (0..length).zip(["x", "y", "z", "w"]) {
            let place = place.member(name, index * component.size);
            self.step(LeafStep::Component(index), |leaves| leaves.push(place, component));
        }
    }

    fn visit_matrix(&mut self, place: &PathOffset, matrix: &LaidOutShape) {
        let LaidOutShape::Matrix { component, rows, columns, order, stride } = matrix else { return };
        for (row, column) in (0..*rows).flat_map(|row| (0..*columns).map(move |column| (row, column))) {
            let (vector, element) = order.vector_and_element(row, column);
            let place = PathOffset {
                path: format!("{}[{row}][{column}]", place.path),
                offset: place.offset + vector * stride + element * component.size,
            };
            self.step(LeafStep::Cell { row, column }, |leaves| leaves.push(place, *component));
        }
    }

    /// Visits one step down; returns `false` once the collection is full.
    fn step(&mut self, step: LeafStep, visit: impl FnOnce(&mut Self)) -> bool {
        self.steps.push(step);
        visit(self);
        self.steps.pop();
        self.found.len() < MAX_LEAVES
    }

    fn push(&mut self, place: PathOffset, component: Component) {
        if self.found.len() < MAX_LEAVES {
            let PathOffset { path, offset } = place;
            self.found.push(Leaf { path, steps: self.steps.clone(), component, offset });
        }
    }
}

/// The path of the leaf that owns the byte at `offset` of the block. `layout` is at `place`.
fn path_at(place: &PathOffset, layout: &LaidOut, offset: u32) -> Option<String> {
    let distance = offset.checked_sub(place.offset)?;
    match &layout.shape {
        LaidOutShape::Scalar(component) => (distance < component.size).then(|| place.path.clone()),
        LaidOutShape::Vector { component, length } => {
            let index = distance.checked_div(component.size).filter(|index| index < length)?;
            let name = ["x", "y", "z", "w"].get(index as usize)?;
            Some(join(&place.path, name))
        }
        LaidOutShape::Matrix { component, rows, columns, order, stride } => {
            let (vectors, length) = order.vectors_and_length(*rows, *columns);
            // A matrix of one vector may have no stride.
            let vector = distance.checked_div(*stride).unwrap_or(0).min(vectors.saturating_sub(1));
            let element = (distance - vector * stride).checked_div(component.size).filter(|it| *it < length)?;
            let (row, column) = order.row_and_column(vector, element);
            Some(format!("{}[{row}][{column}]", place.path))
        }
        LaidOutShape::Array { element, count, stride } => {
            let index = distance.checked_div(*stride).unwrap_or(0).min(elements(*count).checked_sub(1)?);
            path_at(&place.index(&format!("[{index}]"), stride.checked_mul(index))?, element, offset)
        }
        LaidOutShape::Struct(members) => {
            let mut members = members.iter().filter(|member| member.bits.is_none());
            members.find_map(|member| path_at(&place.member(&member.name, member.offset), &member.layout, offset))
        }
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => None,
    }
}

fn elements(count: Count) -> u32 {
    match count {
        Count::Finite(count) => count,
        Count::Unbounded => UNSIZED_ELEMENTS,
    }
}

fn leaf_count(layout: &LaidOut) -> u64 {
    match &layout.shape {
        LaidOutShape::Scalar(_) => 1,
        LaidOutShape::Vector { length, .. } => u64::from(*length),
        LaidOutShape::Matrix { rows, columns, .. } => u64::from(rows * columns),
        LaidOutShape::Array { element, count, .. } => leaf_count(element).saturating_mul(elements(*count).into()),
        LaidOutShape::Struct(members) => {
            let counted = members.iter().filter(|member| member.bits.is_none());
            counted.map(|member| leaf_count(&member.layout)).fold(0, u64::saturating_add)
        }
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => 0,
    }
}
