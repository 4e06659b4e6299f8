//! Places every parameter: explicit slots first, then the buffer of loose globals, then everything
//! in order.
//!
//! Takes measured scopes and returns a [`ProgramLayout`]. The order is the source's own globals,
//! the globals of imported modules, then the entry points (each as one parameter). In the user
//! guide entry points come before imported modules.
//!
//! Source: Slang user guide, Parameter Layout Rules, Allocating Bindings to Parameters; measured with Slang 2026.14.1.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{LayoutUnit, Span};

use super::entry::{FixedParameter, MeasuredEntry, is_descriptor};
use super::explicit::FixedSlot;
use super::scope::{MeasuredGlobals, ScopeDraft, ScopeItem, SlotPosition};
use super::settings::SlangSettings;
use super::types::{LayoutBudget, TypeLayoutBuilder};
use crate::slots::{SlotLine, SlotReservation};
use crate::tree::{ProgramLayout, UnitOffset};
use crate::{BindingRequest, Target};
use layoutproof_frontend::module::{EntryParameter, Module};
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};

#[derive(Debug)]
struct ProgramPlacement<'s, 'm> {
    settings: &'s SlangSettings,
    lines: SlotAllocator<'m>,
    problems: Vec<Diagnostic>,
    /// The space of every parameter that names none.
    default_space: u32,
    has_bindless: bool,
}

/// Lays out the program of `module`.
///
/// # Errors
/// Programs that slangc refuses (for `slang-documented`, programs that the user guide calls
/// errors), and types without a layout.
pub fn layout(module: &Module, request: &BindingRequest) -> Result<ProgramLayout, Vec<Diagnostic>> {
    let settings = SlangSettings::of(request)?;
    let has_handles = has_handles(module);
    let opened =
        (has_handles && settings.target == Target::Metal && !settings.documented).then(|| without_handles(module));
    let module = opened.as_ref().unwrap_or(module);

    let mut types = TypeLayoutBuilder { settings: &settings, problems: Vec::new(), budget: LayoutBudget::default() };
    types.problems.extend(module.nested_buffers.iter().map(|span| nested_buffer(*span)));
    let globals = MeasuredGlobals::of(module, &mut types);
    let is_asked = |name: &str| request.entry.as_deref().is_none_or(|entry| entry == name);
    let entries = module.entry_points.iter().filter(|entry| is_asked(&entry.name));
    let entries: Vec<MeasuredEntry<'_>> = entries.map(|entry| MeasuredEntry::of(entry, &mut types)).collect();

    let problems = types.problems;
    let lines = SlotAllocator::new(settings.documented);
    // If the profile names no shader model, a handle makes slangc assume one that has handles.
    let has_bindless = settings.has_bindless() || has_handles;
    let mut program = ProgramPlacement { settings: &settings, lines, problems, default_space: 0, has_bindless };
    let program = program.place(globals, entries, module.own_parameters);

    if program.warnings.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(program.warnings);
    }
    Ok(program)
}

/// slangc makes such a buffer a resource of the buffer around it. layoutproof does not follow that.
fn nested_buffer(span: Span) -> Diagnostic {
    let help = "declare it next to the other buffer";
    Diagnostic::error(Code::Unsupported, span, "layoutproof does not know where Slang binds a buffer inside a buffer")
        .with_help(help)
}

