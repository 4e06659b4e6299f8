//! Prints the padding of blocks: where it is, its share of the block, and an order of members that
//! needs fewer bytes.

use layoutproof_layout::padding::{BlockPadding, Hole, HoleKind, PaddedStruct};
use layoutproof_layout::reorder::MemberOrder;

use super::struct_lines::{OFFSET_COLUMNS, SIZE_COLUMNS};
use crate::style::{Style, TextLines, Tone, one_line, pad_left};

/// Every block with its structs, each after an empty line.
pub fn text(blocks: &[BlockPadding], style: Style) -> String {
    let mut text = TextLines::default();
    for block in blocks {
        text.push("");
        text.push(&one_block(block, style));

        if !block.structs.is_empty() {
            let heading = columns("offset", "size", &one_line(&format!("{} {}", block.kind, block.block)));
            text.push(&style.paint(Tone::Strong, &heading));
        }
        for padded in &block.structs {
            structure(block, padded, style, &mut text);
        }
    }
    text.into_text()
}

fn one_block(block: &BlockPadding, style: Style) -> String {
    let BlockPadding { rules, block: name, size, padding, percent, .. } = block;
    let name = one_line(name);
    format!("{} {name} under {rules}: {padding} of {size} bytes, {percent} %", style.verb(Tone::Strong, "Padding"))
}

fn columns(offset: &str, size: &str, text: &str) -> String {
    format!("{}{}  {text}", pad_left(offset, OFFSET_COLUMNS), pad_left(size, SIZE_COLUMNS))
}

fn structure(block: &BlockPadding, padded: &PaddedStruct, style: Style, text: &mut TextLines) {
    let PaddedStruct { path, type_name, size, holes, better } = padded;
    if !path.is_empty() {
        let path = one_line(&format!("{}.{path}", block.block));
        let heading = format!("{} at {path}, {size} bytes", one_line(type_name));
        text.push(&columns("", "", &heading));
    }

    for hole in holes {
        let Hole { offset, size, .. } = hole;
        let place = place(hole);
        text.push(&style.paint(Tone::Dim, &columns(&offset.to_string(), &size.to_string(), &one_line(&place))));
    }

    if let Some(MemberOrder { members, size, saves }) = better {
        let order = one_line(&members.join(", "));
        text.push(&format!("{} {order}: {size} bytes, {saves} fewer", style.verb(Tone::Agree, "Better")));
    }
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
