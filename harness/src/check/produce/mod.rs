//! Makes the shaders of a subject: chooses the leaves to probe, calls a generator, and finds the
//! offsets in the code.
//!
//! `subject_shaders` calls our own generators, and `naga` those that go through WGSL. The
//! `compiled` folder adds the shaders that compilers make from the user's text. `probe_axes`
//! chooses address spaces and stages, and `feature_split` the leaves that a device can run. A part
//! without a shader becomes a [`Gap`].

pub(crate) mod feature_split;
pub(crate) mod gap;
pub(crate) mod naga;
pub(crate) mod probe_axes;
pub(crate) mod settings;
pub(crate) mod shader_module;
pub(crate) mod subject_shaders;

pub use feature_split::Share;
pub use gap::{Gap, GapCause};
pub use settings::{CompiledAccesses, Settings};
pub use shader_module::{CompiledOffsets, ModuleCode, ShaderModule};
pub use subject_shaders::{SubjectShaders, share_shaders};
