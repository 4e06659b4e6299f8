//! Varying parameters of an entry point: the number of locations that they take, and which.
//!
//! A scalar or vector takes one location. A matrix takes one for each vector of the order that the
//! command line sets, whatever its own order. System values take none, except the render targets of
//! a fragment shader, whose numbers do not count. Slang honours explicit locations on all targets
//! except D3D. Patches and mesh outputs take the locations of one element, output streams those of
//! an output. Ray-tracing stages have payloads and hit attributes instead, laid out as ordinary
//! types with a slot for each scalar or vector, and resources bound as usual.
//!
//! Source: Slang user guide, Parameter Layout Rules; measured with Slang 2026.14.1.

use std::sync::Arc;

use layoutproof_layout::shape::{Count, MatrixOrder, Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use super::bytes::ByteRoom;
use super::explicit::vulkan_number;
use super::types::{TypeLayoutBuilder, TypePosition, finite, with_bytes};
use crate::Target;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};
use layoutproof_frontend::module::{EntryParameter, StageWrapper};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Makes the layouts of an entry point's varyings.
#[derive(Debug)]
pub(super) struct Varyings<'t, 's> {
    /// The target, the budget and the problems.
    pub(super) types: &'t mut TypeLayoutBuilder<'s>,
    pub(super) stage: String,
    /// The declaration of the entry point.
    pub(super) span: Span,
    /// Numbers and counts of the render targets that were found.
    pub(super) render_targets: Vec<(u32, u32)>,
    /// The index of the current semantic, which goes up with each scalar and vector under it.
    pub(super) semantic_index: u32,
}

type Directions = &'static [LayoutUnit];

const INPUT: Directions = &[LayoutUnit::LocationIn];
/// `out`, and results.
const OUTPUT: Directions = &[LayoutUnit::LocationOut];
const BOTH: Directions = &[LayoutUnit::LocationIn, LayoutUnit::LocationOut];

fn directions(annotations: &Annotations) -> Directions {
    let has = |word: &str| annotations.modifiers.iter().any(|modifier| modifier == word);
    match (has("inout") || (has("in") && has("out")), has("out")) {
        (true, _) => BOTH,
        (false, true) => OUTPUT,
        (false, false) => INPUT,
    }
}

