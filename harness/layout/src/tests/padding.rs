//! Tests of padding against offsets from compilers, and of better orders against compilers' sizes
//! for them.

use super::check::{DEFAULT, accepted, rules};
use super::declare::block;
use crate::padding::{BlockPadding, Hole, HoleKind, padding};
use crate::reorder::{LayoutInput, MemberOrder, Reordering};

fn found(name: &str, declarations: &str) -> BlockPadding {
    let (block, rules) = (block(declarations), rules(name));
    let layout = accepted(rules, &block, DEFAULT);
    padding(&layout, Some(LayoutInput { block: &block, rules, options: DEFAULT })).unwrap()
}

/// Each hole as `PATH OFFSET+SIZE KIND MEMBER`, then `padding/size percent`.
fn summary(name: &str, declarations: &str) -> String {
    let found = found(name, declarations);
    let mut parts = Vec::new();
    for padded in &found.structs {
        let hole = |Hole { kind, member, offset, size }: &Hole| {
            let kind = match kind {
                HoleKind::Before => "before",
                HoleKind::Inside => "inside",
                HoleKind::Tail => "tail",
            };
            format!("{} {offset}+{size} {kind} {member}", padded.path).trim().to_owned()
        };
        parts.extend(padded.holes.iter().map(hole));
    }
    let BlockPadding { padding, size, percent, .. } = found;
    format!("{}; {padding}/{size} {percent} %", parts.join(", "))
}

// Offsets and strides: DXC 1.7.2308, listing with -T cs_6_6 -enable-16bit-types; glslang 12, decorations.
#[test]
fn padding_is_what_the_compilers_offsets_leave() {
    let arrays = "cbuffer S { float3 a; float b[2]; float c; float2 d; };";
    let structs = "struct L { float3 p; float r; float2 q; }; cbuffer S { float a; L l[2]; float b; };";
    let tail = "element P { double d; float f; };";
    for (name, declarations, expected) in [
        ("hlsl-cbuffer", arrays, "12+4 before b, 16+12 inside b; 16/48 33 %"),
        ("std140", arrays, "12+4 before b, 16+24 inside b, 52+4 before d; 32/64 50 %"),
        ("std430", arrays, "; 0/32 0 %"),
        ("hlsl-cbuffer", structs, "4+12 before l, 16+8 inside l; 20/76 26 %"),
        ("std140", structs, "4+12 before l, 84+12 tail b, l[] 24+8 tail q; 40/96 42 %"),
        ("std430", tail, "12+4 tail f; 4/16 25 %"),
    ] {
        assert_eq!(summary(name, declarations), expected, "{name}: {declarations}");
    }
}

fn better(name: &str, declarations: &str) -> Option<MemberOrder> {
    found(name, declarations).structs.into_iter().find_map(|padded| padded.better)
}

fn order(members: &str, size: u32, saves: u32) -> MemberOrder {
    MemberOrder { members: members.split(' ').map(str::to_owned).collect(), size, saves }
}

// Sizes of both orders: DXC 1.7.2308, listing (40 and 32, 24 and 16 bytes); glslang 12, decorations (48 and 32 bytes).
#[test]
fn a_better_order_is_laid_out_under_the_same_rules() {
    let pairs = "cbuffer S { float2 a; float3 b; float c; float2 d; };";
    let vectors = "element P { float a; float3 b; float c; float3 d; };";
    let doubles = "element P { half a; double b; half c; };";
    assert_eq!(better("hlsl-cbuffer", pairs), Some(order("a d b c", 32, 8)));
    assert_eq!(better("std430", vectors), Some(order("b c d a", 32, 16)));
    assert_eq!(better("hlsl-structured", doubles), Some(order("b c a", 16, 8)));
    assert_eq!(better("hlsl-structured", vectors), None);
}

// wg-hlsl INF-0003, packoffset: the declaration fixes the place, whatever the order.
#[test]
fn members_with_a_place_of_their_own_are_left_where_they_are() {
    let text = "cbuffer S { float2 a : packoffset(c0); float3 b : packoffset(c1); float c; float2 d; };";
    assert_eq!(better("hlsl-cbuffer", text), None);
}

// Struct members of a nested struct are reordered under the rules for members of structs: glslang 12, std430, as above.
#[test]
fn nested_structs_and_bases_get_an_order_of_their_own() {
    let nested = "struct P { float a; float3 b; float c; float3 d; }; element Q { P p; float4 e; };";
    assert_eq!(better("std430", nested), Some(order("b c d a", 32, 16)));
    let base = "struct P { float a; float3 b; float c; float3 d; }; element Q : P { float4 e; };";
    assert_eq!(better("std430", base), Some(order("b c d a", 32, 16)));
}

/// Every order of the members, for few of them.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for member in 0..count {
        let insert = |order: Vec<usize>| {
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, member);
                order
            })
        };
        all = all.into_iter().flat_map(insert).collect();
    }
    all
}

/// The search is exact for few members: no other order of them is smaller under the same rules.
#[test]
fn no_order_of_few_members_is_smaller() {
    for declarations in [
        "cbuffer S { float a; float3 b; float2 c; float d[2]; float3 e; };",
        "cbuffer S { float3 a; float3 b; float4 c; float2 d; double e; };",
        "struct T { float3 p; float q; float r; }; cbuffer S { float a; T t; float3 b; T u[2]; float2 c; };",
        "element S { half a; float3 b; half3 c; float d; double e; };",
        "cbuffer S { float2x3 m; float a; float3 b[2]; float2 c; row_major float2x3 n; };",
    ] {
        for name in ["hlsl-cbuffer", "slang-cbuffer", "hlsl-structured", "std140", "std430", "relaxed140", "scalar"] {
            let (block, rules) = (block(declarations), rules(name));
            let input = LayoutInput { block: &block, rules, options: DEFAULT };
            let reordering = Reordering::of(input, "", &block.element.to_string()).unwrap();
            let sizes = orders(reordering.structure().members.len()).into_iter();
            let least = sizes.filter_map(|order| reordering.size_of(&order)).min().unwrap();
            match reordering.best() {
                Some(best) => assert_eq!((best.size, best.is_minimal), (least, true), "{name}: {declarations}"),
                None => assert_eq!(reordering.size(), least, "{name}: {declarations}"),
            }
        }
    }
}

/// A struct of 100 members of many kinds: an order for it is found, and without a noticeable delay.
#[test]
fn many_members_get_an_order() {
    let types = ["float", "float3", "float2", "float4x4", "half", "double", "float3x3", "uint", "half3", "float2x3"];
    let members: Vec<String> = (0..100).map(|index| format!("{} m{index};", types[index * 7 % types.len()])).collect();
    let block = block(&format!("cbuffer S {{ {} }};", members.join(" ")));
    for name in ["hlsl-cbuffer", "std140", "relaxed140"] {
        let input = LayoutInput { block: &block, rules: rules(name), options: DEFAULT };
        let started = std::time::Instant::now();
        let reordering = Reordering::of(input, "", &block.element.to_string()).unwrap();
        let found = reordering.best().unwrap();
        assert!(found.size < reordering.size(), "{name}");
        // Without optimisation the search takes about 20 times as long.
        assert!(started.elapsed() < std::time::Duration::from_secs(2), "{name}: {:?}", started.elapsed());
    }
}
