//! The page about mutants: layout faults planted into naga, and which test suites find each.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use maud::{Markup, html};
use serde::Deserialize;

use super::case_page::case_link;
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use layoutproof_report::html::components::plain_code;
use layoutproof_show::style::{counted, one_line};

/// `ci/prey/results.json`, which `ci/prey/run --save` writes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MutantResults {
    /// Version of the format: 1.
    pub schema: u32,
    pub naga: String,
    /// The seed that drew the faults.
    pub seed: u64,
    pub faults: Vec<Mutant>,
}

/// A planted fault with what the suites say.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Mutant {
    pub number: u32,
    /// The part of naga: `layouter`, or a writer by its language.
    pub area: String,
    /// The place: `size of a matrix`.
    pub what: String,
    /// The code that replaces naga's.
    pub fault: String,
    /// False if the fault changes nothing that any suite sees.
    pub shows: bool,
    /// The check in which our cases find it.
    pub layoutproof: Option<FoundBy>,
    /// For each other suite, the test that finds it.
    pub suites: BTreeMap<String, Option<String>>,
    /// For each suite whose program crashed or reached its time limit, how it ended. Such a suite has not found the fault.
    pub errors: BTreeMap<String, String>,
    /// Why our cases do not find it.
    pub why: Option<String>,
}

/// A check that fails.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FoundBy {
    /// The case, or the file with the block; absent if the run failed without a failed check.
    pub case: Option<String>,
    pub rules: Option<String>,
    pub producer: Option<String>,
    pub outcome: String,
}

/// The suites besides our cases, with their names on the page.
const SUITES: [(&str, &str); 3] =
    [("naga", "naga's unit tests"), ("snapshots", "naga's snapshots"), ("struct_layout", "wgpu's struct_layout")];

/// The parts of naga, with their names on the page.
const AREAS: [(&str, &str); 6] = [
    ("layouter", "layouter and front ends"),
    ("spirv", "SPIR-V writer"),
    ("hlsl", "HLSL writer"),
    ("glsl", "GLSL writer"),
    ("msl", "MSL writer"),
    ("wgsl", "WGSL writer"),
];

/// The page. The search finds each part of naga.
pub(super) fn mutant_page(results: &MutantResults, cases: &BTreeSet<&str>) -> SiteDraft {
    let path = SiteSection::Mutants.first_page();
    let shown: Vec<&Mutant> = results.faults.iter().filter(|fault| fault.shows).collect();
    let found = shown.iter().filter(|fault| fault.layoutproof.is_some()).count();
    let silent = results.faults.len() - shown.len();
    let content = html! {
        section id="share" {
            h2 { "Found by each suite" }
            (share_table(&shown))
            p.note {
                "A snapshot finds every change of a text; it does not say that the text was right before. "
                @if silent > 0 { (counted(silent as u64, "more fault")) " changed nothing." }
            }
        }
        section id="not-found" {
            h2 { "Not found by our cases, and why" }
            @for (why, faults) in reasons(&shown) {
                p {
                    (one_line(why)) " "
                    @for fault in faults { a href=(format!("#fault-{}", fault.number)) { (fault.number) } " " }
                }
            }
        }
        section id="faults" {
            h2 { "Every fault" }
            @for (area, name) in AREAS {
                @let faults: Vec<&Mutant> = shown.iter().copied().filter(|fault| fault.area == area).collect();
                @if !faults.is_empty() { h3 id=(area) { (name) } (fault_table(path, &faults, cases)) }
            }
        }
        section id="run" {
            h2 { "Run it yourself" }
            p {
                "Every fault is behind one variable in a copy of naga, which is built in `target/prey`. "
                "The list has more faults than a run draws; another seed draws others."
            }
            (plain_code("shell", "ci/prey/run --seed 2   # in the repository"))
        }
    };
    let intro = html! {
        p.lead {
            "What is a green run worth? We planted layout faults into naga " (one_line(&results.naga)) ", one at a time. "
            "Our cases find " (found) " of the " (shown.len()) " that change an output."
        }
    };
    let draft = SiteFrame { path, section: SiteSection::Mutants, title: "Planted faults", intro, content }
        .found_by("mutants, mutation testing, naga, what a green run is worth");
    AREAS.iter().fold(draft, |draft, (area, name)| draft.with_place(area, name, "planted faults"))
}