impl Varyings<'_, '_> {
    pub(super) fn parameter(&mut self, parameter: &EntryParameter) -> TypeLayout {
        let EntryParameter { ty, wrapper, annotations, span, .. } = parameter;
        let directions = directions(annotations);
        if let Some(unit) = self.ray_unit(directions) {
            return self.payload(ty, unit, *span);
        }

        let semantic = annotations.semantic.as_deref();
        self.semantic_index = semantic_index(semantic);
        match (wrapper, ty) {
            (StageWrapper::Stream, element) => {
                // The stream's own semantic does not apply to its vertices.
                let element = Arc::new(self.layout(element, None, OUTPUT));
                let usage = element.usage.clone();
                TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Stream(element) }
            }
            (StageWrapper::Patch, Type::Array { element, .. }) => self.one_element(ty, element, semantic, directions),
            (StageWrapper::MeshOutput, Type::Array { element, .. }) => self.one_element(ty, element, semantic, OUTPUT),
            (StageWrapper::MeshIndices, Type::Array { element, .. }) => {
                let layout = self.one_element(ty, element, semantic, OUTPUT);
                // Indices are a builtin there.
                let is_built_in = self.types.settings.target == Target::Vulkan;
                TypeLayout { usage: if is_built_in { Usage::default() } else { layout.usage.clone() }, ..layout }
            }
            (StageWrapper::None | StageWrapper::Patch | StageWrapper::MeshOutput | StageWrapper::MeshIndices, _) => {
                self.layout(ty, semantic, directions)
            }
        }
    }

    pub(super) fn result(&mut self, ty: &Type, semantic: Option<&str>) -> TypeLayout {
        self.semantic_index = semantic_index(semantic);
        match self.ray_unit(OUTPUT) {
            Some(unit) => self.payload(ty, unit, self.span),
            None => self.layout(ty, semantic, OUTPUT),
        }
    }

    /// Lays out an array for which reflection shows the locations of one element.
    fn one_element(&mut self, ty: &Type, element: &Type, semantic: Option<&str>, directions: Directions) -> TypeLayout {
        let element = Arc::new(self.layout(element, semantic, directions));
        let usage = element.usage.clone();
        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Patch(element) }
    }

    /// Returns the unit in which a ray-tracing stage counts a value that passes in `directions`. An
    /// `out` counts as `inout`.
    fn ray_unit(&self, directions: Directions) -> Option<LayoutUnit> {
        let is_output = directions.contains(&LayoutUnit::LocationOut);
        match (self.stage.as_str(), is_output) {
            ("anyhit" | "closesthit" | "miss", true) => Some(LayoutUnit::RayPayload),
            ("callable", true) => Some(LayoutUnit::CallablePayload),
            ("anyhit" | "closesthit", false) => Some(LayoutUnit::HitAttributes),
            _ => None,
        }
    }

    /// Lays out a payload or hit attributes.
    fn payload(&mut self, ty: &Type, unit: LayoutUnit, span: Span) -> TypeLayout {
        if self.types.settings.target == Target::Metal {
            let message = "Slang has no payloads or hit attributes on Metal";
            self.types.problems.push(Diagnostic::error(Code::Unsupported, span, message));
        }
        if has_bit_fields(ty) {
            let message = "layoutproof does not model how Slang counts bit-fields in a payload";
            self.types.problems.push(Diagnostic::error(Code::Unsupported, span, message));
        }
        let layout = self.types.of(ty, None, TypePosition { room: ByteRoom::Ordinary, span });
        if !layout.usage.is_empty() {
            let message = "layoutproof does not model where Slang binds the resources of a payload";
            self.types.problems.push(Diagnostic::error(Code::Unsupported, span, message));
        }
        with_slots(&layout, unit, self.types.settings.layout.matrix)
    }

    /// Returns the layout of a varying with the semantic `semantic`, which then applies to all its
    /// members.
    pub(super) fn layout(&mut self, ty: &Type, semantic: Option<&str>, directions: Directions) -> TypeLayout {
        if let Err(problem) = self.types.budget.spend(self.span) {
            self.types.problems.extend(problem);
            return with_bytes(ty, None);
        }

        match ty {
            Type::Matrix { rows, columns, .. } => {
                let vectors = self.types.settings.layout.matrix.vectors_and_length(*rows, *columns).0;
                self.leaf(ty, vectors, semantic, directions)
            }
            Type::Array { element, count } => self.array(ty, element, *count, semantic, directions),
            Type::Struct(structure) if structure.is_open => {
                let message =
                    format!("slangc 2026.14.1 cannot lay out a varying of the open type `{}`", structure.name);
                self.types.problems.push(Diagnostic::error(Code::Unsupported, self.span, message));
                with_bytes(ty, None)
            }
            Type::Struct(structure) => self.structure(ty, structure, semantic, directions),
            Type::Resource(_) => self.leaf(ty, 0, semantic, directions),
            _ => self.leaf(ty, 1, semantic, directions),
        }
    }

    fn leaf(&mut self, ty: &Type, locations: u32, semantic: Option<&str>, directions: Directions) -> TypeLayout {
        let mut usage = Usage::default();
        for unit in directions {
            if self.has_locations(semantic, *unit) {
                usage.add(*unit, Count::Finite(locations));
            }
        }
        let is_matrix = matches!(ty, Type::Matrix { .. });
        if !is_matrix && !usage.is_empty() && semantic.is_some_and(is_render_target) {
            self.render_targets.push((self.semantic_index, locations));
        }
        self.semantic_index = self.semantic_index.saturating_add(u32::from(!is_matrix));
        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::None }
    }

    fn has_locations(&self, semantic: Option<&str>, unit: LayoutUnit) -> bool {
        match self.stage.as_str() {
            // Payloads and attributes of ray-tracing stages are not varyings.
            "raygeneration" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable" => false,
            stage => semantic.is_none_or(|semantic| {
                let is_target = is_render_target(semantic);
                let starts = |prefix| semantic.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
                let is_system = starts("sv_") || starts("nv_");
                // A fragment shader gets the instance like any other input, which Slang 2026.14.1
                // does on Vulkan.
                let is_passed = self.types.settings.target == Target::Vulkan
                    && semantic.eq_ignore_ascii_case("SV_InstanceID")
                    && matches!(
                        (stage, unit),
                        ("fragment", LayoutUnit::LocationIn) | ("vertex", LayoutUnit::LocationOut)
                    );
                !is_system || is_passed || (is_target && stage == "fragment" && unit == LayoutUnit::LocationOut)
            }),
        }
    }

    fn array(
        &mut self,
        ty: &Type,
        element: &Type,
        count: Count,
        semantic: Option<&str>,
        directions: Directions,
    ) -> TypeLayout {
        let (seen, first) = (self.render_targets.len(), self.semantic_index);
        let element = Arc::new(self.layout(element, semantic, directions));
        self.repeat_targets(seen, first, finite(count));

        let mut usage = Usage::default();
        for (unit, one) in element.usage.iter() {
            usage.add(unit, Count::Finite(finite(one)).times(count));
        }

        let stride = element.usage.clone();
        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Elements { element, stride } }
    }

    /// Repeats the render targets since `seen`, which belong to one element, for the other elements
    /// of `count`.
    fn repeat_targets(&mut self, seen: usize, first: u32, count: u32) {
        let step = self.semantic_index.saturating_sub(first);
        let one = self.render_targets[seen..].to_vec();
        // No device has more render targets than this.
        for element in 1..count.min(64) {
            let moved = |(number, count): &(u32, u32)| (number.saturating_add(step.saturating_mul(element)), *count);
            self.render_targets.extend(one.iter().map(moved));
        }
        self.semantic_index = first.saturating_add(step.saturating_mul(count));
    }

    fn structure(
        &mut self,
        ty: &Type,
        structure: &StructType,
        semantic: Option<&str>,
        directions: Directions,
    ) -> TypeLayout {
        let mut fields = Vec::new();
        if let Some(base) = &structure.base {
            let layout = self.layout(&Type::Struct(Arc::clone(base)), semantic, directions);
            fields.push(("$base".to_owned(), Annotations::default(), base.span, layout));
        }

        for Member { name, ty, annotations, span, .. } in &structure.members {
            if semantic.is_none() {
                self.semantic_index = semantic_index(annotations.semantic.as_deref());
            }
            let layout = self.layout(ty, semantic.or(annotations.semantic.as_deref()), directions);
            fields.push((name.clone(), annotations.clone(), *span, layout));
        }

        let explicit = fields.iter().map(|(_, annotations, _, layout)| self.location(annotations, layout));
        let explicit: Vec<Option<u32>> = explicit.collect();
        let takes = |layout: &TypeLayout| !layout.usage.is_empty();
        let is_mixed = explicit.iter().any(Option::is_some)
            && fields.iter().zip(&explicit).any(|((.., layout), found)| takes(layout) && found.is_none());
        if is_mixed {
            self.refuse_mixture(structure.span);
        }

        let (mut usage, mut placed) = (Usage::default(), Vec::new());
        for ((name, annotations, span, layout), explicit) in fields.into_iter().zip(explicit) {
            let mut offsets = place(&layout, explicit, &mut usage);
            if explicit.is_some() {
                for offset in &mut offsets {
                    offset.space = blend_index(&annotations);
                }
            }
            let name = Some(name);
            placed.push(VariableLayout { name, annotations, offsets, layout: Arc::new(layout), span });
        }

        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Fields(placed) }
    }

    /// Returns the explicit location of a variable that takes locations, if the target honours it.
    pub(super) fn location(&self, annotations: &Annotations, layout: &TypeLayout) -> Option<u32> {
        let honours = match self.types.settings.target {
            Target::D3d12 => false,
            Target::Vulkan | Target::Webgpu | Target::Metal => !layout.usage.is_empty(),
        };
        vulkan_number(annotations, "location").filter(|_| honours).map(|found| found.0)
    }

    /// Adds Slang's error E39023.
    fn refuse_mixture(&mut self, span: Span) {
        let message = "some members have explicit locations and others do not";
        self.types.problems.push(Diagnostic::error(Code::MixedLocations, span, message));
    }
}

