//! Turns the user's input into records of checks.
//!
//! The command line reads a [`source`] (a case or a file) and makes a [`subject`] for each rule
//! set. Its shaders come from [`produce`], which calls our own generators, or from `compiled`,
//! where a compiler gets the user's declarations. [`layoutproof_events::producer`] lists both kinds and the runners for
//! which they write.
//!
//! A [`Check`] is a subject's shaders on one device. [`jobs`] lists the jobs that the device can
//! run, and `check_record` makes a record of the answers with the [`verdict`].
//!
//! [`binding`] does the same for the placement of parameters under a convention. [`audit`] finds
//! records that contradict themselves. The caller runs every device and validator.

mod answers;
pub mod audit;
pub mod binding;
#[expect(clippy::module_inception, reason = "the room has the name of its main type, and so has that type's file")]
pub mod check;
mod check_record;
pub(crate) mod compiled;
pub mod device_check;
mod hint;
pub mod jobs;
mod moved;
pub mod produce;
mod relaid;
pub mod reproduction;
mod row;
mod shader_texts;
pub mod source;
pub(crate) mod struct_packing;
pub mod subject;
pub mod verdict;

pub use binding::{BindingCheck, Proof, ProofCheck, ProofJobs, ProofModule, TranslatedBinding, binding_shaders};
pub use check::Check;
pub use device_check::{CheckJobs, DeviceCheck};
pub use jobs::{Jobs, ProbeName};
pub use produce::{
    CompiledAccesses, Gap, GapCause, ModuleCode, Settings, ShaderModule, Share, SubjectShaders, share_shaders,
};
pub use reproduction::{ExpectedWord, FailingProbe, ReproDispatch};
pub use shader_texts::ShaderText;
pub use source::Source;
pub use subject::Subject;
