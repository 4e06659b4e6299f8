//! Structs that C and Rust can express: plain fields in order, with no gaps.
//!
//! [`super::flatten`] makes them, the writers print them. Offsets and sizes are in bytes.

use layoutproof_layout::Component;
use layoutproof_layout::scalar::Scalar;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HostStruct {
    /// A valid identifier that no other struct has.
    pub name: String,
    /// Name as declared in the shader.
    pub declared: String,
    /// The blocks or members that it describes, one line each: `cbuffer S under hlsl-cbuffer`.
    pub uses: Vec<String>,
    /// Comments for the reader, one line each.
    pub notes: Vec<String>,
    /// Size in bytes: the sum of the fields' sizes.
    pub size: u32,
    /// Alignment in bytes of the struct, with natural alignment of the fields or under `packing`.
    pub alignment: u32,
    /// Largest alignment of a field in bytes, if natural alignment would move a field.
    pub packing: Option<u32>,
    /// Fields by ascending offset; each starts where the previous one ends.
    pub fields: Vec<HostField>,
    /// The elements after the fields, without an end.
    pub elements: Option<Elements>,
}

/// An array without an end, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Elements {
    pub offset: u32,
    pub stride: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HostField {
    /// A valid identifier that no other field has.
    pub name: String,
    /// Type of the innermost element.
    pub ty: HostType,
    /// Numbers of elements, outermost first; empty for a single value.
    pub dimensions: Vec<u32>,
    /// In bytes.
    pub offset: u32,
    /// In bytes, including all dimensions.
    pub size: u32,
    /// The member's declaration and further comments; `None` for padding.
    pub note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HostType {
    /// A 32-bit float.
    Float,
    /// A 64-bit float.
    Double,
    /// A signed integer of 1, 2, 4 or 8 bytes.
    Signed(u32),
    /// An unsigned integer of 1, 2, 4 or 8 bytes.
    Unsigned(u32),
    /// A struct, as index into the list.
    Struct(usize),
    /// A type of the user, as index into the list. Its alignment is taken to be that of its numbers;
    /// the assertions fail if it is not.
    Vector { index: usize, size: u32, alignment: u32 },
}

impl HostType {
    /// One byte of padding, or of a type with no other form.
    pub(super) const BYTE: Self = Self::Unsigned(1);
    /// A device address.
    pub(super) const ADDRESS: Self = Self::Unsigned(8);

    /// The type that holds a component. `bool` and two-byte floats become unsigned integers of
    /// their size: every bit pattern must be valid, and neither language has a 16-bit float that
    /// all compilers know.
    pub(super) fn of(component: Component) -> Self {
        let Component { scalar, size } = component;
        match scalar {
            Scalar::Bool | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Min16Uint => {
                Self::Unsigned(size)
            }
            Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 | Scalar::Min16Int | Scalar::Min12Int => {
                Self::Signed(size)
            }
            Scalar::Float16
            | Scalar::Half
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Min16Float
            | Scalar::Min10Float => match size {
                4 => Self::Float,
                8 => Self::Double,
                _ => Self::Unsigned(size),
            },
        }
    }
}

impl HostField {
    pub(super) fn is_padding(&self) -> bool {
        self.note.is_none()
    }
}

pub(super) fn alignment(ty: HostType, structs: &[HostStruct]) -> u32 {
    match ty {
        HostType::Float => 4,
        HostType::Double => 8,
        HostType::Signed(size) | HostType::Unsigned(size) => size,
        HostType::Struct(index) => structs[index].alignment,
        HostType::Vector { alignment, .. } => alignment,
    }
}

/// The alignment of a struct with these fields and this size, and the packing limit that the fields
/// need, if any.
///
/// A `double` at byte 4, or a struct of 12 bytes with a `double` in it, needs a limit of 4.
pub(super) fn packing(fields: &[HostField], size: u32, structs: &[HostStruct]) -> (u32, Option<u32>) {
    let natural = fields.iter().map(|field| alignment(field.ty, structs)).max().unwrap_or(1);
    let fits = |limit: u32| {
        let placed = |field: &HostField| field.offset.is_multiple_of(alignment(field.ty, structs).min(limit));
        size.is_multiple_of(limit) && fields.iter().all(placed)
    };
    let mut limit = natural;
    while !fits(limit) {
        limit /= 2;
    }
    (limit, (limit < natural).then_some(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(ty: HostType, offset: u32, size: u32) -> HostField {
        HostField { name: "a".into(), ty, dimensions: Vec::new(), offset, size, note: Some(String::new()) }
    }

    // The Rust reference, Type layout, The alignment modifiers: packed(N) lowers the alignment of each field to N.
    #[test]
    fn a_struct_is_packed_only_as_far_as_a_field_or_its_size_needs() {
        let double = |offset| field(HostType::Double, offset, 8);
        let cases = [
            (vec![double(0), double(8)], 16, (8, None)),
            (vec![double(4)], 12, (4, Some(4))),
            (vec![double(0), field(HostType::Float, 8, 4)], 12, (4, Some(4))),
            (vec![field(HostType::Float, 0, 4), field(HostType::Unsigned(2), 4, 2)], 6, (2, Some(2))),
            (vec![field(HostType::BYTE, 0, 3)], 3, (1, None)),
            (Vec::new(), 0, (1, None)),
        ];
        for (fields, size, expected) in cases {
            assert_eq!(packing(&fields, size, &[]), expected, "{fields:?}");
        }
    }
}
