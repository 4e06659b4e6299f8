//! Ctrl-C: the first one stops a run in good order, the second one at once.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use crate::output::warn;

/// The exit code of a process that Ctrl-C ended at once: 128 and the number of SIGINT, as shells say it.
const ENDED_AT_ONCE: i32 = 130;

/// Whether the user wants an end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C from now on.
    ///
    /// # Errors
    /// If the system allows no handler.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let set = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if set.swap(true, Ordering::Relaxed) {
                end_at_once();
            }
            warn("\nnote: interrupted: a report of what is done follows; once more ends at once\n");
        })
        .context("listening for Ctrl-C")?;
        Ok(interrupt)
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Takes Ctrl-C for nothing: a terminal sends it to every process of the run, and the one that the user started decides.
///
/// # Errors
/// If the system allows no handler.
pub(crate) fn leave_to_the_parent() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {})
}

#[expect(clippy::exit, reason = "the user has asked twice, and every thread may be waiting for something")]
fn end_at_once() {
    process::exit(ENDED_AT_ONCE);
}
