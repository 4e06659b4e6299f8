//! Long tables, shortened: lines that carry a mark and their neighbours stay, up to a limit; the others become one line.

/// A line of a shortened table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The line of this index.
    Line(usize),
    /// This many lines without a mark left out.
    Gap(usize),
    /// This many lines at the end left out, whatever they carry.
    Rest(usize),
}

/// The lines to draw of a table of which `marked` says what matters; a table of at most `limit` lines stays whole,
/// and at most twice as many are drawn.
pub(super) fn squeeze(marked: &[bool], limit: usize) -> Vec<Piece> {
    if marked.len() <= limit {
        return (0..marked.len()).map(Piece::Line).collect();
    }
    let near = |index: usize| (index.saturating_sub(1)..=index + 1).any(|i| marked.get(i) == Some(&true));
    let mut pieces = Vec::new();
    for index in 0..marked.len() {
        if pieces.len() >= 2 * limit {
            pieces.push(Piece::Rest(marked.len() - index));
            break;
        }
        let keep = near(index) || index == 0 || index + 1 == marked.len();
        match (keep, pieces.last_mut()) {
            (true, _) => pieces.push(Piece::Line(index)),
            (false, Some(Piece::Gap(count))) => *count += 1,
            (false, Some(Piece::Line(_) | Piece::Rest(_)) | None) => pieces.push(Piece::Gap(1)),
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
            Piece::Line(0),
            Piece::Gap(4),
            Piece::Line(5),
            Piece::Line(6),
            Piece::Line(7),
            Piece::Gap(3),
            Piece::Line(11),
        ];
        assert_eq!(squeeze(&marked, 8), expected);
        assert_eq!(squeeze(&[true; 9], 2)[3..], [Piece::Line(3), Piece::Rest(5)]);
        assert_eq!(squeeze(&marked[..3], 8), [Piece::Line(0), Piece::Line(1), Piece::Line(2)]);
    }
}
