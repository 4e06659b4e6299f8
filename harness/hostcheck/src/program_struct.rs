//! A struct of the host program as its compiler laid it out, to compare with a shader's block.
//!
//! The reader of debug information makes these. All sizes, offsets and strides are in bytes;
//! offsets are relative to the enclosing struct.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_source::sources::LinePlace;
use serde::{Deserialize, Serialize};

use crate::names::is_filler;
use crate::written::{WrittenBy, element_of_collection};

/// The description of pointers among opaque members.
pub const POINTER: &str = "a pointer";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramStruct {
    /// Qualified name, for example `engine::PerFrame`.
    pub name: String,
    /// File with the debug information, for messages.
    pub object: String,
    /// Size in bytes, including tail padding.
    pub size: u32,
    /// Members of its bases and its own, in declaration order.
    pub fields: Vec<ProgramField>,
    pub place: Option<LinePlace>,
    /// The guarantee that its language gives about this layout.
    pub contract: ProgramContract,
    /// Other layouts of the same name in other units, in words: `52 bytes in b.cpp`.
    pub other_layouts: Vec<String>,
    /// True for an unnamed struct under the name of a variable or member. Variables of one name
    /// may hold anything, so that the members decide whether it can fill a block.
    pub is_named_by_variable: bool,
    /// The library that writes its values into buffers in a layout of its own, such as encase.
    pub written_by: Option<WrittenBy>,
}

