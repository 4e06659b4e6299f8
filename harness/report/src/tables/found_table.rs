//! The table of offsets at which devices found each member of a user's file, for checks that agree.
//!
//! A row is a member, a column a rule set; rule sets with the same offsets share a column. A
//! member's offset is that of its first leaf. Checks that differ are left out, because their
//! failure block shows more.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{BlockLayout, Quantity, join, without_indices};

use layoutproof_events::{CheckRecord, OutcomeKind, RecordValue};
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};

/// The blocks of a user's file under one rule set.
#[derive(Clone, Copy, Debug)]
pub struct FileLayout<'a> {
    /// Name of the file, as in the records.
    pub file: &'a str,
    pub rules: &'a str,
    pub blocks: &'a [BlockLayout],
}

const TERMINAL_COLUMNS: usize = 80;
/// Greatest width of member names if there are many columns of numbers.
const NAME_COLUMNS: usize = 36;

/// The table for each file; empty if no device found any member.
pub fn found_table(layouts: &[FileLayout<'_>], records: &[CheckRecord], style: Style) -> String {
    let mut files: Vec<&str> = Vec::new();
    for layout in layouts {
        if !files.contains(&layout.file) {
            files.push(layout.file);
        }
    }

    let mut text = TextLines::default();
    for file in files {
        let agreeing: Vec<&CheckRecord> = records
            .iter()
            .filter(|record| {
                record.id.case == file && matches!(record.outcome.kind(), OutcomeKind::Agree | OutcomeKind::Known)
            })
            .collect();
        let own = layouts.iter().filter(|layout| layout.file == file);
        let found: Vec<FoundColumn<'_>> = merged(own.map(|layout| FoundColumn::of(layout, &agreeing)));
        if !found.is_empty() {
            one_file(file, &found, &agreeing, style, &mut text);
        }
    }
    text.into_text()
}

/// The offsets that several rule sets share.
struct FoundColumn<'a> {
    rules: Vec<&'a str>,
    /// Members with their offsets in bytes, in the order of the layout.
    members: Vec<FoundMember>,
}

#[derive(PartialEq)]
struct FoundMember {
    path: String,
    offset: u32,
}

impl<'a> FoundColumn<'a> {
    fn of(layout: &FileLayout<'a>, records: &[&CheckRecord]) -> Self {
        let mut first: BTreeMap<String, u32> = BTreeMap::new();
        for row in
            records.iter().filter(|record| record.id.rules.as_str() == layout.rules).flat_map(|record| &record.rows)
        {
            let (Quantity::Offset, Some(RecordValue::Number(offset))) = (row.what, &row.witnesses.observed) else {
                continue;
            };
            let path = member_path(&row.path);
            let known = first.entry(path).or_insert(*offset);
            *known = (*known).min(*offset);
        }

        let mut members = Vec::new();
        for block in layout.blocks {
            for row in block.rows() {
                let path = member_path(&join(&block.name, &row.path));
                // The leaves of a vector are its components; those of a struct are its members'
                // leaves.
                let inside = format!("{path}.");
                let leaves = first.iter().filter(|(leaf, _)| **leaf == path || leaf.starts_with(&inside));
                if let Some(offset) = leaves.map(|(_, offset)| *offset).min() {
                    members.push(FoundMember { path, offset });
                }
            }
        }
        Self { rules: vec![layout.rules], members }
    }

    fn columns(&self) -> usize {
        self.rules.iter().map(|rules| width(rules)).max().unwrap_or(0).max(6) + 2
    }
}

/// A path without subscripts: the first element counts for all.
fn member_path(path: &str) -> String {
    without_indices(path).replace("[]", "")
}

/// Merges columns with equal offsets and drops columns without members.
fn merged<'a>(columns: impl Iterator<Item = FoundColumn<'a>>) -> Vec<FoundColumn<'a>> {
    let mut merged: Vec<FoundColumn<'a>> = Vec::new();
    for column in columns.filter(|column| !column.members.is_empty()) {
        match merged.iter_mut().find(|known| known.members == column.members) {
            Some(known) => known.rules.extend(column.rules),
            None => merged.push(column),
        }
    }
    merged
}

fn one_file(file: &str, columns: &[FoundColumn<'_>], records: &[&CheckRecord], style: Style, text: &mut TextLines) {
    let places: BTreeSet<String> =
        records.iter().filter_map(|record| record.id.device.as_ref().map(ToString::to_string)).collect();
    let places: Vec<String> = places.into_iter().map(|place| one_line(&place)).collect();
    text.push(&format!("{} {}, by {}", style.verb(Tone::Strong, "Found"), one_line(file), places.join(", ")));

    let mut paths: Vec<&str> = Vec::new();
    for member in columns.iter().flat_map(|column| &column.members) {
        if !paths.contains(&member.path.as_str()) {
            paths.push(&member.path);
        }
    }
    let name_columns = paths.iter().map(|path| width(path)).max().unwrap_or(0) + 2;
    for chunk in chunks(columns, TERMINAL_COLUMNS - name_columns.min(NAME_COLUMNS)) {
        table(&paths, name_columns, &chunk, style, text);
        text.push("");
    }
}

fn table(paths: &[&str], name_columns: usize, columns: &[&FoundColumn<'_>], style: Style, text: &mut TextLines) {
    let head_lines = columns.iter().map(|column| column.rules.len()).max().unwrap_or(0);
    for line in 0..head_lines {
        let name = |column: &&FoundColumn<'_>| {
            let index = (column.rules.len() + line).checked_sub(head_lines);
            pad_left(index.map_or("", |index| column.rules[index]), column.columns())
        };
        let label = if line + 1 == head_lines { "  offset in bytes" } else { "" };
        let names: String = columns.iter().map(name).collect();
        text.push(&style.paint(Tone::Strong, &format!("{}{names}", pad(label, name_columns))));
    }

    for path in paths {
        let offset = |column: &&FoundColumn<'_>| {
            let found = column.members.iter().find(|member| member.path == **path);
            pad_left(&found.map_or_else(|| style.dot().to_owned(), |found| found.offset.to_string()), column.columns())
        };
        let numbers: String = columns.iter().map(offset).collect();
        text.push(&format!("{}{numbers}", pad(&format!("  {}", one_line(path)), name_columns)));
    }
}

/// Splits the columns into tables that fit on the screen next to the names.
fn chunks<'t, 'a>(columns: &'t [FoundColumn<'a>], room: usize) -> Vec<Vec<&'t FoundColumn<'a>>> {
    let mut chunks: Vec<Vec<&FoundColumn<'a>>> = Vec::new();
    let mut used = 0;
    for column in columns {
        match chunks.last_mut() {
            Some(chunk) if used + column.columns() <= room => {
                used += column.columns();
                chunk.push(column);
            }
            Some(_) | None => {
                used = column.columns();
                chunks.push(vec![column]);
            }
        }
    }
    chunks
}
