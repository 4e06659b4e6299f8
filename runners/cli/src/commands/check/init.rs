//! `layoutproof init`: writes a first `layoutproof.toml` from the files of a folder.
//!
//! It looks into the files: a shader belongs to the project if it can be read alone, and a host file if
//! it has debug information. It prints what it leaves out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use layoutproof_compilers::regular_file::{open_regular, read_text};
use layoutproof_debuginfo::{HostFileKind, HostFileSummary, summarize};
use layoutproof_events::summary::Exit;
use layoutproof_frontend::module_files;
use layoutproof_inputs::files::entries;
use layoutproof_inputs::globs;
use layoutproof_inputs::project_file::PROJECT_FILE;

use layoutproof_pairs::shader_blocks::TargetBlock;
use layoutproof_report::host_check::{BetterChoice, BetterLayout};
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;

use super::args::InitArgs;
use super::build_defines::define_sets;
use super::init_layouts::BetterLayouts;
use super::init_trials::{GUESSED_VALUE, Macros, Problem, Trial, Trials};
use super::work_time::WorkTime;
use crate::output::{print, warn};

/// Maximum number of files and folders to visit.
const MOST_ENTRIES: usize = 50_000;

/// Maximum number of objects to list one by one; more become patterns.
const MOST_OBJECTS: usize = 20;

/// Maximum number of programs to list. A repository of samples has a program for each of them.
const MOST_PROGRAMS: usize = 250;

/// Maximum nesting of folders.
const DEEPEST: u32 = 12;

/// Time for reading shaders, which a busy machine may exceed; those that are left are listed unread.
const READING_TIME: Duration = Duration::from_secs(10);

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

/// Suffixes of shaders that others include, which bring them along.
const HEADERS: [&str; 2] = ["fxh", "hlsli"];

/// Most reasons to print for which shaders cannot be read.
const MOST_CAUSES: usize = 3;

/// Longest shader to search for included files, in bytes.
const LONGEST_SHADER: u64 = 4 << 20;

/// Names of folders in which a build puts its results, also with more after a hyphen and the like. The
/// shaders in them are copies.
const BUILD_FOLDERS: [&str; 7] = ["bin", "build", "cmake-build", "debug", "out", "release", "target"];

/// Starts of the names of folders in which `CMake` tries the compiler.
const CMAKE_TRIALS: [&str; 4] = ["CMakeScratch", "CMakeTmp", "CompilerIdC", "_CMakeLTOTest"];

/// Writes the file, unless it exists.
///
/// # Errors
/// The folder cannot be read, or the file exists.
pub(crate) fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let path = args.folder.join(PROJECT_FILE);
    if path.exists() {
        bail!("{} already exists", path.display());
    }
    let mut found = FoundFiles::default();
    found.look(&args.folder, Path::new(""), Place::default())?;
    let project = FirstProject::choose(&args.folder, &found)?;

    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .with_context(|| format!("writing {}", path.display()))?;
    file.write_all(project.text().as_bytes()).with_context(|| format!("writing {}", path.display()))?;
    print(&format!(
        "wrote {}: {}, {}\n",
        path.display(),
        counted(project.shader_count as u64, "shader"),
        counted(project.host_count as u64, "host file")
    ));
    for better in &project.layouts.better {
        let choice = match better.choice {
            BetterChoice::Target { .. } => "target",
            BetterChoice::Order { .. } => "matrices",
        };
        print(&format!("{choice} of {}: {better}\n", better.language.title()));
    }
    for left_out in &project.left_out {
        print(&format!("left out: {left_out}\n"));
    }
    if project.untested > 0 {
        warn(&format!(
            "note: {} listed without a test after {} s; if `check` cannot read some, list them under `except`\n",
            match project.untested {
                1 => "1 shader is".to_owned(),
                several => format!("{several} shaders are"),
            },
            project.reading_seconds
        ));
    }
    if let Some(first) = project.half_tried.first() {
        warn(&format!(
            "note: {} listed although our own reader refuses them, because {} s were too few to try compilers and macros, \
             such as {first}\n",
            match project.half_tried.len() {
                1 => "1 shader is".to_owned(),
                several => format!("{several} shaders are"),
            },
            project.reading_seconds
        ));
    }
    if project.guessed > 0 {
        warn(&format!(
            "note: {} macros whose values are unknown: the file sets each to {GUESSED_VALUE}; replace them with the \
             values that your program defines\n",
            match project.guessed {
                1 => "1 shader needs".to_owned(),
                several => format!("{several} shaders need"),
            },
        ));
    }
    if project.layouts.unread_hosts > 0 {
        warn(&format!(
            "note: {} not read within {} s, so targets and orders of matrices were chosen without them\n",
            match project.layouts.unread_hosts {
                1 => "1 host file was".to_owned(),
                several => format!("{several} host files were"),
            },
            project.layouts.seconds
        ));
    }
    if project.layouts.untried_pairs > 0 {
        warn(&format!(
            "note: {} not compared for all other targets and orders of matrices within {} s\n",
            match project.layouts.untried_pairs {
                1 => "1 block was".to_owned(),
                several => format!("{several} blocks were"),
            },
            project.layouts.seconds
        ));
    }
    if project.hosts.is_empty() {
        warn(
            "note: no file with debug information was found: build with -g (GCC, Clang), /Zi (MSVC) or a profile with \
             debug = true (Cargo), and list the programs or objects under `host`\n",
        );
    }
    Ok(Exit::Agree)
}

