//! Prints a program's layout as the tree of the reflection chapter, in YAML.
//!
//! Keys and nesting are those of the chapter's listings. Source: Slang user guide, Using the Reflection API.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::Access;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder, Type};

use super::cumulative::AccessPath;
use super::node::{NodeFields, ReflectionNode};
use super::resource_usage;
use super::spelling::{self, ResourceShape, SlangTypeKind, container_kind, has_own_members, kind, simple_name};
use super::used::{ParameterUses, extended};
use super::varying::Varying;
use crate::tree::{EntryLayout, ProgramLayout, TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// Prints `program`. `used` tells which entry point reaches which parameters, and `matrix` is the
/// order of matrices that declare none.
pub fn yaml(program: &ProgramLayout, used: &ParameterUses, matrix: MatrixOrder) -> String {
    let printer = YamlPrinter { entries: &program.entry_points, used, matrix };
    let globals = YamlPosition { path: Some(AccessPath::default()), name: Some(Vec::new()), varying: Varying::No };
    let entries = program.entry_points.iter().map(|entry| printer.entry_point(entry).into()).collect();
    let top = NodeFields::default()
        .with("global scope", printer.scope(&program.globals, &globals, |_| Varying::No).into())
        .with("entry points", ReflectionNode::List(entries));
    ReflectionNode::from(top).to_yaml()
}

/// The position from which a type or a variable is printed.
#[derive(Clone, Debug)]
struct YamlPosition<'a> {
    /// The enclosing layout; `None` below an array, where no single sum of offsets holds for all
    /// elements.
    path: Option<AccessPath<'a>>,
    /// The access path in the program's text; `None` where bodies cannot be followed, as for an
    /// entry point's own parameters.
    name: Option<Vec<&'a str>>,
    /// The way in which it passes between stages.
    varying: Varying,
}

impl<'a> YamlPosition<'a> {
    /// The position below an array, and in the elements of a buffer.
    const BELOW_ARRAY: Self = Self { path: None, name: None, varying: Varying::No };

    /// Moves from a buffer or block to the units that it takes itself.
    fn around(&self, container: &VariableLayout) -> Self {
        Self { path: self.path.clone().map(|path| path.into_container(container)), ..self.clone() }
    }

    /// Moves into `variable`.
    fn inside(&self, variable: &'a VariableLayout) -> Self {
        Self {
            path: self.path.as_ref().map(|path| path.to(variable)),
            name: self.name.as_ref().map(|name| extended(name, variable)),
            varying: self.varying.inside(variable),
        }
    }
}

struct YamlPrinter<'a> {
    entries: &'a [EntryLayout],
    used: &'a ParameterUses,
    matrix: MatrixOrder,
}

impl<'a> YamlPrinter<'a> {
    fn entry_point(&self, entry: &'a EntryLayout) -> NodeFields {
        let seen = YamlPosition { path: Some(AccessPath::default()), name: None, varying: Varying::No };
        let result = entry.result.as_ref().map(|result| {
            let seen = YamlPosition { varying: Varying::Yes(None), ..seen.clone() };
            self.variable(result, &seen).into()
        });
        let axes = |[x, y, z]: [u32; 3]| {
            let size = NodeFields::default().with("x", ReflectionNode::Number(x)).with("y", ReflectionNode::Number(y));
            size.with("z", ReflectionNode::Number(z)).into()
        };

        NodeFields::default()
            .with("name", ReflectionNode::text(&entry.name))
            .with("stage", ReflectionNode::Bare(entry.stage.clone()))
            .with_some("thread group size", entry.thread_group_size.map(axes))
            .and(self.scope(&entry.scope, &seen, Varying::of_parameter))
            .with_some("result", result)
    }

    /// Prints the parameters of a scope. `varying` returns the way in which each passes.
    fn scope(
        &self,
        scope: &'a VariableLayout,
        seen: &YamlPosition<'a>,
        varying: fn(&VariableLayout) -> Varying,
    ) -> NodeFields {
        let mut inside = seen.inside(scope);
        match &scope.layout.parts {
            TypeParts::Contained { container, element } => {
                let key = match container_kind(&scope.layout.ty, &container.layout).chapter {
                    "ParameterBlock" => "automatically-introduced parameter block",
                    _ => "automatically-introduced constant buffer",
                };
                let around = NodeFields::default().with(key, placed(container, &inside.around(container)).into());

                inside.path = inside.path.map(|path| path.into_content(container));
                around.and(self.scope(element, &inside, varying))
            }
            TypeParts::Fields(fields) => {
                let parameter = |field| {
                    let seen = YamlPosition { varying: varying(field), ..inside.clone() };
                    self.variable(field, &seen).into()
                };
                NodeFields::default().with("parameters", ReflectionNode::List(fields.iter().map(parameter).collect()))
            }
            _ => NodeFields::default().with("parameters", ReflectionNode::List(Vec::new())),
        }
    }

