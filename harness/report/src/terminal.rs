//! Prints the end of a run: the failures by cause, then one line that says how the run ended. Checks
//! that pass are not listed; details need `-v`.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use indexmap::IndexMap;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_layout::DECLARED;
use layoutproof_layout::native::find_native;

use super::failure::block::{block, check_heading, gist};
use super::failure::cause::{causes, causes_text, known_causes};
use super::failure::cause::{failures_of, is_failure};
use super::tables::matrix;
use super::tables::run_table::run_table;
use crate::failure::cause::place;
use crate::faults::{self, flaky_report};
use crate::headline::Headline;
use crate::reporter::{Destination, FinishedRun, Reporter};
use layoutproof_core::results::frozen::manifest::{UNKNOWN_VERSION, dotted_version};
use layoutproof_core::results::known::FixedEntry;
use layoutproof_events::producer::Producer;
use layoutproof_events::seen_cases::SeenCases;
use layoutproof_events::{
    BoundCount, CheckRecord, LeftOutChecks, OutcomeKind, Proves, Reason, ReasonKind, RecordedCacheUse, RunEnd, SkipKind,
};
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_readers::toolchain::{AppliedRules, Toolchain};
use layoutproof_show::struct_text::PLAIN_COLUMNS;
use layoutproof_show::style::{Style, TextLines, Tone, counted, grouped, one_line, pad, width, wrapped};

/// Columns after which a list of reasons wraps.
const LIST_COLUMNS: usize = 100;
/// Before the lines about a known bug that follow its first.
const KNOWN_INDENT: &str = "       ";
/// Columns before the text of a summary line: the verb and a space.
const INDENT: usize = 11;

#[derive(Clone, Copy, Debug)]
pub struct Terminal;

#[derive(Clone, Copy, Debug, Default)]
pub struct View<'a> {
    pub style: Style,
    /// Number of `-v`: one lists every check and all details, two also draw every known difference.
    pub verbose: u8,
    /// Print failures only.
    pub quiet: bool,
    /// The file with these records, for the commands in the report.
    pub records_file: Option<&'a str>,
    /// The entries of the built-in lists of known differences.
    pub bugs: &'a [KnownBug],
}

impl Reporter for Terminal {
    fn destination(&self) -> Destination {
        Destination::Output
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let FinishedRun { checks, end, view: View { style, verbose, quiet, records_file, bugs }, .. } = *run;
        let is_detailed = verbose > 0;

        let mut text = String::new();
        if is_detailed {
            text.extend(checks.iter().map(|check| check_line(check, style)));
        }
        if verbose > 1 {
            text += &known_blocks(checks, style);
        } else if !quiet {
            text += &known_report(checks, bugs, is_of_own_file, style);
        }

        text += &failure_report(checks, records_file, style);
        if quiet {
            return text;
        }
        if is_detailed && run.has_compilers() {
            text += &matrix::matrix(checks, &end.left_out, style);
            text += "\n";
            text += &matrix::differences(checks, style);
        }
        text + &summary(run, is_detailed, style)
    }
}

impl Terminal {
    /// The line of the report that says how the run ended, without colours.
    pub fn headline(run: &FinishedRun<'_>) -> String {
        let View { style, verbose, .. } = run.view;
        Headline::of(run).line(run, verbose > 0, Style { colour: false, ..style })
    }
}

/// True if a check is about a user's file. Its id is the file name; ids of cases have no suffix.
fn is_of_own_file(record: &CheckRecord) -> bool {
    Path::new(&record.id.case).extension().is_some() || record.id.case == "-"
}

/// The failures, one of each cause in full, the stale entries, and the answers that changed on repeat. `records_file` is the file with
/// all records, if one was written.
pub fn failure_report(checks: &[CheckRecord], records_file: Option<&str>, style: Style) -> String {
    causes_text(&causes(checks), records_file, style) + &stale_report(checks, style) + &flaky_report(checks, style)
}

