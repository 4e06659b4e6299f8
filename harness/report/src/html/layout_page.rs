//! The page of `show --format html` and `diff --format html`: each block as a table and as byte
//! maps.

use layoutproof_layout::ViewId;
use maud::{Markup, html};

use super::byte_map::leave_out_repetitions;
use super::components::{Sign, legend_of};
use super::layout_sheet::{column_map, map_caption};
use super::page_frame::PageFrame;
use layoutproof_show::layout_text::diff_text::DiffText;
use layoutproof_show::layout_text::shown_columns::{BlockPresence, ShownColumn, ShownColumnBlock, joined};
use layoutproof_show::layout_text::shown_columns::{MergedBlock, MergedColumn};
use layoutproof_show::layout_text::struct_text::{TableLine, heading, table_lines, total_parts};
use layoutproof_show::show_json::ShownBlock;
use layoutproof_show::style::{Tone, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// Every block of an input, the file or case `name`, under all its columns.
pub fn show_page(name: &str, columns: &[ShownColumn], language: ShaderLanguage) -> String {
    let title = format!("Layout of {name}");
    PageFrame { title: &title, intro: legend(), content: blocks(columns, language) }.into_text()
}

/// The tables of all blocks, a section each, for a page that selects the columns itself. The first
/// column is the reference.
pub fn offset_sections(columns: &[ShownColumn], language: ShaderLanguage) -> Markup {
    sections(columns, language, |merged| {
        html! {
            @if !merged.columns.is_empty() { (numbers(&merged.columns, language)) (agreement(merged)) }
            (notes(merged))
        }
    })
}

/// The byte maps of all blocks, like [`offset_sections`].
pub fn map_sections(columns: &[ShownColumn], language: ShaderLanguage) -> Markup {
    let content = |merged: &MergedBlock<'_>| {
        html! { @if !merged.columns.is_empty() { (maps(&merged.columns, language)) } @else { (notes(merged)) } }
    };
    html! { (legend()) (sections(columns, language, content)) }
}

/// Two layouts side by side. Members that are at a different place in the right one are outlined
/// there. `limits` says what was not read, if anything.
pub fn diff_page([left, right]: [&ShownColumn; 2], difference: &DiffText, limits: Option<&str>) -> String {
    let title = format!("{} and {}", left.name, right.name);
    let class = if difference.differs { "verdict bad" } else { "verdict" };
    let intro = html! {
        p class=(class) { (difference.sentence()) }
        @for binding in difference.moved_bindings() {
            p { code { (binding.path) } " is bound at " (binding.places().join(" / ")) }
        }
        @if let Some(limits) = limits { p { (limits) } }
        (legend())
    };
    let content = blocks(&beside_each_other(left, right), difference.language);
    PageFrame { title: &title, intro, content }.into_text()
}

/// The two layouts as columns; blocks of one name are one.
fn beside_each_other(left: &ShownColumn, right: &ShownColumn) -> [ShownColumn; 2] {
    let find = |column: &'_ ShownColumn, name: &str| column.blocks.iter().position(|block| block.shown.name == name);
    let only_right = right.blocks.iter().filter(|block| find(left, &block.shown.name).is_none());
    let all: Vec<&ShownBlock> = left.blocks.iter().chain(only_right).map(|block| &block.shown).collect();

    let column = |column: &ShownColumn| {
        let block = |(view, any): (ViewId, &&ShownBlock)| {
            let own = find(column, &any.name).map(|index| &column.blocks[index].shown);
            let presence = if own.is_some() { BlockPresence::Present } else { BlockPresence::Absent };
            ShownColumnBlock::new(ShownBlock { view, ..own.unwrap_or(any).clone() }, presence)
        };
        ShownColumn { name: column.name.clone(), blocks: (0..).map(ViewId).zip(&all).map(block).collect() }
    };
    [column(left), column(right)]
}

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

fn blocks(columns: &[ShownColumn], language: ShaderLanguage) -> Markup {
    html! {
        @for (index, merged) in MergedBlock::all(columns).iter().enumerate() {
            (section(merged, language, |merged| html! {
                @if !merged.columns.is_empty() { (by_reference(&merged.columns, index, language)) }
                (notes(merged))
            }))
        }
    }
}

