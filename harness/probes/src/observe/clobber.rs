//! Compares the bytes that a dispatch must leave alone before and after it.

use std::collections::BTreeSet;

use layoutproof_device::{BufferAfter, JobBuffer};

use super::checked_answer::{CheckedAnswer, half_of, signed, word_at};
use super::observation::{BufferRole, ProbeProblem};
use crate::image::encoding::{Half, Salt};
use crate::image::{BEFORE_WORD, Owner};
use crate::{Direction, ProbeJob, ProbePlan};

/// Returns every word with a changed byte that the probe must not change.
pub(super) fn changes(plan: &ProbePlan, probe: &ProbeJob, view: &CheckedAnswer<'_>) -> Vec<ProbeProblem> {
    let mut changes = Vec::new();
    if let Some((job, after)) = view.block {
        let may_change = |offset: usize| match probe.entry.direction {
            Direction::Read => false,
            Direction::Write => matches!(probe.image.owners.get(offset), Some(Owner::Leaf(_))),
        };
        let inside = differences(&job.bytes, &after.bytes, may_change);
        changes.extend(inside.map(|word| changed(BufferRole::Block, signed(word.offset), word)));
        changes.extend(around(BufferRole::Block, job, after));
    }

    for (job, after) in &view.elements {
        let role = BufferRole::Element(job.element);
        let inside = differences(&job.bytes, &after.bytes, |_| false);
        changes.extend(inside.map(|word| changed(role, signed(word.offset), word)));
        changes.extend(around(role, job, after));
    }

    let input = differences(&view.input_job.bytes, &view.input.bytes, |_| false);
    changes.extend(input.map(|word| changed(BufferRole::Input, signed(word.offset), word)));
    changes.extend(around(BufferRole::Input, view.input_job, view.input));
    changes.extend(around(BufferRole::Output, view.output_job, view.output));

    if let Some((job, after)) = view.copy {
        let targets = match probe.entry.direction {
            Direction::Read => copy_bytes(plan, probe),
            Direction::Write => BTreeSet::new(),
        };
        let inside = differences(&job.bytes, &after.bytes, |offset| targets.contains(&offset));
        changes.extend(inside.map(|word| changed(BufferRole::Copy, signed(word.offset), word)));
        changes.extend(around(BufferRole::Copy, job, after));
    }

    let half = half_of(probe, view.run);
    changes.into_iter().map(|change| change.problem(view.run.salt, half)).collect()
}

/// A word that changed.
struct Change {
    role: BufferRole,
    /// Bytes from the start of the bound range; negative before it.
    offset: i64,
    was: u32,
    is: u32,
}

impl Change {
    fn problem(self, salt: Salt, half: Option<Half>) -> ProbeProblem {
        let Self { role, offset, was, is } = self;
        ProbeProblem::Changed { role, offset, was: salt.turn(was), is: salt.turn(is), half }
    }
}

/// Returns the bytes at binding 3 that receive copies of leaves.
fn copy_bytes(plan: &ProbePlan, probe: &ProbeJob) -> BTreeSet<usize> {
    let places = probe.wiring.slots.iter().flat_map(|slot| {
        let size = plan.leaves[slot.leaf as usize].component.size;
        slot.places.iter().filter_map(|place| place.in_copy()).flat_map(move |start| start..start + size)
    });
    places.map(|offset| offset as usize).collect()
}

/// Returns the changes before and after a buffer's bound range.
fn around(role: BufferRole, job: &JobBuffer, after: &BufferAfter) -> Vec<Change> {
    let fill: Vec<u8> = BEFORE_WORD.to_le_bytes().into_iter().cycle().take(after.before.len()).collect();
    let before = differences(&fill, &after.before, |_| false)
        .map(|word| changed(role, signed(word.offset) - signed(after.before.len()), word));
    let behind = differences(&job.after, &after.after, |_| false)
        .map(|word| changed(role, signed(job.bytes.len() + word.offset), word));
    before.chain(behind).collect()
}

fn changed(role: BufferRole, offset: i64, word: ChangedWord) -> Change {
    Change { role, offset, was: word.was, is: word.is }
}

/// Bytes to compare at once before comparing words.
const COMPARED_BYTES: usize = 4096;

/// A changed word of a buffer.
#[derive(Clone, Copy, Debug)]
struct ChangedWord {
    /// In bytes.
    offset: usize,
    was: u32,
    is: u32,
}

/// Returns the words with differences outside the bytes that may change.
fn differences<'a>(
    was: &'a [u8],
    is: &'a [u8],
    may_change: impl Fn(usize) -> bool + Copy + 'a,
) -> impl Iterator<Item = ChangedWord> + 'a {
    let pieces = (0..).step_by(COMPARED_BYTES).zip(was.chunks(COMPARED_BYTES).zip(is.chunks(COMPARED_BYTES)));

    // Most pieces are unchanged, and comparing a whole piece is faster than comparing words.
    pieces.filter(|(_, (was, is))| was != is).flat_map(move |(start, (was, is))| {
        let words = (start..).step_by(4).zip(was.chunks(4).zip(is.chunks(4)));
        words.filter_map(move |(offset, (was, is))| {
            let mut bytes = (offset..).zip(was.iter().zip(is));
            let differ = bytes.any(|(offset, (was, is))| was != is && !may_change(offset));
            differ.then(|| ChangedWord { offset, was: word_at(was, 0), is: word_at(is, 0) })
        })
    })
}
