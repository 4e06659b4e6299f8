//! Tests words, owners and planes of a small block.

use layoutproof_device::words_of;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{BlockKind, Component, Extent, LaidOutMember, Leaf, Reach, ViewId};

use super::encoding::{Digit, Plane, WordCode};
use super::*;

const FLOAT: Component = Component { scalar: Scalar::Float32, size: 4 };
const HALF: Component = Component { scalar: Scalar::Float16, size: 2 };

/// `float a` at byte 0, `half h` at byte 8, 16 bytes in all.
fn block() -> (BlockLayout, ProbePlan) {
    let scalar = |component: Component| LaidOut {
        type_name: component.scalar.spelling().into(),
        size: Extent::Finite(component.size),
        alignment: component.size,
        shape: LaidOutShape::Scalar(component),
    };
    let member = |name: &str, offset, component| LaidOutMember {
        name: name.into(),
        is_base: false,
        offset,
        bits: None,
        layout: scalar(component),
    };
    let laid_out = LaidOut {
        type_name: "S".into(),
        size: Extent::Finite(16),
        alignment: 4,
        shape: LaidOutShape::Struct(vec![member("a", 0, FLOAT), member("h", 8, HALF)]),
    };
    let leaf = |path: &str, component, offset| Leaf { path: path.into(), steps: Vec::new(), component, offset };
    // The plan does not probe `h`.
    let plan = ProbePlan { leaves: vec![leaf("a", FLOAT, 0)], not_probed: Vec::new(), entries: Vec::new() };
    (layout(Ok(laid_out)), plan)
}

fn layout(result: Result<LaidOut, Vec<layoutproof_layout::Refusal>>) -> BlockLayout {
    BlockLayout {
        view: ViewId::default(),
        rules: "std430".into(),
        name: "S".into(),
        kind: BlockKind::StorageBlock,
        reach: Reach::Parameter,
        has_global_members: false,
        count: Count::Finite(1),
        result,
        stride: None,
        warnings: Vec::new(),
    }
}

#[test]
fn words_say_what_they_are() {
    let table = [
        (0xC0DE_0024, DecodedWord::Data(36), "data at byte 36"),
        (!0xC0DE_0024, DecodedWord::Unwritten(36), "what stood at byte 36 before"),
        (0xC3DE_0024, DecodedWord::OtherDispatch(36), "what another dispatch had at byte 36"),
        (!0xC3DE_0024, DecodedWord::OtherDispatch(36), "what another dispatch had at byte 36"),
        (0xBADD_0030, DecodedWord::Padding(48), "padding at byte 48"),
        (0xCAFE_0040, DecodedWord::Guard(64), "guard at byte 64, after the block"),
        (0xBEEF_BEEF, DecodedWord::Before, "memory before the block"),
        (0x600D_0007, DecodedWord::Nonce(7), "nonce 7"),
        (0xE1E1_E1E2, DecodedWord::Element(2), "element 2 of the array of buffers"),
        (0xF111_F111, DecodedWord::Refill, "the output buffer's refill"),
        (0, DecodedWord::Zero, "zero"),
        (0x1234_5678, DecodedWord::Unknown(0x1234_5678), "no word of the image"),
    ];
    for (word, meaning, text) in table {
        assert_eq!((decode(word), decode(word).to_string().as_str()), (meaning, text));
    }
}

#[test]
fn words_are_normal_floats() {
    for tag in [DATA_TAG, !DATA_TAG, PADDING_TAG, GUARD_TAG, NONCE_TAG, ELEMENT_TAG, BEFORE_WORD, REFILL_WORD] {
        for offset in [0, 4, 0x7FFC, 0xFFFC] {
            assert!(f32::from_bits(tag ^ offset).is_normal(), "{:#010X}", tag ^ offset);
        }
    }
}

#[test]
fn every_byte_has_an_owner() {
    let (layout, plan) = block();
    let image = BlockImage::new(&layout, &plan).unwrap().with_guards(4);
    assert_eq!(
        words_of(&image.bytes(Ink::Words(Half::Low), Salt::default())),
        [0xC0DE_0000, 0xBADD_0004, 0xC0DE_0008, 0xBADD_000C, 0xCAFE_0010]
    );
    let (leaf, half) = (Owner::Leaf(0), Owner::NotProbed);
    let (padding, guard) = (Owner::Padding, Owner::Guard);
    let first = [leaf, leaf, leaf, leaf, padding, padding, padding, padding, half, half];
    assert_eq!(image.owners[..10], first);
    assert_eq!(image.owners[10..], [[padding; 6].as_slice(), &[guard; 4]].concat());
}

