//! The table of a failure: the annotated struct with one column per witness.
//!
//! [`witness_tables`] gives its lines, which pages draw themselves; [`table`] is its text.
//!
//! `!` marks a wrong number, `?` an answer that is not an offset in this block, `·` a witness that
//! gives no number. A member's line has the numbers for its first byte. Parts of it that are wrong
//! in another way (a stride, a later element, one access form) follow on separate lines.

use std::path::Path;

use layoutproof_events::{Access, CheckRecord, Row, StoryBlock, Witness};
use layoutproof_layout::{MemberRow, Quantity};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_show::layout_text::struct_lines::{LineDrawing, LineKind, StructLine, lines};
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};
use layoutproof_source::shader_language::ShaderLanguage;

use super::located::{LocatedRow, is_part, locate, owner};
use super::witness::{Mark, WitnessField, columns, is_wrong, mark, number, reference};

/// Least width of a witness's column.
const WITNESS_COLUMNS: usize = 11;
/// Wrong parts of one member that are drawn one by one.
const MAX_PARTS: usize = 4;
/// Longer blocks show only the lines near a wrong number.
const MAX_LINES: usize = 32;

/// The table of one block, or of the bindings.
#[derive(Debug)]
pub(crate) struct WitnessTable<'a> {
    /// The block; `None` for what belongs to no block, mostly bindings.
    pub block: Option<&'a str>,
    pub columns: Vec<Witness>,
    pub lines: Vec<WitnessLine<'a>>,
}

/// A line with the witnesses' numbers; padding has none.
#[derive(Debug)]
pub(crate) struct WitnessLine<'a> {
    pub subject: LineSubject<'a>,
    /// Path in the block of the member that the line belongs to.
    member: Option<&'a str>,
    pub fields: Vec<WitnessField>,
}

#[derive(Debug)]
pub(crate) enum LineSubject<'a> {
    Struct(StructLine<'a>),
    /// A part of the line above that is wrong in another way.
    Part(String),
    /// The number of further such parts.
    MoreParts(usize),
    /// A parameter, or a number about it.
    Parameter(String),
}

/// The tables of all blocks and bindings of `record`.
pub(crate) fn witness_tables(record: &CheckRecord) -> Vec<WitnessTable<'_>> {
    let blocks = record.outcome.story().map_or(&[][..], |story| &story.blocks);
    let (located, others) = locate(&record.rows, blocks);
    let maker = TableMaker { record, columns: columns(record) };
    let mut tables: Vec<WitnessTable<'_>> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let rows: Vec<LocatedRow<'_>> = located.iter().filter(|row| row.block == index).copied().collect();
        tables.push(maker.block(block, &rows));
    }
    if !others.is_empty() {
        tables.push(maker.others(&others));
    }
    tables
}

pub(crate) fn table(record: &CheckRecord, style: Style) -> String {
    let tables: Vec<String> = witness_tables(record).iter().map(|table| table.text(style)).collect();
    tables.join("\n")
}

impl LineSubject<'_> {
    /// The text of a line that is none of the struct.
    fn below(&self, style: Style) -> Option<String> {
        match self {
            Self::Struct(_) => None,
            Self::Part(text) => Some(format!("    {text}")),
            Self::MoreParts(more) => Some(format!("    {} {more} more parts", style.ellipsis())),
            Self::Parameter(text) => Some(text.clone()),
        }
    }
}

impl WitnessLine<'_> {
    pub(crate) fn is_wrong(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.mark, Mark::Wrong | Mark::Missing))
    }
}

