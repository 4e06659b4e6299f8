//! A program's layout as the tree that the reflection chapter prints, in YAML.
//!
//! Keys and nesting are those of the chapter's listings. Source: Slang user guide, Using the Reflection API.

use layoutproof_layout::resource::Access;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder, Type};

use super::cumulative::AccessPath;
use super::node::{Fields, Node};
use super::resource_usage;
use super::spelling::{self, Kind, Shape, container_kind, has_own_members, kind, simple_name};
use super::used::{Used, extended};
use super::varying::Varying;
use crate::bindings::tree::{EntryLayout, Parts, ProgramLayout, TypeLayout, UnitOffset, VariableLayout};
use crate::bindings::unit::LayoutUnit;

/// Prints `program`; `used` says which entry point reaches what, `matrix` the order of matrices that declare none.
pub fn yaml(program: &ProgramLayout, used: &Used, matrix: MatrixOrder) -> String {
    let printer = Printer { entries: &program.entry_points, used, matrix };
    let globals = Seen { path: Some(AccessPath::default()), name: Some(Vec::new()), varying: Varying::No };
    let entries = program.entry_points.iter().map(|entry| printer.entry_point(entry).into()).collect();
    let top = Fields::default()
        .with("global scope", printer.scope(&program.globals, &globals, |_| Varying::No).into())
        .with("entry points", Node::List(entries));
    Node::from(top).to_yaml()
}

/// From where a type or a variable is looked at.
#[derive(Clone, Debug)]
struct Seen<'a> {
    /// What encloses it; `None` below an array, where no one sum of offsets holds for all elements.
    path: Option<AccessPath<'a>>,
    /// Its access path in the program's text; `None` where bodies cannot be followed: an entry point's own parameters.
    name: Option<Vec<&'a str>>,
    /// How it passes between stages.
    varying: Varying,
}

impl<'a> Seen<'a> {
    /// Below an array, and in the elements of a buffer.
    const BELOW_ARRAY: Self = Self { path: None, name: None, varying: Varying::No };

    /// From a buffer or block, at what it takes for itself.
    fn around(&self, container: &VariableLayout) -> Self {
        Self { path: self.path.clone().map(|path| path.into_container(container)), ..self.clone() }
    }

    /// From inside `variable`.
    fn inside(&self, variable: &'a VariableLayout) -> Self {
        Self {
            path: self.path.as_ref().map(|path| path.to(variable)),
            name: self.name.as_ref().map(|name| extended(name, variable)),
            varying: self.varying.inside(variable),
        }
    }
}

struct Printer<'a> {
    entries: &'a [EntryLayout],
    used: &'a Used,
    matrix: MatrixOrder,
}

impl<'a> Printer<'a> {
    fn entry_point(&self, entry: &'a EntryLayout) -> Fields {
        let seen = Seen { path: Some(AccessPath::default()), name: None, varying: Varying::No };
        let result = entry.result.as_ref().map(|result| {
            let seen = Seen { varying: Varying::Yes(None), ..seen.clone() };
            self.variable(result, &seen).into()
        });
        let axes = |[x, y, z]: [u32; 3]| {
            let size = Fields::default().with("x", Node::Number(x)).with("y", Node::Number(y));
            size.with("z", Node::Number(z)).into()
        };
        Fields::default()
            .with("name", Node::text(&entry.name))
            .with("stage", Node::Bare(entry.stage.clone()))
            .with_some("thread group size", entry.thread_group_size.map(axes))
            .and(self.scope(&entry.scope, &seen, Varying::of_parameter))
            .with_some("result", result)
    }

    /// The parameters of a scope; `varying` says how each passes.
    fn scope(&self, scope: &'a VariableLayout, seen: &Seen<'a>, varying: fn(&VariableLayout) -> Varying) -> Fields {
        let mut inside = seen.inside(scope);
        match &scope.layout.parts {
            Parts::Contained { container, element } => {
                let key = match container_kind(&scope.layout.ty, &container.layout).chapter {
                    "ParameterBlock" => "automatically-introduced parameter block",
                    _ => "automatically-introduced constant buffer",
                };
                let around = Fields::default().with(key, placed(container, &inside.around(container)).into());
                inside.path = inside.path.map(|path| path.into_content(container));
                around.and(self.scope(element, &inside, varying))
            }
            Parts::Fields(fields) => {
                let parameter = |field| {
                    let seen = Seen { varying: varying(field), ..inside.clone() };
                    self.variable(field, &seen).into()
                };
                Fields::default().with("parameters", Node::List(fields.iter().map(parameter).collect()))
            }
            Parts::None | Parts::Elements { .. } | Parts::Memory(_) => {
                Fields::default().with("parameters", Node::List(Vec::new()))
            }
        }
    }

