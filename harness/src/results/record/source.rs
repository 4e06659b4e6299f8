//! What a run was about: declarations with their layouts, so that a report can draw what agrees, too.

use serde::{Deserialize, Serialize};

use super::StoryBlock;

/// A case or a file of the user with its layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// Case id, or file name, as in the checks.
    pub case: String,
    /// The claim; empty for a file.
    pub summary: String,
    /// `cases/a/b.toml:9`.
    pub place: String,
    /// The declarations as written; absent where there is no text, or too much of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// One per rule set that lays it out.
    pub layouts: Vec<RecordedLayout>,
}

/// A source under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedLayout {
    /// Rule set.
    pub rules: String,
    /// Who is behind the expected numbers; empty for a file.
    pub authority: String,
    /// Blocks that the rule set allows, as computed.
    pub blocks: Vec<StoryBlock>,
}
