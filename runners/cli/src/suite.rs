//! The conformance run as tests: one libtest-mimic trial per check.
//!
//! Listing the trials enumerates the devices but opens none. The first trial of a device runs all
//! checks of that device; later trials look up their record. A trial selected by its exact name (as
//! cargo-nextest does) runs alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

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
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_records::shapes::Shapes;
use layoutproof_report::terminal;
use layoutproof_show::Style;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::args::RunArgs;
use crate::output::{self, warn_of_listing};
use crate::select::lists::{BuiltInKnown, known_lists};
use crate::select::run_part::RunPart;
use crate::select::selection::{Selection, select_part};

/// Runs the whole suite as tests; `program` is the `layoutproof` command.
pub fn main(program: &Path) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or_else(threads_of_libtest);
    if arguments.list && arguments.ignored {
        // A trial becomes ignored only when it runs, so this list is empty and needs no devices.
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    }
    match Suite::new(program, &arguments) {
        Ok(suite) => libtest_mimic::run(&arguments, suite.trials()).exit_code(),
        Err(error) => {
            match error.downcast_ref::<RefusedInput>() {
                Some(refused) => output::warn_rendered(&refused.text(false)),
                None => output::warn(&format!("error: {error:#}\n")),
            }
            ExitCode::FAILURE
        }
    }
}

/// The number of test threads from `RUST_TEST_THREADS`, which libtest reads too.
fn threads_of_libtest() -> Option<usize> {
    std::env::var("RUST_TEST_THREADS").ok()?.parse().ok()
}

/// The part of the suite that the test arguments select.
struct TrialSelection {
    part: RunPart,
    /// The APIs whose devices are listed.
    apis: Vec<RunnerKind>,
}

impl TrialSelection {
    /// A trial selected by its exact name needs only its own case and the devices of its own API.
    /// This matters for tools that run every trial in its own process, thousands of times.
    fn of(arguments: &Arguments) -> Self {
        let named = arguments.filter.as_ref().filter(|_| arguments.exact && !arguments.list);
        match named.and_then(|name| name.parse::<CheckId>().ok()) {
            None => Self { part: RunPart::default(), apis: RunnerKind::driven().collect() },
            Some(check) => {
                let api = check.device.as_ref().map(|device| device.runner);
                let apis = RunnerKind::driven().filter(|driven| Some(*driven) == api).collect();
                Self { part: RunPart::of_trial(check), apis }
            }
        }
    }
}

/// The state that all trials share.
struct Suite {
    selection: Selection,
    devices: Vec<DeviceInfo>,
    settings: Settings,
    /// Always empty: a trial that runs in its own process would start the compilers again each
    /// time.
    compilers: Toolchains,
    launch: Launch,
    known: Vec<known::KnownFailure>,
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
    fn new(program: &Path, arguments: &Arguments) -> anyhow::Result<Arc<Self>> {
        let launch = Launch::of(PathBuf::from(program))?;
        let requested = TrialSelection::of(arguments);
        let listing = DeviceListing::of(&[&requested.apis[..], &[RunnerKind::Model]].concat(), &launch);
        warn_of_listing(&listing);
        // Without this check, the trials of unlisted devices would be missing instead of failing.
        anyhow::ensure!(listing.failures.is_empty(), "no trial was run: some devices could not be listed");

        let devices = listing.devices;
        let built_in = if arguments.exact { BuiltInKnown::OfNarrowedRun } else { BuiltInKnown::OfWholeRun };
        let selection = select_part(&RunArgs::of_plain_run(), requested.part, &[])?;

        let mut suite = Self {
            shapes: Shapes::of(&selection.subjects),
            selection,
            proved: devices.iter().map(|_| OnceLock::new()).collect(),
            proofs: Vec::new(),
            batches: devices.iter().map(|_| OnceLock::new()).collect(),
            devices,
            settings: all_forms(),
            compilers: Toolchains::default(),
            launch,
            known: known_lists(&[], built_in)?,
            alone: arguments.exact,
            placements: OnceLock::new(),
        };
        suite.proofs = plan::bindings(&suite.selection.placed, &suite.devices, suite.making(&Producer::BUILT_IN));
        Ok(Arc::new(suite))
    }

