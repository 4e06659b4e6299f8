//! The shapes of declared types: vectors, matrices, arrays, structs, enums, pointers, resources.
//!
//! Types here are resolved (typedefs followed, generics specialised, constants evaluated) but not laid out.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::resource::{DataLayout, ResourceKind};
use crate::scalar::Scalar;
use crate::{Annotations, Span};

/// The order of a matrix in memory, in HLSL's sense: `Row` is `row_major`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixOrder {
    /// Rows are contiguous.
    Row,
    /// Columns are contiguous; DXC's default.
    #[default]
    Column,
}

impl MatrixOrder {
    /// The order that the modifier `row_major` or `column_major` declares.
    pub fn of_modifier(word: &str) -> Option<Self> {
        match word {
            "row_major" => Some(Self::Row),
            "column_major" => Some(Self::Column),
            _ => None,
        }
    }

    /// The word for the contiguous vectors: `row` or `column`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
        }
    }

    /// The order of the transposed matrix over the same bytes.
    #[must_use]
    pub fn transposed(self) -> Self {
        match self {
            Self::Row => Self::Column,
            Self::Column => Self::Row,
        }
    }

    /// The number of contiguous vectors of a matrix, and the components in each.
    pub fn vectors_and_length<T>(self, rows: T, columns: T) -> (T, T) {
        match self {
            Self::Row => (rows, columns),
            Self::Column => (columns, rows),
        }
    }

    /// The contiguous vector that holds a component, and the component's place in that vector.
    pub fn vector_and_element<T>(self, row: T, column: T) -> (T, T) {
        self.vectors_and_length(row, column)
    }

    /// The row and column of a component, from its vector and its place in that vector. The opposite
    /// of [`vector_and_element`](Self::vector_and_element).
    pub fn row_and_column<T>(self, vector: T, element: T) -> (T, T) {
        match self {
            Self::Row => (vector, element),
            Self::Column => (element, vector),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Count {
    Finite(u32),
    /// `[]`: as many as the resource has room for.
    Unbounded,
}

impl Count {
    /// Multiplies two counts. A product beyond 2^32 saturates.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Finite(one), Self::Finite(other)) => Self::Finite(one.saturating_mul(other)),
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
        }
    }
}

/// What a pointer's type says about the memory that it points to, besides the pointee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointerPromise {
    /// Slang's data layout of the pointee: `Ptr<T, Access.Read, AddressSpace.Device, CDataLayout>`.
    pub data_layout: Option<DataLayout>,
    /// Alignment of the address, in bytes: `vk::BufferPointer<T, 8>`.
    pub alignment: Option<u32>,
    /// True if no code writes through it: `Ptr<T, Access.Read>`.
    pub is_read_only: bool,
    /// True for `vk::BufferPointer<T>`, whose pointee code names with `Get`.
    pub is_buffer_pointer: bool,
}

/// The most components of an ordinary vector. Longer ones are HLSL's long vectors, which have up to
/// [`LONGEST_VECTOR`].
pub const LONGEST_SHORT_VECTOR: u32 = 4;

/// The most components of a long vector of shader model 6.9.
pub const LONGEST_VECTOR: u32 = 1024;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A number or a `bool`.
    Scalar(Scalar),
    /// `float1` is a vector of one component.
    Vector {
        scalar: Scalar,
        /// Number of components, 1 to 4; up to [`LONGEST_VECTOR`] for a long vector.
        length: u32,
    },
    /// 1 to 4 rows (the first number in `float2x3`) and columns. `order` is the declared one.
    Matrix { scalar: Scalar, rows: u32, columns: u32, order: Option<MatrixOrder> },
    /// One array dimension; `float a[2][3]` is an array of 2 arrays of 3.
    Array { element: Box<Type>, count: Count },
    /// Shared by all its uses, so its address identifies it.
    Struct(Arc<StructType>),
    /// It has the bytes of its underlying integer, unless a rule set stores it otherwise. Slang's `Atomic<T>` is one, too:
    /// a scalar with a name of its own, and with the bytes of `T` under every rule set.
    Enum(Arc<EnumType>),
    /// A pointer. The pointee may be the struct that holds the pointer, so this keeps only its
    /// spelling.
    Pointer { pointee: String, promise: PointerPromise },
    /// A texture, sampler, buffer or other resource; it takes no bytes.
    Resource(Resource),
    /// Slang's `DescriptorHandle<T>`: the number of a descriptor, which is data.
    Handle { resource: Box<Resource> },
    /// A value of a Slang interface, whose concrete type is known only at run time: two 8-byte
    /// numbers that identify the type, followed by room for the value.
    Interface {
        /// Qualified name.
        name: String,
        /// Bytes reserved for the value: `N` of `[anyValueSize(N)]`, or [`DEFAULT_ANY_VALUE_SIZE`].
        any_value_size: u32,
    },
}

