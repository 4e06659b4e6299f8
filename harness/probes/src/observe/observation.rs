//! The observations of a probe: a place for each leaf, and the problems that no layout explains.

use std::fmt;

use thiserror::Error;

use crate::image::decode;
use crate::image::encoding::Half;
use crate::{AddressSpace, BoundRange, Direction, Form};

/// The place of one leaf through one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Index into [`ProbePlan::leaves`](crate::ProbePlan::leaves).
    pub leaf: u32,
    /// The address space of the block.
    pub space: AddressSpace,
    pub direction: Direction,
    pub form: Form,
    /// The end of the bound range.
    pub range: BoundRange,
    /// The byte that was read or written, counted from the start of the block; for [`Form::Length`]
    /// the number of elements. `None` if the answer names no byte.
    pub offset: Option<u32>,
    /// A description of the answer, unless it is simply the leaf's own offset (`read 0xBADD0030,
    /// padding at byte 48`).
    pub note: Option<String>,
}

/// The decoded answer to one probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// One per form and leaf, with the forms in the entry's order and the leaves in the plan's.
    pub observations: Vec<Observation>,
    /// Problems that a device with correct behaviour never shows.
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
    /// Another element of the array of buffers that contains the block.
    Element(u32),
}

/// A problem that must not happen under any layout.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProbeProblem {
    /// The nonce is not in the output.
    #[error("the dispatch did nothing: the nonce's word holds {found:#010X}, {}", decode(*found))]
    NoNonce {
        /// The word at the nonce's place.
        found: u32,
    },
    /// The shader's answer for a leaf is missing.
    #[error("`{path}` was not stored to the output")]
    NotStored { path: String },
    /// The value of a written leaf is not found anywhere.
    #[error("`{path}` was not written: byte {offset} holds {found:#010X}, {}", meaning(*found, *half))]
    NotWritten {
        path: String,
        /// Offset of the leaf in bytes.
        offset: u32,
        /// The word at that offset.
        found: u32,
        /// The half of offsets that words carry, if they carry only one.
        half: Option<Half>,
    },
    /// Bytes changed that the shader must not touch.
    #[error("{role} byte {offset} changed from {was:#010X} to {is:#010X}, {}", meaning(*is, *half))]
    Changed {
        role: BufferRole,
        /// Bytes from the start of the bound range; negative before it.
        offset: i64,
        /// The word before the dispatch.
        was: u32,
        /// The word after it.
        is: u32,
        /// The half of offsets that words carry, if they carry only one.
        half: Option<Half>,
    },
    /// The runner's answer does not have the job's shape.
    #[error("read-back does not match the job: {0}")]
    BadReadBack(#[from] BadReadBack),
}

/// A difference between the shapes of a job and its answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadReadBack {
    #[error("{dispatches} dispatches, {answers} answers")]
    Answers { dispatches: usize, answers: usize },
    #[error("{sent} buffers, {back} came back")]
    Buffers { sent: usize, back: usize },
    /// Bytes of the block and after it.
    #[error("binding {binding} has {} + {} bytes, {} + {} came back", .sent.0, .sent.1, .back.0, .back.1)]
    Bytes { binding: u32, sent: (usize, usize), back: (usize, usize) },
    #[error("no {0} buffer")]
    NoBuffer(BufferRole),
}

/// Describes a word by its meaning, as far as one half of an offset tells.
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
