//! Prints laid-out blocks as text: `layoutproof show` and `diff`, and the table of a failure.

pub mod bindings_text;
pub(super) mod block_rows;
pub(super) mod declaration_words;
pub mod diff_text;
mod holes;
pub(super) mod member_tree;
pub(super) mod merged_block;
pub(super) mod numeric;
pub mod padding_text;
pub mod shown_columns;
pub(super) mod struct_lines;
pub mod struct_text;
