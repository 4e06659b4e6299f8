//! Regions: probes of many cases in one module, where every case has its own part of each buffer.
//!
//! One job replaces the jobs of all cases, and its result is cut into the results that each case
//! would have got alone. It therefore shows everything that a case's own job shows, including words
//! after the block, except for the behaviour at the end of the bound range.
//!
//! Cases that read store one hash for all words of several cases ([`RegionAnswer`]), because stores
//! cost drivers more time than the reads. If cases repeat their dispatch in several inks, the module
//! runs once per ink.

use std::collections::BTreeSet;
use std::ops::Range;

use layoutproof_device::{BufferAfter, Feature, Job, JobBuffer, ReadBack, Shader, word_bytes};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{BlockLayout, Component, Leaf};

use super::{
    AnswerPlace, Interface, LANES, ProbeEntry, ProbeJob, ProbePlan, ProbeRun, Socket, Wiring, observe, observed_right,
};
use crate::image::{BEFORE_WORD, REFILL_WORD};
use crate::{AddressSpace, Direction, Form};

/// Alignment of the regions of buffers, in bytes. No type needs more.
pub const REGION_BYTES: usize = 256;

/// Alignment of the regions of push constants, in bytes. Since there are few push constants, this
/// is only as large as the largest vector of 32-bit components needs.
pub const PUSH_BYTES: usize = 16;

/// How many reading cases one hash answers for. If it is wrong, each of them runs by itself.
pub const CASES_OF_HASH: usize = 8;

/// The factor by which a hash of read words is multiplied after each: odd, so that it loses nothing (from `MurmurHash3`).
pub const HASH_FACTOR: u32 = 0x85EB_CA6B;

/// Combines a read word with the hash of the words before it.
///
/// A step is one to one in the word and in the hash, so a single wrong word always shows. The
/// words of an image differ in a few bits of their offsets. Without the product, two words that are
/// late by the same distance would often cancel each other.
fn hash_step(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(HASH_FACTOR)
}

/// Returns true if the probes of this entry point can run in regions of larger buffers. A
/// length is that of the whole buffer, at an address there is no buffer to divide, and blocks in
/// workgroup memory all start at its first byte. Few probes use untyped pointers or a descriptor heap, so they
/// get modules of their own.
pub fn has_regions(entry: &ProbeEntry) -> bool {
    use AddressSpace::{Address, HeapStorage, HeapUniform, InlineUniform, ShaderRecord, Workgroup};
    !matches!(entry.space, Address | ShaderRecord | Workgroup | InlineUniform | HeapUniform | HeapStorage)
        && !entry.is_untyped()
        && entry.forms.iter().all(|form| !matches!(form, Form::Length | Form::ByteAddress))
}

/// The output of a module with regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionAnswer {
    /// The nonce, once. The cases' own entry points store just this if they do not read into the
    /// output.
    Nonce,
    /// In each lane, a hash of all words that [`CASES_OF_HASH`] cases read.
    Hashed {
        /// Invocations of the dispatch.
        lanes: u32,
    },
}

impl RegionAnswer {
    /// Returns the kind of answer for a case with this entry point.
    pub fn of(entry: &ProbeEntry) -> Self {
        let has = |form| entry.forms.contains(&form);
        match entry.direction {
            Direction::Write => Self::Nonce,
            Direction::Read if has(Form::Copied) => Self::Nonce,
            Direction::Read => Self::Hashed { lanes: if has(Form::Divergent) { LANES } else { 1 } },
        }
    }

    /// Returns the output size of a module with this many cases, in words.
    fn output_words(self, cases: usize) -> usize {
        match self {
            Self::Nonce => 1,
            Self::Hashed { lanes } => cases.div_ceil(CASES_OF_HASH) * lanes as usize,
        }
    }
}

/// The byte offsets of the cases' regions, in the order of the cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionPlaces {
    /// In the block's buffer, or in the push constants.
    pub block: Vec<u32>,
    /// In the buffer with the blocks in another layout; all 0 if there is no such buffer.
    pub copy: Vec<u32>,
    /// In the input.
    pub input: Vec<u32>,
    /// The case with the most dispatches. Its nonces are those of the module.
    pub longest: usize,
}