impl WitnessTable<'_> {
    /// The lines that are shown, and the number of others in their places.
    pub(crate) fn pieces(&self) -> Vec<TablePiece> {
        squeeze(&marks(&self.lines), MAX_LINES)
    }

    fn text(&self, style: Style) -> String {
        match self.block {
            Some(block) => {
                let heading = format!("struct {}", one_line(block));
                let of_struct = self.lines.iter().filter_map(|line| match &line.subject {
                    LineSubject::Struct(line) => Some(line.clone()),
                    LineSubject::Part(_) | LineSubject::MoreParts(_) | LineSubject::Parameter(_) => None,
                });
                let of_struct: Vec<StructLine<'_>> = of_struct.collect();
                let parts: Vec<String> = self.lines.iter().filter_map(|line| line.subject.below(style)).collect();
                let drawing = LineDrawing::new(style, &heading, &of_struct);
                let drawing = drawing.with_room_for(parts.iter().map(String::as_str));
                let text = |subject: &LineSubject<'_>| match subject {
                    LineSubject::Struct(line) => drawing.line(line),
                    other => drawing.detail(&other.below(style).unwrap_or_default()),
                };
                self.draw(&drawing.heading(&heading), &text, style)
            }
            None => {
                let heading = "parameter";
                let words = |subject: &LineSubject<'_>| subject.below(style).unwrap_or_default();
                let widths = self.lines.iter().map(|line| width(&words(&line.subject)));
                let widest = widths.max().unwrap_or(0).max(width(heading));
                let text = |subject: &LineSubject<'_>| format!("  {}", pad(&words(subject), widest));
                self.draw(&style.paint(Tone::Strong, &format!("  {}", pad(heading, widest))), &text, style)
            }
        }
    }

    fn draw(&self, heading: &str, text_of: &dyn Fn(&LineSubject<'_>) -> String, style: Style) -> String {
        let fields = self.lines.iter().flat_map(|line| &line.fields);
        let columns = fields.map(|field| width(&field.text) + 4).max().unwrap_or(0).max(WITNESS_COLUMNS);
        let names: String = self.columns.iter().map(|witness| pad_left(witness.as_str(), columns)).collect();

        let mut text = TextLines::default();
        text.push(&format!("{heading}{}", style.paint(Tone::Strong, &names)));
        for piece in self.pieces() {
            match piece {
                TablePiece::Line(index) => {
                    let line = &self.lines[index];
                    let fields = line.fields.iter();
                    let fields = fields.map(|field| style.paint(field.tone(), &pad_left(&field.text(style), columns)));
                    text.push(&format!("{}{}", text_of(&line.subject), fields.collect::<String>()));
                }
                TablePiece::Gap(_) | TablePiece::Rest(_) => {
                    let left_out = format!("{}{} {}", " ".repeat(16), style.ellipsis(), left_out(piece));
                    text.push(&style.paint(Tone::Dim, &left_out));
                }
            }
        }
        text.into_text()
    }
}

/// Words for lines that are not shown; empty for a line that is.
pub(crate) fn left_out(piece: TablePiece) -> String {
    match piece {
        TablePiece::Line(_) => String::new(),
        TablePiece::Gap(count) => format!("{count} lines without a wrong number"),
        TablePiece::Rest(count) => format!("{count} lines more"),
    }
}

struct TableMaker<'a> {
    record: &'a CheckRecord,
    columns: Vec<Witness>,
}

