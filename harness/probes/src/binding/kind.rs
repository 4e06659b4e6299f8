//! Maps a declared type to its kind of descriptor and its view.
//!
//! For a type that the probe cannot read, it returns the reason.
//!
//! Source: Vulkan specification, "Shader Resource Interface".

use layoutproof_device::{ImageKind, ImageView, TexelType};
use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;
use thiserror::Error;

/// The kind of resource or variable at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoundKind {
    /// A uniform block.
    Uniform,
    /// A storage block.
    Storage {
        /// True if shaders write to it.
        writable: bool,
    },
    /// An image, with or without a built-in sampler, or a typed buffer.
    Image {
        /// The kind of descriptor.
        kind: ImageKind,
        /// The view; [`ImageView::D1`] for typed buffers, where it has no meaning.
        view: ImageView,
        /// The type of the components.
        texel: TexelType,
    },
    Sampler {
        /// True if it compares with a depth.
        comparison: bool,
    },
    /// A push-constant block.
    PushConstants,
    /// A specialization constant.
    Constant,
    /// A value that the vertex stage passes to the fragment stage.
    Varying,
    /// A value that the fragment stage writes to a render target.
    Target,
}

/// Why the probe cannot read a resource; fits after "not probed: ".
#[derive(Clone, Debug, PartialEq, Error)]
pub(super) enum NotReadable {
    #[error("{0}")]
    Kind(&'static str),
    #[error("texels of type {0}")]
    Texels(Type),
}

impl From<&'static str> for NotReadable {
    fn from(kind: &'static str) -> Self {
        Self::Kind(kind)
    }
}

/// Returns the kind that a resource of this type has in SPIR-V. A texture buffer is a storage
/// block, as in the output of DXC 1.7.2308 and Slang 2026.14.1.
///
/// # Errors
///
/// The reason why the probe cannot read it.
pub(super) fn of_resource(resource: &Resource) -> Result<BoundKind, NotReadable> {
    let image = |kind, view| {
        let texel = texel(resource.element.as_deref())?;
        Ok(BoundKind::Image { kind, view, texel })
    };

    match resource.kind {
        ResourceKind::ConstantBuffer | ResourceKind::ParameterBlock => Ok(BoundKind::Uniform),
        ResourceKind::TextureBuffer => Ok(BoundKind::Storage { writable: false }),
        ResourceKind::StructuredBuffer(access) | ResourceKind::ByteAddressBuffer(access) => {
            Ok(BoundKind::Storage { writable: is_writable(access) })
        }
        ResourceKind::Buffer(access) if is_writable(access) => image(ImageKind::StorageTexels, ImageView::D1),
        ResourceKind::Buffer(_) => image(ImageKind::UniformTexels, ImageView::D1),
        ResourceKind::Texture(texture) => {
            let kind = if is_writable(texture.access) { ImageKind::Storage } else { ImageKind::Sampled };
            image(kind, view(texture)?)
        }
        ResourceKind::CombinedSampler(texture) => image(ImageKind::Combined, view(texture)?),
        ResourceKind::Sampler => Ok(BoundKind::Sampler { comparison: false }),
        ResourceKind::SamplerComparison => Ok(BoundKind::Sampler { comparison: true }),
        ResourceKind::AccelerationStructure => Err("an acceleration structure".into()),
        ResourceKind::SubpassInput { .. } => Err("an input attachment".into()),
    }
}

fn is_writable(access: Access) -> bool {
    access != Access::Read
}

fn view(texture: Texture) -> Result<ImageView, NotReadable> {
    match texture.access {
        Access::Feedback => return Err("a feedback texture".into()),
        Access::Write => return Err("a texture that shaders cannot read".into()),
        Access::Read | Access::ReadWrite | Access::RasterizerOrdered | Access::Append | Access::Consume => {}
    }
    if texture.multisample {
        return Err("a multisampled texture".into());
    }

    Ok(match (texture.dimension, texture.array) {
        (Dimension::One, false) => ImageView::D1,
        (Dimension::One, true) => ImageView::D1Array,
        (Dimension::Two, false) => ImageView::D2,
        (Dimension::Two, true) => ImageView::D2Array,
        (Dimension::Three, _) => ImageView::D3,
        (Dimension::Cube, false) => ImageView::Cube,
        (Dimension::Cube, true) => ImageView::CubeArray,
    })
}

/// Returns the component type of a texel; float if the declaration has none. Narrow types are 32
/// bits wide in a shader.
fn texel(element: Option<&Type>) -> Result<TexelType, NotReadable> {
    let scalar = match element {
        None => Scalar::Float32,
        Some(Type::Scalar(scalar) | Type::Vector { scalar, .. }) => *scalar,
        Some(other) => return Err(NotReadable::Texels(other.clone())),
    };

    match scalar {
        Scalar::Int64 | Scalar::Uint64 | Scalar::Float64 => Err("64-bit texels".into()),
        Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Min16Int | Scalar::Min12Int => Ok(TexelType::Sint),
        Scalar::Bool | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Min16Uint => Ok(TexelType::Uint),
        Scalar::Float16 | Scalar::Half | Scalar::Float32 | Scalar::Min16Float | Scalar::Min10Float => {
            Ok(TexelType::Float)
        }
    }
}
