//! Splits a block into runs of bytes that belong together, and the padding between them.
//!
//! [`super::byte_map`] draws them. A run is a scalar, a vector or a contiguous vector of a matrix.
//! The input is member rows, as in records, or the members of a comparison with a host struct.

use std::collections::{BTreeSet, HashMap};

use layoutproof_layout::MemberRow;

use layoutproof_hostcheck::SideMember;
use layoutproof_show::layout_text::member_tree::{MAX_CELLS, ScalarCell, cells};
use layoutproof_show::style::one_line;

/// Contiguous bytes of one scalar, vector or matrix vector.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BytePiece<'a> {
    /// The innermost member that it is a part of.
    pub member: PieceMember<'a>,
    /// `b[1]`, `d`, `m row 0`; the type if the block has no member names.
    pub label: String,
    /// Index of the outermost member, from 0 in declaration order.
    pub outermost: usize,
    /// Index among the pieces of the outermost member, from 0.
    pub number: usize,
    /// First byte, from the start of the block.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Bytes from one of its scalars to the next.
    pub step: u32,
    pub difference: PieceDifference,
    pub overlaps: bool,
}

/// The relation of a piece to the same bytes of the reference layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PieceDifference {
    /// There is no reference, or it has the piece at the same place.
    None,
    /// The piece belongs to the first member that is at another place, or nowhere, in the reference.
    First,
    /// A later one, which may only follow the first.
    Later,
}

/// A member, from one of the two kinds of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PieceMember<'a> {
    /// A member of a rule set's layout.
    Row(&'a MemberRow),
    /// A member of one side of a comparison with a host struct.
    Side(&'a SideMember),
}

impl<'a> PieceMember<'a> {
    pub(super) fn path(self) -> &'a str {
        match self {
            Self::Row(row) => &row.path,
            Self::Side(side) => &side.path,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PaddingPiece {
    /// First byte, from the start of the block.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct BytePieces<'a> {
    /// Ascending by offset.
    pub pieces: Vec<BytePiece<'a>>,
    /// Ascending by offset.
    pub padding: Vec<PaddingPiece>,
    /// One past the last known byte; bytes after it are not drawn.
    pub end: u32,
    /// Why the bytes after `end` are unknown; `None` if the block ends there.
    pub rest: Option<UndrawnRest>,
}

/// Why a map stops before the end of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UndrawnRest {
    /// The block ends with an unsized array.
    Unbounded,
    /// The block has more scalars than are drawn.
    TooLarge,
}

impl<'a> BytePieces<'a> {
    /// The pieces of a block of `size` bytes (`None`: unbounded). `reference` has the members of
    /// the layout to compare with.
    pub(super) fn of(size: Option<u32>, members: &'a [MemberRow], reference: Option<&[MemberRow]>) -> Self {
        let scalars = cells(members);
        let is_cut = scalars.len() >= MAX_CELLS;
        let mut pieces = joined(&scalars);
        pieces.sort_by_key(|piece| piece.start);
        if let Some(reference) = reference {
            mark_differences(&mut pieces, reference);
        }
        mark_overlaps(&mut pieces);

        let drawn = pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
        let (end, rest) = match size {
            Some(size) if is_cut && size > drawn => (drawn, Some(UndrawnRest::TooLarge)),
            Some(size) => (size, None),
            None => (drawn, Some(UndrawnRest::Unbounded)),
        };
        Self { padding: padding(&pieces, end), pieces, end, rest }
    }
}

impl<'a> BytePieces<'a> {
    /// The pieces of one side of a comparison with a host struct, of `size` bytes (`None`:
    /// unbounded). `names` has the outermost members of both sides, in the order of their hues.
    pub(super) fn of_side(size: Option<u32>, members: &'a [SideMember], names: &mut Vec<&'a str>) -> Self {
        let mut pieces_of: HashMap<usize, usize> = HashMap::new();
        let mut pieces: Vec<BytePiece<'a>> = Vec::new();
        for member in members {
            for run in &member.runs {
                let outermost = outermost_of(&run.label, names);
                let number = pieces_of.entry(outermost).or_default();
                pieces.push(BytePiece {
                    member: PieceMember::Side(member),
                    label: one_line(&run.label),
                    outermost,
                    number: *number,
                    start: run.offset,
                    end: run.end(),
                    step: run.step,
                    difference: if run.differs { PieceDifference::First } else { PieceDifference::None },
                    overlaps: false,
                });
                *number += 1;
            }
        }
        pieces.sort_by_key(|piece| piece.start);
        mark_later_ones(&mut pieces);
        mark_overlaps(&mut pieces);

        let drawn = pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
        let (end, rest) = size.map_or((drawn, Some(UndrawnRest::Unbounded)), |size| (size.max(drawn), None));
        Self { padding: padding(&pieces, end), pieces, end, rest }
    }
}

/// Joins neighbouring scalars of one vector into one piece, and bit-fields that share their bytes
/// too.
fn joined<'a>(scalars: &[ScalarCell<'a>]) -> Vec<BytePiece<'a>> {
    let mut outermost_members: Vec<&str> = Vec::new();
    let mut pieces_of: HashMap<usize, usize> = HashMap::new();
    let mut pieces: Vec<BytePiece<'a>> = Vec::new();
    let mut last_vector: Option<&str> = None;

    for scalar in scalars {
        let end = scalar.offset.saturating_add(scalar.size);
        let label = label(scalar);
        if let Some(last) = pieces.last_mut() {
            if last_vector == Some(scalar.vector.as_str()) && last.end == scalar.offset {
                last.end = end;
                last.step = scalar.size;
                continue;
            }
            let share_bytes = scalar.member.bit_offset.is_some() && (last.start, last.end) == (scalar.offset, end);
            if share_bytes {
                last.label = format!("{}, {label}", last.label);
                continue;
            }
        }

        let outermost = outermost_of(&scalar.vector, &mut outermost_members);
        let number = pieces_of.entry(outermost).or_default();
        let start = scalar.offset;
        pieces.push(BytePiece {
            member: PieceMember::Row(scalar.member),
            label,
            outermost,
            number: *number,
            start,
            end,
            step: scalar.size,
            difference: PieceDifference::None,
            overlaps: false,
        });
        *number += 1;
        last_vector = Some(&scalar.vector);
    }
    pieces
}

