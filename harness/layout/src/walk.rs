//! Applies a rule set to a block: walks its types and finds offsets, sizes and strides.
//!
//! [`RuleSet::lay_out`] and [`lay_out`] start the walk. It first measures a type without its
//! position; [`super::place`] then places a struct's members one after the other. The [`WalkState`]
//! collects everything that the rule set forbids, so that the result reports all reasons at once.

use super::alignment::{Alignment, TooLarge};
use super::matrix::Matrix;
use super::measured::{ArrayFootprint, Footprint, MeasuredType};
use super::rules::{ArrayOrder, ElementOrder, EmptyMembers, Enums, Placement, RuleSet, StructPadding, UnsizedArrays};
use super::tree::{
    BlockLayout, Component, Extent, LaidOut, LaidOutShape, LayoutError, LayoutWarning, LayoutWarningKind,
};
use super::views::join;
use super::walk_state::{Level, Stop, WalkState};
use super::{LayoutOptions, forbid, place};
use crate::scalar::Scalar;
use crate::shape::{Count, EnumType, MatrixOrder, StructType, Type};
use crate::{Block, BlockKind, Reach};

/// The maximum number of types in one layout, counting a struct's members once for each place where
/// the struct occurs. Structs of structs double with each level, so the limit keeps short sources
/// from making huge layouts.
pub const MAX_TYPES: u32 = 1 << 17;

impl RuleSet {
    /// Lays out `block` with column-major matrices (unless declared) and 16-bit types of two bytes.
    ///
    /// [`lay_out`] accepts other options, and also returns warnings and the stride of a structured
    /// buffer.
    pub fn lay_out(&self, block: &Block) -> Result<LaidOut, LayoutError> {
        let layout = lay_out(block, self, LayoutOptions::default());
        layout.result.map_err(|reasons| LayoutError { rules: layout.rules, block: layout.name, reasons })
    }
}

/// Lays out `block` under `rules`.
///
/// The `result` lists everything that the rule set forbids, and sizes beyond 2^31 bytes, with a
/// reason each.
pub fn lay_out(block: &Block, rules: &RuleSet, options: LayoutOptions) -> BlockLayout {
    let mut walk = WalkState::new(block.kind, rules, options);
    let root = walk.root(&block.element);
    // Code computes the places of elements in a buffer of bytes.
    let has_stride = block.kind == BlockKind::StructuredElement && !matches!(block.reach, Reach::RawAccess { .. });
    let stride = root.as_ref().filter(|_| has_stride).and_then(|root| walk.stride(root));

    // The checks on offsets need all offsets.
    if let Some(root) = root.as_ref().filter(|_| walk.refusals.is_empty()) {
        walk.refusals = forbid::placed(rules, &root.layout);
    }
    let result = match root {
        Some(root) if walk.refusals.is_empty() => {
            let mut layout = LaidOut { alignment: root.alignment.bytes(), ..root.layout };
            if matches!(block.reach, Reach::RawAccess { .. }) {
                layout.leave_out_tail();
                warn_of_steps(&layout, String::new(), &mut walk.warnings);
            }
            Ok(layout)
        }
        Some(_) | None => Err(walk.refusals.into_vec()),
    };

    let mut layout = BlockLayout { stride, warnings: walk.warnings, ..BlockLayout::new(block, rules.name, result) };
    layout.warn_of_overlaps();
    layout
}

