//! Computes how much of each unit a type takes, and where its parts are: structs, arrays, resources.
//!
//! Builds the [`TypeLayout`] of a [`Type`] whose bytes [`super::bytes`] has laid out.
//! [`super::containers`] handles buffers with a layout inside.
//!
//! An array of structs becomes an array for each field: `Pair gPairs[8]` takes `t0` to `t15`, and its field `b` is at
//! `t8`. In an unsized array every resource at the end of a path of fields gets a register space.
//!
//! Sources: Slang user guide, Parameter Layout Rules, Computing Resource Requirements and Splitting of Arrays. Nested and
//! unsized arrays were measured with Slang 2026.14.1, whose code then binds some nested fields at a different place than
//! its reflection reports.

use std::iter::Peekable;
use std::slice::Iter;
use std::sync::Arc;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{
    Annotations, BlockKind, Extent, LaidOut, LaidOutMember, LaidOutShape, LayoutUnit, Span, Usage,
};

use super::bytes::{ByteRoom, WholeBlock};
use super::settings::SlangSettings;
use super::units::is_register;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};
use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Debug)]
pub(super) struct TypeLayoutBuilder<'s> {
    pub(super) settings: &'s SlangSettings,
    pub(super) problems: Vec<Diagnostic>,
    /// The number of layouts that may still be made, including varyings.
    pub(super) budget: LayoutBudget,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TypePosition {
    /// The representation of resources there.
    pub(super) room: ByteRoom,
    pub(super) span: Span,
}

