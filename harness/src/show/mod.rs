//! The data that `layoutproof show` and the site's explorer display for one text: its blocks under
//! targets and rule sets, bindings, padding, and warnings.
//!
//! The command reads files and cases into a [`ShowInput`], the explorer reads what the user types.
//! Both then make the columns that [`crate::report`] draws.

mod dxc_spirv;
mod findings;
mod laid_out_file;
mod placements;
mod rule_set_layouts;
mod shipping;
mod show_input;
mod shown_rules;

pub use findings::overlap_warnings;
pub use laid_out_file::LaidOutFile;
pub use placements::Placements;
pub use rule_set_layouts::{LaidOutBlock, RuleSetLayouts};
pub use shipping::{MOST_COLUMNS, ShippingTarget};
pub use show_input::{InputContent, ShowInput};
pub use shown_rules::{RuleChoice, ShownRules};
