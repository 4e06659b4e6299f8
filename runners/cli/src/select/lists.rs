//! Reads the lists that judge a run, known differences and floors, from files or folders.

use std::path::{Path, PathBuf};

use anyhow::bail;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::results::floors::{self, Floor};
use layoutproof_core::results::known::{self, KnownFailure};
use layoutproof_facts::known_lists::known_lists as built_in_lists;
use layoutproof_inputs::files::{FileKind, entries, read_text};
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::FileId;
use layoutproof_readers::toolchain::{Compilers, Toolchain, toolchains};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

use crate::args::RunArgs;
use crate::compilers::ALL;

/// How much of the built-in list of known differences a run uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltInKnown {
    /// Nothing, in a run of all cases.
    LeftOut,
    /// Nothing, in a narrowed run.
    LeftOutOfNarrowedRun,
    /// Every entry; an entry without a differing check is stale.
    OfWholeRun,
    /// Every entry; the run has too few of their checks to call one stale.
    OfNarrowedRun,
}

impl BuiltInKnown {
    /// The choice of the arguments. The list covers the built-in cases under all rule sets, in
    /// every form of access.
    pub(crate) fn of(args: &RunArgs) -> Self {
        let whole = args.inputs.is_empty() && args.rules.is_empty() && args.part.caselist.is_none();
        match (args.no_known, whole && takes_every_access(args)) {
            (true, true) => Self::LeftOut,
            (true, false) => Self::LeftOutOfNarrowedRun,
            (false, true) => Self::OfWholeRun,
            (false, false) => Self::OfNarrowedRun,
        }
    }
}

/// True if checks use every form of access, so that an agreement covers all of them.
pub(crate) fn takes_every_access(args: &RunArgs) -> bool {
    args.form.is_empty() && args.space.is_empty() && args.stage.is_empty()
}

/// The built-in known differences and the user's. In a narrowed run, no entry becomes stale.
pub(crate) fn known_lists(paths: &[PathBuf], built_in: BuiltInKnown) -> anyhow::Result<Vec<KnownFailure>> {
    let (has_built_in, is_narrowed) = match built_in {
        BuiltInKnown::LeftOut => (false, false),
        BuiltInKnown::LeftOutOfNarrowedRun => (false, true),
        BuiltInKnown::OfWholeRun => (true, false),
        BuiltInKnown::OfNarrowedRun => (true, true),
    };
    let mut found = Vec::new();
    if has_built_in {
        found.extend(built_in_lists()?.into_iter().flat_map(|list| list.entries));
    }
    found.extend(lists(paths, known::read)?);
    Ok(if is_narrowed { found.into_iter().map(KnownFailure::of_narrowed_run).collect() } else { found })
}

/// The known differences of a run with these arguments.
///
/// Entries of which the arguments leave out a part of the checks take part as in a narrowed run: that
/// part may differ. So an entry is stale only by a run of all cases on its compiler, with all targets,
/// and on its device, through all APIs.
pub(crate) fn known_of_run(args: &RunArgs) -> anyhow::Result<Vec<KnownFailure>> {
    let mut known = known_lists(&args.known, BuiltInKnown::of(args))?;
    // Rules explain why a translator moves the members of a user's file, and are no excuse for it.
    if args.names_files() {
        known.retain(|entry| !entry.has_rules_for_numbers());
    }
    let narrow = |entry: KnownFailure| if leaves_out(args, &entry) { entry.of_narrowed_run() } else { entry };
    Ok(known.into_iter().map(narrow).collect())
}

/// The same lists for these compilers, on which entries about versions of compilers depend.
pub(crate) fn of_compilers(known: Vec<KnownFailure>, compilers: &Toolchains) -> Vec<KnownFailure> {
    known.into_iter().map(|entry| entry.of_compilers(|toolchain| compilers.version(toolchain))).collect()
}

/// True if a run with these arguments cannot have all checks that the entry covers.
fn leaves_out(args: &RunArgs, entry: &KnownFailure) -> bool {
    let names: Vec<&str> = args.producer.iter().map(|word| word.split('=').next().unwrap_or(word)).collect();
    let is_whole = |compiler: &str| names.iter().any(|name| *name == compiler || *name == ALL);
    let lacks_target = toolchains().iter().filter(|named| names.contains(&named.name)).any(|named| {
        let mut others = toolchains().iter().filter(|other| other.compiler == named.compiler);
        let is_left_out = |other: &Toolchain| !names.contains(&other.name) && entry.is_about_producer(other.name);
        !is_whole(named.compiler) && others.any(is_left_out)
    });

    let conditions = entry.conditions();
    let names_one =
        |key: &str| conditions.iter().any(|condition| condition.key == key && !condition.patterns.contains(['*', '?']));
    let lacks_api = !args.runner.is_empty() && !names_one("runner");
    let lacks_device = !args.device.is_empty() && !names_one("device");
    lacks_target || (entry.is_about_devices() && (lacks_api || lacks_device))
}

/// Lists of known differences as text, which differs if the lists do.
pub(crate) fn text_of(known: &[KnownFailure]) -> String {
    format!("{known:?}")
}

pub(crate) fn floors(paths: &[PathBuf]) -> anyhow::Result<Vec<Floor>> {
    let mut all = Vec::new();
    for path in paths {
        let floors = lists(std::slice::from_ref(path), floors::read)?;
        if floors.is_empty() {
            bail!("{} has no floor, so every run would pass: name a .toml file with a [[floor]]", path.display());
        }
        all.extend(floors);
    }
    Ok(all)
}

