//! The built-in types of HLSL and Slang, by name.

use layoutproof_layout::resource::{Access, DataLayout, Dimension, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

/// A built-in type, or a constructor that needs generic arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Builtin {
    /// `float`, `int3`, `half2x4`.
    Numeric(Type),
    Vector,
    /// `matrix<T, R, C>`.
    Matrix,
    /// `Array<T, N>`, `InputPatch<T, N>` and others that contain `N` elements of `T`.
    Array,
    /// `TriangleStream<T>` and others that count as `T`.
    Same,
    /// `Atomic<T>`: `T`, which code reads and writes with methods.
    Atomic,
    /// `Ptr<T>`.
    Pointer,
    /// `ImmutablePtr<T>`: nothing is written through it.
    ImmutablePointer,
    /// `LayoutPtr<T, L>`: the pointee has the layout `L`, regardless of the target's own rules.
    LayoutPointer,
    /// `DescriptorHandle<T>`, also spelled `T.Handle`.
    Handle,
    /// A resource, and the element type that it accepts.
    Resource(ResourceKind, Element),
    /// A struct that the language defines: types and names of its members.
    Struct(&'static [(&'static str, &'static str)]),
    /// A string, or part of a state object: not data that a shader reads.
    Object,
    /// `RayQuery<flags>`, `NodeOutput<T>`: allowed in functions, never in buffers.
    Local,
    /// `ConstBufferPointer<T>`: a struct around a pointer.
    PointerStruct,
    /// `Tuple<A, B>`: a struct with a member for each argument.
    Tuple,
    /// `Optional<T>`: `T` and a `bool`, or only `T` if a value of `T` can itself be none.
    Optional,
    /// `Conditional<T, C>`: `T` if `C` is true, else nothing.
    Conditional,
    /// A type with an unmodelled layout, and the reason.
    Unsupported(&'static str),
}

/// The generic argument that a resource type accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `StructuredBuffer<T>`.
    Required,
    /// `Texture2D` and `Texture2D<float4>`.
    Optional,
    /// `SamplerState`.
    None,
    /// `FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP>`: a word instead of a type.
    Word,
}

pub(super) fn builtin(name: &str) -> Option<Builtin> {
    let found = match name {
        "vector" => Builtin::Vector,
        "matrix" => Builtin::Matrix,
        "Array" | "InputPatch" | "OutputPatch" | "OutputVertices" | "OutputIndices" | "OutputPrimitives" => {
            Builtin::Array
        }
        "Atomic" => Builtin::Atomic,
        "PointStream" | "LineStream" | "TriangleStream" => Builtin::Same,
        "Ptr" => Builtin::Pointer,
        "ImmutablePtr" => Builtin::ImmutablePointer,
        "LayoutPtr" => Builtin::LayoutPointer,
        "BuiltInTriangleIntersectionAttributes" => Builtin::Struct(&[("float2", "barycentrics")]),
        "RayDesc" => {
            Builtin::Struct(&[("float3", "Origin"), ("float", "TMin"), ("float3", "Direction"), ("float", "TMax")])
        }
        "GlobalRootSignature"
        | "LocalRootSignature"
        | "ProceduralPrimitiveHitGroup"
        | "RaytracingPipelineConfig"
        | "RaytracingPipelineConfig1"
        | "RaytracingShaderConfig"
        | "StateObjectConfig"
        | "NativeString"
        | "String"
        | "SubobjectToExportsAssociation"
        | "TriangleHitGroup"
        | "string"
        // Only in FXC's effects.
        | "stateblock"
        | "texture1D"
        | "texture2D"
        | "texture3D"
        | "textureCUBE"
        // Effect objects. DXC 1.7.2308 skips them and reports a deprecated feature.
        | "BlendState" | "ComputeShader" | "DepthStencilState" | "DepthStencilView" | "DomainShader"
        | "GeometryShader" | "HullShader" | "PixelShader" | "RasterizerState" | "RenderTargetView" | "Texture"
        | "VertexShader" | "pixelfragment" | "pixelshader" | "texture" | "vertexfragment" | "vertexshader" => {
            Builtin::Object
        }
        "DispatchNodeInputRecord"
        | "EmptyNodeInput"
        | "EmptyNodeOutput"
        | "EmptyNodeOutputArray"
        | "GroupNodeInputRecords"
        | "GroupNodeOutputRecords"
        | "NodeOutput"
        | "NodeOutputArray"
        | "RWDispatchNodeInputRecord"
        | "RWGroupNodeInputRecords"
        | "RWThreadNodeInputRecord"
        | "RayQuery"
        | "ThreadNodeInputRecord"
        | "ThreadNodeOutputRecords" => Builtin::Local,
        "ConstBufferPointer" => Builtin::PointerStruct,
        "Tuple" => Builtin::Tuple,
        "Optional" => Builtin::Optional,
        "Conditional" => Builtin::Conditional,
        "__packBranch" => Builtin::Unsupported("it is chosen when the application specialises the program"),
        "DescriptorHandle" => Builtin::Handle,
        "DifferentialPair" => Builtin::Unsupported("Slang's reflection gives it no bytes, but its code does"),
        "CoopMat" | "CoopVec" => {
            Builtin::Unsupported("no rule set lays out cooperative matrices or vectors")
        }
        "bfloat16_t" | "BFloat16" | "FloatE4M3" | "FloatE5M2" => {
            Builtin::Unsupported("no rule set lays it out")
        }
        "intptr_t" | "uintptr_t" | "size_t" | "usize_t" | "ssize_t" => {
            Builtin::Unsupported("its size depends on the target")
        }
        _ => return numeric(name).map(Builtin::Numeric).or_else(|| resource(name)),
    };
    Some(found)
}

/// Returns `float`, `float3`, `float2x3` and the like for every scalar type.
pub(super) fn numeric(name: &str) -> Option<Type> {
    let (spelling, scalar) =
        SCALARS.iter().filter(|(spelling, _)| name.starts_with(spelling)).max_by_key(|(spelling, _)| spelling.len())?;
    let scalar = *scalar;
    match &name.as_bytes()[spelling.len()..] {
        [] => Some(Type::Scalar(scalar)),
        [length] => Some(Type::Vector { scalar, length: one_to_four(*length)? }),
        [rows, b'x', columns] => {
            Some(Type::Matrix { scalar, rows: one_to_four(*rows)?, columns: one_to_four(*columns)?, order: None })
        }
        _ => None,
    }
}

/// The `sizeof` of a scalar or vector of 32 or 64 bits: its components are tight in DXC 1.7.2308 and Slang 2026.14.1 under all
/// options. Those of `bool`, smaller scalars and matrices depend on options and on the place.
pub(super) fn bytes(name: &str) -> Option<u32> {
    let (scalar, length) = match numeric(name)? {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector { scalar, length } => (scalar, length),
        _ => return None,
    };
    let size = match scalar {
        Scalar::Int32 | Scalar::Uint32 | Scalar::Float32 => 4,
        Scalar::Int64 | Scalar::Uint64 | Scalar::Float64 => 8,
        _ => return None,
    };
    Some(size * length)
}

fn one_to_four(digit: u8) -> Option<u32> {
    (b'1'..=b'4').contains(&digit).then(|| u32::from(digit - b'0'))
}

/// Spellings of scalars. Each packed type is one `uint`.
const SCALARS: &[(&str, Scalar)] = &[
    ("bool", Scalar::Bool),
    ("double", Scalar::Float64),
    ("dword", Scalar::Uint32),
    ("float", Scalar::Float32),
    ("float16_t", Scalar::Float16),
    ("float32_t", Scalar::Float32),
    ("float64_t", Scalar::Float64),
    ("half", Scalar::Half),
    ("int", Scalar::Int32),
    ("int16_t", Scalar::Int16),
    ("int32_t", Scalar::Int32),
    ("int64_t", Scalar::Int64),
    ("int8_t", Scalar::Int8),
    ("int8_t4_packed", Scalar::Uint32),
    ("min10float", Scalar::Min10Float),
    ("min12int", Scalar::Min12Int),
    ("min16float", Scalar::Min16Float),
    ("min16int", Scalar::Min16Int),
    ("min16uint", Scalar::Min16Uint),
    ("uint", Scalar::Uint32),
    ("uint16_t", Scalar::Uint16),
    ("uint32_t", Scalar::Uint32),
    ("uint64_t", Scalar::Uint64),
    ("uint8_t", Scalar::Uint8),
    ("uint8_t4_packed", Scalar::Uint32),
];

/// Slang's explicit data layouts.
pub(super) fn data_layout(name: &str) -> Option<DataLayout> {
    match name {
        "Std140DataLayout" => Some(DataLayout::Std140DataLayout),
        "Std430DataLayout" => Some(DataLayout::Std430DataLayout),
        "ScalarDataLayout" => Some(DataLayout::ScalarDataLayout),
        "CDataLayout" => Some(DataLayout::CDataLayout),
        "DefaultDataLayout" => Some(DataLayout::DefaultDataLayout),
        _ => None,
    }
}

fn resource(name: &str) -> Option<Builtin> {
    let (kind, element) = match name {
        "ConstantBuffer" => (ResourceKind::ConstantBuffer, Element::Required),
        "TextureBuffer" => (ResourceKind::TextureBuffer, Element::Required),
        "ParameterBlock" => (ResourceKind::ParameterBlock, Element::Required),
        "SamplerState" | "sampler" | "sampler1D" | "sampler2D" | "sampler3D" | "samplerCUBE" => {
            (ResourceKind::Sampler, Element::None)
        }
        "SamplerComparisonState" => (ResourceKind::SamplerComparison, Element::None),
        "RaytracingAccelerationStructure" => (ResourceKind::AccelerationStructure, Element::None),
        "SubpassInput" => (ResourceKind::SubpassInput { multisample: false }, Element::Optional),
        "SubpassInputMS" => (ResourceKind::SubpassInput { multisample: true }, Element::Optional),
        _ => return view(name),
    };
    Some(Builtin::Resource(kind, element))
}

/// Parses the names of buffers and textures: an access, then the kind of resource.
fn view(name: &str) -> Option<Builtin> {
    const ACCESSES: [(&str, Access); 6] = [
        ("RW", Access::ReadWrite),
        ("W", Access::Write),
        ("RasterizerOrdered", Access::RasterizerOrdered),
        ("Append", Access::Append),
        ("Consume", Access::Consume),
        ("Feedback", Access::Feedback),
    ];
    let prefixed = ACCESSES.iter().find_map(|(prefix, access)| Some((name.strip_prefix(prefix)?, *access)));
    let (rest, access) = prefixed.unwrap_or((name, Access::Read));

    let plain = matches!(access, Access::Read | Access::ReadWrite | Access::RasterizerOrdered);
    let structured = plain || matches!(access, Access::Append | Access::Consume);
    let (kind, element) = match rest {
        "StructuredBuffer" if structured => (ResourceKind::StructuredBuffer(access), Element::Required),
        "ByteAddressBuffer" if plain => (ResourceKind::ByteAddressBuffer(access), Element::None),
        "Buffer" if plain => (ResourceKind::Buffer(access), Element::Optional),
        _ => return texture(rest, access),
    };
    Some(Builtin::Resource(kind, element))
}

fn texture(name: &str, access: Access) -> Option<Builtin> {
    let combined = name.strip_prefix("Sampler").filter(|_| access == Access::Read);
    // A depth texture binds like any other texture.
    let plain = name.strip_prefix("DepthTexture").or_else(|| name.strip_prefix("Texture"));
    let shape = plain.or(combined)?;
    let shape = if combined.is_some() { shape.strip_suffix("Shadow").unwrap_or(shape) } else { shape };
    let (dimension, rest) = DIMENSIONS.iter().find_map(|(word, found)| Some((*found, shape.strip_prefix(word)?)))?;
    let (multisample, array) = match rest {
        "" => (false, false),
        "Array" => (false, true),
        "MS" => (true, false),
        "MSArray" => (true, true),
        _ => return None,
    };
    let texture = Texture { dimension, array, multisample, access };
    match (combined, access) {
        (Some(_), _) => Some(Builtin::Resource(ResourceKind::CombinedSampler(texture), Element::Optional)),
        (None, Access::Read | Access::ReadWrite | Access::Write | Access::RasterizerOrdered) => {
            Some(Builtin::Resource(ResourceKind::Texture(texture), Element::Optional))
        }
        (None, Access::Feedback) => Some(Builtin::Resource(ResourceKind::Texture(texture), Element::Word)),
        (None, Access::Append | Access::Consume) => None,
    }
}

const DIMENSIONS: [(&str, Dimension); 4] =
    [("1D", Dimension::One), ("2D", Dimension::Two), ("3D", Dimension::Three), ("Cube", Dimension::Cube)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_names() {
        let spelled = |name| numeric(name).map(|ty| ty.to_string());
        for (name, spelling) in [
            ("float", "float"),
            ("float1", "float1"),
            ("float16_t", "float16_t"),
            ("float16_t3", "float16_t3"),
            ("float32_t4x4", "float4x4"),
            ("int16_t2", "int16_t2"),
            ("dword", "uint"),
            ("uint8_t4_packed", "uint"),
            ("min16uint4", "min16uint4"),
            ("double1x4", "double1x4"),
        ] {
            assert_eq!(spelled(name).as_deref(), Some(spelling), "{name}");
        }
        for name in ["float5", "float0", "float4x5", "float2y2", "floats", "int8", "f", ""] {
            assert_eq!(spelled(name), None, "{name}");
        }
    }

    #[test]
    fn resource_names_come_back_as_they_are_spelled() {
        let names = "
            StructuredBuffer RWStructuredBuffer RasterizerOrderedStructuredBuffer AppendStructuredBuffer
            ConsumeStructuredBuffer ByteAddressBuffer RWByteAddressBuffer Buffer RWBuffer RasterizerOrderedBuffer
            Texture1D Texture1DArray Texture2DMS Texture2DMSArray Texture3D TextureCube TextureCubeArray
            RWTexture2DArray WTexture1D RasterizerOrderedTexture3D FeedbackTexture2D Sampler2D SamplerCubeArray
            SamplerState SamplerComparisonState RaytracingAccelerationStructure SubpassInput SubpassInputMS
            ConstantBuffer TextureBuffer ParameterBlock
        ";
        for name in names.split_whitespace() {
            let Some(Builtin::Resource(kind, _)) = builtin(name) else { panic!("{name} is no resource") };
            assert_eq!(kind.to_string(), name);
        }
        for name in ["AppendBuffer", "FeedbackBuffer", "Texture4D", "RWSampler2D", "ConsumeTexture2D", "WBuffer", "RW"]
        {
            assert_eq!(builtin(name), None, "{name}");
        }
    }
}
