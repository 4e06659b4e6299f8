//! `JUnit` XML for CI systems: one suite per device and runner, one test case per check.
//!
//! What a run lacks is an error of a suite of its own. A failure's message is its verdict, and its body is the terminal's failure block without colour.
//! A skip has its reason, and a known difference passes with the property `known`. Each fault is a
//! property, and an answer that changed on repeat is a failure. A suite has the device's versions as
//! properties.

use std::collections::BTreeMap;
use std::time::Duration;

use layoutproof_device::DeviceInfo;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::failure::block::block;
use crate::failure::cause::FailureGroup;
use crate::failure::cause::place;
use crate::faults::both_answers;
use crate::reporter::{Destination, FinishedRun, Reporter};
use layoutproof_events::{AccountEntry, AccountState, CheckRecord, KnownEntry, OutcomeKind};
use layoutproof_show::style::{Style, one_line};
use layoutproof_source::plain_text::escape_controls;

/// The checks as one `JUnit` report.
#[derive(Clone, Copy, Debug)]
pub struct Junit;

impl Reporter for Junit {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "junit", help: "Write a junit.xml report for CI systems" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let mut suites: BTreeMap<String, Vec<&CheckRecord>> = BTreeMap::new();
        for check in run.checks {
            suites.entry(place(check.id.device.as_ref())).or_default().push(check);
        }
        let mut report = Report::new("layoutproof");
        if let Some(time) = run.time {
            report.set_time(time);
        }
        for (name, checks) in suites {
            let mut suite = TestSuite::new(one_line(&name));
            suite.set_time(Duration::from_millis(checks.iter().fold(0, |sum, check| sum.saturating_add(check.ms))));
            if let Some(hostname) = run.hostname {
                suite.extra.insert("hostname".into(), one_line(hostname).into());
            }
            suite.add_properties(versions(run.devices, checks[0]));
            suite.add_test_cases(checks.into_iter().map(test_case));
            report.add_test_suite(suite);
        }
        let shortfalls: Vec<TestCase> = run.shortfalls().map(|sentence| shortfall_case(&sentence)).collect();
        if !shortfalls.is_empty() {
            let mut suite = TestSuite::new("run");
            suite.add_test_cases(shortfalls);
            report.add_test_suite(suite);
        }
        if let Some(account) = &run.end.account {
            let mut suite = TestSuite::new("account");
            suite.add_test_cases(account.entries.iter().map(account_case));
            report.add_test_suite(suite);
        }
        let text = report.to_string().expect("writing to memory does not fail");
        // quick-junit leaves out the control characters that XML forbids, but not U+FFFE.
        escape_controls(&text).into_owned()
    }
}

/// The properties of this check's suite: what is known about its device.
fn versions(devices: &[DeviceInfo], check: &CheckRecord) -> Vec<Property> {
    let Some(device) = devices.iter().find(|device| check.id.is_on(device)) else { return Vec::new() };
    let named = [("device", &device.name), ("driver", &device.driver), ("api", &device.api)];
    let named = named.into_iter().filter(|(_, value)| !value.is_empty());
    named.map(|(name, value)| Property::new(name, one_line(value))).collect()
}

fn test_case(check: &CheckRecord) -> TestCase {
    let (folder, case) = check.id.case.rsplit_once('/').unwrap_or(("", &check.id.case));
    // Dashboards tell tests apart by class and name, whatever their suite.
    let device = check.id.device.as_ref().map(|device| format!("::{}::{}", device.id, device.runner.as_str()));
    let name = format!("{case}::{}::{}{}", check.id.rules, check.id.producer, device.unwrap_or_default());
    let mut test = TestCase::new(one_line(&name), status(check));
    test.set_classname(one_line(&folder.replace('/', ".")));
    test.set_time(Duration::from_millis(check.ms));
    if let (OutcomeKind::Known, Some(known)) = (check.outcome.kind(), check.outcome.entry()) {
        test.add_property(Property::new("known", one_line(&describe(known))));
    }
    for fault in &check.faults {
        let kind: &str = fault.cause.kind().into();
        test.add_property(Property::new(kind, one_line(&fault.cause.to_string())));
    }
    test
}

/// An unfinished run is an error, however many of its checks agree.
fn shortfall_case(sentence: &str) -> TestCase {
    let message = one_line(sentence);
    let mut test = TestCase::new("is complete", failed(NonSuccessKind::Error, "incomplete", &message, message.clone()));
    test.set_classname("run");
    test
}

/// A thing that the run found. What was not compared is an error, unless the user excludes it.
fn account_case(entry: &AccountEntry) -> TestCase {
    let target = entry.target.as_ref().map_or_else(String::new, |target| format!("::{target}"));
    let kind: &str = entry.kind.into();
    let name = one_line(&format!("{}{target}", entry.name));
    let message = one_line(&entry.state.to_string());
    let status = match (entry.is_open(), &entry.state) {
        (true, _) => failed(NonSuccessKind::Error, "incomplete", &message, message.clone()),
        (false, AccountState::Compared) => TestCaseStatus::success(),
        (false, _) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(message);
            status
        }
    };
    let mut test = TestCase::new(name, status);
    test.set_classname(one_line(&format!("{}.{kind}", entry.file)));
    test
}

fn describe(known: &KnownEntry) -> String {
    format!("{}:{}: {}", known.file, known.line, known.reason)
}

fn status(check: &CheckRecord) -> TestCaseStatus {
    let reason = check.outcome.reasons().map(ToString::to_string);
    let reason = one_line(reason.as_deref().unwrap_or("no reason given"));
    match check.outcome.kind() {
        OutcomeKind::Agree | OutcomeKind::Known if check.is_flaky() => {
            let answers = one_line(&both_answers(check));
            failed(
                NonSuccessKind::Failure,
                "flaky",
                &format!("an answer changed on repeat: {answers}"),
                answers.clone(),
            )
        }
        OutcomeKind::Agree | OutcomeKind::Known => TestCaseStatus::success(),
        OutcomeKind::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason);
            status
        }
        OutcomeKind::Differ => {
            let culprit = check.outcome.culprit().map_or("unclear", |culprit| culprit.as_str());
            let verdict = check.outcome.story().map_or("the sources differ", |story| story.verdict.as_str());
            failed(NonSuccessKind::Failure, culprit, &format!("{culprit}: {}", one_line(verdict)), body(check))
        }
        OutcomeKind::Stale => {
            let entry = check.outcome.entry().map(describe).unwrap_or_default();
            let message = format!("agrees now; remove the entry {}", one_line(&entry));
            failed(NonSuccessKind::Failure, "stale", &message, message.clone())
        }
        OutcomeKind::Broken => failed(NonSuccessKind::Error, "broken", &reason, body(check)),
    }
}

fn failed(kind: NonSuccessKind, ty: &str, message: &str, body: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(ty).set_message(message).set_description(body);
    status
}

fn body(check: &CheckRecord) -> String {
    block(&FailureGroup::of(check), Style::PLAIN)
}
