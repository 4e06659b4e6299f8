//! Reads the dimensions of struct members from the LLVM assembly in a listing.
//!
//! DXC's table of buffers prints `a[6]` for `a[2][3]`, and omits a dimension of an array of
//! matrices. The type of the struct, `%Frame = type { [2 x [3 x <2 x float>]], ... }`, has them
//! all.

use std::collections::HashMap;

/// Structs of a listing by their names.
#[derive(Debug)]
pub(super) struct LlvmStructs<'a> {
    lines: HashMap<&'a str, &'a str>,
}

/// The arrays around the type of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LlvmArrays {
    /// Number of elements, outermost first.
    pub counts: Vec<u32>,
    /// True if the element is a matrix that is a separate struct. Otherwise a matrix is an array of
    /// its vectors.
    pub is_of_matrix: bool,
}

impl<'a> LlvmStructs<'a> {
    /// Finds the definitions of structs.
    pub(super) fn read(listing: &'a str) -> Self {
        let definition = |line: &'a str| {
            let (name, body) = line.strip_prefix('%')?.split_once(" = type {")?;
            Some((name.trim_matches('"'), body.trim().strip_suffix('}')?))
        };
        Self { lines: listing.lines().filter_map(definition).collect() }
    }

    /// The arrays around each member of a struct, in order; `None` for an unknown struct.
    pub(super) fn members(&self, name: &str) -> Option<Vec<LlvmArrays>> {
        let body = self.lines.get(name)?;
        Some(members(body).into_iter().map(arrays).collect())
    }
}

/// Splits at the commas outside of brackets.
fn members(body: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let (mut depth, mut start, mut is_quoted) = (0usize, 0, false);
    for (at, letter) in body.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '[' | '<' | '{' => depth += 1,
            ']' | '>' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                members.push(body[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = body[start..].trim();
    members.extend((!last.is_empty()).then_some(last));
    members
}

/// `[2 x [3 x <2 x float>]]`.
fn arrays(ty: &str) -> LlvmArrays {
    let mut counts = Vec::new();
    let mut element = ty;
    while let Some((count, inner)) = element.strip_prefix('[').and_then(|inner| inner.split_once(" x ")) {
        let Ok(count) = count.parse() else { break };
        counts.push(count);
        element = inner;
    }
    LlvmArrays { counts, is_of_matrix: element.starts_with("%class.matrix.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by DXC 1.7.2308, with and without `-enable-16bit-types`.
    const LISTING: &str = "\
%\"$Globals\" = type { float }
%Frame = type { [2 x [3 x <2 x float>]], [2 x %class.matrix.float.3.3], %\"class.A<float, 3>\", i32 }
%hostlayout.C = type { [2 x [2 x [2 x <3 x float>]]], float }
";

    #[test]
    fn every_member_has_its_dimensions() {
        let structs = LlvmStructs::read(LISTING);
        let of = |name: &str| -> Vec<(Vec<u32>, bool)> {
            structs.members(name).unwrap().into_iter().map(|found| (found.counts, found.is_of_matrix)).collect()
        };
        assert_eq!(of("$Globals"), [(vec![], false)]);
        assert_eq!(of("Frame"), [(vec![2, 3], false), (vec![2], true), (vec![], false), (vec![], false)]);
        assert_eq!(of("hostlayout.C"), [(vec![2, 2, 2], false), (vec![], false)]);
        assert_eq!(structs.members("Other"), None);
    }
}
