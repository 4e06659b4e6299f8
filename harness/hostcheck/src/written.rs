//! The bytes that a Rust library writes for a struct.
//!
//! encase, crevice and glsl-layout write the members in declaration order, by the rules of a shader
//! language, wherever rustc puts them. Debug information lists the members in that order too. It has no
//! attributes such as encase's `#[align(32)]`, so the result holds only for a struct without them.
//!
//! Source: encase 0.10, `ShaderType`: the memory layout of WGSL; crevice, `AsStd140` and `AsStd430`;
//! GLSL 4.60, 7.6.2.2 Standard Uniform Block Layout; WGSL, 14.4.1 Alignment and Size.

use serde::{Deserialize, Serialize};

use crate::program_struct::{LaneClass, ProgramContract, ProgramField, ProgramScalar, ProgramShape, ProgramStruct};
use crate::vector_types::{VectorType, VectorTypes};

/// A library that writes a struct into buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenBy {
    pub library: String,
    /// The rules by which it can write this struct.
    pub rules: Vec<WrittenRules>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WrittenRules {
    /// Those of WGSL and `std430`: alignments follow from the members.
    Natural,
    /// `std140`: elements of arrays, vectors of matrices and structs start at multiples of 16 bytes.
    Std140,
}

/// The struct as the library writes it. `None` if it has a member whose bytes are not known, such as a `bool`, or a
/// `Vec` that is not at the end. `find` gives the struct of a name: that of the elements of the `Vec` at its end.
pub fn as_written<'a>(
    host: &ProgramStruct,
    rules: WrittenRules,
    vector_types: &VectorTypes,
    find: impl Fn(&str) -> Option<&'a ProgramStruct>,
) -> Option<ProgramStruct> {
    let writer = Writer { rules, vector_types };
    let element_of = |name: &str| match find(name) {
        Some(element) => writer.structure(&element.fields),
        None => writer.value_named(name),
    };
    let placed = writer.outer_structure(&host.fields, element_of)?;
    let ProgramShape::Struct { fields, size } = placed.shape else { return None };
    Some(ProgramStruct { fields, size, contract: ProgramContract::Fixed, ..host.clone() })
}

/// The type of the elements of a `Vec` or another collection that libraries write as an array without an end.
pub fn element_of_collection(type_name: &str) -> Option<&str> {
    let arguments = COLLECTIONS.iter().find_map(|start| type_name.strip_prefix(start))?;
    let mut depth = 0u32;
    let end = arguments.find(|letter| match letter {
        '<' | '(' | '[' => {
            depth += 1;
            false
        }
        ')' | ']' | '>' if depth > 0 => {
            depth -= 1;
            false
        }
        ',' | '>' => depth == 0,
        _ => false,
    });
    Some(arguments[..end?].trim())
}

/// Names and offsets of the members in buffers: as in memory, or in each layout in which a library writes the
/// struct. The place of a last array whose elements are structs is that without their alignment.
pub(crate) fn buffer_fields(host: &ProgramStruct, vector_types: &VectorTypes) -> Vec<Vec<(String, u32)>> {
    let rules = host.written_by.iter().flat_map(|writer| &writer.rules);
    let of_rules = |rules: &WrittenRules| {
        let writer = Writer { rules: *rules, vector_types };
        let unknown = || Written { shape: ProgramShape::Struct { fields: Vec::new(), size: 0 }, size: 0, alignment: 1 };
        let element_of = |name: &str| Some(writer.value_named(name).unwrap_or_else(unknown));
        let ProgramShape::Struct { fields, size } = writer.outer_structure(&host.fields, element_of)?.shape else {
            return None;
        };
        Some(ProgramStruct { size, fields, ..host.clone() })
    };
    let written = rules.filter_map(of_rules);
    let fields: Vec<Vec<(String, u32)>> = written.map(|written| written.named_fields()).collect();
    if fields.is_empty() { vec![host.named_fields()] } else { fields }
}

struct Writer<'a> {
    rules: WrittenRules,
    vector_types: &'a VectorTypes,
}

/// A type in the buffer.
struct Written {
    shape: ProgramShape,
    size: u32,
    alignment: u32,
}

