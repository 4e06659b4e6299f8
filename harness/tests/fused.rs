//! Fused groups on the model device: every case answers, and exactly the wrong cases are named.

use layoutproof_device::{Batch, ReadBack, Runner, words_of};
use layoutproof_model::{Misreading, Model};
use layoutproof_probes::{Fold, Form, FusedCase, FusedGroup, FusedJob, FusedSpace, fusable, plan};

use crate::fixture::fused::{case, cases, job, moved};
use crate::fixture::{FLOAT, UINT, block, blocks, scalar, structure};

const FORMS: [Form; 5] = [Form::Leaf, Form::Vector, Form::Whole, Form::Parameter, Form::Indexed];

fn run(job: &FusedJob, model: &mut Model) -> ReadBack {
    let answer = model.run(&Batch { jobs: vec![job.job.clone()] }).pop();
    answer.expect("one answer per job").expect("the model runs what was generated")
}

/// The blocks of the fixture with every form that can be fused.
fn fixture_cases(space: FusedSpace) -> Vec<FusedCase> {
    blocks().into_iter().filter_map(|(_, layout)| case(layout, space, &FORMS)).collect()
}

#[test]
fn every_block_in_every_form_answers() {
    for space in FusedSpace::ALL {
        let cases = fixture_cases(space);
        assert!(cases.len() >= 8, "{} cases in {space:?}", cases.len());
        for fold in [Fold::Hash, Fold::Xor] {
            let job = job(&cases, &cases, space, fold);
            assert_eq!(job.wrong(&run(&job, &mut Model::new())), Vec::<usize>::new(), "{space:?} {fold:?}");
        }
    }
}

#[test]
fn exactly_the_cases_that_moved_are_wrong() {
    for space in FusedSpace::ALL {
        let (expected, written) = (cases(512, "scalar", space), cases(512, "std430", space));
        let moved = moved(&expected, &written);
        assert!((100..512).contains(&moved.len()), "{} of 512 blocks differ under the two rule sets", moved.len());
        let job = job(&expected, &written, space, Fold::Hash);
        assert_eq!(job.wrong(&run(&job, &mut Model::new())), moved, "{space:?}");
    }
}

#[test]
fn misreading_devices_are_noticed() {
    let faults =
        ["shifted", "array-stride-four", "matrix-stride-tight", "majorness-swapped", "neighbours-swapped", "idle"];
    for space in FusedSpace::ALL {
        let cases = fixture_cases(space);
        let job = job(&cases, &cases, space, Fold::Hash);
        for fault in faults {
            let misreading = Misreading::find(fault).expect("the fault is in the catalogue");
            let wrong = job.wrong(&run(&job, &mut Model::with_misreading(misreading)));
            assert!(!wrong.is_empty(), "{fault} in {space:?}");
        }
    }
}

/// A block with `a` and `b` at these offsets.
fn pair(a: u32, b: u32) -> Vec<FusedCase> {
    let layout = block(structure("S", vec![("a", a, scalar(FLOAT)), ("b", b, scalar(UINT))]));
    case(layout, FusedSpace::Uniform, &[Form::Leaf]).into_iter().collect()
}

#[test]
fn the_hash_sees_leaves_that_changed_places_and_the_floor_does_not() {
    for (fold, wrong) in [(Fold::Hash, vec![0]), (Fold::Xor, vec![])] {
        let job = job(&pair(0, 4), &pair(4, 0), FusedSpace::Uniform, fold);
        assert_eq!(job.wrong(&run(&job, &mut Model::new())), wrong, "{fold:?}");
    }
}

/// The words come from the device's buffer. The steps are a difference modulo 2^32, then an
/// exclusive or.
#[test]
fn the_answer_follows_from_nonce_number_and_words() {
    let cases = [pair(0, 4), pair(8, 20)].concat();
    let job = job(&cases, &cases, FusedSpace::Uniform, Fold::Hash);
    let words: Vec<i64> = words_of(&job.job.buffers[0].bytes).into_iter().map(i64::from).collect();
    let nonce = 0x600D_0007;
    let answer =
        |start: i64, [first, second]: [usize; 2]| (start - words[first / 4]).rem_euclid(1 << 32) ^ words[second / 4];
    let expected = [answer(nonce, [0, 4]), answer(nonce ^ 1, [8, 20])];
    assert_eq!(job.answers.iter().map(|answer| i64::from(*answer)).collect::<Vec<_>>(), expected);
}

#[test]
fn a_device_that_touches_anything_else_makes_every_case_wrong() {
    let cases = fixture_cases(FusedSpace::Storage);
    let job = job(&cases, &cases, FusedSpace::Storage, Fold::Hash);
    let right = run(&job, &mut Model::new());
    let all: Vec<usize> = (0..cases.len()).collect();
    for touch in [
        |buffers: &mut ReadBack| buffers.buffers[0].bytes[3] ^= 1,
        |buffers: &mut ReadBack| buffers.buffers[1].after[0] ^= 1,
        |buffers: &mut ReadBack| buffers.buffers[2].before[0] ^= 1,
        |buffers: &mut ReadBack| buffers.buffers[1].bytes.truncate(4),
        |buffers: &mut ReadBack| drop(buffers.buffers.pop()),
    ] {
        let mut touched = right.clone();
        touch(&mut touched);
        assert_eq!(job.wrong(&touched), all);
    }
}

#[test]
fn what_a_ramp_cannot_tell_is_left_out() {
    let (_, layout) = blocks().into_iter().find(|(name, _)| *name == "types that one word cannot name").unwrap();
    let plan = plan(&layout, &layout.leaves(), &[FusedSpace::Uniform.space()].into());
    let plan = fusable(&plan, FusedSpace::Uniform).expect("two leaves are left");
    assert_eq!(plan.leaves.iter().map(|leaf| leaf.path.as_str()).collect::<Vec<_>>(), ["wide", "x"]);
    // The block has no index.
    assert_eq!(plan.entries[0].forms, FORMS[..4]);
    let far = block(structure("S", vec![("a", 0, scalar(FLOAT)), ("b", 65_536, scalar(UINT))]));
    let far = case(far, FusedSpace::Storage, &[Form::Leaf]).expect("`a` is left");
    assert_eq!(far.plan.leaves.len(), 1);
}

#[test]
fn groups_of_nothing_have_no_entry() {
    let layout = block(structure("S", vec![("a", 0, scalar(UINT))]));
    let empty = FusedCase { plan: plan(&layout, &[], &[FusedSpace::Uniform.space()].into()), layout };
    let group = FusedGroup { cases: &[empty], space: FusedSpace::Uniform, fold: Fold::Hash };
    let error = layoutproof_probes::generate::spirv::produce_fused(&group).unwrap_err();
    assert_eq!(error.to_string(), "block `S` has nothing to probe");
}
