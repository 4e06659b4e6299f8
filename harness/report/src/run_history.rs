//! The history of each check in a folder of runs: since which driver it is wrong, and how often its answer changes.
//! `layoutproof runs DIR` prints it as text and JSON.
//!
//! Runs have the order in which they are added; records have no time, so that no clock can be wrong. A check is the same
//! in all runs if its case, rules, compiler and device are; a device, if its host, its id and what drives it are, as in
//! [`crate::run_changes`]. Runs with the same driver, compilers, cases and version of layoutproof should answer alike: a check
//! with both answers is flaky, and the answer of most of these runs counts.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use layoutproof_device::DeviceInfo;
use layoutproof_events::{CheckDevice, CheckId, CheckRecord, Host, OutcomeKind, RunHeader, SCHEMA};
use layoutproof_show::markdown_text::escaped;
use layoutproof_show::style::{Style, Tone, counted, grouped, one_line};
use serde_json::{Value, json};

use crate::github::{Annotation, shown};
use crate::run_changes::fault;
use crate::run_matrix::{Cell, Machine, RunMatrix};

/// Checks of one finding that the text shows without `-v`.
const SHOWN: usize = 3;

/// The answer to a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Right,
    /// Also if a list of known differences excuses it. Two wrong answers with one [`fault`] are wrong in the same way.
    Wrong {
        fault: u64,
    },
}

/// A check of one run, with all that the history needs of it.
#[derive(Clone, Debug)]
pub struct PastAnswer {
    id: CheckId,
    /// `None` if nothing was compared.
    answer: Option<Answer>,
    /// The run itself got several answers.
    is_flaky: bool,
}

impl PastAnswer {
    pub fn of(record: &CheckRecord) -> Self {
        let answer = match record.outcome.kind() {
            OutcomeKind::Agree | OutcomeKind::Stale => Some(Answer::Right),
            OutcomeKind::Differ | OutcomeKind::Known | OutcomeKind::Broken => {
                Some(Answer::Wrong { fault: fault(record) })
            }
            OutcomeKind::Skipped => None,
        };
        Self { id: record.id.clone(), answer, is_flaky: record.is_flaky() }
    }
}

/// What may change an answer from one run to the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Conditions {
    /// Empty for a check without a device.
    driver: String,
    layoutproof: String,
    /// The hash of cases, files and lists.
    inputs: String,
    tools: BTreeMap<String, String>,
}

impl Conditions {
    /// What is different in `later`: `driver Mesa 25.0.7 -> Mesa 25.1.0`.
    fn changes(&self, later: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut compare = |what: &str, before: &str, after: &str| {
            if before != after {
                changes.push(format!("{what} {before} -> {after}"));
            }
        };
        compare("driver", &self.driver, &later.driver);
        let tools: BTreeSet<&String> = self.tools.keys().chain(later.tools.keys()).collect();
        for tool in tools {
            let [before, after] = [self, later].map(|it| it.tools.get(tool).map_or("nothing", String::as_str));
            compare(tool, before, after);
        }
        compare("layoutproof", &self.layoutproof, &later.layoutproof);
        if self.inputs != later.inputs {
            changes.push("cases, files or lists".to_owned());
        }
        changes
    }
}

#[derive(Clone, Debug)]
struct PastRun {
    /// The file or folder.
    name: String,
    /// The conditions of each device, by its place in the history.
    on_devices: BTreeMap<usize, usize>,
    /// The conditions of checks without a device.
    without_device: usize,
}

/// A device in all runs, under the name of its first one.
#[derive(Clone, Debug)]
struct PastDevice {
    host: Host,
    device: CheckDevice,
    name: String,
    newest_run: usize,
}

/// The answer of a run.
#[derive(Clone, Copy, Debug)]
struct Seen {
    run: u32,
    answer: Answer,
    is_flaky: bool,
}

#[derive(Debug, Default)]
pub struct RunHistory {
    runs: Vec<PastRun>,
    devices: Vec<PastDevice>,
    conditions: Vec<Conditions>,
    /// The answers in the order of runs; none for a check that no run compared.
    checks: BTreeMap<PastCheck, Vec<Seen>>,
}

/// A check under the name of its first run, and the place of its device.
type PastCheck = (CheckId, Option<usize>);

