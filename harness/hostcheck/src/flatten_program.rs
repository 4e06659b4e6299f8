//! Flattens a struct of the host program.

use std::collections::HashMap;

use layoutproof_layout::UNSIZED_ELEMENTS;
use layoutproof_source::sources::LinePlace;

use super::flat_struct::{FlatArray, FlatMember, FlatScalar, FlatStruct, FlatVectors, Lane, MAX_LANES};
use super::names::join_path;
use super::program_struct::{LaneClass, ProgramBits, ProgramField, ProgramScalar, ProgramShape, ProgramStruct};
use super::vector_types::{VectorType, VectorTypes};

/// Flattens `program`, whose first byte is at `start` in the block. Each of the `vector_types`
/// becomes one member.
pub(super) fn flatten_program(program: &ProgramStruct, start: u32, vector_types: &VectorTypes) -> FlatStruct {
    let mut flattener = ProgramFlattener { flat: FlatStruct::default(), vector_types, found: HashMap::new() };
    let root =
        FlatPlace { path: String::new(), name: String::new(), offset: start, parent: None, is_first_element: true };
    flattener.fields(&program.fields, &root);
    flattener.flat.finish()
}

struct ProgramFlattener<'a> {
    flat: FlatStruct,
    vector_types: &'a VectorTypes,
    /// The vector types by name: an array of structs names each type once per element.
    found: HashMap<&'a str, Option<VectorType>>,
}

/// The place to which members are added.
#[derive(Clone, Debug)]
struct FlatPlace {
    path: String,
    name: String,
    offset: u32,
    parent: Option<usize>,
    is_first_element: bool,
}

/// A member that is about to be added.
#[derive(Clone, Copy, Debug)]
struct NewMember<'a> {
    type_name: &'a str,
    shape: &'a ProgramShape,
    bits: Option<ProgramBits>,
    place: Option<&'a LinePlace>,
}

impl<'a> ProgramFlattener<'a> {
    fn fields(&mut self, fields: &'a [ProgramField], parent: &FlatPlace) {
        for field in fields {
            if self.flat.lanes.len() >= MAX_LANES {
                self.flat.is_truncated = true;
                return;
            }
            self.field(field, parent);
        }
    }

    fn field(&mut self, field: &'a ProgramField, parent: &FlatPlace) {
        let Some(offset) = parent.offset.checked_add(field.offset) else { return };
        if let (true, ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. }) =
            (field.name.is_empty(), &field.shape)
        {
            self.fields(fields, &FlatPlace { offset, ..parent.clone() });
            return;
        }

