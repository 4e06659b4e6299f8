//! A run of the built-in cases on the browser's GPU, for the site's page *Run on this GPU*.
//!
//! The page asks for the jobs of one check after another, gives them to WebGPU as `host.mjs` does for the program, and
//! returns the answers. Planning, shaders and verdicts are those of `layoutproof run`, without compilers, workers and
//! batches. The record that the page saves is the usual one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use layoutproof_built_in::{BuiltInFile, CASES, KNOWN};
use layoutproof_core::case::Case;
use layoutproof_core::check::{
    BindingCheck, Check, CheckJobs, DeviceCheck, Proof, ProofCheck, Settings, Source, Subject, SubjectShaders,
    share_shaders,
};
use layoutproof_core::results::known::{self, KnownFailure, shape, shapes_of_block};
use layoutproof_device::limits::Limits;
use layoutproof_device::{DeviceInfo, Job, ReadBack, RunnerError};
use layoutproof_events::producer::Generator;
use layoutproof_events::summary::fold;
use layoutproof_events::{CheckRecord, Host, OutcomeKind, RecordsFilter, RunEnd, RunHeader, SCHEMA, ToolBuild};
use layoutproof_layout::{ElementChoice, FileId, find};
use layoutproof_readers::version::{NAGA_VERSION, RSPIRV_VERSION};
use layoutproof_render::render;
use layoutproof_report::html::{RunPage, failures_part};
use layoutproof_report::json_lines::JsonLines;
use layoutproof_report::reporter::{FinishedRun, Reporter};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::stable_hash::stable_hash;
use layoutproof_webgpu_messages::{Answer, JobMessage, Opened, PreparedJob, describe, limits, visitor_program};
use serde::Serialize;
use thiserror::Error;

/// The generator of WGSL, the only one whose shaders WebGPU takes.
const GENERATOR: Generator = Generator::Naga;

#[derive(Debug, Error)]
pub enum GpuRunError {
    #[error("this browser has no adapter for WebGPU")]
    NoAdapter,
    /// The data of the program is wrong.
    #[error("{0}")]
    Unreadable(String),
    #[error("an answer that is no answer: {0}")]
    NoAnswer(#[from] serde_json::Error),
}

/// The run: checks without an answer, and the records of the others.
#[derive(Debug)]
pub struct GpuRun {
    device: DeviceInfo,
    limits: Limits,
    known: Vec<KnownFailure>,
    cases: usize,
    planned: VecDeque<PlannedCheck>,
    /// The check whose jobs the page runs.
    current: Option<CurrentCheck>,
    /// Shaders of the last source, which its other rule sets may share.
    shaders: Vec<(Arc<Subject>, Arc<SubjectShaders>)>,
    /// Jobs of the last case with their results. Rule sets that agree on a layout have equal jobs.
    answered: (String, Vec<(Job, JobResult)>),
    records: Vec<CheckRecord>,
    tallies: BTreeMap<String, Tally>,
}

type JobResult = Result<ReadBack, RunnerError>;

#[derive(Debug)]
enum PlannedCheck {
    Bytes(Arc<Subject>),
    Bindings(Box<ProofCheck>),
}

#[derive(Debug)]
struct CurrentCheck {
    check: DeviceCheck,
    jobs: CheckJobs,
    list: Vec<Job>,
    /// `None` for the jobs that the page runs.
    results: Vec<Option<JobResult>>,
}

/// The jobs of the next check, for the page.
#[derive(Debug, Serialize)]
struct NextCheck<'a> {
    check: String,
    jobs: Vec<JobMessage<'a>>,
}

/// How far the run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuProgress {
    pub done: usize,
    pub total: usize,
    /// By rule set, or by the convention of bindings.
    pub tallies: BTreeMap<String, Tally>,
}

/// Outcomes of the checks of a rule set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub agree: u32,
    pub differ: u32,
    /// Known differences.
    pub known: u32,
    pub broken: u32,
    pub skipped: u32,
}

impl GpuRun {
    /// Plans the run for an opened device.
    ///
    /// # Errors
    /// There is no adapter.
    pub fn new(opened: &Opened) -> Result<Self, GpuRunError> {
        let adapter = opened.adapter.as_ref().ok_or(GpuRunError::NoAdapter)?;
        let device = describe(&visitor_program(&opened.implementation), 0, opened, adapter);
        let mut run = Self {
            limits: limits(opened),
            known: known_differences()?,
            cases: CASES.len(),
            planned: VecDeque::new(),
            current: None,
            shaders: Vec::new(),
            answered: (String::new(), Vec::new()),
            records: Vec::new(),
            tallies: BTreeMap::new(),
            device,
        };
        for case in CASES {
            run.plan(case)?;
        }
        Ok(run)
    }