/// What the runs say about checks, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// It was right, and is wrong.
    WrongSince,
    /// It is wrong in another way than before.
    OtherSince,
    /// It has several answers under the same conditions.
    Flaky,
    /// It is wrong in all runs.
    AlwaysWrong,
    /// It was wrong, and is right.
    RightSince,
    /// The newest run of its device does not compare it.
    NotInNewest,
}

impl FindingKind {
    const ALL: [Self; 6] =
        [Self::WrongSince, Self::OtherSince, Self::Flaky, Self::AlwaysWrong, Self::RightSince, Self::NotInNewest];

    /// In JSON: `wrong-since`.
    fn word(self) -> &'static str {
        match self {
            Self::WrongSince => "wrong-since",
            Self::OtherSince => "other-since",
            Self::Flaky => "flaky",
            Self::AlwaysWrong => "always-wrong",
            Self::RightSince => "right-since",
            Self::NotInNewest => "not-in-newest",
        }
    }

    /// After a number of checks: `3 became wrong`.
    fn verb(self) -> &'static str {
        match self {
            Self::WrongSince => "became wrong",
            Self::OtherSince => "became wrong in another way",
            Self::RightSince => "became right",
            Self::Flaky | Self::AlwaysWrong | Self::NotInNewest => self.title(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::WrongSince => "wrong since",
            Self::OtherSince => "wrong in another way since",
            Self::Flaky => "flaky",
            Self::AlwaysWrong => "wrong in all runs",
            Self::RightSince => "right since",
            Self::NotInNewest => "not in the newest run",
        }
    }

    fn is_failure(self) -> bool {
        match self {
            Self::WrongSince | Self::OtherSince | Self::Flaky => true,
            Self::AlwaysWrong | Self::RightSince | Self::NotInNewest => false,
        }
    }
}

/// The checks of one device that changed between the same two runs.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    device: Option<usize>,
    /// The last run with the answer before.
    before: Option<usize>,
    /// The first run with this answer; the last one that compares the checks for [`FindingKind::NotInNewest`], and the first one
    /// with the device for [`FindingKind::Flaky`].
    since: usize,
    /// The first run of the fault that is gone.
    wrong_from: Option<usize>,
    checks: Vec<FoundCheck>,
}

/// A check, with how often it was wrong of how many runs if it is flaky.
#[derive(Clone, Debug)]
struct FoundCheck {
    id: CheckId,
    rate: Option<(u32, u32)>,
}

/// The answers of all runs under the same conditions.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    /// The last one.
    fault: u64,
}

impl Tally {
    fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Right => self.right += 1,
            Answer::Wrong { fault } => (self.wrong, self.fault) = (self.wrong + 1, fault),
        }
    }

    /// The answer of most runs; `None` if there are as many of both.
    fn answer(self) -> Option<Answer> {
        match self.wrong.cmp(&self.right) {
            Ordering::Less => Some(Answer::Right),
            Ordering::Equal => None,
            Ordering::Greater => Some(Answer::Wrong { fault: self.fault }),
        }
    }
}

/// Runs in a row under the same conditions.
#[derive(Clone, Copy, Debug)]
struct Period {
    conditions: usize,
    first: usize,
    last: usize,
    /// That of these conditions in all runs.
    answer: Option<Answer>,
}

impl RunHistory {
    /// Adds the next run. `headers` and `devices` are those of its parts, and `answers` their checks.
    pub fn add(&mut self, name: &str, headers: &[RunHeader], devices: &[DeviceInfo], answers: Vec<PastAnswer>) {
        let place = self.runs.len();
        let first = headers.first();
        let conditions = |driver: &str| Conditions {
            driver: driver.to_owned(),
            layoutproof: first.map(|run| run.layoutproof.clone()).unwrap_or_default(),
            inputs: first.map(|run| run.inputs.clone()).unwrap_or_default(),
            tools: headers
                .iter()
                .flat_map(|run| run.tools.iter().map(|(tool, build)| (tool.clone(), build.to_string())))
                .collect(),
        };
        let host = first.map(|run| run.host.clone()).unwrap_or_default();
        let without_device = self.place_of(conditions(""));
        let mut on_devices = BTreeMap::new();
        let mut places = BTreeMap::new();
        for info in devices {
            let device = self.device_like(info, &host, place);
            on_devices.insert(device, self.place_of(conditions(&info.driver)));
            places.insert(CheckDevice::from(info), device);
        }
        self.runs.push(PastRun { name: name.to_owned(), on_devices, without_device });
        for PastAnswer { mut id, answer, is_flaky } in answers {
            let mut on = None;
            if let Some(device) = &mut id.device {
                let Some(known) = places.get(device) else { continue };
                *device = self.devices[*known].device.clone();
                on = Some(*known);
            }
            let run = u32::try_from(place).expect("a folder has fewer runs");
            let seen = self.checks.entry((id, on)).or_default();
            seen.extend(answer.map(|answer| Seen { run, answer, is_flaky }));
        }
    }

