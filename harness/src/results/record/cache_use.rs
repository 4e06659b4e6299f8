//! Use of the compiler cache by a run.

use serde::{Deserialize, Serialize};

/// The number of answers that a run needed, and how many came from the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCacheUse {
    /// Answers of compilers.
    pub compilations: u32,
    /// Those from the cache.
    pub compilations_cached: u32,
    /// Answers of the validator.
    pub validations: u32,
    /// Those from the cache.
    pub validations_cached: u32,
}

impl RecordedCacheUse {
    /// The sum over several runs.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            compilations: self.compilations.saturating_add(other.compilations),
            compilations_cached: self.compilations_cached.saturating_add(other.compilations_cached),
            validations: self.validations.saturating_add(other.validations),
            validations_cached: self.validations_cached.saturating_add(other.validations_cached),
        }
    }

    /// True if the run needed no answers.
    pub fn is_empty(&self) -> bool {
        self.compilations == 0 && self.validations == 0
    }
}
