//! One placement on one device: builds the device's jobs and makes a record of its answers.
//!
//! Each parameter has one row. Its observed value is the computed place if the device read every
//! part there, and otherwise the first place that differs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use layoutproof_device::limits::check_features;
use layoutproof_device::{Job, ReadBack, RunnerError};

use crate::check::answers::driver_messages;
use crate::check::binding::binding_check::BindingCheck;
use crate::check::binding::binding_shaders::{ProofCheck, ProofModule};
use crate::check::verdict::{CodeOrigin, Validation, Verdict, Writer, judge};
use layoutproof_bindings::BindingRequest;
use layoutproof_events::producer::Producer;
use layoutproof_events::{
    BoundCount, CheckRecord, CommandOption, Outcome, Proves, Reason, Reasons, RecordValue, RerunCommand, Row, SkipKind,
    Story, Witnesses,
};
use layoutproof_probes::binding::{BindingAnswer, ProbedBinding, in_registers, job, observe, requires};
use layoutproof_probes::image::nonce_word;
use layoutproof_readers::toolchain::AnswerOrigin;

/// Limit on the wrong reads in a row's note.
const MAX_WRONG: usize = 2;

/// The jobs of a check, and the reasons why some are missing.
#[derive(Clone, Debug, Default)]
pub struct ProofJobs {
    /// Index of the module, and the job.
    jobs: Vec<(usize, Job)>,
    /// Why the device cannot run the other jobs.
    lacking: BTreeSet<Reason>,
}

impl ProofJobs {
    /// Iterates over the jobs in the order in which the device runs them.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().map(|(_, job)| job)
    }
}

/// Returns the command-line flags that request this placement, without the ones that a case sets
/// itself.
fn options(placed: &BindingCheck) -> Vec<CommandOption> {
    let BindingRequest { target, convention, version, profile, used, unused, options, .. } = &placed.request;
    let version = version.as_ref().map_or(String::new(), |version| format!("@{version}"));
    let convention = format!("{convention}{version}");
    let mut found = vec![CommandOption::new("--target", target), CommandOption::new("--convention", convention)];

    if !placed.source.is_case {
        found.extend(profile.iter().map(|profile| CommandOption::new("--profile", profile)));
        let lists = [("--used", used), ("--unused", unused)].into_iter().filter(|(_, paths)| !paths.is_empty());
        found.extend(lists.map(|(flag, paths)| CommandOption::new(flag, format!("'{}'", paths.join(",")))));
        found.extend(options.iter().map(|option| CommandOption::new("--option", format!("'{option}'"))));
    }
    found
}

#[derive(Debug, Default)]
pub(super) struct ProofAnswers {
    seen: Vec<SeenBinding>,
    broken: Vec<Reason>,
    lacking: BTreeSet<Reason>,
}

/// A device's answer about one site of a parameter.
#[derive(Debug)]
struct SeenBinding {
    /// Index of the module whose job gave the answer.
    module: usize,
    probed: ProbedBinding,
    answer: BindingAnswer,
}

impl ProofCheck {
    /// Builds the jobs that the device can run.
    pub fn jobs(&self) -> ProofJobs {
        let mut all = ProofJobs::default();
        if let Some(what) = self.device.unfit() {
            all.lacking.insert(Reason::DeviceLacks(what));
            return all;
        }
        for (index, (module, nonce)) in self.proof.modules.iter().zip((1..).map(nonce_word)).enumerate() {
            if let Some(reason) = &module.refused {
                all.lacking.insert(reason.clone());
                continue;
            }
            if let Err(error) = check_features(&self.device, &requires(&module.program)) {
                all.lacking.insert(error.into());
                continue;
            }
            if matches!(module.validation, Validation::Invalid(_)) {
                continue;
            }

            let job = job(&module.program, module.shader.clone(), nonce);
            let job = match self.proof.producer {
                Producer::Generator(_) => job,
                Producer::Compiler(_) => in_registers(job, module.ranges.clone(), &self.proof.placed.source.reserved),
            };
            all.jobs.push((index, job));
        }
        all
    }

    /// Makes the record of the check. `results` belong to `jobs`, in the same order.
    pub fn record(&self, jobs: &ProofJobs, results: &[Result<ReadBack, RunnerError>], took: Duration) -> CheckRecord {
        let answers = self.answers(jobs, results);
        let rows: Vec<Row> = self.proof.placed.rows().into_iter().map(|row| answers.observed(row)).collect();
        let bound = self.count(&answers);

        let validation = self.validation();
        let code = match self.proof.producer {
            Producer::Generator(_) => CodeOrigin { proves: Proves::Decorations, writer: Writer::Generator },
            producer @ Producer::Compiler(_) => {
                CodeOrigin { proves: producer.proves("", &self.device), writer: Writer::Compiler }
            }
        };

        let verdict = judge(&rows, &validation, code);
        let story = || {
            let shaders = self.shader_texts(&rows, code, &answers);
            Some(Box::new(Story { shaders, ..self.story(&verdict) }))
        };
        let outcome = match &verdict {
            Verdict::Differs { culprit, .. } => Outcome::Differs { culprit: *culprit, broke: None, story: story() },
            Verdict::Agrees => match (answers.broke(), bound.read) {
                (Some(reasons), _) => Outcome::Broken { reasons, culprit: None, story: story() },
                (None, 0) if self.device.unfit().is_some() => {
                    let lacking = Reasons::new(jobs.lacking.iter().cloned());
                    Outcome::Skipped {
                        reasons: lacking.unwrap_or_else(|| "nothing to read".into()),
                        kind: Some(SkipKind::UnfitDevice),
                    }
                }
                (None, 0) => {
                    let reasons = Reasons::new(bound.not_read.keys().cloned());
                    let is_not_applicable = self.is_not_applicable(&answers);
                    Outcome::Skipped {
                        reasons: reasons.unwrap_or_else(|| "nothing to read".into()),
                        kind: is_not_applicable.then_some(SkipKind::NotApplicable),
                    }
                }
                (None, _) => Outcome::Agrees,
            },
        };

        CheckRecord {
            driver_messages: driver_messages(results),
            cached: self.proof.origin == AnswerOrigin::Cached,
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            bound: Some(bound),
            rows,
            ..CheckRecord::new(self.id(), code.proves, validation, outcome)
        }
    }

