//! The page of a known difference: what differs, in which builds, how we know, and a minimal case
//! with both maps.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::address::compiler_page;
use super::case_page::{CaseFacts, case_link};
use super::known_differences::{Mechanism, SeenBuilds, capitalized, report_link};
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use super::surprise_page::one_member_per_line;
use super::time_line::time_line;
use layoutproof_core::results::known::{EntryCondition, KnownFailure};
use layoutproof_events::{CheckRecord, Culprit, OutcomeKind, Row};
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::components::shader_code;
use layoutproof_report::html::failure_card::{failure_maps, witness_table};
use layoutproof_show::style::{counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// Cases that a page lists; it only counts further ones.
const NAMED_CASES: usize = 60;

/// Sources of numbers that a page shows.
const MOST_EVIDENCE: usize = 2;

/// Evidence for a known difference that needs no run.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownEvidence {
    /// The list that contains the entry.
    pub file: String,
    /// The entry's line.
    pub line: u32,
    /// The source: a build of a compiler, or the case.
    pub origin: String,
    /// The numbers of the case, of our rules, of a compiler's report and of its code. Without rows,
    /// it states why there are none.
    pub record: CheckRecord,
}

struct Evidence<'a> {
    /// The records, frozen decisions or stored check that it comes from.
    source: String,
    record: &'a CheckRecord,
}

/// Input of the pages of known differences, besides the differences.
#[derive(Clone, Copy)]
pub(super) struct MechanismSources<'a> {
    pub cases: &'a [CaseFacts],
    /// Evidence that needs no run.
    pub known: &'a [KnownEvidence],
    pub checks: &'a [CheckRecord],
}

/// The case that shows a bug best.
pub(super) fn shown_case<'a>(mechanism: &Mechanism<'_>, sources: MechanismSources<'a>) -> Option<&'a CaseFacts> {
    minimal_case(mechanism, sources.cases, evidence(mechanism, sources).first())
}

pub(super) fn mechanism_page(
    mechanism: &Mechanism<'_>,
    sources: MechanismSources<'_>,
    navigation: SiteNavigation,
) -> SiteDraft {
    let path = mechanism.path.as_str();
    let cases: Vec<&CaseFacts> = sources.cases.iter().filter(|case| mechanism.names(&case.id)).collect();
    let evidence = evidence(mechanism, sources);
    let minimal = minimal_case(mechanism, sources.cases, evidence.first());

    let content = html! {
        (facts(mechanism))
        (minimal_part(mechanism, minimal, &evidence, navigation))
        (covered_cases(path, &cases))
    };
    let title = &mechanism.title;
    let intro = html! {
        p {
            code { (mechanism.id) } " "
            @for column in mechanism.columns() { span.badge { (column) } " " }
        }
        (time_line(mechanism))
        @let reason = capitalized(&one_line(mechanism.reason));
        @if reason != mechanism.title { p.lead { (sentence(&reason)) } }
    };
    SiteFrame { path, section: SiteSection::Compilers, title, intro, content }
        .found_by(&format!("{} {}", mechanism.list.title, one_line(mechanism.reason)))
        .below(&compiler_page(&mechanism.list.name), &mechanism.list.title)
}

fn facts(mechanism: &Mechanism<'_>) -> Markup {
    html! {
        section id="facts" {
            h2 { "Facts" }
            dl {
                @if let Some(workaround) = mechanism.workaround() {
                    dt { "workaround" } dd { (sentence(&capitalized(&one_line(workaround)))) }
                }
                dt { "builds" } dd { (builds(&mechanism.builds())) }
                dt { "reported" }
                dd {
                    @match mechanism.upstream_link() {
                        Some(address) => { (report_link(address)) },
                        None => { "no report of it is known to us" },
                    }
                }
                @for searched in mechanism.searches() {
                    dt { "tracker searched" } dd { (one_line(searched)) }
                }
                dt { "source" } dd { (how_we_know(mechanism)) }
                @if let Some(entry) = mechanism.entries.first() {
                    dt { "entry" } dd { code { (one_line(&entry.file)) ":" (entry.line) } }
                }
            }
            details.fold {
                summary { "Affected checks" }
                ul { @for conditions in conditions(mechanism) { li { (conditions_text(&conditions)) } } }
            }
        }
    }
}

