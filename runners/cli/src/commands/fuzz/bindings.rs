//! `layoutproof dev fuzz --bindings`: draws random programs, places their parameters by convention, and
//! compares with the bindings of compilers and the reads of devices.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::bail;
use layoutproof_compilers::binding_answers::BindingCompiler;
use layoutproof_device::RunnerKind;
use layoutproof_events::summary::Exit;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_fuzzing::MOST_FOUND;
use layoutproof_fuzzing::bindings::BindingFuzz;
use layoutproof_fuzzing::draws::numbers;
use layoutproof_fuzzing::records::FuzzRecords;
use layoutproof_fuzzing::totals::Totals;
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_report::fuzz_tables::{tally_sentence, tally_table};
use layoutproof_show::{Style, counted, grouped};

use super::{begin_records, exit, run_rounds, setup};
use crate::commands::fuzz::args::FuzzArgs;
use crate::output::{print, warn, warn_of_end, warn_of_listing};
use crate::select::lists::{BuiltInKnown, known_lists, of_compilers};
use crate::{answer_cache, compilers, step_events};

/// The compilers that report where they bind parameters.
const COMPILERS: [&str; 2] = ["dxc", "slangc"];

/// Number of programs of each dialect that are compiled and run together.
const ROUND: u64 = 64;

/// Draws, compiles, runs and compares, and prints the results.
pub(super) fn fuzz_bindings(args: &FuzzArgs, interrupt: &Interrupt, style: Style) -> anyhow::Result<Exit> {
    let Some(fuzz) = set_up(args, interrupt)? else { return Ok(Exit::Missing) };
    let Range { start, end } = numbers(&args.draws(), args.count)?;
    let tell = |text: &str| print(if args.quiet { "" } else { text });
    let dialects = fuzz.dialects().len() as u64;
    let programs = counted((end - start).saturating_mul(dialects), "program");
    tell(&format!("seed {}, {programs} from number {}\n", args.seed, grouped(start)));

    let written = begin_records(args, fuzz.header_facts(end - start))?;
    let mut totals = Totals::new(Participants::new(Asked::of_producers(&args.compiler)), written);
    let mut findings = Vec::new();
    let stop = run_rounds(args, start..end, ROUND, interrupt, |round, _| {
        fuzz.add_round(round, &mut totals, &mut findings);
        findings.len() < MOST_FOUND
    });

    tell(&format!("\n{}", tally_table(&totals.tallies, &totals.skips, style)));
    step_events::conclude(&tally_sentence(&totals.tallies));
    for finding in &findings {
        let folder = finding.write(&fuzz.out)?;
        print(&format!("\n{}\n  written to {}\n", finding.sentence(), folder.display()));
    }
    answer_cache::warn_of(fuzz.launch.cache.as_ref());
    tell(&stop.sentence());

    totals.written.take().map_or(Ok(()), FuzzRecords::end)?;
    let silent = fuzz.silent_answers(&totals);
    Ok(exit(&totals, findings.len(), &[fuzz.failed_listings, silent].concat(), None, &stop))
}

/// Builds the run from the arguments. Prints an error and returns `None` if no compiler and no device
/// was found.
fn set_up(args: &FuzzArgs, interrupt: &Interrupt) -> anyhow::Result<Option<BindingFuzz>> {
    let cache = answer_cache::open(&args.cache);
    let toolchains = compilers::find(&args.compilers(), args.compile_limit, cache.as_ref())?;
    let asked = toolchains.compilers().iter().filter(|compiler| is_asked(args, compiler.name()));
    let compilers: Vec<BindingCompiler> = asked.cloned().filter_map(BindingCompiler::of).collect();
    if let Some(missing) = missing_compiler(args, &compilers)? {
        warn_of_end(&missing);
        return Ok(None);
    }

    let launch = setup::launch(args, cache, interrupt)?;
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
    Ok(Some(BindingFuzz {
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
