//! The bytes of a block as lines of text, sixteen in each: what a hover in an editor shows.

use std::fmt::Write as _;
use std::ops::Range;

use layoutproof_layout::MemberRow;

use super::member_tree::cells;

/// Bytes of a line.
const ROW: u32 = 16;
/// Characters of a byte.
const BYTE_COLUMNS: usize = 2;

/// What a range of bytes holds.
struct Segment {
    bytes: Range<u32>,
    /// Empty for padding.
    path: String,
}

/// At most `most_rows` lines of a block of `size` bytes: those around the bytes `around`, or the first ones. Each scalar or
/// vector has its path, or its name where that does not fit; padding is dotted.
pub fn byte_map(members: &[MemberRow], size: u32, around: Option<&Range<u32>>, most_rows: u32) -> String {
    let segments = segments(members, size);
    let all = size.div_ceil(ROW);
    let wanted = around.map_or(0, |bytes| (bytes.start / ROW).saturating_sub(1));
    let first = wanted.min(all.saturating_sub(most_rows));
    let last = (first + most_rows).min(all);
    let offset_columns = (last * ROW).to_string().len();

    let mut text = String::new();
    if first > 0 {
        let _ = writeln!(text, "{:offset_columns$}  ...", "");
    }
    for row in first..last {
        let bytes = row * ROW..((row + 1) * ROW).min(size);
        let _ = write!(text, "{:offset_columns$} ", bytes.start);
        for segment in &segments {
            let own = segment.bytes.start.max(bytes.start)..segment.bytes.end.min(bytes.end);
            if own.start < own.end {
                text.push('|');
                text += &cell(segment, &own);
            }
        }
        text += "|\n";
    }
    if last < all {
        let _ = writeln!(text, "{:offset_columns$}  ...", "");
    }
    text
}

/// The scalars and vectors in the order of their bytes, with the gaps between them. Where two overlap, the
/// later one keeps the bytes that the earlier one does not have.
fn segments(members: &[MemberRow], size: u32) -> Vec<Segment> {
    let mut vectors: Vec<Segment> = Vec::new();
    for cell in cells(members) {
        let bytes = cell.offset..cell.offset.saturating_add(cell.size);
        match vectors.last_mut() {
            Some(last) if last.path == cell.vector && last.bytes.end == bytes.start => last.bytes.end = bytes.end,
            Some(_) | None => vectors.push(Segment { bytes, path: cell.vector }),
        }
    }
    vectors.sort_by_key(|segment| segment.bytes.start);

    let mut all = Vec::new();
    let mut end = 0;
    for Segment { bytes, path } in vectors {
        if bytes.start > end {
            all.push(Segment { bytes: end..bytes.start, path: String::new() });
        }
        if bytes.end > end {
            all.push(Segment { bytes: bytes.start.max(end)..bytes.end, path });
            end = bytes.end;
        }
    }
    if end < size {
        all.push(Segment { bytes: end..size, path: String::new() });
    }
    all
}

/// The characters of a part of a segment that is in one line.
fn cell(segment: &Segment, part: &Range<u32>) -> String {
    let columns = (part.end - part.start) as usize * BYTE_COLUMNS - 1;
    if segment.path.is_empty() {
        return ".".repeat(columns);
    }
    let is_continued = part.start > segment.bytes.start;
    let name = segment.path.rsplit('.').next().unwrap_or(&segment.path);
    let short = if segment.path.chars().count() > columns { name } else { &segment.path };
    let shown = if is_continued { "" } else { short };
    format!("{shown:columns$.columns$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, type_name: &str, offset: u32, size: u32) -> MemberRow {
        MemberRow {
            path: path.to_owned(),
            type_name: type_name.to_owned(),
            offset,
            size: Some(size),
            ..MemberRow::default()
        }
    }

    #[test]
    fn padding_is_dotted_and_vectors_are_whole() {
        let members = [row("eye", "float3", 0, 12), row("jitter", "float2", 16, 8), row("t", "float", 24, 4)];
        let expected = " 0 |eye                    |.......|\n16 |jitter         |t      |.......|\n";
        assert_eq!(byte_map(&members, 32, None, 8), expected);
    }

    #[test]
    fn the_rows_around_a_member_are_shown() {
        let members: Vec<MemberRow> =
            (0..20).map(|index| row(&format!("member{index}"), "float4", index * 16, 16)).collect();
        let rows = [
            "144 |member9                        |",
            "160 |member10                       |",
            "176 |member11                       |",
        ];
        let expected = format!("     ...\n{}\n     ...\n", rows.join("\n"));
        assert_eq!(byte_map(&members, 320, Some(&(160..176)), 3), expected);
    }
}