fn builds(builds: &[SeenBuilds<'_>]) -> Markup {
    html! {
        @if builds.is_empty() { "no build is named" }
        @for (index, SeenBuilds { newest, gone }) in builds.iter().enumerate() {
            @if index > 0 { "; " }
            @match gone {
                Some(gone) => { "differs up to " (one_line(&newest.to_string())) ", gone in " (one_line(&gone.to_string())) },
                None => { "differs in " (one_line(&newest.to_string())) ", no later build is known to be right" },
            }
        }
    }
}

fn how_we_know(mechanism: &Mechanism<'_>) -> String {
    let culprits: BTreeSet<&str> = mechanism.entries.iter().filter_map(|entry| entry.culprit()).collect();
    let is_broken = mechanism.entries.iter().any(|entry| entry.conditions().iter().any(|it| it.key == "says"));
    let mut sentences: Vec<&str> = Vec::new();
    if culprits.contains(Culprit::Report.as_str()) {
        sentences.push("The offsets that the compiler reports differ from the bytes that its own code addresses.");
    }
    if culprits.contains(Culprit::Compiler.as_str()) {
        sentences.push("The compiled code addresses different bytes than the case's authority gives.");
    }
    if culprits.contains(Culprit::Module.as_str()) {
        sentences.push("The compiled module is invalid, or not the one that was requested.");
    }
    if culprits.contains(Culprit::Device.as_str()) {
        sentences.push(
            "A device read or wrote different bytes than its shader specifies; the data in the buffer encodes its own address.",
        );
    }
    if is_broken {
        sentences.push("The check broke with the message below.");
    }

    if sentences.is_empty() {
        sentences.push("Checks of the cases below differ from their authorities.");
    }
    sentences.push("Each full run checks this again, and fails if no check differs any more.");
    sentences.join(" ")
}

/// The conditions of the entries, without duplicates, and without the producers, which the page names by their targets.
fn conditions(mechanism: &Mechanism<'_>) -> BTreeSet<Vec<EntryCondition>> {
    let of_entry = |entry: &&KnownFailure| {
        let conditions = entry.conditions().into_iter().filter(|condition| condition.key != "producer");
        conditions.collect()
    };
    mechanism.entries.iter().map(of_entry).collect()
}

fn conditions_text(conditions: &[EntryCondition]) -> Markup {
    html! {
        @if conditions.is_empty() { "all checks of the cases" }
        @for (index, EntryCondition { key, patterns }) in conditions.iter().enumerate() {
            @if index > 0 { " · " }
            (key) " " code { (one_line(patterns)) }
        }
    }
}

/// Evidence with numbers that differ comes before evidence without numbers. Among those, records
/// come first, then frozen decisions, then kept checks.
fn evidence<'a>(mechanism: &Mechanism<'_>, sources: MechanismSources<'a>) -> Vec<Evidence<'a>> {
    let is_entry =
        |file: &str, line: u32| mechanism.entries.iter().any(|entry| (entry.file.as_str(), entry.line) == (file, line));
    let is_known = |check: &&CheckRecord| check.outcome.kind() == OutcomeKind::Known && mechanism.explains(check);
    let recorded = sources.checks.iter().filter(is_known);
    let recorded = recorded.min_by_key(|check| check.rows.len()).map(|record| {
        let device = record.id.device.as_ref().map_or("none", |device| device.id.as_str());
        let source = format!("the records that this site is made of, on {device}");
        Evidence { source, record }
    });

    let known = sources.known.iter().filter(|known| is_entry(&known.file, known.line));
    let known = known.map(|known| Evidence { source: known.origin.clone(), record: &known.record });
    let mut evidence: Vec<Evidence<'_>> = recorded.into_iter().chain(known).collect();
    evidence.sort_by_key(|evidence| !evidence.record.rows.iter().any(Row::differs));
    evidence
}

/// The case of the evidence, or else the one with the shortest declaration.
fn minimal_case<'a>(
    mechanism: &Mechanism<'_>,
    cases: &'a [CaseFacts],
    evidence: Option<&Evidence<'_>>,
) -> Option<&'a CaseFacts> {
    let of_evidence = evidence.and_then(|evidence| cases.iter().find(|case| case.id == evidence.record.id.case));
    let pinned = |entry: &&KnownFailure, case: &CaseFacts| {
        entry.shape.as_ref().is_some_and(|it| it.pinned_by.as_ref() == Some(&case.id))
    };
    let is_about =
        |case: &&CaseFacts| mechanism.names(&case.id) || mechanism.entries.iter().any(|entry| pinned(entry, case));
    let length = |case: &&CaseFacts| case.source.as_ref().and_then(|it| Some(it.declaration.as_ref()?.len()));
    let shortest = || cases.iter().filter(is_about).min_by_key(|case| length(case).unwrap_or(usize::MAX));
    of_evidence.or_else(shortest)
}

