//! Makes the record of a check: rows from the device's answers, and the verdict on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use layoutproof_device::{ReadBack, RunnerError, RunnerKind};
use layoutproof_layout::{BlockLayout, ElementChoice, Leaf, Quantity, join};

use crate::check::answers::{CheckAnswers, Failure, broke, driver_messages};
use crate::check::check::Check;
use crate::check::hint;
use crate::check::jobs::{CheckProbe, Jobs};
use crate::check::moved;
use crate::check::produce::gap::GapCause;
use crate::check::produce::shader_module::{CompiledOffsets, ShaderModule};
use crate::check::produce::subject_shaders::SubjectShaders;
use crate::check::verdict::{CodeOrigin, Validation, Verdict, differing, judge};
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_events::{
    Access, BlockReading, CheckRecord, CommandOption, Culprit, Outcome, OutcomeKind, Reason, Reasons, RecordValue,
    RerunCommand, Row, SkipKind, Story, StoryBlock, Witnesses,
};
use layoutproof_probes::{
    AddressSpace, BoundRange, BufferRole, Form, Observation, Observed, ProbeEntry, ProbeProblem, observe,
    observed_right,
};
use layoutproof_readers::toolchain::AnswerOrigin;

impl Check {
    /// Makes the record of the check. `results` belong to `jobs`, in the same order.
    pub fn record(&self, jobs: &Jobs, results: &[Result<ReadBack, RunnerError>], took: Duration) -> CheckRecord {
        let mut answers = CheckAnswers::new(self.subject.static_rows());
        let mut own_results = results.iter();
        for probe in &jobs.probes {
            match self.observed(probe, &mut own_results) {
                Ok(observed) => self.add_answers(probe, &observed, &mut answers),
                Err(RunnerError::Unsupported(reason)) => {
                    let view = self.produced.modules[probe.module].layout.view;
                    answers.lacking_of.entry(view).or_default().insert(Reason::DeviceLacks(reason.clone()));
                    answers.lacking.insert(Reason::DeviceLacks(reason));
                }
                Err(error) => {
                    answers.broken.push(Failure { probe: probe.probe.entry.name.clone(), error });
                }
            }
        }

        answers.lacking.extend(jobs.lacking.iter().cloned());
        for (view, reasons) in &jobs.lacking_of {
            answers.lacking_of.entry(*view).or_default().extend(reasons.iter().cloned());
        }
        self.add_reports(&mut answers.rows);
        answers.rows.extend(self.claims());

        let validation = self.validation();
        let proves = self.produced.producer.proves(self.subject.rules, &self.device);
        let code = CodeOrigin { proves, writer: self.produced.producer.writer() };
        let verdict = judge(&answers.rows, &validation, code);
        let mut outcome = self.outcome(verdict, &answers, code);
        if let (Producer::Compiler(toolchain), Some(story)) = (self.produced.producer, outcome.story_mut())
            && toolchain.is_translator()
        {
            let SubjectShaders { modules, .. } = &*self.produced;
            story.moved_by = moved::rules_behind(&self.subject, toolchain, modules, &jobs.probes, &answers.rows);
        }
        let is_skipped = outcome.kind() == OutcomeKind::Skipped;

        CheckRecord {
            not_checked: if is_skipped { Vec::new() } else { self.not_checked(&answers) },
            driver_messages: driver_messages(results),
            cached: self.produced.origin == AnswerOrigin::Cached,
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            leaves: u32::try_from(answers.leaves.len()).unwrap_or(u32::MAX),
            leaves_not_probed: if is_skipped { 0 } else { self.produced.leaves_not_probed },
            blocks: self.readings(&answers),
            rows: answers.rows,
            ..CheckRecord::new(self.id(), proves, validation, outcome)
        }
    }

    fn add_reports(&self, rows: &mut [Row]) {
        let of_any = |what, path: &str| self.produced.modules.iter().find_map(|module| module.reported.get(what, path));
        for row in rows.iter_mut().filter(|row| row.access.is_none()) {
            row.witnesses.reported = of_any(row.what, &row.path).map(RecordValue::Number);
            row.witnesses.compiled = self.produced.stated.get(row.what, &row.path).map(RecordValue::Number);
        }
    }

