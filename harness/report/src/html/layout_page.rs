//! The page of `show --format html` and `diff --format html`: each block as a table and as byte
//! maps.

use maud::{Markup, html};

use super::byte_map::leave_out_repetitions;
use super::components::{Sign, legend_of};
use super::layout_sheet::{column_map, map_caption};
use super::page_frame::PageFrame;
use layoutproof_show::layout_text::block_rows::{BlockRow, BlockRows, TableKind};
use layoutproof_show::layout_text::merged_block::{MergedBlock, MergedColumn};
use layoutproof_show::layout_text::shown_columns::{BlockPresence, ShownColumn, ShownColumnBlock};
use layoutproof_show::layout_text::struct_text::block_heading;
use layoutproof_show::show_json::{ShownBlock, ShownLayout};
use layoutproof_show::style::{Tone, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// Every block of an input, the file or case `name`, under all its columns.
pub fn show_page(name: &str, columns: &[ShownColumn], language: ShaderLanguage) -> String {
    let title = format!("Layout of {name}");
    PageFrame { title: &title, intro: legend(), content: blocks(columns, language, ReferenceChoice::Reader) }
        .into_text()
}

/// Only the sections of [`show_page`], one per block, for a page with a different frame that
/// selects the columns itself. The first column is the reference.
pub fn layout_sections(columns: &[ShownColumn], language: ShaderLanguage) -> String {
    blocks(columns, language, ReferenceChoice::First).into_string()
}

/// Selects the layout of a block that the others are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReferenceChoice {
    /// The first.
    First,
    /// The reader selects one.
    Reader,
}

/// Two layouts side by side. Members that are at a different place in the right one are outlined
/// there.
pub fn diff_page(left: &ShownLayout, right: &ShownLayout, differs: bool) -> String {
    let title = format!("{} and {}", left.rules, right.rules);
    let verdict = if differs { "The two layouts differ." } else { "The two layouts are the same." };
    let intro = html! { p class=(if differs { "verdict bad" } else { "verdict" }) { (verdict) } (legend()) };
    let content = blocks(&beside_each_other(left, right), ShaderLanguage::Hlsl, ReferenceChoice::Reader);
    PageFrame { title: &title, intro, content }.into_text()
}

/// The two layouts as columns; a block has the same index in both.
fn beside_each_other(left: &ShownLayout, right: &ShownLayout) -> [ShownColumn; 2] {
    let has = |layout: &ShownLayout, name: &str| layout.blocks.iter().any(|block| block.name == name);
    let only_right = right.blocks.iter().filter(|block| !has(left, &block.name));
    let all: Vec<&ShownBlock> = left.blocks.iter().chain(only_right).collect();

    let column = |layout: &ShownLayout| {
        let block = |any: &&ShownBlock| {
            let own = layout.blocks.iter().find(|block| block.name == any.name);
            let presence = if own.is_some() { BlockPresence::Present } else { BlockPresence::Absent };
            ShownColumnBlock::new(own.unwrap_or(any).clone(), presence)
        };
        ShownColumn { name: layout.rules.clone(), blocks: all.iter().map(block).collect() }
    };
    [column(left), column(right)]
}

/// The legend of the marks in maps.
pub fn legend() -> Markup {
    html! {
        (legend_of(&[
            (Sign::Member, "a member, 16 bytes per row"),
            (Sign::Padding, "padding"),
            (Sign::Moved, "first member that moved"),
            (Sign::Follows, "members after it"),
        ]))
    }
}

fn blocks(columns: &[ShownColumn], language: ShaderLanguage, choice: ReferenceChoice) -> Markup {
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);
    html! {
        @for index in 0..blocks { (block(&MergedBlock::of(columns, index), index, language, choice)) }
    }
}