/// Collections that encase writes as an array without an end (encase 0.13, `types/runtime_sized_array.rs`).
const COLLECTIONS: [&str; 3] =
    ["alloc::vec::Vec<", "alloc::collections::vec_deque::VecDeque<", "alloc::collections::linked_list::LinkedList<"];

/// encase's type that has no bytes in memory, and is the length of the array without an end, a `u32`, in buffers.
const ARRAY_LENGTH: &str = "encase::types::runtime_sized_array::ArrayLength";

impl Writer<'_> {
    /// A struct that may end with a collection, which is written as an array without an end.
    fn outer_structure(
        &self,
        fields: &[ProgramField],
        element_of: impl Fn(&str) -> Option<Written>,
    ) -> Option<Written> {
        let last = fields.last().and_then(|last| Some((last, element_of_collection(&last.type_name)?)));
        let Some((last, element_name)) = last else { return self.structure(fields) };
        let element = element_of(element_name)?;
        let header = self.structure(&fields[..fields.len() - 1])?;
        let ProgramShape::Struct { fields: mut written, .. } = header.shape else { return None };
        let end = written.last().map_or(Some(0), |field| field.offset.checked_add(field.shape.size()?))?;
        let alignment = self.aggregate_alignment(element.alignment);
        let stride = element.size.checked_next_multiple_of(alignment)?;
        let (element, element_name) = (Box::new(element.shape), element_name.to_owned());
        let shape = ProgramShape::Array { element, element_name, count: None, stride };
        let offset = end.checked_next_multiple_of(alignment)?;
        written.push(ProgramField { offset, shape, bits: None, ..last.clone() });
        let alignment = alignment.max(header.alignment);
        let size = offset.checked_next_multiple_of(alignment)?;
        Some(Written { shape: ProgramShape::Struct { fields: written, size }, size, alignment })
    }

    /// A vector, a matrix or a number of Rust, by its name alone.
    fn value_named(&self, name: &str) -> Option<Written> {
        let class = match name.get(..1)? {
            "f" => LaneClass::Float,
            "i" => LaneClass::Signed,
            "u" => LaneClass::Unsigned,
            _ => LaneClass::Opaque,
        };
        let size = match name.get(1..)? {
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => 0,
        };
        self.value(&ProgramShape::Scalar(ProgramScalar { class, size, is_enum: false }), name)
    }

    fn structure(&self, fields: &[ProgramField]) -> Option<Written> {
        let (mut end, mut alignment) = (0u32, self.aggregate_alignment(1));
        let mut written = Vec::new();
        for field in fields {
            let member = self.value(&field.shape, &field.type_name)?;
            let offset = end.checked_next_multiple_of(member.alignment)?;
            end = offset.checked_add(member.size)?;
            alignment = alignment.max(member.alignment);
            written.push(ProgramField { offset, shape: member.shape, bits: None, ..field.clone() });
        }
        let size = end.checked_next_multiple_of(alignment)?;
        Some(Written { shape: ProgramShape::Struct { fields: written, size }, size, alignment })
    }

    fn value(&self, shape: &ProgramShape, type_name: &str) -> Option<Written> {
        if let Some(vector) = self.vector_types.find(type_name) {
            return self.vectors(vector);
        }
        if type_name == ARRAY_LENGTH {
            return self.value_named("u32");
        }
        match shape {
            ProgramShape::Scalar(scalar) => {
                is_number(*scalar).then(|| Written { shape: shape.clone(), size: scalar.size, alignment: scalar.size })
            }
            ProgramShape::Array { element, element_name, count, .. } => {
                let (element, count) = (self.value(element, element_name)?, (*count)?);
                let alignment = self.aggregate_alignment(element.alignment);
                let stride = element.size.checked_next_multiple_of(alignment)?;
                let (element, element_name) = (Box::new(element.shape), element_name.clone());
                let shape = ProgramShape::Array { element, element_name, count: Some(count), stride };
                Some(Written { shape, size: stride.checked_mul(count)?, alignment })
            }
            ProgramShape::Struct { fields, .. } => self.structure(fields),
            ProgramShape::Vector { .. } | ProgramShape::Union { .. } | ProgramShape::Opaque { .. } => None,
        }
    }

    /// A vector or a matrix. The comparison takes its components from the type's name, and needs only
    /// the size here.
    fn vectors(&self, vector: VectorType) -> Option<Written> {
        let one = vector.component_size.checked_mul(vector.rows)?;
        let alignment = one.checked_next_power_of_two()?;
        let of_size =
            |size, alignment| Written { shape: ProgramShape::Struct { fields: Vec::new(), size }, size, alignment };
        if vector.columns == 1 {
            return Some(of_size(one, alignment));
        }
        let alignment = self.aggregate_alignment(alignment);
        let stride = one.checked_next_multiple_of(alignment)?;
        Some(of_size(stride.checked_mul(vector.columns)?, alignment))
    }

    fn aggregate_alignment(&self, alignment: u32) -> u32 {
        match self.rules {
            WrittenRules::Natural => alignment,
            WrittenRules::Std140 => alignment.max(16),
        }
    }
}

