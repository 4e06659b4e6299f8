//! Finds parts of a layout that share bytes: members, elements of an array, vectors of a matrix.
//!
//! Rules that place one member after the other never cause this. Explicit offsets and strides do,
//! in every language that has them, and so do modules that declare their own layout.

use std::ops::Range;

use crate::numbers::join;
use crate::shape::Count;
use crate::tree::{BlockLayout, LaidOut, LaidOutMember, LaidOutShape, LayoutWarning, LayoutWarningKind};

/// The most ranges of one member that are told apart.
const MOST_RANGES: usize = 4096;

/// Two ranges with bytes in common, as indices into the list of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedBytes {
    /// The range declared first.
    pub(crate) earlier: usize,
    /// The range declared later, which causes the conflict.
    pub(crate) later: usize,
}

/// Pairs each range that starts inside another one with that range, or with the one that ends last
/// if there are several, in the order of their starts. Empty ranges share nothing.
pub(crate) fn shared_bytes(ranges: &[Range<u64>]) -> Vec<SharedBytes> {
    let mut sorted: Vec<usize> = (0..ranges.len()).filter(|index| !ranges[*index].is_empty()).collect();
    sorted.sort_by_key(|index| ranges[*index].start);

    let mut found = Vec::new();
    let mut furthest: Option<usize> = None;
    for inside in sorted {
        match furthest {
            Some(around) if ranges[inside].start < ranges[around].end => {
                found.push(SharedBytes { earlier: inside.min(around), later: inside.max(around) });
                if ranges[inside].end > ranges[around].end {
                    furthest = Some(inside);
                }
            }
            Some(_) | None => furthest = Some(inside),
        }
    }
    found
}

/// The message about a part at the bytes `later` that shares some of them with the part `earlier`
/// at `taken`.
pub(crate) fn message(later: &Range<u64>, earlier: &str, taken: &Range<u64>) -> String {
    let start = later.start;
    if start < taken.start {
        return format!("at offset {start} overlaps `{earlier}`, which starts at {}", taken.start);
    }
    // Only arrays without a length end beyond all offsets.
    match u32::try_from(taken.end) {
        Ok(end) if end < u32::MAX => format!("at offset {start} overlaps `{earlier}`, which ends at {end}"),
        Ok(_) | Err(_) => format!("at offset {start} overlaps `{earlier}`, which is runtime-sized"),
    }
}

impl BlockLayout {
    /// Adds a warning for each member that shares bytes, unless the layout already has one for it.
    pub fn warn_of_overlaps(&mut self) {
        let Ok(laid_out) = &self.result else { return };
        for warning in laid_out.overlaps() {
            let is_known = |known: &LayoutWarning| (&known.path, known.kind) == (&warning.path, warning.kind);
            if !self.warnings.iter().any(is_known) {
                self.warnings.push(warning);
            }
        }
    }
}

