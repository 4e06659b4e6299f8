//! Reads what the user names within limits: cases, files, lists, and the part of a run to carry out.

pub(crate) mod all_cases;
pub(crate) mod divisions;
pub(crate) mod files;
pub(crate) mod inputs;
pub(crate) mod layout_selection;
pub(crate) mod lists;
pub(crate) mod misnamed;
pub(crate) mod refused_input;
pub(crate) mod rule_set;
pub(crate) mod run_config;
pub(crate) mod run_part;
pub(crate) mod selection;
pub(crate) mod shader_file;
pub(crate) mod shipping;
