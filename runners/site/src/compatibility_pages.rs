//! The compatibility pages: rule sets and compilers on each device, from the given records.

use std::collections::BTreeMap;

use layoutproof_device::DeviceInfo;
use layoutproof_layout::{Column, find};
use maud::{Markup, html};

use super::address::{GivenNames, link, slug};
use super::evidence_page::{EvidenceCell, EvidenceLinks, evidence_page};
use super::kept_runs::{KeptRun, SeenGroup, seen_groups, seen_on_section};
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use super::surprise_page::Surprise;
use super::surprise_page::surprise_table;
use layoutproof_events::CheckDevice;
use layoutproof_events::{CheckRecord, LeftOutChecks, RunHeader};
use layoutproof_readers::toolchain::{Toolchain, toolchains, translators};
use layoutproof_report::failure::cause::place;
use layoutproof_report::html::components::plain_code;
use layoutproof_report::html::outcome_matrix::OutcomeCell;
use layoutproof_report::html::outcome_matrix::{CheckPlace, CheckPlaces};
use layoutproof_show::style::{counted, one_line};

#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFile {
    /// Its name, without its folder.
    pub name: String,
    /// The date of the file's last change, in UTC: `2026-11-23`. Records do not store a time.
    pub written: Option<String>,
    pub runs: Vec<RunHeader>,
}

/// The records that the site shows; empty without files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteRecords {
    pub files: Vec<RecordedFile>,
    /// The devices, one entry per API that lists them.
    pub devices: Vec<DeviceInfo>,
    /// The checks of all files.
    pub checks: Vec<CheckRecord>,
    /// Totals of checks that the files leave out.
    pub left_out: Vec<LeftOutChecks>,
    /// Sentences about devices and tools that differ between the files, and about interrupted runs.
    pub notes: Vec<String>,
}

/// A cell of a device's table: a rule set and a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CellKey<'a> {
    rules: &'a str,
    producer: &'a str,
}

struct DeviceTable<'a> {
    /// `lavapipe via Vulkan`.
    name: String,
    path: String,
    producers: Vec<&'a str>,
    cells: BTreeMap<CellKey<'a>, EvidenceCell<'a>>,
}

/// The first page, a page for each device, and a page for each cell.
pub(super) fn compatibility_pages(
    records: &SiteRecords,
    surprises: &[Surprise],
    kept_runs: &[KeptRun],
    links: EvidenceLinks<'_>,
    navigation: SiteNavigation,
) -> Vec<SiteDraft> {
    let path = SiteSection::Compatibility.first_page();
    let table = surprise_table(path, surprises);
    let groups = seen_groups(kept_runs);
    let seen = html! {
        (seen_on_section(path, &groups, links))
        @if navigation.has_explorer {
            p.actions { a.button href=(link(path, SiteSection::Gpu.first_page())) { "Run on this GPU" } }
        }
    };
    if records.files.is_empty() {
        let content = html! { (table) (seen) (without_records()) };
        return vec![first_page(content, &html! {}, &groups)];
    }

    let places = CheckPlaces::of(&records.checks, &records.left_out);
    let tables = device_tables(records, &places);
    let notes = html! { @for note in &records.notes { p.note { (one_line(note)) } } };
    let content = html! { (table) (seen) (overview(records, &tables)) };
    let mut pages = vec![first_page(content, &notes, &groups)];
    for table in &tables {
        pages.push(device_page(table, records, &places.rules));
        for (key, cell) in &table.cells {
            let title = format!("{}, {}", producer_title(key.producer), key.rules);
            let page = evidence_page(&title, cell, links);
            pages.push(page.below(&table.path, &table.title(records)));
        }
    }
    pages
}

