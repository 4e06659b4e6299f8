//! `layoutproof run`: selects checks, finds devices, runs the checks, judges and reports.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use anyhow::bail;
use layoutproof_built_in::CASES;
use layoutproof_compilers::free_memory::give_back_free_memory;
use layoutproof_core::check::{BindingCheck, ProofCheck};
use layoutproof_core::results::known::shape::ShapeAt;
use layoutproof_core::results::left_out::{left_out, left_out_cases};
use layoutproof_core::results::record::{CheckRecord, OutcomeKind, RunEnd, RunHeader, SkipKind};
use layoutproof_core::results::summary::Exit;
use layoutproof_device::DeviceInfo;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::execute::{self, CheckPlan};
use layoutproof_executor::proofs;
use layoutproof_executor::rotation::{Rotation, SparedKinds};
use layoutproof_executor::watch::Watcher;
use layoutproof_layout::DECLARED;
use layoutproof_random::declaration::shapes_of_block;
use layoutproof_report::found_table::{FileLayout, found_table};
use layoutproof_report::terminal::fixed_report;
use layoutproof_show::Style;
use layoutproof_source::diagnostics::render;

use crate::answer_cache;
use crate::args::RunArgs;
use crate::output::{print, warn, warn_of_listing, warn_rendered};
use crate::progress::{Audience, Progress};
use crate::records::final_report::{FinalReport, begin_outputs, check_outputs};
use crate::records::ledger::{ClosedLedger, Ledger};
use crate::records::output_files::check_folder;
use crate::records::participants::{Asked, Participants};
use crate::records::record_keeper::RecordKeeper;
use crate::records::recorded_sources::recorded_sources;
use crate::records::records_file::{self, RecordsTarget};
use crate::records::{arguments, floors, lock, resume};
use crate::select::inputs::{Cases, names_files};
use crate::select::lists::takes_every_access;
use crate::select::run_config::{ChosenDevices, RunConfig, listen_for_the_end, names_model_only};
use crate::select::selecting::select;
use crate::select::selection::{DeviceUse, Selection};
use crate::shader_cache::ShaderCache;

/// Runs the selected checks and prints the report.
///
/// # Errors
/// The run could not start or could not finish.
pub(crate) fn run(args: &RunArgs, style: Style) -> anyhow::Result<Exit> {
    let is_hidden = args.no_progress || args.outputs.quiet;
    let progress = if is_hidden { Progress::default() } else { Progress::begin(audience(args)) };
    let exit = run_telling(args, style, &progress);
    progress.end();
    exit
}

/// What the run checks, for its progress lines.
fn audience(args: &RunArgs) -> Audience {
    if names_files(args) { Audience::File } else { Audience::Cases }
}

/// A suggestion for the first word that matches no case; empty if every word matches.
fn suggestion(args: &RunArgs) -> anyhow::Result<String> {
    let cases = Cases::load(&args.declare.cases)?;
    let unknown = args.inputs.iter().find(|word| cases.matching(std::slice::from_ref(*word)).is_empty());
    Ok(unknown.map(|word| format!(" (`{word}`{})", cases.suggestion(word))).unwrap_or_default())
}

