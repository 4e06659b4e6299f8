//! Entry points: uniform parameters in their own scope, varyings with locations.
//!
//! The uniform parameters are placed together, as one parameter: first the buffer of their bytes
//! (on Vulkan a push constant, or a shader record for ray tracing), then their resources.
//!
//! Source: Slang user guide, Parameter Layout Rules, Ordering; measured with Slang 2026.14.1.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, Type};
use layoutproof_layout::{Annotations, Argument, BlockKind, LaidOut, LayoutUnit, Span, Usage};

use super::bytes::{ByteRoom, WholeBlock};
use super::containers::BlockContainer;
use super::explicit::{ExplicitParameter, FixedSlot, vulkan_binding, vulkan_number, whole_set};
use super::scope::{ScopeDraft, ScopeItem, SlotPosition, structure};
use super::types::{TypeLayoutBuilder, TypePosition, finite, members, next_member, with_bytes};
use super::varying::{Varyings, blend_index};
use crate::Target;
use crate::slots::SlotLine;
use crate::tree::{EntryLayout, TypeLayout, UnitOffset, VariableLayout};
use layoutproof_frontend::module::{EntryParameter, EntryPoint};
use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Debug)]
pub(super) struct FixedParameter<'m> {
    pub(super) name: &'m str,
    pub(super) span: Span,
    pub(super) slot: FixedSlot,
    pub(super) layout: Arc<TypeLayout>,
}

#[derive(Debug)]
pub(super) struct MeasuredEntry<'m> {
    declared: &'m EntryPoint,
    stage: String,
    /// All uniform parameters as one item.
    pub(super) scope: ScopeItem<'m>,
    /// Explicit slots of single parameters.
    pub(super) fixed: Vec<FixedParameter<'m>>,
    /// Names of the parameters with an explicit slot. If there are any, no parameter is placed
    /// together with the others (Slang 2026.14.1).
    bound: Vec<&'m str>,
    /// Numbers and counts of render targets that take `u` registers.
    pub(super) render_targets: Vec<(u32, u32)>,
    pub(super) problems: Vec<Diagnostic>,
    ty: Type,
    size: Count,
    alignment: u32,
    buffer: Option<LayoutUnit>,
    fields: Vec<VariableLayout>,
    result: Option<VariableLayout>,
}

impl<'m> MeasuredEntry<'m> {
    pub(super) fn of(declared: &'m EntryPoint, types: &mut TypeLayoutBuilder<'_>) -> Self {
        let stage = stage(&declared.annotations, types.settings.stage);
        let uniform: Vec<Member> = declared.parameters.iter().filter(|one| one.is_uniform()).map(member).collect();
        let ty = structure(&declared.uniform_block(), uniform, declared.span);
        let (room, span) = (ByteRoom::Ordinary, declared.span);
        let laid =
            types.bytes(WholeBlock { kind: BlockKind::EntryUniforms, data_layout: None, element: &ty, room, span });
        let whole = with_bytes(&ty, laid.as_ref());
        let (size, alignment) = (whole.usage.get(LayoutUnit::Bytes), whole.alignment);
        let buffer = (size != Count::Finite(0)).then(|| buffer_unit(types, &stage));
        let used = buffer.map(|unit| Usage::of(unit, Count::Finite(1))).unwrap_or_default();
        let mut uniforms = Uniforms { types, running: used.clone(), used, fixed: Vec::new(), problems: Vec::new() };
        let fields = uniforms.fields(declared, laid.as_ref());
        let Uniforms { types, mut used, fixed, problems, .. } = uniforms;
        let bound: Vec<&str> = fixed.iter().map(|fixed| fixed.name).collect();
        if !bound.is_empty() {
            let placed_alone = used.iter().filter(|(unit, _)| !is_descriptor(*unit));
            let mut rest: Usage = placed_alone.collect();
            // On WebGPU Slang gives the buffer of the other parameters no binding either.
            let buffer = buffer.filter(|unit| !is_descriptor(*unit));
            if let Some(unit) = buffer {
                rest.set(unit, Count::Finite(1));
            }
            used = rest;
        }
        let layout = TypeLayout { usage: used, ..with_bytes(&ty, None) };
        let (name, annotations) = (declared.name.as_str(), &declared.annotations);
        let scope = ScopeItem { name, annotations, span, layout: Arc::new(layout), bytes: 0, at: BTreeMap::new() };
        let mut entry = Self {
            declared,
            stage,
            scope,
            fixed,
            bound,
            render_targets: Vec::new(),
            problems,
            ty,
            size,
            alignment,
            buffer,
            fields,
            result: None,
        };

        let stage = entry.stage.clone();
        entry.vary(Varyings { types, stage, span, render_targets: Vec::new(), semantic_index: 0 });
        entry
    }

