//! Finds the declaration at a binding's path: the type and its array dimensions.
//!
//! Paths are those of [`layoutproof_bindings::Binding`]: `B`, `s.D`, `s.B[3]`, `p.inner.tex`,
//! `$Globals`, `$Entry.main`. A path may omit the index of an array on the way (`lights[].shadow`,
//! `lights.shadow`) and then names that member in every element.

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, StructType, Type};

use layoutproof_frontend::module::{EntryPoint, Module, ParameterKind};

/// The declaration that a path names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DeclaredItem<'m> {
    /// The kind of one element.
    pub(super) what: ItemKind<'m>,
    /// The product of the array dimensions that the path does not index; 1 if there are none.
    pub(super) elements: Count,
}

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ItemKind<'m> {
    /// A constant buffer without a resource type in the source: `cbuffer`, loose globals, uniform
    /// parameters.
    ConstantBuffer,
    /// A `tbuffer`.
    TextureBuffer,
    /// A resource.
    Resource(&'m Resource),
    /// The counter of a structured buffer.
    Counter,
    /// Ordinary data.
    Data,
}

/// The last step of a counter's path, after its buffer's path.
const COUNTERS: [&str; 2] = [".$counter", ".counter"];

/// Returns true if `path` names textures with built-in samplers.
pub fn is_combined_sampler(module: &Module, path: &str) -> bool {
    match find(module, path).map(|found| found.what) {
        Some(ItemKind::Resource(resource)) => matches!(resource.kind, ResourceKind::CombinedSampler(_)),
        Some(ItemKind::ConstantBuffer | ItemKind::TextureBuffer | ItemKind::Counter | ItemKind::Data) | None => false,
    }
}

/// Finds the declaration at `path`.
pub(super) fn find<'m>(module: &'m Module, path: &str) -> Option<DeclaredItem<'m>> {
    if path == "$Globals" || path.starts_with("$Entry.") {
        return Some(DeclaredItem { what: ItemKind::ConstantBuffer, elements: Count::Finite(1) });
    }
    let found = of_parameter(module, path).or_else(|| of_member(module, path)).or_else(|| of_entry(module, path));
    found.or_else(|| of_counter(module, path))
}

/// Finds the entry point for `path`: the one whose name the path starts with, else the one with the
/// parameter, else the only one.
pub(super) fn entry_of<'m>(module: &'m Module, path: &str) -> Option<&'m EntryPoint> {
    let named = module.entry_points.iter().find(|entry| rest_after(path, &entry.name).is_some());
    let parameter = |entry: &&EntryPoint| entry.parameters.iter().any(|it| rest_after(path, &it.name).is_some());
    named.or_else(|| module.entry_points.iter().find(parameter)).or_else(|| match &module.entry_points[..] {
        [only] => Some(only),
        _ => None,
    })
}

fn of_parameter<'m>(module: &'m Module, path: &str) -> Option<DeclaredItem<'m>> {
    // The longest name wins, since one parameter's qualified name may start with another's.
    let named = module.parameters.iter().filter_map(|it| Some((it, rest_after(path, &it.name)?)));
    let (parameter, rest) = named.max_by_key(|(it, _)| it.name.len())?;
    let whole = |what| Some(DeclaredItem { what, elements: Count::Finite(1) });
    match (parameter.kind, rest) {
        (ParameterKind::Cbuffer, "") => whole(ItemKind::ConstantBuffer),
        (ParameterKind::Tbuffer, "") => whole(ItemKind::TextureBuffer),
        (ParameterKind::Cbuffer | ParameterKind::Tbuffer | ParameterKind::Variable | ParameterKind::Global, _) => {
            walk(&parameter.ty, rest)
        }
    }
}

/// A member of a constant buffer, whose names are global.
fn of_member<'m>(module: &'m Module, path: &str) -> Option<DeclaredItem<'m>> {
    let is_open = |kind: ParameterKind| match kind {
        ParameterKind::Cbuffer | ParameterKind::Tbuffer => true,
        ParameterKind::Variable | ParameterKind::Global => false,
    };
    let mut open = module.parameters.iter().filter(|parameter| is_open(parameter.kind));
    open.find_map(|parameter| walk(&parameter.ty, &format!(".{path}")))
}