/// What a list of known differences says about one of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownBug {
    /// Its id: `DXC-17`.
    pub id: String,
    /// The build in which it was gone.
    pub gone: Option<String>,
}

/// The known bugs in the user's own files, a few lines for each cause. `bugs` are the entries of the
/// built-in lists.
pub fn known_report(
    checks: &[CheckRecord],
    bugs: &[KnownBug],
    is_own: impl Fn(&CheckRecord) -> bool,
    style: Style,
) -> String {
    let dot = if style.ascii { " | " } else { " · " };
    let mut text = TextLines::default();
    for cause in known_causes(checks, is_own) {
        let record = cause.first().record;
        let Some(entry) = record.outcome.entry() else { continue };
        let bug = bugs.iter().find(|bug| entry.bug.as_ref() == Some(&bug.id));
        let file = one_line(&record.id.case);
        let start = format!("known  {file}{dot}{}   ", target(&record.id));
        let lines = wrapped(&start, KNOWN_INDENT, gist(record).split(' '), PLAIN_COLUMNS).join("\n");
        text.push(&lines.replacen("known", &style.paint(Tone::Known, "known"), 1));

        let id = bug.map_or_else(|| format!("{}:{}", entry.file, entry.line), |bug| bug.id.clone());
        let reason = format!("{} ({})", one_line(&entry.reason), one_line(&id));
        text.push(&wrapped(KNOWN_INDENT, KNOWN_INDENT, reason.split(' '), PLAIN_COLUMNS).join("\n"));
        let gone = bug.and_then(|bug| bug.gone.as_ref()).map(|build| format!("fixed in {build}"));
        let more = cause.failures.len() - 1;
        let more = (more > 0).then(|| format!("{} like it: -v", counted(more as u64, "check")));
        let parts: Vec<String> = entry.link.clone().into_iter().chain(gone).chain(more).collect();
        if !parts.is_empty() {
            text.push(&format!("{KNOWN_INDENT}{}", one_line(&parts.join(dot))));
        }
    }
    text.into_text()
}

/// `Vulkan · DXC` for a compiler's code on a target that ships, else rule set and producer.
fn target(id: &CheckId) -> String {
    let label = match id.producer.producer() {
        Some(Producer::Compiler(Toolchain { follows: AppliedRules::Native(native), .. })) => {
            find_native(native).map(|native| native.column.to_string())
        }
        Some(Producer::Compiler(_) | Producer::Generator(_)) | None => None,
    };
    label.unwrap_or_else(|| one_line(&format!("{} · {}", id.rules, id.producer)))
}

/// The version of the compiler of a check, if the run knows it.
fn compiler_version(run: &FinishedRun<'_>, id: &CheckId) -> Option<String> {
    let Some(Producer::Compiler(toolchain)) = id.producer.producer() else { return None };
    let build = run.tools.get(toolchain.compiler)?;
    Some(dotted_version(&build.version)).filter(|version| version != UNKNOWN_VERSION)
}

/// A sentence for each compiler that refuses the user's own files, with its version and its own words.
fn refusals(run: &FinishedRun<'_>) -> BTreeSet<String> {
    let mut sentences: BTreeSet<String> = BTreeSet::new();
    for check in run.checks.iter().filter(|check| is_of_own_file(check)) {
        let reasons =
            check.outcome.reasons().into_iter().flat_map(|reasons| iter::once(&reasons.first).chain(&reasons.others));
        for reason in reasons.chain(&check.not_checked) {
            let Reason::RefusedBy { message, option, .. } = reason else { continue };
            let help = option.as_ref().map(|option| format!(" (pass `{option}`)")).unwrap_or_default();
            let version = compiler_version(run, &check.id).map(|version| format!(" ({version})")).unwrap_or_default();
            // A check that ran has taken the file's blocks in other shaders.
            let (what, help) = match check.outcome.reasons() {
                Some(_) => (check.id.case.clone(), help),
                None => (format!("a test shader of layoutproof for {}, not the others", check.id.case), String::new()),
            };
            let sentence = format!("{}{version} refuses {what}: {message}{help}", target(&check.id));
            sentences.insert(one_line(&sentence));
        }
    }
    sentences
}