    fn place_of(&mut self, conditions: Conditions) -> usize {
        self.conditions.iter().position(|known| *known == conditions).unwrap_or_else(|| {
            self.conditions.push(conditions);
            self.conditions.len() - 1
        })
    }

    /// The place of a device, which this run has as well.
    fn device_like(&mut self, info: &DeviceInfo, host: &Host, run: usize) -> usize {
        let device = CheckDevice::from(info);
        let place = self.devices.iter().position(|known| known.host == *host && known.device == device);
        let place = place.unwrap_or_else(|| {
            let (host, name) = (host.clone(), info.name.clone());
            self.devices.push(PastDevice { host, device, name, newest_run: run });
            self.devices.len() - 1
        });
        self.devices[place].newest_run = run;
        place
    }

    /// Devices may join later runs. Checks without a device are of all runs.
    fn first_run_with(&self, device: Option<usize>) -> usize {
        let has = |run: &PastRun| device.is_none_or(|device| run.on_devices.contains_key(&device));
        self.runs.iter().position(has).unwrap_or_default()
    }

    /// True if a run compared anything.
    pub fn has_answers(&self) -> bool {
        self.checks.values().any(|seen| !seen.is_empty())
    }

    fn compared(&self) -> impl Iterator<Item = (&PastCheck, &[Seen])> {
        self.checks.iter().map(|(check, seen)| (check, seen.as_slice())).filter(|(_, seen)| !seen.is_empty())
    }

    /// Everything that is not simply right in all runs, worst first, then by device and run.
    pub fn findings(&self) -> Vec<Finding> {
        type Key = (FindingKind, Option<usize>, Option<usize>, usize, Option<usize>);
        let mut found: BTreeMap<Key, Vec<FoundCheck>> = BTreeMap::new();
        for ((id, device), seen) in self.compared() {
            let device = *device;
            let mut add = |kind, before, since, wrong_from, rate| {
                let check = FoundCheck { id: id.clone(), rate };
                found.entry((kind, device, before, since, wrong_from)).or_default().push(check);
            };
            let tallies = self.tallies(device, seen);
            let odd: u32 = tallies.values().map(|tally| tally.right.min(tally.wrong)).sum();
            let odd = odd.max(count(seen.iter().filter(|seen| seen.is_flaky).count()));
            if odd > 0 {
                let first = self.first_run_with(device);
                add(FindingKind::Flaky, None, first, None, Some((odd, count(seen.len()))));
            }
            let periods = self.periods(device, seen, &tallies);
            for change in changes(&periods) {
                add(change.kind, change.before, change.since, change.wrong_from, None);
            }
            let newest = match device {
                Some(device) => self.devices[device].newest_run,
                None => self.runs.len() - 1,
            };
            let last = seen.last().map_or(0, |seen| seen.run as usize);
            if last < newest {
                add(FindingKind::NotInNewest, None, last, None, None);
            }
        }
        let findings = found.into_iter().map(|((kind, device, before, since, wrong_from), checks)| Finding {
            kind,
            device,
            before,
            since,
            wrong_from,
            checks,
        });
        findings.collect()
    }

