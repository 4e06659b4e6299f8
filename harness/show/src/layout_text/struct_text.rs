//! The text of `layoutproof show`: a table for each block, declarations on the left, numbers on the
//! right.
//!
//! A column is a shipping target or a rule set. Columns that lay out a block the same way are
//! merged. Lines stay within the width of the terminal unless a name is wider.

use std::collections::BTreeMap;

use layoutproof_layout::{BlockKind, MemberRow, Reach, StageData};
use layoutproof_source::shader_language::ShaderLanguage;

use super::compared_rows::{Change, ComparedLayout, ComparedRow, alternatives, compared_rows};
use super::declaration_words::{block_keyword, declaration, has_type_in_front};
use super::shown_columns::{ColumnName, ResourceMember, ShownColumn, ShownColumnBlock};
use super::shown_columns::{ForbiddenBlock, MergedBlock, MergedColumn, has_several_strides};
use super::struct_lines::{named, refused};
use crate::show_json::ShownBlock;
use crate::style::{Style, TextLines, Tone, VERB_COLUMNS, one_line, pad, pad_left, width, wrapped};

/// The width of a text that is not for a terminal.
pub const PLAIN_COLUMNS: usize = 80;
/// Least width of declarations if there are many columns of numbers.
const LABEL_COLUMNS: usize = 24;
/// Least width of a column of offsets, including the space before it.
const NUMBER_COLUMNS: usize = 8;
/// Spaces between columns, and between a declaration and its note.
const GAP: usize = 2;
const INDENT: &str = "  ";

/// How to draw the text, and what to add to it.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions<'a> {
    pub style: Style,
    /// The width to stay within.
    pub width: usize,
    /// Declarations of what is bound and has no bytes.
    pub resources: &'a [String],
    /// Where blocks are bound, by name, and resources, by declaration: `b0 / set 0 binding 0`.
    pub places: Option<&'a BTreeMap<String, String>>,
    /// What else the user can ask: `C++: --format cpp`.
    pub hints: &'a [String],
}

impl TextOptions<'_> {
    pub fn plain(style: Style) -> Self {
        Self { style, width: PLAIN_COLUMNS, resources: &[], places: None, hints: &[] }
    }
}

/// Every block under all columns, and a summary.
pub fn show(columns: &[ShownColumn], language: ShaderLanguage, options: &TextOptions<'_>) -> String {
    let merged = MergedBlock::all(columns);
    let drawn: Vec<&MergedBlock<'_>> = merged.iter().filter(|block| !block.is_empty()).collect();
    let is_only = drawn.len() == 1;

    let mut text = TextLines::default();
    let mut says_all_names = true;
    let mut was_folded = false;
    for (index, block) in drawn.iter().enumerate() {
        let twin = drawn[..index].iter().find(|earlier| earlier.has_same_layouts(block));
        let is_folded = twin.is_some();
        if index > 0 && !(is_folded && was_folded) {
            text.push("");
        }
        was_folded = is_folded;
        let table = BlockTable { merged: block, language, options, says_all_names };
        match twin {
            Some(twin) => table.as_other(twin, &mut text),
            None => {
                let hints = if is_only && options.resources.is_empty() { options.hints } else { &[] };
                table.draw(hints, &mut text);
                says_all_names &= block.columns.len() != 1;
            }
        }
    }
    summary(&drawn, options, &mut text);
    text.into_text()
}

