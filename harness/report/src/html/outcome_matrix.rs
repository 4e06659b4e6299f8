//! The matrices of a run: one per device, with a line per target and compiler (or generator of ours) and
//! a tile for each rule set that it follows, so that no cell is empty.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::{CheckId, CheckRecord, CheckRules, LeftOutChecks, OutcomeKind};
use layoutproof_layout::table;
use layoutproof_show::style::{grouped, one_line};
use maud::{Markup, html};

use super::components::{Sign, legend_of};
use crate::failure::cause::place;

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
    pub fn of(check: &'a CheckRecord) -> Self {
        Self { device: place(check.id.device.as_ref()), producer: check.id.producer.as_str() }
    }
}

/// The matrix of one device, or of the checks that need none: a group of lines per API.
type DeviceMatrix = BTreeMap<Option<RunnerKind>, TargetLines>;

/// Tiles by what laid out the blocks: `Vulkan · DXC (scalar)`.
type TargetLines = BTreeMap<String, BTreeMap<CellPlace, Tile>>;

/// The checks of a line under one rule set.
#[derive(Default)]
struct Tile {
    /// The rule set, or `bindings`.
    name: String,
    counts: OutcomeCell,
}

/// A matrix per device. Each tile links to the cases and, with JavaScript, sets their filter.
pub(super) fn device_matrices(
    places: &CheckPlaces<'_>,
    devices: &[DeviceInfo],
    checks: &[CheckRecord],
    left_out: &[LeftOutChecks],
) -> Markup {
    let mut matrices: BTreeMap<Option<&str>, DeviceMatrix> = BTreeMap::new();
    for check in checks {
        add(&mut matrices, places, &check.id, check.outcome.kind(), 1);
    }
    let ids: Vec<(CheckId, &LeftOutChecks)> = left_out.iter().map(|group| (id_of(group), group)).collect();
    for (id, group) in &ids {
        add(&mut matrices, places, id, group.outcome, group.checks.into());
    }

    // Devices in the order of the run, then those that it does not list, and the checks without one.
    let order = |id: Option<&str>| devices.iter().position(|device| Some(device.id.as_str()) == id);
    let mut matrices: Vec<(Option<&str>, DeviceMatrix)> = matrices.into_iter().collect();
    matrices.sort_by_key(|(id, _)| (order(*id).unwrap_or(usize::MAX), id.is_none()));
    html! {
        section id="matrix" {
            h2 { "Devices" }
            p.dim {
                "A line per target and compiler, and a tile per rule set that it follows, with its checks. Lines of ours have "
                "offsets that layoutproof wrote, so they test the device alone."
            }
            (cell_legend())
            @for (id, matrix) in &matrices {
                @let entries: Vec<&DeviceInfo> = devices.iter().filter(|device| Some(device.id.as_str()) == *id).collect();
                (device_matrix(*id, matrix, &entries))
            }
        }
    }
}

fn id_of(group: &LeftOutChecks) -> CheckId {
    let LeftOutChecks { rules, producer, device, .. } = group;
    CheckId { case: String::new(), rules: rules.clone(), producer: producer.clone(), device: device.clone() }
}

fn add<'a>(
    matrices: &mut BTreeMap<Option<&'a str>, DeviceMatrix>,
    places: &CheckPlaces<'_>,
    id: &'a CheckId,
    outcome: OutcomeKind,
    count: u64,
) {
    let check_place = CheckPlace { device: place(id.device.as_ref()), producer: id.producer.as_str() };
    let Some((rules, place)) = places.rules_number(id.rules.as_str()).zip(places.place_number(&check_place)) else {
        return;
    };
    let device = id.device.as_ref();
    let matrix = matrices.entry(device.map(|device| device.id.as_str())).or_default();
    let lines = matrix.entry(device.map(|device| device.runner)).or_default();
    let tile = lines.entry(id.title()).or_default().entry(CellPlace { rules, place }).or_default();
    if tile.name.is_empty() {
        tile.name = match &id.rules {
            CheckRules::Layout(name) => one_line(name),
            CheckRules::Bindings(_) => "bindings".to_owned(),
        };
    }
    tile.counts.add(outcome, count);
}

/// `entries` are the device in each API that lists it.
fn device_matrix(id: Option<&str>, matrix: &DeviceMatrix, entries: &[&DeviceInfo]) -> Markup {
    let name = match (entries.first(), id) {
        (Some(device), _) => one_line(&device.name),
        (None, Some(id)) => one_line(id),
        (None, None) => "Without a device".to_owned(),
    };
    html! {
        h3 { (name) }
        @for (runner, lines) in matrix {
            @let entry = entries.iter().find(|device| Some(device.runner) == *runner);
            div.scroll tabindex="0" role="region" aria-label=(format!("Targets and rule sets on {name}")) {
                table.matrix.tiles {
                    @if let Some(runner) = runner {
                        caption { "via " (runner.title()) @if let Some(device) = entry { " · " (driver_and_api(device)) } }
                    }
                    tbody {
                        @for (title, tiles) in lines {
                            tr {
                                th scope="row" { (one_line(title)) }
                                td { @for (place, tile) in tiles { (tile.counts.tile(&tile.name, *place)) " " } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `NVIDIA 580.159.04, Vulkan 1.4.312`.
pub(super) fn driver_and_api(device: &DeviceInfo) -> String {
    let parts = [&device.driver, &device.api].into_iter().filter(|part| !part.is_empty());
    one_line(&parts.map(String::as_str).collect::<Vec<_>>().join(", "))
}

pub(super) fn cell_legend() -> Markup {
    legend_of(&[
        (Sign::Agree, "agree"),
        (Sign::Wrong, "differ or broke"),
        (Sign::Known, "known bugs"),
        (Sign::Skipped, "skipped"),
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
            (self.of(&[OutcomeKind::Skipped]), "skipped"),
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
