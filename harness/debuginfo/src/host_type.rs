//! A type of the host program as its compiler laid it out. Every reader of this crate produces
//! these.
//!
//! Types refer to each other by [`HostTypeId`], an index into [`crate::HostTypes`]. A type refers
//! only to types that are part of its own bytes; the target of a pointer is only a name, so a walk
//! over a type always ends. All sizes, offsets, strides and alignments are in bytes unless a name
//! says bits.

use crate::{DeclarationPlace, HostLayoutId, HostRecord, HostScalar, HostTypeId, RecordKind};

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

/// The structure of a type.
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
    /// A pointer, reference or pointer to member.
    Pointer {
        /// Name of the target; empty if that has no name.
        target: String,
    },
    Array(HostArray),
    /// A vector type of the compiler (`__attribute__((vector_size))`, `ext_vector_type`, `__m128`).
    Vector {
        /// Type of one component.
        component: HostTypeId,
        count: u32,
    },
    /// A `typedef` or `using`: another name for a type.
    Alias(HostTypeId),
    /// A declaration without a definition in any unit that was read. It has no size.
    Incomplete(RecordKind),
    /// A type that this crate does not describe further, such as a function or `void`.
    Opaque {
        /// The reason, for messages.
        reason: String,
    },
}

/// An array of one or more dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostArray {
    /// Type of one element.
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
