//! A type of the host program as its compiler laid it out. Every reader of this crate produces
//! these.
//!
//! Types refer to each other by [`HostTypeId`], an index into [`crate::HostTypes`]. A type refers
//! only to types that are part of its own bytes; the target of a pointer is only a name, so a walk
//! over a type always ends. All sizes, offsets, strides and alignments are in bytes unless a name
//! says bits.

use std::collections::HashMap;
use std::ops::Index;

use crate::{DebugInfoError, DebugLimits};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostType {
    /// Name with its namespaces and template arguments, as in `engine::Pair<float, 3>`; empty for an unnamed type.
    pub name: String,
    pub shape: HostShape,
    /// Size in bytes; `None` if the debug information gives none, as for incomplete types and flexible arrays.
    pub size: Option<u32>,
    /// Alignment in bytes, if the debug information states it: compilers do so only for `alignas` and the like.
    pub alignment: Option<u32>,
    pub place: Option<DeclarationPlace>,
    /// Its layout, to compare two types.
    pub layout: HostLayoutId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostShape {
    /// A struct, class or union.
    Record(HostRecord),
    /// A number, truth value or character.
    Scalar(HostScalar),
    /// An enumeration. Its size is that of its underlying integer.
    Enum {
        /// True if the underlying integer is signed; `None` if the debug information does not say.
        signed: Option<bool>,
    },
    Pointer {
        /// Name of the target; empty if that has no name.
        target: String,
    },
    Array(HostArray),
    /// A vector type of the compiler (`__attribute__((vector_size))`, `ext_vector_type`, `__m128`).
    Vector {
        component: HostTypeId,
        count: u32,
    },
    /// A `typedef` or `using`: another name for a type.
    Alias(HostTypeId),
    /// A declaration without a definition in any unit that was read. It has no size.
    Incomplete(RecordKind),
    /// A type that this crate does not describe further, such as a function or `void`.
    Opaque {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostArray {
    pub element: HostTypeId,
    /// Number of elements in each dimension, outermost first. Never empty.
    pub counts: Vec<ElementCount>,
    /// Bytes from one element to the next in the innermost dimension; `None` if the element has no known size.
    pub stride: Option<u32>,
}

/// The number of elements in one dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementCount {
    Finite(u32),
    /// Not stated: a flexible array member, `extern float a[]` or a variable length.
    Unstated,
}

/// A struct, class or union with its definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostRecord {
    pub kind: RecordKind,
    /// Base classes, in declaration order.
    pub bases: Vec<HostBase>,
    /// Its own non-static members in declaration order, without those of bases.
    ///
    /// [`crate::HostTypes::all_members`] also lists the members of bases.
    pub members: Vec<HostMember>,
    /// Template parameters, if the debug information has them.
    pub template_parameters: Vec<TemplateParameter>,
    /// The guarantee that the language gives about this layout.
    pub contract: LayoutContract,
    /// True for a Rust enum with data. Its members depend on a value, so `members` lists only those
    /// that all variants have.
    pub has_variants: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// `struct`; also all Rust structs, tuples and enums with data.
    Struct,
    Class,
    Union,
    /// `enum`; occurs only in [`crate::HostShape::Incomplete`].
    Enum,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostMember {
    /// `None` for an anonymous struct or union, whose members are reached without naming it.
    pub name: Option<String>,
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record; for a bit-field, of the byte with its lowest
    /// bit.
    pub offset: u32,
    pub bits: Option<BitRange>,
    /// True if the compiler added it, such as a pointer to the virtual function table.
    pub is_artificial: bool,
    /// Alignment in bytes that its declaration requires, if the debug information states it.
    pub alignment: Option<u32>,
    pub place: Option<DeclarationPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// First bit, counted from the start of the record: byte `offset / 8`, and in a little-endian program the bit of
    /// value `1 << (offset % 8)` in it.
    pub offset: u32,
    pub size: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostBase {
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record; `None` for a virtual base, whose offset is not
    /// fixed.
    pub offset: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateParameter {
    /// Empty if the parameter has no name.
    pub name: String,
    /// The name of the type, or the value as text; `None` if it has no simple spelling.
    pub argument: Option<String>,
}

/// The guarantee that a language gives about the layout of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutContract {
    /// C and C++: the declaration and the platform's ABI determine the offsets.
    Fixed,
    /// Rust, where debug information does not record the `repr`. The members ascend in declaration
    /// order, so the record may be `repr(C)`.
    RustUnknown,
    /// Rust, and the members do not ascend in declaration order, so the record is certainly not
    /// `repr(C)`.
    RustReordered,
    /// Zig, where debug information does not record whether the record is `extern`.
    ZigUnknown,
    /// A layout file states the offsets.
    Stated,
    /// Another language, or an unknown one.
    OtherLanguage,
}

/// A scalar type. Its size is that of the [`crate::HostType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostScalar {
    pub class: ScalarClass,
    pub size: u32,
}

/// The meaning of a scalar's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarClass {
    /// Binary floating point.
    Float,
    Signed,
    Unsigned,
    Bool,
    /// Character: `char`, `signed char`, `unsigned char`, `wchar_t`, `char16_t`, Rust's `char`.
    ///
    /// `uint8_t` is an alias of `unsigned char`, so a character of one byte is often a small integer.
    Character {
        signed: bool,
    },
    /// Something else, such as a complex or decimal number.
    Other,
}

impl HostScalar {
    /// True if its values can be negative.
    pub fn is_signed(self) -> bool {
        matches!(self.class, ScalarClass::Float | ScalarClass::Signed | ScalarClass::Character { signed: true })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationPlace {
    /// The file as the debug information writes it; absolute if that also records the compiler's
    /// working folder.
    pub file: String,
    /// Line, counted from 1; `None` if only the file is known.
    pub line: Option<u32>,
}

/// Number of a type in [`crate::HostTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostTypeId(pub(crate) u32);

/// Number of a layout. Two types with the same number have the same bytes, member names and scalar
/// classes.
///
/// Type names, spellings of scalars, typedefs, targets of pointers and declaration places do not
/// count, because compilers spell them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostLayoutId(pub(crate) u32);

#[derive(Debug, Default)]
pub struct HostTypes {
    types: Vec<HostType>,
    numbers: HashMap<TypeKey, HostTypeId>,
    layouts: HashMap<LayoutKey, HostLayoutId>,
}

/// A type without a number yet.
#[derive(Clone, Debug)]
pub(crate) struct NewType {
    pub(crate) name: String,
    pub(crate) shape: HostShape,
    pub(crate) size: Option<u32>,
    pub(crate) alignment: Option<u32>,
    pub(crate) place: Option<DeclarationPlace>,
}

impl NewType {
    /// A type that is not described further.
    pub(crate) fn opaque(name: &str, reason: &str) -> Self {
        let shape = HostShape::Opaque { reason: reason.to_owned() };
        Self { name: name.to_owned(), shape, size: None, alignment: None, place: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMember<'a> {
    pub member: &'a HostMember,
    /// Offset in bytes from the start of the requested record.
    pub offset: u32,
    /// Its bits, counted from the start of the requested record.
    pub bits: Option<BitRange>,
    /// The base class that declares it; `None` for the record's own members.
    pub inherited_from: Option<HostTypeId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TypeKey {
    name: String,
    shape: HostShape,
    size: Option<u32>,
    alignment: Option<u32>,
    place: Option<DeclarationPlace>,
}

/// The properties that two types of the same layout share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LayoutKey {
    Record { union: bool, size: Option<u32>, bases: Vec<BaseKey>, members: Vec<MemberKey>, variants: bool },
    Scalar(HostScalar),
    Enum { signed: Option<bool>, size: Option<u32> },
    Pointer { size: Option<u32> },
    Array { element: HostLayoutId, counts: Vec<ElementCount>, stride: Option<u32> },
    Vector { component: HostLayoutId, count: u32, size: Option<u32> },
    Incomplete { name: String, kind: RecordKind },
    Opaque { name: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BaseKey {
    layout: HostLayoutId,
    offset: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MemberKey {
    name: Option<String>,
    layout: HostLayoutId,
    offset: u32,
    bits: Option<BitRange>,
}

impl Index<HostTypeId> for HostTypes {
    type Output = HostType;

    fn index(&self, id: HostTypeId) -> &HostType {
        &self.types[id.0 as usize]
    }
}

impl HostTypes {
    /// Follows typedefs to the type that they name.
    pub fn resolve(&self, mut id: HostTypeId) -> HostTypeId {
        // An alias refers to a type with a smaller number, so this ends.
        while let HostShape::Alias(target) = self[id].shape {
            id = target;
        }
        id
    }

    /// Lists the members of a record, those of its bases first, each at its offset in the record.
    ///
    /// Members of virtual bases are left out, because their offsets are known only at run time.
    /// Empty for a type that is not a record.
    pub fn all_members(&self, id: HostTypeId) -> Vec<PlacedMember<'_>> {
        let mut placed = Vec::new();
        self.place_members(id, 0, None, &mut placed);
        placed
    }

    fn place_members<'a>(
        &'a self,
        id: HostTypeId,
        start: u32,
        inherited_from: Option<HostTypeId>,
        placed: &mut Vec<PlacedMember<'a>>,
    ) {
        let id = self.resolve(id);
        let HostShape::Record(record) = &self[id].shape else { return };

        for base in &record.bases {
            if let Some(offset) = base.offset.and_then(|offset| start.checked_add(offset)) {
                self.place_members(base.ty, offset, Some(self.resolve(base.ty)), placed);
            }
        }

        for member in &record.members {
            let Some(offset) = start.checked_add(member.offset) else { continue };
            let bits = member.bits.and_then(|bits| {
                let offset = start.checked_mul(8)?.checked_add(bits.offset)?;
                Some(BitRange { offset, ..bits })
            });
            placed.push(PlacedMember { member, offset, bits, inherited_from });
        }
    }

    /// Numbers a type, or returns the number of an equal one.
    pub(crate) fn add(&mut self, new_type: NewType, limits: &DebugLimits) -> Result<HostTypeId, DebugInfoError> {
        let layout = self.number_layout(&new_type);
        let NewType { name, shape, size, alignment, place } = new_type;
        let key = TypeKey { name, shape, size, alignment, place };
        if let Some(&id) = self.numbers.get(&key) {
            return Ok(id);
        }

        let id = u32::try_from(self.types.len()).ok().filter(|&number| number < limits.types);
        let id = HostTypeId(id.ok_or(DebugInfoError::TooManyTypes { limit: limits.types })?);
        let TypeKey { name, shape, size, alignment, place } = key.clone();
        self.types.push(HostType { name, shape, size, alignment, place, layout });
        self.numbers.insert(key, id);
        Ok(id)
    }

    fn number_layout(&mut self, new_type: &NewType) -> HostLayoutId {
        let size = new_type.size;
        let key = match &new_type.shape {
            HostShape::Alias(target) => return self[*target].layout,
            HostShape::Record(record) => LayoutKey::Record {
                union: record.kind == RecordKind::Union,
                size,
                bases: record
                    .bases
                    .iter()
                    .map(|base| BaseKey { layout: self[base.ty].layout, offset: base.offset })
                    .collect(),
                members: record.members.iter().map(|member| self.member_key(member)).collect(),
                variants: record.has_variants,
            },
            HostShape::Scalar(scalar) => LayoutKey::Scalar(*scalar),
            HostShape::Enum { signed } => LayoutKey::Enum { signed: *signed, size },
            HostShape::Pointer { .. } => LayoutKey::Pointer { size },
            HostShape::Array(array) => LayoutKey::Array {
                element: self[array.element].layout,
                counts: array.counts.clone(),
                stride: array.stride,
            },
            HostShape::Vector { component, count } => {
                LayoutKey::Vector { component: self[*component].layout, count: *count, size }
            }
            HostShape::Incomplete(kind) => LayoutKey::Incomplete { name: new_type.name.clone(), kind: *kind },
            HostShape::Opaque { .. } => LayoutKey::Opaque { name: new_type.name.clone() },
        };

        let next = HostLayoutId(u32::try_from(self.layouts.len()).expect("there are no more layouts than types"));
        *self.layouts.entry(key).or_insert(next)
    }

    fn member_key(&self, member: &HostMember) -> MemberKey {
        MemberKey {
            name: member.name.clone(),
            layout: self[member.ty].layout,
            offset: member.offset,
            bits: member.bits,
        }
    }
}
