//! The known differences of a run by reason, each folded: why, where it is reported, and which
//! entries and checks belong to it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::case_link::case_link;
use super::page_shaders::PageShaders;
use layoutproof_core::results::record::{CheckRecord, KnownEntry, OutcomeKind};
use layoutproof_show::style::{counted, grouped, one_line};

/// Example cases to list per entry.
const NAMED_CASES: usize = 40;

/// Entries with the checks that they cover. Entries with the same reason are together; the reason
/// with the most checks is first.
pub(super) struct KnownEntries<'a> {
    reasons: Vec<CoveredChecks<'a>>,
}

/// The key for grouping entries: entries with the same key describe one mechanism under different
/// conditions.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SharedReason<'a> {
    reason: &'a str,
    link: Option<&'a str>,
}

/// The entries of a reason with their checks.
struct CoveredChecks<'a> {
    shared: SharedReason<'a>,
    entries: BTreeMap<&'a KnownEntry, Vec<&'a CheckRecord>>,
}

impl<'a> KnownEntries<'a> {
    /// The entries that cover checks of this outcome.
    pub(super) fn of(checks: &'a [CheckRecord], outcome: OutcomeKind) -> Self {
        let mut by_reason: BTreeMap<SharedReason<'_>, BTreeMap<&KnownEntry, Vec<&CheckRecord>>> = BTreeMap::new();
        for check in checks.iter().filter(|check| check.outcome.kind() == outcome) {
            if let Some(entry) = check.outcome.entry() {
                let shared = SharedReason { reason: &entry.reason, link: entry.link.as_deref() };
                by_reason.entry(shared).or_default().entry(entry).or_default().push(check);
            }
        }
        let covered = by_reason.into_iter().map(|(shared, entries)| CoveredChecks { shared, entries });
        let mut reasons: Vec<CoveredChecks<'_>> = covered.collect();
        reasons.sort_by_key(|covered| std::cmp::Reverse(covered.checks().count()));
        Self { reasons }
    }

    /// The first check of each reason. The page shows its shaders.
    pub(super) fn first_checks(&self) -> impl Iterator<Item = &'a CheckRecord> {
        self.reasons.iter().filter_map(|covered| covered.checks().next())
    }

    /// Link to an entry on the page.
    pub(super) fn link(&self, entry: &KnownEntry) -> Option<String> {
        let place = self.reasons.iter().position(|covered| covered.entries.contains_key(entry))?;
        Some(format!("#known-{}", place + 1))
    }

    /// The section of known differences.
    pub(super) fn section(&self, shaders: &PageShaders<'_>) -> Markup {
        html! {
            @if !self.reasons.is_empty() {
                section id="known" {
                    h2 { "Known differences" }
                    @for (index, covered) in self.reasons.iter().enumerate() { (covered.draw(index + 1, shaders)) }
                }
            }
        }
    }

    /// The section of entries that no check needs any more.
    pub(super) fn stale_section(&self) -> Markup {
        html! {
            @if !self.reasons.is_empty() {
                section id="stale" {
                    h2 { "Stale entries of known differences" }
                    ul {
                        @for (entry, checks) in self.reasons.iter().flat_map(|covered| &covered.entries) {
                            li { (entry_place(entry)) ": " (counted(checks.len() as u64, "check")) " agree now; remove the entry" }
                        }
                    }
                }
            }
        }
    }
}

impl<'a> CoveredChecks<'a> {
    fn checks(&self) -> impl Iterator<Item = &'a CheckRecord> {
        self.entries.values().flatten().copied()
    }

    fn draw(&self, number: usize, shaders: &PageShaders<'_>) -> Markup {
        let SharedReason { reason, link } = &self.shared;
        let producers: BTreeSet<&str> = self.checks().map(|check| check.id.producer.as_str()).collect();
        let cases: BTreeSet<&str> = self.checks().map(|check| check.id.case.as_str()).collect();
        let first = self.checks().next();
        let again = first.and_then(|check| check.outcome.story()).map(|story| story.again.to_string());
        html! {
            details id=(format!("known-{number}")) {
                summary {
                    (one_line(reason)) " "
                    span.badge.known { (counted(self.checks().count() as u64, "check")) }
                }
                dl {
                    dt { (if self.entries.len() == 1 { "entry" } else { "entries" }) }
                    dd { @for (index, entry) in self.entries.keys().enumerate() { @if index > 0 { ", " } (entry_place(entry)) } }
                    @if let Some(link) = link { dt { "link" } dd { (link_to(link)) } }
                    dt { "producers" } dd { (one_line(&producers.into_iter().collect::<Vec<_>>().join(", "))) }
                    dt { "cases" }
                    dd {
                        @for case in cases.iter().take(NAMED_CASES) { a href=(case_link(case)) { (one_line(case)) } " " }
                        @if cases.len() > NAMED_CASES { "and " (grouped((cases.len() - NAMED_CASES) as u64)) " more" }
                    }
                    @if let Some(again) = again { dt { "again" } dd { code { (one_line(&again)) " --no-known" } } }
                }
                @if let Some(first) = first { (shaders.draw(first)) }
            }
        }
    }
}

fn entry_place(entry: &KnownEntry) -> Markup {
    html! { code { (one_line(&entry.file)) ":" (entry.line) } }
}

/// Links `address` if it is a web address, and shows it as plain text otherwise.
pub fn link_to(address: &str) -> Markup {
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    html! { @if is_web { a href=(address) rel="noopener noreferrer" { (one_line(address)) } } @else { (one_line(address)) } }
}
