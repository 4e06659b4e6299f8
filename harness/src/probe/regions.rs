//! Regions: probes of many cases in one module, where every case has a part of each buffer to itself.
//!
//! One job stands for the jobs of all cases, and what comes back is cut up into what each would have got alone. So it
//! shows all that a case's own job shows, words behind the block too, but not what happens at the end of the bound range.
//! Of cases that read, a hash of all words is stored in place of the words ([`RegionAnswer`]), because stores take drivers
//! longer than what is read. Where cases repeat their dispatch in several inks, the module is run that often.

use layoutproof_device::{BufferAfter, BufferKind, Job, JobBuffer, ReadBack};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{Component, Leaf};

use super::{
    AnswerPlace, Fold, Interface, LANES, PlanShader, ProbeEntry, ProbeJob, ProbePlan, ProbeRun, Socket, Wiring,
    observe, observed_right,
};
use crate::probe::image::{BEFORE_WORD, REFILL_WORD};
use crate::probe::{AddressSpace, Direction, Form};

/// Bytes to which regions of buffers are aligned: more than any type asks for.
pub const REGION_BYTES: usize = 256;

/// Bytes to which regions of push constants are aligned, of which there are few: what the largest vector of 32 bits asks for.
pub const PUSH_BYTES: usize = 16;

/// Bytes of a vector of the input.
const INPUT_VECTOR: usize = 16;

/// What a case of a module with regions stores in its region of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionAnswer {
    /// What its own entry point stores.
    Own,
    /// A hash of all words that it reads, in each of so many lanes.
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
            Direction::Write => Self::Own,
            Direction::Read if has(Form::Copied) || has(Form::Length) => Self::Own,
            Direction::Read => Self::Folded { lanes: if has(Form::Divergent) { LANES } else { 1 } },
        }
    }

    /// Words of the region of the output.
    pub fn output_words(self, wiring: &Wiring) -> u32 {
        match self {
            Self::Own => wiring.output,
            Self::Folded { lanes } => lanes,
        }
    }
}

/// Where the cases have their regions, in order, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionStarts {
    /// In the block's buffer, or in the push constants.
    pub block: Vec<u32>,
    /// In the output.
    pub output: Vec<u32>,
    /// In the input.
    pub input: Vec<u32>,
    /// In the buffer with the blocks in another layout; empty where there is none.
    pub copy: Vec<u32>,
}

impl RegionStarts {
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

        let Interface { block, output, input, copy, .. } = first.interface;
        let of_socket = |socket| in_32_bits(&starts(probes, socket));
        let block = match first.entry.space {
            AddressSpace::PushConstant => in_32_bits(&push_starts(probes))?,
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => of_socket(block)?,
        };
        let has_copy = first.wiring.copy > 0;
        let copy = if has_copy { of_socket(copy)? } else { Vec::new() };
        Some(Self { block, output: of_socket(output)?, input: of_socket(input)?, copy })
    }
}

fn in_32_bits(starts: &[usize]) -> Option<Vec<u32>> {
    starts.iter().map(|start| u32::try_from(*start).ok()).collect()
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
        buffers.map(|buffer| region(probe, buffer).len()).max().unwrap_or(0)
    };
    laid_in_row(probes.iter().map(length), REGION_BYTES)
}

fn push_starts(probes: &[&ProbeJob]) -> Vec<usize> {
    let pushed = probes.iter().map(|probe| probe.runs.first().map_or(0, |run| run.job.push_constants.len()));
    laid_in_row(pushed, PUSH_BYTES)
}

