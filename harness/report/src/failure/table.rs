//! Prints the table of a failure: the annotated struct with one column per witness.
//!
//! `!` marks a wrong number, `?` an answer that is not an offset in this block, `·` a witness that
//! gives no number. A member's line has the numbers for its first byte. Parts of it that are wrong
//! in another way (a stride, a later element, one access form) follow on separate lines.

use layoutproof_layout::{MemberRow, Quantity};

use super::located::{LocatedRow, is_part, locate, owner};
use super::squeeze::{TablePiece, squeeze};
use super::witness::{Mark, WitnessField, columns, is_wrong, mark, number, reference};
use layoutproof_core::results::record::{Access, CheckRecord, Row, StoryBlock, Witness};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_show::layout_text::struct_lines::{LineDrawing, LineKind, StructLine, lines};
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};

/// Least width of a witness's column.
const WITNESS_COLUMNS: usize = 11;
/// Wrong parts of one member that are drawn one by one.
const MAX_PARTS: usize = 4;
/// Longer blocks show only the lines near a wrong number.
const MAX_LINES: usize = 32;

/// The tables of all blocks and bindings of `record`.
pub(crate) fn table(record: &CheckRecord, style: Style) -> String {
    let blocks = record.outcome.story().map_or(&[][..], |story| &story.blocks);
    let (located, others) = locate(&record.rows, blocks);
    let drawing = Drawing { record, columns: columns(record), style };
    let mut tables: Vec<String> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let rows: Vec<LocatedRow<'_>> = located.iter().filter(|row| row.block == index).copied().collect();
        tables.push(drawing.block(block, &rows));
    }
    if !others.is_empty() {
        tables.push(drawing.others(&others));
    }
    tables.join("\n")
}

struct Drawing<'a> {
    record: &'a CheckRecord,
    columns: Vec<Witness>,
    style: Style,
}

/// A line with the witnesses' numbers; padding has none.
struct TableLine {
    /// Path in the block of the member that the line belongs to.
    member: Option<String>,
    text: String,
    fields: Vec<WitnessField>,
}

impl TableLine {
    fn is_wrong(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.mark, Mark::Wrong | Mark::Missing))
    }
}

