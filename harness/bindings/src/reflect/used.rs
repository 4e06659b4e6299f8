//! Finds the parameters that each entry point reaches, as Slang's per-entry-point metadata does,
//! from the text of the bodies.
//!
//! The walk follows calls and skips the code in `if (false)`. Arguments of functions and objects of
//! methods count as reached as a whole. A name that an optimiser would drop for subtler reasons
//! also counts as reached, unless the request drops it. Source: Slang user guide, Using the
//! Reflection API, Determining Whether Parameters Are Used.

use std::collections::BTreeSet;

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Type;

use crate::BindingRequest;
use crate::tree::{TypeLayout, TypeParts, VariableLayout};
use layoutproof_frontend::module::{Function, Life, Module, Parameter, ParameterKind, Step, Use};

/// The parameters that each entry point of a module reaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterUses {
    entries: Vec<EntryUses>,
    /// Parameters that count as reached, whatever the bodies mention.
    kept: Vec<String>,
    /// Parameters that do not count as reached, whatever the bodies mention.
    dropped: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct EntryUses {
    entry: String,
    /// Access paths without their indices.
    paths: Vec<Vec<String>>,
}

impl ParameterUses {
    /// Follows the bodies of `module` from each entry point. `request` names the parameters to keep
    /// or drop whatever the bodies mention.
    pub fn new(module: &Module, request: &BindingRequest) -> Self {
        let reached = |entry: &str| {
            let uses = uses_of(module, entry);
            let paths = uses.iter().map(|path| in_block(module, path)).collect();
            EntryUses { entry: entry.to_owned(), paths }
        };
        Self {
            entries: module.entry_points.iter().map(|entry| reached(&entry.name)).collect(),
            kept: request.used.clone(),
            dropped: request.unused.clone(),
        }
    }

    /// True if `entry` reaches any part of `path`, or the whole of something that holds it.
    pub(super) fn reaches(&self, entry: &str, path: &[&str]) -> bool {
        let Some(parameter) = path.first() else { return false };
        if self.dropped.iter().any(|name| name == parameter) {
            return false;
        }
        let overlaps = |used: &Vec<String>| used.iter().zip(path).all(|(used, step)| used == step);
        let mut paths = self.entries.iter().filter(|reached| reached.entry == entry).flat_map(|reached| &reached.paths);
        self.kept.iter().any(|name| name == parameter) || paths.any(overlaps)
    }

    /// Returns the units of `parameter` whose first register or binding `entry` reaches, and bytes
    /// if it reaches any.
    ///
    /// slangc looks only at that first register or binding. If an entry point reaches any bytes of
    /// a buffer, slangc counts all units of the buffer as used. It never counts a whole space.
    /// Measured with Slang 2026.14.1.
    pub(super) fn units(&self, entry: &str, parameter: &VariableLayout) -> BTreeSet<LayoutUnit> {
        let path: Vec<&str> = parameter.name.as_deref().into_iter().collect();
        self.units_at(entry, &parameter.layout, &path)
    }

    fn units_at(&self, entry: &str, layout: &TypeLayout, path: &[&str]) -> BTreeSet<LayoutUnit> {
        let all = || layout.usage.iter().map(|(unit, _)| unit).filter(|unit| *unit != LayoutUnit::Space).collect();
        match &layout.parts {
            TypeParts::None | TypeParts::Memory(_) | TypeParts::Stream(_) | TypeParts::Patch(_)
                if self.reaches(entry, path) =>
            {
                all()
            }
            TypeParts::None | TypeParts::Memory(_) | TypeParts::Stream(_) | TypeParts::Patch(_) => BTreeSet::new(),
            TypeParts::Fields(fields) => {
                let below = |field: &VariableLayout| {
                    at_start(field, self.units_at(entry, &field.layout, &extended(path, field)))
                };
                fields.iter().flat_map(below).collect()
            }
            TypeParts::Elements { element, .. } => self.units_at(entry, element, path),
            TypeParts::Contained { element, .. } => {
                let mut units = at_start(element, self.units_at(entry, &element.layout, path));
                if units.remove(&LayoutUnit::Bytes) { all() } else { units }
            }
        }
    }
}