    fn variable(&self, variable: &'a VariableLayout, seen: &Seen<'a>) -> Fields {
        let semantic = seen.varying.semantic(variable).map(|semantic| {
            let name = Fields::default().with("name", Node::Text(semantic.name));
            name.with("index", Node::Number(semantic.index)).into()
        });
        let inside = seen.inside(variable);
        Fields::default()
            .with("name", variable.name.as_deref().and_then(simple_name).map_or(Node::Null, Node::text))
            .and(placed(variable, seen))
            .with_some("semantic", semantic)
            .with_some("used by stages", self.stages(&inside))
            .with("type layout", self.type_layout(&variable.layout, &inside).into())
    }

    /// The stages that use what `seen` names; `None` where that is not known.
    fn stages(&self, seen: &Seen<'a>) -> Option<Node> {
        let (Some(name), Some(_)) = (&seen.name, &seen.path) else { return None };
        let mut stages: Vec<Node> = Vec::new();
        for entry in self.entries.iter().filter(|entry| self.used.reaches(&entry.name, name)) {
            let stage = Node::Bare(entry.stage.clone());
            if !stages.contains(&stage) {
                stages.push(stage);
            }
        }
        Some(Node::List(stages))
    }

    fn type_layout(&self, layout: &'a TypeLayout, seen: &Seen<'a>) -> Fields {
        let head = match &layout.parts {
            Parts::Contained { container, .. } => {
                let kind = container_kind(&layout.ty, &container.layout).chapter;
                Fields::default().with("name", Node::text(kind)).with("kind", Node::Word(kind))
            }
            Parts::None | Parts::Fields(_) | Parts::Elements { .. } | Parts::Memory(_) => type_head(&layout.ty),
        };
        head.and(sizes(layout)).and(self.parts(layout, seen))
    }

    /// What belongs to the kind of a layout.
    fn parts(&self, layout: &'a TypeLayout, seen: &Seen<'a>) -> Fields {
        let none = Fields::default();
        match &layout.parts {
            Parts::None => none.and(plain_parts(&layout.ty, self.matrix)),
            Parts::Fields(fields) => none.with("fields", self.fields(fields, seen)),
            Parts::Elements { element, .. } => {
                let below = Seen { varying: seen.varying.clone(), ..Seen::BELOW_ARRAY };
                none.with("element type layout", self.type_layout(element, &below).into())
            }
            Parts::Memory(element) => {
                none.with("element type layout", self.type_layout(element, &Seen::BELOW_ARRAY).into())
            }
            Parts::Contained { container, element } => {
                let mut inner = seen.clone();
                inner.path = inner.path.map(|path| path.into_content(container));
                let content = placed(element, &inner);
                let inside = inner.inside(element);
                let ty = if has_own_members(&layout.ty) {
                    let head = Fields::default().with("name", Node::Null).with("kind", Node::Word("Struct"));
                    head.and(sizes(&element.layout)).and(self.parts(&element.layout, &inside))
                } else {
                    self.type_layout(&element.layout, &inside)
                };
                none.with("container", placed(container, &seen.around(container)).into())
                    .with("element", content.with("type layout", ty.into()).into())
            }
        }
    }

    fn fields(&self, fields: &'a [VariableLayout], seen: &Seen<'a>) -> Node {
        let mut seen = seen.clone();
        let mut listed = Vec::new();
        for field in fields {
            listed.push(self.variable(field, &seen).into());
            seen.varying = seen.varying.behind(&field.layout);
        }
        Node::List(listed)
    }
}

/// Where `variable` is in what encloses it and, where one sum holds, in the program.
fn placed(variable: &VariableLayout, seen: &Seen<'_>) -> Fields {
    let own = resource_usage::offsets(variable);
    let relative = own.iter().copied().map(offset).collect();
    let cumulative = |path: &AccessPath<'_>| own.iter().map(|own| offset(path.cumulative(*own))).collect();
    let offsets = Fields::default()
        .with("relative", Node::List(relative))
        .with_some("cumulative", seen.path.as_ref().map(cumulative).map(Node::List));
    Fields::default().with("offset", offsets.into())
}

fn offset(offset: UnitOffset) -> Node {
    let value = Fields::default().with("value", Node::Number(offset.offset)).with("unit", unit(offset.unit));
    value.with_some("space", offset.unit.has_space().then_some(Node::Number(offset.space))).into()
}

