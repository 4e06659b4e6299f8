//! `layoutproof run`, the main route through the program: what the user names becomes checks,
//! devices answer them, and the answers become records, reports and an exit code.
//!
//! [`carry_out`] calls the steps in their order. Each hands a value to the next, and none reaches
//! back.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::bail;
use layoutproof_compilers::free_memory::give_back_free_memory;
use layoutproof_core::check::TranslatedBinding;
use layoutproof_core::results::floors::Floor;
use layoutproof_device::DeviceInfo;
use layoutproof_events::summary::Exit;
use layoutproof_events::{CheckId, Host, RunHeader, is_limit};
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::plan::{self, PlannedCheck};
use layoutproof_executor::produce;
use layoutproof_executor::watch::Watcher;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_layout::DECLARED;
use layoutproof_records::ledger::Ledger;
use layoutproof_records::lock;
use layoutproof_records::output_files::check_folder;
use layoutproof_records::records_file::{self, RecordsTarget};
use layoutproof_records::shapes::Shapes;
use layoutproof_render::render;
use layoutproof_show::Style;

use crate::args::{RecordsArg, RunArgs};

use crate::commands::own::own;
use crate::not_started::NotStarted;
use crate::output::{warn, warn_of_listing, warn_rendered};
use crate::progress::{Audience, Progress};
use crate::records::account;
use crate::records::arguments::{self, TypedOptions};
use crate::records::ended_run::EndedRun;
use crate::records::final_report::{begin_outputs, check_outputs, write_refusal};
use crate::records::record_keeper::RecordKeeper;
use crate::records::{floors, resume};
use crate::select::run_config::{RunConfig, listen_for_the_end};
use crate::select::selection::{DeviceUse, Selection, select_readable};

/// How long shaders are made before devices answer those that are there. Compilers may take minutes for all,
/// and a killed run loses the checks that no device has answered.
const SHADER_TIME: Duration = Duration::from_secs(4);

/// Runs the selected checks and prints the report.
pub(crate) fn run(args: &RunArgs, style: Style) -> anyhow::Result<Exit> {
    let typed = arguments::of_run(std::env::args_os());
    // The records of a run say what it checks; limits may be others.
    let recorded = match &args.resume {
        Some(path) if typed.keys().all(|option| is_limit(option)) => {
            let (args, recorded) = resume::recorded(path, &typed)?;
            Some((args, recorded.into_iter().chain(typed.clone()).collect()))
        }
        Some(_) | None => None,
    };
    let (args, typed) = match &recorded {
        Some((args, typed)) => (args, typed),
        None => (args, &typed),
    };
    let is_hidden = args.no_progress || args.outputs.quiet;
    let progress = if is_hidden {
        Progress::default()
    } else {
        Progress::begin(args.progress.unwrap_or_else(|| audience(args).silence()))
    };
    let ended = match args.own.own {
        Some(format) => Ok(own(args, format, style, &progress)),
        None => carry_out(args, typed, style, &progress),
    };
    progress.end();
    ended.inspect_err(|error| write_refusal(&args.outputs, error, style))?
}

/// What the run checks, for its progress lines.
pub(crate) fn audience(args: &RunArgs) -> Audience {
    if args.names_files() { Audience::File } else { Audience::Cases }
}

/// The steps of a run. The outer error is that of a run that could not begin, the inner one that of its reports.
fn carry_out(
    args: &RunArgs,
    typed: &TypedOptions,
    style: Style,
    progress: &Progress,
) -> anyhow::Result<anyhow::Result<Exit>> {
    let started = Instant::now();
    // Listen before the first file of the run exists, so that an interrupt never leaves an
    // unfinished file.
    let interrupt = listen_for_the_end()?;
    check_files(args)?;
    let config = RunConfig::of(args, progress, interrupt)?;

    let mut selection = load(args, &config, style)?;
    let listing = discover(&config, &selection)?;
    selection.ask_drivers(&listing.devices);
    let compilers = config.compilers_of_registers(args, &selection.placed, &listing.devices)?;
    let making = config.making(&compilers);
    let plan = plan::checks(&selection.subjects, &selection.placed, &listing.devices, making);
    let without_device = config.checks_without_device(&selection.placed);
    let translated = plan::translated_bindings(&selection.placed, making);
    let ids_without_device: Vec<CheckId> =
        without_device.iter().map(|placed| placed.id()).chain(translated.iter().map(TranslatedBinding::id)).collect();

    let mut ledger = open_ledger(args, &config, &selection, &listing, &plan, &ids_without_device)?;
    // Files name the command and all versions; the terminal does not.
    let has_header = args.resume.is_some() || !args.outputs.files.is_empty();
    let mut header = has_header.then(|| header(args, typed, &config, &selection, &listing.devices));
    begin_records(args, &config, &selection, header.as_mut(), &mut ledger)?;
    let mut keeper = RecordKeeper {
        ledger: &mut ledger,
        progress,
        style,
        arguments: typed.clone(),
        launch: &config.launch,
        retries: args.retries,
        fail_fast: args.fail_fast,
        quiet: args.outputs.quiet,
        failures: 0,
    };
    progress.expect(plan.iter().map(|portion| keeper.lacking(portion).len()).sum());

    let mut answer = config.answer();
    for portion in &plan {
        let mut left = keeper.lacking(portion);
        while !left.is_empty() && !config.launch.interrupt.is_set() {
            let (checks, rest) = produce::shaders_within(SHADER_TIME, &left, making);
            progress.checks();
            keeper.answer_and_keep(&checks, &mut *answer);
            left = rest;
            if config.launch.interrupt.is_set() {
                // Freeing a million values one by one would only delay the end of the process.
                std::mem::forget(checks);
                break;
            }
            drop(checks);
            give_back_free_memory();
        }
    }
    for check in without_device {
        if keeper.ledger.lacks(&check.id()) {
            keeper.keep(check.record());
        }
    }
    let left = translated.into_iter().filter(|check| keeper.ledger.lacks(&check.id())).collect();
    produce::translated_bindings(left, making, |record| keeper.keep(record));

    if let Some(folder) = args.keep.as_deref().filter(|folder| !folder.exists()) {
        let folder = folder.display();
        progress.pause(|| {
            warn(&format!(
                "note: {folder} keeps what compilers get and write, and none ran; `report RECORDS --repro CHECK` writes the shaders \
                 that we generated\n"
            ));
        });
    }
    progress.phase("reporting");
    let fail_fast = args.fail_fast && keeper.failures > 0;
    let ended = EndedRun { args, config: &config, selection: &selection, listing: &listing, style, started, header };
    Ok(ended.report(ledger.close(), fail_fast))
}

