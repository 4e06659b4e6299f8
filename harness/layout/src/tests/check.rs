//! Checks with one line per claim: a declaration, a rule set, the offsets of its members and its
//! size.

use super::declare::block;
use crate::Block;
use crate::scalar::SixteenBit;
use crate::shape::MatrixOrder;
use crate::{BlockLayout, LayoutOptions, MemberRow, RuleSet, find, lay_out};

/// Column-major, 16-bit types on: DXC with `-enable-16bit-types`.
pub(super) const DEFAULT: LayoutOptions =
    LayoutOptions { matrix: MatrixOrder::Column, sixteen_bit: SixteenBit::On, msvc_bit_fields: false };
/// DXC without `-enable-16bit-types`.
pub(super) const NO_16_BIT: LayoutOptions = LayoutOptions { sixteen_bit: SixteenBit::Off, ..DEFAULT };
/// DXC's `-Zpr`; Slang's default.
pub(super) const ROW_MAJOR: LayoutOptions = LayoutOptions { matrix: MatrixOrder::Row, ..DEFAULT };

pub(crate) fn rules(name: &str) -> &'static RuleSet {
    find(name).unwrap_or_else(|| panic!("no rule set {name}"))
}

/// Lays out a block that the rule set allows.
pub(super) fn accepted(rules: &RuleSet, block: &Block, options: LayoutOptions) -> BlockLayout {
    let layout = lay_out(block, rules, options);
    assert_eq!(layout.result.as_ref().err(), None, "{}", rules.name);
    layout
}

/// The `path offset` of each row, joined by commas, then the `size`.
pub(super) fn summary(layout: &BlockLayout) -> String {
    let rows: Vec<String> = layout.rows().iter().map(|row| format!("{} {}", row.path, row.offset)).collect();
    let size = layout.result.as_ref().unwrap().size.finite();
    format!("{}; size {}", rows.join(", "), size.map_or("unbounded".to_owned(), |size| size.to_string()))
}

/// Checks the rows of `declarations` against a text such as `a 0, b 12; size 16`.
pub(super) fn check(name: &str, declarations: &str, expected: &str) {
    check_with(DEFAULT, name, declarations, expected);
}

/// As [`check`], with other options.
pub(super) fn check_with(options: LayoutOptions, name: &str, declarations: &str, expected: &str) {
    let layout = accepted(rules(name), &block(declarations), options);
    assert_eq!(summary(&layout), expected, "{name}: {declarations}");
}

/// The row with this path.
pub(super) fn row(name: &str, declarations: &str, path: &str) -> MemberRow {
    let rows = accepted(rules(name), &block(declarations), DEFAULT).rows();
    rows.into_iter().find(|row| row.path == path).unwrap()
}

/// All reasons against the block, as `path: message`.
pub(super) fn refusals(name: &str, declarations: &str) -> Vec<String> {
    let layout = lay_out(&block(declarations), rules(name), DEFAULT);
    layout.result.unwrap_err().iter().map(|reason| format!("{}: {}", reason.path, reason.message)).collect()
}
