//! Modules of many blocks on each device: every case is answered, and the cases written for other
//! offsets are wrong.

use layoutproof_device::{DeviceInfo, ReadBack, RunnerError};
use layoutproof_generators::spirv::region_job;
use layoutproof_probes::{AddressSpace, RegionCase};
use libtest_mimic::Failed;

use crate::regions::{cases, moved};
use crate::suite::{Api, Check, ensure, ensure_eq, run};

pub(crate) const CHECKS: [(&str, Check); 2] =
    [("shared_modules_answer", right), ("moved_cases_of_shared_modules_are_named", wrong)];

/// Cases per module.
const CASES: u64 = 16;

/// A right module, under the rule set that every device supports in that space.
fn right(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    for (space, rules, entry) in [
        (AddressSpace::Uniform, "std140", "read_uniform"),
        (AddressSpace::Storage, "std430", "read_storage"),
        (AddressSpace::Storage, "std430", "write_storage_leaf"),
    ] {
        ensure_eq(&wrong_cases(api, info, cases(CASES, [rules; 2], space, entry))?, &Some(Vec::new()), entry)?;
    }
    Ok(())
}

/// A module with the offsets of `scalar`, judged by those of `std430`.
fn wrong(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let cases = cases(CASES, ["std430", "scalar"], AddressSpace::Storage, "write_storage_leaf");
    let moved = moved(&cases);
    ensure(moved.len() >= 3, &format!("only {} of the blocks differ under the two rule sets", moved.len()))?;
    let found = wrong_cases(api, info, cases)?;
    ensure(found.is_none() || found.as_ref() == Some(&moved), &format!("{found:?}, not {moved:?}"))
}

/// The cases with wrong results on the device; `None` if the device lacks a feature for the module
/// and reports that.
fn wrong_cases(api: Api, info: &DeviceInfo, cases: Vec<RegionCase>) -> Result<Option<Vec<usize>>, Failed> {
    let job = region_job(cases).ok_or("the cases cannot share a module")?;
    let lacking = job.jobs.iter().flat_map(|job| &job.requires).find(|feature| !info.features.contains(feature));
    let answers: Result<Vec<ReadBack>, RunnerError> = run(api, info, job.jobs.clone())?.into_iter().collect();
    match (lacking, answers) {
        (None, Ok(answers)) => Ok(Some(job.wrong(&answers).into_iter().flatten().collect())),
        (Some(lacking), Err(RunnerError::Unsupported(named))) if named == lacking.to_string() => Ok(None),
        (lacking, other) => Err(format!("lacking {lacking:?}, it answers {other:?}").into()),
    }
}