/// What is left to say after the blocks.
fn summary(blocks: &[&MergedBlock<'_>], options: &TextOptions<'_>, text: &mut TextLines) {
    let TextOptions { resources, hints, .. } = *options;
    if !resources.is_empty() {
        if !text.is_empty() {
            text.push("");
        }
        push_words("resources: ", resource_words(options), options, text);
    }
    let is_said_at_the_block = blocks.len() == 1 && resources.is_empty();
    let mut parts = Vec::new();
    let has_columns =
        |block: &&MergedBlock<'_>| block.columns.iter().map(|column| column.names.len()).sum::<usize>() > 1;
    if blocks.len() > 1 && blocks.iter().any(has_columns) {
        let differs = match blocks.iter().filter(|block| block.differs()).count() {
            0 => "all agree".to_owned(),
            1 => "1 differs".to_owned(),
            differing => format!("{differing} differ"),
        };
        parts.push(format!("{} blocks, {differs}", blocks.len()));
    }
    parts.extend(hints.iter().filter(|_| !is_said_at_the_block).cloned());
    if !parts.is_empty() {
        if resources.is_empty() {
            text.push("");
        }
        push_parts(&parts, Tone::Dim, options, text);
    }
}

pub fn file_heading(name: &str, is_below_another: bool, style: Style) -> String {
    let gap = if is_below_another { "\n" } else { "" };
    format!("{gap}{} {}\n", style.verb(Tone::Strong, "File"), one_line(name))
}

struct BlockTable<'a> {
    merged: &'a MergedBlock<'a>,
    language: ShaderLanguage,
    options: &'a TextOptions<'a>,
    /// True if a block that is alike everywhere names all columns.
    says_all_names: bool,
}

impl BlockTable<'_> {
    fn draw(&self, hints: &[String], text: &mut TextLines) {
        let MergedBlock { columns, lacking, forbidden, .. } = self.merged;
        let style = self.options.style;

        if !columns.is_empty() {
            let names: Vec<&[&ColumnName]> = columns.iter().map(|column| column.names.as_slice()).collect();
            let layouts: Vec<ComparedLayout<'_>> = columns
                .iter()
                .enumerate()
                .map(|(index, column)| ComparedLayout { name: short_name(&names, index, style), block: column.block })
                .collect();
            let table = MemberTable::of(self.heading(), &names, &layouts, self.language, self.options);
            table.draw(text);
            let more = self.place().into_iter().chain(self.agreement()).chain(hints.iter().cloned()).collect();
            totals(columns, &table, more, self.options, text);
        }

        let names = |names: &[&ColumnName]| names.iter().map(|name| name_in_style(name, style)).collect::<Vec<_>>();
        if !lacking.is_empty() && columns.is_empty() {
            text.push(&style.paint(Tone::Strong, &self.heading()));
        }
        for columns in lacking {
            let names = if columns.has_names() { names(&columns.names) } else { vec![String::new()] };
            push_names(&format!("  {}", columns.start()), &names, self.options, text);
        }
        for ForbiddenBlock { name, block } in forbidden {
            for line in refused(block, &name_in_style(name, style), style).lines() {
                let start = " ".repeat(line.len() - line.trim_start().len());
                let indent = " ".repeat(VERB_COLUMNS + 1);
                for line in wrapped(&start, &indent, line.split_whitespace(), self.options.width) {
                    text.push(&line);
                }
            }
        }
    }

    /// The block in one line, because an earlier one has the same layouts.
    fn as_other(&self, other: &MergedBlock<'_>, text: &mut TextLines) {
        let sizes = sizes(&self.merged.columns);
        let other = other.block.name.as_str();
        let style = self.options.style;
        let line = format!("{}  {sizes}, as {}", style.paint(Tone::Strong, &self.heading()), one_line(other));
        text.push(&line);
        if let Some(place) = self.place() {
            text.push(&style.paint(Tone::Dim, &format!("{INDENT}{place}")));
        }
    }

    fn place(&self) -> Option<String> {
        self.options.places?.get(&self.merged.block.name).map(|place| one_line(place))
    }

    /// The last parts of the block's summary: the names of the columns if only one is left.
    fn agreement(&self) -> Option<String> {
        let [only] = self.merged.columns.as_slice() else { return None };
        if let [name] = only.names.as_slice()
            && name.layouts == ColumnName::DECLARED.layouts
        {
            // The file's own layout needs no name.
            return None;
        }
        let names: Vec<String> = only.names.iter().map(|name| name_in_style(name, self.options.style)).collect();
        let names = names.join(", ");
        let is_complete = self.merged.lacking.is_empty() && self.merged.forbidden.is_empty();
        Some(match only.names.len() {
            1 => format!("rules: {names}"),
            _ if is_complete && !self.says_all_names => "all agree".to_owned(),
            _ => format!("all agree: {names}"),
        })
    }

    fn heading(&self) -> String {
        heading(self.merged.block, self.merged.declared, self.language)
    }
}

