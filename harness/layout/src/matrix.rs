//! Measures matrices: their contiguous vectors, the stride between them, and the end of the matrix.
//!
//! In HLSL the contiguous vectors are the rows of a `row_major` matrix and the columns of a
//! `column_major` one.

use super::alignment::Alignment;
use super::measured::{ArrayFootprint, Footprint, MeasuredType};
use super::rules::{Matrices, MatrixStart, OneDimensional, Placement, StraddleSize};
use super::tree::{Component, LaidOutShape};
use super::walk_state::{Stop, WalkState};
use crate::shape::MatrixOrder;

#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub component: Component,
    pub rows: u32,
    pub columns: u32,
    /// Selects the contiguous vectors.
    pub order: MatrixOrder,
}

impl Matrix {
    /// Size, alignment and stride under the walk's rule set.
    pub(super) fn measure(&self, walk: &WalkState<'_>, placement: &Placement) -> Result<MeasuredType, Stop> {
        let as_vector = match walk.rules.one_dimensional {
            OneDimensional::Matrix => false,
            OneDimensional::Vector => self.rows == 1 || self.columns == 1,
            OneDimensional::VectorIfContiguous => self.vectors() == 1,
        };
        if as_vector {
            return self.as_vector(walk, placement);
        }

        match walk.rules.matrices {
            Matrices::ArrayOfVectors => self.as_array(walk, placement),
            Matrices::Registers => self.in_registers(walk, placement),
            Matrices::DxSpirv => self.by_dx_spirv(placement),
        }
    }

    /// Lays the matrix out as one contiguous vector, whatever order it declares. The shape gets the
    /// order that makes it one vector.
    fn as_vector(&self, walk: &WalkState<'_>, placement: &Placement) -> Result<MeasuredType, Stop> {
        let length = self.rows * self.columns;
        let order = if self.rows == 1 { MatrixOrder::Row } else { MatrixOrder::Column };
        let footprint = Footprint::vector(walk.rules.vectors, self.component, length)?;
        let shape = Self { order, ..*self }.shape(self.component.size * length);
        let mut measured = MeasuredType::new(shape, footprint, placement);
        measured.keep_vector_whole(self.component, length, placement);
        Ok(measured)
    }

    fn as_array(&self, walk: &WalkState<'_>, placement: &Placement) -> Result<MeasuredType, Stop> {
        let vector = Footprint::vector(walk.rules.vectors, self.component, self.length())?;
        let array = ArrayFootprint::new(walk.rules, vector, self.vectors())?;
        Ok(MeasuredType::new(self.shape(array.stride), array.footprint, placement))
    }

    fn in_registers(&self, walk: &WalkState<'_>, placement: &Placement) -> Result<MeasuredType, Stop> {
        let last = self.component.size.max(4) * self.length();
        let stride = Alignment::REGISTER.round_up(last)?;
        let size = stride * (self.vectors() - 1) + last;

        let order = match placement.matrix_start {
            MatrixStart::DeclaredOrder => self.order,
            MatrixStart::DefaultOrder => walk.options.matrix,
        };
        let alignment = if self.vectors_in(order) > 1 {
            Alignment::REGISTER
        } else if placement.align_single_vectors {
            Footprint::scalar(self.component).alignment
        } else {
            Alignment::ONE
        };

        let mut measured = MeasuredType::new(self.shape(stride), Footprint { size, alignment }, placement);
        if placement.straddle_size == StraddleSize::Natural {
            measured.whole = measured.whole.map(|_| self.rows * self.columns * self.component.size);
        }
        Ok(measured)
    }

    fn by_dx_spirv(&self, placement: &Placement) -> Result<MeasuredType, Stop> {
        let vector = self.component.size * self.length();
        let alignment = Alignment::containing(vector)?.max(Alignment::REGISTER);
        let size = 16 * (self.vectors() - 1) + vector;
        Ok(MeasuredType::new(self.shape(alignment.bytes()), Footprint { size, alignment }, placement))
    }

    fn vectors_in(&self, order: MatrixOrder) -> u32 {
        order.vectors_and_length(self.rows, self.columns).0
    }

    fn vectors(&self) -> u32 {
        self.vectors_in(self.order)
    }

    /// The number of components in a contiguous vector.
    fn length(&self) -> u32 {
        self.order.vectors_and_length(self.rows, self.columns).1
    }

    fn shape(&self, stride: u32) -> LaidOutShape {
        let Self { component, rows, columns, order } = *self;
        LaidOutShape::Matrix { component, rows, columns, order, stride }
    }
}
