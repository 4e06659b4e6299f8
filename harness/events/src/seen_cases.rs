//! Collects the cases that ran, and those among them in which a compiler took part.

use std::collections::BTreeSet;

use layoutproof_layout::DECLARED;

use crate::check_id::ShaderMaker;
use crate::{CheckRecord, Culprit, LeftOutCases, OutcomeKind};

/// The cases that ran, and those among them in which a compiler took part.
#[derive(Clone, Debug)]
pub struct SeenCases<'a> {
    pub all: BTreeSet<&'a str>,
    pub by_compiler: BTreeSet<&'a str>,
}

impl<'a> SeenCases<'a> {
    pub fn of(checks: impl Iterator<Item = &'a CheckRecord>) -> Self {
        // A check without shaders compares a case's compiler with our rules; it proves nothing
        // about devices.
        let of_compiled = |check: &&CheckRecord| {
            let has_shader = !matches!(check.id.producer, ShaderMaker::NoShader);
            check.outcome.kind() != OutcomeKind::Skipped && has_shader && check.id.rules.as_str() != DECLARED
        };
        let ran: Vec<&CheckRecord> = checks.filter(of_compiled).collect();

        // A compiler that is found to be wrong took part, even if we chose the offsets.
        let is_blamed =
            |check: &CheckRecord| matches!(check.outcome.culprit(), Some(Culprit::Compiler | Culprit::Report));
        let answered = ran.iter().filter(|check| check.outcome.kind() != OutcomeKind::Broken);
        let by_compiler = answered.filter(|check| check.proves.is_of_compiler() || is_blamed(check));
        Self {
            by_compiler: by_compiler.map(|check| check.id.case.as_str()).collect(),
            all: ran.iter().map(|check| check.id.case.as_str()).collect(),
        }
    }

    /// Adds the cases of the checks that a records file leaves out.
    #[must_use]
    pub fn with_left_out(mut self, cases: &'a LeftOutCases) -> Self {
        self.all.extend(cases.ran.iter().map(String::as_str));
        self.by_compiler.extend(cases.by_compiler.iter().map(String::as_str));
        self
    }
}