/// Reads the user's lists: files, or all `.toml` files of folders.
pub(crate) fn lists<T>(
    paths: &[PathBuf],
    read_list: impl Fn(FileId, &SourceMap) -> Result<Vec<T>, Vec<Diagnostic>>,
) -> anyhow::Result<Vec<T>> {
    let mut sources = SourceMap::default();
    let mut found = Vec::new();
    let mut diagnostics = Vec::new();

    for path in paths {
        for file in toml_files(path)? {
            let id = sources.add(file.display().to_string(), read_text(&file, FileKind::List)?);
            match read_list(id, &sources) {
                Ok(list) => found.extend(list),
                Err(problems) => diagnostics.extend(problems),
            }
        }
    }

    if diagnostics.is_empty() { Ok(found) } else { bail!(RefusedInput { diagnostics, sources }) }
}

fn toml_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let is_list = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    Ok(entries(path)?.into_iter().filter(is_list).collect())
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use layoutproof_core::results::known::shape::ShapeEntry;
    use layoutproof_core::results::known::{DXC_BUILDS, MemberShape};
    use strum::VariantArray;

    use super::*;
    use layoutproof_inputs::all_cases::Cases;

    /// A run reports whether the builds that an entry matches differ. This test checks that `seen`
    /// names the newest of them.
    #[test]
    fn entries_name_the_newest_build_that_they_are_about() {
        let known = known_lists(&[], BuiltInKnown::OfWholeRun).unwrap();
        // Entries about untried drivers and compilers were seen with no build.
        for entry in known.iter().filter(|entry| !entry.untried) {
            let place = format!("{}:{}", entry.file, entry.line);
            let seen = entry.seen.as_ref();
            let seen = seen.map_or_else(|| panic!("{place} names no build in `seen`"), ToString::to_string);
            if entry.file != "ci/known/dxc.toml" {
                continue;
            }
            let is_matched = |(compiler, _): &&(&str, &str)| {
                let mut own = toolchains().iter().filter(|toolchain| toolchain.compiler == *compiler);
                own.any(|toolchain| entry.is_about_producer(toolchain.name))
            };
            assert_eq!(DXC_BUILDS.iter().rfind(is_matched).map(|(_, build)| *build), Some(&*seen), "{place}");
            if let Some(gone) = entry.gone.as_ref().map(ToString::to_string) {
                let order = |build: &str| DXC_BUILDS.iter().position(|(_, known)| *known == build);
                assert!(order(&gone) > order(&seen), "{place} is gone in {gone}, but was seen in the newer {seen}");
            }
        }
    }

    /// Debian's packages move, so the lists name the versions that the set-up names.
    #[test]
    fn the_tried_versions_are_those_of_the_set_up() {
        let script = include_str!("../../../../ci/versions.sh");
        let known = known_lists(&[], BuiltInKnown::OfWholeRun).unwrap();
        for (name, file, key) in [
            ("VKD3D_TRIED", "vkd3d", "driver"),
            ("LAVAPIPE_TRIED", "lavapipe-current", "driver"),
            ("GLSLANG_TRIED", "glslang", "version"),
            ("NEW_CLANG_TRIED", "clang", "version"),
        ] {
            let version = script.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap();
            let file = format!("ci/known/{file}.toml");
            let entry = known.iter().find(|entry| entry.untried && entry.file == file).unwrap();
            let conditions = entry.conditions();
            let range = conditions.iter().find(|condition| condition.key == key).unwrap();
            assert_eq!(range.patterns, format!("> {version}"), "{file}");
        }
    }

    /// The entries that a run of all cases with these words cannot call stale.
    fn narrowed_by(words: &[&str], entry: &str) -> bool {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", format!("[[known]]\nreason = \"so it is\"\n{entry}\n"));
        let entry = known::read(file, &sources).unwrap().remove(0);
        let command = RunArgs::augment_args(clap::Command::new("run"));
        let matches = command.try_get_matches_from(["run"].iter().chain(words)).unwrap();
        leaves_out(&RunArgs::from_arg_matches(&matches).unwrap(), &entry)
    }

    /// Contract: only a run of all cases on that compiler or device calls an entry stale.
    #[test]
    fn a_run_with_a_part_of_an_entrys_checks_leaves_it_open() {
        let dxc = "producer = \"dxc*-spirv*\"";
        assert!(!narrowed_by(&[], dxc) && !narrowed_by(&["--producer", "dxc"], dxc));
        assert!(narrowed_by(&["--producer", "dxc-spirv"], dxc));
        assert!(!narrowed_by(&["--producer", "dxc-spirv"], "producer = \"dxc-spirv\""));

        let lavapipe = "device = \"lavapipe\"";
        assert!(!narrowed_by(&["--device", "lavapipe"], lavapipe));
        assert!(narrowed_by(&["--runner", "ash"], lavapipe));
        assert!(!narrowed_by(&["--runner", "ash"], "device = \"lavapipe\"\nrunner = \"ash\""));
        assert!(narrowed_by(&["--device", "lavapipe-gl"], "device = \"*-gl\""));
        assert!(!narrowed_by(&["--device", "lavapipe"], dxc), "it is about a compiler");
    }

    #[test]
    fn what_explains_random_declarations_is_pinned_by_a_case() {
        let cases = Cases::load(&[]).unwrap().matching(&[]);
        let known = known_lists(&[], BuiltInKnown::OfWholeRun).unwrap();
        let shapes: Vec<_> = known.iter().filter_map(|entry| entry.shape.as_ref()).collect();
        let is_pinned = |shape: &ShapeEntry| shape.pinned_by.as_ref().is_none_or(|case| cases.contains(case));
        let not_pinned: Vec<_> = shapes.iter().filter(|shape| !is_pinned(shape)).collect();
        assert!(not_pinned.is_empty(), "{not_pinned:?}");
        for shape in MemberShape::VARIANTS {
            assert!(shapes.iter().any(|entry| entry.shape == *shape), "no entry is about {}", shape.as_str());
        }
    }
}
