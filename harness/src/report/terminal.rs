//! The text at the end of a run: the failures, then the summary. Checks that pass are not listed.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_layout::DECLARED;

use super::failure::block::{block, check_heading, heading};
use super::failure::group::{failures, place};
use super::style::{Style, TextLines, Tone, counted, grouped, one_line, pad, width};
use crate::results::record::{CheckRecord, Outcome, Proves, RunEnd};

/// Failures that are shown in full.
const FULL_BLOCKS: usize = 10;
/// Failures after those that get one line each.
const HEADINGS: usize = 20;
/// Columns after which a list of reasons goes on in the next line.
const LIST_COLUMNS: usize = 100;
/// Columns before the text of a summary line: the verb and a space.
const INDENT: usize = 11;

/// The facts that the summary is made of.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// Devices, through each API.
    pub devices: &'a [DeviceInfo],
    /// All checks.
    pub checks: &'a [CheckRecord],
    /// Their totals.
    pub end: &'a RunEnd,
    /// Wall time in seconds; `None` where records are shown later.
    pub seconds: Option<f64>,
}

/// The distinct failures: ten in full, twenty more as one line each, the rest as a number with the file that has them.
pub fn failure_report(checks: &[CheckRecord], records_file: &str, style: Style) -> String {
    let failures = failures(checks);
    let mut text = TextLines::default();
    for failure in failures.iter().take(FULL_BLOCKS) {
        text.append(&block(failure, style));
        text.push("");
    }

    for failure in failures.iter().skip(FULL_BLOCKS).take(HEADINGS) {
        text.push(&heading(failure, style));
    }
    let more = failures.len().saturating_sub(FULL_BLOCKS + HEADINGS);
    if more > 0 {
        text.push(&format!("  {} and {} more in {records_file}", style.ellipsis(), grouped(more as u64)));
    }

    text.append(&stale_report(checks, style));
    text.into_text()
}

/// One line per entry of a list of known differences that no longer differs.
fn stale_report(checks: &[CheckRecord], style: Style) -> String {
    let mut places: BTreeMap<String, u64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome == Outcome::Stale) {
        let entry = check.known.as_ref().map(|entry| format!("{}:{}", entry.file, entry.line));
        *places.entry(entry.unwrap_or_else(|| check.case.clone())).or_default() += 1;
    }
    let line = |(place, count): (&String, &u64)| {
        let agree = if *count == 1 { "agrees" } else { "agree" };
        let verb = style.verb(Tone::Disagree, "Stale");
        format!("{verb} {}: {} {agree} now; remove the entry\n", one_line(place), counted(*count, "check"))
    };
    places.iter().map(line).collect()
}

/// One check on one line, for `-v`.
pub fn check_line(check: &CheckRecord, style: Style) -> String {
    let device = place(&one_line(&check.device), check.runner.as_str());
    let heading = check_heading(check, &device, style);

    let entry = check.known.as_ref().map(|entry| format!("{}:{}: {}", entry.file, entry.line, entry.reason));
    let left_out = check.not_checked.join("; ");
    let left_out = (!left_out.is_empty()).then(|| format!("not checked: {left_out}"));
    let reasons: Vec<String> = check.skip_reason.clone().or(entry).into_iter().chain(left_out).collect();
    let reason = if reasons.is_empty() { String::new() } else { format!(": {}", one_line(&reasons.join("; "))) };
    format!("{heading}{reason}\n")
}

