//! `layoutproof fuzz --bindings`: random programs whose parameters conventions place, compilers bind, and devices read.
//!
//! Program number i of a seed depends on the two alone; there is one for DXC and one for Slang. Each compiler that is here is
//! asked where it binds the parameters, for every target that it has, and what our rules for it say is put on a device of
//! that target. What differs and is not known is made smaller and written down ([`finding`]).

mod finding;
mod program_checks;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use layoutproof_compilers::binding_answers::BindingCompiler;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::random::{ProgramDialect, RandomProgram, nth_program};
use layoutproof_core::report::summary::Exit;
use layoutproof_core::report::tally_table::tally_table;
use layoutproof_core::report::{Style, counted, grouped};
use layoutproof_core::results::known::KnownFailure;
use layoutproof_core::stable_hash::stable_hash;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::launch::Launch;
use proptest::strategy::ValueTree;

use self::finding::BindingFinding;
use super::fuzz_records::FuzzRecords;
use super::{MOST_FOUND, Totals, draws};
use crate::answer_cache;
use crate::commands::fuzz::args::FuzzArgs;
use crate::compilers;
use crate::output::{print, warn, warn_of_listing};
use crate::progress;
use crate::records::participants::{Asked, Participants};
use crate::records::records_file;
use crate::select::lists::{BuiltInKnown, known_lists};

/// Programs of each dialect that are compiled and run together.
const ROUND: u64 = 64;

/// What takes part.
struct BindingFuzz {
    seed: u64,
    compilers: Vec<BindingCompiler>,
    /// Those that make shaders of what devices of Direct3D 12 are asked.
    toolchains: Toolchains,
    devices: Vec<DeviceInfo>,
    failed_listings: Vec<String>,
    every_device: bool,
    known: Vec<KnownFailure>,
    launch: Launch,
    out: PathBuf,
}

/// What a run comes to.
#[derive(Default)]
struct BindingTotals {
    /// Tallies of answers and checks, records.
    checks: Totals,
    findings: Vec<BindingFinding>,
}

/// A program with what its number and dialect stand for.
#[derive(Clone, Debug)]
struct DrawnProgram {
    number: u64,
    dialect: ProgramDialect,
    program: RandomProgram,
}

/// Draws, compiles, runs, compares, and says what came of it.
///
/// # Errors
/// Unknown names, and what could not be written.
pub(super) fn fuzz_bindings(args: &FuzzArgs, style: Style) -> anyhow::Result<Exit> {
    let Some(fuzz) = BindingFuzz::of(args)? else { return Ok(Exit::Missing) };
    let Range { start, end } = draws::numbers(args, args.count)?;
    let tell = |text: &str| print(if args.quiet { "" } else { text });
    let dialects = fuzz.dialects().len() as u64;
    let programs = counted((end - start) * dialects, "program");
    tell(&format!("seed {}, {programs} from number {}\n", args.seed, grouped(start)));

    let written = args.json.as_ref().map(|path| fuzz.begin_records(path, end - start)).transpose()?;
    let participants = Participants::new(Asked::of_producers(&args.compiler));
    let checks = Totals { participants, written, ..Totals::default() };
    let mut totals = BindingTotals { checks, findings: Vec::new() };

    let is_hidden = args.quiet || args.no_progress;
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let bar = if is_hidden { indicatif::ProgressBar::hidden() } else { progress::bar(length) };
    let mut next = start;
    while next < end && totals.findings.len() < MOST_FOUND && !fuzz.launch.interrupt.is_set() {
        let last = (next + ROUND).min(end);
        fuzz.add_round(next..last, &mut totals);
        bar.inc(last - next);
        next = last;
    }
    bar.finish_and_clear();

    tell(&format!("\n{}", tally_table(&totals.checks.tallies, &totals.checks.skips, style)));
    for finding in &totals.findings {
        let folder = finding.write(&fuzz.out)?;
        print(&format!("\n{}\n  written to {}\n", finding.sentence(), folder.display()));
    }
    answer_cache::warn_of(fuzz.launch.cache.as_ref());
    if next < end {
        tell(&format!("  stopped before number {}: enough is found\n", grouped(next)));
    }

    totals.checks.written.take().map_or(Ok(()), FuzzRecords::end)?;
    Ok(totals.checks.exit(totals.findings.len(), &fuzz.failed_listings, None))
}

impl BindingFuzz {
    /// What the arguments ask for; `None` where nobody is there, which is said.
    fn of(args: &FuzzArgs) -> anyhow::Result<Option<Self>> {
        let cache = answer_cache::open(&args.cache);
        let toolchains = compilers::find(args.compile_limit, cache.as_ref())?;
        let asked = toolchains.compilers().iter().filter(|compiler| is_asked(args, compiler.name()));
        let compilers: Vec<BindingCompiler> = asked.cloned().filter_map(BindingCompiler::of).collect();
        let is_here = |name: &&String| compilers.iter().any(|compiler| compiler.compiler().name() == *name);
        if let Some(unknown) = args.compiler.iter().find(|name| *name != "all" && !is_here(name)) {
            bail!("no compiler `{unknown}` that says where it binds parameters: dxc and slangc do, where they are");
        }

        let spare_workers = Some(Arc::default());
        let launch = Launch { cache, spare_workers, ..Launch::of(std::env::current_exe()?)? };
        let mut listing = DeviceListing::of(&[RunnerKind::Ash, RunnerKind::Wgpu, RunnerKind::D3d12], &launch);
        warn_of_listing(&listing);
        listing.devices.retain(|device| args.device.is_empty() || args.device.contains(&device.id));
        if compilers.is_empty() && listing.devices.is_empty() {
            warn("error: neither a compiler nor a device is here (`layoutproof setup` fetches some)\n");
            return Ok(None);
        }
        Ok(Some(Self {
            seed: args.seed,
            compilers,
            toolchains,
            devices: listing.devices,
            failed_listings: listing.failures,
            every_device: args.every_device,
            known: known_lists(&args.known, BuiltInKnown::OfNarrowedRun)?,
            launch,
            out: args.out.clone(),
        }))
    }

    /// The dialects of the compilers that are here, or both where none is.
    fn dialects(&self) -> Vec<ProgramDialect> {
        let has = |dialect: &ProgramDialect| {
            self.compilers.is_empty() || self.compilers.iter().any(|compiler| compiler.dialect() == *dialect)
        };
        [ProgramDialect::Dxc, ProgramDialect::Slang].into_iter().filter(has).collect()
    }

    fn begin_records(&self, path: &Path, programs: u64) -> anyhow::Result<FuzzRecords> {
        let header = records_file::header(
            &self.devices,
            self.toolchains.builds(&[]),
            usize::try_from(programs).unwrap_or(usize::MAX),
            format!("{:016x}", stable_hash(&format!("{:?}", self.known))),
            &self.launch.drivers,
        );
        FuzzRecords::begin(path, header, &self.failed_listings)
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
        for (program, kind) in found {
            let is_new = !totals.findings.iter().any(|finding| finding.kind.is_like(&kind));
            if is_new && totals.findings.len() < MOST_FOUND {
                totals.findings.push(finding::shrink(self, program, kind));
            }
        }
    }
}

/// True if the user asks for this compiler, by its name or by asking for all.
fn is_asked(args: &FuzzArgs, name: &str) -> bool {
    args.compiler.is_empty() || args.compiler.iter().any(|asked| asked == "all" || asked == name)
}
