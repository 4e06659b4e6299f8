//! Where parameters are bound: registers, sets, spaces, locations, by the convention of one compiler on one target.
//!
//! [`bind`] answers a [`BindingRequest`] with a [`BoundModule`]: one row for each unit that a parameter takes. Checks,
//! `show bindings` and the binding probes call it. Bytes inside a block are the business of [`layoutproof_layout`].

mod clang;
mod dxc;
pub mod options;
pub mod place;
pub mod reflect;
pub mod release;
pub mod request;
pub mod slang;
pub mod slots;
pub mod tree;

use std::collections::BTreeMap;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};

use crate::input::diagnostics::{Code, Diagnostic};
use crate::module::Module;
pub use place::BindingPlace;
pub use request::{BindingInvocation, BindingRequest, Convention, Target};

/// One unit of one parameter: `B` holds `u3` to `u6` in space 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Access path of the parameter: `B`, `s.D`, `s.B[3]`, `$Globals`, `$Entry.main`; `main.t` for a parameter of an
    /// entry point, `main.$result` for its result; `pairs[].b` for all elements at once.
    pub path: String,
    /// Unit.
    pub unit: LayoutUnit,
    /// Register space, descriptor set or group; 0 for units that have none.
    pub space: u32,
    /// First register, binding or location.
    pub index: u32,
    /// How many of the unit.
    pub count: Count,
    /// Where the parameter is declared.
    pub span: Span,
}

/// Bindings of every parameter of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundModule {
    /// Rows, in the convention's order of parameters; the rows of one parameter in the order of [`LayoutUnit::ALL`].
    pub bindings: Vec<Binding>,
    /// Warnings of the compiler, and of code that cannot be followed for certain.
    pub warnings: Vec<Diagnostic>,
    /// Paths whose places, or whether they have one, depend on what is not certain, each with the reason.
    pub uncertain: BTreeMap<String, String>,
    /// Where the rules of the convention place a parameter otherwise than the compiler whose answer this is.
    pub differing: BTreeMap<String, Vec<Binding>>,
}

/// Places the parameters of `module` as `request` asks.
///
/// # Errors
/// Programs that the convention's compiler refuses, a target that the convention does not speak of, and a version of the
/// compiler that nothing is known of.
pub fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    if let Some(message) = release::unknown(request.target, request.convention, request.version.as_deref()) {
        return Err(vec![Diagnostic::error(Code::UnknownVersion, Span::default(), message)]);
    }
    match request.convention {
        Convention::Slang | Convention::SlangDocumented => slang::bind(module, request),
        Convention::Dxc => dxc::bind(module, request),
        Convention::Clang => clang::bind(module, request),
    }
}
