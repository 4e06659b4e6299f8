//! `layoutproof freeze`, the old name of `compare BUILD --save DIR`, for one more release.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::family::{Family, UnknownFamily};
use layoutproof_core::results::frozen::IntendedChanges;
use layoutproof_core::results::summary::Exit;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::all_cases::sources_with_refused;
use layoutproof_records::frozen_set::{FOLDER, FrozenSet, FrozenSetPlace};
use layoutproof_records::output_files::check_folder;

use crate::commands::compare::build::{AskOptions, CompilerUnderTest};
use crate::output::{print, warn};

/// Selects a compiler and the cases for it.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// A compiler by name (`dxc`, `dxc-old`, `dxc-1.9`, `slangc`), or a file: a program, or a library of DXC.
    #[arg(long, value_name = "NAME|PATH")]
    pub compiler: String,
    /// Whose command lines the compiler takes; by default its file's name tells.
    #[arg(long, value_parser = family_parser())]
    pub family: Option<Family>,
    /// Only cases whose id contains this text, or matches it as a pattern with * and ?.
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Read cases from this file or folder too; a case of the same id replaces the built-in one.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
    /// Time limit in seconds of the compiler for one source.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub time_limit: u64,
    /// Keep what the compiler is given and what it makes below this folder.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// Parses the name of a family.
fn family_parser() -> impl TypedValueParser<Value = Family> {
    let values = Family::all().map(|family| PossibleValue::new(family.as_str()).help(family.summary()));
    PossibleValuesParser::new(values).try_map(|name| Family::named(&name).ok_or(UnknownFamily))
}

/// `layoutproof freeze`.
#[derive(Debug, Args)]
pub struct FreezeArgs {
    /// Compiler and cases.
    #[command(flatten)]
    pub ask: AskArgs,
    /// Store it in this folder; default: shaders/frozen/FAMILY-VERSION. Changes that were accepted stay accepted.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

/// Saves the decisions of a compiler.
pub(crate) fn freeze(args: &FreezeArgs) -> anyhow::Result<Exit> {
    warn("note: `freeze` is now `layoutproof compare COMPILER --save DIR`; the old name will go\n");
    check_folder(args.to.as_deref().unwrap_or(Path::new(FOLDER)))?;
    let Some(asked) = compiler_of(&args.ask)? else { return Ok(Exit::Missing) };
    let sources = sources_with_refused(&args.ask.cases, &args.ask.filter)?;
    if sources.is_empty() {
        warn("error: nothing is selected: no case matches\n");
        return Ok(Exit::NothingSelected);
    }

    let decided = asked.decide(&sources);
    let manifest = asked.manifest(&decided)?;
    let usual = || PathBuf::from(FOLDER).join(format!("{}-{}", manifest.family, manifest.version));
    let folder = args.to.clone().unwrap_or_else(usual);
    let accepted = FrozenSet::accepted_in(&folder)?;
    let set = FrozenSet {
        place: FrozenSetPlace::Folder(folder.clone()),
        manifest,
        decided,
        accepted: IntendedChanges::default(),
    };

    set.write(&folder)?;
    let entries = if accepted.entries.is_empty() { String::new() } else { ", with the changes accepted before".into() };
    let (cases, says) = (sources.len(), &set.manifest.says);
    print(&format!("{says}: {cases} cases, {} toolchains, in {}{entries}\n", set.decided.len(), folder.display()));
    Ok(Exit::Agree)
}

/// The compiler that the arguments name. Prints an error and returns `None` if it was not found.
pub(crate) fn compiler_of(args: &AskArgs) -> anyhow::Result<Option<CompilerUnderTest>> {
    let name = args.compiler.as_str();
    let found = if let Some(family) = Family::of_compiler(name) {
        let search = Compiler::named(name, MachineTools::find()?.folder());
        for note in &search.notes {
            warn(&format!("note: {note}\n"));
        }
        let found = search.compiler.ok().map(|compiler| (family, compiler));
        found.ok_or_else(|| {
            format!("compiler `{name}` was not found (`layoutproof doctor compilers` says how to name one)")
        })
    } else if Compiler::known().any(|known| known.name == name) {
        let readers: Vec<&str> = Family::all().map(Family::compiler).collect();
        bail!("`{name}` does not compile the cases' own text; these compilers do: {}", readers.join(", "));
    } else {
        let path = PathBuf::from(name);
        let family = args.family.map_or_else(|| Family::of_file(&path), Ok).with_context(|| name.to_owned())?;
        Compiler::at(&path, family).map(|compiler| (family, compiler)).map_err(|error| error.to_string())
    };

    match found {
        Ok((family, compiler)) => {
            let options =
                AskOptions { limit: Duration::from_secs(args.time_limit), keep: args.keep.clone(), cache: None };
            CompilerUnderTest::new(compiler, family, &options).map(Some)
        }
        Err(absent) => {
            warn(&format!("error: {absent}\n"));
            Ok(None)
        }
    }
}
