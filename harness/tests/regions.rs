//! Modules with regions on the model device: every case answers, and the wrong cases are named.

use std::collections::BTreeSet;

use layoutproof_device::{Batch, ReadBack, Runner, Shader};
use layoutproof_generators::spirv::region_job;
use layoutproof_generators::wgsl;
use layoutproof_model::Model;
use layoutproof_probes::{AddressSpace, Form, RegionCase, RegionJob, Stage, plan_in};
use layoutproof_readers::naga_offsets::wgsl_code;

use crate::fixture::blocks::{SplitMix64, block};
use crate::fixture::regions::{cases, laid_out, moved, planned};

/// Entry points that answer by a hash for eight cases, and one that shows what it wrote.
const ENTRIES: [(AddressSpace, &str); 3] = [
    (AddressSpace::Uniform, "read_uniform"),
    (AddressSpace::Storage, "read_storage"),
    (AddressSpace::Storage, "write_storage_leaf"),
];

/// The numbers of the wrong cases on a device that follows the shader.
fn wrong(cases: Vec<RegionCase>) -> Vec<usize> {
    wrong_in(&region_job(cases).expect("random blocks can share a module"))
}

fn wrong_in(job: &RegionJob) -> Vec<usize> {
    let answers = Model::new().run(&Batch { jobs: job.jobs.clone() }).into_iter();
    let answers: Vec<ReadBack> = answers.collect::<Result<_, _>>().expect("the model runs what was generated");
    job.wrong(&answers).into_iter().flatten().collect()
}

#[test]
fn every_block_answers() {
    for (space, entry) in ENTRIES {
        for rules in ["std140", "std430", "scalar"] {
            assert_eq!(wrong(cases(64, [rules; 2], space, entry)), Vec::<usize>::new(), "{entry} under {rules}");
        }
    }
}

/// The shader has the offsets of `scalar`, which are never larger.
#[test]
fn the_cases_that_moved_are_wrong() {
    for (space, entry) in ENTRIES {
        let cases = cases(256, ["std430", "scalar"], space, entry);
        let moved = moved(&cases);
        assert!((50..256).contains(&moved.len()), "{} of 256 blocks differ under the two rule sets", moved.len());
        let expected: Vec<usize> = match entry {
            "write_storage_leaf" => moved,
            // Those of its hash are wrong with a case.
            _ => (0..256).filter(|case| moved.iter().any(|moved| moved / 8 == case / 8)).collect(),
        };
        assert_eq!(wrong(cases), expected, "{entry}");
    }
}

/// The cases of random blocks that fit a module in WGSL, whose shader has these rules.
fn cases_in_wgsl(rules: [&str; 2], space: AddressSpace, entry: &str) -> Vec<RegionCase> {
    let case = |seed| {
        let [expected, written] = rules.map(|rules| laid_out(seed, rules));
        let plan = plan_in(&expected, &expected.leaves(), &[(space, Stage::Compute)].into());
        let plan = plan.only(&[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed].into());
        let case = planned(&expected, &written, plan, entry)?;
        let alone = wgsl::module(&written, &case.plan, &case.probe.entry, wgsl::UniformLayout::Constrained);
        (alone.is_ok() && wgsl::fits_region(&written, &case.probe.entry)).then_some(case)
    };
    (0..256).filter_map(case).collect()
}

/// The numbers of the wrong cases on a device that follows the code of naga.
fn wrong_in_wgsl(cases: Vec<RegionCase>, entry: &str) -> Vec<usize> {
    let mut job = wgsl::region_job(cases).expect("blocks that WGSL has can share a module");
    for one in &mut job.jobs {
        let Shader::Wgsl(text) = &one.shader else { unreachable!("the module is WGSL") };
        one.shader = Shader::Spirv(wgsl_code(text, entry).expect("naga takes the module").spirv);
        one.requires = BTreeSet::new();
    }
    wrong_in(&job)
}

#[test]
fn every_block_answers_in_wgsl() {
    for (space, entry) in ENTRIES {
        for rules in ["std140", "std430", "wgsl-storage"] {
            let cases = cases_in_wgsl([rules; 2], space, entry);
            assert!(cases.len() >= 8 || space == AddressSpace::Uniform, "{} under {rules}", cases.len());
            assert_eq!(wrong_in_wgsl(cases, entry), Vec::<usize>::new(), "{entry} under {rules}");
        }
    }
}

#[test]
fn the_cases_that_moved_are_wrong_in_wgsl() {
    for (space, entry) in ENTRIES.into_iter().filter(|(space, _)| *space == AddressSpace::Storage) {
        let cases = cases_in_wgsl(["scalar", "wgsl-storage"], space, entry);
        let moved = moved(&cases);
        assert!((8..cases.len()).contains(&moved.len()), "{} of {} blocks differ", moved.len(), cases.len());
        let expected: Vec<usize> = match entry {
            "write_storage_leaf" => moved,
            _ => (0..cases.len()).filter(|case| moved.iter().any(|moved| moved / 8 == case / 8)).collect(),
        };
        assert_eq!(wrong_in_wgsl(cases, entry), expected, "{entry}");
    }
}

#[test]
fn random_blocks_have_the_stated_sizes() {
    let counts: Vec<u64> = (0..400).map(|seed| laid_out(seed, "std140").leaf_count()).collect();
    let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
    assert!(least >= Some(8) && most <= Some(64), "{least:?} to {most:?} scalars");
    let sum: u64 = counts.iter().sum();
    assert!((25 * 400..28 * 400).contains(&sum), "{} scalars on average", sum / 400);
    assert_ne!(block(1), block(2));
    assert_eq!(block(1), block(1));
}

/// The first numbers for seed 1234567, as the reference C code of `SplitMix64` (Vigna, public
/// domain) prints them.
#[test]
fn draws_are_those_of_the_reference() {
    let mut draw = SplitMix64(1_234_567);
    let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!([draw.next(), draw.next(), draw.next()], numbers);
}
