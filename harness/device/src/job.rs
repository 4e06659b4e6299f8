//! One unit of work for a device: a shader, the resources that are bound, and how it is started.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Feature;

/// A shader in the form in which a device takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shader {
    /// SPIR-V words.
    Spirv(Vec<u32>),
    /// WGSL text.
    Wgsl(String),
    /// DXBC container.
    Dxbc(Vec<u8>),
    /// DXIL container.
    Dxil(Vec<u8>),
    /// DXIL as its listing: the LLVM assembly that DXC's disassembler prints.
    DxilListing(String),
    /// The IR that Clang makes for Direct3D, as text, before DXIL is made of it.
    ClangIr(String),
    /// Metal shading language text.
    Msl(String),
}

/// One dispatch, or one draw of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The shader; of a draw whose stages do not share one, that of the vertex stage.
    pub shader: Shader,
    /// Entry point.
    pub entry: String,
    /// Draws instead of dispatching.
    pub draw: Option<Draw>,
    /// Buffers; no two share set, binding and element.
    pub buffers: Vec<JobBuffer>,
    /// Images.
    pub images: Vec<JobImage>,
    /// Samplers.
    pub samplers: Vec<JobSampler>,
    /// Values of specialization constants, by `SpecId`.
    pub constants: BTreeMap<u32, u32>,
    /// Push-constant bytes, a multiple of 4; empty for none.
    pub push_constants: Vec<u8>,
    /// Workgroups in x, y, z; means nothing for a draw.
    pub workgroups: [u32; 3],
    /// Features that the device must have.
    pub requires: BTreeSet<Feature>,
    /// How Direct3D 12 binds it; means nothing to other APIs.
    pub root_signature: RootSignature,
}

impl Job {
    /// One workgroup of `entry` with these buffers, and nothing else.
    pub fn compute(shader: Shader, entry: impl Into<String>, buffers: Vec<JobBuffer>) -> Self {
        Self {
            shader,
            entry: entry.into(),
            draw: None,
            buffers,
            images: Vec::new(),
            samplers: Vec::new(),
            constants: BTreeMap::new(),
            push_constants: Vec::new(),
            workgroups: [1, 1, 1],
            requires: BTreeSet::new(),
            root_signature: RootSignature::default(),
        }
    }
}

/// The description of a Direct3D 12 root signature. Sets are register spaces there, and a binding is a register of the class
/// that the resource has: `b` for uniform buffers, `u` for what shaders write, `s` for samplers, `t` for all else. An
/// element of an array is that many registers further.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootSignature {
    /// The way to bind buffers that are not arrays.
    pub parameters: RootParameters,
    /// The ranges of registers; what is in none of them has a range as long as the job's own array.
    pub ranges: Vec<RegisterRange>,
}

/// The way in which a root signature binds buffers that are not arrays. Everything else goes through descriptor tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootParameters {
    /// By their addresses, as root descriptors, which have no end.
    #[default]
    Descriptors,
    /// As [`Self::Descriptors`], but the words of uniform buffers stand in the root signature itself.
    Constants,
    /// Through descriptor tables.
    Tables,
}

/// Registers that a root signature declares together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRange {
    /// Their class.
    pub class: RegisterClass,
    /// Register space.
    pub space: u32,
    /// The first one.
    pub first: u32,
    /// Number of registers; `None` for a range without end.
    pub count: Option<u32>,
    /// Bytes of an element, where these are structured buffers; 0 where not.
    pub stride: u32,
}

/// Classes of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RegisterClass {
    /// `b`
    ConstantBuffer,
    /// `t`
    ShaderResource,
    /// `u`
    UnorderedAccess,
    /// `s`
    Sampler,
}

impl RegisterClass {
    /// The letter of its registers.
    pub const fn letter(self) -> char {
        match self {
            Self::ConstantBuffer => 'b',
            Self::ShaderResource => 't',
            Self::UnorderedAccess => 'u',
            Self::Sampler => 's',
        }
    }
}

/// The parts of a job that make it a draw rather than a dispatch: one point is drawn into targets of one texel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Entry point of the fragment stage; [`Job::entry`] is that of the vertex stage.
    pub fragment: String,
    /// The fragment stage's own shader: containers of Direct3D have one entry point. `None` where both stages are in the
    /// job's shader.
    pub fragment_shader: Option<Shader>,
    /// `rgba32uint` targets, from location 0 on, cleared to zeros.
    pub targets: u32,
}

/// A buffer of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobBuffer {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is not an array. The array ends with the last element.
    pub element: u32,
    /// How it is bound.
    pub kind: BufferKind,
    /// The bytes of the bound range, a multiple of 4; the descriptor's range is exactly this long.
    pub bytes: Vec<u8>,
    /// Bytes behind the bound range, in the same memory but out of bounds: guards. A multiple of 4.
    pub after: Vec<u8>,
    /// The 32-bit word that fills the memory before the bound range. The runner binds the range at an odd multiple of
    /// the device's minimum offset alignment (at least one multiple), so that nothing is right by over-alignment.
    pub before_word: u32,
}

/// How a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BufferKind {
    /// Uniform buffer.
    Uniform,
    /// Storage buffer that shaders only read.
    StorageRead,
    /// Storage buffer that shaders write.
    Storage,
    /// No descriptor at all: the 64-bit device address of the range is written, little-endian, at byte `at` of the
    /// push constants. Set, binding and element mean nothing.
    Address {
        /// Byte of the push constants, a multiple of 8.
        at: u32,
    },
}

/// An image of a job. All its texels of mip level `n` are `levels[n]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobImage {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is not an array.
    pub element: u32,
    /// How it is bound.
    pub kind: ImageKind,
    /// View.
    pub view: ImageView,
    /// Type of the components.
    pub texel: TexelType,
    /// The texel of each mip level as four 32-bit words; one level for storage images and typed buffers. The image is
    /// as small as its levels allow: 2^(levels - 1) texels in each of its dimensions, and two elements in an array.
    pub levels: Vec<[u32; 4]>,
}

/// How an image is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageKind {
    /// Sampled image (`Texture2D`).
    Sampled,
    /// Storage image (`RWTexture2D`).
    Storage,
    /// Sampled image with a sampler of its own (`Sampler2D`); the sampler sees mip level 0.
    Combined,
    /// Typed buffer that shaders only read (`Buffer`).
    UniformTexels,
    /// Typed buffer that shaders write (`RWBuffer`).
    StorageTexels,
}

/// The shape of an image's view; typed buffers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each variant is the view of that name")]
pub enum ImageView {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// Type of a texel's 32-bit components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TexelType {
    /// `rgba32float`.
    Float,
    /// `rgba32sint`.
    Sint,
    /// `rgba32uint`.
    Uint,
    /// `d32float`, which samplers that compare need: the first word is the depth, from 0 to 1, the others mean nothing.
    Depth,
}

/// A sampler of a job. It filters nothing and sees one mip level only, so that what it reads tells which sampler it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSampler {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is not an array.
    pub element: u32,
    /// The mip level to which it clamps.
    pub level: u32,
    /// True if it compares (`SamplerComparisonState`), with `less-or-equal`.
    pub comparison: bool,
}
