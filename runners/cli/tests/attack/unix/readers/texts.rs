//! Readers of shader files and cases.

use super::Reader;
use super::corpus::{declarations, files};

/// Words of HLSL and Slang.
const HLSL: &[&str] = &[
    "cbuffer",
    "struct",
    "float3x4",
    "row_major",
    "packoffset",
    "register",
    "c65536",
    "space4294967295",
    "template",
    "#include",
    "#define",
    "#if",
    "typedef",
    "StructuredBuffer",
    "ConstantBuffer",
    "ParameterBlock",
    "double4",
    "min16float",
    "namespace",
    "static",
    "const",
    "enum",
    "class",
    "this",
    "interface",
    "extension",
    "uint64_t",
    "vk",
];

/// Words of WGSL.
const WGSL: &[&str] = &[
    "struct",
    "array",
    "vec3",
    "mat4x4",
    "var",
    "uniform",
    "storage",
    "read_write",
    "@size",
    "@align",
    "@group",
    "@binding",
    "override",
    "const",
    "fn",
    "if",
    "else",
    "loop",
    "switch",
    "ptr",
    "f16",
    "enable",
    "alias",
    "diagnostic",
];

/// Words of GLSL.
const GLSL: &[&str] = &[
    "layout",
    "std140",
    "std430",
    "binding",
    "uniform",
    "buffer",
    "struct",
    "mat3",
    "dvec4",
    "#define",
    "#if",
    "#version",
    "row_major",
    "offset",
    "align",
    "push_constant",
    "const",
    "precision",
    "shared",
    "if",
    "else",
    "void",
    "1<<30",
];

/// Keys and tables of case files.
const CASE: &[&str] = &[
    "schema",
    "declare",
    "expect",
    "accessed",
    "documented",
    "bind",
    "reject",
    "warn",
    "partial",
    "offsets",
    "strides",
    "authority",
    "compiler",
    "version",
    "spec",
    "std140",
    "hlsl-cbuffer",
    "\"\"\"",
    "[[reject]]",
    "options",
    "defines",
];

/// Readers of shader files and cases.
pub(super) fn readers() -> Vec<Reader> {
    let hlsl = [declarations(), files("harness/fuzz/corpus/declarations", ".hlsl")].concat();
    let slang = [declarations(), files("harness/fuzz/corpus/declarations", ".slang")].concat();
    let seeds = |end: &str| files("runners/cli/tests/attack/unix/readers/seeds", end);
    vec![
        Reader::new("hlsl", hlsl, "a.hlsl", &HLSL_COMMANDS).words(HLSL),
        Reader::new("slang", slang, "a.slang", &SLANG_COMMANDS).words(HLSL),
        Reader::new("wgsl", seeds(".wgsl"), "a.wgsl", &WGSL_COMMANDS).words(WGSL),
        Reader::new("glsl", seeds(".glsl"), "a.glsl", &GLSL_COMMANDS).words(GLSL),
        Reader::new("spirv", files("harness/fuzz/corpus/spirv", ".spv"), "a.spv", &SPIRV_COMMANDS),
        Reader::new("case", files("cases", ".toml"), "a.toml", &CASE_COMMANDS).words(CASE),
    ]
}

const HLSL_COMMANDS: [&str; 6] = [
    "show a.hlsl",
    "show a.hlsl --format json --rules std140,scalar",
    "show a.hlsl --target d3d12 --convention dxc",
    "show a.hlsl --format rust-asserts --rules std140",
    "diff a.hlsl std140 scalar",
    "run a.hlsl --rules std140 --device model",
];
const SLANG_COMMANDS: [&str; 5] = [
    "show a.slang",
    "show a.slang --target vulkan --convention slang --format json",
    "show a.slang --target vulkan --convention slang --format slang-yaml",
    "show a.slang --target d3d12 --convention slang --format slang-json",
    "run a.slang --rules scalar --device model --form leaf",
];
const WGSL_COMMANDS: [&str; 3] = ["show a.wgsl", "show a.wgsl --format json", "run a.wgsl --device model --form leaf"];
const GLSL_COMMANDS: [&str; 3] = ["show a.glsl", "show a.glsl --format json", "run a.glsl --device model --form leaf"];
const SPIRV_COMMANDS: [&str; 3] = ["show a.spv", "show a.spv --format json", "run a.spv --device model --form leaf"];
const CASE_COMMANDS: [&str; 5] = [
    "show a.toml",
    "run a.toml --device model --form leaf",
    "list --cases a.toml",
    "dev export a.toml --format amber",
    "dev export a.toml --format offload-test",
];
