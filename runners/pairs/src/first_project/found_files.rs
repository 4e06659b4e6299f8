//! Searches a folder for shaders and for files with debug information.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use layoutproof_compilers::regular_file::{open_regular, read_text};
use layoutproof_debuginfo::{HostFileSummary, summarize};
use layoutproof_frontend::module_files;
use layoutproof_inputs::files::entries;
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_source::host_text::{HostText, ProgramLanguage, language_of};

use super::slashed;
use super::unread_kinds::UnreadKinds;
use crate::host_text_shaders::{IncludedShader, included_shader};

/// Maximum number of files and folders to visit.
pub(super) const MOST_ENTRIES: usize = 50_000;

/// Maximum nesting of folders.
const DEEPEST: u32 = 12;

/// Folders with the files of other projects.
const FOREIGN_FOLDERS: [&str; 12] = [
    "3rdparty",
    "_deps",
    "extern",
    "external",
    "externals",
    "node_modules",
    "subprojects",
    "third-party",
    "third_party",
    "thirdparty",
    "vcpkg_installed",
    "vendor",
];

/// Longest shader to search for included files, in bytes.
const LONGEST_SHADER: u64 = 4 << 20;

/// Longest text of a program to search for shaders, in bytes.
const LONGEST_HOST_TEXT: u64 = 1 << 20;

/// Names of folders in which a build puts its results, also with more after a hyphen and the like. The
/// shaders in them are copies.
const BUILD_FOLDERS: [&str; 7] = ["bin", "build", "cmake-build", "debug", "out", "release", "target"];

/// Starts of the names of folders in which `CMake` tries the compiler.
const CMAKE_TRIALS: [&str; 4] = ["CMakeScratch", "CMakeTmp", "CompilerIdC", "_CMakeLTOTest"];

/// The position of a search.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    depth: u32,
    /// True below a folder with the results of a build.
    is_build: bool,
}

/// The shaders and host files of a folder, by their paths relative to it.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    pub(super) shaders: Vec<PathBuf>,
    /// All files, as other files may include them.
    pub(super) files: BTreeSet<String>,
    pub(super) hosts: Vec<(PathBuf, HostFileSummary, SystemTime)>,
    /// Folders that were not searched.
    pub(super) foreign: Vec<PathBuf>,
    /// Build folders, whose shaders are copies.
    pub(super) builds: Vec<PathBuf>,
    /// Texts of programs with shaders in their strings, or that include shaders under other names.
    pub(super) host_texts: Vec<(PathBuf, HostText)>,
    /// SPIR-V, also of builds.
    pub(super) spirv: Vec<PathBuf>,
    pub(super) unread_kinds: UnreadKinds,
    pub(super) visited: usize,
}

impl FoundFiles {
    pub(super) fn below(folder: &Path) -> anyhow::Result<Self> {
        let mut found = Self::default();
        found.look(folder, Path::new(""), Place::default())?;
        Ok(found)
    }

    fn look(&mut self, folder: &Path, relative: &Path, place: Place) -> anyhow::Result<()> {
        let all = entries(folder)?;
        // Cargo's folder has a thousand files of dependencies; the programs are one level below a profile.
        let is_cargo = folder.join(".rustc_info.json").exists();
        for entry in all {
            self.visited += 1;
            if self.visited > MOST_ENTRIES || place.depth > DEEPEST {
                return Ok(());
            }
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || entry.is_symlink() {
                continue;
            }
            let relative = relative.join(&name);
            if !entry.is_dir() {
                self.files.insert(slashed(&relative));
                self.add(&entry, relative, place);
            } else if is_cargo {
                self.look_at_programs(&entry, &relative);
            } else if FOREIGN_FOLDERS.contains(&name.to_lowercase().as_str()) {
                self.foreign.push(relative);
            } else if !CMAKE_TRIALS.iter().any(|start| name.starts_with(start)) {
                let is_build = is_build_folder(&name.to_lowercase());
                if is_build && !place.is_build {
                    self.builds.push(relative.clone());
                }
                let place = Place { depth: place.depth + 1, is_build: place.is_build || is_build };
                // One folder without permission must not end the search.
                let _ = self.look(&entry, &relative, place);
            }
        }
        Ok(())
    }

