//! Checks: from what a user gives to records.
//!
//! [`source`] is a declared case or file, [`subject`] the same under one rule set, [`placed`] the same as one convention
//! places its parameters, [`produce`] its shaders by one [`producer`] in the spaces and stages that `reach` chooses, each
//! a [`shader_module`], `asked` where a compiler makes them, [`jobs`] what of them one device can do, [`mod@screen`]
//! what many checks can ask in one dispatch, [`conduct`] the record that its results add up to; [`proof`] and [`prove`]
//! are jobs and record of a placement; [`audit`] tells a record that contradicts itself. Everything that runs a device or a validator is the caller's.

mod answers;
pub(crate) mod asked;
pub mod audit;
mod authority;
mod candidate;
mod compiled_code;
pub mod conduct;
pub mod gap;
mod hint;
pub mod jobs;
pub mod placed;
pub mod produce;
pub(crate) mod produce_compiled;
mod produce_naga;
pub mod producer;
pub mod proof;
pub mod prove;
mod reach;
mod row;
pub mod screen;
pub mod shader_module;
mod share;
pub mod source;
pub mod subject;

pub use conduct::Check;
pub use gap::{Gap, GapCause};
pub use jobs::Jobs;
pub use placed::Placed;
pub use produce::{Produced, Settings};
pub use producer::{Generator, Producer};
pub use proof::{Proof, ProofCheck, ProofModule};
pub use prove::ProofJobs;
pub use screen::{Answered, ProbeId, Screen};
pub use shader_module::{Code, ShaderModule};
pub use share::Share;
pub use source::Source;
pub use subject::Subject;
