//! A program's layout in the shape that `slangc -reflection-json` prints.
//!
//! Source: the output of slangc 2026.14.1 (the shape without a `version` key). `used` is as slangc
//! prints it when it generates code.

mod types;

use layoutproof_frontend::module::GeneratedNames;
use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, Argument, LayoutUnit, Span};

use super::image_format::format;
use super::node::{NodeFields, ReflectionNode};
use super::resource_usage;
use super::spelling::{self, simple_name};
use super::used::ParameterUses;
use super::varying::{Semantic, Varying, has_stage, per_sample};
use crate::tree::{EntryLayout, ProgramLayout, TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// Prints `program`. `used` tells which entry point reaches which parameters.
pub fn slang_json(program: &ProgramLayout, used: &ParameterUses, names: &GeneratedNames) -> String {
    let globals = parameters(&program.globals);
    let outside = VariableContext::outside(names);
    let listed = globals.iter().map(|global| parameter(global, &outside).into()).collect();
    let entry = |entry| JsonPrinter { globals, used, names }.entry_point(entry).into();
    // slangc does not count a function without a stage as an entry point.
    let staged = program.entry_points.iter().filter(|entry| !entry.stage.is_empty());
    let entries: Vec<ReflectionNode> = staged.map(entry).collect();
    let top = NodeFields::default()
        .with("parameters", ReflectionNode::List(listed))
        .with_some("entryPoints", (!entries.is_empty()).then_some(ReflectionNode::List(entries)))
        .with_some("typeParams", specialization_parameters(program, globals))
        .with_some("bindlessSpaceIndex", program.bindless_space.map(ReflectionNode::Number));
    ReflectionNode::from(top).to_json()
}

/// Returns the parameters of the program's specialisation: the types that interface values of
/// globals and of entry points leave open, which have no names, and the generic parameters of entry
/// points.
fn specialization_parameters(program: &ProgramLayout, globals: &[VariableLayout]) -> Option<ReflectionNode> {
    let nameless = |variables: &[VariableLayout]| {
        let count = variables.iter().map(|variable| interface_values(&variable.layout.ty)).sum();
        vec![String::new(); count]
    };
    let mut names = nameless(globals);
    for entry in &program.entry_points {
        names.extend(entry.generics.iter().cloned());
        names.extend(nameless(parameters(&entry.scope)));
    }

    let parameter = |name: &String| {
        let name = NodeFields::default().with("name", ReflectionNode::text(name));
        name.with("constraints", ReflectionNode::List(Vec::new())).into()
    };
    (!names.is_empty()).then(|| ReflectionNode::List(names.iter().map(parameter).collect()))
}

/// Counts the types that the interface values in `ty` leave open, as slangc 2026.14.1 does: one for
/// all elements of an array, none inside a `StructuredBuffer`.
fn interface_values(ty: &Type) -> usize {
    match ty {
        Type::Interface { .. } => 1,
        Type::Array { element, .. } => interface_values(element),
        Type::Struct(structure) => structure.all_members().map(|member| interface_values(&member.ty)).sum(),
        Type::Resource(resource) => match resource.kind {
            ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer | ResourceKind::ParameterBlock => {
                resource.element.as_deref().map_or(0, interface_values)
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// Returns the parameters of a scope, which may be wrapped in a constant buffer.
pub(super) fn parameters(scope: &VariableLayout) -> &[VariableLayout] {
    match &scope.layout.parts {
        TypeParts::Fields(fields) => fields,
        TypeParts::Contained { element, .. } => parameters(element),
        _ => &[],
    }
}

/// Properties that a variable inherits from its surroundings.
#[derive(Clone, Debug)]
struct VariableContext<'a> {
    stage: Option<&'a str>,
    /// The way in which the variable passes between stages.
    varying: Varying,
    names: &'a GeneratedNames,
}

impl<'a> VariableContext<'a> {
    /// Outside every entry point.
    fn outside(names: &'a GeneratedNames) -> Self {
        Self { stage: None, varying: Varying::No, names }
    }

    fn inside(&self, variable: &VariableLayout) -> Self {
        Self { varying: self.varying.inside(variable), ..self.clone() }
    }

    /// The name of a parameter or a struct: without one in the source, the name that slangc makes up.
    fn name(&self, declared: Option<&str>, place: Span) -> NodeFields {
        let declared = declared.and_then(simple_name);
        let generated = self.names.get(&place).map(|number| format!("SLANG_anonymous_{number}"));
        let name = declared.map(ReflectionNode::text).or(generated.map(ReflectionNode::Text));
        NodeFields::default().with_some("name", name)
    }
}

/// Prints a program layout as `slangc -reflection-json` does.
struct JsonPrinter<'a> {
    globals: &'a [VariableLayout],
    used: &'a ParameterUses,
    names: &'a GeneratedNames,
}

impl JsonPrinter<'_> {
    fn entry_point(&self, entry: &EntryLayout) -> NodeFields {
        let own = parameters(&entry.scope);
        let stage = stage_name(&entry.stage);
        let context = |variable| VariableContext { stage, varying: Varying::of_parameter(variable), names: self.names };
        let listed: Vec<ReflectionNode> =
            own.iter().map(|variable| parameter(variable, &context(variable)).into()).collect();
        let per_sample = stage == Some("fragment") && per_sample(own);
        let size = |size: [u32; 3]| ReflectionNode::List(size.map(ReflectionNode::Number).to_vec());
        let result = entry.result.as_ref().map(|result| {
            let varying = Varying::Yes(None);
            parameter(result, &VariableContext { stage, varying, names: self.names })
        });
        let bindings: Vec<ReflectionNode> =
            self.globals.iter().map(|global| self.usage(&entry.name, global).into()).collect();

        NodeFields::default()
            .with("name", ReflectionNode::text(&entry.name))
            .with_some("stage", stage.map(ReflectionNode::text))
            .with_some("parameters", (!listed.is_empty()).then_some(ReflectionNode::List(listed)))
            .with_some("usesAnySampleRateInput", per_sample.then_some(true))
            .with_some("result", result)
            .with_some("threadGroupSize", entry.thread_group_size.map(size))
            .with_some("bindings", (!bindings.is_empty()).then_some(ReflectionNode::List(bindings)))
            .with_some("userAttribs", declared_attributes(&entry.annotations))
    }

    /// Prints a global parameter with the units of it that `entry` uses.
    fn usage(&self, entry: &str, global: &VariableLayout) -> NodeFields {
        let used = self.used.units(entry, global);
        let flagged = |offset: UnitOffset| match offset.unit {
            LayoutUnit::Bytes => binding(global, offset),
            unit => binding(global, offset).with("used", u32::from(used.contains(&unit))),
        };
        let named = VariableContext::outside(self.names).name(global.name.as_deref(), global.span);
        named.and(one_or_several(resource_usage::offsets(global).into_iter().map(flagged)))
    }
}

/// Returns slangc's name for a stage. slangc omits the ray-tracing stages.
fn stage_name(stage: &str) -> Option<&str> {
    let named =
        ["vertex", "hull", "domain", "geometry", "fragment", "compute", "mesh", "amplification"].contains(&stage);
    named.then_some(stage)
}

/// Prints a parameter of the program or of an entry point, or a result.
fn parameter(variable: &VariableLayout, context: &VariableContext<'_>) -> NodeFields {
    let is_shared = variable.annotations.modifiers.iter().any(|word| word == "shared");
    context
        .name(variable.name.as_deref(), variable.span)
        .with_some("shared", is_shared.then_some(true))
        // The attributes of a result belong to the function.
        .with_some("userAttribs", variable.name.as_ref().and_then(|_| declared_attributes(&variable.annotations)))
        .and(place(variable, context))
        .with("type", types::layout(&variable.layout, &context.inside(variable)))
}

fn declared_attributes(annotations: &Annotations) -> Option<ReflectionNode> {
    let listed = annotations.attributes.iter().filter_map(|attribute| {
        let arguments = attribute.arguments.iter().map(argument).collect();
        let name = NodeFields::default().with("name", ReflectionNode::text(attribute.declared.as_deref()?));
        Some(name.with("arguments", ReflectionNode::List(arguments)).into())
    });
    let listed: Vec<ReflectionNode> = listed.collect();
    (!listed.is_empty()).then_some(ReflectionNode::List(listed))
}

fn argument(argument: &Argument) -> ReflectionNode {
    match argument {
        Argument::Integer(value) => ReflectionNode::Integer(*value),
        Argument::Text(text) => ReflectionNode::text(text),
        // A literal with a fraction. For any other expression slangc prints `invalid value`.
        Argument::Other(written) => {
            match written.replace(' ', "").trim_end_matches(['f', 'F', 'h', 'l', 'L']).parse() {
                Ok(value) => ReflectionNode::Float(value),
                Err(_) => ReflectionNode::Word("invalid value"),
            }
        }
    }
}

/// Prints stage, bindings, semantic and format.
fn place(variable: &VariableLayout, context: &VariableContext<'_>) -> NodeFields {
    let semantic = context.varying.semantic(variable);
    let index = semantic.as_ref().map(|semantic| semantic.index).filter(|index| *index != 0);
    let stage = context.stage.filter(|_| has_stage(variable));
    NodeFields::default()
        .with_some("stage", stage.map(ReflectionNode::text))
        .and(bindings(variable))
        .with_some("semanticName", semantic.as_ref().map(|Semantic { name, .. }| ReflectionNode::text(name)))
        .with_some("semanticIndex", index.map(ReflectionNode::Number))
        .with_some("format", format(variable).map(ReflectionNode::Text))
}

/// Prints `binding`, or `bindings` for several units.
fn bindings(variable: &VariableLayout) -> NodeFields {
    one_or_several(resource_usage::offsets(variable).into_iter().map(|offset| binding(variable, offset)))
}

fn one_or_several(bindings: impl Iterator<Item = NodeFields>) -> NodeFields {
    let mut bindings: Vec<ReflectionNode> = bindings.map(ReflectionNode::Map).collect();
    let none = NodeFields::default();
    match bindings.len() {
        0 => none,
        1 => none.with_some("binding", bindings.pop()),
        _ => none.with("bindings", ReflectionNode::List(bindings)),
    }
}

/// Prints the place of `variable` in the unit of `offset`: bytes have an offset and a size, other
/// units an index and a count.
fn binding(variable: &VariableLayout, offset: UnitOffset) -> NodeFields {
    let taken = variable.layout.usage.get(offset.unit);
    let kind = NodeFields::kind(spelling::unit(offset.unit).0.json);
    if let (LayoutUnit::Bytes, Some(pointers)) = (offset.unit, variable.layout.argument_pointers()) {
        return kind.with("offset", offset.offset).with("size", pointers).with("elementStride", 0);
    }
    if offset.unit == LayoutUnit::Bytes {
        return kind
            .with("offset", offset.offset)
            .with("size", taken)
            .with("elementStride", element_stride(&variable.layout));
    }
    kind.with_some("space", (offset.space != 0).then_some(offset.space))
        .with("index", offset.offset)
        .with_some("count", (taken != Count::Finite(1)).then_some(taken))
}

/// Returns the stride of the elements of an array or a vector, in bytes. It is 0 for types that
/// have none according to slangc, which include matrices.
fn element_stride(layout: &TypeLayout) -> ReflectionNode {
    match (&layout.parts, &layout.ty) {
        (TypeParts::Elements { stride, .. }, _) => stride.get(LayoutUnit::Bytes).into(),
        (TypeParts::None, Type::Vector { scalar, length }) => {
            let Count::Finite(bytes) = layout.usage.get(LayoutUnit::Bytes) else { return ReflectionNode::Number(0) };
            // The size of a bool depends on the rule set. It is a share of the vector, which Metal
            // pads to four.
            ReflectionNode::Number(scalar.size(SixteenBit::On, bytes / length))
        }
        // A handle consists of two `uint`s.
        (TypeParts::None, Type::Handle { .. }) => ReflectionNode::Number(4),
        _ => ReflectionNode::Number(0),
    }
}
