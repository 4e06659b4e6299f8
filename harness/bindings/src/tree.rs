//! The tree of layouts that reflection shows: types and variables with an amount or an offset in
//! each unit.
//!
//! Each offset is relative to the enclosing variable. Source: Slang user guide, Using the
//! Reflection API.

use std::sync::Arc;

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span, Usage};

use layoutproof_source::diagnostics::Diagnostic;

/// The amount of each unit that a type takes where it is used, and the places of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeLayout {
    pub ty: Type,
    pub usage: Usage,
    /// Alignment in bytes; 1 for a type without bytes.
    pub alignment: u32,
    pub parts: TypeParts,
}

impl TypeLayout {
    /// Returns the bytes of the pointers and interface values in a Metal argument buffer, which
    /// Slang reflects next to its arguments; `None` for anything else.
    pub fn argument_pointers(&self) -> Option<u32> {
        self.takes(LayoutUnit::MetalArgument).then(|| pointer_bytes(&self.ty))
    }

    pub fn takes(&self, unit: LayoutUnit) -> bool {
        self.usage.get(unit) != Count::Finite(0)
    }
}

/// Bytes before the value of an interface: two numbers that identify its type.
const INTERFACE_HEADER: u32 = 16;

/// Returns the bytes of the pointers and interface values in a type, except those inside resources.
fn pointer_bytes(ty: &Type) -> u32 {
    match ty {
        Type::Pointer { .. } => 8,
        Type::Interface { any_value_size, .. } => any_value_size.saturating_add(INTERFACE_HEADER),
        Type::Array { element, count: Count::Finite(count) } => pointer_bytes(element).saturating_mul(*count),
        Type::Struct(structure) => {
            structure.all_members().map(|member| pointer_bytes(&member.ty)).fold(0, u32::saturating_add)
        }
        _ => 0,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeParts {
    /// Scalars, vectors, matrices, enums, pointers; resources without a layout inside.
    None,
    /// Fields in declaration order; a base struct is the first, named `$base`.
    Fields(Vec<VariableLayout>),
    Elements {
        element: Arc<TypeLayout>,
        /// Distance from one element to the next, per unit.
        stride: Usage,
    },
    /// `ConstantBuffer<T>`, `cbuffer`, `TextureBuffer<T>`, `ParameterBlock<T>`.
    Contained {
        /// The units that the buffer or block itself takes.
        container: Box<VariableLayout>,
        element: Box<VariableLayout>,
    },
    /// `StructuredBuffer<T>` and similar types: the layout of one element in memory.
    Memory(Arc<TypeLayout>),
    /// `TriangleStream<T>` and similar types: one output. The type is that of the output.
    Stream(Arc<TypeLayout>),
    /// `InputPatch<T, N>`, `OutputVertices<T, N>` and similar types, which take the locations of
    /// one element.
    Patch(Arc<TypeLayout>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct VariableLayout {
    /// `None` for a result, a container or an element.
    pub name: Option<String>,
    /// Semantic, modifiers, attributes.
    pub annotations: Annotations,
    /// One entry for each unit that the variable takes, in the order of [`LayoutUnit`].
    pub offsets: Vec<UnitOffset>,
    pub layout: Arc<TypeLayout>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitOffset {
    pub unit: LayoutUnit,
    /// Offset in register spaces or sets; 0 for units that have none. Like Slang's reflection, a
    /// parameter block in a struct repeats its offset in unit [`LayoutUnit::Space`] here. Sums do
    /// not include it.
    pub space: u32,
    pub offset: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLayout {
    /// Global scope: a struct of the parameters, or a constant buffer with that struct as its element.
    pub globals: VariableLayout,
    pub entry_points: Vec<EntryLayout>,
    /// The first free register space, for bindless resources. `None` for D3D below shader model
    /// 6.6, which has no bindless resources.
    pub bindless_space: Option<u32>,
    pub warnings: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntryLayout {
    pub name: String,
    /// Stage: `compute`, `vertex`, `fragment`, `raygeneration` ...; empty if neither an attribute
    /// nor the profile names it.
    pub stage: String,
    pub annotations: Annotations,
    pub generics: Vec<String>,
    /// `[numthreads(x, y, z)]`, for compute; 0 where specialisation chooses the size.
    pub thread_group_size: Option<[u32; 3]>,
    /// A struct of the parameters, or a constant buffer with that struct as its element. The offset
    /// of a parameter with its own `[[vk::binding]]` does not count from the scope's offset.
    pub scope: VariableLayout,
    pub result: Option<VariableLayout>,
}