/// True for `build`, `build-debug` and `out2`, not for `debugprintf`.
fn is_build_folder(name: &str) -> bool {
    let rests = BUILD_FOLDERS.iter().filter_map(|start| name.strip_prefix(start));
    rests.into_iter().any(|rest| !rest.starts_with(char::is_alphabetic))
}

/// The position of a search.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    depth: u32,
    /// True below a folder with the results of a build.
    is_build: bool,
}

/// The shaders and host files of a folder, by their paths relative to it.
#[derive(Debug, Default)]
struct FoundFiles {
    shaders: Vec<PathBuf>,
    /// All files, as other files may include them.
    files: BTreeSet<String>,
    hosts: Vec<(PathBuf, HostFileSummary, SystemTime)>,
    /// Folders that were not searched.
    foreign: Vec<PathBuf>,
    /// Build folders, whose shaders are copies.
    builds: Vec<PathBuf>,
    visited: usize,
}

impl FoundFiles {
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
    fn include_folders(&self, folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for shader in &self.shaders {
            let Ok(text) = read_text(&folder.join(shader), LONGEST_SHADER) else { continue };
            let own = shader.parent().unwrap_or(Path::new(""));
            for names in text.lines().map(included_files) {
                if names.iter().any(|name| folder.join(own).join(name).exists()) {
                    continue;
                }
                let places_of =
                    |name| self.files.iter().filter_map(move |file| file.strip_suffix(name)?.strip_suffix('/'));
                let places: BTreeSet<&str> = names.iter().flat_map(places_of).collect();
                // If several places fit, any of them may be meant.
                if places.len() == 1 {
                    found.extend(places.into_iter().map(ToOwned::to_owned));
                }
            }
        }
        found
    }

