//! One check: a subject's shaders on one device.
//!
//! [`super::jobs`] lists the jobs that the device can run, and `check_record` makes a record of the
//! results. This module depends on neither.

use std::sync::Arc;

use layoutproof_device::DeviceInfo;

use crate::check::produce::subject_shaders::SubjectShaders;
use crate::check::subject::Subject;
use layoutproof_events::check_id::{CheckId, CheckRules};
use layoutproof_events::producer::Producer;

/// A subject's shaders on one device.
#[derive(Clone, Debug)]
pub struct Check {
    /// The case or file under a rule set.
    pub subject: Arc<Subject>,
    pub produced: Arc<SubjectShaders>,
    pub device: DeviceInfo,
}

impl Check {
    pub fn id(&self) -> CheckId {
        Self::planned_id(&self.subject, self.produced.producer, &self.device)
    }

    /// Returns the id of a check before its shaders exist.
    pub fn planned_id(subject: &Subject, producer: Producer, device: &DeviceInfo) -> CheckId {
        CheckId {
            case: subject.source.id.clone(),
            rules: CheckRules::Layout(subject.rules.to_owned()),
            producer: producer.into(),
            device: Some(device.into()),
        }
    }
}