    /// The answers of each device with each of its drivers.
    pub fn matrix(&self) -> RunMatrix {
        let mut machines: Vec<Machine> = Vec::new();
        let mut answers: BTreeMap<CheckId, BTreeMap<usize, Cell>> = BTreeMap::new();
        let mut faults: BTreeMap<CheckId, Vec<u64>> = BTreeMap::new();
        for ((id, place), seen) in self.compared() {
            let Some(device) = *place else { continue };
            let check = CheckId { device: None, ..id.clone() };
            let name = self.short_name(device);
            let known = faults.entry(check.clone()).or_default();
            let row = answers.entry(check).or_default();
            for (driver, tally) in self.by_driver(*place, seen) {
                let machine = Machine { device: name.clone(), driver: driver.to_owned() };
                let machine = machines.iter().position(|known| *known == machine).unwrap_or_else(|| {
                    machines.push(machine);
                    machines.len() - 1
                });
                let cell = match tally.answer() {
                    None => Cell::Undecided,
                    Some(Answer::Right) => Cell::Right,
                    Some(Answer::Wrong { fault }) => {
                        let number = known.iter().position(|it| *it == fault).unwrap_or_else(|| {
                            known.push(fault);
                            known.len() - 1
                        });
                        Cell::Wrong(u8::try_from(number).unwrap_or(u8::MAX))
                    }
                };
                row.insert(machine, cell);
            }
        }
        RunMatrix::new(&machines, answers)
    }

    /// `lavapipe via Vulkan`, and on which host if the runs have several.
    fn short_name(&self, device: usize) -> String {
        let PastDevice { host, device: CheckDevice { id, runner }, .. } = &self.devices[device];
        let is_alone = self.devices.iter().all(|other| other.host == *host);
        let on = if is_alone && host.machine.is_none() { String::new() } else { format!(" on {host}") };
        format!("{id} via {}{on}", runner.title())
    }

    /// The answers under each driver of the device, in the order of runs.
    fn by_driver(&self, device: Option<usize>, seen: &[Seen]) -> Vec<(&str, Tally)> {
        let mut drivers: Vec<(&str, Tally)> = Vec::new();
        for Seen { run, answer, .. } in seen {
            let driver = self.driver(*run as usize, device);
            let place = drivers.iter().position(|(known, _)| *known == driver).unwrap_or_else(|| {
                drivers.push((driver, Tally::default()));
                drivers.len() - 1
            });
            drivers[place].1.add(*answer);
        }
        drivers
    }

    /// By conditions.
    fn tallies(&self, device: Option<usize>, seen: &[Seen]) -> BTreeMap<usize, Tally> {
        let mut tallies: BTreeMap<usize, Tally> = BTreeMap::new();
        for Seen { run, answer, .. } in seen {
            tallies.entry(self.conditions_of(*run as usize, device)).or_default().add(*answer);
        }
        tallies
    }

    fn periods(&self, device: Option<usize>, seen: &[Seen], tallies: &BTreeMap<usize, Tally>) -> Vec<Period> {
        let mut periods: Vec<Period> = Vec::new();
        for Seen { run, .. } in seen {
            let run = *run as usize;
            let conditions = self.conditions_of(run, device);
            match periods.last_mut() {
                Some(last) if last.conditions == conditions => last.last = run,
                _ => periods.push(Period { conditions, first: run, last: run, answer: tallies[&conditions].answer() }),
            }
        }
        periods
    }

    /// The place of the conditions under which a run asked the device.
    fn conditions_of(&self, run: usize, device: Option<usize>) -> usize {
        let run = &self.runs[run];
        device.map_or(run.without_device, |device| run.on_devices[&device])
    }

    fn driver(&self, run: usize, device: Option<usize>) -> &str {
        &self.conditions[self.conditions_of(run, device)].driver
    }

    /// The driver to try next: the middle one of those of its vendor between two runs, as other devices had them.
    fn next_driver(&self, finding: &Finding) -> Option<&str> {
        let (before, device) = (finding.before?, finding.device?);
        let ends = [self.driver(before, Some(device)), self.driver(finding.since, Some(device))];
        let vendor = |driver: &str| driver.chars().take_while(|letter| !letter.is_ascii_digit()).collect::<String>();
        let mut between: Vec<&str> = Vec::new();
        for run in &self.runs[before + 1..finding.since] {
            for conditions in run.on_devices.values() {
                let driver = self.conditions[*conditions].driver.as_str();
                if !ends.contains(&driver) && !between.contains(&driver) && vendor(driver) == vendor(ends[1]) {
                    between.push(driver);
                }
            }
        }
        between.get(between.len() / 2).copied()
    }