    fn add(&mut self, file: &Path, relative: PathBuf, place: Place) {
        if ShaderLanguage::of(None, file).is_none() {
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

/// The contents of the first project file.
#[derive(Debug, Default)]
struct FirstProject {
    /// Patterns of shaders by language.
    shaders: BTreeMap<ShaderLanguage, BTreeSet<String>>,
    /// Patterns of shaders that those match and that do not belong to the project.
    except: BTreeMap<ShaderLanguage, BTreeSet<String>>,
    /// Folders with included files.
    includes: BTreeSet<String>,
    /// Shaders that can be read only with macros, by language and macros.
    with_defines: BTreeMap<(ShaderLanguage, Macros, Vec<String>), BTreeSet<String>>,
    shader_count: usize,
    hosts: BTreeSet<String>,
    /// The number of files that the patterns of hosts match.
    host_count: usize,
    /// Sentences about the files that were found and are not used.
    left_out: Vec<String>,
    /// The number of shaders that are listed without a test whether they can be read.
    untested: u64,
    /// The time after which the rest was not tried.
    reading_seconds: u64,
    /// Shaders that cannot be read alone, with the first problem, and for which time was up.
    half_tried: Vec<String>,
    /// The number of shaders whose macros have guessed values.
    guessed: u64,
    /// Targets and orders of matrices with which more blocks agree than with the usual ones.
    layouts: BetterLayouts,
}

impl FirstProject {
    fn choose(folder: &Path, found: &FoundFiles) -> anyhow::Result<Self> {
        let mut project = Self::default();
        if found.visited > MOST_ENTRIES {
            project.left_out.push(format!("all after the first {MOST_ENTRIES} files"));
        }
        let blocks = project.choose_shaders(folder, found)?;
        project.choose_hosts(&found.hosts);
        let mut hosts = Vec::new();
        for pattern in &project.hosts {
            // A folder that cannot be read has no say in the choice of layouts, and does not prevent the file.
            hosts.extend(globs::expand(folder, pattern).unwrap_or_default());
        }
        project.host_count = hosts.len();
        project.layouts = BetterLayouts::find(&blocks, &hosts)?;
        Ok(project)
    }

    /// Returns the blocks whose layout depends on the target or the order of matrices.
    fn choose_shaders(&mut self, folder: &Path, found: &FoundFiles) -> anyhow::Result<Vec<TargetBlock>> {
        let time = WorkTime::start(READING_TIME);
        self.includes = found.include_folders(folder);
        let includes: Vec<String> =
            self.includes.iter().map(|include| folder.join(include).display().to_string()).collect();
        let define_sets = define_sets(folder, &found.files);
        let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let is_main = |file: &&PathBuf| {
            let suffix = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            !HEADERS.contains(&suffix.as_str())
        };
        let shaders: Vec<(&PathBuf, ShaderLanguage)> = found
            .shaders
            .iter()
            .filter(is_main)
            .filter_map(|file| Some((file, ShaderLanguage::of(None, file)?)))
            .collect();
        let trials = Trials { includes: &includes, define_sets: &define_sets };
        let paths: Vec<PathBuf> = shaders.iter().map(|(file, _)| folder.join(file)).collect();
        let tried = trials.of(&paths, || time.is_left())?;
        self.reading_seconds = time.seconds();
        // The shaders of a folder are built alike, so those that were not read take the macros of one that was.
        let mut macros_of: BTreeMap<(Option<&Path>, ShaderLanguage), Vec<String>> = BTreeMap::new();
        for ((file, language), trial) in shaders.iter().zip(&tried.trials) {
            if let Trial::With(Macros::Build, set) = trial {
                macros_of.entry((file.parent(), *language)).or_insert_with(|| set.clone());
            }
        }
        for ((file, language), trial) in shaders.into_iter().zip(tried.trials) {
            let trial = match (trial, macros_of.get(&(file.parent(), language))) {
                (Trial::NotRead(None), Some(set)) => {
                    self.untested += 1;
                    Trial::With(Macros::Build, set.clone())
                }
                (trial, _) => trial,
            };
            if let Trial::Alone | Trial::NotRead(_) = trial {
                self.shaders.entry(language).or_default().insert(pattern_of(file));
            } else {
                self.except.entry(language).or_default().insert(slashed(file));
            }
            match trial {
                Trial::Alone => self.shader_count += 1,
                Trial::NotRead(problem) => {
                    self.shader_count += 1;
                    match problem {
                        Some(Problem { cause, advice }) => {
                            self.half_tried.push(format!("{}: {cause}{advice}", slashed(file)));
                        }
                        None => self.untested += 1,
                    }
                }
                Trial::With(origin, defines) => {
                    self.shader_count += 1;
                    self.guessed += u64::from(origin == Macros::Guessed);
                    self.with_defines.entry((language, origin, defines)).or_default().insert(slashed(file));
                }
                Trial::Refused(Problem { cause, advice }) => {
                    refused.entry(cause.clone()).or_default().push(format!("{}: {cause}{advice}", slashed(file)));
                }
            }
        }

        // A folder that was not searched matters only where a pattern would search it.
        let outside = found.foreign.iter().chain(&found.builds).map(|folder| format!("{}/**/*", slashed(folder)));
        let outside: Vec<String> = outside.collect();
        for (language, patterns) in &self.shaders {
            let is_matched = |path: &str| patterns.iter().any(|pattern| globs::names(pattern, Path::new(path)));
            let is_below = |path: &str| {
                patterns
                    .iter()
                    .any(|pattern| pattern.split_once("**").is_some_and(|(start, _)| path.starts_with(start)))
            };
            let except = self.except.entry(*language).or_default();
            except.retain(|path| is_matched(path));
            except.extend(outside.iter().filter(|path| is_below(path)).cloned());
        }
        self.except.retain(|language, patterns| self.shaders.contains_key(language) && !patterns.is_empty());

        let mut refused: Vec<Vec<String>> = refused.into_values().collect();
        refused.sort_by_key(|files| Reverse(files.len()));
        for files in refused.iter().take(MOST_CAUSES) {
            let count = counted(files.len() as u64, "shader");
            self.left_out.push(format!("{count} that cannot be read alone, such as {}", files[0]));
        }
        if let more @ 1.. = refused.iter().skip(MOST_CAUSES).map(Vec::len).sum::<usize>() {
            self.left_out.push(format!("{} for other reasons", counted(more as u64, "shader")));
        }
        if !found.foreign.is_empty() {
            let names: Vec<String> = found.foreign.iter().take(3).map(|folder| slashed(folder)).collect();
            let count = counted(found.foreign.len() as u64, "folder");
            self.left_out.push(format!("{count} of other projects, such as {}", names.join(", ")));
        }
        Ok(tried.blocks)
    }

    /// Takes programs and their databases. Objects and libraries are parts of programs, so they are taken
    /// only if there is no program.
    fn choose_hosts(&mut self, found: &[(PathBuf, HostFileSummary, SystemTime)]) {
        let with_debug = |kind: HostFileKind| {
            move |found: &&(PathBuf, HostFileSummary, SystemTime)| found.1.kind == kind && found.1.has_debug_sections
        };
        let databases: BTreeSet<PathBuf> =
            found.iter().filter(with_debug(HostFileKind::Pdb)).map(|found| found.0.with_extension("")).collect();

        // If a program was built several times, take the newest.
        let mut programs: BTreeMap<String, (&Path, SystemTime)> = BTreeMap::new();
        for kind in [HostFileKind::Program, HostFileKind::Pdb] {
            for (path, _, time) in found.iter().filter(with_debug(kind)) {
                if kind == HostFileKind::Program && databases.contains(&path.with_extension("")) {
                    continue;
                }
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let newest = programs.entry(name).or_insert((path, *time));
                if *time > newest.1 {
                    *newest = (path, *time);
                }
            }
        }
        self.hosts.extend(programs.values().take(MOST_PROGRAMS).map(|(path, _)| slashed(path)));
        let mut left_out = |count: usize, singular: &str, why: &str| {
            if count > 0 {
                self.left_out.push(format!("{} {why}", counted(count as u64, singular)));
            }
        };
        left_out(programs.len().saturating_sub(MOST_PROGRAMS), "program", "more than the file lists");

        let count =
            |is_left_out: &dyn Fn(&HostFileSummary) -> bool| found.iter().filter(|it| is_left_out(&it.1)).count();
        let is_program = |it: &HostFileSummary| it.kind == HostFileKind::Program && !it.has_debug_sections;
        left_out(count(&is_program).saturating_sub(databases.len()), "program", "without debug information");
        left_out(count(&|it| it.kind == HostFileKind::ImportLibrary), "import library", "without types");
        let is_part = |it: &HostFileSummary| matches!(it.kind, HostFileKind::Object | HostFileKind::Library);
        if programs.is_empty() {
            let is_library = |it: &&(PathBuf, HostFileSummary, SystemTime)| it.1.kind == HostFileKind::Library;
            let parts = || found.iter().filter(|it| is_part(&it.1) && it.1.has_debug_sections);
            let objects = parts().filter(|it| !is_library(it)).count();
            let chosen: Vec<&Path> =
                parts().filter(|it| is_library(it) == (objects == 0)).map(|it| it.0.as_path()).collect();
            let name: fn(&Path) -> String = if chosen.len() > MOST_OBJECTS { pattern_of } else { slashed };
            self.hosts.extend(chosen.into_iter().map(name));
            left_out(count(&|it| is_part(it) && !it.has_debug_sections), "object", "without debug information");
        } else {
            left_out(count(&is_part), "object or library", "next to programs");
        }
    }

    /// The lines that choose the target of a language and its order of matrices, with the reason.
    fn layout_of(&self, language: ShaderLanguage) -> String {
        let mut lines = String::new();
        for better in self.layouts.better.iter().filter(|better| better.language == language) {
            lines += &setting_lines(better);
        }
        lines
    }

    fn text(&self) -> String {
        let list = |names: &BTreeSet<String>| {
            let quoted: Vec<String> = names.iter().map(|name| format!("    {name:?},\n")).collect();
            if quoted.is_empty() { "[]".to_owned() } else { format!("[\n{}]", quoted.concat()) }
        };
        let mut shaders = String::new();
        for (language, patterns) in &self.shaders {
            let _ = write!(shaders, "# {}\n[[shader]]\nfiles = {}\n", language.title(), list(patterns));
            if let Some(except) = self.except.get(language) {
                let _ = writeln!(shaders, "except = {}", list(except));
            }
            if !self.includes.is_empty() {
                let _ = writeln!(shaders, "include = {}", list(&self.includes));
            }
            shaders += &self.layout_of(*language);
            if *language == ShaderLanguage::Hlsl {
                shaders += "# args = \"-T cs_6_6 -D QUALITY=2\"\n";
            }
            shaders.push('\n');
        }
        for ((language, origin, defines), files) in &self.with_defines {
            let defines = defines.iter().cloned().collect();
            let origin = match origin {
                Macros::Build => "macros of the build",
                Macros::Guessed => "macros that the program defines when it runs: their values are guesses",
            };
            let _ = write!(
                shaders,
                "# {}, with {origin}\n[[shader]]\nfiles = {}\ndefines = {}\n",
                language.title(),
                list(files),
                list(&defines)
            );
            if !self.includes.is_empty() {
                let _ = writeln!(shaders, "include = {}", list(&self.includes));
            }
            shaders += &self.layout_of(*language);
            shaders.push('\n');
        }
        if shaders.is_empty() {
            "# [[shader]]\n# files = [\"shaders/**/*.hlsl\"]\n\n".clone_into(&mut shaders);
        }
        format!(
            "# What `layoutproof check` compares. It names no programs and runs nothing.\n\
             schema = 1\n\n\
             # Files with debug information: objects, libraries, programs, .pdb.\n\
             host = {}\n\n\
             # The rule sets that ship; `layoutproof list --rules` lists them all.\n\
             # rules = [\"native:dxc-dxil\", \"native:dxc-spirv\"]\n\n\
             {shaders}\
             # The host type of a block whose name does not match.\n\
             # [[map]]\n# block = \"PerFrame\"\n# host = \"engine::PerFrame\"\n# members = {{ cameraPos = \"cam_pos\" }}\n",
            list(&self.hosts)
        )
    }
}

/// A setting with its reason; one that is not likely as a comment, because it might hide a mistake.
fn setting_lines(better: &BetterLayout) -> String {
    let setting = better.setting();
    if better.is_likely() {
        return format!("# {better}.\n{setting}\n");
    }
    let condition = match better.choice {
        BetterChoice::Target { .. } => "ships for that",
        BetterChoice::Order { .. } => "compiles with them",
    };
    format!("# {better}. If the program {condition}:\n# {setting}\n")
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

/// The pattern of all files of this suffix below the topmost folder of a file.
fn pattern_of(file: &Path) -> String {
    let suffix = file.extension().unwrap_or_default().to_string_lossy();
    let mut parts = file.iter().map(|part| part.to_string_lossy());
    match (parts.next(), parts.next()) {
        (Some(top), Some(_)) => format!("{top}/**/*.{suffix}"),
        _ => format!("*.{suffix}"),
    }
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

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
