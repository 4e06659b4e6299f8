//! Checks: from what a user gives to records.
//!
//! The command line reads a [`source`] (a case or a file) and asks for a [`subject`] per rule set. [`produce`] has its
//! shaders written by our own generators, `compiled` by a compiler that gets the user's declarations; [`producer`] says who
//! writes for whom.
//!
//! A [`Check`] is a subject's shaders on one device. [`jobs`] lists what that device can do of them, [`screens`] what
//! many checks can ask in one dispatch, and `check_record` turns the answers into a record with the [`verdict`].
//!
//! [`binding`] does the same for where one convention places parameters. [`audit`] finds records that contradict
//! themselves. The caller runs every device and validator.

mod answers;
pub mod audit;
pub mod binding;
#[expect(clippy::module_inception, reason = "the room has the name of its main type, and so has that type's file")]
pub mod check;
mod check_record;
pub(crate) mod compiled;
mod hint;
pub mod jobs;
mod probe_id;
pub mod produce;
pub mod producer;
mod row;
pub mod screens;
mod shader_texts;
pub mod source;
pub mod subject;
pub mod verdict;

pub use binding::{BindingCheck, Proof, ProofCheck, ProofJobs, ProofModule, binding_shaders};
pub use check::Check;
pub use jobs::Jobs;
pub use probe_id::{ProbeId, ProbeSet};
pub use produce::{
    CompiledAccesses, Gap, GapCause, ModuleCode, Settings, ShaderModule, Share, SubjectShaders, share_shaders,
};
pub use producer::{Generator, Producer};
pub use screens::Screen;
pub use source::Source;
pub use subject::Subject;
