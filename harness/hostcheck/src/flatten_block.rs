//! Flattens a block of a shader, as laid out by a rule set.

use std::collections::BTreeMap;

use layoutproof_layout::{Component, Count, LaidOut, LaidOutMember, LaidOutShape, Scalar, UNSIZED_ELEMENTS};
use layoutproof_source::sources::LinePlace;

use super::flat_struct::{FlatArray, FlatMember, FlatScalar, FlatStruct, FlatVectors, Lane, MAX_LANES};
use super::names::join_path;
use super::program_struct::{LaneClass, ProgramBits};

/// Flattens the layout of a block. `places` has the declarations of members, by path without
/// indices.
pub(super) fn flatten_block(root: &LaidOut, places: &BTreeMap<String, LinePlace>) -> FlatStruct {
    let mut flattener = BlockFlattener { flat: FlatStruct::default(), places };
    let place = BlockPlace::default();
    match &root.shape {
        LaidOutShape::Struct(members) => flattener.members(members, &place),
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Array { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => flattener.member(root, &place, None),
    }
    flattener.flat.finish()
}

struct BlockFlattener<'a> {
    flat: FlatStruct,
    places: &'a BTreeMap<String, LinePlace>,
}

#[derive(Clone, Debug, Default)]
struct BlockPlace {
    path: String,
    name: String,
    /// Path without indices, the key for `places`.
    declared_path: String,
    offset: u32,
    parent: Option<usize>,
    is_later_element: bool,
}

impl BlockFlattener<'_> {
    fn members(&mut self, members: &[LaidOutMember], parent: &BlockPlace) {
        for member in members {
            let Some(offset) = parent.offset.checked_add(member.offset) else { continue };
            if self.flat.lanes.len() >= MAX_LANES {
                self.flat.is_truncated = true;
                return;
            }
            if let (true, LaidOutShape::Struct(members)) = (member.is_base, &member.layout.shape) {
                self.members(members, &BlockPlace { offset, ..parent.clone() });
                continue;
            }
            // An unnamed bit-field is padding.
            if member.name.is_empty() && member.bits.is_some() {
                continue;
            }

            let place = BlockPlace {
                path: join_path(&parent.path, &member.name),
                name: member.name.clone(),
                declared_path: join_path(&parent.declared_path, &member.name),
                offset,
                ..parent.clone()
            };
            let bits = member.bits.and_then(|bits| {
                Some(ProgramBits { offset: offset.checked_mul(8)?.checked_add(bits.offset)?, width: bits.width })
            });
            self.member(&member.layout, &place, bits);
        }
    }

    fn member(&mut self, layout: &LaidOut, place: &BlockPlace, bits: Option<ProgramBits>) {
        let (element, mut arrays, is_matrix) = dimensions(layout);
        let (scalar, vectors) = match &element.shape {
            // The array of vectors in slangc's struct of a matrix.
            LaidOutShape::Vector { component, length } if is_matrix => {
                let vectors = arrays.pop().and_then(|array| {
                    Some(FlatVectors { count: array.count?, length: *length, stride: array.stride, order: None })
                });
                (Some(*component), vectors)
            }
            LaidOutShape::Resource => return,
            LaidOutShape::Scalar(component) | LaidOutShape::Vector { component, .. } => (Some(*component), None),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (count, length) = order.vectors_and_length(*rows, *columns);
                let vectors = FlatVectors { count, length, stride: *stride, order: Some(*order) };
                (Some(*component), Some(vectors).filter(|vectors| vectors.count > 1))
            }
            LaidOutShape::Array { .. } | LaidOutShape::Struct(_) | LaidOutShape::Pointer { .. } => (None, None),
        };

        let index = self.flat.members.len();
        // A bit-field is at its bits, as in the host, not at the start of its storage unit.
        let bytes = bits.map(ProgramBits::bytes);
        self.flat.members.push(FlatMember {
            path: place.path.clone(),
            name: place.name.clone(),
            type_name: source_type_name(&layout.type_name).to_owned(),
            offset: bytes.map_or(place.offset, |(offset, _)| offset),
            size: bytes.map_or(layout.size.finite(), |(_, size)| Some(size)),
            arrays,
            vectors,
            has_members: matches!(element.shape, LaidOutShape::Struct(_)),
            scalar: scalar.map(scalar_of),
            bits,
            place: self.places.get(&place.declared_path).cloned(),
            parent: place.parent,
            is_first_element: !place.is_later_element,
        });
        match bytes {
            Some((offset, size)) => {
                self.flat.add_lane(Lane { offset, size, class: LaneClass::Bits, member: index });
            }
            None => self.elements(layout, place, index),
        }
    }

    fn elements(&mut self, layout: &LaidOut, place: &BlockPlace, member: usize) {
        match &layout.shape {
            LaidOutShape::Array { element, count, stride } => {
                let count = match count {
                    Count::Finite(count) => *count,
                    Count::Unbounded => UNSIZED_ELEMENTS,
                };
                for index in 0..count {
                    let offset = stride.checked_mul(index).and_then(|distance| place.offset.checked_add(distance));
                    let (Some(offset), true) = (offset, self.flat.lanes.len() < MAX_LANES) else {
                        self.flat.is_truncated = true;
                        return;
                    };
                    let before = self.flat.lanes.len();
                    let element_place = BlockPlace {
                        path: format!("{}[{index}]", place.path),
                        offset,
                        is_later_element: place.is_later_element || index > 0,
                        ..place.clone()
                    };
                    self.elements(element, &element_place, member);
                    if self.flat.lanes.len() == before {
                        return;
                    }
                }
            }
            LaidOutShape::Struct(_) if let Some(inner) = wrapped_by_slangc(layout) => {
                self.elements(inner, place, member);
            }
            LaidOutShape::Struct(members) => {
                self.members(members, &BlockPlace { parent: Some(member), ..place.clone() });
            }
            LaidOutShape::Scalar(component) => self.run(*component, 1, place.offset, member),
            LaidOutShape::Vector { component, length } => self.run(*component, *length, place.offset, member),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                for vector in 0..vectors {
                    let offset = place.offset.saturating_add(vector.saturating_mul(*stride));
                    self.run(*component, length, offset, member);
                }
            }
            LaidOutShape::Pointer { .. } => {
                let size = layout.size.finite().unwrap_or(0);
                self.flat.add_lane(Lane { offset: place.offset, size, class: LaneClass::Unsigned, member });
            }
            LaidOutShape::Resource => {}
        }
    }

    fn run(&mut self, component: Component, count: u32, start: u32, member: usize) {
        let scalar = scalar_of(component);
        for index in 0..count {
            let offset = start.saturating_add(index.saturating_mul(scalar.size));
            self.flat.add_lane(Lane { offset, size: scalar.size, class: scalar.class, member });
        }
    }
}

