//! The page of `fuzz --html`: the declarations that were tried, and each finding with its smallest
//! declaration, byte maps and witnesses.

use maud::{Markup, html};

use super::case_part::case_anchor;
use super::failure_card::failure;
use super::page_frame::PageFrame;
use super::page_shaders::PageShaders;
use crate::failure::cause::FailureGroup;
use layoutproof_events::CheckRecord;
use layoutproof_show::style::{counted, one_line};

#[derive(Clone, Copy, Debug)]
pub struct FuzzPageFacts<'a> {
    /// `seed 3, 200 declarations from number 0`.
    pub drawn: &'a str,
    /// Outcomes by toolchain, as the terminal shows them.
    pub tallies: &'a str,
    /// Checks that differ or broke and are not known differences.
    pub findings: &'a [FuzzFinding],
}

/// A difference whose declaration was reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct FuzzFinding {
    /// Which toolchain differs, where, and how much smaller the declaration became.
    pub heading: String,
    /// The smallest declaration that still differs.
    pub declaration: String,
    /// The check that shows it; its story has the command that repeats it.
    pub record: CheckRecord,
    /// The folder with the case file and the report.
    pub folder: String,
}

pub fn fuzz_page(facts: &FuzzPageFacts<'_>) -> String {
    let FuzzPageFacts { drawn, tallies, findings } = *facts;
    let shaders = PageShaders::of(findings.iter().map(|finding| &finding.record));

    let content = html! {
        section id="findings" {
            h2 { "Findings" }
            @if findings.is_empty() { p { "No differences other than known ones." } }
            @for finding in findings { (card(finding, &shaders)) }
        }
        section id="tallies" {
            h2 { "Checks by toolchain" }
            pre tabindex="0" { code { (tallies) } }
        }
    };
    let intro = html! {
        ul.totals { li { span class=(badge(findings)) { (counted(findings.len() as u64, "finding")) } } }
        p.legend { (one_line(drawn)) }
    };
    PageFrame { title: "Random declarations", intro, content }.into_text()
}

fn badge(findings: &[FuzzFinding]) -> &'static str {
    if findings.is_empty() { "badge agree" } else { "badge differ" }
}

fn card(finding: &FuzzFinding, shaders: &PageShaders<'_>) -> Markup {
    let FuzzFinding { heading, declaration, record, folder } = finding;
    html! {
        article.card id=(case_anchor(&record.id.case)) {
            (failure(&FailureGroup::of(record), shaders))
            p.dim { (one_line(heading)) }
            pre tabindex="0" { code { (declaration.trim_matches('\n')) } }
            p.dim { "Case and report: " code { (one_line(folder)) } }
        }
    }
}
