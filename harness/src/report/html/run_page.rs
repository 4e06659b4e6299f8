//! The page of a run: who answers what, failures by cause, known differences, and every case with its byte maps.
//!
//! `report --html` and `run --html` write it. It reads without JavaScript, which adds filters and folds links out.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::DeviceInfo;
use maud::{Markup, html};

use super::case_link::case_link;
use super::case_part::case_parts;
use super::failure_card::failure_card;
use super::outcome_matrix::{CheckPlaces, outcome_matrix};
use super::page_frame::PageFrame;
use crate::report::failure::cause::causes;
use crate::report::reasons::kind_of_reason;
use crate::report::style::{counted, grouped, one_line};
use crate::results::record::{CheckRecord, KnownEntry, Outcome, RunEnd, SkipKind};

/// What a page of a run is made of.
#[derive(Clone, Copy, Debug)]
pub struct RunPageFacts<'a> {
    /// Devices, through each API.
    pub devices: &'a [DeviceInfo],
    /// In the order of the run.
    pub checks: &'a [CheckRecord],
    /// Their totals, and what the checks are about.
    pub end: &'a RunEnd,
}

/// Examples of cases that a list of known differences names.
const NAMED_CASES: usize = 40;

/// The page.
pub fn run_page(facts: &RunPageFacts<'_>) -> String {
    let RunPageFacts { devices, checks, end } = *facts;
    let places = CheckPlaces::of(checks, &end.left_out);
    let content = html! {
        (outcome_matrix(&places, checks, &end.left_out))
        (failures(checks))
        (stale(checks))
        (known(checks))
        (skips(checks))
        (case_parts(&places, checks, &end.sources))
        (device_table(devices))
    };
    PageFrame { title: "Layout conformance", intro: intro(facts), content }.into_text()
}

fn intro(facts: &RunPageFacts<'_>) -> Markup {
    let end = facts.end;
    let outcomes = [
        (Outcome::Differ, end.differ),
        (Outcome::Broken, end.broken),
        (Outcome::Stale, end.stale),
        (Outcome::Known, end.known),
        (Outcome::Agree, end.agree),
        (Outcome::Skipped, end.skipped),
    ];
    html! {
        ul.totals {
            li { span.badge { (counted(end.checks.into(), "check")) } }
            @for (outcome, count) in outcomes.into_iter().filter(|(_, count)| *count > 0) {
                li { span class=(format!("badge {}", outcome.as_str())) { (grouped(count.into())) " " (outcome.as_str()) } }
            }
        }
        @if end.not_done > 0 { p.bad { (counted(end.not_done.into(), "check")) " of the run not done: it was interrupted." } }
        @for listing in &end.failed_listings { p.bad { (one_line(listing)) } }
        p.legend {
            (grouped(end.leaves.into())) " leaves were read back from devices. A skip is never an agreement."
            @if end.sources.is_empty() {
                " These records hold no declarations, so that only what failed is drawn."
            }
        }
    }
}

/// One card for each cause, those that differ before those that broke.
fn failures(checks: &[CheckRecord]) -> Markup {
    let causes = causes(checks);
    html! {
        section id="failures" {
            h2 { "Failures" }
            @if causes.is_empty() { p { "Nothing differs that is not known." } }
            @else { p.legend { (counted(causes.len() as u64, "cause")) "; the first failure of each is shown, the others are listed." } }
            @for cause in &causes { (failure_card(cause)) }
        }
    }
}

/// Checks by the entry of a list of known differences that covers them.
fn by_entry(checks: &[CheckRecord], outcome: Outcome) -> BTreeMap<&KnownEntry, Vec<&CheckRecord>> {
    let mut entries: BTreeMap<&KnownEntry, Vec<&CheckRecord>> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome == outcome) {
        if let Some(entry) = &check.known {
            entries.entry(entry).or_default().push(check);
        }
    }
    entries
}

