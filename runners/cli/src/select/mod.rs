//! What a command is about: files and cases that the user names, read within limits, and the part of a run that is wanted.

pub(crate) mod chosen;
pub(crate) mod divisions;
pub(crate) mod explicit_layouts;
pub(crate) mod files;
pub(crate) mod glsl_file;
pub(crate) mod included;
pub(crate) mod inputs;
pub(crate) mod lists;
pub(crate) mod reader_process;
pub(crate) mod run_config;
pub(crate) mod selection;
pub(crate) mod shard;
