//! Blocks of bytes that a rule set lays out as a whole.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

use crate::column::ShaderTarget;
use crate::resource::{Access, DataLayout};
use crate::shape::{Count, Member, StructType, Type};
use crate::{Annotations, Argument, Span};

/// Names a block of its module: in every layout of that block, whatever a listing leaves out or adds. Blocks of a file
/// that states its own offsets are numbered in the order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ViewId(pub u32);

/// The kinds of blocks, under the names that the command line uses.
#[derive(Clone, Copy, Debug, Display, IntoStaticStr, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BlockKind {
    Cbuffer,
    ConstantBuffer,
    Tbuffer,
    TextureBuffer,
    /// Ordinary data of a `ParameterBlock<T>`.
    ParameterBlock,
    StructuredElement,
    PushConstant,
    /// Loose globals.
    Globals,
    /// Slang's `[[vk::shader_record]]`, DXC's `[[vk::shader_record_ext]]`.
    ShaderRecord,
    EntryUniforms,
    Pointee,
    UniformBlock,
    StorageBlock,
    /// A `shared` block of GLSL: workgroup memory with explicit offsets.
    Workgroup,
    /// Data that one stage hands to another, or a host to a node: see [`StageData`].
    StageData,
}

/// The part that a block plays in a source that mixes push constants of plain data
/// (`[[vk::push_constant]] P pc;`) with other globals. Compilers make different blocks from such a
/// source: see [`GlobalPushConstants`](crate::native::GlobalPushConstants).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixedGlobals {
    /// `$Globals` with the push constants among its members.
    WithPushConstants,
    /// `$Globals` without them.
    WithoutPushConstants,
    /// A push constant before all other globals.
    FirstPushConstant,
    /// A push constant after another global.
    LaterPushConstant,
}

/// How a shader gets at the memory of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// Through a parameter of the module or of an entry point.
    #[default]
    Parameter,
    /// Through a pointer; the block is its pointee.
    Pointer(Pointer),
    /// Through a descriptor heap: `ResourceDescriptorHeap[i]`, Slang's `DescriptorHandle<T>`.
    DescriptorHeap,
    /// By loads and stores of a type in a buffer of bytes: `ByteAddressBuffer.Load<T>`.
    RawAccess {
        /// True if the text gives one of their addresses.
        at_constant: bool,
    },
    /// Through a variable of a stage that no descriptor names.
    Stage(StageData),
}

/// Why members of a variable have no place.
pub const NO_OFFSETS: &str = "no offsets (the driver chooses)";

/// Data of a stage that has bytes, although no descriptor names it. An application declares the size of most of it, as in
/// `D3D12_RAYTRACING_SHADER_CONFIG`.
#[derive(Clone, Copy, Debug, IntoStaticStr, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum StageData {
    RayPayload,
    HitAttributes,
    CallableData,
    /// What an amplification or task shader hands to its mesh shaders.
    MeshPayload,
    /// The input or output of a node of a work graph.
    NodeRecord,
    /// `groupshared`, `shared`.
    WorkgroupMemory,
    /// Outputs that a stage writes to a buffer: `xfb_offset`.
    TransformFeedback,
}

/// A pointer whose pointee is a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    pub place: PointerPlace,
    /// The alignment of the address that the source promises, in bytes: `vk::BufferPointer<T, 8>`.
    pub alignment: Option<u32>,
    /// True if no code writes through the pointer: `Ptr<T, Access.Read>`.
    pub is_read_only: bool,
    /// True for `vk::BufferPointer<T>`, whose pointee code names with `Get`.
    pub is_buffer_pointer: bool,
}

/// The place of a pointer whose pointee is a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointerPlace {
    /// A parameter: one of the module, or a uniform one of the block's entry point.
    Parameter { name: String },
    /// A member of another block.
    Member {
        holder: ViewId,
        /// The names of the members on the way from that block to the pointer; none if the pointer is all that the
        /// block holds.
        path: Vec<String>,
    },
    /// A value that code computes: `vk::RawBufferLoad<T>(address)`, `(T*)address`.
    Code,
}

