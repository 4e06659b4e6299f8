//! The one line that says how a run ended, for the terminal and for a job's summary.
//!
//! It says `ok` only if the exit code is 0. How many checks differ or broke comes before how many
//! agree; what could not be checked is a number in brackets.

use std::collections::BTreeSet;

use layoutproof_device::{Provider, RunnerKind};
use layoutproof_events::producer::Producer;
use layoutproof_events::summary::proves_nothing;
use layoutproof_events::{CheckDevice, ShaderMaker};
use layoutproof_events::{OutcomeKind, RunEnd};
use layoutproof_show::style::{Style, Tone, counted, grouped, one_line};

use crate::faults;
use crate::reporter::FinishedRun;

/// How a run ended, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Headline {
    /// `ok`, `FAIL` ...
    pub lead: &'static str,
    pub tone: Tone,
    /// `13,629 checks agree on 4 devices and 7 compilers`.
    pub sentence: String,
    /// `728 known bugs, 1,241 skipped`; empty if there are none.
    pub others: String,
}

impl Headline {
    pub(crate) fn of(run: &FinishedRun<'_>) -> Self {
        let end = run.end;
        if end.checks == 0 && end.not_done == 0 {
            // A driver lays out some blocks of GLSL: it was asked, and no check can compare its answer.
            if let Some(account) =
                end.account.as_ref().filter(|account| account.is_complete() && account.counts().is_some())
            {
                let sentence = format!("{}, by the layouts of their drivers", account.sentence());
                return Self { lead: "ok", tone: Tone::Agree, sentence, others: String::new() };
            }
            let why = end.account.iter().flat_map(|account| account.gaps()).chain(run.lacks.iter().cloned());
            let why: Vec<String> = why.collect();
            let why = if why.is_empty() { String::new() } else { format!(": {}", why.join("; ")) };
            let sentence = one_line(&format!("nothing was checked{why}"));
            return Self { lead: "FAIL", tone: Tone::Disagree, sentence, others: String::new() };
        }

        let why = if end.fail_fast { "stopped at the first failure" } else { "interrupted" };
        let cut = (end.not_done > 0).then(|| format!("{why}: {} not done", counted(end.not_done.into(), "check")));
        let listings = end.failed_listings.len() as u64;
        let lacking = (listings > 0).then(|| format!("{} failed", counted(listings, "device listing")));
        let bad = bad(end);
        let gaps = end.account.as_ref().map(|account| account.gaps()).unwrap_or_default();
        let is_short = cut.is_some() || lacking.is_some() || !run.lacks.is_empty() || !gaps.is_empty();
        let (lead, tone) = match (bad.is_some(), is_short) {
            (true, _) => ("FAIL", Tone::Disagree),
            (false, true) => ("incomplete", Tone::Disagree),
            (false, false) if proves_nothing(end) => ("nothing proved", Tone::Skip),
            (false, false) => ("ok", Tone::Agree),
        };

        let only_known = end.agree == 0 && end.known > 0;
        let agreed = if only_known {
            let differ = if end.known == 1 { "differs" } else { "differ" };
            format!("{} {differ} by known bugs only", counted(end.known.into(), "check"))
        } else {
            let agree = if end.agree == 1 { "agrees" } else { "agree" };
            format!("{} {agree}{}", counted(end.agree.into(), "check"), participants(run))
        };
        let agreed = match end.account.as_ref().and_then(|account| account.counts()) {
            Some(counts) if gaps.is_empty() => format!("{counts}, {agreed}"),
            Some(counts) => [counts].into_iter().chain(gaps).chain([agreed]).collect::<Vec<_>>().join("; "),
            None => gaps.into_iter().chain([agreed]).collect::<Vec<_>>().join("; "),
        };
        let parts = [cut, lacking, bad, Some(agreed)];
        let sentence = one_line(&parts.into_iter().flatten().collect::<Vec<_>>().join("; "));

        let known = (end.known > 0 && !only_known).then(|| counted(end.known.into(), "known bug"));
        let skipped = (end.skipped > 0).then(|| format!("{} skipped", grouped(end.skipped.into())));
        let others = known.into_iter().chain(skipped).collect::<Vec<_>>().join(", ");
        Self { lead, tone, sentence, others }
    }

