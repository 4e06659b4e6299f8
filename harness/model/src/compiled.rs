//! The compiled witness: the bytes that a module's code really addresses, whatever its compiler
//! reports.
//!
//! The fault-free model runs the module with the jobs of its plan; an evaluator runs DXIL.

use std::collections::BTreeSet;

use layoutproof_device::{Batch, Runner, RunnerError, Shader};
use layoutproof_layout::BlockLayout;
use thiserror::Error;

use super::Model;
use layoutproof_generators::spirv::caller;
use layoutproof_probes::image::ImageError;
use layoutproof_probes::{Interface, Observed, PlanShader, ProbeJob, ProbePlan, jobs, observe};
use layoutproof_readers::evaluator::Evaluator;

/// The reason that a module has no compiled witness.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CompiledError {
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The model cannot run the module.
    #[error("entry `{entry}`: {error}")]
    NotRun { entry: String, error: RunnerError },
}

/// Follows the addresses that `shader` accesses in every entry point of `plan`. Returns the model's
/// observations for each job of [`jobs`], in its order. `plan` may list fewer entries than were
/// planned if a compiler writes one per module.
///
/// # Errors
/// If the block has no image or the model cannot run an entry point.
pub fn compiled(
    layout: &BlockLayout,
    plan: &ProbePlan,
    shader: &Shader,
    interface: Interface,
) -> Result<Vec<(ProbeJob, Observed)>, CompiledError> {
    // The evaluator distinguishes entry points but not stages.
    let is_evaluated = matches!(shader, Shader::DxilListing(_) | Shader::ClangIr(_));
    let dispatched = is_evaluated.then(|| plan.clone().in_dispatches());
    let plan = dispatched.as_ref().unwrap_or(plan);
    let probes = jobs(layout, plan, PlanShader { shader, requires: &BTreeSet::new(), interface, caller })?;
    // One batch, so that the module is read only once.
    let batch = Batch { jobs: probes.iter().flat_map(|probe| &probe.runs).map(|run| run.job.clone()).collect() };
    let answers = match shader {
        Shader::DxilListing(_) | Shader::ClangIr(_) => Evaluator::new().run(&batch),
        _ => Model::new().run(&batch),
    };
    let mut answers = answers.into_iter();
    let observed = probes.into_iter().map(|probe| {
        let own = answers.by_ref().take(probe.runs.len()).collect::<Result<Vec<_>, _>>();
        let own = own.map_err(|error| CompiledError::NotRun { entry: probe.entry.name.clone(), error })?;
        let observed = observe(plan, &probe, &own);
        Ok((probe, observed))
    });
    observed.collect()
}
