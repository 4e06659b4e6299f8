//! Numbers of `layoutproof show` compared with those of compilers for the same two files, for every
//! member of every block.
//!
//! `data.hlsl`: the listing of DXC 1.7.2308, `-T cs_6_6 -E main -HV 2021 -enable-16bit-types`. The
//! listing has a separate row for a base struct, which is omitted here, and lists a bit-field as
//! its storage unit.
//!
//! `shapes.slang`: the reflection of Slang 2026.14.1, `-target spirv -matrix-layout-column-major
//! -entry main -stage compute -no-codegen -reflection-json`, with `-fvk-use-scalar-layout` for
//! `scalar@slang` and with `-target hlsl -profile sm_6_6` for `slang-cbuffer`. Bit-fields are
//! listed as their backing member.

use serde_json::Value;

use super::folder::Folder;
use super::show::{DATA, SHAPES};

/// Name and size of a block, and each member's path with its offset, in bytes.
type Block = (&'static str, u32, &'static str);

/// DXC 1.7.2308, constant and texture buffers.
const DXC_BUFFERS: [Block; 10] = [
    (
        "Scalars",
        96,
        "s_bool 0, s_int 4, s_uint 8, s_dword 12, s_half 16, s_float 20, s_double 24, s_min16float 32, s_min16int 34, \
         s_min16uint 36, s_float16 38, s_float32 40, s_float64 48, s_int16 56, s_uint16 58, s_int32 60, s_uint32 64, \
         s_int64 72, s_uint64 80, s_unsigned 88, s_mode 92",
    ),
    (
        "Shapes",
        754,
        "v1 0, v2 4, v3 16, v4 32, h3 48, d2 64, b2 80, m23 96, m32 144, r23 176, c42 208, m14 240, r41 304, m11 356, \
         m44 368, grid 432, after_grid 588, ms 592, tail 736",
    ),
    (
        "Outer::Inner::Structs",
        344,
        "before 0, light 16, light.normal 16, light.falloff 32, light.falloff.near 32, light.falloff.far 48, \
         light.intensity 68, light.at 80, between 92, lights 96, lights[].normal 96, lights[].falloff 112, \
         lights[].falloff.near 112, lights[].falloff.far 128, lights[].intensity 148, lights[].at 160, nothing 252, \
         pair 256, pair.first 256, pair.rest 272, packed 320, packed.low 320, packed.middle 320, packed.high 324, \
         packed.after 328, last 336",
    ),
    ("Outer::Structs", 4, "other 0"),
    ("Placed", 128, "first 32, second 8, third 0, fourth 64"),
    ("Table", 140, "rows 0, tail_of_table 128"),
    ("constant_buffer", 76, "normal 0, falloff 16, falloff.near 16, falloff.far 32, intensity 52, at 64"),
    ("constant_buffers", 12, "normal 0"),
    ("texture_buffer", 52, "first 0, rest 16"),
    ("$Globals", 88, "loose 0, loose_tail 16, loose_matrix 48"),
];

/// DXC 1.7.2308, elements of structured buffers.
const DXC_ELEMENTS: [Block; 5] = [
    ("vectors", 12, " 0"),
    ("lights_out", 40, "normal 0, falloff 12, falloff.near 12, falloff.far 16, intensity 24, at 28"),
    ("unbounded_out", 12, "low 0, middle 0, high 4, after 8"),
    ("appended", 12, "normal 0"),
    ("consumed", 12, "normal 0"),
];

/// Slang 2026.14.1, SPIR-V.
const SLANG_STD140: [Block; 7] = [
    ("material", 48, "tint 0, inner 16, inner.uv 16, roughness 32"),
    ("material.flags", 16, "low 0, high 0, after 4"),
    ("material.nested", 16, "uv 0"),
    (
        "everything",
        560,
        "weight 0, colour 16, mode 32, small 48, small.first 48, small.second 49, small.third 50, small.fourth 52, m13 64, \
         m31 112, rows 128, columns 160, halves 208, grid 240, box 336, box.corner 336, box.sides 352, boxes 416, \
         boxes[].corner 416, boxes[].sides 432, square 480, square.side 480, square.small 496, square.small.first 496, \
         square.small.second 497, square.small.third 498, square.small.fourth 500, wide 512, flags 528, flags.low 528, \
         flags.high 528, flags.after 532, list 544, last 552",
    ),
    ("$Globals", 48, "global_a 0, global_b 16, global_stream 32"),
    ("Explicit", 32, "a 20, b 0"),
    ("$Entry.main", 80, "exposure 0, colours 16, nodes 64"),
];

