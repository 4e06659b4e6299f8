//! Parts of a page about laid-out blocks, next to their byte maps: padding with better orders of
//! members, and bindings.

use layoutproof_layout::padding::{BlockPadding, Hole, PaddedStruct};
use maud::{Markup, html};

use layoutproof_show::layout_text::bindings_text::BindingsColumn;
use layoutproof_show::layout_text::padding_text::place;
use layoutproof_show::style::one_line;

/// The padding of every block, with an order of members that saves bytes if one is known.
pub fn padding_part(blocks: &[BlockPadding]) -> String {
    let padded: Vec<&BlockPadding> = blocks.iter().filter(|block| block.padding > 0).collect();
    let part = html! {
        @if padded.is_empty() {
            p.note { "No byte of any block is padding." }
        } @else {
            ul.padding { @for block in padded { (padded_block(block)) } }
        }
    };
    part.into_string()
}

fn padded_block(block: &BlockPadding) -> Markup {
    let BlockPadding { rules, block: name, size, padding, percent, structs, .. } = block;
    html! {
        li {
            p {
                code { (one_line(name)) } " under " code { (rules) } ": "
                strong { (padding) " of " (size) " bytes" } ", " (percent) " %"
            }
            @for padded in structs { (padded_struct(name, padded)) }
        }
    }
}

fn padded_struct(block: &str, padded: &PaddedStruct) -> Markup {
    let PaddedStruct { path, type_name, holes, better, .. } = padded;
    html! {
        @if !path.is_empty() {
            p.note { code { (one_line(type_name)) } " at " code { (one_line(&format!("{block}.{path}"))) } }
        }
        p.note {
            @for (index, hole) in holes.iter().enumerate() {
                @if index > 0 { "; " }
                (hole_words(hole))
            }
        }
        @if let Some(better) = better {
            p.better {
                span.badge.agree { (better.saves) " bytes fewer" } " "
                code { (one_line(&better.members.join(", "))) } ": " (better.size) " bytes"
            }
        }
    }
}

/// `4 bytes at 12, before b`.
fn hole_words(hole: &Hole) -> String {
    let plural = if hole.size == 1 { "" } else { "s" };
    one_line(&format!("{} byte{plural} at {}, {}", hole.size, hole.offset, place(hole)))
}

/// The bindings of all parameters, one column per convention. A cell is marked if it differs from
/// the first column of its API.
pub fn bindings_part(columns: &[BindingsColumn]) -> String {
    let rows = BindingsColumn::rows(columns);
    let part = html! {
        @if rows.is_empty() {
            p.note { "No parameter is bound." }
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Bindings" {
                table.numbers.bindings {
                    thead { tr { th scope="col" { "parameter" } @for column in columns { th scope="col" { (column.name) } } } }
                    tbody {
                        @for row in &rows {
                            tr {
                                th scope="row" {
                                    (one_line(row.path))
                                    @if !row.shared.is_empty() { span.bad { " " (one_line(&row.shared)) } }
                                }
                                @for (index, cell) in row.places.iter().enumerate() {
                                    @let differs = *cell != row.places[first_of_api(columns, index)];
                                    td class=[differs.then_some("d")] { (cell) @if differs { " ≠" } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @for note in BindingsColumn::entry_notes(columns) { p.note { (one_line(&note)) } }
    };
    part.into_string()
}

/// The first column with the same API as the one at `index`. Places of different APIs are not
/// comparable.
fn first_of_api(columns: &[BindingsColumn], index: usize) -> usize {
    let api = |column: &BindingsColumn| column.name.split('.').next().map(str::to_owned);
    columns.iter().position(|column| api(column) == api(&columns[index])).unwrap_or(index)
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::BlockKind;
    use layoutproof_layout::padding::HoleKind;
    use layoutproof_layout::reorder::MemberOrder;

    use super::*;

    #[test]
    fn padding_says_where_it_is_and_what_would_save_bytes_and_escapes_names() {
        let hole = Hole { kind: HoleKind::Before, member: "<b>".to_owned(), offset: 12, size: 4 };
        let better = MemberOrder { members: vec!["<b>".to_owned(), "a".to_owned()], size: 16, saves: 16 };
        let whole = PaddedStruct {
            path: String::new(),
            type_name: String::new(),
            size: 32,
            holes: vec![hole],
            better: Some(better),
        };
        let block = BlockPadding {
            rules: "std140".to_owned(),
            block: "<S>".to_owned(),
            kind: BlockKind::Cbuffer,
            size: 32,
            padding: 4,
            percent: 13,
            structs: vec![whole],
        };
        let part = padding_part(&[block]);
        for words in ["&lt;S&gt;", "4 of 32 bytes", "4 bytes at 12, before &lt;b&gt;", "16 bytes fewer", "&lt;b&gt;, a"]
        {
            assert!(part.contains(words), "{words}: {part}");
        }
        assert!(!part.contains("<b>"));
        assert_eq!(padding_part(&[]), "<p class=\"note\">No byte of any block is padding.</p>");
    }
}