/// The guarantee that a language gives about a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramContract {
    /// C and C++: the declaration and the platform's ABI determine it.
    Fixed,
    /// Rust, without information on whether the struct is `repr(C)`.
    Unstated,
    /// Zig, without information on whether the struct is `extern`.
    UnstatedZig,
    /// A layout file states it, for a program of any language.
    Stated,
    /// Rust, and the compiler reordered the members, so the struct is certainly not `repr(C)`.
    Reordered,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramField {
    /// Name; empty for a base and for an anonymous struct or union, whose members count as the struct's own.
    pub name: String,
    /// Type, as the program spells it.
    pub type_name: String,
    /// Bytes from the start of the enclosing struct.
    pub offset: u32,
    pub shape: ProgramShape,
    pub bits: Option<ProgramBits>,
    /// The alignment that the program states for it (`alignas`), as far as debug information has it.
    pub alignment: Option<u32>,
    pub place: Option<LinePlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramBits {
    /// First bit from the start of the enclosing struct.
    pub offset: u32,
    pub width: u32,
}

/// The structure of a member's type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramShape {
    /// A single value.
    Scalar(ProgramScalar),
    /// A vector type of the compiler.
    Vector {
        component: ProgramScalar,
        count: u32,
        /// Size in bytes, including padding after the last component.
        size: u32,
    },
    /// One dimension of an array.
    Array {
        element: Box<ProgramShape>,
        /// Spelling of the element's type.
        element_name: String,
        /// Number of elements; `None` for a flexible array.
        count: Option<u32>,
        /// Bytes from one element to the next.
        stride: u32,
    },
    /// A struct or class.
    Struct { fields: Vec<ProgramField>, size: u32 },
    /// A union. Its members share bytes.
    Union { fields: Vec<ProgramField>, size: u32 },
    /// Bytes that no shader can read as a value: a pointer, or a type without a description.
    Opaque { description: String, size: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramScalar {
    /// The meaning of its bits.
    pub class: LaneClass,
    pub size: u32,
    pub is_enum: bool,
}

/// The meaning of a scalar's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaneClass {
    /// Floating point of any size.
    Float,
    Signed,
    Unsigned,
    Bool,
    Bits,
    /// Not a number: a pointer, or a type without a description.
    Opaque,
}

impl ProgramBits {
    /// The first byte with one of the bits, and the number of bytes that have some.
    pub(super) fn bytes(self) -> (u32, u32) {
        let (start, end) = (self.offset / 8, self.offset.saturating_add(self.width).div_ceil(8));
        (start, end.saturating_sub(start))
    }
}

impl ProgramStruct {
    /// True if programs never upload this type: its bytes are a virtual function table, or
    /// internals of a standard container, or the language or the system declares it. Array types of libraries are
    /// plain data.
    pub fn is_never_uploaded(&self) -> bool {
        // A library writes the elements of a collection at the end.
        let is_collection = |last: &ProgramField| element_of_collection(&last.type_name).is_some();
        let has_written_end = self.written_by.is_some() && self.fields.last().is_some_and(is_collection);
        let fields = &self.fields[..self.fields.len() - usize::from(has_written_end)];
        has_owner(fields) || self.is_of_the_system()
    }

    /// True if the implementation of the language or the system declares it, and not the program or a library of
    /// its own.
    pub fn is_of_the_system(&self) -> bool {
        let is_in_header = |place: &LinePlace| SYSTEM_FOLDERS.iter().any(|folder| place.file.starts_with(folder));
        self.place.as_ref().is_some_and(is_in_header) || is_reserved_name(&self.name)
    }

    /// The number of members that are no padding.
    pub fn count_of_data(&self) -> u32 {
        let data = self.named_fields().into_iter().filter(|(name, _)| !is_filler(name)).count();
        u32::try_from(data).unwrap_or(u32::MAX)
    }

    /// Names and offsets of its members. The members of unnamed structs and unions count as its own.
    pub fn named_fields(&self) -> Vec<(String, u32)> {
        let mut named = Vec::new();
        add_named_fields(&self.fields, 0, &mut named);
        named
    }

    /// True if two structs have the same members at the same bytes. Types may differ: `float[3]` and a library's vector.
    pub fn has_same_layout(&self, other: &Self) -> bool {
        self.size == other.size && same_fields(&self.fields, &other.fields)
    }
}

/// Folders with headers of the system and its libraries, and the sources of Rust's standard library.
const SYSTEM_FOLDERS: [&str; 3] = ["/usr/include/", "/usr/lib/", "/rustc/"];

/// True for names of the standard library, and for those that C++ reserves for it (C++20, 5.10 Identifiers).
pub fn is_reserved_name(name: &str) -> bool {
    let starts_with_capital = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_reserved = |part: &str| part.starts_with("__") || part.strip_prefix('_').is_some_and(starts_with_capital);
    name.starts_with("std::") || name.split("::").any(is_reserved)
}

/// Types of libraries that are data.
const PLAIN: [&str; 4] = ["std::array<", "std::atomic<", "std::complex<", "std::byte"];

/// Types of libraries that own memory.
const OWNERS: [&str; 6] =
    ["std::", "alloc::vec::Vec<", "alloc::string::String", "alloc::boxed::Box<", "QString", "QVector<"];

/// True if a member, or one in it, is a pointer, a virtual function table, or an owner of memory.
fn has_owner(fields: &[ProgramField]) -> bool {
    fields.iter().any(|field| is_virtual_table(&field.name) || is_owner(&field.type_name, &field.shape))
}

/// True for the pointer to a virtual function table that a compiler adds.
pub(crate) fn is_virtual_table(name: &str) -> bool {
    name.starts_with("_vptr") || name == "__vfptr"
}

fn is_owner(name: &str, shape: &ProgramShape) -> bool {
    let starts_with = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if starts_with(&PLAIN) {
        return false;
    }
    starts_with(&OWNERS)
        || match shape {
            ProgramShape::Opaque { description, .. } => description == POINTER,
            ProgramShape::Array { element, element_name, .. } => is_owner(element_name, element),
            ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } => has_owner(fields),
            ProgramShape::Scalar(_) | ProgramShape::Vector { .. } => false,
        }
}

fn add_named_fields(fields: &[ProgramField], start: u32, named: &mut Vec<(String, u32)>) {
    for field in fields {
        let offset = start.saturating_add(field.offset);
        match &field.shape {
            ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } if field.name.is_empty() => {
                add_named_fields(fields, offset, named);
            }
            _ => named.push((field.name.clone(), offset)),
        }
    }
}

fn same_fields(left: &[ProgramField], right: &[ProgramField]) -> bool {
    let is_same = |pair: (&ProgramField, &ProgramField)| {
        let (left, right) = pair;
        left.name == right.name
            && left.offset == right.offset
            && left.bits == right.bits
            && same_shape(&left.shape, &right.shape)
    };
    left.len() == right.len() && left.iter().zip(right).all(is_same)
}