/// Refuses files that cannot be written, before any work.
fn check_files(args: &RunArgs) -> anyhow::Result<()> {
    if args.part.shard.is_some() && !args.floors.is_empty() {
        bail!("no shard can reach a floor: give --floors to `layoutproof report`, with the records of all shards");
    }
    if args.records.is_some() && args.outputs.files.records().is_none() && args.resume.is_none() {
        bail!("--records needs the file: --json FILE");
    }
    if args.records == Some(RecordsArg::Failures) && (args.part.shard.is_some() || args.part.caselist.is_some()) {
        bail!(
            "a part of a run must keep the checks that agree, for the report of all parts: leave out --records failures"
        );
    }
    check_outputs(&args.outputs)?;
    args.resume.as_deref().map_or(Ok(()), records_file::check_to_go_on)?;
    args.keep.as_deref().map_or(Ok(()), check_folder)
}

/// Reads the cases and files, declares their parameters, and lays them out and binds them.
fn load(args: &RunArgs, config: &RunConfig, style: Style) -> anyhow::Result<Selection> {
    if let Some(absent) = config.missing_compiler() {
        return Err(NotStarted { reason: absent, exit: Exit::Missing }.into());
    }
    config.progress.phase("reading what is checked");
    let selection = select_readable(args, &config.chosen_toolchains())?;
    config.progress.pause(|| {
        for problems in [&selection.warnings, &selection.problems] {
            warn_rendered(&render(problems, &selection.sources, style.colour));
        }
    });

    // A shard may be empty: the report of all shards still needs its records.
    let is_empty = selection.subjects.is_empty() && selection.placed.is_empty();
    if is_empty && !selection.is_accounted_for() && args.part.shard.is_none() {
        let without_blocks: BTreeSet<&str> =
            selection.files.iter().filter(|file| file.blocks.is_empty()).map(|file| file.id.as_str()).collect();
        let without_blocks: Vec<&str> = without_blocks.into_iter().collect();
        let reason = match without_blocks.as_slice() {
            [file] if args.inputs.len() == 1 => format!("{file} declares no block, so there is no layout to check"),
            [_, _, ..] if args.inputs.len() == without_blocks.len() => {
                format!(
                    "none of these files declares a block, so there is no layout to check: {}",
                    without_blocks.join(", ")
                )
            }
            _ => {
                let suggested = suggestion(args, &selection)?;
                format!("nothing is selected: no case or file matches, or none covers these rule sets{suggested}")
            }
        };
        return Err(NotStarted { reason, exit: Exit::NothingSelected }.into());
    }
    if let Some(module) = selection.subjects.iter().find(|subject| subject.rules == DECLARED) {
        if let Some(rules) = &config.settings.planted_rules {
            bail!("{} declares its own offsets, so it cannot be laid out under `{}`", module.source.id, rules.name);
        }
    }
    Ok(selection)
}

/// A suggestion for the first word that names no file and matches no case; empty if there is none.
fn suggestion(args: &RunArgs, selection: &Selection) -> anyhow::Result<String> {
    let cases = Cases::load(&args.declare.cases)?;
    let mut words = args.inputs.iter().filter(|word| !selection.files.iter().any(|file| file.id == **word));
    let unknown = words.find(|word| cases.matching(std::slice::from_ref(*word)).is_empty());
    Ok(unknown.map(|word| format!(" (`{word}`{})", cases.suggestion(word))).unwrap_or_default())
}

