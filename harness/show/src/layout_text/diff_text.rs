//! `layoutproof diff`: compares two layouts of one source, member by member.
//!
//! Also reports whether the two differ anywhere. Alignments are not compared: they are not places,
//! and if one matters, an offset differs too.

use layoutproof_layout::MemberRow;
use serde::Serialize;

use super::member_tree::strides;
use super::struct_lines::{declaration, heading, refused};
use crate::show_json::{ShownBlock, ShownLayout};
use crate::style::{Style, TextLines, Tone, pad, pad_left, width};
use layoutproof_core::results::record::SCHEMA;
use layoutproof_source::plain_text::escape_json;

/// The text and the result of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffText {
    /// Side by side, with `!` where the two differ.
    pub text: String,
    /// True if any offset, size or stride differs.
    pub differs: bool,
    /// The same comparison for the JSON output.
    blocks: Vec<DiffBlock>,
}

/// One block of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct DiffBlock {
    name: String,
    /// True if a number or a refusal differs, or if only one side has the block.
    differs: bool,
    /// Paths of the members that differ.
    differing: Vec<String>,
    left: Option<ShownBlock>,
    right: Option<ShownBlock>,
}

/// The output of `diff --format json`.
#[derive(Serialize)]
struct DiffAnswer<'a> {
    schema: u32,
    left: &'a str,
    right: &'a str,
    differs: bool,
    blocks: &'a [DiffBlock],
}

impl DiffText {
    /// The output as one line of JSON, newline included.
    ///
    /// # Panics
    /// Never: these types hold nothing that JSON cannot express.
    pub fn to_json(&self, left: &ShownLayout, right: &ShownLayout) -> String {
        let (differs, blocks) = (self.differs, self.blocks.as_slice());
        let answer = DiffAnswer { schema: SCHEMA, left: &left.rules, right: &right.rules, differs, blocks };
        let json = serde_json::to_string(&answer).expect("the keys of these types are strings and no value is a map");
        escape_json(&json).into_owned() + "\n"
    }
}

