//! The compatibility pages: rule sets and compilers on each device, from the given records.

use std::collections::BTreeMap;

use layoutproof_device::DeviceInfo;
use layoutproof_layout::find;
use maud::{Markup, html};

use super::address::{GivenNames, link, rule_link, slug};
use super::evidence_page::{EvidenceCell, EvidenceLinks, evidence_page};
use super::kept_runs::{KeptRun, seen_on_section};
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use layoutproof_core::check::CheckDevice;
use layoutproof_core::results::record::{CheckRecord, LeftOutChecks, RunHeader};
use layoutproof_report::failure::group::place;
use layoutproof_report::html::outcome_cell::{CellLink, OutcomeCell};
use layoutproof_report::html::outcome_matrix::{CheckPlace, CheckPlaces, MatrixLine, RuleMatrix};
use layoutproof_show::style::{counted, one_line};

/// A records file.
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

/// All checks of a device.
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
    kept_runs: &[KeptRun],
    links: EvidenceLinks<'_>,
) -> Vec<SiteDraft> {
    if records.files.is_empty() {
        return vec![page_without_records(kept_runs)];
    }

    let places = CheckPlaces::of(&records.checks, &records.left_out);
    let tables = device_tables(records, &places);
    let mut pages = vec![overview(records, kept_runs, &tables, &places.rules)];
    for table in &tables {
        pages.push(device_page(table, records, &places.rules));
        for (key, cell) in &table.cells {
            let title = format!("{} · {} · {}", key.rules, key.producer, table.name);
            pages.push(evidence_page(&title, cell, links));
        }
    }
    pages
}

fn page_without_records(kept_runs: &[KeptRun]) -> SiteDraft {
    let path = SiteSection::Compatibility.first_page();

    let content = html! {
        (seen_on_section(kept_runs))
        section {
            h2 { "No records" }
            p {
                "This site was made without records of runs, so it does not show which compiler follows which rule set on which "
                "device. To add this, record a run on each machine and build the site from the files:"
            }
            pre tabindex="0" {
                code {
                    "layoutproof run --compiler all --json records.jsonl\n"
                    "layoutproof report records.jsonl --site DIR"
                }
            }
            p { "Known differences are on the pages of the " a href="../compilers/index.html" { "compilers" } "." }
        }
    };
    SiteFrame { path, section: SiteSection::Compatibility, title: "Compatibility", intro: html! {}, content }
        .into_draft()
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

fn overview(records: &SiteRecords, kept_runs: &[KeptRun], tables: &[DeviceTable<'_>], rules: &[&str]) -> SiteDraft {
    let path = SiteSection::Compatibility.first_page();
    let head = html! {
        tr {
            th scope="col" { "rule set" }
            @for table in tables { th scope="col" { a href=(link(path, &table.path)) { (one_line(&table.name)) } } }
        }
    };
    let line = |rules: &&str| MatrixLine {
        rules: rules_name(path, rules),
        cells: html! {
            @for table in tables {
                (table.all_of(rules).draw(CellLink { address: &link(path, &table.path), filter: None }))
            }
        },
    };
    let matrix = RuleMatrix { columns: "devices", head, lines: rules.iter().map(line).collect() };

    let content = html! {
        (matrix.section())
        (seen_on_section(kept_runs))
        (device_facts(path, records, tables))
        (file_table(records))
    };

    let intro = html! {
        p.legend {
            (counted(records.checks.len() as u64, "check")) " from " (counted(records.files.len() as u64, "file"))
            " of records. A cell links to its checks."
        }
        @for note in &records.notes { p.note { (one_line(note)) } }
    };
    SiteFrame { path, section: SiteSection::Compatibility, title: "Compatibility", intro, content }.into_draft()
}

impl DeviceTable<'_> {
    /// The checks of all producers.
    fn all_of(&self, rules: &str) -> OutcomeCell {
        let mut sum = OutcomeCell::default();
        for (_, cell) in self.cells.iter().filter(|(key, _)| key.rules == rules) {
            sum.add_all(&cell.counts);
        }
        sum
    }

    fn cell(&self, path: &str, key: CellKey<'_>) -> Markup {
        let found = self.cells.iter().find(|(own, _)| **own == key).map(|(_, cell)| cell);
        let address = found.map_or_else(String::new, |cell| link(path, &cell.path));
        let counts = found.map(|cell| cell.counts.clone()).unwrap_or_default();
        counts.draw(CellLink { address: &address, filter: None })
    }
}

/// The name of a rule set, linked to its page if it has one.
fn rules_name(path: &str, rules: &str) -> Markup {
    if find(rules).is_some() {
        rule_link(path, rules)
    } else {
        html! { (one_line(rules)) }
    }
}

fn device_facts(path: &str, records: &SiteRecords, tables: &[DeviceTable<'_>]) -> Markup {
    html! {
        section id="devices" {
            h2 { "Devices" }
            div.scroll tabindex="0" {
                table.words {
                    thead { tr { @for head in ["device", "name", "driver", "API"] { th scope="col" { (head) } } } }
                    tbody {
                        @for device in &records.devices {
                            @let name = CheckDevice::from(device).to_string();
                            @let table = tables.iter().find(|table| table.name == name);
                            tr {
                                th scope="row" {
                                    @match table {
                                        Some(table) => { a href=(link(path, &table.path)) { (one_line(&name)) } },
                                        None => { (one_line(&name)) " (no checks)" },
                                    }
                                }
                                td { (one_line(&device.name)) }
                                td { (one_line(&device.driver)) }
                                td { (one_line(&device.api)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn file_table(records: &SiteRecords) -> Markup {
    html! {
        section id="files" {
            h2 { "Records and their versions" }
            @for file in &records.files {
                h3 { (one_line(&file.name)) }
                p {
                    @match &file.written { Some(day) => { "Last written on " (one_line(day)) "." }, None => { "Its date is unknown." } }
                }
                @for run in &file.runs {
                    p { "layoutproof " (one_line(&run.layoutproof)) ", " (counted(run.cases.into(), "case")) "." }
                    div.scroll tabindex="0" {
                        table.words {
                            thead { tr { th scope="col" { "tool" } th scope="col" { "version" } } }
                            tbody {
                                @for (tool, version) in &run.tools { tr { th scope="row" { (one_line(tool)) } td { (one_line(version)) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn device_page(table: &DeviceTable<'_>, records: &SiteRecords, rules: &[&str]) -> SiteDraft {
    let path = table.path.as_str();
    let own_rules = rules.iter().filter(|rules| table.cells.keys().any(|key| key.rules == **rules));
    let head = html! {
        tr {
            th scope="col" { "rule set" }
            @for producer in &table.producers { th scope="col" { (one_line(producer)) } }
        }
    };
    let line = |rules: &&str| MatrixLine {
        rules: rules_name(path, rules),
        cells: html! { @for producer in &table.producers { (table.cell(path, CellKey { rules, producer })) } },
    };
    let content = RuleMatrix { columns: "compilers", head, lines: own_rules.map(line).collect() }.section();
    let device = records.devices.iter().find(|device| CheckDevice::from(*device).to_string() == table.name);

    let intro = html! {
        @match device {
            Some(device) => { p { (one_line(&device.name)) ", " (one_line(&device.driver)) ", " (one_line(&device.api)) "." } },
            None => { p { "Checks that used no device, such as those of bindings." } },
        }
    };
    SiteFrame { path, section: SiteSection::Compatibility, title: &table.name, intro, content }.into_draft()
}
