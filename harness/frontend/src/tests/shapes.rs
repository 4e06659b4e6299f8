//! The meaning of types.

use layoutproof_layout::BlockKind;
use layoutproof_layout::shape::Type;

use super::{DeclareOptions, flat, line, members, ordered, read, read_with, structure};
use layoutproof_source::diagnostics::Code;

/// Returns the type of the only member of a constant buffer.
fn ty(member: &str) -> String {
    let lines = members(&format!("cbuffer C {{ {member} }};"));
    assert_eq!(lines.len(), 1, "{member}");
    lines[0].trim_end_matches(" x").to_owned()
}

#[test]
fn scalars_vectors_and_matrices_in_every_spelling() {
    for (member, spelling) in [
        ("bool x;", "bool"),
        ("dword x;", "uint"),
        ("unsigned int x;", "uint"),
        ("unsigned x;", "uint"),
        ("signed int x;", "int"),
        ("unsigned int3 x;", "uint3"),
        ("min10float3 x;", "min10float3"),
        ("float32_t x;", "float"),
        ("float64_t2 x;", "double2"),
        ("uint8_t4 x;", "uint8_t4"),
        ("float1 x;", "float1"),
        ("vector<float, 3> x;", "float3"),
        ("vector<int16_t, 1> x;", "int16_t1"),
        ("vector x;", "float4"),
        ("matrix<half, 2, 3> x;", "half2x3"),
        ("matrix x;", "float4x4"),
        ("float1x4 x;", "float1x4"),
        ("row_major float4x1 x;", "row float4x1"),
        ("column_major const double2x2 x;", "column double2x2"),
        ("precise snorm float4 x;", "float4"),
        ("float const x;", "float"),
    ] {
        assert_eq!(ty(member), spelling, "{member}");
    }
}

/// Measured with Slang 2026.14.1: `int[2][3] a` has 3 elements of 2, and `int[2] a[3]` too.
#[test]
fn arrays() {
    for (member, spelling) in [
        ("float x[2][3];", "float[2][3]"),
        ("int[2][3] x;", "int[3][2]"),
        ("int[2] x[3];", "int[3][2]"),
        ("Array<float, 4> x;", "float[4]"),
        ("float4x4 x[1];", "float4x4[1]"),
        ("float x[];", "float[]"),
    ] {
        assert_eq!(ty(member), spelling, "{member}");
    }
    assert_eq!(ty("uint *x;"), "uint*");
    assert_eq!(ty("uint* x[2];"), "uint*[2]");
    assert_eq!(ty("Ptr<uint> x;"), "uint*");
}

/// Values by the rules of C, checked with GCC 12.
#[test]
fn constant_expressions() {
    for (expression, value) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("100 / 7 % 5", 4),
        ("1 << 2 + 1", 8),
        ("64 >> 2 >> 1", 8),
        ("6 & 3 | 8 ^ 1", 11),
        ("1 < 2 == 1", 1),
        ("5 > 3 && 2 >= 2 && !(1 <= 0)", 1),
        ("0 || 0 ? 5 : 1 ? 6 : 7", 6),
        ("-(-3)", 3),
        ("~0u >> 28", 15),
        ("0u - 1 == 0xFFFFFFFFu", 1),
        ("0x10 + 010", 24),
        ("!0 + +2", 3),
        ("1 ? 2 : 1 / 0", 2),
        ("(int)3u", 3),
        ("3 != 4", 1),
    ] {
        assert_eq!(ty(&format!("float x[{expression}];")), format!("float[{value}]"), "{expression}");
    }
}

