//! Finds the compilers and devices that took part in a run but returned no result.
//!
//! A compiler or device takes part if a selected check applies to it. If the user named it, or it
//! runs by default, and every one of its checks was skipped, refused or broken, it proves nothing,
//! however many others agree.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use layoutproof_events::producer::Producer;
use layoutproof_events::{BoundCount, CheckRecord, LeftOutChecks, OutcomeKind, ReasonKind, RunHeader, SkipKind};
use layoutproof_events::{CheckDevice, ShaderMaker};
use layoutproof_show::{counted, one_line};

/// The users' choices for the runs.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The producers that they named, as typed.
    pub producers: Vec<String>,
    /// The devices that they named.
    pub devices: Vec<String>,
    /// True if they chose cases or rule sets. A default compiler may then accept none of them.
    pub is_selection: bool,
}

/// The participants, and why their checks returned no result.
#[derive(Clone, Debug, Default)]
pub struct Participants {
    asked: Asked,
    /// By name in messages: ``compiler `dxc` ``.
    turnouts: BTreeMap<String, Turnout>,
    /// Kinds of reasons for skips that count, with their frequency.
    skips: BTreeMap<String, u64>,
    /// Kinds of reasons for checks that do not apply, with their frequency.
    inapplicable: BTreeMap<String, u64>,
    /// Number of checks that differ on untried drivers, or with untried compilers.
    untried: u64,
}

/// The outcomes of one participant's checks.
#[derive(Clone, Debug, Default)]
struct Turnout {
    has_answered: bool,
    /// Reasons for checks without a result, with their frequency.
    reasons: BTreeMap<String, u64>,
}

impl Asked {
    /// A run of everything with these producers.
    pub fn of_producers(producers: &[String]) -> Self {
        Self { producers: producers.to_vec(), ..Self::default() }
    }

    /// The runs with these headers.
    pub fn of_records(runs: &[RunHeader]) -> Self {
        // `run` records compilers under the first option name; `fuzz` has only the second option.
        let named = |options: [&str; 2]| {
            let values = runs.iter().flat_map(|run| options.map(|option| run.arguments.get(option)));
            values.flatten().flatten().cloned().collect::<Vec<_>>()
        };
        let selects =
            |run: &RunHeader| ["inputs", "rules", "caselist"].iter().any(|id| run.arguments.contains_key(*id));
        Self {
            producers: named(["producer", "compiler"]),
            devices: named(["device", "require"]),
            is_selection: runs.iter().any(selects),
        }
    }

    /// True if this producer must return a result somewhere.
    fn demands(&self, producer: &ShaderMaker) -> bool {
        let takes_part_by_default =
            self.producers.is_empty() && matches!(producer, ShaderMaker::Producer(Producer::Compiler(_)));
        !(takes_part_by_default && self.is_selection)
    }
}

impl Participants {
    pub fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    /// The participants of these records and of the checks that a file leaves out.
    pub fn of(asked: Asked, records: &[CheckRecord], left_out: &[LeftOutChecks]) -> Self {
        let mut participants = Self::new(asked);
        for record in records {
            participants.add(record);
        }
        for group in left_out {
            let kind = group.skip_reason.clone().unwrap_or_else(|| ReasonKind::of(None));
            participants.add_alike(&AnsweredAlike {
                producer: &group.producer,
                device: group.device.as_ref(),
                outcome: group.outcome,
                skip_kind: group.skip_kind,
                reason: kind.to_string(),
                reason_kind: kind,
                leaves: group.leaves,
                bound: group.bound.as_ref(),
                checks: group.checks.into(),
            });
        }
        participants
    }

    pub fn add(&mut self, record: &CheckRecord) {
        if record.outcome.kind() == OutcomeKind::Known && record.outcome.entry().is_some_and(|entry| entry.untried) {
            self.untried += 1;
        }
        let kind = ReasonKind::of(record.outcome.reasons());
        self.add_alike(&AnsweredAlike {
            producer: &record.id.producer,
            device: record.id.device.as_ref(),
            outcome: record.outcome.kind(),
            skip_kind: record.outcome.skip_kind(),
            reason: record.outcome.reasons().map_or_else(|| kind.to_string(), ToString::to_string),
            reason_kind: kind,
            leaves: record.leaves,
            bound: record.bound.as_ref(),
            checks: 1,
        });
    }

    fn add_alike(&mut self, alike: &AnsweredAlike<'_>) {
        let is_applicable = alike.skip_kind != Some(SkipKind::NotApplicable);
        if alike.outcome == OutcomeKind::Skipped {
            let kinds = if is_applicable { &mut self.skips } else { &mut self.inapplicable };
            *kinds.entry(alike.reason_kind.to_string()).or_default() += alike.checks;
        }
        let Some(CheckDevice { id, runner }) = alike.device.filter(|_| is_applicable) else { return };
        // A device that can run nothing takes part only if the user wants it to.
        if alike.skip_kind == Some(SkipKind::UnfitDevice) && !self.asked.devices.contains(id) {
            return;
        }

        let maker = self.asked.demands(alike.producer).then(|| self.maker(alike.producer));
        let device = format!("device `{}` via {}", one_line(id), runner.title());
        for participant in maker.into_iter().chain([device]) {
            let turnout = self.turnouts.entry(participant).or_default();
            if alike.is_answered() {
                turnout.has_answered = true;
            } else {
                *turnout.reasons.entry(alike.reason.clone()).or_default() += alike.checks;
            }
        }
    }