fn share_table(shown: &[&Mutant]) -> Markup {
    let row = |name: &str, faults: &[&Mutant]| {
        html! {
            tr {
                th scope="row" { (name) }
                td { (faults.len()) }
                td { (faults.iter().filter(|fault| fault.layoutproof.is_some()).count()) }
                @for (suite, _) in SUITES { td { (faults.iter().filter(|fault| finds(fault, suite).is_some()).count()) } }
            }
        }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Faults found by each suite" {
            table.peers {
                thead {
                    tr {
                        th scope="col" { "planted into naga's" }
                        th scope="col" { "faults" }
                        th scope="col" { "our cases" }
                        @for (_, name) in SUITES { th scope="col" { (name) } }
                    }
                }
                tbody {
                    @for (area, name) in AREAS {
                        @let faults: Vec<&Mutant> = shown.iter().copied().filter(|fault| fault.area == area).collect();
                        @if !faults.is_empty() { (row(name, &faults)) }
                    }
                    (row("all", shown))
                }
            }
        }
    }
}

fn fault_table(path: &str, faults: &[&Mutant], cases: &BTreeSet<&str>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Faults with the tests that find them" {
            table.peers {
                thead { tr { @for head in ["fault", "our cases", "others"] { th scope="col" { (head) } } } }
                tbody {
                    @for fault in faults {
                        tr id=(format!("fault-{}", fault.number)) {
                            th scope="row" {
                                (fault.number) " · " (one_line(&fault.what))
                                span.note { code { (one_line(&fault.fault)) } }
                            }
                            td { (found_by(path, fault, cases)) }
                            td {
                                @for (suite, name) in SUITES {
                                    @if let Some(test) = finds(fault, suite) {
                                        span.note { (name) ": " (one_line(test)) } " "
                                    } @else if let Some(end) = fault.errors.get(suite) {
                                        span.note { (name) ", no verdict: " (one_line(end)) } " "
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

/// The case with the rule set in which a fault shows, or a mark that none does, or how the run ended without a verdict.
fn found_by(path: &str, fault: &Mutant, cases: &BTreeSet<&str>) -> Markup {
    let Some(found) = &fault.layoutproof else {
        return match fault.errors.get("layoutproof") {
            Some(end) => html! { span.badge.broken { "no verdict" } " " (one_line(end)) },
            None => html! { span.badge.differ { "not found" } },
        };
    };
    html! {
        span.badge.agree { "found" } " "
        @match found.case.as_deref() {
            Some(case) if cases.contains(case) => (case_link(path, case)),
            Some(file) => code { (one_line(file)) },
            None => (one_line(&found.outcome)),
        }
        @if let (Some(rules), Some(producer)) = (&found.rules, &found.producer) {
            " " span.note { (one_line(rules)) " · " (one_line(producer)) }
        }
    }
}

fn finds<'a>(fault: &'a Mutant, suite: &str) -> Option<&'a str> {
    fault.suites.get(suite)?.as_deref()
}

/// The reasons why our cases do not find faults, each with the faults, in the order of the first.
fn reasons<'a>(shown: &[&'a Mutant]) -> IndexMap<&'a str, Vec<&'a Mutant>> {
    let mut reasons: IndexMap<&str, Vec<&Mutant>> = IndexMap::new();
    for fault in shown.iter().copied().filter(|fault| fault.layoutproof.is_none()) {
        let why = fault.why.as_deref().unwrap_or("Not explained yet.");
        reasons.entry(why).or_default().push(fault);
    }
    reasons
}
