//! Parts of a page about laid-out blocks, next to their tables and byte maps: padding with better
//! orders of members, and bindings.

use maud::{Markup, html};

use layoutproof_show::layout_text::bindings_text::BindingsColumn;
use layoutproof_show::layout_text::padding_text::place;
use layoutproof_show::style::one_line;
use layoutproof_show::{BetterOrder, ColumnSize, PaddedBlock, PaddedColumn};

/// The padding of every block, with orders of members that save bytes. The button of an order that
/// can be applied to the text has its index among these in `data-order`.
pub fn padding_part(blocks: &[PaddedBlock]) -> Markup {
    let is_padded = |block: &&PaddedBlock| block.columns.iter().any(|column| column.padding > 0);
    let mut buttons = 0..;
    let mut sections = Vec::new();
    for block in blocks.iter().filter(is_padded) {
        sections.push(padded_block(block, &mut buttons));
    }
    html! {
        @if sections.is_empty() { p.note { "No byte of any block is padding." } }
        @for section in sections { (section) }
    }
}

fn padded_block(block: &PaddedBlock, buttons: &mut impl Iterator<Item = usize>) -> Markup {
    let mut orders = Vec::new();
    for better in &block.better {
        let button = better.edit.as_ref().and_then(|_| buttons.next());
        orders.push(better_order(better, button));
    }
    html! {
        section.block {
            h2 { code { (one_line(&block.name)) } }
            div.scroll tabindex="0" {
                table.numbers {
                    thead { tr { th scope="col" { "target" } th scope="col" { "size" } th scope="col" { "padding" } th scope="col" { "share" } } }
                    tbody { @for column in &block.columns { (padded_column(column)) } }
                }
            }
            @if block.is_fixed { p.note { "Members with explicit offsets or bits stay where they are." } }
            @else if orders.is_empty() { p.note { "No better order found." } }
            @for order in orders { (order) }
        }
    }
}

fn padded_column(column: &PaddedColumn) -> Markup {
    let PaddedColumn { names, size, padding, percent, inside } = column;
    html! {
        tr {
            th scope="row" {
                @for (index, name) in names.iter().enumerate() { @if index > 0 { br; } (one_line(name)) }
                @if !inside.is_empty() {
                    small {
                        @for (index, hole) in inside.iter().enumerate() {
                            @if index > 0 { "; " }
                            (hole.size) " " (one_line(&place(hole)))
                        }
                    }
                }
            }
            td { (size) }
            td { (padding) }
            td { span.share style=(format!("--share:{percent}%")) { (percent) " %" } }
        }
    }
}

fn better_order(better: &BetterOrder, button: Option<usize>) -> Markup {
    let BetterOrder { type_name, members, sizes, is_minimal, edit } = better;
    html! {
        div.better {
            div.better-head {
                p {
                    strong {
                        "Better order" @if !type_name.is_empty() { " of " code { (one_line(type_name)) } }
                    }
                    @for size in sizes { br; (column_size(size)) }
                    @if *is_minimal { br; span.dim { "No order is smaller." } }
                }
                @if let Some(index) = button { button.button.primary type="button" data-order=(index) { "Apply" } }
            }
            @match edit {
                None => p { code { (one_line(&members.join(", "))) } },
                Some(edit) => pre tabindex="0" { code { @for line in edit.diff.lines().skip(2) { (diff_line(line)) } } },
            }
        }
    }
}

/// `D3D12 · DXC: 40 → 32 bytes, 3 → 2 registers`.
fn column_size(size: &ColumnSize) -> Markup {
    let ColumnSize { names, declared, reordered, has_registers } = size;
    let [before, after] = [declared, reordered].map(|size| size.div_ceil(16));
    html! {
        (one_line(&names.join(", "))) ": " strong { (declared) " → " (reordered) " bytes" }
        @if *has_registers { ", " (before) " → " (after) " registers" }
    }
}

/// A line of a unified diff, with its line break.
fn diff_line(line: &str) -> Markup {
    let text = format!("{}\n", one_line(line));
    match line.chars().next() {
        Some('+') => html! { ins { (text) } },
        Some('-') => html! { del { (text) } },
        Some('@') => html! { span.dim { "…\n" } },
        Some(_) | None => html! { (text) },
    }
}

/// The bindings of all parameters, one column per convention. A cell is marked if it differs from
/// the first column of its target.
pub fn bindings_part(columns: &[BindingsColumn]) -> Markup {
    let rows = BindingsColumn::rows(columns);
    html! {
        @if rows.is_empty() {
            p.note { "No parameter is bound." }
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Bindings" {
                table.numbers.bindings {
                    thead { tr { th scope="col" { "parameter" } @for column in columns { th scope="col" { (column.name) } } } }
                    tbody {
                        @for row in &rows {
                            tr class=[(!row.shared.is_empty()).then_some("starts")] {
                                th scope="row" {
                                    (one_line(row.declared))
                                    @if !row.shared.is_empty() { small { (one_line(&row.shared)) } }
                                }
                                @for (index, cell) in row.places.iter().enumerate() {
                                    @let differs = *cell != row.places[first_of_target(columns, index)];
                                    td class=[differs.then_some("d")] { (cell) @if differs { " ≠" } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @for note in BindingsColumn::entry_notes(columns) { p.note { (one_line(&note)) } }
    }
}

/// The first column with the same target as the one at `index`. Places of different targets are not
/// comparable.
fn first_of_target(columns: &[BindingsColumn], index: usize) -> usize {
    columns.iter().position(|column| column.target == columns[index].target).unwrap_or(index)
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::padding::{Hole, HoleKind};
    use layoutproof_show::ReorderedText;

    use super::*;

    #[test]
    fn padding_says_where_it_is_and_what_would_save_bytes_and_escapes_names() {
        let hole = Hole { kind: HoleKind::Inside, member: "<b>".to_owned(), offset: 12, size: 4 };
        let names = vec!["std140".to_owned()];
        let column = PaddedColumn { names: names.clone(), size: 32, padding: 4, percent: 13, inside: vec![hole] };
        let better = BetterOrder {
            type_name: String::new(),
            members: vec!["<b>".to_owned(), "a".to_owned()],
            sizes: vec![ColumnSize { names, declared: 32, reordered: 16, has_registers: true }],
            is_minimal: true,
            edit: None,
        };
        let edit = ReorderedText {
            file: String::new(),
            body: 0..1,
            text: String::new(),
            diff: "---\n+++\n+float <b>;\n".to_owned(),
        };
        let applied = BetterOrder { edit: Some(edit), type_name: "T".to_owned(), ..better.clone() };
        let better = vec![better, applied.clone(), applied];
        let block = PaddedBlock { name: "<S>".to_owned(), columns: vec![column], is_fixed: false, better };
        let part = padding_part(&[block]).into_string();
        for words in [
            "&lt;S&gt;",
            "4 inside &lt;b&gt;",
            "32 → 16 bytes",
            "2 → 1 registers",
            "&lt;b&gt;, a",
            "<ins>+float &lt;b&gt;;\n</ins>",
            "data-order=\"0\"",
            "data-order=\"1\"",
        ] {
            assert!(part.contains(words), "{words}: {part}");
        }
        assert!(!part.contains("<b>") && !part.contains("data-order=\"2\""));
        assert_eq!(padding_part(&[]).into_string(), "<p class=\"note\">No byte of any block is padding.</p>");
    }
}