impl TypeLayoutBuilder<'_> {
    /// Returns the bytes of `whole`, or adds the reasons against them to the problems.
    pub(super) fn bytes(&mut self, whole: WholeBlock<'_>) -> Option<LaidOut> {
        self.settings.bytes(whole).map_err(|problems| self.problems.extend(problems)).ok()
    }

    /// Returns the layout of `ty`, whose bytes are `laid`; `laid` is `None` if it has none.
    pub(super) fn of(&mut self, ty: &Type, laid: Option<&LaidOut>, place: TypePosition) -> TypeLayout {
        if let Err(problem) = self.budget.spend(place.span) {
            self.problems.extend(problem);
            return with_bytes(ty, None);
        }

        match ty {
            Type::Interface { .. } => {
                // Its place in a struct has an alignment, which Slang 2026.14.1 does not reflect.
                let mut layout = TypeLayout { alignment: 1, ..with_bytes(ty, laid) };
                layout.usage.add(LayoutUnit::ExistentialType, Count::Finite(1));
                layout.usage.add(LayoutUnit::ExistentialObject, Count::Finite(1));
                layout
            }
            Type::Array { element, count } => self.array(ty, element, *count, laid, place),
            Type::Struct(structure) => self.structure(ty, structure, laid, place),
            Type::Resource(resource) => self.resource(ty, resource, laid, place),
            _ => with_bytes(ty, laid),
        }
    }

    fn resource(&mut self, ty: &Type, resource: &Resource, laid: Option<&LaidOut>, place: TypePosition) -> TypeLayout {
        if let (Some(group), Some(element)) = (self.group(resource, place), resource.element.as_deref()) {
            return self.container(ty, group, element);
        }

        let mut layout = with_bytes(ty, laid);
        layout.usage.add_all(&self.settings.resource(resource.kind, place.room));
        if let (ResourceKind::StructuredBuffer(_), Some(element)) = (resource.kind, resource.element.as_deref()) {
            let whole = WholeBlock {
                kind: BlockKind::StructuredElement,
                // Slang 2026.14.1 reflects the default layout, even where its code uses another.
                data_layout: resource.data_layout.filter(|_| self.settings.documented),
                element,
                room: ByteRoom::Ordinary,
                span: place.span,
            };
            let laid = self.bytes(whole);
            let element = self.of(element, laid.as_ref(), TypePosition { room: ByteRoom::Ordinary, ..place });
            for unit in [LayoutUnit::ExistentialType, LayoutUnit::ExistentialObject] {
                layout.usage.add(unit, element.usage.get(unit));
            }
            layout.parts = TypeParts::Memory(Arc::new(element));
        }
        layout
    }

    fn array(
        &mut self,
        ty: &Type,
        element: &Type,
        count: Count,
        laid: Option<&LaidOut>,
        place: TypePosition,
    ) -> TypeLayout {
        self.check_element(element, place.span);
        let own = laid.and_then(|laid| match &laid.shape {
            LaidOutShape::Array { element, .. } => Some(LaidOut::clone(element)),
            LaidOutShape::Pointer { .. } => self.bytes(WholeBlock {
                kind: BlockKind::ConstantBuffer,
                data_layout: None,
                element,
                room: place.room,
                span: place.span,
            }),
            _ => None,
        });

        let element = Arc::new(self.of(element, own.as_ref(), place));
        let Some(mut array) = in_array(&element, count, self.settings) else {
            let message = "slangc cannot lay out an array of constant buffers that hold resources for this target";
            self.problems.push(Diagnostic::error(Code::Unsupported, place.span, message));
            return with_bytes(ty, laid);
        };
        let bytes = with_bytes(ty, laid);
        array.usage.add_all(&bytes.usage);
        let mut strides = Usage::of(LayoutUnit::Bytes, Count::Finite(byte_stride(laid, own.as_ref())));
        strides.add_all(&array.stride);
        let parts = TypeParts::Elements { element: array.element, stride: strides };
        TypeLayout { usage: array.usage, parts, ..bytes }
    }

    /// Adds Slang's error E30028.
    fn check_element(&mut self, element: &Type, span: Span) {
        if let Type::Array { count: Count::Unbounded, .. } = element {
            let message = "the elements of an array cannot be unsized arrays";
            self.problems.push(Diagnostic::error(Code::BadArrayLength, span, message));
        }
        if holds_block(element) {
            let message = "Slang has no arrays of parameter blocks";
            self.problems.push(Diagnostic::error(Code::ArrayOfParameterBlocks, span, message));
        }
    }

    fn structure(
        &mut self,
        ty: &Type,
        structure: &Arc<StructType>,
        laid: Option<&LaidOut>,
        place: TypePosition,
    ) -> TypeLayout {
        let mut members = members(laid).iter().peekable();
        let mut fields = FieldCounter::default();
        if let Some(base) = &structure.base {
            let laid = members.next_if(|member| member.is_base);
            let ty = Type::Struct(Arc::clone(base));
            let layout = self.of(&ty, laid.map(|laid| &laid.layout), place);
            let (name, annotations) = ("$base".to_owned(), Annotations::default());
            fields.push(name, annotations, structure.span, layout, laid.map_or(0, |laid| laid.offset));
        }

        for member in &structure.members {
            let laid = next_member(&mut members, member);
            if member.bit_width.is_some() {
                fields.push_bits(laid, member.span);
                continue;
            }
            let layout =
                self.of(&member.ty, laid.map(|laid| &laid.layout), TypePosition { span: member.span, ..place });
            let offset = laid.map_or(0, |laid| laid.offset);
            fields.push(member.name.clone(), member.annotations.clone(), member.span, layout, offset);
        }

        let mut layout = with_bytes(ty, laid);
        layout.usage.add_all(&fields.used);
        TypeLayout { parts: TypeParts::Fields(fields.found), ..layout }
    }
}

/// The fields of a struct with a running count for each unit.
#[derive(Debug, Default)]
struct FieldCounter {
    found: Vec<VariableLayout>,
    used: Usage,
    /// The offsets, in bytes, of the storage units of bit-fields.
    bit_units: Vec<u32>,
}

impl FieldCounter {
    /// Places a field after the earlier ones. An unbounded field takes its own register space.
    fn push(&mut self, name: String, annotations: Annotations, span: Span, layout: TypeLayout, bytes: u32) {
        let mut offsets = Vec::new();
        for (unit, count) in layout.usage.iter() {
            let running = finite(self.used.get(unit));
            let (space, offset) = match count {
                _ if unit == LayoutUnit::Bytes => (0, bytes),
                Count::Finite(_) => {
                    self.used.add(unit, count);
                    // Slang repeats the offset of a parameter block as its space; sums do not
                    // include it.
                    let is_block =
                        unit == LayoutUnit::Space && holds_block(&layout.ty) && matches!(layout.ty, Type::Resource(_));
                    (if is_block { running } else { 0 }, running)
                }
                Count::Unbounded => {
                    let space = finite(self.used.get(LayoutUnit::Space));
                    self.used.add(LayoutUnit::Space, Count::Finite(1));
                    (space, 0)
                }
            };
            offsets.push(UnitOffset { unit, space, offset });
        }

        self.found.push(VariableLayout { name: Some(name), annotations, offsets, layout: Arc::new(layout), span });
    }
}

