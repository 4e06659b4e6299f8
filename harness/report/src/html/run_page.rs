//! The page of a run: the outcomes, failures by cause, known differences, and every case with its
//! byte maps.
//!
//! `report --html` and `run --html` write it. It works without JavaScript, which adds filters and
//! unfolds the targets of links.

use std::collections::BTreeMap;

use layoutproof_device::DeviceInfo;
use maud::{Markup, html};

use super::case_part::{CaseSurroundings, case_parts};
use super::failure_card::failure_card;
use super::known_part::KnownEntries;
use super::outcome_matrix::{CheckPlaces, outcome_matrix};
use super::page_frame::PageFrame;
use super::page_shaders::PageShaders;
use crate::failure::cause::{FailureCause, causes};
use crate::reporter::{Destination, FinishedRun, Reporter};
use layoutproof_core::results::record::{CheckRecord, OutcomeKind, ReasonKind, RunEnd, SkipKind};
use layoutproof_show::style::{counted, grouped, one_line};

#[derive(Clone, Copy, Debug)]
pub struct RunPage;

impl Reporter for RunPage {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "html", help: "Write a page with the matrix, each failure and byte maps" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let FinishedRun { devices, checks, end, .. } = *run;
        let places = CheckPlaces::of(checks, &end.left_out);
        let causes = causes(checks);
        let known = KnownEntries::of(checks, OutcomeKind::Known);
        let failed = causes.iter().flat_map(|cause| &cause.failures).map(|failure| failure.record);
        let shaders = PageShaders::of(failed.chain(known.first_checks()));

        let content = html! {
            (outcome_matrix(&places, checks, &end.left_out))
            (failures(&causes, &shaders))
            (KnownEntries::of(checks, OutcomeKind::Stale).stale_section())
            (known.section(&shaders))
            (skips(checks))
            (case_parts(&places, checks, CaseSurroundings { sources: &end.sources, known: &known }))
            (device_table(devices))
        };
        PageFrame { title: "Layout conformance", intro: intro(end), content }.into_text()
    }
}

fn intro(end: &RunEnd) -> Markup {
    let outcomes = [
        (OutcomeKind::Differ, end.differ),
        (OutcomeKind::Broken, end.broken),
        (OutcomeKind::Stale, end.stale),
        (OutcomeKind::Known, end.known),
        (OutcomeKind::Agree, end.agree),
        (OutcomeKind::Skipped, end.skipped),
    ];
    html! {
        a.skip.js-only href="#search" { "Skip to the search" }
        ul.totals {
            li { span.badge { (counted(end.checks.into(), "check")) } }
            @for (outcome, count) in outcomes.into_iter().filter(|(_, count)| *count > 0) {
                li {
                    a class=(format!("badge {}", outcome.as_str())) href=(section_about(outcome)) {
                        (grouped(count.into())) " " (outcome.as_str())
                    }
                }
            }
        }
        @if end.not_done > 0 { p.bad { (counted(end.not_done.into(), "check")) " of the run not done: it was interrupted." } }
        @for listing in &end.failed_listings { p.bad { (one_line(listing)) } }
        p.legend {
            (grouped(end.leaves.into())) " leaves were read back from devices. A skip is never an agreement."
            @if end.sources.is_empty() {
                " These records hold no declarations, so only failures are drawn."
            }
        }
    }
}

/// The id of the section about checks with this outcome.
fn section_about(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Differ | OutcomeKind::Broken => "#failures",
        OutcomeKind::Stale => "#stale",
        OutcomeKind::Known => "#known",
        OutcomeKind::Skipped => "#skipped",
        OutcomeKind::Agree => "#cases",
    }
}

/// One card per cause; those that differ come before those that broke.
fn failures(causes: &[FailureCause<'_>], shaders: &PageShaders<'_>) -> Markup {
    html! {
        section id="failures" {
            h2 { "Failures" }
            @if causes.is_empty() { p { "No differences other than known ones." } }
            @else { p.legend { (counted(causes.len() as u64, "cause")) "; the first failure of each is shown, the others are listed." } }
            @for cause in causes { (failure_card(cause, shaders)) }
        }
    }
}

/// Reasons for skips, the most frequent first.
fn skips(checks: &[CheckRecord]) -> Markup {
    let mut reasons: BTreeMap<(bool, ReasonKind), u64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome.kind() == OutcomeKind::Skipped) {
        let is_not_applicable = check.outcome.skip_kind() == Some(SkipKind::NotApplicable);
        let reason = ReasonKind::of(check.outcome.reasons());
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
                    div.scroll tabindex="0" role="region" aria-label="Reasons for skips" {
                        table {
                            thead { tr { th scope="col" { "reason" } th scope="col" { "checks" } th scope="col" { "kind" } } }
                            tbody {
                                @for ((is_not_applicable, reason), count) in &reasons {
                                    tr {
                                        th scope="row" { (one_line(&reason.to_string())) }
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
                                    td { (device.runner.title()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