impl<'m> ProgramPlacement<'_, 'm> {
    fn place(
        &mut self,
        mut globals: MeasuredGlobals<'m>,
        mut entries: Vec<MeasuredEntry<'m>>,
        own: usize,
    ) -> ProgramLayout {
        for item in &mut globals.items {
            self.fix(item);
        }

        for entry in &mut entries {
            self.fix_entry(entry);
        }

        let (size, alignment) = globals.bytes();
        let has_bytes = size != Count::Finite(0);
        self.choose_default_space(has_bytes, &globals, &entries);
        let span = globals.span();
        let buffer = has_bytes.then(|| self.global_buffer(span));

        let own = own.min(globals.items.len());
        let (own, imported) = globals.items.split_at_mut(own);
        for item in own {
            self.allocate(item);
        }
        if self.settings.documented {
            for entry in &mut *entries {
                self.allocate_entry(entry);
            }
        }
        for item in imported {
            self.allocate(item);
        }
        if !self.settings.documented {
            for entry in &mut *entries {
                self.allocate_entry(entry);
            }
        }

        let bindless_space = self.has_bindless.then(|| self.bindless_space());
        let fields = globals.items.into_iter().map(|item| self.shifted(item).into_field()).collect();
        let scope = ScopeDraft { ty: globals.ty, size, alignment, fields, buffer };
        ProgramLayout {
            globals: scope.tree(Vec::new(), span),
            entry_points: entries.into_iter().map(MeasuredEntry::into_layout).collect(),
            bindless_space,
            warnings: std::mem::take(&mut self.problems),
        }
    }

    /// Takes the explicit slots of a global parameter.
    fn fix(&mut self, item: &mut ScopeItem<'m>) {
        for fixed in self.settings.fixed(item.asking(), &mut self.problems) {
            self.fix_slot(item, fixed);
        }
    }

    fn fix_slot(&mut self, item: &mut ScopeItem<'m>, fixed: FixedSlot) {
        // A register that counts as a binding is one binding, whatever the parameter takes.
        // Reflection shows it in this way.
        if let (LayoutUnit::Binding, Some(count)) = (fixed.unit, fixed.count) {
            Arc::make_mut(&mut item.layout).usage.set(fixed.unit, Count::Finite(count));
        }
        let count = fixed.count.map_or_else(|| item.layout.usage.get(fixed.unit), Count::Finite);
        if count == Count::Finite(0) && fixed.count.is_some() {
            item.at.insert(fixed.unit, SlotPosition { space: 0, index: fixed.index });
            return;
        }
        // On Metal nothing is bound at a binding, although reflection shows it.
        let is_real = fixed.unit != LayoutUnit::Binding || self.settings.target != Target::Metal;
        if let Some(held) = self.lines.fix(fixed, count, item.owner()).filter(|_| is_real) {
            let (FixedSlot { unit, index, .. }, space) = (fixed, fixed.space.unwrap_or(0));
            let (name, other) = (item.name, held.owner.name);
            let message = format!(
                "`{name}` at {unit} {index} in space {space} overlaps `{other}`, which holds {} to {}",
                held.first, held.last
            );
            let problem = if self.settings.documented {
                Diagnostic::error(Code::BindingOverlap, fixed.span, message)
            } else {
                Diagnostic::warning(Code::BindingOverlap, fixed.span, message)
            };
            self.problems.push(problem.with_label(held.owner.span, "the other one"));
        }

        item.at.insert(fixed.unit, SlotPosition { space: fixed.space.unwrap_or(0), index: fixed.index });
    }

    /// Takes the explicit slots of an entry point's parameters, and the registers of its render
    /// targets.
    fn fix_entry(&mut self, entry: &mut MeasuredEntry<'m>) {
        self.problems.append(&mut entry.problems);
        for FixedParameter { name, span, slot, layout } in std::mem::take(&mut entry.fixed) {
            let mut item = ScopeItem { name, span, layout, ..entry.scope.clone() };
            self.fix_slot(&mut item, slot);
        }
        for (index, count) in std::mem::take(&mut entry.render_targets) {
            // Two entry points may write to the same targets.
            self.lines.reserve_register(LayoutUnit::UnorderedAccess, index, count, entry.scope.owner());
        }
    }

    /// Sets the space of parameters that name none. It is 0, even if space 0 is in use; in the user
    /// guide it is the first free space.
    fn choose_default_space(&mut self, has_bytes: bool, globals: &MeasuredGlobals<'_>, entries: &[MeasuredEntry<'_>]) {
        let scopes = entries.iter().map(|entry| &entry.scope);
        let open = globals.items.iter().chain(scopes).flat_map(ScopeItem::open);
        let records = globals.items.iter().any(|item| item.layout.takes(LayoutUnit::ShaderRecord));
        let passes_alone = entries.iter().any(MeasuredEntry::has_callable_payload);
        let unbound = entries.iter().flat_map(MeasuredEntry::unbound_units);
        let takes_slots = open.map(|(unit, _)| unit).chain(unbound).any(LayoutUnit::has_space);
        // slangc 2026.14.1 also counts a space for shader records and callable payloads, although
        // they have none.
        if has_bytes || takes_slots || (!self.settings.documented && (records || passes_alone)) {
            if self.settings.documented {
                self.default_space = self.lines.take_spaces(1).unwrap_or(0);
            }
            self.lines.mark_space(self.default_space);
        }
    }

    /// Places the buffer of loose globals, which comes before all parameters without an explicit
    /// slot.
    fn global_buffer(&mut self, span: Span) -> (LayoutUnit, SlotPosition) {
        let unit = self.settings.buffer_unit(ResourceKind::ConstantBuffer);
        let owner = SlotOwner { name: "$Globals", span };
        if let Some((index, space)) = self.settings.globals {
            self.lines.fix(
                FixedSlot { unit, space: Some(space), index, count: Some(1), span },
                Count::Finite(1),
                owner,
            );
            return (unit, SlotPosition { space, index });
        }
        let index = self.take(unit, Count::Finite(1), owner);
        (unit, self.shift(unit, SlotPosition { space: self.default_space, index }))
    }

    fn take(&mut self, unit: LayoutUnit, count: Count, owner: SlotOwner<'m>) -> u32 {
        let space = if unit.has_space() { self.default_space } else { 0 };
        self.lines.take(unit, space, count, owner).unwrap_or_else(|| {
            let message = format!("no free slot is left for `{}` among the {unit} slots of space {space}", owner.name);
            self.problems.push(Diagnostic::error(Code::TooLarge, owner.span, message));
            0
        })
    }

    /// Gives an item the places that it still needs: first all whole spaces together, then the
    /// first gap in each unit.
    fn allocate(&mut self, item: &mut ScopeItem<'m>) {
        let needed: u32 = item.open().into_iter().map(|(unit, count)| spaces(unit, count)).sum();
        let mut next = if needed > 0 { self.lines.take_spaces(needed).unwrap_or(0) } else { 0 };
        for (unit, count) in item.open() {
            let at = match (unit, count) {
                // Unbounded bytes take the number of a space that is not reserved for them, so the
                // spaces after it are given out twice (Slang 2026.14.1).
                (LayoutUnit::Bytes, Count::Unbounded) if !self.settings.documented => {
                    next += 1;
                    continue;
                }
                (LayoutUnit::Bytes, _) => continue,
                (LayoutUnit::Space, _) => SlotPosition { space: 0, index: next },
                (_, Count::Unbounded) => SlotPosition { space: next, index: 0 },
                (_, Count::Finite(_)) => {
                    let index = self.take(unit, count, item.owner());
                    let space = if unit.has_space() { self.default_space } else { 0 };
                    SlotPosition { space, index }
                }
            };
            next += spaces(unit, count);
            item.at.insert(unit, at);
        }
    }

    /// Places the parameters of an entry point together, or one by one if one of them has an
    /// explicit binding.
    fn allocate_entry(&mut self, entry: &mut MeasuredEntry<'m>) {
        self.allocate(&mut entry.scope);
        for (parameter, field) in entry.unbound() {
            let EntryParameter { name, annotations, span, .. } = parameter;
            let keeps = |own: &&UnitOffset| !is_descriptor(own.unit);
            let position = |own: &UnitOffset| (own.unit, SlotPosition { space: own.space, index: own.offset });
            let at = field.offsets.iter().filter(keeps).map(position).collect();
            let layout = Arc::clone(&field.layout);
            let mut item = ScopeItem { name, annotations, span: *span, layout, bytes: 0, at };
            self.allocate(&mut item);
            for own in &mut field.offsets {
                if let Some(at) = item.at.get(&own.unit) {
                    (own.space, own.offset) = (at.space, at.index);
                }
            }
        }
    }

    /// Adds the shifts of registers on Vulkan and WebGPU.
    fn shifted(&self, mut item: ScopeItem<'m>) -> ScopeItem<'m> {
        for (unit, at) in &mut item.at {
            *at = self.shift(*unit, *at);
        }
        item
    }

    fn shift(&self, unit: LayoutUnit, at: SlotPosition) -> SlotPosition {
        let by = self.settings.shift_of(unit, at.space).unwrap_or(0);
        SlotPosition { index: at.index.saturating_add(by), ..at }
    }

    /// Returns the first free space at or after the requested one (Slang's warning E39012 if it is
    /// a different one).
    fn bindless_space(&mut self) -> u32 {
        let asked = self.settings.bindless;
        let first = asked.unwrap_or(0);
        let found = self.lines.free_space(first).unwrap_or(0);
        if asked.is_some_and(|space| space != found) {
            let message = format!("space {first} is already in use: bindless resources get space {found}");
            self.problems.push(Diagnostic::warning(Code::BindingOverlap, Span::default(), message));
        }
        found
    }
}

