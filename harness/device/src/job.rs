//! A unit of work for a device: a shader, the bound resources, and a dispatch or draw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

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
    /// Set to draw without a fragment stage instead of dispatching.
    pub geometry: Option<Geometry>,
    /// Buffers. No two share set, binding and element.
    pub buffers: Vec<JobBuffer>,
    /// The device addresses in push constants, shader records and buffers.
    pub addresses: Vec<JobAddress>,
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
    /// Workgroups in x, y, z; ignored for draws and for a launch, which has one invocation.
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
            geometry: None,
            buffers,
            addresses: Vec::new(),
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

/// A device address that a job holds: 8 bytes, little-endian, which the runner writes.
///
/// Bytes of a buffer that still hold the address after the job come back as the job's own bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobAddress {
    pub holder: AddressHolder,
    /// The byte of the holder at which the address starts, a multiple of 8.
    pub at: u32,
    /// Index of the buffer that it points to, of the kind [`BufferKind::Address`].
    pub buffer: usize,
    /// The byte of that buffer that it points to.
    pub target: u32,
}

/// The memory of a job that holds an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AddressHolder {
    PushConstants,
    /// Every shader record.
    ShaderRecords,
    /// The buffer with this index, which is no shader record.
    Buffer(usize),
}

impl JobAddress {
    /// Size of a device address, in bytes.
    pub const BYTES: u32 = 8;

    /// The bytes of the holder that it takes.
    fn range(&self) -> Range<usize> {
        self.at as usize..(self.at + Self::BYTES) as usize
    }

    /// Its bytes, from the device addresses of the buffers.
    fn bytes(&self, address_of: impl Fn(usize) -> u64) -> [u8; Self::BYTES as usize] {
        (address_of(self.buffer) + u64::from(self.target)).to_le_bytes()
    }
}

/// [`Limits::place`](crate::limits::Limits::place) refuses a job with an address outside of its holder, so
/// these functions expect the addresses inside.
impl Job {
    /// Writes the addresses of a holder into its bytes. `address_of` gives the device address of the first byte of a
    /// buffer.
    pub fn write_addresses(&self, holder: AddressHolder, bytes: &mut [u8], address_of: impl Fn(usize) -> u64) {
        for address in self.addresses.iter().filter(|address| address.holder == holder) {
            bytes[address.range()].copy_from_slice(&address.bytes(&address_of));
        }
    }

    /// Writes the addresses of a buffer into its bytes.
    pub fn write_buffer_addresses(&self, buffer: usize, bytes: &mut [u8], address_of: impl Fn(usize) -> u64) {
        self.write_addresses(self.holder(buffer), bytes, address_of);
    }

    /// Puts the job's own bytes of a buffer back in place of the addresses that are unchanged.
    pub fn restore_addresses(&self, buffer: usize, bytes: &mut [u8], address_of: impl Fn(usize) -> u64) {
        let holder = self.holder(buffer);
        for address in self.addresses.iter().filter(|address| address.holder == holder) {
            let place = &mut bytes[address.range()];
            if *place == address.bytes(&address_of) {
                place.copy_from_slice(&self.buffers[buffer].bytes[address.range()]);
            }
        }
    }

