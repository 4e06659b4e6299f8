//! The rule set that a compiler implies for each kind of block.
//!
//! A native rule set, such as `native:dxc-spirv`, names a compiler with a target and its layout
//! flag. For each kind of block it names a row of [`mod@super::table`], or `None` if the compiler
//! has no such block.
//!
//! Source: measured with DXC 1.7.2308, FXC 10.0.22621.2428 and Slang 2026.12; for Clang the goal of
//! wg-hlsl, Types with explicit layouts in DXIL and SPIR-V; GLSL 4.60 with `GL_KHR_vulkan_glsl`,
//! Buffer Layout; WGSL.

use std::borrow::Cow;
use std::sync::Arc;

use super::argument_buffer;
use super::rules::RuleSet;
use super::table::find;
use crate::column::{Column, LayoutVariant, ShaderCompiler, ShaderTarget};
use crate::resource::DataLayout;
use crate::{Block, BlockKind, Member, MixedGlobals, Reach, StageData, StructType, Type};

/// The blocks that a compiler makes from push constants of plain data next to other globals.
///
/// Source: measured with DXC 1.7.2308 and slangc 2026.14.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalPushConstants {
    /// Members of `$Globals`, and no push constants.
    Members,
    /// Members of `$Globals`; those after another global are push constants as well.
    MembersAndPushConstants,
    /// Push constants (constant buffers on targets without push constants), and no members of
    /// `$Globals`.
    PushConstants,
}

impl GlobalPushConstants {
    /// True if the compiler makes this block.
    fn has(self, block: MixedGlobals) -> bool {
        use MixedGlobals::{FirstPushConstant, LaterPushConstant, WithPushConstants, WithoutPushConstants};
        match (self, block) {
            (Self::Members | Self::MembersAndPushConstants, WithPushConstants)
            | (Self::MembersAndPushConstants, LaterPushConstant)
            | (Self::PushConstants, WithoutPushConstants | FirstPushConstant | LaterPushConstant) => true,
            (Self::Members, WithoutPushConstants | FirstPushConstant | LaterPushConstant)
            | (Self::MembersAndPushConstants, WithoutPushConstants | FirstPushConstant)
            | (Self::PushConstants, WithPushConstants) => false,
        }
    }
}

/// A compiler, a target and a layout flag, with the rule set for each kind of block. Each rule set
/// is the name of a row in the table.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a compiler that was measured by itself")]
pub struct Native {
    /// Full name, for example `native:dxc-dxil`.
    pub name: &'static str,
    /// The compiler and its flags.
    pub summary: &'static str,
    /// The target, the compiler and its layout option. The version is the first that has these rule
    /// sets, if earlier ones have others.
    pub column: Column<'static>,
    /// Constant buffers: `cbuffer`, `ConstantBuffer<T>`, loose globals.
    pub constants: Option<&'static str>,
    /// Ordinary data of `ParameterBlock<T>`.
    pub parameter_blocks: Option<&'static str>,
    /// `tbuffer`, `TextureBuffer<T>`.
    pub texture_buffers: Option<&'static str>,
    /// Elements of structured buffers.
    pub structured: Option<&'static str>,
    /// Elements that `ByteAddressBuffer.Load<T>` and `Store<T>` access, if the compiler has them.
    pub byte_address: Option<&'static str>,
    /// True if shaders fetch buffers from descriptor heaps.
    pub descriptor_heaps: bool,
    pub push_constants: Option<&'static str>,
    /// The blocks made from push constants of plain data next to other globals.
    pub global_push_constants: GlobalPushConstants,
    pub shader_records: Option<&'static str>,
    pub entry_uniforms: Option<&'static str>,
    pub pointees: Option<&'static str>,
    pub pointer_layouts: PointerLayouts,
    /// Uniform blocks of GLSL and WGSL.
    pub uniform_blocks: Option<&'static str>,
    /// Storage blocks of GLSL and WGSL.
    pub storage_blocks: Option<&'static str>,
    /// Payloads and records of stages.
    pub stage_data: Option<&'static str>,
    /// True if a data layout argument, as in `ConstantBuffer<T, Std430DataLayout>`, selects the
    /// rule set.
    pub data_layouts: bool,
    /// True if `static` members of a cbuffer take space, and each bit-field adds a whole storage
    /// unit to the size of its struct. This is a bug of DXC up to 1.8.
    pub counts_statics_and_bit_fields: bool,
    /// True if specialization constants are no members of `$Globals`. D3D has none: DXC 1.7.2308
    /// ignores `[[vk::constant_id]]` for DXIL, and slangc 2026.14.1 puts them in `$Globals` for HLSL.
    pub specialization_constants: bool,
}