#[test]
fn constants_by_name() {
    let constants = "static const uint N = 2, M = N * 2 + 1; static const int Later = Next; static const int Next = 9;
        enum Plain { A, B = 5, C }; enum class Scoped : uint { X = B + 1, Y };
        namespace Outer { static const int K = 3; namespace Inner { static const int L = K + 1; } }
        struct Holder { static const int Count = 6; };";
    for (expression, value) in [
        ("M", 5),
        ("Later", 9),
        ("C", 6),
        ("Plain::B", 5),
        ("Plain.B", 5),
        ("Scoped::Y", 7),
        ("Outer::K", 3),
        ("Outer::Inner::L", 4),
        ("Holder::Count", 6),
        ("uint(N) + int(1)", 3),
    ] {
        let lines = members(&format!("{constants} cbuffer C {{ float x[{expression}]; }}"));
        assert_eq!(lines, [format!("float[{value}] x")], "{expression}");
    }
    let options = DeclareOptions { defines: vec![("WIDTH".into(), "2 + 2".into())], ..DeclareOptions::default() };
    let (_, module) = read_with("cbuffer C { float x[WIDTH * 2]; }", &options);
    assert_eq!(structure(&module.unwrap(), "C").members[0].ty.to_string(), "float[6]");
}

#[test]
fn aliases_and_enums() {
    let source = "typedef float3 Position, Corners[8]; using Color = float4; typealias Weight = half;
        typedef struct { int a; } Anonymous; typedef row_major float2x3 Rows; typedef float F; typedef float F;
        enum Mode { On }; enum class Wide : uint64_t { X };
        cbuffer C { Position p; Corners c[2]; Color k; Weight w; Anonymous n; Rows r; F f; Mode m; Wide v; };";
    let expected = [
        "float3 p",
        "float3[2][8] c",
        "float4 k",
        "half w",
        "Anonymous n",
        "row float2x3 r",
        "float f",
        "Mode m",
        "Wide v",
    ];
    assert_eq!(members(source), expected);
    let module = read(source);
    let Type::Enum(wide) = &structure(&module, "C").members[8].ty else { panic!("an enum") };
    assert_eq!(wide.underlying.spelling(), "uint64_t");
}

#[test]
fn structs() {
    let source = "struct Empty {};
        struct Base { float3 n; };
        struct Derived : Base, IDifferentiable {
            struct Inner { int i; } inner, more[2];
            struct { float u, v; } uv;
            static float ignored; static const int N = 2;
            float w : TEXCOORD0;
            uint low : 3; uint : 0; uint high : N + 1;
            float method(float a) { return a * N; }
            Derived operator+(Derived other) { return other; }
            [mutating] void set(float v) { w = v; }
        };
        cbuffer C { Derived d; Empty e; };";
    let module = read(source);
    let buffer = structure(&module, "C");
    let Type::Struct(derived) = &buffer.members[0].ty else { panic!("a struct") };
    assert_eq!(
        flat(derived),
        [
            "float3 n",
            "Derived::Inner inner",
            "Derived::Inner[2] more",
            "struct uv",
            "float w",
            "uint low : 3",
            "uint  : 0",
            "uint high : 3"
        ]
    );
}

/// Slang needs no `;` after a struct, and has `var`, `let`, `func`, `property`.
#[test]
fn slang_spellings() {
    let source = "module shapes; import a.b; import \"c.slang\"; import a.b;
        public struct S { var a : float3; internal int b; property int c { get { return b; } } __init() { b = 1; } }
        static let N : int = 3;
        func twice(x : int) -> int { return 2 * x; }
        struct Generic<T : IFoo, let K : int = 2> where T : IBar { T first; T rest[K]; }
        interface IFoo { int f(); } interface IBar {}
        cbuffer C { S s; Generic<half> g; Generic<S, N> h; float f[Generic<int, 5>.K2]; }"
        .replace("float f[Generic<int, 5>.K2]; ", "");
    let module = read(&source);
    assert_eq!(module.imports, ["a.b", "c.slang"]);
    let buffer = structure(&module, "C");
    let inside: Vec<Vec<String>> = buffer
        .members
        .iter()
        .map(|member| match &member.ty {
            Type::Struct(ty) => flat(ty),
            other => panic!("{other} is no struct"),
        })
        .collect();
    assert_eq!(inside, [["float3 a", "int b"], ["half first", "half[2] rest"], ["S first", "S[3] rest"]]);
    assert_eq!(buffer.members[2].ty.to_string(), "Generic<S, 3>");
}

