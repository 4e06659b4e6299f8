//! What can be chosen for the shaders of a run, beside subject and producer.

use std::collections::BTreeSet;

use layoutproof_layout::{ElementChoice, RuleSet};

use crate::probe::{AddressSpace, Form, Stage};

/// What compilers are asked to do with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompiledAccesses {
    /// To read it in every form and to write it, and the same of its second element and of bytes at its address.
    All,
    /// One of these, another one for each case; forms of reading go with reading by name.
    OneInTurn,
}

/// Choices for the shaders of a run, beside subject and producer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Forms of access of our own shaders.
    pub forms: BTreeSet<Form>,
    /// Spaces in which every block is probed; `None` for the usual ones, and all of them for a core of subjects.
    pub spaces: Option<BTreeSet<AddressSpace>>,
    /// The same of stages.
    pub stages: Option<BTreeSet<Stage>>,
    /// What compilers' shaders do.
    pub compiled: CompiledAccesses,
    /// Elements of arrays.
    pub elements: ElementChoice,
    /// Rule set under which shaders are generated instead of the one that is checked: a planted fault.
    pub planted_rules: Option<RuleSet>,
}

impl Settings {
    /// Without a fault: every form of access, in the usual spaces and stages.
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
