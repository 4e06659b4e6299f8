//! `layoutproof dev fuzz --bindings`: draws random programs, places their parameters by convention, and
//! compares with the bindings of compilers and the reads of devices.
//!
//! Program number i depends only on the seed and i; each number has a program for DXC and one for
//! Slang. Each available compiler reports its bindings for every target that it has, and a device
//! of that target runs the placement of our rules. Differences that are not known are shrunk and
//! written down ([`finding`]).

mod finding;
mod program_checks;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use layoutproof_compilers::binding_answers::{self, BindingCompiler};
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::summary::Exit;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_executor::launch::Launch;
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_random::{ProgramDialect, RandomProgram, nth_program};
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_report::tally_table::{tally_sentence, tally_table};
use layoutproof_show::{Style, counted, grouped};
use proptest::strategy::ValueTree;

use self::finding::BindingFinding;
use self::program_checks::answers_name;
use super::fuzz_records::{FuzzHeaderFacts, FuzzRecords};
use super::{MOST_FOUND, Totals, draws, stopped};
use crate::commands::fuzz::args::FuzzArgs;
use crate::output::{print, warn, warn_of_end, warn_of_listing};
use crate::select::lists::{BuiltInKnown, known_lists, of_compilers};
use crate::step_events;
use crate::{answer_cache, compilers, progress};

/// The compilers that report where they bind parameters.
const COMPILERS: [&str; 2] = ["dxc", "slangc"];

/// Number of programs of each dialect that are compiled and run together.
const ROUND: u64 = 64;

/// The participants and options of a run.
struct BindingFuzz {
    seed: u64,
    compilers: Vec<BindingCompiler>,
    /// The compilers of the shaders that Direct3D 12 devices run.
    toolchains: Toolchains,
    devices: Vec<DeviceInfo>,
    failed_listings: Vec<String>,
    every_device: bool,
    known: Vec<KnownFailure>,
    launch: Launch,
    out: PathBuf,
}

/// The accumulated results of a run.
#[derive(Default)]
struct BindingTotals {
    checks: Totals,
    findings: Vec<BindingFinding>,
}

/// A program with its number and dialect.
#[derive(Clone, Debug)]
struct DrawnProgram {
    number: u64,
    dialect: ProgramDialect,
    program: RandomProgram,
}

/// Draws, compiles, runs and compares, and prints the results.
pub(super) fn fuzz_bindings(args: &FuzzArgs, interrupt: &Interrupt, style: Style) -> anyhow::Result<Exit> {
    let Some(fuzz) = BindingFuzz::of(args)? else { return Ok(Exit::Missing) };
    let Range { start, end } = draws::numbers(args, args.count)?;
    let tell = |text: &str| print(if args.quiet { "" } else { text });
    let dialects = fuzz.dialects().len() as u64;
    let programs = counted((end - start) * dialects, "program");
    tell(&format!("seed {}, {programs} from number {}\n", args.seed, grouped(start)));

    let begin = |path| FuzzRecords::begin(path, fuzz.header_facts(end - start));
    let written = args.json.as_deref().map(begin).transpose()?;
    let participants = Participants::new(Asked::of_producers(&args.compiler));
    let checks = Totals { participants, written, ..Totals::default() };
    let mut totals = BindingTotals { checks, findings: Vec::new() };

    let is_hidden = args.quiet || args.no_progress;
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let bar = if is_hidden { indicatif::ProgressBar::hidden() } else { progress::bar(length) };
    let mut next = start;
    while next < end && totals.findings.len() < MOST_FOUND {
        if interrupt.is_set() {
            totals.checks.is_interrupted = true;
            break;
        }
        let last = (next + ROUND).min(end);
        fuzz.add_round(next..last, &mut totals);
        bar.inc(last - next);
        next = last;
    }
    bar.finish_and_clear();

    tell(&format!("\n{}", tally_table(&totals.checks.tallies, &totals.checks.skips, style)));
    step_events::conclude(&tally_sentence(&totals.checks.tallies));
    for finding in &totals.findings {
        let folder = finding.write(&fuzz.out)?;
        print(&format!("\n{}\n  written to {}\n", finding.sentence(), folder.display()));
    }
    answer_cache::warn_of(fuzz.launch.cache.as_ref());
    if next < end {
        tell(&stopped(next, totals.checks.is_interrupted));
    }

    totals.checks.written.take().map_or(Ok(()), FuzzRecords::end)?;
    let silent = fuzz.silent_answers(&totals.checks);
    Ok(totals.checks.exit(totals.findings.len(), &[fuzz.failed_listings, silent].concat(), None))
}

