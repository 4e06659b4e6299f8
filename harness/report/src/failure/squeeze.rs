//! Shortens long tables: lines with a mark and their neighbours stay, up to a limit, and other
//! lines become one.

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