    /// A message about each participant that returned no result at all.
    pub fn silent(&self) -> Vec<String> {
        let silent = self.turnouts.iter().filter(|(_, turnout)| !turnout.has_answered);
        let sentence = |(participant, turnout): (&String, &Turnout)| {
            let checks = counted(turnout.reasons.values().sum(), "check");
            let reasons = by_frequency(&turnout.reasons);
            let reason =
                reasons.first().map_or(String::new(), |(reason, count)| format!("{} ({count})", one_line(reason)));
            format!("{participant} returned no result for {checks}; the most frequent reason: {reason}")
        };
        silent.map(sentence).collect()
    }

    /// A message why no check agrees or is known, if none differs either.
    pub fn why_nothing_is_proved(&self) -> String {
        let list = |kinds: &BTreeMap<String, u64>| {
            let kinds = by_frequency(kinds).into_iter().map(|(kind, count)| format!("{} ({count})", one_line(kind)));
            kinds.collect::<Vec<_>>().join(", ")
        };
        if self.untried > 0 {
            let checks = counted(self.untried, "check");
            return format!(
                "nothing was proved: no check agrees, and all that differ are on untried drivers or compilers ({checks})"
            );
        }
        if !self.skips.is_empty() {
            return format!("nothing was proved: no check agrees or is known; skipped: {}", list(&self.skips));
        }
        if self.inapplicable.is_empty() {
            return "nothing was proved: no check was run".to_owned();
        }
        format!("nothing was proved: no check applies: {}", list(&self.inapplicable))
    }

    /// The name of a producer in a message. If the user named a toolchain, that name; otherwise the
    /// compiler, which combines all of its targets and options.
    fn maker(&self, producer: &ShaderMaker) -> String {
        match producer.producer() {
            Some(Producer::Compiler(toolchain)) if self.asked.producers.iter().any(|named| named == toolchain.name) => {
                format!("compiler `{}`", toolchain.name)
            }
            Some(Producer::Compiler(toolchain)) => format!("compiler `{}`", toolchain.compiler),
            Some(Producer::Generator(generator)) => format!("producer `{generator}`"),
            None => format!("producer `{}`", one_line(producer.as_str())),
        }
    }
}

/// One check, or several of one producer on one device that ended alike.
struct AnsweredAlike<'a> {
    producer: &'a ShaderMaker,
    device: Option<&'a CheckDevice>,
    outcome: OutcomeKind,
    skip_kind: Option<SkipKind>,
    reason: String,
    reason_kind: ReasonKind,
    leaves: u32,
    bound: Option<&'a BoundCount>,
    checks: u64,
}

impl AnsweredAlike<'_> {
    /// True if the device returned results, at least in part: a check that broke may have read some
    /// leaves.
    fn is_answered(&self) -> bool {
        let read = self.bound.map_or(0, |bound| bound.read);
        match self.outcome {
            OutcomeKind::Agree | OutcomeKind::Differ | OutcomeKind::Known | OutcomeKind::Stale => true,
            OutcomeKind::Broken => self.leaves > 0 || read > 0,
            OutcomeKind::Skipped => false,
        }
    }
}

/// The counts, the highest first.
fn by_frequency(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut counts: Vec<(&str, u64)> = counts.iter().map(|(text, count)| (text.as_str(), *count)).collect();
    counts.sort_by_key(|(text, count)| (Reverse(*count), *text));
    counts
}

#[cfg(test)]
mod tests {
    use layoutproof_core::check::verdict::Validation;
    use layoutproof_events::{Culprit, KnownEntry, Outcome, Proves, Reason};

    use super::*;

    /// A check by a producer on an ash device.
    fn check(producer: &str, device: &str, outcome: Outcome) -> CheckRecord {
        let id = format!("a::b::scalar::{producer}::{device}::ash").parse().unwrap();
        CheckRecord::new(id, Proves::Compiler, Validation::Valid, outcome)
    }

    fn skipped(reason: &str) -> Outcome {
        Outcome::Skipped { reasons: reason.into(), kind: None }
    }

    fn broken(reason: &str) -> Outcome {
        Outcome::Broken { reasons: reason.into(), culprit: None, story: None }
    }

    fn differs() -> Outcome {
        Outcome::Differs { culprit: Culprit::Compiler, broke: None, story: None }
    }

    fn silent(named: &[&str], checks: &[CheckRecord]) -> String {
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        Participants::of(Asked::of_producers(&named), checks, &[]).silent().join("; ")
    }

