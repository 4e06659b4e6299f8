//! The files that are known to decide a program's answers.

use std::ffi::OsString;
use std::path::PathBuf;

/// The files that are known to decide a program's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProgramFiles {
    /// The program; `None` for `layoutproof` itself, whose code is part of every identity.
    pub(crate) program: Option<PathBuf>,
    pub(crate) script: ScriptKind,
    /// The library that the program loads by path.
    pub(crate) library: Option<PathBuf>,
    /// More files, and folders with everything in them.
    pub(crate) others: Vec<PathBuf>,
    /// Prefixes of the names of libraries that it opens at run time, from its folder or the `lib`
    /// folder next to it.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts if it is a script.
    pub(crate) started_by_script: &'static [&'static str],
    /// Arguments and variables of every start.
    pub(crate) words: Vec<OsString>,
}

/// Our knowledge of the programs that a script starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ScriptKind {
    /// A script may start any program, so it has no identity.
    #[default]
    Unknown,
    /// All programs that a script starts are among the files.
    Known,
}

/// Files that decide a compiler's answers and that only its driver knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecidingFiles {
    /// Prefixes of the names of libraries that it opens at run time, from its folder or the `lib`
    /// folder next to it.
    pub(crate) opened: &'static [&'static str],
    /// Programs on the `PATH` that it starts if the set-up's program is a script.
    pub(crate) started_by_script: &'static [&'static str],
}
