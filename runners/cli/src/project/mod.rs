//! The settings of a project: its file, and what they make of the command line's options.

pub(crate) mod shader_settings;

pub(crate) use layoutproof_inputs::{compile_args, globs, project_file};