fn label(scalar: &ScalarCell<'_>) -> String {
    let name = scalar.vector.trim();
    one_line(if name.is_empty() { &scalar.member.type_name } else { name })
}

/// Index of the outermost member in `path`.
fn outermost_of<'s>(path: &'s str, known: &mut Vec<&'s str>) -> usize {
    let name = path.split(['.', '[', ' ']).next().unwrap_or(path);
    // Rows are in order of members, so the last known one matches most often.
    known.iter().rposition(|other| *other == name).unwrap_or_else(|| {
        known.push(name);
        known.len() - 1
    })
}

fn mark_differences(pieces: &mut [BytePiece<'_>], reference: &[MemberRow]) {
    let scalars = cells(reference);
    let there: BTreeSet<(String, u32)> = joined(&scalars).into_iter().map(|piece| (piece.label, piece.start)).collect();
    for piece in &mut *pieces {
        if !there.contains(&(piece.label.clone(), piece.start)) {
            piece.difference = PieceDifference::First;
        }
    }
    mark_later_ones(pieces);
}

/// Only the pieces of the first member that differs stay [`PieceDifference::First`].
fn mark_later_ones(pieces: &mut [BytePiece<'_>]) {
    let differing = pieces.iter().find(|piece| piece.difference == PieceDifference::First);
    let Some(first) = differing.map(|piece| piece.outermost) else { return };
    for piece in pieces.iter_mut().filter(|piece| piece.outermost != first) {
        if piece.difference == PieceDifference::First {
            piece.difference = PieceDifference::Later;
        }
    }
}

fn mark_overlaps(pieces: &mut [BytePiece<'_>]) {
    let mut covered = 0;
    for piece in pieces {
        piece.overlaps = piece.start < covered;
        covered = covered.max(piece.end);
    }
}

/// The bytes before `end` that no piece owns.
fn padding(pieces: &[BytePiece<'_>], end: u32) -> Vec<PaddingPiece> {
    let mut holes = Vec::new();
    let mut covered = 0;
    for piece in pieces {
        if piece.start > covered {
            holes.push(PaddingPiece { start: covered, end: piece.start });
        }
        covered = covered.max(piece.end);
    }
    if covered < end {
        holes.push(PaddingPiece { start: covered, end });
    }
    holes
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::shape::MatrixOrder;

    use super::*;

    fn row(path: &str, type_name: &str, offset: u32, size: u32) -> MemberRow {
        MemberRow {
            path: path.into(),
            type_name: type_name.into(),
            offset,
            size: Some(size),
            alignment: 4,
            ..MemberRow::default()
        }
    }

    fn places(pieces: &BytePieces<'_>) -> Vec<(String, u32, u32)> {
        pieces.pieces.iter().map(|piece| (piece.label.clone(), piece.start, piece.end)).collect()
    }

    // DXC 1.7.2308's listing of `cbuffer S { float3 a; float b[2]; float c; float2 d; }`: 0, 16, 36, 40, size 48.
    #[test]
    fn pieces_and_padding_cover_the_block() {
        let members = [
            row("a", "float3", 0, 12),
            MemberRow { array_stride: Some(16), ..row("b", "float[2]", 16, 20) },
            row("c", "float", 36, 4),
            row("d", "float2", 40, 8),
        ];
        let pieces = BytePieces::of(Some(48), &members, None);
        let expected = [("a", 0, 12), ("b[0]", 16, 20), ("b[1]", 32, 36), ("c", 36, 40), ("d", 40, 48)];
        assert_eq!(places(&pieces), expected.map(|(label, start, end)| (label.to_owned(), start, end)));
        let holes = [(12, 16), (20, 32)].map(|(start, end)| PaddingPiece { start, end });
        assert_eq!((pieces.padding, pieces.end, pieces.rest), (holes.to_vec(), 48, None));
        assert_eq!(pieces.pieces.iter().map(|piece| piece.outermost).collect::<Vec<_>>(), [0, 1, 1, 2, 3]);
    }

    // A column_major float2x3 has three columns, each a vector of two (HLSL, "Matrix ordering").
    #[test]
    fn a_piece_is_one_contiguous_vector_of_a_matrix() {
        let order = Some(MatrixOrder::Column);
        let matrix = MemberRow { matrix_stride: Some(16), matrix_order: order, ..row("m", "float2x3", 0, 40) };
        let expected = [("m column 0", 0, 8), ("m column 1", 16, 24), ("m column 2", 32, 40)];
        let expected = expected.map(|(label, start, end)| (label.to_owned(), start, end));
        assert_eq!(places(&BytePieces::of(Some(40), &[matrix], None)), expected);
    }

    #[test]
    fn the_first_member_that_moved_differs_from_those_that_follow() {
        use PieceDifference::{First, Later, None as Same};
        let here = [row("a", "float", 0, 4), row("b", "float", 4, 4), row("c", "float", 8, 4)];
        let there = [row("a", "float", 0, 4), row("b", "float", 8, 4)];
        let pieces = BytePieces::of(Some(12), &here, Some(&there));
        assert_eq!(pieces.pieces.iter().map(|piece| piece.difference).collect::<Vec<_>>(), [Same, First, Later]);
    }

    #[test]
    fn bit_fields_share_a_piece_and_other_overlaps_are_told() {
        let bits = |path, first| MemberRow { bit_offset: Some(first), bit_width: Some(3), ..row(path, "uint", 0, 4) };
        let members = [bits("p", 0), bits("q", 3), row("r", "uint", 2, 4)];
        let pieces = BytePieces::of(Some(8), &members, None);
        assert_eq!(places(&pieces), [("p, q".to_owned(), 0, 4), ("r".to_owned(), 2, 6)]);
        assert_eq!(pieces.pieces.iter().map(|piece| piece.overlaps).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn what_lies_behind_the_last_scalar_that_is_drawn_is_no_padding() {
        let array =
            |count: u32| MemberRow { array_stride: Some(4), ..row("b", &format!("float[{count}]"), 0, count * 4) };
        let long = array(100_000);
        let pieces = BytePieces::of(Some(400_000), std::slice::from_ref(&long), None);
        assert_eq!((pieces.end, pieces.rest), (16_384, Some(UndrawnRest::TooLarge)));
        assert_eq!(pieces.padding, []);
        let whole = BytePieces::of(Some(400), &[array(100)], None).rest;
        assert_eq!(whole, None);
    }
}
