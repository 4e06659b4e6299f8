//! What a device did: the bytes that came back in, the byte offset of every leaf out.
//!
//! A read leaf says where it was read, because the image's words carry their offsets. A written leaf is looked for in
//! the whole memory, because its value carries the offset where it belongs. Everything that must not change is compared
//! as well: padding, guards, the memory around each buffer. No offset is judged here.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use super::{ProbeJob, ProbePlan, Range};
use crate::image::{BEFORE_WORD, Owner, Word, decode};
use crate::layout::Leaf;
use crate::record::{Direction, Form, Space};
use crate::runner::{BufferAfter, JobBuffer, ReadBack};

/// Where one leaf was, through one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Index into [`ProbePlan::leaves`].
    pub leaf: u32,
    /// Where the block lived.
    pub space: Space,
    /// Which way bytes went.
    pub direction: Direction,
    /// How the shader reached the leaf.
    pub form: Form,
    /// Where the bound range ended.
    pub range: Range,
    /// The byte that was read or written, from the start of the block; `None` where the answer names none.
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
    pub problems: Vec<Problem>,
}

/// A buffer of the probe's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferRole {
    /// The block under test.
    Block,
    /// The answers.
    Output,
    /// Nonce and values.
    Input,
}

/// Something that must not happen, whatever the layout is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Problem {
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
    #[error("`{path}` was not written: byte {offset} holds {found:#010X}, {}", decode(*found))]
    NotWritten {
        /// Path of the leaf.
        path: String,
        /// Offset of the leaf in bytes.
        offset: u32,
        /// What is there.
        found: u32,
    },
    /// Bytes changed that the shader must not touch.
    #[error("{role} byte {offset} changed from {was:#010X} to {is:#010X}, {}", decode(*is))]
    Changed {
        /// The buffer.
        role: BufferRole,
        /// From the start of the bound range, in bytes; negative before it.
        offset: i64,
        /// Before the dispatch.
        was: u32,
        /// After it.
        is: u32,
    },
    /// The runner's answer does not have the job's shape.
    #[error("read-back does not match the job: {0}")]
    BadReadBack(String),
}

impl fmt::Display for BufferRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "block",
            Self::Output => "output",
            Self::Input => "input",
        })
    }
}

/// Reads the answer of one job of `plan`.
pub fn observe(plan: &ProbePlan, probe: &ProbeJob, answer: &ReadBack) -> Observed {
    let view = match View::new(plan, probe, answer) {
        Ok(view) => view,
        Err(reason) => return Observed { problems: vec![Problem::BadReadBack(reason)], ..Observed::default() },
    };
    let mut observed = Observed::default();
    let nonce = word_at(&view.output.bytes, 0);
    if nonce != word_at(&view.input_job.bytes, 0) {
        observed.problems.push(Problem::NoNonce { found: nonce });
    }
    match probe.entry.direction {
        Direction::Read => view.read(&mut observed),
        Direction::Write => view.write(&mut observed),
    }
    view.changes(&mut observed.problems);
    observed
}

/// A job and its answer, shapes checked.
struct View<'a> {
    plan: &'a ProbePlan,
    probe: &'a ProbeJob,
    /// The block's buffer; `None` for push constants.
    block: Option<(&'a JobBuffer, &'a BufferAfter)>,
    output_job: &'a JobBuffer,
    output: &'a BufferAfter,
    input_job: &'a JobBuffer,
    input: &'a BufferAfter,
}

impl<'a> View<'a> {
    fn new(plan: &'a ProbePlan, probe: &'a ProbeJob, answer: &'a ReadBack) -> Result<Self, String> {
        let buffers = &probe.job.buffers;
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
        let find = |binding: u32| pairs.iter().copied().find(|(job, _)| job.binding == binding);
        let (output_job, output) = find(1).ok_or("no output buffer")?;
        let (input_job, input) = find(2).ok_or("no input buffer")?;
        Ok(Self { plan, probe, block: find(0), output_job, output, input_job, input })
    }

    fn read(&self, observed: &mut Observed) {
        let mut words = self.output.bytes.chunks_exact(4).skip(1).map(|bytes| word_at(bytes, 0));
        for form in &self.probe.entry.forms {
            for (index, leaf) in (0..).zip(&self.plan.leaves) {
                let Some(word) = words.next() else {
                    observed.problems.push(Problem::NotStored { path: leaf.path.clone() });
                    continue;
                };
                let said = decode(word);
                if said == Word::Refill {
                    observed.problems.push(Problem::NotStored { path: leaf.path.clone() });
                }
                let (offset, note) = match said {
                    Word::Data(offset) if offset == leaf.offset => (Some(offset), None),
                    Word::Data(offset) => {
                        (Some(offset), Some(format!("read {word:#010X}, {said}{}", self.owner(offset))))
                    }
                    Word::Padding(offset) | Word::Guard(offset) => {
                        (Some(offset), Some(format!("read {word:#010X}, {said}")))
                    }
                    Word::Unwritten(_)
                    | Word::Before
                    | Word::Nonce(_)
                    | Word::Refill
                    | Word::Zero
                    | Word::Unknown(_) => (None, Some(format!("read {word:#010X}, {said}"))),
                };
                observed.observations.push(self.observation((index, *form), offset, note));
            }
        }
    }

