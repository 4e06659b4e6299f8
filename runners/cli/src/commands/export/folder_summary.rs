//! Counts the tests of an exported folder, and the cases without a test.

use std::collections::BTreeMap;

use layoutproof_core::results::record::kind_of_text;

use super::suite_tree::SuiteTree;

/// The written tests and the omitted cases.
#[derive(Debug, Default)]
pub(super) struct FolderSummary {
    /// Number of tests in each folder.
    pub(super) written: BTreeMap<&'static str, usize>,
    /// Cases without a test by kind of reason, each kind with an example.
    pub(super) left_out: BTreeMap<String, CasesWithoutTest>,
    /// The checkout that cases were compared with.
    pub(super) suite: Option<SuiteTree>,
    /// The name of the compiler that accepted each test.
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
    /// Number of tests in all folders.
    pub(super) fn tests(&self) -> usize {
        self.written.values().sum()
    }

    /// Counts a case without a test.
    pub(super) fn leave_out(&mut self, case: &str, reason: &str) {
        let kind = kind_of_text(reason).to_owned();
        let cases =
            self.left_out.entry(kind).or_insert_with(|| CasesWithoutTest { count: 0, example: case.to_owned() });
        cases.count += 1;
    }
}