fn run_telling(args: &RunArgs, style: Style, progress: &Progress) -> anyhow::Result<Exit> {
    let started = Instant::now();
    if args.part.shard.is_some() && !args.floors.is_empty() {
        bail!("no shard can reach a floor: give --floors to `layoutproof report`, with the records of all shards");
    }
    // Listen before the first file of the run exists, so that an interrupt never leaves an
    // unfinished file.
    let interrupt = listen_for_the_end()?;
    check_outputs(&args.outputs)?;
    args.resume.as_deref().map_or(Ok(()), records_file::check_to_go_on)?;
    args.keep.as_deref().map_or(Ok(()), check_folder)?;

    // Measure now: listing devices already makes Mesa create a cache.
    let cache = (!names_model_only(&args.device)).then(ShaderCache::look);
    let config = RunConfig::of(args, progress, interrupt)?;

    if let Some(absent) = config.missing_compiler() {
        warn(&format!("error: {absent}\n"));
        return Ok(Exit::Missing);
    }

    progress.phase("reading what is checked");
    let selection = select(args, &config.chosen_toolchains())?;
    progress.pause(|| warn_rendered(&render(&selection.warnings, &selection.sources, style.colour)));

    // A shard may be empty: the report of all shards still needs its records.
    if selection.subjects.is_empty() && selection.placed.is_empty() && args.part.shard.is_none() {
        warn(&format!(
            "error: nothing is selected: no case or file matches, or none covers these rule sets{}\n",
            suggestion(args)?
        ));
        return Ok(Exit::NothingSelected);
    }
    if let Some(module) = selection.subjects.iter().find(|subject| subject.rules == DECLARED) {
        if let Some(rules) = &config.settings.planted_rules {
            bail!("{} declares its own offsets, so it cannot be laid out under `{}`", module.source.id, rules.name);
        }
    }

    progress.phase("listing devices");
    let device_use = selection.device_use();
    let chosen = match device_use {
        DeviceUse::None => ChosenDevices::default(),
        DeviceUse::Optional | DeviceUse::Required => config.devices(),
    };
    progress.pause(|| warn_of_listing(&chosen.listing));

    if config.launch.interrupt.is_set() {
        bail!("the run was interrupted before its devices were known");
    }
    let needs_device = match device_use {
        DeviceUse::None => false,
        DeviceUse::Optional => config.names_devices(),
        DeviceUse::Required => true,
    };
    if let Some(missing) = config.missing_device(&chosen).filter(|_| needs_device) {
        warn(&format!("error: {missing}\n"));
        return Ok(Exit::Missing);
    }

    let DeviceListing { devices, failures, .. } = &chosen.listing;
    let run = Run { args, config: &config, selection: &selection, devices, failed_listings: failures, cache };
    run.carry_out(started, style)
}

/// A run whose cases, devices and options are known.
struct Run<'a> {
    args: &'a RunArgs,
    config: &'a RunConfig,
    selection: &'a Selection,
    devices: &'a [DeviceInfo],
    /// A message for each API whose devices could not be listed. The run uses the other devices and
    /// ends with exit code 3.
    failed_listings: &'a [String],
    /// `None` if the run uses no driver.
    cache: Option<ShaderCache>,
}

