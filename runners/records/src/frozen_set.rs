//! Frozen sets, on disk or built into the program: a folder with `manifest.toml`, the decisions as text
//! (compressed in the repository), and `accepted.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use layoutproof_built_in::FROZEN;
use layoutproof_compilers::family::Family;
use layoutproof_core::results::frozen::accepted::AcceptedEntry;
use layoutproof_core::results::frozen::manifest::version_order;
use layoutproof_core::results::frozen::{BuildComparison, CaseDecisions, IntendedChanges, Manifest, text};
use layoutproof_inputs::files::{FileKind, entries, read_if_there};

use crate::compression::unpacked;
use crate::output_files::write_below;

/// The folder of the repository's own sets.
const FOLDER: &str = "shaders/frozen";

const MANIFEST: &str = "manifest.toml";
const ACCEPTED: &str = "accepted.toml";
const DECISIONS: &str = "decisions.txt";
/// The same, compressed.
const PACKED: &str = "decisions.txt.zst";

/// Compilers that few machines have, each with the folder below [`FOLDER`] that holds the decisions
/// of the same build.
///
/// Their names (see `layoutproof doctor compilers`) do not contain their versions, and a missing compiler
/// cannot report its own, so this table repeats the version that `ci/versions.sh` fetches under
/// each name.
const STAND_INS: [(&str, &str); 2] = [("dxc-old", "dxc-1.7.3435"), ("dxc-1.9", "dxc-1.9.2602.17")];

/// Releases that people name by another number than the build prints: family, version, release.
const RELEASES: [(&str, &str, &str); 1] = [("dxc", "1.7.4006", "1.7.2308")];

/// The release of a build that prints another number.
pub fn release_of(family: Family, version: &str) -> Option<&'static str> {
    let own = RELEASES.iter().find(|(name, build, _)| *name == family.as_str() && *build == version);
    own.map(|(_, _, release)| *release)
}

/// True if `asked` is the build's version or release, or its first numbers: `1.9` of `1.9.2602.17`.
pub fn is_version(family: Family, version: &str, asked: &str) -> bool {
    let begins = |own: &str| own == asked || own.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.'));
    begins(version) || release_of(family, version).is_some_and(begins)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrozenSetPlace {
    Folder(PathBuf),
    /// Built in, from the folder of this name.
    BuiltIn(String),
}

impl fmt::Display for FrozenSetPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::BuiltIn(name) => write!(f, "{FOLDER}/{name} (built in)"),
        }
    }
}

impl FrozenSetPlace {
    fn is_called(&self, name: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.file_name().is_some_and(|own| own == name),
            Self::BuiltIn(own) => own == name,
        }
    }

    fn file(&self, name: &str) -> anyhow::Result<Option<String>> {
        match self {
            Self::Folder(folder) => read_if_there(&folder.join(name), FileKind::Frozen)?
                .map(|bytes| unpacked(&bytes).with_context(|| format!("{self}: reading {name}")))
                .transpose(),
            Self::BuiltIn(folder) => {
                let path = format!("{folder}/{name}");
                FROZEN.iter().find(|known| known.name == path).map(|known| unpacked(known.bytes)).transpose()
            }
        }
    }

    fn required(&self, name: &str) -> anyhow::Result<String> {
        self.file(name)?.with_context(|| format!("{self} has no {name}, so it is not a frozen set"))
    }
}

/// The decisions of one compiler, with its manifest and the accepted changes.
#[derive(Clone, Debug)]
pub struct FrozenSet {
    pub place: FrozenSetPlace,
    /// The compiler's identity and command lines.
    pub manifest: Manifest,
    pub decided: BTreeMap<String, CaseDecisions>,
    /// Intended changes of later builds.
    pub accepted: IntendedChanges,
}