#[test]
fn templates() {
    let source = "template<typename T, int N> struct Pair {
            static const int Twice = N * 2;
            struct Part { T t; };
            T first; T rest[Twice]; Part part; Pair<T, N>* next;
        };
        namespace N { template<typename U> struct Box { U u; Pair<U, 1> p; }; }
        template<typename V> struct Outer { N::Box<V> b; };
        cbuffer C { Pair<float2, 3> a; Outer<int> b; Pair<Pair<half, 1>, 2> c; };";
    let module = read(source);
    let buffer = structure(&module, "C");
    let Type::Struct(pair) = &buffer.members[0].ty else { panic!("a struct") };
    assert_eq!(flat(pair), ["float2 first", "float2[6] rest", "Pair::Part part", "Pair<float2, 3>* next"]);
    let Type::Struct(outer) = &buffer.members[1].ty else { panic!("a struct") };
    assert_eq!(flat(outer), ["N::Box<int> b"]);
    assert_eq!(buffer.members[2].ty.to_string(), "Pair<Pair<half, 1>, 2>");
}

/// DXC 1.7.2308 and Slang 2026.14.1 evaluate these alike; `sizeof` of other types depends on more.
#[test]
fn sizes_of_scalars_and_vectors() {
    let source = "struct S { static const uint MOST = 256; uint data[MOST / sizeof(uint)]; };
        cbuffer C { S s; float a[sizeof(double3) / 8]; float b[sizeof(int64_t)]; float c[sizeof(float3)]; };";
    assert_eq!(members(source), ["S s", "float[3] a", "float[8] b", "float[12] c"]);
    let module = read(source);
    let Type::Struct(inner) = &structure(&module, "C").members[0].ty else { panic!("a struct") };
    assert_eq!(flat(inner), ["uint[64] data"]);
}

#[test]
fn pragma_pack_matrix_holds_from_its_line_on() {
    let source = "cbuffer C {\nfloat2x2 a;\n#pragma pack_matrix(row_major)\nfloat2x2 b; column_major float2x2 c; float4 d;\n\
        #pragma pack_matrix(default)\nfloat2x2 e;\n};";
    assert_eq!(members(source), ["float2x2 a", "row float2x2 b", "column float2x2 c", "float4 d", "float2x2 e"]);
}

/// DXC 1.7.2308 to SPIR-V and Slang 2026.14.1 put `S[0][1]` of a `StructuredBuffer<row_major float2x3> S` at byte 4.
#[test]
fn template_arguments_keep_the_order_of_a_matrix() {
    for (declaration, expected) in [
        ("StructuredBuffer<row_major float2x3> C;", "row float2x3"),
        ("RWStructuredBuffer<column_major const float2x3> C;", "column float2x3"),
        ("ConstantBuffer<const row_major float2x3> C;", "row float2x3"),
        ("StructuredBuffer<row_major float2x3[2]> C;", "row float2x3[2]"),
        ("StructuredBuffer<Array<row_major float2x3, 2> > C;", "row float2x3[2]"),
        ("typealias Rows = row_major float2x3; StructuredBuffer<Rows> C;", "row float2x3"),
        ("typedef row_major float2x3 Rows; StructuredBuffer<column_major Rows> C;", "column float2x3"),
        ("#pragma pack_matrix(row_major)\nStructuredBuffer<column_major float2x3> C;", "column float2x3"),
        ("row_major StructuredBuffer<float2x3> C;", "float2x3"),
    ] {
        let module = read(declaration);
        assert_eq!(ordered(&module.blocks[0].element), expected, "{declaration}");
    }
}

#[test]
fn types_that_differ_in_their_order_are_two() {
    let module = read(
        "struct Box<T> { T value; };
        cbuffer C { Box<float2x3> a; Box<row_major float2x3> b; };
        Ptr<float2x3> p; Ptr<row_major float2x3> q;",
    );
    let buffer = structure(&module, "C");
    let boxed = buffer.members.iter().map(|member| match &member.ty {
        Type::Struct(ty) => line(&ty.members[0]),
        other => panic!("{other} is no struct"),
    });
    assert_eq!(boxed.collect::<Vec<_>>(), ["float2x3 value", "row float2x3 value"]);
    let pointees = module.blocks.iter().filter(|block| block.kind == BlockKind::Pointee);
    assert_eq!(pointees.map(|block| ordered(&block.element)).collect::<Vec<_>>(), ["float2x3", "row float2x3"]);
}

