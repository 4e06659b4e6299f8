//! One check: a subject's shaders on one device.
//!
//! [`super::jobs`] lists the jobs that the device can run, and `check_record` makes a record of the
//! results. This module depends on neither.

use std::sync::Arc;

use layoutproof_device::DeviceInfo;

use crate::check::produce::subject_shaders::SubjectShaders;
use crate::check::producer::Producer;
use crate::check::subject::Subject;

/// A subject's shaders on one device.
#[derive(Clone, Debug)]
pub struct Check {
    /// The case or file under a rule set.
    pub subject: Arc<Subject>,
    pub produced: Arc<SubjectShaders>,
    pub device: DeviceInfo,
}

impl Check {
    /// `folder::case::rules::producer::device::runner`.
    pub fn name(&self) -> String {
        Self::name_of(&self.subject, self.produced.producer, &self.device)
    }

    /// Returns the name of a check before its shaders exist.
    pub fn name_of(subject: &Subject, producer: Producer, device: &DeviceInfo) -> String {
        let case = subject.source.id.replace('/', "::");
        format!("{case}::{}::{producer}::{}::{}", subject.rules, device.id, device.runner.as_str())
    }
}
