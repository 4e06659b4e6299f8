//! `layoutproof regress`, the old form of `compare`, for one more release.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::family::Family;
use layoutproof_core::check::Source;
use layoutproof_core::results::frozen::accepted::AcceptedEntry;
use layoutproof_core::results::frozen::{accept, compare};
use layoutproof_core::results::summary::Exit;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::all_cases::sources_with_refused;
use layoutproof_records::frozen_set::{FrozenSet, FrozenSetPlace};
use layoutproof_records::output_files::check_folder;
use layoutproof_report::regression::{Regression, RegressionSide, json, text};
use layoutproof_show::Style;

use crate::args::Format;
use crate::commands::compare::build::{Build, Decisions};
use crate::commands::freeze::{AskArgs, compiler_of};
use crate::output::{print, print_json, warn};

/// `layoutproof regress`.
#[derive(Debug, Args)]
pub struct RegressArgs {
    /// Compiler and cases.
    #[command(flatten)]
    pub ask: AskArgs,
    /// The frozen set; default: that of the newest version of the family below shaders/frozen.
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// Record the differences that this pattern matches as intended, for this version of the compiler. A difference is
    /// CASE:TOOLCHAIN:PATH:WHAT.
    #[arg(long, value_name = "PATTERN", requires = "reason")]
    pub accept: Option<String>,
    /// Why they are intended.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Do not fail where an accepted change is no difference any more, as in a bisection, which also builds what came
    /// before the change.
    #[arg(long)]
    pub allow_stale: bool,
    /// Each accepted difference too.
    #[arg(short, long)]
    pub verbose: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Compares a compiler with a frozen set.
pub(crate) fn regress(args: &RegressArgs, style: Style) -> anyhow::Result<Exit> {
    warn("note: `regress` is now `layoutproof compare OLD NEW`; the old name will go\n");
    let Some(mut build) = build_of(&args.ask)? else { return Ok(Exit::Missing) };
    let family = build.family()?;
    let mut set = match &args.against {
        Some(folder) => FrozenSet::load(FrozenSetPlace::Folder(folder.clone()))?,
        None => FrozenSet::newest(family)?,
    };

    if let (Some(_), FrozenSetPlace::Folder(folder)) = (&args.accept, &set.place) {
        check_folder(folder)?;
    }
    if set.manifest.family != family.as_str() {
        bail!("{} was frozen from {}, but {} is {family}", set.place, set.manifest.family, args.ask.compiler);
    }
    if build.is_saved_as(&set) {
        warn(&format!(
            "error: {} cannot be compared with itself: no other build of the compiler was found\n",
            set.place
        ));
        return Ok(Exit::Missing);
    }

    let sources = sources_with_refused(&args.ask.cases, &args.ask.filter)?;
    let left_out = leave_out(&mut set, &args.ask, &sources);
    if let Build::Saved(frozen) = &mut build {
        leave_out(frozen, &args.ask, &sources);
    }

    let place = match &build {
        Build::Here(_) => args.ask.compiler.clone(),
        Build::Saved(set) => format!("frozen, {}", set.place),
    };
    let Decisions { manifest, decided } = build.decide(&sources)?;
    let mut comparison = compare(&set.decided, &decided);
    if comparison.cases == 0 {
        warn("nothing is compared: no case is the same in the frozen set\n");
        return Ok(Exit::NothingSelected);
    }

    if let Some((pattern, reason)) = args.accept.as_ref().zip(args.reason.as_ref()) {
        let (pattern, reason, versions) = (pattern.clone(), reason.clone(), manifest.version.clone());
        set.accept_change(AcceptedEntry { pattern, reason, versions }, &comparison)?;
    }
    let outdated = accept(&set.accepted, &manifest.version, &mut comparison, &left_out);

    let regression = Regression {
        new: RegressionSide { says: &manifest.says, place },
        old: RegressionSide { says: &set.manifest.says, place: set.place.to_string() },
        comparison: &comparison,
        stale: &outdated,
    };

    match args.format {
        Format::Text => print(&text(&regression, args.verbose, style)),
        Format::Json => print_json(&format!("{}\n", json(&regression))),
    }
    let differs = comparison.unaccepted().next().is_some() || !(outdated.is_empty() || args.allow_stale);
    Ok(if differs { Exit::Differ } else { Exit::Agree })
}

/// The build that the arguments name: a compiler, or the folder of a frozen set. If the compiler is
/// missing and the repository has a frozen set of it, prints a note and uses that set. Prints an
/// error and returns `None` if neither was found.
fn build_of(ask: &AskArgs) -> anyhow::Result<Option<Build>> {
    let name = ask.compiler.as_str();
    if let Some(set) = FrozenSet::at(Path::new(name))? {
        return Ok(Some(Build::Saved(Box::new(set))));
    }
    let is_absent =
        Family::of_compiler(name).is_some() && Compiler::named(name, MachineTools::find()?.folder()).compiler.is_err();
    let stand_in = if is_absent { FrozenSet::in_place_of(name)? } else { None };
    if let Some(set) = stand_in {
        warn(&format!("note: `{name}` was not found; using its recorded decisions in {}\n", set.place));
        return Ok(Some(Build::Saved(Box::new(set))));
    }
    Ok(compiler_of(ask)?.map(|asked| Build::Here(Box::new(asked))))
}

/// Removes the cases from the set that the user's filter excludes, so that they do not count as
/// gone. Returns their ids.
fn leave_out(set: &mut FrozenSet, ask: &AskArgs, sources: &[Arc<Source>]) -> Vec<String> {
    if ask.filter.is_empty() {
        return Vec::new();
    }
    let is_left_out = |id: &String| !sources.iter().any(|source| source.id == *id);
    let left_out: BTreeSet<String> =
        set.decided.values().flat_map(|cases| cases.keys()).filter(|id| is_left_out(id)).cloned().collect();
    for cases in set.decided.values_mut() {
        cases.retain(|id, _| !left_out.contains(id));
    }
    left_out.into_iter().collect()
}
