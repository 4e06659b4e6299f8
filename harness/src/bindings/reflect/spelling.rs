//! The words of both formats: what `slangc -reflection-json` and the reflection chapter call units, scalars, shapes.

use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{MatrixOrder, Type};

use crate::bindings::tree::TypeLayout;
use crate::bindings::unit::LayoutUnit;

/// One thing in the words of each format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// In `slangc -reflection-json`.
    pub(super) json: &'static str,
    /// In the reflection chapter.
    pub(super) chapter: &'static str,
}

impl Words {
    const fn new(json: &'static str, chapter: &'static str) -> Self {
        Self { json, chapter }
    }
}

/// A unit, and what one of it is.
///
/// Metal's buffer, texture and sampler indices go by the names of D3D's registers in Slang.
pub(super) fn unit(unit: LayoutUnit) -> (Words, &'static str) {
    let (json, chapter, meaning) = match unit {
        LayoutUnit::Bytes => ("uniform", "Uniform", "bytes"),
        LayoutUnit::ConstantBuffer => ("constantBuffer", "ConstantBuffer", "constant buffer slots"),
        LayoutUnit::ShaderResource | LayoutUnit::MetalTexture => ("shaderResource", "ShaderResource", "texture slots"),
        LayoutUnit::UnorderedAccess => ("unorderedAccess", "UnorderedAccess", "uav slots"),
        LayoutUnit::Sampler | LayoutUnit::MetalSampler => ("samplerState", "SamplerState", "sampler slots"),
        LayoutUnit::Binding => ("descriptorTableSlot", "DescriptorTableSlot", "bindings"),
        LayoutUnit::Space => {
            ("subElementRegisterSpace", "SubElementRegisterSpace", "register spaces / descriptor sets")
        }
        LayoutUnit::PushConstant => ("pushConstantBuffer", "PushConstantBuffer", "push-constant buffers"),
        LayoutUnit::ConstantId => ("specializationConstant", "SpecializationConstant", "specialization constant ids"),
        LayoutUnit::LocationIn => ("varyingInput", "VaryingInput", "varying input slots"),
        LayoutUnit::LocationOut => ("varyingOutput", "VaryingOutput", "varying output slots"),
        LayoutUnit::ShaderRecord => ("shaderRecord", "ShaderRecord", "shader records"),
        LayoutUnit::InputAttachment => ("inputAttachmentIndex", "InputAttachmentIndex", "subpass input attachments"),
        LayoutUnit::MetalBuffer => ("constantBuffer", "ConstantBuffer", "buffer slots"),
        LayoutUnit::MetalArgument => {
            ("metalArgumentBufferElement", "MetalArgumentBufferElement", "Metal argument buffer elements")
        }
    };
    (Words::new(json, chapter), meaning)
}

/// A scalar type. Slang knows no minimum-precision types; they are named by the 16-bit types that hold them.
pub(super) fn scalar(scalar: Scalar) -> Words {
    match scalar {
        Scalar::Bool => Words::new("bool", "Bool"),
        Scalar::Int8 => Words::new("int8", "Int8"),
        Scalar::Uint8 => Words::new("uint8", "UInt8"),
        Scalar::Int16 | Scalar::Min16Int | Scalar::Min12Int => Words::new("int16", "Int16"),
        Scalar::Uint16 | Scalar::Min16Uint => Words::new("uint16", "UInt16"),
        Scalar::Int32 => Words::new("int32", "Int32"),
        Scalar::Uint32 => Words::new("uint32", "UInt32"),
        Scalar::Int64 => Words::new("int64", "Int64"),
        Scalar::Uint64 => Words::new("uint64", "UInt64"),
        Scalar::Float16 | Scalar::Half | Scalar::Min16Float | Scalar::Min10Float => Words::new("float16", "Float16"),
        Scalar::Float32 => Words::new("float32", "Float32"),
        Scalar::Float64 => Words::new("float64", "Float64"),
    }
}

/// Who may write.
pub(super) fn access(access: Access) -> Words {
    match access {
        Access::Read => Words::new("read", "READ"),
        Access::ReadWrite => Words::new("readWrite", "READ_WRITE"),
        Access::RasterizerOrdered => Words::new("rasterOrdered", "RASTER_ORDERED"),
        Access::Append => Words::new("append", "APPEND"),
        Access::Consume => Words::new("consume", "CONSUME"),
        Access::Feedback => Words::new("feedback", "FEEDBACK"),
    }
}

/// The order of a matrix.
pub(super) fn matrix_order(order: MatrixOrder) -> &'static str {
    match order {
        MatrixOrder::Row => "ROW_MAJOR",
        MatrixOrder::Column => "COLUMN_MAJOR",
    }
}

/// The kind of a `cbuffer`, of the buffer of loose globals, of `ConstantBuffer<T>`.
pub(super) const CONSTANT_BUFFER: Words = Words::new("constantBuffer", "ConstantBuffer");