    /// The programs of a profile of Cargo, also those of a target: `target/TARGET/debug/NAME`.
    fn look_at_programs(&mut self, folder: &Path, relative: &Path) {
        let folders = [
            ("", relative.to_owned()),
            ("examples", relative.join("examples")),
            ("debug", relative.join("debug")),
            ("release", relative.join("release")),
        ];
        for (inner, relative) in folders {
            for entry in entries(&folder.join(inner)).unwrap_or_default() {
                let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let stem = name.split('.').next().unwrap_or_default();
                // `NAME-0123456789abcdef` is `NAME` again.
                let is_again = stem
                    .rsplit_once('-')
                    .is_some_and(|(_, hash)| hash.len() == 16 && hash.chars().all(|letter| letter.is_ascii_hexdigit()));
                if !entry.is_dir() && !name.starts_with('.') && !is_again {
                    self.add_host(&entry, relative.join(&name));
                }
            }
        }
    }

    /// The folders below which the shaders' includes are found, other than their own folders.
    pub(super) fn include_folders(&self, folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for shader in &self.shaders {
            let Ok(text) = read_text(&folder.join(shader), LONGEST_SHADER) else { continue };
            let own = shader.parent().unwrap_or(Path::new(""));
            for line in text.lines() {
                let names = included_files(line);
                if names.iter().any(|name| folder.join(own).join(name).exists()) {
                    continue;
                }
                // Some programs compile their shaders in the folder of the project: `"./shaders/common.hlsl"`.
                let places_of = |name: &String| {
                    let name = name.trim_start_matches("./").to_owned();
                    self.files.iter().filter_map(move |file| match file.strip_suffix(name.as_str())? {
                        "" => Some("."),
                        folder => folder.strip_suffix('/'),
                    })
                };
                let mut places: BTreeSet<&str> = names.iter().flat_map(places_of).collect();
                if let Some(package) = imported_package(line) {
                    places.extend(self.files.iter().filter_map(|file| folder_of_package(file, package)));
                }
                // If several places fit, any of them may be meant.
                if places.len() == 1 {
                    found.extend(places.into_iter().map(ToOwned::to_owned));
                }
            }
        }
        found
    }

    fn add(&mut self, file: &Path, relative: PathBuf, place: Place) {
        if relative.extension().is_some_and(|suffix| suffix == "spv") {
            self.spirv.push(relative);
            return;
        }
        if !place.is_build {
            if let Some(text) = host_text(file) {
                self.host_texts.push((relative, text));
                return;
            }
            if self.unread_kinds.takes(file, &relative) {
                return;
            }
        }
        if language_of_file(None, file).is_none() {
            self.add_host(file, relative);
        } else if !place.is_build {
            self.shaders.push(relative);
        }
    }

    fn add_host(&mut self, file: &Path, relative: PathBuf) {
        let Ok(opened) = open_regular(file) else { return };
        let time = opened.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Some(summary) = summarize(opened) {
            self.hosts.push((relative, summary, time));
        }
    }
}

/// The shaders in the text of a program, if it has some that are not files with the suffix of a shader.
fn host_text(file: &Path) -> Option<HostText> {
    let language = ProgramLanguage::of(file)?;
    let text = read_text(file, LONGEST_HOST_TEXT).ok()?;
    let may_include = ["include_str!", "embedFile", "#embed"].iter().any(|word| text.contains(word));
    if !may_include && language_of(&text).is_none() {
        return None;
    }
    let found = HostText::read(&text, language);
    let folder = file.parent()?;
    let has_file = || {
        found.included.iter().any(|name| matches!(included_shader(&folder.join(name)), Some(IncludedShader::ByText(_))))
    };
    (!found.shaders.is_empty() || has_file()).then_some(found)
}

