//! A cell of a matrix: the number of checks per outcome.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::components::{Sign, legend_of};
use layoutproof_events::OutcomeKind;
use layoutproof_show::style::grouped;

pub(super) fn cell_legend() -> Markup {
    legend_of(&[
        (Sign::Agree, "agree"),
        (Sign::Wrong, "differ or broke"),
        (Sign::Known, "known bugs"),
        (Sign::Skipped, "not possible here"),
    ])
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCell {
    counts: BTreeMap<OutcomeKind, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellPlace {
    /// Index of the rule set.
    pub rules: usize,
    /// Index of the producer and device.
    pub place: usize,
}

impl OutcomeCell {
    pub fn add(&mut self, outcome: OutcomeKind, count: u64) {
        *self.counts.entry(outcome).or_default() += count;
    }

    pub fn add_all(&mut self, other: &Self) {
        for (outcome, count) in &other.counts {
            self.add(*outcome, *count);
        }
    }

    fn of(&self, outcomes: &[OutcomeKind]) -> u64 {
        outcomes.iter().filter_map(|outcome| self.counts.get(outcome)).sum()
    }

    /// The counts as badges, those that need attention first.
    pub fn badges(&self) -> Markup {
        let counts = [
            (self.wrong(), "differ", "≠", "differ or broke"),
            (self.of(&[OutcomeKind::Known]), "known", "~", "known"),
            (self.of(&[OutcomeKind::Agree]), "agree", "", "agree"),
            (self.of(&[OutcomeKind::Skipped]), "skipped", "·", "skipped"),
        ];
        html! {
            @for (count, class, sign, words) in counts.into_iter().filter(|(count, ..)| *count > 0) {
                span class=(format!("badge {class}")) title=(format!("{count} {words}")) { (sign) (grouped(count)) } " "
            }
        }
    }

    /// The checks under a rule set as a link to their cases.
    pub(super) fn tile(&self, name: &str, filter: CellPlace) -> Markup {
        html! {
            a class=(format!("tile {}", self.class())) href="#cases" data-rules=(filter.rules) data-place=(filter.place)
                title=(format!("{name}: {}", self.words())) { b { (name) } " " (self.numbers()) }
        }
    }

    fn wrong(&self) -> u64 {
        self.of(&[OutcomeKind::Differ, OutcomeKind::Broken, OutcomeKind::Stale])
    }

    fn class(&self) -> &'static str {
        match (self.wrong(), self.of(&[OutcomeKind::Agree]), self.of(&[OutcomeKind::Known])) {
            (1.., _, _) => "differ",
            (0, 0, 0) => "skipped",
            (0, _, 1..) => "known",
            (0, _, 0) => "agree",
        }
    }

    /// `201 agree, 1 known bug`.
    fn words(&self) -> String {
        let words = [
            (self.of(&[OutcomeKind::Agree]), "agree"),
            (self.wrong(), "differ or broke"),
            (self.of(&[OutcomeKind::Known]), "known bugs"),
            (self.of(&[OutcomeKind::Skipped]), "not possible here"),
        ];
        let words: Vec<String> =
            words.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        words.join(", ")
    }

    /// `201 ~1`.
    fn numbers(&self) -> Markup {
        let (agree, known) = (self.of(&[OutcomeKind::Agree]), self.of(&[OutcomeKind::Known]));
        let signs = [(self.wrong(), "≠"), (known, "~"), (self.of(&[OutcomeKind::Skipped]), "·")];
        html! {
            @if agree > 0 { (grouped(agree)) }
            @for (count, sign) in signs.into_iter().filter(|(count, _)| *count > 0) { " " (sign) (grouped(count)) }
        }
    }
}