/// Warns of what a load or store in a buffer of bytes steps through by other strides than those of the rules: arrays and
/// matrices with padding between their vectors, and arrays of structs whose stride does not keep their alignment.
///
/// Sources: DXC 1.7.2308 `-spirv` loads a `float3[3]` and the columns of a `float3x2` at steps of 12 bytes under std430, and
/// puts the next member where strides of 16 end. With -fvk-use-scalar-layout it aligns each struct of an array. slangc
/// 2026.14.1 loads arrays of structs with the stride of std430.
fn warn_of_steps(layout: &LaidOut, path: String, warnings: &mut Vec<LayoutWarning>) {
    let other = match &layout.shape {
        LaidOutShape::Struct(members) => {
            for member in members {
                warn_of_steps(&member.layout, join(&path, &member.name), warnings);
            }
            return;
        }
        LaidOutShape::Array { element, stride, .. } => match (&element.shape, element.size) {
            (LaidOutShape::Struct(_), _) if stride % element.alignment != 0 => Some(format!(
                "aligns its elements to {} bytes, which its stride of {stride} does not keep",
                element.alignment
            )),
            (LaidOutShape::Struct(_) | LaidOutShape::Array { .. }, _) => {
                return warn_of_steps(element, format!("{path}[]"), warnings);
            }
            (LaidOutShape::Scalar(_) | LaidOutShape::Vector { .. }, Extent::Finite(size)) if size != *stride => {
                Some(format!("steps through it by {size} bytes, not by {stride}"))
            }
            _ => steps_of_matrix(element),
        },
        _ => steps_of_matrix(layout),
    };
    if let Some(other) = other {
        let message = format!("code that loads or stores it {other}");
        warnings.push(LayoutWarning { path, kind: LayoutWarningKind::OtherSteps, message });
    }
}

fn steps_of_matrix(layout: &LaidOut) -> Option<String> {
    let LaidOutShape::Matrix { component, rows, columns, order, stride } = layout.shape else { return None };
    let length = match order {
        MatrixOrder::Row => columns,
        MatrixOrder::Column => rows,
    };
    let size = component.size.saturating_mul(length);
    (size != stride).then(|| format!("steps through its vectors by {size} bytes, not by {stride}"))
}