    /// The buffer as a holder of addresses.
    fn holder(&self, buffer: usize) -> AddressHolder {
        match self.buffers[buffer].kind {
            BufferKind::ShaderRecord => AddressHolder::ShaderRecords,
            BufferKind::Uniform
            | BufferKind::InlineUniform
            | BufferKind::StorageRead
            | BufferKind::Storage
            | BufferKind::HeapUniform
            | BufferKind::HeapStorage
            | BufferKind::Captured
            | BufferKind::Address { .. } => AddressHolder::Buffer(buffer),
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
    /// The module of the closest-hit stage `main` in the group of an intersection: it gets the attributes of the hit that
    /// the intersection reports.
    pub closest_hit: Option<Shader>,
}

/// The stages of a draw without a fragment stage. Its primitives are discarded, so what these stages write to buffers
/// is all that they leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Geometry {
    /// One point of the vertex stage in [`Job::shader`]. The buffers of the kind [`BufferKind::Captured`] take its outputs.
    Vertex,
    /// One workgroup of a task shader, and the mesh shaders in [`Job::shader`] that it starts.
    Mesh {
        task: Shader,
        /// The entry point of the task shader; [`Job::entry`] is that of the mesh shader.
        task_entry: String,
    },
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
    /// Uniform block whose bytes are in the descriptor set itself. No memory is around them.
    InlineUniform,
    /// Storage buffer that shaders only read.
    StorageRead,
    /// Storage buffer that shaders write.
    Storage,
    /// No descriptor. Shaders reach the range by an address in [`Job::addresses`]. Set, binding and element are
    /// ignored.
    Address {
        /// The alignment that the shader may assume, a power of two. The address is an odd multiple
        /// of it, or of a word if that is larger, so that a shader that assumes more is wrong here.
        alignment: u32,
    },
    /// No descriptor. The range follows a group handle in a shader record of a [`Trace`], and the
    /// memory before it is the handle. The records of a job are one table, in ascending order of
    /// their elements, as close as the device allows. Set and binding are ignored.
    ShaderRecord,
    /// Uniform buffer whose descriptor is in the heap of resources, at the number that is its element. Set and binding
    /// are ignored. A job with such buffers has no other descriptors.
    HeapUniform,
    /// The same for a storage buffer that shaders write.
    HeapStorage,
    /// No descriptor. The buffer takes the outputs of vertices that name its binding as `XfbBuffer`. Set and element are
    /// ignored.
    Captured,
}

impl BufferKind {
    /// The class of its register. A buffer without a descriptor is writable.
    pub fn class(self) -> ResourceClass {
        match self {
            Self::Uniform | Self::InlineUniform | Self::HeapUniform => ResourceClass::ConstantBuffer,
            Self::StorageRead => ResourceClass::ShaderResource,
            Self::Storage | Self::Address { .. } | Self::ShaderRecord | Self::HeapStorage | Self::Captured => {
                ResourceClass::UnorderedAccess
            }
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
    /// The number of the image format in SPIR-V that a user's own module states for a storage image, which the Vulkan
    /// runner alone makes. `None` for the format of `texel`.
    pub format: Option<u32>,
    /// The texel of each mip level as four 32-bit words; one level for typed buffers. The image has the smallest size for
    /// its levels: 2^(levels - 1) texels in each dimension, and two elements if it is an array.
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
    fn addresses_come_and_go() {
        let buffer = |kind| {
            let (before_word, after) = (0, Vec::new());
            JobBuffer { set: 0, binding: 0, element: 0, kind, bytes: vec![7; 16], after, before_word }
        };
        let buffers = vec![buffer(BufferKind::Address { alignment: 8 }), buffer(BufferKind::ShaderRecord)];
        let in_block = JobAddress { holder: AddressHolder::Buffer(0), at: 8, buffer: 0, target: 12 };
        let in_record = JobAddress { holder: AddressHolder::ShaderRecords, at: 0, buffer: 0, target: 0 };
        let addresses = vec![in_block, in_record];
        let job = Job { addresses, ..Job::compute(Shader::Wgsl(String::new()), "main", buffers) };

        let address_of = |buffer: usize| [0x1_0000_0100, 0][buffer];
        for (buffer, at, first) in [(0, 8, 0x0C), (1, 0, 0)] {
            let mut bytes = job.buffers[buffer].bytes.clone();
            job.write_buffer_addresses(buffer, &mut bytes, address_of);
            let mut expected = [7; 16];
            expected[at..at + 8].copy_from_slice(&[first, 1, 0, 0, 1, 0, 0, 0]);
            assert_eq!(bytes, expected);
            // A shader that changed the address leaves its own bytes there.
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            expected[at] ^= 1;
            job.restore_addresses(buffer, &mut changed, address_of);
            assert_eq!(changed, expected);
            job.restore_addresses(buffer, &mut bytes, address_of);
            assert_eq!(bytes, [7; 16]);
        }
        let mut pushed = [7; 16];
        job.write_addresses(AddressHolder::PushConstants, &mut pushed, address_of);
        assert_eq!(pushed, [7; 16]);
    }
}
