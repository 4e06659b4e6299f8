//! The first `layoutproof.toml` of a folder, chosen by looking into its files: a shader belongs to the project if it can be
//! read alone, and a host file if it has debug information.

mod better_layouts;
mod build_defines;
mod build_layouts;
mod data_defines;
mod found_files;
mod reading_budget;
mod trials;
mod unread_kinds;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use layoutproof_debuginfo::{HostFileKind, HostFileSummary};
use layoutproof_inputs::globs;
use layoutproof_inputs::shared_suffixes::{is_shared, language_of_file};
use layoutproof_report::host_check::{BetterChoice, BetterLayout};
use layoutproof_show::style::counted;
use layoutproof_source::host_text::{HostText, ShaderString};
use layoutproof_source::shader_language::ShaderLanguage;

pub use self::better_layouts::BetterLayouts;
pub use self::trials::GUESSED_VALUE;

use self::build_defines::{HeaderValues, define_sets, sets_of_shaders};
use self::build_layouts::{BuildLayout, build_layouts};
use self::data_defines::{add_sets_of_data, joined_shaders};
use self::found_files::{FoundFiles, MOST_ENTRIES};
use self::reading_budget::ReadingBudget;
use self::trials::{Macros, Problem, Trial, TrialShader, Trials};
use crate::host_text_shaders::{IncludedShader, included_shader};
use crate::shader_blocks::TargetBlock;

/// Maximum number of objects to list one by one; more become patterns.
const MOST_OBJECTS: usize = 20;

/// Maximum number of programs to list. A repository of samples has a program for each of them.
const MOST_PROGRAMS: usize = 250;

/// Suffixes of shaders that others include, which bring them along.
const HEADERS: [&str; 2] = ["fxh", "hlsli"];

/// Most reasons to print for which shaders cannot be read.
const MOST_CAUSES: usize = 3;

/// The contents of the first project file.
#[derive(Debug, Default)]
pub struct FirstProject {
    /// Patterns of shaders by language.
    shaders: BTreeMap<ShaderLanguage, BTreeSet<String>>,
    /// Patterns of shaders that those match and that do not belong to the project.
    except: BTreeMap<ShaderLanguage, BTreeSet<String>>,
    /// Folders with included files.
    includes: BTreeSet<String>,
    /// Shaders that can be read only with macros, by language and macros.
    with_defines: BTreeMap<(ShaderLanguage, Macros, Vec<String>), BTreeSet<String>>,
    /// Texts of programs with shaders in their strings.
    host_texts: BTreeSet<String>,
    /// SPIR-V that the build made of shaders that cannot be read.
    spirv: BTreeSet<String>,
    pub shader_count: usize,
    pub hosts: BTreeSet<String>,
    /// The number of files that the patterns of hosts match.
    pub host_count: usize,
    /// Sentences about the files that were found and are not used.
    pub left_out: Vec<String>,
    /// The number of shaders that are listed without a test whether they can be read.
    pub untested: usize,
    /// Shaders that cannot be read alone, with the first problem, and for which not all ways were tried.
    pub half_tried: Vec<String>,
    /// Shaders that cannot be read whole, with what they lack.
    pub incomplete: Vec<String>,
    /// The number of shaders whose macros have guessed values.
    pub guessed: usize,
    /// The layouts that the build chooses.
    build_layouts: BTreeMap<ShaderLanguage, BuildLayout>,
    /// Targets and orders of matrices with which more blocks agree than with the usual ones.
    pub layouts: BetterLayouts,
}

