//! A unit of work for a device: a shader, the bound resources, and a dispatch or draw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Feature, RecordStage};

/// A shader in a form that some device accepts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shader {
    /// SPIR-V words.
    Spirv(Vec<u32>),
    Wgsl(String),
    Dxbc(Vec<u8>),
    Dxil(Vec<u8>),
    /// DXIL as its listing: the LLVM assembly that DXC's disassembler prints.
    DxilListing(String),
    /// The IR that Clang generates for Direct3D, as text, before its conversion to DXIL.
    ClangIr(String),
}

impl Shader {
    pub fn form(&self) -> ShaderForm {
        match self {
            Self::Spirv(_) => ShaderForm::Spirv,
            Self::Wgsl(_) => ShaderForm::Wgsl,
            Self::Dxbc(_) => ShaderForm::Dxbc,
            Self::Dxil(_) | Self::DxilListing(_) => ShaderForm::Dxil,
            Self::ClangIr(_) => ShaderForm::ClangIr,
        }
    }
}

/// A form of code that compilers write, and that devices and evaluators take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShaderForm {
    Spirv,
    Wgsl,
    Dxbc,
    /// DXIL, in a container or as its listing.
    Dxil,
    /// The IR of Clang for Direct3D, before its conversion to DXIL.
    ClangIr,
}

impl fmt::Display for ShaderForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spirv => "SPIR-V",
            Self::Wgsl => "WGSL",
            Self::Dxbc => "DXBC",
            Self::Dxil => "DXIL",
            Self::ClangIr => "Clang's IR",
        })
    }
}

/// A dispatch, a draw of one point, or a launch of one ray generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The shader. For a draw whose stages have separate shaders, the one of the vertex stage.
    pub shader: Shader,
    pub entry: String,
    /// Set to draw instead of dispatching.
    pub draw: Option<Draw>,
    /// Set to launch a ray-tracing pipeline instead of dispatching. The entry point is then the one
    /// that generates rays, in the module that [`ReachedStage`] names if there is one.
    pub trace: Option<Trace>,
    /// Buffers. No two share set, binding and element.
    pub buffers: Vec<JobBuffer>,
    /// The device addresses that buffers contain.
    pub links: Vec<AddressLink>,
    pub images: Vec<JobImage>,
    pub samplers: Vec<JobSampler>,
    /// Values of specialization constants, by `SpecId`.
    pub constants: BTreeMap<u32, u32>,
    /// Push-constant bytes, a multiple of 4; empty for none.
    pub push_constants: Vec<u8>,
    /// True to dispatch twice, first with all bits of the push constants inverted. Bytes that the
    /// device does not update then differ, where those of an earlier job could look right. The
    /// output holds what the second dispatch wrote last.
    pub inverts_push_constants_first: bool,
    /// Workgroups in x, y, z; ignored for a draw and for a launch, which has one invocation.
    pub workgroups: [u32; 3],
    pub requires: BTreeSet<Feature>,
    /// The form of the Direct3D 12 root signature; ignored by other APIs.
    pub root_signature: RootSignature,
}

impl Job {
    /// One workgroup of `entry` with these buffers and no other resources.
    pub fn compute(shader: Shader, entry: impl Into<String>, buffers: Vec<JobBuffer>) -> Self {
        Self {
            shader,
            entry: entry.into(),
            draw: None,
            trace: None,
            buffers,
            links: Vec::new(),
            images: Vec::new(),
            samplers: Vec::new(),
            constants: BTreeMap::new(),
            push_constants: Vec::new(),
            inverts_push_constants_first: false,
            workgroups: [1, 1, 1],
            requires: BTreeSet::new(),
            root_signature: RootSignature::default(),
        }
    }
}

/// A pointer in a buffer: 8 bytes that hold the device address of another byte of the same buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressLink {
    /// Index of a buffer of the kind [`BufferKind::Address`].
    pub buffer: usize,
    /// Byte of the buffer at which the runner writes the address.
    pub at: u32,
    /// Byte of the buffer whose address it is.
    pub target: u32,
}

