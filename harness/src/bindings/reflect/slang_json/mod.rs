//! A program's layout in the shape that `slangc -reflection-json` prints.
//!
//! Source: output of slangc 2026.14.1 (the shape without a `version` key), `used` as it prints it when it generates code.

mod types;

use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::{Count, Type};

use super::image_format::format;
use super::node::{Fields, Node};
use super::resource_usage;
use super::spelling::{self, simple_name};
use super::used::Used;
use super::varying::{Semantic, Varying, has_stage, per_sample};
use crate::bindings::tree::{EntryLayout, Parts, ProgramLayout, TypeLayout, UnitOffset, VariableLayout};
use crate::bindings::unit::LayoutUnit;

/// Prints `program`; `used` says which entry point reaches what.
pub fn slang_json(program: &ProgramLayout, used: &Used) -> String {
    let globals = parameters(&program.globals);
    let listed = globals.iter().map(|global| parameter(global, &Context::OUTSIDE).into()).collect();
    let entry = |entry| Printer { globals, used }.entry_point(entry).into();
    let entries: Vec<Node> = program.entry_points.iter().map(entry).collect();
    let top = Fields::default()
        .with("parameters", Node::List(listed))
        .with_some("entryPoints", (!entries.is_empty()).then_some(Node::List(entries)))
        .with_some("bindlessSpaceIndex", program.bindless_space.map(Node::Number));
    Node::from(top).to_json()
}

/// The parameters of a scope, which may be wrapped in a constant buffer.
pub(super) fn parameters(scope: &VariableLayout) -> &[VariableLayout] {
    match &scope.layout.parts {
        Parts::Fields(fields) => fields,
        Parts::Contained { element, .. } => parameters(element),
        Parts::None | Parts::Elements { .. } | Parts::Memory(_) => &[],
    }
}

/// What a variable's surroundings say of it.
#[derive(Clone, Debug)]
struct Context<'a> {
    /// Stage of the entry point.
    stage: Option<&'a str>,
    /// Whether it passes between stages.
    varying: Varying,
}

impl Context<'_> {
    /// Outside every entry point.
    const OUTSIDE: Self = Self { stage: None, varying: Varying::No };

    /// The surroundings of the parts of `variable`.
    fn inside(&self, variable: &VariableLayout) -> Self {
        Self { stage: self.stage, varying: self.varying.inside(variable) }
    }
}

/// What the entry points' lists of bindings need.
struct Printer<'a> {
    globals: &'a [VariableLayout],
    used: &'a Used,
}

impl Printer<'_> {
    fn entry_point(&self, entry: &EntryLayout) -> Fields {
        let own = parameters(&entry.scope);
        let stage = stage_name(&entry.stage);
        let context = |variable| Context { stage, varying: Varying::of_parameter(variable) };
        let listed: Vec<Node> = own.iter().map(|variable| parameter(variable, &context(variable)).into()).collect();
        let per_sample = stage == Some("fragment") && per_sample(own);
        let size = |size: [u32; 3]| Node::List(size.map(Node::Number).to_vec());
        let result = entry.result.as_ref().map(|result| {
            let varying = Varying::Yes(None);
            parameter(result, &Context { stage, varying }).into()
        });
        let bindings: Vec<Node> = self.globals.iter().map(|global| self.usage(&entry.name, global).into()).collect();
        Fields::default()
            .with("name", Node::text(&entry.name))
            .with_some("stage", stage.map(Node::text))
            .with_some("parameters", (!listed.is_empty()).then_some(Node::List(listed)))
            .with_some("usesAnySampleRateInput", per_sample.then_some(Node::Bool(true)))
            .with_some("result", result)
            .with_some("threadGroupSize", entry.thread_group_size.map(size))
            .with_some("bindings", (!bindings.is_empty()).then_some(Node::List(bindings)))
    }

    /// A global parameter with what `entry` uses of it.
    fn usage(&self, entry: &str, global: &VariableLayout) -> Fields {
        let used = self.used.units(entry, global);
        let flagged = |offset: UnitOffset| match offset.unit {
            LayoutUnit::Bytes => binding(global, offset),
            unit => binding(global, offset).with("used", Node::Number(u32::from(used.contains(&unit)))),
        };
        named(global).and(one_or_several(resource_usage::offsets(global).into_iter().map(flagged)))
    }
}

