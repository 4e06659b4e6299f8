//! The program's own data as facts: the known bugs, whether the compilers of this machine have them, the texts of
//! their issues, and what the pages of the site show.
//!
//! Compilers run only for [`bug_state`] and [`issues`]. Prints nothing and draws no page.
#![forbid(unsafe_code)]

pub mod bug_state;
pub mod builds;
pub mod issues;
pub mod known_evidence;
pub mod known_lists;
pub mod page_facts;
pub mod surprises;
