//! Finds the compilers of this machine for a command, and warns of those that cannot be used.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::builds::NamedBuild;
use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::lookup::BrokenCompiler;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::results::frozen::manifest::dotted_version;
use layoutproof_events::summary::Exit;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::compiler_builds::find_build;
use layoutproof_inputs::named_compiler::{NamedCompiler, name_and_file};
use layoutproof_inputs::shader_file::reader_process::ReaderProcess;
use layoutproof_layout::native::natives;
use layoutproof_readers::toolchain::{Toolchain, toolchains, translators};

use crate::not_started::NotStarted;
use crate::output::warn;

/// The name that selects every compiler.
pub(crate) const ALL: &str = "all";

/// Opens a build that the user names by its file.
pub(crate) fn open(name: &str, file: &Path) -> anyhow::Result<Compiler> {
    Compiler::of_file(name, file).map_err(|error| {
        let reason = format!("compiler `{name}={}`: {error}", file.display());
        NotStarted { reason, exit: Exit::Missing }.into()
    })
}

/// Finds the version of a compiler that the user names by its file, and the build of one that is named by its version.
pub(crate) fn find_version(named: &mut NamedCompiler) -> anyhow::Result<()> {
    // A table may have the rules of a version that is not here.
    let has_rules = |named: &NamedCompiler| {
        natives().iter().any(|native| {
            (native.column.compiler, native.column.version)
                == (Some(named.name.compiler), named.name.version.as_deref())
        })
    };
    if !has_rules(named) {
        find_build(named)?;
    }
    if let (Some(file), None) = (&named.file, &named.name.version) {
        let build = open(named.name.compiler.as_str(), file)?;
        named.name.version = Some(dotted_version(build.version()));
    }
    Ok(())
}

/// The builds among the user's words.
fn builds(words: &[String]) -> anyhow::Result<Vec<NamedBuild>> {
    let mut builds = Vec::new();
    for word in words {
        if let (name, Some(file)) = name_and_file(word) {
            builds.push(NamedBuild { word: word.clone(), compiler: open(name, file)? });
        }
    }
    Ok(builds)
}

/// Finds the compilers of this machine that `names` select: each name is a compiler, a single
/// toolchain, a build by its file (`dxc=PATH`), a translator, or `all` for all but translators; other names select nothing. A compiler may spend `limit` seconds on one
/// source, and runs only if `cache` has no answer. Prints a note for each environment variable that
/// names a program which is not a compiler or not trusted.
pub(crate) fn find(names: &[String], limit: u64, cache: Option<&Arc<AnswerCache>>) -> anyhow::Result<Toolchains> {
    let reader = Arc::new(ReaderProcess::of_this_program()?);
    let is_named = |toolchain: &&Toolchain| {
        let selects_all = |name: &String| name == ALL && !toolchain.is_translator();
        names.iter().any(|name| selects_all(name) || name == toolchain.name || name == toolchain.compiler)
    };
    let wanted: Vec<&'static Toolchain> = toolchains().iter().chain(translators()).filter(is_named).collect();
    let found = Toolchains::find_for(MachineTools::find()?.folder(), &wanted);
    for BrokenCompiler { name, reason } in found.broken() {
        warn(&format!("note: compiler `{name}` is broken: {reason}\n"));
    }
    for sentence in found.notes() {
        warn(&format!("note: {sentence}\n"));
    }
    let found = found.with_builds(builds(names)?)?.limit(Duration::from_secs(limit));
    Ok(found.with_reader(reader).with_cache(cache.cloned()))
}
