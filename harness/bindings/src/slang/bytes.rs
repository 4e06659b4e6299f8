//! Lays out the bytes of a buffer or a scope with [`layoutproof_layout`], by the rule set that
//! slangc uses for the target.
//!
//! Resources have no bytes, except in a Metal argument buffer, where each is a pointer or a handle
//! of 8 bytes (measured with Slang 2026.14.1).

use std::borrow::Cow;
use std::sync::Arc;

use layoutproof_layout::argument_buffer::handle;
use layoutproof_layout::resource::DataLayout;
use layoutproof_layout::rules::{StructPadding, UnsizedArrays};
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Attribute, Block, BlockKind, LaidOut, RuleSet, Span, lay_out};

use super::settings::SlangSettings;
use crate::Target;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The representation of resources in the memory around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteRoom {
    /// No bytes: resources are bound separately.
    Ordinary,
    /// The same, inside a parameter block.
    Block,
    /// Handles in a Metal argument buffer.
    Arguments,
    /// The content of a Metal argument buffer without an argument: pointers, which are bytes, and
    /// buffers with resources inside, which are bound separately.
    NoArguments,
}

/// A type that is laid out as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeBlock<'t> {
    /// The kind of block, which selects the rule set.
    pub(super) kind: BlockKind,
    pub(super) data_layout: Option<DataLayout>,
    pub(super) element: &'t Type,
    /// The representation of resources in the content.
    pub(super) room: ByteRoom,
    pub(super) span: Span,
}

impl SlangSettings {
    /// Lays out the bytes of `whole`.
    pub(super) fn bytes(&self, whole: WholeBlock<'_>) -> Result<LaidOut, Vec<Diagnostic>> {
        let new = Block::new("", whole.kind, whole.element.clone());
        let mut block = Block { data_layout: whole.data_layout, span: whole.span, ..new };

        let rules = self.rules(&block);
        let keeps_offsets = self.documented;
        let view = MemoryView { room: whole.room, unsized_arrays: rules.unsized_arrays, keeps_offsets };
        if let Cow::Owned(element) = view.of(whole.element) {
            block.element = element;
        }

        lay_out(&block, &rules, self.layout).result.map_err(|refusals| {
            let problem = |refusal: layoutproof_layout::Refusal| {
                let message = format!("`{}` {} ({})", refusal.path, refusal.message, rules.name);
                Diagnostic::error(Code::RuleForbids, whole.span, message)
            };
            refusals.into_iter().map(problem).collect()
        })
    }

    /// Returns the rule set of a block. The user guide also pads structs and arrays on D3D; slangc
    /// does not.
    fn rules(&self, block: &Block) -> Cow<'static, RuleSet> {
        let rules = self.native.rules(block).expect("every target of Slang has a rule set for its buffers");
        if self.documented && self.target == Target::D3d12 && rules.has_registers {
            return Cow::Owned(RuleSet { pad_arrays: true, pad_structs: StructPadding::Padded, ..rules.clone() });
        }
        Cow::Borrowed(rules)
    }
}

#[derive(Clone, Copy, Debug)]
struct MemoryView {
    room: ByteRoom,
    unsized_arrays: UnsizedArrays,
    /// False if members are placed as if they had no `[[vk::offset]]`, as slangc's reflection does.
    keeps_offsets: bool,
}

impl MemoryView {
    /// Replaces resources by handles where they are handles, and arrays without bytes by their
    /// element.
    fn of(self, ty: &Type) -> Cow<'_, Type> {
        match ty {
            Type::Array { element, count } => self.array(element, *count, ty),
            Type::Struct(structure)
                if structure.holds(&|_| true) || (!self.keeps_offsets && has_offsets(structure)) =>
            {
                Cow::Owned(Type::Struct(self.structure(structure)))
            }
            Type::Resource(resource) => match self.room {
                ByteRoom::Ordinary | ByteRoom::Block | ByteRoom::NoArguments => Cow::Borrowed(ty),
                ByteRoom::Arguments => Cow::Owned(handle(resource)),
            },
            _ => Cow::Borrowed(ty),
        }
    }

    fn structure(self, structure: &StructType) -> Arc<StructType> {
        let member = |member: &Member| {
            let mut seen = Member { ty: self.of(&member.ty).into_owned(), ..member.clone() };
            if !self.keeps_offsets {
                seen.annotations.attributes.retain(|attribute| !is_offset(attribute));
            }
            seen
        };
        let base = structure.base.as_ref().map(|base| self.structure(base));
        let members = structure.members.iter().map(member).collect();
        Arc::new(StructType { base, members, ..structure.clone() })
    }

    fn array<'t>(self, element: &'t Type, count: Count, whole: &'t Type) -> Cow<'t, Type> {
        let has_no_bytes = match self.unsized_arrays {
            // A pointer to the elements has bytes, but no pointer points to resources themselves.
            UnsizedArrays::Pointer { .. } => matches!(element, Type::Resource(_)),
            UnsizedArrays::InPlace => count == Count::Unbounded && !has_data(element),
        };
        if self.room != ByteRoom::Arguments && has_no_bytes {
            return self.of(element);
        }
        match self.of(element) {
            Cow::Borrowed(_) => Cow::Borrowed(whole),
            Cow::Owned(element) => Cow::Owned(Type::Array { element: Box::new(element), count }),
        }
    }
}

/// True for `[[vk::offset(N)]]`.
fn is_offset(attribute: &Attribute) -> bool {
    attribute.namespace.as_deref() == Some("vk") && attribute.name == "offset"
}

/// True if a member, at any depth, has a `[[vk::offset]]`.
fn has_offsets(structure: &StructType) -> bool {
    structure.all_members().any(|member| {
        let inner = matches!(member.ty.dimensions().0, Type::Struct(inner) if has_offsets(inner));
        inner || member.annotations.attributes.iter().any(is_offset)
    })
}

/// True if a type holds ordinary data, at any depth outside resources.
pub(super) fn has_data(ty: &Type) -> bool {
    match ty.dimensions().0 {
        Type::Struct(structure) => structure.all_members().any(|member| has_data(&member.ty)),
        Type::Resource(_) => false,
        _ => true,
    }
}
