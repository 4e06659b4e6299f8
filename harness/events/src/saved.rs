//! The lines of a records file as JSON: schema 1 of the command-line contract.
//!
//! This is the only module that knows how a check looks in a file. A file names the parts of a check
//! side by side; the types of this program put them where they belong.

use std::borrow::Cow;

use layoutproof_device::RunnerKind;
use layoutproof_layout::{Quantity, ShaderCompiler, TargetChoice};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::check_id::{CheckDevice, CheckId, CheckRules, ShaderMaker};
use crate::validation::Validation;
use crate::{
    Access, BlockReading, BoundCount, CheckRecord, Culprit, Event, Fault, KnownEntry, Outcome, OutcomeKind, Proves,
    Reason, Reasons, RecordValue, Row, RunEnd, RunHeader, SCHEMA, SkipKind, Story, Witness, Witnesses, are_none,
    is_zero,
};

/// The word for the device of a check without one.
const NO_DEVICE: &str = "none";

/// A check as its line holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedCheck<'a> {
    schema: u32,
    case: Cow<'a, str>,
    rules: Cow<'a, CheckRules>,
    producer: Cow<'a, ShaderMaker>,
    /// The target in the words that people use: `vulkan/dx`. It follows from the names above.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    target: Option<TargetChoice>,
    /// The compiler in the words that people use.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    compiler: Option<ShaderCompiler>,
    device: Cow<'a, str>,
    /// The model for a check without a device.
    runner: RunnerKind,
    proves: Proves,
    outcome: OutcomeKind,
    culprit: Option<Culprit>,
    validation: Cow<'a, Validation>,
    /// Why it was skipped, or why it broke.
    skip_reason: Option<Cow<'a, Reasons>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skip_kind: Option<SkipKind>,
    #[serde(default, skip_serializing_if = "is_empty")]
    not_checked: Cow<'a, [Reason]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    driver_messages: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<Cow<'a, KnownEntry>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fast: bool,
    #[serde(default, skip_serializing_if = "is_empty")]
    thorough: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cached: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    retries: u32,
    #[serde(default, skip_serializing_if = "is_empty")]
    faults: Cow<'a, [Fault]>,
    ms: u64,
    leaves: u32,
    #[serde(default, skip_serializing_if = "are_none")]
    leaves_not_probed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bound: Option<Cow<'a, BoundCount>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    blocks: Cow<'a, [BlockReading]>,
    rows: Cow<'a, [Row]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    story: Option<Cow<'a, Story>>,
}

fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

impl<'a> From<&'a CheckRecord> for SavedCheck<'a> {
    fn from(check: &'a CheckRecord) -> Self {
        let CheckId { case, rules, producer, device } = &check.id;
        let device = SavedDevice::from(device.as_ref());
        let column = check.id.column();
        Self {
            schema: SCHEMA,
            case: case.into(),
            rules: Cow::Borrowed(rules),
            producer: Cow::Borrowed(producer),
            target: column.map(|column| column.choice()),
            compiler: column.and_then(|column| column.compiler),
            device: device.device,
            runner: device.runner,
            proves: check.proves,
            outcome: check.outcome.kind(),
            culprit: check.outcome.culprit(),
            validation: Cow::Borrowed(&check.validation),
            skip_reason: check.outcome.reasons().map(Cow::Borrowed),
            skip_kind: check.outcome.skip_kind(),
            not_checked: check.not_checked.as_slice().into(),
            driver_messages: check.driver_messages.as_slice().into(),
            known: check.outcome.entry().map(Cow::Borrowed),
            fast: check.fast,
            thorough: check.thorough.as_slice().into(),
            cached: check.cached,
            retries: check.retries,
            faults: check.faults.as_slice().into(),
            ms: check.ms,
            leaves: check.leaves,
            leaves_not_probed: check.leaves_not_probed,
            bound: check.bound.as_ref().map(Cow::Borrowed),
            blocks: check.blocks.as_slice().into(),
            rows: check.rows.as_slice().into(),
            story: check.outcome.story().map(Cow::Borrowed),
        }
    }
}

