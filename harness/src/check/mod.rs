//! Checks: from what a user gives to records.
//!
//! The command line reads a [`source`] (a case or a file) and asks for a [`subject`] per rule set. [`produce`] writes its
//! shaders, one [`shader_module`] each, by one [`producer`]: our own generators, or a compiler that compiles the user's
//! declarations (`compile_probe`). `probe_axes` chooses spaces and stages.
//!
//! A [`Check`] is a subject's shaders on one device. [`jobs`] lists what that device can do of them, [`mod@screen`] what
//! many checks can ask in one dispatch, and `check_record` turns the answers into a record with the [`verdict`].
//!
//! [`binding_check`], [`binding_shaders`] and [`binding_jobs`] do the same for where one convention places parameters.
//! [`audit`] finds records that contradict themselves. The caller runs every device and validator.

mod answers;
pub mod audit;
mod authority;
pub mod binding_check;
pub mod binding_jobs;
pub mod binding_shaders;
mod candidate;
#[expect(clippy::module_inception, reason = "the room has the name of its main type, and so has that type's file")]
pub mod check;
mod check_record;
pub(crate) mod compile_probe;
mod compiled_code;
mod feature_split;
pub mod gap;
mod hint;
pub mod jobs;
mod probe_axes;
mod probe_id;
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

pub use binding_check::BindingCheck;
pub use binding_jobs::ProofJobs;
pub use binding_shaders::{Proof, ProofCheck, ProofModule};
pub use check::Check;
pub use feature_split::Share;
pub use gap::{Gap, GapCause};
pub use jobs::Jobs;
pub use probe_id::{AnsweredEntries, ProbeId};
pub use produce::{Settings, SubjectShaders};
pub use producer::{Generator, Producer};
pub use screen::Screen;
pub use shader_module::{ModuleCode, ShaderModule};
pub use source::Source;
pub use subject::Subject;
