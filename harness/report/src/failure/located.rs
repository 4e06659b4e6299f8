//! Finds the block and the member that a record's row describes.
//!
//! A row's path starts with the block's name and may go down to one scalar
//! (`S.lights[1].position.x`). Members have a path within the block, with `[]` for any element
//! (`lights[].position`).

use layoutproof_layout::MemberRow;

use layoutproof_events::{Row, StoryBlock};

/// A row with its block and path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocatedRow<'a> {
    pub row: &'a Row,
    pub block: usize,
    /// Path in the block; empty for the block itself.
    pub path: &'a str,
}

/// The rows about `blocks`, and the rows about no block (bindings).
pub(crate) fn locate<'a>(rows: &'a [Row], blocks: &[StoryBlock]) -> (Vec<LocatedRow<'a>>, Vec<&'a Row>) {
    let mut located = Vec::new();
    let mut others = Vec::new();
    for row in rows {
        match place(&row.path, blocks) {
            Some((block, path)) => located.push(LocatedRow { row, block, path }),
            None => others.push(row),
        }
    }
    (located, others)
}

fn place<'a>(path: &'a str, blocks: &[StoryBlock]) -> Option<(usize, &'a str)> {
    let inside = |(index, block): (usize, &StoryBlock)| {
        let rest = path.strip_prefix(block.name.as_str())?;
        match rest.chars().next() {
            None | Some('[') => Some((index, rest)),
            Some('.') => Some((index, &rest[1..])),
            Some(_) => None,
        }
    };
    blocks.iter().enumerate().filter_map(inside).min_by_key(|(_, rest)| rest.len())
}

/// The deepest member that `path` is a part of.
pub(super) fn owner<'a>(members: &'a [MemberRow], path: &str) -> Option<&'a MemberRow> {
    let any_element = without_indices(path);
    members.iter().filter(|member| is_part(&any_element, &member.path)).max_by_key(|member| member.path.len())
}

/// True if `path` is `whole` or a component or element of it.
pub(super) fn is_part(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| whole.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

/// `m[0][1]` as `m[][]`.
fn without_indices(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut inside = false;
    for c in path.chars() {
        inside &= c != ']';
        if !inside {
            text.push(c);
        }
        inside |= c == '[';
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str) -> StoryBlock {
        StoryBlock { name: name.into(), size: None, members: Vec::new() }
    }

    #[test]
    fn the_longest_block_name_wins() {
        let blocks = [block("p"), block("p.inner"), block("$Entry.main")];
        for (path, expected) in [
            ("p.a", Some((0, "a"))),
            ("p.inner.a[1].x", Some((1, "a[1].x"))),
            ("p.inner", Some((1, ""))),
            ("$Entry.main.u", Some((2, "u"))),
            ("p[2]", Some((0, "[2]"))),
            ("pq.a", None),
        ] {
            assert_eq!(place(path, &blocks), expected, "{path}");
        }
    }

    #[test]
    fn indices_do_not_hide_the_member() {
        assert_eq!(without_indices("lights[12].m[0][1]"), "lights[].m[][]");
        assert!(is_part("d.x", "d") && is_part("b[1]", "b") && is_part("x", "") && !is_part("dd", "d"));
    }
}
