//! The part of a page that is about one case: its declaration, its byte maps, how its checks ended.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::BlockKind;
use layoutproof_layout::shape::Count;
use maud::{Markup, html};

use super::case_link::case_anchor;
use super::layout_page::{maps, numbers};
use super::outcome_matrix::{CheckPlace, CheckPlaces};
use crate::report::formats::show_json::ShownBlock;
use crate::report::layout_text::declaration_words::DeclarationWords;
use crate::report::layout_text::merged_block::MergedBlock;
use crate::report::layout_text::shown_columns::{BlockPresence, ShownColumn, ShownColumnBlock};
use crate::report::style::{counted, grouped, one_line};
use crate::results::record::{CheckRecord, Outcome, RecordedSource, StoryBlock};

/// Outcomes in the order in which cases are listed.
const BY_URGENCY: [Outcome; 6] =
    [Outcome::Differ, Outcome::Broken, Outcome::Stale, Outcome::Known, Outcome::Agree, Outcome::Skipped];

/// A case with its checks.
struct CasePart<'a> {
    id: &'a str,
    checks: Vec<&'a CheckRecord>,
    /// Its declarations; several where runs had different ones under this name.
    sources: Vec<&'a RecordedSource>,
}

/// All cases, those with failures first, each folded.
pub(super) fn case_parts(places: &CheckPlaces<'_>, checks: &[CheckRecord], sources: &[RecordedSource]) -> Markup {
    let mut cases: BTreeMap<&str, CasePart<'_>> = BTreeMap::new();
    for check in checks {
        let part = || CasePart { id: &check.case, checks: Vec::new(), sources: Vec::new() };
        cases.entry(&check.case).or_insert_with(part).checks.push(check);
    }
    for source in sources {
        if let Some(case) = cases.get_mut(source.case.as_str()) {
            case.sources.push(source);
        }
    }
    let mut cases: Vec<CasePart<'_>> = cases.into_values().collect();
    cases.sort_by_key(CasePart::urgency);

    html! {
        section id="cases" {
            h2 { "Cases" }
            (filters(places))
            p.dim.js-only #count role="status" {}
            @for case in &cases { (case.draw(places)) }
        }
    }
}

fn filters(places: &CheckPlaces<'_>) -> Markup {
    let place = |place: &CheckPlace<'_>| one_line(&format!("{} · {}", place.device, place.producer));
    html! {
        div.filters.js-only role="search" {
            label { "Search" input #search type="search" placeholder="cbuffer, matrix …"; }
            label { "Outcome"
                select #outcome {
                    option value="" { "any" }
                    @for outcome in BY_URGENCY { option value=(outcome.as_str()) { (outcome.as_str()) } }
                }
            }
            label { "Rule set"
                select #rules {
                    option value="" { "any" }
                    @for (number, name) in places.rules.iter().enumerate() { option value=(number) { (one_line(name)) } }
                }
            }
            label { "Device and producer"
                select #producer {
                    option value="" { "any" }
                    @for (number, one) in places.places.iter().enumerate() { option value=(number) { (place(one)) } }
                }
            }
        }
    }
}

impl CasePart<'_> {
    fn urgency(&self) -> usize {
        let place = |check: &&CheckRecord| BY_URGENCY.iter().position(|outcome| *outcome == check.outcome);
        self.checks.iter().filter_map(place).min().unwrap_or(BY_URGENCY.len())
    }

    fn draw(&self, places: &CheckPlaces<'_>) -> Markup {
        let claim = self.sources.first().map(|source| source.summary.as_str());
        let claim = claim.or_else(|| self.checks.iter().find_map(|check| Some(check.story.as_ref()?.summary.as_str())));
        let counts = counts(&self.checks);
        html! {
            details.case id=(case_anchor(self.id)) data-checks=(self.filter_words(places)) {
                summary {
                    code { (one_line(self.id)) }
                    @if let Some(claim) = claim { " " span.claim { (one_line(claim)) } }
                    @for (outcome, count) in &counts {
                        " " span class=(format!("badge {}", outcome.as_str())) { (grouped(*count)) " " (outcome.as_str()) }
                    }
                }
                @if self.sources.len() > 1 {
                    p.bad { "The runs had different declarations under this name: all are shown." }
                }
                @for source in &self.sources { (source_part(source)) }
                @if self.sources.is_empty() { p.dim { "These records hold no declaration of it." } }
                (self.ends())
            }
        }
    }

    /// `outcome:rules:place` for each check, once.
    fn filter_words(&self, places: &CheckPlaces<'_>) -> String {
        let word = |check: &&CheckRecord| {
            let rules = places.rules_number(&check.rules)?;
            let place = places.place_number(&CheckPlace::of(check))?;
            Some(format!("{}:{rules}:{place}", check.outcome.as_str()))
        };
        let words: BTreeSet<String> = self.checks.iter().filter_map(word).collect();
        words.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// How the checks under each rule set ended; what does not agree with its place and reason.
    fn ends(&self) -> Markup {
        let mut by_rules: BTreeMap<&str, Vec<&CheckRecord>> = BTreeMap::new();
        for check in &self.checks {
            by_rules.entry(&check.rules).or_default().push(check);
        }
        html! {
            h3 { "Checks" }
            ul {
                @for (rules, checks) in &by_rules {
                    li {
                        code { (one_line(rules)) }
                        @for outcome in BY_URGENCY { (ended(outcome, checks)) }
                    }
                }
            }
        }
    }
}

