//! A cell of a matrix: the number of checks per outcome.

use std::collections::BTreeMap;

use maud::{Markup, html};

use layoutproof_core::results::record::OutcomeKind;
use layoutproof_show::style::grouped;

/// The legend of the signs in a cell.
pub(super) fn cell_legend() -> Markup {
    html! {
        p.legend { "Each cell counts checks: a number alone agrees, ≠ differs or broke, ~ is a known difference, · was skipped." }
    }
}

/// Checks of one cell by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCell {
    counts: BTreeMap<OutcomeKind, u64>,
}

/// Target of a cell's link, and the filters that a click sets on the page.
#[derive(Clone, Copy, Debug)]
pub struct CellLink<'a> {
    pub address: &'a str,
    /// The filter to set; `None` on a page without filters.
    pub filter: Option<CellPlace>,
}

/// A cell's place in the matrix of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellPlace {
    /// Index of the rule set.
    pub rules: usize,
    /// Index of the producer and device.
    pub place: usize,
}

impl OutcomeCell {
    /// Adds checks with this outcome.
    pub fn add(&mut self, outcome: OutcomeKind, count: u64) {
        *self.counts.entry(outcome).or_default() += count;
    }

    /// Adds the checks of another cell.
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
        let wrong = self.of(&[OutcomeKind::Differ, OutcomeKind::Broken, OutcomeKind::Stale]);
        let counts = [
            (wrong, "differ", "≠", "differ or broke"),
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

    /// The cell as a link; a cell without checks is a dash.
    pub fn draw(&self, link: CellLink<'_>) -> Markup {
        if self.counts.is_empty() {
            return html! { td.none { "–" } };
        }

        let wrong = self.of(&[OutcomeKind::Differ, OutcomeKind::Broken, OutcomeKind::Stale]);
        let (agree, known) = (self.of(&[OutcomeKind::Agree]), self.of(&[OutcomeKind::Known]));
        let skipped = self.of(&[OutcomeKind::Skipped]);
        let class = match (wrong, agree, known) {
            (1.., _, _) => "differ",
            (0, 0, 0) => "skipped",
            (0, _, 1..) => "known",
            (0, _, 0) => "agree",
        };

        let words = [(agree, "agree"), (wrong, "differ or broke"), (known, "known"), (skipped, "skipped")];
        let words: Vec<String> =
            words.iter().filter(|(count, _)| *count > 0).map(|(n, word)| format!("{n} {word}")).collect();
        let signs = [(wrong, "≠"), (known, "~"), (skipped, "·")];
        let (rules, place) = (link.filter.map(|filter| filter.rules), link.filter.map(|filter| filter.place));
        html! {
            td class=(class) {
                a href=(link.address) data-rules=[rules] data-place=[place] title=(words.join(", ")) {
                    @if agree > 0 { (grouped(agree)) }
                    @for (count, sign) in signs.into_iter().filter(|(count, _)| *count > 0) { " " (sign) (grouped(count)) }
                }
            }
        }
    }
}