fn discover(config: &RunConfig, selection: &Selection) -> anyhow::Result<DeviceListing> {
    config.progress.phase("listing devices");
    let device_use = selection.device_use();
    let chosen = match device_use {
        DeviceUse::None => return Ok(DeviceListing::default()),
        DeviceUse::Optional | DeviceUse::Required => config.devices(),
    };
    config.progress.pause(|| warn_of_listing(&chosen.listing));

    if config.launch.interrupt.is_set() {
        bail!("the run was interrupted before its devices were known");
    }
    if device_use == DeviceUse::Required || config.names_devices() {
        if let Some(missing) = config.missing_device(&chosen) {
            return Err(NotStarted { reason: missing, exit: Exit::Missing }.into());
        }
    }
    Ok(chosen.listing)
}

/// Makes a place for the record of each check, in the order of the run, and empties the files of
/// the reports.
fn open_ledger<'a>(
    args: &RunArgs,
    config: &'a RunConfig,
    selection: &Selection,
    listing: &'a DeviceListing,
    plan: &[Vec<PlannedCheck<'_>>],
    without_device: &[CheckId],
) -> anyhow::Result<Ledger<'a>> {
    let mut ids: Vec<CheckId> = plan.iter().flatten().map(PlannedCheck::id).collect();
    ids.extend(without_device.iter().cloned());
    ids.retain(|id| selection.part.takes_trial(id));
    let account = account::of_run(selection, config, args, &[]);
    if let Some(account) = account.filter(|account| ids.is_empty() && !account.is_complete()) {
        let exit = if account.has_unread_file() { Exit::CouldNotRun } else { Exit::Missing };
        return Err(NotStarted { reason: account.sentence(), exit }.into());
    }
    if ids.is_empty() && !selection.is_accounted_for() && args.part.shard.is_none() {
        let mut reason = "nothing is selected: no device of this run takes what these compilers make of it".to_owned();
        if !listing.devices.is_empty() && listing.devices.iter().all(DeviceInfo::is_opengl) {
            reason += " (on OpenGL, naga's code for WGSL and for cases runs alone)";
        }
        let exit = if listing.failures.is_empty() { Exit::NothingSelected } else { Exit::Missing };
        return Err(NotStarted { reason, exit }.into());
    }

    begin_outputs(&args.outputs)?;
    let mut ledger = Ledger::new(&ids, &config.known, &listing.devices);
    ledger.know_shapes(Shapes::of(&selection.subjects));
    Ok(ledger)
}

fn header(
    args: &RunArgs,
    typed: &TypedOptions,
    config: &RunConfig,
    selection: &Selection,
    devices: &[DeviceInfo],
) -> RunHeader {
    let builds = config.toolchains.builds(&config.chosen_toolchains());
    let inputs = selection.hash(&config.known_text);
    let drivers = &config.launch.drivers;
    RunHeader {
        records: args.records_filter(),
        host: Host::here(args.machine.clone()),
        outputs: args.outputs.files.reports(),
        ..records_file::header(devices, builds, selection.cases, inputs, drivers, typed.clone())
    }
}

/// Adopts the records of an earlier run, and begins the records file.
fn begin_records(
    args: &RunArgs,
    config: &RunConfig,
    selection: &Selection,
    header: Option<&mut RunHeader>,
    ledger: &mut Ledger<'_>,
) -> anyhow::Result<()> {
    let mut leaves_out_rows = false;
    if let (Some(path), Some(header)) = (args.outputs.files.records().or(args.resume.as_ref()), header) {
        let asked = args.records.map(RecordsArg::filter);
        let target = match &args.resume {
            None => RecordsTarget::open(path, warn)?,
            Some(earlier) if records_file::is_one_file(earlier, path) => {
                let (target, bytes) = RecordsTarget::open_to_go_on(path, warn)?;
                ledger.resume(resume::read(&earlier.display().to_string(), &bytes, header, asked)?)?;
                target
            }
            Some(earlier) => {
                let bytes = lock::read(earlier, warn)?;
                ledger.resume(resume::read(&earlier.display().to_string(), &bytes, header, asked)?)?;
                RecordsTarget::open(path, warn)?
            }
        };
        leaves_out_rows = !header.records.is_full();
        ledger.write_to(target.begin(header.clone(), &ledger.so_far()));
    }

    if leaves_out_rows || !config.floors.is_empty() {
        let can_count = ledger.count_leaves(floors::leaves_of(&selection.subjects));
        if !can_count && config.floors.iter().any(Floor::counts_by_cell) {
            bail!("the records to resume have no numbers, and a floor counts leaves by type: run all checks again");
        }
    }
    // Rows of agreeing checks of a file are still needed after the records have them: they give the found offsets of
    // its members.
    if audience(args) == Audience::Cases {
        ledger.shed_rows();
    }
    Ok(())
}
