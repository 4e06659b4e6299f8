//! The lines of a records file as JSON: schema 1 of the command-line contract.
//!
//! This is the only module that knows how a check looks in a file. A file names the parts of a check
//! side by side; the types of this program put them where they belong.

use std::borrow::Cow;

use layoutproof_device::RunnerKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    BoundCount, CheckRecord, Culprit, KnownEntry, Outcome, Proves, Reason, Reasons, Row, SCHEMA, SkipKind, Story,
    are_none, is_zero,
};
use crate::check::check_id::{CheckDevice, CheckId, CheckRules, ShaderMaker};
use crate::check::verdict::Validation;

/// The word for the device of a check without one.
const NO_DEVICE: &str = "none";

/// A check as its line holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedCheck<'a> {
    schema: u32,
    case: Cow<'a, str>,
    rules: Cow<'a, CheckRules>,
    producer: Cow<'a, ShaderMaker>,
    device: Cow<'a, str>,
    /// The model for a check without a device.
    runner: RunnerKind,
    proves: Proves,
    outcome: Outcome,
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
    ms: u64,
    leaves: u32,
    #[serde(default, skip_serializing_if = "are_none")]
    leaves_not_probed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bound: Option<Cow<'a, BoundCount>>,
    rows: Cow<'a, [Row]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    story: Option<Cow<'a, Story>>,
}

fn is_empty<T: Clone>(list: &Cow<'_, [T]>) -> bool {
    list.is_empty()
}

impl<'a> From<&'a CheckRecord> for SavedCheck<'a> {
    fn from(check: &'a CheckRecord) -> Self {
        let CheckId { case, rules, producer, device } = &check.id;
        let device = SavedDevice::from(device.as_ref());
        Self {
            schema: SCHEMA,
            case: case.into(),
            rules: Cow::Borrowed(rules),
            producer: Cow::Borrowed(producer),
            device: device.device,
            runner: device.runner,
            proves: check.proves,
            outcome: check.outcome,
            culprit: check.culprit,
            validation: Cow::Borrowed(&check.validation),
            skip_reason: check.skip_reason.as_ref().map(Cow::Borrowed),
            skip_kind: check.skip_kind,
            not_checked: check.not_checked.as_slice().into(),
            driver_messages: check.driver_messages.as_slice().into(),
            known: check.known.as_ref().map(Cow::Borrowed),
            fast: check.fast,
            thorough: check.thorough.as_slice().into(),
            cached: check.cached,
            retries: check.retries,
            ms: check.ms,
            leaves: check.leaves,
            leaves_not_probed: check.leaves_not_probed,
            bound: check.bound.as_ref().map(Cow::Borrowed),
            rows: check.rows.as_slice().into(),
            story: check.story.as_ref().map(Cow::Borrowed),
        }
    }
}

impl From<SavedCheck<'_>> for CheckRecord {
    fn from(saved: SavedCheck<'_>) -> Self {
        Self {
            id: CheckId {
                case: saved.case.into_owned(),
                rules: saved.rules.into_owned(),
                producer: saved.producer.into_owned(),
                device: SavedDevice { device: saved.device, runner: saved.runner }.device(),
            },
            proves: saved.proves,
            outcome: saved.outcome,
            culprit: saved.culprit,
            validation: saved.validation.into_owned(),
            skip_reason: saved.skip_reason.map(Cow::into_owned),
            skip_kind: saved.skip_kind,
            not_checked: saved.not_checked.into_owned(),
            driver_messages: saved.driver_messages.into_owned(),
            known: saved.known.map(Cow::into_owned),
            fast: saved.fast,
            thorough: saved.thorough.into_owned(),
            cached: saved.cached,
            retries: saved.retries,
            ms: saved.ms,
            leaves: saved.leaves,
            leaves_not_probed: saved.leaves_not_probed,
            bound: saved.bound.map(Cow::into_owned),
            rows: saved.rows.into_owned(),
            story: saved.story.map(Cow::into_owned),
        }
    }
}

impl Serialize for CheckRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedCheck::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CheckRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedCheck::deserialize(deserializer).map(Self::from)
    }
}

/// The device of a check: two keys of its line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedDevice<'a> {
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
pub(super) mod device_keys {
    use super::{CheckDevice, Deserialize, Deserializer, SavedDevice, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        device: &Option<CheckDevice>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        SavedDevice::from(device.as_ref()).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<CheckDevice>, D::Error> {
        SavedDevice::deserialize(deserializer).map(SavedDevice::device)
    }
}
