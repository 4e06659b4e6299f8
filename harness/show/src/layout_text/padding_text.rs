//! Prints the padding of blocks: its share of each, the part inside members, and a better order as
//! a diff of the declaration.

use layoutproof_layout::padding::{Hole, HoleKind};

use crate::better_order::{BetterOrder, ColumnSize, PaddedBlock, PaddedColumn};
use crate::style::{Style, TextLines, Tone, one_line, width};

/// Every block that has padding, each after an empty line.
pub fn text(blocks: &[PaddedBlock], style: Style) -> String {
    let mut text = TextLines::default();
    for block in blocks.iter().filter(|block| block.columns.iter().any(|column| column.padding > 0)) {
        text.push("");
        let verb = style.verb(Tone::Strong, "Padding");
        for (index, column) in block.columns.iter().enumerate() {
            let PaddedColumn { names, size, padding, percent, inside } = column;
            let name = one_line(&block.name);
            let start = match index {
                0 => format!("{verb} {name}:"),
                _ => " ".repeat(width("   Padding :") + width(&name)),
            };
            let inside = match inside.as_slice() {
                [] => String::new(),
                [hole] => format!("; {} {}", hole.size, place(hole)),
                holes => {
                    format!("; {} inside {} members", holes.iter().map(|hole| hole.size).sum::<u32>(), holes.len())
                }
            };
            text.push(&format!("{start} {padding} of {size} bytes, {percent} %{inside}{}", columns(names)));
        }
        if block.is_fixed {
            text.push("           members with explicit offsets or bits stay where they are");
        } else if block.better.is_empty() {
            text.push("           no better order found");
        }
        for better in &block.better {
            order(better, style, &mut text);
        }
    }
    if text.is_empty() {
        text.push("");
        text.push("no byte of any block is padding");
    }
    text.into_text()
}

fn order(better: &BetterOrder, style: Style, text: &mut TextLines) {
    let BetterOrder { type_name, members, sizes, is_minimal, edit } = better;
    let subject = if type_name.is_empty() { String::new() } else { format!("struct {}: ", one_line(type_name)) };
    let proof = if *is_minimal { "; no order is smaller" } else { "; not proved minimal" };
    let arrow = if style.ascii { "->" } else { "→" };
    for (index, ColumnSize { names, declared, reordered, has_registers }) in sizes.iter().enumerate() {
        let (verb, subject, proof) = match index {
            0 => (style.verb(Tone::Agree, "Better"), subject.as_str(), proof),
            _ => (" ".repeat(10), "", ""),
        };
        let registers = [declared, reordered].map(|size| size.div_ceil(16));
        let in_registers = if *has_registers {
            format!(", {} {arrow} {} registers", registers[0], registers[1])
        } else {
            String::new()
        };
        let bytes = format!("{declared} {arrow} {reordered} bytes{in_registers}");
        text.push(&format!("{verb} {subject}{bytes}{}{proof}", columns(names)));
    }
    match edit {
        None => text.push(&format!("           order: {}", one_line(&members.join(", ")))),
        Some(edit) => {
            for line in edit.diff.lines() {
                let tone = match line.chars().next() {
                    Some('+') => Tone::Agree,
                    Some('-') => Tone::Disagree,
                    Some(_) | None => Tone::Plain,
                };
                text.push(&style.paint(tone, &one_line(line)));
            }
        }
    }
}

/// The columns with some numbers: ` (D3D12 · DXC)`.
fn columns(names: &[String]) -> String {
    format!(" ({})", one_line(&names.join(", ")))
}

/// `before b`.
pub fn place(hole: &Hole) -> String {
    match (hole.kind, hole.member.as_str()) {
        (HoleKind::Tail, "") => "at the end".to_owned(),
        (HoleKind::Before | HoleKind::Inside, "") => "inside the element".to_owned(),
        (HoleKind::Before, member) => format!("before {member}"),
        (HoleKind::Inside, member) => format!("inside {member}"),
        (HoleKind::Tail, member) => format!("at the end, after {member}"),
    }
}
