//! Conventions `slang` and `slang-documented`: what slangc does, and what its user guide says it does.
//!
//! A [`Module`] and a [`Request`] in. [`layout`] gives the tree that reflection shows, [`crate::bindings::bind`] its leaves as rows.
//! `settings` reads the request; `units`, `bytes`, `types`, `arrays` and `containers` say how much of each unit a type
//! takes; `globals`, `entry` and `varying` measure scopes, within a `budget`; `explicit` reads what the author fixed;
//! `program` gives out slots from `lines`; `flatten` makes rows. The two conventions differ where `settings` say
//! `documented`.
//!
//! Sources: Slang user guide, Parameter Layout Rules and Using the Reflection API; measured with slangc 2026.12 and
//! 2026.14.1. What slangc reflects counts where its code does otherwise.

mod arrays;
mod budget;
mod bytes;
mod containers;
mod entry;
mod explicit;
mod flatten;
mod globals;
mod program;
mod scope;
mod settings;
mod slot_allocator;
mod types;
mod units;
mod varying;

pub use program::layout;

use settings::Settings;

use super::{Bound, Request};
use crate::input::diagnostics::Diagnostic;
use crate::module::Module;

/// Places the parameters of `module`.
pub(super) fn bind(module: &Module, request: &Request) -> Result<Bound, Vec<Diagnostic>> {
    let (program, settings) = (layout(module, request)?, Settings::of(request)?);
    let bindings = flatten::rows(&program, module.own_parameters, &settings);
    Ok(Bound { bindings, warnings: program.warnings, ..Bound::default() })
}

#[cfg(test)]
mod tests;