/// Bytes reserved for the value of an interface without `[anyValueSize(N)]`, as in the reflection
/// of slangc 2026.14.1. Its code instead reserves room for the largest type that is linked in.
pub const DEFAULT_ANY_VALUE_SIZE: u32 = 16;

/// What code calls the members of Slang's `Optional<T>` (slangc 2026.14.1, whose reflection calls it a tuple).
pub const OPTIONAL_MEMBERS: [&str; 2] = ["value", "hasValue"];

/// A struct type without its static members, which take no space.
#[derive(Clone, Debug, PartialEq)]
pub struct StructType {
    /// Qualified name (`N::S`, `Pair<float>`); empty for an anonymous struct.
    pub name: String,
    /// Base struct, laid out before the members.
    pub base: Option<Arc<StructType>>,
    pub members: Vec<Member>,
    /// The declaration; the default span if the struct has no source text.
    pub span: Span,
    /// True for a generic parameter of an entry point, in whose place a type stands when the program is specialised: no
    /// members, and no bytes, as slangc reflects it.
    pub is_open: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Name; empty for an unnamed bit-field.
    pub name: String,
    pub ty: Type,
    pub bit_width: Option<u32>,
    /// `packoffset`, `register`, `[[vk::offset]]` and other annotations.
    pub annotations: Annotations,
    /// The declaration; the default span if the member has no source text.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// Qualified name, or `Atomic<uint>`.
    pub name: String,
    /// The declared underlying type, or `int`.
    pub underlying: Scalar,
}

impl EnumType {
    /// Slang's `Atomic<T>` of a scalar.
    pub fn atomic(scalar: Scalar) -> Self {
        Self { name: format!("{ATOMIC}{}>", scalar.spelling()), underlying: scalar }
    }

    /// True for Slang's `Atomic<T>`. No enum has such a name.
    pub fn is_atomic(&self) -> bool {
        self.name.starts_with(ATOMIC)
    }
}

/// The start of the spelling of Slang's `Atomic<T>`.
pub const ATOMIC: &str = "Atomic<";

#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    pub kind: ResourceKind,
    /// `T` of `ConstantBuffer<T>`, `StructuredBuffer<T>`, `Texture2D<T>`; `None` if the source
    /// gives none.
    pub element: Option<Box<Type>>,
    /// Second type argument of a Slang buffer (`ConstantBuffer<T, Std430DataLayout>`).
    pub data_layout: Option<DataLayout>,
}

impl fmt::Display for Type {
    /// HLSL spelling, outermost dimension first, without the matrix order: `float`, `float3`,
    /// `float2x3[4]`, `N::S[]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar.spelling()),
            Self::Vector { scalar, length } => write_vector(f, *scalar, *length),
            Self::Matrix { scalar, rows, columns, .. } => write!(f, "{}{rows}x{columns}", scalar.spelling()),
            Self::Array { .. } => {
                let (element, counts) = self.dimensions();
                write!(f, "{element}")?;
                counts.iter().try_for_each(|count| write!(f, "[{count}]"))
            }
            Self::Struct(ty) => f.write_str(if ty.name.is_empty() { "struct" } else { &ty.name }),
            Self::Enum(ty) => f.write_str(&ty.name),
            Self::Pointer { pointee, .. } => write!(f, "{pointee}*"),
            Self::Handle { resource } => write!(f, "DescriptorHandle<{resource}>"),
            Self::Interface { name, .. } => f.write_str(name),
            Self::Resource(resource) => write!(f, "{resource}"),
        }
    }
}

fn write_vector(f: &mut fmt::Formatter<'_>, scalar: Scalar, length: u32) -> fmt::Result {
    match length {
        1..=LONGEST_SHORT_VECTOR => write!(f, "{}{length}", scalar.spelling()),
        _ => write!(f, "vector<{}, {length}>", scalar.spelling()),
    }
}

impl fmt::Display for Resource {
    /// HLSL spelling: `StructuredBuffer<S>`, `RWTexture2DArray<float4>`, `SamplerState`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        match (&self.element, self.data_layout) {
            (Some(element), Some(layout)) => write!(f, "<{element}, {layout:?}>"),
            (Some(element), None) => write!(f, "<{element}>"),
            (None, _) => Ok(()),
        }
    }
}

impl fmt::Display for Count {
    /// The number; nothing for unbounded, as between the brackets of a declaration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(count) => write!(f, "{count}"),
            Self::Unbounded => Ok(()),
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl From<StructType> for Type {
    fn from(structure: StructType) -> Self {
        Self::Struct(Arc::new(structure))
    }
}

impl Type {
    /// True for a vector of more components than an ordinary one can have.
    pub fn is_long_vector(&self) -> bool {
        matches!(self, Self::Vector { length, .. } if *length > LONGEST_SHORT_VECTOR)
    }