pub fn natives() -> &'static [Native] {
    NATIVES
}

pub fn find_native(name: &str) -> Option<&'static Native> {
    NATIVES.iter().find(|native| native.name == name)
}

impl Native {
    /// The rule sets of a column. If the compiler's rules have changed, those of its version: the
    /// newest row that is not newer.
    pub fn of_column(column: Column<'_>) -> Option<&'static Self> {
        let Column { target, compiler, version, variant } = column;
        let is_of = |native: &&Self| {
            let own = native.column;
            (own.target, own.compiler, own.variant) == (target, compiler, variant)
        };
        let version = version.map(numbers);
        let is_reached = |native: &&Self| match (native.column.version.map(numbers), &version) {
            (None, _) => true,
            (Some(first), Some(version)) => first <= *version,
            (Some(_), None) => false,
        };
        NATIVES.iter().filter(is_of).filter(is_reached).max_by_key(|native| native.column.version.map(numbers))
    }

    /// The rule set for `block`; `None` if the compiler has no such block, or if it is not known
    /// whether it follows a pointer's data layout.
    pub fn rules(&self, block: &Block) -> Option<&'static RuleSet> {
        if block.mixed_globals.is_some_and(|mixed| !self.global_push_constants.has(mixed)) {
            return None;
        }
        match block.reach {
            Reach::RawAccess { .. } => return self.byte_address.and_then(find),
            Reach::DescriptorHeap if !self.descriptor_heaps => return None,
            Reach::Stage(StageData::WorkgroupMemory) => return None,
            Reach::DescriptorHeap | Reach::Parameter | Reach::Pointer(_) | Reach::Stage(_) => {}
        }
        let explicit = block.data_layout.and_then(data_layout_rules);
        let by_layout = match (block.kind, self.pointer_layouts) {
            (BlockKind::Pointee, PointerLayouts::Unknown) if explicit.is_some() => return None,
            (BlockKind::Pointee, PointerLayouts::Ignored) => None,
            (BlockKind::Pointee, _) => explicit,
            _ => explicit.filter(|_| self.data_layouts),
        };
        by_layout.or(self.kind_rules(block.kind)).and_then(find)
    }

    /// The block that the compiler makes of `block`: with handles for the resources of an argument buffer, and without
    /// specialization constants, if those are no data for it; `None` if nothing is left, or slangc's way is not known.
    pub fn block<'b>(&self, block: &'b Block) -> Option<Cow<'b, Block>> {
        if block.kind == BlockKind::ParameterBlock && self.column.target == ShaderTarget::Metal {
            let element = argument_buffer::content(&block.element)?;
            return Some(Cow::Owned(Block { element, ..block.clone() }));
        }
        let Type::Struct(structure) = &block.element else { return Some(Cow::Borrowed(block)) };
        let is_constant = |member: &Member| member.annotations.is_specialization_constant();
        let has_constants = structure.members.iter().any(is_constant);
        if block.kind != BlockKind::Globals || !self.specialization_constants || !has_constants {
            return Some(Cow::Borrowed(block));
        }
        let mut rest = StructType::clone(structure);
        rest.members.retain(|member| !is_constant(member));
        let is_empty = rest.members.is_empty();
        let block = Block { element: Type::Struct(Arc::new(rest)), ..block.clone() };
        (!is_empty).then_some(Cow::Owned(block))
    }

    /// True if `half` always has 2 bytes: slangc has no option for that (2026.14.1, reflection).
    pub fn has_fixed_half(&self) -> bool {
        self.column.compiler == Some(ShaderCompiler::Slang)
    }

    /// The rule set for the elements of `block` in a byte-address buffer; `None` for blocks without
    /// elements and for compilers without such loads.
    pub fn byte_address_rules(&self, block: &Block) -> Option<&'static RuleSet> {
        self.byte_address.filter(|_| block.kind == BlockKind::StructuredElement).and_then(find)
    }

    fn kind_rules(&self, kind: BlockKind) -> Option<&'static str> {
        match kind {
            BlockKind::Cbuffer | BlockKind::ConstantBuffer | BlockKind::Globals => self.constants,
            BlockKind::ParameterBlock => self.parameter_blocks,
            BlockKind::Tbuffer | BlockKind::TextureBuffer => self.texture_buffers,
            BlockKind::StructuredElement => self.structured,
            BlockKind::PushConstant => self.push_constants,
            BlockKind::ShaderRecord => self.shader_records,
            BlockKind::EntryUniforms => self.entry_uniforms,
            BlockKind::Pointee => self.pointees,
            BlockKind::UniformBlock => self.uniform_blocks,
            BlockKind::StorageBlock | BlockKind::Workgroup => self.storage_blocks,
            BlockKind::StageData => self.stage_data,
        }
    }
}

