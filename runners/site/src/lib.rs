//! The site: static pages about rule sets, compilers and devices, made from the program's own data.
//!
//! `layoutproof report --site` collects [`SiteFacts`], and writes the pages that [`site_pages`] makes from
//! them. Pages share a style and a script, the same ones that other pages embed, and work without
//! the script. Text from records and files reaches a page only through maud's templates, which
//! escape it.
#![forbid(unsafe_code)]

mod address;
mod book;
mod case_page;
mod compatibility_pages;
mod compiler_pages;
mod evidence_page;
mod explorer_page;
mod gpu_page;
mod kept_runs;
mod known_differences;
mod markdown;
mod mechanism_page;
mod peer_page;
mod rule_pages;
mod rule_table_page;
mod rule_words;
mod search;
mod site_page;
mod start_page;
mod surprise_page;
mod time_line;
mod whole_site;

pub use address::ExplorerText;
pub use case_page::CaseFacts;
pub use compatibility_pages::{RecordedFile, SiteRecords};
pub use explorer_page::{EXPLORER_FILES, EXPLORER_PAGE};
pub use kept_runs::{KeptRun, SeenCounts, SeenDevice, seen_on};
pub use known_differences::{KnownList, Mechanism, SeenBuilds, capitalized, mechanisms};
pub use mechanism_page::KnownEvidence;
pub use peer_page::{Peer, PeerResults, WrongKind};
pub use rule_pages::{RuleSetFacts, ShownNeighbour};
pub use rule_table_page::RuleTableFacts;
pub use site_page::SitePage;
pub use surprise_page::Surprise;
pub use whole_site::{SiteFacts, site_pages};
