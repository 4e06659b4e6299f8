//! What a command is doing, for people who wait: a bar on a terminal, elsewhere a line on standard error whenever nothing
//! was said for a while.
//!
//! Threads say what they are at; nobody has to ask. A file of a user that takes its time is told of every second or so, a
//! run of the cases, whose logs are kept, every half minute.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use layoutproof_core::input::plain_text::escape_controls;
use layoutproof_executor::watch::Watcher;

use crate::output::warn;

/// How long a run of somebody's file says nothing at most: less than two seconds, also on a busy machine.
const OF_FILES: Duration = Duration::from_millis(1_500);

/// The same of a run of cases.
const OF_CASES: Duration = Duration::from_secs(30);

/// How often it is looked whether something is to be said.
const LOOK: Duration = Duration::from_millis(100);

/// What the command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Somebody's file: somebody waits for it.
    File,
    /// Cases.
    Cases,
}

/// What a command is doing. All clones are one; the default says nothing.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bar: ProgressBar,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What is done before and after the checks; empty while they are carried out.
    phase: String,
    /// Checks that have ended, and all.
    done: usize,
    all: usize,
    /// The last that was begun or ended.
    place: String,
    /// When a line was printed last.
    said: Instant,
    ended: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self::with_bar(ProgressBar::hidden())
    }
}

impl Progress {
    /// Begins to tell.
    pub(crate) fn begin(audience: Audience) -> Self {
        let progress = Self::with_bar(ProgressBar::with_draw_target(None, target()));
        if progress.0.bar.is_hidden() {
            let silence = match audience {
                Audience::File => OF_FILES,
                Audience::Cases => OF_CASES,
            };
            let shared = Arc::downgrade(&progress.0);
            std::thread::spawn(move || tell(&shared, silence));
        } else {
            progress.0.bar.enable_steady_tick(LOOK);
        }
        progress
    }

    fn with_bar(bar: ProgressBar) -> Self {
        let now = Instant::now();
        let (phase, place) = (String::new(), String::new());
        let state = Mutex::new(State { phase, done: 0, all: 0, place, said: now, ended: false });
        Self(Arc::new(Shared { bar, started: now, state }))
    }

    /// Says that this many checks are carried out now.
    pub(crate) fn checks(&self, all: usize) {
        let mut state = self.0.state();
        state.phase.clear();
        (state.done, state.all) = (0, all);
        self.0.bar.set_style(style(OF_CHECKS));
        self.0.bar.set_length(all as u64);
        self.0.bar.set_position(0);
    }

    /// Says that a check has ended.
    pub(crate) fn check_ended(&self) {
        self.0.state().done += 1;
        self.0.bar.inc(1);
    }

    /// Prints lines at once.
    pub(crate) fn say(&self, lines: &str) {
        self.pause(|| warn(lines));
    }

    /// Does what prints something, without a bar in its way.
    pub(crate) fn pause(&self, print: impl FnOnce()) {
        let mut state = self.0.state();
        self.0.bar.suspend(print);
        state.said = Instant::now();
    }

    /// Says no more: what follows is the report.
    pub(crate) fn end(&self) {
        self.0.state().ended = true;
        self.0.bar.finish_and_clear();
    }
}

impl Watcher for Progress {
    fn phase(&self, phase: &str) {
        let mut state = self.0.state();
        phase.clone_into(&mut state.phase);
        self.0.bar.set_style(style("   Running {msg}, {elapsed}"));
        self.0.bar.set_message(escape_controls(phase).into_owned());
    }

    fn at(&self, place: &str) {
        place.clone_into(&mut self.0.state().place);
        self.0.bar.set_message(escape_controls(place).into_owned());
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line of now.
    fn line(&self, state: &State) -> String {
        let State { phase, done, all, place, .. } = state;
        let seconds = self.started.elapsed().as_secs();
        if phase.is_empty() {
            format!("   Running {done}/{all}  {place}, {seconds} s\n")
        } else {
            format!("   Running {phase}, {seconds} s\n")
        }
    }
}

/// Prints a line whenever `silence` has passed without one, until the end.
fn tell(shared: &Weak<Shared>, silence: Duration) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.state();
        if state.ended {
            return;
        }
        if state.said.elapsed() >= silence {
            warn(&shared.line(&state));
            state.said = Instant::now();
        }
        drop(state);
        drop(shared);
        std::thread::sleep(LOOK);
    }
}

const OF_CHECKS: &str = "   Running {human_pos}/{human_len}  {bar:20}  {msg}";

/// A bar on a terminal, nothing elsewhere.
pub(crate) fn bar(length: usize) -> ProgressBar {
    ProgressBar::with_draw_target(Some(length as u64), target()).with_style(style(OF_CHECKS))
}

fn target() -> ProgressDrawTarget {
    let hidden = std::env::var_os("CI").is_some();
    if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done() {
        let progress = Progress::default();
        let line = || progress.0.line(&progress.0.state());
        progress.phase("listing devices");
        assert_eq!(line(), "   Running listing devices, 0 s\n");
        progress.checks(12);
        progress.at("lavapipe/ash  a.hlsl");
        progress.check_ended();
        assert_eq!(line(), "   Running 1/12  lavapipe/ash  a.hlsl, 0 s\n");
    }
}
