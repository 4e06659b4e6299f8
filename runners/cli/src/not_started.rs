//! The error of a command that has nothing to run, or that lacks something which the user requires.

use std::fmt;

use layoutproof_core::results::summary::Exit;

/// Why a command ends before its first check, with its exit code.
#[derive(Debug)]
pub(crate) struct NotStarted {
    pub reason: String,
    pub exit: Exit,
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotStarted {}
