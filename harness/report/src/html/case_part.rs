//! The part of a page about one case: its declaration, its byte maps, and the outcomes of its
//! checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use layoutproof_events::shell::shell_word;
use layoutproof_events::{
    CheckRecord, KnownEntry, OutcomeKind, Reason, Reasons, RecordedSource, ShaderMaker, StoryBlock,
};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, Reach, ViewId};
use layoutproof_show::layout_text::shown_columns::{
    BlockPresence, ColumnName, MergedBlock, ShownColumn, ShownColumnBlock,
};
use layoutproof_show::show_json::ShownBlock;
use layoutproof_show::style::{counted, grouped, one_line};
use layoutproof_source::shader_language::ShaderLanguage;
use maud::{Markup, html};

use super::components::shader_code;
use super::known_part::KnownEntries;
use super::layout_page::{maps, numbers};
use super::outcome_matrix::{CheckPlace, CheckPlaces};

struct CasePart<'a> {
    id: &'a str,
    checks: Vec<&'a CheckRecord>,
    /// Its declarations; several if runs had different ones under this name.
    sources: Vec<&'a RecordedSource>,
}

/// The rest of the page, as far as the part of a case refers to it.
#[derive(Clone, Copy)]
pub(super) struct CaseSurroundings<'a> {
    /// The declarations of the checks.
    pub sources: &'a [RecordedSource],
    pub known: &'a KnownEntries<'a>,
}

/// All cases, each folded; those with failures come first.
pub(super) fn case_parts(
    places: &CheckPlaces<'_>,
    checks: &[CheckRecord],
    surroundings: CaseSurroundings<'_>,
) -> Markup {
    let CaseSurroundings { sources, known } = surroundings;
    let mut cases: BTreeMap<&str, CasePart<'_>> = BTreeMap::new();
    for check in checks {
        let part = || CasePart { id: &check.id.case, checks: Vec::new(), sources: Vec::new() };
        cases.entry(&check.id.case).or_insert_with(part).checks.push(check);
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
            @for case in cases_within(room_for(checks.len()), &cases, &|case, maps| case.draw(places, known, maps)) { (case) }
        }
    }
}

/// Bytes available for the cases of a page. A page of 3,000 checks should have at most 2 MB.
fn room_for(checks: usize) -> usize {
    const LEAST: usize = 1_340_000;
    const OF_ONE_CHECK: usize = LEAST / 3_000;
    LEAST.max(checks.saturating_mul(OF_ONE_CHECK))
}

/// The parts of all cases. Once `room` is used up, further cases have no byte maps.
fn cases_within(
    room: usize,
    cases: &[CasePart<'_>],
    draw: &dyn Fn(&CasePart<'_>, SourceMaps) -> Markup,
) -> Vec<Markup> {
    let mut rest = room;
    let part = |case: &CasePart<'_>| {
        let with_maps = draw(case, SourceMaps::Drawn);
        let part = if with_maps.0.len() <= rest { with_maps } else { draw(case, SourceMaps::LeftOut) };
        rest = rest.saturating_sub(part.0.len());
        part
    };
    cases.iter().map(part).collect()
}

/// The choice to draw the byte maps of a case or to leave them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceMaps {
    /// A map for each different layout.
    Drawn,
    /// The page has no room for them.
    LeftOut,
}

