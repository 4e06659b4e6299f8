//! Prints laid-out blocks as text: `layoutproof show` and `diff`, and the table of a failure.

pub mod bindings_text;
pub mod byte_map;
mod compared_rows;
pub mod csv_text;
pub mod declaration_words;
pub mod diff_text;
pub mod holes;
pub mod markdown_text;
pub mod member_tree;
pub mod numeric;
pub mod padding_text;
pub mod shown_columns;
pub mod struct_lines;
pub mod struct_text;
