//! The messages to and from `host.mjs`, in the words of WebGPU, as JSON. Bytes travel as 32-bit words in the order of the
//! machine, on which both sides run.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{
    BufferKind, Draw, ImageKind, ImageView, Job, JobImage, JobSampler, ReadBack, RunnerError, TexelType, word_bytes,
    words_of,
};
use serde::{Deserialize, Serialize};

use crate::access::{StorageTextureAccess, accesses, written_targets};

/// Flags of `GPUShaderStage` and `GPUTextureUsage`.
const VERTEX: u32 = 1;
const FRAGMENT: u32 = 2;
const COMPUTE: u32 = 4;
const COPY_DST: u32 = 2;
const TEXTURE_BINDING: u32 = 4;
const STORAGE_BINDING: u32 = 8;

/// 32-bit words of a target's texel.
const TEXEL_WORDS: usize = 4;

/// A message with its number, which the answer repeats: a page that outlives a worker may still answer the last one's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Numbered<'a> {
    pub number: u32,
    pub message: &'a Message<'a>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Reply {
    /// `None` from a page that is being closed, whatever it was asked.
    pub number: Option<u32>,
    pub answer: Answer,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Message<'a> {
    Open { fallback: bool },
    Run(&'a JobMessage<'a>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    Opened(Opened),
    Ran { words: Vec<u32> },
    Failed(Failed),
}

/// What WebGPU says about a device that was opened.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The browser, or Dawn, with its version.
    pub implementation: String,
    /// `None` if there is no adapter.
    pub adapter: Option<Adapter>,
    #[serde(default)]
    pub features: BTreeSet<String>,
    /// The language features of WGSL.
    #[serde(default)]
    pub language_features: BTreeSet<String>,
}

/// `GPUAdapterInfo`. Browsers leave texts empty that would tell too much about the visitor.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Adapter {
    pub vendor: String,
    pub architecture: String,
    pub device: String,
    pub description: String,
    /// True for software that replaces a GPU.
    #[serde(default, rename = "isFallbackAdapter")]
    pub is_software: bool,
    pub limits: BTreeMap<String, f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Failed {
    kind: FailureKind,
    call: String,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum FailureKind {
    /// The implementation refuses the shader.
    Shader,
    Call,
    Lost,
}

impl From<Failed> for RunnerError {
    fn from(Failed { kind, call, text }: Failed) -> Self {
        match kind {
            FailureKind::Shader => Self::ShaderRefused(text),
            FailureKind::Call => Self::Api { call, reason: text },
            FailureKind::Lost => Self::DeviceLost(text),
        }
    }
}

/// A job, without anything that WebGPU lacks.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobMessage<'a> {
    program: Program<'a>,
    /// The memory of each buffer.
    buffers: Vec<Vec<u32>>,
    /// The entries of each bind group, with `null` for groups that the job leaves out.
    groups: Vec<Option<Vec<GroupEntry<'a>>>>,
    immediates: Vec<u32>,
    inverts_first: bool,
    workgroups: [u32; 3],
}

/// The parts of a job that make its pipeline.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Program<'a> {
    code: &'a str,
    entry_point: &'a str,
    constants: &'a BTreeMap<u32, u32>,
    immediate_size: usize,
    draw: Option<DrawMessage<'a>>,
    layouts: Vec<Option<Vec<LayoutEntry>>>,
}

#[derive(Clone, Debug, Serialize)]
struct DrawMessage<'a> {
    fragment: &'a str,
    /// For each target, whether the stage writes it.
    targets: Vec<bool>,
}

/// `GPUBindGroupLayoutEntry`.
#[derive(Clone, Copy, Debug, Serialize)]
struct LayoutEntry {
    binding: u32,
    visibility: u32,
    #[serde(flatten)]
    layout: BindingLayout,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum BindingLayout {
    Buffer {
        r#type: &'static str,
    },
    #[serde(rename_all = "camelCase")]
    Texture {
        sample_type: &'static str,
        view_dimension: &'static str,
    },
    #[serde(rename_all = "camelCase")]
    StorageTexture {
        access: &'static str,
        format: &'static str,
        view_dimension: &'static str,
    },
    Sampler {
        r#type: &'static str,
    },
}

#[derive(Clone, Debug, Serialize)]
struct GroupEntry<'a> {
    binding: u32,
    resource: Resource<'a>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Resource<'a> {
    /// A range of the buffer with this index.
    Buffer { buffer: usize, offset: u32, size: u32 },
    Image {
        texture: Texture,
        dimension: &'static str,
        /// The texel of each mip level.
        levels: &'a [[u32; 4]],
    },
    #[serde(rename_all = "camelCase")]
    Sampler {
        lod_min_clamp: u32,
        lod_max_clamp: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        compare: Option<&'static str>,
    },
}

/// `GPUTextureDescriptor`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Texture {
    size: [u32; 3],
    mip_level_count: usize,
    dimension: &'static str,
    format: &'static str,
    usage: u32,
}

