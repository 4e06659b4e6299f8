//! A pair as a list of lines, for the text and the page, and the text in the form of `diff -u`: `-` is
//! what the host has, `+` what the shader reads, and a line without a mark is what both have.

use std::ops::Range;

use super::CheckedPair;
use super::view::View;
use layoutproof_hostcheck::{ComparedRow, Comparison, HostSyntax, LinePlace, RowSide, RowState, part_path};
use layoutproof_layout::BlockKind;
use layoutproof_show::declaration_words::{base_type, block_keyword, wgsl_array};
use layoutproof_show::style::{TextLines, Tone, counted, cut, one_line, pad, pad_left};
use layoutproof_source::shader_language::ShaderLanguage;

/// Width of the mark with an offset, and of a size.
const OFFSET_COLUMNS: usize = 7;
const SIZE_COLUMNS: usize = 6;
/// Width of a declaration before a remark about the other side.
const DECLARATION_COLUMNS: usize = 28;

/// Members to show before and after each that differs.
const CONTEXT_ROWS: usize = 3;
/// Fewest members to replace by their number.
const FEWEST_FOLDED: usize = 3;

/// A piece of a pair's comparison; pieces are in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiffPiece {
    /// Bytes that neither side has a member for.
    Padding {
        start: u32,
        size: u32,
    },
    Row(usize),
    /// The mismatch with this index, below the row that it begins with.
    Mismatch(usize),
    /// Rows that are left out.
    Folded(Range<usize>),
}

/// The members that differ with those around them. A run of others is one piece.
pub(crate) fn differences(comparison: &Comparison) -> Vec<DiffPiece> {
    pieces(comparison, &near_differences(&comparison.rows))
}

/// The rows that [`DiffPiece::Folded`] leaves out.
pub(crate) fn folded_pieces(comparison: &Comparison, rows: Range<usize>) -> Vec<DiffPiece> {
    rows.flat_map(|row| padding_before(&comparison.rows, row).into_iter().chain([DiffPiece::Row(row)])).collect()
}

fn pieces(comparison: &Comparison, is_shown: &[bool]) -> Vec<DiffPiece> {
    let rows = &comparison.rows;
    let mut pieces = Vec::new();
    let mut is_explained = vec![false; comparison.mismatches.len()];
    let mut start = 0;
    while start < rows.len() {
        if !is_shown[start] {
            let end = start + is_shown[start..].iter().take_while(|shown| !**shown).count();
            pieces.push(DiffPiece::Folded(start..end));
            start = end;
            continue;
        }
        pieces.extend(padding_before(rows, start));
        pieces.push(DiffPiece::Row(start));
        let cause = rows[start].mismatch.filter(|_| rows[start].state == RowState::Differs);
        if let Some(cause) = cause.filter(|cause| is_explained.get(*cause) == Some(&false)) {
            is_explained[cause] = true;
            pieces.push(DiffPiece::Mismatch(cause));
        }
        start += 1;
    }

    // What concerns the whole has no row of its own.
    let of_whole = (0..is_explained.len()).filter(|mismatch| !is_explained[*mismatch]);
    pieces.extend(of_whole.map(DiffPiece::Mismatch));
    pieces
}

/// The padding that both sides have before a row.
fn padding_before(rows: &[ComparedRow], index: usize) -> Option<DiffPiece> {
    let shader: Vec<Option<&RowSide>> = rows.iter().map(|row| row.shader.as_ref()).collect();
    let host: Vec<Option<&RowSide>> = rows.iter().map(|row| row.host.as_ref()).collect();
    let (start, size) = hole_before(&shader, index).filter(|hole| hole_before(&host, index) == Some(*hole))?;
    Some(DiffPiece::Padding { start, size })
}

/// One side as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideTitle {
    pub file: String,
    /// The struct of the host, or the block with its kind.
    pub name: String,
    /// `112 bytes`.
    pub size: String,
}