    fn write(&self, observed: &mut Observed) {
        let Some((_, block)) = self.block else { return };
        let found = places(block);
        for form in &self.probe.entry.forms {
            for (index, leaf) in (0..).zip(&self.plan.leaves) {
                let places = found.get(&leaf.offset).map_or(&[][..], |places| places);
                let own = i64::from(leaf.offset);
                let place = places.iter().copied().find(|place| *place == own).or(places.first().copied());
                if place.is_none() {
                    observed.problems.push(not_written(leaf, block));
                }
                let offset = place.and_then(|place| u32::try_from(place).ok());
                let note = match place {
                    Some(place) if place == own => None,
                    Some(place) => {
                        Some(format!("written to byte {place}{}", offset.map_or(String::new(), |at| self.owner(at))))
                    }
                    None => Some("written nowhere".into()),
                };
                observed.observations.push(self.observation((index, *form), offset, note));
            }
        }
    }

    fn observation(&self, (leaf, form): (u32, Form), offset: Option<u32>, note: Option<String>) -> Observation {
        let entry = &self.probe.entry;
        let (space, direction, range) = (entry.space, entry.direction, self.probe.range);
        Observation { leaf, space, direction, form, range, offset, note }
    }

    /// Whose a byte of the block is, as the rest of a sentence.
    fn owner(&self, offset: u32) -> String {
        let owner = self.probe.image.owners.get(offset as usize);
        let name = |leaf: Option<&Leaf>| leaf.map_or(String::new(), |leaf| format!(", which is `{}`", leaf.path));
        match owner {
            Some(Owner::Leaf(index)) => name(self.plan.leaves.get(*index as usize)),
            Some(Owner::NotProbed(index)) => name(self.plan.not_probed.get(*index as usize).map(|it| &it.leaf)),
            Some(Owner::Padding) => ", which is padding".into(),
            Some(Owner::Guard) => ", behind the block".into(),
            None => String::new(),
        }
    }

    /// Everything that must be as it was.
    fn changes(&self, problems: &mut Vec<Problem>) {
        if let Some((job, after)) = self.block {
            let written = |offset: usize| match self.probe.entry.direction {
                Direction::Read => false,
                Direction::Write => matches!(self.probe.image.owners.get(offset), Some(Owner::Leaf(_))),
            };
            let inside = differences(&job.bytes, &after.bytes).filter(|(offset, _)| !written(*offset));
            problems.extend(inside.map(|(offset, words)| changed(BufferRole::Block, signed(offset), words)));
            problems.extend(around(BufferRole::Block, job, after));
        }
        let input = differences(&self.input_job.bytes, &self.input.bytes);
        problems.extend(input.map(|(offset, words)| changed(BufferRole::Input, signed(offset), words)));
        problems.extend(around(BufferRole::Input, self.input_job, self.input));
        problems.extend(around(BufferRole::Output, self.output_job, self.output));
    }
}

/// Changes before and behind a buffer's bound range.
fn around(role: BufferRole, job: &JobBuffer, after: &BufferAfter) -> Vec<Problem> {
    let fill: Vec<u8> = BEFORE_WORD.to_le_bytes().into_iter().cycle().take(after.before.len()).collect();
    let before = differences(&fill, &after.before)
        .map(|(offset, words)| changed(role, signed(offset) - signed(after.before.len()), words));
    let behind = differences(&job.after, &after.after)
        .map(|(offset, words)| changed(role, signed(job.bytes.len() + offset), words));
    before.chain(behind).collect()
}

fn changed(role: BufferRole, offset: i64, (was, is): (u32, u32)) -> Problem {
    Problem::Changed { role, offset, was, is }
}

/// Byte offsets of the words that differ, with both words.
fn differences<'a>(was: &'a [u8], is: &'a [u8]) -> impl Iterator<Item = (usize, (u32, u32))> + 'a {
    let words = was.chunks(4).zip(is.chunks(4)).map(|(was, is)| (word_at(was, 0), word_at(is, 0)));
    (0..).step_by(4).zip(words).filter(|(_, (was, is))| was != is)
}

fn not_written(leaf: &Leaf, block: &BufferAfter) -> Problem {
    let found = word_at(&block.bytes, leaf.offset as usize);
    Problem::NotWritten { path: leaf.path.clone(), offset: leaf.offset, found }
}

/// Where the value of each offset stands, at any byte from the memory before the bound range to that behind it.
fn places(block: &BufferAfter) -> BTreeMap<u32, Vec<i64>> {
    let start = signed(block.before.len());
    let memory = [&block.before[..], &block.bytes, &block.after].concat();
    let mut places: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for (place, word) in (0..).zip(memory.windows(4)) {
        if let Word::Data(offset) = decode(word_at(word, 0)) {
            places.entry(offset).or_default().push(place - start);
        }
    }
    places
}

fn signed(offset: usize) -> i64 {
    i64::try_from(offset).expect("a slice is at most 2^63 bytes long")
}

/// The little-endian word at a byte, zero behind the end.
fn word_at(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}