#[test]
fn names_are_looked_up_outwards() {
    let source = "struct S { float outer; };
        namespace A { struct S { int inner; }; namespace B { struct T { S s; }; } }
        namespace A::B { struct U { S s; ::S t; }; }
        using namespace A;
        cbuffer C { A::B::U u; B::T t; S s; };";
    let module = read(source);
    let buffer = structure(&module, "C");
    let Type::Struct(u) = &buffer.members[0].ty else { panic!("a struct") };
    assert_eq!(flat(u)[0], "A::S s");
    assert_eq!(buffer.members[2].ty.to_string(), "S");
}

/// Constructs of whole shaders that have no effect on layouts, and must not prevent reading the declarations that have.
#[test]
fn the_rest_of_the_language_is_passed_over() {
    let source = r#"
        static const float3 directions[] = { float3(1, 0, 0), float3(0, 1, 0) };
        SamplerState samplers { Filter = MIN_MAG_MIP_LINEAR; AddressU = Wrap; };
        sampler2D legacy = sampler_state { Texture = <tex>; };
        static const uint2 size = uint2(8, 8);
        struct Out { float4 at : SV_Position; nointerpolation uint id : ID; linear sample float2 uv[2] : TEXCOORD0; };
        template<typename T> T mix(T a, T b, float t = 0.5f) { return a + (b - a) * t; }
        globallycoherent RWStructuredBuffer<uint> counters : register(u0, space1);
        groupshared float tile[8][8 + 1];
        typedef RWStructuredBuffer<uint> Counters; Counters more;
        [RootSignature("RootFlags(0)")] [shader("geometry")] [maxvertexcount(3)]
        void geometry(triangle Out input[3], inout TriangleStream<Out> stream) { stream.Append(input[0]); }
        [shader("hull")] [domain("tri")] Out hull(InputPatch<Out, 3> patch, uint i : SV_OutputControlPointID) {}
        struct [raypayload] Payload { float4 color : read(caller) : write(caller); };
        [shader("closesthit")] void hit(inout Payload p, in BuiltInTriangleIntersectionAttributes attributes) {}
        [shader("mesh")] [numthreads(size.x, size.y, 1)]
        void mesh(out vertices Out verts[64], out indices uint3 triangles[126], in payload Payload p) {}
        struct Operators { float4x4 m; float operator[](int i) { return m[i][0]; } static Operators make();
            bool operator==(Operators o) { return true; } float operator()(int x) { return 0; } };
        let count = 4; float3 light = float3(1, 2, 3) * 2.0f + directions[0], other;
        export float exported(float x) { return x; }
        cbuffer C { Operators o; float tail[count]; }"#;
    let module = read(source);
    assert_eq!(module.warnings, []);
    assert_eq!(structure(&module, "C").members.iter().map(line).collect::<Vec<_>>(), ["Operators o", "float[4] tail"]);
    let globals = structure(&module, "$Globals");
    assert_eq!(globals.members.iter().map(line).collect::<Vec<_>>(), ["float3 light", "float3 other"]);
    assert_eq!(module.entry_points.len(), 4);
    assert_eq!(module.entry_points[0].parameters[1].ty.to_string(), "Out");
}

/// The cases in the folders `structs` and `arrays` have the sizes and offsets of these from DXC (1.7.2308).
#[test]
fn templates_have_declarations_for_certain_arguments() {
    let templates = "template<typename T, int N = 2> struct B { T v[N]; };
        template<typename T> struct B<T, 1> { T one; };
        template<int N> struct B<float, N> { float2 two[N]; };
        template<> struct B<float, 1> { double d; };
        template<> struct B<SamplerState> { uint index; };
        template<typename T, int M> struct B<vector<T, M>, 2> { T component; };
        template<typename T> struct B<Texture2D<T>, 2> { T texel; };
        template<typename T> struct W { T t; };
        template<typename T> struct B<W<T>, 2> { T inside; };";
    let uses = [
        ("B<int>", "int[2] v"),
        ("B<int, 1>", "int one"),
        ("B<float, 3>", "float2[3] two"),
        ("B<float, 1>", "double d"),
        ("B<SamplerState>", "uint index"),
        ("B<int3>", "int component"),
        ("B<int3, 3>", "int3[3] v"),
        ("B<Texture2D<float4> >", "float4 texel"),
        ("B<W<half> >", "half inside"),
    ];
    for (used, member) in uses {
        let module = read(&format!("{templates} StructuredBuffer<{used}> C;"));
        assert_eq!(flat(&structure(&module, "C")), [member], "{used}");
    }
}

