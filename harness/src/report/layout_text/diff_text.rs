//! `layoutproof diff`: two layouts of one source, member by member.
//!
//! Also tells whether the two put anything in different places. Alignments are not compared: they are not places, and where
//! they matter an offset differs too.

use layoutproof_layout::MemberRow;

use super::member_tree::strides;
use super::struct_lines::{declaration, heading, order_word, refused};
use crate::report::formats::show_json::{ShownBlock, ShownLayout};
use crate::report::style::{Style, TextLines, Tone, pad, pad_left, width};

/// The text, and whether anything differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffText {
    /// Side by side, `!` where the two differ.
    pub text: String,
    /// True if any offset, size or stride differs.
    pub differs: bool,
}

/// Columns of one number.
const NUMBER_COLUMNS: usize = 9;
/// Columns of the strides.
const STRIDE_COLUMNS: usize = 14;
/// Columns of one side.
const SIDE_COLUMNS: usize = 2 * NUMBER_COLUMNS + STRIDE_COLUMNS;

/// Compares block by block; a block that only one side has differs.
pub fn diff(left: &ShownLayout, right: &ShownLayout, style: Style) -> DiffText {
    let find = |layout: &'_ ShownLayout, name: &str| layout.blocks.iter().position(|block| block.name == name);
    let mut texts = Vec::new();
    let mut differs = false;

    for block in &left.blocks {
        let other = find(right, &block.name).map(|index| &right.blocks[index]);
        let comparison = BlockComparison { names: [&left.rules, &right.rules], sides: [Some(block), other], style };
        let (text, differs_here) = comparison.draw();
        texts.push(text);
        differs |= differs_here;
    }
    for block in right.blocks.iter().filter(|block| find(left, &block.name).is_none()) {
        let comparison = BlockComparison { names: [&left.rules, &right.rules], sides: [None, Some(block)], style };
        texts.push(comparison.draw().0);
        differs = true;
    }

    let (tone, verb) = if differs { (Tone::Disagree, "Differ") } else { (Tone::Agree, "Same") };
    texts.push(format!("{} {} and {}\n", style.verb(tone, verb), left.rules, right.rules));
    DiffText { text: texts.join("\n"), differs }
}

struct BlockComparison<'a> {
    names: [&'a str; 2],
    sides: [Option<&'a ShownBlock>; 2],
    style: Style,
}

/// Offset, size and strides of one line on one side.
type DiffNumbers = [String; 3];

impl BlockComparison<'_> {
    fn draw(&self) -> (String, bool) {
        let lines = self.lines();
        let title = self.sides.iter().flatten().next().map(|block| heading(block)).unwrap_or_default();
        let columns = lines.iter().map(|(label, _)| width(label)).max().unwrap_or(0).max(width(&title));
        let rules: String = self.names.iter().map(|name| pad_left(name, SIDE_COLUMNS)).collect();
        let heads = format!(
            "{}{}{}",
            pad_left("offset", NUMBER_COLUMNS),
            pad_left("size", NUMBER_COLUMNS),
            pad_left("stride", STRIDE_COLUMNS)
        );

        let mut text = TextLines::default();
        text.push(&self.style.paint(Tone::Strong, &format!("  {}{rules}", " ".repeat(columns))));
        text.push(&self.style.paint(Tone::Strong, &format!("  {}{heads}{heads}", pad(&title, columns))));

        let mut differs = false;
        for (label, sides) in &lines {
            differs |= sides[0] != sides[1];
            text.push(&format!("  {}{}", pad(label, columns), self.numbers(sides)));
        }

        for (block, rules) in self.sides.iter().zip(self.names) {
            match block {
                Some(block) => text.append(&refused(block, rules, self.style)),
                None => text.push(&format!("{} has no such block", pad_left(rules, 10))),
            }
        }
        (text.into_text(), differs || self.refusal_differs())
    }

    /// One side refuses the block, or both do for different reasons, or one has none.
    fn refusal_differs(&self) -> bool {
        match self.sides {
            [Some(left), Some(right)] => left.errors != right.errors,
            [None, _] | [_, None] => true,
        }
    }

    fn lines(&self) -> Vec<(String, [DiffNumbers; 2])> {
        let [left, right] = self.sides.map(|side| side.map_or(&[][..], |block| &block.members));
        let in_left = |row: &MemberRow| left.iter().any(|other| other.path == row.path);
        let rows = left.iter().chain(right.iter().filter(|row| !in_left(row)));

        let mut lines: Vec<(String, [DiffNumbers; 2])> = rows
            .map(|row| {
                let depth = row.path.matches('.').count() + 1;
                let side = |rows: &[MemberRow]| rows.iter().find(|other| other.path == row.path).map(member);
                let label = format!("{}{}", "  ".repeat(depth), declaration(row, 0));
                (label, [left, right].map(|rows| side(rows).unwrap_or_default()))
            })
            .collect();
        lines.push(("end".to_owned(), self.sides.map(|side| side.map(total).unwrap_or_default())));
        lines
    }

    fn numbers(&self, sides: &[DiffNumbers; 2]) -> String {
        let [left, right] = sides;
        let columns = [NUMBER_COLUMNS, NUMBER_COLUMNS, STRIDE_COLUMNS];
        let mut text: String = left.iter().zip(columns).map(|(number, columns)| pad_left(number, columns)).collect();

        // The right side carries the marks; a number that only the left side has is marked with a dot.
        for ((there, here), columns) in left.iter().zip(right).zip(columns) {
            let marked = match (there == here, here.is_empty()) {
                (true, _) => here.clone(),
                (false, true) => format!("! {}", self.style.dot()),
                (false, false) => format!("! {here}"),
            };
            let tone = if there == here { Tone::Plain } else { Tone::Disagree };
            text += &self.style.paint(tone, &pad_left(&marked, columns));
        }
        text
    }
}

fn member(row: &MemberRow) -> DiffNumbers {
    let mut strides: Vec<String> = strides(row).iter().map(ToString::to_string).collect();
    strides.extend(row.matrix_order.map(|order| {
        let stride = row.matrix_stride.map(|stride| format!(" {stride}")).unwrap_or_default();
        format!("{}{stride}", order_word(order))
    }));
    let bit = row.bit_offset.map(|bit| format!(".{bit}")).unwrap_or_default();
    let size = row.size.map_or_else(|| "[]".to_owned(), |size| size.to_string());
    [format!("{}{bit}", row.offset), size, strides.join(" ")]
}

fn total(block: &ShownBlock) -> DiffNumbers {
    let text = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    [text(block.size), String::new(), text(block.stride)]
}