/// The numbers of a version, `[1, 9]` for `1.9`; empty for a word, such as `old`.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

fn data_layout_rules(layout: DataLayout) -> Option<&'static str> {
    match layout {
        DataLayout::Std140DataLayout => Some("std140@slang"),
        DataLayout::Std430DataLayout => Some("std430@slang"),
        DataLayout::ScalarDataLayout => Some("scalar@slang"),
        DataLayout::CDataLayout => Some("c"),
        DataLayout::DefaultDataLayout => None,
    }
}

/// A compiler without any block; the rows start from it.
const NONE: Native = Native {
    name: "",
    summary: "",
    column: Column::of_language(ShaderTarget::Cpu),
    constants: None,
    parameter_blocks: None,
    texture_buffers: None,
    structured: None,
    byte_address: None,
    descriptor_heaps: false,
    push_constants: None,
    global_push_constants: GlobalPushConstants::Members,
    shader_records: None,
    entry_uniforms: None,
    pointees: None,
    pointer_layouts: PointerLayouts::Unknown,
    uniform_blocks: None,
    storage_blocks: None,
    stage_data: None,
    data_layouts: false,
    counts_statics_and_bit_fields: false,
    specialization_constants: false,
};

/// The effect of a pointer's data layout, as in `LayoutPtr<T, Std430DataLayout>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerLayouts {
    Followed,
    /// The pointee has the compiler's usual rules for pointees.
    Ignored,
    /// Not measured.
    Unknown,
}

/// DXC. It has neither parameter blocks nor uniform entry parameters. DXC 1.7.2308 uses the same
/// rules for push constants and shader records under each of its options.
const fn dxc(constants: &'static str, texture_buffers: &'static str, storage: &'static str) -> Native {
    Native {
        constants: Some(constants),
        texture_buffers: Some(texture_buffers),
        structured: Some(storage),
        byte_address: Some(storage),
        descriptor_heaps: true,
        push_constants: Some(storage),
        shader_records: Some(storage),
        ..NONE
    }
}

/// DXC for SPIR-V.
const fn dxc_spirv(constants: &'static str, texture_buffers: &'static str, storage: &'static str) -> Native {
    Native {
        global_push_constants: GlobalPushConstants::MembersAndPushConstants,
        // `vk::BufferPointer`: `LowerTypeVisitor.cpp` of release 1.8.2505 lowers the pointee with
        // the rules of storage buffers.
        pointees: Some(storage),
        counts_statics_and_bit_fields: true,
        specialization_constants: true,
        ..dxc(constants, texture_buffers, storage)
    }
}

/// Slang with one rule set for uniform data and one for structured buffers. Pointees are always
/// scalar, and so are the contents of byte-address buffers except under `-fvk-use-gl-layout`.
///
/// Source: Slang 2026.14.1, the indices of the loads in its SPIR-V, and its HLSL.
const fn slang(constants: &'static str, storage: &'static str) -> Native {
    Native {
        constants: Some(constants),
        parameter_blocks: Some(constants),
        texture_buffers: Some(constants),
        structured: Some(storage),
        byte_address: Some("scalar@slang"),
        push_constants: Some(constants),
        shader_records: Some(constants),
        global_push_constants: GlobalPushConstants::PushConstants,
        entry_uniforms: Some(constants),
        pointees: Some("scalar@slang"),
        specialization_constants: true,
        ..NONE
    }
}

