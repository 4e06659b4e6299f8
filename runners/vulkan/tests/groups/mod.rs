//! Fused groups on each device: every case returns a result, and exactly the cases written for
//! other offsets are wrong.

use layoutproof_device::{DeviceInfo, RunnerError};
use layoutproof_probes::{Fold, FusedJob, FusedSpace};
use libtest_mimic::Failed;

use crate::fused::{cases, job, moved};
use crate::suite::{Api, Check, ensure, ensure_eq, run};

pub(crate) const CHECKS: [(&str, Check); 2] =
    [("fused_groups_answer", right), ("moved_cases_of_fused_groups_are_named", wrong)];

/// Cases per group.
const CASES: u64 = 32;

/// A right module, under the rule set that every device supports in that space.
fn right(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    for (space, rules) in [(FusedSpace::Uniform, "std140"), (FusedSpace::Storage, "std430")] {
        let cases = cases(CASES, rules, space);
        for fold in [Fold::Hash, Fold::Xor] {
            let job = job(&cases, &cases, space, fold);
            ensure_eq(&wrong_cases(api, info, &job)?, &Some(Vec::new()), &format!("{space:?} {fold:?}"))?;
        }
    }
    Ok(())
}

/// A module with the offsets of `std430`, judged by those of `scalar`.
fn wrong(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    for space in FusedSpace::ALL {
        let (expected, written) = (cases(CASES, "scalar", space), cases(CASES, "std430", space));
        let moved = moved(&expected, &written);
        ensure(moved.len() >= 5, &format!("only {} of the blocks differ under the two rule sets", moved.len()))?;
        let job = job(&expected, &written, space, Fold::Hash);
        let found = wrong_cases(api, info, &job)?;
        ensure(found.is_none() || found.as_ref() == Some(&moved), &format!("{space:?}: {found:?}, not {moved:?}"))?;
    }
    Ok(())
}

/// The cases with wrong results on the device; `None` if the device lacks a feature for the module
/// and reports that.
fn wrong_cases(api: Api, info: &DeviceInfo, job: &FusedJob) -> Result<Option<Vec<usize>>, Failed> {
    let lacking = job.job.requires.iter().find(|feature| !info.features.contains(feature));
    match (lacking, run(api, info, vec![job.job.clone()])?.pop()) {
        (None, Some(Ok(read_back))) => Ok(Some(job.wrong(&read_back))),
        (Some(lacking), Some(Err(RunnerError::Unsupported(named)))) if named == lacking.to_string() => Ok(None),
        (lacking, other) => Err(format!("lacking {lacking:?}, it answers {other:?}").into()),
    }
}