fn scalar_of(component: Component) -> FlatScalar {
    let class = match component.scalar {
        Scalar::Bool => LaneClass::Bool,
        Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 | Scalar::Min16Int | Scalar::Min12Int => {
            LaneClass::Signed
        }
        Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Min16Uint => LaneClass::Unsigned,
        Scalar::Float16
        | Scalar::Half
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Min16Float
        | Scalar::Min10Float => LaneClass::Float,
    };
    FlatScalar { class, size: component.size, is_enum: false }
}

/// slangc's structs around a matrix or an array whose layout differs from that of SPIR-V or GLSL:
/// `_MatrixStorage_float4x4_ColMajorstd140 { float4 data[4]; }`, `_Array_std140_float4 { ... }`.
const SLANGC_WRAPPERS: [&str; 2] = ["_MatrixStorage_", "_Array_"];

/// The only member of a struct that the shader's author did not write.
fn wrapped_by_slangc(layout: &LaidOut) -> Option<&LaidOut> {
    let is_wrapper = SLANGC_WRAPPERS.iter().any(|start| layout.type_name.starts_with(start));
    match &layout.shape {
        LaidOutShape::Struct(members) if is_wrapper => match members.as_slice() {
            [only] if only.offset == 0 => Some(&only.layout),
            _ => None,
        },
        _ => None,
    }
}

/// `float4x4` for `_MatrixStorage_float4x4_ColMajorstd140`.
fn source_type_name(name: &str) -> &str {
    let inner = name.strip_prefix(SLANGC_WRAPPERS[0]);
    inner.and_then(|inner| inner.split('_').next()).unwrap_or(name)
}

/// The innermost element that is not an array, and the dimensions around it, outermost first. The
/// last dimension counts the vectors of a matrix if slangc wrote that as a struct, which the last
/// value says.
fn dimensions(layout: &LaidOut) -> (&LaidOut, Vec<FlatArray>, bool) {
    let (mut element, mut arrays, mut is_matrix) = (layout, Vec::new(), false);
    loop {
        if let Some(inner) = wrapped_by_slangc(element) {
            is_matrix = element.type_name.starts_with(SLANGC_WRAPPERS[0]);
            element = inner;
        } else if let LaidOutShape::Array { element: inner, count, stride } = &element.shape {
            let count = match count {
                Count::Finite(count) => Some(*count),
                Count::Unbounded => None,
            };
            arrays.push(FlatArray { count, stride: *stride });
            element = inner;
        } else {
            return (element, arrays, is_matrix);
        }
    }
}
