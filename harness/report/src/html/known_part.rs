//! The known bugs of a run by compiler, each folded: what it is, where it is reported, and which
//! entries and checks belong to it.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_events::ShaderMaker;
use layoutproof_events::producer::Producer;
use maud::{Markup, html};

use super::case_part::case_link;
use super::components::{command, with_code};
use super::page_shaders::PageShaders;
use crate::failure::block::capitalized;
use layoutproof_events::{CheckRecord, Culprit, KnownEntry, OutcomeKind};
use layoutproof_show::style::{counted, grouped, one_line};

/// Example cases to list per bug.
const NAMED_CASES: usize = 40;

/// Bugs with the checks that they cover. Those of one compiler are together; the compiler and the bug
/// with the most checks are first.
pub(super) struct KnownEntries<'a> {
    owners: Vec<Owner<'a>>,
}

/// A compiler or a device with its bugs.
struct Owner<'a> {
    name: String,
    bugs: Vec<CoveredChecks<'a>>,
}

/// Id, reason and link. Entries that share them describe one bug under different conditions.
type SharedReason<'a> = (Option<&'a str>, &'a str, Option<&'a str>);

/// The entries of a bug with their checks.
struct CoveredChecks<'a> {
    /// Number on the page, from 1.
    number: usize,
    shared: SharedReason<'a>,
    entries: BTreeMap<&'a KnownEntry, Vec<&'a CheckRecord>>,
}

impl<'a> KnownEntries<'a> {
    pub(super) fn of(checks: &'a [CheckRecord], outcome: OutcomeKind) -> Self {
        let mut by_owner: BTreeMap<String, BTreeMap<SharedReason<'_>, BTreeMap<&KnownEntry, Vec<&CheckRecord>>>> =
            BTreeMap::new();
        for check in checks.iter().filter(|check| check.outcome.kind() == outcome) {
            if let Some(entry) = check.outcome.entry() {
                let shared = (entry.bug.as_deref(), entry.reason.as_str(), entry.link.as_deref());
                let bugs = by_owner.entry(owner(check)).or_default();
                bugs.entry(shared).or_default().entry(entry).or_default().push(check);
            }
        }

        let mut owners: Vec<Owner<'_>> = Vec::new();
        for (name, bugs) in by_owner {
            let covered = bugs.into_iter().map(|(shared, entries)| CoveredChecks { number: 0, shared, entries });
            let mut bugs: Vec<CoveredChecks<'_>> = covered.collect();
            bugs.sort_by_key(|bug| std::cmp::Reverse(bug.count()));
            owners.push(Owner { name, bugs });
        }
        owners.sort_by_key(|owner| std::cmp::Reverse(owner.count()));
        for (index, bug) in owners.iter_mut().flat_map(|owner| &mut owner.bugs).enumerate() {
            bug.number = index + 1;
        }
        Self { owners }
    }

    fn bugs(&self) -> impl Iterator<Item = &CoveredChecks<'a>> {
        self.owners.iter().flat_map(|owner| &owner.bugs)
    }

    /// The first check of each bug. The page shows its shaders.
    pub(super) fn first_checks(&self) -> impl Iterator<Item = &'a CheckRecord> {
        self.bugs().filter_map(|covered| covered.checks().next())
    }

    pub(super) fn link(&self, entry: &KnownEntry) -> Option<String> {
        let bug = self.bugs().find(|covered| covered.entries.contains_key(entry))?;
        Some(format!("#known-{}", bug.number))
    }

    pub(super) fn section(&self, shaders: &PageShaders<'_>) -> Markup {
        html! {
            @if !self.owners.is_empty() {
                section id="known" {
                    h2 { "Known bugs" }
                    @for owner in &self.owners {
                        details.owner {
                            summary {
                                h3 { (one_line(&owner.name)) }
                                " " span.count { (counted(owner.bugs.len() as u64, "bug")) ", " (counted(owner.count() as u64, "check")) }
                            }
                            @for bug in &owner.bugs { (bug.draw(shaders)) }
                        }
                    }
                }
            }
        }
    }

    /// The section of entries that no check needs any more.
    pub(super) fn stale_section(&self) -> Markup {
        html! {
            @if !self.owners.is_empty() {
                section id="stale" {
                    h2 { "Known bugs that are gone" }
                    ul {
                        @for (entry, checks) in self.bugs().flat_map(|covered| &covered.entries) {
                            li { (entry_place(entry)) ": " (counted(checks.len() as u64, "check")) " agree now; remove the entry" }
                        }
                    }
                }
            }
        }
    }
}

impl Owner<'_> {
    fn count(&self) -> usize {
        self.bugs.iter().map(CoveredChecks::count).sum()
    }
}

/// Who has the bug: the compiler that wrote the code, or the device that ran it.
fn owner(check: &CheckRecord) -> String {
    let device = || check.id.device.as_ref().map_or_else(|| check.id.title(), |device| device.id.clone());
    match (&check.id.producer, check.outcome.culprit()) {
        (_, Some(Culprit::Device)) | (ShaderMaker::Producer(Producer::Generator(_)) | ShaderMaker::NoShader, _) => {
            device()
        }
        (ShaderMaker::Producer(Producer::Compiler(toolchain)), _) => {
            let compiler = toolchain.column().and_then(|column| column.compiler);
            compiler.map_or_else(|| toolchain.compiler.to_owned(), |compiler| compiler.title().to_owned())
        }
        (ShaderMaker::Unknown(name), _) => name.clone(),
    }
}

impl<'a> CoveredChecks<'a> {
    fn checks(&self) -> impl Iterator<Item = &'a CheckRecord> {
        self.entries.values().flatten().copied()
    }

    fn count(&self) -> usize {
        self.entries.values().map(Vec::len).sum()
    }

    fn draw(&self, shaders: &PageShaders<'_>) -> Markup {
        let (id, reason, link) = self.shared;
        let columns: BTreeSet<String> = self.checks().map(|check| check.id.title()).collect();
        let cases: BTreeSet<&str> = self.checks().map(|check| check.id.case.as_str()).collect();
        let first = self.checks().next();
        let again = first.and_then(|check| check.outcome.story()).map(|story| story.again.to_string());
        html! {
            details id=(format!("known-{}", self.number)) {
                summary {
                    span.badge.known { (counted(self.count() as u64, "check")) } " " (with_code(&capitalized(&one_line(reason))))
                }
                dl {
                    @if let Some(id) = id { dt { "bug" } dd { code { (one_line(id)) } } }
                    dt { "in" } dd { (one_line(&columns.into_iter().collect::<Vec<_>>().join(", "))) }
                    @if let Some(link) = link { dt { "reported" } dd { (link_to(link)) } }
                    dt { "cases" }
                    dd {
                        @for case in cases.iter().take(NAMED_CASES) { a href=(case_link(case)) { (one_line(case)) } " " }
                        @if cases.len() > NAMED_CASES { "and " (grouped((cases.len() - NAMED_CASES) as u64)) " more" }
                    }
                    dt { (if self.entries.len() == 1 { "entry" } else { "entries" }) }
                    dd { @for (index, entry) in self.entries.keys().enumerate() { @if index > 0 { ", " } (entry_place(entry)) } }
                    @if let Some(again) = again {
                        dt { "again" } dd { (command(&format!("{} --no-known", one_line(&again)))) }
                    }
                }
                @if let Some(first) = first { (shaders.draw_folded(first)) }
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
