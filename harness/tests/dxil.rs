//! The evaluator of LLVM text on listings from DXC.
//! DXC 1.7.2308 prints `dxil/probe.ll` for `dxil/probe.hlsl` with `-T cs_6_6 -E probe
//! -enable-16bit-types`. The file runs from `; Buffer Definitions:` to the end of the function, and
//! so do `dxil/views.ll` and `dxil/flow.ll` (DXC 1.7.4006, `-T cs_6_6 -E probe`). The offsets below
//! come from their buffer definitions.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use layoutproof_device::{Batch, BufferKind, Job, ReadBack, Runner, RunnerError, Shader, words_of};
use layoutproof_readers::evaluator::Evaluator;

use crate::fixture::numbered::{buffer, numbered, word};

const LISTING: &str = include_str!("dxil/probe.ll");
const FLOW: &str = include_str!("dxil/flow.ll");
const VIEWS: &str = include_str!("dxil/views.ll");

fn run(listing: &str, index: u32) -> Result<ReadBack, RunnerError> {
    let mut given = vec![0; 4];
    given.extend(index.to_le_bytes());
    let buffers = vec![
        buffer(BufferKind::Uniform, 2, 3, numbered(256)),
        buffer(BufferKind::StorageRead, 0, 4, numbered(256)),
        buffer(BufferKind::StorageRead, 0, 7, given),
        buffer(BufferKind::Storage, 0, 1, vec![0xEE; 40]),
    ];
    let job = Job::compute(Shader::DxilListing(listing.to_owned()), "probe", buffers);
    Evaluator::new().run(&Batch { jobs: vec![job] }).remove(0)
}

fn told(listing: &str, index: u32) -> Vec<u32> {
    let after = run(listing, index).unwrap().buffers.remove(3).bytes;
    words_of(&after)
}

/// a.z 8; c 36; d 40, its high word 44; e 48; on 52, which is true; l: stride 16, p.y of element 2 at 36, h of element 1
/// at 28; b 16 with stride 16.
#[test]
fn loads_are_followed_to_their_bytes() {
    let untouched = 0xEEEE_EEEE;
    let expected = [word(8), word(36), word(44), 24, 1, word(36), 14, word(32), word(4), untouched];
    assert_eq!(told(LISTING, 1), expected);
    assert_eq!(told(LISTING, 0)[7..9], [word(16), word(0)]);
}

/// a.x 0, a.y 4, a.z 8; b 16 with stride 16. A branch chooses between b[1] and a.z, a loop adds the
/// first four or three elements of b, a `switch` chooses between b[1] and a.x, and private memory
/// has a.y before b[at].
#[test]
fn branches_loops_and_private_memory_are_followed() {
    let all = [16, 32, 48, 64].map(word).into_iter().sum();
    assert_eq!(told(FLOW, 1)[..4], [word(32), all, word(32), word(32)]);
    assert_eq!(told(FLOW, 0)[..4], [word(8), word(16) + word(32) + word(48), word(0), word(4)]);
    assert_eq!(told(FLOW, 2)[2], 7);
}

/// The evaluator names what it does not understand, with its line, and what is not bound.
#[test]
fn what_is_not_understood_is_refused() {
    let refusal = |listing: &str| match run(listing, 0) {
        Err(RunnerError::ShaderRefused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(refusal("nothing"), "no data layout");
    assert!(refusal(&LISTING.replace("@probe(", "@other(")).contains("no function `probe`"));
    assert_eq!(refusal(&LISTING.replace("ret void", "br label %nowhere")), "no block is called %nowhere");
    assert!(refusal(&LISTING.replace("rawBufferLoad", "textureLoad")).contains("textureLoad"));
    assert!(
        refusal(&LISTING.replace("i32 3, i32 3, i32 2, i8 2 }, i32 3", "i32 5, i32 5, i32 2, i8 2 }, i32 5"))
            .contains("b5, space2")
    );
    assert!(refusal(&LISTING.replace("extractvalue", "spoon")).contains("spoon"));
}

/// d 8 in elements of 16 bytes; c 16 and b.z 8 of the tbuffer at t1; y 4 in elements of 8 bytes.
/// The last buffer is writable but bound for reading only; u1 and t1 are different buffers.
#[test]
fn every_kind_of_buffer_is_read() {
    let buffers = vec![
        buffer(BufferKind::StorageRead, 0, 0, numbered(64)),
        buffer(BufferKind::StorageRead, 1, 0, numbered(128)),
        buffer(BufferKind::StorageRead, 0, 1, numbered(256)),
        buffer(BufferKind::Storage, 0, 1, vec![0xEE; 24]),
    ];
    let job = Job::compute(Shader::DxilListing(VIEWS.to_owned()), "views", buffers);
    let after = Evaluator::new().run(&Batch { jobs: vec![job] }).remove(0).unwrap().buffers.remove(3).bytes;
    let told = words_of(&after);
    assert_eq!(told, [word(24), word(28), word(16), word(20), word(8), word(20)]);
}