impl LaidOut {
    /// One past the last byte of data in a type, without tail padding.
    pub fn data_end(&self) -> u64 {
        match &self.shape {
            LaidOutShape::Scalar(component) => component.size.into(),
            LaidOutShape::Vector { component, length } => u64::from(component.size) * u64::from(*length),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let before_last = u64::from(*stride) * u64::from(vectors.saturating_sub(1));
                before_last + u64::from(component.size) * u64::from(length)
            }
            LaidOutShape::Array { element, count, stride } => match count {
                Count::Finite(0) => 0,
                Count::Finite(count) => u64::from(*stride) * u64::from(count - 1) + element.data_end(),
                Count::Unbounded => u32::MAX.into(),
            },
            LaidOutShape::Struct(members) => {
                // Once for each member: a second call here would double the time with each level.
                let ends = members.iter().map(|member| (member.offset, member.layout.data_end()));
                ends.filter(|(_, end)| *end > 0).map(|(offset, end)| u64::from(offset) + end).max().unwrap_or(0)
            }
            LaidOutShape::Pointer { .. } => self.size.finite().unwrap_or(0).into(),
            LaidOutShape::Resource => 0,
        }
    }

    /// Warnings about all parts of this type that share bytes, in declaration order.
    ///
    /// An array without a length has no end, so any member after it overlaps. Another member may use the bytes of a
    /// member that have no data: its tail padding, and those between its elements or vectors. Bit-fields may share a
    /// storage unit.
    pub fn overlaps(&self) -> Vec<LayoutWarning> {
        let mut found = Vec::new();
        self.find_overlaps("", &mut found);
        found
    }

    /// The bytes of data of a type that starts at `start`, in order. Between the elements of an array and the vectors of a
    /// matrix another member may stand. A long array counts as one range.
    pub(crate) fn data_ranges(&self, start: u64) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        self.add_ranges(start, &mut found);
        found
    }

    fn add_ranges(&self, start: u64, found: &mut Vec<Range<u64>>) {
        let whole = start..start + self.data_end();
        match &self.shape {
            LaidOutShape::Array { element, count: Count::Finite(count), stride }
                if u64::from(*stride) > element.data_end() && (*count as usize) + found.len() <= MOST_RANGES =>
            {
                (0..*count).for_each(|index| element.add_ranges(start + u64::from(*stride) * u64::from(index), found));
            }
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let starts = (0..vectors).map(|vector| start + u64::from(*stride) * u64::from(vector));
                found.extend(starts.map(|start| start..start + u64::from(component.size) * u64::from(length)));
            }
            _ => found.push(whole),
        }
    }

    fn find_overlaps(&self, path: &str, found: &mut Vec<LayoutWarning>) {
        match &self.shape {
            LaidOutShape::Struct(members) => {
                members_overlap(members, path, found);
                for member in members {
                    member.layout.find_overlaps(&path_of(path, member), found);
                }
            }
            LaidOutShape::Array { element, count, stride } => {
                if *count != Count::Finite(1) {
                    let size = element.data_end();
                    parts_overlap("elements", *stride, size, path, found);
                }
                element.find_overlaps(&format!("{path}[]"), found);
            }
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                if vectors > 1 {
                    parts_overlap("vectors", *stride, u64::from(component.size) * u64::from(length), path, found);
                }
            }
            LaidOutShape::Scalar(_)
            | LaidOutShape::Vector { .. }
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => {}
        }
    }
}

/// The path of a member. The members of a base struct count as the struct's own.
fn path_of(path: &str, member: &LaidOutMember) -> String {
    match (member.is_base, path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => member.name.clone(),
        (false, false) => join(path, &member.name),
    }
}

fn members_overlap(members: &[LaidOutMember], path: &str, found: &mut Vec<LayoutWarning>) {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut owners: Vec<usize> = Vec::new();
    // Bit-fields own bits of a shared unit, not bytes.
    for (index, member) in members.iter().enumerate().filter(|(_, member)| member.bits.is_none()) {
        ranges.extend(member.layout.data_ranges(member.offset.into()));
        owners.resize(ranges.len(), index);
    }
    let shared = shared_bytes(&ranges).into_iter().map(|shared| (owners[shared.earlier], owners[shared.later]));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (earlier, later) in shared.filter(|(earlier, later)| earlier != later) {
        // One warning for each member, as long as it overlaps one other.
        if !pairs.iter().any(|(_, known)| *known == later) {
            pairs.push((earlier, later));
        }
    }
    for (earlier, later) in pairs {
        let range = |member: &LaidOutMember| {
            let start = u64::from(member.offset);
            start..start + member.layout.data_end()
        };
        let message = message(&range(&members[later]), &members[earlier].name, &range(&members[earlier]));
        let path = path_of(path, &members[later]);
        found.push(LayoutWarning { path, kind: LayoutWarningKind::OffsetOverlap, message });
    }
}