    /// Adds the varyings to the fields, in the order of the parameters, and the result.
    fn vary(&mut self, mut varyings: Varyings<'_, '_>) {
        let mut uniforms = std::mem::take(&mut self.fields).into_iter();
        for parameter in &self.declared.parameters {
            let field = if parameter.is_uniform() { uniforms.next() } else { None };
            let field = field.unwrap_or_else(|| {
                let EntryParameter { name, annotations, span, .. } = parameter;
                let layout = varyings.parameter(parameter);
                variable(Some(name), annotations, layout, *span)
            });
            self.fields.push(field);
        }

        self.result = self.declared.result.as_ref().map(|ty| {
            let layout = varyings.result(ty, self.declared.result_semantic.as_deref());
            let annotations = Annotations {
                semantic: self.declared.result_semantic.clone(),
                attributes: self.declared.annotations.attributes.clone(),
                ..Annotations::default()
            };
            variable(None, &annotations, layout, self.declared.span)
        });
        for unit in VARYING_UNITS {
            let all: Vec<&mut VariableLayout> = self.fields.iter_mut().chain(&mut self.result).collect();
            locate(all, unit, &varyings);
        }

        if varyings.types.settings.render_targets_are_views() {
            self.render_targets = varyings.render_targets;
        }
    }

    /// Returns the uniform parameters that are placed one by one and have no binding yet.
    pub(super) fn unbound(&mut self) -> impl Iterator<Item = (&'m EntryParameter, &mut VariableLayout)> {
        let (bound, any) = (&self.bound, !self.bound.is_empty());
        let is_open = move |parameter: &EntryParameter| {
            any && parameter.is_uniform() && !bound.contains(&parameter.name.as_str())
        };
        let pairs = self.declared.parameters.iter().zip(&mut self.fields);
        pairs.filter(move |(parameter, _)| is_open(parameter))
    }

    pub(super) fn unbound_units(&self) -> impl Iterator<Item = LayoutUnit> {
        let pairs = self.declared.parameters.iter().zip(&self.fields);
        let unbound = pairs.filter(|(parameter, _)| self.is_placed_alone(parameter));
        unbound.flat_map(|(_, field)| field.layout.usage.iter().map(|(unit, _)| unit))
    }

    pub(super) fn has_callable_payload(&self) -> bool {
        self.fields.iter().any(|field| field.layout.takes(LayoutUnit::CallablePayload))
    }

    /// True for a parameter that is placed alone and has no explicit binding.
    fn is_placed_alone(&self, parameter: &EntryParameter) -> bool {
        !self.bound.is_empty() && parameter.is_uniform() && !self.bound.contains(&parameter.name.as_str())
    }

    /// Returns the tree of the entry point, after its scope is placed.
    pub(super) fn into_layout(self) -> EntryLayout {
        let Self { declared, stage, scope, ty, size, alignment, buffer, fields, result, .. } = self;
        let offset =
            |(unit, at): (&LayoutUnit, &SlotPosition)| UnitOffset { unit: *unit, space: at.space, offset: at.index };
        let offsets = scope.at.iter().map(offset).collect();
        let buffer = buffer.map(|unit| (unit, SlotPosition { space: 0, index: 0 }));

        EntryLayout {
            name: declared.name.clone(),
            annotations: declared.annotations.clone(),
            generics: declared.generics.clone(),
            thread_group_size: if stage == "compute" { thread_group_size(&declared.annotations) } else { None },
            stage,
            scope: ScopeDraft { ty, size, alignment, fields, buffer }.tree(offsets, declared.span),
            result,
        }
    }
}

/// Places the uniform parameters of an entry point one after the other.
#[derive(Debug)]
struct Uniforms<'t, 's, 'm> {
    types: &'t mut TypeLayoutBuilder<'s>,
    /// The units of all parameters together.
    used: Usage,
    /// The same without unsized arrays.
    running: Usage,
    fixed: Vec<FixedParameter<'m>>,
    problems: Vec<Diagnostic>,
}

