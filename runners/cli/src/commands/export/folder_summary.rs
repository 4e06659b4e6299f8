//! Counts the tests of an exported folder and the cases without a test, and describes them in its
//! README and on the terminal.

use std::collections::BTreeMap;
use std::path::Path;

use layoutproof_show::counted;

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
    pub(super) fn tests(&self) -> usize {
        self.written.values().sum()
    }

    /// Counts a case without a test.
    pub(super) fn leave_out(&mut self, case: &str, kind: String) {
        let cases =
            self.left_out.entry(kind).or_insert_with(|| CasesWithoutTest { count: 0, example: case.to_owned() });
        cases.count += 1;
    }
}

pub(super) fn readme(summary: &FolderSummary) -> String {
    let groups = summary.written.iter().map(|(group, count)| format!("| `{group}` | {count} |\n"));
    let left_out = summary
        .left_out
        .iter()
        .map(|(reason, cases)| format!("| {} | {reason} | `{}` |\n", cases.count, cases.example));
    format!(
        "# Tests of memory layouts for LLVM's offload test suite

Written by layoutproof {version} from its cases, one test for each. Copy the folders into `test/Feature` of
llvm/offload-test-suite; lit runs them like the existing tests.

{intro}

| folder | tests |
|---|---:|
{groups}
## How a test works

The buffer is filled with words that encode their offset: `0xC0DE0024` is the data at byte 36. The shader reads each
member and writes the result to `output`, and the pipeline compares that with `expected`. A wrong word shows directly
which byte was read instead. The comments at the end of a test name the case, the source of its numbers (a compiler in a
version with its options, or a clause of a document), and the member of each word of `output`. layoutproof computes
none of the numbers. Only members of four bytes are tested.

Tests without `DirectX` or `Vulkan` after `REQUIRES` run on both: their options for Vulkan do not affect Direct3D.

## Cases without a test

{suite}

| cases | why | for example |
|---:|---|---|
{left_out}",
        version = env!("CARGO_PKG_VERSION"),
        intro = checked_text(summary),
        groups = groups.collect::<String>(),
        suite = suite_text(summary),
        left_out = left_out.collect::<String>(),
    )
}

fn checked_text(summary: &FolderSummary) -> String {
    match &summary.checked_with {
        Some(compiler) => format!(
            "Each was compiled with `{compiler}` by the options of its `RUN` line; none was run on a device by the suite's own tools."
        ),
        None => "None was compiled or run by the suite's own tools; `--check dxc` compiles each.".to_owned(),
    }
}

fn suite_text(summary: &FolderSummary) -> String {
    match &summary.suite {
        Some(suite) => format!(
            "The suite was searched: {tests}, with {blocks} in constant and structured buffers ({unread} cannot be read by \
             layoutproof). A case is left out if one of them declares members of the same types, in the same order, at the \
             same bytes under D3D's rules, whatever they are called.",
            tests = counted(suite.tests as u64, "test"),
            blocks = counted(suite.blocks() as u64, "different block"),
            unread = counted(suite.unread as u64, "shader"),
        ),
        None => "The suite was not searched for tests of the same declarations; `--suite DIR` names a checkout of it."
            .to_owned(),
    }
}

pub(super) fn summary_text(summary: &FolderSummary, folder: &Path) -> String {
    let groups = summary.written.iter().map(|(group, count)| format!("{count:>8} {group}\n"));
    let groups = groups.collect::<Vec<_>>().concat();
    let left_out = summary.left_out.iter();
    let left_out = left_out.map(|(reason, cases)| format!("{:>8} {reason} ({})\n", cases.count, cases.example));
    let left_out = left_out.collect::<Vec<_>>().concat();
    let without = summary.left_out.values().map(|cases| cases.count).sum::<usize>();
    format!(
        "{} written to {}\n{groups}{} without a test\n{left_out}",
        counted(summary.tests() as u64, "test"),
        folder.display(),
        counted(without as u64, "case"),
    )
}
