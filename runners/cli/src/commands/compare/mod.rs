//! `layoutproof compare`: what a build of a compiler changed, in all cases or in the user's files.
//!
//! Both builds get the same sources: each source as a program, and a probe of each of its blocks.
//! What they decide is compared: acceptance, offsets by report and by code, bindings. Decisions can
//! be saved, and then stand for their build. No device takes part.

pub(crate) mod build;
mod inputs;
pub(super) mod runs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};
use layoutproof_compilers::family::Family;
use layoutproof_core::results::frozen::accepted::AcceptedEntry;
use layoutproof_core::results::frozen::text as decisions_text;
use layoutproof_core::results::frozen::{BuildComparison, IntendedChanges, accept, compare as compare_decisions};
use layoutproof_events::summary::Exit;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::{InputWord, expanded};
use layoutproof_records::frozen_set::FrozenSet;
use layoutproof_records::output_files::check_folder;
use layoutproof_report::build_changes::BuildChanges;
use layoutproof_show::{Style, counted, one_line};

use self::build::{AskOptions, Build, Decisions};
use self::inputs::Inputs;
use self::runs::{compare_runs, record_files};
use crate::answer_cache;
use crate::args::CacheArgs;
use crate::output::{print, print_json, warn};

/// Output formats of `layoutproof compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For a pull request; two runs only.
    Markdown,
    /// `JUnit` XML; two runs only.
    Junit,
}

/// `layoutproof compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The build before: `dxc=PATH`, `dxc@1.8`, or a folder. Or the records of a run.
    ///
    /// A compiler's file can be a program or a library. `dxc@1.8` is a version that is set up, and `dxc` the usual one.
    /// A folder is one that --save wrote. Records are a file of `run --json`, or a folder with such files.
    #[arg(value_name = "OLD")]
    pub old: String,
    /// The build to judge, in the same form.
    ///
    /// Without it, the decisions of OLD are printed, or kept with --save.
    #[arg(value_name = "NEW")]
    pub new: Option<String>,
    /// HLSL or Slang files, or cases by id. Default: all cases.
    #[arg(value_name = "FILE|CASE")]
    pub inputs: Vec<String>,
    /// Keep the decisions of NEW in this folder.
    ///
    /// As text; the folder can be OLD the next time.
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Accept the changes that this pattern matches.
    ///
    /// They are added to the list of the folder OLD, for this version of NEW. A change is CASE:TOOLCHAIN:PATH:WHAT.
    #[arg(long, value_name = "PATTERN", requires = "reason")]
    pub accept: Option<String>,
    /// Why they are accepted.
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Do not fail if an accepted change no longer occurs.
    ///
    /// For a bisection, which also builds what came before the change.
    #[arg(long)]
    pub allow_stale: bool,
    /// Profile of entry points: `ps_6_0`, or `sm_6_0`.
    ///
    /// With `sm_6_0`, the stage is the one that the source says.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Print every change.
    #[arg(short, long)]
    pub verbose: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub format: CompareFormat,
    /// Time limit of a compiler for one source.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// Keep sources and compiled shaders below this folder.
    ///
    /// In the folders `old` and `new`. Compilers are then asked, whatever is cached.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// The cache of compiler answers.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// How files are read.
    #[command(flatten)]
    pub declare: DeclareArgs,
}

