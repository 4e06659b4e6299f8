//! `layoutproof dev fuzz`: sends random or all small declarations through every available compiler, runs the
//! output on devices, and reports what differs.

pub(crate) mod args;
mod bindings;
mod setup;

use std::ops::Range;
use std::path::Path;

use indicatif::ProgressBar;
use layoutproof_events::summary::{Exit, Shortfalls, exit_of_run};
use layoutproof_events::{CheckRecord, RerunCommand, RunEnd};
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_fuzzing::Fuzz;
use layoutproof_fuzzing::draws::Draws;
use layoutproof_fuzzing::found::{self, WrittenDifference};
use layoutproof_fuzzing::records::{FuzzHeaderFacts, FuzzRecords};
use layoutproof_fuzzing::shrink::ShrunkDifference;
use layoutproof_fuzzing::totals::Totals;
use layoutproof_random::declaration::CountedCell;
use layoutproof_records::output_files::{check_file, check_folder, write_file};
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_records::records_file::RecordsTarget;
use layoutproof_report::fuzz_tables::{tally_sentence, tally_table};
use layoutproof_report::html::{FuzzFinding, FuzzPageFacts, fuzz_page};
use layoutproof_show::{Style, counted, grouped};

use crate::commands::fuzz::args::FuzzArgs;
use crate::output::{print, warn, warn_of_end};
use crate::records::arguments;
use crate::{answer_cache, progress, step_events};

/// Number of declarations that are compiled and run together.
const ROUND: u64 = 128;

/// Printed at the first signal that interrupts the run.
const INTERRUPTED: &str = "\nnote: interrupted: the report of the finished declarations follows; \
                           interrupt again to stop at once\n";

/// Draws, compiles, runs and compares, and prints the results.
pub(crate) fn fuzz(args: &FuzzArgs, style: Style) -> anyhow::Result<Exit> {
    args.json.as_deref().map_or(Ok(()), check_file)?;
    args.html.as_deref().map_or(Ok(()), check_file)?;
    check_folder(&args.out)?;
    let interrupt = Interrupt::listen(|| warn(INTERRUPTED))?;
    if args.bindings {
        return bindings::fuzz_bindings(args, &interrupt, style);
    }
    let Some(fuzz) = setup::set_up(args, &interrupt)? else { return Ok(Exit::Missing) };

    let draws = Draws::of(&args.draws(), &fuzz)?;
    let tell = |text: &str| print(if args.quiet { "" } else { text });
    let Range { start, end } = draws.numbers;
    let announced =
        format!("seed {}, {} from number {}", args.seed, counted(end - start, "declaration"), grouped(start));
    tell(&format!("{announced}\n"));
    let written = begin_records(args, fuzz.header_facts(&draws))?;
    let mut totals = Totals::new(Participants::new(Asked::of_producers(&args.compiler)), written);
    totals.cells = fuzz.possible_cells();
    let stop = run_rounds(args, start..end, ROUND, &interrupt, |round, bar| {
        let last = round.end;
        fuzz.add_round(round, &draws, &mut totals, &|message| bar.set_message(message));
        if last < end && !interrupt.is_set() {
            let sentence = format!("  before number {}: {}\n", grouped(last), tally_sentence(&totals.tallies));
            bar.suspend(|| tell(&sentence));
        }
        totals.differences.len() < fuzz.most()
    });

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

    tell(&format!("\n  {}\n", totals.cells));
    answer_cache::warn_of(fuzz.launch.cache.as_ref());
    tell(&stop.sentence());

    totals.written.take().map_or(Ok(()), FuzzRecords::end)?;
    Ok(exit(&totals, totals.differences.len(), &fuzz.failed_listings, args.floor, &stop))
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
        None => format!("--seed {} --count 1 --draw-for {}", args.seed, names_drawn_for(fuzz)),
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

/// The compilers that declarations are drawn for, as a value of `--draw-for`.
fn names_drawn_for(fuzz: &Fuzz) -> String {
    let mut names: Vec<&str> = fuzz.drawn_for.iter().map(|toolchain| toolchain.name).collect();
    names.dedup();
    names.join(",")
}

fn begin_records(args: &FuzzArgs, facts: FuzzHeaderFacts<'_>) -> anyhow::Result<Option<FuzzRecords>> {
    let Some(path) = &args.json else { return Ok(None) };
    let target = RecordsTarget::open(path, warn)?;
    Ok(Some(FuzzRecords::begin(target, facts, arguments::of_run(std::env::args_os()))))
}

struct Stop {
    /// The first number that was not tried; `None` if all were.
    next: Option<u64>,
    is_interrupted: bool,
}

impl Stop {
    /// A line if numbers are left.
    fn sentence(&self) -> String {
        let Some(next) = self.next else { return String::new() };
        let reason = if self.is_interrupted { "interrupted" } else { "enough differences were found" };
        format!("  stopped before number {}: {reason}\n", grouped(next))
    }
}

/// Tries `size` numbers at a time, until `add` returns false because enough was found, or the user interrupts.
fn run_rounds(
    args: &FuzzArgs,
    Range { start, end }: Range<u64>,
    size: u64,
    interrupt: &Interrupt,
    mut add: impl FnMut(Range<u64>, &ProgressBar) -> bool,
) -> Stop {
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let bar = if args.quiet || args.no_progress { ProgressBar::hidden() } else { progress::bar(length) };
    let mut next = start;
    let mut is_interrupted = false;
    while next < end {
        let last = next.saturating_add(size).min(end);
        let goes_on = add(next..last, &bar);
        // Its compilers and workers have ended, so the round is not done.
        is_interrupted = interrupt.is_set();
        if is_interrupted {
            break;
        }
        bar.inc(last - next);
        next = last;
        if !goes_on {
            break;
        }
    }
    bar.finish_and_clear();
    Stop { next: (next < end).then_some(next), is_interrupted }
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

/// Prints which APIs could not list their devices and which participants returned no result,
/// and returns the exit code. `found` counts the shrunk differences: with a planted fault,
/// others do not count.
fn exit(totals: &Totals, found: usize, failed_listings: &[String], floor: Option<u64>, stop: &Stop) -> Exit {
    let silent = totals.participants.silent();
    for sentence in failed_listings.iter().chain(&silent) {
        warn_of_end(sentence);
    }
    let thin = totals.cells.below(floor.unwrap_or(0));
    if let (Some(floor), false) = (floor, thin.is_empty()) {
        warn_of_end(&below_floor(&thin, floor));
    }
    let differ = u32::try_from(found).unwrap_or(u32::MAX);
    let end = RunEnd { differ, stale: 0, broken: 0, ..totals.end.clone() };
    let missing = !failed_listings.is_empty() || !silent.is_empty() || !thin.is_empty();
    let exit = exit_of_run(&end, Shortfalls { missing, could_not_run: stop.is_interrupted });
    if exit == Exit::NothingSelected {
        warn_of_end(&totals.participants.why_nothing_is_proved());
    }
    exit
}
