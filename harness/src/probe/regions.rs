//! Regions: probes of many cases in one module, where every case has a part of each buffer with blocks to itself.
//!
//! One job stands for the jobs of all cases, and what comes back is cut up into what each would have got alone. So it
//! shows all that a case's own job shows, words behind the block too, but not what happens at the end of the bound range.
//! The cases share their input ([`SharedInput`]). Of cases that read, one hash is stored for all words of several cases
//! ([`RegionAnswer`]), because stores take drivers longer than what is read. Where cases repeat their dispatch in several inks, the
//! module is run that often.

use layoutproof_device::{BufferAfter, BufferKind, Job, JobBuffer, ReadBack, word_bytes};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{Component, Leaf};

use super::{
    AnswerPlace, Fold, Interface, LANES, PlanShader, ProbeEntry, ProbeJob, ProbePlan, ProbeRun, SharedInput, Socket,
    Wiring, observe, observed_right,
};
use crate::probe::image::{BEFORE_WORD, REFILL_WORD};
use crate::probe::{AddressSpace, Direction, Form};

/// Bytes to which regions of buffers are aligned: more than any type asks for.
pub const REGION_BYTES: usize = 256;

/// Bytes to which regions of push constants are aligned, of which there are few: what the largest vector of 32 bits asks for.
pub const PUSH_BYTES: usize = 16;

/// Words of a vector of the input.
const INPUT_VECTOR: usize = 4;

/// Cases that read which one hash answers for. If it is wrong, each of them runs by itself.
pub const CASES_OF_HASH: usize = 8;

/// What a module with regions stores in its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionAnswer {
    /// The nonce, once: what the cases' own entry points store when they do not read into the output.
    Nonce,
    /// A hash of all words that [`CASES_OF_HASH`] cases read, in each of so many lanes.
    Folded {
        /// Invocations of the dispatch.
        lanes: u32,
    },
}

impl RegionAnswer {
    /// The answer of a case with this entry point.
    pub fn of(entry: &ProbeEntry) -> Self {
        let has = |form| entry.forms.contains(&form);
        match entry.direction {
            Direction::Write => Self::Nonce,
            Direction::Read if has(Form::Copied) || has(Form::Length) => Self::Nonce,
            Direction::Read => Self::Folded { lanes: if has(Form::Divergent) { LANES } else { 1 } },
        }
    }

    /// Words of the output of a module with so many cases.
    fn output_words(self, cases: usize) -> usize {
        match self {
            Self::Nonce => 1,
            Self::Folded { lanes } => cases.div_ceil(CASES_OF_HASH) * lanes as usize,
        }
    }
}

/// Where the cases have their regions, in order, in bytes, and what they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionPlaces {
    /// In the block's buffer, or in the push constants.
    pub block: Vec<u32>,
    /// In the buffer with the blocks in another layout; empty where there is none.
    pub copy: Vec<u32>,
    /// The input.
    pub input: SharedInput,
}

impl RegionPlaces {
    /// The regions of these probes; `None` where they have no buffers of the same kinds, or no case at all.
    pub fn of(probes: &[&ProbeJob]) -> Option<Self> {
        let first = probes.first()?;
        let kinds = |probe: &ProbeJob| -> Option<Vec<_>> {
            let job = &probe.runs.first()?.job;
            Some(job.buffers.iter().map(|it| (it.set, it.binding, it.element, it.kind)).collect())
        };
        if probes.iter().any(|probe| kinds(probe).is_none() || kinds(probe) != kinds(first)) {
            return None;
        }

        let Interface { block, copy, .. } = first.interface;
        let of_socket = |socket| in_32_bits(&starts(probes, socket));
        let block = match first.entry.space {
            AddressSpace::PushConstant => in_32_bits(&push_starts(probes))?,
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => of_socket(block)?,
        };
        let copy = match copy.filter(|_| first.wiring.copy > 0) {
            Some(socket) => of_socket(socket)?,
            None => Vec::new(),
        };
        Some(Self { block, copy, input: SharedInput::of(probes)? })
    }
}

fn in_32_bits(starts: &[usize]) -> Option<Vec<u32>> {
    starts.iter().map(|start| u32::try_from(*start).ok()).collect()
}

fn as_indices(starts: &[u32]) -> Vec<usize> {
    starts.iter().map(|start| *start as usize).collect()
}

