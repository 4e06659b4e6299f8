//! Reads what the user names within limits: cases, files, lists, and the part of a run to carry out.

pub(crate) mod driver_blocks;
pub(crate) mod lists;
pub(crate) mod run_config;
pub(crate) mod run_part;
pub(crate) mod selection;
pub(crate) mod shipping;