impl WalkState<'_> {
    fn root(&mut self, element: &Type) -> Option<MeasuredType> {
        self.at(String::new(), |walk| walk.element(element)).ok()
    }

    fn element(&mut self, element: &Type) -> Result<MeasuredType, Stop> {
        if let Type::Struct(ty) = element {
            self.enter(element)?;
            let mut root = self.structure(ty, Level::Block)?;
            root.layout.type_name = element.to_string();
            return Ok(root);
        }

        let reordered = match self.rules.element_order {
            ElementOrder::Declared => None,
            ElementOrder::Default => in_default_order(element),
        };
        self.measure(reordered.as_ref().unwrap_or(element), &self.rules.members)
    }

    fn enter(&mut self, ty: &Type) -> Result<(), Stop> {
        self.types += 1;
        if self.types > MAX_TYPES {
            let reported = self.types > MAX_TYPES + 1;
            return Err(if reported { Stop::Reported } else { self.refuse(format!("more than {MAX_TYPES} members")) });
        }
        forbid::declared(self, ty);
        Ok(())
    }

    /// Measures a type that `placement` will place.
    pub(super) fn measure(&mut self, ty: &Type, placement: &Placement) -> Result<MeasuredType, Stop> {
        self.enter(ty)?;
        let mut measured = match ty {
            Type::Scalar(scalar) => self.scalar(*scalar, placement),
            // Its components follow each other like the elements of an array.
            Type::Vector { scalar, length } if ty.is_long_vector() => {
                self.array(&Type::Scalar(*scalar), Count::Finite(*length), placement)?
            }
            Type::Vector { scalar, length } => self.vector(*scalar, *length, placement)?,
            Type::Matrix { scalar, rows, columns, order } => {
                let order = order.unwrap_or(self.options.matrix);
                let matrix = Matrix { component: self.component(*scalar), rows: *rows, columns: *columns, order };
                matrix.measure(self, placement)?
            }
            Type::Array { element, count } => self.array(element, *count, placement)?,
            Type::Struct(structure) => self.structure(structure, Level::Inner)?,
            Type::Enum(declared) => self.enumeration(declared, placement),
            Type::Pointer { pointee, .. } => pointer(pointee, self.rules.pointer_size, placement),
            Type::Handle { .. } => self.handle(placement)?,
            Type::Interface { any_value_size, .. } => {
                let message =
                    "slangc's code may give a value of an interface other bytes than its reflection does".to_owned();
                let kind = LayoutWarningKind::UncertainValue;
                self.warnings.push(LayoutWarning { path: self.path.clone(), kind, message });
                interface_value(*any_value_size, placement)
            }
            Type::Resource(_) => MeasuredType::empty(LaidOutShape::Resource),
        };

        if ty.is_minimum_precision() {
            measured.raise(placement.minimum_precision_alignment);
        }
        measured.layout.type_name = ty.to_string();
        Ok(measured)
    }

    fn component(&self, scalar: Scalar) -> Component {
        Component { scalar, size: scalar.size(self.options.sixteen_bit, self.rules.bool_size) }
    }

    fn scalar(&self, scalar: Scalar, placement: &Placement) -> MeasuredType {
        let component = self.component(scalar);
        MeasuredType::new(LaidOutShape::Scalar(component), Footprint::scalar(component), placement)
    }

    fn enumeration(&self, declared: &EnumType, placement: &Placement) -> MeasuredType {
        if declared.is_atomic() {
            return self.scalar(declared.underlying, placement);
        }
        let component = self.component(match self.rules.enums {
            Enums::Underlying => declared.underlying,
            Enums::Int32 => Scalar::Int32,
        });
        let own = Footprint::scalar(component);
        let footprint = Footprint { alignment: placement.enum_alignment.unwrap_or(own.alignment), ..own };
        MeasuredType::new(LaidOutShape::Scalar(component), footprint, placement)
    }

    fn vector(&self, scalar: Scalar, length: u32, placement: &Placement) -> Result<MeasuredType, Stop> {
        let component = self.component(scalar);
        let footprint = Footprint::vector(self.rules.vectors, component, length)?;
        let mut measured = MeasuredType::new(LaidOutShape::Vector { component, length }, footprint, placement);
        measured.keep_vector_whole(component, length, placement);
        Ok(measured)
    }

    /// Slang's `DescriptorHandle<T>`: two `uint`, or the resource itself on targets where resources
    /// are host pointers (measured with Slang 2026.14.1).
    fn handle(&mut self, placement: &Placement) -> Result<MeasuredType, Stop> {
        if let UnsizedArrays::Pointer { .. } = self.rules.unsized_arrays {
            let message =
                format!("is a resource handle, which {} stores as the resource itself: not modelled", self.rules.name);
            return Err(self.refuse(message));
        }
        self.vector(Scalar::Uint32, 2, placement)
    }

    fn array(&mut self, element: &Type, count: Count, placement: &Placement) -> Result<MeasuredType, Stop> {
        if let (Count::Unbounded, UnsizedArrays::Pointer { size }) = (count, self.rules.unsized_arrays) {
            let footprint = Footprint { size, alignment: Alignment::EIGHT };
            return Ok(MeasuredType::new(LaidOutShape::Pointer { pointee: None }, footprint, placement));
        }

        let reordered = match self.rules.array_order {
            ArrayOrder::Declared => None,
            ArrayOrder::Default => in_default_order(element),
        };
        let element = reordered.as_ref().unwrap_or(element);

        let path = format!("{}[]", self.path);
        let element = self.at(path, |walk| walk.measure(element, placement))?;
        if element.layout.is_resource() {
            let element = Box::new(element.layout);
            return Ok(MeasuredType::empty(LaidOutShape::Array { element, count, stride: 0 }));
        }

        let Some(footprint) = element.footprint() else {
            return Err(self.refuse("is an array of elements without end"));
        };
        let (finite, extent) = match count {
            Count::Finite(count) => (count, None),
            Count::Unbounded => (1, Some(Extent::Unbounded)),
        };

        let array = ArrayFootprint::new(self.rules, footprint, finite)?;
        let shape = LaidOutShape::Array { element: Box::new(element.layout), count, stride: array.stride };
        let mut measured = MeasuredType::new(shape, array.footprint, placement);
        measured.layout.size = extent.unwrap_or(measured.layout.size);
        Ok(measured)
    }

    fn structure(&mut self, ty: &StructType, level: Level) -> Result<MeasuredType, Stop> {
        let placement = self.placement(level);
        let placed = place::members(self, ty, &placement, level)?;
        let empty = placed.members.is_empty() && placement.empty == EmptyMembers::Aligned;
        let footprint = match placed.size {
            Extent::Finite(end) => self.struct_footprint(end, placed.alignment, empty, level)?,
            Extent::Unbounded => Footprint { size: 0, ..self.struct_footprint(0, placed.alignment, empty, level)? },
        };
        let mut measured = MeasuredType::new(LaidOutShape::Struct(placed.members), footprint, &placement);
        if placed.size == Extent::Unbounded {
            measured.layout.size = Extent::Unbounded;
        }
        Ok(measured)
    }

    /// The rules that place the members of a struct at this level.
    pub(super) fn placement(&self, level: Level) -> Placement {
        self.rules.direct.filter(|_| self.is_direct(level)).unwrap_or(self.rules.members)
    }

    /// Size and alignment of a struct whose members end at `end`. `empty` is a struct without members
    /// that takes its alignment.
    pub(super) fn struct_footprint(
        &self,
        end: u32,
        alignment: Alignment,
        empty: bool,
        level: Level,
    ) -> Result<Footprint, TooLarge> {
        let padded = match self.rules.pad_structs {
            StructPadding::None => false,
            StructPadding::Padded => true,
            StructPadding::PaddedExceptEntryUniforms => level == Level::Inner || self.kind != BlockKind::EntryUniforms,
        };

        let least = if empty { Alignment::ONE } else { self.rules.struct_alignment };
        let alignment = alignment.max(least);
        Ok(Footprint { size: if padded { alignment.round_up(end)? } else { end }, alignment })
    }

    /// The stride of a structured buffer in bytes; `None` for an element without a fixed size.
    fn stride(&self, element: &MeasuredType) -> Option<u32> {
        ArrayFootprint::new(self.rules, element.footprint()?, 1).ok().map(|array| array.stride)
    }
}

