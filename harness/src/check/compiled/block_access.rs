//! What a compiler is asked to do with a block, and which of it where cases take turns.
//!
//! `produce_compiled` says what there is to do with a block.

use std::collections::BTreeSet;

use layoutproof_layout::BlockLayout;

use crate::check::produce::settings::{CompiledAccesses, Settings};
use crate::check::subject::Subject;
use crate::probe::{Form, ProbePlan};
use crate::stable_hash::stable_hash;

/// What a shader does with a block: one entry point, which a compilation is for.
pub(super) struct BlockAccess {
    /// The block, or the array of which it is an element.
    pub(super) layout: BlockLayout,
    pub(super) plan: ProbePlan,
    pub(super) element: AccessedElement,
}

/// The element of a block's array that is accessed.
#[derive(Clone, Copy, Debug)]
pub(super) enum AccessedElement {
    /// The block itself, where it is in no array.
    First,
    Second,
}

impl BlockAccess {
    /// Of the block itself.
    pub(super) fn first(layout: &BlockLayout, plan: ProbePlan) -> Self {
        Self { layout: layout.clone(), plan, element: AccessedElement::First }
    }

    /// The same for each form alone, but with what the plain names read: code at odds with itself is known by that.
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

    /// The kind of access in words.
    fn kind(&self) -> String {
        let entries = self.plan.entries.iter().map(|entry| (&entry.name, &entry.forms));
        format!("{:?} {:?}", self.element, entries.collect::<Vec<_>>())
    }
}

/// Those of `accesses` that are compiled of a subject: all, or one of them in turn.
pub(super) fn chosen(accesses: Vec<BlockAccess>, subject: &Subject, settings: &Settings) -> Vec<BlockAccess> {
    match settings.compiled {
        CompiledAccesses::All => accesses,
        CompiledAccesses::OneInTurn => {
            // The kind that wins among some still wins where others are gone, so that a smaller declaration keeps it.
            let weight = |access: &BlockAccess| stable_hash(&format!("{} {}", subject.source.id, access.kind()));
            let winner = accesses.iter().flat_map(BlockAccess::by_form).max_by_key(weight);
            // Those without any form say why.
            winner.map_or(accesses, |winner| vec![winner])
        }
    }
}
