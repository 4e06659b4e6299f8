//! The table at the end of a run: one line per device with the outcomes of its checks.

use std::collections::BTreeMap;

use layoutproof_device::{DeviceInfo, RunnerKind};

use layoutproof_events::CheckDevice;
use layoutproof_events::summary::{add, add_left_out};
use layoutproof_events::{CheckRecord, LeftOutChecks, RunEnd};
use layoutproof_show::style::{Style, TextLines, Tone, grouped, one_line, pad, pad_left, width};

const NUMBER_COLUMNS: usize = 9;
/// Heading of the line for checks that need no device.
const NO_DEVICE: &str = "no device";

/// A column: its heading, the function that computes its number, and whether to leave it out if all
/// numbers are 0.
struct TableColumn {
    head: &'static str,
    number: fn(&RunEnd) -> u32,
    is_optional: bool,
}

const COLUMNS: [TableColumn; 8] = [
    TableColumn { head: "agree", number: |end| end.agree, is_optional: false },
    TableColumn { head: "differ", number: |end| end.differ, is_optional: false },
    TableColumn { head: "stale", number: |end| end.stale, is_optional: true },
    TableColumn { head: "broken", number: |end| end.broken, is_optional: true },
    TableColumn { head: "known", number: |end| end.known, is_optional: false },
    TableColumn { head: "n/a", number: |end| end.not_applicable, is_optional: false },
    TableColumn {
        head: "skipped",
        number: |end| end.skipped - end.not_applicable.min(end.skipped),
        is_optional: false,
    },
    TableColumn { head: "leaves", number: |end| end.leaves, is_optional: false },
];

/// One device through all its APIs.
struct TableRow<'a> {
    id: &'a str,
    end: RunEnd,
    /// Time of its checks, in milliseconds.
    ms: u64,
    detail: String,
}

/// The table, in the order of `devices`.
pub(crate) fn run_table(
    devices: &[DeviceInfo],
    checks: &[CheckRecord],
    left_out: &[LeftOutChecks],
    style: Style,
) -> String {
    let rows = rows(devices, checks, left_out);
    let is_shown = |column: &&TableColumn| !column.is_optional || rows.iter().any(|row| (column.number)(&row.end) > 0);
    let columns: Vec<&TableColumn> = COLUMNS.iter().filter(is_shown).collect();
    let names = rows.iter().map(|row| width(row.id)).max().unwrap_or(0);

    let heads: String = columns.iter().map(|column| pad_left(column.head, NUMBER_COLUMNS)).collect();
    let mut text = TextLines::default();
    let heads = format!("  {}{heads}{}", pad("", names), pad_left("seconds", NUMBER_COLUMNS));
    text.push(&style.paint(Tone::Strong, &heads));

    for row in &rows {
        let numbers: String = columns.iter().map(|column| cell((column.number)(&row.end))).collect();
        let seconds = pad_left(&tenths(row.ms), NUMBER_COLUMNS);
        let detail = style.paint(Tone::Dim, &row.detail);
        text.push(&format!("  {}{numbers}{seconds}   {detail}", pad(&one_line(row.id), names)));
    }
    text.into_text()
}

fn rows<'a>(devices: &'a [DeviceInfo], checks: &'a [CheckRecord], left_out: &'a [LeftOutChecks]) -> Vec<TableRow<'a>> {
    let mut ends: BTreeMap<&str, TableRow<'_>> = BTreeMap::new();
    for check in checks {
        let row = row_of(&mut ends, devices, check.id.device.as_ref());
        add(&mut row.end, check);
        row.ms = row.ms.saturating_add(check.ms);
    }
    for group in left_out {
        let row = row_of(&mut ends, devices, group.device.as_ref());
        add_left_out(&mut row.end, group);
        row.ms = row.ms.saturating_add(group.ms);
    }

    let mut rows: Vec<TableRow<'_>> = devices.iter().filter_map(|device| ends.remove(device.id.as_str())).collect();
    rows.extend(ends.into_values());
    rows
}

/// The row of a device under the name that checks use.
fn row_of<'a, 'r>(
    rows: &'r mut BTreeMap<&'a str, TableRow<'a>>,
    devices: &'a [DeviceInfo],
    device: Option<&'a CheckDevice>,
) -> &'r mut TableRow<'a> {
    let id = device.map_or(NO_DEVICE, |device| device.id.as_str());
    rows.entry(id).or_insert_with(|| TableRow {
        id,
        end: RunEnd::default(),
        ms: 0,
        detail: detail(devices.iter().filter(|device| device.id == id)),
    })
}

/// `llvmpipe Mesa 22.3.6, Vulkan 1.3.230, via Vulkan, wgpu`.
fn detail<'a>(entries: impl Iterator<Item = &'a DeviceInfo>) -> String {
    let entries: Vec<&DeviceInfo> = entries.collect();
    let Some(first) = entries.first() else { return String::new() };
    let driver = if first.driver.is_empty() { &first.name } else { &first.driver };
    let runners: Vec<&str> = entries.iter().map(|device| device.runner.title()).collect();
    let via = if first.runner == RunnerKind::Model { String::new() } else { format!("via {}", runners.join(", ")) };
    let parts = [short(driver), short(&first.api), via];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The text without parts in brackets or after a comma: `-v` shows those details.
fn short(text: &str) -> String {
    let (mut depth, mut kept) = (0_u32, String::new());
    for letter in text.split(',').next().unwrap_or(text).chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    one_line(&kept.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn cell(number: u32) -> String {
    let text = if number == 0 { "-".to_owned() } else { grouped(number.into()) };
    pad_left(&text, NUMBER_COLUMNS)
}

/// Milliseconds as seconds with one decimal.
fn tenths(ms: u64) -> String {
    format!("{}.{}", grouped(ms / 1_000), ms % 1_000 / 100)
}
