//! Structs, classes and unions: their members, bases and template parameters.

use crate::{DeclarationPlace, HostTypeId};

/// A struct, class or union with its definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostRecord {
    /// The keyword of its declaration.
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

/// The keyword of a record's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// `struct`; also all Rust structs, tuples and enums with data.
    Struct,
    /// `class`.
    Class,
    /// `union`.
    Union,
    /// `enum`; occurs only in [`crate::HostShape::Incomplete`].
    Enum,
}

/// A non-static member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostMember {
    /// `None` for an anonymous struct or union, whose members are reached without naming it.
    pub name: Option<String>,
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record; for a bit-field, of the byte with its lowest
    /// bit.
    pub offset: u32,
    /// Its bits, if it is a bit-field.
    pub bits: Option<BitRange>,
    /// True if the compiler added it, such as a pointer to the virtual function table.
    pub is_artificial: bool,
    /// Alignment in bytes that its declaration requires, if the debug information states it.
    pub alignment: Option<u32>,
    pub place: Option<DeclarationPlace>,
}

/// Bits of a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// First bit, counted from the start of the record: byte `offset / 8`, and in a little-endian program the bit of
    /// value `1 << (offset % 8)` in it.
    pub offset: u32,
    pub size: u32,
}

/// One base class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostBase {
    pub ty: HostTypeId,
    /// Offset in bytes from the start of the record; `None` for a virtual base, whose offset is not
    /// fixed.
    pub offset: Option<u32>,
}

/// One parameter of a template.
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
    /// Another language, or an unknown one.
    OtherLanguage,
}