impl<'m> Uniforms<'_, '_, 'm> {
    fn fields(&mut self, declared: &'m EntryPoint, laid: Option<&LaidOut>) -> Vec<VariableLayout> {
        let mut members = members(laid).iter().peekable();
        let mut fields = Vec::new();
        for parameter in declared.parameters.iter().filter(|parameter| parameter.is_uniform()) {
            let laid = next_member(&mut members, &member(parameter));
            let place = TypePosition { room: ByteRoom::Ordinary, span: parameter.span };
            let layout = match pushed_element(parameter, self.types.settings.target) {
                Some((resource, element)) => {
                    // Slang 2026.14.1 binds it like any other buffer, but with the layout of a push
                    // constant, also in its code.
                    let unit = self.types.settings.buffer_unit(resource.kind);
                    let (kind, data_layout) = (BlockKind::PushConstant, resource.data_layout);
                    self.types.container(&parameter.ty, BlockContainer { unit, kind, data_layout, place }, element)
                }
                None => self.types.of(&parameter.ty, laid.map(|laid| &laid.layout), place),
            };
            fields.push(self.field(parameter, layout, laid.map_or(0, |laid| laid.offset)));
        }
        fields
    }

    fn field(&mut self, parameter: &'m EntryParameter, layout: TypeLayout, bytes: u32) -> VariableLayout {
        let EntryParameter { name, annotations, span, .. } = parameter;
        let mut field = variable(Some(name), annotations, layout, *span);
        let fixed = self.explicit(parameter, &field.layout);
        let attachment = vulkan_number(annotations, "input_attachment_index").map(|(index, _)| index);
        let attachment = attachment.filter(|_| self.types.settings.binds_entry_parameters());

        for (at, (unit, count)) in field.offsets.iter_mut().zip(field.layout.usage.iter()) {
            match fixed.filter(|fixed| fixed.unit == unit) {
                Some(fixed) => (at.space, at.offset) = (fixed.space.unwrap_or(0), fixed.index),
                None if unit == LayoutUnit::Bytes => at.offset = bytes,
                None => {
                    // An unsized array does not count for the fields after it.
                    let explicit = attachment.filter(|_| unit == LayoutUnit::InputAttachment);
                    at.offset = explicit.unwrap_or_else(|| finite(self.running.get(unit)));
                    self.running.add(unit, Count::Finite(finite(count)));
                    self.used.add(unit, count);
                }
            }
        }

        if let Some(slot) = fixed {
            self.fixed.push(FixedParameter { name, span: *span, slot, layout: Arc::clone(&field.layout) });
        }
        field
    }

    /// Returns the explicit binding of a parameter. Like Slang, ignores other explicit places (its
    /// warning E38010).
    fn explicit(&mut self, parameter: &EntryParameter, layout: &TypeLayout) -> Option<FixedSlot> {
        let settings = self.types.settings;
        let takes = |unit| layout.takes(unit);
        let honours = settings.binds_entry_parameters() && (takes(LayoutUnit::Binding) || takes(LayoutUnit::Space));
        let (honoured, ignored) = match vulkan_binding(&parameter.annotations) {
            Some(binding) if honours && takes(LayoutUnit::Binding) => (Some(binding), None),
            Some(binding) if honours => {
                let asking = ExplicitParameter { name: &parameter.name, layout, annotations: &parameter.annotations };
                (whole_set(asking, binding, &mut self.problems), None)
            }
            binding => (None, binding.map(|binding| binding.span)),
        };

        let registers = parameter.annotations.registers.iter().map(|register| register.span);
        for span in registers.chain(ignored) {
            let message = format!("this has no effect on `{}`, which is a parameter of an entry point", parameter.name);
            self.problems.push(Diagnostic::warning(Code::Ignored, span, message));
        }

        honoured
    }
}

/// True for the units of descriptors, in which `[[vk::binding]]` places a parameter.
pub(super) fn is_descriptor(unit: LayoutUnit) -> bool {
    matches!(unit, LayoutUnit::Binding | LayoutUnit::Space)
}

/// The units that each entry point counts from 0.
const VARYING_UNITS: [LayoutUnit; 5] = [
    LayoutUnit::LocationIn,
    LayoutUnit::LocationOut,
    LayoutUnit::RayPayload,
    LayoutUnit::HitAttributes,
    LayoutUnit::CallablePayload,
];

