//! The rows of a placed program: the leaves of its tree, each with the sum of the offsets on its
//! path.
//!
//! A buffer has a row for the units that it takes itself, under its own path, followed by the rows
//! of its resources. The path of a resource in an array of structs has `[]` (`gPairs[].b`), and its
//! count covers all elements. Parameters of an entry point are `main.name`, its result is
//! `main.$result`. A varying has a row for each member with locations; for an array of structs, the
//! members are those of its first element.
//!
//! Source: Slang user guide, Using the Reflection API, cumulative offsets. The spaces of unsized
//! arrays in structs are those of Slang 2026.14.1's code.

use std::collections::BTreeMap;

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{LayoutUnit, Span};

use super::explicit::vulkan_binding;
use super::settings::SlangSettings;
use crate::tree::{EntryLayout, ProgramLayout, TypeLayout, TypeParts, VariableLayout};
use crate::{Binding, Target};

/// Returns the rows of `program` in the order in which slots are given out. The first `own` globals
/// belong to the source itself.
pub(super) fn rows(program: &ProgramLayout, own: usize, settings: &SlangSettings) -> Vec<Binding> {
    let mut rows = RowCollector { found: Vec::new(), settings };
    let start = PathOffsets::start();
    let fields = rows.scope(&program.globals, "$Globals", &start);
    let (own, imported) = fields.split_at(own.min(fields.len()));
    let (before, behind) = if settings.documented {
        (program.entry_points.as_slice(), [].as_slice())
    } else {
        ([].as_slice(), program.entry_points.as_slice())
    };

    for field in own {
        rows.variable(field, "", &start);
    }

    // The units of a generic entry point depend on its arguments.
    for entry in before.iter().filter(|entry| entry.generics.is_empty()) {
        rows.entry(entry);
    }

    for field in imported {
        rows.variable(field, "", &start);
    }

    for entry in behind.iter().filter(|entry| entry.generics.is_empty()) {
        rows.entry(entry);
    }

    rows.found
}

/// The sum of the offsets of the variables on an access path.
#[derive(Clone, Debug)]
struct PathOffsets {
    /// Spaces and offsets, counted from the deepest parameter block.
    sums: BTreeMap<LayoutUnit, (u32, u32)>,
    /// The space of the deepest parameter block.
    block: Option<u32>,
    /// Whole spaces, counted from the program.
    spaces: u32,
    /// Whole spaces, counted from the scope.
    spaces_in_scope: u32,
    /// The product of the counts of the arrays on the path.
    elements: Count,
}

impl PathOffsets {
    fn start() -> Self {
        Self { sums: BTreeMap::new(), block: None, spaces: 0, spaces_in_scope: 0, elements: Count::Finite(1) }
    }

    fn through(&self, variable: &VariableLayout) -> Self {
        let mut reach = self.clone();
        for at in &variable.offsets {
            let (space, offset) = reach.sums.entry(at.unit).or_default();
            (*space, *offset) = (space.saturating_add(at.space), offset.saturating_add(at.offset));
            if at.unit == LayoutUnit::Space {
                reach.spaces = reach.spaces.saturating_add(at.offset);
                reach.spaces_in_scope = reach.spaces_in_scope.saturating_add(at.offset);
            }
        }
        reach
    }

    /// Returns the space and slot of `unit` at the end of the path.
    fn at(&self, unit: LayoutUnit, count: Count) -> (u32, u32) {
        let (space, offset) = self.sums.get(&unit).copied().unwrap_or_default();
        let is_unbounded = count == Count::Unbounded || self.elements == Count::Unbounded;
        match self.block {
            Some(block) => (space.saturating_add(block), offset),
            None if is_unbounded => (space.saturating_add(self.spaces_in_scope), offset),
            None => (space, offset),
        }
    }
}

#[derive(Debug)]
struct RowCollector<'s> {
    found: Vec<Binding>,
    settings: &'s SlangSettings,
}