fn same_shape(left: &ProgramShape, right: &ProgramShape) -> bool {
    let is_same = match (left, right) {
        (
            ProgramShape::Array { element, count, stride, .. },
            ProgramShape::Array { element: other, count: other_count, stride: other_stride, .. },
        ) => count == other_count && stride == other_stride && same_shape(element, other),
        (ProgramShape::Struct { fields, size }, ProgramShape::Struct { fields: other, size: other_size })
        | (ProgramShape::Union { fields, size }, ProgramShape::Union { fields: other, size: other_size }) => {
            size == other_size && same_fields(fields, other)
        }
        (ProgramShape::Opaque { size, .. }, ProgramShape::Opaque { size: other, .. }) => size == other,
        _ => left == right,
    };
    is_same || same_numbers(left, right)
}

/// Size of the largest matrix, of `double`, in bytes.
const LARGEST_MATRIX: u32 = 4 * 4 * 8;

/// True for vectors or matrices of different types with the same numbers in the same bytes. A name that both have is at the
/// same bytes, so that exchanged members differ.
fn same_numbers(left: &ProgramShape, right: &ProgramShape) -> bool {
    let (Some(left), Some(right)) = (Numbers::of(left), Numbers::of(right)) else { return false };
    let is_moved = |(name, offsets): (&&str, &BTreeSet<u32>)| right.names.get(name).is_some_and(|it| it != offsets);
    left.lanes == right.lanes && !left.names.iter().any(is_moved)
}

/// The numbers of a shape.
#[derive(Default)]
struct Numbers<'a> {
    /// Offset, size and meaning. Members of a union may share a lane.
    lanes: BTreeSet<(u32, u32, LaneClass)>,
    /// Offsets of the members by their names.
    names: BTreeMap<&'a str, BTreeSet<u32>>,
    /// Shapes that were visited.
    visited: u32,
}

/// Enough for the members that unions of a matrix have under several names.
const MOST_VISITED: u32 = 1024;

impl<'a> Numbers<'a> {
    /// `None` for more than a matrix, and for what is not only numbers.
    fn of(shape: &'a ProgramShape) -> Option<Self> {
        let mut numbers = Self::default();
        (shape.size()? <= LARGEST_MATRIX && numbers.add(shape, 0)).then_some(numbers)
    }

    /// Adds what begins at a byte; false for what is more than a few numbers.
    fn add(&mut self, shape: &'a ProgramShape, start: u32) -> bool {
        self.visited += 1;
        let offset_of = |index: u32, stride: u32| start.saturating_add(index.saturating_mul(stride));
        match shape {
            _ if self.visited > MOST_VISITED => false,
            ProgramShape::Scalar(scalar) => {
                self.lanes.insert((start, scalar.size, scalar.class));
                true
            }
            ProgramShape::Vector { component, count, .. } => {
                let offsets = (0..(*count).min(MOST_VISITED)).map(|index| offset_of(index, component.size));
                self.lanes.extend(offsets.map(|offset| (offset, component.size, component.class)));
                true
            }
            ProgramShape::Array { element, count, stride, .. } => {
                count.is_some_and(|count| (0..count).all(|index| self.add(element, offset_of(index, *stride))))
            }
            ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } => fields.iter().all(|field| {
                let offset = start.saturating_add(field.offset);
                if !field.name.is_empty() {
                    self.names.entry(&field.name).or_default().insert(offset);
                }
                field.bits.is_none() && self.add(&field.shape, offset)
            }),
            ProgramShape::Opaque { .. } => false,
        }
    }
}

impl LaneClass {
    /// The word for messages; it fits after a size, as in `4-byte float`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Signed => "signed integer",
            Self::Unsigned => "unsigned integer",
            Self::Bool => "bool",
            Self::Bits => "bit-field",
            Self::Opaque => "pointer or opaque value",
        }
    }

    /// True if values are whole numbers.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Signed | Self::Unsigned => true,
            Self::Float | Self::Bool | Self::Bits | Self::Opaque => false,
        }
    }
}

impl ProgramShape {
    /// Size in bytes; 0 for a flexible array, `None` beyond 2^32.
    pub fn size(&self) -> Option<u32> {
        match self {
            Self::Scalar(scalar) => Some(scalar.size),
            Self::Array { count, stride, .. } => stride.checked_mul(count.unwrap_or(0)),
            Self::Vector { size, .. }
            | Self::Struct { size, .. }
            | Self::Union { size, .. }
            | Self::Opaque { size, .. } => Some(*size),
        }
    }
}