impl RegionPlaces {
    /// Places the regions of these cases; `None` if there are none, or too many bytes.
    fn of(cases: &[RegionCase]) -> Option<Self> {
        let first = &cases.first()?.probe;
        let Interface { block, copy, input, .. } = first.interface;
        let pushed = cases.iter().map(|case| case.run(0).map_or(0, |run| run.job.push_constants.len()));
        Some(Self {
            block: if is_pushed(&first.entry) { laid_in_row(pushed, PUSH_BYTES) } else { starts(cases, block) }?,
            copy: copy.map_or(Some(Vec::new()), |socket| starts(cases, socket))?,
            input: starts(cases, input)?,
            longest: (0..cases.len()).max_by_key(|case| cases[*case].probe.runs.len())?,
        })
    }
}

fn is_pushed(entry: &ProbeEntry) -> bool {
    entry.space == AddressSpace::PushConstant
}

/// Returns the start of each part when parts of these lengths follow one another; `None` beyond
/// 2^32.
fn laid_in_row(lengths: impl Iterator<Item = usize>, step: usize) -> Option<Vec<u32>> {
    let mut end: usize = 0;
    let starts = lengths.map(|length| {
        let start = end.next_multiple_of(step);
        end = start + length;
        u32::try_from(start).ok()
    });
    starts.collect()
}

/// Returns the starts of the cases' regions in the buffers at `socket`, the same for all elements
/// of an array.
fn starts(cases: &[RegionCase], socket: Socket) -> Option<Vec<u32>> {
    let length = |case: &RegionCase| {
        let buffers = case.run(0).into_iter().flat_map(|run| &run.job.buffers);
        let own = buffers.filter(|it| (it.set, it.binding) == socket);
        own.map(|buffer| region(buffer).len()).max().unwrap_or(0)
    };
    laid_in_row(cases.iter().map(length), REGION_BYTES)
}

/// Returns the bytes of a case's buffer in its region, including those after the bound range.
fn region(buffer: &JobBuffer) -> Vec<u8> {
    [&buffer.bytes[..], &buffer.after[..]].concat()
}

/// Joins the bytes of all regions, with refill words between them.
fn joined(parts: impl Iterator<Item = Vec<u8>>, starts: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut all = Vec::new();
    for (part, start) in parts.zip(starts) {
        let gap = start.saturating_sub(all.len()) / 4;
        all.extend(REFILL_WORD.to_le_bytes().repeat(gap));
        all.extend(part);
    }
    all
}

/// A case of a module with regions.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionCase {
    /// The layout for which the shader is written.
    pub layout: BlockLayout,
    /// The plan, with its one entry point and the expected places of the leaves.
    pub plan: ProbePlan,
    /// The probe that runs the case alone.
    pub probe: ProbeJob,
}

impl RegionCase {
    /// Returns the case's run for dispatch `number`. Cases with fewer inks repeat their last run.
    fn run(&self, number: usize) -> Option<&ProbeRun> {
        self.probe.runs.get(number).or(self.probe.runs.last())
    }

    /// Returns the first word of its input in dispatch `number`.
    fn nonce(&self, number: usize) -> Option<u32> {
        let mut buffers = self.run(number)?.job.buffers.iter();
        let input = buffers.find(|it| (it.set, it.binding) == self.probe.interface.input)?;
        input.bytes.first_chunk().map(|word| u32::from_le_bytes(*word))
    }

    /// Returns the bytes of its block in dispatch `number`.
    fn image(&self, number: usize) -> Option<&[u8]> {
        let job = &self.run(number)?.job;
        let at = |socket| job.buffers.iter().rev().find(|it| (it.set, it.binding) == socket);
        if is_pushed(&self.probe.entry) {
            return Some(&job.push_constants);
        }
        at(self.probe.interface.block).map(|buffer| &buffer.bytes[..])
    }

