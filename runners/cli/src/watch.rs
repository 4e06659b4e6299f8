//! `--watch`: runs the command again as soon as a file changes that it may read.
//!
//! Each run is a process, so that one which fails or breaks ends no other.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use glob::Pattern;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::project_file::PROJECT_FILE;
use layoutproof_show::style::one_line;
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecursiveMode, Watcher};

use crate::output::print;

/// The option, as the runs must not have it.
const OPTION: &str = "--watch";
/// Editors and linkers write a file in several steps: the next run waits for as long without one.
const QUIET: Duration = Duration::from_millis(150);
/// Clears a terminal and its scrollback, and goes to its first line (ECMA-48, ED and CUP).
const CLEAR: &str = "\u{1b}[2J\u{1b}[3J\u{1b}[H";

/// What a command may read.
pub(crate) struct Watched {
    /// The folder with the shaders and `layoutproof.toml`.
    pub(crate) root: PathBuf,
    /// Folders that shaders include files from.
    pub(crate) included: Vec<PathBuf>,
    /// Other files, which are there or will be.
    pub(crate) files: Vec<PathBuf>,
    /// Patterns of other files, as absolute paths.
    pub(crate) patterns: Vec<Pattern>,
}

impl Watched {
    fn has(&self, path: &Path) -> bool {
        // Names below `.git` may end like shaders.
        if path.strip_prefix(&self.root).is_ok_and(|below| below.starts_with(".git")) {
            return false;
        }
        let is_shader = matches!(InputWord::of(&path.display().to_string(), None), InputWord::Shader(_));
        is_shader
            || path.file_name().is_some_and(|name| name == PROJECT_FILE)
            || self.files.iter().any(|file| file == path)
            || self.patterns.iter().any(|pattern| pattern.matches_path(path))
    }
}

/// Runs the command until the user ends it: now, and after each change of a file that is watched.
pub(crate) fn watch(watched: Watched) -> anyhow::Result<Exit> {
    let absolute = |path: PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path));
    // The folder of `layoutproof.toml`, where that is the current one.
    let root = if watched.root.as_os_str().is_empty() { PathBuf::from(".") } else { watched.root };
    let root = absolute(root).context("finding the folder to watch")?;
    let files = watched.files.into_iter().filter_map(|file| absolute(file).ok()).collect();
    let watched = Watched { root, files, ..watched };
    let (sender, changes) = channel();
    // The receiver lives as long as the watcher.
    let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(event)))?;
    let of_files = watched.files.iter().filter_map(|file| file.parent());
    let folders: BTreeSet<&Path> = of_files.chain(watched.included.iter().map(PathBuf::as_path)).collect();
    let outside = folders.into_iter().filter(|folder| !folder.starts_with(&watched.root));
    let modes = outside.map(|folder| (folder, RecursiveMode::NonRecursive));
    for (folder, mode) in modes.chain([(watched.root.as_path(), RecursiveMode::Recursive)]) {
        watcher.watch(folder, mode).with_context(|| format!("watching {}", folder.display()))?;
    }

    let program = env::current_exe().context("finding this program")?;
    let words: Vec<_> = env::args_os().skip(1).filter(|word| word != OPTION).collect();
    let mut changed: Option<PathBuf> = None;
    loop {
        if io::stdout().is_terminal() {
            anstream::print!("{CLEAR}");
        }
        if let Some(path) = &changed {
            print(&format!(
                "{} changed\n",
                one_line(&path.strip_prefix(&watched.root).unwrap_or(path).display().to_string())
            ));
        }
        let status = Command::new(&program).args(&words).status().context("starting this program")?;
        print(&format!("{}; waiting for a change, Ctrl-C ends\n", ended(status.code())));
        changed = Some(next_change(&changes, |path| watched.has(path))?);
    }
}

fn ended(code: Option<i32>) -> String {
    code.map_or_else(|| "ended by a signal".to_owned(), |code| format!("exit code {code}"))
}

/// Waits for a change of a file that is meant, and until no more follow. Other programs may read files all the time.
fn next_change(changes: &Receiver<notify::Result<Event>>, is_meant: impl Fn(&Path) -> bool) -> anyhow::Result<PathBuf> {
    let changed = |event: notify::Result<Event>| -> anyhow::Result<Option<PathBuf>> {
        let event = event.context("watching files")?;
        let paths = if writes(event.kind) { event.paths } else { Vec::new() };
        Ok(paths.into_iter().find(|path| is_meant(path)))
    };
    let found = loop {
        if let Some(path) = changed(changes.recv().context("watching files")?)? {
            break path;
        }
    };
    let mut quiet_at = Instant::now() + QUIET;
    while let Ok(event) = changes.recv_timeout(quiet_at.saturating_duration_since(Instant::now())) {
        if changed(event)?.is_some() {
            quiet_at = Instant::now() + QUIET;
        }
    }
    Ok(found)
}

/// True if a file may have another text after the event.
fn writes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => true,
    }
}
