//! Records of runs: reading, writing and merging their files, and the report at the end.

pub(crate) mod arguments;
mod compression;
pub(crate) mod decision_rows;
pub(crate) mod ended_run;
pub(crate) mod final_report;
pub(crate) mod floors;
pub(crate) mod frozen_set;
pub(crate) mod ledger;
pub(crate) mod lock;
pub(crate) mod look_alikes;
pub(crate) mod merge;
pub(crate) mod output_files;
pub(crate) mod participants;
pub(crate) mod record_keeper;
pub(crate) mod recorded;
pub(crate) mod recorded_sources;
pub(crate) mod records_file;
pub(crate) mod resume;
pub(crate) mod shapes;
