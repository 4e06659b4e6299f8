//! Reads records files for `report` and `run --resume`, and refuses those that contradict
//! themselves.
//!
//! One file holds one run: a header, checks, an end. A file merged from several runs has all
//! headers first, and one end. Derived values in the file are not trusted: outcomes and counts are
//! recomputed from rows, totals from checks.

use std::borrow::Cow;

use anyhow::{Context, bail};
use layoutproof_core::check::audit::{audit, audit_without_rows};
use layoutproof_events::summary;
use layoutproof_events::{CheckRecord, Event, RecordsFilter, RunEnd, RunHeader};
use layoutproof_report::json_lines::{self, NumberedLine};

use crate::compression::{FrameTexts, UnpackLimits};

#[derive(Debug, Default)]
pub struct RecordedRuns {
    /// One run; several if the file was merged from several runs.
    pub runs: Vec<RunHeader>,
    pub checks: Vec<CheckRecord>,
    /// The totals; `None` if the run was cut short.
    pub end: Option<RunEnd>,
}

/// Parses records. The last line may be torn, if the run was killed while writing.
///
/// # Errors
/// A line is not a record or contradicts the lines before it; the message has its number.
pub fn read(name: &str, bytes: &[u8]) -> anyhow::Result<RecordedRuns> {
    let mut recorded = RecordedRuns::default();
    let mut totals = RunEnd::default();
    let (mut before, mut unfinished) = (0, Vec::new());
    for text in FrameTexts::new(bytes, UnpackLimits::default()) {
        let text = text.with_context(|| format!("reading {name}"))?;
        // Another program may end a frame within a line.
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let (whole, rest) = text.split_at(end);
        let lines = if unfinished.is_empty() { Cow::Borrowed(whole) } else { [&unfinished[..], whole].concat().into() };
        if end > 0 {
            before += recorded.add(name, &String::from_utf8_lossy(&lines), before, &mut totals)?;
            unfinished.clear();
        }
        unfinished.extend_from_slice(rest);
    }
    // A torn line may end within a character.
    let last = String::from_utf8_lossy(&unfinished);
    recorded.add(name, json_lines::without_torn_line(&last), before, &mut totals)?;
    Ok(recorded)
}

impl RecordedRuns {
    /// Adds the records of these lines, which come after `before` others. Returns the number of lines.
    fn add(&mut self, name: &str, text: &str, before: usize, totals: &mut RunEnd) -> anyhow::Result<usize> {
        for line in json_lines::lines(text, before) {
            let NumberedLine { number, event } = line.with_context(|| name.to_owned())?;
            if let Some(sentence) = self.refusal(&event, totals) {
                bail!("{name}: line {number}: {sentence}");
            }
            match event {
                Event::RunStarted(run) => self.runs.push(run.into_owned()),
                Event::CheckFinished(check) => {
                    summary::add(totals, &check);
                    self.checks.push(check.into_owned());
                }
                Event::RunFinished(end) => self.end = Some(end.into_owned()),
            }
        }
        Ok(text.lines().count())
    }

    /// The reason why a line cannot follow those before it. `totals` are the totals of the checks
    /// so far.
    fn refusal(&self, event: &Event<'_>, totals: &RunEnd) -> Option<String> {
        if self.end.is_some() {
            return Some("this line comes after the end of the run; one file holds one run".to_owned());
        }

        match event {
            Event::RunStarted(run)
                if !(self.runs.is_empty() || run.records == self.filter() && run.records.has_every_check()) =>
            {
                Some("a file of several runs holds all checks of each, in the same form".to_owned())
            }
            Event::RunStarted(run) if self.runs.contains(run) => {
                Some("this first line is in the file twice".to_owned())
            }
            Event::RunStarted(_) if !self.checks.is_empty() => {
                let together = "`layoutproof report A B` merges files";
                Some(format!("another run begins before this one has ended; one file holds one run, and {together}"))
            }
            Event::RunStarted(_) => None,
            Event::CheckFinished(_) | Event::RunFinished(_) if self.runs.is_empty() => {
                Some("the first line of a run is missing".to_owned())
            }
            Event::CheckFinished(check) => {
                let sentence = self.unknown_device(check).or_else(|| self.contradiction(check));
                let sentence = sentence.or_else(|| self.not_held(check));
                sentence.map(|sentence| format!("`{}` contradicts itself: {sentence}", check.id))
            }
            Event::RunFinished(end) if !end.left_out.is_empty() && self.filter().has_every_check() => {
                Some("the end has totals of checks that are left out, but the first line says that none is".to_owned())
            }
            Event::RunFinished(end) if !end.cells.is_empty() && self.filter().is_full() => {
                Some("the end has counts of rows that are left out, but the first line says that none is".to_owned())
            }
            Event::RunFinished(end) => wrong_total(end, &with_left_out(totals, end)),
        }
    }

    /// The checks that the file holds.
    pub fn filter(&self) -> RecordsFilter {
        self.runs.first().map(|run| run.records).unwrap_or_default()
    }

    fn not_held(&self, check: &CheckRecord) -> Option<String> {
        let what = match check.kept_by(self.filter()) {
            None => "checks",
            Some(Cow::Owned(_)) => "rows",
            Some(Cow::Borrowed(_)) => return None,
        };
        Some(format!("the first line says that such {what} are left out"))
    }

    fn contradiction(&self, check: &CheckRecord) -> Option<String> {
        let is_short = self.filter() == RecordsFilter::Outcomes && !check.needs_rows();
        let audited = if is_short { audit_without_rows(check) } else { audit(check) };
        audited.err().map(|error| error.to_string())
    }

    fn unknown_device(&self, check: &CheckRecord) -> Option<String> {
        let mut devices = self.runs.iter().flat_map(|run| &run.devices);
        let is_known = check.id.device.is_none() || devices.any(|device| check.id.is_on(device));
        (!is_known).then(|| "the first line does not list its device".to_owned())
    }
}

/// The totals of a file's checks and of those that its end reports as left out.
fn with_left_out(totals: &RunEnd, end: &RunEnd) -> RunEnd {
    let mut all = totals.clone();
    for group in &end.left_out {
        summary::add_left_out(&mut all, group);
    }
    all
}

/// The first total that does not match the checks.
fn wrong_total(said: &RunEnd, found: &RunEnd) -> Option<String> {
    let numbers = |end: &RunEnd| {
        let RunEnd {
            checks, agree, differ, known, untried, stale, skipped, not_applicable, broken, flaky, leaves, ..
        } = end;
        [
            ("checks", *checks),
            ("agree", *agree),
            ("differ", *differ),
            ("known", *known),
            ("untried", *untried),
            ("stale", *stale),
            ("skipped", *skipped),
            ("not_applicable", *not_applicable),
            ("broken", *broken),
            ("flaky", *flaky),
            ("leaves", *leaves),
        ]
    };

    let numbers = numbers(said).into_iter().zip(numbers(found));
    let mut wrong = numbers.filter(|((_, said), (_, found))| said != found);
    let of_numbers = wrong.next().map(|((total, said), (_, found))| format!("`{total}` is {said}, not {found}"));
    let of_devices = || (said.devices != found.devices).then(|| "`devices` differ".to_owned());
    let of_proofs = || (said.proves != found.proves).then(|| "`proves` has other counts".to_owned());
    let of_resources = || (said.bound != found.bound).then(|| "`bound` has other counts".to_owned());

    let sentence = of_numbers.or_else(of_devices).or_else(of_proofs).or_else(of_resources)?;
    Some(format!("the totals do not match the checks: {sentence}"))
}
