//! Finds the file of a module, and the declaration that a path names.
//!
//! Source: WESL's specification, Imports: `a::b` is the file `a/b.wesl`, or `a/b.wgsl`, below the root of its package.
//! The root is the one of a `wesl.toml`; without that file, the nearest folder in which the path exists. Modules of
//! `naga_oil` say their path in `#define_import_path`.

use std::collections::BTreeMap;

use layoutproof_layout::{FileId, Span};
use layoutproof_preprocess::IncludeSearch;
use layoutproof_source::diagnostics::{Code, Diagnostic};

use super::{Linker, Target, naga_oil};

/// Folders above a file in which its package may be.
const MOST_FOLDERS: usize = 12;

/// The folders of a package in which its root may be, as Rust's and JavaScript's packages have them.
const ROOTS: [&str; 4] = ["src", "src/shaders", "shaders", ""];

/// The suffixes of modules, the preferred one first.
const SUFFIXES: [&str; 2] = ["wesl", "wgsl"];

#[derive(Debug, Default)]
pub(super) struct PackageRoots {
    /// The root folder of each package; `None` if no import has shown it.
    folders: Vec<Option<String>>,
    packages: BTreeMap<String, usize>,
    /// Modules by the normal paths of their files.
    modules: BTreeMap<String, Option<usize>>,
    /// Modules by the module that names them and the path there.
    known: BTreeMap<(usize, Vec<String>), Option<usize>>,
    has_looked_for_project: bool,
    /// Folders of packages that `wesl.toml` names.
    dependencies: BTreeMap<String, String>,
}

impl PackageRoots {
    /// The package of the main file.
    pub(super) fn of_main(&mut self) -> usize {
        self.folders.push(None);
        self.folders.len() - 1
    }

    fn of_package(&mut self, name: &str, folder: &str) -> usize {
        let next = self.folders.len();
        let index = *self.packages.entry(name.to_owned()).or_insert(next);
        if index == next {
            self.folders.push(Some(folder.to_owned()));
        }
        index
    }
}

/// A path at which a module may be, without its suffix.
struct Candidate {
    stem: String,
    /// The package, if it is known.
    root: CandidateRoot,
    /// True if the file must say its path.
    is_by_own_path: bool,
}

enum CandidateRoot {
    Known(usize),
    /// The main file's, whose root is then this folder.
    MainAt(String),
    /// Another package, whose root is this folder.
    Package(String, String),
}

