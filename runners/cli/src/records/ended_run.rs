//! The end of a run: its report, its files and its exit code.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use layoutproof_compilers::toolchains::CompileFailure;
use layoutproof_events::left_out::{left_out, left_out_cases};
use layoutproof_events::summary::Exit;
use layoutproof_events::{
    CheckRecord, DeviceCells, FaultCount, FaultKind, FaultPlace, OutcomeKind, RecordedLayout, RecordedSource, RunEnd,
    RunHeader, SkipKind, add_count,
};
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_records::ledger::ClosedLedger;
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_records::recorded_sources::recorded_sources;
use layoutproof_report::found_table::{FileLayout, found_table};
use layoutproof_report::reporter::FinishedRun;
use layoutproof_report::source_root::SourceRoot;
use layoutproof_report::terminal::fixed_report;
use layoutproof_show::{Style, one_line};

use crate::answer_cache;
use crate::args::RunArgs;
use crate::commands::run::audience;
use crate::output::{print, warn};
use crate::progress::Audience;
use crate::records::final_report::{FinalReport, hostname, view};
use crate::records::floors;
use crate::records::look_alikes::look_alikes;
use crate::records::{account, arguments};
use crate::select::driver_blocks::DriverBlocks;
use crate::select::lists::takes_every_access;
use crate::select::run_config::RunConfig;
use crate::select::selection::Selection;

pub(crate) struct EndedRun<'a> {
    pub(crate) args: &'a RunArgs,
    pub(crate) config: &'a RunConfig,
    pub(crate) selection: &'a Selection,
    /// The devices of the run, and a message for each API whose devices could not be listed. The run
    /// uses the other devices and ends with exit code 3.
    pub(crate) listing: &'a DeviceListing,
    pub(crate) style: Style,
    pub(crate) started: Instant,
    /// The first line of the records, if a report needs it.
    pub(crate) header: Option<RunHeader>,
}