/// The same matrix, or array of matrices, without its declared order; `None` for other types.
fn in_default_order(ty: &Type) -> Option<Type> {
    match ty {
        Type::Matrix { scalar, rows, columns, .. } => {
            Some(Type::Matrix { scalar: *scalar, rows: *rows, columns: *columns, order: None })
        }
        Type::Array { element, count } => {
            Some(Type::Array { element: Box::new(in_default_order(element)?), count: *count })
        }
        _ => None,
    }
}

/// Words of 4 bytes under every rule set, as slangc 2026.14.1 lays them out.
fn interface_value(any_value_size: u32, placement: &Placement) -> MeasuredType {
    const WORD: u32 = 4;
    const TYPE_NUMBERS: u32 = 16;
    let size = any_value_size.saturating_add(TYPE_NUMBERS);
    let component = Component { scalar: Scalar::Uint32, size: WORD };
    let footprint = Footprint { size: WORD, alignment: Alignment::FOUR };
    let word = MeasuredType::new(LaidOutShape::Scalar(component), footprint, placement).layout;
    let count = Count::Finite(size.div_ceil(WORD));
    let shape = LaidOutShape::Array { element: Box::new(word), count, stride: WORD };
    MeasuredType::new(shape, Footprint { size, alignment: Alignment::FOUR }, placement)
}

fn pointer(pointee: &str, size: u32, placement: &Placement) -> MeasuredType {
    let shape = LaidOutShape::Pointer { pointee: Some(pointee.to_owned()) };
    match Alignment::new(size) {
        Some(alignment) => MeasuredType::new(shape, Footprint { size, alignment }, placement),
        None => MeasuredType::empty(shape),
    }
}
