//! Handles Ctrl-C and the other requests to end a process. The first request ends a run in good
//! order, the second one ends it at once.
//!
//! On Unix these are SIGINT, SIGTERM and SIGHUP, the last unless the process started with it
//! ignored (`nohup`). On Windows they are Ctrl-C and the closing of the console.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use layoutproof_compilers::child::end_all;
use layoutproof_compilers::scratch::remove_scratch_folders;

/// Added to a signal's number in the exit code of a process that the signal ended, as shells do.
const SIGNALLED: i32 = 128;

/// A flag that is set once the user asks the process to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen. Calls `tell` at the first request, on a separate thread.
    pub fn listen(tell: impl Fn() + Send + 'static) -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let set = Arc::clone(&interrupt.0);
        on_request_to_end(move |signal| {
            if set.swap(true, Ordering::Relaxed) {
                end_at_once(signal);
            }
            end_all();
            tell();
        })?;
        Ok(interrupt)
    }

    /// Requests an end, as the user can.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once an end was requested.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends this process at the first request, as it would end without a handler, but removes its
/// temporary folders first. For commands that have nothing to report about half of their work.
pub fn end_without_traces() -> anyhow::Result<()> {
    on_request_to_end(end_at_once)
}

/// Ignores requests to end. A terminal sends them to every process of the run, and the process that
/// the user started decides.
pub fn leave_to_the_parent() -> anyhow::Result<()> {
    on_request_to_end(|_| {})
}

/// Calls `handler` with the number of each signal that requests an end, on a separate thread.
#[cfg(unix)]
fn on_request_to_end(handler: impl FnMut(i32) + Send + 'static) -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let hangup = (!is_hangup_ignored()).then_some(SIGHUP);
    let mut signals =
        Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)).context("listening for signals to end")?;
    std::thread::spawn(move || signals.forever().for_each(handler));
    Ok(())
}

#[cfg(not(unix))]
fn on_request_to_end(mut handler: impl FnMut(i32) + Send + 'static) -> anyhow::Result<()> {
    /// The signal's number on every system that has signals.
    const SIGINT: i32 = 2;
    ctrlc::set_handler(move || handler(SIGINT)).context("listening for Ctrl-C")
}

/// True if SIGHUP was ignored when this process started, as under `nohup`. Only Linux reports this.
///
/// Source: proc(5), `SigIgn` of `/proc/pid/status`: a mask in hexadecimal digits, SIGHUP is bit 0.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}

#[expect(clippy::exit, reason = "the user wants it at once, and every thread may be blocked")]
fn end_at_once(signal: i32) {
    remove_scratch_folders();
    process::exit(SIGNALLED + signal);
}
