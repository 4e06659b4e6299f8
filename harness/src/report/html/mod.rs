//! Pages and pictures for browsers: byte maps as inline SVG; pages for laid-out blocks, for a run,
//! for host structs and for findings of `fuzz`; and a site.
//!
//! The commands write them to files, which load nothing from elsewhere and work without JavaScript.
//! Text from users reaches a page only through maud's templates, which escape it.

mod byte_map;
mod byte_pieces;
mod case_link;
mod case_part;
mod check_page;
mod failure_card;
mod finding_parts;
mod fuzz_page;
mod known_part;
mod layout_page;
mod layout_sheet;
mod outcome_cell;
mod outcome_matrix;
mod page_frame;
mod page_shaders;
mod run_page;
pub mod site;
mod witness_layers;

pub use check_page::check_page;
pub use finding_parts::{bindings_part, padding_part};
pub use fuzz_page::{FuzzFinding, FuzzPageFacts, fuzz_page};
pub use layout_page::{ShownInput, diff_page, layout_sections, show_page};
pub use layout_sheet::layout_sheet;
pub use run_page::{RunPageFacts, run_page};
