//! Sizes and alignments of single types and of arrays. [`super::walk`] composes whole blocks from
//! them.

use super::alignment::{Alignment, TooLarge, add, multiply};
use super::rules::{ArrayStride, EmptyMembers, Placement, RuleSet, Straddle, VectorAlignment};
use super::tree::{Component, Extent, LaidOut, LaidOutShape};

/// A type, and the facts that decide where it may be placed.
#[derive(Clone, Debug)]
pub(super) struct MeasuredType {
    /// The layout. Its `alignment` is the rounding applied before any straddle test.
    pub layout: LaidOut,
    /// The alignment that enclosing arrays and structs inherit.
    pub alignment: Alignment,
    /// Bytes that must not straddle a 16-byte register; `None` if they may.
    pub whole: Option<u32>,
}

impl MeasuredType {
    /// A type whose two alignments are equal, and all of whose bytes count in the straddle test.
    pub(super) fn new(shape: LaidOutShape, footprint: Footprint, placement: &Placement) -> Self {
        let Footprint { size, alignment } = footprint;
        let whole = match placement.straddle {
            Straddle::Allowed | Straddle::NoVector => None,
            Straddle::NoMember => Some(size),
        };
        Self { layout: laid_out(shape, footprint), alignment, whole }
    }

    /// A type without bytes.
    pub(super) fn empty(shape: LaidOutShape) -> Self {
        let footprint = Footprint { size: 0, alignment: Alignment::ONE };
        Self { layout: laid_out(shape, footprint), alignment: Alignment::ONE, whole: None }
    }

    /// Applies [`Straddle::NoVector`] to a type that is laid out as a vector.
    pub(super) fn keep_vector_whole(&mut self, component: Component, length: u32, placement: &Placement) {
        match placement.straddle {
            Straddle::NoVector if length > 1 => {
                self.whole = self.layout.size.finite();
                if component.size <= 4 {
                    self.layout.alignment = component.size;
                }
            }
            Straddle::NoVector | Straddle::Allowed | Straddle::NoMember => {}
        }
    }

    /// Raises both alignments to `least`.
    pub(super) fn raise(&mut self, least: Alignment) {
        self.alignment = self.alignment.max(least);
        self.layout.alignment = self.layout.alignment.max(least.bytes());
    }

    /// Size and outer alignment; `None` for a type without a fixed size.
    pub(super) fn footprint(&self) -> Option<Footprint> {
        Some(Footprint { size: self.layout.size.finite()?, alignment: self.alignment })
    }
}

fn laid_out(shape: LaidOutShape, Footprint { size, alignment }: Footprint) -> LaidOut {
    LaidOut { type_name: String::new(), size: Extent::Finite(size), alignment: alignment.bytes(), shape }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footprint {
    pub size: u32,
    pub alignment: Alignment,
}

impl Footprint {
    /// A scalar: aligned to its own size.
    pub(super) fn scalar(component: Component) -> Self {
        let alignment = Alignment::new(component.size).expect("scalars take 1, 2, 4 or 8 bytes");
        Self { size: component.size, alignment }
    }

    pub(super) fn vector(rule: VectorAlignment, component: Component, length: u32) -> Result<Self, TooLarge> {
        let size = component.size * length;
        let power = Alignment::containing(size)?;
        let single = Self::scalar(component).alignment;
        let half = component.size == 2 && component.scalar.is_float();

        Ok(match rule {
            VectorAlignment::Component => Self { size, alignment: single },
            VectorAlignment::PowerOfTwo => Self { size, alignment: power },
            VectorAlignment::PaddedPowerOfTwo => Self { size: power.bytes(), alignment: power },
            VectorAlignment::Cuda if half && length > 2 => Self { size: power.bytes(), alignment: Alignment::FOUR },
            VectorAlignment::Cuda if length == 3 => Self { size, alignment: single },
            VectorAlignment::Cuda => Self { size, alignment: power.min(Alignment::REGISTER) },
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayFootprint {
    /// Size and alignment of the whole array.
    pub footprint: Footprint,
    /// Bytes from one element to the next.
    pub stride: u32,
}

impl ArrayFootprint {
    pub(super) fn new(rules: &RuleSet, element: Footprint, count: u32) -> Result<Self, TooLarge> {
        let alignment = element.alignment.max(rules.array_alignment);
        let empty_takes_space = rules.members.empty == EmptyMembers::Aligned && alignment != Alignment::ONE;
        let element_size = if element.size == 0 && empty_takes_space { alignment.bytes() } else { element.size };

        let stride = match rules.array_stride {
            ArrayStride::Rounded => alignment.round_up(element_size)?,
            ArrayStride::Packed => element_size,
        };
        let size = match count {
            0 => 0,
            count if rules.pad_arrays => multiply(stride, count)?,
            count => add(multiply(stride, count - 1)?, element_size)?,
        };

        Ok(Self { footprint: Footprint { size, alignment }, stride })
    }
}
