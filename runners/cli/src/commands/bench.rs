//! `layoutproof dev bench`: measures the suite itself on each Vulkan device: every built-in case
//! through our own SPIR-V, with fresh workers and without caches.
//!
//! The devices take turns, so that other load on the machine affects them alike. Checks that differ
//! are counted: each of them runs again alone, so many of them lengthen the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Args;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::results::known;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_events::summary::Exit;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_executor::answer::Answer;
use layoutproof_executor::batching::Batching;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::drivers;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::plan::{self, ShaderProduction};
use layoutproof_executor::produce;
use layoutproof_executor::watch::Watcher;
use layoutproof_inputs::all_cases::all_forms;
use layoutproof_records::shapes::Shapes;
use layoutproof_report::suite_table::{SuiteLine, SuiteRound, suite_table};

use crate::args::RunArgs;
use crate::not_started::NotStarted;
use crate::output::{print, warn_of_listing};
use crate::progress;
use crate::select::lists::{BuiltInKnown, known_lists};
use crate::select::selection::{Selection, select};

/// `layoutproof dev bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    pub device: Vec<String>,
    /// Measurements per device; medians are printed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
}

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

/// Measures each device in turn, `rounds` times, and prints a table.
pub(crate) fn bench(args: &BenchArgs) -> anyhow::Result<Exit> {
    let launch = Launch::for_run(std::env::current_exe()?, &args.device, false)?;
    let listing = DeviceListing::of(&[RunnerKind::Ash], &launch);
    warn_of_listing(&listing);
    if !listing.failures.is_empty() {
        return Ok(Exit::Missing);
    }
    let devices = chosen(args, &listing)?;

    let selection = select(&RunArgs::of_plain_run(), &[])?;
    let known = known_lists(&[], BuiltInKnown::OfNarrowedRun)?;
    let mut lines: Vec<SuiteLine> = devices
        .iter()
        .map(|device| SuiteLine {
            subject: format!("{}, {}", device.id, device.driver),
            checks: 0,
            differing: 0,
            rounds: Vec::new(),
        })
        .collect();

    let bar = progress::bar(devices.len() * args.rounds as usize);
    for round in 1..=args.rounds {
        for (device, line) in devices.iter().zip(&mut lines) {
            bar.set_message(format!("{}, round {round} of {}", device.id, args.rounds));
            let (measured, records) = measure(&selection, device, &known, &launch);
            let differs =
                |record: &&CheckRecord| matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken);
            line.checks = records.len();
            line.differing = line.differing.max(records.iter().filter(differs).count());
            line.rounds.push(measured);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();

    // Bench switches the drivers' shader caches off where it can.
    let cache = if drivers::is_uncached() { "no shader cache" } else { "the user's shader cache" };
    print(&suite_table(&lines, cache));
    Ok(Exit::Agree)
}

/// The devices that the user named, or all of them.
fn chosen<'a>(args: &BenchArgs, listing: &'a DeviceListing) -> anyhow::Result<Vec<&'a DeviceInfo>> {
    let of_vulkan = listing.devices.iter().filter(|device| device.runner == RunnerKind::Ash);
    let named = |device: &&DeviceInfo| args.device.is_empty() || args.device.contains(&device.id);
    let devices: Vec<&DeviceInfo> = of_vulkan.filter(named).collect();
    let missing = match args.device.iter().find(|id| !devices.iter().any(|device| device.id == **id)) {
        Some(id) => format!("device `{id}` is required and was not found"),
        None if devices.is_empty() => {
            "no Vulkan device was found (`layoutproof doctor` says what is missing)".to_owned()
        }
        None => return Ok(devices),
    };
    Err(NotStarted { reason: missing, exit: Exit::Missing }.into())
}

/// Runs the suite once on a device.
fn measure(
    selection: &Selection,
    device: &DeviceInfo,
    known: &[known::KnownFailure],
    launch: &Launch,
) -> (SuiteRound, Vec<CheckRecord>) {
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
    let checks = produce::shaders(&plan::bytes(selection.subjects.iter(), devices, making), making);
    let (writing, written) = (started.elapsed(), Instant::now());
    let records = Batching::default().records(&checks, &launch);
    let running = written.elapsed();

    let mut records: Vec<CheckRecord> = records.into_iter().map(|(_, record)| record).collect();
    known::apply(known, &mut records, devices);
    let shapes = Shapes::of(&selection.subjects);
    for record in &mut records {
        shapes.explain(known, record, devices);
    }
    let answered = |record: &CheckRecord| record.rows.iter().filter(|row| row.witnesses.observed.is_some()).count();
    let rows = records.iter().map(answered).sum();
    let accesses = count.0.load(Ordering::Relaxed);
    (SuiteRound { writing, running, accesses, rows }, records)
}