/// Where parts of these lengths stand one behind the other.
fn laid_in_row(lengths: impl Iterator<Item = usize>, step: usize) -> Vec<usize> {
    let mut end: usize = 0;
    let starts = lengths.map(|length| {
        let start = end.next_multiple_of(step);
        end = start + length;
        start
    });
    starts.collect()
}

/// Where the probes' regions start in the buffers at `socket`, elements of an array alike.
fn starts(probes: &[&ProbeJob], socket: Socket) -> Vec<usize> {
    let length = |probe: &&ProbeJob| {
        let run = probe.runs.first();
        let buffers = run.into_iter().flat_map(|run| &run.job.buffers).filter(|it| (it.set, it.binding) == socket);
        buffers.map(|buffer| region(buffer).len()).max().unwrap_or(0)
    };
    laid_in_row(probes.iter().map(length), REGION_BYTES)
}

fn push_starts(probes: &[&ProbeJob]) -> Vec<usize> {
    let pushed = probes.iter().map(|probe| probe.runs.first().map_or(0, |run| run.job.push_constants.len()));
    laid_in_row(pushed, PUSH_BYTES)
}

/// The bytes of a probe's buffer in its region, those behind the bound range included.
fn region(buffer: &JobBuffer) -> Vec<u8> {
    [&buffer.bytes[..], &buffer.after[..]].concat()
}

/// The bytes of all regions, with words of the refill between them.
fn joined(parts: impl Iterator<Item = Vec<u8>>, starts: &[usize]) -> Vec<u8> {
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
    /// What is probed, with its one entry point.
    pub plan: ProbePlan,
    /// What runs it alone.
    pub probe: ProbeJob,
}

impl RegionCase {
    /// The run of the case that is part of dispatch `number`: cases with fewer inks repeat their last one.
    fn run(&self, number: usize) -> Option<&ProbeRun> {
        self.probe.runs.get(number).or(self.probe.runs.last())
    }

    /// The bytes of its block in dispatch `number`.
    fn image(&self, number: usize) -> Option<&[u8]> {
        let job = &self.run(number)?.job;
        let at = |socket| job.buffers.iter().rev().find(|it| (it.set, it.binding) == socket);
        match self.probe.entry.space {
            AddressSpace::PushConstant => Some(&job.push_constants),
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => at(self.probe.interface.block).map(|buffer| &buffer.bytes[..]),
        }
    }

    /// What a lane that reads every leaf where the layout has it makes of `start` in dispatch `number`.
    fn folded(&self, number: usize, start: u32, lane: u32) -> Option<u32> {
        let image = self.image(number)?;
        let Wiring { slots, chunks, .. } = &self.probe.wiring;
        let fold = |value: u32, first: u32, leaf: u32| {
            let words = loaded_words(&self.plan.leaves[leaf as usize], image)?;
            Some((first..).zip(words).fold(value, |value, (place, word)| Fold::Hash.step(place).apply(value, word)))
        };

        let mut value = start;
        for slot in slots.iter().filter(|slot| slot.form != Form::Divergent) {
            let [AnswerPlace::Word(first)] = slot.places[..] else { return None };
            value = fold(value, first, slot.leaf)?;
        }
        for chunk in chunks {
            let leaf = chunk.leaves[lane as usize % chunk.leaves.len()];
            value = fold(value, chunk.output, leaf)?;
        }
        Some(value)
    }
}

/// The words that the code makes of a leaf, which it loads from its place in an image; `None` if that ends before.
fn loaded_words(leaf: &Leaf, image: &[u8]) -> Option<Vec<u32>> {
    let Component { scalar, size } = leaf.component;
    let start = leaf.offset as usize;
    let bytes = image.get(start..start.checked_add(size as usize)?)?;
    let words = bytes.chunks(4).map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)));
    let words: Vec<u32> = words.collect();
    // Of a bool only the truth passes.
    let is_true = words.iter().any(|word| *word != 0);
    Some(if scalar == Scalar::Bool { vec![u32::from(is_true)] } else { words })
}

/// What a buffer of a module with regions is.
#[derive(Clone, Debug, PartialEq)]
enum RegionBuffer {
    /// Parts for the cases, which start at these bytes.
    Blocks(Vec<usize>),
    /// The words that they take.
    Input,
    /// What they answer.
    Output,
}

