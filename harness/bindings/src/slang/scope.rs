//! The parameters of a scope as items to place, and the tree of a placed scope.
//!
//! [`super::program`] places the [`ScopeItem`]s, each a parameter with its type layout. [`ScopeDraft`] then builds the
//! [`VariableLayout`] of the whole scope: a struct of the parameters, in a constant buffer where they have bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use super::explicit::ExplicitParameter;
use super::slot_allocator::SlotOwner;
use super::units::unit_class;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// Where something is in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotPosition {
    /// Register space or descriptor set.
    pub(super) space: u32,
    /// Register, binding or other index.
    pub(super) index: u32,
}

/// Something to place.
#[derive(Clone, Debug)]
pub(super) struct ScopeItem<'m> {
    /// Name.
    pub(super) name: &'m str,
    /// Attributes, register and modifiers of the declaration.
    pub(super) annotations: &'m Annotations,
    /// Where it is declared.
    pub(super) span: Span,
    /// Layout.
    pub(super) layout: Arc<TypeLayout>,
    /// Offset in the bytes of its scope.
    pub(super) bytes: u32,
    /// Where it is, as far as that is decided.
    pub(super) at: BTreeMap<LayoutUnit, SlotPosition>,
}

impl<'m> ScopeItem<'m> {
    pub(super) fn owner(&self) -> SlotOwner<'m> {
        SlotOwner { name: self.name, span: self.span }
    }

    pub(super) fn asking(&self) -> ExplicitParameter<'_> {
        ExplicitParameter { name: self.name, layout: &self.layout, annotations: self.annotations }
    }

    /// Units that have no place yet, with how much of them is needed.
    pub(super) fn open(&self) -> Vec<(LayoutUnit, Count)> {
        self.layout.usage.iter().filter(|(unit, _)| !self.at.contains_key(unit)).collect()
    }

    /// The item as a field of its scope.
    pub(super) fn into_field(self) -> VariableLayout {
        let offset = |(unit, _): (LayoutUnit, Count)| match self.at.get(&unit) {
            Some(at) => UnitOffset { unit, space: at.space, offset: at.index },
            None => UnitOffset { unit, space: 0, offset: if unit == LayoutUnit::Bytes { self.bytes } else { 0 } },
        };
        let taken = self.layout.usage.iter().map(offset);
        // A register of a class that the parameter does not have, which reflection shows on Metal.
        let is_other = |unit: LayoutUnit| unit_class(unit).is_some() && self.layout.usage.get(unit) == Count::Finite(0);
        let others = self.at.iter().filter(|(unit, _)| is_other(**unit));
        let others = others.map(|(unit, at)| UnitOffset { unit: *unit, space: at.space, offset: at.index });
        let offsets = taken.chain(others).collect();
        let Self { name, annotations, span, layout, .. } = self;
        VariableLayout { name: Some(name.to_owned()), annotations: annotations.clone(), offsets, layout, span }
    }
}

/// The struct type of a scope.
pub(super) fn structure(name: &str, members: Vec<Member>, span: Span) -> Type {
    Type::Struct(Arc::new(StructType { name: name.to_owned(), base: None, members, span, is_open: false }))
}

/// A scope to be built.
#[derive(Debug)]
pub(super) struct ScopeDraft {
    /// The struct of its parameters.
    pub(super) ty: Type,
    /// Bytes of the struct.
    pub(super) size: Count,
    /// Alignment of its bytes.
    pub(super) alignment: u32,
    /// Its parameters.
    pub(super) fields: Vec<VariableLayout>,
    /// Unit and place of the constant buffer; `None` without bytes.
    pub(super) buffer: Option<(LayoutUnit, SlotPosition)>,
}

impl ScopeDraft {
    /// The tree of the scope, at `offsets`. The parameters' offsets count from there, behind the buffer's.
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