    fn plan(&mut self, file: &BuiltInFile) -> Result<(), GpuRunError> {
        let mut sources = SourceMap::default();
        let id = sources.add(format!("cases/{}.toml", file.name), file.text);
        let case = Case::read(file.name, id, &mut sources).map_err(|found| unreadable(&found, &sources))?;
        let Some(source) = Source::of_case(&case, &mut sources).map_err(|found| unreadable(&found, &sources))? else {
            return Ok(());
        };
        let source = Arc::new(source);
        let mut named: Vec<&str> = Vec::new();
        for expectation in &source.expect {
            let rules = expectation.rules.as_str();
            if let Some(rules) = find(rules).filter(|_| !named.contains(&rules)) {
                self.planned.push_back(PlannedCheck::Bytes(Arc::new(Subject::new(Arc::clone(&source), rules))));
                named.push(rules.name);
            }
        }
        let expected = BindingCheck::all(&source).into_iter().filter(|placed| placed.expected.is_some());
        let proofs = expected.filter_map(|placed| Proof::new(&placed)).filter(|proof| proof.feeds(&self.device));
        for proof in proofs {
            let check = ProofCheck { proof: Arc::new(proof), device: self.device.clone() };
            self.planned.push_back(PlannedCheck::Bindings(Box::new(check)));
        }
        Ok(())
    }

    pub fn progress(&self) -> GpuProgress {
        let done = self.records.len();
        let total = done + self.planned.len() + usize::from(self.current.is_some());
        GpuProgress { done, total, tallies: self.tallies.clone() }
    }

    /// The next check with jobs for the page, as JSON: its id, and a message for each job. Checks that need none are
    /// judged on the way. `None` once every check has a record.
    pub fn next_check(&mut self) -> Option<String> {
        loop {
            let check = match self.planned.pop_front()? {
                PlannedCheck::Bytes(subject) => {
                    let produced = self.shaders_of(&subject);
                    DeviceCheck::Bytes(Check { subject, produced, device: self.device.clone() })
                }
                PlannedCheck::Bindings(check) => DeviceCheck::Bindings(*check),
            };
            if self.answered.0 != check.case() {
                self.answered = (check.case().to_owned(), Vec::new());
            }
            let jobs = check.jobs();
            let list = jobs.list();
            let mut messages = Vec::new();
            let mut results = Vec::new();
            for job in &list {
                let known = self.answered.1.iter().find(|(known, _)| known == job).map(|(_, result)| result.clone());
                results.push(known.or_else(|| match PreparedJob::new(job, &self.device, &self.limits) {
                    Ok(prepared) => {
                        messages.push(prepared.message);
                        None
                    }
                    Err(error) => Some(Err(error)),
                }));
            }
            let next = NextCheck { check: check.id().to_string(), jobs: messages };
            let next = (!next.jobs.is_empty())
                .then(|| serde_json::to_string(&next).expect("a message has only numbers and texts"));
            self.current = Some(CurrentCheck { check, jobs, list, results });
            match next {
                Some(next) => return Some(next),
                None => self.judge(Duration::ZERO),
            }
        }
    }

    fn shaders_of(&mut self, subject: &Arc<Subject>) -> Arc<SubjectShaders> {
        self.shaders.retain(|(other, _)| Arc::ptr_eq(&other.source, &subject.source));
        let settings = Settings::usual(ElementChoice::Sample);
        let shared = self.shaders.iter().find(|(other, _)| share_shaders(other, subject, GENERATOR, &settings));
        if let Some((_, shaders)) = shared {
            return Arc::clone(shaders);
        }
        let shaders = Arc::new(SubjectShaders::new(subject, GENERATOR, &settings));
        self.shaders.push((Arc::clone(subject), Arc::clone(&shaders)));
        shaders
    }

    /// Takes the page's answers to the jobs of [`Self::next_check`], in their order, and judges the check. Jobs without an
    /// answer, after a device is lost, were not run.
    ///
    /// # Errors
    /// An answer is unreadable; then the check still lacks them.
    pub fn answer(&mut self, answers: &str, took: Duration) -> Result<(), GpuRunError> {
        let answers: Vec<Answer> = serde_json::from_str(answers)?;
        let Some(current) = &mut self.current else { return Ok(()) };
        let mut answers = answers.into_iter();
        for (job, result) in current.list.iter().zip(&mut current.results).filter(|(_, result)| result.is_none()) {
            let answer = match answers.next() {
                Some(Answer::Ran { words }) => {
                    PreparedJob::new(job, &self.device, &self.limits).and_then(|prepared| prepared.read_back(&words))
                }
                Some(Answer::Failed(failed)) => Err(failed.into()),
                Some(Answer::Opened(_)) => Err(RunnerError::DeviceLost("an answer that fits no message".to_owned())),
                None => Err(RunnerError::NotRun("the device is lost".to_owned())),
            };
            self.answered.1.push((job.clone(), answer.clone()));
            *result = Some(answer);
        }
        self.judge(took);
        Ok(())
    }

