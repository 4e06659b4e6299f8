//! Laid-out blocks as text that people read: `layoutproof show` and `diff`, and the table of a failure.

pub mod bindings_text;
pub mod diff_text;
pub(super) mod member_tree;
mod numeric;
pub mod padding_text;
mod side_by_side;
pub(super) mod struct_lines;
pub mod struct_text;
