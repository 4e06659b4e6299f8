//! One cause of failures: its first failure in full, with byte maps, and the others as a list.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::byte_map::{ByteMap, leave_out_repetitions};
use super::byte_pieces::BytePieces;
use super::case_link::case_link;
use super::page_shaders::PageShaders;
use super::witness_layers::witness_layers;
use crate::failure::block::{Conclusion, answers, conclusions, is_answered, sentence};
use crate::failure::byte_map::MapSubject;
use crate::failure::cause::FailureCause;
use crate::failure::group::FailureGroup;
use crate::failure::located::{LocatedRow, locate};
use crate::failure::table::table;
use layoutproof_core::results::record::{CheckRecord, StoryBlock};
use layoutproof_show::style::{Style, counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// The card of one cause.
pub fn failure_card(cause: &FailureCause<'_>, shaders: &PageShaders<'_>) -> Markup {
    let first = cause.first();
    let more = cause.failures.len() - 1;
    html! {
        article.card id=(format!("cause-{}", cause.number)) {
            (failure(first))
            (shaders.draw(first.record))
            @if more > 0 {
                details.inner {
                    summary { "and " (counted(more as u64, "failure")) " like it" }
                    ul { @for failure in &cause.failures[1..] { li { (one_more(failure, shaders)) } } }
                }
            }
        }
    }
}

fn heading(failure: &FailureGroup<'_>) -> Markup {
    let record = failure.record;
    html! {
        span class=(format!("badge {}", record.outcome.kind().as_str())) { (record.outcome.kind().as_str()) } " "
        a href=(case_link(&record.id.case)) { (one_line(&record.id.case)) }
        " · " (one_line(record.id.rules.as_str())) " · " (one_line(record.id.producer.as_str())) " · " (one_line(&failure.devices.join("; ")))
    }
}

/// A further failure with the same cause: the command that repeats it, and its shaders.
fn one_more(failure: &FailureGroup<'_>, shaders: &PageShaders<'_>) -> Markup {
    let again = failure.record.outcome.story().map(|story| story.again.to_string());
    html! {
        (heading(failure))
        @if let Some(again) = again { div.dim { code { (one_line(&again)) } } }
        (shaders.draw(failure.record))
    }
}

/// A failure in full: claim, witnesses, byte maps, conclusions.
pub fn failure(failure: &FailureGroup<'_>) -> Markup {
    let record = failure.record;
    let story = record.outcome.story();
    let claim = story.map(|story| story.summary.as_str()).filter(|summary| !summary.is_empty());
    html! {
        h3 { (heading(failure)) }
        @if let Some(claim) = claim { p { (sentence(&one_line(claim))) } }
        @if is_answered(record) {
            @if !record.rows.is_empty() { (witness_table(record)) }
            @if let Some(story) = story { (failure_maps(record, &story.blocks)) }
            @let answers = answers(record);
            @if !answers.is_empty() { pre tabindex="0" { code { (answers) } } }
        }
        dl {
            @for Conclusion { label, words } in conclusions(record) { dt { (label) } (conclusion(label, &words)) }
            @if let Some(story) = story.filter(|story| !story.place.is_empty()) {
                dt { "case" } dd { code { (one_line(&story.place)) } }
                @if !story.authority.is_empty() { dt { "source" } dd { (one_line(&story.authority)) } }
            }
        }
    }
}

fn conclusion(label: &str, words: &str) -> Markup {
    html! {
        dd {
            @if label == "again" { code { (words) } button.copy.js-only type="button" { "copy" } }
            @else { (words) }
        }
    }
}

/// The table of witnesses as on the terminal, with lines that have a wrong number highlighted.
pub fn witness_table(record: &CheckRecord) -> Markup {
    let text = table(record, Style::PLAIN);
    let is_wrong = |line: &str| line.contains(" ! ") || line.trim_end().ends_with(" ?");
    html! {
        pre tabindex="0" role="region" aria-label="Numbers of the witnesses" {
            code {
                @for line in text.lines() {
                    @if is_wrong(line) { b.bad { (line) } } @else { (line) }
                    "\n"
                }
            }
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

    let legend: Vec<(&str, &str)> = layers.iter().map(|layer| (layer.witness.as_str(), layer.deed)).collect();
    let mut map = ByteMap {
        label: format!("Byte map of {}, with the bytes that witnesses found instead", one_line(&block.name)),
        pieces: BytePieces::of(block.size, &block.members, None),
        layers,
        registers: subject.registers,
        language: ShaderLanguage::Hlsl,
        left_out: BTreeSet::new(),
    };
    leave_out_repetitions(std::slice::from_mut(&mut map));
    html! {
        div.drawn {
            fieldset.layers {
                legend { "below each row of " code { (one_line(&block.name)) } ": where a witness found values instead" }
                @for (name, deed) in legend {
                    label {
                        input type="checkbox" class=(format!("l-{name}")) checked;
                        " " (name) " (" (deed) ")"
                    }
                }
            }
            figure { (map.inline()) }
        }
    }
}
