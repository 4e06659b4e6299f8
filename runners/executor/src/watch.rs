//! Whoever shows the user what a run is doing.

use std::fmt;

/// Hears what a run is doing.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// The run has come to this phase.
    fn phase(&self, phase: &str);

    /// A worker starts on this, the name of a device and a case.
    fn at(&self, place: &str);
}

/// Tells nobody.
#[derive(Debug)]
pub struct Silent;

impl Watcher for Silent {
    fn phase(&self, _: &str) {}

    fn at(&self, _: &str) {}
}
