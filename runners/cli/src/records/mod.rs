//! Records of runs: reading, writing and merging their files, and the report at the end.

pub(crate) mod account;
pub(crate) mod arguments;
pub(crate) mod ended_run;
pub(crate) mod final_report;
pub(crate) mod floors;
pub(crate) mod look_alikes;
pub(crate) mod record_keeper;
pub(crate) mod recorded_selection;
pub(crate) mod resume;
