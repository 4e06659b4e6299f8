//! Settings for the shaders of a run, apart from subject and producer.

use std::collections::BTreeSet;

use layoutproof_layout::{ElementChoice, RuleSet};

use layoutproof_probes::{AddressSpace, Form, Stage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompiledAccesses {
    /// Reads in every form, writes, the same for the second element, and byte-address accesses.
    All,
    /// One of these accesses, which depends on the case. Other forms of reading include reading by
    /// name.
    OneInTurn,
}

/// Settings for the shaders of a run, apart from subject and producer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The forms of access in our own shaders.
    pub forms: BTreeSet<Form>,
    /// The spaces in which to probe every block; `None` for the defaults, which include all spaces
    /// for a core of subjects.
    pub spaces: Option<BTreeSet<AddressSpace>>,
    /// The stages in which to probe every block; `None` for the defaults.
    pub stages: Option<BTreeSet<Stage>>,
    pub compiled: CompiledAccesses,
    pub elements: ElementChoice,
    /// A planted fault: generate shaders under this rule set instead of the one under check.
    pub planted_rules: Option<RuleSet>,
}

impl Settings {
    /// The default settings, without a fault: every form of access, in the default spaces and
    /// stages.
    pub fn usual(elements: ElementChoice) -> Self {
        Self {
            forms: Form::ALL.into(),
            spaces: None,
            stages: None,
            compiled: CompiledAccesses::All,
            elements,
            planted_rules: None,
        }
    }
}
