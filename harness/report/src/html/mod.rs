//! Pages and pictures for browsers: byte maps as inline SVG; pages for laid-out blocks, for a run,
//! for host structs and for findings of `fuzz`.
//!
//! The commands write them to files, which load nothing from elsewhere and work without JavaScript.
//! Text from users reaches a page only through maud's templates, which escape it.

pub mod byte_map;
mod byte_pieces;
pub mod case_part;
mod check_page;
pub mod code_colours;
pub mod components;
pub mod failure_card;
pub mod finding_parts;
mod fuzz_page;
pub mod known_part;
pub mod layout_page;
pub mod layout_sheet;
pub mod outcome_matrix;
pub mod page_frame;
pub mod page_shaders;
mod pair_diff;
mod run_page;
mod runs_page;
pub mod style_sheet;
pub mod witness_layers;

pub use check_page::check_page;
pub use finding_parts::{bindings_part, padding_part};
pub use fuzz_page::{FuzzFinding, FuzzPageFacts, fuzz_page};
pub use layout_page::{diff_page, map_sections, offset_sections, show_page};
pub use layout_sheet::layout_sheet;
pub use run_page::{RunPage, failures_part};
pub use runs_page::runs_page;
