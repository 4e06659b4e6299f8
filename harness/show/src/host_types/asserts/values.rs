//! Makes the fields for one member: numbers, vectors, matrices and arrays as arrays of arrays with
//! padded vectors.
//!
//! An array becomes one field if its last element has as much room as the others. If another member
//! follows in the tail of the last element, or the struct ends there, the last element becomes a
//! separate field `NAME_last`, and the last element of that one `NAME_end`.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{Component, Extent, LaidOut, LaidOutShape};

use super::flatten::{FieldPlace, HostStructBody, MemberPart, StructFlattener};
use super::host::{Elements, HostType};
use crate::host_types::slots::{HostSlot, touched};

/// The elements of an array, or the contiguous vectors of a matrix.
#[derive(Clone, Debug)]
struct RepeatedElement {
    element: LaidOut,
    count: u32,
    stride: u32,
    /// The order of the matrix.
    order: Option<MatrixOrder>,
}

impl RepeatedElement {
    /// The parts of a repeating type; `None` for other types and for unbounded arrays.
    fn of(layout: &LaidOut) -> Option<Self> {
        match &layout.shape {
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (count, length) = order.vectors_and_length(*rows, *columns);
                let size = component.size * length;
                let element = LaidOut {
                    type_name: format!("{}{length}", component.scalar.spelling()),
                    size: Extent::Finite(size),
                    alignment: component.size,
                    shape: LaidOutShape::Vector { component: *component, length },
                };
                // For a single vector the rule set's stride has no meaning.
                let stride = if count == 1 { size } else { *stride };
                Some(Self { element, count, stride, order: Some(*order) })
            }
            LaidOutShape::Array { element, count: Count::Finite(count), stride } => {
                Some(Self { element: element.as_ref().clone(), count: *count, stride: *stride, order: None })
            }
            LaidOutShape::Array { count: Count::Unbounded, .. }
            | LaidOutShape::Scalar(_)
            | LaidOutShape::Vector { .. }
            | LaidOutShape::Struct(_)
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => None,
        }
    }
}