/// Warns about elements or vectors that extend beyond the start of the next one.
fn parts_overlap(parts: &str, stride: u32, size: u64, path: &str, found: &mut Vec<LayoutWarning>) {
    if u64::from(stride) < size {
        let message = format!("its {parts} overlap: each takes {size} bytes, and the next begins after {stride}");
        found.push(LayoutWarning { path: path.to_owned(), kind: LayoutWarningKind::OffsetOverlap, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;
    use crate::shape::MatrixOrder;
    use crate::tree::{Component, Extent};

    #[test]
    fn every_range_inside_an_earlier_one_is_found() {
        let found = |ranges: &[Range<u64>]| -> Vec<(usize, usize)> {
            shared_bytes(ranges).iter().map(|shared| (shared.earlier, shared.later)).collect()
        };
        assert_eq!(found(&[0..4, 4..8]), []);
        // The third touches the first, not its neighbour.
        assert_eq!(found(&[0..64, 16..20, 32..36]), [(0, 1), (0, 2)]);
        assert_eq!(found(&[8..12, 0..16]), [(0, 1)]);
        assert_eq!(found(&[0..16, 8..24, 20..28]), [(0, 1), (1, 2)]);
        assert_eq!(found(&[0..16, 4..4, 0..16]), [(0, 2)]);
    }

    fn leaf(size: u32) -> LaidOut {
        let component = Component { scalar: Scalar::Uint32, size };
        let shape = LaidOutShape::Scalar(component);
        LaidOut { type_name: "uint".into(), size: Extent::Finite(size), alignment: size, shape }
    }

    fn array(element: LaidOut, count: Count, stride: u32) -> LaidOut {
        let shape = LaidOutShape::Array { element: Box::new(element), count, stride };
        LaidOut { type_name: String::new(), size: Extent::Unbounded, alignment: 4, shape }
    }

    fn structure(members: Vec<(&str, u32, LaidOut)>) -> LaidOut {
        let member = |(name, offset, layout): (&str, u32, LaidOut)| LaidOutMember {
            name: name.to_owned(),
            is_base: false,
            offset,
            bits: None,
            layout,
        };
        let shape = LaidOutShape::Struct(members.into_iter().map(member).collect());
        LaidOut { type_name: String::new(), size: Extent::Unbounded, alignment: 4, shape }
    }

    #[test]
    fn parts_at_every_level_are_named() {
        let component = Component { scalar: Scalar::Float32, size: 4 };
        let matrix = |stride| LaidOut {
            type_name: String::new(),
            size: Extent::Finite(64),
            alignment: 4,
            shape: LaidOutShape::Matrix { component, rows: 4, columns: 2, order: MatrixOrder::Column, stride },
        };
        let inner = structure(vec![("x", 0, leaf(4)), ("y", 2, leaf(4)), ("m", 8, matrix(12))]);
        let root = structure(vec![
            ("list", 0, array(inner, Count::Finite(2), 48)),
            ("close", 96, array(array(leaf(4), Count::Finite(4), 4), Count::Unbounded, 8)),
            ("one", 0x7FFF_0000, array(leaf(4), Count::Finite(1), 0)),
        ]);
        let found: Vec<String> = root.overlaps().iter().map(|it| format!("{}: {}", it.path, it.message)).collect();
        let expected = [
            "one: at offset 2147418112 overlaps `close`, which is runtime-sized",
            "list[].y: at offset 2 overlaps `x`, which ends at 4",
            "list[].m: its vectors overlap: each takes 16 bytes, and the next begins after 12",
            "close: its elements overlap: each takes 16 bytes, and the next begins after 8",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_member_may_stand_in_the_tail_padding_of_another() {
        let padded = LaidOut { size: Extent::Finite(16), ..structure(vec![("x", 0, leaf(4))]) };
        assert_eq!(structure(vec![("a", 0, padded), ("b", 4, leaf(4))]).overlaps(), []);
    }

    #[test]
    fn a_member_may_stand_between_elements_and_vectors() {
        let component = Component { scalar: Scalar::Float32, size: 4 };
        let shape = LaidOutShape::Matrix { component, rows: 3, columns: 2, order: MatrixOrder::Row, stride: 16 };
        let rows = LaidOut { type_name: String::new(), size: Extent::Finite(40), alignment: 16, shape };
        let elements = || array(leaf(4), Count::Finite(2), 16);
        let free =
            vec![("a", 0, elements()), ("b", 4, leaf(4)), ("c", 8, leaf(4)), ("m", 32, rows), ("d", 44, leaf(4))];
        assert_eq!(structure(free).overlaps(), []);
        let shared = vec![("a", 0, elements()), ("b", 4, leaf(4)), ("c", 6, leaf(4)), ("d", 16, leaf(4))];
        let found: Vec<String> =
            structure(shared).overlaps().iter().map(|it| format!("{}: {}", it.path, it.message)).collect();
        assert_eq!(
            found,
            ["c: at offset 6 overlaps `b`, which ends at 8", "d: at offset 16 overlaps `a`, which ends at 20"]
        );
    }
}
