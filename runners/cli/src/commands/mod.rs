//! The commands: one file or folder each, which also defines the command's arguments.

pub(crate) mod accesses;
pub mod bench;
pub(crate) mod bugs;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod explorer;
pub(crate) mod export;
pub(crate) mod fuzz;
pub(crate) mod hardware;
pub(crate) mod list;
pub(crate) mod lsp;
pub(crate) mod own;
pub(crate) mod pages;
pub(crate) mod report;
mod repro;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod vectors;
