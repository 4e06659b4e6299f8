//! Checks: from what a user gives to records.
//!
//! [`source`] is a declared case or file, [`subject`] the same under one rule set, [`binding_check`] the same as one convention
//! places its parameters, [`produce`] its shaders by one [`producer`] in the spaces and stages that `reach` chooses, each
//! a [`shader_module`], `asked` where a compiler makes them, [`jobs`] what of them one device can do, [`mod@screen`]
//! what many checks can ask in one dispatch, [`check`] the record that its results add up to; [`binding_shaders`] and [`binding_jobs`]
//! are jobs and record of a placement; [`audit`] tells a record that contradicts itself. Everything that runs a device or a validator is the caller's.

mod answers;
pub mod audit;
mod authority;
pub mod binding_check;
pub mod binding_jobs;
pub mod binding_shaders;
mod candidate;
pub mod check;
pub(crate) mod compile_probe;
mod compiled_code;
mod feature_split;
pub mod gap;
mod hint;
pub mod jobs;
mod probe_axes;
pub mod produce;
pub(crate) mod produce_compiled;
mod produce_naga;
pub mod producer;
mod row;
pub mod screen;
pub mod shader_module;
pub mod source;
pub mod subject;
pub mod verdict;

pub use binding_check::Placed;
pub use binding_jobs::ProofJobs;
pub use binding_shaders::{Proof, ProofCheck, ProofModule};
pub use check::Check;
pub use feature_split::Share;
pub use gap::{Gap, GapCause};
pub use jobs::Jobs;
pub use produce::{Produced, Settings};
pub use producer::{Generator, Producer};
pub use screen::{Answered, ProbeId, Screen};
pub use shader_module::{Code, ShaderModule};
pub use source::Source;
pub use subject::Subject;
