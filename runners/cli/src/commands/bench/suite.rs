//! Measures the suite itself: every built-in case through our own SPIR-V, with fresh workers and
//! without caches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::{Check, CheckId, Generator, Producer};
use layoutproof_core::results::known;
use layoutproof_core::results::record::{CheckRecord, OutcomeKind};
use layoutproof_device::DeviceInfo;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::drivers;
use layoutproof_executor::execute::{self, ShaderProduction};
use layoutproof_executor::launch::Launch;
use layoutproof_executor::rotation::Rotation;
use layoutproof_executor::watch::Watcher;
use layoutproof_report::suite_table::{SuiteLine, SuiteRound};

use crate::args::RunArgs;
use crate::progress;
use crate::select::all_cases::all_forms;
use crate::select::lists::{BuiltInKnown, known_lists};
use crate::select::selecting::select;
use crate::select::selection::Selection;

/// Counts the accesses that devices execute.
#[derive(Debug, Default)]
struct AccessCount(AtomicUsize);

impl Watcher for AccessCount {
    fn phase(&self, _: &str) {}

    fn at(&self, _: &str) {}

    fn accessed(&self, accesses: usize) {
        self.0.fetch_add(accesses, Ordering::Relaxed);
    }
}

/// A round, and the checks that differ without being known to.
struct MeasuredRound {
    checks: usize,
    round: SuiteRound,
    differing: Vec<CheckId>,
}

/// Measures each device `rounds` times, in turns.
///
/// # Errors
/// A check differs without being known to, which ends the measurement.
pub(super) fn measure_suite(devices: &[&DeviceInfo], rounds: u32, launch: &Launch) -> anyhow::Result<Vec<SuiteLine>> {
    let selection = select(&RunArgs::of_plain_run(), &[])?;
    let known = known_lists(&[], BuiltInKnown::OfNarrowedRun)?;
    let subject = |device: &DeviceInfo| format!("{}, {}", device.id, device.driver);
    let mut lines: Vec<SuiteLine> =
        devices.iter().map(|device| SuiteLine { subject: subject(device), checks: 0, rounds: Vec::new() }).collect();

    let bar = progress::bar(devices.len() * rounds as usize);
    for round in 1..=rounds {
        for (device, line) in devices.iter().zip(&mut lines) {
            bar.set_message(format!("{}, round {round} of {rounds}", device.id));
            let measured = measure_round(&selection, device, &known, launch);
            if let Some(differing) = measured.differing.first() {
                bar.finish_and_clear();
                anyhow::bail!("{} checks differ, among them {differing}", measured.differing.len());
            }
            line.checks = measured.checks;
            line.rounds.push(measured.round);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(lines)
}

fn measure_round(
    selection: &Selection,
    device: &DeviceInfo,
    known: &[known::KnownFailure],
    launch: &Launch,
) -> MeasuredRound {
    let count = Arc::new(AccessCount::default());
    let watcher: Arc<dyn Watcher> = Arc::clone(&count) as Arc<dyn Watcher>;
    let launch = Launch { watcher, settings: drivers::uncached(), cache: None, ..launch.clone() };
    let settings = all_forms();
    let making = ShaderProduction {
        producers: &[Producer::Generator(Generator::Rspirv)],
        settings: &settings,
        compilers: &Toolchains::default(),
        compiler_devices: CompilerDevices::Every,
        launch: &launch,
    };

    let devices = std::slice::from_ref(device);
    let started = Instant::now();
    let checks: Vec<Check> = execute::plan(&selection.subjects, devices, making, |_| true);
    let (writing, written) = (started.elapsed(), Instant::now());
    let mut records: Vec<CheckRecord> = Vec::new();
    execute::execute(&checks, &launch, Rotation::Turn(0), |batch| {
        records.extend(batch.into_iter().map(|(_, record)| record));
    });
    let running = written.elapsed();

    known::apply(known, &mut records, devices);
    let differs = |record: &&CheckRecord| matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken);
    let answered = |record: &CheckRecord| record.rows.iter().filter(|row| row.witnesses.observed.is_some()).count();
    let rows = records.iter().map(answered).sum();
    let accesses = count.0.load(Ordering::Relaxed);
    MeasuredRound {
        checks: checks.len(),
        round: SuiteRound { writing, running, accesses, rows },
        differing: records.iter().filter(differs).map(|record| record.id.clone()).collect(),
    }
}
