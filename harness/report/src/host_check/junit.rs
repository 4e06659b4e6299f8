//! The check as `JUnit` XML: one suite per shader file, one test case per block and target.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{CheckedPair, HostCheck, PairOutcome, UnmatchedBlock, text};
use layoutproof_show::style::{Style, one_line};

/// Writes a check as one `JUnit` report.
///
/// # Panics
/// Never; the reason is next to the call.
pub fn junit(check: &HostCheck) -> String {
    let mut suites: BTreeMap<&str, Vec<TestCase>> = BTreeMap::new();
    for pair in &check.pairs {
        suites.entry(&pair.shader).or_default().push(pair_case(pair));
    }
    for unmatched in &check.unmatched {
        suites.entry(&unmatched.shader).or_default().push(unmatched_case(unmatched, check.is_strict));
    }

    let mut report = Report::new("layoutproof check");
    for (name, cases) in suites {
        let mut suite = TestSuite::new(one_line(name));
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    report.to_string().expect("quick-junit escapes text, and writing to memory does not fail")
}

fn pair_case(pair: &CheckedPair) -> TestCase {
    let status = match pair.outcome() {
        PairOutcome::Agree | PairOutcome::Known => TestCaseStatus::success(),
        PairOutcome::Differ => {
            let alone = HostCheck { pairs: vec![pair.clone()], ..HostCheck::default() };
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let first = pair.comparison.mismatches.first();
            let message = first.map_or_else(|| "a device read another member".to_owned(), ToString::to_string);
            status.set_message(one_line(&message));
            status.set_type(first.map_or("differ", |mismatch| mismatch.kind.name()));
            status.set_description(text(&alone, Style::PLAIN));
            status
        }
    };
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