impl TryFrom<SavedCheck<'_>> for CheckRecord {
    type Error = Contradiction;

    fn try_from(saved: SavedCheck<'_>) -> Result<Self, Contradiction> {
        let id = CheckId {
            case: saved.case.into_owned(),
            rules: saved.rules.into_owned(),
            producer: saved.producer.into_owned(),
            device: SavedDevice { device: saved.device, runner: saved.runner }.device(),
        };
        let outcome = SavedOutcome {
            kind: saved.outcome,
            culprit: saved.culprit,
            reasons: saved.skip_reason.map(Cow::into_owned).filter(|reasons| !reasons.to_string().trim().is_empty()),
            skip_kind: saved.skip_kind,
            entry: saved.known.map(Cow::into_owned),
            story: saved.story.map(|story| Box::new(story.into_owned())),
        };
        let outcome = match Outcome::try_from(outcome) {
            Ok(outcome) => outcome,
            Err(reason) => return Err(Contradiction { check: id, reason }),
        };

        Ok(Self {
            id,
            proves: saved.proves,
            outcome,
            validation: saved.validation.into_owned(),
            not_checked: saved.not_checked.into_owned(),
            driver_messages: saved.driver_messages.into_owned(),
            fast: saved.fast,
            thorough: saved.thorough.into_owned(),
            cached: saved.cached,
            retries: saved.retries,
            faults: saved.faults.into_owned(),
            ms: saved.ms,
            leaves: saved.leaves,
            leaves_not_probed: saved.leaves_not_probed,
            bound: saved.bound.map(Cow::into_owned),
            blocks: saved.blocks.into_owned(),
            rows: saved.rows.into_owned(),
        })
    }
}

/// The keys of a check's line that only some outcomes have.
struct SavedOutcome {
    kind: OutcomeKind,
    culprit: Option<Culprit>,
    reasons: Option<Reasons>,
    skip_kind: Option<SkipKind>,
    entry: Option<KnownEntry>,
    story: Option<Box<Story>>,
}

impl TryFrom<SavedOutcome> for Outcome {
    type Error = ImpossibleOutcome;

    fn try_from(saved: SavedOutcome) -> Result<Self, ImpossibleOutcome> {
        let SavedOutcome { kind, culprit, reasons, skip_kind, entry, story } = saved;
        let agrees = matches!(kind, OutcomeKind::Agree | OutcomeKind::Stale);
        if agrees && reasons.is_some() {
            return Err(ImpossibleOutcome::AgreesWithReason);
        }
        if agrees && culprit.is_some() {
            return Err(ImpossibleOutcome::AgreesWithCulprit);
        }
        if (agrees || kind == OutcomeKind::Skipped) && story.is_some() {
            return Err(ImpossibleOutcome::NeedlessStory(kind));
        }
        if kind != OutcomeKind::Skipped && skip_kind.is_some() {
            return Err(ImpossibleOutcome::NeedlessSkipKind);
        }

        match (kind, entry) {
            (OutcomeKind::Agree, None) => Ok(Self::Agrees),
            (OutcomeKind::Differ, None) => {
                let culprit = culprit.ok_or(ImpossibleOutcome::NoCulprit)?;
                Ok(Self::Differs { culprit, broke: reasons, story })
            }
            (OutcomeKind::Known, Some(entry)) => Ok(Self::Known { entry, culprit, broke: reasons, story }),
            (OutcomeKind::Stale, Some(entry)) => Ok(Self::Stale(entry)),
            (OutcomeKind::Skipped, None) if culprit.is_some() => Err(ImpossibleOutcome::SkippedWithCulprit),
            (OutcomeKind::Skipped, None) => {
                Ok(Self::Skipped { reasons: reasons.ok_or(ImpossibleOutcome::NoReason(kind))?, kind: skip_kind })
            }
            (OutcomeKind::Broken, None) => {
                Ok(Self::Broken { reasons: reasons.ok_or(ImpossibleOutcome::NoReason(kind))?, culprit, story })
            }
            (OutcomeKind::Known | OutcomeKind::Stale, None) => Err(ImpossibleOutcome::NoEntry(kind)),
            (OutcomeKind::Agree | OutcomeKind::Differ | OutcomeKind::Skipped | OutcomeKind::Broken, Some(_)) => {
                Err(ImpossibleOutcome::NeedlessEntry(kind))
            }
        }
    }
}

/// A check whose line holds what cannot be together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{check}` contradicts itself: {reason}")]
pub struct Contradiction {
    check: CheckId,
    reason: ImpossibleOutcome,
}

/// Keys that do not fit the outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
enum ImpossibleOutcome {
    #[error("it agrees, but has a reason for not running")]
    AgreesWithReason,
    #[error("it agrees, but names a culprit")]
    AgreesWithCulprit,
    #[error("it is skipped, but names a culprit")]
    SkippedWithCulprit,
    #[error("it differs, but names no culprit")]
    NoCulprit,
    #[error("it is {} without a reason", .0.as_str())]
    NoReason(OutcomeKind),
    #[error("it has a skip kind, but is not skipped")]
    NeedlessSkipKind,
    #[error("it is `{}`, but tells of a failure", .0.as_str())]
    NeedlessStory(OutcomeKind),
    #[error("it is `{}`, but names no known-list entry", .0.as_str())]
    NoEntry(OutcomeKind),
    #[error("it is `{}`, but names a known-list entry", .0.as_str())]
    NeedlessEntry(OutcomeKind),
}