    /// `FAIL: 1 differs; 2 checks agree on 1 device (1 known bug)`.
    pub(crate) fn sentence_with_lead(&self) -> String {
        let others = if self.others.is_empty() { String::new() } else { format!(" ({})", self.others) };
        format!("{}: {}{others}", self.lead, self.sentence)
    }

    /// `ok   2 checks agree on 1 device (1 known bug: -v)   1.2 s`.
    pub(crate) fn line(&self, run: &FinishedRun<'_>, is_detailed: bool, style: Style) -> String {
        let more = if is_detailed { "" } else { ": -v" };
        let others = if self.others.is_empty() { String::new() } else { format!(" ({}{more})", self.others) };
        let time = run.time.map(|time| format!("   {:.1} s", time.as_secs_f64())).unwrap_or_default();
        format!("{}   {}{others}{time}\n", style.paint(self.tone, self.lead), self.sentence)
    }
}

/// `3 differ, 1 known bug gone`; `None` if nothing failed.
fn bad(end: &RunEnd) -> Option<String> {
    let part = |count: u32, word: &str| (count > 0).then(|| format!("{} {word}", grouped(count.into())));
    let differ = if end.differ == 1 { "differs" } else { "differ" };
    let parts = [
        part(end.differ, differ),
        part(end.stale, if end.stale == 1 { "known bug gone" } else { "known bugs gone" }),
        part(end.broken, "broken"),
    ];
    let absorbed = if end.has_too_many_restarts() { faults::absorbed(end) } else { None };
    let parts: Vec<String> = parts.into_iter().chain([absorbed, faults::changed_answers(end)]).flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// ` on 4 devices and 7 compilers`: the devices and compilers of the checks that agree.
fn participants(run: &FinishedRun<'_>) -> String {
    let agreeing = run.checks.iter().filter(|check| check.outcome.kind() == OutcomeKind::Agree);
    let recorded = agreeing.map(|check| (check.id.device.as_ref(), &check.id.producer));
    let left_out = run.end.left_out.iter().filter(|group| group.outcome == OutcomeKind::Agree);
    let left_out = left_out.map(|group| (group.device.as_ref(), &group.producer));
    let pairs: Vec<(Option<&CheckDevice>, &ShaderMaker)> = recorded.chain(left_out).collect();

    let devices = pairs.iter().filter_map(|(device, _)| *device);
    let driven = devices.clone().filter(|device| device.runner.provider() == Provider::Driver);
    let driven: BTreeSet<&str> = driven.map(|device| device.id.as_str()).collect();
    let compilers: BTreeSet<&str> = pairs.iter().filter_map(|(_, producer)| compiler(producer)).collect();

    let compilers = counted_unless_none(compilers.len(), "compiler");
    match (counted_unless_none(driven.len(), "device"), compilers) {
        (Some(devices), Some(compilers)) => format!(" on {devices} and {compilers}"),
        (Some(devices), None) => format!(" on {devices}"),
        (None, Some(compilers)) => format!(" with {compilers}"),
        (None, None) if devices.clone().any(|device| device.runner == RunnerKind::Model) => {
            " on the CPU model".to_owned()
        }
        (None, None) => String::new(),
    }
}

fn compiler(producer: &ShaderMaker) -> Option<&'static str> {
    match producer.producer()? {
        Producer::Compiler(toolchain) => Some(toolchain.compiler),
        Producer::Generator(_) => None,
    }
}

fn counted_unless_none(number: usize, noun: &str) -> Option<String> {
    (number > 0).then(|| counted(number as u64, noun))
}
