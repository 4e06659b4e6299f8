//! Sets up a fuzz run from its arguments: compilers, devices, known differences, a planted fault.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::CompiledAccesses;
use layoutproof_device::{RunnerKind, ShaderForm};
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_executor::launch::Launch;
use layoutproof_fuzzing::Fuzz;
use layoutproof_inputs::rule_set::rule_set;
use layoutproof_layout::mutate::{RuleMutant, mutants};
use layoutproof_readers::evaluator::Evaluator;
use layoutproof_readers::toolchain::{Compilers, Toolchain, toolchains as toolchains_of_table, translators};
use layoutproof_source::nearest_name::known_names;

use crate::answer_cache;
use crate::commands::fuzz::args::FuzzArgs;
use crate::compilers;
use crate::output::{warn_of_end, warn_of_listing};
use crate::select::lists::{BuiltInKnown, known_lists, of_compilers};

/// Builds the run from the arguments. Prints an error and returns `None` if a compiler or every device
/// is missing.
pub(super) fn set_up(args: &FuzzArgs, interrupt: &Interrupt) -> anyhow::Result<Option<Fuzz>> {
    let planted = args.plant_mutant.as_deref().map(mutant).transpose()?;
    let cache = answer_cache::open(&args.cache);
    let compilers = compilers::find(&args.compilers(), args.compile_limit, cache.as_ref())?;
    let Some(toolchains) = toolchains(args, &compilers)? else { return Ok(None) };
    let drawn_for = drawn_for(args, &toolchains)?;
    let launch = launch(args, cache, interrupt)?;
    let DeviceListing { devices, failures, .. } = devices(&toolchains, args, &launch);
    if devices.is_empty() {
        warn_of_end("no device can run these compilers' output (`layoutproof setup` fetches software drivers)");
        return Ok(None);
    }
    let known = of_compilers(known_lists(&args.known, BuiltInKnown::OfNarrowedRun)?, &compilers);
    Ok(Some(Fuzz {
        toolchains,
        drawn_for,
        compilers,
        devices,
        failed_listings: failures,
        every_device: args.every_device,
        every_option: args.every_option || args.exhaustive.is_some() || args.plant_mutant.is_some(),
        accesses: if args.every_access { CompiledAccesses::All } else { CompiledAccesses::OneInTurn },
        planted,
        known,
        launch,
        out: args.out.clone(),
    }))
}

/// Worker processes for the devices of the arguments.
pub(super) fn launch(
    args: &FuzzArgs,
    cache: Option<Arc<AnswerCache>>,
    interrupt: &Interrupt,
) -> anyhow::Result<Launch> {
    let program = std::env::current_exe()?;
    let launch = Launch::for_run(program, &args.device, args.every_device && args.device.is_empty())?;
    Ok(Launch { cache, interrupt: interrupt.clone(), spare_workers: Some(Arc::default()), ..launch })
}

/// The toolchains that the arguments name, or all that were found. Prints an error and returns
/// `None` if one is missing.
fn toolchains(args: &FuzzArgs, compilers: &Toolchains) -> anyhow::Result<Option<Vec<&'static Toolchain>>> {
    let mut toolchains: Vec<&'static Toolchain> = Vec::new();
    for name in &args.compilers() {
        let mut found = compilers.named(name);
        if found.is_empty() {
            found.extend(translators().iter().filter(|translator| translator.is_named(name)));
        }
        if let Some(absent) = found.iter().find(|toolchain| !compilers.has(toolchain)) {
            warn_of_end(&format!(
                "compiler `{}` was not found (`layoutproof doctor compilers` says how to name one)",
                absent.compiler
            ));
            return Ok(None);
        }
        if found.is_empty() && name != compilers::ALL {
            bail!("{}", unknown_compiler(name));
        }
        toolchains.extend(found);
    }
    toolchains.sort();
    toolchains.dedup();
    if toolchains.is_empty() {
        warn_of_end("no compiler was found, so there is nothing to compare (`layoutproof setup` fetches some)");
        return Ok(None);
    }
    Ok(Some(toolchains))
}

/// The toolchains that declarations are drawn for: those of `--draw-for`, which need not be
/// installed, or the participating ones.
fn drawn_for(args: &FuzzArgs, taking_part: &[&'static Toolchain]) -> anyhow::Result<Vec<&'static Toolchain>> {
    if args.draw_for.is_empty() {
        return Ok(taking_part.to_vec());
    }

    let mut drawn_for: Vec<&'static Toolchain> = Vec::new();
    for name in &args.draw_for {
        let of_name = toolchains_of_table().iter().filter(|it| it.name == name || it.compiler == name);
        let before = drawn_for.len();
        drawn_for.extend(of_name);
        if drawn_for.len() == before {
            bail!("{}", unknown_compiler(name));
        }
    }
    drawn_for.sort();
    drawn_for.dedup();
    Ok(drawn_for)
}

/// The message about a name that no compiler and no toolchain has.
fn unknown_compiler(name: &str) -> String {
    let known: BTreeSet<&str> = toolchains_of_table().iter().flat_map(|it| [it.compiler, it.name]).collect();
    let listing = "`layoutproof doctor compilers` lists those that were found";
    format!("unknown compiler `{name}`{}", known_names(name, known, listing))
}

/// The devices that run SPIR-V, and the evaluator, as the user and the toolchains need them.
fn devices(toolchains: &[&'static Toolchain], args: &FuzzArgs, launch: &Launch) -> DeviceListing {
    let makes = |output: ShaderForm| toolchains.iter().any(|toolchain| toolchain.output == output);
    let mut listing = DeviceListing::default();
    // naga brings WGSL to SPIR-V.
    let translates = toolchains.iter().any(|toolchain| toolchain.reads_modules());
    if makes(ShaderForm::Spirv) || makes(ShaderForm::Dxbc) || translates {
        let apis = RunnerKind::driven().filter(|api| api.accepts(ShaderForm::Spirv));
        listing = DeviceListing::of(&apis.collect::<Vec<_>>(), launch);
        warn_of_listing(&listing);
    }
    if makes(ShaderForm::Dxil) || makes(ShaderForm::ClangIr) {
        listing.devices.push(layoutproof_device::Runner::device(&Evaluator::new()).clone());
    }
    listing.devices.retain(|device| args.device.is_empty() || args.device.contains(&device.id));
    listing
}

/// Parses `RULES:PARAMETER=VALUE`.
fn mutant(words: &str) -> anyhow::Result<RuleMutant> {
    let (rules, change) = words.split_once(':').context("a planted mutant is RULES:PARAMETER=VALUE")?;
    let (parameter, value) = change.split_once('=').context("a planted mutant is RULES:PARAMETER=VALUE")?;
    let all = mutants(rule_set(rules)?);
    let known = || all.iter().map(|it| format!("{}={}", it.parameter, it.to)).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|it| it.parameter == parameter && it.to == value);
    found.cloned().with_context(|| format!("`{rules}` has no such mutant; it has {}", known()))
}
