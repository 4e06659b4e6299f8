//! Probes: which entry points a shader module has, which bytes go in, and what the bytes that come out mean.
//!
//! Every probe has the same interface, so that each generator writes the same program in its own language:
//!
//! - set 0 binding 0, or the push constants: the block under test, read-only for read entries;
//! - set 0 binding 1: output, a storage buffer of `uint`, refilled before each dispatch;
//! - set 0 binding 2: input, a read-only storage buffer of `uint`; word 0 is the nonce, the values to write follow.
//!
//! A read entry stores the nonce to `output[0]` and the bits of leaf `i` through form `f` to
//! `output[1 + f * leaves + i]`. A write entry has one form: it stores `input[1 + i]`, as the leaf's type, to leaf `i`,
//! and the nonce to `output[0]`.
//!
//! [`plan`] chooses leaves and entries, [`jobs`] makes the buffers of each dispatch, [`observe`] reads what came back.

mod jobs;
mod observe;
mod plan;

pub use jobs::{PlanShader, ProbeJob, Range, jobs};
pub use observe::{BufferRole, Observation, Observed, Problem, observe};
pub use plan::{elements, plan};

use crate::layout::Leaf;
use crate::record::{Direction, Form, Space};

/// What one shader module must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbePlan {
    /// The leaves that are probed, in the order of the output words.
    pub leaves: Vec<Leaf>,
    /// The leaves that are left out of the module, each with the reason.
    pub not_probed: Vec<NotProbed>,
    /// The entry points.
    pub entries: Vec<ProbeEntry>,
}

/// A leaf that no entry point reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NotProbed {
    /// The leaf.
    pub leaf: Leaf,
    /// Why: a lowercase fragment that fits after "not probed: ".
    pub reason: String,
}

/// One entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeEntry {
    /// Name of the entry point: `read_uniform`, `write_storage_vector`.
    pub name: String,
    /// Where the block lives.
    pub space: Space,
    /// Which way bytes go.
    pub direction: Direction,
    /// Forms in the order of the output words; exactly one for a write entry.
    pub forms: Vec<Form>,
}
