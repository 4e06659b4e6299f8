//! Makes all pages of the site.

use std::collections::{BTreeMap, BTreeSet};

use super::book::{book_files, book_pages};
use super::case_page::{CaseFacts, case_pages};
use super::compatibility_pages::{SiteRecords, compatibility_pages};
use super::compiler_pages::{ListedBug, compiler_pages};
use super::evidence_page::EvidenceLinks;
use super::explorer_page::explorer_pages;
use super::gpu_page::gpu_pages;
use super::kept_runs::KeptRun;
use super::known_differences::{KnownList, mechanisms, use_issue_titles};
use super::mechanism_page::{KnownEvidence, MechanismSources, mechanism_page, shown_case};
use super::peer_page::{Peer, peer_page};
use super::rule_pages::{RuleSetFacts, rule_pages};
use super::rule_table_page::{RuleTableFacts, rule_table_files, rule_table_page};
use super::search::search_files;
use super::site_page::{SCRIPT_FILE, STYLE_FILE, SiteDraft, SiteNavigation, SitePage};
use super::start_page::{SiteFigures, start_page};
use super::surprise_page::{Surprise, surprise_page};
use layoutproof_report::html::page_frame::PAGE_SCRIPT;
use layoutproof_report::html::style_sheet::style_sheet;

/// Style of the classes that only pages of the site have.
const SITE_STYLE: &str = include_str!("site.css");

#[derive(Clone, Copy, Debug)]
pub struct SiteFacts<'a> {
    /// Rule sets, in the order of their table.
    pub rules: &'a [RuleSetFacts],
    /// The same rule sets as `dev vectors` writes them.
    pub rule_table: &'a RuleTableFacts,
    /// The example at the top of the start page: a surprising declaration under a few rule sets.
    pub opening: &'a Surprise,
    pub surprises: &'a [Surprise],
    /// Known differences of compilers and drivers.
    pub known: &'a [KnownList],
    /// Titles of issues about known differences, by the id of the difference.
    pub issue_titles: &'a BTreeMap<String, String>,
    /// Evidence for known differences that needs no run.
    pub evidence: &'a [KnownEvidence],
    /// The documentation of case files, as Markdown.
    pub case_format: &'a str,
    pub cases: &'a [CaseFacts],
    /// The results of devices that the repository keeps.
    pub kept_runs: &'a [KeptRun],
    /// Other libraries, with their answers to the test vectors.
    pub peers: &'a [Peer],
    pub records: &'a SiteRecords,
    /// True if the site gets the pages of programs in WebAssembly, whose files are put next to them.
    pub has_explorer: bool,
}

/// Every file of the site.
pub fn site_pages(facts: &SiteFacts<'_>) -> Vec<SitePage> {
    let mut mechanisms = mechanisms(facts.known);
    use_issue_titles(&mut mechanisms, facts.issue_titles);
    let cases: BTreeSet<&str> = facts.cases.iter().map(|case| case.id.as_str()).collect();
    let links = EvidenceLinks { cases: &cases, mechanisms: &mechanisms };
    let sources = MechanismSources { cases: facts.cases, known: facts.evidence, checks: &facts.records.checks };

    let navigation = SiteNavigation { has_explorer: facts.has_explorer };
    let figures = SiteFigures { surprises: facts.surprises.len(), bugs: mechanisms.len(), cases: cases.len() };
    let bugs: Vec<ListedBug<'_>> =
        mechanisms.iter().map(|mechanism| ListedBug { mechanism, case: shown_case(mechanism, sources) }).collect();
    let mut drafts = vec![start_page(figures, facts.opening, navigation)];
    drafts.extend(book_pages(facts.case_format));
    drafts.extend(rule_pages(facts.rules));
    drafts.push(rule_table_page(facts.rule_table));
    drafts.push(peer_page(facts.peers, &cases));
    drafts.push(surprise_page(facts.surprises, navigation));
    drafts.extend(compiler_pages(facts.known, &bugs, navigation));
    drafts.extend(mechanisms.iter().map(|mechanism| mechanism_page(mechanism, sources, navigation)));
    drafts.extend(compatibility_pages(facts.records, facts.surprises, facts.kept_runs, links, navigation));
    drafts.extend(case_pages(facts.cases, &mechanisms, navigation));

    let search = search_files(drafts.iter().flat_map(SiteDraft::found));
    let mut pages: Vec<SitePage> = drafts.into_iter().map(|draft| draft.into_page(navigation)).collect();
    if facts.has_explorer {
        pages.extend(explorer_pages(navigation));
        pages.extend(gpu_pages(navigation));
    }
    pages.extend(book_files());
    pages.extend(rule_table_files(facts.rule_table));
    pages.extend(search);
    pages.push(SitePage { path: STYLE_FILE.to_owned(), text: format!("{}{SITE_STYLE}", style_sheet()) });
    pages.push(SitePage { path: SCRIPT_FILE.to_owned(), text: PAGE_SCRIPT.to_owned() });
    pages
}