/// The host and the shader.
pub(crate) fn side_titles(pair: &CheckedPair) -> [SideTitle; 2] {
    let file = |side: fn(&ComparedRow) -> Option<&RowSide>, other: &str| {
        let places = pair.comparison.rows.iter().filter_map(|row| side(row)?.place.as_ref());
        places.map(|place: &LinePlace| place.file.clone()).next().unwrap_or_else(|| other.to_owned())
    };
    let block = match (pair.kind, pair.part.strip_suffix("[]")) {
        (BlockKind::StructuredElement, _) => format!("element of {}", pair.block),
        (_, Some(array)) => format!("element of {}", part_path(&pair.block, array)),
        (kind, None) => {
            let language = pair.compiled.language.unwrap_or(ShaderLanguage::Hlsl);
            format!("{} {}", block_keyword(language, kind), pair.shader_name())
        }
    };
    let bytes =
        |size: Option<u32>| size.map_or_else(|| "runtime-sized".to_owned(), |size| counted(size.into(), "byte"));
    let host = SideTitle {
        file: file(|row| row.host.as_ref(), &pair.host_file),
        name: pair.host.clone(),
        size: bytes(Some(pair.comparison.host_size)),
    };
    let shader = SideTitle {
        file: file(|row| row.shader.as_ref(), &pair.shader),
        name: block,
        size: bytes(pair.comparison.shader_size),
    };
    [host, shader]
}

/// The members that differ with those around them, or all of them if the user wants to see everything.
/// `explain` gives the lines about a mismatch, which follow its member.
pub(super) fn diff(pair: &CheckedPair, view: View, explain: &dyn Fn(usize) -> String) -> String {
    let comparison = &pair.comparison;
    let pieces =
        if view.is_whole() { pieces(comparison, &vec![true; comparison.rows.len()]) } else { differences(comparison) };
    let diff = PairDiff { pair, view, explain };
    let pieces = pieces.iter().map(|piece| diff.piece(piece));
    std::iter::once(diff.heading()).chain(pieces).collect()
}

/// The rows that differ, those around them that agree, and the structs that contain them. Without a row
/// that differs, the last rows: what is wrong concerns the whole, such as its size.
fn near_differences(rows: &[ComparedRow]) -> Vec<bool> {
    let depth = |row: &ComparedRow| row.shader.as_ref().or(row.host.as_ref()).map_or(0, |side| side.depth);
    let mut is_shown = vec![false; rows.len()];
    let mut show_around = |index: usize| {
        let first = index.saturating_sub(CONTEXT_ROWS);
        let last = (index + CONTEXT_ROWS).min(rows.len() - 1);
        for (shown, row) in is_shown[first..=last].iter_mut().zip(&rows[first..=last]) {
            *shown |= row.state != RowState::Follows;
        }
        let mut outer = depth(&rows[first]);
        for (before, row) in rows[..first].iter().enumerate().rev() {
            if depth(row) < outer {
                outer = depth(row);
                is_shown[before] = true;
            }
        }
    };
    let differing = || rows.iter().enumerate().filter(|(_, row)| row.state == RowState::Differs);
    differing().for_each(|(index, _)| show_around(index));
    if differing().next().is_none() && !rows.is_empty() {
        show_around(rows.len() - 1);
    }

    // A line that says how many rows are left out is worth it only for several.
    let mut start = 0;
    while start < rows.len() {
        let length = is_shown[start..].iter().take_while(|shown| **shown == is_shown[start]).count();
        if length < FEWEST_FOLDED {
            is_shown[start..start + length].fill(true);
        }
        start += length;
    }
    is_shown
}

struct PairDiff<'a> {
    pair: &'a CheckedPair,
    view: View,
    explain: &'a dyn Fn(usize) -> String,
}