/// Returns the number of whole spaces that an amount of a unit needs.
fn spaces(unit: LayoutUnit, count: Count) -> u32 {
    match (unit, count) {
        (LayoutUnit::Bytes, _) => 0,
        (LayoutUnit::Space, Count::Finite(count)) => count,
        (_, Count::Unbounded) => 1,
        (_, Count::Finite(_)) => 0,
    }
}

/// The parameter that holds slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotOwner<'m> {
    pub(super) name: &'m str,
    pub(super) span: Span,
}

/// The slots and spaces that are taken so far.
#[derive(Debug)]
pub(super) struct SlotAllocator<'m> {
    /// True if an explicit slot takes its space only if it names one.
    named_spaces_only: bool,
    /// The line of each unit and space.
    slots: BTreeMap<(LayoutUnit, u32), SlotLine<SlotOwner<'m>>>,
    spaces: SlotLine<()>,
}

impl<'m> SlotAllocator<'m> {
    /// Makes an allocator without taken slots.
    pub(super) fn new(named_spaces_only: bool) -> Self {
        Self { named_spaces_only, slots: BTreeMap::new(), spaces: SlotLine::default() }
    }

    /// Takes `count` explicit slots. Returns the holder of one of them, if any.
    pub(super) fn fix(
        &mut self,
        fixed: FixedSlot,
        count: Count,
        owner: SlotOwner<'m>,
    ) -> Option<SlotReservation<SlotOwner<'m>>> {
        if fixed.unit == LayoutUnit::Space {
            // Only the first space: spaces of blocks inside are not reserved (Slang 2026.14.1).
            self.mark_space(fixed.index);
        } else if fixed.space.is_some() || !self.named_spaces_only {
            // This also holds for units without spaces: if the only explicit slot of a program is a
            // `constant_id`, space 0 is taken.
            self.mark_space(fixed.space.unwrap_or(0));
        }
        self.slots.entry((fixed.unit, fixed.space.unwrap_or(0))).or_default().reserve(fixed.index, count, owner)
    }

    /// Reserves registers of space 0. The space itself stays free (Slang 2026.14.1).
    pub(super) fn reserve_register(&mut self, unit: LayoutUnit, index: u32, count: u32, owner: SlotOwner<'m>) {
        self.slots.entry((unit, 0)).or_default().reserve(index, Count::Finite(count), owner);
    }

    /// Takes the first gap of `count` slots; `None` if no gap fits.
    pub(super) fn take(&mut self, unit: LayoutUnit, space: u32, count: Count, owner: SlotOwner<'m>) -> Option<u32> {
        let line = self.slots.entry((unit, space)).or_default();
        let first = line.first_fit(count, 0)?;
        line.reserve(first, count, owner);
        Some(first)
    }

    /// Takes the first gap of `count` whole spaces; `None` if no gap fits.
    pub(super) fn take_spaces(&mut self, count: u32) -> Option<u32> {
        let first = self.spaces.first_fit(Count::Finite(count), 0)?;
        self.spaces.reserve(first, Count::Finite(count), ());
        Some(first)
    }

    pub(super) fn mark_space(&mut self, space: u32) {
        self.spaces.reserve(space, Count::Finite(1), ());
    }

    /// Returns the first free space at or after `from`.
    pub(super) fn free_space(&self, from: u32) -> Option<u32> {
        self.spaces.first_fit(Count::Finite(1), from)
    }
}

