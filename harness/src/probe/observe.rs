//! Decodes what a device did: the byte offset of every leaf, from the bytes that came back.
//!
//! A read leaf says where it was read, because the image's bytes carry their offsets. A written leaf is looked for in
//! the whole memory, because its value carries the offset where it belongs. Everything that must not change is compared
//! as well: padding, guards, the memory around each buffer (`unchanged`). A leaf is found from the dispatches whose ink
//! is its own (`sight`). No offset is judged here.

use std::fmt;

use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_device::{BufferAfter, JobBuffer, ReadBack};
use thiserror::Error;

use super::clobber::changes;
use super::decode_leaf::Sights;
use super::{AnswerSlot, BoundRange, Interface, ProbeEntry, ProbeJob, ProbePlan, ProbeRun, Socket};
use crate::probe::image::decode;
use crate::probe::image::encoding::{Half, Ink};
use crate::probe::{AddressSpace, Direction, Form};

/// Where one leaf was, through one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Index into [`ProbePlan::leaves`].
    pub leaf: u32,
    /// Where the block lived.
    pub space: AddressSpace,
    /// Which way bytes went.
    pub direction: Direction,
    /// How the shader reached the leaf.
    pub form: Form,
    /// Where the bound range ended.
    pub range: BoundRange,
    /// The byte that was read or written, from the start of the block; for [`Form::Length`] the number of elements.
    /// `None` where the answer names none.
    pub offset: Option<u32>,
    /// The answer in words, where it is not plainly the leaf's own offset (`read 0xBADD0030, padding at byte 48`).
    pub note: Option<String>,
}

/// What came back of one job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// One per form and leaf, forms in the entry's order, leaves in the plan's.
    pub observations: Vec<Observation>,
    /// What no device that follows the shader does.
    pub problems: Vec<ProbeProblem>,
}

/// A buffer of the probe's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferRole {
    /// The block under test.
    Block,
    /// The answers.
    Output,
    /// Nonce, values and indices.
    Input,
    /// The block in another layout.
    Copy,
    /// Another element of the array of buffers that the block is in.
    Element(u32),
}

/// Something that must not happen, whatever the layout is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProbeProblem {
    /// The nonce is not in the output.
    #[error("the dispatch did nothing: the nonce's word holds {found:#010X}, {}", decode(*found))]
    NoNonce {
        /// What is there.
        found: u32,
    },
    /// The shader's answer for a leaf is missing.
    #[error("`{path}` was not stored to the output")]
    NotStored {
        /// Path of the leaf.
        path: String,
    },
    /// A written leaf is nowhere.
    #[error("`{path}` was not written: byte {offset} holds {found:#010X}, {}", meaning(*found, *half))]
    NotWritten {
        /// Path of the leaf.
        path: String,
        /// Offset of the leaf in bytes.
        offset: u32,
        /// What is there.
        found: u32,
        /// Which half of offsets words carry, where they carry but one.
        half: Option<Half>,
    },
    /// Bytes changed that the shader must not touch.
    #[error("{role} byte {offset} changed from {was:#010X} to {is:#010X}, {}", meaning(*is, *half))]
    Changed {
        /// The buffer.
        role: BufferRole,
        /// From the start of the bound range, in bytes; negative before it.
        offset: i64,
        /// Before the dispatch.
        was: u32,
        /// After it.
        is: u32,
        /// Which half of offsets words carry, where they carry but one.
        half: Option<Half>,
    },
    /// The runner's answer does not have the job's shape.
    #[error("read-back does not match the job: {0}")]
    BadReadBack(String),
}

/// What a word says about itself, as far as one half of an offset tells.
fn meaning(word: u32, half: Option<Half>) -> String {
    let said = decode(word);
    match half {
        None => said.to_string(),
        Some(Half::Low) => format!("{said} (offsets modulo 65536)"),
        Some(Half::High) => format!("{said} (offsets in units of 65536)"),
    }
}

impl fmt::Display for BufferRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block => f.write_str("block"),
            Self::Output => f.write_str("output"),
            Self::Input => f.write_str("input"),
            Self::Copy => f.write_str("copy"),
            Self::Element(element) => write!(f, "element {element}"),
        }
    }
}

