//! Screens: modules that answer for probes of many checks at once, which the executor tries before the jobs of single
//! checks.
//!
//! `candidate` says which probes can share a module, `screen` has the modules written and reads their answers.

mod candidate;
mod screen;

pub use screen::Screen;
