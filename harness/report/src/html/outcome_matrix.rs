//! The matrix of a run: one line per rule set, one column per producer and device.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::table;
use maud::{Markup, html};

use super::outcome_cell::{CellLink, CellPlace, OutcomeCell, cell_legend};
use crate::failure::group::place;
use layoutproof_core::results::record::{CheckRecord, LeftOutChecks};
use layoutproof_show::style::one_line;

/// Numbers the rule sets and places of a run, for tables and filters.
#[derive(Debug)]
pub struct CheckPlaces<'a> {
    /// Rule sets, in the order of the table of rules.
    pub rules: Vec<&'a str>,
    /// Producers on devices, by device.
    pub places: Vec<CheckPlace<'a>>,
}

/// The producer of a shader and the device that ran it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckPlace<'a> {
    /// `lavapipe via Vulkan`.
    pub device: String,
    pub producer: &'a str,
}

impl<'a> CheckPlaces<'a> {
    /// The rule sets and places of checks, including those that the records leave out.
    pub fn of(checks: &'a [CheckRecord], left_out: &'a [LeftOutChecks]) -> Self {
        let mut rules: BTreeSet<&str> = checks.iter().map(|check| check.id.rules.as_str()).collect();
        rules.extend(left_out.iter().map(|group| group.rules.as_str()));
        let mut rules: Vec<&str> = rules.into_iter().collect();
        let order = |name: &&str| table().iter().position(|rules| rules.name == *name).unwrap_or(usize::MAX);
        rules.sort_by_key(order);

        let mut places: BTreeSet<CheckPlace<'a>> = checks.iter().map(CheckPlace::of).collect();
        places.extend(
            left_out
                .iter()
                .map(|group| CheckPlace { device: place(group.device.as_ref()), producer: group.producer.as_str() }),
        );
        Self { rules, places: places.into_iter().collect() }
    }

    pub(super) fn rules_number(&self, rules: &str) -> Option<usize> {
        self.rules.iter().position(|other| *other == rules)
    }

    pub(super) fn place_number(&self, place: &CheckPlace<'_>) -> Option<usize> {
        self.places.binary_search_by(|other| other.cmp(place)).ok()
    }
}

impl<'a> CheckPlace<'a> {
    /// The place of a check.
    pub fn of(check: &'a CheckRecord) -> Self {
        Self { device: place(check.id.device.as_ref()), producer: check.id.producer.as_str() }
    }
}

/// The matrix. Each cell links to the cases and, with JavaScript, sets their filter.
pub fn outcome_matrix(places: &CheckPlaces<'_>, checks: &[CheckRecord], left_out: &[LeftOutChecks]) -> Markup {
    let cells = cells(places, checks, left_out);
    let head = html! {
        tr {
            th rowspan="2" scope="col" { "rule set" }
            @for ColumnsOfDevice { device, columns } in columns_of_devices(&places.places) {
                th colspan=(columns) scope="colgroup" { (one_line(device)) }
            }
        }
        tr { @for place in &places.places { th scope="col" { (one_line(place.producer)) } } }
    };
    let line = |(number, name): (usize, &&str)| MatrixLine {
        rules: html! { (one_line(name)) },
        cells: html! {
            @for place in 0..places.places.len() { (matrix_cell(CellPlace { rules: number, place }, &cells)) }
        },
    };
    let lines = places.rules.iter().enumerate().map(line).collect();
    RuleMatrix { columns: "devices", head, lines }.section()
}

/// A matrix with one line per rule set.
#[derive(Debug)]
pub struct RuleMatrix<'a> {
    /// The kind of columns, such as `devices`.
    pub columns: &'a str,
    /// The lines of the table's head.
    pub head: Markup,
    /// One per rule set, in the order of the table of rules.
    pub lines: Vec<MatrixLine>,
}

/// A rule set with its cells.
#[derive(Debug)]
pub struct MatrixLine {
    /// Its name, or a link to its page.
    pub rules: Markup,
    /// One cell per column.
    pub cells: Markup,
}

impl RuleMatrix<'_> {
    /// The section of the page.
    pub fn section(&self) -> Markup {
        let title = format!("Rule sets and {}", self.columns);
        html! {
            section id="matrix" {
                h2 { (title) }
                (cell_legend())
                div.scroll tabindex="0" role="region" aria-label=(format!("Matrix of rule sets and {}", self.columns)) {
                    table.matrix {
                        thead { (self.head) }
                        tbody { @for MatrixLine { rules, cells } in &self.lines { tr { th scope="row" { (rules) } (cells) } } }
                    }
                }
            }
        }
    }
}

/// A device with the number of its columns.
struct ColumnsOfDevice<'p> {
    device: &'p str,
    columns: usize,
}

fn columns_of_devices<'p>(places: &'p [CheckPlace<'_>]) -> Vec<ColumnsOfDevice<'p>> {
    let mut devices: Vec<ColumnsOfDevice<'_>> = Vec::new();
    for place in places {
        match devices.last_mut() {
            Some(last) if last.device == place.device => last.columns += 1,
            Some(_) | None => devices.push(ColumnsOfDevice { device: &place.device, columns: 1 }),
        }
    }
    devices
}

fn cells(
    places: &CheckPlaces<'_>,
    checks: &[CheckRecord],
    left_out: &[LeftOutChecks],
) -> BTreeMap<CellPlace, OutcomeCell> {
    let mut cells: BTreeMap<CellPlace, OutcomeCell> = BTreeMap::new();
    let mut add = |rules: &str, place: &CheckPlace<'_>, outcome, count| {
        let numbers = places.rules_number(rules).zip(places.place_number(place));
        if let Some((rules, place)) = numbers {
            cells.entry(CellPlace { rules, place }).or_default().add(outcome, count);
        }
    };
    for check in checks {
        add(check.id.rules.as_str(), &CheckPlace::of(check), check.outcome.kind(), 1);
    }
    for group in left_out {
        let place = CheckPlace { device: place(group.device.as_ref()), producer: group.producer.as_str() };
        add(group.rules.as_str(), &place, group.outcome, u64::from(group.checks));
    }
    cells
}

fn matrix_cell(cell: CellPlace, cells: &BTreeMap<CellPlace, OutcomeCell>) -> Markup {
    let link = CellLink { address: "#cases", filter: Some(cell) };
    cells.get(&cell).cloned().unwrap_or_default().draw(link)
}