/// True for the numbers of shaders. How a library writes a `bool` or an enum, its code decides.
fn is_number(scalar: ProgramScalar) -> bool {
    let has_size = match scalar.class {
        LaneClass::Float | LaneClass::Signed | LaneClass::Unsigned => matches!(scalar.size, 2 | 4 | 8),
        LaneClass::Bool | LaneClass::Bits | LaneClass::Opaque => false,
    };
    has_size && !scalar.is_enum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(type_name: &str, shape: ProgramShape) -> ProgramField {
        let (name, type_name) = (String::new(), type_name.to_owned());
        ProgramField { name, type_name, offset: 0, shape, bits: None, alignment: None, place: None }
    }

    /// WGSL, 14.4.1: `vec3<f32>` has alignment 16 and size 12, `mat3x3<f32>` columns every 16 bytes, and an
    /// array of `f32` elements every 4. GLSL 4.60, 7.6.2.2, rules 3 to 5: under `std140` every 16.
    #[test]
    fn members_are_written_by_the_rules_of_shaders() {
        let float = ProgramScalar { class: LaneClass::Float, size: 4, is_enum: false };
        let opaque = |size| ProgramShape::Struct { fields: Vec::new(), size };
        let (element, element_name) = (Box::new(ProgramShape::Scalar(float)), "f32".to_owned());
        let fields = vec![
            field("f32", ProgramShape::Scalar(float)),
            field("glam::f32::vec3::Vec3", opaque(12)),
            field("f32", ProgramShape::Scalar(float)),
            field("glam::f32::mat3::Mat3", opaque(36)),
            field("[f32; 3]", ProgramShape::Array { element, element_name, count: Some(3), stride: 4 }),
            field("f32", ProgramShape::Scalar(float)),
        ];
        let host = ProgramStruct {
            name: String::new(),
            object: String::new(),
            size: 0,
            fields,
            place: None,
            contract: ProgramContract::Reordered,
            other_layouts: Vec::new(),
            is_named_by_variable: false,
            written_by: None,
        };
        let offsets = |rules| {
            let written = as_written(&host, rules, VectorTypes::built_in(), |_| None).unwrap();
            let offsets = written.fields.iter().map(|field| field.offset);
            offsets.chain([written.size]).collect::<Vec<u32>>()
        };
        assert_eq!(offsets(WrittenRules::Natural), [0, 16, 28, 32, 80, 92, 96]);
        assert_eq!(offsets(WrittenRules::Std140), [0, 16, 28, 32, 80, 128, 144]);

        let truth = ProgramScalar { class: LaneClass::Bool, size: 1, is_enum: false };
        let unknown = ProgramStruct { fields: vec![field("bool", ProgramShape::Scalar(truth))], ..host };
        assert_eq!(as_written(&unknown, WrittenRules::Natural, VectorTypes::built_in(), |_| None), None);
    }

    #[test]
    fn collections_name_their_elements() {
        for (name, element) in [
            ("alloc::vec::Vec<f32, alloc::alloc::Global>", Some("f32")),
            ("alloc::vec::Vec<a::Object<b::C, 2>, alloc::alloc::Global>", Some("a::Object<b::C, 2>")),
            ("alloc::collections::linked_list::LinkedList<[f32; 4]>", Some("[f32; 4]")),
            ("alloc::vec::Vec<(u8, f32)>", Some("(u8, f32)")),
            ("alloc::vec::Vec<f32", None),
            ("alloc::string::String", None),
        ] {
            assert_eq!(element_of_collection(name), element, "{name}");
        }
    }
}