impl Job {
    /// Writes the links of a buffer into its bytes, which begin at this device address.
    pub fn write_links(&self, buffer: usize, address: u64, bytes: &mut [u8]) {
        for link in self.links.iter().filter(|link| link.buffer == buffer) {
            if let Some(place) = bytes.get_mut(link.at as usize..).and_then(|rest| rest.get_mut(..8)) {
                place.copy_from_slice(&(address + u64::from(link.target)).to_le_bytes());
            }
        }
    }

    /// Puts the job's own bytes back in place of the links that are unchanged.
    pub fn remove_links(&self, buffer: usize, address: u64, bytes: &mut [u8]) {
        for link in self.links.iter().filter(|link| link.buffer == buffer) {
            let range = link.at as usize..link.at as usize + 8;
            let linked = (address + u64::from(link.target)).to_le_bytes();
            if let (Some(place), Some(own)) = (bytes.get_mut(range.clone()), self.buffers[buffer].bytes.get(range))
                && *place == linked
            {
                place.copy_from_slice(own);
            }
        }
    }
}

/// The form of a Direct3D 12 root signature. Sets become register spaces, and a binding becomes a
/// register of the resource's class: `b` for uniform buffers, `u` for resources that shaders write,
/// `s` for samplers, `t` for all others. An element of an array adds its index to the register.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootSignature {
    /// The binding method for buffers that are not arrays.
    pub parameters: RootParameters,
    /// The ranges of registers. Registers outside of them get a range as long as the job's own
    /// array.
    pub ranges: Vec<RegisterRange>,
}

/// The binding method for buffers that are not arrays. Everything else is bound through descriptor
/// tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootParameters {
    /// By address, as root descriptors, which have no size.
    #[default]
    Descriptors,
    /// As [`Self::Descriptors`], but the root signature itself contains the words of uniform
    /// buffers.
    Constants,
    /// Through descriptor tables.
    Tables,
}

/// Registers that a root signature declares as one range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRange {
    pub class: ResourceClass,
    pub space: u32,
    pub first: u32,
    /// The number of registers; `None` for an unbounded range.
    pub count: Option<u32>,
    /// Stride of structured buffers, in bytes; 0 for other resources.
    pub stride: u32,
}

/// A class of resources in Direct3D, which number their registers separately.
///
/// A layout unit is another idea: it counts every kind of space that a parameter takes, also bytes
/// and Vulkan's bindings. The letter of a `register` in a source is text, and may be none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ResourceClass {
    /// `b`
    ConstantBuffer,
    /// `t`
    ShaderResource,
    /// `u`
    UnorderedAccess,
    /// `s`
    Sampler,
}

impl ResourceClass {
    pub const ALL: [Self; 4] = [Self::ConstantBuffer, Self::ShaderResource, Self::UnorderedAccess, Self::Sampler];

    pub const fn letter(self) -> char {
        match self {
            Self::ConstantBuffer => 'b',
            Self::ShaderResource => 't',
            Self::UnorderedAccess => 'u',
            Self::Sampler => 's',
        }
    }
}

/// The parts of a job that make it a draw: it draws one point into targets of one texel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Entry point of the fragment stage; [`Job::entry`] is the vertex stage's.
    pub fragment: String,
    /// The shader of the fragment stage, if it is separate, as in Direct3D containers, which have
    /// one entry point each. `None` if the job's shader has both stages.
    pub fragment_shader: Option<Shader>,
    /// The number of `rgba32uint` targets, from location 0, cleared to zeros.
    pub targets: u32,
}

/// The parts of a job that make it a launch of a ray-tracing pipeline.
///
/// The shader records of the job are its buffers of the kind [`BufferKind::ShaderRecord`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The stage to which all shader records belong. `None` if the one record belongs to the ray
    /// generation itself.
    pub reached: Option<ReachedStage>,
}

