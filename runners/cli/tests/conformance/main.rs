//! The conformance run as tests: one libtest-mimic trial per check.
//!
//! Listing the trials enumerates the devices but opens none. The first trial of a device runs all
//! checks of that device; later trials look up their record. A trial selected by its exact name (as
//! cargo-nextest does) runs alone.

#![expect(clippy::print_stderr, reason = "a test says why it could not begin")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use layoutproof::plain_run::{PlainRun, apis};
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::{BindingCheck, Check, ProofCheck, Settings, Subject};
use layoutproof_core::results::known;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::CheckId;
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_executor::answer::Answer;
use layoutproof_executor::batching::Batching;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::plan::{self, PlannedCheck, ShaderProduction};
use layoutproof_executor::produce;
use layoutproof_inputs::all_cases::all_forms;
use layoutproof_records::shapes::Shapes;
use layoutproof_report::terminal;
use layoutproof_show::Style;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or_else(threads_of_libtest);
    if arguments.list && arguments.ignored {
        // A trial becomes ignored only when it runs, so this list is empty and needs no devices.
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    }

    // In an archive of cargo-nextest, the command is elsewhere than it was built.
    let moved = std::env::var_os("NEXTEST_BIN_EXE_layoutproof").map(PathBuf::from);
    let program = moved.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_layoutproof")));
    match Suite::new(program, &arguments) {
        Ok(suite) => libtest_mimic::run(&arguments, suite.trials()).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The number of test threads from `RUST_TEST_THREADS`, which libtest reads too.
fn threads_of_libtest() -> Option<usize> {
    std::env::var("RUST_TEST_THREADS").ok()?.parse().ok()
}

/// The check that the arguments select by its exact name.
fn one_check(arguments: &Arguments) -> Option<CheckId> {
    arguments.filter.as_ref().filter(|_| arguments.exact && !arguments.list)?.parse().ok()
}

/// The state that all trials share.
struct Suite {
    run: PlainRun,
    devices: Vec<DeviceInfo>,
    settings: Settings,
    /// Always empty: a trial that runs in its own process would start the compilers again each
    /// time.
    compilers: Toolchains,
    launch: Launch,
    shapes: Shapes,
    alone: bool,
    batches: Vec<OnceLock<HashMap<CheckId, CheckRecord>>>,
    /// One record per placement, in the order of the selection.
    placements: OnceLock<Vec<CheckRecord>>,
    /// Placements with their shaders, on each device that can run them.
    proofs: Vec<ProofCheck>,
    /// Records of the proofs by name, one map per device.
    proved: Vec<OnceLock<HashMap<CheckId, CheckRecord>>>,
}

impl Suite {
    fn new(program: PathBuf, arguments: &Arguments) -> anyhow::Result<Arc<Self>> {
        let launch = Launch::of(program)?;
        let one = one_check(arguments);
        let listing = DeviceListing::of(&[apis(one.as_ref()), vec![RunnerKind::Model]].concat(), &launch);
        listing.notes.iter().for_each(|note| eprintln!("note: {note}"));
        // Without this check, the trials of unlisted devices would be missing instead of failing.
        let failures = &listing.failures;
        anyhow::ensure!(failures.is_empty(), "no trial was run: some devices could not be listed: {failures:?}");

        let devices = listing.devices;
        let run = PlainRun::select(one, arguments.exact)?;
        let mut suite = Self {
            shapes: Shapes::of(&run.subjects),
            run,
            proved: devices.iter().map(|_| OnceLock::new()).collect(),
            proofs: Vec::new(),
            batches: devices.iter().map(|_| OnceLock::new()).collect(),
            devices,
            settings: all_forms(),
            compilers: Toolchains::default(),
            launch,
            alone: arguments.exact,
            placements: OnceLock::new(),
        };
        suite.proofs = plan::bindings(&suite.run.placed, &suite.devices, suite.making(&Producer::BUILT_IN));
        Ok(Arc::new(suite))
    }

    fn trials(self: Arc<Self>) -> Vec<Trial> {
        let mut trials = Vec::new();
        for device in 0..self.devices.len() {
            let runner = self.devices[device].runner;
            for producer in Producer::BUILT_IN.into_iter().filter(|producer| producer.feeds(runner)) {
                for subject in 0..self.run.subjects.len() {
                    let suite = Arc::clone(&self);
                    let trial = move || suite.judge(device, producer, subject);
                    trials.push(Trial::ignorable_test(self.id(device, producer, subject).to_string(), trial));
                }
            }
        }

        for placed in 0..self.run.placed.len() {
            let suite = Arc::clone(&self);
            let name = self.run.placed[placed].id().to_string();
            trials.push(Trial::ignorable_test(name, move || suite.judge_placement(placed)));
        }
        for proof in 0..self.proofs.len() {
            let suite = Arc::clone(&self);
            trials.push(Trial::ignorable_test(self.proofs[proof].id().to_string(), move || suite.judge_proof(proof)));
        }

        if self.devices.len() == 1 {
            let reason =
                || Ok(Completion::ignored_with("no Vulkan or GL driver was found; `layoutproof setup` fetches some"));
            trials.push(Trial::ignorable_test("devices", reason));
        }
        trials
    }

    fn id(&self, device: usize, producer: Producer, subject: usize) -> CheckId {
        Check::planned_id(&self.run.subjects[subject], producer, &self.devices[device])
    }

    /// The options for writing shaders.
    fn making<'a>(&'a self, producers: &'a [Producer]) -> ShaderProduction<'a> {
        ShaderProduction {
            producers,
            settings: &self.settings,
            compilers: &self.compilers,
            compiler_devices: CompilerDevices::Every,
            launch: &self.launch,
        }
    }

    fn judge(&self, device: usize, producer: Producer, subject: usize) -> Result<Completion, Failed> {
        let check = self.id(device, producer, subject);
        let alone;
        let records = if self.alone {
            let subjects = std::slice::from_ref(&self.run.subjects[subject]);
            alone = self.run_all(subjects, &[producer], device);
            &alone
        } else {
            self.batches[device].get_or_init(|| self.run_all(&self.run.subjects, &Producer::BUILT_IN, device))
        };
        let record = records.get(&check).ok_or_else(|| Failed::from(format!("{check} gave no record")))?;
        completion(record)
    }

    fn judge_placement(&self, placed: usize) -> Result<Completion, Failed> {
        let records = self.placements.get_or_init(|| {
            let mut records: Vec<_> = self.run.placed.iter().map(BindingCheck::record).collect();
            known::apply(&self.run.known, &mut records, &self.devices);
            records
        });
        completion(&records[placed])
    }

    fn judge_proof(&self, proof: usize) -> Result<Completion, Failed> {
        let own = &self.proofs[proof];

        // Run it with all proofs of its device, unless the trial runs alone or the device was not
        // listed.
        let device = self.devices.iter().position(|device| *device == own.device);
        let alone;
        let records = match device.filter(|_| !self.alone) {
            None => {
                alone = self.prove(std::slice::from_ref(own));
                &alone
            }
            Some(device) => self.proved[device].get_or_init(|| {
                let on_device = self.proofs.iter().filter(|check| check.device == own.device).cloned();
                self.prove(&on_device.collect::<Vec<_>>())
            }),
        };
        let record = records.get(&own.id()).ok_or_else(|| Failed::from(format!("{} gave no record", own.id())))?;
        completion(record)
    }

    fn prove(&self, checks: &[ProofCheck]) -> HashMap<CheckId, CheckRecord> {
        self.records(&plan::of_bindings(checks.iter().cloned()), &Producer::BUILT_IN)
    }

    fn run_all(
        &self,
        subjects: &[Arc<Subject>],
        producers: &[Producer],
        device: usize,
    ) -> HashMap<CheckId, CheckRecord> {
        let devices = &self.devices[device..=device];
        self.records(&plan::bytes(subjects.iter(), devices, self.making(producers)), producers)
    }

    fn records(&self, planned: &[PlannedCheck<'_>], producers: &[Producer]) -> HashMap<CheckId, CheckRecord> {
        let checks = produce::shaders(planned, self.making(producers));
        let records = Batching::default().records(&checks, &self.launch);
        let mut records: Vec<CheckRecord> = records.into_iter().map(|(_, record)| record).collect();
        known::apply(&self.run.known, &mut records, &self.devices);
        for record in &mut records {
            self.shapes.explain(&self.run.known, record, &self.devices);
        }
        records.into_iter().map(|record| (record.id.clone(), record)).collect()
    }
}

fn completion(record: &CheckRecord) -> Result<Completion, Failed> {
    match record.outcome.kind() {
        OutcomeKind::Agree | OutcomeKind::Known if !record.is_flaky() => Ok(Completion::Completed),
        OutcomeKind::Skipped => {
            Ok(Completion::ignored_with(record.outcome.reasons().map(ToString::to_string).unwrap_or_default()))
        }
        OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Differ | OutcomeKind::Stale | OutcomeKind::Broken => {
            let style = Style { colour: false, ascii: false };
            Err(terminal::failure_report(std::slice::from_ref(record), None, style).into())
        }
    }
}
