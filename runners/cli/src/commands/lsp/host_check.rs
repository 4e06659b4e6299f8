//! The structs of programs beside the blocks of an open file.
//!
//! `check --format json` compares them in another process, as it was last saved: reading the debug information of a program
//! can take longer than a keystroke, and much memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::SystemTime;

use anyhow::Context;
use crossbeam_channel::Sender;
use layoutproof_inputs::globs;
use layoutproof_inputs::project_file::ProjectFile;
use lsp_types::request::GotoImplementationResponse;
use lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range};
use serde::Deserialize;

use crate::commands::lsp::positions::{Encoding, line_range, path_of, uri_of};
use crate::commands::lsp::reading::{Reading, project_of};
use crate::help::PROGRAM;
use crate::output::warn;

/// What `check` says about the blocks of one file: the part of its JSON, schema 1, that editors show.
#[derive(Debug, Default, Deserialize)]
pub(super) struct HostPairs {
    #[serde(default)]
    pairs: Vec<HostPair>,
    /// The folder that relative paths count from.
    #[serde(skip)]
    folder: PathBuf,
}

/// A block with the struct that fills it.
#[derive(Debug, Deserialize)]
struct HostPair {
    block: String,
    /// As rules are called where no target has a column.
    target: String,
    column: Option<String>,
    host: String,
    host_file: String,
    mismatches: Vec<Mismatch>,
    members: Vec<HostMember>,
}

#[derive(Debug, Deserialize)]
struct Mismatch {
    path: String,
    kind: String,
    message: String,
    hint: Option<String>,
    shader_at: Option<String>,
    host_at: Option<String>,
}

#[derive(Debug, Deserialize)]
struct HostMember {
    /// `None` for a member that only the program has.
    path: Option<String>,
    host_at: Option<String>,
}

impl HostPairs {
    /// The differences from the programs, at the members.
    pub(super) fn differences(&self, reading: &Reading, encoding: Encoding) -> Vec<lsp_types::Diagnostic> {
        let mut found: Vec<lsp_types::Diagnostic> = Vec::new();
        for (pair, mismatch) in self.pairs.iter().flat_map(|pair| pair.mismatches.iter().map(move |it| (pair, it))) {
            let Mismatch { path, kind, message, hint, shader_at, host_at } = mismatch;
            let hint = hint.as_deref().filter(|hint| !hint.is_empty());
            let fix = hint.map_or_else(String::new, |hint| format!("\nfix: {hint}"));
            let column = pair.column.as_ref().unwrap_or(&pair.target);
            let message = format!("`{}` of {}: {message}{fix}\n({column})", pair.host, pair.host_file);
            let declared = shader_at.as_deref().and_then(|place| self.location(place));
            let in_header =
                declared.as_ref().filter(|declared| path_of(&declared.uri).is_some_and(|path| !reading.is_of(&path)));
            let (range, message) = match (in_header, &declared) {
                // The mark is at the line that includes the header.
                (Some(header), _) => {
                    let place = shader_at.as_deref().unwrap_or_default();
                    let range = path_of(&header.uri).and_then(|path| reading.include_of(&path));
                    (range, format!("{place}: {message}"))
                }
                (None, Some(own)) => (member_range(reading, &pair.block, path, encoding).or(Some(own.range)), message),
                (None, None) => (member_range(reading, &pair.block, path, encoding), message),
            };
            let host = host_at.as_deref().and_then(|place| self.location(place));
            let header = in_header.map(|header| (header.clone(), "declared here".to_owned()));
            let related = host.map(|location| (location, format!("`{}`", pair.host))).into_iter().chain(header);
            let related: Vec<DiagnosticRelatedInformation> =
                related.map(|(location, message)| DiagnosticRelatedInformation { location, message }).collect();
            found.push(lsp_types::Diagnostic {
                range: range.unwrap_or_default(),
                severity: Some(DiagnosticSeverity::ERROR),
                code: Some(NumberOrString::String(kind.clone())),
                source: Some(format!("{PROGRAM} check")),
                message,
                related_information: (!related.is_empty()).then_some(related),
                ..lsp_types::Diagnostic::default()
            });
        }
        found
    }