impl PairDiff<'_> {
    /// The two sides with their sizes.
    fn heading(&self) -> String {
        let mut lines = TextLines::default();
        let [host, shader] = side_titles(self.pair);
        for (mark, tone, side) in [("---", Tone::Disagree, host), ("+++", Tone::Agree, shader)] {
            let SideTitle { file, name, size } = side;
            let line = one_line(&format!("{mark} {file}: {name}, {size}"));
            lines.push(&self.view.style.paint(tone, &cut(&line, self.view.columns, self.view.style)));
        }
        lines.into_text()
    }

    fn piece(&self, piece: &DiffPiece) -> String {
        let rows = &self.pair.comparison.rows;
        match piece {
            DiffPiece::Padding { start, size } => {
                let (start, size) = (start.to_string(), size.to_string());
                let numbers = pad_left(&start, OFFSET_COLUMNS) + &pad_left(&size, SIZE_COLUMNS);
                format!("{}\n", self.view.style.paint(Tone::Dim, &format!("{numbers}  // padding")))
            }
            DiffPiece::Row(index) => self.row(&rows[*index]),
            DiffPiece::Folded(range) => {
                let folded = &rows[range.clone()];
                let mark = if folded.iter().any(|row| row.state == RowState::Follows) { '.' } else { ' ' };
                let ellipsis = pad_left(self.view.style.ellipsis(), OFFSET_COLUMNS - 1 + SIZE_COLUMNS);
                let line = format!("{mark}{ellipsis}  {}", folded_words(folded));
                format!("{}\n", self.view.style.paint(Tone::Dim, &line))
            }
            DiffPiece::Mismatch(mismatch) => (self.explain)(*mismatch),
        }
    }

    fn row(&self, row: &ComparedRow) -> String {
        let mut lines = TextLines::default();
        let [shader_words, host_words] = [SideWords::of_shader(self.pair), SideWords::of_host(self.pair)];
        let mut push = |mark: char, tone: Tone, (side, words): (&RowSide, SideWords), remark: &str| {
            lines.push(&self.view.style.paint(tone, &self.line(mark, side, words, remark)));
        };
        match (row.state, &row.shader, &row.host) {
            (RowState::Differs, shader, host) => {
                if let Some(host) = host {
                    push('-', Tone::Disagree, (host, host_words), "");
                }
                if let Some(shader) = shader {
                    push('+', Tone::Agree, (shader, shader_words), "");
                }
            }
            (RowState::Follows, Some(shader), host) => {
                let remark =
                    host.as_ref().map_or_else(|| "not in the host".to_owned(), |host| other_side(shader, host));
                push('.', Tone::Skip, (shader, shader_words), &remark);
            }
            (_, Some(shader), Some(host)) => push(' ', Tone::Plain, (shader, shader_words), &other_side(shader, host)),
            // The members of a struct that only the shader has are compared one by one.
            (RowState::Agrees, Some(shader), None) => push(' ', Tone::Plain, (shader, shader_words), ""),
            (_, Some(shader), None) => push(' ', Tone::Dim, (shader, shader_words), "not in the host"),
            (_, None, Some(host)) => push(' ', Tone::Dim, (host, host_words), "only in the host"),
            (_, None, None) => {}
        }
        lines.into_text()
    }

    /// `-    48     4  float exposure   // host: ...`.
    fn line(&self, mark: char, side: &RowSide, words: SideWords, remark: &str) -> String {
        let bytes = side.size.map_or_else(|| "[]".to_owned(), |bytes| bytes.to_string());
        let offset = pad_left(&side.offset.to_string(), OFFSET_COLUMNS - 1);
        let declaration = format!("{}{}", "  ".repeat(side.depth as usize), declaration(side, words));
        let declaration = if remark.is_empty() {
            declaration
        } else {
            format!("{}  // {remark}", pad(&declaration, DECLARATION_COLUMNS))
        };
        let line = format!("{mark}{offset}{}  {declaration}", pad_left(&bytes, SIZE_COLUMNS));
        cut(&line, self.view.columns, self.view.style)
    }
}

/// The number of rows that are left out, and what is wrong with them.
pub(crate) fn folded_words(rows: &[ComparedRow]) -> String {
    let followers: Vec<&ComparedRow> = rows.iter().filter(|row| row.state == RowState::Follows).collect();
    let shifts: Vec<Option<i64>> = followers.iter().map(|row| shift(row)).collect();
    let which = if followers.len() == rows.len() { "that" } else { "of which" };
    let how = match shifts.first() {
        None => String::new(),
        Some(first) => {
            let count = if followers.len() == rows.len() { String::new() } else { format!(", {}", followers.len()) };
            let how = match first.filter(|_| shifts.iter().all(|shift| shift == first)) {
                _ if shifts.iter().all(Option::is_none) => "are not in the host".to_owned(),
                Some(bytes) if bytes < 0 => {
                    format!("are {} earlier in the host", counted(bytes.unsigned_abs(), "byte"))
                }
                Some(bytes) => format!("are {} later in the host", counted(bytes.unsigned_abs(), "byte")),
                None => "move with it".to_owned(),
            };
            format!("{count} {which} {how}")
        }
    };
    let more = counted(rows.len() as u64, "more member");
    format!("{more}{how}")
}

