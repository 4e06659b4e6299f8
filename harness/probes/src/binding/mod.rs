//! The binding probe shows which resource a shader really reads at a set and binding, including
//! push constants and specialization constants, and whether a value that one stage writes to a
//! location arrives in the next stage.
//!
//! Every bound resource holds one word that names its site ([`BindingSite`]). A shader reads all of
//! them and stores the words, and each returned word names the resource that was read.
//!
//! [`plan`] chooses the reads, [`programs`] splits them into shaders, [`job`] makes the
//! descriptors, and [`observe`] decodes the results.
//!
//! Generators give every program the same interface: the resources at their sites; an output buffer
//! of `uint` at set 0 binding [`ToolBindings::output`], where the shader copies word 1 to word 0
//! and stores the answers from word [`FIRST_ANSWER`] on; a 2D texture at [`ToolBindings::levels`]
//! for each sampler that is read (a depth texture for a comparison sampler, see [`depth`]); and a
//! sampler at [`ToolBindings::nearest`] if there are cube maps. A draw has no buffers: its answers
//! are the components of its targets, four per target.

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
