//! Reads a user's shader files: declarations, and modules that declare their own offsets.
//!
//! Third-party code parses in a separate process ([`reader_process`]); included files come from
//! [`included`].

pub(crate) mod container_file;
pub(crate) mod declare_options;
pub(crate) mod explicit_layouts;
pub(crate) mod glsl_file;
pub(crate) mod included;
pub(crate) mod reader_process;
mod spirv_words;