    /// Adds to a hash the words of a lane that reads every leaf at its place in the layout, in
    /// dispatch `number`. The order is that of the shader.
    fn hash(&self, number: usize, start: u32, lane: u32) -> Option<u32> {
        let image = self.image(number)?;
        let Wiring { slots, chunks, .. } = &self.probe.wiring;
        let read_once = slots.iter().filter(|slot| slot.form != Form::Divergent);
        if read_once.clone().any(|slot| !matches!(slot.places[..], [AnswerPlace::Word(_)])) {
            return None;
        }
        let by_lane = chunks.iter().map(|chunk| chunk.leaves[lane as usize % chunk.leaves.len()]);
        read_once.map(|slot| slot.leaf).chain(by_lane).try_fold(start, |hash, leaf| {
            let words = loaded_words(&self.plan.leaves[leaf as usize], image)?;
            Some(words.into_iter().fold(hash, hash_step))
        })
    }
}

/// Returns the words that the code loads for a leaf from its place in an image; `None` if the image
/// ends earlier.
fn loaded_words(leaf: &Leaf, image: &[u8]) -> Option<Vec<u32>> {
    let Component { scalar, size } = leaf.component;
    let start = leaf.offset as usize;
    let bytes = image.get(start..start.checked_add(size as usize)?)?;
    let words = bytes.chunks(4).map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)));
    let words: Vec<u32> = words.collect();
    // A bool only keeps its truth value.
    let is_true = words.iter().any(|word| *word != 0);
    Some(if scalar == Scalar::Bool { vec![u32::from(is_true)] } else { words })
}

/// A buffer of a module with regions.
#[derive(Clone, Debug, PartialEq)]
enum RegionBuffer {
    /// The bytes of each case.
    Parts(Vec<Range<usize>>),
    /// The cases' answers.
    Output,
}

/// The dispatches of a group, with the data to read their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionJob {
    /// One job for each ink.
    pub jobs: Vec<Job>,
    cases: Vec<RegionCase>,
    places: RegionPlaces,
    buffers: Vec<RegionBuffer>,
    answer: RegionAnswer,
}

impl RegionJob {
    /// Builds the dispatches of cases whose entry points have the same name, with the module that `write` returns and
    /// the features that it needs. Returns `None` if they cannot share a module.
    pub fn new(
        cases: Vec<RegionCase>,
        write: impl FnOnce(&[RegionCase], &RegionPlaces) -> Option<(Shader, BTreeSet<Feature>)>,
    ) -> Option<Self> {
        let kinds = |case: &RegionCase| -> Option<Vec<_>> {
            let buffers = &case.run(0)?.job.buffers;
            Some(buffers.iter().map(|it| (it.set, it.binding, it.element, it.kind)).collect())
        };
        let first = &cases.first()?.probe;
        let own = kinds(&cases[0])?;
        if cases.iter().any(|case| kinds(case).as_ref() != Some(&own)) {
            return None;
        }

        let places = RegionPlaces::of(&cases)?;
        let (shader, requires) = write(&cases, &places)?;
        let buffers = own.iter().enumerate().map(|(index, (set, binding, ..))| {
            let socket = (*set, *binding);
            let starts = match first.interface {
                interface if socket == interface.output => return RegionBuffer::Output,
                interface if socket == interface.input => &places.input,
                interface if Some(socket) == interface.copy => &places.copy,
                _ => &places.block,
            };
            let parts = starts.iter().zip(&cases).map(|(start, case)| {
                let start = *start as usize;
                start..start + region(&case.probe.runs[0].job.buffers[index]).len()
            });
            RegionBuffer::Parts(parts.collect())
        });
        let (buffers, answer) = (buffers.collect(), RegionAnswer::of(&first.entry));
        let runs = cases[places.longest].probe.runs.len();

        let group = Self { jobs: Vec::new(), cases, places, buffers, answer };
        let jobs = (0..runs).map(|number| group.job(number, &shader, &requires)).collect::<Option<Vec<_>>>()?;
        Some(Self { jobs, ..group })
    }