    fn changes_of(&self, finding: &Finding) -> Vec<String> {
        let Some(before) = finding.before else { return Vec::new() };
        let of = |run: usize| &self.conditions[self.conditions_of(run, finding.device)];
        of(before).changes(of(finding.since))
    }

    fn place_name(&self, device: Option<usize>) -> String {
        match device {
            Some(device) => format!("{} ({})", self.devices[device].name, self.short_name(device)),
            None => "without a device".to_owned(),
        }
    }

    /// Text for people; all checks with `verbose`. `quarantined` is the number of checks that were taken out of the findings.
    pub fn text(&self, findings: &[Finding], quarantined: usize, verbose: bool, style: Style) -> String {
        let mut text = String::new();
        for (place, device) in self.devices.iter().enumerate() {
            let on_device: Vec<usize> =
                self.runs.iter().filter_map(|run| run.on_devices.get(&place).copied()).collect();
            let drivers: BTreeSet<&str> =
                on_device.iter().map(|conditions| self.conditions[*conditions].driver.as_str()).collect();
            let (runs, drivers) = (counted(on_device.len() as u64, "run"), counted(drivers.len() as u64, "driver"));
            let newest = &self.runs[device.newest_run].name;
            let _ = writeln!(
                text,
                "{}: {runs}, {drivers}, newest {}",
                one_line(&self.place_name(Some(place))),
                one_line(newest)
            );
        }
        for finding in findings {
            let tone = if finding.kind.is_failure() { Tone::Disagree } else { Tone::Strong };
            let checks = counted(finding.checks.len() as u64, "check");
            let _ = writeln!(text, "\n{}  {checks}", style.paint(tone, &one_line(&self.heading(finding))));
            for line in self.details(finding) {
                let _ = writeln!(text, "  {}", one_line(&line));
            }
            let most = if verbose { usize::MAX } else { SHOWN };
            for check in finding.checks.iter().take(most) {
                let rate = check.rate.map(|(odd, of)| format!("  {odd} of {of} runs")).unwrap_or_default();
                let _ = writeln!(text, "    {}{rate}", one_line(&check.id.to_string()));
            }
            if let Some(more) = finding.checks.len().checked_sub(most).filter(|more| *more > 0) {
                let _ = writeln!(text, "    and {} more: -v", grouped(more as u64));
            }
        }
        let _ = writeln!(text, "\n{}", self.summary(findings, quarantined));
        text
    }

    /// For an issue or the summary of a job: a table of the checks of each finding.
    pub fn markdown(&self, findings: &[Finding], quarantined: usize) -> String {
        let mut text = format!("### {}\n", self.summary(findings, quarantined));
        for finding in findings {
            let checks = counted(finding.checks.len() as u64, "check");
            let _ = writeln!(text, "\n<details><summary>{}: {checks}</summary>\n", escaped(&self.heading(finding)));
            for line in self.details(finding) {
                let _ = writeln!(text, "- {}", escaped(&line));
            }
            let _ = writeln!(text, "\n| check | odd runs |\n|---|---|");
            for FoundCheck { id, rate } in &finding.checks {
                let rate = rate.map_or_else(String::new, |(odd, of)| format!("{odd} of {of}"));
                let _ = writeln!(text, "| {} | {rate} |", escaped(&id.to_string()));
            }
            text += "\n</details>\n";
        }
        text
    }

    /// Annotations of GitHub Actions: the summary, and each finding, which fails as the exit code does.
    pub fn annotations(&self, findings: &[Finding], quarantined: usize) -> String {
        let is_failure = findings.iter().any(Finding::is_failure);
        let mut found = vec![Annotation::headline("layoutproof runs", is_failure, self.summary(findings, quarantined))];
        found.extend(findings.iter().map(|finding| {
            let checks = counted(finding.checks.len() as u64, "check");
            let first = finding.checks.first().map(|check| format!("the first: {}", check.id));
            let lines: Vec<String> =
                self.details(finding).into_iter().chain(first).map(|line| one_line(&line)).collect();
            let text = format!("{}: {checks}\n{}", one_line(&self.heading(finding)), lines.join("\n"));
            Annotation { is_error: finding.is_failure(), ..Annotation::without_place(finding.kind.word(), text) }
        }));
        shown(&found, None)
    }

