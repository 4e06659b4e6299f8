//! Refused declarations, with the place and the code of the problem.

use layoutproof_layout::RegisterClass;

use super::problems;
use layoutproof_source::diagnostics::Code;

#[track_caller]
fn refused(source: &str, code: Code) {
    assert_eq!(problems(source), [(1, code)], "{source}");
}

#[test]
fn names() {
    refused("cbuffer C { flaot a; }", Code::UnknownType);
    refused("float a[N];", Code::UnknownConstant);
    refused("const int n = 2; float a[n];", Code::UnknownConstant);
    refused("struct S { N::T t; };", Code::UnknownType);
    refused("struct S {}; struct S {};", Code::Redefinition);
    refused("float a; int a;", Code::Redefinition);
    refused("struct S { float a, a; };", Code::Redefinition);
    refused("enum class E { A, A };", Code::Redefinition);
    refused("typedef float T; typedef int T;", Code::Redefinition);
    assert_eq!(problems("cbuffer A { float x; } cbuffer A { int y; }"), []);
}

/// DXC 1.7.2308, `-T ps_6_6`: `modifiers must appear before type`, `expected identifier`. It takes the words of the second
/// list as names.
#[test]
fn keywords_as_names() {
    let declarations = [
        "SamplerState NAME;",
        "float a, NAME;",
        "cbuffer C { float NAME[3]; }",
        "cbuffer NAME { float a; }",
        "struct S { float3 NAME : TEXCOORD; };",
        "StructuredBuffer<float> NAME : register(t0);",
        "float f(float2 NAME);",
        "float f(float NAME, int b) { return b; }",
        "float NAME() { return 1; }",
        "float f() { float NAME = 1; return 2; }",
        "enum E { NAME };",
        "typedef float NAME;",
    ];
    let refused_names = "point line triangle lineadj triangleadj centroid linear nointerpolation noperspective uniform \
                         snorm unorm in out inout shared row_major column_major export groupshared";
    for (name, declaration) in refused_names.split(' ').flat_map(|name| declarations.map(|it| (name, it))) {
        let source = declaration.replace("NAME", name);
        assert!(problems(&source).contains(&(1, Code::UnexpectedToken)), "{source}");
    }
    for name in ["sample", "precise", "globallycoherent", "center", "indices", "vertices", "primitives", "payload"] {
        for declaration in ["SamplerState NAME;", "float f(float NAME) { float b = NAME; return b; }"] {
            assert_eq!(problems(&declaration.replace("NAME", name)), [], "{name}");
        }
    }
    for source in [
        "struct S { float4 a : POSITION; linear float2 b : TEX; nointerpolation uint c : ID; };",
        "float f(in float a, out uint b, inout float4 c, in float, inout float2) { b = 1; return a; }",
        "#define point p\nSamplerState point;",
        "Buffer<unorm float4> b; static const float x = 1; uniform float3 u; groupshared float g[4];",
        "sampler s = sampler_state { MinFilter = linear; MagFilter = point; };",
        "struct V { float4 p : SV_Position; }; [maxvertexcount(3)] void f(triangle V v[3], inout TriangleStream<V> o) {}",
    ] {
        assert_eq!(problems(source).len(), 0, "{source}");
    }
}

/// DXC 1.7.2308, `-T ps_6_6`: `redefinition of 'x'`, `redefinition of 'x' as different kind of symbol`.
#[test]
fn members_of_constant_buffers_are_globals() {
    for source in [
        "cbuffer C { float x; } cbuffer D { float x; }",
        "cbuffer C { float x; } float x;",
        "float x; cbuffer C { float x; }",
        "cbuffer C { float x; } Texture2D x;",
        "cbuffer C { float x; } float x() { return 1; }",
        "cbuffer C { float x() { return 1; } } cbuffer D { float x; }",
        "tbuffer C { float x; } cbuffer D { int x; }",
        "cbuffer C { float x; } cbuffer C { float x; }",
        "cbuffer C { float x; } static float x;",
        "namespace N { cbuffer C { float x; } } cbuffer D { float x; }",
        "namespace N { cbuffer C { float x; } } namespace M { cbuffer D { float x; } }",
        "namespace N { cbuffer C { float x; } } float x;",
        "cbuffer C { struct S { float a; } x; } cbuffer D { struct T { float a; } x; }",
        "typedef float x; cbuffer C { float x; }",
        "enum E { x }; cbuffer C { float x; }",
        "float x() { return 1; } Texture2D x;",
    ] {
        refused(source, Code::CompilerLimit);
    }
    for source in [
        "cbuffer C { float x; } struct x { float a; };",
        "cbuffer x { float x; }",
        "cbuffer x { float a; } cbuffer D { float x; }",
        "namespace N { float x; } cbuffer D { float x; }",
        "namespace N { cbuffer C { float x; } float x; }",
        "cbuffer C { struct S { float x; }; S s; } cbuffer D { float x; }",
        "cbuffer C { float x; } float f() { float x = 1; return x; }",
        "float f(float a); float f(float2 a); float f(float a) { return a; }",
    ] {
        assert_eq!(problems(source), [], "{source}");
    }
}

