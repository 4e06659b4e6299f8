//! The parameters of a scope with their layouts, as items to place, and the tree of a placed scope.
//!
//! Loose globals share one buffer, laid out as a struct in the order of declaration, with those of
//! imported modules. [`super::program`] places the [`ScopeItem`]s. [`ScopeDraft`] then builds the [`VariableLayout`] of the
//! whole scope: a struct of the parameters, in a constant buffer if they have bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, BlockKind, LaidOut, LayoutUnit, Span, Usage};

use super::bytes::{ByteRoom, WholeBlock};
use super::containers::BlockContainer;
use super::explicit::ExplicitParameter;
use super::program::SlotOwner;
use super::types::{TypeLayoutBuilder, TypePosition, members, next_member, with_bytes};
use crate::Target;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};
use layoutproof_frontend::module::{Module, NamespaceRank, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

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

    pub(super) fn into_field(self) -> VariableLayout {
        let offset = |(unit, _): (LayoutUnit, Count)| match self.at.get(&unit) {
            Some(at) => UnitOffset { unit, space: at.space, offset: at.index },
            None => UnitOffset { unit, space: 0, offset: if unit == LayoutUnit::Bytes { self.bytes } else { 0 } },
        };
        let taken = self.layout.usage.iter().map(offset);
        // This is a register of a class that the parameter does not have. Reflection shows it on
        // Metal.
        let is_other = |unit: LayoutUnit| unit.is_register() && !self.layout.takes(unit);
        let others = self.at.iter().filter(|(unit, _)| is_other(**unit));
        let others = others.map(|(unit, at)| UnitOffset { unit: *unit, space: at.space, offset: at.index });
        let offsets = taken.chain(others).collect();
        let Self { name, annotations, span, layout, .. } = self;
        VariableLayout { name: Some(name.to_owned()), annotations: annotations.clone(), offsets, layout, span }
    }
}

pub(super) fn structure(name: &str, members: Vec<Member>, span: Span) -> Type {
    Type::Struct(Arc::new(StructType { name: name.to_owned(), base: None, members, span, is_open: false }))
}

/// A scope that is being built.
#[derive(Debug)]
pub(super) struct ScopeDraft {
    pub(super) ty: Type,
    pub(super) size: Count,
    pub(super) alignment: u32,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobalRole {
    /// `cbuffer`, `tbuffer`, push constants.
    Buffer,
    Constant,
    /// A variable. Its bytes are in the globals' buffer.
    Variable,
}

/// The global scope with the sizes of its parameters.
#[derive(Debug)]
pub(super) struct MeasuredGlobals<'m> {
    pub(super) ty: Type,
    pub(super) laid: Option<LaidOut>,
    pub(super) items: Vec<ScopeItem<'m>>,
}

impl<'m> MeasuredGlobals<'m> {
    pub(super) fn of(module: &'m Module, types: &mut TypeLayoutBuilder<'_>) -> Self {
        let is_loose = |parameter: &&Parameter| role(parameter, types.settings.target) == GlobalRole::Variable;
        let parameters = in_order(module);
        let loose: Vec<Member> = parameters.iter().copied().filter(is_loose).map(member).collect();
        let span = loose.first().map(|member| member.span).unwrap_or_default();
        let ty = structure("$Globals", loose, span);
        let whole =
            WholeBlock { kind: BlockKind::Globals, data_layout: None, element: &ty, room: ByteRoom::Ordinary, span };
        let laid = types.bytes(whole);

        let mut members = members(laid.as_ref()).iter().peekable();
        let mut items = Vec::new();
        for parameter in parameters {
            let item = match role(parameter, types.settings.target) {
                GlobalRole::Buffer => item(parameter, types.buffer(parameter), 0),
                GlobalRole::Constant => item(parameter, constant(&parameter.ty), 0),
                GlobalRole::Variable => {
                    let laid = next_member(&mut members, &member(parameter));
                    let place = TypePosition { room: ByteRoom::Ordinary, span: parameter.span };
                    let layout = types.of(&parameter.ty, laid.map(|laid| &laid.layout), place);
                    item(parameter, layout, laid.map_or(0, |laid| laid.offset))
                }
            };
            items.push(item);
        }

        Self { ty, laid, items }
    }

    pub(super) fn bytes(&self) -> (Count, u32) {
        let layout = with_bytes(&self.ty, self.laid.as_ref());
        (layout.usage.get(LayoutUnit::Bytes), layout.alignment)
    }

    /// Returns the declaration of the first parameter.
    pub(super) fn span(&self) -> Span {
        self.items.first().map(|item| item.span).unwrap_or_default()
    }
}

