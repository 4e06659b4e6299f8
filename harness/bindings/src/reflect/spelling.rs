//! The words of both formats: the names that `slangc -reflection-json` and the reflection chapter
//! give to units, scalars and shapes.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{MatrixOrder, Type};

use crate::Target;
use crate::tree::TypeLayout;

/// One name in each format.
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

/// Returns the words for a unit, and for what it counts.
///
/// Slang names Metal's buffer, texture and sampler indices after D3D's registers.
pub(super) fn unit(unit: LayoutUnit) -> (UnitWords, &'static str) {
    let (json, chapter, meaning) = match unit {
        // Slang has no reflection of OpenGL's own places.
        LayoutUnit::Bytes | LayoutUnit::AtomicCounterBytes | LayoutUnit::UniformLocation => {
            ("uniform", "Uniform", "bytes")
        }
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
        LayoutUnit::UniformBuffer => ("constantBuffer", "ConstantBuffer", "uniform buffer slots"),
        LayoutUnit::StorageBuffer => ("unorderedAccess", "UnorderedAccess", "storage buffer slots"),
        LayoutUnit::TextureUnit => ("shaderResource", "ShaderResource", "texture units"),
        LayoutUnit::ImageUnit => ("unorderedAccess", "UnorderedAccess", "image units"),
        LayoutUnit::ExistentialType => ("existentialTypeParam", "ExistentialTypeParam", "types of interface values"),
        LayoutUnit::ExistentialObject => ("existentialObjectParam", "ExistentialObjectParam", "interface values"),
    };
    (UnitWords::new(json, chapter), meaning)
}

/// The units of Slang's targets. On Metal, those of D3D with the same words are others.
const UNITS: [LayoutUnit; 19] = [
    LayoutUnit::Bytes,
    LayoutUnit::ConstantBuffer,
    LayoutUnit::ShaderResource,
    LayoutUnit::UnorderedAccess,
    LayoutUnit::Sampler,
    LayoutUnit::Binding,
    LayoutUnit::Space,
    LayoutUnit::PushConstant,
    LayoutUnit::ConstantId,
    LayoutUnit::LocationIn,
    LayoutUnit::LocationOut,
    LayoutUnit::ShaderRecord,
    LayoutUnit::RayPayload,
    LayoutUnit::HitAttributes,
    LayoutUnit::CallablePayload,
    LayoutUnit::InputAttachment,
    LayoutUnit::MetalArgument,
    LayoutUnit::ExistentialType,
    LayoutUnit::ExistentialObject,
];

/// The unit that a word of slangc's JSON means for a target.
pub(super) fn unit_named(word: &str, target: Target) -> Option<LayoutUnit> {
    const METAL: [LayoutUnit; 3] = [LayoutUnit::MetalBuffer, LayoutUnit::MetalTexture, LayoutUnit::MetalSampler];
    let of_target = METAL.into_iter().filter(|_| target == Target::Metal);
    of_target.chain(UNITS).find(|of| unit(*of).0.json == word)
}

const SCALARS: [Scalar; 12] = [
    Scalar::Bool,
    Scalar::Int8,
    Scalar::Uint8,
    Scalar::Int16,
    Scalar::Uint16,
    Scalar::Int32,
    Scalar::Uint32,
    Scalar::Int64,
    Scalar::Uint64,
    Scalar::Half,
    Scalar::Float32,
    Scalar::Float64,
];

/// The scalar type that a word of slangc's JSON means.
pub(super) fn scalar_named(word: &str) -> Option<Scalar> {
    SCALARS.into_iter().find(|of| scalar(*of).json == word)
}

/// Returns the words for a scalar type. Slang has no minimum-precision types, so they get the names
/// of the 16-bit types that hold them.
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

pub(super) fn matrix_order(order: MatrixOrder) -> &'static str {
    match order {
        MatrixOrder::Row => "ROW_MAJOR",
        MatrixOrder::Column => "COLUMN_MAJOR",
    }
}

/// The kind of a `cbuffer`, of the buffer of loose globals, of `ConstantBuffer<T>`.
pub(super) const CONSTANT_BUFFER: UnitWords = UnitWords::new("constantBuffer", "ConstantBuffer");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlangTypeKind {
    /// A type that is not a resource itself: scalar, vector, matrix, array, struct, enum, pointer.
    Plain,
    /// `ConstantBuffer<T>`, `TextureBuffer<T>` or `ParameterBlock<T>`.
    Container(UnitWords),
    Sampler,
    Resource(ResourceShape),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResourceShape {
    pub(super) base: UnitWords,
    pub(super) array: bool,
    /// Several samples per texel.
    pub(super) multisample: bool,
    /// Texture and sampler in one.
    pub(super) combined: bool,
    pub(super) access: Access,
}

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
        // Slang 2026.14.1 treats this one as a write-only buffer.
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

/// Returns the kind of a buffer or block of type `ty`. A `cbuffer`, a `tbuffer` and the buffer of
/// loose globals have the struct of their members as their type, so the type of their container
/// gives the kind.
pub(super) fn container_kind(ty: &Type, container: &TypeLayout) -> UnitWords {
    match (kind(ty), kind(&container.ty)) {
        (SlangTypeKind::Container(words), _) | (_, SlangTypeKind::Container(words)) => words,
        (
            SlangTypeKind::Plain | SlangTypeKind::Sampler | SlangTypeKind::Resource(_),
            SlangTypeKind::Plain | SlangTypeKind::Sampler | SlangTypeKind::Resource(_),
        ) => CONSTANT_BUFFER,
    }
}

/// True if the type of a buffer is the nameless struct of its own members.
pub(super) fn has_own_members(ty: &Type) -> bool {
    !matches!(ty, Type::Resource(_))
}

/// Returns the type that reading a resource gives; `float4` for a texture without an argument.
pub(super) fn result(resource: &Resource) -> Option<Type> {
    let given = || resource.element.as_deref().cloned();
    match resource.kind {
        ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_) | ResourceKind::SubpassInput { .. } => {
            Some(given().unwrap_or(Type::Vector { scalar: Scalar::Float32, length: 4 }))
        }
        ResourceKind::StructuredBuffer(_) | ResourceKind::Buffer(_) => given(),
        _ => None,
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

/// Returns the name without namespaces and type arguments; `None` for a nameless struct.
pub(super) fn simple_name(name: &str) -> Option<&str> {
    let generic = name.split('<').next().unwrap_or(name);
    let simple = generic.rsplit("::").next().unwrap_or(generic);
    (!simple.is_empty()).then_some(simple)
}