/// Compares two builds, or prints or saves the decisions of one.
pub(crate) fn compare(args: &CompareArgs, style: Style) -> anyhow::Result<Exit> {
    if let Some(old) = record_files(Path::new(&args.old))? {
        let Some(new) = &args.new else { bail!("name the records of the run to compare {} with", args.old) };
        return compare_runs(args, &old, new, style);
    }
    if matches!(args.format, CompareFormat::Markdown | CompareFormat::Junit) {
        bail!("Markdown and JUnit are for the records of two runs");
    }
    args.save.as_deref().map_or(Ok(()), check_folder)?;
    let cache = answer_cache::open(&args.cache);
    let options = |side: &str| AskOptions {
        limit: Duration::from_secs(args.compile_limit),
        keep: args.keep.as_ref().map(|folder| folder.join(side)),
        cache: cache.clone(),
    };
    let Some(old) = Build::named(&args.old, &options("old"))? else { return Ok(Exit::Missing) };
    let family = old.family()?;
    let Some(new_word) = &args.new else { return one_build(args, &args.inputs, old, family) };
    if is_input(new_word, &args.declare)? {
        let words: Vec<String> = [new_word].into_iter().chain(&args.inputs).cloned().collect();
        return one_build(args, &words, old, family);
    }
    let Some(new) = Build::named(new_word, &options("new"))? else { return Ok(Exit::Missing) };
    if new.family()? != family {
        bail!(
            "{} is a build of {family}, {new_word} one of {}: name two builds of one compiler",
            args.old,
            new.family()?
        );
    }

    let words = words(args, [&old, &new])?;
    let inputs = Inputs::read(&words, &args.declare, args.profile.as_deref(), family)?;
    if inputs.sources.is_empty() {
        warn("error: nothing can be compared\n");
        return Ok(if inputs.unread > 0 { Exit::CouldNotRun } else { Exit::NothingSelected });
    }

    let sides = [old.side(&args.old), new.side(new_word)];
    let left_out = left_out([&old, &new], args, &inputs);
    let accepted = match &old {
        Build::Saved(set) => Some((**set).clone()),
        Build::Here(_) => None,
    };
    let mut decisions = [old.decide(&inputs.sources)?, new.decide(&inputs.sources)?];
    if let Some(folder) = &args.save {
        decisions[1].as_set(folder).write(folder)?;
    }
    for decisions in &mut decisions {
        restrict(decisions, &left_out);
    }
    let [old, new] = decisions;
    if old.manifest.digest == new.manifest.digest {
        warn("note: OLD and NEW are the same build\n");
    }
    let mut comparison = compare_decisions(&old.decided, &new.decided);
    if comparison.cases == 0 {
        warn(&nothing_compared(&comparison));
        return Ok(Exit::NothingSelected);
    }

    let list = accepted_changes(args, accepted, &new, &comparison)?;
    let stale = accept(&list, &new.manifest.version, &mut comparison, &left_out);
    let account = inputs.account([&old.decided, &new.decided]);
    let [old_side, new_side] = sides;
    let changes = BuildChanges {
        old: old_side,
        new: new_side,
        comparison: &comparison,
        stale: if args.allow_stale { &[] } else { &stale },
        noun: inputs.noun,
        account: &account,
        place_of: &|source, path| inputs.place_of(source, path),
    };
    match args.format {
        CompareFormat::Text | CompareFormat::Markdown | CompareFormat::Junit => {
            print(&changes.text(args.verbose, style));
            if !account.is_complete() {
                print(&format!("{}\n", one_line(&account.sentence())));
            }
        }
        CompareFormat::Json => print_json(&format!("{}\n", changes.json())),
    }
    answer_cache::warn_of(cache.as_ref());
    Ok(match (inputs.unread > 0, changes.is_failure()) {
        (true, _) => Exit::CouldNotRun,
        (false, true) => Exit::Differ,
        (false, false) => Exit::Agree,
    })
}

/// True if a word names cases or a shader file, and no build: `compare BUILD --save DIR moons/`.
fn is_input(word: &str, declare: &DeclareArgs) -> anyhow::Result<bool> {
    match InputWord::of(word, declare.lang) {
        InputWord::Shader(_) | InputWord::CaseFile(_) => Ok(true),
        InputWord::Filter(_) if Build::is_named_by(word) => Ok(false),
        InputWord::Filter(filter) => Ok(!Cases::load(&declare.cases)?.matching(&[filter]).is_empty()),
    }
}

