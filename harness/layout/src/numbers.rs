//! Numbers by path (offsets, sizes, strides), in one form for cases, compilers and layouts, so that they can be compared.
//!
//! A case pins members, strides and sizes; a probe asks about scalar components. This module
//! derives only what follows from pinned numbers by plain arithmetic: element 2 lies two strides behind element 0,
//! component y one component behind x. Where an expectation pins too little, it says nothing about a leaf.

use std::collections::BTreeMap;

use crate::{BlockLayout, Component, Leaf, LeafStep, MemberRow, Quantity};

/// Numbers in bytes by what they measure and the path, block name first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    exact: BTreeMap<(Quantity, String), u32>,
}

impl Numbers {
    /// A compiler's report on a block: its size, and the offset of each path in it.
    pub fn of_report(block: &str, size: u32, members: &[(String, u32)]) -> Self {
        let mut numbers = Self::default();
        numbers.add(Quantity::Size, block, Some(size));
        for (path, offset) in members {
            numbers.add(Quantity::Offset, &join(block, path), Some(*offset));
        }
        numbers
    }

    /// The same of a structured buffer, whose element's size is the distance to the next one.
    #[must_use]
    pub fn of_elements(mut self, block: &str) -> Self {
        let stride = self.get(Quantity::Size, block);
        self.add(Quantity::ArrayStride, block, stride);
        self
    }

    /// The numbers of laid-out blocks; refused blocks have none.
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
        self.add(Quantity::Size, block, root.size.finite());
        self.add(Quantity::Alignment, block, Some(root.alignment));
        self.add(Quantity::ArrayStride, block, layout.stride);
        for leaf in layout.leaves() {
            self.add(Quantity::Offset, &join(block, &leaf.path), Some(leaf.offset));
        }
        for row in layout.rows() {
            self.add_row(&join(block, &row.path), &row);
        }
    }

    fn add_row(&mut self, path: &str, row: &MemberRow) {
        self.add(Quantity::Offset, path, Some(row.offset));
        if !row.path.is_empty() {
            self.add(Quantity::Size, path, row.size);
            self.add(Quantity::Alignment, path, Some(row.alignment));
        }

        let dimensions = row.array_strides.len().max(usize::from(row.array_stride.is_some()));
        self.add(Quantity::MatrixStride, &format!("{path}{}", "[]".repeat(dimensions)), row.matrix_stride);
        self.add(Quantity::ArrayStride, path, row.array_stride);
        for (dimension, stride) in row.array_strides.iter().enumerate() {
            self.add(Quantity::ArrayStride, &format!("{path}{}", "[]".repeat(dimension)), Some(*stride));
        }
    }

    /// Adds a number, if there is one.
    pub fn add(&mut self, quantity: Quantity, path: &str, value: Option<u32>) {
        if let Some(value) = value {
            self.exact.insert((quantity, path.to_owned()), value);
        }
    }

    /// The number of exactly this path, or for an offset what follows from the strides of the arrays on the way; `[]`
    /// stands for element 0 there.
    pub fn get(&self, what: Quantity, path: &str) -> Option<u32> {
        let offset = || self.exact(what, &path.replace("[]", "[0]")).or_else(|| self.element_offset(path));
        self.exact(what, path).or_else(|| (what == Quantity::Offset).then(offset).flatten())
    }

    fn exact(&self, what: Quantity, path: &str) -> Option<u32> {
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
                let stride = self.exact(Quantity::ArrayStride, &generic)?;
                distance = distance.checked_add(stride.checked_mul(index)?)?;
            }
            generic += "[]";
            rest = &rest[close + 1..];
        }

        generic += rest;
        let base = self.exact(Quantity::Offset, generic.trim_end_matches("[]"))?;
        base.checked_add(distance)
    }

    /// The offset of a leaf of `block`.
    pub fn leaf_offset(&self, block: &str, leaf: &Leaf) -> Option<u32> {
        let path = join(block, &leaf.path);
        if let Some(pinned) = self.exact(Quantity::Offset, &path) {
            return Some(pinned);
        }
        match leaf.steps.last() {
            Some(LeafStep::Component(index)) => {
                let vector = path.rsplit_once('.').map_or(block, |(vector, _)| vector);
                self.get(Quantity::Offset, vector)?.checked_add(index * leaf.component.size)
            }
            Some(LeafStep::Cell { row, column }) => self.cell_offset(&path, *row, *column, leaf.component),
            Some(LeafStep::Member(_) | LeafStep::Element(_)) | None => self.get(Quantity::Offset, &path),
        }
    }

    /// A matrix element: from the matrix's own offset for `[0][0]`; for others from the matrix stride and the pinned
    /// element `[0][1]`, which tells rows from columns.
    fn cell_offset(&self, path: &str, row: u32, column: u32, component: Component) -> Option<u32> {
        let matrix = path.rsplit_once('[')?.0.rsplit_once('[')?.0;
        let start = self.get(Quantity::Offset, matrix)?;
        if (row, column) == (0, 0) {
            return Some(start);
        }

        let generic = without_indices(matrix);
        let stride = self.exact(Quantity::MatrixStride, &generic)?;
        let first = self.get(Quantity::Offset, &generic)?;
        let step = self.exact(Quantity::Offset, &format!("{generic}[0][1]"))?.checked_sub(first)?;

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
    pub fn iter(&self) -> impl Iterator<Item = (Quantity, &str, u32)> {
        self.exact.iter().map(|((what, path), value)| (*what, path.as_str(), *value))
    }

    /// True if there is no number at all.
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
pub fn without_indices(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside = (inside && *c != ']') || *c == '[';
            !inside || *c == '['
        })
        .collect()
}