impl FieldCounter {
    /// Adds the storage unit that a bit-field shares. Slang's reflection shows only the units.
    fn push_bits(&mut self, laid: Option<&LaidOutMember>, span: Span) {
        let Some(laid) = laid.filter(|laid| self.bit_units.last() != Some(&laid.offset)) else { return };
        let LaidOutShape::Scalar(component) = laid.layout.shape else { return };
        let name = format!("$bit_field_backing_{}", self.bit_units.len());
        self.bit_units.push(laid.offset);
        let layout = with_bytes(&Type::Scalar(component.scalar), Some(&laid.layout));
        self.push(name, Annotations::default(), span, layout, laid.offset);
    }
}

/// Returns the laid-out members of a struct; none for a struct without bytes.
pub(super) fn members(laid: Option<&LaidOut>) -> &[LaidOutMember] {
    match laid.map(|laid| &laid.shape) {
        Some(LaidOutShape::Struct(members)) => members,
        _ => &[],
    }
}

/// Returns the laid-out member for `member`. Bit-fields of width zero have none.
pub(super) fn next_member<'l>(
    laid: &mut Peekable<Iter<'l, LaidOutMember>>,
    member: &Member,
) -> Option<&'l LaidOutMember> {
    laid.next_if(|laid| !laid.is_base && laid.name == member.name)
}

/// Returns the layout of a type that takes only bytes.
pub(super) fn with_bytes(ty: &Type, laid: Option<&LaidOut>) -> TypeLayout {
    let size = match laid.map(|laid| laid.size) {
        Some(Extent::Finite(size)) => Count::Finite(size),
        Some(Extent::Unbounded) => Count::Unbounded,
        None => Count::Finite(0),
    };
    let alignment = laid.filter(|_| size != Count::Finite(0)).map_or(1, |laid| laid.alignment);
    TypeLayout { ty: ty.clone(), usage: Usage::of(LayoutUnit::Bytes, size), alignment, parts: TypeParts::None }
}

/// Returns the bytes from one element to the next. For an array behind a pointer, this is the size
/// of the element, rounded up.
fn byte_stride(array: Option<&LaidOut>, element: Option<&LaidOut>) -> u32 {
    match array.map(|array| &array.shape) {
        Some(LaidOutShape::Array { stride, .. }) => *stride,
        _ => element.map_or(0, |element| {
            let size = element.size.finite().unwrap_or(0);
            size.checked_next_multiple_of(element.alignment).unwrap_or(size)
        }),
    }
}

/// Returns the number in a count; 0 for an unbounded one, which never comes before a second amount.
pub(super) fn finite(count: Count) -> u32 {
    match count {
        Count::Finite(count) => count,
        Count::Unbounded => 0,
    }
}

/// True if `ty` holds a parameter block, outside other buffers.
fn holds_block(ty: &Type) -> bool {
    ty.holds(&|resource| resource.kind == ResourceKind::ParameterBlock)
}

/// An array without its bytes.
#[derive(Debug)]
pub(super) struct SpreadArray {
    pub(super) element: Arc<TypeLayout>,
    pub(super) usage: Usage,
    /// The distance from one element to the next, as Slang reports it.
    pub(super) stride: Usage,
}

