//! The error of a command that has nothing to run, or that lacks something which the user requires.

use layoutproof_events::summary::Exit;
use thiserror::Error;

/// Why a command ends before its first check, with its exit code.
#[derive(Debug, Error)]
#[error("{reason}")]
pub(crate) struct NotStarted {
    pub reason: String,
    pub exit: Exit,
}
