//! Words that have a meaning in this crate, as names of other things. DXC accepts them in many
//! places.
//!
//! The table contains what DXC 1.7.2308 accepts (`-T ps_6_6 -E main`), found by trying each word in
//! each of the places. The registers are from its listings. The table omits words that DXC accepts
//! in no place.

use super::placed;
use crate::{BindingRequest, Convention, Target};

/// A shader that declares `W`, and DXC's row for it.
type Place = (&'static str, &'static str);

const PARAMETER: Place = (
    "Texture2D<float4> t : register(t1); \
     float4 f(Texture2D<float4> W) { return W.Load(0); } \
     float4 main() : SV_Target { return f(t); }",
    "t t1",
);
const LOCAL: Place = (
    "Texture2D<float4> t : register(t1); \
     float4 main() : SV_Target { Texture2D<float4> W = t; return W.Load(0); }",
    "t t1",
);
const GLOBAL: Place = ("float4 W : register(c3); float4 main() : SV_Target { return W * 2; }", "$Globals b0");
const RESOURCE: Place = ("Texture2D<float4> W : register(t3); float4 main() : SV_Target { return W.Load(0); }", "W t3");
const FUNCTION: Place = (
    "cbuffer C { float4 c; }; \
     float4 W(float4 x) { return x * c; } \
     float4 main(float4 v : V) : SV_Target { return W(v); }",
    "C b0",
);
const METHOD: Place = (
    "struct S { float4 a; float4 W() { return a; } }; \
     cbuffer C { float4 c; }; \
     float4 main() : SV_Target { S s; s.a = c; return s.W(); }",
    "C b0",
);
const MEMBER: Place = (
    "struct S { float2 a; float2 W; }; \
     ConstantBuffer<S> s; \
     float4 main() : SV_Target { return s.W.xyxy; }",
    "s b0",
);
const BUFFER_MEMBER: Place =
    ("cbuffer C { float2 W; float x; }; float4 main() : SV_Target { return W.xyxy + x; }", "C b0");
const BUFFER: Place = ("cbuffer W { float4 c; }; float4 main() : SV_Target { return c; }", "W b0");
const STRUCT: Place = (
    "struct W { float4 c; }; \
     ConstantBuffer<W> s; \
     float4 main() : SV_Target { return s.c; }",
    "s b0",
);
const ENUMERATOR: Place = (
    "enum E { W = 4 }; \
     cbuffer C { float4 c[W]; }; \
     float4 main() : SV_Target { return c[2]; }",
    "C b0",
);
const NAMESPACE: Place = ("namespace W { float4 c; } float4 main() : SV_Target { return W::c; }", "$Globals b0");

const EVERYWHERE: &[Place] = &[
    PARAMETER,
    LOCAL,
    GLOBAL,
    RESOURCE,
    FUNCTION,
    METHOD,
    MEMBER,
    BUFFER_MEMBER,
    BUFFER,
    STRUCT,
    ENUMERATOR,
    NAMESPACE,
];

