//! The words of both formats: what `slangc -reflection-json` and the reflection chapter call units, scalars, shapes.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{MatrixOrder, Type};

use crate::tree::TypeLayout;

/// One thing in the words of each format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitWords {
    /// In `slangc -reflection-json`.
    pub(super) json: &'static str,
    /// In the reflection chapter.
    pub(super) chapter: &'static str,
}

impl UnitWords {
    const fn new(json: &'static str, chapter: &'static str) -> Self {
        Self { json, chapter }
    }
}

/// A unit, and what one of it is.
///
/// Metal's buffer, texture and sampler indices go by the names of D3D's registers in Slang.
pub(super) fn unit(unit: LayoutUnit) -> (UnitWords, &'static str) {
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
        LayoutUnit::RayPayload => ("rayPayload", "RayPayload", "ray payload slots"),
        LayoutUnit::HitAttributes => ("hitAttributes", "HitAttributes", "hit attribute slots"),
        LayoutUnit::CallablePayload => ("callablePayload", "CallablePayload", "callable payload slots"),
        LayoutUnit::InputAttachment => ("inputAttachmentIndex", "InputAttachmentIndex", "subpass input attachments"),
        LayoutUnit::MetalBuffer => ("constantBuffer", "ConstantBuffer", "buffer slots"),
        LayoutUnit::MetalArgument => {
            ("metalArgumentBufferElement", "MetalArgumentBufferElement", "Metal argument buffer elements")
        }
        LayoutUnit::ExistentialType => ("existentialTypeParam", "ExistentialTypeParam", "types of interface values"),
        LayoutUnit::ExistentialObject => ("existentialObjectParam", "ExistentialObjectParam", "interface values"),
    };
    (UnitWords::new(json, chapter), meaning)
}

/// A scalar type. Slang knows no minimum-precision types; they are named by the 16-bit types that hold them.
pub(super) fn scalar(scalar: Scalar) -> UnitWords {
    match scalar {
        Scalar::Bool => UnitWords::new("bool", "Bool"),
        Scalar::Int8 => UnitWords::new("int8", "Int8"),
        Scalar::Uint8 => UnitWords::new("uint8", "UInt8"),
        Scalar::Int16 | Scalar::Min16Int | Scalar::Min12Int => UnitWords::new("int16", "Int16"),
        Scalar::Uint16 | Scalar::Min16Uint => UnitWords::new("uint16", "UInt16"),
        Scalar::Int32 => UnitWords::new("int32", "Int32"),
        Scalar::Uint32 => UnitWords::new("uint32", "UInt32"),
        Scalar::Int64 => UnitWords::new("int64", "Int64"),
        Scalar::Uint64 => UnitWords::new("uint64", "UInt64"),
        Scalar::Float16 | Scalar::Half | Scalar::Min16Float | Scalar::Min10Float => {
            UnitWords::new("float16", "Float16")
        }
        Scalar::Float32 => UnitWords::new("float32", "Float32"),
        Scalar::Float64 => UnitWords::new("float64", "Float64"),
    }
}

/// Read or write access.
pub(super) fn access(access: Access) -> UnitWords {
    match access {
        Access::Read => UnitWords::new("read", "READ"),
        Access::ReadWrite => UnitWords::new("readWrite", "READ_WRITE"),
        Access::Write => UnitWords::new("write", "WRITE"),
        Access::RasterizerOrdered => UnitWords::new("rasterOrdered", "RASTER_ORDERED"),
        Access::Append => UnitWords::new("append", "APPEND"),
        Access::Consume => UnitWords::new("consume", "CONSUME"),
        Access::Feedback => UnitWords::new("feedback", "FEEDBACK"),
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
pub(super) const CONSTANT_BUFFER: UnitWords = UnitWords::new("constantBuffer", "ConstantBuffer");

/// Kind of a type in Slang's classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlangTypeKind {
    /// A type that no resource is in by itself: scalar, vector, matrix, array, struct, enum, pointer.
    Plain,
    /// `ConstantBuffer<T>`, `TextureBuffer<T>` or `ParameterBlock<T>`.
    Container(UnitWords),
    /// A sampler.
    Sampler,
    /// Any other resource.
    Resource(ResourceShape),
}

/// Base shape and access of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResourceShape {
    /// Base shape.
    pub(super) base: UnitWords,
    /// Array of textures.
    pub(super) array: bool,
    /// Several samples per texel.
    pub(super) multisample: bool,
    /// Texture and sampler in one.
    pub(super) combined: bool,
    /// Read or write access.
    pub(super) access: Access,
}