/// What a type is in Slang's classification of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A type that no resource is in by itself: scalar, vector, matrix, array, struct, enum, pointer.
    Plain,
    /// `ConstantBuffer<T>`, `TextureBuffer<T>` or `ParameterBlock<T>`.
    Container(Words),
    /// A sampler.
    Sampler,
    /// Any other resource.
    Resource(Shape),
}

/// What a resource looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Base shape.
    pub(super) base: Words,
    /// Array of textures.
    pub(super) array: bool,
    /// Several samples per texel.
    pub(super) multisample: bool,
    /// Texture and sampler in one.
    pub(super) combined: bool,
    /// Who may write.
    pub(super) access: Access,
}

/// What `ty` is.
pub(super) fn kind(ty: &Type) -> Kind {
    ty.resource().map_or(Kind::Plain, resource_kind)
}

fn resource_kind(resource: &Resource) -> Kind {
    let buffer = |json, chapter, access| Shape::of(Words::new(json, chapter), access);
    let shape = match resource.kind {
        ResourceKind::ConstantBuffer => return Kind::Container(CONSTANT_BUFFER),
        ResourceKind::TextureBuffer => return Kind::Container(Words::new("textureBuffer", "TextureBuffer")),
        ResourceKind::ParameterBlock => return Kind::Container(Words::new("parameterBlock", "ParameterBlock")),
        ResourceKind::Sampler | ResourceKind::SamplerComparison => return Kind::Sampler,
        ResourceKind::StructuredBuffer(access) => buffer("structuredBuffer", "STRUCTURED_BUFFER", access),
        ResourceKind::ByteAddressBuffer(access) => buffer("byteAddressBuffer", "BYTE_ADDRESS_BUFFER", access),
        ResourceKind::Buffer(access) => buffer("textureBuffer", "TEXTURE_BUFFER", access),
        ResourceKind::Texture(texture) => Shape::of_texture(texture),
        ResourceKind::CombinedSampler(texture) => Shape { combined: true, ..Shape::of_texture(texture) },
        ResourceKind::AccelerationStructure => buffer("accelerationStructure", "ACCELERATION_STRUCTURE", Access::Read),
        ResourceKind::SubpassInput { multisample } => {
            Shape { multisample, ..buffer("subpassInput", "TEXTURE_SUBPASS", Access::Read) }
        }
    };
    Kind::Resource(shape)
}

/// What a buffer or block of type `ty` is. A `cbuffer`, a `tbuffer` and the buffer of loose globals have the type of their
/// own members; what they are is their container's type.
pub(super) fn container_kind(ty: &Type, container: &TypeLayout) -> Words {
    match (kind(ty), kind(&container.ty)) {
        (Kind::Container(words), _) | (_, Kind::Container(words)) => words,
        (Kind::Plain | Kind::Sampler | Kind::Resource(_), Kind::Plain | Kind::Sampler | Kind::Resource(_)) => {
            CONSTANT_BUFFER
        }
    }
}

/// Whether a buffer of type `ty` is a struct of its own members, which has no name.
pub(super) fn has_own_members(ty: &Type) -> bool {
    !matches!(ty, Type::Resource(_))
}

/// What reading a resource gives; a texture without an argument gives `float4`.
pub(super) fn result(resource: &Resource) -> Option<Type> {
    let given = || resource.element.as_deref().cloned();
    match resource.kind {
        ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_) | ResourceKind::SubpassInput { .. } => {
            Some(given().unwrap_or(Type::Vector { scalar: Scalar::Float32, length: 4 }))
        }
        ResourceKind::StructuredBuffer(_) | ResourceKind::Buffer(_) => given(),
        ResourceKind::ConstantBuffer
        | ResourceKind::TextureBuffer
        | ResourceKind::ParameterBlock
        | ResourceKind::ByteAddressBuffer(_)
        | ResourceKind::Sampler
        | ResourceKind::SamplerComparison
        | ResourceKind::AccelerationStructure => None,
    }
}

impl Shape {
    fn of(base: Words, access: Access) -> Self {
        Self { base, array: false, multisample: false, combined: false, access }
    }

    fn of_texture(texture: Texture) -> Self {
        let base = match texture.dimension {
            Dimension::One => Words::new("texture1D", "TEXTURE_1D"),
            Dimension::Two => Words::new("texture2D", "TEXTURE_2D"),
            Dimension::Three => Words::new("texture3D", "TEXTURE_3D"),
            Dimension::Cube => Words::new("textureCube", "TEXTURE_CUBE"),
        };
        Self { array: texture.array, multisample: texture.multisample, ..Self::of(base, texture.access) }
    }
}

/// Name without namespaces and type arguments; `None` for a struct without one.
pub(super) fn simple_name(name: &str) -> Option<&str> {
    let generic = name.split('<').next().unwrap_or(name);
    let simple = generic.rsplit("::").next().unwrap_or(generic);
    (!simple.is_empty()).then_some(simple)
}
