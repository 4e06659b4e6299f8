//! Pages and pictures for browsers: byte maps as inline SVG, a page for laid-out blocks, a page for a run, a site.
//!
//! The command writes them to files, which load nothing from elsewhere and read without JavaScript. Texts of users
//! reach a page through maud's templates, which escape them.

mod byte_map;
mod byte_pieces;
mod case_link;
mod case_part;
mod failure_card;
mod finding_parts;
mod layout_page;
mod layout_sheet;
mod outcome_cell;
mod outcome_matrix;
mod page_frame;
mod run_page;
pub mod site;
mod witness_layers;

pub use finding_parts::{bindings_part, padding_part};
pub use layout_page::{ShownInput, diff_page, layout_sections, show_page};
pub use layout_sheet::layout_sheet;
pub use run_page::{RunPageFacts, run_page};
