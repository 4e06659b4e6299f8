//! The environment of worker processes, which determines the drivers that the Vulkan loader finds.
//!
//! If the user chooses drivers, that choice alone counts. Otherwise the loader uses its defaults
//! plus the drivers that `ci/setup.sh` fetched into the tools folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layoutproof_compilers::tools_folder::{ToolsFolder, Untrusted};
use layoutproof_device::DeviceInfo;
use layoutproof_device::devices::is_llvmpipe;
use thiserror::Error;

use crate::device_apis::APIS;
use crate::tools::MachineTools;

/// Variables by which a user chooses drivers.
const CHOICES: [&str; 3] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", ADDED];

/// The variable that adds drivers to the loader's defaults.
const ADDED: &str = "VK_ADD_DRIVER_FILES";

/// Separates paths in [`ADDED`].
const SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };

/// Folder of the manifests, relative to the tools folder.
const FOLDER: &str = "drivers";

/// Variables of the Vulkan loader and of Mesa, whose drivers several APIs load. Every record contains
/// them and the variables of each API.
const RECORDED: [&str; 15] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    // Layers, which stand between the program and a driver and may change its answers.
    "VK_INSTANCE_LAYERS",
    "VK_LOADER_LAYERS_ENABLE",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_LAYER_PATH",
    "VK_ADD_LAYER_PATH",
    "VK_IMPLICIT_LAYER_PATH",
    "VK_ADD_IMPLICIT_LAYER_PATH",
    "GALLIVM_PERF",
    "LP_NATIVE_VECTOR_WIDTH",
    "LP_NUM_THREADS",
    "MESA_SHADER_CACHE_DISABLE",
    "MESA_SHADER_CACHE_DIR",
];

/// A variable of a worker's environment, with its value.
pub type Setting = (&'static str, &'static str);

/// Settings that make lavapipe compile fast rather than well: four lanes instead of eight, and no
/// optimisation. Other drivers ignore them.
const FAST: [Setting; 2] = [("LP_NATIVE_VECTOR_WIDTH", "128"), ("GALLIVM_PERF", "nopt")];

/// The setting that turns off the shader cache of Mesa's drivers.
const UNCACHED: Setting = ("MESA_SHADER_CACHE_DISABLE", "true");

/// The settings for fast compilation that the user has not set.
fn fast() -> Vec<Setting> {
    FAST.into_iter().filter(|setting| is_free(*setting)).collect()
}

/// The settings with which a device's driver compiles shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DriverCompilation {
    /// With the driver's default settings.
    #[default]
    Own,
    /// With settings that shorten compilation.
    Fast,
}

impl DriverCompilation {
    /// [`Self::Fast`] if the device's driver has such settings and the user has set none of them.
    pub fn fastest(device: &DeviceInfo) -> Self {
        if is_llvmpipe(&device.name) && fast().len() == FAST.len() { Self::Fast } else { Self::Own }
    }

    /// The variables to set in a worker's environment.
    pub fn settings(self) -> Vec<Setting> {
        match self {
            Self::Own => Vec::new(),
            Self::Fast => fast(),
        }
    }
}

/// The settings that turn off the drivers' shader cache; empty if the user has set them.
pub fn uncached() -> Vec<Setting> {
    [UNCACHED].into_iter().filter(|setting| is_free(*setting)).collect()
}

/// True if workers that get [`uncached`] have no shader cache. The user may have turned it on.
pub fn is_uncached() -> bool {
    std::env::var(UNCACHED.0).map_or(true, |value| matches!(value.as_str(), "true" | "1" | "yes" | "y"))
}

fn is_free((name, _): Setting) -> bool {
    std::env::var_os(name).is_none()
}

/// The drivers in the tools folder that workers load.
#[derive(Clone, Debug, Default)]
pub struct FetchedDrivers {
    manifests: Vec<PathBuf>,
    notes: Vec<String>,
}

impl FetchedDrivers {
    /// Finds the drivers of the tools folder; none if the user chooses drivers.
    pub fn find(tools: &MachineTools) -> Self {
        let mut fetched = Self::default();
        if chosen().is_some() {
            return fetched;
        }
        fetched.notes.extend(tools.note());
        if let Some(folder) = tools.folder() {
            for manifest in manifests(folder) {
                fetched.add(manifest, folder);
            }
        }
        fetched
    }

    /// Adds a sentence for the user.
    pub(crate) fn note(&mut self, note: Option<String>) {
        self.notes.extend(note);
    }

    /// Adds a driver, unless other users can change it.
    fn add(&mut self, manifest: PathBuf, tools: &ToolsFolder) {
        match inspect(&manifest, tools) {
            Ok(warnings) => {
                self.notes.extend(warnings);
                self.manifests.push(manifest);
            }
            Err(error) => self.notes.push(error.to_string()),
        }
    }

    /// The manifests of the drivers that are added to the loader's defaults.
    pub fn manifests(&self) -> &[PathBuf] {
        &self.manifests
    }

    /// Sentences for the user about drivers that are not loaded, or that another user owns.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Variables to set for workers only.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        if self.manifests.is_empty() {
            return Vec::new();
        }
        let list: Vec<_> = self.manifests.iter().map(|path| path.display().to_string()).collect();
        vec![(ADDED, list.join(SEPARATOR))]
    }

    /// The recorded variables with the values that workers see.
    pub fn recorded(&self) -> BTreeMap<String, String> {
        let names = RECORDED.iter().chain(APIS.iter().flat_map(|api| api.variables()));
        let own = names.filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
        let added = self.environment().into_iter().map(|(name, value)| (name.to_owned(), value));
        own.chain(added).collect()
    }
}

/// The variable by which the user chooses drivers, if one is set. Then no other driver is added.
pub fn chosen() -> Option<&'static str> {
    CHOICES.into_iter().find(|name| std::env::var_os(name).is_some())
}

fn manifests(tools: &ToolsFolder) -> Vec<PathBuf> {
    let Ok(entries) = tools.path().join(FOLDER).read_dir() else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut manifests: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    manifests.sort();
    manifests
}

#[derive(Debug, Error)]
enum NotLoaded {
    #[error("{} is not loaded: its path contains `{SEPARATOR}`, which separates paths", .0.display())]
    Path(PathBuf),
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
}

/// Checks a driver's manifest and the library it names, and returns warnings.
fn inspect(manifest: &Path, tools: &ToolsFolder) -> Result<Vec<String>, NotLoaded> {
    // The loader would read the rest of the path as another path, which may be relative.
    if manifest.to_string_lossy().contains(SEPARATOR) {
        return Err(NotLoaded::Path(manifest.to_owned()));
    }
    let below = Path::new(FOLDER).join(manifest.file_name().unwrap_or_default());
    let mut warnings: Vec<String> = tools.inspect(below)?.into_iter().collect();
    if let Some(library) = library(manifest) {
        let warning = tools.inspect_named(&library)?;
        warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
    }
    Ok(warnings)
}

/// The library that a manifest names by a path. The dynamic linker finds a bare file name in the
/// system's folders, and the loader reports a manifest that it cannot read.
///
/// Source: Vulkan-Loader, `LoaderDriverInterface.md`, Driver Manifest File Format, `library_path`.
fn library(manifest: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(manifest).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let named = Path::new(json["ICD"]["library_path"].as_str()?);
    let is_path = named.components().count() > 1;
    is_path.then(|| manifest.parent().unwrap_or(Path::new("/")).join(named))
}
