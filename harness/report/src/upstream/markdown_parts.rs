//! Parts that both texts for compiler authors share.

use super::difference_row::DifferenceRow;
use layoutproof_core::results::coverage::word;
use layoutproof_show::style::TextLines;

/// Headings of the report's columns.
const WITNESSES: [&str; 5] = ["expected", "computed", "reported", "compiled", "observed"];

/// Rows with a disagreement come first and are marked; a witness without any number has no column.
pub(super) fn numbers_table(rows: &[DifferenceRow], text: &mut TextLines) {
    let speaks = |at: &usize| rows.iter().any(|row| row.numbers()[*at].is_some());
    let shown: Vec<usize> = (0..WITNESSES.len()).filter(speaks).collect();
    let heads: Vec<&str> = shown.iter().map(|at| WITNESSES[*at]).collect();
    text.push(&format!("| path | what | {} | |", heads.join(" | ")));
    text.push(&format!("|---|---|{}---|", "---:|".repeat(heads.len())));
    let (differing, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.differs());
    for row in differing.into_iter().chain(others) {
        let cell = |at: &usize| row.numbers()[*at].map_or_else(|| "-".to_owned(), |number| number.to_string());
        let cells: Vec<String> = shown.iter().map(cell).collect();
        let mark = if row.differs() { "differs" } else { "" };
        text.push(&format!("| `{}` | {} | {} | {mark} |", row.path, word(&row.what), cells.join(" | ")));
    }
}
