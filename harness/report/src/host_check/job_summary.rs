//! The summary of a job on GitHub, which shows it on the page of the workflow's run.

use layoutproof_show::style::one_line;

use super::HostCheck;
use super::findings::{Finding, also_of_pairs, differing_findings};
use super::headline::headline;
use super::other_layouts::layout_advice;

/// Most differences in the table.
const MOST_ROWS: usize = 50;

/// The headline, and the first difference of each finding, as Markdown.
pub fn job_summary(check: &HostCheck) -> String {
    let headline = format!("**layoutproof check:** {}\n", cell(&headline(check)));
    let findings = differing_findings(check);
    if findings.is_empty() {
        return headline;
    }
    let rows = findings.iter().take(MOST_ROWS).map(|finding| row(check, finding));
    let more = match findings.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("\nand {more} more\n"),
    };
    let columns = "| block | host struct | difference | fix |\n|---|---|---|---|\n";
    let advice = layout_advice(check).into_iter().map(|advice| format!("\n{}\n", cell(&advice)));
    format!("{headline}{}\n{columns}{}{more}", advice.collect::<String>(), rows.collect::<String>())
}

fn row(check: &HostCheck, finding: &Finding) -> String {
    let pair = &check.pairs[finding.first()];
    let also = also_of_pairs(check, finding).map_or_else(String::new, |also| format!(", also {also}"));
    let first = pair.comparison.mismatches.first();
    let place =
        first.and_then(|first| first.host_at.as_ref()).map_or_else(|| pair.host_file.clone(), ToString::to_string);
    let (difference, fix) = match first {
        Some(first) => (first.with_followers(), first.hint()),
        None => ("a device reads another member".to_owned(), String::new()),
    };
    let block = format!("{} of {}{also}", pair.shader_name(), pair.shader);
    let host = format!("{} ({place})", pair.host);
    let cells = [block, host, difference, fix].map(|text| cell(&text));
    format!("| {} |\n", cells.join(" | "))
}

/// Foreign text in a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}