/// The lines of a block's table for a page, which has all layouts side by side. The first is the
/// reference.
pub fn table_lines(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Vec<TableLine> {
    let options = TextOptions::plain(Style::PLAIN);
    let names: Vec<&[&ColumnName]> = columns.iter().map(|column| column.names.as_slice()).collect();
    let layouts = columns.iter().enumerate();
    let layouts: Vec<ComparedLayout<'_>> = layouts
        .map(|(index, column)| ComparedLayout { name: short_name(&names, index, options.style), block: column.block })
        .collect();
    let all: Vec<usize> = (0..layouts.len()).collect();
    MemberTable::of(String::new(), &names, &layouts, language, &options).lines(&all)
}

/// Size, stride and padding of a block, and `more`.
pub(super) fn totals(
    columns: &[MergedColumn<'_>],
    table: &MemberTable<'_>,
    more: Vec<String>,
    options: &TextOptions<'_>,
    text: &mut TextLines,
) {
    let mut parts = total_parts(columns);
    parts.extend(more);

    // Elements may be elsewhere although the members of the first are at the same bytes.
    let is_only_place = has_several_strides(columns) && !table.differs();
    let (mark, tone) = if is_only_place { (options.style.differs(), Tone::Disagree) } else { (" ", Tone::Strong) };
    parts[0] = format!("{mark} {}", parts[0]);
    push_parts(&parts, tone, options, text);
}

/// Size, stride and padding: `40 / 64 bytes`, `padding 16 / 40`.
pub fn total_parts(columns: &[MergedColumn<'_>]) -> Vec<String> {
    let mut parts = vec![sizes(columns)];
    let of = |number: &dyn Fn(&ShownColumnBlock) -> Option<u32>| {
        columns.iter().map(|column| number(column.block)).collect::<Vec<_>>()
    };
    let strides = of(&|block| block.shown.stride);
    if strides.iter().any(Option::is_some) && strides != of(&|block| block.shown.size) {
        parts.push(format!("stride {}", alternatives(&numbers(&strides))));
    }
    let padding = of(&|block| block.padding.map(|padding| padding.bytes));
    if padding.iter().flatten().any(|bytes| *bytes > 0) {
        parts.push(format!("padding {}", alternatives(&numbers(&padding))));
    }
    parts
}

/// `40 bytes`, `40 / 64 bytes`.
fn sizes(columns: &[MergedColumn<'_>]) -> String {
    let finite = columns.iter().filter_map(|column| column.block.shown.size).map(|size| size.to_string());
    let sizes = alternatives(&finite.collect::<Vec<_>>());
    let is_whole = columns.iter().all(|column| column.block.shown.size.is_some());
    match (sizes.as_str(), is_whole) {
        ("", _) => "runtime-sized".to_owned(),
        (sizes, true) => format!("{sizes} bytes"),
        (sizes, false) => format!("{sizes} bytes / runtime-sized"),
    }
}

fn numbers(values: &[Option<u32>]) -> Vec<String> {
    values.iter().map(|value| value.map(|value| value.to_string()).unwrap_or_default()).collect()
}

/// The name of a column in a sentence: its target, if no other column has the same.
pub(super) fn short_name(names: &[&[&ColumnName]], index: usize, style: Style) -> String {
    let target = |name: &ColumnName| name.parts().0;
    let Some(first) = names[index].first() else { return String::new() };
    let own = target(first);
    let is_alone =
        |(other, names): (usize, &&[&ColumnName])| other == index || names.iter().all(|name| target(name) != own);
    let is_same = names[index].iter().all(|name| target(name) == own);
    if is_same && names.iter().enumerate().all(is_alone) { one_line(&own) } else { name_in_style(first, style) }
}

/// The declaration of a block, or words for it if the text is not at hand.
pub fn heading(block: &ShownBlock, declared: Option<&str>, language: ShaderLanguage) -> String {
    match (declared, block.kind) {
        (Some(declared), _) => declared.to_owned(),
        (None, BlockKind::StructuredElement) => one_line(&format!("structured buffer {}", block.name)),
        (None, _) => block_heading(block, language),
    }
}

/// `cbuffer Scene`, `uniform lights[4]`.
pub fn block_heading(block: &ShownBlock, language: ShaderLanguage) -> String {
    match block.reach {
        Reach::Stage(data) if data != StageData::WorkgroupMemory => one_line(&format!("{} ({data})", block.name)),
        Reach::DescriptorHeap => format!("{} (descriptor heap)", named(&block_keyword(language, block.kind), block)),
        _ => named(&block_keyword(language, block.kind), block),
    }
}

/// How the heading of a table shows the name of a column.
#[derive(Clone, Copy)]
enum HeadLines {
    /// A line for each of the merged columns.
    Names,
    /// The target above its compiler, unless the column is merged.
    Parts,
}

/// A table of members: size, padding, and an offset in each layout.
pub(super) struct MemberTable<'a> {
    heading: String,
    /// One or more names of each layout.
    names: &'a [&'a [&'a ColumnName]],
    layouts: &'a [ComparedLayout<'a>],
    rows: Vec<ComparedRow<'a>>,
    language: ShaderLanguage,
    options: &'a TextOptions<'a>,
    /// True if only the members around a difference have lines.
    is_folded: bool,
}

#[derive(Clone, Debug)]
pub struct TableLine {
    /// The member's path; empty for a line about padding or a resource.
    pub path: String,
    /// `≠` where layouts part, `·` where they follow.
    pub mark: &'static str,
    /// The declaration, with its indent.
    pub label: String,
    /// Strides and bits.
    pub note: String,
    pub size: String,
    pub padding: String,
    /// Offset and register, one per layout.
    pub offsets: Vec<[String; 2]>,
    /// True for each layout that has the member at other bytes than the first.
    pub differs: Vec<bool>,
    /// How far the member moved in each layout but the first, and why.
    pub moved: String,
    pub why: String,
    pub tone: Tone,
}

impl<'a> MemberTable<'a> {
    pub(super) fn of(
        heading: String,
        names: &'a [&'a [&'a ColumnName]],
        layouts: &'a [ComparedLayout<'a>],
        language: ShaderLanguage,
        options: &'a TextOptions<'a>,
    ) -> Self {
        let rows = compared_rows(layouts, language);
        Self { heading, names, layouts, rows, language, options, is_folded: false }
    }

    /// The same table with the members around differences only.
    pub(super) fn folded(self) -> Self {
        Self { is_folded: true, ..self }
    }

    /// True if a member is at other bytes in some layout.
    pub(super) fn differs(&self) -> bool {
        self.rows.iter().any(|row| row.change != Change::None)
    }

    pub(super) fn draw(&self, text: &mut TextLines) {
        for (index, layouts) in self.chunks().into_iter().enumerate() {
            if index > 0 {
                text.push("");
            }
            self.draw_layouts(&layouts, text);
        }
    }

    /// Splits the layouts into tables that fit on the screen next to the declarations.
    fn chunks(&self) -> Vec<Vec<usize>> {
        let mut chunks: Vec<Vec<usize>> = Vec::new();
        for layout in 0..self.layouts.len() {
            let is_full = chunks.last().is_none_or(|chunk| {
                let all: Vec<usize> = chunk.iter().copied().chain([layout]).collect();
                let lines = self.lines(&all);
                let narrow = Grid::of(self, &self.heads_of(&all, HeadLines::Parts), &lines);
                narrow.fixed() + LABEL_COLUMNS > self.options.width
            });
            match chunks.last_mut() {
                Some(chunk) if !is_full => chunk.push(layout),
                Some(_) | None => chunks.push(vec![layout]),
            }
        }
        chunks
    }

    /// The lines of the heading above the offsets of each layout.
    fn heads_of(&self, layouts: &[usize], lines: HeadLines) -> Vec<Vec<String>> {
        let head = |names: &[&ColumnName]| match (names, lines) {
            _ if self.names.len() == 1 => vec!["offset".to_owned()],
            ([only], HeadLines::Parts) => {
                let (first, second) = only.parts();
                [first].into_iter().chain(second).map(|part| one_line(&part)).collect()
            }
            _ => names.iter().map(|name| name_in_style(name, self.options.style)).collect(),
        };
        layouts.iter().map(|layout| head(self.names[*layout])).collect()
    }

    fn draw_layouts(&self, layouts: &[usize], text: &mut TextLines) {
        let mut lines = self.lines(layouts);
        if self.is_folded {
            lines = folded_lines(lines, self.options.style, layouts.len());
        }
        let mut heads = self.heads_of(layouts, HeadLines::Names);
        let mut grid = Grid::of(self, &heads, &lines);
        if grid.widest > grid.label_columns {
            // Names in two lines leave more room for declarations, and then lines without the moves,
            // which the offsets show too.
            heads = self.heads_of(layouts, HeadLines::Parts);
            grid = Grid::of(self, &heads, &lines);
            if grid.widest > grid.label_columns {
                lines.iter_mut().filter(|line| line.why.is_empty()).for_each(|line| line.moved.clear());
                grid = Grid::of(self, &heads, &lines);
            }
        }
        grid.head(&self.heading, &heads, self.options.style, text);
        for line in &lines {
            grid.line(line, self.options, text);
        }
    }

    /// The lines with the numbers of these layouts.
    pub(super) fn lines(&self, layouts: &[usize]) -> Vec<TableLine> {
        let mut lines = Vec::new();
        let mut open: Vec<(usize, &str)> = Vec::new();
        for row in &self.rows {
            while open.last().is_some_and(|(depth, _)| *depth >= row.depth) {
                let (depth, path) = open.pop().unwrap_or_default();
                self.resources(path, depth + 1, layouts.len(), &mut lines);
            }
            open.push((row.depth, &row.row.path));
            if row.padding_before.iter().any(|bytes| *bytes > 0) {
                let label = format!("{}// padding", INDENT.repeat(row.depth - 1));
                let size = counts(&row.padding_before, layouts);
                lines.push(TableLine { size, ..TableLine::dim(label, layouts.len()) });
            }
            lines.push(self.line(row, layouts));
        }
        while let Some((depth, path)) = open.pop() {
            self.resources(path, depth + 1, layouts.len(), &mut lines);
        }
        self.resources("", 1, layouts.len(), &mut lines);
        lines
    }

    /// The members of the struct at `path` that take bytes in no layout.
    fn resources(&self, path: &str, depth: usize, layouts: usize, lines: &mut Vec<TableLine>) {
        let Some(first) = self.layouts.first() else { return };
        let has_row = |resource: &ResourceMember| self.rows.iter().any(|row| row.row.path == resource.path());
        let of_struct = first.block.resources.iter().filter(|it| it.parent.trim_end_matches("[]") == path);
        for resource in of_struct.filter(|resource| !has_row(resource)) {
            let label = format!("{}{}", INDENT.repeat(depth - 1), resource.declaration);
            lines.push(TableLine { note: "bound".to_owned(), ..TableLine::dim(label, layouts) });
        }
    }

    fn line(&self, row: &ComparedRow<'_>, layouts: &[usize]) -> TableLine {
        let style = self.options.style;
        let is_alone = self.layouts.len() == 1;
        // A handle takes bytes in Metal's argument buffers, and is bound elsewhere.
        let is_bound = |layout: usize| {
            let mut resources = self.layouts[layout].block.resources.iter();
            resources.any(|resource| resource.path() == row.row.path)
        };
        let of = |layout: usize| match row.places[layout] {
            Some(row) => [row.offset.to_string(), register(row)],
            None if is_bound(layout) => ["bound".to_owned(), String::new()],
            None => [style.dot().to_owned(), String::new()],
        };
        let offsets = layouts.iter().map(|layout| {
            let [offset, register] = of(*layout);
            [offset, if self.layouts[*layout].block.has_registers { register } else { String::new() }]
        });
        let size = |row: &MemberRow| row.size.map_or_else(|| "[]".to_owned(), |size| size.to_string());
        let places = || layouts.iter().filter_map(|layout| row.places[*layout]);
        let sizes: Vec<String> = places().map(size).collect();

        let differs = !is_alone && layouts.iter().any(|layout| row.differs_in(*layout));
        let is_about = |reasons: &[(usize, String)]| {
            reasons.is_empty() || reasons.iter().any(|(layout, _)| layouts.contains(layout))
        };
        let (mark, tone) = match &row.change {
            Change::Starts { reasons } if differs && is_about(reasons) => (style.differs(), Tone::Disagree),
            Change::Follows | Change::Starts { .. } if differs => (style.dot(), Tone::Plain),
            _ => (" ", Tone::Plain),
        };
        let columns = if has_type_in_front(self.language) { row.type_columns } else { 0 };
        let words = declaration(self.language, places().next().unwrap_or(row.row), columns);
        TableLine {
            path: row.row.path.clone(),
            mark,
            label: format!("{}{words}", INDENT.repeat(row.depth - 1)),
            note: row.note.replace("strides ", "").replace("stride ", ""),
            size: sizes_of(&sizes),
            padding: counts(&row.padding, layouts),
            offsets: offsets.collect(),
            differs: layouts.iter().map(|layout| row.differs_in(*layout)).collect(),
            moved: if differs { moved(row, layouts) } else { String::new() },
            why: if differs { why(row, layouts) } else { String::new() },
            tone,
        }
    }
}

/// `c39`, `c43.y`; nothing for a member that starts within a component.
pub fn register(row: &MemberRow) -> String {
    let register = row.offset / 16;
    match row.offset % 16 {
        0 => format!("c{register}"),
        4 => format!("c{register}.y"),
        8 => format!("c{register}.z"),
        12 => format!("c{register}.w"),
        _ => String::new(),
    }
}

impl TableLine {
    /// A line without numbers, below `layouts` columns.
    fn dim(label: String, layouts: usize) -> Self {
        Self {
            path: String::new(),
            mark: " ",
            label,
            note: String::new(),
            size: String::new(),
            padding: String::new(),
            offsets: vec![[String::new(), String::new()]; layouts],
            differs: vec![false; layouts],
            moved: String::new(),
            why: String::new(),
            tone: Tone::Dim,
        }
    }

    fn label(&self, note_start: usize) -> String {
        if self.note.is_empty() {
            return self.label.clone();
        }
        format!("{}{}// {}", pad(&self.label, note_start), " ".repeat(GAP), self.note)
    }
}

/// Lines of context around a difference.
const CONTEXT: usize = 3;

/// The lines around those on which the layouts part. Each run of others becomes one line.
fn folded_lines(lines: Vec<TableLine>, style: Style, layouts: usize) -> Vec<TableLine> {
    let starts: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].mark == style.differs()).collect();
    let is_near = |index: usize| starts.iter().any(|start| start.abs_diff(index) <= CONTEXT);
    let mut kept = Vec::new();
    let mut run: Vec<TableLine> = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        if is_near(index) {
            end_run(&mut run, style, layouts, &mut kept);
            kept.push(line);
        } else {
            if run.first().is_some_and(|first| (first.mark, &first.moved) != (line.mark, &line.moved)) {
                end_run(&mut run, style, layouts, &mut kept);
            }
            run.push(line);
        }
    }
    end_run(&mut run, style, layouts, &mut kept);
    kept
}