fn filters(places: &CheckPlaces<'_>) -> Markup {
    let title = |producer: &str| ShaderMaker::from(producer).title();
    let place = |place: &CheckPlace<'_>| one_line(&format!("{} · {}", place.device, title(place.producer)));
    html! {
        div.filters.js-only role="search" {
            label { "Search" input #search type="search" placeholder="cbuffer, matrix …"; }
            label { "Outcome"
                select #outcome {
                    option value="" { "any" }
                    @for outcome in OutcomeKind::BY_URGENCY { option value=(outcome.as_str()) { (outcome.as_str()) } }
                }
            }
            label { "Rule set"
                select #rules {
                    option value="" { "any" }
                    @for (number, name) in places.rules.iter().enumerate() { option value=(number) { (one_line(name)) } }
                }
            }
            label { "Device and target"
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
        self.checks.iter().map(|check| urgency(check.outcome.kind())).min().unwrap_or(OutcomeKind::BY_URGENCY.len())
    }

    fn draw(&self, places: &CheckPlaces<'_>, known: &KnownEntries<'_>, maps: SourceMaps) -> Markup {
        let claim = self.sources.first().map(|source| source.summary.as_str());
        let claim =
            claim.or_else(|| self.checks.iter().find_map(|check| Some(check.outcome.story()?.summary.as_str())));
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
                @for source in &self.sources { (source_part(source, maps)) }
                @if self.sources.is_empty() { p.dim { "These records hold no declaration of it." } }
                (self.ends(known))
            }
        }
    }

    /// `outcome:rules:place` for each check, without duplicates.
    fn filter_words(&self, places: &CheckPlaces<'_>) -> String {
        let word = |check: &&CheckRecord| {
            let rules = places.rules_number(check.id.rules.as_str())?;
            let place = places.place_number(&CheckPlace::of(check))?;
            Some(format!("{}:{rules}:{place}", check.outcome.kind().as_str()))
        };
        let words: BTreeSet<String> = self.checks.iter().filter_map(word).collect();
        words.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The outcomes of the checks, with place and reason. Rule sets with the same text share a
    /// line.
    fn ends(&self, known: &KnownEntries<'_>) -> Markup {
        let mut by_rules: BTreeMap<&str, Vec<&CheckRecord>> = BTreeMap::new();
        for check in &self.checks {
            by_rules.entry(check.id.rules.as_str()).or_default().push(check);
        }
        let mut lines: BTreeMap<Vec<CheckEnd<'_>>, Vec<&str>> = BTreeMap::new();
        for (rules, checks) in &by_rules {
            lines.entry(check_ends(checks)).or_default().push(rules);
        }
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort_by(|(_, one), (_, other)| one.cmp(other));

        html! {
            h3 { "Checks" }
            ul.ends {
                @for (ends, rules) in &lines {
                    li {
                        code { (one_line(&rules.join(", "))) }
                        @for end in ends { div { (end.draw(known)) } }
                    }
                }
            }
        }
    }
}

/// Checks of one rule set with the same outcome and reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CheckEnd<'a> {
    /// Index of the outcome in [`OutcomeKind::BY_URGENCY`].
    urgency: usize,
    reason: String,
    /// The entry that covers them.
    known: Option<&'a KnownEntry>,
    /// What laid out the blocks, by the devices on which it had this outcome.
    places: Vec<TitlesOnDevices>,
    count: u64,
}

/// Devices on which the same targets and compilers had the same outcome.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct TitlesOnDevices {
    devices: Vec<String>,
    titles: BTreeSet<String>,
}

/// The outcomes of one rule set's checks.
fn check_ends<'a>(checks: &[&'a CheckRecord]) -> Vec<CheckEnd<'a>> {
    let mut ends: BTreeMap<EndKey<'a>, Vec<&'a CheckRecord>> = BTreeMap::new();
    for check in checks {
        ends.entry(EndKey::of(check)).or_default().push(check);
    }
    let end = |(EndKey { urgency, reason, known }, checks): (EndKey<'a>, Vec<&'a CheckRecord>)| CheckEnd {
        urgency,
        reason,
        known,
        places: places_of(&checks),
        count: checks.len() as u64,
    };
    ends.into_iter().map(end).collect()
}

/// The fields that checks on one line share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct EndKey<'a> {
    urgency: usize,
    known: Option<&'a KnownEntry>,
    reason: String,
}

impl<'a> EndKey<'a> {
    fn of(check: &'a CheckRecord) -> Self {
        Self { urgency: urgency(check.outcome.kind()), known: check.outcome.entry(), reason: reason(check) }
    }
}

/// Targets and compilers by device; devices with the same ones are merged.
fn places_of(checks: &[&CheckRecord]) -> Vec<TitlesOnDevices> {
    let mut by_device: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for check in checks {
        by_device.entry(CheckPlace::of(check).device).or_default().insert(check.id.title());
    }

    let mut places: Vec<TitlesOnDevices> = Vec::new();
    for (device, titles) in by_device {
        match places.iter_mut().find(|place| place.titles == titles) {
            Some(place) => place.devices.push(device),
            None => places.push(TitlesOnDevices { devices: vec![device], titles }),
        }
    }
    places
}

impl CheckEnd<'_> {
    fn draw(&self, known: &KnownEntries<'_>) -> Markup {
        let outcome = OutcomeKind::BY_URGENCY[self.urgency];
        let entry = self.known.and_then(|entry| known.link(entry));
        html! {
            b class=(outcome.as_str()) { (grouped(self.count)) " " (outcome.as_str()) }
            @for (index, TitlesOnDevices { devices, titles }) in self.places.iter().enumerate() {
                (if index > 0 { "; " } else { " " })
                (one_line(&devices.join(", "))) ": " (one_line(&titles.iter().map(String::as_str).collect::<Vec<_>>().join(", ")))
            }
            @match entry {
                Some(entry) => { " — " a href=(entry) { "known bug" } },
                None if !self.reason.is_empty() => { " — " (self.reason) },
                None => {},
            }
        }
    }
}

