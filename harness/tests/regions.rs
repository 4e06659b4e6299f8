//! Modules with regions on the model device: every case answers, and the wrong cases are named.

use layoutproof_device::{Batch, ReadBack, Runner};
use layoutproof_model::Model;
use layoutproof_probes::{AddressSpace, RegionCase, RegionJob};

use crate::fixture::regions::{cases, moved};

/// Entry points that answer by a hash for eight cases, and one that shows what it wrote.
const ENTRIES: [(AddressSpace, &str); 3] = [
    (AddressSpace::Uniform, "read_uniform"),
    (AddressSpace::Storage, "read_storage"),
    (AddressSpace::Storage, "write_storage_leaf"),
];

/// The numbers of the wrong cases on a device that follows the shader.
fn wrong(cases: Vec<RegionCase>) -> Vec<usize> {
    let job = RegionJob::new(cases).expect("random blocks can share a module");
    let answers = Model::new().run(&Batch { jobs: job.jobs.clone() }).into_iter();
    let answers: Vec<ReadBack> = answers.collect::<Result<_, _>>().expect("the model runs what was generated");
    job.wrong(&answers)
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