/// The dispatches of a group, with what is needed to read their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionJob {
    /// The jobs that the device gets, one for each ink.
    pub jobs: Vec<Job>,
    cases: Vec<RegionCase>,
    places: RegionPlaces,
    buffers: Vec<RegionBuffer>,
    answer: RegionAnswer,
}

impl RegionJob {
    /// The dispatches of these cases, for which `shader` was written with these places; `None` where there is no case, or one
    /// has no dispatch.
    pub fn new(cases: Vec<RegionCase>, places: RegionPlaces, shader: PlanShader<'_>) -> Option<Self> {
        let first = &cases.first()?.probe;
        let buffers = first.runs.first()?.job.buffers.iter().map(|buffer| {
            let socket = (buffer.set, buffer.binding);
            match first.interface {
                interface if socket == interface.input => RegionBuffer::Input,
                interface if socket == interface.output => RegionBuffer::Output,
                interface if Some(socket) == interface.copy => RegionBuffer::Blocks(as_indices(&places.copy)),
                _ => RegionBuffer::Blocks(as_indices(&places.block)),
            }
        });
        let (buffers, answer) = (buffers.collect(), RegionAnswer::of(&first.entry));
        let runs = cases.iter().map(|case| case.probe.runs.len()).max()?;

        let group = Self { jobs: Vec::new(), cases, places, buffers, answer };
        let jobs = (0..runs).map(|number| group.job(number, shader)).collect::<Option<Vec<_>>>()?;
        Some(Self { jobs, ..group })
    }

    /// Dispatch `number`.
    fn job(&self, number: usize, shader: PlanShader<'_>) -> Option<Job> {
        let runs = self.cases.iter().map(|case| case.run(number)).collect::<Option<Vec<_>>>()?;
        let (probe, first) = (&self.cases.first()?.probe, &runs.first()?.job);

        let buffers = first.buffers.iter().zip(&self.buffers).enumerate().map(|(index, (buffer, role))| {
            let (kind, bytes) = match role {
                RegionBuffer::Blocks(starts) => {
                    (buffer.kind, joined(runs.iter().map(|run| region(&run.job.buffers[index])), starts))
                }
                RegionBuffer::Input => {
                    let mut words: Vec<u32> = self.places.input.dispatch(number).collect();
                    words.resize(words.len().next_multiple_of(INPUT_VECTOR), 0);
                    (BufferKind::Uniform, word_bytes(&words))
                }
                RegionBuffer::Output => {
                    (buffer.kind, word_bytes(&vec![REFILL_WORD; self.answer.output_words(self.cases.len())]))
                }
            };
            JobBuffer { kind, bytes, after: word_bytes(&[REFILL_WORD; 4]), before_word: BEFORE_WORD, ..buffer.clone() }
        });

        let push_constants = match probe.entry.space {
            AddressSpace::PushConstant => {
                joined(runs.iter().map(|run| run.job.push_constants.clone()), &as_indices(&self.places.block))
            }
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => first.push_constants.clone(),
        };

        let (draw, requires) = (first.draw.clone(), shader.requires.clone());
        let job = Job::compute(shader.shader.clone(), &first.entry, buffers.collect());
        Some(Job { draw, push_constants, requires, ..job })
    }

    /// The cases, by their number, in which the device did anything else than their layout says, or which have an answer
    /// together with such a case; all of them where it changed anything between their regions. There is one answer for each job.
    pub fn wrong(&self, answers: &[ReadBack]) -> Vec<usize> {
        let all = 0..self.cases.len();
        let mut dispatches = self.jobs.iter().zip(answers);
        if answers.len() != self.jobs.len() || !dispatches.all(|(job, answer)| self.is_complete(job, answer)) {
            return all.collect();
        }
        match self.answer {
            RegionAnswer::Nonce => all.filter(|case| !self.is_right(*case, answers)).collect(),
            RegionAnswer::Folded { lanes } => {
                let mut right = self.rightly_folded(answers, lanes).into_iter();
                all.filter(|case| !(right.next().unwrap_or(false) && self.is_unchanged(*case, answers))).collect()
            }
        }
    }