#[test]
fn complement_flips_the_bytes_of_leaves_only() {
    let (layout, plan) = block();
    let image = BlockImage::new(&layout, &plan).unwrap().with_guards(4);
    assert_eq!(
        words_of(&image.complemented_bytes(Ink::Words(Half::Low), Salt::default())),
        [0x3F21_FFFF, 0xBADD_0004, 0xC0DE_FFF7, 0xBADD_000C, 0xCAFE_0010]
    );
}

#[test]
fn guards_end_with_images() {
    let image = |size: usize| BlockImage { owners: vec![Owner::Padding; size] };
    let low = Ink::Words(Half::Low);
    assert_eq!(image(16).guards_behind(8, low), [0x10, 0, 0xFE, 0xCA, 0x14, 0, 0xFE, 0xCA]);
    assert_eq!(image(0x00FF_FFFC).guards_behind(64, low).len(), 4);
    assert_eq!(image(0x0100_0000).guards_behind(64, low).len(), 0);
}

#[test]
fn two_halves_name_an_offset() {
    let image = BlockImage { owners: vec![Owner::Padding; 0x1_2348] };
    let at = |half| *words_of(&image.bytes(Ink::Words(half), Salt::default())).last().unwrap();
    assert_eq!([at(Half::Low), at(Half::High)], [0xBADD_2344, 0xBADD_0001]);
    assert_eq!([Half::Low, Half::High].map(|half| data_word(0x2_0008, half)), [0xC0DE_0008, 0xC0DE_0002]);
    assert_eq!(Half::needed(0x1_0000), [Half::Low]);
    assert_eq!(Half::needed(0x1_0001), [Half::Low, Half::High]);
    let table = [
        (0xBADD_2344, 0xBADD_0001, DecodedWord::Padding(0x1_2344)),
        (0xC0DE_0008, 0xC0DE_0002, DecodedWord::Data(0x2_0008)),
        (!0xC0DE_0008, !0xC0DE_0002, DecodedWord::Unwritten(0x2_0008)),
        (0xCAFE_0000, 0xCAFE_0001, DecodedWord::Guard(0x1_0000)),
        (0xBEEF_BEEF, 0xBEEF_BEEF, DecodedWord::Before),
        (0, 0, DecodedWord::Zero),
        (0xC0DE_0008, 0xBADD_0002, DecodedWord::Unknown(0xC0DE_0008)),
        (0xC0DE_0008, 0, DecodedWord::Unknown(0xC0DE_0008)),
    ];
    for (low, high, meaning) in table {
        assert_eq!(decode_halves(low, Some(high)), meaning);
    }
    assert_eq!(decode_halves(0xC0DE_0008, None), DecodedWord::Data(8));
}

#[test]
fn planes_hold_a_digit_in_every_byte() {
    let (layout, plan) = block();
    let image = BlockImage::new(&layout, &plan).unwrap();
    let plane = |digit, complemented| Ink::Plane(Plane { code: WordCode::Bytes, digit, complemented });
    let third = image.bytes(plane(Digit::Offset(2), false), Salt::default());
    assert_eq!(third, [[0x35; 4], [0x4A; 4], [0x35; 4], [0x4A; 4]].concat());
    let data = [[0x35; 4].as_slice(), &[0x4A; 4], &[0x35; 2], &[0x4A; 6]].concat();
    assert_eq!(image.bytes(plane(Digit::Data, true), Salt::default()), data);
}

#[test]
fn blocks_without_an_image_are_refused() {
    let (mut large, plan) = block();
    large.result = large.result.map(|laid_out| LaidOut { size: Extent::Finite(16_777_220), ..laid_out });
    let error = BlockImage::new(&large, &plan).unwrap_err();
    assert_eq!(error.to_string(), "block `S` takes 16777220 bytes, images end at 16777216 bytes");
    let (mut full, plan) = block();
    full.result = full.result.map(|laid_out| LaidOut { size: Extent::Finite(16_777_216), ..laid_out });
    assert_eq!(BlockImage::new(&full, &plan).unwrap().with_guards(64).owners.len(), 16_777_216);
    let error = BlockImage::new(&layout(Err(Vec::new())), &plan).unwrap_err();
    assert_eq!(error, ImageError::Refused { rules: "std430".into(), block: "S".into() });
}
