//! Writes a case file about the text, for people who want to keep a finding.

use std::fmt::Write;

use layoutproof_show::ShowInput;

use crate::reading::ExploreReading;
use crate::request::{ExploreMatrix, ExploreRequest};

/// The file, with a table for each rule set of the columns. It contains no numbers, because these
/// must come from an authority.
pub(crate) fn case_text(request: &ExploreRequest, read: &ExploreReading) -> String {
    let mut text =
        String::from("# No number in a case comes from layoutproof itself: `ci/transcribe.py --fill RULES FILE`\n");
    text += "# asks the compilers, and cases/README.md says what else is an authority.\n";
    text += "schema = 1\nsummary = \"what this declaration shows, in one sentence\"\n";
    if request.matrix == ExploreMatrix::Row {
        text += "matrix = \"row\"\n";
    }
    if request.wide_half {
        text += "sixteen_bit = false\n";
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "declare = {}", declare(&request.text));

    let rules = read.input.as_ref().map(|input| rule_sets(read, input)).unwrap_or_default();
    if !rules.is_empty() {
        let _ = write!(text, "\n# ci/transcribe.py --fill {} FILE\n", rules.join(","));
    }
    text
}

/// The declaration as a multi-line TOML string.
fn declare(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.trim_end().chars() {
        match letter {
            '\\' => escaped += "\\\\",
            '"' => escaped += "\\\"",
            '\r' => {}
            '\n' | '\t' => escaped.push(letter),
            control if control.is_control() => {
                let _ = write!(escaped, "\\u{:04X}", u32::from(control));
            }
            letter => escaped.push(letter),
        }
    }
    format!("\"\"\"\n{escaped}\n\"\"\"")
}

/// The distinct rule sets that the columns use for the blocks.
fn rule_sets(read: &ExploreReading, input: &ShowInput) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for column in input.layouts(&read.rules) {
        for (_, block) in column.present() {
            if block.result.is_ok() && !rules.contains(&block.rules) {
                rules.push(block.rules.clone());
            }
        }
    }
    rules
}