/// The page with the table of surprises, followed by what devices did. The search finds each device that was seen.
fn first_page(content: Markup, notes: &Markup, seen: &[SeenGroup<'_>]) -> SiteDraft {
    let path = SiteSection::Compatibility.first_page();
    let intro = html! {
        p.lead {
            "The same declaration on every target. A number is the byte at which the member is; a row links to the declaration "
            "with all its members."
        }
        (notes)
    };
    let draft = SiteFrame { path, section: SiteSection::Compatibility, title: "Compatibility", intro, content }
        .found_by("D3D12 Vulkan WebGPU Metal GLSL DXC Slang devices records");
    seen.iter().fold(draft, |draft, group| draft.with_place(&group.anchor(), group.name, &group.words()))
}

fn without_records() -> Markup {
    html! {
        section id="devices" {
            h2 { "On devices" }
            p {
                "This site was made without records of runs, so it does not show which compiler follows which rule set on which "
                "device. To add this, record a run on each machine and build the site from the files:"
            }
            (plain_code(
                "shell",
                "layoutproof run --compiler all --json records.jsonl\nlayoutproof report records.jsonl --site DIR",
            ))
        }
    }
}

fn device_tables<'a>(records: &'a SiteRecords, places: &CheckPlaces<'a>) -> Vec<DeviceTable<'a>> {
    let mut names = GivenNames::default();
    let mut tables: Vec<DeviceTable<'a>> = Vec::new();
    for CheckPlace { device, producer } in &places.places {
        if let Some(table) = tables.iter_mut().find(|table| table.name == *device) {
            table.producers.push(producer);
        } else {
            let folder = names.give(&format!("compatibility/on-{}", slug(device)));
            let (path, cells) = (format!("{folder}.html"), BTreeMap::new());
            tables.push(DeviceTable { name: device.clone(), path, producers: vec![producer], cells });
        }
    }

    for check in &records.checks {
        let key = CellKey { rules: check.id.rules.as_str(), producer: check.id.producer.as_str() };
        if let Some(cell) = cell(&mut tables, &CheckPlace::of(check).device, key) {
            cell.counts.add(check.outcome.kind(), 1);
            cell.checks.push(check);
        }
    }
    for group in &records.left_out {
        let key = CellKey { rules: group.rules.as_str(), producer: group.producer.as_str() };
        if let Some(cell) = cell(&mut tables, &place(group.device.as_ref()), key) {
            cell.counts.add(group.outcome, group.checks.into());
            cell.left_out += u64::from(group.checks);
        }
    }
    name_cells(&mut tables, &mut names);
    tables
}

fn cell<'t, 'a>(tables: &'t mut [DeviceTable<'a>], device: &str, key: CellKey<'a>) -> Option<&'t mut EvidenceCell<'a>> {
    let table = tables.iter_mut().find(|table| table.name == device)?;
    Some(table.cells.entry(key).or_default())
}

fn name_cells(tables: &mut [DeviceTable<'_>], names: &mut GivenNames) {
    for table in tables {
        let folder = table.path.trim_end_matches(".html").to_owned();
        for (key, cell) in &mut table.cells {
            let name = names.give(&format!("{folder}/{}-{}", slug(key.rules), slug(key.producer)));
            cell.path = format!("{name}.html");
        }
    }
}

/// The devices with their results, and the records that these come from.
fn overview(records: &SiteRecords, tables: &[DeviceTable<'_>]) -> Markup {
    let path = SiteSection::Compatibility.first_page();
    html! {
        section id="devices" {
            h2 { "On devices" }
            p {
                (counted(records.checks.len() as u64, "check")) " from " (counted(records.files.len() as u64, "file"))
                " of records. Each device has a page with its checks by compiler and rule set."
            }
            div.scroll tabindex="0" role="region" aria-label="Devices" {
                table.words.devices {
                    thead {
                        tr {
                            @for head in ["device", "checks", "driver", "API"] { th scope="col" { (head) } }
                        }
                    }
                    tbody { @for table in tables { (device_row(path, table, records)) } @for device in unused(records, tables) { (device) } }
                }
            }
        }
        (file_table(records))
    }
}

fn device_row(path: &str, table: &DeviceTable<'_>, records: &SiteRecords) -> Markup {
    let device = table.device(records);
    let mut all = OutcomeCell::default();
    for cell in table.cells.values() {
        all.add_all(&cell.counts);
    }
    html! {
        tr {
            th scope="row" { a href=(link(path, &table.path)) { (table.title(records)) } }
            td { (all.badges()) }
            @match device {
                Some(device) => { td { (one_line(&device.driver)) } td { (one_line(&device.api)) } },
                None => { td { "–" } td { "–" } },
            }
        }
    }
}

/// Rows of devices without checks.
fn unused<'a>(records: &'a SiteRecords, tables: &'a [DeviceTable<'_>]) -> impl Iterator<Item = Markup> + 'a {
    let has_table = |device: &&DeviceInfo| {
        let name = CheckDevice::from(*device).to_string();
        tables.iter().any(|table| table.name == name)
    };
    records.devices.iter().filter(move |device| !has_table(device)).map(|device| {
        html! {
            tr {
                th scope="row" { (one_line(&device.name)) }
                td { "no checks" }
                td { (one_line(&device.driver)) }
                td { (one_line(&device.api)) }
            }
        }
    })
}

