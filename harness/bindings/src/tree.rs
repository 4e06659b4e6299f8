//! The tree of layouts that reflection shows: types and variables with an amount or an offset for each unit.
//!
//! Offsets are relative to the variable that encloses the one they belong to. Source: Slang user guide, Using the
//! Reflection API.

use std::sync::Arc;

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use layoutproof_source::diagnostics::Diagnostic;

/// How much a type takes where it is used, and where its parts are in it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeLayout {
    /// The type.
    pub ty: Type,
    /// How much of each unit it takes.
    pub usage: Usage,
    /// Alignment of its bytes; 1 where it has none.
    pub alignment: u32,
    /// Its parts.
    pub parts: TypeParts,
}

impl TypeLayout {
    /// Bytes of the pointers and interface values in a Metal argument buffer, which Slang reflects next to its arguments;
    /// `None` for anything else.
    pub fn argument_pointers(&self) -> Option<u32> {
        let has_arguments = self.usage.get(LayoutUnit::MetalArgument) != Count::Finite(0);
        has_arguments.then(|| pointer_bytes(&self.ty))
    }
}

/// Bytes before the value itself: two numbers that say which type it has.
const INTERFACE_HEADER: u32 = 16;

/// Bytes of the pointers and interface values that a type holds, outside of resources.
fn pointer_bytes(ty: &Type) -> u32 {
    match ty {
        Type::Pointer { .. } => 8,
        Type::Interface { any_value_size, .. } => any_value_size.saturating_add(INTERFACE_HEADER),
        Type::Array { element, count: Count::Finite(count) } => pointer_bytes(element).saturating_mul(*count),
        Type::Struct(structure) => {
            let base = structure.base.iter().map(|base| pointer_bytes(&Type::Struct(Arc::clone(base))));
            base.chain(structure.members.iter().map(|member| pointer_bytes(&member.ty))).fold(0, u32::saturating_add)
        }
        Type::Array { count: Count::Unbounded, .. }
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Enum(_)
        | Type::Handle { .. }
        | Type::Resource(_) => 0,
    }
}

/// The parts of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeParts {
    /// Scalars, vectors, matrices, enums, pointers; resources without a layout inside.
    None,
    /// Fields in declaration order; a base struct is the first, named `$base`.
    Fields(Vec<VariableLayout>),
    /// An array.
    Elements {
        /// One element.
        element: Arc<TypeLayout>,
        /// Distance from one element to the next, per unit.
        stride: Usage,
    },
    /// `ConstantBuffer<T>`, `cbuffer`, `TextureBuffer<T>`, `ParameterBlock<T>`.
    Contained {
        /// Units that the buffer or block takes for itself.
        container: Box<VariableLayout>,
        /// Its content.
        element: Box<VariableLayout>,
    },
    /// `StructuredBuffer<T>` and its kin: the layout of one element in memory.
    Memory(Arc<TypeLayout>),
    /// `TriangleStream<T>` and its kin: one output. The type is that of the output.
    Stream(Arc<TypeLayout>),
    /// `InputPatch<T, N>`, `OutputVertices<T, N>` and their kin, which take the locations of one element.
    Patch(Arc<TypeLayout>),
}

/// Where a variable is in what encloses it.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableLayout {
    /// Name; `None` for a result, a container, an element.
    pub name: Option<String>,
    /// Semantic, modifiers, attributes.
    pub annotations: Annotations,
    /// One entry for each unit that it takes, in the order of [`LayoutUnit::ALL`].
    pub offsets: Vec<UnitOffset>,
    /// Its type's layout.
    pub layout: Arc<TypeLayout>,
    /// Where it is declared.
    pub span: Span,
}

/// An offset in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitOffset {
    /// Unit.
    pub unit: LayoutUnit,
    /// Offset in register spaces or sets; 0 for units that have none. A parameter block in a struct repeats its offset
    /// here in unit [`LayoutUnit::Space`], as Slang's reflection does; nothing is added up from that.
    pub space: u32,
    /// Offset in the unit.
    pub offset: u32,
}

/// The whole program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLayout {
    /// Global scope: a struct of the parameters, or a constant buffer with that struct as its element.
    pub globals: VariableLayout,
    /// Entry points in order.
    pub entry_points: Vec<EntryLayout>,
    /// The first register space that nothing takes: for bindless resources. `None` for D3D below shader model 6.6,
    /// which has no bindless resources.
    pub bindless_space: Option<u32>,
    /// Warnings of the compiler.
    pub warnings: Vec<Diagnostic>,
}

/// One entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryLayout {
    /// Name.
    pub name: String,
    /// Stage: `compute`, `vertex`, `fragment`, `raygeneration` ...; empty where neither an attribute nor the profile
    /// says it.
    pub stage: String,
    /// Its attributes.
    pub annotations: Annotations,
    /// The names of its generic parameters.
    pub generics: Vec<String>,
    /// `[numthreads(x, y, z)]`, for compute; 0 where a size is chosen when the program is specialised.
    pub thread_group_size: Option<[u32; 3]>,
    /// Its scope: a struct of its parameters, or a constant buffer with that struct as its element. Offsets of
    /// parameters with a `[[vk::binding]]` of their own do not count from the scope's.
    pub scope: VariableLayout,
    /// Its result.
    pub result: Option<VariableLayout>,
}