/// Devices, cases, skips, what was left out of other checks, known differences, what was proved and the verdict.
pub fn summary(facts: &RunFacts<'_>, style: Style) -> String {
    let end = facts.end;
    let line = |tone: Tone, verb: &str, text: String| format!("{} {text}\n", style.verb(tone, verb));

    let mut text = devices(facts.devices, style);
    text += &line(Tone::Strong, "Cases", cases(facts.checks, end));
    let time = facts.seconds.map(|seconds| format!(" in {seconds:.1} s")).unwrap_or_default();
    let checked = end.checks.saturating_sub(end.skipped);
    text += &line(Tone::Strong, "Checked", format!("{}{time}", grouped(checked.into())));

    let skips = tally(facts.checks.iter().filter(|check| check.outcome == Outcome::Skipped).map(reason));
    if end.skipped > 0 {
        text += &line(Tone::Skip, "Skipped", list(end.skipped, &skips, style));
    }

    let partly = facts.checks.iter().filter(|check| !check.not_checked.is_empty()).count();
    if partly > 0 {
        let left_out = tally(facts.checks.iter().flat_map(kinds_left_out));
        text += &line(Tone::Skip, "Partly", list(u32::try_from(partly).unwrap_or(u32::MAX), &left_out, style));
    }

    let known = facts.checks.iter().filter(|check| check.outcome == Outcome::Known);
    let known = tally(known.map(|check| check.known.as_ref().map_or("no list", |entry| &entry.file)));
    if end.known > 0 {
        text += &line(Tone::Known, "Known", list(end.known, &known, style));
    }

    if end.leaves > 0 {
        text += &line(Tone::Strong, "Leaves", leaves(end));
    }
    if checks_bindings(facts.checks) {
        text += &line(Tone::Strong, "Bound", bound(facts, style));
    }

    let notes = [not_probed(end), only_model(facts.checks), own_offsets(facts.checks), unseen(facts.checks)];
    for sentence in notes.into_iter().flatten() {
        text += &line(Tone::Skip, "Note", sentence);
    }

    let (tone, verdict) = verdict(end);
    text + &line(tone, "Summary", verdict)
}

/// `1 lavapipe   llvmpipe (LLVM 15.0.6), Mesa 22.3.6, Vulkan 1.3.230      via ash, wgpu`.
pub(super) fn devices(devices: &[DeviceInfo], style: Style) -> String {
    let mut by_id: Vec<(&DeviceInfo, Vec<&str>)> = Vec::new();
    for device in devices {
        match by_id.iter_mut().find(|(known, _)| known.id == device.id) {
            Some((_, runners)) => runners.push(device.runner.as_str()),
            None => by_id.push((device, vec![device.runner.as_str()])),
        }
    }
    if by_id.is_empty() {
        return format!("{} none found\n", style.verb(Tone::Disagree, "Devices"));
    }

    let details = |device: &DeviceInfo| {
        let parts = [&device.name, &device.driver, &device.api];
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| one_line(part)).collect::<Vec<_>>().join(", ")
    };
    let id_columns = by_id.iter().map(|(device, _)| width(&device.id)).max().unwrap_or(0);
    let detail_columns = by_id.iter().map(|(device, _)| width(&details(device))).max().unwrap_or(0);

    let line = |(index, (device, runners)): (usize, &(&DeviceInfo, Vec<&str>))| {
        let verb = if index == 0 { style.verb(Tone::Strong, "Devices") } else { " ".repeat(INDENT - 1) };
        let id = pad(&one_line(&device.id), id_columns);
        let detail = pad(&details(device), detail_columns);
        format!("{verb} {} {id}   {detail}   via {}\n", index + 1, runners.join(", "))
    };
    by_id.iter().enumerate().map(line).collect()
}

fn cases(checks: &[CheckRecord], end: &RunEnd) -> String {
    let distinct = |of: fn(&CheckRecord) -> &str| checks.iter().map(of).collect::<BTreeSet<&str>>();
    let producers: Vec<&str> = distinct(|check| &check.producer).into_iter().collect();
    let named = if producers.is_empty() { String::new() } else { format!(" ({})", producers.join(", ")) };
    format!(
        "{}, {}, {}{named}: {}",
        grouped(distinct(|check| &check.case).len() as u64),
        counted(distinct(|check| &check.rules).len() as u64, "rule set"),
        counted(producers.len() as u64, "producer"),
        counted(end.checks.into(), "check"),
    )
}

/// The kind of reason why a check was skipped: what stands before the first colon; details follow it.
fn reason(check: &CheckRecord) -> &str {
    let reason = check.skip_reason.as_deref().unwrap_or("no reason given");
    reason.split(": ").next().unwrap_or(reason)
}