/// Every known difference in full, for `-vv`.
pub fn known_blocks(checks: &[CheckRecord], style: Style) -> String {
    let known = failures_of(checks, |check| check.outcome.kind() == OutcomeKind::Known);
    known.iter().map(|failure| block(failure, style) + "\n").collect()
}

/// One line per entry of a list of known differences that no longer differs.
fn stale_report(checks: &[CheckRecord], style: Style) -> String {
    let mut places: BTreeMap<String, u64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome.kind() == OutcomeKind::Stale) {
        let entry = check.outcome.entry().map(|entry| format!("{}:{}", entry.file, entry.line));
        *places.entry(entry.unwrap_or_else(|| check.id.case.clone())).or_default() += 1;
    }
    let line = |(place, count): (&String, &u64)| {
        let agree = if *count == 1 { "agrees" } else { "agree" };
        let verb = style.verb(Tone::Disagree, "Stale");
        format!("{verb} {}: {} {agree} now; remove the entry\n", one_line(place), counted(*count, "check"))
    };
    places.iter().map(line).collect()
}

/// One check as one line, for `-v`.
pub fn check_line(check: &CheckRecord, style: Style) -> String {
    let device = one_line(&place(check.id.device.as_ref()));
    let heading = check_heading(check, &device, style);

    let entry = check.outcome.entry().map(|entry| format!("{}:{}: {}", entry.file, entry.line, entry.reason));
    let left_out = check.not_checked.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let part = if check.outcome.kind() == OutcomeKind::Agree { "in part; " } else { "" };
    let left_out = (!left_out.is_empty()).then(|| format!("{part}not checked: {left_out}"));
    let flaky = check.is_flaky().then(|| format!("flaky: {}", faults::both_answers(check)));
    let messages = check.driver_messages.join("; ");
    let messages = (!messages.is_empty()).then(|| format!("driver message: {messages}"));

    let reasons = check
        .outcome
        .reasons()
        .map(ToString::to_string)
        .or(entry)
        .into_iter()
        .chain(flaky)
        .chain(left_out)
        .chain(messages);
    let reasons: Vec<String> = reasons.collect();
    let reason = if reasons.is_empty() { String::new() } else { format!(": {}", one_line(&reasons.join("; "))) };
    format!("{heading}{reason}\n")
}

/// One line per entry for which no check of a narrowed run differs any more.
pub fn fixed_report(fixed: &[FixedEntry], style: Style) -> String {
    let line = |FixedEntry { entry, agreeing }: &FixedEntry| {
        let agree = if *agreeing == 1 { "agrees" } else { "agree" };
        let checks = counted(*agreeing as u64, "check");
        let place = one_line(&format!("{}:{}", entry.file, entry.line));
        let reason = one_line(&entry.reason);
        format!("{} here: {place}: {checks} {agree}: {reason}\n", style.verb(Tone::Agree, "Fixed"))
    };
    fixed.iter().map(line).collect()
}

/// The line that says how the run ended, and notes about what needs attention. With details, they
/// follow one line per device, the known differences, the reasons for skips and omissions, what was
/// proved, and all versions.
pub fn summary(run: &FinishedRun<'_>, is_detailed: bool, style: Style) -> String {
    let seen = SeenCases::of(run.checks.iter()).with_left_out(&run.end.left_out_cases);
    let mut text = if is_detailed { details(run, &seen, style) } else { String::new() };
    text += &Headline::of(run).line(run, is_detailed, style);

    let not_probed = if is_detailed { not_probed(run.end) } else { None };
    let notes = [
        not_probed,
        unreliable(run.checks),
        faults::note(run.end),
        only_model(run),
        own_offsets(run.checks),
        unseen_note(&seen),
    ];
    let notes = notes.into_iter().flatten().chain(refusals(run));
    let note = |sentence: String| {
        let lines = wrapped("note: ", "      ", sentence.split(' '), PLAIN_COLUMNS).join("\n") + "\n";
        lines.replacen("note", &style.paint(Tone::Skip, "note"), 1)
    };
    text + &notes.map(note).collect::<String>()
}

