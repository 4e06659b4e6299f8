//! Compares programs with the bindings of compilers, and has devices read the parameters where our
//! rules place them.

use std::sync::Arc;

use layoutproof_bindings::Target;
use layoutproof_compilers::binding_answers::{self, BindingAgreement, BindingDisagreement};
use layoutproof_core::check::{BindingCheck, ProofCheck, Settings, Source};
use layoutproof_core::results::known;
use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_executor::answer::Answer;
use layoutproof_executor::batching::Batching;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::plan::{self, ShaderProduction};
use layoutproof_executor::{pool, produce};
use layoutproof_frontend::DeclareOptions;
use layoutproof_inputs::all_cases::all_forms;
use layoutproof_layout::{LayoutOptions, Span};
use layoutproof_random::ProgramDialect;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

use super::finding::{BindingFinding, FindingKind};
use super::{BindingFuzz, DrawnProgram};
use crate::draws::turn;
use crate::totals::Totals;

/// A program to compile: indices of the program and the compiler.
struct AnswerTask {
    program: usize,
    compiler: usize,
    target: Target,
}

/// The name of a compiler's bindings for a target, in tables.
pub(crate) fn answers_name(compiler: &str, target: Target) -> String {
    format!("{compiler} for {target}")
}

/// The name of a dialect in ids.
pub(crate) fn word(dialect: ProgramDialect) -> &'static str {
    match dialect {
        ProgramDialect::Dxc => "dxc",
        ProgramDialect::Slang => "slang",
    }
}

impl BindingFuzz {
    /// Counts the compilers' bindings of the programs, and returns those that contradict our rules.
    pub(crate) fn add_answers(&self, drawn: &[DrawnProgram], totals: &mut Totals) -> Vec<BindingFinding> {
        let mut tasks = Vec::new();
        for (program, drawn) in drawn.iter().enumerate() {
            for (compiler, asked) in self.compilers.iter().enumerate() {
                if asked.dialect() == drawn.dialect {
                    let targets = binding_answers::targets(drawn.dialect).iter();
                    tasks.extend(targets.map(|target| AnswerTask { program, compiler, target: *target }));
                }
            }
        }

        let mut answers = Vec::new();
        let work = |task: AnswerTask, _: &mut pool::Workers<'_>, done: &mut dyn FnMut(_)| {
            let answer = self.compilers[task.compiler].compare(task.target, &drawn[task.program].program);
            done((task, answer));
        };
        pool::run(tasks, &self.launch, work, |answer| answers.push(answer));
        answers.sort_by_key(|(AnswerTask { program, compiler, target }, _)| (*program, *compiler, *target));

        let mut found = Vec::new();
        for (AnswerTask { program, compiler, target }, answer) in answers {
            let name = self.compilers[compiler].compiler().name();
            let tally = totals.tallies.entry(answers_name(name, target)).or_default();
            let (outcome, told) = match answer {
                Ok(BindingAgreement::Placed) => {
                    tally.agree += 1;
                    totals.end.agree += 1;
                    continue;
                }
                Ok(BindingAgreement::Refused) => {
                    tally.skipped += 1;
                    *totals.skips.entry("refused by compiler and convention".to_owned()).or_default() += 1;
                    continue;
                }
                Err(BindingDisagreement::Differs(told)) => {
                    tally.differ += 1;
                    (OutcomeKind::Differ, told)
                }
                Err(BindingDisagreement::Broken(told)) => {
                    tally.broken += 1;
                    (OutcomeKind::Broken, told)
                }
            };
            let kind = FindingKind::Answer { compiler: name, target, outcome, told };
            found.push(BindingFinding { drawn: drawn[program].clone(), kind });
        }
        found
    }

    /// Counts the devices' reads of the programs, and returns those that contradict our rules.
    pub(crate) fn add_checks(&self, drawn: &[DrawnProgram], totals: &mut Totals) -> Vec<BindingFinding> {
        let mut checks: Vec<ProofCheck> = Vec::new();
        let mut programs: Vec<usize> = Vec::new();
        for (place, program) in drawn.iter().enumerate() {
            match self.proofs(program, |device| self.is_turn_of(device, program.number)) {
                Ok(of_program) => {
                    programs.extend(of_program.iter().map(|_| place));
                    checks.extend(of_program);
                }
                Err(problem) => {
                    let reason = format!("not read by layoutproof: {}", problem.message);
                    *totals.skips.entry(reason).or_default() += 1;
                }
            }
        }

        let mut found = Vec::new();
        for (index, record) in self.records(&checks) {
            totals.count(&record);
            if matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken) {
                let target = checks[index].proof.placed.request.target;
                let kind = FindingKind::Check { target, record: Box::new(record) };
                found.push(BindingFinding { drawn: drawn[programs[index]].clone(), kind });
            }
        }
        found
    }

    /// The checks of a program on devices, under the conventions of its dialect.
    pub(crate) fn proofs(
        &self,
        drawn: &DrawnProgram,
        takes: impl Fn(&DeviceInfo) -> bool,
    ) -> Result<Vec<ProofCheck>, Diagnostic> {
        let source = Arc::new(source(drawn)?);
        let targets = binding_answers::targets(drawn.dialect).iter();
        let requests = targets.map(|target| binding_answers::request(drawn.dialect, *target));
        let placed = requests.map(|request| BindingCheck::new(Arc::clone(&source), request));
        let placed: Vec<BindingCheck> = placed.filter(|placed| placed.bound.is_ok()).collect();
        let devices: Vec<DeviceInfo> = self.devices.iter().filter(|device| takes(device)).cloned().collect();
        Ok(plan::bindings(&placed, &devices, self.making(&all_forms())))
    }

    fn making<'a>(&'a self, settings: &'a Settings) -> ShaderProduction<'a> {
        ShaderProduction {
            producers: &Producer::BUILT_IN,
            settings,
            compilers: &self.toolchains,
            compiler_devices: CompilerDevices::Every,
            launch: &self.launch,
        }
    }

    /// The records of the checks with their indices, with known differences marked.
    pub(crate) fn records(&self, checks: &[ProofCheck]) -> Vec<(usize, CheckRecord)> {
        let checks = produce::shaders(&plan::of_bindings(checks.iter().cloned()), self.making(&all_forms()));
        let mut records = Batching::default().records(&checks, &self.launch);
        for (_, record) in &mut records {
            known::explain(&self.known, record, &self.devices);
        }
        records
    }

    /// True if a device takes part in a program: every device, or one in turn per API.
    fn is_turn_of(&self, device: &DeviceInfo, number: u64) -> bool {
        let alike: Vec<&DeviceInfo> = self.devices.iter().filter(|other| other.runner == device.runner).collect();
        self.every_device || alike[turn(number, alike.len())] == device
    }
}

/// Parses the program, or returns the parser's first error.
fn source(drawn: &DrawnProgram) -> Result<Source, Diagnostic> {
    let text = drawn.program.text();
    let mut sources = SourceMap::default();
    let file = sources.add(format!("bindings/{}/{}", word(drawn.dialect), drawn.number), &text);
    let span = Span { file, start: 0, end: u32::try_from(text.len()).expect("programs are short") };
    Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources)
        .map_err(|problems| problems.into_iter().next().expect("a refused text has a problem"))
}
