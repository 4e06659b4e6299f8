//! The binding probe: shows which resource a shader really reads at a set and binding, push constants and specialization
//! constants included, and whether what a stage writes at a location arrives there.
//!
//! Every bound resource holds one word that names its site ([`BindingSite`]); a shader reads them all and stores what it
//! read; the word that comes back names the resource that was read.
//!
//! [`plan`] says what is read, [`programs`] which shaders that takes, [`job`] makes the descriptors, [`observe`] reads
//! what came back. Interface of every program, for the generators: the resources at their sites; an output buffer of
//! `uint` at set 0 binding [`ToolBindings::output`], whose word 1 the shader copies to word 0 and into which it stores the
//! answers from word [`FIRST_ANSWER`] on; a 2D texture at [`ToolBindings::levels`] for each sampler that is read (of
//! depths for one that compares: see [`depth`]), a sampler at [`ToolBindings::nearest`] where cube maps are. A draw has
//! no buffers: answers are the components of its targets, four to each.

mod declared;
pub mod depth;
mod jobs;
mod kind;
mod observe;
mod plan;
mod program;
mod site;
mod stage;

pub use declared::is_combined_sampler;
pub use jobs::{ENTRY, FIRST_ANSWER, FRAGMENT_ENTRY, in_registers, job, requires};
pub use kind::BoundKind;
pub use observe::{BindingAnswer, NoAnswer, observe};
pub use plan::{BindingPlan, ProbedBinding, Skipped, plan};
pub use program::{
    BindingProgram, LocationWord, Pass, ProgramExtent, ProgramRead, ToolBindings, is_sampled_cube, is_sampler, programs,
};
pub use site::BindingSite;
