//! Conventions `slang` and `slang-documented`: what slangc does, and what its user guide says it does.
//!
//! [`layout`] places a [`Module`] for a [`BindingRequest`] and returns the tree that reflection shows;
//! [`crate::bindings::bind`] returns the tree's leaves as rows. `settings` reads the request; `units`, `bytes`,
//! `types`, `arrays` and `containers` say how much of each unit a type takes; `globals`, `entry` and `varying` measure
//! scopes, within a `budget`; `explicit` reads what the author fixed; `program` gives out slots from `slot_allocator`;
//! `flatten` makes rows. The two conventions differ where `settings` say `documented`.
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

use settings::SlangSettings;

use super::{BindingRequest, BoundModule};
use crate::input::diagnostics::Diagnostic;
use crate::module::Module;

/// Places the parameters of `module`.
pub(super) fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    let (program, settings) = (layout(module, request)?, SlangSettings::of(request)?);
    let bindings = flatten::rows(&program, module.own_parameters, &settings);
    Ok(BoundModule { bindings, warnings: program.warnings, ..BoundModule::default() })
}

#[cfg(test)]
mod tests;