    /// The declarations in programs of the member at a position, or of the members of the block that is named there.
    pub(super) fn host_places(
        &self,
        reading: &Reading,
        at: Position,
        encoding: Encoding,
    ) -> GotoImplementationResponse {
        let byte = encoding.byte(reading.text(), at);
        let text = reading.laid_out.as_ref();
        let mut wanted: BTreeSet<(String, Option<String>)> = BTreeSet::new();
        match (reading.member_at(byte), text) {
            (Some(found), Some(text)) => {
                let members = found.members.iter().filter_map(|place| Some((text.name_of(place.view)?, &place.path)));
                wanted.extend(members.map(|(block, path)| (block.to_owned(), Some(path.clone()))));
            }
            _ => wanted.extend(reading.word_at(byte).map(|(_, word)| (word.to_owned(), None))),
        }
        let mut places: Vec<Location> = Vec::new();
        for (block, path) in &wanted {
            let members = self.pairs.iter().filter(|pair| pair.block == *block).filter_map(|pair| match path {
                Some(path) => pair.members.iter().find(|member| member.path.as_ref() == Some(path)),
                None => pair.members.first(),
            });
            for place in members.filter_map(|member| self.location(member.host_at.as_deref()?)) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        GotoImplementationResponse::Array(places)
    }

    /// The place of a line, `engine.cpp:12`.
    fn location(&self, place: &str) -> Option<Location> {
        let (file, line) = place.rsplit_once(':')?;
        let path = self.folder.join(file);
        let there = path.is_file().then(|| uri_of(&path)).flatten()?;
        Some(Location { uri: there, range: line_range(line.parse().ok()?) })
    }
}

fn member_range(reading: &Reading, block: &str, path: &str, encoding: Encoding) -> Option<Range> {
    let text = reading.laid_out.as_ref()?;
    let is_member = |view| text.name_of(view) == Some(block);
    let place = text.places.iter().find(|place| place.path == path && is_member(place.view))?;
    Some(encoding.range(reading.text(), place.span.start as usize..place.span.end as usize))
}

/// The checks of open files, one at a time.
pub(super) struct HostChecks {
    /// Gets each answer with the shader that it is about.
    done: Sender<(PathBuf, HostPairs)>,
    /// The targets that the editor names.
    targets: Vec<String>,
    /// The shaders to check next.
    waiting: VecDeque<PathBuf>,
    is_running: bool,
    /// The programs of each open shader, with the time of their last change.
    programs: BTreeMap<PathBuf, BTreeMap<PathBuf, Option<SystemTime>>>,
}

impl HostChecks {
    pub(super) fn new(done: Sender<(PathBuf, HostPairs)>, targets: Vec<String>) -> Self {
        Self { done, targets, waiting: VecDeque::new(), is_running: false, programs: BTreeMap::new() }
    }

    /// Checks a shader, if a project names its programs.
    pub(super) fn want(&mut self, shader: &Path) {
        let Some(project) = project_of(shader) else { return };
        let programs = programs_of(&project);
        if programs.is_empty() {
            self.programs.remove(shader);
            return;
        }
        self.programs.insert(shader.to_owned(), programs);
        if !self.waiting.iter().any(|waiting| waiting == shader) {
            self.waiting.push_back(shader.to_owned());
        }
        self.start_next();
    }

    pub(super) fn forget(&mut self, shader: &Path) {
        self.programs.remove(shader);
        self.waiting.retain(|waiting| waiting != shader);
    }

    pub(super) fn ended(&mut self) {
        self.is_running = false;
        self.start_next();
    }

    /// Checks the shaders again whose programs were built again.
    pub(super) fn look_at_programs(&mut self) {
        let is_new = |(program, known): (&PathBuf, &Option<SystemTime>)| changed_at(program) != *known;
        let shaders = self.programs.iter().filter(|(_, programs)| programs.iter().any(is_new));
        let shaders: Vec<PathBuf> = shaders.map(|(shader, _)| shader.clone()).collect();
        for shader in &shaders {
            self.want(shader);
        }
    }

    fn start_next(&mut self) {
        if self.is_running {
            return;
        }
        let Some(shader) = self.waiting.pop_front() else { return };
        self.is_running = true;
        let (done, targets) = (self.done.clone(), self.targets.clone());
        thread::spawn(move || {
            let answer = check(&shader, &targets).unwrap_or_else(|error| {
                warn(&format!("note: {}: {error:#}\n", shader.display()));
                HostPairs::default()
            });
            // The receiver ends with the session.
            let _ = done.send((shader, answer));
        });
    }
}

/// The programs that a project names; none for a project file with problems, which reading the shader reports.
fn programs_of(project: &Path) -> BTreeMap<PathBuf, Option<SystemTime>> {
    let project = ProjectFile::find(Some(project)).ok().flatten().unwrap_or_default();
    let found = project.host.iter().filter_map(|pattern| globs::expand(&project.folder, pattern).ok());
    found.flatten().map(|program| (program.clone(), changed_at(&program))).collect()
}

fn changed_at(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

fn check(shader: &Path, targets: &[String]) -> anyhow::Result<HostPairs> {
    let project = project_of(shader).context("no project")?;
    let folder = project.parent().unwrap_or(Path::new("."));
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(["check", "--format", "json", "--config"]).arg(&project).arg(shader);
    if !targets.is_empty() {
        command.args(["--target", &targets.join(",")]);
    }
    let output = command.current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    let pairs: HostPairs = serde_json::from_slice(&output.stdout).context("check")?;
    Ok(HostPairs { folder: folder.to_owned(), ..pairs })
}
