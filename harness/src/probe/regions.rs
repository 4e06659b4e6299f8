//! Regions: probes of many cases in one dispatch, where every case has a part of each buffer to itself.
//!
//! One job stands for the jobs of all cases, and what comes back is cut up into what each would have got alone. So it
//! shows all that a case's own job shows, words behind the block too, but not what happens at the end of the bound range.

use layoutproof_device::{BufferAfter, Job, JobBuffer, ReadBack};

use super::{Interface, PlanShader, ProbeJob, ProbePlan, ProbeRun, observe, observed_right};
use crate::probe::image::{BEFORE_WORD, REFILL_WORD};

/// Entry point of a module with regions.
pub const REGIONS_ENTRY: &str = "regions";

/// Bytes to which regions of buffers are aligned: more than any type asks for.
pub const REGION_BYTES: usize = 256;

/// Bytes to which regions of push constants are aligned, of which there are few: what the largest vector of 32 bits asks for.
pub const PUSH_BYTES: usize = 16;

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

/// The dispatch of a group, with what is needed to read its answers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionJob {
    /// The job that the device gets.
    pub job: Job,
    cases: Vec<(ProbePlan, ProbeJob)>,
    /// By buffer and case.
    starts: Vec<Vec<usize>>,
}

impl RegionStarts {
    /// The regions of these probes; `None` where they have no buffers of the same kinds, or no case at all.
    pub fn of(probes: &[&ProbeJob]) -> Option<Self> {
        let runs = probes.iter().map(|probe| only_run(probe)).collect::<Option<Vec<_>>>()?;
        let (first, rest) = runs.split_first()?;
        let kinds = |run: &ProbeRun| -> Vec<_> {
            run.job.buffers.iter().map(|it| (it.set, it.binding, it.element, it.kind)).collect()
        };
        if rest.iter().any(|run| kinds(run) != kinds(first)) {
            return None;
        }

        let at = |socket| first.job.buffers.iter().position(|it| (it.set, it.binding) == socket);
        let of_buffer = |socket| at(socket).map_or(Some(Vec::new()), |buffer| in_32_bits(&starts(&runs, buffer)));

        let Interface { block, output, input, copy, .. } = probes[0].interface;
        let pushed = in_32_bits(&push_starts(&runs))?;
        let block = if at(block).is_some() { of_buffer(block)? } else { pushed };
        Some(Self { block, output: of_buffer(output)?, input: of_buffer(input)?, copy: of_buffer(copy)? })
    }
}

/// The one dispatch of a probe; `None` for probes that repeat theirs in several inks.
fn only_run(probe: &ProbeJob) -> Option<&ProbeRun> {
    match &probe.runs[..] {
        [run] => Some(run),
        _ => None,
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

fn starts(runs: &[&ProbeRun], buffer: usize) -> Vec<usize> {
    let lengths = runs.iter().map(|run| &run.job.buffers[buffer]).map(|it| it.bytes.len() + it.after.len());
    laid_in_row(lengths, REGION_BYTES)
}

fn push_starts(runs: &[&ProbeRun]) -> Vec<usize> {
    laid_in_row(runs.iter().map(|run| run.job.push_constants.len()), PUSH_BYTES)
}

/// The bytes of all regions, with words of the refill between them.
fn joined<'a>(parts: impl Iterator<Item = Vec<&'a [u8]>>, starts: &[usize]) -> Vec<u8> {
    let mut all = Vec::new();
    for (part, start) in parts.zip(starts) {
        let gap = start.saturating_sub(all.len()) / 4;
        all.extend(REFILL_WORD.to_le_bytes().repeat(gap));
        all.extend(part.concat());
    }
    all
}

impl RegionJob {
    /// The dispatch of these plans' probes, for which `shader` was written; `None` where [`RegionStarts::of`] gives none.
    pub fn new(cases: Vec<(ProbePlan, ProbeJob)>, shader: PlanShader<'_>) -> Option<Self> {
        let runs = cases.iter().map(|(_, probe)| only_run(probe)).collect::<Option<Vec<_>>>()?;
        let first = &runs.first()?.job;

        let starts: Vec<Vec<usize>> = (0..first.buffers.len()).map(|buffer| starts(&runs, buffer)).collect();
        let buffers = first.buffers.iter().zip(&starts).enumerate().map(|(index, (buffer, starts))| {
            let own = runs.iter().map(|run| &run.job.buffers[index]);
            let bytes = joined(own.map(|it| vec![&it.bytes[..], &it.after[..]]), starts);
            let after = REFILL_WORD.to_le_bytes().repeat(4);
            JobBuffer { bytes, after, before_word: BEFORE_WORD, ..buffer.clone() }
        });

        let pushed = runs.iter().map(|run| vec![&run.job.push_constants[..]]);
        let push_constants = joined(pushed, &push_starts(&runs));

        let requires = shader.requires.clone();
        let job = Job::compute(shader.shader.clone(), REGIONS_ENTRY, buffers.collect());
        Some(Self { job: Job { push_constants, requires, ..job }, cases, starts })
    }

    /// The cases, by their number, in which the device did anything else than their layout says; all of them where it
    /// changed anything between their regions.
    pub fn wrong(&self, read_back: &ReadBack) -> Vec<usize> {
        let all = 0..self.cases.len();
        let has_shape = self.job.buffers.iter().zip(&read_back.buffers).all(|(job, after)| {
            let around = after.before.chunks(4).all(|word| word == job.before_word.to_le_bytes());
            around && after.bytes.len() == job.bytes.len() && after.after == job.after
        });
        if !has_shape || read_back.buffers.len() != self.job.buffers.len() || !self.has_gaps(read_back) {
            return all.collect();
        }
        all.filter(|case| !self.is_right(*case, read_back)).collect()
    }

    fn is_right(&self, case: usize, read_back: &ReadBack) -> bool {
        let (plan, probe) = &self.cases[case];
        let buffers = self.own(case, read_back).collect();
        let own = ReadBack { buffers, targets: Vec::new(), messages: Vec::new() };
        observe(plan, probe, &[own]) == observed_right(plan, probe)
    }

    /// Cuts out what the case's own job would have got back.
    fn own<'a>(&'a self, case: usize, read_back: &'a ReadBack) -> impl Iterator<Item = BufferAfter> + 'a {
        let own = self.cases[case].1.runs.iter().flat_map(|run| &run.job.buffers);
        own.zip(&self.starts).zip(&read_back.buffers).map(move |((buffer, starts), all)| {
            let (start, middle) = (starts[case], starts[case] + buffer.bytes.len());
            let end = middle + buffer.after.len();
            let (bytes, after) = (all.bytes[start..middle].to_vec(), all.bytes[middle..end].to_vec());
            BufferAfter { before: Vec::new(), bytes, after }
        })
    }

    /// Returns true if the words between regions are as they were.
    fn has_gaps(&self, read_back: &ReadBack) -> bool {
        let mut buffers = self.job.buffers.iter().zip(&read_back.buffers).enumerate();
        buffers.all(|(buffer, (job, after))| {
            let mut gaps = (1..self.cases.len()).map(|case| self.end(case - 1, buffer)..self.starts[buffer][case]);
            gaps.all(|gap| job.bytes[gap.clone()] == after.bytes[gap])
        })
    }

    /// Where the region of a case ends.
    fn end(&self, case: usize, buffer: usize) -> usize {
        let own = self.cases[case].1.runs.iter().map(|run| &run.job.buffers[buffer]);
        self.starts[buffer][case] + own.map(|own| own.bytes.len() + own.after.len()).sum::<usize>()
    }
}
