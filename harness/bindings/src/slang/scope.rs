//! The parameters of a scope as items to place, and the tree of a placed scope.
//!
//! [`super::program`] places the [`ScopeItem`]s, each a parameter with its type layout.
//! [`ScopeDraft`] then builds the [`VariableLayout`] of the whole scope: a struct of the
//! parameters, in a constant buffer if they have bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use super::explicit::ExplicitParameter;
use super::slot_allocator::SlotOwner;
use super::units::unit_class;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// A position in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotPosition {
    /// Register space or descriptor set.
    pub(super) space: u32,
    /// Register, binding or other index.
    pub(super) index: u32,
}

/// A parameter, or the scope of an entry point, to place.
#[derive(Clone, Debug)]
pub(super) struct ScopeItem<'m> {
    pub(super) name: &'m str,
    /// Attributes, register and modifiers of the declaration.
    pub(super) annotations: &'m Annotations,
    /// The declaration.
    pub(super) span: Span,
    pub(super) layout: Arc<TypeLayout>,
    /// The offset in the bytes of its scope.
    pub(super) bytes: u32,
    /// Its positions, as far as they are decided.
    pub(super) at: BTreeMap<LayoutUnit, SlotPosition>,
}

impl<'m> ScopeItem<'m> {
    pub(super) fn owner(&self) -> SlotOwner<'m> {
        SlotOwner { name: self.name, span: self.span }
    }

    pub(super) fn asking(&self) -> ExplicitParameter<'_> {
        ExplicitParameter { name: self.name, layout: &self.layout, annotations: self.annotations }
    }

    /// Returns the units that have no place yet, with the amount that is needed.
    pub(super) fn open(&self) -> Vec<(LayoutUnit, Count)> {
        self.layout.usage.iter().filter(|(unit, _)| !self.at.contains_key(unit)).collect()
    }

    /// Returns the item as a field of its scope.
    pub(super) fn into_field(self) -> VariableLayout {
        let offset = |(unit, _): (LayoutUnit, Count)| match self.at.get(&unit) {
            Some(at) => UnitOffset { unit, space: at.space, offset: at.index },
            None => UnitOffset { unit, space: 0, offset: if unit == LayoutUnit::Bytes { self.bytes } else { 0 } },
        };
        let taken = self.layout.usage.iter().map(offset);
        // This is a register of a class that the parameter does not have. Reflection shows it on
        // Metal.
        let is_other = |unit: LayoutUnit| unit_class(unit).is_some() && !self.layout.takes(unit);
        let others = self.at.iter().filter(|(unit, _)| is_other(**unit));
        let others = others.map(|(unit, at)| UnitOffset { unit: *unit, space: at.space, offset: at.index });
        let offsets = taken.chain(others).collect();
        let Self { name, annotations, span, layout, .. } = self;
        VariableLayout { name: Some(name.to_owned()), annotations: annotations.clone(), offsets, layout, span }
    }
}

/// Makes the struct type of a scope.
pub(super) fn structure(name: &str, members: Vec<Member>, span: Span) -> Type {
    Type::Struct(Arc::new(StructType { name: name.to_owned(), base: None, members, span, is_open: false }))
}

/// A scope that is being built.
#[derive(Debug)]
pub(super) struct ScopeDraft {
    /// The struct of its parameters.
    pub(super) ty: Type,
    /// Size of the struct in bytes.
    pub(super) size: Count,
    /// Alignment of the struct in bytes.
    pub(super) alignment: u32,
    /// Its parameters.
    pub(super) fields: Vec<VariableLayout>,
    /// Unit and place of the constant buffer; `None` if there are no bytes.
    pub(super) buffer: Option<(LayoutUnit, SlotPosition)>,
}

impl ScopeDraft {
    /// Builds the tree of the scope, at `offsets`. The parameters' offsets count from there, after
    /// the buffer.
    pub(super) fn tree(self, offsets: Vec<UnitOffset>, span: Span) -> VariableLayout {
        let Self { ty, size, alignment, fields, buffer } = self;
        let mut usage = Usage::of(LayoutUnit::Bytes, size);
        for (unit, count) in fields.iter().flat_map(|field| field.layout.usage.iter()) {
            if unit != LayoutUnit::Bytes {
                usage.add(unit, count);
            }
        }

        let inside = TypeLayout { ty: ty.clone(), usage: usage.clone(), alignment, parts: TypeParts::Fields(fields) };
        let Some((unit, SlotPosition { space, index })) = buffer else { return variable(inside, offsets, span) };
        let zero = usage.iter().map(|(unit, _)| UnitOffset { unit, space: 0, offset: 0 }).collect();
        let own = Usage::of(unit, Count::Finite(1));
        let mut whole = own.clone();
        usage.iter().filter(|(unit, _)| *unit != LayoutUnit::Bytes).for_each(|(unit, count)| whole.add(unit, count));
        let container = TypeLayout { ty: ty.clone(), usage: own, alignment: 1, parts: TypeParts::None };
        let parts = TypeParts::Contained {
            container: Box::new(variable(container, vec![UnitOffset { unit, space, offset: index }], span)),
            element: Box::new(variable(inside, zero, span)),
        };
        variable(TypeLayout { ty, usage: whole, alignment: 1, parts }, offsets, span)
    }
}

fn variable(layout: TypeLayout, offsets: Vec<UnitOffset>, span: Span) -> VariableLayout {
    VariableLayout { name: None, annotations: Annotations::default(), offsets, layout: Arc::new(layout), span }
}