    /// Decodes what the device did in the jobs of a probe. Takes the probe's results from the
    /// iterator, or trusts the job of several checks that answered for them.
    fn observed<'a>(
        &self,
        CheckProbe { module, probe, fused, .. }: &CheckProbe,
        results: &mut impl Iterator<Item = &'a Result<ReadBack, RunnerError>>,
    ) -> Result<Observed, RunnerError> {
        let plan = &self.produced.modules[*module].plan;
        if *fused {
            return Ok(observed_right(plan, probe));
        }
        // All of them, also after an error: the results that follow are those of the next probe.
        let own: Vec<_> = results.take(probe.runs.len()).collect();
        let read_backs = own.into_iter().cloned().collect::<Result<Vec<_>, _>>()?;
        Ok(observe(plan, probe, &read_backs))
    }

    fn add_answers(&self, job: &CheckProbe, observed: &Observed, answers: &mut CheckAnswers) {
        let module = &self.produced.modules[job.module];
        let block = &module.layout.name;
        for observation in &observed.observations {
            let row = self.row(job, observation);
            let size = module.plan.leaves[observation.leaf as usize].component.size;
            if is_behind_the_range(job, size, observation, &row) || is_wrong_length_again(observation, &row) {
                continue;
            }
            answers.add(job.module, &job.probe.entry, observation, row);
        }

        // If the code itself causes the problem, the leaf's row already shows it.
        let foretold = |problem: &ProbeProblem| self.foretells(module, &job.probe.entry, problem);
        for problem in observed.problems.iter().filter(|problem| !foretold(problem)) {
            let ProbeEntry { space, stage, direction, .. } = job.probe.entry;
            let not_clean = || RecordValue::Text("not clean".to_owned());
            let is_by_code = matches!(problem, ProbeProblem::Changed { role: BufferRole::Block, offset, .. }
                if module.changed_by_code.contains(&(job.probe.entry.name.clone(), *offset)));
            let witnesses = Witnesses {
                computed: Some(RecordValue::Text("clean".to_owned())),
                compiled: is_by_code.then(not_clean),
                observed: Some(not_clean()),
                ..Witnesses::default()
            };
            answers.add_problem(Row {
                access: Some(Access { space, stage, direction, form: None }),
                note: Some(problem.to_string()),
                ..Row::new(block, Quantity::Guard, witnesses)
            });
        }
    }

    /// True for our WGSL on a device that translates it itself: what naga makes of it says nothing there.
    pub(super) fn is_translated_by_device(&self) -> bool {
        self.produced.producer == Producer::Generator(Generator::Naga) && self.device.runner == RunnerKind::WebGpu
    }

    /// The validity of what the device gets of a module.
    pub(super) fn validation_of<'m>(&self, module: &'m ShaderModule) -> &'m Validation {
        static OF_THE_DEVICE: LazyLock<Validation> =
            LazyLock::new(|| Validation::NotRun("the implementation of WebGPU translates the text".to_owned()));
        static OF_ANOTHER_FORM: LazyLock<Validation> =
            LazyLock::new(|| Validation::NotRun("the device gets no SPIR-V of the module".to_owned()));
        let is_of_naga = self.produced.producer == Producer::Generator(Generator::Naga);
        let gets_spirv = !self.device.is_opengl() && !self.device.takes_naga_hlsl();
        match &module.validation {
            _ if self.is_translated_by_device() => &OF_THE_DEVICE,
            // The feature is one of Vulkan, for blocks in SPIR-V.
            Validation::ValidOnlyWith { .. } if is_of_naga && !gets_spirv => &OF_ANOTHER_FORM,
            validation => validation,
        }
    }

    /// The offsets that the device's code addresses; `None` if they are not known.
    pub(super) fn compiled_of<'m>(&self, module: &'m ShaderModule) -> Option<&'m CompiledOffsets> {
        if self.is_translated_by_device() { None } else { module.compiled_for(&self.device) }
    }

    /// Returns the leaf's offset in the code that the device ran.
    pub(super) fn compiled(&self, module: &ShaderModule, entry: &str, form: Form, leaf: u32) -> Option<u32> {
        self.compiled_of(module)?.get(&(entry.to_owned(), form, leaf)).copied().flatten()
    }

    /// Returns true if the code itself writes a leaf at the place where `problem` found a change
    /// outside of all leaves, or writes the leaf that was not written at another place.
    fn foretells(&self, module: &ShaderModule, entry: &ProbeEntry, problem: &ProbeProblem) -> bool {
        let is_foretold = |form, (index, leaf): (u32, &Leaf)| {
            let compiled = self.compiled_of(module);
            let Some(start) = compiled.and_then(|compiled| compiled.get(&(entry.name.clone(), form, index))) else {
                return false;
            };
            match (problem, start.map(i64::from)) {
                (ProbeProblem::Changed { role: BufferRole::Block, offset, .. }, Some(start)) => {
                    start < offset + 4 && *offset < start + i64::from(leaf.component.size)
                }
                (ProbeProblem::NotWritten { path, .. }, start) => {
                    *path == leaf.path && start != Some(i64::from(leaf.offset))
                }
                _ => false,
            }
        };
        let mut leaves = (0..).zip(&module.plan.leaves);
        leaves.any(|leaf| entry.forms.iter().any(|form| is_foretold(*form, leaf)))
    }

    fn validation(&self) -> Validation {
        Validation::of_all(self.produced.modules.iter().map(|module| self.validation_of(module)))
    }

    /// The outcome that follows from the verdict on the rows and from the parts that did not run.
    fn outcome(&self, verdict: Verdict, answers: &CheckAnswers, code: CodeOrigin) -> Outcome {
        let story = |culprit, sentence: &str| Some(Box::new(self.story(culprit, sentence, code, &answers.rows)));
        match (verdict, broke(&answers.broken, &self.produced.broken, &self.produced.own_faults)) {
            (Verdict::Differs { culprit, sentence }, broke) => {
                Outcome::Differs { culprit, broke, story: story(Some(culprit), &sentence) }
            }
            (Verdict::Agrees, Some(reasons)) => {
                let (culprit, sentence) = self.breaker(answers);
                Outcome::Broken { reasons, culprit, story: story(culprit, sentence) }
            }
            (Verdict::Agrees, None) if Self::is_unanswered(answers) => {
                Outcome::Skipped { reasons: self.skip_reason(answers), kind: self.skip_kind(answers) }
            }
            (Verdict::Agrees, None) => Outcome::Agrees,
        }
    }

    /// Returns true if the device answered nothing. An array's element count is an answer but not a
    /// leaf.
    fn is_unanswered(answers: &CheckAnswers) -> bool {
        let has_answer = answers.rows.iter().any(|row| row.witnesses.observed.is_some()) || !answers.leaves.is_empty();
        !has_answer
    }

    /// Blames a compiler that gave no answer. A device that gave none explains itself in its own
    /// messages.
    fn breaker(&self, answers: &CheckAnswers) -> (Option<Culprit>, &'static str) {
        if self.produced.broken.is_empty() && answers.broken.is_empty() && !self.produced.own_faults.is_empty() {
            return (None, "the compiler accepts the file: the fault is in the shader that layoutproof wrote for it");
        }
        match (self.produced.broken.is_empty(), answers.leaves.is_empty()) {
            (true, _) => (None, ""),
            (false, true) => (Some(Culprit::Compiler), "it made nothing that could be checked"),
            (false, false) => (Some(Culprit::Compiler), "it broke on a part of the check; all that it made agrees"),
        }
    }

    /// Says for each block of a user's file that the check is about what the device read of it.
    fn readings(&self, answers: &CheckAnswers) -> Vec<BlockReading> {
        let Self { subject, produced, device } = self;
        if subject.source.is_case {
            return Vec::new();
        }
        let concerns = |layout: &&BlockLayout| match (produced.producer, subject.declaration(layout.view)) {
            (Producer::Compiler(toolchain), Some(declared)) => {
                toolchain.reads_modules() || toolchain.follows(subject.rules, declared)
            }
            (Producer::Generator(_) | Producer::Compiler(_), _) => true,
        };
        let reading = subject.layouts.iter().filter(concerns).map(|layout| {
            let leaves = if layout.result.is_ok() { layout.leaves_in(produced.elements) } else { Vec::new() };
            let is_unread = |leaf: &&Leaf| {
                !answers.leaves.contains(&join(&layout.name, &leaf.path))
                    && !produced.spared_leaves.contains(&(layout.view, leaf.path.clone()))
            };
            let unread: BTreeSet<String> = leaves.iter().filter(is_unread).map(|leaf| leaf.path.clone()).collect();
            let mut reasons: Vec<Reason> = Vec::new();
            if !unread.is_empty() || layout.result.is_err() {
                let gaps = produced.gaps.iter().filter(|gap| gap.view.is_none_or(|of| of == layout.view));
                let lacking = answers.lacking_of.get(&layout.view).into_iter().flatten();
                let unfit = device.unfit().map(Reason::DeviceLacks);
                reasons = gaps.map(|gap| gap.reason.clone()).chain(lacking.cloned()).chain(unfit).collect();
                reasons.sort_by_key(|reason| !reason.is_refusal());
            }
            BlockReading { block: layout.name.clone(), leaves: leaves.len() as u64, unread, reasons }
        });
        reading.collect()
    }

    /// Collects the reasons why parts of the check did not run, the compiler's own messages first.
    fn left_out(&self, answers: &CheckAnswers) -> Vec<Reason> {
        let gaps = self.produced.gaps.iter().map(|gap| &gap.reason);
        let mut reasons: Vec<Reason> = gaps.chain(&answers.lacking).cloned().collect();
        // Several blocks may have the same gap.
        reasons.dedup();
        reasons.sort_by_key(|reason| !reason.is_refusal());
        reasons
    }

    /// Collects everything that did not run, including the parts left out to save time.
    fn not_checked(&self, answers: &CheckAnswers) -> Vec<Reason> {
        let mut reasons = self.left_out(answers);
        reasons.extend(self.produced.spared.iter().cloned());
        reasons
    }

    fn skip_reason(&self, answers: &CheckAnswers) -> Reasons {
        Reasons::new(self.left_out(answers)).unwrap_or_else(|| "nothing to probe".into())
    }

    /// Returns `NotApplicable` if the language explains every gap, so no device or compiler could
    /// have answered.
    fn skip_kind(&self, answers: &CheckAnswers) -> Option<SkipKind> {
        if !self.device.lacks.is_empty() {
            return Some(SkipKind::UnfitDevice);
        }
        let SubjectShaders { gaps, modules, .. } = &*self.produced;
        let in_language = gaps.iter().all(|gap| gap.cause == GapCause::Language);
        (in_language && modules.is_empty() && answers.lacking.is_empty()).then_some(SkipKind::NotApplicable)
    }

    fn story(&self, culprit: Option<Culprit>, sentence: &str, code: CodeOrigin, rows: &[Row]) -> Story {
        let Self { subject, produced, device } = self;
        let blocks = subject.layouts.iter().filter_map(|layout| {
            let size = layout.result.as_ref().ok()?.size.finite();
            Some(StoryBlock { name: layout.name.clone(), size, members: layout.rows() })
        });

        let ours = culprit == Some(Culprit::CaseOrRules);
        let whose = if culprit == Some(Culprit::Report) { "the reported" } else { "these" };
        let differing = differing(rows, code);
        let of_culprit = differing.iter().filter(|(_, whose)| Some(*whose) == culprit);
        let in_question: Vec<&Row> = of_culprit.map(|(index, _)| &rows[*index]).collect();
        let hint = if ours { None } else { hint::explaining(subject, rows, &in_question, culprit) };

        let mut options = vec![
            CommandOption::new("--rules", subject.rules),
            CommandOption::new(produced.producer.option(), produced.producer),
            CommandOption::new("--device", &device.id),
            CommandOption::new("--api", device.runner.api()),
        ];
        if produced.elements == ElementChoice::Every {
            options.push(CommandOption::switch("--every-element"));
        }

        Story {
            summary: subject.source.summary.clone(),
            place: subject.source.place.clone(),
            authority: subject.authority.clone(),
            blocks: blocks.collect(),
            moved_by: BTreeMap::new(),
            resembles: None,
            hint: hint.map(|rules| format!("{whose} offsets equal rule set `{rules}`")),
            again: RerunCommand::Run { input: subject.source.id.clone(), options },
            verdict: sentence.to_owned(),
            shaders: self.shader_texts(rows, code),
        }
    }
}

/// Returns true for the length of an exact range in code that counts wrong elements: the longer range shows it, and its
/// number is that of the code.
fn is_wrong_length_again(observation: &Observation, row: &Row) -> bool {
    let Witnesses { computed, compiled, .. } = &row.witnesses;
    row.what == Quantity::ArrayLength
        && observation.range == BoundRange::Exact
        && compiled.is_some()
        && computed != compiled
}

/// Returns true if the code addresses bytes after an exact range, where the device may return
/// anything. The longer range of the same entry point has guards there.
fn is_behind_the_range(job: &CheckProbe, size: u32, observation: &Observation, row: &Row) -> bool {
    let guarded = observation.range == BoundRange::Exact && job.probe.entry.space != AddressSpace::PushConstant;
    let Some(RecordValue::Number(start)) = row.witnesses.compiled else { return false };
    let end = job.probe.image.owners.len();
    guarded && row.what == Quantity::Offset && u64::from(start) + u64::from(size) > end as u64
}
