//! Tests with random layouts that WGSL can express: naga must give every leaf the layout's offset.

use layoutproof_layout::LaidOut;
use layoutproof_layout::shape::MatrixOrder;
use proptest::prelude::*;

use super::layouts::{
    FLOAT, INT, READ, READ_BY_CONSTANTS, UINT, array, block, entry, generate, matrix, member, naga_offsets, scalar,
    spirv, structure, vector,
};
use layoutproof_probes::{AddressSpace, Direction};
use layoutproof_readers::naga_offsets::NagaError;
use layoutproof_readers::wgsl_probe::WgslProbe;

/// A random type that WGSL can express, with WGSL's alignment and size in bytes.
#[derive(Clone, Debug)]
struct Random {
    laid_out: LaidOut,
    alignment: u32,
    size: u32,
}

fn random_value() -> impl Strategy<Value = Random> {
    let component = prop_oneof![Just(FLOAT), Just(INT), Just(UINT)];
    let vectors = (component, 1..=4_u32).prop_map(|(component, length)| {
        let laid_out = if length == 1 { scalar(component) } else { vector(component, length) };
        Random { laid_out, alignment: 4 * length.next_power_of_two(), size: 4 * length }
    });
    let matrices = (2..=4_u32, 2..=4_u32, any::<bool>()).prop_map(|(rows, columns, by_row)| {
        let (order, vectors, length) =
            if by_row { (MatrixOrder::Row, rows, columns) } else { (MatrixOrder::Column, columns, rows) };
        let stride = 4 * length.next_power_of_two();
        Random { laid_out: matrix(rows, columns, order, stride), alignment: stride, size: stride * vectors }
    });
    prop_oneof![3 => vectors, 1 => matrices]
}

/// Makes an array whose stride is `extra` alignments wider than necessary.
fn random_array(element: &Random, count: u32, extra: u32) -> Random {
    let stride = element.size.next_multiple_of(element.alignment) + extra * element.alignment;
    Random { laid_out: array(element.laid_out.clone(), count, stride), size: stride * count, ..*element }
}

/// Makes a struct with members placed `gap` alignments later than necessary.
fn random_struct(members: &[(Random, u32)]) -> Random {
    let mut end = 0_u32;
    let mut placed = Vec::new();
    for (index, (part, gap)) in members.iter().enumerate() {
        let offset = end.next_multiple_of(part.alignment) + gap * part.alignment;
        placed.push(member(&format!("m{index}"), offset, part.laid_out.clone()));
        end = offset + part.size;
    }
    let alignment = members.iter().map(|(part, _)| part.alignment).max().unwrap();
    Random { laid_out: structure(placed), alignment, size: end.next_multiple_of(alignment) }
}

fn random_type() -> impl Strategy<Value = Random> {
    random_value().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (inner.clone(), 1..=3_u32, 0..=2_u32)
                .prop_map(|(element, count, extra)| random_array(&element, count, extra)),
            proptest::collection::vec((inner, prop_oneof![2 => Just(0_u32), 1 => 1..=3_u32]), 1..=4)
                .prop_map(|members| random_struct(&members)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn naga_gives_every_leaf_of_an_expressible_layout_its_offset(random in random_type()) {
        let leaves = block("by-hand", random.laid_out.clone()).leaves();
        let expected: Vec<u32> = leaves.iter().map(|leaf| leaf.offset).collect();
        let mut entries = vec![entry(AddressSpace::Storage, Direction::Read, &READ)];
        entries.extend((random.size <= 256).then(|| entry(AddressSpace::PushConstant, Direction::Read, &READ)));
        entries.extend(READ.map(|form| entry(AddressSpace::Storage, Direction::Write, &[form])));
        for entry in entries {
            let module = generate("std430", &random.laid_out, &entry).unwrap();
            prop_assert_eq!(naga_offsets(&module), expected.clone());
            prop_assert_eq!(module.binding_size, random.size);
        }
    }

    #[test]
    fn uniform_blocks_are_refused_exactly_where_naga_refuses_them(random in random_type()) {
        let storage = generate("std430", &random.laid_out, &entry(AddressSpace::Storage, Direction::Read, &READ_BY_CONSTANTS)).unwrap();
        let text = storage.text.replace("var<storage, read> block", "var<uniform> block");
        let by_naga = spirv(&WgslProbe { text, ..storage });
        match generate("std430", &random.laid_out, &entry(AddressSpace::Uniform, Direction::Read, &READ_BY_CONSTANTS)) {
            Ok(module) => prop_assert_eq!(spirv(&module), by_naga),
            Err(_) => prop_assert!(matches!(by_naga, Err(NagaError::Invalid(_)))),
        }
    }
}