#[test]
fn keywords_and_words_that_name_a_type() {
    let source = "struct T { float3 x; }; enum E { A }; struct O { struct L { int i; }; };
        template<typename P> struct H { typename P::L l; };
        cbuffer C { struct T t; enum E e; unsigned int u; unsigned int2x3 m; H<O> h; struct T a[2]; }
        StructuredBuffer<struct T> s; float f(struct T t) { return 1; } struct T g;";
    assert_eq!(members(source), ["T t", "E e", "uint u", "uint2x3 m", "H<O> h", "T[2] a"]);
}

#[test]
fn what_is_defined_outside_of_its_struct_is_no_parameter() {
    let source = "struct S { static uint s; static const uint N; struct P { float4 v; S up(); }; float f(); };
        namespace M { struct Q { float2 a; }; Q make(); }
        uint S::s = 20; const uint S::N = 3;
        S S::P::up() { S s; return s; } float S::f() { return 1; } M::Q M::make() { return (M::Q)0; }
        template<typename T> struct G { T t; T get(); }; template<typename T> T G<T>::get() { return t; }
        cbuffer C { float a[S::N]; S::P p; }";
    let module = read(source);
    assert_eq!(module.parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), ["C"]);
    assert_eq!(members(source), ["float[3] a", "S::P p"]);
    let functions: Vec<&str> = module.functions.iter().map(|function| function.name.as_str()).collect();
    for name in ["S::P::up", "S::f", "M::make", "G::get"] {
        assert!(functions.contains(&name), "{name} of {functions:?}");
    }
}

#[test]
fn built_in_structs_and_what_is_no_parameter() {
    let source = "string name = \"x\"; GlobalRootSignature g = { \"CBV(b0)\" }; TriangleHitGroup h = { \"a\", \"b\" };
        struct C1 { RayDesc r; BuiltInTriangleIntersectionAttributes a; }; ConstantBuffer<C1> C;";
    let module = read(source);
    assert_eq!(module.parameters.len(), 1);
    assert_eq!(members(source), ["RayDesc r", "BuiltInTriangleIntersectionAttributes a"]);
    let Type::Struct(ray) = &structure(&module, "C").members[0].ty else { panic!("a struct") };
    assert_eq!(flat(ray), ["float3 Origin", "float TMin", "float3 Direction", "float TMax"]);
    refused_as("struct S { string s; };", Code::Unsupported);
    assert_eq!(members("struct RayDesc { int own; }; cbuffer C { RayDesc r; }"), ["RayDesc r"]);
}

/// slangc 2026.14.1 reflects handles as `uint2`.
#[test]
fn handles_of_resources() {
    let source =
        "struct T { Texture2D.Handle a; DescriptorHandle<SamplerState> b; StructuredBuffer<float>.Handle c[2]; };
        ConstantBuffer<T> C;";
    let expected = [
        "DescriptorHandle<Texture2D> a",
        "DescriptorHandle<SamplerState> b",
        "DescriptorHandle<StructuredBuffer<float>>[2] c",
    ];
    assert_eq!(members(source), expected);
    assert_eq!(read(source).blocks.len(), 1);
}

#[test]
fn values_that_modules_link() {
    assert_eq!(problems_of("extern static const int N = 4; float a[N];"), [Code::Ignored]);
    assert_eq!(problems_of("extern static const int N; export static const int N = 4; float a[N];"), []);
    assert_eq!(problems_of("export static const int M = 3; static const int K = 2 * M; float a[K];"), []);
    assert_eq!(problems_of("extern static const int N; float a;"), []);
}

