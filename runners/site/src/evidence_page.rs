//! The page of a compatibility cell: each check with its outcome and reason.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::address::link;
use super::case_page::case_link;
use super::known_differences::{Mechanism, mechanism_of};
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_report::html::outcome_matrix::OutcomeCell;
use layoutproof_show::style::{counted, one_line};

#[derive(Default)]
pub(super) struct EvidenceCell<'a> {
    /// Address of their page.
    pub path: String,
    /// The checks by outcome, including those that the records leave out.
    pub counts: OutcomeCell,
    /// The checks in the records.
    pub checks: Vec<&'a CheckRecord>,
    /// Number of checks that the records leave out.
    pub left_out: u64,
}

/// The pages that checks can link to.
#[derive(Clone, Copy)]
pub(super) struct EvidenceLinks<'a> {
    /// Ids of the cases that have a page.
    pub cases: &'a BTreeSet<&'a str>,
    /// Known differences, which have pages.
    pub mechanisms: &'a [Mechanism<'a>],
}

/// Longest reason that is shown, in characters. A driver's message may have any length.
const MAX_REASON: usize = 300;
/// Most checks that a page lists: more than there are cases, and few enough for a page below 200
/// KB.
const MAX_CHECKS: usize = 900;

pub(super) fn evidence_page(title: &str, cell: &EvidenceCell<'_>, links: EvidenceLinks<'_>) -> SiteDraft {
    let path = cell.path.as_str();
    let mut checks = cell.checks.clone();
    checks.sort_by_key(|check| OutcomeKind::BY_URGENCY.iter().position(|outcome| *outcome == check.outcome.kind()));
    let hidden = checks.len().saturating_sub(MAX_CHECKS);
    checks.truncate(MAX_CHECKS);

    let content = html! {
        div.scroll tabindex="0" {
            table.words {
                thead { tr { th scope="col" { "case" } th scope="col" { "outcome" } th scope="col" { "why" } } }
                tbody { @for check in checks { (check_row(path, check, links)) } }
            }
        }
        @if hidden > 0 { p.note { "and " (counted(hidden as u64, "other check")) " in the records." } }
        @if cell.left_out > 0 { p.note { (counted(cell.left_out, "check")) " that the records only count." } }
    };
    SiteFrame { path, section: SiteSection::Compatibility, title, intro: html! {}, content }.unlisted()
}

fn check_row(path: &str, check: &CheckRecord, links: EvidenceLinks<'_>) -> Markup {
    html! {
        tr {
            th scope="row" {
                @if links.cases.contains(check.id.case.as_str()) { (case_link(path, &check.id.case)) } @else { (shortened(&check.id.case)) }
            }
            td { span class=(format!("badge {}", check.outcome.kind().as_str())) { (check.outcome.kind().as_str()) } }
            td { (reason(path, check, links)) }
        }
    }
}

fn reason(path: &str, check: &CheckRecord, links: EvidenceLinks<'_>) -> Markup {
    let verdict = check.outcome.story().map(|story| story.verdict.as_str());
    let words = |text: Option<&str>| html! { (shortened(text.unwrap_or_default())) };
    match check.outcome.kind() {
        OutcomeKind::Agree => html! {},
        OutcomeKind::Known | OutcomeKind::Stale => known_reason(path, check, links),
        OutcomeKind::Differ => words(verdict),
        OutcomeKind::Skipped | OutcomeKind::Broken => {
            words(check.outcome.reasons().map(ToString::to_string).as_deref())
        }
    }
}

fn known_reason(path: &str, check: &CheckRecord, links: EvidenceLinks<'_>) -> Markup {
    let Some(known) = check.outcome.entry() else { return html! {} };
    html! {
        @match mechanism_of(check, links.mechanisms) {
            Some(mechanism) => { a href=(link(path, &mechanism.path)) { (shortened(&known.reason)) } },
            None => { (shortened(&known.reason)) },
        }
    }
}

/// The start of a text that may have any length.
fn shortened(text: &str) -> String {
    let line = one_line(text);
    let start: String = line.chars().take(MAX_REASON).collect();
    if start.len() < line.len() { format!("{start}…") } else { start }
}