fn stale(checks: &[CheckRecord]) -> Markup {
    let entries = by_entry(checks, Outcome::Stale);
    html! {
        @if !entries.is_empty() {
            section id="stale" {
                h2 { "Stale entries of known differences" }
                ul {
                    @for (entry, checks) in &entries {
                        li { (entry_place(entry)) ": " (counted(checks.len() as u64, "check")) " agree now; remove the entry" }
                    }
                }
            }
        }
    }
}

fn known(checks: &[CheckRecord]) -> Markup {
    let mut entries: Vec<_> = by_entry(checks, Outcome::Known).into_iter().collect();
    entries.sort_by_key(|(_, checks)| std::cmp::Reverse(checks.len()));
    html! {
        @if !entries.is_empty() {
            section id="known" {
                h2 { "Known differences" }
                @for (entry, checks) in &entries { (known_entry(entry, checks)) }
            }
        }
    }
}

fn known_entry(entry: &KnownEntry, checks: &[&CheckRecord]) -> Markup {
    let producers: BTreeSet<&str> = checks.iter().map(|check| check.producer.as_str()).collect();
    let cases: BTreeSet<&str> = checks.iter().map(|check| check.case.as_str()).collect();
    html! {
        details {
            summary {
                (one_line(&entry.reason)) " "
                span.badge.known { (counted(checks.len() as u64, "check")) }
            }
            dl {
                dt { "entry" } dd { (entry_place(entry)) }
                @if let Some(link) = &entry.link { dt { "link" } dd { (link_to(link)) } }
                dt { "producers" } dd { (one_line(&producers.into_iter().collect::<Vec<_>>().join(", "))) }
                dt { "cases" }
                dd {
                    @for case in cases.iter().take(NAMED_CASES) { a href=(case_link(case)) { (one_line(case)) } " " }
                    @if cases.len() > NAMED_CASES { "and " (grouped((cases.len() - NAMED_CASES) as u64)) " more" }
                }
            }
        }
    }
}

fn entry_place(entry: &KnownEntry) -> Markup {
    html! { code { (one_line(&entry.file)) ":" (entry.line) } }
}

/// A link for an address of the web; any other text stays text.
pub(super) fn link_to(address: &str) -> Markup {
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    html! { @if is_web { a href=(address) rel="noopener noreferrer" { (one_line(address)) } } @else { (one_line(address)) } }
}

/// Reasons for skips, the most frequent first.
fn skips(checks: &[CheckRecord]) -> Markup {
    let mut reasons: BTreeMap<(bool, &str), u64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome == Outcome::Skipped) {
        let is_not_applicable = check.skip_kind == Some(SkipKind::NotApplicable);
        let reason = kind_of_reason(check.skip_reason.as_deref().unwrap_or("no reason given"));
        *reasons.entry((is_not_applicable, reason)).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));

    html! {
        @if !reasons.is_empty() {
            section id="skipped" {
                h2 { "Skipped" }
                details {
                    summary { (counted(reasons.len() as u64, "reason")) }
                    table {
                        thead { tr { th scope="col" { "reason" } th scope="col" { "checks" } th scope="col" { "kind" } } }
                        tbody {
                            @for ((is_not_applicable, reason), count) in &reasons {
                                tr {
                                    th scope="row" { (one_line(reason)) }
                                    td { (grouped(*count)) }
                                    td { (if *is_not_applicable { "not applicable" } else { "not possible here" }) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn device_table(devices: &[DeviceInfo]) -> Markup {
    html! {
        @if !devices.is_empty() {
            section id="devices" {
                h2 { "Devices" }
                div.scroll tabindex="0" role="region" aria-label="Devices" {
                    table {
                        thead { tr { @for head in ["device", "name", "driver", "API", "via"] { th scope="col" { (head) } } } }
                        tbody {
                            @for device in devices {
                                tr {
                                    th scope="row" { (one_line(&device.id)) }
                                    td { (one_line(&device.name)) }
                                    td { (one_line(&device.driver)) }
                                    td { (one_line(&device.api)) }
                                    td { (device.runner.as_str()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
