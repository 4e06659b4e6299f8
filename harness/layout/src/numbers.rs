//! Offsets, sizes and strides by path, in one form for cases, compilers and layouts, so that they
//! can be compared.
//!
//! A case pins members, strides and sizes; a probe needs scalar components. This module derives
//! only the numbers that follow from the pinned ones by plain arithmetic: element 2 lies two
//! strides after element 0, component y one component after x. It returns no number for a leaf if
//! the expectation pins too little.

use std::collections::BTreeMap;

use crate::{BlockLayout, Component, Leaf, LeafStep, MemberRow, Quantity};

/// Numbers in bytes by quantity and path. The path starts with the block's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    exact: BTreeMap<(Quantity, String), u32>,
}

impl Numbers {
    /// Numbers from a compiler's report on a block: its size, and the offset of each path in it.
    pub fn of_report(block: &str, size: u32, members: &[(String, u32)]) -> Self {
        let mut numbers = Self::default();
        numbers.add(Quantity::Size, block, Some(size));
        for (path, offset) in members {
            numbers.add(Quantity::Offset, &join(block, path), Some(*offset));
        }
        numbers
    }

    /// Adds the stride of a structured buffer, which equals the size of its element.
    #[must_use]
    pub fn of_elements(mut self, block: &str) -> Self {
        let stride = self.get(Quantity::Size, block);
        self.add(Quantity::ArrayStride, block, stride);
        self
    }

    /// Numbers of laid-out blocks; refused blocks have none.
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
        self.add(Quantity::ArrayStride, block, layout.stride.or_else(|| layout.pointer_stride()));
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

    /// Adds a number, if `value` has one.
    pub fn add(&mut self, quantity: Quantity, path: &str, value: Option<u32>) {
        if let Some(value) = value {
            self.exact.insert((quantity, path.to_owned()), value);
        }
    }

    /// The number of exactly this path. For an offset, also the sum of the array strides along the
    /// path, where `[]` means element 0.
    pub fn get(&self, what: Quantity, path: &str) -> Option<u32> {
        let offset = || self.exact(what, &path.replace("[]", "[0]")).or_else(|| self.element_offset(path));
        self.exact(what, path).or_else(|| (what == Quantity::Offset).then(offset).flatten())
    }

    fn exact(&self, what: Quantity, path: &str) -> Option<u32> {
        self.exact.get(&(what, path.to_owned())).copied()
    }

    /// The offset of `S.b[2].c[1]`: the offset of `S.b[].c` plus two strides of `S.b` plus one of
    /// `S.b[].c`.
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

    /// The offset of a matrix element. Element `[0][0]` is at the matrix's offset; the others
    /// follow from the matrix stride and the pinned element `[0][1]`, which distinguishes rows from
    /// columns.
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

    pub fn iter(&self) -> impl Iterator<Item = (Quantity, &str, u32)> {
        self.exact.iter().map(|((what, path), value)| (*what, path.as_str(), *value))
    }
}

/// Joins a block's name and a path in the block: `S` and `a.b` give `S.a.b`, `sb` and `[0][1]` give
/// `sb[0][1]`.
pub fn join(block: &str, path: &str) -> String {
    let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
    format!("{block}{dot}{path}")
}

/// Removes all indices from a path: `S.b[2].c` gives `S.b[].c`.
pub fn without_indices(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside = (inside && *c != ']') || *c == '[';
            !inside || *c == '['
        })
        .collect()
}
