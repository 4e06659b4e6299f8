//! The shape of a random declaration: one block of members, with the structs and enums that they
//! need.
//!
//! Members contain their structs, so removing a member removes its types too. Names are assigned
//! when the text is written.

use layoutproof_layout::LayoutOptions;
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::MatrixOrder;
use strum::{IntoStaticStr, VariantArray};

/// Structs, enums and one block, with the options for compilers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RandomDeclaration {
    /// The order of matrices without a declared one, and whether 16-bit types take 2 bytes.
    pub options: LayoutOptions,
    pub block: BlockForm,
    /// Members of the block. [`BlockForm::StructuredElement`] has one member, which is the element
    /// itself.
    pub content: RandomStruct,
}

/// The form of a block's declaration; the simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BlockForm {
    /// `cbuffer B { ... }`.
    Cbuffer,
    /// `ConstantBuffer<S> B`.
    ConstantBuffer,
    /// `StructuredBuffer<S> B`.
    StructuredBuffer,
    /// `StructuredBuffer<float3> B`, of a scalar, vector or matrix.
    StructuredElement,
    /// `tbuffer B { ... }`.
    Tbuffer,
    /// `[[vk::push_constant]] ConstantBuffer<S> B`.
    PushConstant,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RandomStruct {
    /// Base struct, whose members come first.
    pub base: Option<Box<RandomStruct>>,
    /// Own members, in order.
    pub members: Vec<RandomMember>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RandomMember {
    /// Type without dimensions.
    pub ty: MemberType,
    /// Elements of each array dimension, outermost first; empty if it is not an array.
    pub dimensions: Vec<u32>,
    pub bit_width: Option<u32>,
    pub place: Option<ExplicitOffset>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemberType {
    /// `float`.
    Scalar(Scalar),
    /// `float3`.
    Vector { scalar: Scalar, length: u32 },
    /// `row_major float2x3`.
    Matrix { scalar: Scalar, rows: u32, columns: u32, order: Option<MatrixOrder> },
    /// An enum, with its underlying type if the declaration has one.
    Enum(Option<Scalar>),
    /// Declared before the block, under a name of its own.
    Struct(Box<RandomStruct>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExplicitOffset {
    /// `packoffset(c2.y)`, on members of a `cbuffer` or `tbuffer`.
    PackOffset { register: u32, component: Option<u32> },
    /// `[[vk::offset(32)]]`, in bytes, on members of a struct.
    VkOffset(u32),
}

impl RandomDeclaration {
    /// Counts the block's own members, without nested ones and those of a base.
    pub fn member_count(&self) -> usize {
        self.content.members.len()
    }

    /// Returns the order of a matrix that declares `order`.
    pub fn order(&self, order: Option<MatrixOrder>) -> MatrixOrder {
        order.unwrap_or(self.options.matrix)
    }
}

impl BlockForm {
    /// Returns true if members are declared in the block itself and not in a struct.
    pub fn is_direct(self) -> bool {
        matches!(self, Self::Cbuffer | Self::Tbuffer)
    }

    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl RandomStruct {
    /// Returns true if it has neither members nor a base.
    pub fn is_empty(&self) -> bool {
        self.base.is_none() && self.members.is_empty()
    }

    /// Returns true if it contains only empty structs.
    pub fn holds_nothing(&self) -> bool {
        self.base.as_ref().is_none_or(|base| base.holds_nothing())
            && self.members.iter().all(|member| member.ty.structure().is_some_and(Self::holds_nothing))
    }

    /// Counts the members of the struct and of its bases, without nested ones.
    pub fn width(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.width()) + self.members.len()
    }

    /// Counts scalars, components and cells, including all elements of arrays.
    pub fn leaves(&self) -> u32 {
        let of_type = |ty: &MemberType| match ty {
            MemberType::Scalar(_) | MemberType::Enum(_) => 1,
            MemberType::Vector { length, .. } => *length,
            MemberType::Matrix { rows, columns, .. } => rows * columns,
            MemberType::Struct(structure) => structure.leaves(),
        };
        let of_member = |member: &RandomMember| member.dimensions.iter().product::<u32>() * of_type(&member.ty);
        self.base.as_ref().map_or(0, |base| base.leaves()) + self.members.iter().map(of_member).sum::<u32>()
    }

    /// Calls `visit` with every member, including those of bases and of nested structs.
    pub fn visit(&self, visit: &mut dyn FnMut(&RandomMember)) {
        if let Some(base) = &self.base {
            base.visit(visit);
        }
        for member in &self.members {
            visit(member);
            if let Some(inner) = member.ty.structure() {
                inner.visit(visit);
            }
        }
    }

    /// Calls `visit` with the struct itself, its bases and every nested struct.
    pub fn visit_structs(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        let nested = self.members.iter().filter_map(|member| member.ty.structure());
        self.base.as_deref().into_iter().chain(nested).for_each(|inner| inner.visit_structs(visit));
    }
}

impl RandomMember {
    /// Makes a member without dimensions, width and place.
    pub fn plain(ty: MemberType) -> Self {
        Self { ty, dimensions: Vec::new(), bit_width: None, place: None }
    }

    /// Makes an array of this many elements.
    #[must_use]
    pub fn array(self, count: u32) -> Self {
        Self { dimensions: vec![count], ..self }
    }

    /// Returns true if it has no dimensions, width or place.
    pub fn is_plain(&self) -> bool {
        self.dimensions.is_empty() && self.bit_width.is_none() && self.place.is_none()
    }
}

impl MemberType {
    /// `float`, the target of shrinking.
    pub const FLOAT: Self = Self::Scalar(Scalar::Float32);

    pub fn structure(&self) -> Option<&RandomStruct> {
        if let Self::Struct(structure) = self { Some(structure) } else { None }
    }

    /// Returns the scalar type of a scalar, vector or matrix, or the underlying type that an enum
    /// declares.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector { scalar, .. } | Self::Matrix { scalar, .. } => Some(*scalar),
            Self::Enum(underlying) => *underlying,
            Self::Struct(_) => None,
        }
    }

    /// Returns the bits of an integer that bit-fields and enums may use; `None` for other types.
    pub fn bits(&self) -> Option<u32> {
        let Self::Scalar(scalar) = self else { return None };
        match scalar {
            Scalar::Int16 | Scalar::Uint16 => Some(16),
            Scalar::Int32 | Scalar::Uint32 => Some(32),
            Scalar::Int64 | Scalar::Uint64 => Some(64),
            _ => None,
        }
    }

    /// Returns how many 4-byte components of a register a scalar or vector uses, as packoffset
    /// counts them: one for each value up to 32 bits, two for 64 bits. `None` for types that may
    /// only begin at component x.
    ///
    /// Source: wg-hlsl INF-0003, packoffset; measured with DXC 1.7.2308.
    pub fn packoffset_components(&self) -> Option<u32> {
        let each = |scalar: Scalar| scalar.size(SixteenBit::Off, 4).div_ceil(4);
        match self {
            Self::Scalar(scalar) => Some(each(*scalar)),
            Self::Vector { scalar, length } => Some(each(*scalar) * length),
            Self::Enum(underlying) => Some(each(underlying.unwrap_or(Scalar::Int32))),
            Self::Matrix { .. } | Self::Struct(_) => None,
        }
    }
}
