//! The text of `layoutproof show`: one rule set as an annotated struct, several side by side.
//!
//! One rule set gets the full picture; several get one column of offsets each, since their padding has no lines in common.

use super::side_by_side;
use super::struct_lines::{LineDrawing, heading, lines, refused};
use crate::report::formats::show_json::{ShownBlock, ShownLayout};
use crate::report::style::{Style, TextLines, Tone};

/// Every block of `layouts`: one rule set as an annotated struct, several side by side.
pub fn show(layouts: &[ShownLayout], style: Style) -> String {
    match layouts {
        [] => String::new(),
        [layout] => {
            let block = |block| annotated(block, &layout.rules, style);
            layout.blocks.iter().map(block).collect::<Vec<_>>().join("\n")
        }
        several => side_by_side::show(several, style),
    }
}

fn annotated(block: &ShownBlock, rules: &str, style: Style) -> String {
    let mut text = TextLines::default();
    text.push(&format!("{} {rules}", style.verb(Tone::Strong, "Rules")));
    if !block.errors.is_empty() {
        text.append(&refused(block, rules, style));
        return text.into_text();
    }

    let mut lines = lines(&block.name, block.size, &block.members);
    if let (Some(end), Some(stride)) = (lines.last_mut(), block.stride) {
        end.note = format!("stride {stride}");
    }

    let heading = heading(block);
    let drawing = LineDrawing::new(style, &heading, &lines);
    text.push(&drawing.heading(&heading));
    for line in &lines {
        text.push(&drawing.line(line));
    }
    text.into_text()
}
