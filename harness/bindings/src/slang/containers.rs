//! Constant buffers, texture buffers and parameter blocks: the units that they take themselves, and
//! their content.
//!
//! A buffer takes a register or binding for its own data only if it holds bytes (on Metal always).
//! The resources inside count as the buffer's. A parameter block hides them in its own space, if
//! the target has spaces. Blocks inside it get further spaces. A block that holds only blocks takes
//! no space.
//!
//! Source: Slang user guide, Parameter Layout Rules, Constant Buffers and Parameter Blocks; measured with Slang
//! 2026.14.1.

use std::sync::Arc;

use layoutproof_layout::argument_buffer::{HANDLE, arguments, unsized_arrays};
use layoutproof_layout::resource::{DataLayout, Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, BlockKind, LayoutUnit, Span, Usage};

use super::bytes::{ByteRoom, WholeBlock};
use super::types::{TypeLayoutBuilder, TypePosition, finite};
use crate::Target;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A buffer with a layout inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockContainer {
    /// The unit of its own data.
    pub(super) unit: LayoutUnit,
    /// The kind of block, which selects the rule set.
    pub(super) kind: BlockKind,
    pub(super) data_layout: Option<DataLayout>,
    /// The position where the buffer itself is used.
    pub(super) place: TypePosition,
}

impl TypeLayoutBuilder<'_> {
    /// Returns the container that a resource is; `None` for resources without a layout inside.
    pub(super) fn group(&self, resource: &Resource, place: TypePosition) -> Option<BlockContainer> {
        let kind = match resource.kind {
            ResourceKind::ConstantBuffer => BlockKind::ConstantBuffer,
            ResourceKind::TextureBuffer => BlockKind::TextureBuffer,
            ResourceKind::ParameterBlock => BlockKind::ParameterBlock,
            _ => return None,
        };

        Some(BlockContainer {
            unit: self.settings.buffer_unit(resource.kind),
            kind,
            data_layout: resource.data_layout,
            place,
        })
    }

    pub(super) fn container(&mut self, ty: &Type, group: BlockContainer, element: &Type) -> TypeLayout {
        let is_block = group.kind == BlockKind::ParameterBlock;
        let is_argument_buffer = is_block && self.settings.target == Target::Metal;
        let arguments = if is_argument_buffer { arguments(element, self.settings.layout.matrix) } else { 0 };
        let room = match (is_block, self.settings.target, group.place.room) {
            (true, Target::Metal, _) if arguments > 0 => ByteRoom::Arguments,
            (true, Target::Metal, _) => ByteRoom::NoArguments,
            (true, Target::D3d12 | Target::Vulkan | Target::Webgpu, _) => ByteRoom::Block,
            (false, _, ByteRoom::Arguments | ByteRoom::NoArguments) => ByteRoom::Ordinary,
            (false, _, room) => room,
        };

        let span = group.place.span;
        if is_argument_buffer && element.holds(&|resource| matches!(resource.kind, ResourceKind::SubpassInput { .. })) {
            let message = "layoutproof does not model how Slang counts a subpass input in an argument buffer";
            self.problems.push(Diagnostic::error(Code::Unsupported, span, message));
        }
        let unsized_arrays = if is_argument_buffer { unsized_arrays(element) } else { 0 };
        if unsized_arrays > 1 || (unsized_arrays == 1 && arguments == 0) {
            let message = "layoutproof does not model how slangc counts this unsized array in an argument buffer";
            let help = "layoutproof models it if the buffer has other members and no second unsized array of resources";
            self.problems.push(Diagnostic::error(Code::Unsupported, span, message).with_help(help));
        }
        let whole = WholeBlock { kind: group.kind, data_layout: group.data_layout, element, room, span };
        let laid = self.bytes(whole);
        let mut inside = self.of(element, laid.as_ref(), TypePosition { room, span });
        // Slang counts arguments here, although the type and its fields have bytes.
        inside.usage.add(LayoutUnit::MetalArgument, Count::Finite(arguments));
        inside.usage.add(LayoutUnit::Space, Count::Finite(if arguments > 0 { unsized_arrays } else { 0 }));

        let own = self.own(group, &inside.usage);
        let usage = outside(&own, &inside.usage);
        let alignment = if group.place.room == ByteRoom::Arguments { HANDLE } else { 1 };
        TypeLayout { ty: ty.clone(), usage, alignment, parts: parts(ty, group.kind, &own, inside, span) }
    }

    /// Returns the units that a container takes itself if its content takes `inside`.
    fn own(&self, group: BlockContainer, inside: &Usage) -> Usage {
        let mut own = Usage::default();
        let has_bytes = inside.get(LayoutUnit::Bytes) != Count::Finite(0);
        match group.place.room {
            ByteRoom::Arguments => own.add(LayoutUnit::Bytes, Count::Finite(HANDLE)),
            ByteRoom::NoArguments => own.add(LayoutUnit::MetalArgument, Count::Finite(1)),
            ByteRoom::Ordinary | ByteRoom::Block if has_bytes || self.settings.target == Target::Metal => {
                own.add(group.unit, Count::Finite(1));
            }
            ByteRoom::Ordinary | ByteRoom::Block => {}
        }

        let needs_space = inside.iter().any(|(unit, _)| unit != LayoutUnit::Space);
        if group.kind == BlockKind::ParameterBlock && self.settings.blocks_have_spaces() && needs_space {
            own.add(LayoutUnit::Space, Count::Finite(1));
        }
        own
    }
}