/// A stage that a ray generation reaches through the shader record that it chooses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachedStage {
    pub stage: RecordStage,
    /// Its entry point in [`Job::shader`].
    pub entry: String,
    /// The module of the ray generation, whose entry point is [`Job::entry`].
    pub generation: Shader,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobBuffer {
    /// Descriptor set (WGSL group).
    pub set: u32,
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 without an array. The array ends with its
    /// last named element.
    pub element: u32,
    pub kind: BufferKind,
    /// The bytes of the bound range, a multiple of 4. The descriptor's range is exactly this long.
    pub bytes: Vec<u8>,
    /// Guard bytes after the bound range, in the same memory but out of bounds. A multiple of 4.
    pub after: Vec<u8>,
    /// The 32-bit word that fills the memory before the bound range. The runner binds the range at
    /// an odd multiple of the device's minimum offset alignment (at least one multiple), so that
    /// over-alignment cannot hide a wrong offset.
    pub before_word: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BufferKind {
    Uniform,
    /// Storage buffer that shaders only read.
    StorageRead,
    /// Storage buffer that shaders write.
    Storage,
    /// No descriptor. The runner writes the 64-bit device address of the range, little-endian, at
    /// byte `at` of the push constants, or of every shader record if the job has any. A record that
    /// keeps it comes back with its own bytes there. Set, binding and element are ignored.
    Address {
        /// A multiple of 8.
        at: u32,
        /// The alignment that the shader may assume, a power of two. The address is an odd multiple
        /// of it, or of a word if that is larger, so that a shader that assumes more is wrong here.
        alignment: u32,
    },
    /// No descriptor. The range follows a group handle in a shader record of a [`Trace`], and the
    /// memory before it is the handle. The records of a job are one table, in ascending order of
    /// their elements, as close as the device allows. Set and binding are ignored.
    ShaderRecord,
}

impl BufferKind {
    /// The class of its register. A buffer without a descriptor is writable.
    pub fn class(self) -> ResourceClass {
        match self {
            Self::Uniform => ResourceClass::ConstantBuffer,
            Self::StorageRead => ResourceClass::ShaderResource,
            Self::Storage | Self::Address { .. } | Self::ShaderRecord => ResourceClass::UnorderedAccess,
        }
    }
}

/// An image of a job. Every texel of mip level `n` is `levels[n]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobImage {
    /// Descriptor set (WGSL group).
    pub set: u32,
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 without an array.
    pub element: u32,
    pub kind: ImageKind,
    pub view: ImageView,
    pub texel: TexelType,
    /// The texel of each mip level as four 32-bit words; one level for storage images and typed
    /// buffers. The image has the smallest size for its levels: 2^(levels - 1) texels in each
    /// dimension, and two elements if it is an array.
    pub levels: Vec<[u32; 4]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageKind {
    /// Sampled image (`Texture2D`).
    Sampled,
    /// Storage image (`RWTexture2D`).
    Storage,
    /// Sampled image combined with a sampler (`Sampler2D`); the sampler sees mip level 0.
    Combined,
    /// Typed buffer that shaders only read (`Buffer`).
    UniformTexels,
    /// Typed buffer that shaders write (`RWBuffer`).
    StorageTexels,
}

/// The shape of an image's view. Typed buffers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// `d32float`, which comparison samplers need. The first word is the depth, from 0 to 1; the
    /// others are ignored.
    Depth,
}

/// A sampler of a job. It does not filter and sees only one mip level, so that the value it reads
/// identifies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSampler {
    /// Descriptor set (WGSL group).
    pub set: u32,
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 without an array.
    pub element: u32,
    /// The mip level to which the sampler clamps.
    pub level: u32,
    /// True for a comparison sampler (`SamplerComparisonState`); it uses `less-or-equal`.
    pub comparison: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_and_go() {
        let kind = BufferKind::Address { at: 0, alignment: 8 };
        let (before_word, after) = (0, Vec::new());
        let block = JobBuffer { set: 0, binding: 0, element: 0, kind, bytes: vec![7; 16], after, before_word };
        let links = vec![AddressLink { buffer: 0, at: 4, target: 12 }];
        let job = Job { links, ..Job::compute(Shader::Wgsl(String::new()), "main", vec![block]) };

        let mut bytes = job.buffers[0].bytes.clone();
        job.write_links(0, 0x1_0000_0100, &mut bytes);
        assert_eq!(bytes[4..12], [0x0C, 1, 0, 0, 1, 0, 0, 0]);
        // A shader that changed the address leaves its own bytes there.
        let mut changed = bytes.clone();
        changed[4] = 0;
        job.remove_links(0, 0x1_0000_0100, &mut changed);
        assert_eq!(changed[4..12], [0, 1, 0, 0, 1, 0, 0, 0]);
        job.remove_links(0, 0x1_0000_0100, &mut bytes);
        assert_eq!(bytes, [7; 16]);
    }
}