impl Drawing<'_> {
    fn block(&self, block: &StoryBlock, rows: &[LocatedRow<'_>]) -> String {
        let heading = format!("struct {}", one_line(&block.name));
        let lines = lines(&block.name, block.size, &block.members);
        let parts = lines.iter().map(|line| match line.kind {
            LineKind::Member(member) => self.parts(member, block, rows),
            LineKind::Padding => Vec::new(),
            LineKind::Size => self.block_parts(rows),
        });
        let parts: Vec<Vec<TablePart>> = parts.collect();
        let texts = parts.iter().flatten().map(|(text, _)| text.as_str());
        let drawing = LineDrawing::new(self.style, &heading, &lines).with_room_for(texts);

        let mut table = Vec::new();
        for (line, parts) in lines.iter().zip(parts) {
            let member = match line.kind {
                LineKind::Member(member) => Some(member.path.clone()),
                LineKind::Padding | LineKind::Size => None,
            };
            let fields = self.fields(line, block, rows);
            table.push(TableLine { member: member.clone(), text: drawing.line(line), fields });
            let part =
                |(text, fields): TablePart| TableLine { member: member.clone(), text: drawing.detail(&text), fields };
            table.extend(parts.into_iter().map(part));
        }

        self.draw(&drawing.heading(&heading), &table)
    }

    /// The rows about no block, mostly bindings.
    fn others(&self, rows: &[&Row]) -> String {
        let label = |row: &Row| match row.what {
            Quantity::Binding => one_line(&row.path),
            _ => {
                format!("{} of {}", word(row.what), one_line(&row.path))
            }
        };

        let heading = "parameter";
        let widest = rows.iter().map(|row| width(&label(row))).max().unwrap_or(0).max(width(heading));
        let line = |row: &&Row| TableLine {
            member: None,
            text: format!("  {}", pad(&label(row), widest)),
            fields: self.of(row),
        };
        let table: Vec<TableLine> = rows.iter().map(line).collect();
        let heading = format!("  {}", pad(heading, widest));
        self.draw(&self.style.paint(Tone::Strong, &heading), &table)
    }

    fn draw(&self, heading: &str, table: &[TableLine]) -> String {
        let fields = table.iter().flat_map(|line| &line.fields);
        let columns = fields.map(|field| width(&field.text) + 4).max().unwrap_or(0).max(WITNESS_COLUMNS);
        let names: String = self.columns.iter().map(|witness| pad_left(witness.as_str(), columns)).collect();

        let mut text = TextLines::default();
        text.push(&format!("{heading}{}", self.style.paint(Tone::Strong, &names)));

        for piece in squeeze(&marks(table), MAX_LINES) {
            match piece {
                TablePiece::Line(index) => {
                    let line = &table[index];
                    let fields = line
                        .fields
                        .iter()
                        .map(|field| self.style.paint(field.tone(), &pad_left(&field.text(self.style), columns)));
                    text.push(&format!("{}{}", line.text, fields.collect::<String>()));
                }
                TablePiece::Gap(count) => text.push(&self.left_out(count, "without a wrong number")),
                TablePiece::Rest(count) => text.push(&self.left_out(count, "more")),
            }
        }

        text.into_text()
    }

    fn left_out(&self, count: usize, what: &str) -> String {
        let text = format!("{}{} {count} lines {what}", " ".repeat(16), self.style.ellipsis());
        self.style.paint(Tone::Dim, &text)
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
    fn parts(&self, member: &MemberRow, block: &StoryBlock, rows: &[LocatedRow<'_>]) -> Vec<TablePart> {
        let mut seen: Vec<Shifts> =
            self.first_byte(member, block, rows).map(|row| self.shifts(&row)).into_iter().collect();
        let mut parts = Vec::new();
        for located in offsets_of(member, block, rows) {
            let shifts = self.shifts(located.row);
            if is_wrong(located.row, self.record.outcome.culprit()) && !seen.contains(&shifts) {
                seen.push(shifts);
                parts.push((format!("    {} {}", one_line(located.path), axes(located.row)), self.of(located.row)));
            }
        }

        let others = rows.iter().filter(|located| located.row.what != Quantity::Offset);
        for located in others.filter(|located| owns(member, block, located)) {
            if is_wrong(located.row, self.record.outcome.culprit()) {
                let text = format!("    {} of {}", word(located.row.what), one_line(located.path));
                parts.push((text, self.of(located.row)));
            }
        }

        if parts.len() > MAX_PARTS {
            let more = parts.len() - MAX_PARTS;
            parts.truncate(MAX_PARTS);
            parts.push((format!("    {} {more} more parts", self.style.ellipsis()), Vec::new()));
        }
        parts
    }

    /// Wrong rows about the block itself, except its size.
    fn block_parts(&self, rows: &[LocatedRow<'_>]) -> Vec<TablePart> {
        let own = rows.iter().filter(|located| located.path.is_empty() || located.path.starts_with('['));
        own.filter(|located| located.row.what != Quantity::Size && is_wrong(located.row, self.record.outcome.culprit()))
            .map(|located| {
                let path = one_line(&located.row.path);
                let text = format!("{} of {path} {}", word(located.row.what), axes(located.row));
                (text, self.of(located.row))
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

/// A line below a member: its text and the witnesses' numbers.
type TablePart = (String, Vec<WitnessField>);

/// Per witness: `None` if it is right, `Some(None)` for an answer without a number, else the
/// distance from the reference in bytes.
type Shifts = Vec<Option<Option<i64>>>;

/// The lines that matter: those with a wrong number, and the structs that contain them.
fn marks(table: &[TableLine]) -> Vec<bool> {
    let wrong: Vec<&str> =
        table.iter().filter(|line| line.is_wrong()).filter_map(|line| line.member.as_deref()).collect();
    let holds_wrong = |line: &TableLine| {
        let holds = |path: &&str| line.member.as_deref().is_some_and(|member| is_part(path, member));
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
    };
    let stage = match stage {
        Stage::Compute => None,
        stage @ (Stage::Vertex | Stage::Fragment) => Some(stage.as_str()),
    };
    let direction = match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    };
    let parts: Vec<&str> =
        [Some(space), stage, Some(direction), form.map(Form::as_str)].into_iter().flatten().collect();
    format!("({})", parts.join(", "))
}
