//! The trait through which a run reports its progress; the command implements it.

use std::fmt;

/// Receives the progress of a run.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// The run enters this phase.
    fn phase(&self, phase: &str);

    /// A worker starts on this place: the name of a device and of a case.
    fn at(&self, place: &str);

    /// A device has read or written this many leaves; each form of access to a leaf counts once.
    fn accessed(&self, accesses: usize);
}

/// Ignores all progress.
#[derive(Debug)]
pub struct SilentWatcher;

impl Watcher for SilentWatcher {
    fn phase(&self, _: &str) {}

    fn at(&self, _: &str) {}

    fn accessed(&self, _: usize) {}
}