impl<'a> JobMessage<'a> {
    /// Makes the message for a job whose shader is `wgsl`, with its buffers at these places.
    ///
    /// # Errors
    /// `Unsupported` for what WebGPU lacks, `ShaderRefused` if naga does not read the shader of a job with storage images
    /// or targets.
    pub(crate) fn new(
        job: &'a Job,
        wgsl: &'a str,
        descriptors: &Descriptors,
        placements: &[BufferPlacement],
    ) -> Result<Self, RunnerError> {
        let accesses = accesses(job, wgsl)?;
        let written = written_targets(job, wgsl)?;
        let count = descriptors.sets.last_key_value().map_or(0, |(last, _)| last + 1);
        let (mut layouts, mut groups) = (Vec::new(), Vec::new());
        for set in 0..count {
            let Some(arrays) = descriptors.sets.get(&set) else {
                layouts.push(None);
                groups.push(None);
                continue;
            };
            let (mut layout, mut group) = (Vec::new(), Vec::new());
            for (&binding, array) in arrays {
                let access = match accesses.get(&(set, binding)) {
                    Some(StorageTextureAccess::WriteOnly) => "write-only",
                    Some(StorageTextureAccess::ReadWrite) => "read-write",
                    Some(StorageTextureAccess::ReadOnly) | None => "read-only",
                };
                layout.push(layout_entry(binding, array, access, job.draw.is_some())?);
                group.push(GroupEntry { binding, resource: resource(array, job, placements)? });
            }
            layouts.push(Some(layout));
            groups.push(Some(group));
        }

        let draw = job.draw.as_ref();
        Ok(Self {
            program: Program {
                code: wgsl,
                entry_point: &job.entry,
                constants: &job.constants,
                immediate_size: job.push_constants.len(),
                draw: draw.map(|Draw { fragment, targets, .. }| DrawMessage {
                    fragment,
                    targets: (0..*targets).map(|target| written.contains(&target)).collect(),
                }),
                layouts,
            },
            buffers: job.buffers.iter().zip(placements).map(|(buffer, at)| words_of(&at.image(buffer))).collect(),
            groups,
            immediates: words_of(&job.push_constants),
            inverts_first: job.inverts_push_constants_first,
            workgroups: job.workgroups,
        })
    }
}

/// Splits the words that came back: the targets' texels, then each buffer.
///
/// # Errors
/// `DeviceLost` for another number of words than the job has: the host does not keep to the messages.
pub(crate) fn read_back(job: &Job, placements: &[BufferPlacement], words: &[u32]) -> Result<ReadBack, RunnerError> {
    let targets = job.draw.as_ref().map_or(0, |draw| draw.targets as usize);
    let bytes: usize = placements.iter().map(|placement| placement.total as usize).sum();
    let expected = TEXEL_WORDS * targets + bytes / 4;
    if words.len() != expected {
        return Err(RunnerError::DeviceLost(format!("{} words came back, not {expected}", words.len())));
    }

    let (texels, mut rest) = words.split_at(TEXEL_WORDS * targets);
    let mut buffers = Vec::new();
    for placement in placements {
        let (own, after) = rest.split_at(placement.total as usize / 4);
        rest = after;
        buffers.push(placement.split(&word_bytes(own)));
    }
    let texels = texels.chunks_exact(TEXEL_WORDS).map(|texel| [texel[0], texel[1], texel[2], texel[3]]);
    Ok(ReadBack { buffers, targets: texels.collect(), messages: Vec::new() })
}

fn lacks<T>(what: &str) -> Result<T, RunnerError> {
    Err(RunnerError::Unsupported(what.to_owned()))
}