/// A block of bytes that one rule set lays out as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub view: ViewId,
    /// No other block of the module has it. For example `S`, `cb`, `$Globals`, `$Entry.main`, `p.inner`, `S#2`.
    pub name: String,
    /// The name without the number that tells it from earlier blocks: `S` of `S#2`.
    pub declared_name: String,
    pub kind: BlockKind,
    /// The type that the block holds: a struct of its members, or the element of a
    /// `StructuredBuffer<float3>`.
    pub element: Type,
    /// The number of blocks in an array of blocks; 1 for a single block.
    pub count: Count,
    /// The access to the elements of a structured buffer; `None` for other blocks.
    pub access: Option<Access>,
    /// Slang's explicit data layout, as in `ConstantBuffer<T, Std430DataLayout>`.
    pub data_layout: Option<DataLayout>,
    /// The entry point whose parameters hold the block, or the pointer to it, as an index into its module's entry
    /// points; `None` for the module's own parameters.
    pub entry_point: Option<usize>,
    pub reach: Reach,
    /// True for a `cbuffer` or `tbuffer`: code names its members without the block's name.
    pub has_global_members: bool,
    /// Set if the source mixes push constants with other globals. Not every compiler makes this
    /// block.
    pub mixed_globals: Option<MixedGlobals>,
    pub annotations: Annotations,
    /// The declaration; the default span if the block has no source text.
    pub span: Span,
}

impl Block {
    /// A single block without annotations.
    pub fn new(name: impl Into<String>, kind: BlockKind, element: impl Into<Type>) -> Self {
        let name = name.into();
        Self {
            view: ViewId::default(),
            declared_name: name.clone(),
            name,
            kind,
            element: element.into(),
            count: Count::Finite(1),
            access: None,
            data_layout: None,
            entry_point: None,
            reach: Reach::Parameter,
            has_global_members: false,
            mixed_globals: None,
            annotations: Annotations::default(),
            span: Span::default(),
        }
    }

    /// True for the uniform parameters of a ray-tracing stage. On Vulkan they are no push constants:
    /// Slang puts them in the stage's shader record.
    pub fn has_entry_record(&self) -> bool {
        const STAGES: [&str; 6] = ["raygeneration", "intersection", "anyhit", "closesthit", "miss", "callable"];
        let stage = self.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
        let is_ray_stage = matches!(stage, Some(Argument::Text(stage)) if STAGES.contains(&stage.as_str()));
        self.kind == BlockKind::EntryUniforms && is_ray_stage
    }

    /// The pointer to a pointee.
    pub fn pointer(&self) -> Option<&Pointer> {
        self.reach.pointer()
    }

    /// The declaration of the member at `path` (`lights[].position`), or of the block itself if
    /// `path` leads to no member.
    pub fn place_of(&self, path: &str) -> Span {
        self.way_to(path).last().map_or(self.span, |(_, member)| member.span)
    }

    /// The members that lead to `path` (`lights[].position`), each with the struct that has it, the outermost first. A
    /// path of an array of elements may begin with an index: `[1].position`.
    pub fn way_to(&self, path: &str) -> Vec<(&StructType, &Member)> {
        let mut ty = &self.element;
        let mut way = Vec::new();
        for step in path.split('.') {
            let name = step.split('[').next().unwrap_or(step);
            if name.is_empty() {
                continue;
            }
            let Type::Struct(structure) = ty.dimensions().0 else { break };
            let Some(member) = structure.member(name) else { break };
            way.push((&**structure, member));
            ty = &member.ty;
        }
        way
    }

    /// A uniform block of GLSL or WGSL that holds `element`.
    pub fn uniform(name: impl Into<String>, element: impl Into<Type>) -> Self {
        Self::new(name, BlockKind::UniformBlock, element)
    }