fn details(run: &FinishedRun<'_>, seen: &SeenCases<'_>, style: Style) -> String {
    let FinishedRun { end, checks, .. } = *run;
    let line = |tone: Tone, verb: &str, text: String| format!("{} {text}\n", style.verb(tone, verb));

    let mut text = devices(run.devices, style);
    text += &line(Tone::Strong, "Cases", cases(checks, end, seen));
    text += &run_table(run.devices, checks, &end.left_out, style);

    if end.known > 0 {
        text += &line(Tone::Known, "Known", known(run));
    }
    let counted_skips = end.skipped.saturating_sub(end.not_applicable);
    if counted_skips > 0 {
        let skips = tally(skipped(checks, &end.left_out, |kind| kind != Some(SkipKind::NotApplicable)));
        text += &line(Tone::Skip, "Skipped", list(counted_skips, &skips, style));
    }
    if end.not_applicable > 0 {
        let inapplicable = tally(skipped(checks, &end.left_out, |kind| kind == Some(SkipKind::NotApplicable)));
        text += &line(Tone::Skip, "N/A", list(end.not_applicable, &inapplicable, style));
    }
    let partly = partly(run);
    if partly > 0 {
        text += &line(Tone::Skip, "Partly", list(partly, &tally(kinds_not_checked(run)), style));
    }

    if end.leaves > 0 || checks_bindings(run) {
        text += &line(Tone::Strong, "Proved", proved(run));
    }
    if checks_bindings(run) {
        text += &line(Tone::Strong, "Bound", bound(run, style));
    }
    if let Some(cached) = end.cache.as_deref().and_then(cached) {
        text += &line(Tone::Plain, "Cached", cached);
    }
    text
}

fn distinct_cases<'a>(checks: &'a [CheckRecord], end: &'a RunEnd) -> BTreeSet<&'a str> {
    let of_records = checks.iter().map(|check| check.id.case.as_str());
    of_records.chain(end.left_out_cases.all.iter().map(String::as_str)).collect()
}

/// A text and how often it occurs.
#[derive(Clone, Debug)]
struct CountedKind {
    kind: ReasonKind,
    count: u64,
}

/// The reasons of checks that were skipped with such a kind of skip.
fn skipped<'a>(
    checks: &'a [CheckRecord],
    left_out: &'a [LeftOutChecks],
    is_meant: fn(Option<SkipKind>) -> bool,
) -> impl Iterator<Item = CountedKind> {
    let skipped = checks
        .iter()
        .filter(move |check| check.outcome.kind() == OutcomeKind::Skipped && is_meant(check.outcome.skip_kind()));
    let with_record = skipped.map(move |check| CountedKind { kind: ReasonKind::of(check.outcome.reasons()), count: 1 });
    let skipped =
        left_out.iter().filter(move |group| group.outcome == OutcomeKind::Skipped && is_meant(group.skip_kind));
    let left_out = skipped.map(move |group| {
        let kind = group.skip_reason.clone().unwrap_or_else(|| ReasonKind::of(None));
        CountedKind { kind, count: group.checks.into() }
    });
    with_record.chain(left_out)
}

/// `185 by 9 causes:`, then a line for each cause, the most frequent first.
fn known(run: &FinishedRun<'_>) -> String {
    let mut counts: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
    for check in run.checks.iter().filter(|check| check.outcome.kind() == OutcomeKind::Known) {
        let entry = check.outcome.entry();
        let reason = entry.map_or("no list", |entry| entry.reason.as_str());
        let link = entry.and_then(|entry| entry.link.as_deref());
        *counts.entry((reason, link)).or_default() += 1;
    }
    let mut causes: Vec<((&str, Option<&str>), u64)> = counts.into_iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));

    let total = format!("{} by {}:", grouped(run.end.known.into()), counted(causes.len() as u64, "cause"));
    let line = |((reason, link), count): &((&str, Option<&str>), u64)| {
        let link = link.map(|link| format!(", {}", one_line(link))).unwrap_or_default();
        format!("\n{}{} ({}{link})", " ".repeat(INDENT + 2), one_line(reason), grouped(*count))
    };
    total + &causes.iter().map(line).collect::<String>()
}

