//! The dispatches of a plan: one shader with its entry points in, jobs with their buffers out.
//!
//! Every entry point runs once with guards inside the bound range, so that a read or write behind the block hits
//! something that names itself. Entry points with the leaf form run again with the exact range, where devices may treat
//! the end differently. Push constants have no range, so no guards. The output is refilled and each dispatch has a
//! nonce of its own, so a dispatch that does nothing shows.

use std::collections::BTreeSet;

use super::{ProbeEntry, ProbePlan};
use crate::image::{BEFORE_WORD, Image, ImageError, REFILL_WORD, data_word, guard_bytes, nonce_word};
use crate::layout::BlockLayout;
use crate::record::{Direction, Form, Space};
use crate::runner::{BufferKind, Feature, Job, JobBuffer, Shader};

/// Bytes of guards inside the bound range, and as many behind it.
const GUARD_BYTES: u32 = 64;

/// Where the bound range of the block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Range {
    /// Behind guards that follow the block.
    Guarded,
    /// With the block itself. Push constants have no other.
    Exact,
}

/// A job of a plan with what is needed to read its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeJob {
    /// The job.
    pub job: Job,
    /// The entry point.
    pub entry: ProbeEntry,
    /// Where the bound range ends.
    pub range: Range,
    /// The block's bytes before the dispatch, guards included.
    pub image: Image,
}

/// A shader that has all entry points of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanShader<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// What a device must have to take it.
    pub requires: &'a BTreeSet<Feature>,
}

/// The jobs of every entry point of `plan`, in the plan's order.
///
/// # Errors
/// If the block has no image.
pub fn jobs(layout: &BlockLayout, plan: &ProbePlan, shader: PlanShader<'_>) -> Result<Vec<ProbeJob>, ImageError> {
    if plan.entries.is_empty() {
        return Ok(Vec::new());
    }
    let image = Image::new(layout, plan)?;
    let guarded = image.clone().with_guards(GUARD_BYTES);
    let has_guards = guarded.bytes.len() > image.bytes.len();
    let mut jobs = Vec::new();
    for entry in &plan.entries {
        let guards = has_guards && entry.space != Space::PushConstant;
        let ranges = match (guards, entry.forms.contains(&Form::Leaf)) {
            (true, true) => vec![Range::Guarded, Range::Exact],
            (true, false) => vec![Range::Guarded],
            (false, _) => vec![Range::Exact],
        };
        for range in ranges {
            let image = match range {
                Range::Guarded => guarded.clone(),
                Range::Exact => image.clone(),
            };
            let image = match entry.direction {
                Direction::Read => image,
                Direction::Write => image.complemented(),
            };
            let nonce = nonce_word(u32::try_from(jobs.len() + 1).unwrap_or(u32::MAX));
            let job = job(entry, &image, shader, (plan, nonce));
            jobs.push(ProbeJob { job, entry: entry.clone(), range, image });
        }
    }
    Ok(jobs)
}

fn job(entry: &ProbeEntry, image: &Image, shader: PlanShader<'_>, (plan, nonce): (&ProbePlan, u32)) -> Job {
    let (answers, values) = match entry.direction {
        Direction::Read => (entry.forms.len() * plan.leaves.len(), Vec::new()),
        Direction::Write => (0, plan.leaves.iter().map(|leaf| data_word(leaf.offset)).collect()),
    };
    let input: Vec<u32> = std::iter::once(nonce).chain(values).collect();
    let mut buffers = Vec::new();
    let mut push_constants = Vec::new();
    let kind = match (entry.space, entry.direction) {
        (Space::PushConstant, _) => None,
        (Space::Uniform, _) => Some(BufferKind::Uniform),
        (Space::Storage, Direction::Read) => Some(BufferKind::StorageRead),
        (Space::Storage, Direction::Write) => Some(BufferKind::Storage),
    };
    match kind {
        None => push_constants.clone_from(&image.bytes),
        Some(kind) => {
            let after = guard_bytes(image.bytes.len(), GUARD_BYTES);
            buffers.push(JobBuffer { after, ..buffer(0, kind, image.bytes.clone()) });
        }
    }
    buffers.push(buffer(1, BufferKind::Storage, bytes_of(&vec![REFILL_WORD; 1 + answers])));
    buffers.push(buffer(2, BufferKind::StorageRead, bytes_of(&input)));
    Job {
        shader: shader.shader.clone(),
        entry: entry.name.clone(),
        buffers,
        push_constants,
        workgroups: [1, 1, 1],
        requires: shader.requires.clone(),
    }
}

/// A buffer at set 0; words of the refill stand behind it.
fn buffer(binding: u32, kind: BufferKind, bytes: Vec<u8>) -> JobBuffer {
    JobBuffer { set: 0, binding, kind, bytes, after: bytes_of(&[REFILL_WORD; 4]), before_word: BEFORE_WORD }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