/// Returns the parameters in the order in which slangc visits them. Those of imported modules,
/// which only Slang has, are already in order.
fn in_order(module: &Module) -> Vec<&Parameter> {
    let mut parameters: Vec<&Parameter> = module.parameters.iter().collect();
    let own = module.own_parameters.min(parameters.len());
    parameters[..own].sort_by_cached_key(|parameter| NamespaceRank::of(&parameter.name, &module.namespaces));
    parameters
}

impl TypeLayoutBuilder<'_> {
    /// Lays out a `cbuffer`, a `tbuffer` or a push constant.
    fn buffer(&mut self, parameter: &Parameter) -> TypeLayout {
        let place = TypePosition { room: ByteRoom::Ordinary, span: parameter.span };
        let is_push_constant = parameter.annotations.is_push_constant();
        let pushed = if is_push_constant { pushed_buffer(&parameter.ty) } else { None };
        let (kind, resource, ty) = match parameter.kind {
            ParameterKind::Tbuffer => (BlockKind::Tbuffer, ResourceKind::TextureBuffer, &parameter.ty),
            ParameterKind::Cbuffer => (BlockKind::Cbuffer, ResourceKind::ConstantBuffer, &parameter.ty),
            ParameterKind::Variable | ParameterKind::Global => {
                (BlockKind::ConstantBuffer, ResourceKind::ConstantBuffer, pushed.as_ref().unwrap_or(&parameter.ty))
            }
        };

        let element = match parameter.kind {
            ParameterKind::Tbuffer | ParameterKind::Cbuffer => Some(ty),
            ParameterKind::Variable | ParameterKind::Global => push_constant_element(ty),
        };
        let Some(element) = element else {
            let message =
                "only data, a cbuffer or a ConstantBuffer can be a push constant, and no data a shader record";
            self.problems.push(Diagnostic::error(Code::BadAttribute, parameter.span, message));
            return with_bytes(&parameter.ty, None);
        };

        let is_pushed = is_push_constant && self.settings.speaks_spirv();
        let is_record = is_shader_record(parameter) && self.settings.speaks_spirv();
        let (unit, kind) = match (is_pushed, is_record) {
            (true, _) => (LayoutUnit::PushConstant, BlockKind::PushConstant),
            (false, true) => (LayoutUnit::ShaderRecord, BlockKind::ShaderRecord),
            (false, false) => (self.settings.buffer_unit(resource), kind),
        };
        let data_layout = ty.resource().and_then(|resource| resource.data_layout);
        self.container(ty, BlockContainer { unit, kind, data_layout, place }, element)
    }
}

/// Returns the buffer for data with `[[vk::push_constant]]`: `PC pc;` then means
/// `ConstantBuffer<PC> pc;`.
fn pushed_buffer(ty: &Type) -> Option<Type> {
    let element = Some(Box::new(ty.clone())).filter(|_| !matches!(ty.dimensions().0, Type::Resource(_)));
    let kind = ResourceKind::ConstantBuffer;
    element.map(|element| Type::Resource(Resource { kind, element: Some(element), data_layout: None }))
}

fn push_constant_element(ty: &Type) -> Option<&Type> {
    let buffer = ty.resource().filter(|resource| resource.kind == ResourceKind::ConstantBuffer);
    buffer?.element.as_deref()
}

fn role(parameter: &Parameter, target: Target) -> GlobalRole {
    match parameter.kind {
        ParameterKind::Cbuffer | ParameterKind::Tbuffer => GlobalRole::Buffer,
        ParameterKind::Variable | ParameterKind::Global
            if parameter.annotations.is_push_constant() || is_shader_record(parameter) =>
        {
            GlobalRole::Buffer
        }
        ParameterKind::Global if target != Target::D3d12 && parameter.annotations.is_specialization_constant() => {
            GlobalRole::Constant
        }
        ParameterKind::Variable | ParameterKind::Global => GlobalRole::Variable,
    }
}

fn is_shader_record(parameter: &Parameter) -> bool {
    parameter.annotations.is_slang_shader_record()
}

fn constant(ty: &Type) -> TypeLayout {
    TypeLayout { usage: Usage::of(LayoutUnit::ConstantId, Count::Finite(1)), ..with_bytes(ty, None) }
}

/// Returns the parameter as a member of the globals' struct. Its registers are not places in that
/// struct.
fn member(parameter: &Parameter) -> Member {
    let Parameter { name, ty, span, .. } = parameter.clone();
    Member { name, ty, bit_width: None, annotations: Annotations::default(), span }
}

fn item(parameter: &Parameter, layout: TypeLayout, bytes: u32) -> ScopeItem<'_> {
    let Parameter { name, annotations, span, .. } = parameter;
    ScopeItem { name, annotations, span: *span, layout: Arc::new(layout), bytes, at: BTreeMap::new() }
}