/// `52,602 leaves: 31,120 at explicit offsets, 12,281 placed by a compiler; 2,080 resources`.
fn proved(run: &FinishedRun<'_>) -> String {
    let read = run.end.bound.values().fold(0_u32, |sum, read| sum.saturating_add(*read));
    let resources = checks_bindings(run).then(|| format!("{} read back", counted(read.into(), "resource")));
    let leaves = (run.end.leaves > 0).then(|| leaves(run.end));
    leaves.into_iter().chain(resources).collect::<Vec<_>>().join("; ")
}

/// `1 lavapipe   llvmpipe (LLVM 15.0.6), Mesa 22.3.6, Vulkan 1.3.230      via ash, wgpu`.
pub(super) fn devices(devices: &[DeviceInfo], style: Style) -> String {
    let mut by_id: IndexMap<&str, Vec<&DeviceInfo>> = IndexMap::new();
    for device in devices {
        by_id.entry(&device.id).or_default().push(device);
    }
    if by_id.is_empty() {
        return format!("{} none found\n", style.verb(Tone::Disagree, "Devices"));
    }

    let details = |device: &DeviceInfo| {
        let parts = [&device.name, &device.driver, &device.api];
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| one_line(part)).collect::<Vec<_>>().join(", ")
    };
    let id_columns = by_id.keys().map(|id| width(id)).max().unwrap_or(0);
    let detail_columns = by_id.values().map(|entries| width(&details(entries[0]))).max().unwrap_or(0);

    let line = |(index, (id, entries)): (usize, (&&str, &Vec<&DeviceInfo>))| {
        let verb = if index == 0 { style.verb(Tone::Strong, "Devices") } else { " ".repeat(INDENT - 1) };
        let id = pad(&one_line(id), id_columns);
        let detail = pad(&details(entries[0]), detail_columns);
        let runners: Vec<&str> = entries.iter().map(|device| device.runner.title()).collect();
        format!("{verb} {} {id}   {detail}   via {}\n", index + 1, runners.join(", "))
    };
    by_id.iter().enumerate().map(line).collect()
}

fn cases(checks: &[CheckRecord], end: &RunEnd, seen: &SeenCases<'_>) -> String {
    let left_out = &end.left_out;
    let producers = checks.iter().map(|check| check.id.producer.as_str());
    let producers: BTreeSet<&str> = producers.chain(left_out.iter().map(|group| group.producer.as_str())).collect();
    let producers: Vec<String> = producers.into_iter().map(one_line).collect();
    let rules = checks.iter().map(|check| check.id.rules.as_str());
    let rules: BTreeSet<&str> = rules.chain(left_out.iter().map(|group| group.rules.as_str())).collect();
    let named = if producers.is_empty() { String::new() } else { format!(" ({})", producers.join(", ")) };
    let by_compiler = match seen.by_compiler.len() {
        0 => String::new(),
        seen => format!(", {} seen by a compiler", grouped(seen as u64)),
    };
    format!(
        "{}{by_compiler}, {}, {}{named}: {}",
        grouped(distinct_cases(checks, end).len() as u64),
        counted(rules.len() as u64, "rule set"),
        counted(producers.len() as u64, "producer"),
        counted(end.checks.into(), "check"),
    )
}

/// The number of checks of which a part was left out.
fn partly(run: &FinishedRun<'_>) -> u32 {
    let with_record = run.checks.iter().filter(|check| !check.not_checked.is_empty()).count();
    let left_out: u32 = run.end.left_out.iter().map(|group| group.partly).sum();
    u32::try_from(with_record).unwrap_or(u32::MAX).saturating_add(left_out)
}

