//! Shows progress: a bar on a terminal, elsewhere a line on standard error when nothing was printed for a while.
//!
//! Worker threads report through [`Watcher`]. The first line comes when the checks begin. Then someone who checks a file sees
//! a line every second or two; a run of the cases, whose logs are kept, prints one every half minute.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use layoutproof_core::input::plain_text::escape_controls;
use layoutproof_core::report::counted;
use layoutproof_executor::watch::Watcher;

use crate::output::warn;

/// Longest silence of a run of a user's file: less than two seconds, also on a busy machine.
const OF_FILES: Duration = Duration::from_millis(1_500);

/// Longest silence of a run of cases.
const OF_CASES: Duration = Duration::from_secs(30);

/// One check in so many has to be done before anything is said of the time that is left.
const FIRST_SHARE: usize = 50;

/// Pause between two looks at the clock.
const LOOK: Duration = Duration::from_millis(100);

/// The phase before any other.
const BEGINNING: &str = "reading the arguments";

/// Who waits for the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Somebody's file: somebody waits for it.
    File,
    /// Cases.
    Cases,
}

/// The progress of a command. Clones share their state; the default prints nothing.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bar: ProgressBar,
    /// True if lines are printed where no bar is drawn.
    is_told: AtomicBool,
    started: Instant,
    state: Mutex<ProgressState>,
}

#[derive(Debug)]
struct ProgressState {
    /// The phase before or after the checks; empty while checks run.
    phase: String,
    /// Checks that have ended, and all.
    done: usize,
    all: usize,
    /// The last that was begun or ended.
    place: String,
    /// Checks that failed and are not known.
    failures: usize,
    /// When the first checks began.
    checks_began: Option<Instant>,
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
    /// Starts to show progress: a bar is there at once.
    pub(crate) fn begin(audience: Audience) -> Self {
        let progress = Self::with_bar(ProgressBar::with_draw_target(None, target()));
        progress.0.bar.set_style(style("   Running {elapsed}  {prefix}{wide_msg}"));
        progress.0.bar.set_message(BEGINNING);
        if progress.0.bar.is_hidden() {
            let silence = match audience {
                Audience::File => OF_FILES,
                Audience::Cases => OF_CASES,
            };
            progress.0.is_told.store(true, Ordering::Relaxed);
            let shared = Arc::downgrade(&progress.0);
            std::thread::spawn(move || tell(&shared, silence));
        } else {
            progress.0.bar.enable_steady_tick(LOOK);
        }
        progress
    }

    fn with_bar(bar: ProgressBar) -> Self {
        let now = Instant::now();
        let (phase, place) = (BEGINNING.to_owned(), String::new());
        let (done, all, failures) = (0, 0, 0);
        let state = ProgressState { phase, done, all, place, failures, checks_began: None, said: now, ended: false };
        let state = Mutex::new(state);
        Self(Arc::new(Shared { bar, is_told: AtomicBool::new(false), started: now, state }))
    }

    /// There will be `all` checks.
    pub(crate) fn expect(&self, all: usize) {
        self.0.state().all = all;
        self.0.bar.set_length(all as u64);
        self.0.bar.set_position(0);
    }

    /// Begins checks, the first of a run or those behind another phase.
    pub(crate) fn checks(&self) {
        let mut state = self.0.state();
        state.phase.clear();
        self.0.bar.set_style(style(OF_CHECKS));
        if state.checks_began.is_some() {
            return;
        }
        state.checks_began = Some(Instant::now());
        if self.0.is_told.load(Ordering::Relaxed) {
            let checks = counted(state.all as u64, "check");
            warn(&format!("   Running {checks}, {} s\n", self.0.started.elapsed().as_secs()));
            state.said = Instant::now();
        }
    }

    /// Counts a check that has ended.
    pub(crate) fn check_ended(&self) {
        self.0.state().done += 1;
        self.0.bar.inc(1);
    }

    /// Shows how many checks have failed so far.
    pub(crate) fn failed(&self, failures: usize) {
        self.0.state().failures = failures;
        self.0.bar.set_prefix(format!("{failures} failed  "));
    }

    /// Prints lines at once.
    pub(crate) fn say(&self, lines: &str) {
        self.pause(|| warn(lines));
    }

    /// Runs `print` with the bar out of its way.
    pub(crate) fn pause(&self, print: impl FnOnce()) {
        let mut state = self.0.state();
        self.0.bar.suspend(print);
        state.said = Instant::now();
    }

    /// Stops: the report follows.
    pub(crate) fn end(&self) {
        self.0.state().ended = true;
        self.0.bar.finish_and_clear();
    }
}

impl Watcher for Progress {
    fn phase(&self, phase: &str) {
        let mut state = self.0.state();
        phase.clone_into(&mut state.phase);
        self.0.bar.set_style(style("   Running {elapsed}  {prefix}{wide_msg}"));
        self.0.bar.set_message(escape_controls(phase).into_owned());
    }

    fn at(&self, place: &str) {
        place.clone_into(&mut self.0.state().place);
        self.0.bar.set_message(escape_controls(place).into_owned());
    }

    fn accessed(&self, _: usize) {}
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line of now.
    fn line(&self, state: &ProgressState) -> String {
        let ProgressState { phase, done, all, place, failures, .. } = state;
        let seconds = self.started.elapsed().as_secs();
        if phase.is_empty() {
            let failed = if *failures > 0 { format!("{failures} failed  ") } else { String::new() };
            let left = state.seconds_left().map(|left| format!(", about {left} s left")).unwrap_or_default();
            format!("   Running {done}/{all}  {failed}{place}{left}, {seconds} s\n")
        } else {
            format!("   Running {phase}, {seconds} s\n")
        }
    }
}

impl ProgressState {
    /// How long the rest will take if it goes on as it did; `None` where nothing can be said yet.
    fn seconds_left(&self) -> Option<u64> {
        let rest = self.all.checked_sub(self.done)?;
        if self.done == 0 || self.done * FIRST_SHARE < self.all {
            return None;
        }
        let rest = f64::from(u32::try_from(rest).ok()?) / f64::from(u32::try_from(self.done).ok()?);
        Some(self.checks_began?.elapsed().mul_f64(rest).as_secs())
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

        // Nobody waits for this thread while it sleeps, neither for the lock nor for the end.
        drop(state);
        drop(shared);
        std::thread::sleep(LOOK);
    }
}

/// The last part is cut where the line is full.
const OF_CHECKS: &str = "   Running {human_pos}/{human_len}  {bar:16}  {elapsed}, {eta} left  {prefix}{wide_msg}";

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
        progress.expect(12);
        progress.checks();
        progress.at("lavapipe/ash  a.hlsl");
        progress.check_ended();
        assert_eq!(line(), "   Running 1/12  lavapipe/ash  a.hlsl, about 0 s left, 0 s\n");
        progress.failed(2);
        assert_eq!(line(), "   Running 1/12  2 failed  lavapipe/ash  a.hlsl, about 0 s left, 0 s\n");
    }
}