fn block(merged: &MergedBlock<'_>, index: usize, language: ShaderLanguage, choice: ReferenceChoice) -> Markup {
    let Some(any) = merged.block else { return html! {} };
    if merged.columns.is_empty() && merged.absent.is_empty() && merged.forbidden.is_empty() {
        return html! {};
    }
    html! {
        section.block {
            h2 { code { (block_heading(any, language)) } }
            @if !merged.columns.is_empty() {
                @match choice {
                    ReferenceChoice::First => { (numbers(&merged.columns, language)) (maps(&merged.columns, language)) }
                    ReferenceChoice::Reader => (by_reference(&merged.columns, index, language)),
                }
            }
            @if !merged.absent.is_empty() {
                p.note { "No " (any.kind.as_str()) " in: " (one_line(&merged.absent.join(", "))) }
            }
            @for refused in &merged.forbidden {
                @for reason in &refused.block.errors {
                    p.note.bad { "Forbidden under " (one_line(refused.name)) ": " (one_line(&reason.to_string())) }
                }
            }
        }
    }
}

/// Most layouts of a block that the reader can select as reference. `page.css` has a rule for each.
const MOST_REFERENCES: usize = 8;

/// Tables and maps of the block for each layout as reference. The reader selects one; this needs no
/// script.
fn by_reference(columns: &[MergedColumn<'_>], block: usize, language: ShaderLanguage) -> Markup {
    let references = columns.len().min(MOST_REFERENCES);
    if references < 2 {
        return html! { (numbers(columns, language)) (maps(columns, language)) };
    }
    html! {
        div.references {
            fieldset.layers {
                legend { "outline differences from" }
                @for (reference, column) in columns.iter().enumerate().take(references) {
                    label {
                        input type="radio" name=(format!("reference-{block}")) class=(format!("r{reference}"))
                            checked[reference == 0];
                        " " (one_line(&column.names.join(", ")))
                    }
                }
            }
            @for reference in 0..references {
                div class=(format!("by-reference b{reference}")) {
                    (numbers_against(columns, reference, language))
                    (maps_against(columns, reference, language))
                }
            }
        }
    }
}

/// A map for each different layout; the first one is the reference.
pub fn maps(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Markup {
    maps_against(columns, 0, language)
}

fn maps_against(columns: &[MergedColumn<'_>], reference: usize, language: ShaderLanguage) -> Markup {
    let members = columns.get(reference).map(|column| column.block.shown.members.as_slice());
    let map = |(index, column)| column_map(column, members.filter(|_| index != reference), language);
    let mut maps: Vec<_> = columns.iter().enumerate().map(map).collect();
    leave_out_repetitions(&mut maps);
    html! {
        div.maps {
            @for (column, map) in columns.iter().zip(&maps) {
                figure {
                    figcaption { (map_caption(column)) }
                    (map.inline())
                }
            }
        }
    }
}

/// The members with their offsets in each column; with a single column, also their sizes. The first
/// column is the reference.
pub fn numbers(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Markup {
    numbers_against(columns, 0, language)
}

fn numbers_against(columns: &[MergedColumn<'_>], reference: usize, language: ShaderLanguage) -> Markup {
    let blocks: Vec<&ShownColumnBlock> = columns.iter().map(|column| column.block).collect();
    let kind = if columns.len() == 1 { TableKind::Single } else { TableKind::SideBySide };
    let rows = BlockRows::of(&blocks, kind, language);
    let heads: Vec<String> = match kind {
        TableKind::Single => ["offset", "size"].map(str::to_owned).to_vec(),
        TableKind::SideBySide => columns.iter().map(|column| one_line(&column.names.join(", "))).collect(),
    };
    html! {
        div.scroll tabindex="0" {
            table.numbers {
                thead {
                    tr {
                        th scope="col" { "member" }
                        @for head in &heads { th scope="col" { (head) } }
                    }
                }
                tbody { @for row in &rows { (number_row(row, reference)) } }
            }
        }
    }
}

fn number_row(row: &BlockRow, reference: usize) -> Markup {
    let class = match row.tone {
        Tone::Dim => "dim",
        Tone::Strong => "strong",
        Tone::Agree | Tone::Disagree | Tone::Skip | Tone::Known | Tone::Plain => "",
    };
    html! {
        tr class=[Some(class).filter(|class| !class.is_empty())] {
            th {
                (row.label.strip_prefix("  ").unwrap_or(&row.label))
                @if !row.note.is_empty() { span.dim { " " (row.note) } }
            }
            @for (column, cell) in row.cells.iter().enumerate() {
                @let differs = row.differs_from(reference, column);
                td class=[differs.then_some("d")] { (cell) @if differs { " ≠" } }
            }
        }
    }
}