fn end_run(run: &mut Vec<TableLine>, style: Style, layouts: usize, kept: &mut Vec<TableLine>) {
    let Some(first) = run.first().filter(|_| run.len() > 1) else { return kept.append(run) };
    let what = if first.mark == style.dot() { "more" } else { "alike" };
    let label = format!("{} {} {what}", style.ellipsis(), run.len());
    kept.push(TableLine { mark: first.mark, moved: first.moved.clone(), ..TableLine::dim(label, layouts) });
    run.clear();
}

/// Sizes without spaces: `68/80`.
fn sizes_of(sizes: &[String]) -> String {
    alternatives(sizes).replace(' ', "")
}

/// Bytes of padding in these layouts; nothing if there are none.
fn counts(padding: &[u32], layouts: &[usize]) -> String {
    let bytes: Vec<u32> = layouts.iter().map(|layout| padding.get(*layout).copied().unwrap_or(0)).collect();
    if bytes.iter().all(|bytes| *bytes == 0) {
        return String::new();
    }
    sizes_of(&bytes.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// `+12`, or one for each layout but the first: `+12 / +28`.
fn moved(row: &ComparedRow<'_>, layouts: &[usize]) -> String {
    let moves = layouts.iter().filter(|layout| **layout > 0).map(|layout| match row.moved(*layout) {
        Some(0) => "0".to_owned(),
        Some(bytes) => format!("{bytes:+}"),
        None => "-".to_owned(),
    });
    match alternatives(&moves.collect::<Vec<_>>()).as_str() {
        "0" | "-" => String::new(),
        moves => moves.to_owned(),
    }
}

/// The reasons that concern these layouts, each once.
fn why(row: &ComparedRow<'_>, layouts: &[usize]) -> String {
    let Change::Starts { reasons } = &row.change else { return String::new() };
    let mut said: Vec<&str> = Vec::new();
    for (_, reason) in reasons.iter().filter(|(layout, reason)| layouts.contains(layout) && !reason.is_empty()) {
        if !said.contains(&reason.as_str()) {
            said.push(reason);
        }
    }
    said.join("; ")
}

struct Grid {
    label_columns: usize,
    widest: usize,
    note_start: usize,
    size_columns: usize,
    padding_columns: usize,
    /// Width of a column, of its offsets, and of its registers.
    offset_columns: Vec<[usize; 3]>,
}

impl Grid {
    fn of(table: &MemberTable<'_>, heads: &[Vec<String>], lines: &[TableLine]) -> Self {
        let widest = |text: &dyn Fn(&TableLine) -> usize| lines.iter().map(text).max().unwrap_or(0);
        let size_columns = GAP + widest(&|line| width(&line.size)).max(width("size"));
        let padding = widest(&|line| width(&line.padding));
        let padding_columns = if padding == 0 { 0 } else { GAP + padding.max(width("pad")) };
        let column = |(index, names): (usize, &Vec<String>)| {
            let head = names.iter().map(|name| width(name)).max().unwrap_or(0);
            let [offset, register] = [0, 1].map(|part| widest(&|line| width(&line.offsets[index][part])));
            let cell = if register == 0 { offset } else { offset + 1 + register };
            [(head.max(cell) + GAP).max(NUMBER_COLUMNS), offset, register]
        };
        let offset_columns: Vec<[usize; 3]> = heads.iter().enumerate().map(column).collect();
        let mut grid =
            Self { label_columns: 0, widest: 0, note_start: 0, size_columns, padding_columns, offset_columns };

        let moved = widest(&|line| if line.why.is_empty() { width(&line.moved) } else { 0 });
        let after = if moved == 0 { 0 } else { GAP + moved };
        let room = table.options.width.saturating_sub(grid.fixed() + after);
        let noted = lines.iter().filter(|line| !line.note.is_empty()).map(|line| width(&line.label));
        grid.note_start = noted.filter(|columns| columns + 2 * GAP < room).max().unwrap_or(0);
        let labels: Vec<usize> =
            lines.iter().map(|line| GAP + width(&line.label(grid.note_start))).chain([width(&table.heading)]).collect();
        grid.widest = labels.iter().copied().max().unwrap_or(0);
        grid.label_columns = labels.into_iter().filter(|columns| *columns <= room).max().unwrap_or(room);
        grid
    }

    /// Width of everything right of the declarations, without the moves.
    fn fixed(&self) -> usize {
        let offsets: usize = self.offset_columns.iter().map(|[columns, ..]| columns).sum();
        self.size_columns + self.padding_columns + offsets
    }

    fn head(&self, heading: &str, heads: &[Vec<String>], style: Style, text: &mut TextLines) {
        let count = heads.iter().map(Vec::len).max().unwrap_or(1);
        for index in 0..count {
            // Names are bottom-aligned so that each is next to its numbers.
            let is_last = index + 1 == count;
            let mut line = String::new();
            for ([columns, ..], names) in self.offset_columns.iter().zip(heads) {
                let name = (names.len() + index).checked_sub(count).map_or("", |index| names[index].as_str());
                line += &pad_left(name, *columns);
            }
            let [label, size, padding] = if is_last { [heading, "size", "pad"] } else { [""; 3] };
            let numbers = format!("{}{}{line}", pad_left(size, self.size_columns), self.padding(padding));
            self.push(label, &numbers, text, |line| style.paint(Tone::Strong, line));
        }
    }

    fn padding(&self, text: &str) -> String {
        if self.padding_columns == 0 { String::new() } else { pad_left(text, self.padding_columns) }
    }

    fn line(&self, line: &TableLine, options: &TextOptions<'_>, text: &mut TextLines) {
        let style = options.style;
        let mut numbers = format!("{}{}", pad_left(&line.size, self.size_columns), self.padding(&line.padding));
        for ([columns, offset, register], cell) in self.offset_columns.iter().zip(&line.offsets) {
            let cell = match *register {
                0 => cell[0].clone(),
                register => format!("{} {}", pad_left(&cell[0], *offset), pad(&cell[1], register)),
            };
            numbers += &pad_left(&cell, *columns);
        }

        let room = options.width.saturating_sub(self.label_columns + self.fixed() + GAP);
        let both = [line.moved.as_str(), line.why.as_str()].into_iter().filter(|part| !part.is_empty());
        let both = both.collect::<Vec<_>>().join(": ");
        let (beside, below) = if width(&both) <= room {
            (both.as_str(), "")
        } else if width(&line.moved) <= room {
            (line.moved.as_str(), line.why.as_str())
        } else {
            ("", both.as_str())
        };
        if !beside.is_empty() {
            numbers += &" ".repeat(GAP);
            numbers += beside;
        }
        let label = format!("{} {}", line.mark, line.label(self.note_start));
        self.push(&label, &numbers, text, |text| style.paint(line.tone, text));
        if !below.is_empty() {
            for words in wrapped("    ", "    ", below.split(' '), options.width) {
                text.push(&style.paint(line.tone, &words));
            }
        }
    }

    /// Adds a line. A label that leaves no room for numbers gets a separate line.
    fn push(&self, label: &str, numbers: &str, text: &mut TextLines, paint: impl Fn(&str) -> String) {
        if width(label) > self.label_columns {
            text.push(&paint(label.trim_end()));
            if !numbers.trim().is_empty() {
                text.push(&paint(&format!("{}{}", " ".repeat(self.label_columns), numbers.trim_end())));
            }
        } else {
            text.push(&paint(format!("{}{numbers}", pad(label, self.label_columns)).trim_end()));
        }
    }
}

/// The parts of a summary, separated by dots and wrapped.
fn push_parts(parts: &[String], tone: Tone, options: &TextOptions<'_>, text: &mut TextLines) {
    let TextOptions { style, width: limit, .. } = *options;
    let mut line = String::new();
    for part in parts {
        let part = one_line(part);
        if line.is_empty() {
            line = part;
        } else if width(&line) + width(&part) + 3 > limit {
            text.push(&style.paint(tone, &line));
            line = format!("  {part}");
        } else {
            line = format!("{line} {} {part}", style.dot());
        }
    }
    text.push(&style.paint(tone, &line));
}

/// `start` and the names, separated by commas and wrapped.
fn push_names(start: &str, names: &[String], options: &TextOptions<'_>, text: &mut TextLines) {
    let last = names.len().saturating_sub(1);
    let words = names.iter().enumerate().map(|(index, name)| one_line(name) + if index < last { "," } else { "" });
    push_words(start, words.collect(), options, text);
}

/// The resources with their places, and commas between them.
fn resource_words(options: &TextOptions<'_>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for declared in options.resources {
        if let Some(last) = words.last_mut() {
            last.push(',');
        }
        words.push(one_line(declared));
        let place = options.places.and_then(|places| places.get(declared));
        let place = place.map(|place| format!("({})", one_line(place))).unwrap_or_default();
        words.extend(place.split_inclusive(" / ").map(|part| part.trim_end().to_owned()));
    }
    words
}

fn push_words(start: &str, words: Vec<String>, options: &TextOptions<'_>, text: &mut TextLines) {
    for line in wrapped(start, INDENT, words, options.width) {
        text.push(&options.style.paint(Tone::Dim, &line));
    }
}

/// The name of a column with the style's separator between its parts.
pub(super) fn name_in_style(name: &ColumnName, style: Style) -> String {
    let (first, second) = name.parts();
    one_line(&match second {
        Some(second) => format!("{first} {} {second}", style.dot()),
        None => first,
    })
}