    /// A storage block of GLSL or WGSL that holds `element`.
    pub fn storage(name: impl Into<String>, element: impl Into<Type>) -> Self {
        Self::new(name, BlockKind::StorageBlock, element)
    }
}

impl Reach {
    /// True for memory of which only bodies know the type.
    pub fn is_in_code(&self) -> bool {
        match self {
            Self::DescriptorHeap | Self::RawAccess { .. } | Self::Stage(_) => true,
            Self::Parameter => false,
            Self::Pointer(pointer) => pointer.place == PointerPlace::Code,
        }
    }

    /// False for data that never leaves the shaders.
    pub fn is_of_host(&self) -> bool {
        !matches!(self, Self::Stage(data) if !data.is_of_host())
    }

    /// The word in JSON; `None` for parameters.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Parameter => None,
            Self::Pointer(_) => Some("pointer"),
            Self::DescriptorHeap => Some("descriptor-heap"),
            Self::RawAccess { .. } => Some("raw-access"),
            Self::Stage(data) => Some((*data).into()),
        }
    }

    /// The pointer to a pointee.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            Self::Pointer(pointer) => Some(pointer),
            Self::Parameter | Self::DescriptorHeap | Self::RawAccess { .. } | Self::Stage(_) => None,
        }
    }
}

impl StageData {
    /// False for data that never leaves the shaders.
    pub fn is_of_host(self) -> bool {
        match self {
            Self::NodeRecord | Self::TransformFeedback => true,
            Self::RayPayload | Self::HitAttributes | Self::CallableData | Self::MeshPayload | Self::WorkgroupMemory => {
                false
            }
        }
    }

    /// Why a target that has such memory gives its members no offsets; `None` if it has none, or if a rule set lays it out.
    ///
    /// Source: DXC 1.7.2308 takes `groupshared` structs apart; glslang 16.6, DXC and slangc 2026.14.1 write no Offset for
    /// variables of these storage classes.
    pub fn without_offsets(self, target: ShaderTarget) -> Option<&'static str> {
        match (target, self) {
            (ShaderTarget::D3d12 | ShaderTarget::Opengl, Self::WorkgroupMemory)
            | (
                ShaderTarget::Vulkan,
                Self::RayPayload | Self::HitAttributes | Self::CallableData | Self::MeshPayload | Self::WorkgroupMemory,
            ) => Some(NO_OFFSETS),
            (_, Self::WorkgroupMemory) => Some("not modelled"),
            _ => None,
        }
    }
}

impl fmt::Display for StageData {
    /// `ray payload`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word: &str = (*self).into();
        f.write_str(&word.replace('-', " "))
    }
}

impl BlockKind {
    /// True if the source declares the members directly in the block rather than in a struct type.
    pub fn has_direct_members(self) -> bool {
        matches!(self, Self::Cbuffer | Self::Tbuffer | Self::Globals)
    }

    /// True for a buffer of constants: a `cbuffer`, `$Globals`, a uniform block.
    pub fn is_constant(self) -> bool {
        matches!(
            self,
            Self::Cbuffer
                | Self::ConstantBuffer
                | Self::ParameterBlock
                | Self::Globals
                | Self::EntryUniforms
                | Self::UniformBlock
        )
    }

    /// The word for this use of a struct in the name of a host struct: `Light_structured`.
    pub fn use_word(self) -> &'static str {
        match self {
            Self::Cbuffer | Self::ConstantBuffer | Self::ParameterBlock | Self::Globals | Self::EntryUniforms => {
                "cbuffer"
            }
            Self::Tbuffer | Self::TextureBuffer => "tbuffer",
            Self::StructuredElement => "structured",
            Self::PushConstant => "push",
            Self::ShaderRecord => "record",
            Self::Pointee => "pointee",
            Self::UniformBlock => "uniform",
            Self::StorageBlock => "storage",
            Self::Workgroup => "workgroup",
            Self::StageData => "stage",
        }
    }

    /// The name on the command line and in cases.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