impl StructFlattener<'_> {
    /// Adds the fields of a member.
    pub(super) fn value(&mut self, body: &mut HostStructBody, mut place: FieldPlace, layout: &LaidOut) {
        place.about.get_or_insert_with(|| self.describe(layout));
        if let Some(own) = self.vector(layout) {
            return self.push(body, place, own, Vec::new());
        }
        match &layout.shape {
            LaidOutShape::Scalar(component) => self.push(body, place, HostType::of(*component), Vec::new()),
            LaidOutShape::Vector { component, length } => {
                self.push(body, place, HostType::of(*component), vec![*length]);
            }
            LaidOutShape::Struct(_) => {
                let size = layout.size.finite().unwrap_or(0).min(place.room);
                let made_for = self.member_use(&place.name);
                let index = self.nested(layout, size, made_for);
                self.push(body, place, HostType::Struct(index), Vec::new());
            }
            LaidOutShape::Pointer { .. } => {
                let addresses = layout.size.finite().unwrap_or(0) / 8;
                let dimensions = if addresses == 1 { Vec::new() } else { vec![addresses] };
                self.push(body, place, HostType::ADDRESS, dimensions);
            }
            LaidOutShape::Matrix { .. } | LaidOutShape::Array { .. } => {
                if let Some(repeat) = RepeatedElement::of(layout) {
                    self.repeated(body, place, repeat);
                }
            }
            LaidOutShape::Resource => {}
        }
    }

    fn repeated(&mut self, body: &mut HostStructBody, place: FieldPlace, mut repeat: RepeatedElement) {
        let used = touched(&repeat.element);
        if used > repeat.stride && repeat.count > 1 {
            let FieldPlace { name, offset, .. } = &place;
            let stride = repeat.stride;
            body.note(format!(
                "elements of `{name}` at byte {offset} have {used} bytes and are {stride} apart: written as bytes"
            ));
            let bytes = (repeat.count - 1).saturating_mul(stride).saturating_add(used);
            return self.push(body, place, HostType::BYTE, vec![bytes]);
        }
        if repeat.count == 1 && repeat.stride > place.room {
            repeat.stride = used;
        }

        let RepeatedElement { element, count, stride, order } = repeat;
        let whole = count.saturating_mul(stride) <= place.room;
        let (ty, inner) = self.element(&element, stride, &place.name);
        let together = if whole { count } else { count - 1 };
        let dimensions = std::iter::once(together).chain(inner).collect();
        if whole {
            return self.push(body, place, ty, dimensions);
        }

        let FieldPlace { name, offset, room, about, part } = place;
        let start = together.saturating_mul(stride);
        let last_name = match &part {
            None => format!("{name}_last"),
            Some(part) => format!("{}_end", part.member),
        };
        let MemberPart { member, elements: outer } =
            part.unwrap_or_else(|| MemberPart { member: name.clone(), elements: name.clone() });
        let part = |elements: String| Some(MemberPart { member: member.clone(), elements });
        let one = |index: u32| match order {
            Some(order) => format!("{} {index} of {outer}", order.as_str()),
            None => format!("{outer}[{index}]"),
        };
        let first = match (together, order) {
            (1, _) => one(0),
            (_, Some(order)) => format!("{}s 0 to {} of {outer}", order.as_str(), together - 1),
            (_, None) => format!("{} to {}", one(0), one(together - 1)),
        };
        let last = FieldPlace {
            name: last_name,
            offset: offset.saturating_add(start),
            room: room.saturating_sub(start),
            about: about.clone(),
            part: part(one(together)),
        };

        self.push(body, FieldPlace { name, offset, room, about, part: part(first) }, ty, dimensions);
        self.value(body, last, &element);
    }

    /// Type and inner dimensions of one element of the array `user`, including the padding up to
    /// its stride.
    fn element(&mut self, layout: &LaidOut, stride: u32, user: &str) -> (HostType, Vec<u32>) {
        if let Some(own @ HostType::Vector { size, .. }) = self.vector(layout)
            && size == stride
        {
            return (own, Vec::new());
        }
        let lanes = |size: u32| stride.checked_div(size).filter(|_| stride.is_multiple_of(size));
        match &layout.shape {
            LaidOutShape::Scalar(component) => {
                if let Some(lanes) = lanes(component.size) {
                    return (HostType::of(*component), if lanes == 1 { Vec::new() } else { vec![lanes] });
                }
            }
            LaidOutShape::Vector { component, .. } => {
                if let Some(lanes) = lanes(component.size) {
                    return (HostType::of(*component), vec![lanes]);
                }
            }
            LaidOutShape::Matrix { .. } | LaidOutShape::Array { .. } => {
                let repeat = RepeatedElement::of(layout).filter(|repeat| touched(&repeat.element) <= repeat.stride);
                let fits = |repeat: &RepeatedElement| repeat.count.saturating_mul(repeat.stride) <= stride;
                let repeat = repeat.filter(fits);
                if let Some((repeat, count)) = repeat.and_then(|repeat| lanes(repeat.stride).map(|n| (repeat, n))) {
                    let (ty, inner) = self.element(&repeat.element, repeat.stride, user);
                    return (ty, std::iter::once(count).chain(inner).collect());
                }
            }
            LaidOutShape::Struct(_) | LaidOutShape::Pointer { .. } | LaidOutShape::Resource => {}
        }

        // Padding that is not a multiple of the element's size has to be a field of a struct.
        let made_for = self.member_use(user);
        (HostType::Struct(self.nested(layout, stride, made_for)), Vec::new())
    }

    /// Adds the storage unit of bit-fields.
    pub(super) fn unit(&self, body: &mut HostStructBody, place: FieldPlace, layout: &LaidOut) {
        let size = layout.size.finite().unwrap_or(0);
        self.push(body, place, HostType::Unsigned(size), Vec::new());
    }

    /// Notes where an unbounded array starts. If its elements are structs or have padding after them, their struct is
    /// still written.
    pub(super) fn tail(&mut self, body: &mut HostStructBody, slot: &HostSlot<'_>) {
        let LaidOutShape::Array { element, stride, .. } = &slot.layout.shape else { return };
        let HostSlot { name, offset, .. } = slot;
        let ty = self.words(&slot.layout.type_name);
        body.note(format!(
            "`{name}` ({ty}) starts at byte {offset}, stride {stride}: it is runtime-sized, so it has no field"
        ));
        body.elements = Some(Elements { offset: *offset, stride: *stride });
        if matches!(element.shape, LaidOutShape::Struct(_)) || touched(element) < *stride {
            let made_for = self.element_use(name);
            self.nested(element, *stride, made_for);
        }
    }

    /// The member's declaration with its strides and the meaning of its bits: `half[2], stride 16, raw bits`.
    fn describe(&self, layout: &LaidOut) -> String {
        let mut parts = vec![self.words(&layout.type_name)];
        let mut inner = layout;
        while let LaidOutShape::Array { element, stride, .. } = &inner.shape {
            parts.push(format!("stride {stride}"));
            inner = element;
        }

        let component = match &inner.shape {
            LaidOutShape::Scalar(component) | LaidOutShape::Vector { component, .. } => Some(*component),
            LaidOutShape::Matrix { component, order, stride, .. } => {
                let vectors = order.as_str();
                parts.push(format!("{vectors} stride {stride}"));
                Some(*component)
            }
            LaidOutShape::Array { .. } | LaidOutShape::Struct(_) | LaidOutShape::Resource => None,
            LaidOutShape::Pointer { .. } => {
                parts.push("address".to_owned());
                None
            }
        };

        parts.extend(component.and_then(meaning).map(str::to_owned));
        parts.join(", ")
    }
}

fn meaning(component: Component) -> Option<&'static str> {
    match component {
        Component { scalar: Scalar::Bool, .. } => Some("0 or 1"),
        Component { scalar, size: 2 } if scalar.is_float() => Some("raw bits"),
        Component { .. } => None,
    }
}
