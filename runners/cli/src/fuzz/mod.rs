//! `layoutproof fuzz`: random or all small declarations through every compiler that is there, and on devices.
//!
//! Declaration number i of a seed depends on the two alone. It is drawn from the type space of one of the compilers, in
//! turn, and goes to every toolchain whose space it lies in; what they make runs on one of the devices, in turn, or on all.
//! What differs and is not known is made smaller ([`shrink`]) and written down ([`found`]).

mod found;
mod round;
mod shrink;
mod spaces;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail};
use layoutproof::known::Known;
use layoutproof::layout::mutate::{RuleMutant, mutants};
use layoutproof::layout::{LayoutOptions, RuleSet};
use layoutproof::random::declaration::exhaustive::{self, exhaustive};
use layoutproof::random::declaration::{BlockForm, Declaration, DeclarationTree, Declarations, Seen, TypeSpace};
use layoutproof::record::{CheckRecord, Outcome};
use layoutproof::report::Style;
use layoutproof::report::seen_table::seen_table;
use layoutproof::report::summary::Exit;
use layoutproof::runner::{DeviceInfo, RunnerKind};
use layoutproof::toolchain::{Compile, Output, Toolchain};
use layoutproof_compilers::toolchains::Toolchains;
use proptest::strategy::ValueTree;

use self::round::Round;
use self::shrink::Difference;
use crate::args::FuzzArgs;
use crate::compilers;
use crate::lists::{BuiltInKnown, known_lists};
use crate::output::{print, warn};
use crate::pool::{self, Launch};
use crate::selection::rule_set;

/// Declarations that are compiled and run together.
const ROUND: u64 = 32;

/// Differences that are made smaller and written: one of each toolchain and culprit, and no more than these.
const MOST_FOUND: usize = 12;

/// What takes part.
pub(super) struct Fuzz {
    toolchains: Vec<&'static Toolchain>,
    compilers: Toolchains,
    /// Devices that run SPIR-V, and the evaluator of DXIL.
    devices: Vec<DeviceInfo>,
    every_device: bool,
    planted: Option<RuleMutant>,
    known: Vec<Known>,
    launch: Launch,
    out: PathBuf,
}

/// Counts of one toolchain.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    agree: u64,
    known: u64,
    skipped: u64,
    failed: u64,
    leaves: u64,
}

/// What a whole run comes to.
#[derive(Default)]
struct Totals {
    tallies: BTreeMap<String, Tally>,
    skips: BTreeMap<String, u64>,
    seen: Seen,
    differences: Vec<Difference>,
}

/// Draws, compiles, runs, compares, and says what came of it.
///
/// # Errors
/// Unknown names, no devices, and what could not be written.
pub(crate) fn fuzz(args: &FuzzArgs, style: Style) -> anyhow::Result<Exit> {
    let Some(fuzz) = Fuzz::of(args)? else { return Ok(Exit::Missing) };
    let draws = Draws::of(args, &fuzz)?;
    print(&format!("seed {}, {} declarations from number {}\n", args.seed, draws.count, args.from));
    let mut totals = Totals::default();
    let mut first = args.from;
    let end = args.from + draws.count;
    while first < end && totals.differences.len() < MOST_FOUND {
        let last = (first + ROUND).min(end);
        let drawn: Vec<(u64, Declaration)> =
            (first..last).map(|number| (number, draws.tree(number).current())).collect();
        fuzz.add_round(&drawn, &draws, &mut totals);
        first = last;
        if fuzz.planted.is_some() && !totals.differences.is_empty() {
            break;
        }
    }
    for difference in &totals.differences {
        let at = found::write(&fuzz, difference)?;
        print(&format!("\n{}\n  written to {}\n", difference.sentence(), at.display()));
    }
    print(&totals.text(&draws.space, style));
    Ok(if totals.differences.is_empty() { Exit::Agree } else { Exit::Differ })
}

impl Fuzz {
    /// What the arguments ask for; `None` where a compiler or every device is missing, which is said.
    fn of(args: &FuzzArgs) -> anyhow::Result<Option<Self>> {
        let compilers = compilers::find(args.compile_limit);
        let names = if args.compiler.is_empty() { vec!["all".to_owned()] } else { args.compiler.clone() };
        let mut toolchains = Vec::new();
        for name in &names {
            let named = compilers.named(name);
            if let Some(absent) = named.iter().find(|toolchain| !compilers.has(toolchain)) {
                warn(&format!("error: compiler `{}` is asked for and not here\n", absent.compiler));
                return Ok(None);
            }
            if named.is_empty() && name != "all" {
                bail!("unknown compiler `{name}` (`layoutproof compilers` lists those that are here)");
            }
            toolchains.extend(named);
        }
        if toolchains.is_empty() {
            warn("error: no compiler is here, so there is nothing to compare (ci/setup.sh fetches some)\n");
            return Ok(None);
        }
        let launch = Launch { program: std::env::current_exe()?, misreading: None };
        let devices = devices(&toolchains, args, &launch);
        if devices.is_empty() {
            warn("error: no device takes what these compilers make (ci/setup.sh fetches software drivers)\n");
            return Ok(None);
        }
        Ok(Some(Self {
            toolchains,
            compilers,
            devices,
            every_device: args.every_device,
            planted: args.plant_mutant.as_deref().map(mutant).transpose()?,
            known: known_lists(&args.known, BuiltInKnown::OfNarrowedRun)?,
            launch,
            out: args.out.clone(),
        }))
    }

    /// The rule set that is checked where `rules` is the compiler's own.
    fn rules<'a>(&'a self, rules: &'a RuleSet) -> &'a RuleSet {
        self.planted.as_ref().map(|mutant| &mutant.rules).filter(|planted| planted.name == rules.name).unwrap_or(rules)
    }

