//! Screens are modules that answer for probes of many checks at once. The executor tries them
//! before the jobs of single checks.
//!
//! `candidate` decides which probes can share a module. `screen` writes the modules and reads their
//! answers.

mod candidate;
mod screen;

pub use screen::Screen;