    /// `wrong since Mesa 25.1.0 on AMD Radeon (radeon via Vulkan)`.
    pub(crate) fn heading(&self, finding: &Finding) -> String {
        let place = self.place_name(finding.device);
        let driver = self.driver(finding.since, finding.device);
        let since = if driver.is_empty() { &self.runs[finding.since].name } else { driver };
        let title = finding.kind.title();
        match finding.kind {
            FindingKind::WrongSince | FindingKind::OtherSince | FindingKind::RightSince => {
                format!("{title} {since}, {place}")
            }
            FindingKind::Flaky | FindingKind::AlwaysWrong | FindingKind::NotInNewest => format!("{title}, {place}"),
        }
    }

    pub(crate) fn details(&self, finding: &Finding) -> Vec<String> {
        let name = |run: usize| self.runs[run].name.as_str();
        let mut lines = Vec::new();
        if let Some(before) = finding.before {
            let was = match finding.kind {
                FindingKind::RightSince => "wrong",
                FindingKind::OtherSince => "as before",
                _ => "right",
            };
            lines.push(format!("first in {}, {was} until {}", name(finding.since), name(before)));
            lines.push(self.changes_of(finding).join("; "));
        }
        if let Some(run) = finding.wrong_from {
            lines.push(format!("wrong from {}, {}", name(run), self.driver(run, finding.device)));
        }
        if let Some(driver) = self.next_driver(finding) {
            lines.push(format!("to narrow it down, run {driver}"));
        }
        if finding.kind == FindingKind::NotInNewest {
            lines.push(format!("last in {}", name(finding.since)));
        }
        lines
    }

    /// `4,990 checks in 24 runs: 3 became wrong, 1 flaky; 2,003 never compared`.
    pub(crate) fn summary(&self, findings: &[Finding], quarantined: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        for kind in FindingKind::ALL {
            let checks: usize =
                findings.iter().filter(|finding| finding.kind == kind).map(|finding| finding.checks.len()).sum();
            if checks > 0 {
                parts.push(format!("{} {}", grouped(checks as u64), kind.verb()));
            }
        }
        if quarantined > 0 {
            parts.push(format!("{} quarantined", grouped(quarantined as u64)));
        }
        let compared = self.compared().count();
        let parts = match (compared, parts.is_empty()) {
            (0, _) => "nothing was compared".to_owned(),
            (_, true) => "all right in all runs".to_owned(),
            (_, false) => parts.join(", "),
        };
        let never = match self.checks.len() - compared {
            0 => String::new(),
            never => format!("; {} never compared", grouped(never as u64)),
        };
        let runs = counted(self.runs.len() as u64, "run");
        format!("{} in {runs}: {parts}{never}", counted(compared as u64, "check"))
    }

