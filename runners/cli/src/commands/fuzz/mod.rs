//! `layoutproof dev fuzz`: sends random or all small declarations through every available compiler and
//! runs the output on devices.
//!
//! Declaration number i depends only on the seed and i. It is drawn from the type space of one
//! compiler, in turn, and goes to every compiler that has a toolchain whose type space contains it.
//! By default each declaration uses one option per compiler and runs on one device, in turn.
//! Differences that are not known are shrunk ([`shrink`]) and written down ([`found`]).

pub(crate) mod args;
mod bindings;
mod draws;
mod found;
mod fuzz_records;
mod round;
mod setup;
mod shrink;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use layoutproof_compilers::drivers::full_type_space;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::CompiledAccesses;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_events::summary::{Exit, Shortfalls, add, exit_of_run};
use layoutproof_events::{CheckRecord, OutcomeKind, ReasonKind, RerunCommand, RunEnd};
use layoutproof_executor::batching::Batching;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_executor::launch::Launch;
use layoutproof_layout::mutate::RuleMutant;
use layoutproof_random::declaration::{
    CellDraws, CellTally, CountedCell, CoverageTally, Declarations, RandomDeclaration,
};
use layoutproof_readers::toolchain::Toolchain;
use layoutproof_records::output_files::{check_file, check_folder, write_file};
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_report::cell_table::cell_table;
use layoutproof_report::html::{FuzzFinding, FuzzPageFacts, fuzz_page};
use layoutproof_report::seen_table::seen_table;
use layoutproof_report::tally_table::{Tally, tally_sentence, tally_table};
use layoutproof_show::{Style, counted, grouped};
use proptest::strategy::ValueTree;

use self::draws::Draws;
use self::found::WrittenDifference;
use self::fuzz_records::{FuzzHeaderFacts, FuzzRecords};
use self::round::Round;
use self::shrink::{DifferenceKind, ShrunkDifference};
use crate::commands::fuzz::args::FuzzArgs;
use crate::output::{print, warn, warn_of_end};
use crate::step_events;
use crate::{answer_cache, progress};

/// Number of declarations that are compiled and run together.
const ROUND: u64 = 128;

/// Printed at the first signal that interrupts the run.
const INTERRUPTED: &str = "\nnote: interrupted: the report follows when the declarations in progress are done; \
                           interrupt again to stop at once\n";

/// Maximum number of differences to shrink and write. Differences of the same kind count once.
const MOST_FOUND: usize = 12;

/// The participants and options of a run.
pub(super) struct Fuzz {
    toolchains: Vec<&'static Toolchain>,
    /// The toolchains whose type spaces declarations are drawn from.
    drawn_for: Vec<&'static Toolchain>,
    compilers: Toolchains,
    /// Devices that run SPIR-V, and the evaluator of DXIL.
    devices: Vec<DeviceInfo>,
    /// A message for each API whose devices could not be listed.
    failed_listings: Vec<String>,
    every_device: bool,
    every_option: bool,
    accesses: CompiledAccesses,
    planted: Option<RuleMutant>,
    known: Vec<KnownFailure>,
    launch: Launch,
    out: PathBuf,
}

/// The accumulated results of a run.
#[derive(Default)]
struct Totals {
    tallies: BTreeMap<String, Tally>,
    skips: BTreeMap<String, u64>,
    end: RunEnd,
    participants: Participants,
    seen: CoverageTally,
    cells: CellTally,
    differences: Vec<ShrunkDifference>,
    batching: Batching,
    written: Option<FuzzRecords>,
    /// True if the user interrupted the run before every declaration was tried.
    is_interrupted: bool,
}

