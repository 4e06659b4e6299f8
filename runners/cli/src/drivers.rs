//! The environment of worker processes: which drivers the Vulkan loader finds there.
//!
//! The user's own choice wins entirely; otherwise the loader's defaults count, plus what `ci/setup.sh` fetched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use layoutproof::devices::is_llvmpipe;
use layoutproof::runner::DeviceInfo;

/// Variables by which a user chooses drivers.
const CHOICES: [&str; 3] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", ADDED];

/// The variable that adds drivers to the loader's defaults.
const ADDED: &str = "VK_ADD_DRIVER_FILES";

/// Variables that steer drivers and belong into every record.
const RECORDED: [&str; 8] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "GALLIVM_PERF",
    "LP_NATIVE_VECTOR_WIDTH",
    "LP_NUM_THREADS",
    "MESA_SHADER_CACHE_DISABLE",
    "MESA_SHADER_CACHE_DIR",
];

/// A variable of a worker's environment, with its value.
pub(crate) type Setting = (&'static str, &'static str);

/// Settings that make lavapipe compile fast rather than well: four lanes for eight, and no optimisation. Other drivers
/// do not know them.
const FAST: [Setting; 2] = [("LP_NATIVE_VECTOR_WIDTH", "128"), ("GALLIVM_PERF", "nopt")];

/// The setting that keeps Mesa's drivers from looking shaders up on the disk.
const UNCACHED: Setting = ("MESA_SHADER_CACHE_DISABLE", "true");

/// Those of the settings for fast compilation that the user has not set.
fn fast() -> Vec<Setting> {
    FAST.into_iter().filter(|setting| is_free(*setting)).collect()
}

/// How a device's driver compiles shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Compilation {
    /// With its own settings.
    #[default]
    Own,
    /// With settings that make it fast.
    Fast,
}

impl Compilation {
    /// [`Self::Fast`] where the device's driver has such settings and the user has set none of them.
    pub(crate) fn fastest(device: &DeviceInfo) -> Self {
        if is_llvmpipe(&device.name) && fast().len() == FAST.len() { Self::Fast } else { Self::Own }
    }

    /// What workers find in their environment.
    pub(crate) fn settings(self) -> Vec<Setting> {
        match self {
            Self::Own => Vec::new(),
            Self::Fast => fast(),
        }
    }
}

/// What keeps drivers from using a shader cache, unless the user has a say in it.
pub(crate) fn uncached() -> Vec<Setting> {
    [UNCACHED].into_iter().filter(|setting| is_free(*setting)).collect()
}

/// Whether workers that get [`uncached`] have no shader cache, which the user may want otherwise.
pub(crate) fn is_uncached() -> bool {
    std::env::var(UNCACHED.0).map_or(true, |value| matches!(value.as_str(), "true" | "1" | "yes" | "y"))
}

fn is_free((name, _): Setting) -> bool {
    std::env::var_os(name).is_none()
}

/// Variables that are set for workers only.
pub(crate) fn environment() -> Vec<(&'static str, String)> {
    let chosen = CHOICES.iter().any(|name| std::env::var_os(name).is_some());
    let fetched = fetched_manifests();
    if chosen || fetched.is_empty() {
        return Vec::new();
    }
    let separator = if cfg!(windows) { ";" } else { ":" };
    let list: Vec<_> = fetched.iter().map(|path| path.display().to_string()).collect();
    vec![(ADDED, list.join(separator))]
}

/// The recorded variables with the values that workers see.
pub(crate) fn recorded() -> BTreeMap<String, String> {
    let own = RECORDED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let added = environment().into_iter().map(|(name, value)| (name.to_owned(), value));
    own.chain(added).collect()
}

/// Where `ci/setup.sh` puts what it fetches, if it ran: beside the build that this program comes from, or in the build
/// folder of the repository that the current folder is in.
pub(crate) fn fetched_root() -> Option<PathBuf> {
    let built = std::env::current_exe().ok();
    let beside = built.iter().flat_map(|path| path.ancestors().skip(1)).map(|folder| folder.join("layoutproof"));
    let current = std::env::current_dir().ok();
    let here = current.iter().flat_map(|path| path.ancestors()).map(|folder| folder.join("target").join("layoutproof"));
    beside.chain(here).find(|folder| folder.join("drivers").is_dir() || folder.join("tools").is_dir())
}

fn fetched_manifests() -> Vec<PathBuf> {
    let Some(Ok(folder)) = fetched_root().map(|root| root.join("drivers").read_dir()) else { return Vec::new() };
    let paths = folder.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut manifests: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    manifests.sort();
    manifests
}