impl FrozenSet {
    pub fn load(place: FrozenSetPlace) -> anyhow::Result<Self> {
        let bad = |name: &str, error: &dyn std::fmt::Display| anyhow!("{place}: {name}: {error}");
        let manifest = Manifest::read(&place.required(MANIFEST)?).map_err(|error| bad(MANIFEST, &error))?;

        let (name, text) = match place.file(DECISIONS)? {
            Some(text) => (DECISIONS, text),
            None => (PACKED, place.required(PACKED)?),
        };
        let decided = text::read(&text).map_err(|error| bad(name, &error))?;
        if let Some(missing) = manifest.toolchains.iter().find(|toolchain| !decided.contains_key(&toolchain.name)) {
            return Err(bad(name, &format!("no decisions of `{}`", missing.name)));
        }

        let accepted = match place.file(ACCEPTED)? {
            Some(text) => IntendedChanges::read(&text).map_err(|error| bad(ACCEPTED, &error))?,
            None => IntendedChanges::default(),
        };
        Ok(Self { place, manifest, decided, accepted })
    }

    /// The sets that are built into the program, by family, the newest build first.
    pub fn built_in() -> anyhow::Result<Vec<Self>> {
        let mut sets = built_in_places().map(Self::load).collect::<anyhow::Result<Vec<_>>>()?;
        sets.sort_by_cached_key(|set| {
            let Manifest { family, version, .. } = &set.manifest;
            (family.clone(), std::cmp::Reverse(version_order(version)))
        });
        Ok(sets)
    }

    /// The compiler whose toolchains are this build of a family in runs and in lists of known
    /// differences: `dxc-1.9` of DXC 1.9.2602.17. `None` if no recorded build has this version.
    pub fn compiler_of_build(family: Family, version: &str) -> anyhow::Result<Option<&'static str>> {
        for place in built_in_places() {
            let manifest = Manifest::read(&place.required(MANIFEST)?).map_err(|error| anyhow!("{place}: {error}"))?;
            if manifest.family == family.as_str() && manifest.version == version {
                let stand_in = STAND_INS.iter().find(|(_, folder)| place.is_called(folder));
                return Ok(Some(stand_in.map_or(family.compiler(), |(compiler, _)| compiler)));
            }
        }
        Ok(None)
    }

    /// The name that runs use for a toolchain of this build: `dxc-1.9-spirv` for `dxc-spirv`.
    pub fn producer(&self, toolchain: &str) -> String {
        let family = self.manifest.family.as_str();
        let stand_in = STAND_INS.iter().find(|(_, folder)| self.place.is_called(folder)).map(|(compiler, _)| compiler);
        match stand_in.zip(toolchain.strip_prefix(family)) {
            Some((compiler, rest)) => format!("{compiler}{rest}"),
            None => toolchain.to_owned(),
        }
    }

    /// The repository's sets of a family, the newest version first. Reads the checkout if the current
    /// folder is one, otherwise uses the built-in sets.
    pub fn newest_first(family: Family) -> anyhow::Result<Vec<Self>> {
        let mut sets = Vec::new();
        for place in places()? {
            let manifest = Manifest::read(&place.required(MANIFEST)?).map_err(|error| anyhow!("{place}: {error}"))?;
            if manifest.family == family.as_str() {
                sets.push(Self::load(place)?);
            }
        }
        sets.sort_by_cached_key(|set| std::cmp::Reverse(version_order(&set.manifest.version)));
        Ok(sets)
    }

    /// The repository's set of the compiler of this name, for machines without the compiler. `None`
    /// if the repository has no such set.
    pub fn in_place_of(compiler: &str) -> anyhow::Result<Option<Self>> {
        let Some((_, folder)) = STAND_INS.iter().find(|(name, _)| *name == compiler) else { return Ok(None) };
        let place = places()?.into_iter().find(|place| place.is_called(folder));
        place.map(Self::load).transpose()
    }

    /// The set in this folder; `None` if it has no manifest.
    pub fn at(folder: &Path) -> anyhow::Result<Option<Self>> {
        let is_set = folder.join(MANIFEST).exists();
        is_set.then(|| Self::load(FrozenSetPlace::Folder(folder.to_path_buf()))).transpose()
    }

    /// Writes the manifest and the decisions; leaves the accepted changes as they are.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_below(folder, MANIFEST, self.manifest.write()?)?;
        write_below(folder, DECISIONS, text::write(&self.decided))
    }

    /// Adds an entry to the list of accepted changes, and writes the list.
    ///
    /// # Errors
    /// The pattern matches no difference, the set is built in, or the folder cannot be written.
    pub fn accept_change(&mut self, entry: AcceptedEntry, comparison: &BuildComparison) -> anyhow::Result<()> {
        let pattern = wildmatch::WildMatch::new(&entry.pattern);
        if !comparison.differences.iter().any(|difference| pattern.matches(&difference.name())) {
            let first = comparison.differences.first().map(|difference| format!("; one is `{}`", difference.name()));
            bail!("`{}` matches no difference{}", entry.pattern, first.unwrap_or_default());
        }
        if !self.accepted.entries.contains(&entry) {
            self.accepted.entries.push(entry);
        }
        self.write_accepted()
    }

    fn write_accepted(&self) -> anyhow::Result<()> {
        match &self.place {
            FrozenSetPlace::Folder(folder) => write_below(folder, ACCEPTED, self.accepted.write()?),
            FrozenSetPlace::BuiltIn(_) => bail!("{} cannot be written: name a folder", self.place),
        }
    }
}