    /// Builds dispatch `number`.
    fn job(&self, number: usize, shader: &Shader, requires: &BTreeSet<Feature>) -> Option<Job> {
        let runs = self.cases.iter().map(|case| case.run(number)).collect::<Option<Vec<_>>>()?;
        let (probe, first) = (&self.cases.first()?.probe, &runs.first()?.job);

        let buffers = first.buffers.iter().zip(&self.buffers).enumerate().map(|(index, (buffer, role))| {
            let bytes = match role {
                RegionBuffer::Parts(parts) => {
                    let regions = runs.iter().map(|run| region(&run.job.buffers[index]));
                    joined(regions, parts.iter().map(|part| part.start))
                }
                RegionBuffer::Output => word_bytes(&vec![REFILL_WORD; self.answer.output_words(self.cases.len())]),
            };
            JobBuffer { bytes, after: word_bytes(&[REFILL_WORD; 4]), before_word: BEFORE_WORD, ..buffer.clone() }
        });

        let push_constants = if is_pushed(&probe.entry) {
            let starts = self.places.block.iter().map(|start| *start as usize);
            joined(runs.iter().map(|run| run.job.push_constants.clone()), starts)
        } else {
            first.push_constants.clone()
        };

        let job = Job::compute(shader.clone(), &first.entry, buffers.collect());
        Some(Job {
            draw: first.draw.clone(),
            push_constants,
            // The number of a constant is its value, so cases cannot contradict one another.
            constants: runs.iter().flat_map(|run| run.job.constants.clone()).collect(),
            inverts_push_constants_first: first.inverts_push_constants_first,
            requires: requires.clone(),
            ..job
        })
    }

