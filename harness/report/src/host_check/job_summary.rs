//! The summary of a job on GitHub, which shows it on the page of the workflow's run.

use layoutproof_hostcheck::{LinePlace, Mismatch};
use layoutproof_show::style::one_line;

use super::HostCheck;
use super::findings::{Finding, also_of_pairs, differing_findings};
use super::headline::headline;
use super::other_layouts::layout_advice;

/// Most rows of the table.
const MOST_ROWS: usize = 50;

/// The headline, and the differences of each finding, as Markdown.
pub fn job_summary(check: &HostCheck) -> String {
    let headline = format!("**layoutproof check:** {}\n", cell(&headline(check)));
    let rows: Vec<String> = differing_findings(check).iter().flat_map(|finding| rows(check, finding)).collect();
    if rows.is_empty() {
        return headline;
    }
    let more = match rows.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("\nand {more} more\n"),
    };
    let columns = "| block | host struct | difference | fix |\n|---|---|---|---|\n";
    let advice = layout_advice(check).into_iter().map(|advice| format!("\n{}\n", cell(&advice)));
    let shown = rows[..rows.len().min(MOST_ROWS)].concat();
    format!("{headline}{}\n{columns}{shown}{more}", advice.collect::<String>())
}

/// A row for each member that differs.
fn rows(check: &HostCheck, finding: &Finding) -> Vec<String> {
    let pair = &check.pairs[finding.first()];
    let also = also_of_pairs(check, finding).map_or_else(String::new, |also| format!(", also {also}"));
    let block = format!("{} of {}{also}", pair.shader_name(), pair.shader);
    let row = |place: Option<&LinePlace>, difference: String, fix: String| {
        let place = place.map_or_else(|| pair.host_file.clone(), ToString::to_string);
        let cells = [block.clone(), format!("{} ({place})", pair.host), difference, fix].map(|text| cell(&text));
        format!("| {} |\n", cells.join(" | "))
    };
    let mismatches = pair.mismatches();
    if mismatches.is_empty() {
        return vec![row(None, "a device reads another member".to_owned(), String::new())];
    }
    let of_member = |found: &&Mismatch| row(found.host_at.as_ref(), found.with_followers(), found.hint());
    mismatches.iter().map(of_member).collect()
}

/// Foreign text in a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}
