//! A host struct next to the block that it fills: a table with the shader's members on the left and the
//! host's on the right, numbers in the middle.
//!
//! Runs of members around which nothing differs are folded; what is wrong, and how to mend it, is below
//! the line where it begins.

use layoutproof_hostcheck::{ComparedRow, Mismatch, RowSide, RowState};
use maud::{Markup, html};

use super::components::with_code;
use crate::host_check::{
    CheckedPair, DiffPiece, SideTitle, SideWords, declaration, differences, folded_pieces, folded_words,
    mismatch_places, shift, side_titles,
};
use layoutproof_show::style::{Style, one_line};

const COLUMNS: usize = 7;

pub(super) fn pair_diff(pair: &CheckedPair) -> Markup {
    let [host, shader] = side_titles(pair);
    let label = format!("Members of {} and {}", one_line(&shader.name), one_line(&host.name));
    let is_resized = |row: &ComparedRow| row.state == RowState::Differs && !has_one_size(row);
    let class = if pair.comparison.rows.iter().any(is_resized) { "numbers diff" } else { "numbers diff same-sizes" };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table class=(class) {
                thead {
                    tr {
                        th scope="colgroup" colspan="3" { (side_title("shader", &shader)) }
                        td {}
                        th scope="colgroup" colspan="3" { (side_title("host", &host)) }
                    }
                    tr {
                        th scope="col" { "member" } th.size scope="col" { "size" } th scope="col" { "offset" }
                        th scope="col" { "moved" }
                        th scope="col" { "offset" } th.size scope="col" { "size" } th scope="col" { "member" }
                    }
                }
                @for piece in grouped(differences(&pair.comparison)) {
                    @match &piece[..] {
                        [DiffPiece::Folded(rows)] => tbody.folded {
                            tr.fold-line {
                                th colspan=(COLUMNS) {
                                    label { input type="checkbox"; span { (folded_words(&pair.comparison.rows[rows.clone()])) } }
                                }
                            }
                            @for piece in folded_pieces(&pair.comparison, rows.clone()) { (line(pair, &piece)) }
                        },
                        pieces => tbody { @for piece in pieces { (line(pair, piece)) } },
                    }
                }
            }
        }
    }
}

/// Each run of lines together, and each folded run alone.
fn grouped(pieces: Vec<DiffPiece>) -> Vec<Vec<DiffPiece>> {
    let mut groups: Vec<Vec<DiffPiece>> = Vec::new();
    for piece in pieces {
        let is_folded = |piece: &DiffPiece| matches!(piece, DiffPiece::Folded(_));
        match groups.last_mut().filter(|group| !is_folded(&piece) && !group.iter().any(is_folded)) {
            Some(group) => group.push(piece),
            None => groups.push(vec![piece]),
        }
    }
    groups
}

fn side_title(role: &str, side: &SideTitle) -> Markup {
    let SideTitle { file, name, size } = side;
    html! {
        (role) ": " b { (one_line(name)) } " · " (size)
        br;
        span.dim { (one_line(file)) }
    }
}

fn line(pair: &CheckedPair, piece: &DiffPiece) -> Markup {
    match piece {
        DiffPiece::Row(index) => row(pair, &pair.comparison.rows[*index]),
        DiffPiece::Padding { start, size } => html! {
            tr.dim { th scope="row" { b.mark {} "// padding" } td.size { (size) } td { (start) } td.delta {} td { (start) } td.size { (size) } td.declared { "// padding" } }
        },
        DiffPiece::Mismatch(mismatch) => explanation(pair, &pair.comparison.mismatches[*mismatch]),
        DiffPiece::Folded(_) => html! {},
    }
}

fn row(pair: &CheckedPair, row: &ComparedRow) -> Markup {
    let class = match row.state {
        RowState::Differs => Some("starts"),
        RowState::Follows => Some("follows"),
        RowState::OneSided => Some("dim"),
        RowState::Agrees => None,
    };
    let mark = match row.state {
        RowState::Differs => "≠",
        RowState::Follows => "·",
        RowState::Agrees | RowState::OneSided => "",
    };
    let sides = row.shader.as_ref().zip(row.host.as_ref());
    let has_moved = sides.is_some_and(|(shader, host)| shader.offset != host.offset);
    let is_wrong = row.state == RowState::Differs;
    let place_class = (is_wrong && has_moved).then_some("d");
    let size_class = if is_wrong && !has_one_size(row) { "size d" } else { "size" };
    let moved = shift(row).filter(|bytes| *bytes != 0).map(|bytes| format!("{bytes:+}").replace('-', "−"));
    html! {
        tr class=[class] {
            th scope="row" {
                b.mark { (mark) }
                @match &row.shader {
                    Some(shader) => { (indented(shader, SideWords::of_shader(pair))) },
                    None => span.dim { "not in the shader" },
                }
            }
            td class=(size_class) { (size(row.shader.as_ref())) }
            td class=[place_class] { (offset(row.shader.as_ref())) }
            td.delta { @if let Some(moved) = moved { (moved) } }
            td class=[place_class] { (offset(row.host.as_ref())) }
            td class=(size_class) { (size(row.host.as_ref())) }
            td.declared {
                @match &row.host {
                    Some(host) => { (indented(host, SideWords::of_host(pair))) },
                    None if row.state == RowState::Agrees => {},
                    None => span.dim { "not in the host" },
                }
            }
        }
    }
}

/// True if both sides have the member, with the same size, or only one has it.
fn has_one_size(row: &ComparedRow) -> bool {
    row.shader.as_ref().zip(row.host.as_ref()).is_none_or(|(shader, host)| shader.size == host.size)
}

fn indented(side: &RowSide, words: SideWords) -> String {
    format!("{}{}", "  ".repeat(side.depth as usize), declaration(side, words))
}

fn offset(side: Option<&RowSide>) -> String {
    side.map(|side| side.offset.to_string()).unwrap_or_default()
}

fn size(side: Option<&RowSide>) -> String {
    side.map(|side| side.size.map_or_else(|| "[]".to_owned(), |size| size.to_string())).unwrap_or_default()
}

/// What is wrong, how to mend it, and where.
fn explanation(pair: &CheckedPair, mismatch: &Mismatch) -> Markup {
    html! {
        tr.explained {
            td colspan=(COLUMNS) {
                div.explanation {
                    p { strong { (with_code(&one_line(&mismatch.with_followers()))) } }
                    @if !mismatch.repairs.is_empty() { p { "Fix: " (with_code(&one_line(&mismatch.hint()))) } }
                    p.note { (one_line(&mismatch_places(pair, mismatch, Style::PLAIN))) }
                }
            }
        }
    }
}
