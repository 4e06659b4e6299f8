//! The accesses as `JUnit` XML: one suite per module, one test case per view.

use layoutproof_show::style::one_line;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{FollowedFile, FollowedFiles, sentence};

/// Writes the accesses as one `JUnit` report.
pub fn junit(followed: &FollowedFiles) -> String {
    let mut report = Report::new("layoutproof accesses");
    for file in &followed.files {
        let mut suite = TestSuite::new(one_line(&file.file));
        suite.add_test_cases(file.accesses.views.iter().map(|view| view_case(&view.name, file)));
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

fn view_case(view: &str, file: &FollowedFile) -> TestCase {
    let module = &file.accesses;
    let faults: Vec<_> = module.faults.iter().filter(|fault| fault.view == view).collect();
    let status = match faults.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(one_line(&sentence(first, &module.accesses)));
            status.set_type(first.kind.name());
            let lines = faults.iter().map(|fault| {
                let place = fault.place.as_ref().map_or_else(|| file.file.clone(), ToString::to_string);
                one_line(&format!("{place}: {}", sentence(fault, &module.accesses)))
            });
            status.set_description(lines.collect::<Vec<_>>().join("\n"));
            status
        }
    };
    let mut case = TestCase::new(one_line(view), status);
    case.set_classname(one_line(&file.file));
    case
}