    pub fn json(&self, findings: &[Finding]) -> Value {
        let run = |place: usize, device: Option<usize>| json!({"run": self.runs[place].name, "driver": self.driver(place, device)});
        let device = |place: Option<usize>| {
            place.map(|place| {
                let PastDevice { host, device, name, .. } = &self.devices[place];
                json!({"id": device.id, "runner": device.runner.as_str(), "name": name, "host": host})
            })
        };
        let check = |check: &FoundCheck| match check.rate {
            Some((odd, of)) => json!({"check": check.id.to_string(), "odd_runs": odd, "runs": of}),
            None => json!({"check": check.id.to_string()}),
        };
        let finding = |finding: &Finding| {
            let is_change = finding.before.is_some() || finding.kind == FindingKind::AlwaysWrong;
            json!({
                "kind": finding.kind.word(),
                "device": device(finding.device),
                "before": finding.before.map(|place| run(place, finding.device)),
                "since": is_change.then(|| run(finding.since, finding.device)),
                "last": (finding.kind == FindingKind::NotInNewest).then(|| run(finding.since, finding.device)),
                "wrong_from": finding.wrong_from.map(|place| run(place, finding.device)),
                "changed": self.changes_of(finding),
                "next_driver": self.next_driver(finding),
                "checks": finding.checks.iter().map(check).collect::<Vec<_>>(),
            })
        };
        json!({
            "schema": SCHEMA,
            "runs": self.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(),
            "checks": self.compared().count(),
            "never_compared": self.checks.len() - self.compared().count(),
            "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        })
    }
}

impl Finding {
    /// True if something is wrong that was right, is wrong in another way, or is flaky.
    pub fn is_failure(&self) -> bool {
        self.kind.is_failure()
    }

    /// Moves the checks that `is_meant` matches out.
    pub fn split_off(&mut self, is_meant: impl Fn(&CheckId) -> bool) -> Option<Self> {
        let (taken, left) = std::mem::take(&mut self.checks).into_iter().partition(|check| is_meant(&check.id));
        self.checks = left;
        let taken = Self { checks: taken, ..self.clone() };
        (!taken.checks.is_empty()).then_some(taken)
    }

    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    pub fn check_count(&self) -> usize {
        self.checks.len()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A change between two periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    kind: FindingKind,
    before: Option<usize>,
    since: usize,
    wrong_from: Option<usize>,
}

/// The last change to wrong or right, and the last one to another fault. Periods with as many answers of both kinds say
/// nothing.
fn changes(periods: &[Period]) -> Vec<Change> {
    let decided: Vec<(&Period, Answer)> = periods.iter().filter_map(|period| Some((period, period.answer?))).collect();
    let Some((_, newest)) = decided.last() else { return Vec::new() };
    let is_wrong = |answer: &Answer| matches!(answer, Answer::Wrong { .. });
    let start =
        decided.iter().rposition(|(_, answer)| is_wrong(answer) != is_wrong(newest)).map_or(0, |place| place + 1);
    let before = start.checked_sub(1).map(|place| decided[place].0.last);
    let since = decided[start].0.first;
    if !is_wrong(newest) {
        let Some(before) = before else { return Vec::new() };
        let earlier = decided[..start].iter().rposition(|(_, answer)| !is_wrong(answer)).map_or(0, |place| place + 1);
        let wrong_from = Some(decided[earlier].0.first);
        return vec![Change { kind: FindingKind::RightSince, before: Some(before), since, wrong_from }];
    }
    let kind = if before.is_some() { FindingKind::WrongSince } else { FindingKind::AlwaysWrong };
    let mut changes = vec![Change { kind, before, since, wrong_from: None }];
    let streak = &decided[start..];
    if let Some(place) = streak.windows(2).rposition(|pair| pair[0].1 != pair[1].1) {
        let (before, since) = (Some(streak[place].0.last), streak[place + 1].0.first);
        changes.push(Change { kind: FindingKind::OtherSince, before, since, wrong_from: None });
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A period for each word, which has the answers of its runs: `r` right, `w` wrong, `x` wrong in another way.
    fn periods(answers: &[&str]) -> Vec<Period> {
        let mut run = 0;
        let mut period = |(conditions, answers): (usize, &&str)| {
            let mut tally = Tally::default();
            for letter in answers.chars() {
                tally.add(match letter {
                    'r' => Answer::Right,
                    _ => Answer::Wrong { fault: u64::from(letter == 'x') },
                });
            }
            let first = run;
            run += answers.len();
            Period { conditions, first, last: run - 1, answer: tally.answer() }
        };
        answers.iter().enumerate().map(&mut period).collect()
    }

    #[test]
    fn the_first_bad_run_is_found() {
        let change = |kind, before, since, wrong_from| Change { kind, before, since, wrong_from };
        for (answers, expected) in [
            (&["r", "r"][..], vec![]),
            (&["r", "r", "w", "w"], vec![change(FindingKind::WrongSince, Some(1), 2, None)]),
            (&["w", "w"], vec![change(FindingKind::AlwaysWrong, None, 0, None)]),
            (&["r", "w", "w", "r"], vec![change(FindingKind::RightSince, Some(2), 3, Some(1))]),
            (&["w", "r", "w", "r"], vec![change(FindingKind::RightSince, Some(2), 3, Some(2))]),
            (
                &["r", "w", "x"],
                vec![
                    change(FindingKind::WrongSince, Some(0), 1, None),
                    change(FindingKind::OtherSince, Some(1), 2, None),
                ],
            ),
            // One odd answer of three does not count, and one of two says nothing.
            (&["rrw", "rr", "www"], vec![change(FindingKind::WrongSince, Some(4), 5, None)]),
            (&["rr", "rw", "ww"], vec![change(FindingKind::WrongSince, Some(1), 4, None)]),
            (&["rw"], vec![]),
        ] {
            assert_eq!(changes(&periods(answers)), expected, "{answers:?}");
        }
    }
}
