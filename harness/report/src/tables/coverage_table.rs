//! The coverage table of the cases: for each rule set, which kinds of members follow which, and
//! through which accesses they are read.
//!
//! Plain data in, text out.

use std::collections::BTreeMap;

use layoutproof_core::results::coverage::{CoverageCell, CoverageCells, word};
use layoutproof_probes::Stage;
use layoutproof_probes::leaf_kind::{After, MemberFamily};
use layoutproof_show::style::{Style, TextLines, Tone, grouped, pad, pad_left, width};

const NUMBER_COLUMNS: usize = 9;

/// One table per rule set, in the order of `rules`. Rule sets without coverage are left out.
pub fn coverage_table(cells: &CoverageCells, rules: &[&str], style: Style) -> String {
    let mut text = TextLines::default();
    for name in rules {
        let of_rules: Vec<(&CoverageCell, u32)> =
            cells.iter().filter(|(cell, _)| cell.rules == **name).map(|(cell, leaves)| (cell, *leaves)).collect();
        if !of_rules.is_empty() {
            rule_set(name, &of_rules, &mut text, style);
        }
    }
    text.into_text()
}

fn rule_set(name: &str, cells: &[(&CoverageCell, u32)], text: &mut TextLines, style: Style) {
    let leaves: u64 = cells.iter().map(|(_, leaves)| u64::from(*leaves)).sum();
    let title = style.paint(Tone::Strong, name);
    text.push(&format!("  {title}  {} leaves in {} cells", grouped(leaves), grouped(cells.len() as u64)));
    let types = cells.iter().map(|(cell, leaves)| {
        let ty = MemberFamily::of(&cell.ty).as_str().to_owned();
        ((ty, cell.after.as_str().to_owned()), u64::from(*leaves))
    });
    table("type, after a", types, text);

    let accesses = cells.iter().map(|(cell, leaves)| {
        let stage = match cell.stage {
            Stage::Compute => String::new(),
            stage => format!("{} ", stage.as_str()),
        };
        let access = format!("{} {stage}{} ({})", word(&cell.space), word(&cell.direction), word(&cell.proves));
        ((access, word(&cell.form)), u64::from(*leaves))
    });
    table("access, in form", accesses, text);
    text.push("");
}

/// Leaves by row and column.
fn table(corner: &str, cells: impl Iterator<Item = ((String, String), u64)>, text: &mut TextLines) {
    let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (cell, leaves) in cells {
        *sums.entry(cell).or_default() += leaves;
    }

    let mut rows: Vec<&String> = sums.keys().map(|(row, _)| row).collect();
    rows.dedup();
    let mut columns: Vec<&String> = sums.keys().map(|(_, column)| column).collect();
    columns.sort_by_key(|column| (After::ALL.iter().position(|after| after.as_str() == **column), (*column).clone()));
    columns.dedup();

    let first = rows.iter().map(|row| width(row)).chain([width(corner)]).max().unwrap_or(0);
    // A long heading widens its column, so that two headings never touch.
    let number_columns = |column: &str| NUMBER_COLUMNS.max(width(column) + 1);
    let heads: String = columns.iter().map(|column| pad_left(column, number_columns(column))).collect();
    text.push(&format!("    {}{heads}", pad(corner, first)));

    for row in rows {
        let numbers = columns.iter().map(|column| {
            let sum = sums.get(&(row.clone(), (*column).clone())).copied().map_or_else(|| "-".to_owned(), grouped);
            pad_left(&sum, number_columns(column))
        });
        text.push(&format!("    {}{}", pad(row, first), numbers.collect::<String>()));
    }
}
