//! The known differences of a run by their entries, each folded: why, where it is reported, who shows it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::case_link::case_link;
use super::page_shaders::PageShaders;
use crate::report::style::{counted, grouped, one_line};
use crate::results::record::{CheckRecord, KnownEntry, Outcome};

/// Examples of cases that an entry names.
const NAMED_CASES: usize = 40;

/// Entries with the checks that they cover, those with the most checks first.
pub(super) struct KnownEntries<'a> {
    entries: Vec<CoveredChecks<'a>>,
}

/// An entry with its checks.
struct CoveredChecks<'a> {
    entry: &'a KnownEntry,
    checks: Vec<&'a CheckRecord>,
}

impl<'a> KnownEntries<'a> {
    /// Those that cover checks of this outcome.
    pub(super) fn of(checks: &'a [CheckRecord], outcome: Outcome) -> Self {
        let mut by_entry: BTreeMap<&KnownEntry, Vec<&CheckRecord>> = BTreeMap::new();
        for check in checks.iter().filter(|check| check.outcome == outcome) {
            if let Some(entry) = &check.known {
                by_entry.entry(entry).or_default().push(check);
            }
        }
        let covered = by_entry.into_iter().map(|(entry, checks)| CoveredChecks { entry, checks });
        let mut entries: Vec<CoveredChecks<'_>> = covered.collect();
        entries.sort_by_key(|covered| std::cmp::Reverse(covered.checks.len()));
        Self { entries }
    }

    /// The first check of each entry, whose shaders the page shows.
    pub(super) fn first_checks(&self) -> impl Iterator<Item = &'a CheckRecord> {
        self.entries.iter().filter_map(|covered| covered.checks.first().copied())
    }

    /// Where an entry stands on the page.
    pub(super) fn link(&self, entry: &KnownEntry) -> Option<String> {
        let place = self.entries.iter().position(|covered| covered.entry == entry)?;
        Some(format!("#known-{}", place + 1))
    }

    /// The section of known differences.
    pub(super) fn section(&self, shaders: &PageShaders<'_>) -> Markup {
        html! {
            @if !self.entries.is_empty() {
                section id="known" {
                    h2 { "Known differences" }
                    @for (index, covered) in self.entries.iter().enumerate() { (covered.draw(index + 1, shaders)) }
                }
            }
        }
    }

    /// The section of entries that no check needs any more.
    pub(super) fn stale_section(&self) -> Markup {
        html! {
            @if !self.entries.is_empty() {
                section id="stale" {
                    h2 { "Stale entries of known differences" }
                    ul {
                        @for CoveredChecks { entry, checks } in &self.entries {
                            li { (entry_place(entry)) ": " (counted(checks.len() as u64, "check")) " agree now; remove the entry" }
                        }
                    }
                }
            }
        }
    }
}

impl CoveredChecks<'_> {
    fn draw(&self, number: usize, shaders: &PageShaders<'_>) -> Markup {
        let Self { entry, checks } = self;
        let producers: BTreeSet<&str> = checks.iter().map(|check| check.producer.as_str()).collect();
        let cases: BTreeSet<&str> = checks.iter().map(|check| check.case.as_str()).collect();
        let first = checks.first();
        let again = first.and_then(|check| check.story.as_ref()).map(|story| &story.again);
        html! {
            details id=(format!("known-{number}")) {
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
                    @if let Some(again) = again { dt { "again" } dd { code { (one_line(again)) " --no-known" } } }
                }
                @if let Some(first) = first { (shaders.draw(first)) }
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
