//! What a case or a layout says about a path, in one form so that the two can be compared.
//!
//! A case pins members, strides and sizes; a probe asks about scalar components. What follows from pinned numbers by
//! plain arithmetic (element 2 lies two strides behind element 0, component y one component behind x) is filled in
//! here, and nothing else: where an expectation pins too little, it says nothing about a leaf.

use std::collections::BTreeMap;

use crate::case::file::Expectation;
use crate::diagnostics::{Code, Diagnostic};
use crate::layout::{BlockLayout, Component, Leaf, LeafStep, MemberRow};
use crate::record::What;

/// Numbers in bytes by what they measure and the path, block name first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    exact: BTreeMap<(What, String), u32>,
}

impl Numbers {
    /// What an expectation pins.
    pub fn of_expectation(expectation: &Expectation) -> Self {
        let pinned = expectation.entries.iter().map(|entry| ((entry.what, entry.path.clone()), entry.value));
        Self { exact: pinned.collect() }
    }

    /// What a compiler reports of a block: its size, and the offset of each path in it.
    pub fn of_report(block: &str, size: u32, members: &[(String, u32)]) -> Self {
        let mut numbers = Self::default();
        numbers.add(What::Size, block, Some(size));
        for (path, offset) in members {
            numbers.add(What::Offset, &join(block, path), Some(*offset));
        }
        numbers
    }

    /// The same of a structured buffer, whose element's size is the distance to the next one.
    #[must_use]
    pub fn of_elements(mut self, block: &str) -> Self {
        let stride = self.get(What::Size, block);
        self.add(What::ArrayStride, block, stride);
        self
    }

    /// What laid-out blocks say; refused blocks say nothing.
    pub fn of_layouts(layouts: &[BlockLayout]) -> Self {
        let mut numbers = Self::default();
        for layout in layouts {
            numbers.add_block(layout);
        }
        numbers
    }

    fn add_block(&mut self, layout: &BlockLayout) {
        let Ok(root) = &layout.result else { return };
        let block = &layout.name;
        self.add(What::Size, block, root.size.finite());
        self.add(What::Alignment, block, Some(root.alignment));
        self.add(What::ArrayStride, block, layout.stride);
        for leaf in layout.leaves() {
            self.add(What::Offset, &join(block, &leaf.path), Some(leaf.offset));
        }
        for row in layout.rows() {
            self.add_row(&join(block, &row.path), &row);
        }
    }

    fn add_row(&mut self, path: &str, row: &MemberRow) {
        self.add(What::Offset, path, Some(row.offset));
        if !row.path.is_empty() {
            self.add(What::Size, path, row.size);
            self.add(What::Alignment, path, Some(row.alignment));
        }
        let dimensions = row.array_strides.len().max(usize::from(row.array_stride.is_some()));
        self.add(What::MatrixStride, &format!("{path}{}", "[]".repeat(dimensions)), row.matrix_stride);
        self.add(What::ArrayStride, path, row.array_stride);
        for (dimension, stride) in row.array_strides.iter().enumerate() {
            self.add(What::ArrayStride, &format!("{path}{}", "[]".repeat(dimension)), Some(*stride));
        }
    }

    /// Adds a number, if there is one.
    pub(crate) fn add(&mut self, what: What, path: &str, value: Option<u32>) {
        if let Some(value) = value {
            self.exact.insert((what, path.to_owned()), value);
        }
    }

    /// The number of exactly this path, or for an offset what follows from the strides of the arrays on the way; `[]`
    /// stands for element 0 there.
    pub fn get(&self, what: What, path: &str) -> Option<u32> {
        let offset = || self.exact(what, &path.replace("[]", "[0]")).or_else(|| self.element_offset(path));
        self.exact(what, path).or_else(|| (what == What::Offset).then(offset).flatten())
    }

    fn exact(&self, what: What, path: &str) -> Option<u32> {
        self.exact.get(&(what, path.to_owned())).copied()
    }

    /// `S.b[2].c[1]`: the offset of `S.b[].c` plus two strides of `S.b` plus one of `S.b[].c`.
    fn element_offset(&self, path: &str) -> Option<u32> {
        let mut generic = String::new();
        let mut distance = 0_u32;
        let mut rest = path;
        while let Some(open) = rest.find('[') {
            let close = open + rest[open..].find(']')?;
            generic += &rest[..open];
            let index = rest[open + 1..close].parse::<u32>().unwrap_or(0);
            if index > 0 {
                let stride = self.exact(What::ArrayStride, &generic)?;
                distance = distance.checked_add(stride.checked_mul(index)?)?;
            }
            generic += "[]";
            rest = &rest[close + 1..];
        }
        generic += rest;
        let base = self.exact(What::Offset, generic.trim_end_matches("[]"))?;
        base.checked_add(distance)
    }

    /// The offset of a leaf of `block`.
    pub fn leaf_offset(&self, block: &str, leaf: &Leaf) -> Option<u32> {
        let path = join(block, &leaf.path);
        if let Some(pinned) = self.exact(What::Offset, &path) {
            return Some(pinned);
        }
        match leaf.steps.last() {
            Some(LeafStep::Component(index)) => {
                let vector = path.rsplit_once('.').map_or(block, |(vector, _)| vector);
                self.get(What::Offset, vector)?.checked_add(index * leaf.component.size)
            }
            Some(LeafStep::Cell { row, column }) => self.cell_offset(&path, (*row, *column), leaf.component),
            Some(LeafStep::Member(_) | LeafStep::Element(_)) | None => self.get(What::Offset, &path),
        }
    }

