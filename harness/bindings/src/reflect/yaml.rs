//! Prints a program's layout as the tree of the reflection chapter, in YAML.
//!
//! Keys and nesting are those of the chapter's listings. Source: Slang user guide, Using the Reflection API.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::Access;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder, Type};

use super::node::{NodeFields, ReflectionNode};
use super::spelling::{ResourceShape, SlangTypeKind, container_kind, has_own_members, kind, simple_name};
use super::used::{ParameterUses, extended};
use super::varying::Varying;
use super::{resource_usage, spelling};
use crate::tree::{EntryLayout, ProgramLayout, TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// Prints `program`. `used` tells which entry point reaches which parameters, and `matrix` is the
/// order of matrices that declare none.
pub fn yaml(program: &ProgramLayout, used: &ParameterUses, matrix: MatrixOrder) -> String {
    let printer = YamlPrinter { entries: &program.entry_points, used, matrix };
    let globals = YamlPosition { path: Some(AccessPath::default()), name: Some(Vec::new()), varying: Varying::No };
    let entries = program.entry_points.iter().map(|entry| printer.entry_point(entry).into()).collect();
    let top = NodeFields::default()
        .with("global scope", printer.scope(&program.globals, &globals, |_| Varying::No))
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
        Self { path: self.path.clone().map(|path| path.into_container(&container.offsets)), ..self.clone() }
    }

    fn inside(&self, variable: &'a VariableLayout) -> Self {
        Self {
            path: self.path.as_ref().map(|path| path.to(&variable.offsets)),
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
            self.variable(result, &seen)
        });
        let axes = |[x, y, z]: [u32; 3]| {
            let size = NodeFields::default().with("x", x).with("y", y);
            size.with("z", z)
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
                let around = NodeFields::default().with(key, placed(container, &inside.around(container)));

                inside.path = inside.path.map(|path| path.into_content(&container.offsets));
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
            let name = NodeFields::default().with("name", semantic.name);
            name.with("index", semantic.index)
        });
        let name = variable.name.as_deref().and_then(simple_name).map_or(ReflectionNode::Null, ReflectionNode::text);
        let inside = seen.inside(variable);

        NodeFields::default()
            .with("name", name)
            .and(placed(variable, seen))
            .with_some("semantic", semantic)
            .with_some("used by stages", self.stages(&inside))
            .with("type layout", self.type_layout(&variable.layout, &inside))
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
                NodeFields::default().with("name", ReflectionNode::text(kind)).with("kind", kind)
            }
            TypeParts::Stream(_) => {
                let kind = "OutputStream";
                NodeFields::default().with("name", ReflectionNode::text(kind)).with("kind", kind)
            }
            _ => type_head(&layout.ty),
        };
        head.and(sizes(layout)).and(self.parts(layout, seen))
    }

    fn parts(&self, layout: &'a TypeLayout, seen: &YamlPosition<'a>) -> NodeFields {
        let none = NodeFields::default();
        match &layout.parts {
            TypeParts::None => none.and(plain_parts(&layout.ty, self.matrix)),
            TypeParts::Fields(fields) => none.with("fields", self.fields(fields, seen)),
            TypeParts::Elements { element, .. } | TypeParts::Stream(element) | TypeParts::Patch(element) => {
                let below = YamlPosition { varying: seen.varying.clone(), ..YamlPosition::BELOW_ARRAY };
                none.with("element type layout", self.type_layout(element, &below))
            }
            TypeParts::Memory(element) => {
                none.with("element type layout", self.type_layout(element, &YamlPosition::BELOW_ARRAY))
            }
            TypeParts::Contained { container, element } => {
                let mut inner = seen.clone();
                inner.path = inner.path.map(|path| path.into_content(&container.offsets));
                let content = placed(element, &inner);

                let inside = inner.inside(element);
                let ty = if has_own_members(&layout.ty) {
                    let head = NodeFields::default().with("name", ReflectionNode::Null).with("kind", "Struct");
                    head.and(sizes(&element.layout)).and(self.parts(&element.layout, &inside))
                } else {
                    self.type_layout(&element.layout, &inside)
                };

                none.with("container", placed(container, &seen.around(container)))
                    .with("element", content.with("type layout", ty))
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
    places(&resource_usage::offsets(variable), seen.path.as_ref())
}

/// Prints offsets, relative to the end of `path` and in the program.
pub(super) fn places(own: &[UnitOffset], path: Option<&AccessPath<'_>>) -> NodeFields {
    let relative = own.iter().copied().map(offset).collect();
    let cumulative = |path: &AccessPath<'_>| own.iter().map(|own| offset(path.cumulative(*own))).collect();
    let offsets = NodeFields::default()
        .with("relative", ReflectionNode::List(relative))
        .with_some("cumulative", path.map(cumulative).map(ReflectionNode::List));
    NodeFields::default().with("offset", offsets)
}

fn offset(offset: UnitOffset) -> ReflectionNode {
    let value = NodeFields::default().with("value", offset.offset).with("unit", unit(offset.unit));
    value.with_some("space", offset.unit.has_space().then_some(offset.space)).into()
}

fn unit(unit: LayoutUnit) -> ReflectionNode {
    let (words, meaning) = spelling::unit(unit);
    ReflectionNode::Explained(words.chapter, meaning)
}

fn sizes(layout: &TypeLayout) -> NodeFields {
    amounts(&resource_usage::sizes(layout), layout.alignment)
}

/// Prints sizes; for bytes, also alignment and stride.
pub(super) fn amounts(taken: &[(LayoutUnit, Count)], alignment: u32) -> NodeFields {
    let size =
        |(of, taken): &(LayoutUnit, Count)| NodeFields::default().with("value", *taken).with("unit", unit(*of)).into();
    let sizes = NodeFields::default().with("size", ReflectionNode::List(taken.iter().map(size).collect()));
    let stride = match taken.iter().find(|(unit, _)| *unit == LayoutUnit::Bytes).map(|(_, bytes)| *bytes) {
        None | Some(Count::Finite(0)) => return sizes,
        Some(Count::Finite(bytes)) => {
            let alignment = alignment.max(1);
            Count::Finite(bytes.div_ceil(alignment).saturating_mul(alignment))
        }
        Some(Count::Unbounded) => Count::Unbounded,
    };
    sizes.with("alignment in bytes", alignment).with("stride in bytes", stride)
}

/// Prints the name and the kind of a type.
pub(super) fn head(name: &str, kind: &'static str) -> NodeFields {
    NodeFields::default().with("name", ReflectionNode::text(name)).with("kind", kind)
}

/// Prints the name, the kind, and the keys of the kind for a type that is not a buffer or block.
///
/// A generic type gets the name of its generic. A texture gets its HLSL name, where Slang has a
/// hidden generic.
fn type_head(ty: &Type) -> NodeFields {
    match ty {
        Type::Scalar(scalar) => scalar_head(*scalar),
        Type::Enum(ty) => scalar_head(ty.underlying),
        Type::Vector { length, .. } => head("vector", "Vector").with("element count", *length),
        Type::Matrix { rows, columns, .. } => {
            head("matrix", "Matrix").with("row count", *rows).with("column count", *columns)
        }
        Type::Array { count: length, .. } => head("Array", "Array").with("element count", *length),
        Type::Struct(ty) if ty.is_open => head(&ty.name, "None"),
        Type::Struct(ty) => {
            let name = simple_name(&ty.name).map_or(ReflectionNode::Null, ReflectionNode::text);
            NodeFields::default().with("name", name).with("kind", "Struct")
        }
        Type::Pointer { .. } => head("Ptr", "Pointer"),
        Type::Handle { .. } => head("vector", "Vector").with("element count", 2),
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

pub(super) fn scalar_head(scalar: Scalar) -> NodeFields {
    let head = NodeFields::default().with("name", ReflectionNode::text(scalar.spelling())).with("kind", "Scalar");
    head.with("scalar type", spelling::scalar(scalar).chapter)
}

fn shape_of(shape: ResourceShape) -> NodeFields {
    let flag = |set: bool| set.then_some(true);
    let shown = NodeFields::default()
        .with("base shape", shape.base.chapter)
        .with_some("FEEDBACK", flag(shape.access == Access::Feedback))
        .with_some("ARRAY", flag(shape.array))
        .with_some("MULTISAMPLE", flag(shape.multisample))
        .with_some("COMBINED", flag(shape.combined));
    NodeFields::default().with("shape", shown).with("access", spelling::access(shape.access).chapter)
}

/// Prints the element of a layout without parts. Only the type is printed, since vectors and
/// matrices have no parts with offsets.
fn plain_parts(ty: &Type, default: MatrixOrder) -> NodeFields {
    let none = NodeFields::default();
    match ty {
        Type::Vector { scalar, .. } => none.with("element type", scalar_head(*scalar)),
        Type::Matrix { scalar, order, .. } => none
            .with("element type", scalar_head(*scalar))
            .with("matrix layout mode", spelling::matrix_order(order.unwrap_or(default))),
        Type::Resource(resource) => {
            let result = spelling::result(resource).map(|result| {
                let parts = plain_parts(&result, default);
                type_head(&result).and(parts)
            });
            none.with_some("result type", result)
        }
        Type::Handle { .. } => none.with("element type", scalar_head(Scalar::Uint32)),
        _ => none,
    }
}

/// The offsets of the variables from the program's scope down to the one whose parts are visited.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessPath<'a> {
    /// Outermost first.
    nodes: Vec<&'a [UnitOffset]>,
    /// Number of nodes outside the contents of the deepest buffer or block: the nodes up to that
    /// buffer or block itself.
    outside_container: usize,
    /// The same for the deepest parameter block with its own space.
    outside_block: usize,
}

impl<'a> AccessPath<'a> {
    pub(super) fn to(&self, offsets: &'a [UnitOffset]) -> Self {
        let mut path = self.clone();
        path.nodes.push(offsets);
        path
    }

    /// Turns this path, which ends with a buffer or block, into the path to `container`, which
    /// holds the units that the buffer or block itself takes. The constant buffer of a block with a
    /// space is in that space.
    pub(super) fn into_container(mut self, container: &[UnitOffset]) -> Self {
        if container.iter().any(|own| own.unit == LayoutUnit::Space) {
            self.outside_block = self.nodes.len();
        }
        self
    }

    /// Turns this path, which ends with a buffer or block, into the path to its content.
    pub(super) fn into_content(self, container: &[UnitOffset]) -> Self {
        Self { outside_container: self.nodes.len(), ..self.into_container(container) }
    }

    /// Returns the place in the program of `offset`, which is relative to the end of this path.
    pub(super) fn cumulative(&self, offset: UnitOffset) -> UnitOffset {
        match counting(offset.unit) {
            CountingBase::Buffer => self.nodes[self.outside_container..].iter().copied().fold(offset, add),
            CountingBase::Space => {
                let (outer, inner) = self.nodes.split_at(self.outside_block);
                let mut sum = inner.iter().copied().fold(offset, add);
                sum.space = outer.iter().fold(sum.space, |space, node| space.saturating_add(spaces(node)));
                sum
            }
            CountingBase::Program => self.nodes.iter().copied().fold(offset, add),
        }
    }
}

enum CountingBase {
    /// The start of the enclosing buffer.
    Buffer,
    Space,
    /// The start of the program's slots.
    Program,
}

fn counting(unit: LayoutUnit) -> CountingBase {
    if unit == LayoutUnit::Bytes {
        CountingBase::Buffer
    } else if unit.has_space() {
        CountingBase::Space
    } else {
        CountingBase::Program
    }
}

fn add(sum: UnitOffset, node: &[UnitOffset]) -> UnitOffset {
    let Some(own) = node.iter().find(|own| own.unit == sum.unit) else { return sum };
    UnitOffset {
        unit: sum.unit,
        space: sum.space.saturating_add(own.space),
        offset: sum.offset.saturating_add(own.offset),
    }
}

/// Returns the offset of `node`, in whole spaces, from its enclosing variable.
fn spaces(node: &[UnitOffset]) -> u32 {
    node.iter().find(|own| own.unit == LayoutUnit::Space).map_or(0, |own| own.offset)
}