/// Draws, compiles, runs and compares, and prints the results.
pub(crate) fn fuzz(args: &FuzzArgs, style: Style) -> anyhow::Result<Exit> {
    args.json.as_deref().map_or(Ok(()), check_file)?;
    args.html.as_deref().map_or(Ok(()), check_file)?;
    check_folder(&args.out)?;
    let interrupt = Interrupt::listen(|| warn(INTERRUPTED))?;
    if args.bindings {
        return bindings::fuzz_bindings(args, &interrupt, style);
    }
    let Some(fuzz) = Fuzz::of(args)? else { return Ok(Exit::Missing) };

    let draws = Draws::of(args, &fuzz)?;
    let tell = |text: &str| print(if args.quiet { "" } else { text });
    let Range { start, end } = draws.numbers;
    let announced =
        format!("seed {}, {} from number {}", args.seed, counted(end - start, "declaration"), grouped(start));
    tell(&format!("{announced}\n"));
    let begin = |path| FuzzRecords::begin(path, fuzz.header_facts(&draws));
    let written = args.json.as_deref().map(begin).transpose()?;
    let participants = Participants::new(Asked::of_producers(&args.compiler));
    let mut totals = Totals { written, cells: fuzz.possible_cells(), participants, ..Totals::default() };

    let is_hidden = args.quiet || args.no_progress;
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let bar = if is_hidden { ProgressBar::hidden() } else { progress::bar(length) };
    let next = fuzz.add_rounds(Range { start, end }, &draws, &bar, &interrupt, &mut totals);
    bar.finish_and_clear();
    tell(&format!("\n{}", tally_table(&totals.tallies, &totals.skips, style)));
    step_events::conclude(&tally_sentence(&totals.tallies));
    let mut findings = Vec::new();
    for difference in &totals.differences {
        let WrittenDifference { folder, record } = found::write(&fuzz, difference)?;
        print(&format!("\n{}\n  written to {}\n", difference.sentence(), folder.display()));
        findings.extend(record.map(|record| finding(args, &fuzz, difference, record, &folder)));
    }
    if let Some(path) = &args.html {
        let tallies = tally_table(&totals.tallies, &totals.skips, Style::PLAIN);
        write_file(path, &fuzz_page(&FuzzPageFacts { drawn: &announced, tallies: &tallies, findings: &findings }))?;
    }

    tell(&format!("\n{}\n", seen_table(&totals.seen, &draws.space, style)));
    tell(&format!("{}\n", cell_table(&totals.cells, style)));
    answer_cache::warn_of(fuzz.launch.cache.as_ref());
    if next < end {
        tell(&stopped(next, totals.is_interrupted));
    }

    totals.written.take().map_or(Ok(()), FuzzRecords::end)?;
    Ok(totals.exit(totals.differences.len(), &fuzz.failed_listings, args.floor))
}

/// A difference for the page. No case contains its declaration, so the command to repeat it draws
/// it again.
fn finding(
    args: &FuzzArgs,
    fuzz: &Fuzz,
    difference: &ShrunkDifference,
    mut record: CheckRecord,
    folder: &Path,
) -> FuzzFinding {
    let ShrunkDifference { number, toolchain, device, declaration, .. } = difference;
    let drawn = match args.exhaustive {
        Some(members) => format!("--exhaustive {members}"),
        // The meaning of a number depends on the compilers that are drawn for.
        None => format!("--seed {} --count 1 --draw-for {}", args.seed, fuzz.names_drawn_for()),
    };
    let fault = args.plant_mutant.as_ref().map(|fault| format!(" --plant-mutant {fault}")).unwrap_or_default();
    if let Some(story) = record.outcome.story_mut() {
        story.again = RerunCommand::Text(format!(
            "layoutproof dev fuzz {drawn} --from {number} --compiler {toolchain} --device {device} --every-device \
             --every-option{fault}"
        ));
    }
    FuzzFinding {
        heading: difference.heading(),
        declaration: declaration.text(),
        record,
        folder: folder.display().to_string(),
    }
}

/// The message about a run that ended before number `next`.
fn stopped(next: u64, is_interrupted: bool) -> String {
    let reason = if is_interrupted { "interrupted" } else { "enough differences were found" };
    format!("  stopped before number {}: {reason}\n", grouped(next))
}