/// A line that is valid JSON of a record. It may still hold what cannot be together.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum SavedLine {
    Run(RunHeader),
    Check(Box<SavedCheck<'static>>),
    End(RunEnd),
}

impl SavedLine {
    pub fn schema(&self) -> u32 {
        match self {
            Self::Run(run) => run.schema,
            Self::Check(check) => check.schema,
            Self::End(end) => end.schema,
        }
    }
}

impl TryFrom<SavedLine> for Event<'static> {
    type Error = Contradiction;

    fn try_from(line: SavedLine) -> Result<Self, Contradiction> {
        Ok(match line {
            SavedLine::Run(run) => Self::RunStarted(Cow::Owned(run)),
            SavedLine::Check(check) => Self::CheckFinished(Cow::Owned((*check).try_into()?)),
            SavedLine::End(end) => Self::RunFinished(Cow::Owned(end)),
        })
    }
}

impl Serialize for CheckRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedCheck::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CheckRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedCheck::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

/// A row as the line of its check holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedRow<'a> {
    path: Cow<'a, str>,
    what: Quantity,
    /// This and the next two are `None` for rows that need no device.
    space: Option<AddressSpace>,
    direction: Option<Direction>,
    form: Option<Form>,
    #[serde(default, skip_serializing_if = "Stage::is_compute")]
    stage: Stage,
    expected: Option<Cow<'a, RecordValue>>,
    computed: Option<Cow<'a, RecordValue>>,
    reported: Option<Cow<'a, RecordValue>>,
    compiled: Option<Cow<'a, RecordValue>>,
    observed: Option<Cow<'a, RecordValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fused: bool,
}

impl<'a> From<&'a Row> for SavedRow<'a> {
    fn from(row: &'a Row) -> Self {
        let Row { path, what, access, witnesses, note, fused } = row;
        let value = |witness| witnesses.of(witness).map(Cow::Borrowed);
        Self {
            path: path.into(),
            what: *what,
            space: access.map(|access| access.space),
            direction: access.map(|access| access.direction),
            form: access.and_then(|access| access.form),
            stage: access.map_or(Stage::Compute, |access| access.stage),
            expected: value(Witness::Expected),
            computed: value(Witness::Computed),
            reported: value(Witness::Reported),
            compiled: value(Witness::Compiled),
            observed: value(Witness::Observed),
            note: note.as_deref().map(Cow::Borrowed),
            fused: *fused,
        }
    }
}

impl TryFrom<SavedRow<'_>> for Row {
    type Error = ImpossibleAccess;

    fn try_from(saved: SavedRow<'_>) -> Result<Self, ImpossibleAccess> {
        let SavedRow { path, what, space, direction, form, stage, note, fused, .. } = saved;
        let access = match (space, direction) {
            (Some(space), Some(direction)) => Some(Access { space, stage, direction, form }),
            (None, None) if form.is_none() && stage.is_compute() => None,
            (Some(_), None) | (None, _) => return Err(ImpossibleAccess(path.into_owned())),
        };
        let value = |value: Option<Cow<'_, RecordValue>>| value.map(Cow::into_owned);
        let witnesses = Witnesses {
            expected: value(saved.expected),
            computed: value(saved.computed),
            reported: value(saved.reported),
            compiled: value(saved.compiled),
            observed: value(saved.observed),
        };
        Ok(Self { path: path.into_owned(), what, access, witnesses, note: note.map(Cow::into_owned), fused })
    }
}

/// A row with some parts of an access, but not all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the row `{0}` needs a space with its direction, form and stage, or none of them")]
struct ImpossibleAccess(String);

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedRow::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedRow::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

/// The device of a check: two keys of its line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedDevice<'a> {
    device: Cow<'a, str>,
    runner: RunnerKind,
}

impl<'a> From<Option<&'a CheckDevice>> for SavedDevice<'a> {
    fn from(device: Option<&'a CheckDevice>) -> Self {
        match device {
            Some(CheckDevice { id, runner }) => Self { device: id.into(), runner: *runner },
            None => Self { device: NO_DEVICE.into(), runner: RunnerKind::Model },
        }
    }
}

impl SavedDevice<'_> {
    fn device(self) -> Option<CheckDevice> {
        let Self { device, runner } = self;
        (device != NO_DEVICE).then(|| CheckDevice { id: device.into_owned(), runner })
    }
}

