//! Describes the accesses that a compiler gets for a block, and chooses one of them where cases
//! take turns.
//!
//! `produce_compiled` lists the accesses of a block.

use std::collections::BTreeSet;

use layoutproof_layout::BlockLayout;

use crate::check::produce::settings::{CompiledAccesses, Settings};
use crate::check::subject::Subject;
use layoutproof_probes::{Form, ProbePlan};
use layoutproof_source::stable_hash::stable_hash;

/// What a shader does with a block: one entry point, hence one compilation.
pub(super) struct BlockAccess {
    /// The block, or the array that contains it as an element.
    pub(super) layout: BlockLayout,
    pub(super) plan: ProbePlan,
    pub(super) element: AccessedElement,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum AccessedElement {
    /// The block itself if it is in no array.
    First,
    Second,
}

impl BlockAccess {
    pub(super) fn first(layout: &BlockLayout, plan: ProbePlan) -> Self {
        Self { layout: layout.clone(), plan, element: AccessedElement::First }
    }

    /// Splits the access by form. Each part also keeps the reads by plain name, since they expose
    /// code that contradicts itself.
    fn by_form(&self) -> Vec<Self> {
        let forms: BTreeSet<Form> = self.plan.entries.iter().flat_map(|entry| entry.forms.clone()).collect();
        let others = forms.iter().filter(|form| forms.len() == 1 || **form != Form::Leaf);
        let with_names = |form: &Form| Self {
            layout: self.layout.clone(),
            plan: self.plan.clone().only(&[Form::Leaf, *form].into()),
            element: self.element,
        };
        others.map(with_names).collect()
    }

    /// Describes the kind of access, as a key for the choice.
    fn kind(&self) -> String {
        let entries = self.plan.entries.iter().map(|entry| (&entry.name, &entry.forms));
        format!("{:?} {:?}", self.element, entries.collect::<Vec<_>>())
    }
}

/// Chooses which of `accesses` to compile for a subject: all of them, or one in turn.
pub(super) fn chosen(accesses: Vec<BlockAccess>, subject: &Subject, settings: &Settings) -> Vec<BlockAccess> {
    match settings.compiled {
        CompiledAccesses::All => accesses,
        CompiledAccesses::OneInTurn => {
            // The highest weight still wins after other kinds disappear, so a reduced declaration
            // keeps its kind.
            let weight = |access: &BlockAccess| stable_hash(&format!("{} {}", subject.source.id, access.kind()));
            let winner = accesses.iter().flat_map(BlockAccess::by_form).max_by_key(weight);
            // Accesses without any form carry the reason.
            winner.map_or(accesses, |winner| vec![winner])
        }
    }
}