    /// Returns each wrong answer as the numbers of the cases that it is about: in one of them at least, the
    /// device deviated from the layout. An answer is about all cases if anything changed between their
    /// regions. There must be one answer per job.
    pub fn wrong(&self, answers: &[ReadBack]) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.cases.len()).collect();
        let mut dispatches = self.jobs.iter().zip(answers);
        if answers.len() != self.jobs.len() || !dispatches.all(|(job, answer)| self.is_kept(job, answer)) {
            return vec![all];
        }
        match self.answer {
            RegionAnswer::Nonce => {
                all.into_iter().filter(|case| !self.is_right(*case, answers)).map(|case| vec![case]).collect()
            }
            RegionAnswer::Hashed { lanes } => {
                let groups = (0..).zip(all.chunks(CASES_OF_HASH));
                let wrong = groups.flat_map(|(group, cases)| {
                    if !self.is_rightly_hashed(group, cases, answers, lanes) {
                        return vec![cases.to_vec()];
                    }
                    let changed = cases.iter().filter(|case| !self.is_unchanged(**case, answers));
                    changed.map(|case| vec![*case]).collect()
                });
                wrong.collect()
            }
        }
    }

    /// Returns true if an answer has the shape of its job, and nothing changed outside of the
    /// blocks' regions and the output.
    fn is_kept(&self, job: &Job, answer: &ReadBack) -> bool {
        let input = self.cases[0].probe.interface.input;
        let mut buffers = job.buffers.iter().zip(&answer.buffers).zip(&self.buffers);
        answer.buffers.len() == job.buffers.len()
            && buffers.all(|((job, after), role)| {
                let around = after.before.chunks(4).all(|word| word == job.before_word.to_le_bytes());
                let has_shape = after.bytes.len() == job.bytes.len() && after.after == job.after;
                let is_kept = || match role {
                    RegionBuffer::Parts(_) if (job.set, job.binding) == input => job.bytes == after.bytes,
                    RegionBuffer::Parts(parts) => {
                        let mut gaps = parts.windows(2).map(|pair| pair[0].end..pair[1].start);
                        gaps.all(|gap| job.bytes[gap.clone()] == after.bytes[gap])
                    }
                    RegionBuffer::Output => true,
                };
                around && has_shape && is_kept()
            })
    }

    /// Returns true if a case that reads nothing into the output got the same results from each
    /// dispatch as it would alone.
    fn is_right(&self, index: usize, answers: &[ReadBack]) -> bool {
        let case = &self.cases[index];
        let own = case.probe.runs.iter().zip(answers).map(|(run, answer)| self.own(index, run, answer));
        let own: Vec<ReadBack> = own.collect();
        observe(&case.plan, &case.probe, &own) == observed_right(&case.plan, &case.probe)
    }

    /// Returns true if the hashes of a group of cases are right in every dispatch and lane.
    fn is_rightly_hashed(&self, group: u32, cases: &[usize], answers: &[ReadBack], lanes: u32) -> bool {
        let output = self.buffers.iter().position(|role| *role == RegionBuffer::Output);
        let is_right = |number: usize, answer: &ReadBack, lane: u32| {
            let start = (group * lanes + lane) as usize * 4;
            let found = answer.buffers.get(output?)?.bytes.get(start..)?.first_chunk()?;
            let nonce = self.cases[self.places.longest].nonce(number)?;
            let hash = cases.iter().try_fold(nonce ^ group, |hash, case| self.cases[*case].hash(number, hash, lane))?;
            Some(u32::from_le_bytes(*found) == hash)
        };
        let mut dispatches = answers.iter().enumerate();
        dispatches.all(|(number, answer)| (0..lanes).all(|lane| is_right(number, answer, lane) == Some(true)))
    }

    /// Returns true if no dispatch changed a case's regions.
    fn is_unchanged(&self, index: usize, answers: &[ReadBack]) -> bool {
        self.jobs.iter().zip(answers).all(|(job, answer)| {
            let mut buffers = job.buffers.iter().zip(&answer.buffers).zip(&self.buffers);
            buffers.all(|((job, after), role)| match role {
                RegionBuffer::Parts(parts) => job.bytes[parts[index].clone()] == after.bytes[parts[index].clone()],
                RegionBuffer::Output => true,
            })
        })
    }

    /// Cuts out the result of the case's own dispatch.
    fn own(&self, index: usize, run: &ProbeRun, answer: &ReadBack) -> ReadBack {
        let buffers = run.job.buffers.iter().zip(&self.buffers).zip(&answer.buffers);
        let buffers = buffers.map(|((buffer, role), all)| {
            let (bytes, after) = match role {
                RegionBuffer::Parts(parts) => all.bytes[parts[index].clone()].split_at(buffer.bytes.len()),
                RegionBuffer::Output => (&all.bytes[..], &buffer.after[..]),
            };
            BufferAfter { before: Vec::new(), bytes: bytes.to_vec(), after: after.to_vec() }
        });
        ReadBack { buffers: buffers.collect(), targets: Vec::new(), messages: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::data_word;
    use crate::image::encoding::{Digit, Half, Plane, WordCode};

    fn hash(words: impl Iterator<Item = u32>) -> u32 {
        words.fold(7, hash_step)
    }

    /// The mistakes that devices and compilers make: leaves from one on are a few words late, or
    /// two leaves are swapped.
    #[test]
    fn late_and_swapped_leaves_change_the_hash() {
        let hash = |offsets: &[u32]| hash(offsets.iter().map(|offset| data_word(*offset, Half::Low)));
        let offsets: Vec<u32> = (0..64).map(|leaf| 4 * leaf).collect();
        let right = hash(&offsets);
        for first in 0..offsets.len() {
            for late in 1..16 {
                for end in first + 1..=offsets.len() {
                    let mut wrong = offsets.clone();
                    wrong[first..end].iter_mut().for_each(|offset| *offset += 4 * late);
                    assert_ne!(hash(&wrong), right, "{first}..{end} late by {late} words");
                }
            }
            for second in first + 1..offsets.len() {
                let mut wrong = offsets.clone();
                wrong.swap(first, second);
                assert_ne!(hash(&wrong), right, "{first} and {second} swapped");
            }
        }
    }

    /// For narrow numbers, one of the dispatches shows each mistake.
    #[test]
    fn late_and_swapped_narrow_leaves_change_a_hash() {
        let planes = WordCode::Bytes.planes(256);
        assert!(planes.iter().any(|plane| plane.digit == Digit::Offset(7)));
        let half =
            |plane: &Plane, offset| u32::from(plane.byte(offset, true)) | u32::from(plane.byte(offset + 1, true)) << 8;
        let hashes = |offsets: &[u32]| -> Vec<u32> {
            planes.iter().map(|plane| hash(offsets.iter().map(|offset| half(plane, *offset)))).collect()
        };
        let offsets: Vec<u32> = (0..32).map(|leaf| 2 * leaf).collect();
        let right = hashes(&offsets);
        for first in 0..offsets.len() {
            for late in 1..16 {
                let mut wrong = offsets.clone();
                wrong[first..].iter_mut().for_each(|offset| *offset += 2 * late);
                assert_ne!(hashes(&wrong), right, "from {first} on late by {late} halves");
            }
            for second in first + 1..offsets.len() {
                let mut wrong = offsets.clone();
                wrong.swap(first, second);
                assert_ne!(hashes(&wrong), right, "{first} and {second} swapped");
            }
        }
    }
}