    /// Returns true if an answer has the shape of its job, and nothing changed outside of the regions and the output.
    fn is_complete(&self, job: &Job, answer: &ReadBack) -> bool {
        let mut buffers = job.buffers.iter().zip(&answer.buffers).zip(&self.buffers).enumerate();
        answer.buffers.len() == job.buffers.len()
            && buffers.all(|(index, ((job, after), role))| {
                let around = after.before.chunks(4).all(|word| word == job.before_word.to_le_bytes());
                let has_shape = after.bytes.len() == job.bytes.len() && after.after == job.after;
                let is_kept = || match role {
                    RegionBuffer::Blocks(starts) => self.has_gaps(index, starts, &job.bytes, &after.bytes),
                    RegionBuffer::Input => job.bytes == after.bytes,
                    RegionBuffer::Output => true,
                };
                around && has_shape && is_kept()
            })
    }

    /// Returns true if a case that reads nothing into the output got from each dispatch what it would get alone.
    fn is_right(&self, index: usize, answers: &[ReadBack]) -> bool {
        let case = &self.cases[index];
        let own = case.probe.runs.iter().zip(answers).map(|(run, answer)| self.own(index, run, answer));
        let own: Vec<ReadBack> = own.collect();
        observe(&case.plan, &case.probe, &own) == observed_right(&case.plan, &case.probe)
    }

    /// By case: true if the hash that answers for it is right in every dispatch.
    fn rightly_folded(&self, answers: &[ReadBack], lanes: u32) -> Vec<bool> {
        let output = self.buffers.iter().position(|role| *role == RegionBuffer::Output);
        let groups = (0..).zip(self.cases.chunks(CASES_OF_HASH)).map(|(group, cases)| {
            let mut found = answers.iter().enumerate().flat_map(|(number, answer)| {
                (0..lanes).map(move |lane| {
                    let start = (group * lanes + lane) as usize * 4;
                    let bytes = answer.buffers.get(output?)?.bytes.get(start..)?.first_chunk()?;
                    let nonce = self.places.input.nonce(number)?;
                    let hash = cases.iter().try_fold(nonce ^ group, |hash, case| case.folded(number, hash, lane))?;
                    Some(u32::from_le_bytes(*bytes) == hash)
                })
            });
            vec![found.all(|is_right| is_right == Some(true)); cases.len()]
        });
        groups.flatten().collect()
    }

    /// Returns true if no dispatch changed a case's regions.
    fn is_unchanged(&self, index: usize, answers: &[ReadBack]) -> bool {
        let mut dispatches = self.jobs.iter().zip(answers);
        dispatches.all(|(job, answer)| {
            let mut buffers = job.buffers.iter().zip(&answer.buffers).zip(&self.buffers).enumerate();
            buffers.all(|(buffer, ((job, after), role))| match role {
                RegionBuffer::Blocks(starts) => {
                    let region = starts[index]..self.end(index, buffer, starts);
                    job.bytes[region.clone()] == after.bytes[region]
                }
                RegionBuffer::Input | RegionBuffer::Output => true,
            })
        })
    }

    /// Cuts out what the case's own dispatch would have got back.
    fn own(&self, index: usize, run: &ProbeRun, answer: &ReadBack) -> ReadBack {
        let buffers =
            run.job.buffers.iter().zip(&self.buffers).zip(&answer.buffers).map(|((buffer, role), all)| match role {
                RegionBuffer::Blocks(starts) => {
                    let (start, middle) = (starts[index], starts[index] + buffer.bytes.len());
                    let after = all.bytes[middle..middle + buffer.after.len()].to_vec();
                    BufferAfter { before: Vec::new(), bytes: all.bytes[start..middle].to_vec(), after }
                }
                RegionBuffer::Input => {
                    BufferAfter { before: Vec::new(), bytes: buffer.bytes.clone(), after: buffer.after.clone() }
                }
                RegionBuffer::Output => {
                    BufferAfter { before: Vec::new(), bytes: all.bytes.clone(), after: buffer.after.clone() }
                }
            });
        ReadBack { buffers: buffers.collect(), targets: Vec::new(), messages: Vec::new() }
    }

    /// Returns true if the words between regions are as they were.
    fn has_gaps(&self, buffer: usize, starts: &[usize], before: &[u8], after: &[u8]) -> bool {
        let mut gaps = (1..self.cases.len()).map(|case| self.end(case - 1, buffer, starts)..starts[case]);
        gaps.all(|gap| before[gap.clone()] == after[gap])
    }

    /// Where the region of a case ends.
    fn end(&self, case: usize, buffer: usize, starts: &[usize]) -> usize {
        let own = self.cases[case].probe.runs.first().map(|run| region(&run.job.buffers[buffer]).len());
        starts[case] + own.unwrap_or(0)
    }
}
