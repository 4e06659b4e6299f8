//! The check as `JUnit` XML: one suite per shader file, one test case per block and target.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use layoutproof_hostcheck::Mismatch;

use super::findings::{pair_findings, unread_findings};
use super::text::finding_text;
use super::view::View;
use super::{CheckedPair, HostCheck, PairOutcome, UnmatchedBlock, UnreadInput};
use layoutproof_show::style::one_line;

/// Writes a check as one `JUnit` report.
pub fn junit(check: &HostCheck) -> String {
    let mut suites: BTreeMap<&str, Vec<TestCase>> = BTreeMap::new();
    let mut cases: BTreeMap<usize, TestCase> = BTreeMap::new();
    for finding in pair_findings(check) {
        let first = &check.pairs[finding.first()];
        cases.insert(finding.first(), pair_case(first, &finding_text(check, &finding, View::FILE)));
        for index in &finding.members[1..] {
            cases.insert(*index, repeated_case(&check.pairs[*index], first));
        }
    }
    for (index, case) in cases {
        suites.entry(&check.pairs[index].shader).or_default().push(case);
    }
    for unmatched in &check.unmatched {
        suites.entry(&unmatched.shader).or_default().push(unmatched_case(unmatched, check.is_strict));
    }
    for (file, complaints) in [("layoutproof.toml", &check.complaints), ("layoutproof.lock", &check.lock_changes)] {
        for complaint in complaints {
            suites.entry(file).or_default().push(complaint_case(complaint));
        }
    }
    for finding in unread_findings(check) {
        let first = finding.files[0];
        suites.entry(&first.file).or_default().push(unread_case(first, &finding.sentence()));
        for unread in &finding.files[1..] {
            suites.entry(&unread.file).or_default().push(repeated_unread_case(unread, first));
        }
    }

    let mut report = Report::new("layoutproof check");
    for (name, cases) in suites {
        let mut suite = TestSuite::new(one_line(name));
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    report.to_string().expect("quick-junit escapes text, and writing to memory does not fail")
}

/// The case of the pair that stands for its finding; `text` is what the table for people says.
fn pair_case(pair: &CheckedPair, text: &str) -> TestCase {
    let status = match pair.outcome() {
        PairOutcome::Agree | PairOutcome::Known => TestCaseStatus::success(),
        PairOutcome::Differ => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let first = pair.mismatches().first().copied();
            let message = first.map_or_else(|| "a device read another member".to_owned(), Mismatch::with_followers);
            status.set_message(one_line(&message));
            status.set_type(first.map_or("differ", |mismatch| mismatch.kind.name()));
            status.set_description(text);
            status
        }
    };
    case_of(pair, status)
}

/// The case of a pair with the same result as `first`. A difference fails once, so that a dashboard
/// counts it once.
fn repeated_case(pair: &CheckedPair, first: &CheckedPair) -> TestCase {
    let status = match pair.outcome() {
        PairOutcome::Agree | PairOutcome::Known => TestCaseStatus::success(),
        PairOutcome::Differ => {
            let mut status = TestCaseStatus::skipped();
            let text = format!("differs as {} of {} does, where it is reported", first.shader_name(), first.shader);
            status.set_message(one_line(&text));
            status
        }
    };
    case_of(pair, status)
}

fn case_of(pair: &CheckedPair, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(one_line(&format!("{}::{}::{}", pair.shader_name(), pair.target, pair.host)), status);
    case.set_classname(one_line(&pair.shader));
    for reason in &pair.known {
        case.add_property(Property::new("known", one_line(reason)));
    }
    case
}

fn unmatched_case(unmatched: &UnmatchedBlock, is_strict: bool) -> TestCase {
    let is_error = is_strict || unmatched.reason.is_error();
    let mut status =
        if is_error { TestCaseStatus::non_success(NonSuccessKind::Error) } else { TestCaseStatus::skipped() };
    status.set_message(one_line(&unmatched.reason.to_string()));
    let mut case = TestCase::new(one_line(&format!("{}::{}", unmatched.block, unmatched.target)), status);
    case.set_classname(one_line(&unmatched.shader));
    case
}

fn unread_case(unread: &UnreadInput, reason: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(one_line(reason));
    let mut case = TestCase::new("read", status);
    case.set_classname(one_line(&unread.file));
    case
}

/// The case of a file that cannot be read for the same reason as `first`.
fn repeated_unread_case(unread: &UnreadInput, first: &UnreadInput) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status
        .set_message(one_line(&format!("cannot be read for the same reason as {}, where it is reported", first.file)));
    let mut case = TestCase::new("read", status);
    case.set_classname(one_line(&unread.file));
    case
}

/// A known difference that no longer occurs, or a change since the lock file was written.
fn complaint_case(complaint: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(one_line(complaint));
    let mut case = TestCase::new(one_line(complaint), status);
    case.set_classname("layoutproof.toml");
    case
}
