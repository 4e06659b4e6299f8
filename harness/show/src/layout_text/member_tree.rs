//! Member rows as a tree: which member contains which, where each one ends, and which scalars it
//! consists of.
//!
//! The annotated struct and the byte map are drawn from it. It reads only the fields of a row
//! (path, type, offset, size, strides), because records do not store types.

use layoutproof_layout::MemberRow;
use layoutproof_layout::scalar::{Scalar, SixteenBit};

use super::numeric::{NumericType, numeric};

#[derive(Clone, Debug)]
pub(super) struct MemberNode<'a> {
    pub row: &'a MemberRow,
    /// Members of its struct, or of element 0 of its array.
    pub children: Vec<MemberNode<'a>>,
}

/// A scalar of a block with its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarCell<'a> {
    /// The innermost member that contains it.
    pub member: &'a MemberRow,
    /// The scalar itself, or the vector of contiguous scalars that contains it: `b[1]`, `d`, `m row
    /// 0`, `m column 1`.
    pub vector: String,
    /// Path in the block: `b[1]`, `d.x`, `m[0][1]`.
    pub path: String,
    /// Absolute offset in bytes.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

/// Most scalars of one block to draw; later ones are left out.
pub const MAX_CELLS: usize = 4096;
/// Most elements of one array to follow.
const MAX_ELEMENTS: u32 = 4096;

/// Builds trees from rows in which parents come before children.
pub(super) fn trees(rows: &[MemberRow]) -> Vec<MemberNode<'_>> {
    let mut rest = rows;
    let mut nodes = Vec::new();
    while let Some(node) = take_node(&mut rest) {
        nodes.push(node);
    }
    nodes
}

fn take_node<'a>(rest: &mut &'a [MemberRow]) -> Option<MemberNode<'a>> {
    let (row, behind) = rest.split_first()?;
    *rest = behind;
    let mut children = Vec::new();
    while rest.first().is_some_and(|next| is_child(&row.path, &next.path)) {
        children.extend(take_node(rest));
    }
    Some(MemberNode { row, children })
}

fn is_child(parent: &str, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(parent) else { return false };
    let member = rest.trim_start_matches("[]");
    member.starts_with('.') || (parent.is_empty() && member != rest)
}

/// Last name of a path: `position` of `lights[].position`.
pub(super) fn member_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Splits `float[2][3]` into `float` and `[2][3]`.
pub(crate) fn split_dimensions(type_name: &str) -> (&str, &str) {
    let mut end = type_name.len();
    while type_name[..end].ends_with(']') {
        match type_name[..end].rfind('[') {
            Some(open) => end = open,
            None => break,
        }
    }
    type_name.split_at(end)
}

/// Counts of the dimensions, outermost first; `None` for `[]`.
fn counts(dimensions: &str) -> Vec<Option<u32>> {
    dimensions.split(']').filter_map(|part| part.strip_prefix('[')).map(|count| count.parse().ok()).collect()
}

/// Strides of all dimensions in bytes, outermost first.
pub(super) fn strides(row: &MemberRow) -> Vec<u32> {
    if row.array_strides.is_empty() { row.array_stride.into_iter().collect() } else { row.array_strides.clone() }
}

impl<'a> MemberNode<'a> {
    /// Bytes of one innermost element, or of the member itself if it is not an array; `None` if the
    /// row does not have it.
    pub(super) fn element_size(&self) -> Option<u32> {
        let counts = counts(split_dimensions(&self.row.type_name).1);
        let strides = strides(self.row);
        let Some(mut size) = self.row.size else { return strides.last().copied() };
        for (count, stride) in counts.iter().zip(&strides) {
            size = size.checked_sub(stride.checked_mul(count.as_ref()?.checked_sub(1)?)?)?;
        }
        Some(size)
    }

    /// One past the last byte, relative to the block; `None` for an unsized array.
    pub(super) fn end(&self) -> Option<u32> {
        self.row.offset.checked_add(self.row.size?)
    }

