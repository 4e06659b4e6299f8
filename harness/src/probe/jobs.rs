//! The dispatches of a plan: one shader with its entry points in, jobs with their buffers out.
//!
//! Every entry point runs once with guards inside the bound range, so that a read or write behind the block hits
//! something that names itself. Entry points with the leaf form run again with the exact range, where devices may treat
//! the end differently. Push constants have no range, so no guards. The output is refilled and each dispatch has a
//! nonce of its own, so a dispatch that does nothing shows. Where the plan has leaves that need planes, the same
//! dispatch is repeated with the image in each of them.

use std::collections::BTreeSet;

use super::{ProbeEntry, ProbePlan, Wiring, words};
use crate::image::ink::{Code, Ink};
use crate::image::{BEFORE_WORD, Image, ImageError, REFILL_WORD, data_word, nonce_word};
use crate::layout::{BlockLayout, Leaf};
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

/// The dispatches of one entry point with one range, and what is needed to read their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeJob {
    /// The entry point.
    pub entry: ProbeEntry,
    /// Where the bound range ends.
    pub range: Range,
    /// The owners of the block's bytes, guards included.
    pub image: Image,
    /// Which words are whose.
    pub wiring: Wiring,
    /// The dispatches, which differ in ink and nonce only.
    pub runs: Vec<ProbeRun>,
}

/// One dispatch of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeRun {
    /// How the bytes say where they are.
    pub ink: Ink,
    /// What the device gets.
    pub job: Job,
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
    let has_guards = guarded.owners.len() > image.owners.len();
    let inks = inks(plan, &guarded);
    let mut nonces = (1..).map(nonce_word);
    let mut jobs = Vec::new();
    for entry in &plan.entries {
        let guards = has_guards && entry.space != Space::PushConstant;
        let ranges = match (guards, entry.forms.contains(&Form::Leaf)) {
            (true, true) => vec![Range::Guarded, Range::Exact],
            (true, false) => vec![Range::Guarded],
            (false, _) => vec![Range::Exact],
        };
        let wiring = Wiring::new(layout, plan, entry);
        for range in ranges {
            let image = match range {
                Range::Guarded => guarded.clone(),
                Range::Exact => image.clone(),
            };
            let runs = inks.iter().zip(&mut nonces).map(|(ink, nonce)| {
                let job = Dispatch { entry, wiring: &wiring, image: &image, ink: *ink, nonce }.job(plan, shader);
                ProbeRun { ink: *ink, job }
            });
            let runs = runs.collect();
            jobs.push(ProbeJob { entry: entry.clone(), range, image, wiring: wiring.clone(), runs });
        }
    }
    Ok(jobs)
}

/// The inks in which the leaves of a plan say where they are.
fn inks(plan: &ProbePlan, guarded: &Image) -> Vec<Ink> {
    let codes: BTreeSet<Option<Code>> = plan.leaves.iter().map(|leaf| Code::of(leaf.component)).collect();
    // Guards stand behind the bound range as well.
    let end = u32::try_from(guarded.owners.len()).unwrap_or(u32::MAX).saturating_add(GUARD_BYTES);
    let inks = codes.into_iter().flat_map(|code| match code {
        None => vec![Ink::Words],
        Some(code) => code.planes(end).into_iter().map(Ink::Plane).collect(),
    });
    inks.collect()
}

/// What tells one dispatch of a plan from another.
struct Dispatch<'a> {
    entry: &'a ProbeEntry,
    wiring: &'a Wiring,
    image: &'a Image,
    ink: Ink,
    nonce: u32,
}

impl Dispatch<'_> {
    fn job(&self, plan: &ProbePlan, shader: PlanShader<'_>) -> Job {
        let Self { entry, wiring, image, ink, nonce } = self;
        let (values, block) = match entry.direction {
            Direction::Read => (Vec::new(), image.bytes(*ink)),
            Direction::Write => {
                let values = plan.leaves.iter().flat_map(|leaf| value(leaf, *ink)).collect();
                (values, image.complemented_bytes(*ink))
            }
        };
        let indices = wiring.indices.iter().copied();
        let input: Vec<u32> = std::iter::once(*nonce).chain(values).chain(indices).collect();
        let mut buffers = Vec::new();
        let mut push_constants = Vec::new();
        let kind = match (entry.space, entry.direction) {
            (Space::PushConstant, _) => None,
            (Space::Uniform, _) => Some(BufferKind::Uniform),
            (Space::Storage, Direction::Read) => Some(BufferKind::StorageRead),
            (Space::Storage, Direction::Write) => Some(BufferKind::Storage),
        };
        match kind {
            None => push_constants = block,
            Some(kind) => {
                let after = image.guards_behind(GUARD_BYTES, *ink);
                buffers.push(JobBuffer { after, ..buffer(0, kind, block) });
            }
        }
        buffers.push(buffer(1, BufferKind::Storage, bytes_of(&vec![REFILL_WORD; wiring.output as usize])));
        buffers.push(buffer(2, BufferKind::StorageRead, bytes_of(&input)));
        if wiring.copy > 0 {
            let kind = match entry.direction {
                Direction::Read => BufferKind::Storage,
                Direction::Write => BufferKind::StorageRead,
            };
            buffers.push(buffer(3, kind, self.copy(plan)));
        }
        let requires = shader.requires.clone();
        Job { push_constants, requires, ..Job::compute(shader.shader.clone(), &entry.name, buffers) }
    }

    /// The block at binding 3: the refill where the probe reads, the values of the leaves where it writes.
    fn copy(&self, plan: &ProbePlan) -> Vec<u8> {
        let mut bytes = bytes_of(&vec![REFILL_WORD; self.wiring.copy.div_ceil(4) as usize]);
        if self.entry.direction == Direction::Write {
            for slot in &self.wiring.slots {
                let leaf = &plan.leaves[slot.leaf as usize];
                let value = bytes_of(&value(leaf, self.ink));
                for offset in slot.places.iter().filter_map(|place| place.in_copy()) {
                    let target = bytes.iter_mut().skip(offset as usize).take(leaf.component.size as usize);
                    target.zip(&value).for_each(|(byte, new)| *byte = *new);
                }
            }
        }
        bytes
    }
}

/// The words that a write entry stores to a leaf: its bytes as the ink writes them, or zeros where the leaf needs
/// another ink, which name no offset.
fn value(leaf: &Leaf, ink: Ink) -> Vec<u32> {
    let count = words(leaf.component);
    match ink {
        _ if ink.code() != Code::of(leaf.component) => vec![0; count as usize],
        Ink::Words => (0..count).map(|word| data_word(leaf.offset + 4 * word)).collect(),
        Ink::Plane(plane) => {
            let offsets = leaf.offset..leaf.offset + leaf.component.size;
            vec![offsets.rev().fold(0, |word, offset| word << 8 | u32::from(plane.byte(offset, true)))]
        }
    }
}

/// A buffer at set 0; words of the refill stand behind it.
fn buffer(binding: u32, kind: BufferKind, bytes: Vec<u8>) -> JobBuffer {
    JobBuffer { set: 0, binding, element: 0, kind, bytes, after: bytes_of(&[REFILL_WORD; 4]), before_word: BEFORE_WORD }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