impl RowCollector<'_> {
    /// Adds the row of a scope's buffer. Returns the scope's parameters.
    fn scope<'t>(&mut self, scope: &'t VariableLayout, name: &str, reach: &PathOffsets) -> &'t [VariableLayout] {
        match &scope.layout.parts {
            TypeParts::Contained { container, element } => {
                self.leaf(&container.layout, name, &reach.through(container), scope.span);
                fields(element)
            }
            TypeParts::Fields(fields) => fields,
            _ => &[],
        }
    }

    fn entry(&mut self, entry: &EntryLayout) {
        let start = PathOffsets::start();
        let reach = PathOffsets { spaces_in_scope: 0, ..start.through(&entry.scope) };
        let fields = self.scope(&entry.scope, &format!("$Entry.{}", entry.name), &reach);
        // If one parameter has its own binding, the others are not bound together either.
        let from = if fields.iter().any(|field| self.has_own_binding(field)) { &start } else { &reach };
        // Slang then gives no binding to the buffer of the loose parameters, so it has no row.
        if fields.iter().any(|field| self.has_own_binding(field)) {
            let buffer = format!("$Entry.{}", entry.name);
            self.found.retain(|row| row.path != buffer || row.unit != LayoutUnit::Binding);
        }
        for field in fields {
            self.variable(field, &format!("{}.", entry.name), from);
        }
        if let Some(result) = &entry.result {
            self.parts(&result.layout, &format!("{}.$result", entry.name), &start.through(result), result.span);
        }
    }

    /// True if a parameter of an entry point is bound separately.
    fn has_own_binding(&self, field: &VariableLayout) -> bool {
        let is_descriptor = [LayoutUnit::Binding, LayoutUnit::Space].iter().any(|unit| field.layout.takes(*unit));
        let honours = self.settings.binds_entry_parameters() && is_descriptor;
        honours && vulkan_binding(&field.annotations).is_some()
    }

    fn variable(&mut self, variable: &VariableLayout, prefix: &str, reach: &PathOffsets) {
        let path = format!("{prefix}{}", variable.name.as_deref().unwrap_or_default());
        self.parts(&variable.layout, &path, &reach.through(variable), variable.span);
    }

    fn parts(&mut self, layout: &TypeLayout, path: &str, reach: &PathOffsets, span: Span) {
        match &layout.parts {
            TypeParts::None | TypeParts::Memory(_) => self.leaf(layout, path, reach, span),
            TypeParts::Fields(fields) => self.fields(fields, path, reach),
            TypeParts::Elements { element, .. } => self.elements(layout, element, path, reach, span),
            TypeParts::Contained { container, element } => self.contained(container, element, path, reach, span),
            TypeParts::Stream(output) => self.parts(output, path, reach, span),
            TypeParts::Patch(element) => {
                let path = if holds_more(element) { format!("{path}[]") } else { path.to_owned() };
                self.parts(element, &path, reach, span);
            }
        }
    }

    fn fields(&mut self, fields: &[VariableLayout], path: &str, reach: &PathOffsets) {
        for field in fields {
            // Members of a base struct count as members of the struct itself.
            match (field.name.as_deref(), &field.layout.parts) {
                (Some("$base"), TypeParts::Fields(inner)) => self.fields(inner, path, &reach.through(field)),
                (Some(_) | None, _) => self.variable(field, &format!("{path}."), reach),
            }
        }
    }

    fn elements(&mut self, array: &TypeLayout, element: &TypeLayout, path: &str, reach: &PathOffsets, span: Span) {
        let count = if let Type::Array { count, .. } = array.ty { count } else { Count::Finite(1) };
        let holds_more = holds_more(element);
        let is_varying = [LayoutUnit::LocationIn, LayoutUnit::LocationOut].iter().any(|unit| array.takes(*unit));
        let count = if holds_more && is_varying { Count::Finite(1) } else { count };
        let reach = PathOffsets { elements: reach.elements.times(count), ..reach.clone() };
        let path = if holds_more { format!("{path}[]") } else { path.to_owned() };
        self.parts(element, &path, &reach, span);
    }

    fn contained(
        &mut self,
        container: &VariableLayout,
        element: &VariableLayout,
        path: &str,
        reach: &PathOffsets,
        span: Span,
    ) {
        let block = container.layout.takes(LayoutUnit::Space).then_some(reach.spaces);
        let outside = match block {
            Some(_) => PathOffsets { sums: BTreeMap::new(), block, ..reach.clone() },
            None => reach.clone(),
        };
        self.leaf(&container.layout, path.trim_end_matches("[]"), &outside.through(container), span);
        let reach = outside.through(element);

        match &element.layout.parts {
            TypeParts::Fields(fields) => self.fields(fields, path, &reach),
            _ => {
                self.parts(&element.layout, path, &reach, span);
            }
        }
    }

    /// Adds a row for each unit that a variable takes itself.
    fn leaf(&mut self, layout: &TypeLayout, path: &str, reach: &PathOffsets, span: Span) {
        // Reflection alone shows this register number as a binding.
        let is_bound = |other| other == LayoutUnit::PushConstant || other == LayoutUnit::ShaderRecord;
        let lacks_bindings =
            self.settings.target == Target::Metal || layout.usage.iter().any(|(other, _)| is_bound(other));
        for (unit, count) in layout.usage.iter() {
            let (space, index) = match unit {
                LayoutUnit::Binding if lacks_bindings => continue,
                // No host binds these: shader stages pass payloads and attributes to each other,
                // and existentials specialise a program.
                LayoutUnit::Bytes
                | LayoutUnit::MetalArgument
                | LayoutUnit::ExistentialType
                | LayoutUnit::ExistentialObject
                | LayoutUnit::RayPayload
                | LayoutUnit::HitAttributes
                | LayoutUnit::CallablePayload => continue,
                LayoutUnit::Space => (0, reach.block.unwrap_or(reach.spaces)),
                _ => reach.at(unit, count),
            };
            let count = if self.settings.multiplies(unit) { count.times(reach.elements) } else { count };
            // Shifted registers end up as bindings.
            let unit = if unit.is_register() && self.settings.speaks_spirv() { LayoutUnit::Binding } else { unit };
            self.found.push(Binding { path: path.to_owned(), unit, space, index, count, span });
        }
    }
}

fn fields(variable: &VariableLayout) -> &[VariableLayout] {
    match &variable.layout.parts {
        TypeParts::Fields(fields) => fields,
        _ => &[],
    }
}

/// True if parts of an element have their own rows.
fn holds_more(element: &TypeLayout) -> bool {
    match &element.parts {
        TypeParts::None | TypeParts::Memory(_) => false,
        TypeParts::Fields(_) | TypeParts::Contained { .. } => true,
        TypeParts::Elements { element, .. } | TypeParts::Stream(element) | TypeParts::Patch(element) => {
            holds_more(element)
        }
    }
}
