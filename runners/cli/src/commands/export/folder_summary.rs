//! What a folder of exported tests has, and what it lacks.

use std::collections::BTreeMap;

use layoutproof_core::report::kind_of_reason;

use super::suite_tree::SuiteTree;

/// What was written, and what was not.
#[derive(Debug, Default)]
pub(super) struct FolderSummary {
    /// Tests in each folder.
    pub(super) written: BTreeMap<&'static str, usize>,
    /// Cases without a test, by the kind of reason; one example of each.
    pub(super) left_out: BTreeMap<String, CasesWithoutTest>,
    /// The checkout that cases were compared with.
    pub(super) suite: Option<SuiteTree>,
    /// The compiler that took each test.
    pub(super) checked_with: Option<String>,
}

/// Cases without a test for one kind of reason.
#[derive(Debug)]
pub(super) struct CasesWithoutTest {
    pub(super) count: usize,
    /// The first of them.
    pub(super) example: String,
}

impl FolderSummary {
    /// Tests in all folders.
    pub(super) fn tests(&self) -> usize {
        self.written.values().sum()
    }

    /// Counts a case that has no test, by the kind of the reason.
    pub(super) fn leave_out(&mut self, case: &str, reason: &str) {
        let kind = kind_of_reason(reason).to_owned();
        let cases =
            self.left_out.entry(kind).or_insert_with(|| CasesWithoutTest { count: 0, example: case.to_owned() });
        cases.count += 1;
    }
}