/// DXC 1.7.2308, `-T ps_6_6` with `y` in use: `Invalid resource return type`.
#[test]
fn elements_that_the_validator_refuses() {
    let types = "enum E { A }; struct S { bool b; };";
    for ty in ["Buffer<bool>", "RWBuffer<bool4>", "Texture2D<bool4>", "RWTexture2D<bool2>", "Buffer<S>", "Buffer<E>"] {
        assert_eq!(problems(&format!("{types} {ty} y;")), [(1, Code::CompilerLimit)], "{ty}");
    }
    for ty in ["Buffer<double>", "Buffer<uint>", "StructuredBuffer<bool>", "StructuredBuffer<S>"] {
        assert_eq!(problems(&format!("{types} {ty} y;")), [], "{ty}");
    }
}

#[test]
fn constants() {
    refused("static const float N = 2.5; float a[N];", Code::NotConstant);
    refused("float a[f(2)];", Code::NotConstant);
    refused("float a[min(2u, 3u)];", Code::NotConstant);
    refused("float a[sizeof(bool4)];", Code::NotConstant);
    refused("extern static const int N; float a[N];", Code::NotConstant);
    refused("static const int N = N + 1; float a[N];", Code::NotConstant);
    refused("float a[1 / 0];", Code::BadConstant);
    refused("float a[99999999999999999999];", Code::BadConstant);
    refused("float a[9223372036854775807 + 1];", Code::BadConstant);
    refused("float a[1 << 99];", Code::BadConstant);
}

#[test]
fn arrays() {
    refused("float a[0];", Code::BadArrayLength);
    refused("float a[-1];", Code::BadArrayLength);
    refused("float a[2][];", Code::BadArrayLength);
    refused("struct S { float a[]; float b; };", Code::UnsizedNotLast);
    refused("cbuffer C { float a[]; float b; };", Code::UnsizedNotLast);
    refused("float a[2147483648];", Code::TooLarge);
    refused("float a[65536][65536];", Code::TooLarge);
    refused("struct S { double4x4 m[16777217]; };", Code::TooLarge);
    assert_eq!(problems("Texture2D a[4294967295]; struct S { float a; float b[]; };"), []);
}

#[test]
fn structs() {
    refused("struct S { S s; };", Code::CyclicStruct);
    refused("struct A { B b; }; struct B { A a[2]; };", Code::CyclicStruct);
    refused("struct A : A {};", Code::CyclicStruct);
    refused("typedef A B; typedef B A;", Code::CyclicStruct);
    refused("struct A {}; struct B {}; struct C : A, B {};", Code::Unsupported);
    refused("struct S { struct { float a; }; };", Code::Unsupported);
    refused("struct S { DescriptorHandle<float> t; };", Code::GenericArguments);
    refused("struct S { Optional<Optional<int>> t; };", Code::Unsupported);
    assert_eq!(problems("struct S { S* next; };"), []);
}

#[test]
fn generics() {
    refused("struct P<T> { T t; }; P<float, int> p;", Code::GenericArguments);
    refused("struct P<T> { T t; }; P p;", Code::GenericArguments);
    refused("struct S {}; S<float> s;", Code::GenericArguments);
    refused("vector<float, 1025> v;", Code::GenericArguments);
    refused("StructuredBuffer b;", Code::GenericArguments);
    refused("SamplerState<float> s;", Code::GenericArguments);
    refused("ConstantBuffer<float4, Std999DataLayout> b;", Code::GenericArguments);
    refused("struct P<T> { T t; }; P<3> p;", Code::GenericArguments);
    refused("template<> struct P<float> { int i; };", Code::UnknownType);
    refused(
        "template<typename T, int N> struct P { T t; }; template<> struct P<int> {}; P<int, 2> p;",
        Code::GenericArguments,
    );
    let either = "template<typename T, int N> struct P { T t; }; template<typename T> struct P<T, 1> {};
        template<int N> struct P<int, N> {}; P<int, 1> p;";
    assert_eq!(problems(either), [(2, Code::GenericArguments)]);
}