impl Linker<'_> {
    /// What a name or path in a module stands for; `None` for a name of the language or of a body.
    pub(super) fn target(&mut self, module: usize, text: &str, span: Span) -> Result<Option<Target>, Diagnostic> {
        let segments: Vec<String> = text.split("::").map(str::to_owned).collect();
        let own = &self.modules[module];
        if let Some(item) = own.by_name.get(text) {
            return Ok(Some(Target::Item((module, *item))));
        }
        let path = match own.imports.path_of(&segments[0]) {
            Some(path) => [path, &segments[1..]].concat(),
            None if segments.len() > 1 => segments,
            None if own.is_naga_oil => return self.in_whole_modules(module, text),
            None => return Ok(None),
        };
        self.item(module, &path, span).map(Some)
    }

    /// The declaration in a module of `naga_oil` that is imported whole: up to 0.10, its names are then in scope.
    fn in_whole_modules(&mut self, module: usize, name: &str) -> Result<Option<Target>, Diagnostic> {
        let paths: Vec<Vec<String>> = self.modules[module].imports.paths().map(<[String]>::to_vec).collect();
        for path in paths {
            if let Some(found) = self.module(module, &path)?
                && let Some(item) = self.modules[found].by_name.get(name)
            {
                return Ok(Some(Target::Item((found, *item))));
            }
        }
        Ok(None)
    }

    /// The declaration that a path names.
    fn item(&mut self, module: usize, path: &[String], span: Span) -> Result<Target, Diagnostic> {
        let Some((name, of_module)) = path.split_last().filter(|(_, of_module)| !of_module.is_empty()) else {
            let message = format!("`{}` is a module, not a declaration", path.join("::"));
            return Err(Diagnostic::error(Code::BadModule, span, message));
        };
        let Some(found) = self.module(module, of_module)? else {
            if of_module == ["constants"] {
                return match self.search.value(name) {
                    Some("") => Ok(Target::Value("true".to_owned())),
                    Some(value) => Ok(Target::Value(value.to_owned())),
                    None => {
                        let message = format!("`constants::{name}` has no value");
                        Err(Diagnostic::error(Code::BadModule, span, message).with_missing_macros(&[name.as_str()]))
                    }
                };
            }
            let message = format!("no file is the module `{}`", of_module.join("::"));
            let help = match of_module[0].as_str() {
                "package" | "super" => "`package` is the folder that `wesl.toml` names, or one above the file",
                _ => "-I DIR names the folder that contains the package's folder, or the module's file",
            };
            return Err(Diagnostic::error(Code::Preprocessor, span, message).with_help(help));
        };
        match self.modules[found].by_name.get(name) {
            Some(item) => Ok(Target::Item((found, *item))),
            None => {
                let file = &self.sources.file(self.modules[found].file).name;
                let message = format!("{file} has no declaration `{name}`");
                let help = "a condition may hide it: `-D NAME` sets a name";
                Err(Diagnostic::error(Code::BadModule, span, message).with_help(help))
            }
        }
    }

    /// The module at a path that is written in the module `from`; `None` if it has no file.
    fn module(&mut self, from: usize, path: &[String]) -> Result<Option<usize>, Diagnostic> {
        let key = (from, path.to_vec());
        if let Some(known) = self.roots.known.get(&key) {
            return Ok(*known);
        }
        let found = self.search_module(from, path)?;
        self.roots.known.insert(key, found);
        Ok(found)
    }

    fn search_module(&mut self, from: usize, path: &[String]) -> Result<Option<usize>, Diagnostic> {
        let mut found: Option<(usize, String)> = None;
        for candidate in self.candidates(from, path) {
            if let Some((_, first)) = &found {
                // Only the root of the main file's package is a guess.
                if matches!(candidate.root, CandidateRoot::MainAt(_)) && self.is_there(&candidate.stem) {
                    let file = self.modules[from].file;
                    let message =
                        format!("`{}` may be {first} or {}: this reads the first", path.join("::"), candidate.stem);
                    let warning = Diagnostic::warning(Code::UncertainLayout, Span { file, ..Span::default() }, message);
                    self.warnings.push(warning.with_help("a `wesl.toml` with `root` names the folder of the package"));
                    break;
                }
                continue;
            }
            if let Some(module) = self.at(&candidate, path)? {
                let is_guess = matches!(candidate.root, CandidateRoot::MainAt(_));
                found = Some((module, candidate.stem));
                if !is_guess {
                    break;
                }
            }
        }
        Ok(found.map(|(module, _)| module))
    }

    fn is_there(&self, stem: &str) -> bool {
        SUFFIXES.iter().any(|suffix| self.search.files.read(&format!("{stem}.{suffix}")).is_ok())
    }

    /// The paths at which a module may be, the preferred one first.
    fn candidates(&mut self, from: usize, path: &[String]) -> Vec<Candidate> {
        self.look_for_project();
        let module = &self.modules[from];
        let (stem, root) = (module.stem.clone(), module.root);
        let known = |stem| Candidate { stem, root: CandidateRoot::Known(root), is_by_own_path: false };
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        if supers > 0 {
            let mut folder = stem;
            for _ in 0..supers {
                folder = parent(&folder);
            }
            return vec![known(below(&folder, &path[supers..]))];
        }
        let folders = folders_above(&parent(&stem));
        let main_folders = folders_above(&parent(&self.modules[0].stem));
        if path[0] == "package" {
            let inside = &path[1..];
            return match &self.roots.folders[root] {
                Some(folder) if inside.is_empty() => {
                    ["package", "lib", "main"].map(|name| known(below(folder, &[name.to_owned()]))).into()
                }
                Some(folder) => vec![known(below(folder, inside))],
                None if inside.is_empty() => Vec::new(),
                None => main_folders
                    .into_iter()
                    .map(|folder| Candidate {
                        stem: below(&folder, inside),
                        root: CandidateRoot::MainAt(folder),
                        is_by_own_path: false,
                    })
                    .collect(),
            };
        }

        let bases: Vec<String> = self.search.folders.iter().cloned().chain(folders).chain(main_folders).collect();
        if path[0].contains(['/', '.']) {
            let stem = path[0].rsplit_once('.').map_or(path[0].as_str(), |(stem, _)| stem);
            return bases.iter().map(|base| known(below(base, &[stem.to_owned()]))).collect();
        }
        let mut candidates = Vec::new();
        let inside = if path.len() == 1 { &["lib".to_owned()][..] } else { &path[1..] };
        let of_package = |folder: String| Candidate {
            stem: below(&folder, inside),
            root: CandidateRoot::Package(path[0].clone(), folder),
            is_by_own_path: false,
        };
        if let Some(index) = self.roots.packages.get(&path[0])
            && let Some(folder) = self.roots.folders[*index].clone()
        {
            candidates.push(of_package(folder));
        }
        if let Some(folder) = self.roots.dependencies.get(&path[0]) {
            candidates.extend(ROOTS.iter().map(|root| of_package(below(folder, &[(*root).to_owned()]))));
        }
        for base in &bases {
            let folder = below(base, &path[..1]);
            candidates.extend(ROOTS.iter().map(|root| of_package(below(&folder, &[(*root).to_owned()]))));
        }
        if module.is_naga_oil {
            let last = path.last().cloned().unwrap_or_default();
            for base in &bases {
                for stem in [below(base, std::slice::from_ref(&last)), below(base, &[last.clone(), last.clone()])] {
                    candidates.push(Candidate { stem, root: CandidateRoot::Known(root), is_by_own_path: true });
                }
            }
        }
        candidates
    }

    /// Loads the module at a candidate's path.
    fn at(&mut self, candidate: &Candidate, path: &[String]) -> Result<Option<usize>, Diagnostic> {
        for suffix in SUFFIXES {
            let name = format!("{}.{suffix}", candidate.stem);
            let key = IncludeSearch::key(&name);
            if self.roots.modules.is_empty() {
                let main = IncludeSearch::key(&self.sources.file(self.modules[0].file).name);
                self.roots.modules.insert(main, Some(0));
            }
            match self.roots.modules.get(&key) {
                Some(Some(module)) => return Ok(Some(*module)),
                Some(None) if !candidate.is_by_own_path => continue,
                Some(None) | None => {}
            }
            let Ok(text) = self.search.files.read(&name) else {
                self.roots.modules.insert(key, None);
                continue;
            };
            if candidate.is_by_own_path && naga_oil::own_path(&text) != Some(path.join("::").as_str()) {
                continue;
            }
            let root = match &candidate.root {
                CandidateRoot::Known(root) => *root,
                CandidateRoot::MainAt(folder) => {
                    self.roots.folders[0] = Some(folder.clone());
                    0
                }
                CandidateRoot::Package(package, folder) => self.roots.of_package(package, folder),
            };
            let file: FileId = self.sources.add(name, text);
            let module = self.load(file, candidate.stem.clone(), root)?;
            self.roots.modules.insert(key, Some(module));
            return Ok(Some(module));
        }
        Ok(None)
    }

    /// Reads the `wesl.toml` above the main file.
    fn look_for_project(&mut self) {
        if std::mem::replace(&mut self.roots.has_looked_for_project, true) {
            return;
        }
        for folder in folders_above(&parent(&self.modules[0].stem)) {
            let Ok(text) = self.search.files.read(&below(&folder, &["wesl.toml".to_owned()])) else { continue };
            let mut root = "shaders";
            let mut is_dependency = false;
            for line in text.lines().map(str::trim) {
                if line.starts_with('[') {
                    is_dependency = line == "[dependencies]";
                } else if let Some((key, value)) = line.split_once('=') {
                    let quoted = |text: &'_ str| Some(text.split_once('"')?.1.split_once('"')?.0.to_owned());
                    match key.trim() {
                        "root" if !is_dependency => {
                            root = value.trim().trim_matches('"');
                        }
                        name if is_dependency => {
                            let path = value.split_once("path").and_then(|(_, path)| quoted(path));
                            if let Some(path) = path {
                                self.roots.dependencies.insert(name.to_owned(), below(&folder, &[path]));
                            }
                        }
                        _ => {}
                    }
                }
            }
            self.roots.folders[0] = Some(below(&folder, &[root.trim_start_matches("./").to_owned()]));
            return;
        }
    }
}

/// The folder of a path; `..` if it has none.
fn parent(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((_, "..")) => format!("{path}/.."),
        Some((folder, _)) => folder.to_owned(),
        None if path.is_empty() || path == ".." => below(path, &["..".to_owned()]),
        None => String::new(),
    }
}

/// The folder and those above it.
fn folders_above(folder: &str) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    while folders.len() < MOST_FOLDERS {
        let last = &folders[folders.len() - 1];
        if last.starts_with('/') && !last[1..].contains('/') {
            break;
        }
        folders.push(parent(last));
    }
    folders
}

fn below(folder: &str, segments: &[String]) -> String {
    let parts = std::iter::once(folder).chain(segments.iter().map(String::as_str));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