    /// Decodes the device's reads, and collects the reasons why it read nothing for the other
    /// bindings.
    fn answers(&self, jobs: &ProofJobs, results: &[Result<ReadBack, RunnerError>]) -> ProofAnswers {
        let mut answers = ProofAnswers { lacking: jobs.lacking.clone(), ..ProofAnswers::default() };
        for ((index, job), result) in jobs.jobs.iter().zip(results) {
            let ProofModule { program, .. } = &self.proof.modules[*index];
            let observed = match result {
                Ok(read_back) => observe(program, job, read_back).map_err(|problem| Reason::Other(problem.to_string())),
                Err(RunnerError::Unsupported(reason)) => {
                    answers.lacking.insert(Reason::DeviceLacks(reason.clone()));
                    continue;
                }
                Err(error) => Err(error.clone().into()),
            };

            match observed {
                Ok(observed) => answers.seen.extend(observed.into_iter().map(|answer| SeenBinding {
                    module: *index,
                    probed: program.bound[answer.of].clone(),
                    answer,
                })),
                Err(problem) if answers.broken.contains(&problem) => {}
                Err(problem) => answers.broken.push(problem),
            }
        }
        answers
    }

    /// Counts the places that were read, and the parameters that were not, by reason.
    fn count(&self, answers: &ProofAnswers) -> BoundCount {
        let read: BTreeSet<_> = answers.seen.iter().map(|seen| (&seen.probed.path, seen.answer.wanted)).collect();
        let mut not_read: BTreeMap<Reason, u32> = BTreeMap::new();
        for skipped in &self.proof.plan.skipped {
            *not_read.entry(skipped.reason.clone().into()).or_default() += 1;
        }

        let all = self.proof.plan.probed.iter();
        let unread = all.filter(|probed| !probed.sites().all(|site| read.contains(&(&probed.path, site)))).count();
        let unread = u32::try_from(unread).unwrap_or(u32::MAX);
        if unread > 0 {
            let reason = answers.lacking.iter().chain(&answers.broken).next();
            let reason = reason.cloned().unwrap_or_else(|| "module not valid".into());
            *not_read.entry(reason).or_default() += unread;
        }

        BoundCount { read: u32::try_from(read.len()).unwrap_or(u32::MAX), not_read }
    }

    /// Returns true if no device of the target can read any part of the placement.
    fn is_not_applicable(&self, answers: &ProofAnswers) -> bool {
        self.proof.plan.probed.is_empty() && answers.lacking.is_empty()
    }

    fn validation(&self) -> Validation {
        Validation::of_all(self.proof.modules.iter().map(|module| &module.validation))
    }

    fn story(&self, verdict: &Verdict) -> Story {
        let Self { proof, device } = self;
        let mut options = options(&proof.placed);
        options.push(CommandOption::new("--device", &device.id));
        options.push(CommandOption::new("--api", device.runner.api()));
        let again = RerunCommand::Run { input: proof.placed.source.id.clone(), options };
        Story { again, ..proof.placed.story(verdict.sentence()) }
    }
}

impl ProofAnswers {
    /// Fills the row with the device's answer for its parameter.
    fn observed(&self, row: Row) -> Row {
        let own = self.seen.iter().filter(|seen| seen.probed.path == row.path);
        let mut wrong: Vec<&BindingAnswer> =
            own.clone().map(|seen| &seen.answer).filter(|answer| !answer.is_right()).collect();
        // Several programs that read the same wrong word count as one finding.
        wrong.sort_by_key(|seen| (seen.wanted, seen.word));
        wrong.dedup_by_key(|seen| (seen.wanted, seen.word));
        let observed = match wrong.first() {
            Some(first) => Some(RecordValue::Text(first.found())),
            None if own.count() == 0 => None,
            None => row.witnesses.computed.clone(),
        };
        let note = wrong.iter().take(MAX_WRONG).map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let witnesses = Witnesses { observed, ..row.witnesses };
        Row { witnesses, note: Some(note).filter(|note| !note.is_empty()), ..row }
    }

    /// Indices of the modules that read from a wrong place.
    pub(super) fn wrong_modules(&self) -> BTreeSet<usize> {
        self.seen.iter().filter(|seen| !seen.answer.is_right()).map(|seen| seen.module).collect()
    }

    /// The errors of the jobs that broke.
    fn broke(&self) -> Option<Reasons> {
        Reasons::new(self.broken.iter().cloned())
    }
}