/// True for `build`, `build-debug` and `out2`, not for `debugprintf`.
fn is_build_folder(name: &str) -> bool {
    let rests = BUILD_FOLDERS.iter().filter_map(|start| name.strip_prefix(start));
    rests.into_iter().any(|rest| !rest.starts_with(char::is_alphabetic))
}

/// The possible names of the file in a line such as `#include "lights.hlsli"`, or Slang's `import Scene.Lights;`.
fn included_files(line: &str) -> Vec<String> {
    included_name(line).or_else(|| imported_names(line)).unwrap_or_default()
}

fn included_name(line: &str) -> Option<Vec<String>> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let close = if rest.starts_with('<') { '>' } else { '"' };
    let name = rest.strip_prefix(['<', '"'])?.split(close).next()?;
    Some(vec![name.to_owned()])
}

/// The package of a line such as WESL's `import bevy_pbr::render::{` or `naga_oil`'s `#import bevy_pbr::mesh_functions`.
fn imported_package(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let path = line.strip_prefix('#').unwrap_or(line).strip_prefix("import ")?;
    let package = path.split_once("::")?.0.trim();
    let is_name = package.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (is_name && !["package", "self", "super"].contains(&package)).then_some(package)
}

/// The folder in which a package is, if the file is one of its modules: `crates` for `crates/bevy_pbr/src/mesh.wesl`.
fn folder_of_package<'a>(file: &'a str, package: &str) -> Option<&'a str> {
    let (before, module) = file.split_once(&format!("{package}/src/"))?;
    let is_module = matches!(module.rsplit_once('.'), Some((_, "wesl" | "wgsl")));
    let folder = if before.is_empty() { Some(".") } else { before.strip_suffix('/') };
    folder.filter(|_| is_module)
}

fn imported_names(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    let line = ["__exported ", "public "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let module = ["import ", "__import ", "__include "].iter().find_map(|word| line.strip_prefix(word))?;
    let module = module.split_once(';')?.0.trim();
    if let Some(path) = module.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Some(module_files(path, true));
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    (!module.is_empty() && module.chars().all(is_name)).then(|| module_files(module, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_the_packages_of_wgsl() {
        for (line, package) in [
            ("import bevy_pbr::render::{", Some("bevy_pbr")),
            ("  #import bevy_pbr::mesh_functions as mesh", Some("bevy_pbr")),
            ("import super::light::Light;", None),
            ("import Scene.Lights;", None),
        ] {
            assert_eq!(imported_package(line), package, "{line}");
        }
        for (file, folder) in [
            ("crates/bevy_pbr/src/render/mesh.wesl", Some("crates")),
            ("bevy_pbr/src/mesh.wgsl", Some(".")),
            ("crates/my_bevy_pbr/src/mesh.wgsl", None),
            ("crates/bevy_pbr/src/lib.rs", None),
        ] {
            assert_eq!(folder_of_package(file, "bevy_pbr"), folder, "{file}");
        }
    }

    #[test]
    fn lines_name_the_files_that_they_bring_along() {
        for (line, files) in [
            ("#include \"lights.hlsli\"", &["lights.hlsli"][..]),
            ("  # include <a/b.h> // why", &["a/b.h"]),
            ("import Scene.Lights;", &["Scene/Lights.slang"]),
            // slangc 2026.14.1 finds these files, and no others.
            ("__exported import Utils.Math_Helpers;", &["Utils/Math_Helpers.slang", "Utils/Math-Helpers.slang"]),
            ("import \"a/b_c\";", &["a/b_c.slang", "a/b-c.slang"]),
            ("import \"a/b_c.slang\";", &["a/b_c.slang"]),
            ("import \"a/b_c.SLANG\";", &["a/b_c.SLANG"]),
            ("__include part;", &["part.slang"]),
            ("import numpy as np", &[]),
            ("important = 1;", &[]),
            ("#import b;", &[]),
        ] {
            assert_eq!(included_files(line), files, "{line}");
        }
    }
}