    fn variable(&self, variable: &'a VariableLayout, seen: &YamlPosition<'a>) -> NodeFields {
        let semantic = seen.varying.semantic(variable).map(|semantic| {
            let name = NodeFields::default().with("name", ReflectionNode::Text(semantic.name));
            name.with("index", ReflectionNode::Number(semantic.index)).into()
        });
        let name = variable.name.as_deref().and_then(simple_name).map_or(ReflectionNode::Null, ReflectionNode::text);
        let inside = seen.inside(variable);

        NodeFields::default()
            .with("name", name)
            .and(placed(variable, seen))
            .with_some("semantic", semantic)
            .with_some("used by stages", self.stages(&inside))
            .with("type layout", self.type_layout(&variable.layout, &inside).into())
    }

    /// Returns the stages that use the name in `seen`; `None` if they are unknown.
    fn stages(&self, seen: &YamlPosition<'a>) -> Option<ReflectionNode> {
        let (Some(name), Some(_)) = (&seen.name, &seen.path) else { return None };
        let mut stages: Vec<ReflectionNode> = Vec::new();
        for entry in self.entries.iter().filter(|entry| self.used.reaches(&entry.name, name)) {
            let stage = ReflectionNode::Bare(entry.stage.clone());
            if !stages.contains(&stage) {
                stages.push(stage);
            }
        }
        Some(ReflectionNode::List(stages))
    }

    fn type_layout(&self, layout: &'a TypeLayout, seen: &YamlPosition<'a>) -> NodeFields {
        let head = match &layout.parts {
            TypeParts::Contained { container, .. } => {
                let kind = container_kind(&layout.ty, &container.layout).chapter;
                NodeFields::default().with("name", ReflectionNode::text(kind)).with("kind", ReflectionNode::Word(kind))
            }
            TypeParts::Stream(_) => {
                let kind = "OutputStream";
                NodeFields::default().with("name", ReflectionNode::text(kind)).with("kind", ReflectionNode::Word(kind))
            }
            _ => type_head(&layout.ty),
        };
        head.and(sizes(layout)).and(self.parts(layout, seen))
    }

    /// Prints the keys for the kind of a layout.
    fn parts(&self, layout: &'a TypeLayout, seen: &YamlPosition<'a>) -> NodeFields {
        let none = NodeFields::default();
        match &layout.parts {
            TypeParts::None => none.and(plain_parts(&layout.ty, self.matrix)),
            TypeParts::Fields(fields) => none.with("fields", self.fields(fields, seen)),
            TypeParts::Elements { element, .. } | TypeParts::Stream(element) | TypeParts::Patch(element) => {
                let below = YamlPosition { varying: seen.varying.clone(), ..YamlPosition::BELOW_ARRAY };
                none.with("element type layout", self.type_layout(element, &below).into())
            }
            TypeParts::Memory(element) => {
                none.with("element type layout", self.type_layout(element, &YamlPosition::BELOW_ARRAY).into())
            }
            TypeParts::Contained { container, element } => {
                let mut inner = seen.clone();
                inner.path = inner.path.map(|path| path.into_content(container));
                let content = placed(element, &inner);

                let inside = inner.inside(element);
                let ty = if has_own_members(&layout.ty) {
                    let head = NodeFields::default()
                        .with("name", ReflectionNode::Null)
                        .with("kind", ReflectionNode::Word("Struct"));
                    head.and(sizes(&element.layout)).and(self.parts(&element.layout, &inside))
                } else {
                    self.type_layout(&element.layout, &inside)
                };

                none.with("container", placed(container, &seen.around(container)).into())
                    .with("element", content.with("type layout", ty.into()).into())
            }
        }
    }

    fn fields(&self, fields: &'a [VariableLayout], seen: &YamlPosition<'a>) -> ReflectionNode {
        let mut seen = seen.clone();
        let mut listed = Vec::new();
        for field in fields {
            listed.push(self.variable(field, &seen).into());
            seen.varying = seen.varying.behind(&field.layout);
        }
        ReflectionNode::List(listed)
    }
}

/// Prints the place of `variable` in its enclosing variable and, where one sum holds, in the
/// program.
fn placed(variable: &VariableLayout, seen: &YamlPosition<'_>) -> NodeFields {
    let own = resource_usage::offsets(variable);
    let relative = own.iter().copied().map(offset).collect();
    let cumulative = |path: &AccessPath<'_>| own.iter().map(|own| offset(path.cumulative(*own))).collect();
    let offsets = NodeFields::default()
        .with("relative", ReflectionNode::List(relative))
        .with_some("cumulative", seen.path.as_ref().map(cumulative).map(ReflectionNode::List));
    NodeFields::default().with("offset", offsets.into())
}

fn offset(offset: UnitOffset) -> ReflectionNode {
    let value =
        NodeFields::default().with("value", ReflectionNode::Number(offset.offset)).with("unit", unit(offset.unit));
    value.with_some("space", offset.unit.has_space().then_some(ReflectionNode::Number(offset.space))).into()
}