/// A message about the cells with too few checks; names up to five.
fn below_floor(thin: &[CountedCell<'_>], floor: u64) -> String {
    const NAMED: usize = 5;
    let named = thin.iter().take(NAMED);
    let named = named.map(|CountedCell { compiler, cell, checks }| format!("{compiler}, {cell} ({checks})"));
    let more = if thin.len() > NAMED { "; ..." } else { "" };
    let cells = counted(thin.len() as u64, "cell");
    format!("fewer than {floor} checks in {cells}: {}{more}", named.collect::<Vec<_>>().join("; "))
}

impl Fuzz {
    fn header_facts(&self, draws: &Draws) -> FuzzHeaderFacts<'_> {
        FuzzHeaderFacts {
            devices: &self.devices,
            builds: self.compilers.builds(&self.toolchains),
            draws: draws.numbers.end - draws.numbers.start,
            known: &self.known,
            drivers: &self.launch.drivers,
            failed_listings: &self.failed_listings,
        }
    }

    /// Tries the declarations of these numbers until enough differences were found or the user
    /// interrupts. Returns the next number.
    fn add_rounds(
        &self,
        Range { start, end }: Range<u64>,
        draws: &Draws,
        bar: &ProgressBar,
        interrupt: &Interrupt,
        totals: &mut Totals,
    ) -> u64 {
        let mut next = start;
        while next < end && totals.differences.len() < self.most() {
            if interrupt.is_set() {
                totals.is_interrupted = true;
                break;
            }
            let last = (next + ROUND).min(end);
            let round: Vec<(u64, RandomDeclaration)> =
                (next..last).map(|number| (number, draws.tree(number).current())).collect();
            self.add_round(&round, draws, bar, totals);
            bar.inc(last - next);
            next = last;
        }
        next
    }

    fn add_round(&self, numbered: &[(u64, RandomDeclaration)], draws: &Draws, bar: &ProgressBar, totals: &mut Totals) {
        let round = Round::new(self, numbered);
        for (number, declaration) in numbered {
            if let Some(layout) = round.layout(*number) {
                totals.seen.add(declaration, layout);
            }
        }
        for (number, record) in round.records(&mut totals.batching) {
            totals.count(&record);
            if let Some((_, declaration)) = numbered.iter().find(|(drawn, _)| *drawn == number) {
                totals.count_cells(&record, declaration);
            }
            let is_found =
                matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken) && self.is_wanted(&record);
            let is_new = || !totals.differences.iter().any(|other| other.kind == DifferenceKind::of(&record));
            if is_found && is_new() && totals.differences.len() < self.most() {
                bar.set_message(format!("making number {number} smaller"));
                totals.differences.extend(shrink::shrink(self, draws.tree(number), number, &record));
            }
        }
    }

    /// The compilers that declarations are drawn for, as a value of `--draw-for`.
    fn names_drawn_for(&self) -> String {
        let mut names: Vec<&str> = self.drawn_for.iter().map(|toolchain| toolchain.name).collect();
        names.dedup();
        names.join(",")
    }

    /// The cells that can be drawn for each compiler, without any checks yet.
    fn possible_cells(&self) -> CellTally {
        let mut cells = CellTally::default();
        for toolchain in &self.toolchains {
            let draws = CellDraws::new(Declarations::new(full_type_space(toolchain)));
            cells.add_possible(toolchain.compiler, draws.cells());
        }
        cells
    }

    /// The number of differences that ends the run.
    fn most(&self) -> usize {
        if self.planted.is_some() { 1 } else { MOST_FOUND }
    }

    /// With a planted fault, only records of the faulty rule set count.
    fn is_wanted(&self, record: &CheckRecord) -> bool {
        self.planted.as_ref().is_none_or(|planted| planted.rules.name == record.id.rules.as_str())
    }
}

impl Totals {
    /// Prints which APIs could not list their devices and which participants returned no result,
    /// and returns the exit code. `found` counts the shrunk differences: with a planted fault,
    /// others do not count.
    fn exit(&self, found: usize, failed_listings: &[String], floor: Option<u64>) -> Exit {
        let silent = self.participants.silent();
        for sentence in failed_listings.iter().chain(&silent) {
            warn_of_end(sentence);
        }
        let thin = self.cells.below(floor.unwrap_or(0));
        if let (Some(floor), false) = (floor, thin.is_empty()) {
            warn_of_end(&below_floor(&thin, floor));
        }
        let differ = u32::try_from(found).unwrap_or(u32::MAX);
        let end = RunEnd { differ, stale: 0, broken: 0, ..self.end.clone() };
        let missing = !failed_listings.is_empty() || !silent.is_empty() || !thin.is_empty();
        let exit = exit_of_run(&end, Shortfalls { missing, could_not_run: self.is_interrupted });
        if exit == Exit::NothingSelected {
            warn_of_end(&self.participants.why_nothing_is_proved());
        }
        exit
    }

    /// Counts the check in the cells of its declaration, if both the compiler and a device returned
    /// results.
    fn count_cells(&mut self, record: &CheckRecord, declaration: &RandomDeclaration) {
        match (record.outcome.kind(), record.id.producer.producer()) {
            (
                OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale | OutcomeKind::Differ,
                Some(Producer::Compiler(toolchain)),
            ) => self.cells.add(toolchain.compiler, declaration),
            (OutcomeKind::Skipped | OutcomeKind::Broken, _) | (_, None | Some(Producer::Generator(_))) => {}
        }
    }

    fn count(&mut self, record: &CheckRecord) {
        add(&mut self.end, record);
        self.participants.add(record);
        if let Some(written) = &mut self.written {
            written.add(record);
        }
        let tally = self.tallies.entry(record.id.producer.to_string()).or_default();
        tally.leaves += u64::from(record.leaves);
        match record.outcome.kind() {
            OutcomeKind::Agree => tally.agree += 1,
            OutcomeKind::Known | OutcomeKind::Stale => tally.known += 1,
            OutcomeKind::Differ => tally.differ += 1,
            OutcomeKind::Broken => tally.broken += 1,
            OutcomeKind::Skipped => {
                tally.skipped += 1;
                let reason = ReasonKind::of(record.outcome.reasons());
                *self.skips.entry(reason.to_string()).or_default() += 1;
            }
        }
    }
}
