//! Shows progress: a bar on a terminal, otherwise a line on standard error after a period of
//! silence.
//!
//! Worker threads report through [`Watcher`]. The first line comes when the checks begin. After
//! that, a user who checks a file sees a line every second or two; a run of the cases, whose logs
//! are kept, prints one every half minute.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use layoutproof_executor::watch::Watcher;
use layoutproof_show::counted;
use layoutproof_source::plain_text::escape_controls;

use crate::output::warn;
use crate::step_events;

/// Longest silence while checking a user's file. A line comes within two seconds, even on a busy
/// machine.
const OF_FILES: Duration = Duration::from_millis(1_500);

/// Longest silence while checking cases.
const OF_CASES: Duration = Duration::from_secs(30);

/// One check in 50 has to end before a line estimates the remaining time.
const FIRST_SHARE: usize = 50;

/// How often the thread that prints lines checks the clock.
const LOOK: Duration = Duration::from_millis(100);

/// The first phase.
const BEGINNING: &str = "reading the arguments";

/// What the command checks, which decides how often it prints a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A user's file; the user waits for the result.
    File,
    /// Cases; their logs are kept.
    Cases,
}

impl Audience {
    pub(crate) fn silence(self) -> Duration {
        match self {
            Self::File => OF_FILES,
            Self::Cases => OF_CASES,
        }
    }
}

/// The progress of a command. Clones share their state; the default prints nothing.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bar: ProgressBar,
    /// True if lines are printed because no bar is drawn.
    is_told: AtomicBool,
    started: Instant,
    state: Mutex<ProgressState>,
}

#[derive(Debug)]
struct ProgressState {
    /// The phase before or after the checks; empty during the checks.
    phase: String,
    /// Number of checks that have ended; `all` is the number of all checks.
    done: usize,
    all: usize,
    /// The device and case that was begun or ended last.
    place: String,
    /// Checks that failed and are not on a list of known failures.
    failures: usize,
    checks_began: Option<Instant>,
    /// When the last line was printed.
    said: Instant,
    ended: bool,
}

/// A bar that counts the parts of a command that runs no checks. Drawn on a terminal only.
pub(crate) fn counting(what: String, parts: usize) -> ProgressBar {
    let bar = ProgressBar::new(parts as u64).with_message(what);
    let style = ProgressStyle::with_template("{msg} {pos}/{len} {wide_bar} {eta}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

impl Default for Progress {
    fn default() -> Self {
        Self::with_bar(ProgressBar::hidden())
    }
}

impl Progress {
    /// Starts to show progress. On a terminal the bar appears at once; elsewhere, a line comes after each such silence.
    pub(crate) fn begin(silence: Duration) -> Self {
        let progress = Self::with_bar(ProgressBar::with_draw_target(None, target()));
        progress.0.bar.set_style(style("   Running {elapsed}  {prefix}{wide_msg}"));
        progress.0.bar.set_message(BEGINNING);
        if progress.0.bar.is_hidden() {
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

    pub(crate) fn expect(&self, all: usize) {
        self.0.state().all = all;
        self.0.bar.set_length(all as u64);
        self.0.bar.set_position(0);
    }

    /// Starts the checks of a run, or resumes them after another phase.
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
            show(&format!("{checks}, {} s", self.0.started.elapsed().as_secs()));
            state.said = Instant::now();
        }
    }

    pub(crate) fn check_ended(&self) {
        self.0.state().done += 1;
        self.0.bar.inc(1);
    }

    pub(crate) fn failed(&self, failures: usize) {
        self.0.state().failures = failures;
        self.0.bar.set_prefix(format!("{failures} failed  "));
    }

    /// Prints lines immediately.
    pub(crate) fn say(&self, lines: &str) {
        self.pause(|| warn(lines));
    }

    /// Hides the bar while `print` runs.
    pub(crate) fn pause(&self, print: impl FnOnce()) {
        let mut state = self.0.state();
        self.0.bar.suspend(print);
        state.said = Instant::now();
    }

    /// Stops showing progress, because the report follows.
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

    fn line(&self, state: &ProgressState) -> String {
        let ProgressState { phase, done, all, place, failures, .. } = state;
        let seconds = self.started.elapsed().as_secs();
        if phase.is_empty() {
            let failed = if *failures > 0 { format!("{failures} failed  ") } else { String::new() };
            let left = state.seconds_left().map(|left| format!(", about {left} s left")).unwrap_or_default();
            format!("{done}/{all}  {failed}{place}{left}, {seconds} s")
        } else {
            format!("{phase}, {seconds} s")
        }
    }
}

impl ProgressState {
    /// Remaining time, estimated from the time per check so far; `None` while too few checks have
    /// ended.
    fn seconds_left(&self) -> Option<u64> {
        let rest = self.all.checked_sub(self.done)?;
        if self.done == 0 || self.done * FIRST_SHARE < self.all {
            return None;
        }
        let rest = f64::from(u32::try_from(rest).ok()?) / f64::from(u32::try_from(self.done).ok()?);
        Some(self.checks_began?.elapsed().mul_f64(rest).as_secs())
    }
}

/// Prints the progress, or reports it to the process that started this step.
fn show(line: &str) {
    if !step_events::progress(line) {
        warn(&format!("   Running {line}\n"));
    }
}

/// Prints a line whenever none was printed for `silence`, until the end.
fn tell(shared: &Weak<Shared>, silence: Duration) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.state();
        if state.ended {
            return;
        }
        if state.said.elapsed() >= silence {
            show(&shared.line(&state));
            state.said = Instant::now();
        }

        // Hold neither the lock nor the progress itself while sleeping.
        drop(state);
        drop(shared);
        std::thread::sleep(LOOK);
    }
}

/// The bar's template; indicatif cuts the message at the end of the line.
const OF_CHECKS: &str = "   Running {human_pos}/{human_len}  {bar:16}  {elapsed}, {eta} left  {prefix}{wide_msg}";

/// A bar on a terminal; hidden elsewhere.
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
        assert_eq!(line(), "listing devices, 0 s");
        progress.expect(12);
        progress.checks();
        progress.at("lavapipe/ash  a.hlsl");
        progress.check_ended();
        assert_eq!(line(), "1/12  lavapipe/ash  a.hlsl, about 0 s left, 0 s");
        progress.failed(2);
        assert_eq!(line(), "1/12  2 failed  lavapipe/ash  a.hlsl, about 0 s left, 0 s");
    }
}