/// Returns the units that a container takes as a whole. A space hides everything except further
/// spaces and the types that interfaces leave open.
fn outside(own: &Usage, inside: &Usage) -> Usage {
    let space = own.get(LayoutUnit::Space);
    if space != Count::Finite(0) {
        let mut usage = Usage::of(LayoutUnit::Space, space);
        usage.add(LayoutUnit::Space, inside.get(LayoutUnit::Space));
        usage.add(LayoutUnit::ExistentialType, inside.get(LayoutUnit::ExistentialType));
        return usage;
    }
    let own = own.iter().filter(|(unit, _)| *unit != LayoutUnit::MetalArgument);
    let leaks = |(unit, _): &(LayoutUnit, Count)| !matches!(unit, LayoutUnit::Bytes | LayoutUnit::MetalArgument);
    own.chain(inside.iter().filter(leaks)).collect()
}

/// Returns the container and, after its own units, the element.
fn parts(ty: &Type, kind: BlockKind, own: &Usage, inside: TypeLayout, span: Span) -> TypeParts {
    let behind = |unit| if unit == LayoutUnit::Bytes { 0 } else { finite(own.get(unit)) };
    let mut element = variable(inside, span, behind);
    // An argument buffer's bytes have no offset as a whole, except those of its pointers.
    if element.layout.argument_pointers() == Some(0) {
        element.offsets.retain(|offset| offset.unit != LayoutUnit::Bytes);
    }
    let container =
        TypeLayout { ty: container_type(ty, kind), usage: own.clone(), alignment: 1, parts: TypeParts::None };
    TypeParts::Contained { container: Box::new(variable(container, span, |_| 0)), element: Box::new(element) }
}

fn variable(layout: TypeLayout, span: Span, offset: impl Fn(LayoutUnit) -> u32) -> VariableLayout {
    let offsets = layout.usage.iter().map(|(unit, _)| UnitOffset { unit, space: 0, offset: offset(unit) }).collect();
    VariableLayout { name: None, annotations: Annotations::default(), offsets, layout: Arc::new(layout), span }
}

/// Returns the type of the container itself. A `tbuffer`, whose type is that of its members, is a
/// `TextureBuffer` of them.
fn container_type(ty: &Type, kind: BlockKind) -> Type {
    if kind != BlockKind::Tbuffer {
        return ty.clone();
    }
    let element = Some(Box::new(ty.clone()));
    Type::Resource(Resource { kind: ResourceKind::TextureBuffer, element, data_layout: None })
}
