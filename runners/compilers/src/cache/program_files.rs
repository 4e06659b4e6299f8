//! The files that are known to decide what a program answers.

use std::ffi::OsString;
use std::path::PathBuf;

/// The files that are known to decide what a program answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProgramFiles {
    /// The program; `None` where it is `layoutproof` itself, whose part in an answer every identity has.
    pub(crate) program: Option<PathBuf>,
    /// Whether the program may be a script.
    pub(crate) script: ScriptKind,
    /// The library that is loaded by path.
    pub(crate) library: Option<PathBuf>,
    /// Files, and folders with all that is in them.
    pub(crate) others: Vec<PathBuf>,
    /// Beginnings of the names of libraries that it opens while it works, from its folder or the `lib` beside that.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts if it is a script.
    pub(crate) started_by_script: &'static [&'static str],
    /// Arguments and variables with which it is always started.
    pub(crate) words: Vec<OsString>,
}

/// Whether a program may be a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ScriptKind {
    /// A script may start anything, so it has no identity.
    #[default]
    Unknown,
    /// All that a script starts is among the files.
    Known,
}

/// Files that decide a compiler's answers and that nothing else names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecidingFiles {
    /// Beginnings of the names of libraries that it opens while it works, from its folder or the `lib` beside that.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts, where the set-up's program is a script.
    pub(crate) started_by_script: &'static [&'static str],
}