fn sections(columns: &[ShownColumn], language: ShaderLanguage, content: impl Fn(&MergedBlock<'_>) -> Markup) -> Markup {
    html! { @for merged in &MergedBlock::all(columns) { (section(merged, language, &content)) } }
}

/// A block's declaration, its size in all layouts, and `content`.
fn section(merged: &MergedBlock<'_>, language: ShaderLanguage, content: impl Fn(&MergedBlock<'_>) -> Markup) -> Markup {
    if merged.is_empty() {
        return html! {};
    }
    let any = merged.block;
    html! {
        section.block {
            h2 { code { (heading(any, merged.declared, language)) } }
            @if !merged.columns.is_empty() { p.sizes { (total_parts(&merged.columns).join(" · ")) } }
            (content(merged))
        }
    }
}

/// The names of all columns, if they agree and so none of them heads a column.
fn agreement(merged: &MergedBlock<'_>) -> Markup {
    let [only] = merged.columns.as_slice() else { return html! {} };
    let names = one_line(&joined(&only.names));
    html! { p.note { @if only.names.len() > 1 { "All agree: " } @else { "Rules: " } (names) } }
}

/// Columns that have no such block, and refusals.
fn notes(merged: &MergedBlock<'_>) -> Markup {
    html! {
        @for columns in &merged.lacking {
            p.note { (one_line(&columns.sentence())) }
        }
        @for refused in &merged.forbidden {
            @for reason in refused.block.refusals() {
                p.note.bad { "Forbidden under " (one_line(&refused.name.to_string())) ": " (one_line(&reason.to_string())) }
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
                        " " (one_line(&joined(&column.names)))
                    }
                }
            }
            @for reference in 0..references {
                @let columns = with_reference(columns, reference);
                div class=(format!("by-reference b{reference}")) {
                    (numbers(&columns, language))
                    (maps(&columns, language))
                }
            }
        }
    }
}

/// The columns with this one in front, where the reference is.
fn with_reference<'a>(columns: &[MergedColumn<'a>], reference: usize) -> Vec<MergedColumn<'a>> {
    let mut columns = columns.to_vec();
    columns[..=reference].rotate_right(1);
    columns
}

/// A map for each different layout; the first one is the reference.
pub fn maps(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Markup {
    let members = columns.first().map(|column| column.block.shown.members.as_slice());
    let map = |(index, column)| column_map(column, members.filter(|_| index > 0), language);
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

/// The members with their sizes, the padding after each, and the offset in each column. The first
/// column is the reference.
pub fn numbers(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Markup {
    let lines = table_lines(columns, language);
    let has_padding = lines.iter().any(|line| !line.padding.is_empty());
    let has_moves = lines.iter().any(|line| !line.moved.is_empty());
    html! {
        div.scroll tabindex="0" {
            table.numbers.shown.has-padding[has_padding].has-moves[has_moves] {
                thead {
                    tr {
                        th scope="col" { "member" }
                        th scope="col" { "size" }
                        @if has_padding { th scope="col" { "padding" } }
                        @match columns {
                            [_] => th scope="col" { "offset" },
                            several => @for column in several { th scope="col" { (names(column)) } },
                        }
                        @if has_moves { th scope="col" { "moved" } }
                    }
                }
                tbody { @for line in &lines { (table_line(line, has_padding, has_moves)) } }
            }
        }
    }
}

/// The names of columns with one layout, each in a line.
fn names(column: &MergedColumn<'_>) -> Markup {
    html! { @for (index, name) in column.names.iter().enumerate() { @if index > 0 { br; } (one_line(&name.to_string())) } }
}

/// A row. The member that starts a difference has `≠`, those that only follow from it `·`. A page
/// has thousands of rows, so they have few attributes.
fn table_line(line: &TableLine, has_padding: bool, has_moves: bool) -> Markup {
    let starts = line.tone == Tone::Disagree;
    let has_mark = !line.mark.trim().is_empty();
    let class = match line.tone {
        Tone::Dim => Some("dim"),
        _ if starts => Some("starts"),
        _ => has_mark.then_some("follows"),
    };
    html! {
        tr class=[class] data-m=[Some(one_line(&line.path)).filter(|path| !path.is_empty())] {
            th {
                @if has_mark { b.mark { (line.mark) } }
                (line.label)
                @if !line.note.is_empty() { span.dim { " // " (line.note) } }
                @if !line.why.is_empty() { small { (line.moved) ": " (one_line(&line.why)) } }
            }
            td { (line.size) }
            @if has_padding { td { (line.padding) } }
            @for ([offset, register], differs) in line.offsets.iter().zip(&line.differs) {
                td class=[(*differs && starts).then_some("d")] {
                    (offset)
                    @if !register.is_empty() { i { " " (register) } }
                }
            }
            @if has_moves { td { (line.moved) } }
        }
    }
}