impl DeviceTable<'_> {
    fn device<'r>(&self, records: &'r SiteRecords) -> Option<&'r DeviceInfo> {
        records.devices.iter().find(|device| CheckDevice::from(*device).to_string() == self.name)
    }

    /// The device's name and its API: `NVIDIA H200 · Vulkan`.
    fn title(&self, records: &SiteRecords) -> String {
        match self.device(records) {
            Some(device) => one_line(&format!("{} · {}", device.name, device.runner.title())),
            None => one_line(&self.name),
        }
    }
}

/// The column of a compiler's output, the translator, or the library with which layoutproof writes a shader itself.
fn producer_title(producer: &str) -> String {
    if translators().iter().any(|translator| translator.name == producer) {
        return format!("through {producer}");
    }
    let toolchain = toolchains().iter().find(|toolchain| toolchain.name == producer);
    let column = toolchain.and_then(Toolchain::column);
    column.map_or_else(|| format!("our shaders ({})", one_line(producer)), |column| column.to_string())
}

fn file_table(records: &SiteRecords) -> Markup {
    html! {
        section id="files" {
            h2 { "Records and their versions" }
            @for file in &records.files {
                details {
                    summary {
                        (one_line(&file.name))
                        span.dim {
                            @match &file.written { Some(day) => { " · last written on " (one_line(day)) }, None => { " · its date is unknown" } }
                            @for run in &file.runs { " · layoutproof " (one_line(&run.layoutproof)) ", " (counted(run.cases.into(), "case")) }
                        }
                    }
                    @for run in &file.runs {
                        div.scroll tabindex="0" {
                            table.words {
                                thead { tr { th scope="col" { "tool" } th scope="col" { "version" } } }
                                tbody {
                                    @for (tool, version) in &run.tools { tr { th scope="row" { (one_line(tool)) } td { (one_line(&version.to_string())) } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The signs in the badges of a device's page.
const SIGNS: [(&str, &str, &str); 4] =
    [("agree", "12", "agree"), ("known", "~3", "known bugs"), ("differ", "≠1", "differ"), ("skipped", "·2", "skipped")];

/// A legend of badges: class, text and meaning of each.
pub(super) fn badge_legend(signs: &[(&str, &str, &str)]) -> Markup {
    html! {
        ul.legend { @for (class, sign, words) in signs { li { span class=(format!("badge {class}")) { (sign) } (words) } } }
    }
}

/// The page of a device: for each compiler the rule sets with their checks.
fn device_page(table: &DeviceTable<'_>, records: &SiteRecords, rules: &[&str]) -> SiteDraft {
    let path = table.path.as_str();
    let content = html! {
        section id="checks" {
            h2 { "Checks by compiler" }
            (badge_legend(&SIGNS))
            dl.by-compiler {
                @for producer in &table.producers {
                    dt { (producer_title(producer)) }
                    dd {
                        ul.chips {
                            @for rules in rules {
                                @if let Some(cell) = table.cells.get(&CellKey { rules, producer }) {
                                    li { a.chip.cell href=(link(path, &cell.path)) { (rules_title(rules)) " " (cell.counts.badges()) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    };

    let title = table.title(records);
    let intro = html! {
        @match table.device(records) {
            Some(device) => { p.lead { (one_line(&device.driver)) ", " (one_line(&device.api)) } },
            None => { p.lead { "Checks that used no device, such as those of bindings." } },
        }
    };
    SiteFrame { path, section: SiteSection::Compatibility, title: &title, intro, content }.into_draft()
}

/// A rule set, or the column whose bindings are checked.
fn rules_title(rules: &str) -> Markup {
    match Column::parse(rules).ok().filter(|_| find(rules).is_none()) {
        Some(column) => html! { "bindings of " (column) },
        None => html! { code { (one_line(rules)) } },
    }
}