/// The counter of the structured buffer at the path before the last step.
fn of_counter<'m>(module: &'m Module, path: &str) -> Option<DeclaredItem<'m>> {
    let buffer = COUNTERS.iter().find_map(|step| path.strip_suffix(step))?;
    let buffer = of_parameter(module, buffer).or_else(|| of_entry(module, buffer))?;
    match buffer.what {
        ItemKind::Resource(resource) if matches!(resource.kind, ResourceKind::StructuredBuffer(_)) => {
            Some(DeclaredItem { what: ItemKind::Counter, ..buffer })
        }
        _ => None,
    }
}

/// An entry point's parameter, as `main.tex` or `tex`; its result, as `main`.
fn of_entry<'m>(module: &'m Module, path: &str) -> Option<DeclaredItem<'m>> {
    let entry = |entry: &'m EntryPoint| {
        let inner = rest_after(path, &entry.name);
        let member = inner.and_then(|rest| rest.strip_prefix('.')).unwrap_or(path);
        let found = entry.parameters.iter().find_map(|it| walk(&it.ty, rest_after(member, &it.name)?));
        found.or_else(|| walk(entry.result.as_ref()?, inner?))
    };
    module.entry_points.iter().find_map(entry)
}

/// Returns the rest of `path` after `name`; `None` if the path does not start with it.
fn rest_after<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Follows `rest`, which is empty or starts with `.` or `[`, into a type.
fn walk<'m>(ty: &'m Type, rest: &str) -> Option<DeclaredItem<'m>> {
    match ty {
        Type::Array { element, count } => {
            let (is_open, rest) = match index_off(rest) {
                Some(("", rest)) => (true, rest),
                Some((_, rest)) => (false, rest),
                None => (true, rest),
            };

            let inner = walk(element, rest)?;
            let elements = if is_open { product(*count, inner.elements) } else { inner.elements };
            Some(DeclaredItem { elements, ..inner })
        }
        Type::Resource(resource) => of_resource(resource, rest),
        Type::Struct(ty) if !rest.is_empty() => {
            let member = rest.strip_prefix('.')?;
            let (name, rest) = member.split_at(member.find(['.', '[']).unwrap_or(member.len()));
            walk(&find_member(ty, name)?.ty, rest)
        }
        _ => rest.is_empty().then_some(DeclaredItem { what: ItemKind::Data, elements: Count::Finite(1) }),
    }
}

fn of_resource<'m>(resource: &'m Resource, rest: &str) -> Option<DeclaredItem<'m>> {
    match (resource.kind, resource.element.as_deref()) {
        // A parameter block with one resource is that resource in a separate set.
        (ResourceKind::ParameterBlock, Some(element @ (Type::Resource(_) | Type::Array { .. }))) => walk(element, rest),
        (_, Some(element)) if !rest.is_empty() => walk(element, rest),
        (_, _) if rest.is_empty() => {
            Some(DeclaredItem { what: ItemKind::Resource(resource), elements: Count::Finite(1) })
        }
        (_, _) => None,
    }
}

/// Splits the index off the start of `rest`.
fn index_off(rest: &str) -> Option<(&str, &str)> {
    rest.strip_prefix('[')?.split_once(']')
}

fn product(a: Count, b: Count) -> Count {
    match (a, b) {
        (Count::Finite(a), Count::Finite(b)) => Count::Finite(a.saturating_mul(b)),
        (Count::Unbounded, _) | (_, Count::Unbounded) => Count::Unbounded,
    }
}

fn find_member<'m>(ty: &'m StructType, name: &str) -> Option<&'m Member> {
    let own = ty.members.iter().find(|member| member.name == name);
    own.or_else(|| find_member(ty.base.as_ref()?, name))
}
