//! The pages of cases: the claim, the declaration with its byte maps under each rule set, and the
//! case file.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::address::ExplorerText;
use super::address::{case_page, link};
use super::known_differences::Mechanism;
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use layoutproof_events::RecordedSource;
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::case_part::{SourceMaps, source_part};
use layoutproof_report::html::components::plain_code;
use layoutproof_report::html::known_part::link_to;
use layoutproof_report::html::layout_page::legend;
use layoutproof_show::style::{counted, one_line};

#[derive(Clone, Debug, PartialEq)]
pub struct CaseFacts {
    pub id: String,
    /// The claim.
    pub summary: String,
    /// Addresses of bugs that it reproduces.
    pub bugs: Vec<String>,
    pub text: String,
    /// Its declarations with their layouts; `None` if they must be refused.
    pub source: Option<RecordedSource>,
    /// Its declarations for the explorer.
    pub explored: Option<ExplorerText>,
}

impl CaseFacts {
    /// True if the case has a layout under any rule set.
    pub(super) fn has_layouts(&self) -> bool {
        self.source.as_ref().is_some_and(|source| !source.layouts.is_empty())
    }
}

/// The list of cases, and a page for each.
pub(super) fn case_pages<'a>(
    cases: &'a [CaseFacts],
    mechanisms: &'a [Mechanism<'_>],
    navigation: SiteNavigation,
) -> impl Iterator<Item = SiteDraft> + use<'a> {
    std::iter::once_with(|| list_page(cases))
        .chain(cases.iter().map(move |case| one_case(case, mechanisms, navigation)))
}

pub(super) fn case_link(from: &str, id: &str) -> Markup {
    html! { a href=(link(from, &case_page(id))) { (id) } }
}

fn list_page(cases: &[CaseFacts]) -> SiteDraft {
    let path = SiteSection::Cases.first_page();
    let mut folders: BTreeMap<&str, Vec<&CaseFacts>> = BTreeMap::new();
    for case in cases {
        folders.entry(case.id.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(case);
    }
    let name = |case: &CaseFacts| case.id.rsplit('/').next().unwrap_or_default().replace('_', " ");

    let content = html! {
        @for (folder, cases) in &folders {
            section {
                h2 { (folder) }
                ul.columns { @for case in cases { li { a href=(link(path, &case_page(&case.id))) { (name(case)) } } } }
            }
        }
    };

    let intro = html! {
        p.lead {
            (counted(cases.len() as u64, "case")) ". Each is one claim about one declaration, with the numbers that a named "
            "compiler or a clause of a document gives; none comes from layoutproof itself."
        }
    };
    SiteFrame { path, section: SiteSection::Cases, title: "Cases", intro, content }.into_draft()
}

fn one_case(case: &CaseFacts, mechanisms: &[Mechanism<'_>], navigation: SiteNavigation) -> SiteDraft {
    let path = case_page(&case.id);
    let about: Vec<&Mechanism<'_>> = mechanisms.iter().filter(|mechanism| mechanism.names(&case.id)).collect();

    let content = html! {
        @if let Some(source) = case.source.as_ref().filter(|_| case.has_layouts()) {
            section {
                h2 { "Where the rule sets put it" }
                (legend())
                @if let Some(explored) = &case.explored { div.actions { (explored.link(&path, navigation)) } }
                (source_part(source, SourceMaps::Drawn))
            }
        }
        @if !about.is_empty() {
            section {
                h2 { "Compilers that differ" }
                ul { @for mechanism in &about { li { a href=(link(&path, &mechanism.path)) { (mechanism.list.title) ": " (mechanism.title) } } } }
            }
        }
        @if !case.bugs.is_empty() {
            section {
                h2 { "Bugs of this shape" }
                ul { @for bug in &case.bugs { li { (link_to(bug)) } } }
            }
        }
        section {
            h2 { "The case file" }
            p.note { "Every number with its source. To run it: " code { "layoutproof run " (case.id) } }
            (plain_code("TOML", case.text.trim_end()))
        }
    };
    let intro = html! { p.lead { (sentence(&one_line(&case.summary))) } };
    SiteFrame { path: &path, section: SiteSection::Cases, title: &case.id, intro, content }
        .found_by(&one_line(&case.summary))
}
