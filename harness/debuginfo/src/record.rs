//! Structs, classes and unions: their members, bases and template parameters.

use crate::{DeclarationPlace, HostTypeId};

/// A struct, class or union with its definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostRecord {
    /// How it was declared.
    pub kind: RecordKind,
    /// Base classes in the order of their declaration.
    pub bases: Vec<HostBase>,
    /// Its own members in the order of their declaration, without static ones and those of bases.
    ///
    /// [`crate::HostTypes::all_members`] lists those of bases too.
    pub members: Vec<HostMember>,
    /// Template parameters, if the debug information has them.
    pub template_parameters: Vec<TemplateParameter>,
    /// Whether the language promises this layout.
    pub contract: LayoutContract,
    /// True for a Rust enum with data: which members exist depends on a value, so `members` lists only what all variants
    /// have.
    pub has_variants: bool,
}

/// How a record was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// `struct`; all of Rust's structs, tuples and enums with data.
    Struct,
    /// `class`.
    Class,
    /// `union`.
    Union,
    /// `enum`; stands only in [`crate::HostShape::Incomplete`].
    Enum,
}

/// One non-static member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostMember {
    /// Its name; `None` for an anonymous struct or union, whose members are reached without naming it.
    pub name: Option<String>,
    /// Its type.
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record. For a bit-field the byte that holds its lowest bit.
    pub offset: u32,
    /// Its bits, if it is a bit-field.
    pub bits: Option<BitRange>,
    /// True if the compiler added it, such as a pointer to the table of virtual functions.
    pub is_artificial: bool,
    /// Alignment in bytes that its declaration demands, if stated.
    pub alignment: Option<u32>,
    /// Where it was declared.
    pub place: Option<DeclarationPlace>,
}

/// Bits of a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// First bit, counted from the start of the record: byte `offset / 8`, and in a little-endian program the bit of
    /// value `1 << (offset % 8)` in it.
    pub offset: u32,
    /// Number of bits.
    pub size: u32,
}

/// One base class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostBase {
    /// Its type.
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record; `None` for a virtual base, which has no fixed one.
    pub offset: Option<u32>,
}

/// One parameter of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateParameter {
    /// Name of the parameter; empty if it has none.
    pub name: String,
    /// Name of the type, or the value as text; `None` if it cannot be written simply.
    pub argument: Option<String>,
}

/// Whether the language promises the layout of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutContract {
    /// C and C++: offsets follow from the declaration and the platform's ABI.
    Fixed,
    /// Rust, and debug information does not say which `repr` it has. Members ascend in the order of their declaration,
    /// so it may be `repr(C)`.
    RustUnknown,
    /// Rust, and members do not ascend in the order of their declaration: certainly not `repr(C)`.
    RustReordered,
    /// Another language, or one that the debug information does not name.
    OtherLanguage,
}