/// DXC 1.7.2308 allows bit-fields only in structs; widths follow the rules of C.
#[test]
fn bit_fields() {
    refused("struct S { uint a : 33; };", Code::BadBitField);
    refused("struct S { uint16_t a : 17; };", Code::BadBitField);
    refused("struct S { uint a : 0; };", Code::BadBitField);
    refused("struct S { uint a : -1; };", Code::BadBitField);
    refused("struct S { float a : 3; };", Code::BadBitField);
    refused("cbuffer C { uint a : 3; };", Code::BadBitField);
    refused("static const int N = 3; struct S { uint a : N; };", Code::BadBitField);
    assert_eq!(problems("struct S { uint64_t a : 64; uint : 0; int b : 1; };"), []);
}

/// wg-hlsl INF-0003, packoffset: the invalid examples in its limitations, and the messages of DXC 1.6 and 1.7.
#[test]
fn packoffset() {
    refused("float c : packoffset(c0);", Code::PackoffsetOutsideCbuffer);
    refused("struct S { float a : packoffset(c0); };", Code::PackoffsetOutsideCbuffer);
    refused("cbuffer A { float a : packoffset(c0); float b; }", Code::PackoffsetMixed);
    refused("cbuffer A { float2 a : packoffset(c0.w); }", Code::PackoffsetCrossesRegister);
    refused("cbuffer A { float3 a : packoffset(c0.z); }", Code::PackoffsetCrossesRegister);
    refused("cbuffer A { half4 a : packoffset(c0.y); }", Code::PackoffsetCrossesRegister);
    refused("cbuffer A { double a : packoffset(c0.w); }", Code::PackoffsetCrossesRegister);
    refused("struct S { float a; }; cbuffer A { S s : packoffset(c2.y); }", Code::PackoffsetComponent);
    refused("cbuffer A { int a[2] : packoffset(c3.z); }", Code::PackoffsetComponent);
    refused("cbuffer A { float2x2 m : packoffset(c6.z); }", Code::PackoffsetComponent);
    refused("cbuffer A { float a : packoffset(b0); }", Code::BadPackoffset);
    refused("cbuffer A { float2 a : packoffset(c0.xy); }", Code::BadPackoffset);
    refused("cbuffer A { float a : packoffset(); }", Code::BadPackoffset);
    refused("cbuffer A { float a : packoffset(c4294967296); }", Code::BadPackoffset);
    let valid = "struct S { float a; }; cbuffer A { S s2 : packoffset(c12); int a2[2] : packoffset(c13);
        float2x2 m2 : packoffset(C16.x); float2 b : packoffset( c . z ); float3 d : packoffset(c1.g); double4 e : packoffset(c20); }";
    assert_eq!(problems(valid), []);
}

/// Register classes that DXC 1.7.2308 requires.
#[test]
fn registers() {
    refused("Texture2D t : register(u0);", Code::BadRegister);
    refused("RWBuffer<float> u : register(t0);", Code::BadRegister);
    refused("cbuffer C : register(t0) { float a; }", Code::BadRegister);
    refused("cbuffer C : register(ps, b3) { float a; }", Code::BadRegister);
    // A warning that `t2` counts as `s2`, and the error for two registers of one class.
    assert_eq!(problems("SamplerState s : register(s1) : register(t2);"), [(1, Code::BadRegister); 2]);
    refused("SamplerState s : register(b0);", Code::BadRegister);
    refused("StructuredBuffer<float> b : register(x1);", Code::BadRegister);
    refused("Texture2D t : register(t99999999999);", Code::BadRegister);
    refused("Texture2D t : register(t0) : register(t1);", Code::BadRegister);
    refused("float a : register(c0, space1);", Code::BadRegister);
    let valid = "Texture2D t : register(T3, space1); cbuffer C : register(space2) { float a; } float g : register(b2);
        Texture2D p : register(ps, t0) : register(vs_5_0, t1); Sampler2D c : register(t4) : register(s4);
        struct S { Texture2D a; RWBuffer<int> b; }; S s : register(t5) : register(u3);
        RWTexture2D<float> u : register(u4294967295); tbuffer B : register(t9) { float4 v; }";
    assert_eq!(problems(valid), []);
}

/// Registers that DXC 1.7.2308 accepts, with the warnings here.
#[test]
fn registers_of_direct3d_9() {
    refused("Texture2D t : register(t);", Code::BadRegister);
    refused("SamplerState s : register(t3);", Code::BadRegister);
    refused("Texture2D t : register(s3);", Code::BadRegister);
    for source in ["Texture2D t : register(t);", "SamplerState s : register(t3);", "Texture2D t : register(s3);"] {
        let register = &super::read(source).parameters[0].annotations.registers[0];
        assert!(
            register.only_dxc && register.class == source.chars().next().and_then(RegisterClass::of_letter),
            "{source}"
        );
    }
}