    /// The scalars of the member. For an unsized array, those of elements 0 and 1.
    fn cells(&self, prefix: &str, shift: u32, cells: &mut CellList<'a>) {
        let name = member_name(&self.row.path).trim_start_matches("[]");
        let path = match (prefix, name) {
            ("", name) => name.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, name) => format!("{prefix}.{name}"),
        };
        let counts = counts(split_dimensions(&self.row.type_name).1);
        let dimensions: Vec<_> = counts.into_iter().zip(strides(self.row)).collect();
        self.elements(&dimensions, &ElementPlace { path, shift }, cells);
    }

    /// `dimensions` are the count (`None` for `[]`) and the stride in bytes of each dimension of the array.
    fn elements(&self, dimensions: &[(Option<u32>, u32)], place: &ElementPlace, cells: &mut CellList<'a>) {
        let Some(((count, stride), dimensions)) = dimensions.split_first() else {
            return self.element(place, cells);
        };
        for index in 0..count.unwrap_or(2).min(MAX_ELEMENTS) {
            let shift = index.checked_mul(*stride).and_then(|bytes| bytes.checked_add(place.shift));
            let Some(shift) = shift.filter(|_| cells.takes_element()) else { return };
            let path = format!("{}[{index}]", place.path);
            self.elements(dimensions, &ElementPlace { path, shift }, cells);
        }
    }

    fn element(&self, place: &ElementPlace, cells: &mut CellList<'a>) {
        if self.children.is_empty() {
            let offset = self.row.offset.saturating_add(place.shift);
            cells.found.extend(scalars(self, &place.path, offset));
        }
        for child in &self.children {
            child.cells(&place.path, place.shift, cells);
        }
    }
}

struct ElementPlace {
    path: String,
    shift: u32,
}

/// Scalars, and the elements of arrays on the way to them: arrays of empty arrays have many elements and no scalar.
#[derive(Default)]
struct CellList<'a> {
    found: Vec<ScalarCell<'a>>,
    elements: usize,
}

impl CellList<'_> {
    /// True if there is room for another element.
    fn takes_element(&mut self) -> bool {
        self.elements += 1;
        self.elements <= 8 * MAX_CELLS && self.found.len() < MAX_CELLS
    }
}

/// The scalars of all members, in the order of the rows.
pub fn cells(rows: &[MemberRow]) -> Vec<ScalarCell<'_>> {
    let mut cells = CellList::default();
    for node in trees(rows) {
        node.cells("", 0, &mut cells);
    }
    cells.found.truncate(MAX_CELLS);
    cells.found
}

/// Bytes of one scalar of a member that is not a struct.
pub(super) fn scalar_size(row: &MemberRow) -> Option<u32> {
    let node = MemberNode { row, children: Vec::new() };
    scalars(&node, "", 0).first().map(|scalar| scalar.size)
}

/// The scalars of one element that is not a struct.
fn scalars<'a>(node: &MemberNode<'a>, path: &str, offset: u32) -> Vec<ScalarCell<'a>> {
    let member = node.row;
    let element = node.element_size().unwrap_or(0);
    let whole = |size| ScalarCell { member, vector: path.to_owned(), path: path.to_owned(), offset, size };
    let Some((scalar, numeric)) = numeric(split_dimensions(&member.type_name).0) else { return vec![whole(element)] };

    match numeric {
        NumericType::Scalar => vec![whole(without_padding(scalar, element))],
        NumericType::Vector(length) => {
            let size = without_padding(scalar, element / length);
            let dotted = |i: u32| format!("{path}.{}", axis(i)).trim_start_matches('.').to_owned();
            let cell = |i: u32| ScalarCell { path: dotted(i), offset: offset.saturating_add(i * size), ..whole(size) };
            (0..length).map(cell).collect()
        }
        NumericType::Matrix(rows, columns) => matrix_cells(member, rows, columns, scalar)
            .map(|cell| ScalarCell {
                vector: format!("{path}{}", cell.vector),
                path: format!("{path}{}", cell.path),
                offset: offset.saturating_add(cell.offset),
                size: cell.size,
                member,
            })
            .collect(),
    }
}

/// Bytes of a scalar whose share of its element is `share` bytes. Padding after the element, as in
/// a std140 array, is not data. A row may give types narrower than 4 bytes a size of 4, and a
/// `bool` of C a size of 1.
fn without_padding(scalar: Scalar, share: u32) -> u32 {
    if share <= 4 { share } else { scalar.size(SixteenBit::On, 4).min(share) }
}

fn axis(component: u32) -> char {
    match component {
        0 => 'x',
        1 => 'y',
        2 => 'z',
        _ => 'w',
    }
}

