//! Decodes a device's results: finds the byte offset of every leaf in the bytes that came back.
//!
//! A read leaf names the place where it was read, because the image's bytes carry their offsets. A
//! written leaf is searched for in the whole memory, because its value carries the offset where it
//! belongs. Both come from the dispatches with the leaf's own ink (`decode_leaf`).
//!
//! Everything that must not change is compared as well: padding, guards, and the memory around each
//! buffer (`clobber`). This module judges no offset: `check` compares them with the layout's.

mod checked_answer;
mod clobber;
mod decode_leaf;
mod observation;
mod read_answers;
mod stray_value;

pub use observation::{BufferRole, Observation, Observed, ProbeProblem};
pub use read_answers::{observe, observed_right};