/// Pairs the blocks of two layouts of different files and gives each pair the left name.
///
/// Blocks form a pair if their names are equal without the prefix that compilers add (`type.S`). If
/// each side has only one block, these two form a pair.
pub fn paired(left: ShownLayout, mut right: ShownLayout) -> [ShownLayout; 2] {
    let bare = |name: &str| {
        let name = ["type.ConstantBuffer.", "type.", "type_"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(name);
        name.trim_start_matches(['$', '_']).to_lowercase()
    };
    match (left.blocks.as_slice(), right.blocks.as_mut_slice()) {
        ([only], [other]) => other.name.clone_from(&only.name),
        (blocks, others) => {
            for other in others.iter_mut() {
                let exact = blocks.iter().any(|block| block.name == other.name);
                let alike = blocks.iter().find(|block| bare(&block.name) == bare(&other.name));
                if let Some(block) = alike.filter(|_| !exact) {
                    other.name.clone_from(&block.name);
                }
            }
        }
    }
    [left, right]
}

/// Columns of one number.
const NUMBER_COLUMNS: usize = 9;
/// Columns of the strides.
const STRIDE_COLUMNS: usize = 14;
/// Columns of one side.
const SIDE_COLUMNS: usize = 2 * NUMBER_COLUMNS + STRIDE_COLUMNS;

/// Compares block by block. A block that only one side has counts as a difference.
pub fn diff(left: &ShownLayout, right: &ShownLayout, style: Style) -> DiffText {
    let find = |layout: &'_ ShownLayout, name: &str| layout.blocks.iter().position(|block| block.name == name);
    let mut texts = Vec::new();
    let mut blocks = Vec::new();

    for block in &left.blocks {
        let other = find(right, &block.name).map(|index| &right.blocks[index]);
        let comparison = BlockComparison { names: [&left.rules, &right.rules], sides: [Some(block), other], style };
        let drawn = comparison.draw();
        texts.push(drawn.text);
        blocks.push(drawn.block);
    }
    for block in right.blocks.iter().filter(|block| find(left, &block.name).is_none()) {
        let comparison = BlockComparison { names: [&left.rules, &right.rules], sides: [None, Some(block)], style };
        let drawn = comparison.draw();
        texts.push(drawn.text);
        blocks.push(drawn.block);
    }

    let differs = blocks.iter().any(|block| block.differs);
    let (tone, verb) = if differs { (Tone::Disagree, "Differ") } else { (Tone::Agree, "Same") };
    texts.push(format!("{} {} and {}\n", style.verb(tone, verb), left.rules, right.rules));
    DiffText { text: texts.join("\n"), differs, blocks }
}

struct BlockComparison<'a> {
    names: [&'a str; 2],
    sides: [Option<&'a ShownBlock>; 2],
    style: Style,
}

/// Offset, size and strides of one line on one side.
type DiffNumbers = [String; 3];

/// A block as text and as data.
struct DrawnBlock {
    text: String,
    block: DiffBlock,
}

/// A member, or the end of the block, on both sides.
struct DiffLine {
    label: String,
    /// `None` for the end of the block.
    path: Option<String>,
    sides: [DiffNumbers; 2],
}

impl BlockComparison<'_> {
    fn draw(&self) -> DrawnBlock {
        let lines = self.lines();
        let title = self.sides.iter().flatten().next().map(|block| heading(block)).unwrap_or_default();
        let columns = lines.iter().map(|line| width(&line.label)).max().unwrap_or(0).max(width(&title));
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
        let mut differing = Vec::new();
        for DiffLine { label, path, sides } in &lines {
            if sides[0] != sides[1] {
                differs = true;
                differing.extend(path.clone());
            }
            text.push(&format!("  {}{}", pad(label, columns), self.numbers(sides)));
        }

        for (block, rules) in self.sides.iter().zip(self.names) {
            match block {
                Some(block) => text.append(&refused(block, rules, self.style)),
                None => text.push(&format!("{} has no such block", pad_left(rules, 10))),
            }
        }

        let [left, right] = self.sides.map(Option::<&ShownBlock>::cloned);
        let name = left.as_ref().or(right.as_ref()).map(|block| block.name.clone()).unwrap_or_default();
        let differs = differs || self.refusal_differs();
        DrawnBlock { text: text.into_text(), block: DiffBlock { name, differs, differing, left, right } }
    }

    /// True if one side refuses the block, both refuse it for different reasons, or only one side
    /// has it.
    fn refusal_differs(&self) -> bool {
        match self.sides {
            [Some(left), Some(right)] => left.errors != right.errors,
            [None, _] | [_, None] => true,
        }
    }

    fn lines(&self) -> Vec<DiffLine> {
        let [left, right] = self.sides.map(|side| side.map_or(&[][..], |block| &block.members));
        let in_left = |row: &MemberRow| left.iter().any(|other| other.path == row.path);
        let rows = left.iter().chain(right.iter().filter(|row| !in_left(row)));

        let mut lines: Vec<DiffLine> = rows
            .map(|row| {
                let depth = row.path.matches('.').count() + 1;
                let side = |rows: &[MemberRow]| rows.iter().find(|other| other.path == row.path).map(member);
                let label = format!("{}{}", "  ".repeat(depth), declaration(row, 0));
                let sides = [left, right].map(|rows| side(rows).unwrap_or_default());
                DiffLine { label, path: Some(row.path.clone()), sides }
            })
            .collect();
        let sides = self.sides.map(|side| side.map(total).unwrap_or_default());
        lines.push(DiffLine { label: "end".to_owned(), path: None, sides });
        lines
    }

    fn numbers(&self, sides: &[DiffNumbers; 2]) -> String {
        let [left, right] = sides;
        let columns = [NUMBER_COLUMNS, NUMBER_COLUMNS, STRIDE_COLUMNS];
        let mut text: String = left.iter().zip(columns).map(|(number, columns)| pad_left(number, columns)).collect();

        // Marks are in the right side's columns; a dot there marks a number that only the left side
        // has.
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
    strides.extend(row.matrix_vectors().map(|(order, stride)| format!("{} {stride}", order.as_str())));
    let bit = row.bit_offset.map(|bit| format!(".{bit}")).unwrap_or_default();
    let size = row.size.map_or_else(|| "[]".to_owned(), |size| size.to_string());
    [format!("{}{bit}", row.offset), size, strides.join(" ")]
}

fn total(block: &ShownBlock) -> DiffNumbers {
    let text = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    [text(block.size), String::new(), text(block.stride)]
}