/// Keeps bytes and those of `units` in which `part` begins where its holder begins.
fn at_start(part: &VariableLayout, mut units: BTreeSet<LayoutUnit>) -> BTreeSet<LayoutUnit> {
    let begins = |unit| part.offsets.iter().all(|own| own.unit != unit || own.offset == 0);
    units.retain(|unit| *unit == LayoutUnit::Bytes || begins(*unit));
    units
}

/// Extends `path` by the name of `field`. Paths omit the name of a base struct.
pub(super) fn extended<'a>(path: &[&'a str], field: &'a VariableLayout) -> Vec<&'a str> {
    let name = field.name.as_deref().filter(|name| *name != "$base");
    path.iter().copied().chain(name).collect()
}

/// Returns the paths that `entry` and the functions it calls mention, each once.
fn uses_of(module: &Module, entry: &str) -> BTreeSet<Vec<String>> {
    let mut paths = BTreeSet::new();
    let mut waiting: Vec<&Function> = named(module, entry).collect();
    let mut seen: Vec<&Function> = Vec::new();
    while let Some(function) = waiting.pop() {
        if seen.iter().any(|before| std::ptr::eq(*before, function)) {
            continue;
        }
        seen.push(function);
        for mention in function.uses.iter().filter(|mention| mention.life == Life::Live) {
            if mention.call {
                waiting.extend(called(module, mention));
            }
            let names = names(mention);
            if !names.is_empty() {
                paths.insert(parameter_path(mention, names));
            }
        }
    }

    paths
}

fn named<'a>(module: &'a Module, name: &str) -> impl Iterator<Item = &'a Function> {
    module.functions.iter().filter(move |function| function.name == name)
}

/// Returns the functions that a call may mean: those with its name or, for a call like `s.method`,
/// every method with that name.
fn called<'a>(module: &'a Module, mention: &Use) -> Vec<&'a Function> {
    let Some(Step::Name(name)) = mention.path.last() else { return Vec::new() };
    let plain: Vec<&Function> = named(module, name).filter(|_| mention.path.len() == 1).collect();
    if !plain.is_empty() {
        return plain;
    }
    let is_method = |function: &&Function| function.name.rsplit_once("::").is_some_and(|(_, method)| method == name);
    module.functions.iter().filter(is_method).collect()
}

/// Returns the names on a path. A path that begins with a function's own parameter has none,
/// because the caller mentions the argument.
fn names(mention: &Use) -> Vec<String> {
    match mention.path.first() {
        Some(Step::Name(_)) => mention.path.iter().filter_map(name).collect(),
        Some(Step::Parameter(_) | Step::This | Step::Index(_) | Step::DynamicIndex) | None => Vec::new(),
    }
}

fn name(step: &Step) -> Option<String> {
    match step {
        Step::Name(name) => Some(name.clone()),
        Step::Parameter(_) | Step::This | Step::Index(_) | Step::DynamicIndex => None,
    }
}

/// Returns the path that a use reaches: the object of a method rather than the method.
fn parameter_path(mention: &Use, mut names: Vec<String>) -> Vec<String> {
    if mention.call && names.len() > 1 {
        names.pop();
    }
    names
}

/// Adds the name of the `cbuffer` or `tbuffer` before a member, which bodies name alone.
fn in_block(module: &Module, path: &[String]) -> Vec<String> {
    let holds = |parameter: &&Parameter| match parameter.kind {
        ParameterKind::Cbuffer | ParameterKind::Tbuffer => path.first().is_some_and(|name| is_member(parameter, name)),
        ParameterKind::Variable | ParameterKind::Global => false,
    };
    match (module.parameters.iter().find(holds), path) {
        (Some(block), [first, rest @ ..]) => {
            let member = first.rsplit("::").next().unwrap_or(first);
            [block.name.clone(), member.to_owned()].into_iter().chain(rest.iter().cloned()).collect()
        }
        (Some(_) | None, _) => path.to_vec(),
    }
}

/// True if `name` is the qualified name of a member of `block`. Members are in the namespace of the
/// block itself.
fn is_member(block: &Parameter, name: &str) -> bool {
    let Type::Struct(members) = &block.ty else { return false };
    let (space, member) = name.rsplit_once("::").unwrap_or(("", name));
    let block_space = block.name.rsplit_once("::").map_or("", |(space, _)| space);
    space == block_space && members.members.iter().any(|it| it.name == member)
}
