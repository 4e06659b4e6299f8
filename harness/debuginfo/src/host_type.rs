//! One type of the host program as its compiler laid it out: what every reader of this crate produces.
//!
//! Types refer to each other by [`HostTypeId`], an index into [`crate::HostTypes`]. A type refers only to types that are
//! part of its own bytes: what a pointer points to is a name, so a walk over a type always ends.
//! All sizes, offsets, strides and alignments are bytes unless a name says bits.

use crate::{DeclarationPlace, HostLayoutId, HostRecord, HostScalar, HostTypeId, RecordKind};

/// One type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostType {
    /// Name with its namespaces and template arguments, as in `engine::Pair<float, 3>`; empty for an unnamed type.
    pub name: String,
    /// What it is made of.
    pub shape: HostShape,
    /// Size in bytes; `None` if the debug information gives none, as for incomplete types and flexible arrays.
    pub size: Option<u32>,
    /// Alignment in bytes, if the debug information states it: compilers do so only for `alignas` and the like.
    pub alignment: Option<u32>,
    /// Where it was declared.
    pub place: Option<DeclarationPlace>,
    /// Its layout, for comparing two types.
    pub layout: HostLayoutId,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostShape {
    /// A struct, class or union.
    Record(HostRecord),
    /// A number, truth value or character.
    Scalar(HostScalar),
    /// An enumeration; its size is that of the integer that holds it.
    Enum {
        /// True if the integer that holds it is signed; `None` if the debug information does not say.
        signed: Option<bool>,
    },
    /// A pointer, reference or pointer to member.
    Pointer {
        /// Name of what it points to; empty if that has no name.
        target: String,
    },
    /// An array.
    Array(HostArray),
    /// A vector of the compiler (`__attribute__((vector_size))`, `ext_vector_type`, `__m128`).
    Vector {
        /// Type of one component.
        component: HostTypeId,
        /// Number of components.
        count: u32,
    },
    /// A `typedef` or `using`: another name for a type.
    Alias(HostTypeId),
    /// A declaration whose definition is in none of the units that were read. It has no size.
    Incomplete(RecordKind),
    /// Exists in the debug information, but is not described further, such as a function or `void`.
    Opaque {
        /// What the debug information says about it, for messages.
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

/// Number of elements in one dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementCount {
    /// As many as this.
    Finite(u32),
    /// Not stated: a flexible array member, `extern float a[]` or a variable length.
    Unstated,
}