/// A stage as slangc names it; it leaves the ray-tracing stages out.
fn stage_name(stage: &str) -> Option<&str> {
    let named =
        ["vertex", "hull", "domain", "geometry", "fragment", "compute", "mesh", "amplification"].contains(&stage);
    named.then_some(stage)
}

/// A parameter of the program or of an entry point, or a result.
fn parameter(variable: &VariableLayout, context: &Context<'_>) -> Fields {
    let is_shared = variable.annotations.modifiers.iter().any(|word| word == "shared");
    named(variable)
        .with_some("shared", is_shared.then_some(Node::Bool(true)))
        .and(place(variable, context))
        .with("type", types::layout(&variable.layout, &context.inside(variable)).into())
}

fn named(variable: &VariableLayout) -> Fields {
    let name = variable.name.as_deref().and_then(simple_name);
    Fields::default().with_some("name", name.map(Node::text))
}

/// Stage, bindings, semantic and format.
fn place(variable: &VariableLayout, context: &Context<'_>) -> Fields {
    let semantic = context.varying.semantic(variable);
    let index = semantic.as_ref().map(|semantic| semantic.index).filter(|index| *index != 0);
    let stage = context.stage.filter(|_| has_stage(variable));
    Fields::default()
        .with_some("stage", stage.map(Node::text))
        .and(bindings(variable))
        .with_some("semanticName", semantic.as_ref().map(|Semantic { name, .. }| Node::text(name)))
        .with_some("semanticIndex", index.map(Node::Number))
        .with_some("format", format(variable).map(Node::Text))
}

/// `binding`, or for several units `bindings`.
fn bindings(variable: &VariableLayout) -> Fields {
    one_or_several(resource_usage::offsets(variable).into_iter().map(|offset| binding(variable, offset)))
}

fn one_or_several(bindings: impl Iterator<Item = Fields>) -> Fields {
    let mut bindings: Vec<Node> = bindings.map(Node::Map).collect();
    let none = Fields::default();
    match bindings.len() {
        0 => none,
        1 => none.with_some("binding", bindings.pop()),
        _ => none.with("bindings", Node::List(bindings)),
    }
}

/// Where `variable` is in the unit of `offset`: bytes have an offset and a size, other units an index and a count.
fn binding(variable: &VariableLayout, offset: UnitOffset) -> Fields {
    let taken = variable.layout.usage.get(offset.unit);
    let kind = Fields::default().with("kind", Node::Word(spelling::unit(offset.unit).0.json));
    if offset.unit == LayoutUnit::Bytes {
        return kind
            .with("offset", Node::Number(offset.offset))
            .with("size", count(taken))
            .with("elementStride", element_stride(&variable.layout));
    }
    kind.with_some("space", (offset.space != 0).then_some(Node::Number(offset.space)))
        .with("index", Node::Number(offset.offset))
        .with_some("count", (taken != Count::Finite(1)).then(|| count(taken)))
}

fn count(count: Count) -> Node {
    match count {
        Count::Finite(count) => Node::Number(count),
        Count::Unbounded => Node::Word("unbounded"),
    }
}

/// Distance of the elements of an array or a vector, in bytes; 0 for what has none in slangc's eyes, matrices too.
fn element_stride(layout: &TypeLayout) -> Node {
    match (&layout.parts, &layout.ty) {
        (Parts::Elements { stride, .. }, _) => count(stride.get(LayoutUnit::Bytes)),
        (Parts::None, Type::Vector { scalar, length }) => {
            let Count::Finite(bytes) = layout.usage.get(LayoutUnit::Bytes) else { return Node::Number(0) };
            // What a bool takes depends on the rule set: its share of the vector, which Metal pads to four.
            Node::Number(scalar.size(SixteenBit::On, bytes / length))
        }
        // Two `uint`.
        (Parts::None, Type::Handle { .. }) => Node::Number(4),
        (Parts::None | Parts::Fields(_) | Parts::Contained { .. } | Parts::Memory(_), _) => Node::Number(0),
    }
}