fn unit(unit: LayoutUnit) -> Node {
    let (words, meaning) = spelling::unit(unit);
    Node::Explained(words.chapter, meaning)
}

fn count(count: Count) -> Node {
    match count {
        Count::Finite(count) => Node::Number(count),
        Count::Unbounded => Node::Word("unbounded"),
    }
}

/// Sizes; for bytes, alignment and stride too.
fn sizes(layout: &TypeLayout) -> Fields {
    let size = |(of, taken)| Fields::default().with("value", count(taken)).with("unit", unit(of)).into();
    let sizes =
        Fields::default().with("size", Node::List(resource_usage::sizes(layout).into_iter().map(size).collect()));
    let stride = match layout.usage.get(LayoutUnit::Bytes) {
        Count::Finite(0) => return sizes,
        Count::Finite(bytes) => {
            let alignment = layout.alignment.max(1);
            Count::Finite(bytes.div_ceil(alignment).saturating_mul(alignment))
        }
        Count::Unbounded => Count::Unbounded,
    };
    sizes.with("alignment in bytes", Node::Number(layout.alignment)).with("stride in bytes", count(stride))
}

/// Name, kind and what belongs to the kind of a type that is no buffer or block.
///
/// The name of a generic type is that of the generic. A texture goes by its HLSL name; Slang has a hidden generic there.
fn type_head(ty: &Type) -> Fields {
    let head = |name: &str, kind| Fields::default().with("name", Node::text(name)).with("kind", Node::Word(kind));
    match ty {
        Type::Scalar(scalar) => scalar_head(*scalar),
        Type::Enum(ty) => scalar_head(ty.underlying),
        Type::Vector { length, .. } => head("vector", "Vector").with("element count", Node::Number(*length)),
        Type::Matrix { rows, columns, .. } => {
            head("matrix", "Matrix").with("row count", Node::Number(*rows)).with("column count", Node::Number(*columns))
        }
        Type::Array { count: length, .. } => head("Array", "Array").with("element count", count(*length)),
        Type::Struct(ty) => {
            let name = simple_name(&ty.name).map_or(Node::Null, Node::text);
            Fields::default().with("name", name).with("kind", Node::Word("Struct"))
        }
        Type::Pointer { .. } => head("Ptr", "Pointer"),
        Type::Handle { .. } => head("vector", "Vector").with("element count", Node::Number(2)),
        Type::Resource(resource) => {
            let name = resource.kind.to_string();
            match kind(ty) {
                Kind::Sampler => head(&name, "SamplerState"),
                Kind::Container(words) => head(&name, words.chapter),
                Kind::Resource(shape) => head(&name, "Resource").and(shape_of(shape)),
                Kind::Plain => head(&name, "None"),
            }
        }
    }
}

fn scalar_head(scalar: Scalar) -> Fields {
    let head = Fields::default().with("name", Node::text(scalar.spelling())).with("kind", Node::Word("Scalar"));
    head.with("scalar type", Node::Word(spelling::scalar(scalar).chapter))
}

fn shape_of(shape: Shape) -> Fields {
    let flag = |set: bool| set.then_some(Node::Bool(true));
    let shown = Fields::default()
        .with("base shape", Node::Word(shape.base.chapter))
        .with_some("FEEDBACK", flag(shape.access == Access::Feedback))
        .with_some("ARRAY", flag(shape.array))
        .with_some("MULTISAMPLE", flag(shape.multisample))
        .with_some("COMBINED", flag(shape.combined));
    Fields::default().with("shape", shown.into()).with("access", Node::Word(spelling::access(shape.access).chapter))
}

/// What a layout without parts says of its element: only its type, for vectors and matrices have no parts with offsets.
fn plain_parts(ty: &Type, default: MatrixOrder) -> Fields {
    let none = Fields::default();
    match ty {
        Type::Vector { scalar, .. } => none.with("element type", scalar_head(*scalar).into()),
        Type::Matrix { scalar, order, .. } => none
            .with("element type", scalar_head(*scalar).into())
            .with("matrix layout mode", Node::Word(spelling::matrix_order(order.unwrap_or(default)))),
        Type::Resource(resource) => {
            let result = spelling::result(resource).map(|result| {
                let parts = plain_parts(&result, default);
                type_head(&result).and(parts).into()
            });
            none.with_some("result type", result)
        }
        Type::Scalar(_) | Type::Array { .. } | Type::Struct(_) | Type::Enum(_) | Type::Pointer { .. } => none,
        Type::Handle { .. } => none.with("element type", scalar_head(Scalar::Uint32).into()),
    }
}