/// The bytes of a probe's buffer in its region, those behind the bound range included.
fn region(probe: &ProbeJob, buffer: &JobBuffer) -> Vec<u8> {
    let mut bytes = [&buffer.bytes[..], &buffer.after[..]].concat();
    let socket = (buffer.set, buffer.binding);
    if socket == probe.interface.output {
        let words = RegionAnswer::of(&probe.entry).output_words(&probe.wiring) as usize;
        bytes = REFILL_WORD.to_le_bytes().repeat(words);
    } else if socket == probe.interface.input {
        bytes.truncate(buffer.bytes.len());
        bytes.resize(bytes.len().next_multiple_of(INPUT_VECTOR), 0);
    }
    bytes
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

    /// The words that a device stores in dispatch `number` that reads every leaf where the layout has it; `index` is the
    /// case's place among all.
    fn folded(&self, number: usize, index: u32, lanes: u32) -> Option<Vec<u32>> {
        let job = &self.run(number)?.job;
        let Interface { block, input, .. } = self.probe.interface;
        let at = |socket| job.buffers.iter().rev().find(|it| (it.set, it.binding) == socket);
        let nonce = at(input)?.bytes.first_chunk().map(|word| u32::from_le_bytes(*word))?;
        let image = match self.probe.entry.space {
            AddressSpace::PushConstant => &job.push_constants,
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => &at(block)?.bytes,
        };
        (0..lanes).map(|lane| self.folded_lane(image, nonce ^ index, lane)).collect()
    }

    /// The same of one lane, which begins with `start`.
    fn folded_lane(&self, image: &[u8], start: u32, lane: u32) -> Option<u32> {
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

/// The dispatches of a group, with what is needed to read their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionJob {
    /// The jobs that the device gets, one for each ink.
    pub jobs: Vec<Job>,
    cases: Vec<RegionCase>,
    /// By buffer and case.
    starts: Vec<Vec<usize>>,
}

impl RegionJob {
    /// The dispatches of these cases, for which `shader` was written; `None` where [`RegionStarts::of`] gives none.
    pub fn new(cases: Vec<RegionCase>, shader: PlanShader<'_>) -> Option<Self> {
        let probes: Vec<&ProbeJob> = cases.iter().map(|case| &case.probe).collect();
        RegionStarts::of(&probes)?;
        let first = &probes.first()?.runs.first()?.job;
        let starts: Vec<Vec<usize>> =
            first.buffers.iter().map(|buffer| starts(&probes, (buffer.set, buffer.binding))).collect();
        let runs = cases.iter().map(|case| case.probe.runs.len()).max()?;

        let jobs = (0..runs).map(|number| job(&cases, &starts, number, shader)).collect::<Option<Vec<_>>>()?;
        Some(Self { jobs, cases, starts })
    }

    /// The cases, by their number, in which the device did anything else than their layout says; all of them where it
    /// changed anything between their regions. There is one answer for each job.
    pub fn wrong(&self, answers: &[ReadBack]) -> Vec<usize> {
        let all = 0..self.cases.len();
        let mut dispatches = self.jobs.iter().zip(answers);
        if answers.len() != self.jobs.len() || !dispatches.all(|(job, answer)| self.is_complete(job, answer)) {
            return all.collect();
        }
        all.filter(|case| !self.is_right(*case, answers)).collect()
    }

    /// Returns true if an answer has the shape of its job, and nothing changed outside of the regions.
    fn is_complete(&self, job: &Job, answer: &ReadBack) -> bool {
        let mut buffers = job.buffers.iter().zip(&answer.buffers);
        let has_shape = buffers.all(|(job, after)| {
            let around = after.before.chunks(4).all(|word| word == job.before_word.to_le_bytes());
            around && after.bytes.len() == job.bytes.len() && after.after == job.after
        });
        has_shape && answer.buffers.len() == job.buffers.len() && self.has_gaps(job, answer)
    }

    fn is_right(&self, index: usize, answers: &[ReadBack]) -> bool {
        let case = &self.cases[index];
        match RegionAnswer::of(&case.probe.entry) {
            RegionAnswer::Own => {
                let own = answers.iter().take(case.probe.runs.len()).map(|answer| self.own(index, answer));
                let own: Vec<ReadBack> = own.collect();
                observe(&case.plan, &case.probe, &own) == observed_right(&case.plan, &case.probe)
            }
            RegionAnswer::Folded { lanes } => {
                let mut answers = answers.iter().enumerate();
                answers.all(|(number, answer)| self.is_folded_right(index, number, answer, lanes))
            }
        }
    }

    /// Returns true if dispatch `number` of a case stored the right hashes and changed nothing else.
    fn is_folded_right(&self, index: usize, number: usize, answer: &ReadBack, lanes: u32) -> bool {
        let case = &self.cases[index];
        let place = u32::try_from(index).ok();
        let Some((run, expected)) = case.run(number).zip(place.and_then(|place| case.folded(number, place, lanes)))
        else {
            return false;
        };
        let mut buffers = run.job.buffers.iter().zip(&self.starts).zip(&answer.buffers);
        buffers.all(|((buffer, starts), after)| {
            let before = region(&case.probe, buffer);
            let found = &after.bytes[starts[index]..starts[index] + before.len()];
            if (buffer.set, buffer.binding) == case.probe.interface.output {
                found
                    .chunks_exact(4)
                    .map(|word| word.try_into().map_or(REFILL_WORD, u32::from_le_bytes))
                    .eq(expected.iter().copied())
            } else {
                found == before
            }
        })
    }

    /// Cuts out what the case's own job would have got back.
    fn own(&self, index: usize, answer: &ReadBack) -> ReadBack {
        let run = self.cases[index].probe.runs.first();
        let buffers = run.into_iter().flat_map(|run| &run.job.buffers);
        let buffers = buffers.zip(&self.starts).zip(&answer.buffers).map(|((buffer, starts), all)| {
            let (start, middle) = (starts[index], starts[index] + buffer.bytes.len());
            let after = match region(&self.cases[index].probe, buffer).len().checked_sub(buffer.bytes.len()) {
                Some(length) if length == buffer.after.len() => all.bytes[middle..middle + length].to_vec(),
                // Behind input and output stand other regions, or a gap, which is as it was.
                Some(_) | None => buffer.after.clone(),
            };
            BufferAfter { before: Vec::new(), bytes: all.bytes[start..middle].to_vec(), after }
        });
        ReadBack { buffers: buffers.collect(), targets: Vec::new(), messages: Vec::new() }
    }

    /// Returns true if the words between regions are as they were.
    fn has_gaps(&self, job: &Job, answer: &ReadBack) -> bool {
        let mut buffers = job.buffers.iter().zip(&answer.buffers).zip(&self.starts).enumerate();
        buffers.all(|(buffer, ((job, after), starts))| {
            let mut gaps = (1..self.cases.len()).map(|case| self.end(case - 1, buffer)..starts[case]);
            gaps.all(|gap| job.bytes[gap.clone()] == after.bytes[gap])
        })
    }

    /// Where the region of a case ends.
    fn end(&self, case: usize, buffer: usize) -> usize {
        let probe = &self.cases[case].probe;
        let own = probe.runs.first().map(|run| region(probe, &run.job.buffers[buffer]).len());
        self.starts[buffer][case] + own.unwrap_or(0)
    }
}

/// Dispatch `number` of a group.
fn job(cases: &[RegionCase], starts: &[Vec<usize>], number: usize, shader: PlanShader<'_>) -> Option<Job> {
    let runs = cases.iter().map(|case| case.run(number)).collect::<Option<Vec<_>>>()?;
    let (probe, first) = (&cases.first()?.probe, &runs.first()?.job);

    let buffers = first.buffers.iter().zip(starts).enumerate().map(|(index, (buffer, starts))| {
        let parts = runs.iter().zip(cases).map(|(run, case)| region(&case.probe, &run.job.buffers[index]));
        let is_input = (buffer.set, buffer.binding) == probe.interface.input;
        let kind = if is_input { BufferKind::Uniform } else { buffer.kind };
        let after = REFILL_WORD.to_le_bytes().repeat(4);
        JobBuffer { kind, bytes: joined(parts, starts), after, before_word: BEFORE_WORD, ..buffer.clone() }
    });

    let push_constants = match probe.entry.space {
        AddressSpace::PushConstant => {
            let probes: Vec<&ProbeJob> = cases.iter().map(|case| &case.probe).collect();
            joined(runs.iter().map(|run| run.job.push_constants.clone()), &push_starts(&probes))
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
