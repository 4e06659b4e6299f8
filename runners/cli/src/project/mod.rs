//! Reads `layoutproof.toml`, in which a project lists its shaders, their compile options and the
//! rule sets that ship.

pub(crate) mod compile_args;
pub(crate) mod globs;
pub(crate) mod project_file;
pub(crate) mod shader_settings;