    fn trials(self: Arc<Self>) -> Vec<Trial> {
        let mut trials = Vec::new();
        for device in 0..self.devices.len() {
            let runner = self.devices[device].runner;
            for producer in Producer::BUILT_IN.into_iter().filter(|producer| producer.feeds(runner)) {
                for subject in 0..self.selection.subjects.len() {
                    let suite = Arc::clone(&self);
                    let trial = move || suite.judge(device, producer, subject);
                    trials.push(Trial::ignorable_test(self.id(device, producer, subject).to_string(), trial));
                }
            }
        }

        for placed in 0..self.selection.placed.len() {
            let suite = Arc::clone(&self);
            let name = self.selection.placed[placed].id().to_string();
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
        Check::planned_id(&self.selection.subjects[subject], producer, &self.devices[device])
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
            let subjects = std::slice::from_ref(&self.selection.subjects[subject]);
            alone = self.run_all(subjects, &[producer], device);
            &alone
        } else {
            self.batches[device].get_or_init(|| self.run_all(&self.selection.subjects, &Producer::BUILT_IN, device))
        };
        let record = records.get(&check).ok_or_else(|| Failed::from(format!("{check} gave no record")))?;
        completion(record)
    }

    fn judge_placement(&self, placed: usize) -> Result<Completion, Failed> {
        let records = self.placements.get_or_init(|| {
            let mut records: Vec<_> = self.selection.placed.iter().map(BindingCheck::record).collect();
            known::apply(&self.known, &mut records, &self.devices);
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
        self.run(&plan::of_bindings(checks.iter().cloned()), &Producer::BUILT_IN)
    }

    fn run_all(
        &self,
        subjects: &[Arc<Subject>],
        producers: &[Producer],
        device: usize,
    ) -> HashMap<CheckId, CheckRecord> {
        let devices = &self.devices[device..=device];
        self.run(&plan::bytes(subjects.iter(), devices, self.making(producers)), producers)
    }

    fn run(&self, planned: &[PlannedCheck<'_>], producers: &[Producer]) -> HashMap<CheckId, CheckRecord> {
        let checks = produce::shaders(planned, self.making(producers));
        let records = Batching::default().records(&checks, &self.launch);
        let mut records: Vec<CheckRecord> = records.into_iter().map(|(_, record)| record).collect();
        known::apply(&self.known, &mut records, &self.devices);
        for record in &mut records {
            self.shapes.explain(&self.known, record, &self.devices);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn apis(words: &[&str]) -> Vec<&'static str> {
        let words = ["conformance"].iter().chain(words).map(|word| (*word).to_owned());
        let requested = TrialSelection::of(&Arguments::from_iter(words));
        requested.apis.into_iter().map(RunnerKind::as_str).collect()
    }

    /// cargo-nextest 0.9 passes these arguments: it lists once, then runs every trial alone.
    #[test]
    fn a_trial_alone_lists_the_devices_of_its_api_only() {
        let all: Vec<&str> = RunnerKind::driven().map(RunnerKind::as_str).collect();
        assert_eq!(apis(&["--list", "--format", "terse"]), all);
        assert_eq!(apis(&["--nocapture", "--exact", "a::b::std140::rspirv::lavapipe::ash"]), ["ash"]);
        assert_eq!(apis(&["--nocapture", "--exact", "a::b::std140::naga::llvmpipe-gl::wgpu"]), ["wgpu"]);
        assert!(apis(&["--exact", "a::b::std140::rspirv::model::model"]).is_empty());
        assert!(apis(&["--exact", "a::b::d3d12.dxc::none::none::none"]).is_empty());
        assert_eq!(apis(&["--exact", "devices"]), all);
        assert_eq!(apis(&["std140"]), all);
    }

    #[test]
    fn a_trial_alone_reads_its_case_only() {
        let name = "arrays::three_dimensions::std140::rspirv::model::model";
        let words = ["conformance", "--exact", name].map(str::to_owned);
        let selection =
            select_part(&RunArgs::of_plain_run(), TrialSelection::of(&Arguments::from_iter(words)).part, &[]).unwrap();
        assert_eq!(selection.cases, 1);
        assert!(selection.subjects.iter().all(|subject| subject.source.id == "arrays/three_dimensions"));
    }
}
