//! The binding probe on each device: every read finds what is bound there, and swapped descriptors
//! are detected.
//!
//! The tests choose the places; the expected reads follow from the specification of descriptor
//! sets.

use layoutproof_device::{DeviceInfo, Job, RunnerError, Shader};
use layoutproof_model::{BINDING_MISREADINGS, Misreading};
use layoutproof_probes::binding::{BindingAnswer, BindingPlan, BindingProgram, ProbedBinding, job, observe, programs};
use layoutproof_probes::image::nonce_word;
use libtest_mimic::Failed;

use crate::suite::{Api, ensure, ensure_eq, run};

/// The results of a plan.
pub(crate) struct Answers {
    /// Every read of every program that the device can run.
    pub(crate) seen: Vec<BindingAnswer>,
    /// What the device has no room for, one message per program.
    pub(crate) lacking: Vec<String>,
}

impl Answers {
    /// Describes the wrong reads.
    pub(crate) fn wrong(&self) -> Vec<String> {
        self.seen.iter().filter(|seen| !seen.is_right()).map(ToString::to_string).collect()
    }
}

/// Creates the shader of a program for an API.
pub(crate) type Write = fn(&BindingProgram) -> Shader;

/// Runs every program of `plan`, optionally with a fault in its descriptors.
pub(crate) fn prove(
    (api, write): (Api, Write),
    info: &DeviceInfo,
    plan: &BindingPlan,
    fault: Option<Misreading>,
) -> Result<Answers, Failed> {
    let programs = programs(plan);
    let jobs = programs.iter().zip((1..).map(nonce_word)).map(|(program, nonce)| job(program, write(program), nonce));
    let jobs: Vec<Job> = jobs.map(|job| fault.map_or_else(|| job.clone(), |fault| fault.rewired(&job))).collect();
    let mut answers = Answers { seen: Vec::new(), lacking: Vec::new() };
    let results = run(api, info, jobs.clone())?;
    for ((program, job), result) in programs.iter().zip(&jobs).zip(results) {
        match result {
            Ok(read_back) => {
                answers.seen.extend(observe(program, job, &read_back).map_err(|problem| problem.to_string())?);
            }
            Err(RunnerError::Unsupported(reason)) => answers.lacking.push(reason),
            Err(error) => return Err(format!("{:?} of {:?}: {error}", program.extent, program.pass).into()),
        }
    }
    Ok(answers)
}

/// Some program reads each place of `plan` and finds that place's word. `optional` lists parameters
/// that a device may not support.
pub(crate) fn all_right(
    api: (Api, Write),
    info: &DeviceInfo,
    plan: &BindingPlan,
    optional: &[&str],
) -> Result<(), Failed> {
    let answers = prove(api, info, plan, None)?;
    ensure_eq(&answers.wrong(), &Vec::new(), "wrong reads")?;
    let required = plan.probed.iter().filter(|probed| !optional.contains(&&*probed.path));
    let wanted = required.flat_map(ProbedBinding::sites);
    let unread: Vec<String> = wanted
        .filter(|site| !answers.seen.iter().any(|seen| seen.wanted == *site))
        .map(|site| site.to_string())
        .collect();
    ensure(unread.is_empty(), &format!("not read: {unread:?}; device lacks {:?}", answers.lacking))
}

/// Each swap that the plan has descriptors for makes exactly two reads wrong, in the program that
/// binds everything.
pub(crate) fn swaps_show(api: (Api, Write), info: &DeviceInfo, plan: &BindingPlan) -> Result<(), Failed> {
    let whole = programs(plan).first().map_or(0, |program| program.reads.len());
    let arrays = plan.probed.iter().any(|probed| probed.elements > 1);
    for fault in BINDING_MISREADINGS.iter().filter(|fault| arrays || fault.name != "swapped-elements") {
        let mut answers = prove(api, info, plan, Some(*fault))?;
        answers.seen.truncate(whole);
        ensure_eq(&answers.wrong().len(), &2, fault.name)?;
    }
    Ok(())
}