impl BindingFuzz {
    /// The run of the arguments. Prints an error and returns `None` if no compiler and no device
    /// was found.
    fn of(args: &FuzzArgs) -> anyhow::Result<Option<Self>> {
        let cache = answer_cache::open(&args.cache);
        let toolchains = compilers::find(&args.compilers(), args.compile_limit, cache.as_ref())?;
        let asked = toolchains.compilers().iter().filter(|compiler| is_asked(args, compiler.name()));
        let compilers: Vec<BindingCompiler> = asked.cloned().filter_map(BindingCompiler::of).collect();
        if let Some(missing) = missing_compiler(args, &compilers)? {
            warn_of_end(&missing);
            return Ok(None);
        }

        let spare_workers = Some(Arc::default());
        let launch = Launch {
            cache,
            spare_workers,
            ..Launch::for_run(std::env::current_exe()?, &args.device, args.every_device && args.device.is_empty())?
        };
        let mut listing = DeviceListing::of(&RunnerKind::driven().collect::<Vec<_>>(), &launch);
        warn_of_listing(&listing);
        let found: BTreeSet<String> = listing.devices.iter().map(|device| device.id.clone()).collect();
        if let Some(absent) = args.device.iter().find(|id| !found.contains(*id)) {
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
            warn_of_end(&format!("no device `{absent}`; found {found}"));
            return Ok(None);
        }
        listing.devices.retain(|device| args.device.is_empty() || args.device.contains(&device.id));
        if compilers.is_empty() && listing.devices.is_empty() {
            warn_of_end("neither a compiler nor a device was found (`layoutproof setup` fetches some)");
            return Ok(None);
        }
        if listing.devices.is_empty() {
            warn("note: no device was found, so compilers are compared with our rules and nothing is read back\n");
        }
        if compilers.is_empty() {
            warn("note: neither DXC nor slangc was found, so no compiler is compared with our rules\n");
        }
        let known = of_compilers(known_lists(&args.known, BuiltInKnown::OfNarrowedRun)?, &toolchains);
        Ok(Some(Self {
            seed: args.seed,
            compilers,
            toolchains,
            devices: listing.devices,
            failed_listings: listing.failures,
            every_device: args.every_device,
            known,
            launch,
            out: args.out.clone(),
        }))
    }

    /// The dialects of the available compilers, or both if none was found.
    fn dialects(&self) -> Vec<ProgramDialect> {
        let has = |dialect: &ProgramDialect| {
            self.compilers.is_empty() || self.compilers.iter().any(|compiler| compiler.dialect() == *dialect)
        };
        [ProgramDialect::Dxc, ProgramDialect::Slang].into_iter().filter(has).collect()
    }

    fn header_facts(&self, programs: u64) -> FuzzHeaderFacts<'_> {
        // DXC compiles the shaders for Direct3D 12 devices, whichever compilers are compared.
        let dxc_of_devices = self.devices.iter().any(|device| device.direct3d.is_some()).then_some("dxc");
        let names = self.compilers.iter().map(|asked| asked.compiler().name()).chain(dxc_of_devices);
        FuzzHeaderFacts {
            devices: &self.devices,
            builds: self.toolchains.builds(&names.flat_map(|name| self.toolchains.named(name)).collect::<Vec<_>>()),
            draws: programs,
            known: &self.known,
            drivers: &self.launch.drivers,
            failed_listings: &self.failed_listings,
        }
    }

    /// A message for each target for which a compiler placed nothing.
    fn silent_answers(&self, totals: &Totals) -> Vec<String> {
        let mut silent = Vec::new();
        for asked in &self.compilers {
            for target in binding_answers::targets(asked.dialect()) {
                let name = asked.compiler().name();
                let tally = totals.tallies.get(&answers_name(name, *target)).copied().unwrap_or_default();
                if tally.agree == 0 && tally.differ == 0 {
                    let programs = counted(tally.skipped + tally.broken, "program");
                    silent.push(format!("compiler `{name}` placed nothing for {target} in {programs}"));
                }
            }
        }
        silent
    }

    fn add_round(&self, numbers: Range<u64>, totals: &mut BindingTotals) {
        let drawn: Vec<DrawnProgram> = numbers
            .flat_map(|number| {
                self.dialects().into_iter().map(move |dialect| DrawnProgram {
                    number,
                    dialect,
                    program: nth_program(dialect, self.seed, number).current(),
                })
            })
            .collect();

        let mut found = self.add_answers(&drawn, &mut totals.checks);
        found.extend(self.add_checks(&drawn, &mut totals.checks));
        for finding in found {
            let is_new = !totals.findings.iter().any(|other| other.kind.is_like(&finding.kind));
            if is_new && totals.findings.len() < MOST_FOUND {
                totals.findings.push(finding::shrink(self, finding));
            }
        }
    }
}

/// A message if a compiler of the arguments was not found.
fn missing_compiler(args: &FuzzArgs, found: &[BindingCompiler]) -> anyhow::Result<Option<String>> {
    let named = args.compiler.iter().filter(|name| *name != "all");
    for name in named {
        let (name, _) = name_and_file(name);
        if !COMPILERS.contains(&name) {
            bail!("`{name}` is not a compiler that reports where it binds parameters: {} are", COMPILERS.join(" and "));
        }
        if !found.iter().any(|compiler| compiler.compiler().name() == name) {
            return Ok(Some(format!(
                "compiler `{name}` was not found (`layoutproof doctor compilers` says how to name one)"
            )));
        }
    }
    let asks_for_all = !args.compiler.is_empty() && found.is_empty();
    Ok(asks_for_all.then(|| format!("no compiler was found: --bindings uses {}", COMPILERS.join(" and "))))
}

/// True if the arguments select this compiler, by its name or by `all`.
fn is_asked(args: &FuzzArgs, name: &str) -> bool {
    args.compilers().iter().any(|asked| asked == compilers::ALL || name_and_file(asked).0 == name)
}