/// Bytes by which the host's member comes after the shader's.
pub(crate) fn shift(row: &ComparedRow) -> Option<i64> {
    Some(i64::from(row.host.as_ref()?.offset) - i64::from(row.shader.as_ref()?.offset))
}

/// What is different in the host without being wrong, or follows from something wrong.
fn other_side(shader: &RowSide, host: &RowSide) -> String {
    let mut parts = Vec::new();
    if shader.offset != host.offset {
        parts.push(format!("at {}", host.offset));
    }
    if last_name(shader) != last_name(host) {
        parts.push(one_line(last_name(host)));
    }
    if shader.size != host.size {
        parts.extend(host.size.map(|size| counted(size.into(), "byte")));
    }
    if parts.is_empty() { String::new() } else { format!("host: {}", parts.join(", ")) }
}

/// The name of a member in its struct, without the brackets of an array.
fn last_name(side: &RowSide) -> &str {
    let name = side.path.rsplit('.').next().filter(|_| !side.path.contains(", ")).unwrap_or(&side.path);
    name.trim_end_matches("[]")
}

/// How the declarations of a side are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideWords {
    Shader(ShaderLanguage),
    Host(HostSyntax),
}

impl SideWords {
    pub(crate) fn of_shader(pair: &CheckedPair) -> Self {
        Self::Shader(pair.compiled.language.unwrap_or(ShaderLanguage::Hlsl))
    }

    pub(crate) fn of_host(pair: &CheckedPair) -> Self {
        Self::Host(pair.comparison.host_syntax)
    }
}

/// `float4 color[2]`, as its side writes it: `color: [Vec4; 2]` in Rust. A path of a member at the top has no struct around
/// it.
pub(crate) fn declaration(side: &RowSide, words: SideWords) -> String {
    let (base, dimensions) = side.type_name.split_once('[').unwrap_or((&side.type_name, ""));
    let dimensions = if dimensions.is_empty() { String::new() } else { format!("[{dimensions}") };
    let name = if side.depth > 0 { last_name(side) } else { side.path.trim_end_matches("[]") };
    let base = short_type(base);
    let after_name = |ty: String| if ty.is_empty() { name.to_owned() } else { format!("{name}: {ty}") };
    let text = match words {
        SideWords::Shader(ShaderLanguage::Wgsl) => {
            after_name(wgsl_array(&base_type(ShaderLanguage::Wgsl, base), &dimensions))
        }
        SideWords::Shader(language) => format!("{} {name}{dimensions}", base_type(language, base)),
        SideWords::Host(HostSyntax::Cpp) => format!("{base} {name}{dimensions}"),
        SideWords::Host(HostSyntax::Unknown) => after_name(format!("{base}{dimensions}")),
        SideWords::Host(HostSyntax::Zig) => after_name(format!("{dimensions}{base}")),
        SideWords::Host(HostSyntax::Rust) => {
            let counts = dimensions.split(']').filter_map(|part| part.strip_prefix('['));
            let counts: Vec<&str> = counts.collect();
            after_name(counts.iter().rev().fold(base.to_owned(), |element, count| match *count {
                "" => format!("[{element}]"),
                count => format!("[{element}; {count}]"),
            }))
        }
    };
    one_line(text.trim())
}

/// A type without namespaces and template arguments.
fn short_type(name: &str) -> &str {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// Start and size of the bytes between a row of one side and the end of what comes before it there.
fn hole_before(sides: &[Option<&RowSide>], index: usize) -> Option<(u32, u32)> {
    let own = sides.get(index).copied().flatten()?;
    let end = |side: &RowSide| side.offset.saturating_add(side.size.unwrap_or(0));
    let others = || sides.iter().flatten().filter(|side| !std::ptr::eq(**side, own));

    // A struct that starts here already shows the hole before it; an enclosing struct shows where
    // its members start.
    let is_first = !sides[..index].iter().flatten().any(|side| side.offset == own.offset);
    let outer = others().filter(|side| side.depth < own.depth && side.offset <= own.offset && end(side) > own.offset);
    let before = others().filter(|side| side.offset < own.offset && end(side) <= own.offset).map(|side| end(side));
    let start = before.chain(outer.map(|side| side.offset)).max().unwrap_or(0);
    let size = own.offset.checked_sub(start).filter(|size| *size > 0 && is_first)?;
    Some((start, size))
}
