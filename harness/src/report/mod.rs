//! What people and other programs read: texts, JSON, JUnit.
//!
//! Records and laid-out blocks in, text out. Nothing here calls the engine or prints, so that a saved records file can
//! be rendered later and on another machine.

mod member_tree;
pub mod show_json;
mod side_by_side;
pub mod struct_text;
mod style;
mod witness;

pub use style::Style;