/// Prints or saves the decisions of a build about the cases and files that the words name; about all cases,
/// or all that were saved, if there are none.
fn one_build(args: &CompareArgs, words: &[String], build: Build, family: Family) -> anyhow::Result<Exit> {
    if let (Build::Saved(set), [], None) = (&build, words, &args.save) {
        print(&decisions_text::write(&set.decided));
        return Ok(Exit::Agree);
    }
    let inputs = Inputs::read(words, &args.declare, args.profile.as_deref(), family)?;
    if inputs.sources.is_empty() {
        warn("error: no source is left\n");
        return Ok(Exit::CouldNotRun);
    }
    let mut decisions = build.decide(&inputs.sources)?;
    let Some(folder) = &args.save else {
        for cases in decisions.decided.values_mut() {
            cases.retain(|id, _| inputs.sources.iter().any(|source| source.id == *id));
        }
        print(&decisions_text::write(&decisions.decided));
        return Ok(if inputs.unread > 0 { Exit::CouldNotRun } else { Exit::Agree });
    };
    decisions.as_set(folder).write(folder)?;
    let sources = counted(inputs.sources.len() as u64, inputs.noun);
    let (says, targets) = (&decisions.manifest.says, counted(decisions.decided.len() as u64, "target"));
    print(&format!("{says}: {sources}, {targets}, in {}\n", folder.display()));
    Ok(if inputs.unread > 0 { Exit::CouldNotRun } else { Exit::Agree })
}

/// The words of the command line. Without any, the user's files in a set of saved decisions are
/// compared again, next to the cases if the set has some.
fn words(args: &CompareArgs, builds: [&Build; 2]) -> anyhow::Result<Vec<String>> {
    if !args.inputs.is_empty() {
        return expanded(&args.inputs, &args.declare);
    }
    let (files, cases): (Vec<_>, Vec<_>) = saved_ids(builds).into_iter().partition(|id| is_file(id));
    if files.is_empty() {
        return Ok(Vec::new());
    }
    Ok(files.into_iter().chain(cases).cloned().collect())
}

/// True if the id of a source is that of a user's file: cases have no suffix.
fn is_file(id: &str) -> bool {
    std::path::Path::new(id).extension().is_some()
}

/// The ids of all sources in saved decisions.
fn saved_ids(builds: [&Build; 2]) -> BTreeSet<&String> {
    let sets = builds.into_iter().filter_map(|build| match build {
        Build::Saved(set) => Some(set),
        Build::Here(_) => None,
    });
    sets.flat_map(|set| set.decided.values()).flat_map(|cases| cases.keys()).collect()
}

/// The sources of saved decisions that the user did not select.
fn left_out(builds: [&Build; 2], args: &CompareArgs, inputs: &Inputs) -> Vec<String> {
    if args.inputs.is_empty() {
        return Vec::new();
    }
    let selected: BTreeSet<&str> = inputs.sources.iter().map(|source| source.id.as_str()).collect();
    saved_ids(builds).into_iter().filter(|id| !selected.contains(id.as_str())).cloned().collect()
}

/// Removes the sources that the user did not select, so that they do not count as gone.
fn restrict(decisions: &mut Decisions, left_out: &[String]) {
    let left_out: BTreeSet<&String> = left_out.iter().collect();
    for cases in decisions.decided.values_mut() {
        cases.retain(|id, _| !left_out.contains(id));
    }
}

fn nothing_compared(comparison: &BuildComparison) -> String {
    let reason = if !comparison.changed.is_empty() {
        "the sources changed since the decisions were saved"
    } else if comparison.toolchains_compared.is_empty() {
        "the builds have no target in common"
    } else {
        "the saved decisions are not about these sources; a compiler that is installed answers for any"
    };
    format!("error: nothing is compared: {reason}\n")
}

/// The accepted changes of the folder OLD, with the one that the user accepts now.
fn accepted_changes(
    args: &CompareArgs,
    old: Option<FrozenSet>,
    new: &Decisions,
    comparison: &BuildComparison,
) -> anyhow::Result<IntendedChanges> {
    let Some((pattern, reason)) = args.accept.clone().zip(args.reason.clone()) else {
        return Ok(old.map(|set| set.accepted).unwrap_or_default());
    };
    let Some(mut set) = old else { bail!("--accept writes to the folder OLD, and {} is a compiler", args.old) };
    set.accept_change(AcceptedEntry { pattern, reason, versions: new.manifest.version.clone() }, comparison)?;
    Ok(set.accepted)
}