    /// A matrix element: from the matrix's own offset for `[0][0]`; for others from the matrix stride and the pinned
    /// element `[0][1]`, which tells rows from columns.
    fn cell_offset(&self, path: &str, (row, column): (u32, u32), component: Component) -> Option<u32> {
        let matrix = path.rsplit_once('[')?.0.rsplit_once('[')?.0;
        let start = self.get(What::Offset, matrix)?;
        if (row, column) == (0, 0) {
            return Some(start);
        }
        let generic = generic(matrix);
        let stride = self.exact(What::MatrixStride, &generic)?;
        let first = self.get(What::Offset, &generic)?;
        let step = self.exact(What::Offset, &format!("{generic}[0][1]"))?.checked_sub(first)?;
        let distance = if step == stride && step != component.size {
            column.checked_mul(stride)?.checked_add(row * component.size)
        } else if step == component.size && step != stride {
            row.checked_mul(stride)?.checked_add(column * component.size)
        } else {
            None
        };
        start.checked_add(distance?)
    }

    /// Every number that is pinned.
    pub fn iter(&self) -> impl Iterator<Item = (What, &str, u32)> {
        self.exact.iter().map(|((what, path), value)| (*what, path.as_str(), *value))
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }
}

/// Block name and path in the block as one path: `S` and `a.b` give `S.a.b`, `sb` and `[0][1]` give `sb[0][1]`.
pub fn join(block: &str, path: &str) -> String {
    let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
    format!("{block}{dot}{path}")
}

/// The path with every index left out: `S.b[2].c` gives `S.b[].c`.
fn generic(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside = (inside && *c != ']') || *c == '[';
            !inside || *c == '['
        })
        .collect()
}

/// Problems of an expectation that only the declaration shows: paths that are not declared, members, sizes and matrix
/// elements that the expectation leaves out without saying `partial = true`.
pub fn problems(case: &str, expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<Diagnostic> {
    let pinned = Numbers::of_expectation(expectation);
    let mut found = unknown(case, expectation, layouts);
    if !expectation.partial {
        for missing in layouts.iter().flat_map(|layout| left_out(layout, &pinned)) {
            let message = format!("`{}` leaves out {missing}; pin it or say `partial = true`", expectation.rules);
            found.push(Diagnostic::error(Code::IncompleteExpectation, expectation.span, message));
        }
    }
    found
}

/// The paths of an expectation that are not declared.
pub fn unknown(case: &str, expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<Diagnostic> {
    let computed = Numbers::of_layouts(layouts);
    let refused = layouts.iter().any(|layout| layout.result.is_err());
    let entries = expectation.entries.iter().filter(|_| !refused);
    let unknown = entries.filter(|entry| computed.get(entry.what, &entry.path).is_none());
    let told = unknown.map(|entry| {
        let message = format!("case {case}: `{}` is not declared, or has no such number", entry.path);
        Diagnostic::error(Code::UnknownPath, entry.span, message)
    });
    told.collect()
}

fn left_out(layout: &BlockLayout, pinned: &Numbers) -> Vec<String> {
    let Ok(root) = &layout.result else { return Vec::new() };
    let mut missing = Vec::new();
    if root.size.finite().is_some() && pinned.get(What::Size, &layout.name).is_none() {
        missing.push(format!("the size of `{}`", layout.name));
    }
    for row in layout.rows() {
        let path = join(&layout.name, &row.path);
        let has_bytes = row.size != Some(0);
        if pinned.get(What::Offset, &path).is_none() && !row.path.is_empty() && has_bytes {
            missing.push(format!("the offset of `{path}`"));
        }
        if row.array_stride.is_some() && pinned.get(What::ArrayStride, &path).is_none() && !row.path.is_empty() {
            missing.push(format!("the stride of `{path}`"));
        }
    }
    missing.extend(unpinned_matrices(layout, pinned));
    missing
}

/// Matrices with two or more contiguous vectors of two or more components of which no element off the diagonal is
/// pinned.
fn unpinned_matrices(layout: &BlockLayout, pinned: &Numbers) -> Vec<String> {
    let two_dimensional = |row: &MemberRow| row.matrix_order.is_some() && row.matrix_stride.is_some();
    let rows = layout.rows();
    let matrices = rows.iter().filter(|row| two_dimensional(row));
    let off_diagonal = |path: &str| {
        let cells =
            (0..4).flat_map(|row| (0..4).map(move |column| (row, column))).filter(|(row, column)| row != column);
        cells.into_iter().any(|(row, column)| {
            pinned.exact.keys().any(|(what, pinned)| {
                *what == What::Offset && generic_up_to_matrix(pinned) == format!("{path}[{row}][{column}]")
            })
        })
    };
    let unpinned = matrices.filter(|row| {
        let dimensions = "[]".repeat(row.array_strides.len().max(usize::from(row.array_stride.is_some())));
        !off_diagonal(&format!("{}{dimensions}", join(&layout.name, &row.path)))
    });
    unpinned.map(|row| format!("an off-diagonal element of `{}`", join(&layout.name, &row.path))).collect()
}

/// `S.a[1].m[0][1]` gives `S.a[].m[0][1]`: indices of arrays left out, the matrix element's kept.
fn generic_up_to_matrix(path: &str) -> String {
    let cell = path.rmatch_indices('[').nth(1).map(|(at, _)| at);
    cell.map_or_else(|| path.to_owned(), |at| format!("{}{}", generic(&path[..at]), &path[at..]))
}