impl FirstProject {
    /// # Errors
    /// The folder cannot be read.
    pub fn of_folder(folder: &Path) -> anyhow::Result<Self> {
        let found = &FoundFiles::below(folder)?;
        let mut project = Self::default();
        if found.visited > MOST_ENTRIES {
            project.left_out.push(format!("all after the first {MOST_ENTRIES} files"));
        }
        let blocks = project.choose_shaders(folder, found)?;
        project.left_out.extend(found.unread_kinds.sentences());
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
        let mut budget = ReadingBudget::whole();
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
            .filter_map(|file| Some((file, language_of_file(None, &folder.join(file))?)))
            .collect();
        let mut own_sets = sets_of_shaders(folder, &found.files);
        add_sets_of_data(folder, &found.files, &mut own_sets);
        let header_values = HeaderValues::new(folder, &found.files);
        let paths: Vec<_> = shaders.iter().map(|(file, language)| (file.as_path(), *language)).collect();
        let build_layouts = build_layouts(folder, &found.files, &paths);
        let layouts = &build_layouts;
        let (define_sets, header_values) = (&define_sets, &header_values);
        let trials = Trials { includes: &includes, define_sets, own_sets: &own_sets, header_values, layouts };
        let in_file = |(file, _): &(&PathBuf, _)| TrialShader { path: folder.join(file), string: None, language: None };
        let in_texts: Vec<(&PathBuf, TrialShader)> =
            found.host_texts.iter().flat_map(|(file, text)| shaders_in(folder, file, text)).collect();
        let all = shaders.iter().map(in_file).chain(in_texts.iter().map(|(_, shader)| shader.clone()));
        let mut tried = trials.of(&all.collect::<Vec<_>>(), &mut budget)?;
        let of_texts = tried.trials.split_off(shaders.len());
        // The shaders of a folder are built alike, so those that were not read take the macros of one that was.
        let mut macros_of: BTreeMap<(Option<&Path>, ShaderLanguage), Vec<String>> = BTreeMap::new();
        for ((file, language), trial) in shaders.iter().zip(&tried.trials) {
            if let Trial::With(Macros::Build, set) = trial {
                macros_of.entry((file.parent(), *language)).or_insert_with(|| set.clone());
            }
        }
        for ((file, language), trial) in shaders.into_iter().zip(tried.trials) {
            let of_build = file.file_name().and_then(|name| own_sets.get(name.to_str()?));
            let own = of_build.and_then(|sets| sets.first());
            let of_folder = macros_of.get(&(file.parent(), language));
            let trial = match trial {
                // The build compiles it, with macros that it computes.
                Trial::Refused(problem) if of_build.is_some() => Trial::Incomplete(problem),
                trial => trial,
            };
            let trial = match (trial, own, of_folder) {
                (Trial::NotRead(_), Some(set), _) | (Trial::NotRead(None), None, Some(set)) => {
                    self.untested += 1;
                    Trial::With(Macros::Build, set.clone())
                }
                (Trial::Incomplete(problem), own, _) => {
                    // One that names its macros is the better example.
                    let place = if problem.names_macros() { 0 } else { self.incomplete.len() };
                    self.incomplete.insert(place, format!("{} ({})", slashed(file), problem.lack()));
                    own.map_or(Trial::Alone, |set| Trial::With(Macros::Build, set.clone()))
                }
                (trial, ..) => trial,
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
                        Some(Problem { cause, advice, .. }) => {
                            self.half_tried.push(format!("{}: {cause}{advice}", slashed(file)));
                        }
                        None => self.untested += 1,
                    }
                }
                Trial::With(origin, defines) => {
                    self.shader_count += 1;
                    self.guessed += usize::from(origin == Macros::Guessed);
                    self.with_defines.entry((language, origin, defines)).or_default().insert(slashed(file));
                }
                Trial::Refused(Problem { cause, advice, .. }) | Trial::Incomplete(Problem { cause, advice, .. }) => {
                    refused.entry(cause.clone()).or_default().push(format!("{}: {cause}{advice}", slashed(file)));
                }
            }
        }

        self.choose_host_texts(&in_texts, of_texts, &mut refused);
        self.exclude_unsearched(found);
        let is_whole = refused.is_empty() && found.unread_kinds.is_empty();
        if !is_whole {
            let modules = self.modules_without_source(found).into_iter().map(|file| folder.join(file)).collect();
            for module in trials.modules_with_blocks(modules, &mut budget)? {
                self.spirv.extend(module.strip_prefix(folder).map(slashed));
            }
            self.shader_count += self.spirv.len();
        }
        self.build_layouts = build_layouts;
        self.note_refused(refused);
        self.note_joined(folder, found);
        if !found.foreign.is_empty() {
            let names: Vec<String> = found.foreign.iter().take(3).map(|folder| slashed(folder)).collect();
            let count = counted(found.foreign.len() as u64, "folder");
            self.left_out.push(format!("{count} of other projects{}", examples(found.foreign.len(), &names)));
        }
        Ok(tried.blocks)
    }

    /// Says how to list shaders that the program puts together with other files: alone, they lack declarations and macros.
    fn note_joined(&mut self, folder: &Path, found: &FoundFiles) {
        let joined = joined_shaders(folder, &found.files);
        let Some((name, first)) = joined.iter().max_by_key(|(_, joined)| joined.before.len()) else { return };
        let lines: Vec<String> =
            first.before.iter().chain([name]).map(|file| format!("`#include \"{file}\"`")).collect();
        let (stem, suffix) = name.rsplit_once('.').unwrap_or((name, "glsl"));
        let get = if joined.len() == 1 { "gets" } else { "get" };
        self.left_out.push(format!(
            "what {} {get} from files that the program puts before them, such as {name} ({}): to compare all blocks, write \
             for each stage a file like {stem}.STAGE.{suffix} with the lines {}, and list it with the macros that the program \
             defines for that stage, as `defines = [\"NAME\"]`",
            counted(joined.len() as u64, "shader"),
            first.data,
            lines.join(", ")
        ));
    }

    /// Lists the texts of programs whose shaders can all be read.
    fn choose_host_texts(
        &mut self,
        shaders: &[(&PathBuf, TrialShader)],
        trials: Vec<Trial>,
        refused: &mut BTreeMap<String, Vec<String>>,
    ) {
        let mut readable: BTreeMap<&PathBuf, usize> = BTreeMap::new();
        let mut unreadable: BTreeSet<&PathBuf> = BTreeSet::new();
        for ((file, shader), trial) in shaders.iter().zip(trials) {
            let problem = match trial {
                Trial::Alone | Trial::NotRead(None) => {
                    *readable.entry(file).or_default() += 1;
                    continue;
                }
                Trial::With(_, macros) => format!("it needs the macros {}", macros.join(", ")),
                Trial::NotRead(Some(Problem { cause, advice, .. }))
                | Trial::Refused(Problem { cause, advice, .. })
                | Trial::Incomplete(Problem { cause, advice, .. }) => format!("{cause}{advice}"),
            };
            unreadable.insert(file);
            let line = shader.string.as_ref().map_or(1, |string| string.line);
            let causes = refused.entry("a string of a program".to_owned()).or_default();
            causes.push(format!("{}:{line}: {problem}", slashed(file)));
        }
        for (file, count) in readable.into_iter().filter(|(file, _)| !unreadable.contains(file)) {
            self.host_texts.insert(slashed(file));
            self.shader_count += count;
        }
    }

    /// The SPIR-V that is not made of a shader that is listed, by the names of the files.
    fn modules_without_source(&self, found: &FoundFiles) -> Vec<PathBuf> {
        let listed = |file: &PathBuf| {
            let patterns = self.shaders.values().flatten();
            let is_excepted = self.except.values().flatten().any(|except| *except == slashed(file));
            let with_defines = self.with_defines.values().flatten();
            (patterns.into_iter().any(|pattern| globs::names(pattern, file)) && !is_excepted)
                || with_defines.into_iter().any(|name| *name == slashed(file))
        };
        let mut sources: BTreeSet<&OsStr> = BTreeSet::new();
        for file in found.shaders.iter().filter(|file| listed(file)) {
            sources.extend(file.file_name());
            sources.extend(file.file_stem());
        }
        let is_known = |module: &&PathBuf| module.file_stem().is_some_and(|stem| sources.contains(stem));
        found.spirv.iter().filter(|module| !is_known(module)).cloned().collect()
    }

    /// Excludes the folders that were not searched where a pattern would search them, and drops what no pattern matches.
    fn exclude_unsearched(&mut self, found: &FoundFiles) {
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
    }

    /// Says why shaders cannot be read. `refused` has them by their causes.
    fn note_refused(&mut self, refused: BTreeMap<String, Vec<String>>) {
        let mut refused: Vec<Vec<String>> = refused.into_values().collect();
        refused.sort_by_key(|files| Reverse(files.len()));
        for files in refused.iter().take(MOST_CAUSES) {
            let count = counted(files.len() as u64, "shader");
            self.left_out.push(format!("{count} that cannot be read alone{}", examples(files.len(), &files[..1])));
        }
        if let more @ 1.. = refused.iter().skip(MOST_CAUSES).map(Vec::len).sum::<usize>() {
            self.left_out.push(format!("{} for other reasons", counted(more as u64, "shader")));
        }
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
            left_out(count(&is_part), "object or library file", "next to programs");
        }
    }

    /// The options with which the build chooses layouts: `` Slang: build.bat passes `-matrix-layout-row-major` ``.
    pub fn build_options(&self) -> impl Iterator<Item = String> {
        let words = |(language, layout): (&ShaderLanguage, &BuildLayout)| {
            format!("{}: {} passes `{}`", language.title(), layout.file, layout.text)
        };
        self.build_layouts.iter().map(words)
    }

    /// The lines that choose the target of a language and its order of matrices, with the reason.
    fn layout_of(&self, language: ShaderLanguage) -> String {
        let mut lines = String::new();
        if let Some(BuildLayout { text, file, .. }) = self.build_layouts.get(&language) {
            let _ = writeln!(lines, "# From {file}.\nargs = {text:?}");
        }
        for better in self.layouts.better.iter().filter(|better| better.language == language) {
            lines += &setting_lines(better);
        }
        lines
    }

    /// The files of SPIR-V, or the folders of many.
    fn patterns_of_spirv(&self) -> BTreeSet<String> {
        if self.spirv.len() <= MOST_OBJECTS {
            return self.spirv.clone();
        }
        let folder =
            |file: &String| file.rsplit_once('/').map_or("*.spv".to_owned(), |(folder, _)| format!("{folder}/*.spv"));
        self.spirv.iter().map(folder).collect()
    }

    /// The text of the file.
    pub fn text(&self) -> String {
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
            if *language == ShaderLanguage::Hlsl && !self.build_layouts.contains_key(language) {
                shaders += "# args = \"-T cs_6_6 -D QUALITY=2\"\n";
            }
            shaders.push('\n');
        }
        for ((language, origin, defines), files) in &self.with_defines {
            let defines = defines.iter().cloned().collect();
            let origin = match origin {
                Macros::Build => "macros of the build",
                Macros::Headers => "macros of headers that the shaders do not include",
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
        let lists = [
            ("Shaders in the strings of programs", self.host_texts.clone()),
            ("SPIR-V that the build made of shaders that cannot be read", self.patterns_of_spirv()),
        ];
        for (title, files) in lists.iter().filter(|(_, files)| !files.is_empty()) {
            let _ = write!(shaders, "# {title}\n[[shader]]\nfiles = {}\n\n", list(files));
        }
        if shaders.is_empty() {
            "# [[shader]]\n# files = [\"shaders/**/*.hlsl\"]\n\n".clone_into(&mut shaders);
        }
        format!(
            "# What `layoutproof check` compares. It cannot name programs, and runs nothing.\n\
             schema = 1\n\n\
             # Blocks without a host struct, and memory that cannot be compared, are errors.\n\
             strict = true\n\n\
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

/// The shaders in the text of a program: its strings, and the files that it includes under other names than those of shaders.
fn shaders_in<'a>(folder: &Path, file: &'a PathBuf, text: &HostText) -> Vec<(&'a PathBuf, TrialShader)> {
    let path = folder.join(file);
    let string = |string: &ShaderString| {
        (file, TrialShader { path: path.clone(), string: Some(string.clone()), language: None })
    };
    let mut found: Vec<(&PathBuf, TrialShader)> = text.shaders.iter().map(string).collect();
    for name in &text.included {
        let path = path.with_file_name(name);
        if let Some(IncludedShader::ByText(language)) = included_shader(&path) {
            found.push((file, TrialShader { path, string: None, language: Some(language) }));
        }
    }
    found
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

/// The pattern of all files of this suffix below the topmost folder of a file.
fn pattern_of(file: &Path) -> String {
    // Other files with such a suffix may be no shaders.
    if is_shared(file) {
        return slashed(file);
    }
    let suffix = file.extension().unwrap_or_default().to_string_lossy();
    let mut parts = file.iter().map(|part| part.to_string_lossy());
    match (parts.next(), parts.next()) {
        (Some(top), Some(_)) => format!("{top}/**/*.{suffix}"),
        _ => format!("*.{suffix}"),
    }
}

/// The named ones of a number of files, after their kind.
fn examples(all: usize, named: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = named.iter().map(AsRef::as_ref).collect();
    format!("{}{}", if names.len() < all { ", such as " } else { ": " }, names.join(", "))
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