/// The kinds of reasons why parts of a check were left out, each once: what stands before the details.
fn kinds_left_out(check: &CheckRecord) -> BTreeSet<&str> {
    let details = [": ", " ("];
    let ends = |reason: &str| details.iter().filter_map(|start| reason.find(start)).min().unwrap_or(reason.len());
    check.not_checked.iter().map(|reason| &reason[..ends(reason)]).collect()
}

/// Each text with how often it occurs, the most frequent first.
fn tally<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<(&'a str, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// `96   half: device lacks shaderFloat16 (64) · f64 in WGSL: not in the language (32)`, broken where a line is full.
fn list(total: u32, items: &[(&str, u64)], style: Style) -> String {
    let total = pad(&grouped(total.into()), 4);
    let indent = " ".repeat(INDENT + width(&total) + 1);
    let dot = if style.ascii { "; " } else { " · " };
    let mut text = format!("{total} ");
    let mut used = INDENT + width(&text);

    for (index, (item, count)) in items.iter().enumerate() {
        let item = format!("{} ({})", one_line(item), grouped(*count));
        if index > 0 && used + width(dot) + width(&item) > LIST_COLUMNS {
            text = format!("{}\n{indent}", text.trim_end());
            used = width(&indent);
        } else if index > 0 {
            text += dot;
            used += width(dot);
        }
        used += width(&item);
        text += &item;
    }
    text
}

/// `64 answered: 24 at offsets that we wrote, 40 at offsets that a compiler chose`.
fn leaves(end: &RunEnd) -> String {
    let kinds = end.proves.iter().map(|(proves, leaves)| {
        let how = match proves {
            Proves::Decorations => "at offsets that we wrote",
            Proves::Compiler => "at offsets that a compiler chose",
            Proves::Evaluated => "that our evaluators followed in Direct3D's code",
            Proves::Translated => "by Direct3D's code, translated",
            Proves::Native => "by native code on its native API",
        };
        format!("{} {how}", grouped((*leaves).into()))
    });
    format!("{} answered: {}", grouped(end.leaves.into()), kinds.collect::<Vec<_>>().join(", "))
}

fn checks_bindings(checks: &[CheckRecord]) -> bool {
    checks.iter().any(|check| check.bound.is_some())
}

/// `31 resources read back: 16 by lavapipe via ash, 15 by swiftshader via ash; not read: an input attachment (2)`.
fn bound(facts: &RunFacts<'_>, style: Style) -> String {
    let total = facts.end.bound.values().fold(0_u32, |sum, read| sum.saturating_add(*read));
    let devices =
        facts.end.bound.iter().map(|(device, read)| format!("{} by {}", grouped((*read).into()), one_line(device)));
    let devices: Vec<String> = devices.collect();
    let by = if devices.is_empty() { "by no device".to_owned() } else { devices.join(", ") };
    let read = format!("{} read back: {by}", counted(total.into(), "resource"));

    let mut not_read: BTreeMap<&str, u64> = BTreeMap::new();
    let on_devices = facts.checks.iter().filter(|check| check.runner != RunnerKind::Model);
    for (reason, count) in on_devices.filter_map(|check| check.bound.as_ref()).flat_map(|it| &it.not_read) {
        *not_read.entry(reason).or_default() += u64::from(*count);
    }
    if not_read.is_empty() {
        return read;
    }
    let total = u32::try_from(not_read.values().sum::<u64>()).unwrap_or(u32::MAX);
    let reasons: Vec<(&str, u64)> = not_read.into_iter().collect();
    format!("{read}\n{} not read: {}", " ".repeat(INDENT - 1), list(total, &reasons, style))
}

/// A note about the elements of long arrays that were left out.
fn not_probed(end: &RunEnd) -> Option<String> {
    (end.leaves_not_probed > 0).then(|| {
        let leaves = if end.leaves_not_probed == 1 { "leaf was" } else { "leaves were" };
        format!(
            "{} {leaves} not probed: of arrays the first, second, middle and last element were, in every dimension \
             (--every-element: all)",
            grouped(end.leaves_not_probed)
        )
    })
}

/// A warning where only our own model of a device answered.
fn only_model(checks: &[CheckRecord]) -> Option<String> {
    let read = |check: &CheckRecord| check.bound.as_ref().map_or(0, |bound| bound.read);
    let mut answered = checks.iter().filter(|check| check.leaves > 0 || read(check) > 0).peekable();
    let only_model = answered.peek().is_some() && answered.all(|check| check.runner == RunnerKind::Model);
    only_model.then(|| "only the CPU model answered: no device and no driver was asked".to_owned())
}

/// A warning where modules that say their own offsets were checked: their code was not run.
fn own_offsets(checks: &[CheckRecord]) -> Option<String> {
    let ran = checks.iter().filter(|check| check.outcome != Outcome::Skipped && check.rules == DECLARED);
    let modules: BTreeSet<String> = ran.map(|check| one_line(&check.case)).collect();
    let names = modules.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| {
        format!("of {names} the offsets were checked, in shaders that we wrote: the code of the module was not run")
    })
}