/// Returns `layout`, which has no bytes, with a slot of `unit` for each scalar, vector, and vector
/// of a matrix.
fn with_slots(layout: &TypeLayout, unit: LayoutUnit, default: MatrixOrder) -> TypeLayout {
    let (mut parts, slots) = (layout.parts.clone(), slots(layout, default));
    match &mut parts {
        TypeParts::Fields(fields) => {
            let mut running = 0_u32;
            for field in fields {
                let inner = with_slots(&field.layout, unit, default);
                if let count @ 1.. = finite(inner.usage.get(unit)) {
                    field.offsets.push(UnitOffset { unit, space: 0, offset: running });
                    running = running.saturating_add(count);
                }
                field.layout = Arc::new(inner);
            }
        }
        TypeParts::Elements { element, .. } => *element = Arc::new(with_slots(element, unit, default)),
        _ => {}
    }
    let mut usage = layout.usage.clone();
    usage.add(unit, Count::Finite(slots));
    TypeLayout { usage, parts, ..layout.clone() }
}

fn slots(layout: &TypeLayout, default: MatrixOrder) -> u32 {
    match (&layout.parts, &layout.ty) {
        (TypeParts::Fields(fields), _) => {
            fields.iter().fold(0, |sum, field| slots(&field.layout, default).saturating_add(sum))
        }
        (TypeParts::Elements { element, .. }, Type::Array { count, .. }) => {
            slots(element, default).saturating_mul(finite(*count))
        }
        (_, Type::Matrix { rows, columns, order, .. }) => {
            order.unwrap_or(default).vectors_and_length(*rows, *columns).0
        }
        (_, Type::Struct(_) | Type::Array { .. } | Type::Resource(_)) => 0,
        _ => 1,
    }
}