    #[test]
    fn each_compiler_and_device_answers_something() {
        let refused = "refused by dxc-spirv: unknown moon";
        let checks = [
            check("dxc-spirv", "lavapipe", skipped(refused)),
            check("dxc-spirv-gl", "lavapipe", skipped("device lacks scalarBlockLayout")),
            check("dxc-spirv", "swiftshader", skipped(refused)),
            check("slang-vulkan", "lavapipe", Outcome::Agrees),
        ];
        let dxc = "compiler `dxc` returned no result for 3 checks; the most frequent reason: refused by dxc-spirv: \
                   unknown moon (2)";
        let device = "device `swiftshader` via Vulkan returned no result for 1 check; the most frequent reason: refused \
                      by dxc-spirv: unknown moon (1)";
        assert_eq!(silent(&[], &checks), format!("{dxc}; {device}"));
        let differs = check("dxc-spirv-dx", "swiftshader", differs());
        assert_eq!(silent(&[], &[&checks[..], &[differs]].concat()), "");
    }

    /// A toolchain that the user names must return results itself.
    #[test]
    fn an_option_that_is_named_answers_itself() {
        let checks = [
            check("dxc-spirv", "lavapipe", Outcome::Agrees),
            check("dxc-spirv-gl", "lavapipe", broken("dxc died of SIGSEGV")),
        ];
        assert_eq!(silent(&["dxc"], &checks), "");
        let single = silent(&["dxc-spirv", "dxc-spirv-gl"], &checks);
        assert!(single.starts_with("compiler `dxc-spirv-gl` returned no result for 1 check"), "{single}");
        let partly = CheckRecord { leaves: 3, ..checks[1].clone() };
        assert_eq!(silent(&["dxc-spirv-gl"], &[partly]), "");
    }

    /// A run of chosen cases uses every compiler; one that accepts none of these cases need not
    /// return a result.
    #[test]
    fn compilers_that_nobody_named_may_take_none_of_the_chosen_cases() {
        let checks =
            [check("glslang", "lavapipe", skipped("refused by glslang")), check("rspirv", "lavapipe", Outcome::Agrees)];
        let silent = |asked: Asked| Participants::of(asked, &checks, &[]).silent().len();
        assert_eq!(silent(Asked { is_selection: true, ..Asked::default() }), 0);
        assert_eq!(silent(Asked::default()), 1);
        assert_eq!(silent(Asked { producers: vec!["all".to_owned()], is_selection: true, ..Asked::default() }), 1);
    }

    #[test]
    fn what_does_not_apply_does_not_count() {
        let reasons = "leaves not probed (8 bytes wide)".into();
        let not_applicable = Outcome::Skipped { reasons, kind: Some(SkipKind::NotApplicable) };
        let inapplicable = check("naga", "lavapipe", not_applicable);
        assert_eq!(silent(&[], &[inapplicable.clone(), check("rspirv", "lavapipe", Outcome::Agrees)]), "");
        let why = |checks: &[CheckRecord]| Participants::of(Asked::default(), checks, &[]).why_nothing_is_proved();
        let none = "nothing was proved: no check applies: leaves not probed (1)";
        assert_eq!(why(std::slice::from_ref(&inapplicable)), none);
        let skipped = check("rspirv", "lavapipe", skipped("device lacks shaderFloat64"));
        let some = "nothing was proved: no check agrees or is known; skipped: device lacks shaderFloat64 (1)";
        assert_eq!(why(&[inapplicable, skipped]), some);
        assert_eq!(why(&[]), "nothing was proved: no check was run");
    }

    #[test]
    fn a_device_that_can_run_nothing_takes_part_only_if_it_is_named() {
        let unfit = Outcome::Skipped {
            reasons: Reason::DeviceLacks("compute shaders".to_owned()).into(),
            kind: Some(SkipKind::UnfitDevice),
        };
        let checks = [check("rspirv", "lavapipe", Outcome::Agrees), check("naga", "old-gl", unfit)];
        assert_eq!(silent(&[], &checks), "");
        let asked = Asked { devices: vec!["old-gl".to_owned()], ..Asked::default() };
        assert_eq!(Participants::of(asked, &checks, &[]).silent().len(), 2);
        let why = Participants::of(Asked::default(), &checks[1..], &[]).why_nothing_is_proved();
        assert_eq!(why, "nothing was proved: no check agrees or is known; skipped: device lacks compute shaders (1)");
    }

    #[test]
    fn drivers_that_nobody_has_tried_prove_nothing() {
        let entry = KnownEntry {
            file: "ci/known/vkd3d.toml".to_owned(),
            line: 4,
            bug: None,
            reason: "look".to_owned(),
            link: None,
            untried: true,
        };
        let untried = check("dxc-dxil", "vkd3d", differs().explained_by(entry));
        let why = Participants::of(Asked::default(), &[untried], &[]).why_nothing_is_proved();
        let expected =
            "nothing was proved: no check agrees, and all that differ are on untried drivers or compilers (1 check)";
        assert_eq!(why, expected);
    }
}
