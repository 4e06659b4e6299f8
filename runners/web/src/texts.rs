//! The texts that the page offers to copy.

use layoutproof_report::html::layout_sheet;
use layoutproof_show::asserts::{HostLanguage, HostOptions, asserts};
use layoutproof_show::show_json::Shown;
use layoutproof_show::struct_text::{self, TextOptions};
use layoutproof_show::{RuleSetLayouts, ShowInput, ShownRules, Style};
use thiserror::Error;

use crate::case_text::case_text;
use crate::reading::ExploreReading;
use crate::request::{CopiedText, ExploreRequest};

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
        CopiedText::Cpp => laid_out().and_then(|_| host_structs(&read, HostLanguage::Cpp)),
        CopiedText::Rust => laid_out().and_then(|_| host_structs(&read, HostLanguage::Rust)),
        CopiedText::C => laid_out().and_then(|_| host_structs(&read, HostLanguage::C)),
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
    shown.to_json()
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
fn host_structs(read: &ExploreReading, language: HostLanguage) -> Result<String, NothingToCopy> {
    let layouts = read.layouts();
    let first = layouts.first().ok_or(NothingToCopy::NoColumn)?;
    Ok(asserts(&read.name, &first.copied().collect::<Vec<_>>(), language, HostOptions::default()))
}
