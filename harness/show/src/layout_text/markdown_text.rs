//! Writes laid-out blocks and bindings as tables of Markdown, for documents and reviews.

use layoutproof_source::shader_language::ShaderLanguage;

use super::bindings_text::BindingsColumn;
use super::shown_columns::MergedBlock;
use super::shown_columns::{ShownColumn, joined};
use super::struct_text::{heading, table_lines, total_parts};
use crate::style::{TextLines, one_line};

/// A table for each block, and a line below it with sizes and refusals.
pub fn blocks(columns: &[ShownColumn], language: ShaderLanguage) -> String {
    let mut text = TextLines::default();
    for merged in MergedBlock::all(columns).iter().filter(|merged| !merged.is_empty()) {
        if !text.is_empty() {
            text.push("");
        }
        text.push(&format!("### {}", code(&heading(merged.block, merged.declared, language))));
        text.push("");
        one_block(merged, language, &mut text);
    }
    text.into_text()
}

fn one_block(merged: &MergedBlock<'_>, language: ShaderLanguage, text: &mut TextLines) {
    if !merged.columns.is_empty() {
        let heads: Vec<String> = merged.columns.iter().map(|column| escaped(&joined(&column.names))).collect();
        row(
            &[vec!["member".to_owned(), "size".to_owned(), "padding".to_owned()], heads, vec![String::new()]].concat(),
            text,
        );
        let numbers = vec!["--:".to_owned(); merged.columns.len() + 2];
        row(&[vec!["---".to_owned()], numbers, vec!["---".to_owned()]].concat(), text);
        for line in table_lines(&merged.columns, language) {
            let indent = line.label.len() - line.label.trim_start().len();
            let mark = if line.mark == " " { String::new() } else { format!("{} ", line.mark) };
            let note = if line.note.is_empty() { String::new() } else { format!(" ({})", escaped(&line.note)) };
            let label = format!("{}{mark}{}{note}", "&nbsp;".repeat(indent), code(line.label.trim_start()));
            let offsets = line.offsets.iter().map(|parts| parts.join(" ").trim().to_owned());
            let moved = [line.moved.as_str(), line.why.as_str()].into_iter().filter(|part| !part.is_empty());
            let moved = escaped(&moved.collect::<Vec<_>>().join(": "));
            let cells = [vec![label, line.size.clone(), line.padding.clone()], offsets.collect(), vec![moved]];
            row(&cells.concat(), text);
        }
        text.push("");
        text.push(&escaped(&total_parts(&merged.columns).join(" · ")));
    }
    for columns in &merged.lacking {
        text.push("");
        let sentence = columns.sentence();
        let (first, rest) = sentence.split_at(1);
        text.push(&escaped(&format!("{}{rest}.", first.to_uppercase())));
    }
    for refused in &merged.forbidden {
        for reason in refused.block.refusals() {
            text.push("");
            text.push(&format!(
                "Forbidden under {}: {}",
                escaped(&refused.name.to_string()),
                escaped(&reason.to_string())
            ));
        }
    }
}

/// The bindings of all parameters, one column per convention.
pub fn bindings(columns: &[BindingsColumn]) -> String {
    let mut text = TextLines::default();
    let heads = columns.iter().map(|column| escaped(&column.name)).collect();
    row(&[vec!["parameter".to_owned()], heads, vec![String::new()]].concat(), &mut text);
    row(&vec!["---".to_owned(); columns.len() + 2], &mut text);
    for parameter in BindingsColumn::rows(columns) {
        let places = parameter.places.iter().map(|place| escaped(place)).collect();
        row(&[vec![code(parameter.declared)], places, vec![escaped(&parameter.shared)]].concat(), &mut text);
    }
    for note in BindingsColumn::entry_notes(columns) {
        text.push("");
        text.push(&escaped(&note));
    }
    text.into_text()
}

fn row(cells: &[String], text: &mut TextLines) {
    text.push(&format!("| {} |", cells.join(" | ")));
}

/// Text in which nothing is markup or the end of a cell.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in one_line(text).chars() {
        if "|`*_[]<>#\\$".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A span of code in a cell. Names with backticks are no identifiers, so quotes will do.
pub(super) fn code(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("`{}`", one_line(&words.join(" ")).replace('`', "'").replace('|', "\\|"))
}
