//! The numbers that an expectation pins, and those that it leaves out.

use layoutproof_layout::{BlockLayout, MemberRow, Numbers, Quantity, join, without_indices};

use crate::case::file::Expectation;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::nearest_name::did_you_mean;

impl From<&Expectation> for Numbers {
    fn from(expectation: &Expectation) -> Self {
        let mut numbers = Self::default();
        for entry in &expectation.entries {
            numbers.add(entry.what, &entry.path, Some(entry.value));
        }
        numbers
    }
}

/// Problems of an expectation that need the declaration: paths that are not declared, and members,
/// sizes and matrix elements that the expectation leaves out without `partial = true`.
pub fn problems(case: &str, expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<Diagnostic> {
    let pinned = Numbers::from(expectation);
    let mut found = unknown(case, expectation, layouts);
    if !expectation.partial {
        for missing in layouts.iter().flat_map(|layout| left_out(layout, &pinned)) {
            let message = format!("`{}` leaves out {missing}; pin it or say `partial = true`", expectation.rules);
            found.push(Diagnostic::error(Code::IncompleteExpectation, expectation.span, message));
        }
    }
    found
}

/// The paths of an expectation that the declaration does not have.
pub fn unknown(case: &str, expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<Diagnostic> {
    let computed = Numbers::of_layouts(layouts);
    let refused = layouts.iter().any(|layout| layout.result.is_err());
    let entries = expectation.entries.iter().filter(|_| !refused);
    let unknown = entries.filter(|entry| computed.get(entry.what, &entry.path).is_none());
    let told = unknown.map(|entry| {
        let known =
            layouts.iter().flat_map(|layout| layout.rows().into_iter().map(|row| join(&layout.name, &row.path)));
        let known: Vec<String> = known.collect();
        let meant = did_you_mean(&entry.path, known.iter().map(String::as_str));
        let message = format!("case {case}: `{}` is not declared, or has no such number{meant}", entry.path);
        Diagnostic::error(Code::UnknownPath, entry.span, message)
    });
    told.collect()
}

fn left_out(layout: &BlockLayout, pinned: &Numbers) -> Vec<String> {
    let Ok(root) = &layout.result else { return Vec::new() };
    let mut missing = Vec::new();

    if root.size.finite().is_some() && pinned.get(Quantity::Size, &layout.name).is_none() {
        missing.push(format!("the size of `{}`", layout.name));
    }

    for row in layout.rows() {
        let path = join(&layout.name, &row.path);
        let has_bytes = row.size != Some(0);
        if pinned.get(Quantity::Offset, &path).is_none() && !row.path.is_empty() && has_bytes {
            missing.push(format!("the offset of `{path}`"));
        }
        if row.array_stride.is_some() && pinned.get(Quantity::ArrayStride, &path).is_none() && !row.path.is_empty() {
            missing.push(format!("the stride of `{path}`"));
        }
    }

    missing.extend(unpinned_matrices(layout, pinned));
    missing
}

/// Matrices without a pinned off-diagonal element, among those with two or more contiguous vectors
/// of two or more components. Without one, rows cannot be distinguished from columns.
fn unpinned_matrices(layout: &BlockLayout, pinned: &Numbers) -> Vec<String> {
    let two_dimensional = |row: &MemberRow| row.matrix_order.is_some() && row.matrix_stride.is_some();
    let rows = layout.rows();
    let matrices = rows.iter().filter(|row| two_dimensional(row));

    let unpinned = matrices.filter(|row| {
        let dimensions = "[]".repeat(row.array_strides.len().max(usize::from(row.array_stride.is_some())));
        !pins_off_diagonal(pinned, &format!("{}{dimensions}", join(&layout.name, &row.path)))
    });
    unpinned.map(|row| format!("an off-diagonal element of `{}`", join(&layout.name, &row.path))).collect()
}

/// True if an off-diagonal element of the matrix `path` is pinned. `path` has no indices.
fn pins_off_diagonal(pinned: &Numbers, path: &str) -> bool {
    let mut cells =
        (0..4).flat_map(|row| (0..4).map(move |column| (row, column))).filter(|(row, column)| row != column);
    cells.any(|(row, column)| {
        let cell = format!("{path}[{row}][{column}]");
        pinned.iter().any(|(what, pinned, _)| what == Quantity::Offset && generic_up_to_matrix(pinned) == cell)
    })
}

/// Removes array indices but keeps those of the matrix element: `S.a[1].m[0][1]` gives
/// `S.a[].m[0][1]`.
fn generic_up_to_matrix(path: &str) -> String {
    let cell = path.rmatch_indices('[').nth(1).map(|(at, _)| at);
    cell.map_or_else(|| path.to_owned(), |at| format!("{}{}", without_indices(&path[..at]), &path[at..]))
}