/// Words with the places in which DXC accepts them as names.
const TABLE: &[(&[&str], &[Place])] = &[
    (
        &[
            "Array",
            "Atomic",
            "BFloat16",
            "ConstBufferPointer",
            "CoopMat",
            "CoopVec",
            "DepthTexture2D",
            "DescriptorHandle",
            "DifferentialPair",
            "DispatchNodeInputRecord",
            "FloatE4M3",
            "NodeOutput",
            "Optional",
            "OutputIndices",
            "OutputPrimitives",
            "OutputVertices",
            "ParameterBlock",
            "Ptr",
            "Sampler2D",
            "ScalarDataLayout",
            "Std140DataLayout",
            "String",
            "Tuple",
            "__exported",
            "__extension",
            "__extern_cpp",
            "__generic",
            "__generic_value_param",
            "__global",
            "__import",
            "__include",
            "__init",
            "__subscript",
            "as",
            "associatedtype",
            "bfloat16_t",
            "borrow",
            "compile",
            "constexpr",
            "dyn",
            "dynamic_uniform",
            "each",
            "extension",
            "float16_t",
            "func",
            "highp",
            "implementing",
            "import",
            "int16_t",
            "int8_t",
            "internal",
            "intptr_t",
            "is",
            "layout",
            "let",
            "lowp",
            "mediump",
            "module",
            "no_diff",
            "override",
            "param",
            "property",
            "read",
            "reordercoherent",
            "require",
            "sampler1D",
            "sampler2D",
            "sampler3D",
            "samplerCUBE",
            "size_t",
            "ssize_t",
            "stateblock",
            "technique9",
            "texture1D",
            "texture2D",
            "texture3D",
            "textureCUBE",
            "type_param",
            "typealias",
            "uint16_t",
            "uint8_t",
            "uintptr_t",
            "usize_t",
            "var",
            "visible",
            "where",
            "write",
        ],
        EVERYWHERE,
    ),
    (
        &[
            "BlendState",
            "ComputeShader",
            "DepthStencilState",
            "DepthStencilView",
            "DomainShader",
            "GeometryShader",
            "HullShader",
            "PixelShader",
            "RasterizerState",
            "RenderTargetView",
            "Texture",
            "VertexShader",
            "pixelfragment",
            "pixelshader",
            "texture",
            "vertexfragment",
            "vertexshader",
        ],
        &[PARAMETER, LOCAL, GLOBAL, RESOURCE, FUNCTION, METHOD, MEMBER, BUFFER_MEMBER, BUFFER, STRUCT, ENUMERATOR],
    ),
    (
        &["BuiltInTriangleIntersectionAttributes", "GlobalRootSignature", "RayDesc", "TriangleHitGroup"],
        &[PARAMETER, LOCAL, GLOBAL, RESOURCE, FUNCTION, METHOD, MEMBER, BUFFER_MEMBER, BUFFER, ENUMERATOR],
    ),
    (
        &["ByteAddressBuffer", "RaytracingAccelerationStructure", "SamplerComparisonState", "SamplerState"],
        &[PARAMETER, LOCAL, GLOBAL, RESOURCE, FUNCTION, METHOD, MEMBER, BUFFER_MEMBER, ENUMERATOR],
    ),
    (
        &["center", "globallycoherent", "indices", "payload", "precise", "primitives", "sample", "vertices"],
        &[PARAMETER, LOCAL, GLOBAL, RESOURCE, FUNCTION, METHOD, MEMBER, BUFFER_MEMBER],
    ),
    (
        &[
            "dword",
            "float3",
            "float32_t",
            "float4x4",
            "float64_t",
            "half",
            "half3",
            "int32_t",
            "int64_t",
            "int8_t4_packed",
            "min10float",
            "min12int",
            "min16float",
            "min16int",
            "min16uint",
            "string",
            "uint",
            "uint2",
            "uint32_t",
            "uint64_t",
            "uint8_t4_packed",
        ],
        &[PARAMETER, LOCAL, METHOD, MEMBER, BUFFER, NAMESPACE],
    ),
    (
        &[
            "AppendStructuredBuffer",
            "Buffer",
            "ConstantBuffer",
            "FeedbackTexture2D",
            "InputPatch",
            "LineStream",
            "OutputPatch",
            "PointStream",
            "RWStructuredBuffer",
            "RWTexture2D",
            "RayQuery",
            "StructuredBuffer",
            "SubpassInput",
            "Texture2D",
            "Texture3D",
            "TextureBuffer",
            "TextureCube",
            "TriangleStream",
            "matrix",
            "sampler",
            "vector",
        ],
        &[PARAMETER, LOCAL, METHOD, MEMBER, BUFFER],
    ),
];

/// Returns `source` with `word` in place of each separate `W`.
fn with(source: &str, word: &str) -> String {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    let mut made = String::new();
    for (at, letter) in source.char_indices() {
        let (before, behind) = (source[..at].chars().next_back(), source[at + 1..].chars().next());
        if letter == 'W' && !is_part(before) && !is_part(behind) {
            made += word;
        } else {
            made.push(letter);
        }
    }
    made
}

#[test]
fn words_are_names_where_dxc_takes_them_as_names() {
    let request = BindingRequest::new(Target::D3d12, Convention::Dxc);
    let mut wrong = Vec::new();
    for (words, places) in TABLE {
        for word in *words {
            for (source, row) in *places {
                let source = with(source, word);
                let rows = placed(&source, &request);
                if rows != [with(row, word)] {
                    wrong.push(format!("{source}\n  {rows:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