/// Lays out `count` elements. Returns `None` for an element that slangc cannot spread: a constant
/// buffer with registers inside.
pub(super) fn in_array(element: &Arc<TypeLayout>, count: Count, settings: &SlangSettings) -> Option<SpreadArray> {
    let mut spaces = 0;
    let spread = spread(element, count, &mut spaces)?;
    let is_spread = !Arc::ptr_eq(&spread, element);

    let mut array = SpreadArray { element: spread, usage: Usage::default(), stride: Usage::default() };
    for (unit, one) in element.usage.iter().filter(|(unit, _)| *unit != LayoutUnit::Bytes) {
        match (settings.multiplies(unit), count) {
            (false, _) => array.usage.add(unit, one),
            (true, Count::Finite(count)) => array.usage.add(unit, one.times(Count::Finite(count))),
            // Spread fields have spaces instead.
            (true, Count::Unbounded) if is_spread => {}
            (true, Count::Unbounded) => array.usage.add(unit, Count::Unbounded),
        }
        if settings.multiplies(unit) {
            // The guide puts one register between neighbours; slangc reports all registers of an
            // element.
            array.stride.add(unit, if settings.documented { Count::Finite(1) } else { one });
        }
    }

    if is_spread {
        array.usage.add(LayoutUnit::Space, Count::Finite(spaces));
    }
    Some(array)
}

/// Returns the same layout with its fields moved apart for `count` elements. `spaces` counts the
/// resources that get a space.
fn spread(layout: &Arc<TypeLayout>, count: Count, spaces: &mut u32) -> Option<Arc<TypeLayout>> {
    if !layout.usage.iter().any(|(unit, _)| is_register(unit)) {
        return Some(Arc::clone(layout));
    }

    let parts = match &layout.parts {
        TypeParts::Elements { element, stride } => {
            let spread = spread(element, count, spaces)?;
            if Arc::ptr_eq(&spread, element) {
                return Some(Arc::clone(layout));
            }
            TypeParts::Elements { element: spread, stride: stride.clone() }
        }
        TypeParts::Fields(fields) => {
            let fields: Option<Vec<_>> = fields.iter().map(|field| spread_field(field, count, spaces)).collect();
            TypeParts::Fields(fields?)
        }
        TypeParts::Contained { element, .. } => {
            let holds_registers = element.layout.usage.iter().any(|(unit, _)| is_register(unit));
            return (!holds_registers).then(|| Arc::clone(layout));
        }
        TypeParts::None | TypeParts::Memory(_) | TypeParts::Stream(_) | TypeParts::Patch(_) => {
            *spaces += u32::from(count == Count::Unbounded);
            return Some(Arc::clone(layout));
        }
    };
    Some(Arc::new(TypeLayout { parts, ..TypeLayout::clone(layout) }))
}

fn spread_field(field: &VariableLayout, count: Count, spaces: &mut u32) -> Option<VariableLayout> {
    let (first, mut inner) = (*spaces, 0);
    let layout = spread(&field.layout, count, &mut inner)?;
    *spaces += inner;
    let moved = |at: &UnitOffset| match (is_register(at.unit), count) {
        (false, _) => *at,
        (true, Count::Finite(count)) => UnitOffset { offset: at.offset.saturating_mul(count), ..*at },
        (true, Count::Unbounded) => UnitOffset { space: first, offset: 0, ..*at },
    };
    Some(VariableLayout { layout, offsets: field.offsets.iter().map(moved).collect(), ..field.clone() })
}

/// The number of layouts that may still be made. Structs of structs double with each level, and
/// each parameter has its own layout, so the limit keeps small texts from making large programs.
#[derive(Debug)]
pub(super) struct LayoutBudget(u32);

impl Default for LayoutBudget {
    fn default() -> Self {
        Self(MOST_LAYOUTS)
    }
}

/// No real program has more types in its parameters, even if a struct's members count once for each
/// place that uses the struct.
const MOST_LAYOUTS: u32 = 1 << 18;

impl LayoutBudget {
    /// Counts one more layout at `span`. Only the first layout over the limit is a problem.
    pub(super) fn spend(&mut self, span: Span) -> Result<(), Option<Diagnostic>> {
        let left = self.0;
        self.0 = left.saturating_sub(1);
        match left {
            0 => Err(None),
            1 => {
                let message = format!("the parameters have more than {MOST_LAYOUTS} members, counted at all depths");
                Err(Some(Diagnostic::error(Code::TooLarge, span, message)))
            }
            _ => Ok(()),
        }
    }
}
