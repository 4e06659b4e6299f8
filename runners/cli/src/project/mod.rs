//! What a project says of itself in `layoutproof.toml`, for the commands that read it: which shaders there are, how they are
//! compiled, what ships.

mod compile_args;
pub(crate) mod globs;
pub(crate) mod project_file;
pub(crate) mod shader_settings;