#[track_caller]
fn refused_as(source: &str, code: Code) {
    assert_eq!(problems_of(source), [code], "{source}");
}

fn problems_of(source: &str) -> Vec<Code> {
    super::problems(source).into_iter().map(|(_, code)| code).collect()
}

/// Offsets and lengths as DXC 1.7.2308 lists them (`-T ps_6_6`). All of these are numbers of elements there.
#[test]
fn constants_are_found_by_qualified_names() {
    let declarations = "namespace ns { static const uint kN = 3; enum Dim { kD = 2 }; enum class Scoped { kS = 4 };
        struct H { static const int N = 5; enum { M = 6 }; }; namespace inner { static const int kI = 7; } }
        template<typename T, uint N = 2> struct Span { T items[N]; uint used; };";
    for (argument, length) in [
        ("ns::kN", 3),
        ("ns::kN + 1", 4),
        ("2 * ns::kN", 6),
        ("ns::kN * 2", 6),
        ("::ns::kN + 1", 4),
        ("ns::kD", 2),
        ("ns::Dim::kD + 1", 3),
        ("ns::H::N - 1", 4),
        ("2 * ns::H::M", 12),
        ("ns::inner::kI - ns::kN", 4),
        ("(uint)ns::Scoped::kS", 4),
    ] {
        let source = format!("{declarations} cbuffer C {{ float4 d; Span<float4, {argument}> a; }}");
        let block = structure(&read(&source), "C");
        let span = &block.members[1].ty;
        assert_eq!(span.to_string(), format!("Span<float4, {length}>"), "{argument}");
    }
}

#[test]
fn enumerators_know_their_own_enum() {
    let kinds = "enum class Kind : uint { None = 0, Lit = 1 << 3, Count = Lit + 2 }; enum Plain { A = 3, B = A + 2 };";
    assert_eq!(
        members(&format!("{kinds} cbuffer C {{ float4 a[(uint)Kind::Count]; float4 b[B]; }}")),
        ["float4[10] a", "float4[5] b"]
    );
    // A member with the same name outside the enum is a different one.
    let outside = "static const int Lit = 1; enum class Kind { Lit = 4, Count = Lit + 2 };";
    assert_eq!(
        members(&format!("{outside} cbuffer C {{ float4 a[(uint)Kind::Count]; float4 b[Lit]; }}")),
        ["float4[6] a", "float4[1] b"]
    );
    let factorial = "template<uint n> struct F { enum { value = n * F<n - 1>::value }; };
        template<> struct F<0> { enum { value = 1 }; };";
    assert_eq!(
        members(&format!("{factorial} cbuffer C {{ float4 a[F<4>::value]; float4 b[F<3>::value]; }}")),
        ["float4[24] a", "float4[6] b"]
    );
}

// DXC 1.7.2308 and slangc 2026.14.1 take both.
#[test]
fn binary_literals_are_lengths() {
    assert_eq!(members("cbuffer C { float4 a[0b10]; float b[0B11u]; }"), ["float4[2] a", "float[3] b"]);
}

#[test]
fn unsigned_stands_before_other_integers() {
    assert_eq!(
        members("cbuffer C { unsigned int2 a; unsigned dword3x4 b; unsigned min16int3 c; unsigned int64_t2 d; }"),
        ["uint2 a", "uint3x4 b", "min16uint3 c", "uint64_t2 d"]
    );
}

/// Record layouts are up to the host; DXC supports them since release 1.8.2403.
#[test]
fn parameters_of_work_graphs_are_read() {
    let source = "struct R { uint3 g : SV_DispatchGrid; uint n; }; RWByteAddressBuffer o : register(u0);
        [Shader(\"node\")] [NodeLaunch(\"broadcasting\")] [NodeMaxDispatchGrid(8, 8, 1)] [NumThreads(8, 8, 1)]
        void n(DispatchNodeInputRecord<R> r, [MaxRecords(4)] NodeOutput<R> next) { o.Store(0, r.Get().n); }";
    let module = read(source);
    assert!(module.warnings.is_empty(), "{:?}", module.warnings);
    assert_eq!(module.entry_points.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["n"]);
}
