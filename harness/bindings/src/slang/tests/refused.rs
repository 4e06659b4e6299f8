//! Errors and warnings of slangc (slangc 2026.14.1; the numbers are those of its diagnostics).

use super::{D3D, METAL, VULKAN, WEBGPU, errors, request, warnings};
use crate::{BindingRequest, Convention, Target};
use layoutproof_source::diagnostics::Code;

const NO_CODE: &[Code] = &[];

/// A source, a target, the codes.
type Refused = (&'static str, Target, &'static [Code]);

const REFUSED: &[Refused] = &[
    // E30028.
    ("ParameterBlock<float4> w[2];", D3D, &[Code::ArrayOfParameterBlocks]),
    ("struct P { ParameterBlock<float4> b; Texture2D q; }; P z[2];", VULKAN, &[Code::ArrayOfParameterBlocks]),
    // E31222: a space alone is for parameter blocks.
    ("Texture2D z : register(space4);", D3D, &[Code::BadRegister]),
    // E39007.
    ("uniform float4 a : register(c2);", D3D, &[Code::BadRegister]),
    ("uniform float4 a : register(c2);", METAL, &[Code::BadRegister]),
    // E39015.
    ("struct S { Texture2D t; float y; }; [[vk::binding(2, 3)]] ParameterBlock<S> p;", VULKAN, &[Code::BadAttribute]),
    // slangc does not refuse this and gives the push constant a descriptor; here it is an error.
    ("[[vk::push_constant]] Texture2D x;", VULKAN, &[Code::BadAttribute]),
    // E39008, E31222.
    ("Texture2D t : register(t);", D3D, &[Code::BadRegister]),
    ("SamplerState s : register(t2);", D3D, &[Code::BadRegister]),
    ("SamplerState s : register(t2);", VULKAN, &[Code::BadRegister]),
    // E99997, an exception: \"unimplemented: array of parameter group\".
    ("struct I { Texture2D t; float y; }; ConstantBuffer<I> a[3];", D3D, &[Code::Unsupported]),
    ("struct I { Texture2D t; float y; }; ConstantBuffer<I> a[3];", METAL, &[Code::Unsupported]),
    // slangc does not refuse this, but counts such an array differently from all others.
    ("struct S { Texture2D t[]; }; ParameterBlock<S> p;", METAL, &[Code::Unsupported]),
    // E99997, an exception: \"unhandled type kind\".
    ("[shader(\"vertex\")] float4 main<T>(T t : A) : SV_Position {}", VULKAN, &[Code::Unsupported]),
    // E39023.
    (
        "struct V { [[vk::location(4)]] float3 n : NORMAL; float4 m : M; }; \
         [shader(\"vertex\")] float4 main(V v) : SV_Position {}",
        VULKAN,
        &[Code::MixedLocations],
    ),
];

#[test]
fn refused_by_slangc() {
    for (source, target, codes) in REFUSED {
        assert_eq!(errors(source, &request(*target)), *codes, "{target}: {source}");
    }
}

const WARNED: &[Refused] = &[
    // E39071, also where the texture in `m` does get the binding.
    ("[[vk::binding(2, 1)]] uniform float gain;", VULKAN, &[Code::Ignored]),
    ("[[vk::binding(2, 1)]] uniform float gain;", WEBGPU, &[Code::Ignored]),
    ("struct M { float a; Texture2D t; }; [[vk::binding(7, 2)]] uniform M m;", VULKAN, &[Code::Ignored]),
    ("[[vk::binding(3, 1)]] ConstantBuffer<float> bias;", VULKAN, NO_CODE),
    // E39001.
    ("Texture2D a[4] : register(t3); Texture2D mid : register(t5);", D3D, &[Code::BindingOverlap]),
    ("[[vk::binding(1)]] Texture2D a; [[vk::binding(1)]] Texture2D b;", VULKAN, &[Code::BindingOverlap]),
    // E39029 twice, then the classes collide.
    (
        "Texture2D a : register(t3); SamplerState s : register(s3);",
        VULKAN,
        &[Code::RegisterAsBinding, Code::RegisterAsBinding, Code::BindingOverlap],
    ),
    // E39029 without a collision: slangc reserves one binding, not four.
    (
        "Texture2D a4[4] : register(t3); Texture2D mid : register(t5);",
        WEBGPU,
        &[Code::RegisterAsBinding, Code::RegisterAsBinding],
    ),
    // E39013.
    ("Sampler2D k : register(t7);", VULKAN, &[Code::RegisterAsBinding]),
    // E38010.
    (
        "[shader(\"compute\")] [numthreads(1, 1, 1)] \
         void main([[vk::binding(3, 1)]] uniform Texture2D t : register(t4), uniform SamplerState s) {}",
        D3D,
        &[Code::Ignored, Code::Ignored],
    ),
    ("Texture2D a : register(t3); SamplerState s : register(s3); RWTexture2D<float> u : register(u3);", D3D, NO_CODE),
    ("[[vk::binding(3)]] Texture2D a : register(t3);", VULKAN, NO_CODE),
];

#[test]
fn warned_of_by_slangc() {
    for (source, target, codes) in WARNED {
        assert_eq!(warnings(source, &request(*target)), *codes, "{target}: {source}");
    }
}

/// Slang 2026.12 ignored `[[vk::binding]]` of entry-point parameters, with E38010.
#[test]
fn older_versions_ignore_bindings_of_entry_parameters() {
    let source = "[shader(\"compute\")] [numthreads(1, 1, 1)] \
                  void main([[vk::binding(3, 1)]] uniform Texture2D t, uniform SamplerState s) {}";
    let older = BindingRequest { version: Some("2026.12".to_owned()), ..request(VULKAN) };
    assert_eq!(warnings(source, &older), [Code::Ignored]);
    assert_eq!(super::rows(source, &older), "main.t 0.0, main.s 0.1");
    let newer = BindingRequest { version: Some("2026.14.1".to_owned()), ..request(VULKAN) };
    assert_eq!(super::rows(source, &newer), "main.t 1.3, main.s 0.0");
}

#[test]
fn options_without_their_values_are_refused() {
    for option in
        ["-fvk-t-shift", "-fvk-t-shift 1", "-fvk-t-shift x all", "-fvk-bind-globals 1", "-bindless-space-index"]
    {
        let asked =
            BindingRequest { options: vec![option.to_owned()], ..BindingRequest::new(VULKAN, Convention::Slang) };
        assert_eq!(errors("Texture2D a;", &asked), [Code::BadOption], "{option}");
    }
}

/// Structs of structs double with each level, and each of many entry points has its own layouts.
#[test]
fn small_texts_make_no_large_programs() {
    let structure = |level| format!("struct S{} {{ S{level} a; S{level} b; }};", level + 1);
    let source: String = (0..14).map(structure).collect();
    let source = format!("struct S0 {{ float a : A; float b : B; }}; {source}");
    let entry = |index| format!("[shader(\"vertex\")] void main{index}(S14 s) {{}}");
    let one = source.clone() + &entry(0);
    assert!(warnings(&one, &request(D3D)).is_empty());
    let many = (0..9).fold(source, |text, index| text + &entry(index));
    assert_eq!(errors(&many, &request(D3D)), [Code::TooLarge]);
}
