//! `layoutproof bench`: compares one pipeline per case with fused modules, on the same random
//! cases.
//!
//! All designs on one device take turns, so that other load on the machine affects them alike. Each
//! measurement has fresh workers and no shader cache. A wrong result ends the benchmark: its
//! timings would be worthless.

mod args;
mod case;
mod design;
mod measure;
mod suite;
mod usage;

use layoutproof_core::results::summary::Exit;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_probes::FusedSpace;
use layoutproof_random::blocks::block;
use layoutproof_report::bench_table::{BenchLine, BenchRole, BenchRound, BenchTable, bench_table};
use layoutproof_report::suite_table::suite_table;
use layoutproof_show::Style;

pub use self::args::{BenchArgs, BenchDesign, BenchLoad, BenchSpace};
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::drivers;
use layoutproof_executor::launch::Launch;

use self::case::CaseCount;
use self::design::Design;
use self::measure::{Measurement, measure};
use self::suite::measure_suite;
use crate::output::{print, warn, warn_of_listing};
use crate::progress;

/// Measures, and prints a table per device and kind of buffer.
///
/// # Errors
/// A device refuses a module, or its worker ends.
pub(crate) fn bench(args: &BenchArgs, style: Style) -> anyhow::Result<Exit> {
    let launch = Launch::of(std::env::current_exe()?)?;
    let listing = DeviceListing::of(&[RunnerKind::Ash], &launch);
    warn_of_listing(&listing);
    if !listing.failures.is_empty() {
        return Ok(Exit::Missing);
    }

    let named = |device: &DeviceInfo| args.device.is_empty() || args.device.contains(&device.id);
    let devices: Vec<&DeviceInfo> =
        listing.devices.iter().filter(|device| device.runner == RunnerKind::Ash && named(device)).collect();
    let absent = args.device.iter().find(|id| !devices.iter().any(|device| device.id == **id));
    if let Some(id) = absent {
        warn(&format!("error: device `{id}` is required and was not found\n"));
        return Ok(Exit::Missing);
    }
    if devices.is_empty() {
        warn("error: no Vulkan device was found (`layoutproof doctor` says what is missing)\n");
        return Ok(Exit::Missing);
    }

    if cfg!(debug_assertions) {
        warn("note: this is a debug build: the host's share of the time is larger than in a release build\n");
    }

    if args.suite {
        let lines = measure_suite(&devices, args.rounds, &launch)?;
        print(&suite_table(&lines, cache_state()));
        return Ok(Exit::Agree);
    }

    let seeds = (0..args.cases).map(|number| args.seed.wrapping_add(number.into()));
    let texts: Vec<String> = seeds.map(block).collect();
    for device in devices {
        for space in spaces(args) {
            let Some(table) = measure_all(device, space, &texts, args, &launch)? else { return Ok(Exit::Differ) };
            print(&bench_table(&table, style));
        }
    }
    Ok(Exit::Agree)
}

fn spaces(args: &BenchArgs) -> impl Iterator<Item = FusedSpace> {
    FusedSpace::ALL.into_iter().filter(|space| {
        let space = match space {
            FusedSpace::Uniform => BenchSpace::Uniform,
            FusedSpace::Storage => BenchSpace::Storage,
        };
        args.space.is_empty() || args.space.contains(&space)
    })
}

/// The designs that the user named, or all of them.
fn designs(device: &DeviceInfo, space: FusedSpace, args: &BenchArgs) -> Vec<Design> {
    let all = [BenchDesign::Single, BenchDesign::Fused, BenchDesign::Floor];
    let wanted = all.into_iter().filter(|kind| args.design.is_empty() || args.design.contains(kind));
    wanted.map(|kind| Design::new(kind, &device.id, space, args)).collect()
}

/// Measures the designs in turns. Prints an error and returns `None` if a result is wrong.
fn measure_all(
    device: &DeviceInfo,
    space: FusedSpace,
    texts: &[String],
    args: &BenchArgs,
    launch: &Launch,
) -> anyhow::Result<Option<BenchTable>> {
    let designs = designs(device, space, args);
    let mut lines: Vec<BenchLine> = designs.iter().map(line).collect();

    let bar = progress::bar(designs.len() * args.rounds as usize);
    for round in 0..args.rounds {
        for (design, line) in designs.iter().zip(&mut lines) {
            let (name, round, rounds) = (design.name(), round + 1, args.rounds);
            bar.set_message(format!("{} {}, round {round} of {rounds}: {name}", device.id, space.space().as_str()));
            let measured = measure(*design, texts, device, launch)?;
            if measured.count.wrong > 0 {
                bar.finish_and_clear();
                let CaseCount { wrong, .. } = measured.count;
                warn(&format!("error: {} answered {wrong} of {} cases wrongly\n", device.id, texts.len()));
                return Ok(None);
            }
            line.rounds.push(as_round(&measured));
            bar.inc(1);
        }
    }

    bar.finish_and_clear();
    Ok(Some(BenchTable {
        subject: format!("{}, {} buffers ({}, {})", device.id, space.space().as_str(), device.name, device.driver),
        cases: texts.len() as u64,
        cache: cache_state().to_owned(),
        lines,
    }))
}

/// The state of the drivers' shader caches in workers, which bench switches off where it can.
fn cache_state() -> &'static str {
    if drivers::is_uncached() { "no shader cache" } else { "the user's shader cache" }
}

fn line(design: &Design) -> BenchLine {
    let role = match design.kind {
        BenchDesign::Single => BenchRole::Baseline,
        BenchDesign::Fused => BenchRole::Design,
        BenchDesign::Floor => BenchRole::Floor,
    };
    BenchLine { name: design.name(), role, workers: design.workers, rounds: Vec::new() }
}

fn as_round(measured: &Measurement) -> BenchRound {
    let used = measured.host.zip(measured.workers);
    BenchRound {
        wall: measured.wall,
        leaves: measured.count.leaves,
        cpu: used.map(|(host, workers)| (host.cpu + workers.cpu, host.cpu)),
        peak_bytes: used.map(|(host, workers)| host.peak_bytes + workers.peak_bytes),
    }
}