/// The elements of a matrix; vectors, paths (`[row][column]`) and offsets are relative to the
/// matrix.
fn matrix_cells(member: &MemberRow, rows: u32, columns: u32, scalar: Scalar) -> impl Iterator<Item = ScalarCell<'_>> {
    let natural = scalar.size(SixteenBit::On, 4);
    let order = member.matrix_order.unwrap_or_default();
    let (vectors, length) = order.vectors_and_length(rows, columns);
    let stride = member.matrix_stride.unwrap_or(natural * length);

    (0..vectors).flat_map(move |vector| {
        (0..length).map(move |i| {
            let (row, column) = order.row_and_column(vector, i);
            ScalarCell {
                member,
                vector: format!(" {} {vector}", order.as_str()),
                path: format!("[{row}][{column}]"),
                offset: stride.saturating_mul(vector).saturating_add(i * natural),
                size: natural,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::shape::MatrixOrder;

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

    fn offsets(rows: &[MemberRow]) -> Vec<(String, u32)> {
        cells(rows).into_iter().map(|cell| (cell.path, cell.offset)).collect()
    }

    /// A record may state any lengths. Without a limit, this would visit 2^36 elements.
    #[test]
    fn arrays_of_empty_arrays_end() {
        let array = |path: &str, ty: &str| MemberRow { array_stride: Some(0), ..row(path, ty, 0, 0) };
        let rows = [
            array("a", "A[4294967295]"),
            array("a[].b", "B[4294967295]"),
            array("a[].b[].c", "C[4294967295]"),
            array("a[].b[].c[].d", "float[0]"),
        ];
        assert_eq!(offsets(&rows), []);
    }

    // std140: a struct array's stride is a multiple of 16 (OpenGL 4.6, 7.6.2.2, rules 9 and 10).
    #[test]
    fn scalars_of_a_struct_array_are_found_in_every_element() {
        let rows = [
            MemberRow { array_stride: Some(16), ..row("lights", "Light[2]", 16, 32) },
            row("lights[].position", "float2", 16, 8),
            row("lights[].radius", "float", 24, 4),
            row("end", "float", 48, 4),
        ];
        let expected = [
            ("lights[0].position.x", 16),
            ("lights[0].position.y", 20),
            ("lights[0].radius", 24),
            ("lights[1].position.x", 32),
            ("lights[1].position.y", 36),
            ("lights[1].radius", 40),
            ("end", 48),
        ];
        assert_eq!(offsets(&rows), expected.map(|(path, offset)| (path.to_owned(), offset)));
        assert_eq!(trees(&rows)[0].element_size(), Some(16));
    }

    // A column_major matrix keeps columns contiguous: element [0][1] is one stride after element
    // [0][0].
    #[test]
    fn matrix_elements_follow_the_order() {
        let matrix =
            |order| MemberRow { matrix_stride: Some(16), matrix_order: Some(order), ..row("m", "float2x2", 0, 24) };
        let at = |order, path: &str| offsets(&[matrix(order)]).into_iter().find(|(p, _)| p == path).unwrap().1;
        assert_eq!(at(MatrixOrder::Column, "m[0][1]"), 16);
        assert_eq!(at(MatrixOrder::Row, "m[0][1]"), 4);
    }

    // float b[2][3] in a D3D constant buffer: rows of 48 bytes, the last element is not padded (DXC
    // 1.7.2308 listing).
    #[test]
    fn the_innermost_element_of_a_padded_array_is_found() {
        let b = MemberRow { array_stride: Some(48), array_strides: vec![48, 16], ..row("b", "float[2][3]", 0, 84) };
        assert_eq!(trees(std::slice::from_ref(&b))[0].element_size(), Some(4));
        assert_eq!(offsets(&[b])[4], ("b[1][1]".to_owned(), 64));
    }

    // OpenGL 4.6, 7.6.2.2, rule 4: elements of std140 arrays are 16 bytes apart, and the array ends
    // after the padding of the last one. Metal's float3 has 16 bytes (Metal Shading Language, 2.2
    // Vector Data Types).
    #[test]
    fn padding_behind_an_element_is_no_data() {
        let array = |ty: &str| MemberRow { array_stride: Some(16), ..row("b", ty, 16, 32) };
        let sizes = |row: MemberRow| cells(&[row]).iter().map(|cell| (cell.offset, cell.size)).collect::<Vec<_>>();
        assert_eq!(sizes(array("float[2]")), [(16, 4), (32, 4)]);
        assert_eq!(sizes(array("float2[2]")), [(16, 4), (20, 4), (32, 4), (36, 4)]);
        assert_eq!(sizes(array("double[2]")), [(16, 8), (32, 8)]);
        assert_eq!(sizes(row("v", "float3", 0, 16)), [(0, 4), (4, 4), (8, 4)]);
        assert_eq!(sizes(row("h", "half", 0, 4)), [(0, 4)]);
    }

    #[test]
    fn a_block_without_a_struct_has_scalars_without_a_member_name() {
        assert_eq!(offsets(&[row("", "float2", 0, 8)]), [("x".to_owned(), 0), ("y".to_owned(), 4)]);
    }
}