impl Run<'_> {
    fn carry_out(&self, started: Instant, style: Style) -> anyhow::Result<Exit> {
        let Self { args, config, selection, devices, .. } = *self;
        let compilers = config.compilers_of_registers(args, &selection.placed, devices)?;
        let mut proofs = proofs::plan(&selection.placed, &config.producers, devices, &compilers);
        let placed = selection.placed.iter().filter(|placed| config.all_witnesses && placed.expected.is_some());
        let placed: Vec<&BindingCheck> = placed.collect();

        let subjects = execute::checked(&selection.subjects, devices, config.making());
        let mut checks = execute::ids(&subjects, devices, config.making());
        checks.extend(proofs.iter().map(ProofCheck::id));
        checks.extend(placed.iter().map(|placed| placed.id()));
        checks.retain(|check| selection.part.takes_trial(check));
        if checks.is_empty() && args.part.shard.is_none() {
            warn("error: nothing is selected: no device can run the output of these producers\n");
            let is_complete = self.failed_listings.is_empty();
            return Ok(if is_complete { Exit::NothingSelected } else { Exit::Missing });
        }

        begin_outputs(&args.outputs)?;
        let mut ledger = Ledger::new(&checks, &config.known, devices);
        ledger.know_shapes(self.shapes());
        self.begin_records(&mut ledger)?;
        if !self.needs_rows() {
            ledger.shed_rows();
        }
        proofs.retain(|proof| ledger.lacks(&proof.id()));
        let static_records: Vec<CheckRecord> =
            placed.iter().filter(|placed| ledger.lacks(&placed.id())).map(|placed| placed.record()).collect();

        let progress = &config.progress;
        progress.expect(ledger.not_done() - static_records.len());
        let mut keeper = RecordKeeper {
            ledger: &mut ledger,
            progress,
            style,
            arguments: arguments::of_run(std::env::args_os()),
            stop_at_failure: args.fail_fast.then_some(&config.launch.interrupt),
            failures: 0,
        };
        let mut spared = SparedKinds::default();
        for portion in execute::portions(&subjects) {
            let lacks = |plan: CheckPlan<'_>| keeper.ledger.lacks(&plan.id());
            let checks = execute::plan(portion, devices, config.making(), lacks);
            progress.checks();
            keeper.carry_out(&checks, args.retries, |checks, attempt, done| match attempt {
                0 => execute::execute_part(checks, &config.launch, config.rotation, &mut spared, done),
                // A retry shares nothing with other checks.
                _ => execute::execute(checks, &config.launch, Rotation::All, done),
            });
            drop(checks);
            give_back_free_memory();
        }
        progress.checks();
        keeper.carry_out(&proofs, args.retries, |proofs, _, done| {
            proofs::execute(proofs, &config.launch, config.rotation, &compilers, done);
        });
        for record in static_records {
            keeper.keep(record);
        }
        let fail_fast = args.fail_fast && keeper.failures > 0;

        progress.phase("reporting");
        let ClosedLedger { records, end, fixed, file } = ledger.close();
        let shader_cache = self.cache.as_ref().and_then(|cache| cache.state(devices)).map(str::to_owned);
        let end = RunEnd {
            fail_fast: fail_fast && end.not_done > 0,
            shader_cache,
            cache: answer_cache::recorded(config.launch.cache.as_ref()),
            failed_listings: self.failed_listings.to_vec(),
            sources: recorded_sources(self.selection),
            ..end
        };
        let seconds = Some(started.elapsed().as_secs_f64());
        let records_file = args.outputs.json.as_ref().or(args.resume.as_ref()).map(|path| path.display().to_string());
        let missing = self.missing(&records, &end);
        let report = FinalReport {
            outputs: &args.outputs,
            devices,
            records: &records,
            end: &end,
            seconds,
            style,
            is_short: !missing.is_empty(),
            records_file: records_file.as_deref(),
        };

        progress.end();
        if audience(args) == Audience::File {
            self.print_found(&records, style);
        }
        answer_cache::warn_of(config.launch.cache.as_ref());
        // A file that cannot be written must not cost the user the report or the other files.
        report.print();
        if !args.outputs.quiet && takes_every_access(args) {
            print(&fixed_report(&fixed, style));
        }
        let ended = file.end(&records, &self.written_end(&records, &end));
        report.write_files()?;
        ended?;
        Ok(report.exit(&missing))
    }

    /// The shapes of the members of files and of cases that are not built in. The lists of known
    /// failures name built-in cases only; they match other cases by shape.
    fn shapes(&self) -> HashMap<String, Vec<ShapeAt>> {
        let is_named = |id: &str| CASES.iter().any(|case| case.name == id);
        let mut shapes: HashMap<String, Vec<ShapeAt>> = HashMap::new();
        for subject in &self.selection.subjects {
            let source = &subject.source;
            if is_named(&source.id) || shapes.contains_key(&source.id) {
                continue;
            }
            let of_blocks = source.module.blocks.iter().flat_map(|block| shapes_of_block(block, source.options));
            shapes.insert(source.id.clone(), of_blocks.collect());
        }
        shapes
    }

    /// True if rows of agreeing checks are still needed after the records file has them: they give
    /// the found offsets of a file's members, and the kinds of leaves that were read.
    fn needs_rows(&self) -> bool {
        let counts_leaves = !self.config.floors.is_empty() || !self.args.records.filter().is_all();
        audience(self.args) == Audience::File || counts_leaves
    }

    /// The end record as written: if the file leaves checks out, with a summary of these.
    fn written_end(&self, records: &[CheckRecord], end: &RunEnd) -> RunEnd {
        let filter = self.args.records.filter();
        if filter.is_all() {
            return end.clone();
        }
        let kept: HashSet<&str> =
            records.iter().filter(|record| record.is_kept_by(filter)).map(|record| record.id.case.as_str()).collect();
        let sources = end.sources.iter().filter(|source| kept.contains(source.case.as_str()));
        RunEnd {
            sources: sources.cloned().collect(),
            left_out: left_out(records, filter),
            left_out_cases: left_out_cases(records, filter),
            cells: floors::cells(&self.selection.subjects, records),
            ..end.clone()
        }
    }

    /// Prints where the devices found the members of the user's files.
    fn print_found(&self, records: &[CheckRecord], style: Style) {
        let files = self.selection.subjects.iter().filter(|subject| !subject.source.is_case);
        let layouts = files.map(|subject| FileLayout {
            file: &subject.source.id,
            rules: subject.rules,
            blocks: &subject.layouts,
        });
        print(&found_table(&layouts.collect::<Vec<_>>(), records, style));
    }

    /// Adopts the results of an earlier run, and begins the records file.
    fn begin_records(&self, ledger: &mut Ledger<'_>) -> anyhow::Result<()> {
        let Some(path) = self.args.outputs.json.as_ref().or(self.args.resume.as_ref()) else { return Ok(()) };
        let builds = self.config.toolchains.builds(&self.config.chosen_toolchains());
        let inputs = self.selection.hash(&self.config.known_text);
        let drivers = &self.config.launch.drivers;
        let header = RunHeader {
            records: self.args.records.filter(),
            ..records_file::header(self.devices, builds, self.selection.cases, inputs, drivers)
        };

        let target = match &self.args.resume {
            None => RecordsTarget::open(path)?,
            Some(earlier) if records_file::is_one_file(earlier, path) => {
                let (target, bytes) = RecordsTarget::open_to_go_on(path)?;
                ledger.resume(resume::read(&earlier.display().to_string(), &bytes, &header)?)?;
                target
            }
            Some(earlier) => {
                let bytes = lock::read(earlier)?;
                ledger.resume(resume::read(&earlier.display().to_string(), &bytes, &header)?)?;
                RecordsTarget::open(path)?
            }
        };

        ledger.write_to(target.begin(header, &ledger.so_far()));
        Ok(())
    }

    /// The participants that returned no result. If the run checks a user's file, only those that
    /// the user named count as errors; others of this machine get a note.
    fn silent(&self, records: &[CheckRecord]) -> Vec<String> {
        let silent = Participants::of(Asked::of_run(self.args), records, &[]).silent();
        let has_answer =
            records.iter().any(|record| matches!(record.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Known));
        if audience(self.args) == Audience::Cases || !has_answer {
            return silent;
        }
        let named = [&self.args.producer, &self.args.device, &self.args.require].into_iter().flatten();
        let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
        let (asked, others): (Vec<String>, Vec<String>) =
            silent.into_iter().partition(|sentence| named.iter().any(|name| sentence.contains(name.as_str())));
        for sentence in others {
            warn(&format!("note: {sentence}\n"));
        }
        asked
    }

    /// A message for each requirement that the run did not meet.
    fn missing(&self, records: &[CheckRecord], end: &RunEnd) -> Vec<String> {
        let mut missing = floors::missed(&self.config.floors, &self.selection.subjects, records, end);

        // For a share of a run, `layoutproof report` finds the participants without a result, with
        // the other shares.
        let is_share = self.args.part.shard.is_some() || self.args.part.caselist.is_some();
        if !is_share && end.not_done == 0 {
            missing.extend(self.silent(records));
        }

        let is_counted = |record: &&CheckRecord| match record.outcome.skip_kind() {
            Some(SkipKind::NotApplicable) => false,
            None => record.outcome.kind() == OutcomeKind::Skipped,
        };
        let skipped = records.iter().filter(is_counted);
        let reasons = skipped.map(|record| record.outcome.reasons().map(ToString::to_string).unwrap_or_default());
        let named = |reason: &String| self.args.forbid_skip.as_ref().is_some_and(|text| reason.contains(text));
        let forbidden = reasons.filter(named).count();
        if forbidden > 0 {
            missing.push(format!("{forbidden} checks were skipped for a reason that --forbid-skip names"));
        }
        missing
    }
}
