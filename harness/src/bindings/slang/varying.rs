//! Varying parameters of an entry point: how many locations they take, and which.
//!
//! A scalar or vector takes a location, a matrix one for each vector of the order that the command line asks for,
//! whatever its own order. System values take none, but for the render targets of a fragment shader, whose numbers do
//! not count. Explicit locations are honoured everywhere but on D3D.
//!
//! Source: Slang user guide, Parameter Layout Rules; measured with Slang 2026.14.1.

use std::sync::Arc;

use layoutproof_layout::shape::{Count, MatrixOrder, Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use super::explicit::vulkan_number;
use super::types::{TypeLayoutBuilder, finite, with_bytes};
use crate::bindings::Target;
use crate::bindings::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};
use crate::input::diagnostics::{Code, Diagnostic};

/// Makes the layouts of an entry point's varyings.
#[derive(Debug)]
pub(super) struct Varyings<'t, 's> {
    /// The target, the budget, and what is wrong.
    pub(super) types: &'t mut TypeLayoutBuilder<'s>,
    /// Stage of the entry point.
    pub(super) stage: String,
    /// Where the entry point is declared.
    pub(super) span: Span,
    /// Numbers and counts of the render targets that were seen.
    pub(super) render_targets: Vec<(u32, u32)>,
}

/// Directions of a varying, as units.
pub(super) type Directions = &'static [LayoutUnit];

/// `in`.
pub(super) const INPUT: Directions = &[LayoutUnit::LocationIn];
/// `out`, and results.
pub(super) const OUTPUT: Directions = &[LayoutUnit::LocationOut];
const BOTH: Directions = &[LayoutUnit::LocationIn, LayoutUnit::LocationOut];

/// The directions that modifiers declare.
pub(super) fn directions(annotations: &Annotations) -> Directions {
    let has = |word: &str| annotations.modifiers.iter().any(|modifier| modifier == word);
    match (has("inout") || (has("in") && has("out")), has("out")) {
        (true, _) => BOTH,
        (false, true) => OUTPUT,
        (false, false) => INPUT,
    }
}

impl Varyings<'_, '_> {
    /// The layout of a varying with the semantic `semantic`, which holds for all its members where it is given.
    pub(super) fn layout(&mut self, ty: &Type, semantic: Option<&str>, directions: Directions) -> TypeLayout {
        if let Err(problem) = self.types.budget.spend(self.span) {
            self.types.problems.extend(problem);
            return with_bytes(ty, None);
        }

        match ty {
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Enum(_)
            | Type::Pointer { .. }
            | Type::Handle { .. }
            | Type::Interface { .. } => self.leaf(ty, 1, semantic, directions),
            Type::Matrix { rows, columns, .. } => {
                let vectors = match self.types.settings.layout.matrix {
                    MatrixOrder::Row => *rows,
                    MatrixOrder::Column => *columns,
                };
                self.leaf(ty, vectors, semantic, directions)
            }
            Type::Array { element, count } => self.array(ty, element, *count, semantic, directions),
            Type::Struct(structure) => self.structure(ty, structure, semantic, directions),
            Type::Resource(_) => self.leaf(ty, 0, semantic, directions),
        }
    }

    fn leaf(&mut self, ty: &Type, locations: u32, semantic: Option<&str>, directions: Directions) -> TypeLayout {
        let mut usage = Usage::default();
        for unit in directions {
            if self.has_locations(semantic, *unit) {
                usage.add(*unit, Count::Finite(locations));
            }
        }
        if let Some(target) = semantic.filter(|_| !usage.is_empty()).and_then(render_target) {
            self.render_targets.push((target, locations));
        }
        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::None }
    }

    fn has_locations(&self, semantic: Option<&str>, unit: LayoutUnit) -> bool {
        match self.stage.as_str() {
            // Payloads and attributes of ray-tracing stages are not varyings.
            "raygeneration" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable" => false,
            stage => semantic.is_none_or(|semantic| {
                let is_target = render_target(semantic).is_some();
                let is_system = semantic.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("sv_"));
                !is_system || (is_target && stage == "fragment" && unit == LayoutUnit::LocationOut)
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
        let element = Arc::new(self.layout(element, semantic, directions));
        let mut usage = Usage::default();
        for (unit, one) in element.usage.iter() {
            let whole = match count {
                Count::Finite(count) => Count::Finite(finite(one).saturating_mul(count)),
                Count::Unbounded => Count::Unbounded,
            };
            usage.add(unit, whole);
        }

        let stride = element.usage.clone();
        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Elements { element, stride } }
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
            let offsets = place(&layout, explicit, &mut usage);
            let name = Some(name);
            placed.push(VariableLayout { name, annotations, offsets, layout: Arc::new(layout), span });
        }

        TypeLayout { ty: ty.clone(), usage, alignment: 1, parts: TypeParts::Fields(placed) }
    }

    /// The explicit location of what takes locations, where the target has them.
    pub(super) fn location(&self, annotations: &Annotations, layout: &TypeLayout) -> Option<u32> {
        let honours = match self.types.settings.target {
            Target::D3d12 => false,
            Target::Vulkan | Target::Webgpu | Target::Metal => !layout.usage.is_empty(),
        };
        vulkan_number(annotations, "location").filter(|_| honours).map(|found| found.0)
    }

    /// Slang's error E39023.
    fn refuse_mixture(&mut self, span: Span) {
        let message = "some members have explicit locations, others have none";
        self.types.problems.push(Diagnostic::error(Code::MixedLocations, span, message));
    }
}

/// Offsets of a field behind those before it, or at its explicit location.
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

/// `N` of `SV_TargetN`; 0 where no number is written.
fn render_target(semantic: &str) -> Option<u32> {
    let (name, number) = semantic.split_at_checked("SV_Target".len())?;
    if !name.eq_ignore_ascii_case("SV_Target") {
        return None;
    }
    if number.is_empty() { Some(0) } else { number.parse().ok() }
}
