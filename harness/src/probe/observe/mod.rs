//! Decodes what a device did: the byte offset of every leaf, from the bytes that came back.
//!
//! A read leaf says where it was read, because the image's bytes carry their offsets. A written leaf is looked for in
//! the whole memory, because its value carries the offset where it belongs. Both are found from the dispatches whose ink
//! is the leaf's own (`decode_leaf`). Everything that must not change is compared as well: padding, guards, the memory
//! around each buffer (`clobber`). No offset is judged here: `check` compares them with those of the layout.

mod checked_answer;
mod clobber;
mod decode_leaf;
mod observation;
mod read_answers;

pub use observation::{BufferRole, Observation, Observed, ProbeProblem};
pub use read_answers::{observe, observed_right};
