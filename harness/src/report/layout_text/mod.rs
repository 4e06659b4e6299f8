//! Laid-out blocks as text that people read: `layoutproof show` and `diff`, and the table of a failure.

pub mod bindings_text;
mod block_rows;
pub mod declaration_words;
pub mod diff_text;
mod holes;
pub(super) mod member_tree;
mod numeric;
pub mod padding_text;
pub mod shown_columns;
pub(super) mod struct_lines;
pub mod struct_text;