fn counts(checks: &[&CheckRecord]) -> Vec<(Outcome, u64)> {
    let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count() as u64;
    BY_URGENCY.into_iter().map(|outcome| (outcome, count(outcome))).filter(|(_, count)| *count > 0).collect()
}

/// Checks of one rule set and outcome: the producers, by device.
fn ended(outcome: Outcome, checks: &[&CheckRecord]) -> Markup {
    let mut reasons: BTreeMap<String, BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
    let mut count: u64 = 0;
    for check in checks.iter().filter(|check| check.outcome == outcome) {
        let CheckPlace { device, producer } = CheckPlace::of(check);
        reasons.entry(reason(check)).or_default().entry(device).or_default().insert(producer);
        count += 1;
    }
    html! {
        @if count > 0 {
            div {
                span class=(format!("badge {}", outcome.as_str())) { (grouped(count)) " " (outcome.as_str()) }
                @for (reason, devices) in &reasons {
                    " " span.dim {
                        @for (index, (device, producers)) in devices.iter().enumerate() {
                            @if index > 0 { "; " }
                            (one_line(device)) ": " (one_line(&producers.iter().copied().collect::<Vec<_>>().join(", ")))
                        }
                        @if !reason.is_empty() { " — " (reason) }
                    }
                }
            }
        }
    }
}

/// Why a check does not plainly agree.
fn reason(check: &CheckRecord) -> String {
    let verdict = check.story.as_ref().map(|story| story.verdict.as_str());
    let known = check.known.as_ref().map(|entry| entry.reason.as_str());
    let text = match check.outcome {
        Outcome::Agree => None,
        Outcome::Known | Outcome::Stale => known,
        Outcome::Differ => verdict,
        Outcome::Skipped | Outcome::Broken => check.skip_reason.as_deref(),
    };
    one_line(text.unwrap_or_default())
}

/// Declaration, numbers and maps.
pub(super) fn source_part(source: &RecordedSource) -> Markup {
    let columns = columns(source);
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);
    html! {
        p.dim { code { (one_line(&source.place)) } }
        @if let Some(text) = &source.declaration { pre tabindex="0" { code { (text.trim_matches('\n')) } } }
        @for index in 0..blocks {
            @let merged = MergedBlock::of(&columns, index);
            @if let Some(block) = merged.block.filter(|_| !merged.columns.is_empty()) {
                div.lights {
                    h3 { code { (one_line(&block.name)) } " " span.dim { (counted(merged.columns.len() as u64, "layout")) } }
                    (numbers(&merged.columns, DeclarationWords::Hlsl))
                    (maps(&merged.columns, DeclarationWords::Hlsl))
                }
            }
        }
        (authorities(source))
    }
}

fn authorities(source: &RecordedSource) -> Markup {
    let mut authorities: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for layout in source.layouts.iter().filter(|layout| !layout.authority.is_empty()) {
        authorities.entry(&layout.authority).or_default().push(&layout.rules);
    }
    html! {
        @if !authorities.is_empty() {
            dl {
                @for (authority, rules) in &authorities {
                    dt { (one_line(&rules.join(", "))) } dd { (one_line(authority)) }
                }
            }
        }
    }
}

/// The layouts as columns in which each block has the same place.
fn columns(source: &RecordedSource) -> Vec<ShownColumn> {
    let mut names: Vec<&str> = Vec::new();
    for block in source.layouts.iter().flat_map(|layout| &layout.blocks) {
        if !names.contains(&block.name.as_str()) {
            names.push(&block.name);
        }
    }
    let column = |layout: &crate::results::record::RecordedLayout| {
        let blocks = names.iter().map(|name| shown(name, layout.blocks.iter().find(|block| block.name == *name)));
        ShownColumn { name: layout.rules.clone(), blocks: blocks.collect() }
    };
    source.layouts.iter().map(column).collect()
}

/// A recorded block; records keep no kind, and none is shown here.
fn shown(name: &str, block: Option<&StoryBlock>) -> ShownColumnBlock {
    let presence = if block.is_some() { BlockPresence::Present } else { BlockPresence::Irrelevant };
    let shown = ShownBlock {
        name: name.to_owned(),
        kind: BlockKind::UniformBlock,
        size: block.and_then(|block| block.size),
        alignment: None,
        stride: None,
        count: Count::Finite(1),
        errors: Vec::new(),
        members: block.map(|block| block.members.clone()).unwrap_or_default(),
    };
    ShownColumnBlock { shown, padding: None, presence }
}