    /// How many type spaces take turns.
    fn spaces(&self) -> usize {
        spaces::distinct(&self.toolchains).len()
    }

    fn add_round(&self, drawn: &[(u64, Declaration)], draws: &Draws, totals: &mut Totals) {
        let round = Round::new(self, drawn);
        for (number, declaration) in drawn {
            if let Some(layout) = round.layout(*number) {
                totals.seen.add(declaration, layout);
            }
        }
        for (number, record) in round.records() {
            totals.count(&record);
            let is_found = matches!(record.outcome, Outcome::Differ | Outcome::Broken);
            let is_new = || !totals.differences.iter().any(|other| other.is_like(&record));
            if is_found && is_new() && totals.differences.len() < MOST_FOUND {
                totals.differences.push(shrink::shrink(self, draws.tree(number), (number, record)));
            }
        }
    }
}

/// Ash devices and the evaluator, as far as the user and the toolchains want them.
fn devices(toolchains: &[&'static Toolchain], args: &FuzzArgs, launch: &Launch) -> Vec<DeviceInfo> {
    let makes = |output: Output| toolchains.iter().any(|toolchain| toolchain.output == output);
    let mut devices = Vec::new();
    if makes(Output::Spirv) {
        let (found, notes) = pool::enumerate(&launch.program);
        notes.iter().for_each(|note| warn(&format!("note: {note}\n")));
        devices.extend(found.into_iter().filter(|device| device.runner == RunnerKind::Ash));
    }
    if makes(Output::Dxil) {
        devices.push(layoutproof::runner::Runner::device(&layoutproof::dxil::Evaluator::new()).clone());
    }
    devices.retain(|device| args.device.is_empty() || args.device.contains(&device.id));
    devices
}

/// `RULES:PARAMETER=VALUE`.
fn mutant(words: &str) -> anyhow::Result<RuleMutant> {
    let (rules, change) = words.split_once(':').context("a planted mutant is RULES:PARAMETER=VALUE")?;
    let (parameter, value) = change.split_once('=').context("a planted mutant is RULES:PARAMETER=VALUE")?;
    let all = mutants(rule_set(rules)?);
    let known = || all.iter().map(|it| format!("{}={}", it.parameter, it.to)).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|it| it.parameter == parameter && it.to == value);
    found.cloned().with_context(|| format!("`{rules}` has no such mutant; it has {}", known()))
}

/// Where declarations come from.
struct Draws {
    seed: u64,
    count: u64,
    source: DrawnFrom,
    /// Everything that can be drawn.
    space: TypeSpace,
}

enum DrawnFrom {
    /// Random ones of several type spaces, in turn.
    Random(Vec<Declarations>),
    /// All small ones.
    All(Vec<Declaration>),
}

impl Draws {
    fn of(args: &FuzzArgs, fuzz: &Fuzz) -> anyhow::Result<Self> {
        let spaces = spaces::distinct(&fuzz.toolchains);
        let (source, count) = match args.exhaustive {
            None => (DrawnFrom::Random(spaces.into_iter().map(Declarations::new).collect()), args.count),
            Some(most) => {
                let kinds = exhaustive::members();
                let total = exhaustive::count(kinds.len() as u64, most).filter(|total| *total < 1 << 24);
                total.with_context(|| format!("all declarations of {most} members are too many"))?;
                let all = [BlockForm::Cbuffer, BlockForm::StructuredBuffer]
                    .into_iter()
                    .flat_map(|form| exhaustive(most, &kinds, form, LayoutOptions::default()));
                let all: Vec<Declaration> = all.collect();
                let count = all.len() as u64;
                (DrawnFrom::All(all), count.saturating_sub(args.from))
            }
        };
        Ok(Self { seed: args.seed, count, source, space: TypeSpace::everything() })
    }

    /// Declaration `number`, ready to be made smaller.
    fn tree(&self, number: u64) -> DeclarationTree {
        match &self.source {
            DrawnFrom::Random(spaces) => spaces[number as usize % spaces.len()].nth(self.seed, number),
            DrawnFrom::All(all) => DeclarationTree::new(all[number as usize].clone(), self.space.clone().into()),
        }
    }
}

impl Totals {
    fn count(&mut self, record: &CheckRecord) {
        let tally = self.tallies.entry(record.producer.clone()).or_default();
        tally.leaves += u64::from(record.leaves);
        match record.outcome {
            Outcome::Agree => tally.agree += 1,
            Outcome::Known | Outcome::Stale => tally.known += 1,
            Outcome::Differ | Outcome::Broken => tally.failed += 1,
            Outcome::Skipped => {
                tally.skipped += 1;
                let reason = record.skip_reason.clone().unwrap_or_default();
                *self.skips.entry(format!("{}: {reason}", record.producer)).or_default() += 1;
            }
        }
    }

    fn text(&self, space: &TypeSpace, style: Style) -> String {
        let mut text = format!("\n{}\n", seen_table(&self.seen, space, style));
        text += "  toolchain                  agree     known   skipped    differ      leaves\n";
        for (name, tally) in &self.tallies {
            let Tally { agree, known, skipped, failed, leaves } = tally;
            text += &format!("  {name:<22} {agree:>9} {known:>9} {skipped:>9} {failed:>9} {leaves:>11}\n");
        }
        let mut skips: Vec<_> = self.skips.iter().collect();
        skips.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), (*reason).clone()));
        for (reason, count) in skips.into_iter().take(12) {
            text += &format!("  skipped {count:>5}  {reason}\n");
        }
        text
    }
}