/// Slang 2026.14.1, SPIR-V; texture buffers and push constants use std430 there.
const SLANG_STD430: [Block; 3] = [
    (
        "elements",
        336,
        "weight 0, colour 16, mode 32, small 36, small.first 36, small.second 37, small.third 38, small.fourth 40, m13 44, \
         m31 64, rows 80, columns 112, halves 136, grid 152, box 176, box.corner 176, box.sides 192, boxes 256, \
         boxes[].corner 256, boxes[].sides 264, square 288, square.side 288, square.small 292, square.small.first 292, \
         square.small.second 293, square.small.third 294, square.small.fourth 296, wide 304, flags 312, flags.low 312, \
         flags.high 312, flags.after 316, list 320, last 328",
    ),
    ("push", 12, "side 0, small 4, small.first 4, small.second 5, small.third 6, small.fourth 8"),
    ("squares", 12, "side 0, small 4, small.first 4, small.second 5, small.third 6, small.fourth 8"),
];

/// Slang 2026.14.1, SPIR-V with scalar layout.
const SLANG_SCALAR: [Block; 7] = [
    ("material", 28, "tint 0, inner 16, inner.uv 16, roughness 24"),
    ("material.flags", 8, "low 0, high 0, after 4"),
    ("material.nested", 8, "uv 0"),
    (
        "everything",
        252,
        "weight 0, colour 4, mode 20, small 24, small.first 24, small.second 25, small.third 26, small.fourth 28, m13 32, \
         m31 44, rows 56, columns 80, halves 104, grid 116, box 140, box.corner 140, box.sides 144, boxes 192, \
         boxes[].corner 192, boxes[].sides 194, square 208, square.side 208, square.small 212, square.small.first 212, \
         square.small.second 213, square.small.third 214, square.small.fourth 216, wide 224, flags 232, flags.low 232, \
         flags.high 232, flags.after 236, list 240, last 248",
    ),
    ("$Globals", 24, "global_a 0, global_b 4, global_stream 16"),
    ("Explicit", 24, "a 20, b 0"),
    ("$Entry.main", 48, "exposure 0, colours 4, nodes 40"),
];

/// Slang 2026.14.1, HLSL; without blocks that have pointers, because HLSL has no pointers.
const SLANG_D3D: [Block; 6] = [
    ("material", 28, "tint 0, inner 16, inner.uv 16, roughness 24"),
    ("material.flags", 8, "low 0, high 0, after 4"),
    ("material.nested", 8, "uv 0"),
    ("push", 24, "side 0, small 16, small.first 16, small.second 17, small.third 18, small.fourth 20"),
    ("squares", 24, "side 0, small 16, small.first 16, small.second 17, small.third 18, small.fourth 20"),
    ("Explicit", 24, "a 20, b 0"),
];

#[track_caller]
fn agrees((file, text): (&str, &str), rules: &str, measured: &[Block]) {
    let folder = Folder::with(&[(file, text)]);
    // A named rule set must accept every block of the file, so bare ones are not named.
    let named = if rules.contains('@') { format!(" --rules {rules}") } else { String::new() };
    let shown = folder.run(&format!("show {file}{named} --format json")).exits(0).json();
    let layout = shown["layouts"].as_array().unwrap().iter().find(|layout| layout["rules"] == rules).unwrap();
    let blocks = layout["blocks"].as_array().unwrap();
    for (name, size, members) in measured {
        let block = blocks.iter().find(|block| block["name"] == *name).unwrap_or_else(|| panic!("no block {name}"));
        let member = |member: &Value| format!("{} {}", member["path"].as_str().unwrap(), member["offset"]);
        let found: Vec<String> = block["members"].as_array().unwrap().iter().map(member).collect();
        assert_eq!(found.join(", "), *members, "{name} under {rules}");
        assert_eq!(block["size"], *size, "size of {name} under {rules}");
    }
}

#[test]
fn hlsl_lies_where_dxc_lists_it() {
    agrees(("data.hlsl", DATA), "hlsl-cbuffer", &DXC_BUFFERS);
    agrees(("data.hlsl", DATA), "hlsl-structured", &DXC_ELEMENTS);
}

#[test]
fn slang_lies_where_slang_reflects_it() {
    agrees(("shapes.slang", SHAPES), "std140@slang", &SLANG_STD140);
    agrees(("shapes.slang", SHAPES), "std430@slang", &SLANG_STD430);
    agrees(("shapes.slang", SHAPES), "scalar@slang", &SLANG_SCALAR);
    agrees(("shapes.slang", SHAPES), "slang-cbuffer", &SLANG_D3D);
}
