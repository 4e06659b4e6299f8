//! Properties that every layout without explicit offsets has.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::check::DEFAULT;
use super::declare::block;
use crate::scalar::SixteenBit;
use crate::shape::MatrixOrder;
use crate::tree::{Extent, LaidOut, LaidOutMember, LaidOutShape};
use crate::{LayoutOptions, MAX_TYPES, lay_out, table};

const TYPES: &[&str] = &[
    "bool",
    "int",
    "float",
    "double",
    "half",
    "uint16_t",
    "float2",
    "float3",
    "half3",
    "double3",
    "float4",
    "float2x3",
    "row_major float3x2",
    "half3x3",
    "float1x3",
    "row_major float3x1",
    "double1x1",
    "float4x4",
    "E",
    "L",
    "Z",
];

/// `struct` declarations with members of [`TYPES`] and of earlier structs, and a block of the last
/// struct.
fn declarations() -> impl Strategy<Value = String> {
    let member = (0..TYPES.len() + 2, 0..6_u32, 0..4_u32);
    let body = proptest::collection::vec(member, 1..7);
    (proptest::collection::vec(body, 1..4), 0..4_usize).prop_map(|(bodies, kind)| {
        let mut text = "enum E : uint16_t { }; enum L : uint64_t { }; struct Z { };".to_owned();
        let last = bodies.len() - 1;
        for (level, body) in bodies.iter().enumerate() {
            let keyword = if level == last { ["cbuffer", "constant", "element", "push"][kind] } else { "struct" };
            let members = body.iter().enumerate().map(|(index, (ty, dimension, inner))| {
                let ty = match TYPES.get(*ty) {
                    Some(ty) => (*ty).to_owned(),
                    None if level == 0 => "float".to_owned(),
                    None => format!("T{}", level - 1),
                };
                let dimensions = match (dimension, inner) {
                    (0, 1..) => format!("[{inner}][2]"),
                    (1, 1..) => format!("[{inner}]"),
                    _ => String::new(),
                };
                format!("{ty} m{index}{dimensions};")
            });
            let members = members.collect::<String>();
            write!(text, "{keyword} T{level} {{ {members} }};").expect("writing to a string never fails");
        }
        text
    })
}

fn options() -> impl Strategy<Value = LayoutOptions> {
    (any::<bool>(), any::<bool>()).prop_map(|(row, off)| LayoutOptions {
        matrix: if row { MatrixOrder::Row } else { DEFAULT.matrix },
        sixteen_bit: if off { SixteenBit::Off } else { DEFAULT.sixteen_bit },
        ..DEFAULT
    })
}

fn finite(layout: &LaidOut) -> u32 {
    match layout.size {
        Extent::Finite(size) => size,
        Extent::Unbounded => panic!("{} has no end", layout.type_name),
    }
}

/// Calls `visit` with the members of every struct in `layout` and the struct's size.
fn structs(layout: &LaidOut, visit: &mut impl FnMut(&[LaidOutMember], u32)) {
    if let LaidOutShape::Struct(members) = &layout.shape {
        visit(members, finite(layout));
        for member in members {
            structs(&member.layout, visit);
        }
    }
    if let LaidOutShape::Array { element, .. } = &layout.shape {
        structs(element, visit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn members_ascend_at_their_alignment_without_overlap(text in declarations(), options in options()) {
        for rules in table() {
            let Ok(root) = lay_out(&block(&text), rules, options).result else { continue };
            structs(&root, &mut |members, size| {
                let mut end = 0;
                for member in members {
                    let LaidOutMember { name, offset, layout, .. } = member;
                    assert!(*offset >= end, "{}: {name} at {offset}, end {end}", rules.name);
                    assert!(finite(layout) == 0 || offset % layout.alignment == 0, "{}: {name}", rules.name);
                    end = offset + finite(layout);
                }
                assert!(size >= end, "{}: size {size}, end {end}", rules.name);
            });
        }
    }

    #[test]
    fn leaves_lie_in_the_block_and_share_no_byte(text in declarations(), options in options()) {
        // `dx-cbuffer` counts too small a size for a matrix of doubles, as DXC does.
        for rules in table().iter().filter(|rules| rules.name != "dx-cbuffer") {
            let layout = lay_out(&block(&text), rules, options);
            let Ok(root) = &layout.result else { continue };
            let mut leaves = layout.leaves();
            prop_assert_eq!(u64::try_from(leaves.len()).unwrap(), layout.leaf_count());
            leaves.sort_by_key(|leaf| leaf.offset);
            let mut end = 0;
            for leaf in &leaves {
                prop_assert!(leaf.offset >= end, "{}: {} at {}, end {}", rules.name, leaf.path, leaf.offset, end);
                end = leaf.offset + leaf.component.size;
            }
            prop_assert!(end <= finite(root), "{}: size {}, end {}", rules.name, finite(root), end);
        }
    }

    #[test]
    fn rows_are_the_members_of_the_tree(text in declarations()) {
        for rules in table() {
            let layout = lay_out(&block(&text), rules, DEFAULT);
            let rows = layout.rows();
            let paths: std::collections::BTreeSet<&str> = rows.iter().map(|row| &*row.path).collect();
            prop_assert_eq!(paths.len(), rows.len(), "a path names one member");
            prop_assert!(rows.is_empty() == layout.result.is_err() && rows.len() < MAX_TYPES as usize);
        }
    }
}