/// The kind of `ty`.
pub(super) fn kind(ty: &Type) -> SlangTypeKind {
    ty.resource().map_or(SlangTypeKind::Plain, resource_kind)
}

fn resource_kind(resource: &Resource) -> SlangTypeKind {
    let buffer = |json, chapter, access| ResourceShape::of(UnitWords::new(json, chapter), access);
    let shape = match resource.kind {
        ResourceKind::ConstantBuffer => return SlangTypeKind::Container(CONSTANT_BUFFER),
        ResourceKind::TextureBuffer => {
            return SlangTypeKind::Container(UnitWords::new("textureBuffer", "TextureBuffer"));
        }
        ResourceKind::ParameterBlock => {
            return SlangTypeKind::Container(UnitWords::new("parameterBlock", "ParameterBlock"));
        }
        ResourceKind::Sampler | ResourceKind::SamplerComparison => return SlangTypeKind::Sampler,
        ResourceKind::StructuredBuffer(access) => buffer("structuredBuffer", "STRUCTURED_BUFFER", access),
        ResourceKind::ByteAddressBuffer(access) => buffer("byteAddressBuffer", "BYTE_ADDRESS_BUFFER", access),
        // Slang 2026.14.1 takes this one for a buffer that is written only.
        ResourceKind::Buffer(Access::RasterizerOrdered) => buffer("textureBuffer", "TEXTURE_BUFFER", Access::Write),
        ResourceKind::Buffer(access) => buffer("textureBuffer", "TEXTURE_BUFFER", access),
        ResourceKind::Texture(texture) => ResourceShape::of_texture(texture),
        ResourceKind::CombinedSampler(texture) => {
            ResourceShape { combined: true, ..ResourceShape::of_texture(texture) }
        }
        ResourceKind::AccelerationStructure => buffer("accelerationStructure", "ACCELERATION_STRUCTURE", Access::Read),
        ResourceKind::SubpassInput { multisample } => {
            ResourceShape { multisample, ..buffer("subpassInput", "TEXTURE_SUBPASS", Access::Read) }
        }
    };
    SlangTypeKind::Resource(shape)
}

/// The kind of a buffer or block of type `ty`. A `cbuffer`, a `tbuffer` and the buffer of loose globals have the type of
/// their own members; what they are is their container's type.
pub(super) fn container_kind(ty: &Type, container: &TypeLayout) -> UnitWords {
    match (kind(ty), kind(&container.ty)) {
        (SlangTypeKind::Container(words), _) | (_, SlangTypeKind::Container(words)) => words,
        (
            SlangTypeKind::Plain | SlangTypeKind::Sampler | SlangTypeKind::Resource(_),
            SlangTypeKind::Plain | SlangTypeKind::Sampler | SlangTypeKind::Resource(_),
        ) => CONSTANT_BUFFER,
    }
}

/// True if a buffer of type `ty` is a struct of its own members, which has no name.
pub(super) fn has_own_members(ty: &Type) -> bool {
    !matches!(ty, Type::Resource(_))
}

/// The type that reading a resource returns; `float4` for a texture without an argument.
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

impl ResourceShape {
    fn of(base: UnitWords, access: Access) -> Self {
        Self { base, array: false, multisample: false, combined: false, access }
    }

    fn of_texture(texture: Texture) -> Self {
        let base = match texture.dimension {
            Dimension::One => UnitWords::new("texture1D", "TEXTURE_1D"),
            Dimension::Two => UnitWords::new("texture2D", "TEXTURE_2D"),
            Dimension::Three => UnitWords::new("texture3D", "TEXTURE_3D"),
            Dimension::Cube => UnitWords::new("textureCube", "TEXTURE_CUBE"),
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