/// Reads the answers of one probe of `plan`, one answer per dispatch.
pub fn observe(plan: &ProbePlan, probe: &ProbeJob, answers: &[ReadBack]) -> Observed {
    let mut observed = Observed::default();
    if answers.len() != probe.runs.len() {
        let reason = format!("{} dispatches, {} answers", probe.runs.len(), answers.len());
        observed.problems.push(ProbeProblem::BadReadBack(reason));
        return observed;
    }
    let views = probe.runs.iter().zip(answers).map(|(run, answer)| CheckedAnswer::new(run, answer, probe.interface));
    let views = match views.collect::<Result<Vec<_>, _>>() {
        Ok(views) => views,
        Err(reason) => {
            observed.problems.push(ProbeProblem::BadReadBack(reason));
            return observed;
        }
    };
    for view in &views {
        let nonce = word_at(&view.output.bytes, 0);
        if nonce != word_at(&view.input_job.bytes, 0) && !is_planted(PlantedBug::NonceNotChecked) {
            add(&mut observed.problems, ProbeProblem::NoNonce { found: nonce });
        }
    }
    let sights = Sights { plan, probe, views: &views };
    match probe.entry.direction {
        Direction::Read => sights.read(&mut observed),
        Direction::Write => sights.write(&mut observed),
    }
    for problem in views.iter().flat_map(|view| changes(plan, probe, view)) {
        add(&mut observed.problems, problem);
    }
    observed
}

/// What a device does that reads every leaf of a probe where the layout has it.
pub fn observed_right(plan: &ProbePlan, probe: &ProbeJob) -> Observed {
    let ProbeEntry { space, direction, .. } = probe.entry;
    let right = |slot: &AnswerSlot| Observation {
        leaf: slot.leaf,
        space,
        direction,
        form: slot.form,
        range: probe.range,
        offset: Some(plan.leaves[slot.leaf as usize].offset),
        note: None,
    };
    Observed { observations: probe.wiring.slots.iter().map(right).collect(), problems: Vec::new() }
}

/// Adds a problem unless it is there already: what goes wrong in one plane does in most.
fn add(problems: &mut Vec<ProbeProblem>, new: ProbeProblem) {
    let same = |old: &ProbeProblem| match (old, &new) {
        (ProbeProblem::Changed { role, offset, .. }, ProbeProblem::Changed { role: other, offset: at, .. }) => {
            (role, offset) == (other, at)
        }
        (ProbeProblem::NoNonce { .. }, ProbeProblem::NoNonce { .. }) => true,
        (old, new) => old == new,
    };
    if !problems.iter().any(same) {
        problems.push(new);
    }
}

/// The half of offsets that the words of a dispatch carry, where that is not all.
pub(super) fn half_of(probe: &ProbeJob, run: &ProbeRun) -> Option<Half> {
    let two = probe.runs.iter().any(|run| run.ink == Ink::Words(Half::High));
    match run.ink {
        Ink::Words(half) if two => Some(half),
        Ink::Words(_) | Ink::Plane(_) => None,
    }
}

/// A dispatch and its answer, shapes checked.
pub(super) struct CheckedAnswer<'a> {
    pub(super) run: &'a ProbeRun,
    /// The block's buffer; `None` for push constants.
    pub(super) block: Option<(&'a JobBuffer, &'a BufferAfter)>,
    pub(super) output_job: &'a JobBuffer,
    pub(super) output: &'a BufferAfter,
    pub(super) input_job: &'a JobBuffer,
    pub(super) input: &'a BufferAfter,
    /// The block at binding 3, if the entry has one.
    pub(super) copy: Option<(&'a JobBuffer, &'a BufferAfter)>,
    /// The other elements of the array of buffers that the block is in.
    pub(super) elements: Vec<(&'a JobBuffer, &'a BufferAfter)>,
}

impl<'a> CheckedAnswer<'a> {
    fn new(run: &'a ProbeRun, answer: &'a ReadBack, interface: Interface) -> Result<Self, String> {
        let buffers = &run.job.buffers;
        if buffers.len() != answer.buffers.len() {
            return Err(format!("{} buffers, {} came back", buffers.len(), answer.buffers.len()));
        }
        let pairs: Vec<_> = buffers.iter().zip(&answer.buffers).collect();
        if let Some((job, after)) = pairs
            .iter()
            .find(|(job, after)| job.bytes.len() != after.bytes.len() || job.after.len() != after.after.len())
        {
            return Err(format!(
                "binding {} has {} + {} bytes, {} + {} came back",
                job.binding,
                job.bytes.len(),
                job.after.len(),
                after.bytes.len(),
                after.after.len()
            ));
        }
        let at = |job: &JobBuffer, socket: Socket| (job.set, job.binding) == socket;
        let find = |socket| pairs.iter().copied().find(|(job, _)| at(job, socket));
        let (output_job, output) = find(interface.output).ok_or("no output buffer")?;
        let (input_job, input) = find(interface.input).ok_or("no input buffer")?;
        let mut elements: Vec<_> = pairs.iter().copied().filter(|(job, _)| at(job, interface.block)).collect();
        // The block is the last element of its array, or the only buffer.
        let block = elements.pop();
        Ok(Self { run, block, output_job, output, input_job, input, copy: find(interface.copy), elements })
    }
}

/// The little-endian word at a byte, zero behind the end.
pub(super) fn word_at(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}

pub(super) fn signed(offset: usize) -> i64 {
    i64::try_from(offset).expect("a slice is at most 2^63 bytes long")
}