    /// Makes the record of the current check, whose jobs all have results.
    fn judge(&mut self, took: Duration) {
        let Some(CurrentCheck { check, jobs, results, .. }) = self.current.take() else { return };
        let results: Vec<JobResult> = results.into_iter().flatten().collect();
        let mut record = check.record(&jobs, &results, took);
        if matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken) {
            let devices = std::slice::from_ref(&self.device);
            known::explain(&self.known, &mut record, devices);
            if let DeviceCheck::Bytes(Check { subject, .. }) = &check {
                let Source { module, options, .. } = &*subject.source;
                let shapes: Vec<_> = module.blocks.iter().flat_map(|block| shapes_of_block(block, *options)).collect();
                shape::explain_by_driver(&self.known, &mut record, devices, &shapes);
                shape::resemble(&self.known, &mut record, &shapes);
            }
        }
        let tally = self.tallies.entry(record.id.rules.to_string()).or_default();
        *match record.outcome.kind() {
            // A part of the lists takes part, so no entry is stale.
            OutcomeKind::Agree | OutcomeKind::Stale => &mut tally.agree,
            OutcomeKind::Differ => &mut tally.differ,
            OutcomeKind::Known => &mut tally.known,
            OutcomeKind::Broken => &mut tally.broken,
            OutcomeKind::Skipped => &mut tally.skipped,
        } += 1;
        self.records.push(record);
    }

    /// The records so far, as a file that `layoutproof report` reads.
    pub fn records(&self, took: Duration) -> String {
        self.finished(took, |run| JsonLines.text(run))
    }

    /// The page of the run so far, as `run --html` writes it.
    pub fn page(&self, took: Duration) -> String {
        self.finished(took, |run| RunPage.text(run))
    }

    /// HTML: what differs, with byte maps, then known bugs.
    pub fn failures(&self) -> String {
        failures_part(&self.records).into_string()
    }

    fn finished(&self, took: Duration, text: impl Fn(&FinishedRun<'_>) -> String) -> String {
        let not_done = self.planned.len() + usize::from(self.current.is_some());
        let end = RunEnd {
            not_done: u32::try_from(not_done).unwrap_or(u32::MAX),
            ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            ..fold(&self.records)
        };
        let tools = [("naga", NAGA_VERSION), ("rspirv", RSPIRV_VERSION)];
        let texts: String = CASES.iter().chain(KNOWN).map(|file| file.text).collect();
        let header = RunHeader {
            schema: SCHEMA,
            layoutproof: env!("CARGO_PKG_VERSION").to_owned(),
            host: Host::default(),
            devices: vec![self.device.clone()],
            tools: tools.map(|(tool, version)| (tool.to_owned(), ToolBuild::of_version(version))).into(),
            environment: BTreeMap::new(),
            cases: u32::try_from(self.cases).unwrap_or(u32::MAX),
            records: RecordsFilter::Full,
            arguments: BTreeMap::from([("device".to_owned(), vec![self.device.id.clone()])]),
            outputs: Vec::new(),
            inputs: format!("{:016x}", stable_hash(&texts)),
        };
        let runs = std::slice::from_ref(&header);
        let devices = std::slice::from_ref(&self.device);
        text(&FinishedRun { runs, devices, time: Some(took), ..FinishedRun::of(&self.records, &end) })
    }
}

/// The known differences, as a part of a run knows them: the other checks of an entry may differ.
fn known_differences() -> Result<Vec<KnownFailure>, GpuRunError> {
    let mut entries = Vec::new();
    for file in KNOWN {
        let mut sources = SourceMap::default();
        let id: FileId = sources.add(format!("ci/known/{}.toml", file.name), file.text);
        let found = known::read(id, &sources).map_err(|found| unreadable(&found, &sources))?;
        entries.extend(found.into_iter().map(KnownFailure::of_narrowed_run));
    }
    Ok(entries)
}

fn unreadable(found: &[Diagnostic], sources: &SourceMap) -> GpuRunError {
    GpuRunError::Unreadable(render(found, sources, false))
}
