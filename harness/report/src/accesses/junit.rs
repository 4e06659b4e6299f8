//! The accesses as `JUnit` XML: one suite per module, one test case per view. A view that no access reaches is skipped, and
//! so is a test case for the accesses that were not followed.

use layoutproof_show::style::one_line;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{FollowedFile, FollowedFiles};

/// Writes the accesses as one `JUnit` report.
pub fn junit(followed: &FollowedFiles) -> String {
    let mut report = Report::new("layoutproof accesses");
    for file in &followed.files {
        let mut suite = TestSuite::new(one_line(&file.file));
        suite.add_test_cases((0..).zip(&file.accesses.views).map(|(index, view)| view_case(index, &view.name, file)));
        let open = file.open();
        if !open.is_empty() {
            let mut status = TestCaseStatus::skipped();
            let reasons = open.iter().map(|(why, count)| format!("{count} open: {why}"));
            status.set_message(one_line(&reasons.collect::<Vec<_>>().join("; ")));
            suite.add_test_case(TestCase::new("accesses that were not followed", status));
        }
        report.add_test_suite(suite);
    }
    for unread in &followed.unread {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(one_line(&unread.reason()));
        let mut suite = TestSuite::new(one_line(&unread.file));
        suite.add_test_case(TestCase::new("read", status));
        report.add_test_suite(suite);
    }
    report.to_string().expect("quick-junit escapes text, and writing to memory does not fail")
}

fn view_case(index: u32, view: &str, file: &FollowedFile) -> TestCase {
    let module = &file.accesses;
    let faults: Vec<_> = module.faults.iter().filter(|fault| fault.view == view).collect();
    let status = match faults.first() {
        None if module.accesses.iter().any(|access| access.view == Some(index)) => TestCaseStatus::success(),
        None => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("no access");
            status
        }
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(one_line(&file.sentence(first)));
            status.set_type(first.kind.name());
            let lines = faults.iter().map(|fault| {
                let place = fault.place.as_ref().map_or_else(|| file.file.clone(), ToString::to_string);
                one_line(&format!("{place}: {}", file.sentence(fault)))
            });
            status.set_description(lines.collect::<Vec<_>>().join("\n"));
            status
        }
    };
    let mut case = TestCase::new(one_line(view), status);
    case.set_classname(one_line(&file.file));
    case
}