/// A warning where cases were checked without any compiler: agreement then proves less.
fn unseen(checks: &[CheckRecord]) -> Option<String> {
    // A check without shaders compares a case's compiler with our rules, and says nothing of devices.
    let of_compiled =
        |check: &&CheckRecord| check.outcome != Outcome::Skipped && check.producer != "none" && check.rules != DECLARED;
    let ran: Vec<&CheckRecord> = checks.iter().filter(of_compiled).collect();
    let all: BTreeSet<&str> = ran.iter().map(|check| check.case.as_str()).collect();
    let by_compiler = ran.iter().filter(|check| check.proves.is_of_compiler());
    let seen: BTreeSet<&str> = by_compiler.map(|check| check.case.as_str()).collect();
    let unseen: Vec<&str> = all.difference(&seen).copied().collect();
    let which = match unseen.as_slice() {
        [] => return None,
        [case] => one_line(case),
        cases if seen.is_empty() => format!("any of the {} cases", grouped(cases.len() as u64)),
        cases => format!("{} of the {} cases", grouped(cases.len() as u64), grouped(all.len() as u64)),
    };
    Some(format!(
        "no compiler saw {which}: agreement shows that devices obey our offsets, not that a compiler would choose them"
    ))
}

fn verdict(end: &RunEnd) -> (Tone, String) {
    let part = |count: u32, text: String| (count > 0).then_some(text);
    let differ = if end.differ == 1 { "differs" } else { "differ" };
    let known = if end.known == 1 { "known difference" } else { "known differences" };
    let bad = [
        part(end.differ, format!("{} {differ}", grouped(end.differ.into()))),
        part(end.stale, format!("{} stale", grouped(end.stale.into()))),
        part(end.broken, format!("{} broken", grouped(end.broken.into()))),
    ];
    let bad: Vec<String> = bad.into_iter().flatten().collect();

    let agree = if end.agree == 1 { "agrees" } else { "agree" };
    let good = [
        Some(format!("{} {agree}", grouped(end.agree.into()))),
        part(end.known, format!("{} {known}", grouped(end.known.into()))),
        part(end.skipped, format!("{} skipped", grouped(end.skipped.into()))),
    ];
    let good = good.into_iter().flatten().collect::<Vec<_>>().join(", ");

    let cut = part(end.not_done, format!("interrupted: {} not done; ", counted(end.not_done.into(), "check")));
    let lacking = end.failed_listings.len() as u64;
    let lacking = (lacking > 0).then(|| format!("incomplete: {} failed; ", counted(lacking, "device listing")));
    if cut.is_some() || lacking.is_some() {
        let cut = [cut, lacking].into_iter().flatten().collect::<String>();
        let bad = if bad.is_empty() { String::new() } else { format!("{}; ", bad.join(", ")) };
        return (Tone::Disagree, format!("{cut}{bad}{good}"));
    }

    match (bad.is_empty(), end.checks) {
        (_, 0) => (Tone::Disagree, "nothing was checked".to_owned()),
        (true, _) if end.agree == 0 && end.known == 0 => (Tone::Skip, format!("nothing was proved: {good}")),
        (true, _) => (Tone::Agree, format!("ok: {good}")),
        (false, _) => (Tone::Disagree, format!("failed: {}; {good}", bad.join(", "))),
    }
}
