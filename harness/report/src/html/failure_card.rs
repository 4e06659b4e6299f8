//! One cause of failures: its first failure in full, with byte maps, numbers, shaders and the commands
//! that repeat it, and the others as a list.

use std::collections::BTreeSet;

use layoutproof_events::{CheckId, CheckRules};
use maud::{Markup, html};

use super::byte_map::{ByteMap, leave_out_repetitions};
use super::byte_pieces::BytePieces;
use super::case_part::case_link;
use super::components::{command, tabs, with_code};
use super::page_shaders::PageShaders;
use super::witness_layers::{WitnessLayer, witness_layers};
use crate::failure::block::{Conclusion, MAX_ANSWERS, conclusions, is_answered, sentence, wrong_answers};
use crate::failure::byte_map::MapSubject;
use crate::failure::cause::FailureGroup;
use crate::failure::cause::{FailureCause, repro_command};
use crate::failure::located::{LocatedRow, locate};
use crate::failure::table::TablePiece;
use crate::failure::table::{LineSubject, WitnessLine, WitnessTable, left_out, witness_tables};
use crate::failure::witness::{Mark, WitnessField};
use layoutproof_events::{CheckRecord, Story, StoryBlock};
use layoutproof_show::layout_text::struct_lines::{LineKind, StructLine};
use layoutproof_show::style::{counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

pub fn failure_card(cause: &FailureCause<'_>, shaders: &PageShaders<'_>) -> Markup {
    let more = cause.failures.len() - 1;
    html! {
        article.card id=(format!("cause-{}", cause.number)) {
            (failure(cause.first(), shaders))
            @if more > 0 {
                details.inner {
                    summary { "and " (counted(more as u64, "failure")) " like it" }
                    ul { @for failure in &cause.failures[1..] { li { (one_more(failure, shaders)) } } }
                }
            }
        }
    }
}

/// The case, and what laid it out and ran it.
fn heading(failure: &FailureGroup<'_>) -> Markup {
    let record = failure.record;
    html! {
        span class=(format!("badge {}", record.outcome.kind().as_str())) { (record.outcome.kind().as_str()) } " "
        a href=(case_link(&record.id.case)) { (one_line(&record.id.case)) }
    }
}

fn place(failure: &FailureGroup<'_>) -> Markup {
    let id = &failure.record.id;
    html! {
        (one_line(&id.title()))
        @match &id.rules {
            CheckRules::Layout(rules) => { " · rules " code { (one_line(rules)) } },
            CheckRules::Bindings(_) => " · bindings",
        }
        " · " (one_line(&failure.devices.join("; ")))
    }
}

/// A further failure with the same cause: the command that repeats it, and its shaders.
fn one_more(failure: &FailureGroup<'_>, shaders: &PageShaders<'_>) -> Markup {
    let again = failure.record.outcome.story().map(|story| story.again.to_string()).filter(|again| !again.is_empty());
    html! {
        (heading(failure)) " " span.dim { (place(failure)) }
        @if let Some(again) = again { div.dim { code { (one_line(&again)) } } }
        (shaders.draw_folded(failure.record))
    }
}

/// A failure in full: the claim and what is wrong with it, and its parts as tabs.
pub(super) fn failure(failure: &FailureGroup<'_>, shaders: &PageShaders<'_>) -> Markup {
    let record = failure.record;
    let story = record.outcome.story();
    let claim = story.map(|story| story.summary.as_str()).filter(|summary| !summary.is_empty());
    let is_answered = is_answered(record);
    let maps = story.filter(|_| is_answered).map(|story| failure_maps(record, &story.blocks));
    let has_numbers = is_answered && !record.rows.is_empty();
    let parts = [
        ("Bytes", maps.filter(|maps| !maps.0.is_empty())),
        ("Numbers", has_numbers.then(|| html! { (witness_table(record)) (answers(record)) })),
        ("Shader", PageShaders::has(record).then(|| shaders.draw(record))),
        ("Repro", story.map(|story| repro(&record.id, story))),
    ];
    let parts: Vec<(&str, Markup)> = parts.into_iter().filter_map(|(name, part)| Some((name, part?))).collect();
    html! {
        h3 { (heading(failure)) }
        p.dim { (place(failure)) }
        @if let Some(claim) = claim { p { (with_code(&sentence(&one_line(claim)))) } }
        (found(record))
        (tabs("Parts of this failure", &parts))
    }
}

/// What the witnesses say together.
fn found(record: &CheckRecord) -> Markup {
    let conclusions = conclusions(record);
    let shown = conclusions.iter().filter(|conclusion| conclusion.label != AGAIN);
    html! {
        dl.found {
            @for Conclusion { label, culprit, words } in shown {
                dt { (label) }
                dd { @if let Some(culprit) = culprit { (culprit.as_str()) ": " } (with_code(words)) }
            }
        }
    }
}

/// The label of the command that repeats a check; it has a tab.
const AGAIN: &str = "again";

/// How to see the failure again, and where the case and its numbers come from.
fn repro(id: &CheckId, story: &Story) -> Markup {
    let again = one_line(&story.again.to_string());
    html! {
        dl {
            @if !again.is_empty() { dt { "again" } dd { (command(&again)) } }
            @if let Some(words) = repro_command(id, "RECORDS") {
                dt { "files" }
                dd {
                    (command(&words))
                    div.note { "writes the shader, its buffers and a script for Amber; RECORDS is the file of " code { "--json" } }
                }
            }
            @if !story.place.file.is_empty() {
                dt { "case" } dd { code { (one_line(&story.place.to_string())) } }
                @if !story.authority.is_empty() { dt { "source" } dd { (one_line(&story.authority)) } }
            }
        }
    }
}

/// The device's answer for each wrong leaf.
fn answers(record: &CheckRecord) -> Markup {
    let answers = wrong_answers(record);
    html! {
        @if !answers.is_empty() {
            ul.answers {
                @for (path, words) in answers.iter().take(MAX_ANSWERS) { li { code { (path) } " " (with_code(words)) } }
                @if answers.len() > MAX_ANSWERS { li.dim { "and " (answers.len() - MAX_ANSWERS) " more" } }
            }
        }
    }
}

/// The members with the number of each witness. Lines with a wrong number are highlighted.
pub fn witness_table(record: &CheckRecord) -> Markup {
    html! { @for table in witness_tables(record) { (numbers(&table)) } }
}

fn numbers(table: &WitnessTable<'_>) -> Markup {
    let subject = table.block.map_or_else(|| "parameter".to_owned(), |block| one_line(&format!("struct {block}")));
    let has_sizes = table.block.is_some();
    let columns = 1 + usize::from(has_sizes) + table.columns.len();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Numbers by source: {subject}")) {
            table.numbers.witnesses {
                thead {
                    tr {
                        th scope="col" { (subject) }
                        @if has_sizes { th scope="col" { "size" } }
                        @for witness in &table.columns { th scope="col" { (witness.as_str()) } }
                    }
                }
                tbody {
                    @for piece in table.pieces() {
                        @match piece {
                            TablePiece::Line(index) => { (number_line(&table.lines[index], table)) },
                            TablePiece::Gap(_) | TablePiece::Rest(_) => tr.dim { th colspan=(columns) { "… " (left_out(piece)) } },
                        }
                    }
                }
            }
        }
    }
}

