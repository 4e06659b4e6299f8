//! Constructs in real shader files that no layout needs: skipped, or refused only where they are used.

use super::{members, problems, read};
use layoutproof_source::diagnostics::Code;

#[track_caller]
fn read_over(source: &str) {
    assert_eq!(problems(source), [], "{source}");
}

#[track_caller]
fn warned(source: &str, code: Code) {
    assert!(read(source).warnings.iter().map(|warning| warning.code).eq([code]), "{source}");
}

#[test]
fn words_before_functions() {
    read_over("__glsl_extension(GL_EXT_a) __spirv_version(1.3) float f(float x) { return x; }");
    read_over("struct S { __implicit_conversion(1) __init(int x) { a = x; } int a; }; S s;");
    read_over("struct S { float a; __subscript(int i) -> float { get { return a; } } }; S s;");
    read_over("void print<each T : IPrintable>(expand each T arguments) {} float x;");
}

/// Slang 2026.14.1 needs no `;` after a struct, so an array type may follow its `}`.
#[test]
fn a_function_that_returns_an_array_may_follow_a_struct() {
    read_over("struct S { float a; }\nfloat2[4] corners(S s) { return {}; }\nS s;");
    assert_eq!(members("cbuffer C { struct { float a; } s[2]; };").len(), 1);
}

#[test]
fn a_constant_expression_is_a_constant() {
    assert_eq!(members("static constexpr uint N = 3; cbuffer C { float a[N]; }"), ["float[3] a"]);
}

/// DXC 1.7.2308 accepts a buffer with the name of its type.
#[test]
fn a_buffer_may_have_the_name_of_its_type() {
    let module =
        read("struct Scene { float4 a; };\nConstantBuffer<Scene> Scene : register(b0);\nStructuredBuffer<float> b;");
    let names: Vec<&str> = module.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["Scene", "b"]);
}

#[test]
fn types_that_are_not_read_are_refused_where_they_are_used() {
    warned("extern struct Impl : IImpl; float x;", Code::Skipped);
    warned("export struct Impl : IImpl = Other; float x;", Code::Skipped);
    read_over("export struct Impl { float a; } Impl x;");
    let linked = problems("extern struct Impl : IImpl;\nConstantBuffer<Impl> x;");
    assert_eq!(linked, [(1, Code::Skipped), (2, Code::Unsupported)]);
}

#[test]
fn raw_strings_hide_what_they_hold() {
    read_over("void f() { __intrinsic_asm R\"(\n#if { \"\n)\"; }\nfloat x;");
    assert_eq!(problems("void f() { R\"(\n")[0], (1, Code::Unterminated));
}

/// The shape of headers shared with C++: one macro opens the buffer, others declare its members.
#[test]
fn members_out_of_macros() {
    let source = "#ifdef __cplusplus\n#define BLOCK(n, r) struct alignas(16) n\n#else\n\
        #define PASTE(a, b) a##b\n#define SLOT(r) PASTE(b, r)\n#define BLOCK(n, r) cbuffer n : register(SLOT(r))\n#endif\n\
        #define COUNT (1 << 2)\n#define SLOT_C 3\nBLOCK(C, SLOT_C)\n{\n  float4x4 view;\n  uint flags[COUNT];\n};";
    assert_eq!(members(source), ["float4x4 view", "uint[4] flags"]);
}