impl<'a> TableMaker<'a> {
    fn block(&self, block: &'a StoryBlock, rows: &[LocatedRow<'_>]) -> WitnessTable<'a> {
        let mut table = Vec::new();
        // Cases have no suffix, and are in HLSL.
        let language = ShaderLanguage::of(None, Path::new(&self.record.id.case)).unwrap_or(ShaderLanguage::Hlsl);
        for line in lines(language, &block.name, block.size, &block.members) {
            let (member, parts) = match line.kind {
                LineKind::Member(member) => (Some(member.path.as_str()), self.parts(member, block, rows)),
                LineKind::Padding => (None, Vec::new()),
                LineKind::Size => (None, self.block_parts(rows)),
            };
            let fields = self.fields(&line, block, rows);
            table.push(WitnessLine { subject: LineSubject::Struct(line), member, fields });
            let part = |(subject, fields)| WitnessLine { subject, member, fields };
            table.extend(parts.into_iter().map(part));
        }
        WitnessTable { block: Some(&block.name), columns: self.columns.clone(), lines: table }
    }

    /// The rows about no block, mostly bindings.
    fn others(&self, rows: &[&'a Row]) -> WitnessTable<'a> {
        let label = |row: &Row| match row.what {
            Quantity::Binding => one_line(&row.path),
            _ => {
                format!("{} of {}", word(row.what), one_line(&row.path))
            }
        };

        let line = |row: &&Row| WitnessLine {
            subject: LineSubject::Parameter(label(row)),
            member: None,
            fields: self.of(row),
        };
        WitnessTable { block: None, columns: self.columns.clone(), lines: rows.iter().map(line).collect() }
    }

    fn of(&self, row: &Row) -> Vec<WitnessField> {
        self.columns.iter().map(|witness| WitnessField::new(row, *witness, self.record.outcome.culprit())).collect()
    }

    fn fields(&self, line: &StructLine<'_>, block: &StoryBlock, rows: &[LocatedRow<'_>]) -> Vec<WitnessField> {
        let row = match line.kind {
            LineKind::Padding => return Vec::new(),
            LineKind::Member(member) => self.first_byte(member, block, rows),
            LineKind::Size => {
                rows.iter().find(|r| r.path.is_empty() && r.row.what == Quantity::Size).map(|r| r.row.clone())
            }
        };
        row.map_or_else(|| vec![WitnessField::silent(); self.columns.len()], |row| self.of(&row))
    }

    /// The witnesses' numbers for a member's first byte, collected from the rows of the member and
    /// of its first scalar.
    fn first_byte(&self, member: &MemberRow, block: &StoryBlock, rows: &[LocatedRow<'_>]) -> Option<Row> {
        let own = offsets_of(member, block, rows);
        let place = |row: &Row| number(reference(row, self.record.outcome.culprit())).unwrap_or(u32::MAX);
        let first = own.iter().min_by_key(|located| (place(located.row), located.path.len()))?.row;

        let mut merged = first.clone();
        for located in own.iter().filter(|located| place(located.row) == place(first)) {
            let row = located.row.clone();
            merged.witnesses = merged.witnesses.or(row.witnesses);
            merged.note = merged.note.or(row.note);
        }
        Some(merged)
    }

    /// The parts of a member that are wrong in another way than its first byte.
    fn parts(&self, member: &MemberRow, block: &StoryBlock, rows: &[LocatedRow<'_>]) -> Vec<TablePart<'a>> {
        let mut seen: Vec<Shifts> =
            self.first_byte(member, block, rows).map(|row| self.shifts(&row)).into_iter().collect();
        let mut parts = Vec::new();
        for located in offsets_of(member, block, rows) {
            let shifts = self.shifts(located.row);
            if is_wrong(located.row, self.record.outcome.culprit()) && !seen.contains(&shifts) {
                seen.push(shifts);
                parts.push((
                    LineSubject::Part(format!("{} {}", one_line(located.path), axes(located.row))),
                    self.of(located.row),
                ));
            }
        }

        let others = rows.iter().filter(|located| located.row.what != Quantity::Offset);
        for located in others.filter(|located| owns(member, block, located)) {
            if is_wrong(located.row, self.record.outcome.culprit()) {
                let text = format!("{} of {}", word(located.row.what), one_line(located.path));
                parts.push((LineSubject::Part(text), self.of(located.row)));
            }
        }

        if parts.len() > MAX_PARTS {
            let more = parts.len() - MAX_PARTS;
            parts.truncate(MAX_PARTS);
            parts.push((LineSubject::MoreParts(more), Vec::new()));
        }
        parts
    }

    /// Wrong rows about the block itself, except its size.
    fn block_parts(&self, rows: &[LocatedRow<'_>]) -> Vec<TablePart<'a>> {
        let own = rows.iter().filter(|located| located.path.is_empty() || located.path.starts_with('['));
        own.filter(|located| located.row.what != Quantity::Size && is_wrong(located.row, self.record.outcome.culprit()))
            .map(|located| {
                let path = one_line(&located.row.path);
                let text = format!("{} of {path} {}", word(located.row.what), axes(located.row));
                (LineSubject::Parameter(text), self.of(located.row))
            })
            .collect()
    }

    /// How far off each witness is; `None` if it is right or gives no number.
    fn shifts(&self, row: &Row) -> Shifts {
        let culprit = self.record.outcome.culprit();
        let shift = |witness: &Witness| match mark(row, *witness, culprit) {
            Mark::Right | Mark::Silent => None,
            Mark::Missing => Some(None),
            Mark::Wrong => {
                let from = number(reference(row, culprit)).map(i64::from);
                Some(number(row.witnesses.of(*witness)).map(i64::from).zip(from).map(|(there, from)| there - from))
            }
        };
        self.columns.iter().map(shift).collect()
    }
}

/// A line below a member with the witnesses' numbers.
type TablePart<'a> = (LineSubject<'a>, Vec<WitnessField>);

/// Per witness: `None` if it is right, `Some(None)` for an answer without a number, else the
/// distance from the reference in bytes.
type Shifts = Vec<Option<Option<i64>>>;

/// The lines that matter: those with a wrong number, and the structs that contain them.
fn marks(table: &[WitnessLine<'_>]) -> Vec<bool> {
    let wrong: Vec<&str> = table.iter().filter(|line| line.is_wrong()).filter_map(|line| line.member).collect();
    let holds_wrong = |line: &WitnessLine<'_>| {
        let holds = |path: &&str| line.member.is_some_and(|member| is_part(path, member));
        !line.fields.is_empty() && wrong.iter().any(holds)
    };
    table.iter().map(|line| line.is_wrong() || holds_wrong(line)).collect()
}

fn owns(member: &MemberRow, block: &StoryBlock, located: &LocatedRow<'_>) -> bool {
    owner(&block.members, located.path).is_some_and(|owner| std::ptr::eq(owner, member)) && !located.path.is_empty()
}

fn offsets_of<'a>(member: &MemberRow, block: &StoryBlock, rows: &[LocatedRow<'a>]) -> Vec<LocatedRow<'a>> {
    let own = rows.iter().filter(|located| located.row.what == Quantity::Offset);
    own.filter(|located| owns(member, block, located) || (member.path.is_empty() && located.path.is_empty()))
        .copied()
        .collect()
}

fn word(what: Quantity) -> &'static str {
    match what {
        Quantity::Offset => "offset",
        Quantity::ArrayStride => "stride",
        Quantity::MatrixStride => "matrix stride",
        Quantity::Size => "size",
        Quantity::Alignment => "alignment",
        Quantity::Binding => "binding",
        Quantity::Guard => "guard",
        Quantity::ArrayLength => "length",
    }
}