#[test]
fn definitions_without_a_declaration() {
    refused("void S::f() {}", Code::UnknownType);
    refused("float N::S::x = 3;", Code::UnknownType);
}

#[test]
fn attributes() {
    refused("struct S { [[vk::offset(-4)]] float a; };", Code::BadAttribute);
    refused("struct S { [[vk::offset]] float a; };", Code::BadAttribute);
    refused("[[vk::binding(1, 2, 3)]] Texture2D t;", Code::BadAttribute);
    refused("[[vk::binding(\"1\")]] Texture2D t;", Code::BadAttribute);
    assert_eq!(problems("[[vk::binding(1, 0)]] [[vk::counter_binding(2)]] RWStructuredBuffer<int> b;"), []);
}

#[test]
fn everything_is_reported_at_once_at_its_own_line() {
    let source = "float a[0];\nstruct S { flaot b; };\ncbuffer C { float d e; float2 f : packoffset(c0.w); int g; }\n\
        float h\nfloat i;\nTexture2D t : register(u0);\n}\nfloat j[-1];\n";
    let expected = [
        (1, Code::BadArrayLength),
        (2, Code::UnknownType),
        (3, Code::UnexpectedToken),
        (3, Code::PackoffsetCrossesRegister),
        (3, Code::PackoffsetMixed),
        (4, Code::UnexpectedToken),
        (6, Code::BadRegister),
        (7, Code::UnexpectedToken),
        (8, Code::BadArrayLength),
    ];
    assert_eq!(problems(source), expected);
}

#[test]
fn skipped_with_a_warning() {
    refused("struct S {}; extension S { int f() { return 1; } }", Code::Skipped);
    refused("module m; __include part;", Code::Skipped);
    assert_eq!(problems("interface I { float f(); } struct S { float a; }"), []);
    assert_eq!(problems("interface I {}\nstruct S { I i; }"), [(2, Code::Unsupported)]);
}

/// DXC 1.7.2308 and Slang 2026.14.1 warn of the same attributes and continue.
#[test]
fn attributes_that_are_not_known() {
    refused("[[foo::bar(3)]] Texture2D t;", Code::UnknownAttribute);
    refused("[quux(2)] Texture2D t;", Code::UnknownAttribute);
    refused("[[vk::quux]] Texture2D t;", Code::UnknownAttribute);
    refused("struct S { [[foo::offset(4)]] float a; };", Code::UnknownAttribute);
    refused("[quux] [numthreads(1, 1, 1)] void main() {}", Code::UnknownAttribute);
    refused("[[vk::ext_decorate(33, 4)]] Texture2D t;", Code::Unsupported);
    refused("[vk_push_constant] ConstantBuffer<float4> c;", Code::Unsupported);
    assert_eq!(problems("struct TagAttribute { int a; }; [Tag(1)] [[vk::image_format(\"r32f\")]] Texture2D t;"), []);
    assert_eq!(problems("[numthreads(1, 1, 1)] void main() { [quux] if (true) {} }"), []);
}

/// DXC 1.7.2308, `-T cs_6_6`: `texture resource texel type must be scalar or vector`, `elements of typed buffers and
/// textures must fit in four 32-bit quantities`, `all template type components must have the same type`, `'SamplerState' is an object and cannot be
/// used as a type parameter`, `object's templated type must have at least one element`.
#[test]
fn elements_of_textures_and_typed_buffers() {
    let structs = "struct Large { uint a; float4 b; }; struct Mixed { uint a; float b; }; struct One { float4 a; }; struct Empty {};";
    for ty in
        ["Texture2D<One>", "Texture1DArray<Large>", "TextureCube<One>", "RWTexture3D<One>", "RWTexture2D<float2x2>"]
    {
        refused(&format!("{structs} {ty} x;"), Code::GenericArguments);
    }
    for ty in [
        "Buffer<Large>",
        "RWBuffer<Large>",
        "Buffer<Mixed>",
        "RasterizerOrderedBuffer<Large>",
        "Buffer<SamplerState>",
        "Texture2D<Texture2D>",
        "Buffer<Empty>",
    ] {
        refused(&format!("{structs} {ty} x;"), Code::GenericArguments);
    }
    for ty in ["Buffer<One>", "RWBuffer<One>", "Buffer<double4>", "Buffer<uint64_t3>", "Texture2D<double>"] {
        assert_eq!(problems(&format!("{structs} {ty} x;")), [], "{ty}");
    }
}