/// True if a parameter of `module` is or holds a handle, also inside buffers.
pub(super) fn has_handles(module: &Module) -> bool {
    let mut seen = HashSet::new();
    let entries = module.entry_points.iter().flat_map(|entry| &entry.parameters).map(|parameter| &parameter.ty);
    let mut types = module.parameters.iter().map(|parameter| &parameter.ty).chain(entries);
    types.any(|ty| has_handle(ty, &mut seen))
}

fn has_handle(ty: &Type, seen: &mut HashSet<*const StructType>) -> bool {
    match ty.dimensions().0 {
        Type::Handle { .. } => true,
        Type::Struct(structure) => {
            let bases = std::iter::successors(Some(structure), |structure| structure.base.as_ref());
            let new: Vec<&Arc<StructType>> = bases.filter(|structure| seen.insert(Arc::as_ptr(structure))).collect();
            new.iter().flat_map(|structure| &structure.members).any(|member| has_handle(&member.ty, seen))
        }
        Type::Resource(resource) => resource.element.as_deref().is_some_and(|element| has_handle(element, seen)),
        _ => false,
    }
}

/// Returns `module` with resources in place of their handles, except for handles that pass between
/// stages.
pub(super) fn without_handles(module: &Module) -> Module {
    let (mut handles, mut module) = (OpenedHandles::default(), module.clone());
    for parameter in &mut module.parameters {
        parameter.ty = handles.opened(&parameter.ty);
    }
    let entry_parameters = module.entry_points.iter_mut().flat_map(|entry| &mut entry.parameters);
    for parameter in entry_parameters.filter(|parameter| parameter.is_uniform()) {
        parameter.ty = handles.opened(&parameter.ty);
    }
    module
}