/// The kinds of reasons why parts of checks were left out, each counted once per check.
fn kinds_not_checked(run: &FinishedRun<'_>) -> impl Iterator<Item = CountedKind> {
    let with_record = run.checks.iter().flat_map(CheckRecord::kinds_not_checked);
    let with_record = with_record.map(|kind| CountedKind { kind, count: 1 });
    let left_out = run.end.left_out.iter().flat_map(|group| &group.not_checked);
    with_record.chain(left_out.map(|(kind, count)| CountedKind { kind: kind.clone(), count: (*count).into() }))
}

/// Each text with how often it occurs, the most frequent first.
fn tally(kinds: impl Iterator<Item = CountedKind>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for CountedKind { kind, count } in kinds {
        *counts.entry(kind.to_string()).or_default() += count;
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// `96   half: device lacks shaderFloat16 (64) · f64 in WGSL: not in the language (32)`, wrapped at
/// the line's end.
fn list(total: u32, items: &[(String, u64)], style: Style) -> String {
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

/// `64 leaves: 24 at explicit offsets, 40 placed by a compiler`.
fn leaves(end: &RunEnd) -> String {
    let kinds = end.proves.iter().map(|(proves, leaves)| {
        let how = match proves {
            Proves::Decorations => "at explicit offsets",
            Proves::Compiler => "placed by a compiler",
            Proves::Evaluated => "that our evaluators followed in Direct3D's code",
            Proves::Translated => "by Direct3D's code, translated",
            Proves::Native => "by native code on its native API",
        };
        format!("{} {how}", grouped((*leaves).into()))
    });
    let more = match end.leaves_not_probed {
        0 => String::new(),
        left_out => format!("; {} more in long arrays not probed", grouped(left_out)),
    };
    format!("{}: {}{more}", counted_leaves(end.leaves), kinds.collect::<Vec<_>>().join(", "))
}

fn counted_leaves(leaves: u32) -> String {
    format!("{} {}", grouped(leaves.into()), if leaves == 1 { "leaf" } else { "leaves" })
}

fn checks_bindings(run: &FinishedRun<'_>) -> bool {
    let is_left_out = run.end.left_out.iter().any(|group| group.bound.is_some());
    is_left_out || run.checks.iter().any(|check| check.bound.is_some())
}

/// The name of a device of the records' last line, for people.
fn title(device: &str) -> String {
    CheckDevice::of_records(device).map_or_else(|| device.to_owned(), |device| device.to_string())
}

/// `31 resources read back: 16 by lavapipe via ash, 15 by swiftshader via ash; not read: an input attachment (2)`.
fn bound(run: &FinishedRun<'_>, style: Style) -> String {
    let total = run.end.bound.values().fold(0_u32, |sum, read| sum.saturating_add(*read));
    let devices = run
        .end
        .bound
        .iter()
        .map(|(device, read)| format!("{} by {}", grouped((*read).into()), one_line(&title(device))));
    let devices: Vec<String> = devices.collect();
    let by = if devices.is_empty() { "by no device".to_owned() } else { devices.join(", ") };
    let read = format!("{} read back: {by}", counted(total.into(), "resource"));

    let mut not_read: BTreeMap<String, u64> = BTreeMap::new();
    let on_devices = run.checks.iter().filter(|check| is_driven(check.id.device.as_ref()));
    let left_out = run.end.left_out.iter().filter(|group| is_driven(group.device.as_ref()));
    let bound = on_devices.filter_map(|check| check.bound.as_ref()).chain(left_out.filter_map(|it| it.bound.as_ref()));
    for (reason, count) in bound.flat_map(|bound| &bound.not_read) {
        *not_read.entry(reason.to_string()).or_default() += u64::from(*count);
    }
    if not_read.is_empty() {
        return read;
    }
    let total = u32::try_from(not_read.values().sum::<u64>()).unwrap_or(u32::MAX);
    let reasons: Vec<(String, u64)> = not_read.into_iter().collect();
    format!("{read}\n{} not read: {}", " ".repeat(INDENT - 1), list(total, &reasons, style))
}

/// A note about array elements and block members that were not probed because there are too many.
fn not_probed(end: &RunEnd) -> Option<String> {
    (end.leaves_not_probed > 0).then(|| {
        let leaves = if end.leaves_not_probed == 1 { "leaf was" } else { "leaves were" };
        format!(
            "{} {leaves} not probed: in arrays only the first, second, middle and last element were, and naga's shaders probed \
             only some members of long blocks (-v lists the arrays and blocks, --every-element probes all)",
            grouped(end.leaves_not_probed)
        )
    })
}

/// Warns about checks that failed and then passed when rerun. Layouts do not change by chance.
fn unreliable(checks: &[CheckRecord]) -> Option<String> {
    let mended = checks.iter().filter(|check| check.retries > 0 && !is_failure(check.outcome.kind()));
    let names: Vec<String> = mended.map(|check| one_line(&check.id.to_string())).collect();
    let first = names.first()?;
    let others = names.len() - 1;
    let more = if others > 0 { format!(" and {} more", grouped(others as u64)) } else { String::new() };
    Some(format!("{first}{more} failed and then passed when rerun: the driver or the machine is not reliable"))
}

/// How many compilations and validations came from the cache; `None` if none did.
fn cached(used: &RecordedCacheUse) -> Option<String> {
    let RecordedCacheUse { compilations, compilations_cached, validations, validations_cached } = *used;
    let part = |cached: u32, needed: u32, noun: &str| {
        (cached > 0).then(|| format!("{} of {}", grouped(cached.into()), counted(needed.into(), noun)))
    };
    let parts =
        [part(compilations_cached, compilations, "compilation"), part(validations_cached, validations, "validation")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{} (`--no-cache` repeats them)", parts.join(", ")))
}

/// Warns if only our own model of a device returned results.
fn only_model(run: &FinishedRun<'_>) -> Option<String> {
    let is_answer = |leaves: u32, bound: Option<&BoundCount>| leaves > 0 || bound.is_some_and(|bound| bound.read > 0);
    let with_record = run.checks.iter().filter(|check| is_answer(check.leaves, check.bound.as_ref()));
    let left_out = run.end.left_out.iter().filter(|group| is_answer(group.leaves, group.bound.as_ref()));
    let mut devices =
        with_record.map(|check| check.id.device.as_ref()).chain(left_out.map(|group| group.device.as_ref())).peekable();
    let only_model = devices.peek().is_some() && devices.all(|device| !is_driven(device));
    only_model.then(|| "only the CPU model ran: no device and no driver was tested".to_owned())
}

/// True for a device that a driver provides or that evaluates code, false for the model.
fn is_driven(device: Option<&CheckDevice>) -> bool {
    device.is_some_and(|device| device.runner != RunnerKind::Model)
}

/// Warns about modules that declare their own offsets: these were checked without running the
/// module's code.
fn own_offsets(checks: &[CheckRecord]) -> Option<String> {
    let ran = checks
        .iter()
        .filter(|check| check.outcome.kind() != OutcomeKind::Skipped && check.id.rules.as_str() == DECLARED);
    let modules: BTreeSet<String> = ran.map(|check| one_line(&check.id.case)).collect();
    let names = modules.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| {
        format!("the offsets of {names} were checked in generated test shaders; the module's own code was not run")
    })
}

/// Warns if no compiler took part in any case: agreement then proves less.
fn unseen_note(seen: &SeenCases<'_>) -> Option<String> {
    if !seen.by_compiler.is_empty() {
        return None;
    }
    let unseen: Vec<&str> = seen.all.iter().copied().collect();
    let which = match unseen.as_slice() {
        [] => return None,
        [case] => one_line(case),
        cases => format!("any of the {} cases", grouped(cases.len() as u64)),
    };
    Some(format!(
        "no compiler was run for {which}: devices obey the offsets that layoutproof wrote; a compiler may choose others"
    ))
}