/// The locations of the repository's own sets.
fn places() -> anyhow::Result<Vec<FrozenSetPlace>> {
    let here = Path::new(FOLDER);
    if here.is_dir() {
        let folders = entries(here)?.into_iter().filter(|folder| folder.join(MANIFEST).is_file());
        return Ok(folders.map(FrozenSetPlace::Folder).collect());
    }
    Ok(built_in_places().collect())
}

fn built_in_places() -> impl Iterator<Item = FrozenSetPlace> {
    let built_in = FROZEN.iter().filter_map(|known| known.name.strip_suffix(MANIFEST)?.strip_suffix('/'));
    built_in.map(|name| FrozenSetPlace::BuiltIn(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use layoutproof_core::results::frozen::manifest::case_set_digest;
    use layoutproof_core::results::frozen::{BuildDifference, accept, compare};

    use super::*;

    #[test]
    fn versions_are_named_by_their_first_numbers_or_their_release() {
        let is_dxc = |version, asked| is_version(Family::named("dxc").unwrap(), version, asked);
        for asked in ["1", "1.7", "1.7.4006", "1.7.2308"] {
            assert!(is_dxc("1.7.4006", asked), "{asked}");
        }
        assert!(!is_dxc("1.7.4006", "1.7.4") && !is_dxc("1.9.2602.17", "1.7.2308"));
    }

    #[test]
    fn every_built_in_set_can_be_read() {
        let sets = FrozenSet::built_in().unwrap();
        assert!(sets.len() >= 3, "{} sets", sets.len());
        let dxc: Vec<String> = sets.iter().map(|set| set.producer("dxc-spirv")).collect();
        assert_eq!(dxc, ["dxc-spirv", "dxc-1.9-spirv", "dxc-spirv", "dxc-old-spirv", "dxc-spirv"]);
        for set in sets {
            assert_eq!(set.manifest.cases, case_set_digest(&set.decided), "{} is whole", set.place);
            assert!(set.accepted.entries.iter().all(|entry| !entry.reason.is_empty()), "{}", set.place);
        }
    }

    /// The page about these changes has the same counts and every reason.
    #[test]
    fn each_change_from_dxc_1_7_to_1_9_is_explained() {
        let set = |name: &str| FrozenSet::load(FrozenSetPlace::BuiltIn(name.to_owned())).unwrap();
        let (old, new) = (set("dxc-1.7.4006"), set("dxc-1.9.2602.17"));
        let mut found = compare(&old.decided, &new.decided);
        let stale = accept(&old.accepted, &new.manifest.version, &mut found, &[]);
        assert_eq!(stale, Vec::<&AcceptedEntry>::new());
        let names: Vec<String> = found.unaccepted().map(BuildDifference::name).collect();
        assert_eq!(names, Vec::<String>::new());

        let page = include_str!("../../../shaders/frozen/dxc-1.7-to-1.9.md");
        let total = format!("{} of {} decisions about {} cases", found.differences.len(), found.compared, found.cases);
        assert!(page.contains(&total), "the page lacks `{total}`");
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in found.differences.iter().filter_map(|difference| difference.accepted.as_deref()) {
            *reasons.entry(reason).or_default() += 1;
        }
        for (reason, count) in reasons {
            let row = format!("| {count} | {reason} |");
            assert!(page.contains(&row), "the page lacks `{row}`");
        }
    }
}
