//! Reads what the user names within limits: cases, files, lists, and the part of a run to carry out.

pub(crate) mod divisions;
pub(crate) mod explicit_layouts;
pub(crate) mod files;
pub(crate) mod glsl_file;
pub(crate) mod included;
pub(crate) mod inputs;
pub(crate) mod lists;
pub(crate) mod reader_process;
pub(crate) mod run_config;
pub(crate) mod run_part;
pub(crate) mod selection;
pub(crate) mod user_choice;
