//! A device's answer to one dispatch, sorted by the buffers of the probe's interface.

use layoutproof_device::{BufferAfter, JobBuffer, ReadBack};

use super::observation::{BadReadBack, BufferRole};
use crate::image::encoding::{Half, Ink};
use crate::{Interface, ProbeJob, ProbeRun, Socket};

/// A dispatch and its answer, with matching buffers.
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
    /// The other elements of the array of buffers that contains the block.
    pub(super) elements: Vec<(&'a JobBuffer, &'a BufferAfter)>,
}

impl<'a> CheckedAnswer<'a> {
    /// Finds the buffers of the interface in a dispatch's answer.
    ///
    /// # Errors
    ///
    /// The difference between read-back and job.
    pub(super) fn new(run: &'a ProbeRun, answer: &'a ReadBack, interface: Interface) -> Result<Self, BadReadBack> {
        let buffers = &run.job.buffers;
        if buffers.len() != answer.buffers.len() {
            return Err(BadReadBack::Buffers { sent: buffers.len(), back: answer.buffers.len() });
        }

        let pairs: Vec<_> = buffers.iter().zip(&answer.buffers).collect();
        if let Some((job, after)) = pairs
            .iter()
            .find(|(job, after)| job.bytes.len() != after.bytes.len() || job.after.len() != after.after.len())
        {
            let (sent, back) = ((job.bytes.len(), job.after.len()), (after.bytes.len(), after.after.len()));
            return Err(BadReadBack::Bytes { binding: job.binding, sent, back });
        }

        let at = |job: &JobBuffer, socket: Socket| (job.set, job.binding) == socket;
        let find = |socket| pairs.iter().copied().find(|(job, _)| at(job, socket));
        let (output_job, output) = find(interface.output).ok_or(BadReadBack::NoBuffer(BufferRole::Output))?;
        let (input_job, input) = find(interface.input).ok_or(BadReadBack::NoBuffer(BufferRole::Input))?;

        let mut elements: Vec<_> = pairs.iter().copied().filter(|(job, _)| at(job, interface.block)).collect();
        // The block is the last element of its array, or the only buffer.
        let block = elements.pop();
        Ok(Self { run, block, output_job, output, input_job, input, copy: interface.copy.and_then(find), elements })
    }
}

/// Reads the little-endian word at a byte; zero after the end.
pub(super) fn word_at(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}

/// Converts a byte's place in a buffer, so that places before the buffer can be negative.
pub(super) fn signed(offset: usize) -> i64 {
    i64::try_from(offset).expect("a slice is at most 2^63 bytes long")
}

/// Returns the half of offsets that the words of a dispatch carry; `None` if they carry all of it.
pub(super) fn half_of(probe: &ProbeJob, run: &ProbeRun) -> Option<Half> {
    let two = probe.runs.iter().any(|run| run.ink == Ink::Words(Half::High));
    match run.ink {
        Ink::Words(half) if two => Some(half),
        Ink::Words(_) | Ink::Plane(_) => None,
    }
}