const SLANG_VULKAN: Native = Native {
    name: "native:slang-vulkan",
    summary: "slangc -target spirv",
    column: slang_for(ShaderTarget::Vulkan),
    // Source: the offsets in the SPIR-V of slangc 2026.14.1, with `spvDescriptorHeapEXT` and without.
    descriptor_heaps: true,
    texture_buffers: Some("std430@slang"),
    push_constants: Some("std430@slang"),
    entry_uniforms: Some("std430@slang"),
    data_layouts: true,
    pointer_layouts: PointerLayouts::Followed,
    ..slang("std140@slang", "std430@slang")
};

const DXC_SPIRV: Column<'static> = Column::new(ShaderTarget::Vulkan, ShaderCompiler::Dxc);

const fn slang_for(target: ShaderTarget) -> Column<'static> {
    Column::new(target, ShaderCompiler::Slang)
}

const NATIVES: &[Native] = &[
    Native {
        name: "native:dxc-dxil",
        summary: "dxc",
        column: Column::new(ShaderTarget::D3d12, ShaderCompiler::Dxc),
        // Source: the sizes of payloads, attributes and callable data in the metadata of DXC 1.7.2308, and those of node records
        // with the offset of their grid in that of DXC 1.9.2602.17, with 16-bit types and without.
        stage_data: Some("hlsl-structured"),
        push_constants: Some("hlsl-cbuffer"),
        shader_records: Some("hlsl-cbuffer"),
        ..dxc("hlsl-cbuffer", "hlsl-cbuffer", "hlsl-structured")
    },
    Native {
        name: "native:clang-dxil",
        summary: "clang-dxc",
        column: Column::new(ShaderTarget::D3d12, ShaderCompiler::Clang),
        // Clang 22 has neither methods on byte-address buffers yet nor descriptor heaps.
        byte_address: None,
        descriptor_heaps: false,
        shader_records: Some("hlsl-cbuffer"),
        ..dxc("hlsl-cbuffer", "hlsl-cbuffer", "hlsl-structured")
    },
    Native {
        name: "native:clang-vulkan",
        summary: "clang-dxc -spirv, from 23",
        column: Column::new(ShaderTarget::Vulkan, ShaderCompiler::Clang),
        byte_address: None,
        descriptor_heaps: false,
        // Clang 23.1.4 gives push constants the handle of a constant buffer as content.
        push_constants: None,
        shader_records: None,
        specialization_constants: true,
        ..dxc("hlsl-cbuffer", "hlsl-cbuffer", "hlsl-structured")
    },
    Native {
        name: "native:fxc",
        summary: "fxc, profiles up to 5.1",
        column: Column::new(ShaderTarget::D3d12, ShaderCompiler::Fxc),
        byte_address: None,
        descriptor_heaps: false,
        push_constants: None,
        shader_records: None,
        ..dxc("hlsl-cbuffer", "hlsl-cbuffer", "hlsl-structured")
    },
    Native {
        name: "native:dxc-spirv",
        summary: "dxc -spirv",
        column: DXC_SPIRV,
        // DXC 1.7 places the vectors that a relaxed layout moves at their std430 offsets here.
        byte_address: Some("std430@dxc"),
        ..dxc_spirv("relaxed140", "relaxed430", "relaxed430")
    },
    Native {
        name: "native:dxc-1.9-spirv",
        summary: "dxc -spirv, from 1.9 (differs in byte-address buffers)",
        column: DXC_SPIRV.from_version("1.9"),
        counts_statics_and_bit_fields: false,
        ..dxc_spirv("relaxed140", "relaxed430", "relaxed430")
    },
    Native {
        name: "native:dxc-spirv-dx",
        summary: "dxc -spirv -fvk-use-dx-layout",
        column: DXC_SPIRV.with(LayoutVariant::Dx),
        ..dxc_spirv("dx-cbuffer", "dx-cbuffer", "dx-structured")
    },
    Native {
        name: "native:dxc-spirv-gl",
        summary: "dxc -spirv -fvk-use-gl-layout",
        column: DXC_SPIRV.with(LayoutVariant::Gl),
        ..dxc_spirv("std140@dxc", "std430@dxc", "std430@dxc")
    },
    Native {
        name: "native:dxc-spirv-scalar",
        summary: "dxc -spirv -fvk-use-scalar-layout, up to 1.8",
        column: DXC_SPIRV.with(LayoutVariant::Scalar),
        ..dxc_spirv("scalar@dxc", "scalar@dxc", "scalar@dxc")
    },
    Native {
        name: "native:dxc-1.9-spirv-scalar",
        summary: "dxc -spirv -fvk-use-scalar-layout, from 1.9",
        column: DXC_SPIRV.with(LayoutVariant::Scalar).from_version("1.9"),
        ..dxc_spirv("scalar@dxc-1.9", "scalar@dxc-1.9", "scalar@dxc-1.9")
    },
    Native {
        name: "native:slang-d3d12",
        summary: "slangc -target hlsl or dxil",
        column: slang_for(ShaderTarget::D3d12),
        stage_data: Some("hlsl-structured@slang"),
        descriptor_heaps: true,
        specialization_constants: false,
        ..slang("slang-cbuffer", "hlsl-structured@slang")
    },
    SLANG_VULKAN,
    Native {
        name: "native:slang-vulkan-scalar",
        summary: "slangc -target spirv -fvk-use-scalar-layout",
        column: slang_for(ShaderTarget::Vulkan).with(LayoutVariant::Scalar),
        descriptor_heaps: true,
        data_layouts: true,
        // slangc 2026.14.1; a buffer's data layout does count.
        pointer_layouts: PointerLayouts::Ignored,
        ..slang("scalar@slang", "scalar@slang")
    },
    Native {
        name: "native:slang-vulkan-dx",
        summary: "slangc -target spirv -fvk-use-dx-layout (entry uniforms as in its code, not its reflection)",
        column: slang_for(ShaderTarget::Vulkan).with(LayoutVariant::Dx),
        descriptor_heaps: true,
        entry_uniforms: Some("std430@slang"),
        data_layouts: true,
        pointer_layouts: PointerLayouts::Ignored,
        ..slang("slang-cbuffer", "hlsl-structured@slang")
    },
    Native {
        name: "native:slang-vulkan-c",
        summary: "slangc -target spirv -fvk-use-c-layout",
        column: slang_for(ShaderTarget::Vulkan).with(LayoutVariant::C),
        descriptor_heaps: true,
        pointees: Some("c"),
        data_layouts: true,
        pointer_layouts: PointerLayouts::Ignored,
        ..slang("c", "c")
    },
    Native {
        name: "native:slang-webgpu",
        summary: "slangc -target wgsl",
        column: slang_for(ShaderTarget::Webgpu),
        descriptor_heaps: false,
        entry_uniforms: Some("std140@slang"),
        data_layouts: false,
        pointer_layouts: PointerLayouts::Unknown,
        ..SLANG_VULKAN
    },
    Native {
        name: "native:slang-metal",
        summary: "slangc -target metal; parameter blocks are argument buffers, in which a resource is a handle of 8 bytes",
        column: slang_for(ShaderTarget::Metal),
        ..slang("metal", "c")
    },
    Native {
        name: "native:slang-cuda",
        summary: "slangc -target cuda",
        column: slang_for(ShaderTarget::Cuda),
        specialization_constants: false,
        ..slang("cuda", "cuda")
    },
    Native {
        name: "native:slang-cpu",
        summary: "slangc -target cpp",
        column: slang_for(ShaderTarget::Cpu),
        specialization_constants: false,
        ..slang("c", "c")
    },
    Native {
        name: "native:glsl",
        summary: "Vulkan GLSL without layout qualifiers",
        column: Column::of_language(ShaderTarget::Vulkan),
        uniform_blocks: Some("std140"),
        storage_blocks: Some("std430"),
        push_constants: Some("std430"),
        ..NONE
    },
    Native {
        name: "native:wgsl",
        summary: "WGSL",
        column: Column::of_language(ShaderTarget::Webgpu),
        uniform_blocks: Some("wgsl-uniform"),
        storage_blocks: Some("wgsl-storage"),
        ..NONE
    },
];