/// The structs without handles, keyed by the structs with them.
#[derive(Debug, Default)]
struct OpenedHandles(HashMap<*const StructType, Arc<StructType>>);

impl OpenedHandles {
    fn opened(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Handle { resource } => Type::Resource(self.opened_resource(resource)),
            Type::Array { element, count } => Type::Array { element: Box::new(self.opened(element)), count: *count },
            Type::Struct(structure) => Type::Struct(self.opened_struct(structure)),
            Type::Resource(resource) => Type::Resource(self.opened_resource(resource)),
            _ => ty.clone(),
        }
    }

    fn opened_resource(&mut self, resource: &Resource) -> Resource {
        let element = resource.element.as_deref().map(|element| Box::new(self.opened(element)));
        Resource { element, ..resource.clone() }
    }

    fn opened_struct(&mut self, structure: &Arc<StructType>) -> Arc<StructType> {
        if let Some(opened) = self.0.get(&Arc::as_ptr(structure)) {
            return Arc::clone(opened);
        }
        let base = structure.base.as_ref().map(|base| self.opened_struct(base));
        let members = structure.members.iter().map(|member| Member { ty: self.opened(&member.ty), ..member.clone() });
        let members = members.collect();
        let opened = Arc::new(StructType { base, members, ..StructType::clone(structure) });
        self.0.insert(Arc::as_ptr(structure), Arc::clone(&opened));
        opened
    }
}