    /// True if the type is or contains a matrix.
    pub fn has_matrix(&self) -> bool {
        match self.dimensions().0 {
            Self::Matrix { .. } => true,
            Self::Struct(structure) => {
                let inherited = structure.base.as_ref().is_some_and(|base| Self::Struct(Arc::clone(base)).has_matrix());
                inherited || structure.members.iter().any(|member| member.ty.has_matrix())
            }
            _ => false,
        }
    }

    /// The spellings of the types to which pointers in this one point, in declaration order.
    pub fn pointees(&self) -> Vec<&str> {
        match self.dimensions().0 {
            Self::Pointer { pointee, .. } => vec![pointee],
            Self::Struct(structure) => structure.all_members().flat_map(|member| member.ty.pointees()).collect(),
            _ => Vec::new(),
        }
    }

    /// A pointer that promises nothing.
    pub fn pointer(pointee: String) -> Self {
        Self::Pointer { pointee, promise: PointerPromise::default() }
    }

    /// The pointer with this promise; other types unchanged.
    #[must_use]
    pub fn promising(self, promise: PointerPromise) -> Self {
        match self {
            Self::Pointer { pointee, .. } => Self::Pointer { pointee, promise },
            other => other,
        }
    }

    /// A vector of `length` components, 1 to 4: `float3` is `Type::vector(Scalar::Float32, 3)`.
    pub fn vector(scalar: Scalar, length: u32) -> Self {
        Self::Vector { scalar, length }
    }

    /// A matrix in the order that [`LayoutOptions::matrix`](crate::LayoutOptions::matrix) selects.
    /// `rows` and `columns` are 1 to 4, and `float2x3` has 2 rows.
    pub fn matrix(scalar: Scalar, rows: u32, columns: u32) -> Self {
        Self::Matrix { scalar, rows, columns, order: None }
    }

    pub fn array(element: impl Into<Self>, count: u32) -> Self {
        Self::Array { element: Box::new(element.into()), count: Count::Finite(count) }
    }

    /// The innermost non-array type, and the array counts, outermost first (empty for a non-array).
    pub fn dimensions(&self) -> (&Type, Vec<Count>) {
        let mut counts = Vec::new();
        let mut ty = self;
        while let Self::Array { element, count } = ty {
            counts.push(*count);
            ty = element;
        }
        (ty, counts)
    }

    /// True for a scalar, a vector or a matrix of a minimum-precision type.
    pub fn is_minimum_precision(&self) -> bool {
        match self {
            Self::Scalar(scalar) | Self::Vector { scalar, .. } | Self::Matrix { scalar, .. } => {
                scalar.is_minimum_precision()
            }
            _ => false,
        }
    }

    /// The resource, if this type is one; `None` for an array of resources.
    pub fn resource(&self) -> Option<&Resource> {
        match self {
            Self::Resource(resource) => Some(resource),
            _ => None,
        }
    }

    /// True if this type is or holds a resource for which `is_wanted` returns true. Elements of
    /// resources do not count.
    pub fn holds(&self, is_wanted: &dyn Fn(&Resource) -> bool) -> bool {
        match self.dimensions().0 {
            Self::Resource(resource) => is_wanted(resource),
            Self::Struct(structure) => structure.holds(is_wanted),
            _ => false,
        }
    }
}

impl Member {
    /// A member without annotations that is not a bit-field.
    pub fn new(name: impl Into<String>, ty: impl Into<Type>) -> Self {
        Self {
            name: name.into(),
            ty: ty.into(),
            bit_width: None,
            annotations: Annotations::default(),
            span: Span::default(),
        }
    }
}

impl StructType {
    /// A struct without a base. The members are in declaration order.
    pub fn new(name: impl Into<String>, members: impl IntoIterator<Item = Member>) -> Self {
        Self {
            name: name.into(),
            base: None,
            members: members.into_iter().collect(),
            span: Span::default(),
            is_open: false,
        }
    }

    /// The members of the bases, those of the outermost base first, and then its own.
    pub fn all_members(&self) -> impl Iterator<Item = &Member> {
        let mut owners: Vec<&Self> = std::iter::successors(Some(self), |owner| owner.base.as_deref()).collect();
        owners.reverse();
        owners.into_iter().flat_map(|owner| &owner.members)
    }

    /// The member `name` of this struct or its bases.
    pub fn member(&self, name: &str) -> Option<&Member> {
        let own = self.members.iter().find(|member| member.name == name);
        own.or_else(|| self.base.as_deref()?.member(name))
    }

    /// True for Slang's `Optional<T>`.
    pub fn is_optional(&self) -> bool {
        self.name.starts_with("Optional<")
            && self.members.iter().map(|member| member.name.as_str()).eq(OPTIONAL_MEMBERS)
    }

    /// True if a member of this struct or its bases is or holds a resource for which `is_wanted`
    /// returns true.
    pub fn holds(&self, is_wanted: &dyn Fn(&Resource) -> bool) -> bool {
        self.base.as_deref().is_some_and(|base| base.holds(is_wanted))
            || self.members.iter().any(|member| member.ty.holds(is_wanted))
    }
}