fn unit(unit: LayoutUnit) -> ReflectionNode {
    let (words, meaning) = spelling::unit(unit);
    ReflectionNode::Explained(words.chapter, meaning)
}

/// Prints sizes; for bytes, also alignment and stride.
fn sizes(layout: &TypeLayout) -> NodeFields {
    let size =
        |(of, taken)| NodeFields::default().with("value", ReflectionNode::count(taken)).with("unit", unit(of)).into();
    let sizes = NodeFields::default()
        .with("size", ReflectionNode::List(resource_usage::sizes(layout).into_iter().map(size).collect()));
    let stride = match layout.usage.get(LayoutUnit::Bytes) {
        Count::Finite(0) => return sizes,
        Count::Finite(bytes) => {
            let alignment = layout.alignment.max(1);
            Count::Finite(bytes.div_ceil(alignment).saturating_mul(alignment))
        }
        Count::Unbounded => Count::Unbounded,
    };
    sizes
        .with("alignment in bytes", ReflectionNode::Number(layout.alignment))
        .with("stride in bytes", ReflectionNode::count(stride))
}

/// Prints the name, the kind, and the keys of the kind for a type that is not a buffer or block.
///
/// A generic type gets the name of its generic. A texture gets its HLSL name, where Slang has a
/// hidden generic.
fn type_head(ty: &Type) -> NodeFields {
    let head = |name: &str, kind| {
        NodeFields::default().with("name", ReflectionNode::text(name)).with("kind", ReflectionNode::Word(kind))
    };
    match ty {
        Type::Scalar(scalar) => scalar_head(*scalar),
        Type::Enum(ty) => scalar_head(ty.underlying),
        Type::Vector { length, .. } => head("vector", "Vector").with("element count", ReflectionNode::Number(*length)),
        Type::Matrix { rows, columns, .. } => head("matrix", "Matrix")
            .with("row count", ReflectionNode::Number(*rows))
            .with("column count", ReflectionNode::Number(*columns)),
        Type::Array { count: length, .. } => {
            head("Array", "Array").with("element count", ReflectionNode::count(*length))
        }
        Type::Struct(ty) if ty.is_open => head(&ty.name, "None"),
        Type::Struct(ty) => {
            let name = simple_name(&ty.name).map_or(ReflectionNode::Null, ReflectionNode::text);
            NodeFields::default().with("name", name).with("kind", ReflectionNode::Word("Struct"))
        }
        Type::Pointer { .. } => head("Ptr", "Pointer"),
        Type::Handle { .. } => head("vector", "Vector").with("element count", ReflectionNode::Number(2)),
        Type::Interface { name, .. } => head(name, "Interface"),
        Type::Resource(resource) => {
            let name = resource.kind.to_string();
            match kind(ty) {
                SlangTypeKind::Sampler => head(&name, "SamplerState"),
                SlangTypeKind::Container(words) => head(&name, words.chapter),
                SlangTypeKind::Resource(shape) => head(&name, "Resource").and(shape_of(shape)),
                SlangTypeKind::Plain => head(&name, "None"),
            }
        }
    }
}

fn scalar_head(scalar: Scalar) -> NodeFields {
    let head = NodeFields::default()
        .with("name", ReflectionNode::text(scalar.spelling()))
        .with("kind", ReflectionNode::Word("Scalar"));
    head.with("scalar type", ReflectionNode::Word(spelling::scalar(scalar).chapter))
}

fn shape_of(shape: ResourceShape) -> NodeFields {
    let flag = |set: bool| set.then_some(ReflectionNode::Bool(true));
    let shown = NodeFields::default()
        .with("base shape", ReflectionNode::Word(shape.base.chapter))
        .with_some("FEEDBACK", flag(shape.access == Access::Feedback))
        .with_some("ARRAY", flag(shape.array))
        .with_some("MULTISAMPLE", flag(shape.multisample))
        .with_some("COMBINED", flag(shape.combined));
    NodeFields::default()
        .with("shape", shown.into())
        .with("access", ReflectionNode::Word(spelling::access(shape.access).chapter))
}

/// Prints the element of a layout without parts. Only the type is printed, since vectors and
/// matrices have no parts with offsets.
fn plain_parts(ty: &Type, default: MatrixOrder) -> NodeFields {
    let none = NodeFields::default();
    match ty {
        Type::Vector { scalar, .. } => none.with("element type", scalar_head(*scalar).into()),
        Type::Matrix { scalar, order, .. } => none
            .with("element type", scalar_head(*scalar).into())
            .with("matrix layout mode", ReflectionNode::Word(spelling::matrix_order(order.unwrap_or(default)))),
        Type::Resource(resource) => {
            let result = spelling::result(resource).map(|result| {
                let parts = plain_parts(&result, default);
                type_head(&result).and(parts).into()
            });
            none.with_some("result type", result)
        }
        Type::Handle { .. } => none.with("element type", scalar_head(Scalar::Uint32).into()),
        _ => none,
    }
}
