//! The texts that the page offers to copy, and a case file about the text, for people who want to keep a finding.

use std::fmt::Write;

use layoutproof_report::html::layout_sheet;
use layoutproof_show::asserts::{HostLanguage, HostOptions, asserts};
use layoutproof_show::show_json::Shown;
use layoutproof_show::struct_text::TextOptions;
use layoutproof_show::{RuleSetLayouts, ShowInput, ShownRules, Style, accounts, struct_text};
use thiserror::Error;

use crate::reading::ExploreReading;
use crate::request::{CopiedText, ExploreMatrix, ExploreRequest};

/// A reason why no text can be copied.
#[derive(Clone, Copy, Debug, Error)]
pub enum NothingToCopy {
    #[error("there is nothing to copy: the text has errors")]
    Refused,
    #[error("there is no column to write structs for")]
    NoColumn,
}

/// Writes a text to copy.
///
/// # Errors
/// A text that could not be laid out has neither picture nor structs.
pub fn copied_text(request: &ExploreRequest, kind: CopiedText) -> Result<String, NothingToCopy> {
    let read = ExploreReading::of(request);
    let laid_out = || read.input.as_ref().map_err(|_| NothingToCopy::Refused);
    match kind {
        CopiedText::Json => Ok(json(&read)),
        CopiedText::Case => Ok(case_text(request, &read)),
        CopiedText::Svg => laid_out().map(|input| {
            let columns: Vec<_> = read.layouts().iter().map(RuleSetLayouts::column).collect();
            layout_sheet(&columns, input.written_language())
        }),
        CopiedText::Markdown => laid_out().map(|input| markdown(request, &read, input)),
        CopiedText::Cpp => host_structs(&read, laid_out()?, HostLanguage::Cpp),
        CopiedText::Rust => host_structs(&read, laid_out()?, HostLanguage::Rust),
        CopiedText::C => host_structs(&read, laid_out()?, HostLanguage::C),
    }
}

/// The output of `layoutproof show --padding --format json`, with the chosen columns in `--rules`.
fn json(read: &ExploreReading) -> String {
    let input = match &read.input {
        Ok(input) => input,
        Err(problems) => return Shown::refused(&read.name, problems, &read.sources).to_json(),
    };
    let layouts = input.layouts(&read.rules);
    let warnings = input.warnings(&layouts);
    let mut shown = Shown::layouts(&read.name, layouts.iter().map(RuleSetLayouts::shown).collect())
        .with_warnings(&warnings, &read.sources);
    if let ShownRules::Columns(_) = read.rules {
        shown = shown.with_forbidden(&input.refusals(&layouts), &read.sources);
    }
    shown.padding = Some(input.padding(&layouts));
    shown.with_account(accounts::of_input(input, &read.name, &layouts, &[], &read.sources)).to_json()
}

/// The declaration and the table of `layoutproof show`, each as a code block.
fn markdown(request: &ExploreRequest, read: &ExploreReading, input: &ShowInput) -> String {
    let columns: Vec<_> = read.layouts().iter().map(RuleSetLayouts::column).collect();
    let table = struct_text::show(&columns, input.written_language(), &TextOptions::plain(Style::PLAIN));
    // Use a fence that is longer than any in the text.
    let longest = request.text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{}\n{}\n{fence}\n\n{fence}text\n{table}{fence}\n", request.language, request.text.trim_end())
}

/// Host structs under the first column.
fn host_structs(read: &ExploreReading, input: &ShowInput, language: HostLanguage) -> Result<String, NothingToCopy> {
    let layouts = read.layouts();
    let first = layouts.first().ok_or(NothingToCopy::NoColumn)?;
    let options = HostOptions::new(input.written_language());
    Ok(asserts(&read.name, &first.copied().collect::<Vec<_>>(), language, options))
}

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
        for block in column.present() {
            if block.result.is_ok() && !rules.contains(&block.rules) {
                rules.push(block.rules.clone());
            }
        }
    }
    rules
}
