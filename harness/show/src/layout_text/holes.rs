//! Finds bytes of a block that no member owns, before a member or after the last member of a
//! struct.
//!
//! For tables with one column per layout: holes are found by the paths of members, which all
//! layouts share. Bytes between the elements of an array are not listed; the strides show them.

use std::collections::HashMap;

use layoutproof_layout::MemberRow;

use super::member_tree::{MemberNode, trees};

/// Bytes that no member owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoleRange {
    /// First byte, from the start of the block.
    pub start: u32,
    pub size: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Holes<'a> {
    /// By the path of the member after the hole.
    before: HashMap<&'a str, HoleRange>,
    /// By the path of the member before the hole.
    after: HashMap<&'a str, HoleRange>,
}

impl<'a> Holes<'a> {
    /// The holes of a block of `size` bytes, or of an unbounded block (`None`).
    pub fn of(members: &'a [MemberRow], size: Option<u32>) -> Self {
        let mut holes = Self::default();
        holes.collect(&trees(members), &StructRange { start: 0, end: size });
        holes
    }

    pub(super) fn before(&self, path: &str) -> Option<HoleRange> {
        self.before.get(path).copied()
    }

    /// The hole between the member at `path` and what follows it.
    pub fn after(&self, path: &str) -> Option<HoleRange> {
        self.after.get(path).copied()
    }

    fn collect(&mut self, nodes: &[MemberNode<'a>], range: &StructRange) {
        let mut ordered: Vec<&MemberNode<'a>> = nodes.iter().collect();
        ordered.sort_by_key(|node| node.row.offset);

        let mut cursor = Some(range.start);
        let mut previous: Option<&'a str> = None;
        for node in ordered {
            if let Some(hole) = cursor.and_then(|start| hole(start, node.row.offset)) {
                self.before.insert(&node.row.path, hole);
                self.after.extend(previous.map(|path| (path, hole)));
            }
            previous = Some(&node.row.path);
            if !node.children.is_empty() {
                let end = node.element_size().and_then(|size| node.row.offset.checked_add(size));
                let range = StructRange { start: node.row.offset, end };
                self.collect(&node.children, &range);
            }
            cursor = cursor.and_then(|start| Some(start.max(node.end()?)));
        }

        if let Some(hole) = cursor.zip(range.end).and_then(|(start, end)| hole(start, end)) {
            self.after.extend(previous.map(|path| (path, hole)));
        }
    }
}

/// The bytes of a struct, from the start of the block.
struct StructRange {
    start: u32,
    end: Option<u32>,
}

fn hole(start: u32, end: u32) -> Option<HoleRange> {
    let size = end.checked_sub(start).filter(|size| *size > 0)?;
    Some(HoleRange { start, size })
}
