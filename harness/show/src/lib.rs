//! The data that `layoutproof show` and the site's explorer display for one text: its blocks under
//! targets and rule sets, bindings, padding, and warnings.
//!
//! The command reads files and cases into a [`ShowInput`], the explorer reads what the user types; both through
//! [`front_ends`].
//! Both then make the columns that [`layout_text`] draws. [`host_types`] writes the same blocks as types of host languages.
#![forbid(unsafe_code)]

pub mod accounts;
mod better_order;
mod declared_words;
mod dxc_spirv;
mod findings;
pub mod front_ends;
pub mod host_types;
pub mod layout_text;
mod member_places;
pub mod name_conflicts;
mod placements;
mod reordered_text;
mod rule_set_layouts;
pub mod semantic_interfaces;
mod show_input;
pub mod show_json;
mod shown_rules;
pub mod stage_interfaces;
pub mod style;

pub use better_order::{BetterOrder, ColumnSize, PaddedBlock, PaddedColumn};
pub use findings::{assumed_in_block, misplaced, overlap_warnings};
pub use host_types::{asserts, llvm_types};
pub use layout_text::{
    bindings_text, csv_text, declaration_words, diff_text, markdown_text, padding_text, shown_columns, struct_text,
};
pub use member_places::MemberPlace;
pub use placements::{DeclaredBindings, Placements, UnknownEntry};
pub use reordered_text::ReorderedText;
pub use rule_set_layouts::{LaidOutBlock, RuleSetLayouts};
pub use show_input::{CompilerRefusal, DriverText, InputContent, LaidOutFile, ShowInput};
pub use shown_rules::{MOST_COLUMNS, NoColumn, ShownColumnChoice, ShownRules, columns, shipping, usual_compiler};
pub use style::{Style, counted, grouped, one_line};
