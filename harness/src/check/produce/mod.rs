//! The shaders of a subject: which leaves they probe, who writes them, and what their code addresses.
//!
//! `subject_shaders` asks our own generators for them, `naga` for those that go through WGSL; the folder `compiled` adds
//! what compilers make of the user's text. `probe_axes` chooses address spaces and stages, `feature_split` the leaves that
//! a device can take. What has no shader becomes a [`Gap`].

pub(in crate::check) mod feature_split;
pub(in crate::check) mod gap;
pub(in crate::check) mod naga;
pub(in crate::check) mod probe_axes;
pub(in crate::check) mod settings;
pub(in crate::check) mod shader_module;
pub(crate) mod subject_shaders;

pub use feature_split::Share;
pub use gap::{Gap, GapCause};
pub use settings::{CompiledAccesses, Settings};
pub use shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
pub use subject_shaders::{SubjectShaders, share_shaders};