fn number_line(line: &WitnessLine<'_>, table: &WitnessTable<'_>) -> Markup {
    let of_struct = match &line.subject {
        LineSubject::Struct(line) => Some(line),
        LineSubject::Part(_) | LineSubject::MoreParts(_) | LineSubject::Parameter(_) => None,
    };
    let class = match of_struct.map(|line| line.kind) {
        _ if line.is_wrong() => Some("starts"),
        Some(LineKind::Padding) => Some("dim"),
        Some(LineKind::Member(_) | LineKind::Size) | None => None,
    };
    // The text has the indent of a struct's member in front.
    let words = |line: &StructLine<'_>| line.text.strip_prefix("  ").unwrap_or(&line.text).to_owned();
    html! {
        tr class=[class] {
            th scope="row" {
                @match &line.subject {
                    LineSubject::Struct(line) => { (words(line)) @if !line.note.is_empty() { span.dim { " // " (line.note) } } },
                    LineSubject::Part(text) => { "  " (text) },
                    LineSubject::MoreParts(more) => span.dim { "  … " (more) " more parts" },
                    LineSubject::Parameter(text) => { (text) },
                }
            }
            @if table.block.is_some() { td { @if let Some(line) = of_struct { (size_of(line)) } } }
            @for field in &line.fields { (number(field)) }
            @if line.fields.is_empty() { td colspan=(table.columns.len()) {} }
        }
    }
}

/// Bytes of a member or of padding; on the last line, those of the block.
fn size_of(line: &StructLine<'_>) -> String {
    let size = match line.kind {
        LineKind::Member(_) | LineKind::Padding => line.size,
        LineKind::Size => line.offset,
    };
    size.map_or_else(|| "[]".to_owned(), |size| size.to_string())
}

fn number(field: &WitnessField) -> Markup {
    html! {
        @match field.mark {
            Mark::Right => td { (field.text) },
            Mark::Wrong => td.d { (field.text) " ≠" },
            Mark::Missing => td.d { "?" },
            Mark::Silent => td.dim { "·" },
        }
    }
}

/// A map of each block that a witness disagrees about, with one layer per such witness.
pub fn failure_maps(record: &CheckRecord, blocks: &[StoryBlock]) -> Markup {
    let (located, _) = locate(&record.rows, blocks);
    let registers = record.id.rules.rule_set().is_some_and(|rules| rules.has_registers);
    html! {
        @for (index, block) in blocks.iter().enumerate() {
            @let rows: Vec<LocatedRow<'_>> = located.iter().filter(|row| row.block == index).copied().collect();
            (block_map(MapSubject { block, rows: &rows, culprit: record.outcome.culprit(), registers }))
        }
    }
}

fn block_map(subject: MapSubject<'_>) -> Markup {
    let block = subject.block;
    let layers = witness_layers(subject);
    if layers.is_empty() {
        return html! {};
    }

    let choices: Vec<(&str, &str)> =
        layers.iter().map(|WitnessLayer { witness, deed, .. }| (witness.as_str(), *deed)).collect();
    let mut map = ByteMap {
        label: format!("Byte map of {}, with the bytes where values were found instead", one_line(&block.name)),
        pieces: BytePieces::of(block.size, &block.members, None),
        layers,
        registers: subject.registers,
        language: ShaderLanguage::Hlsl,
        left_out: BTreeSet::new(),
    };
    leave_out_repetitions(std::slice::from_mut(&mut map));
    html! {
        div.drawn {
            figure {
                figcaption { code { (one_line(&block.name)) } }
                (map.inline())
            }
            fieldset.layers {
                legend { "Below each row, where values were found instead:" }
                @for (name, deed) in choices {
                    label {
                        input type="checkbox" class=(format!("l-{name}")) checked;
                        span.swatch.witness {}
                        (name) " (" (deed) ")"
                    }
                }
            }
        }
    }
}
