//! Runs one group of random cases in one worker and counts the wrong ones.

use anyhow::{Context, bail};
use layoutproof_device::{Batch, JOB_LIMIT, Job, ReadBack};
use layoutproof_executor::protocol::{WorkerAnswer, WorkerRequest};
use layoutproof_executor::worker::{Worker, WorkerDeath};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::{LayoutOptions, RuleSet, Span, find, lay_out};
use layoutproof_probes::generate::spirv::{produce, produce_fused};
use layoutproof_probes::image::nonce_word;
use layoutproof_probes::{
    BoundRange, Fold, FusedCase, FusedGroup, FusedJob, FusedSpace, Interface, PlanShader, ProbeJob, fusable, jobs,
    observe, plan,
};
use layoutproof_source::sources::SourceMap;

use super::design::Design;

/// A number of leaves and of wrong cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CaseCount {
    /// Leaves that were read.
    pub(super) leaves: u64,
    /// Cases in which the device read other data than the layout predicts.
    pub(super) wrong: u64,
}

/// Parses `texts`, lays them out, writes their shader, runs it and compares.
///
/// # Errors
/// The device refuses the module or dies. A wrong layout is not an error.
pub(super) fn carry_out(
    design: Design,
    texts: &[String],
    worker: &mut Worker,
    number: u32,
) -> anyhow::Result<CaseCount> {
    let cases = texts.iter().map(|text| read(text, design)).collect::<anyhow::Result<Vec<_>>>()?;
    let leaves = cases.iter().map(|case| case.plan.leaves.len() as u64).sum();
    let wrong = match design.fold {
        Some(fold) => fused(&cases, design.space, fold, worker, number)?,
        None => cases.iter().map(|case| single(case, worker)).sum::<anyhow::Result<u64>>()?,
    };
    Ok(CaseCount { leaves, wrong })
}

/// Parses a declaration as a case.
fn read(text: &str, design: Design) -> anyhow::Result<FusedCase> {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len())?;
    let file = sources.add("random.hlsl", text);
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default());
    let Ok([block]) = module.as_ref().map(|module| &module.blocks[..]) else { bail!("a random case has no block") };
    let layout = lay_out(block, rules(design.space)?, LayoutOptions::default());
    let plan = plan(&layout, &layout.leaves(), &[design.space.space()].into());
    let plan = fusable(&plan.only(&[design.form].into()), design.space).context("a random block has no leaf")?;
    Ok(FusedCase { layout, plan })
}

/// GLSL's rules for each kind of buffer, which all devices accept.
fn rules(space: FusedSpace) -> anyhow::Result<&'static RuleSet> {
    let name = match space {
        FusedSpace::Uniform => "std140",
        FusedSpace::Storage => "std430",
    };
    find(name).with_context(|| format!("no rule set {name}"))
}

/// The number of wrong cases in a module.
fn fused(cases: &[FusedCase], space: FusedSpace, fold: Fold, worker: &mut Worker, number: u32) -> anyhow::Result<u64> {
    let group = FusedGroup { cases, space, fold };
    let produced = produce_fused(&group)?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let job = FusedJob::new(
        &group,
        nonce_word(number),
        PlanShader { shader: &shader, requires: &requires, interface: Interface::default() },
    )?;
    let read_back = run(worker, job.job.clone())?;
    Ok(job.wrong(&read_back).len() as u64)
}

/// 1 if the case is wrong, otherwise 0. Runs its module, which stores every leaf, once.
fn single(case: &FusedCase, worker: &mut Worker) -> anyhow::Result<u64> {
    let FusedCase { layout, plan } = case;
    let produced = produce(layout, plan)?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let probes =
        jobs(layout, plan, PlanShader { shader: &shader, requires: &requires, interface: Interface::default() })?;
    let exact = |probe: &&ProbeJob| probe.range == BoundRange::Exact;
    let probe = probes.iter().find(exact).context("a probe has an exact range")?;

    let read_backs = probe.runs.iter().map(|probe| run(worker, probe.job.clone())).collect::<Result<Vec<_>, _>>()?;
    let observed = observe(plan, probe, &read_backs);

    let right = |leaf: u32| Some(plan.leaves[leaf as usize].offset);
    let complete = observed.observations.len() == plan.leaves.len();
    let all_right = observed.observations.iter().all(|one| one.offset == right(one.leaf) && one.note.is_none());
    Ok(u64::from(!(complete && all_right && observed.problems.is_empty())))
}

fn run(worker: &mut Worker, job: Job) -> anyhow::Result<ReadBack> {
    let answer = worker.ask_and_wait(&WorkerRequest::Run(Batch { jobs: vec![job] }, None), JOB_LIMIT);
    match answer.map_err(WorkerDeath::error)? {
        WorkerAnswer::Job(result) => Ok(result?),
        WorkerAnswer::Devices(_) | WorkerAnswer::Opened(_) => bail!("the worker answered out of turn"),
    }
}