fn urgency(outcome: OutcomeKind) -> usize {
    OutcomeKind::BY_URGENCY.iter().position(|other| *other == outcome).unwrap_or(OutcomeKind::BY_URGENCY.len() - 1)
}

fn counts(checks: &[&CheckRecord]) -> Vec<(OutcomeKind, u64)> {
    let count = |outcome| checks.iter().filter(|check| check.outcome.kind() == outcome).count() as u64;
    OutcomeKind::BY_URGENCY
        .into_iter()
        .map(|outcome| (outcome, count(outcome)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Why a check does not simply agree.
fn reason(check: &CheckRecord) -> String {
    let verdict = check.outcome.story().map(|story| story.verdict.as_str());
    let known = check.outcome.entry().map(|entry| entry.reason.as_str());
    let text = match check.outcome.kind() {
        OutcomeKind::Agree => None,
        OutcomeKind::Known | OutcomeKind::Stale => known,
        OutcomeKind::Differ => verdict,
        OutcomeKind::Skipped | OutcomeKind::Broken => return skip_reason(check),
    };
    one_line(text.unwrap_or_default())
}

/// Why a check did not run, without the names of its rule set and producer, which are next to it.
fn skip_reason(check: &CheckRecord) -> String {
    let Some(Reasons { first, others }) = check.outcome.reasons() else { return String::new() };
    let mut text = match first {
        Reason::RefusedBy { compiler, message, .. } if compiler == check.id.producer.as_str() => {
            format!("refused: {message}")
        }
        Reason::Forbidden { rules, message } if rules == check.id.rules.as_str() => {
            format!("the rule set forbids it: {message}")
        }
        reason => reason.to_string(),
    };
    for reason in others {
        text += "; ";
        text += &reason.to_string();
    }
    one_line(&text)
}

/// Declaration, numbers and maps.
pub fn source_part(source: &RecordedSource, drawn: SourceMaps) -> Markup {
    let columns = columns(source);
    html! {
        p.dim { code { (one_line(&source.place.to_string())) } }
        @if let Some(text) = &source.declaration { (shader_code("declaration", text.trim_matches('\n'), ShaderLanguage::Hlsl)) }
        @for merged in &MergedBlock::all(&columns) {
            @if !merged.columns.is_empty() {
                div.lights {
                    h3 { code { (one_line(&merged.block.name)) } " " span.dim { (counted(merged.columns.len() as u64, "layout")) } }
                    (numbers(&merged.columns, ShaderLanguage::Hlsl))
                    @match drawn {
                        SourceMaps::Drawn => { (maps(&merged.columns, ShaderLanguage::Hlsl)) },
                        SourceMaps::LeftOut => p.dim {
                            "The page has no room for byte maps of all cases. They are drawn by "
                            code { "layoutproof show " (one_line(&shell_word(&source.case))) " --all --format html" }
                        },
                    }
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

/// The layouts as columns; a block has the same index in all of them.
fn columns(source: &RecordedSource) -> Vec<ShownColumn> {
    let mut names: Vec<&str> = Vec::new();
    for block in source.layouts.iter().flat_map(|layout| &layout.blocks) {
        if !names.contains(&block.name.as_str()) {
            names.push(&block.name);
        }
    }
    let column = |layout: &layoutproof_events::RecordedLayout| {
        let blocks = (0..).map(ViewId).zip(&names).map(|(view, name)| {
            let block = layout.blocks.iter().find(|block| block.name == *name);
            shown(view, name, block)
        });
        ShownColumn { name: ColumnName::of_rules(&layout.rules), blocks: blocks.collect() }
    };
    source.layouts.iter().map(column).collect()
}

/// A recorded block. Records do not store the kind, and it is not shown here.
fn shown(view: ViewId, name: &str, block: Option<&StoryBlock>) -> ShownColumnBlock {
    let presence = if block.is_some() { BlockPresence::Present } else { BlockPresence::Irrelevant };
    let shown = ShownBlock {
        view,
        name: name.to_owned(),
        kind: BlockKind::UniformBlock,
        reach: Reach::Parameter,
        size: block.and_then(|block| block.size),
        alignment: None,
        stride: None,
        count: Count::Finite(1),
        errors: Vec::new(),
        forbidden: Vec::new(),
        members: block.map(|block| block.members.clone()).unwrap_or_default(),
    };
    ShownColumnBlock::new(shown, presence)
}

/// The fragment of the case's part of the page.
pub(super) fn case_link(case: &str) -> String {
    let mut address = String::from("#");
    for byte in case_anchor(case).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:@".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// The name of a case as an anchor, which must not contain spaces.
pub(super) fn case_anchor(case: &str) -> String {
    one_line(case).replace(char::is_whitespace, "_")
}