/// Serde for the device of a group of checks, as the keys of [`SavedDevice`].
pub(crate) mod device_keys {
    use super::{CheckDevice, Deserialize, Deserializer, SavedDevice, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(crate) fn serialize<S: Serializer>(device: &Option<CheckDevice>, serializer: S) -> Result<S::Ok, S::Error> {
        SavedDevice::from(device.as_ref()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CheckDevice>, D::Error> {
        SavedDevice::deserialize(deserializer).map(SavedDevice::device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An agreeing check with these keys instead of its own.
    fn read(keys: &serde_json::Value) -> Result<CheckRecord, String> {
        let mut line = serde_json::json!({
            "type": "check", "schema": 1, "case": "a/b", "rules": "std140", "producer": "rspirv", "device": "lavapipe",
            "runner": "ash", "proves": "decorations", "outcome": "agree", "culprit": null, "validation": "valid",
            "skip_reason": null, "ms": 1, "leaves": 0, "rows": []
        });
        for (key, value) in keys.as_object().unwrap() {
            line[key] = value.clone();
        }
        let line: SavedLine = serde_json::from_value(line).unwrap();
        match Event::try_from(line) {
            Ok(Event::CheckFinished(check)) => Ok(check.into_owned()),
            Ok(other) => panic!("{other:?}"),
            Err(contradiction) => Err(contradiction.to_string()),
        }
    }

    #[test]
    fn keys_that_do_not_fit_the_outcome_are_refused() {
        let entry = serde_json::json!({"file": "known.toml", "line": 1, "reason": "so it is"});
        let story = serde_json::json!({
            "summary": "", "place": "", "authority": "", "blocks": [], "hint": null, "again": "", "verdict": ""
        });
        for (keys, sentence) in [
            (serde_json::json!({"skip_reason": "lost"}), "it agrees, but has a reason for not running"),
            (serde_json::json!({"culprit": "device"}), "it agrees, but names a culprit"),
            (serde_json::json!({"known": &entry}), "it is `agree`, but names a known-list entry"),
            (serde_json::json!({"story": story}), "it is `agree`, but tells of a failure"),
            (serde_json::json!({"skip_kind": "not-applicable"}), "it has a skip kind, but is not skipped"),
            (serde_json::json!({"outcome": "differ"}), "it differs, but names no culprit"),
            (serde_json::json!({"outcome": "known"}), "it is `known`, but names no known-list entry"),
            (serde_json::json!({"outcome": "stale"}), "it is `stale`, but names no known-list entry"),
            (
                serde_json::json!({"outcome": "stale", "known": &entry, "culprit": "case"}),
                "it agrees, but names a culprit",
            ),
            (serde_json::json!({"outcome": "skipped"}), "it is skipped without a reason"),
            (serde_json::json!({"outcome": "skipped", "skip_reason": " "}), "it is skipped without a reason"),
            (
                serde_json::json!({"outcome": "skipped", "skip_reason": "a", "culprit": "case"}),
                "it is skipped, but names a culprit",
            ),
            (serde_json::json!({"outcome": "broken"}), "it is broken without a reason"),
        ] {
            let expected = format!("`a::b::std140::rspirv::lavapipe::ash` contradicts itself: {sentence}");
            assert_eq!(read(&keys).unwrap_err(), expected);
        }
    }

    #[test]
    fn each_outcome_is_read_and_written_with_its_keys() {
        let entry = serde_json::json!({"file": "known.toml", "line": 1, "reason": "so it is"});
        for keys in [
            serde_json::json!({}),
            serde_json::json!({"outcome": "differ", "culprit": "device"}),
            serde_json::json!({"outcome": "differ", "culprit": "compiler", "skip_reason": "dxc died"}),
            serde_json::json!({"outcome": "known", "known": &entry, "skip_reason": "dxc died"}),
            serde_json::json!({"outcome": "known", "known": &entry, "culprit": "report"}),
            serde_json::json!({"outcome": "stale", "known": &entry}),
            serde_json::json!({"outcome": "skipped", "skip_reason": "no", "skip_kind": "not-applicable"}),
            serde_json::json!({"outcome": "broken", "skip_reason": "device lost", "culprit": "compiler"}),
        ] {
            let written = serde_json::to_value(read(&keys).unwrap()).unwrap();
            for (key, value) in keys.as_object().unwrap() {
                assert_eq!(&written[key], value, "{key} of {keys}");
            }
            assert_eq!(read(&written).unwrap(), read(&keys).unwrap());
        }
    }
}