fn minimal_part(
    mechanism: &Mechanism<'_>,
    minimal: Option<&CaseFacts>,
    evidence: &[Evidence<'_>],
    navigation: SiteNavigation,
) -> Markup {
    let path = mechanism.path.as_str();
    let Some(case) = minimal else {
        let is_untried = mechanism.entries.iter().all(|entry| entry.untried);
        return html! {
            p.note {
                @if is_untried {
                    "There are no numbers, because the versions in question have not been tested yet. Until then, every difference there "
                    "counts as known."
                } @else {
                    "There is no case for it: any check that matches the patterns above may show it."
                }
            }
        };
    };

    html! {
        section id="minimal" {
            h2 { "A minimal declaration" }
            p { "Case " (case_link(path, &case.id)) ": " (sentence(&one_line(&case.summary))) }
            @if let Some(text) = case.source.as_ref().and_then(|source| source.declaration.as_ref()) {
                (shader_code("HLSL", &one_member_per_line(text.trim_matches('\n')), ShaderLanguage::Hlsl))
                @if let Some(explored) = &case.explored { div.actions { (explored.link(path, navigation)) } }
            }
            @let of_case = evidence.iter().filter(|evidence| evidence.record.id.case == case.id);
            @let shown: Vec<&Evidence<'_>> = of_case.take(MOST_EVIDENCE).collect();
            @if shown.is_empty() {
                p.note { (why_no_number(mechanism, case)) }
            } @else {
                @for evidence in shown { (evidence_part(evidence)) }
            }
        }
    }
}

/// Why there are no numbers next to the declaration, and how to get them.
fn why_no_number(mechanism: &Mechanism<'_>, case: &CaseFacts) -> Markup {
    let is_of_random_declarations = mechanism.entries.iter().all(|entry| entry.shape.is_some());
    html! {
        @if is_of_random_declarations {
            "No numbers are stored: it was seen only in random declarations of this shape, which are not stored. The case shows how "
            "they are laid out, and the compiler is right about this case. To reproduce the difference, run "
            code { "layoutproof dev fuzz" } ", which counts it as known."
        } @else {
            "No numbers are stored: no frozen decision and no stored check covers it, because no build that is stored here "
            "shows it. To see both numbers with your compiler or driver, run "
            code { "layoutproof run " (case.id) " --no-known -vv" }
        }
    }
}

fn evidence_part(evidence: &Evidence<'_>) -> Markup {
    let Evidence { source, record } = evidence;
    let story = record.outcome.story();

    html! {
        div.lights {
            h3 { (title_of(record)) }
            p.note { "Rule set " code { (one_line(record.id.rules.as_str())) } ", numbers from " (one_line(source)) "." }
            @if let Some(reason) = record.outcome.reasons() { p.bad { (one_line(&reason.to_string())) } }
            @if let Some(words) = words_of_validator(record) { p.bad { "The validator: " (one_line(&words)) } }
            @if !record.rows.is_empty() {
                @if let Some(story) = story.filter(|story| !story.authority.is_empty()) {
                    p.dim { "Expected by " (one_line(&story.authority)) }
                }
                (witness_table(record))
                @if let Some(story) = story { (failure_maps(record, &story.blocks)) }
            }
        }
    }
}

/// The target and compiler that the evidence is about.
fn title_of(record: &CheckRecord) -> String {
    record.id.column().map_or_else(|| one_line(record.id.producer.as_str()), |column| column.to_string())
}

/// The validator's complaint about the module; `None` if it has none or did not run.
fn words_of_validator(record: &CheckRecord) -> Option<String> {
    let words = record.validation.is_rejection().then(|| record.validation.to_string());
    words.filter(|words| !words.is_empty())
}

fn covered_cases(path: &str, cases: &[&CaseFacts]) -> Markup {
    html! {
        @if !cases.is_empty() {
            section id="cases" {
                h2 { "Cases" }
                p.note { (counted(cases.len() as u64, "case")) ", if the conditions above apply to them." }
                ul.columns { @for case in cases.iter().take(NAMED_CASES) { li { (case_link(path, &case.id)) } } }
                @if cases.len() > NAMED_CASES { p.dim { "and " (counted((cases.len() - NAMED_CASES) as u64, "other")) } }
            }
        }
    }
}