/// Gives out the locations of one direction: explicit ones first, then the first gap for each
/// parameter in order.
fn locate(variables: Vec<&mut VariableLayout>, unit: LayoutUnit, varyings: &Varyings<'_, '_>) {
    let mut line: SlotLine<()> = SlotLine::default();
    let mut open = Vec::new();
    for variable in variables {
        let Some(index) = variable.offsets.iter().position(|at| at.unit == unit) else { continue };
        match varyings.location(&variable.annotations, &variable.layout) {
            Some(location) => {
                line.reserve(location, variable.layout.usage.get(unit), ());
                variable.offsets[index].offset = location;
                variable.offsets[index].space = blend_index(&variable.annotations);
            }
            None => open.push((variable, index)),
        }
    }

    for (variable, index) in open {
        let count = variable.layout.usage.get(unit);
        let first = line.first_fit(count, 0).unwrap_or(u32::MAX);
        line.reserve(first, count, ());
        variable.offsets[index].offset = first;
    }
}

fn variable(name: Option<&String>, annotations: &Annotations, layout: TypeLayout, span: Span) -> VariableLayout {
    let offsets = layout.usage.iter().map(|(unit, _)| UnitOffset { unit, space: 0, offset: 0 }).collect();
    let (name, annotations) = (name.cloned(), annotations.clone());
    VariableLayout { name, annotations, offsets, layout: Arc::new(layout), span }
}

fn member(parameter: &EntryParameter) -> Member {
    let EntryParameter { name, ty, annotations, span, .. } = parameter.clone();
    Member { name, ty, bit_width: None, annotations, span }
}

/// Returns the `ConstantBuffer<T>` of a parameter with `[[vk::push_constant]]`, and `T`. Only
/// Vulkan has push constants.
fn pushed_element(parameter: &EntryParameter, target: Target) -> Option<(&Resource, &Type)> {
    let is_pushed = target == Target::Vulkan && parameter.annotations.is_push_constant();
    let resource =
        parameter.ty.resource().filter(|resource| is_pushed && resource.kind == ResourceKind::ConstantBuffer)?;
    Some((resource, resource.element.as_deref()?))
}

fn buffer_unit(types: &TypeLayoutBuilder<'_>, stage: &str) -> LayoutUnit {
    let is_ray_tracing =
        matches!(stage, "raygeneration" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable");
    match types.settings.target {
        Target::Vulkan if is_ray_tracing => LayoutUnit::ShaderRecord,
        Target::Vulkan => LayoutUnit::PushConstant,
        Target::D3d12 | Target::Webgpu | Target::Metal => types.settings.buffer_unit(ResourceKind::ConstantBuffer),
    }
}

/// Returns the stage that an attribute or else the profile names; empty if neither does.
fn stage(annotations: &Annotations, profile: Option<&str>) -> String {
    let named = annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
    match named {
        Some(Argument::Text(stage)) if stage == "pixel" => "fragment".to_owned(),
        Some(Argument::Text(stage)) if stage == "raygen" => "raygeneration".to_owned(),
        Some(Argument::Text(stage)) => stage.clone(),
        Some(Argument::Integer(_) | Argument::Other(_)) | None => {
            implied_stage(annotations).or(profile).unwrap_or_default().to_owned()
        }
    }
}

/// Returns the stage that attributes with another purpose imply.
fn implied_stage(annotations: &Annotations) -> Option<&'static str> {
    let has = |name| annotations.attribute(None, name).is_some();
    match (has("numthreads"), has("outputtopology"), has("patchconstantfunc")) {
        (true, true, _) => Some("mesh"),
        (true, false, _) => Some("compute"),
        (false, _, true) => Some("hull"),
        (false, _, false) => None,
    }
}

fn thread_group_size(annotations: &Annotations) -> Option<[u32; 3]> {
    // Without the attribute Slang 2026.14.1 shows one thread.
    let Some(attribute) = annotations.attribute(None, "numthreads") else { return Some([1; 3]) };
    let arguments = &attribute.arguments;
    let size = |at: usize| match arguments.get(at) {
        Some(Argument::Integer(size)) => u32::try_from(*size).ok(),
        // A specialization constant or a generic parameter (Slang 2026.14.1).
        Some(Argument::Other(_)) => Some(0),
        Some(Argument::Text(_)) => None,
        None => Some(1),
    };
    Some([size(0)?, size(1)?, size(2)?])
}