        let place = FlatPlace {
            path: join_path(&parent.path, &field.name),
            name: field.name.clone(),
            offset,
            ..parent.clone()
        };
        let bits = field.bits.and_then(|bits| {
            let offset = parent.offset.checked_mul(8)?.checked_add(bits.offset)?;
            Some(ProgramBits { offset, ..bits })
        });
        let place_of_field = field.place.as_ref();
        self.member(
            &place,
            NewMember { type_name: &field.type_name, shape: &field.shape, bits, place: place_of_field },
        );
    }

    fn member(&mut self, place: &FlatPlace, new: NewMember<'a>) {
        let (element, element_name, arrays) = dimensions(new.shape, new.type_name);
        let vector_types = self.vector_types;
        let vector = *self.found.entry(element_name).or_insert_with(|| vector_types.find(element_name));
        let vectors = vector.zip(element.size()).and_then(|(vector, size)| vectors_of(vector, size));
        let scalar = match (element, vector) {
            (_, Some(vector)) => Some(FlatScalar { class: vector.class, size: vector.component_size, is_enum: false }),
            (ProgramShape::Scalar(scalar) | ProgramShape::Vector { component: scalar, .. }, None) => {
                Some(FlatScalar { class: scalar.class, size: scalar.size, is_enum: scalar.is_enum })
            }
            (ProgramShape::Opaque { size, .. }, None) => {
                Some(FlatScalar { class: LaneClass::Opaque, size: *size, is_enum: false })
            }
            (ProgramShape::Struct { .. } | ProgramShape::Union { .. } | ProgramShape::Array { .. }, None) => None,
        };

        let index = self.flat.members.len();
        let is_endless = arrays.iter().any(|array| array.count.is_none());
        self.flat.members.push(FlatMember {
            path: place.path.clone(),
            name: place.name.clone(),
            type_name: new.type_name.to_owned(),
            offset: new.bits.map_or(place.offset, |bits| bits.bytes().0),
            size: match new.bits {
                Some(bits) => Some(bits.bytes().1),
                None => new.shape.size().filter(|_| !is_endless),
            },
            has_members: scalar.is_none(),
            arrays,
            vectors,
            scalar,
            bits: new.bits,
            place: new.place.cloned(),
            parent: place.parent,
            is_first_element: place.is_first_element,
        });

        match (new.bits, vector) {
            (Some(bits), _) => {
                let (offset, size) = bits.bytes();
                self.flat.add_lane(Lane { offset, size, class: LaneClass::Bits, member: index });
            }
            (None, vector) => {
                self.elements(new.shape, place, &MemberLanes { member: index, vector });
            }
        }
    }

    /// Adds the lanes of a member, one array element after another.
    fn elements(&mut self, shape: &'a ProgramShape, place: &FlatPlace, lanes: &MemberLanes) {
        match shape {
            ProgramShape::Array { element, count, stride, .. } => {
                for index in 0..count.unwrap_or(UNSIZED_ELEMENTS) {
                    let offset = stride.checked_mul(index).and_then(|distance| place.offset.checked_add(distance));
                    let (Some(offset), true) = (offset, self.flat.lanes.len() < MAX_LANES) else {
                        self.flat.is_truncated = true;
                        return;
                    };
                    let before = self.flat.lanes.len();
                    let path = format!("{}[{index}]", place.path);
                    let is_first_element = place.is_first_element && index == 0;
                    self.elements(
                        element,
                        &FlatPlace { path, name: String::new(), offset, is_first_element, parent: place.parent },
                        lanes,
                    );
                    // This element has no lanes, so the others have none either.
                    if self.flat.lanes.len() == before {
                        return;
                    }
                }
            }
            _ => self.element(shape, place, lanes),
        }
    }

    fn element(&mut self, shape: &'a ProgramShape, place: &FlatPlace, lanes: &MemberLanes) {
        let member = lanes.member;
        if let Some(vector) = lanes.vector {
            let stride = shape.size().and_then(|size| vectors_of(vector, size)).map_or(0, |vectors| vectors.stride);
            for column in 0..vector.columns {
                let start = place.offset.saturating_add(column * stride);
                self.contiguous(
                    member,
                    start,
                    &ScalarRun { class: vector.class, size: vector.component_size, count: vector.rows },
                );
            }
            return;
        }
        match shape {
            ProgramShape::Scalar(ProgramScalar { class, size, .. }) => {
                self.flat.add_lane(Lane { offset: place.offset, size: *size, class: *class, member });
            }
            ProgramShape::Vector { component, count, .. } => {
                let run = ScalarRun { class: component.class, size: component.size, count: *count };
                self.contiguous(member, place.offset, &run);
            }
            ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } => {
                self.fields(fields, &FlatPlace { parent: Some(member), ..place.clone() });
            }
            ProgramShape::Opaque { size, .. } => {
                self.flat.add_lane(Lane { offset: place.offset, size: *size, class: LaneClass::Opaque, member });
            }
            ProgramShape::Array { .. } => {}
        }
    }

    fn contiguous(&mut self, member: usize, start: u32, run: &ScalarRun) {
        for index in 0..run.count {
            let offset = start.saturating_add(index.saturating_mul(run.size));
            self.flat.add_lane(Lane { offset, size: run.size, class: run.class, member });
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct MemberLanes {
    member: usize,
    vector: Option<VectorType>,
}

/// Consecutive scalars.
#[derive(Clone, Copy, Debug)]
struct ScalarRun {
    class: LaneClass,
    size: u32,
    count: u32,
}

fn vectors_of(vector: VectorType, size: u32) -> Option<FlatVectors> {
    let stride = size.checked_div(vector.columns)?;
    let vectors = FlatVectors { count: vector.columns, length: vector.rows, stride, order: None };
    (vector.columns > 1).then_some(vectors)
}

/// The innermost element that is not an array, its type's name, and the dimensions around it,
/// outermost first.
fn dimensions<'a>(shape: &'a ProgramShape, type_name: &'a str) -> (&'a ProgramShape, &'a str, Vec<FlatArray>) {
    let (mut element, mut name, mut arrays) = (shape, type_name, Vec::new());
    while let ProgramShape::Array { element: inner, element_name, count, stride } = element {
        arrays.push(FlatArray { count: *count, stride: *stride });
        (element, name) = (inner, element_name);
    }
    (element, name, arrays)
}