/// `(storage, write, vector)`, `(uniform, vertex, read, leaf)`; empty if no device answered.
fn axes(row: &Row) -> String {
    let Some(Access { space, stage, direction, form }) = row.access else { return String::new() };
    let space = match space {
        AddressSpace::Uniform => "uniform",
        AddressSpace::Storage => "storage",
        AddressSpace::PushConstant => "push constant",
        AddressSpace::UniformElement => "uniform element",
        AddressSpace::StorageElement => "storage element",
        AddressSpace::Address => "address",
        AddressSpace::ShaderRecord => "shader record",
        AddressSpace::Workgroup => "workgroup",
        AddressSpace::InlineUniform => "inline uniform",
        AddressSpace::HeapUniform => "heap uniform",
        AddressSpace::HeapStorage => "heap storage",
    };
    let stage = (stage != Stage::Compute).then_some(stage.as_str());
    let direction = match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    };
    let parts: Vec<&str> =
        [Some(space), stage, Some(direction), form.map(Form::as_str)].into_iter().flatten().collect();
    format!("({})", parts.join(", "))
}

/// A line of a shortened table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TablePiece {
    Line(usize),
    /// This many lines without a mark were left out.
    Gap(usize),
    /// This many lines at the end were left out, marked or not.
    Rest(usize),
}

/// Selects the lines to draw; `marked` says which lines matter. A table of at most `limit` lines
/// stays whole, and a longer one keeps at most twice as many.
pub(crate) fn squeeze(marked: &[bool], limit: usize) -> Vec<TablePiece> {
    if marked.len() <= limit {
        return (0..marked.len()).map(TablePiece::Line).collect();
    }

    let near = |index: usize| (index.saturating_sub(1)..=index + 1).any(|i| marked.get(i) == Some(&true));
    let mut pieces = Vec::new();
    for index in 0..marked.len() {
        if pieces.len() >= 2 * limit {
            pieces.push(TablePiece::Rest(marked.len() - index));
            break;
        }
        let keep = near(index) || index == 0 || index + 1 == marked.len();
        match (keep, pieces.last_mut()) {
            (true, _) => pieces.push(TablePiece::Line(index)),
            (false, Some(TablePiece::Gap(count))) => *count += 1,
            (false, Some(TablePiece::Line(_) | TablePiece::Rest(_)) | None) => pieces.push(TablePiece::Gap(1)),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_near_a_mark_and_both_ends_stay() {
        let mut marked = [false; 12];
        marked[6] = true;
        let expected = [
            TablePiece::Line(0),
            TablePiece::Gap(4),
            TablePiece::Line(5),
            TablePiece::Line(6),
            TablePiece::Line(7),
            TablePiece::Gap(3),
            TablePiece::Line(11),
        ];
        assert_eq!(squeeze(&marked, 8), expected);
        assert_eq!(squeeze(&[true; 9], 2)[3..], [TablePiece::Line(3), TablePiece::Rest(5)]);
        assert_eq!(squeeze(&marked[..3], 8), [TablePiece::Line(0), TablePiece::Line(1), TablePiece::Line(2)]);
    }
}