fn has_bit_fields(ty: &Type) -> bool {
    let Type::Struct(structure) = ty.dimensions().0 else { return false };
    structure.all_members().any(|member| member.bit_width.is_some() || has_bit_fields(&member.ty))
}

/// Returns `N` of `[[vk::index(N)]]`, the blend source of a fragment shader's output. Slang
/// reflects it as a space.
pub(super) fn blend_index(annotations: &Annotations) -> u32 {
    vulkan_number(annotations, "index").map_or(0, |found| found.0)
}

/// Returns the offsets of a field, after the earlier fields or at its explicit location.
fn place(layout: &TypeLayout, explicit: Option<u32>, used: &mut Usage) -> Vec<UnitOffset> {
    let mut offsets = Vec::new();
    for (unit, count) in layout.usage.iter() {
        let running = finite(used.get(unit));
        let offset = explicit.unwrap_or(running);
        let end = offset.saturating_add(finite(count));
        used.add(unit, Count::Finite(end.saturating_sub(running)));
        offsets.push(UnitOffset { unit, space: 0, offset });
    }
    offsets
}

fn is_render_target(semantic: &str) -> bool {
    semantic.trim_end_matches(|c: char| c.is_ascii_digit()).eq_ignore_ascii_case("SV_Target")
}

/// Returns the number at the end of a semantic; 0 if there is none.
fn semantic_index(semantic: Option<&str>) -> u32 {
    let Some(semantic) = semantic else { return 0 };
    let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
    semantic[name.len()..].parse().unwrap_or(0)
}