fn layout_entry(
    binding: u32,
    array: &DescriptorArray,
    access: &'static str,
    draws: bool,
) -> Result<LayoutEntry, RunnerError> {
    if array.length() > 1 {
        return lacks("arrays of images and samplers");
    }
    let (layout, is_written) = match array.ty {
        DescriptorType::Buffer(kind) => match kind {
            BufferKind::Uniform => (BindingLayout::Buffer { r#type: "uniform" }, false),
            BufferKind::StorageRead => (BindingLayout::Buffer { r#type: "read-only-storage" }, false),
            BufferKind::Storage => (BindingLayout::Buffer { r#type: "storage" }, true),
            BufferKind::InlineUniform
            | BufferKind::Address { .. }
            | BufferKind::ShaderRecord
            | BufferKind::HeapUniform
            | BufferKind::HeapStorage
            | BufferKind::Captured => return lacks("buffers of this kind"),
        },
        DescriptorType::Image { kind, view, texel } => match kind {
            ImageKind::Sampled => {
                (BindingLayout::Texture { sample_type: sample_type(texel), view_dimension: dimension(view)? }, false)
            }
            ImageKind::Storage if matches!(view, ImageView::Cube | ImageView::CubeArray) => {
                return lacks("storage images of cubes");
            }
            ImageKind::Storage => {
                let (format, view_dimension) = (format(texel)?, dimension(view)?);
                (BindingLayout::StorageTexture { access, format, view_dimension }, access != "read-only")
            }
            ImageKind::Combined => return lacks("images with samplers of their own"),
            ImageKind::UniformTexels | ImageKind::StorageTexels => return lacks("typed buffers"),
        },
        DescriptorType::Sampler { comparison: true } => (BindingLayout::Sampler { r#type: "comparison" }, false),
        DescriptorType::Sampler { comparison: false } => (BindingLayout::Sampler { r#type: "non-filtering" }, false),
    };
    // The vertex stage must not write.
    let visibility = match (draws, is_written) {
        (false, _) => COMPUTE,
        (true, true) => FRAGMENT,
        (true, false) => VERTEX | FRAGMENT,
    };
    Ok(LayoutEntry { binding, visibility, layout })
}

fn resource<'a>(
    array: &DescriptorArray,
    job: &'a Job,
    placements: &[BufferPlacement],
) -> Result<Resource<'a>, RunnerError> {
    let index = *array.named.first_key_value().expect("a binding names at least one resource").1;
    Ok(match array.ty {
        DescriptorType::Buffer(_) => {
            let BufferPlacement { offset, size, .. } = placements[index];
            Resource::Buffer { buffer: index, offset, size }
        }
        DescriptorType::Image { .. } => {
            let image = &job.images[index];
            Resource::Image { texture: texture(image)?, dimension: dimension(image.view)?, levels: &image.levels }
        }
        DescriptorType::Sampler { .. } => {
            let JobSampler { level, comparison, .. } = job.samplers[index];
            let compare = comparison.then_some("less-equal");
            Resource::Sampler { lod_min_clamp: level, lod_max_clamp: level, compare }
        }
    })
}

fn texture(image: &JobImage) -> Result<Texture, RunnerError> {
    if image.view == ImageView::D1 && image.levels.len() > 1 {
        return lacks("mip levels of one-dimensional images");
    }
    let side = 1 << (image.levels.len() - 1);
    let (dimension, size) = match image.view {
        ImageView::D1 | ImageView::D1Array => ("1d", [side, 1, 1]),
        ImageView::D2 => ("2d", [side, side, 1]),
        ImageView::D2Array => ("2d", [side, side, 2]),
        ImageView::D3 => ("3d", [side; 3]),
        ImageView::Cube => ("2d", [side, side, 6]),
        ImageView::CubeArray => ("2d", [side, side, 12]),
    };
    let binding = if image.kind == ImageKind::Storage { STORAGE_BINDING } else { TEXTURE_BINDING };
    let (mip_level_count, format) = (image.levels.len(), format(image.texel)?);
    Ok(Texture { size, mip_level_count, dimension, format, usage: binding | COPY_DST })
}

fn format(texel: TexelType) -> Result<&'static str, RunnerError> {
    Ok(match texel {
        TexelType::Float => "rgba32float",
        TexelType::Sint => "rgba32sint",
        TexelType::Uint => "rgba32uint",
        // WebGPU, "Depth-stencil formats": copies cannot write to depth32float.
        TexelType::Depth => return lacks("copies to images of depths"),
    })
}

fn sample_type(texel: TexelType) -> &'static str {
    match texel {
        TexelType::Float => "unfilterable-float",
        TexelType::Sint => "sint",
        TexelType::Uint => "uint",
        TexelType::Depth => "depth",
    }
}

fn dimension(view: ImageView) -> Result<&'static str, RunnerError> {
    Ok(match view {
        ImageView::D1 => "1d",
        ImageView::D1Array => return lacks("arrays of one-dimensional images: WGSL has none"),
        ImageView::D2 => "2d",
        ImageView::D2Array => "2d-array",
        ImageView::D3 => "3d",
        ImageView::Cube => "cube",
        ImageView::CubeArray => "cube-array",
    })
}
