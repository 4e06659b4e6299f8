//! The declarations of a run with their layouts, so that a report can also draw checks that agree.

use serde::{Deserialize, Serialize};

use super::StoryBlock;

/// A case or a user's file with its layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// Case id, or file name, as in the checks.
    pub case: String,
    /// The claim; empty for a file.
    pub summary: String,
    /// `cases/a/b.toml:9`.
    pub place: String,
    /// The declarations as written; absent if there is no text or if it is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// One per rule set that lays it out.
    pub layouts: Vec<RecordedLayout>,
}

/// A source under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedLayout {
    pub rules: String,
    /// The source of the expected numbers; empty for a file.
    pub authority: String,
    /// The computed blocks that the rule set allows.
    pub blocks: Vec<StoryBlock>,
}
