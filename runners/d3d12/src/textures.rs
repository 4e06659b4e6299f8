//! Textures of a job: makes them, fills each mip level with one texel, and writes their
//! descriptors.

use layoutproof_device::{ImageKind, ImageView, JobImage, RunnerError, TexelType, word_bytes};

use crate::com::ComObject;
use crate::device::Direct3dDevice;
use crate::memory::MappedBuffer;
use crate::placement::TEXEL;
use crate::structures::{COMPONENTS, HeapType, ResourceDesc, TexelFootprint, TextureShaderView, format, state};

/// `D3D12_TEXTURE_DATA_PITCH_ALIGNMENT`.
const PITCH: u32 = 256;

/// `D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT`.
const PLACEMENT: u64 = 512;

/// Elements of an image array.
const ELEMENTS: u16 = 2;

/// Faces of a cube.
const FACES: u16 = 6;

#[derive(Debug)]
pub(crate) struct FilledTexture {
    pub(crate) resource: ComObject,
    pub(crate) staging: MappedBuffer,
    pub(crate) copies: Vec<LevelCopy>,
    pub(crate) state: u32,
    view: ImageView,
    levels: u32,
    format: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelCopy {
    pub(crate) subresource: u32,
    pub(crate) footprint: TexelFootprint,
}

impl FilledTexture {
    /// Makes the textures of a job, in the order of its images; `None` for typed buffers.
    pub(crate) fn of_job(device: &Direct3dDevice, images: &[JobImage]) -> Result<Vec<Option<Self>>, RunnerError> {
        let make = |image: &JobImage| match image.kind {
            ImageKind::Sampled | ImageKind::Storage => Self::new(device, image).map(Some),
            ImageKind::Combined | ImageKind::UniformTexels | ImageKind::StorageTexels => Ok(None),
        };
        images.iter().map(make).collect()
    }

    fn new(device: &Direct3dDevice, image: &JobImage) -> Result<Self, RunnerError> {
        let TexelFormat { format, bytes: texel_bytes } = TexelFormat::of(image.texel);
        let levels = u16::try_from(image.levels.len()).expect("a few levels, which was checked");
        let size = 1_u32 << (levels - 1);
        let (dimension, height, slices, depth) = match image.view {
            ImageView::D1 => (2, 1, 1, 1),
            ImageView::D1Array => (2, 1, ELEMENTS, 1),
            ImageView::D2 => (3, size, 1, 1),
            ImageView::D2Array => (3, size, ELEMENTS, 1),
            ImageView::D3 => (4, size, 1, size),
            ImageView::Cube => (3, size, FACES, 1),
            ImageView::CubeArray => (3, size, FACES * ELEMENTS, 1),
        };

        let is_written = image.kind == ImageKind::Storage;
        let desc = ResourceDesc {
            dimension,
            alignment: 0,
            width: u64::from(size),
            height,
            depth: if depth > 1 { u16::try_from(depth).expect("a few texels") } else { slices },
            levels,
            format,
            samples: 1,
            quality: 0,
            layout: 0,
            flags: if is_written { 4 } else { 0 },
        };
        let resource = device.resource(HeapType::Default, &desc, state::COPY_DEST)?;

        let footprints = (0..u32::from(levels)).map(|level| {
            let least = |size: u32| (size >> level).max(1);
            TexelFootprint {
                offset: 0,
                format,
                width: least(size),
                height: least(height),
                depth: least(depth),
                pitch: (least(size) * texel_bytes).next_multiple_of(PITCH),
            }
        });
        let mut end = 0_u64;
        let placed: Vec<TexelFootprint> = footprints
            .map(|footprint| {
                let offset = end.next_multiple_of(PLACEMENT);
                end = offset + footprint.bytes();
                TexelFootprint { offset, ..footprint }
            })
            .collect();

        let mut staging = MappedBuffer::new(device, HeapType::Upload, end)?;
        for (footprint, texel) in placed.iter().zip(&image.levels) {
            let mut texel = word_bytes(texel);
            texel.truncate(texel_bytes as usize);
            let count = usize::try_from(footprint.bytes()).expect("a small texture") / texel.len();
            staging.write(footprint.offset, &texel.repeat(count));
        }

        let copies = (0..u32::from(slices)).flat_map(|slice| {
            (0..).zip(&placed).map(move |(level, footprint)| LevelCopy {
                subresource: level + slice * u32::from(levels),
                footprint: *footprint,
            })
        });
        let copies = copies.collect();
        let state = if is_written { state::UNORDERED_ACCESS } else { state::SHADER_RESOURCE };
        Ok(Self { resource, staging, copies, state, view: image.view, levels: levels.into(), format })
    }

    /// The view of a cube; the default view would be another one.
    pub(crate) fn cube_view(&self) -> Option<TextureShaderView> {
        let (dimension, words) = match self.view {
            ImageView::Cube => (9, [0, self.levels, 0, 0, 0, 0]),
            ImageView::CubeArray => (10, [0, self.levels, 0, ELEMENTS.into(), 0, 0]),
            ImageView::D1 | ImageView::D1Array | ImageView::D2 | ImageView::D2Array | ImageView::D3 => return None,
        };
        Some(TextureShaderView { format: self.format, dimension, components: COMPONENTS, reserved: 0, words })
    }
}

/// The format of texels, and the bytes per texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TexelFormat {
    pub(crate) format: u32,
    pub(crate) bytes: u32,
}

impl TexelFormat {
    /// The format with four components. A depth has one component, in a format that every device
    /// can also compare.
    pub(crate) fn of(texel: TexelType) -> Self {
        let (format, bytes) = match texel {
            TexelType::Float => (format::R32G32B32A32_FLOAT, TEXEL),
            TexelType::Sint => (format::R32G32B32A32_SINT, TEXEL),
            TexelType::Uint => (format::R32G32B32A32_UINT, TEXEL),
            TexelType::Depth => (format::R32_FLOAT, TEXEL / 4),
        };
        Self { format, bytes }
    }
}
