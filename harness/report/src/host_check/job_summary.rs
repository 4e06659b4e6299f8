//! The summary of a job on GitHub, which shows it on the page of the workflow's run.

use layoutproof_show::style::one_line;

use super::HostCheck;
use super::findings::{also_of_pairs, differing_findings};
use super::headline::headline;
use super::text::place_text;

/// Most differences in the table.
const MOST_ROWS: usize = 50;

/// The headline, and the first difference of each finding, as Markdown.
pub fn job_summary(check: &HostCheck) -> String {
    let mut text = format!("**layoutproof check:** {}\n", cell(&headline(check)));
    let findings = differing_findings(check);
    if findings.is_empty() {
        return text;
    }
    text += "\n| block | host struct | difference | fix |\n|---|---|---|---|\n";
    for finding in findings.iter().take(MOST_ROWS) {
        let pair = &check.pairs[finding.first()];
        let also = also_of_pairs(check, finding).map_or_else(String::new, |also| format!(", also {also}"));
        let block = format!("{} of {}{also}", pair.shader_name(), pair.shader);
        let first = pair.comparison.mismatches.first();
        let place = first.and_then(|first| first.host_at.as_ref()).map_or_else(|| pair.host_file.clone(), place_text);
        let host = format!("{} ({place})", pair.host);
        let (difference, fix) = match first {
            Some(first) => (first.with_followers(), first.hint.clone()),
            None => ("a device reads another member".to_owned(), String::new()),
        };
        let cells = [block, host, difference, fix].map(|text| cell(&text));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    if findings.len() > MOST_ROWS {
        text += &format!("\nand {} more\n", findings.len() - MOST_ROWS);
    }
    text
}

/// Foreign text in a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}