impl EndedRun<'_> {
    /// Prints the report, writes the files and returns the exit code. `fail_fast` is true if a
    /// failure stopped the run.
    pub(crate) fn report(&self, ledger: ClosedLedger, fail_fast: bool) -> anyhow::Result<Exit> {
        let Self { args, config, selection, listing, style, started, ref header } = *self;
        let ClosedLedger { records, end, fixed, cells, file } = ledger;
        let time = started.elapsed();
        let mut faults = end.faults.clone();
        listing.faults.iter().cloned().for_each(|fault| add_count(&mut faults, fault));
        for CompileFailure { toolchain, sentence, absorbed } in config.toolchains.failures() {
            let place = FaultPlace::Compiler { compiler: toolchain.to_owned() };
            let absorbed = u32::from(absorbed);
            let kind = FaultKind::CompilerFailed;
            add_count(
                &mut faults,
                FaultCount { kind, place, count: 1, absorbed, first: sentence, checks: BTreeSet::new() },
            );
        }
        let end = RunEnd {
            faults,
            allowed_restarts: args.allow_restarts,
            ms: u32::try_from(time.as_millis()).unwrap_or(u32::MAX),
            fail_fast: fail_fast && end.not_done > 0,
            cache: answer_cache::recorded(config.launch.cache.as_ref()),
            failed_listings: listing.failures.clone(),
            sources: self.sources(&records),
            account: account::of_run(selection, config, args, &records).map(Box::new),
            ..end
        };
        let records_file = args.outputs.files.records().or(args.resume.as_ref()).map(|path| path.display().to_string());
        let missing = self.missing(&records, &cells, &end);
        let hostname = hostname();
        let root = SourceRoot::find();
        let runs = header.as_slice();
        let commands: Vec<String> = runs.iter().map(|header| arguments::command(&header.arguments)).collect();
        let tools = config.toolchains.builds(&config.chosen_toolchains());
        let run = FinishedRun {
            runs,
            tools: &tools,
            commands: &commands,
            devices: &listing.devices,
            checks: &records,
            end: &end,
            time: Some(time),
            hostname: hostname.as_deref(),
            lacks: &missing,
            root: Some(&root),
            view: view(&args.outputs, style, records_file.as_deref()),
        };
        let report = FinalReport { outputs: &args.outputs, run };

        config.progress.end();
        if audience(args) == Audience::File && args.outputs.verbose > 0 {
            self.print_found(&records);
        }
        if !args.outputs.quiet {
            self.print_driver_blocks();
        }
        answer_cache::warn_of(config.launch.cache.as_ref());
        // A file that cannot be written must not cost the user the report or the other files.
        let written = [file.end(&records, &self.written_end(&records, cells, &end)), report.write_files()];
        let written: anyhow::Result<()> = written.into_iter().collect();
        report.print(written.is_ok());
        if !args.outputs.quiet && takes_every_access(args) {
            print(&fixed_report(&fixed, style));
        }
        if !args.outputs.quiet {
            print(&look_alikes(&records, &config.known, &listing.devices, selection)?);
        }
        written?;
        Ok(report.exit(&missing))
    }

    /// The end record as written: with counts of the rows and a summary of the checks that the file leaves out.
    fn written_end(&self, records: &[CheckRecord], cells: Vec<DeviceCells>, end: &RunEnd) -> RunEnd {
        let filter = self.header.as_ref().map(|header| header.records).unwrap_or_default();
        if filter.has_every_check() {
            return RunEnd { cells: if filter.is_full() { Vec::new() } else { cells }, ..end.clone() };
        }
        let kept: HashSet<&str> =
            records.iter().filter(|record| record.is_kept_by(filter)).map(|record| record.id.case.as_str()).collect();
        let sources = end.sources.iter().filter(|source| kept.contains(source.case.as_str()));
        RunEnd {
            sources: sources.cloned().collect(),
            left_out: left_out(records, filter),
            left_out_cases: left_out_cases(records, filter),
            cells,
            ..end.clone()
        }
    }

    /// The declarations and layouts for the records, with those of drivers. An interrupted run keeps those of its
    /// finished checks.
    fn sources(&self, records: &[CheckRecord]) -> Vec<RecordedSource> {
        let answered: HashSet<&str> = records.iter().map(|record| record.id.case.as_str()).collect();
        let mut sources =
            recorded_sources(&self.selection.subjects, &self.selection.placed, |case| answered.contains(case));
        for file in &self.selection.files {
            let layouts: Vec<RecordedLayout> = file.driver_blocks.iter().flat_map(DriverBlocks::recorded).collect();
            match sources.iter_mut().find(|source| source.case == file.id) {
                _ if layouts.is_empty() => {}
                Some(source) => source.layouts.extend(layouts),
                None => sources.push(RecordedSource::of_file(&file.id, layouts)),
            }
        }
        sources
    }

    /// What drivers say about the blocks that they lay out.
    fn print_driver_blocks(&self) {
        for file in &self.selection.files {
            for line in file.driver_blocks.iter().flat_map(|blocks| blocks.lines(&file.id)) {
                print(&format!("{}\n", one_line(&line)));
            }
        }
    }

    /// Prints where the devices found the members of the user's files.
    fn print_found(&self, records: &[CheckRecord]) {
        let files = self.selection.subjects.iter().filter(|subject| !subject.source.is_case);
        let layouts = files.map(|subject| FileLayout {
            file: &subject.source.id,
            rules: subject.rules,
            blocks: &subject.layouts,
        });
        print(&found_table(&layouts.collect::<Vec<_>>(), records, self.style));
    }

    /// The choices of the user for this run.
    fn asked(&self) -> Asked {
        let is_whole = self.args.inputs.is_empty() && self.args.rules.is_empty() && self.args.part.caselist.is_none();
        let devices = [&self.args.device[..], &self.args.require].concat();
        Asked { producers: self.args.producer.clone(), devices, is_selection: !is_whole }
    }

    /// The participants that returned no result. If the run checks a user's file, only those that
    /// the user named count as errors; others of this machine get a note.
    fn silent(&self, records: &[CheckRecord]) -> Vec<String> {
        let silent = Participants::of(self.asked(), records, &[]).silent();
        let has_answer =
            records.iter().any(|record| matches!(record.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Known));
        if audience(self.args) == Audience::Cases || !has_answer {
            return silent;
        }
        let named = [&self.args.producer, &self.args.device, &self.args.require].into_iter().flatten();
        // A build is called by its compiler's name.
        let named: Vec<String> = named.map(|name| format!("`{}`", name_and_file(name).0)).collect();
        let (asked, others): (Vec<String>, Vec<String>) =
            silent.into_iter().partition(|sentence| named.iter().any(|name| sentence.contains(name.as_str())));
        for sentence in others {
            warn(&format!("note: {sentence}\n"));
        }
        asked
    }

    /// A message for each requirement that the run did not meet.
    fn missing(&self, records: &[CheckRecord], cells: &[DeviceCells], end: &RunEnd) -> Vec<String> {
        let mut missing = floors::missed(&self.config.floors, cells, records, end);
        if audience(self.args) == Audience::Cases {
            let broken = self.config.toolchains.broken().iter();
            missing.extend(broken.map(|broken| format!("compiler `{}` is broken: {}", broken.name, broken.reason)));
        }

        // For a share of a run, `layoutproof report` finds the participants without a result, with
        // the other shares.
        let is_share = self.args.part.shard.is_some() || self.args.part.caselist.is_some();
        if !is_share && end.not_done == 0 {
            missing.extend(self.silent(records));
            missing.extend(self.config.silent_compilers(records));
        }

        let is_counted = |record: &&CheckRecord| match record.outcome.skip_kind() {
            Some(SkipKind::NotApplicable) => false,
            Some(SkipKind::UnfitDevice) | None => record.outcome.kind() == OutcomeKind::Skipped,
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
