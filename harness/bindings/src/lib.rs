//! Places parameters: registers, spaces, sets, bindings and locations, by one compiler's convention
//! for one target.
//!
//! [`bind`] answers a [`BindingRequest`] with a [`BoundModule`]: one row for each unit that a
//! parameter takes. Checks, `show bindings` and the binding probes call it. The bytes inside a
//! block come from [`layoutproof_layout`].
#![forbid(unsafe_code)]

mod clang;
mod declarations;
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

pub use declarations::{Declarations, SourceText};
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
pub use place::BindingPlace;
pub use request::{BindingInvocation, BindingRequest, Convention, Target};

/// One unit of one parameter, for example `u3` to `u6` in space 0 for `B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Access path of the parameter: `B`, `s.D`, `s.B[3]`, `$Globals`, `$Entry.main`; `main.t` for a parameter of an
    /// entry point, `main.$result` for its result; `pairs[].b` for all elements at once.
    pub path: String,
    pub unit: LayoutUnit,
    /// Register space, descriptor set or group; 0 for units that have none.
    pub space: u32,
    /// First register, binding or location.
    pub index: u32,
    pub count: Count,
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundModule {
    /// Rows, in the convention's order of parameters; the rows of one parameter in the order of [`LayoutUnit`].
    pub bindings: Vec<Binding>,
    /// Warnings of the compiler, and warnings about code that layoutproof cannot follow with
    /// certainty.
    pub warnings: Vec<Diagnostic>,
    /// Paths whose place or use is uncertain, each with the reason.
    pub uncertain: BTreeMap<String, String>,
    /// The convention's own rows for parameters that the compiler behind this answer places
    /// differently.
    pub differing: BTreeMap<String, Vec<Binding>>,
}

/// Two bindings that share a register or a binding, as indices into [`BoundModule::bindings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingOverlap {
    /// Index of the earlier row.
    pub first: usize,
    /// Index of the later row.
    pub second: usize,
}

/// Limit on the overlaps to find in one module. With many ranges each can overlap all others.
const MOST_OVERLAPS: usize = 100;

impl BoundModule {
    /// Returns the bindings that share a slot with an earlier one of the same unit and space. On
    /// Vulkan and WebGPU an array takes one binding unless `arrays_are_flat`.
    pub fn overlaps(&self, arrays_are_flat: bool) -> Vec<BindingOverlap> {
        let last = |binding: &Binding| {
            let one = binding.unit == LayoutUnit::Binding && !arrays_are_flat;
            slots::SlotLine::<()>::last(binding.index, if one { Count::Finite(1) } else { binding.count })
        };
        let mut found = Vec::new();
        for (second, binding) in self.bindings.iter().enumerate().filter(|(_, binding)| binding.unit.has_space()) {
            let Some(end) = last(binding) else { continue };
            for (first, other) in self.bindings[..second].iter().enumerate() {
                let is_same_line = (other.unit, other.space) == (binding.unit, binding.space);
                let shares = other.index <= end && last(other).is_some_and(|last| binding.index <= last);
                if is_same_line && shares && other.path != binding.path {
                    found.push(BindingOverlap { first, second });
                }
            }
            if found.len() >= MOST_OVERLAPS {
                break;
            }
        }
        found
    }
}

/// The entry point for which a convention places parameters, if it places them for a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenEntry {
    pub name: String,
    pub others: Vec<String>,
    /// Parameters that have no place because the entry point does not use them, in declaration order.
    pub unused: Vec<String>,
}

/// Returns the entry point for which `request` places the parameters of `module`, with the
/// parameters that it does not use. Returns `None` if the convention places all parameters for all
/// entry points, or if the module has no such entry point. `bound` is the answer to `request`.
pub fn chosen_entry(module: &Module, request: &BindingRequest, bound: &BoundModule) -> Option<ChosenEntry> {
    let takes_one = match request.convention {
        Convention::Dxc | Convention::Clang => !dxc::is_library(request),
        Convention::Slang | Convention::SlangDocumented => false,
    };
    let mut names: Vec<&str> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
    names.dedup();
    let name = match &request.entry {
        Some(name) => names.iter().find(|other| **other == name.as_str())?,
        None => names.first()?,
    };
    let name = Some(*name).filter(|_| takes_one)?;

    // A parameter is unused if it is bound only when everything counts as used. The numbers may
    // differ then, since unused parameters take registers themselves.
    let everything = module.parameters.iter().map(|parameter| parameter.name.clone());
    let used = request.used.iter().cloned().chain(everything).collect();
    let is_bound = |path: &str| bound.bindings.iter().any(|binding| binding.path == path);
    let mut unused: Vec<String> = Vec::new();
    if let Ok(all) = bind(module, &BindingRequest { used, unused: Vec::new(), ..request.clone() }) {
        for binding in all.bindings.iter().filter(|binding| !is_bound(&binding.path)) {
            if !unused.contains(&binding.path) {
                unused.push(binding.path.clone());
            }
        }
    } else {
        // Everything together may not fit. In that case the parameters without any binding are
        // unused.
        let is_part = |path: &str, name: &str| {
            path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let has_part = |name: &str| bound.bindings.iter().any(|binding| is_part(&binding.path, name));
        let is_placed = |parameter: &&Parameter| match parameter.kind {
            ParameterKind::Global => is_bound("$Globals") || has_part(&parameter.name),
            ParameterKind::Cbuffer | ParameterKind::Tbuffer | ParameterKind::Variable => has_part(&parameter.name),
        };
        let missing = module.parameters.iter().filter(|parameter| !is_placed(parameter));
        unused.extend(missing.map(|parameter| parameter.name.clone()));
    }
    let others = names.iter().filter(|other| **other != name).map(|other| (*other).to_owned()).collect();
    Some(ChosenEntry { name: name.to_owned(), others, unused })
}

/// Says that the compiler does not know an option for descriptor heaps. DXC 1.7.2308: `Unknown argument`; 1.9.2602 has it.
fn unknown_heap(request: &BindingRequest) -> Option<String> {
    let option = options::BindingOptions::parse(&request.options).ok()?.heap?;
    match request.convention {
        Convention::Dxc if request.version.is_some() => None,
        Convention::Dxc => Some(format!(
            "DXC 1.7.2308 refuses `{option}` as an unknown argument; DXC 1.9 takes it, whose places for Vulkan are not known here"
        )),
        Convention::Slang | Convention::SlangDocumented | Convention::Clang => {
            Some(format!("{} has no option `{option}`", request.convention))
        }
    }
}

/// Places the parameters of `module` according to `request`.
///
/// # Errors
/// Programs that the convention's compiler refuses, a target that the convention does not cover,
/// and a version of the compiler whose placement is unknown.
pub fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    if let Some(message) = release::unknown(request.target, request.convention, request.version.as_deref()) {
        return Err(vec![Diagnostic::error(Code::UnknownVersion, Span::default(), message)]);
    }
    if let Some(message) = unknown_heap(request) {
        return Err(vec![Diagnostic::error(Code::BadOption, Span::default(), message)]);
    }
    match request.convention {
        Convention::Slang | Convention::SlangDocumented => slang::bind(module, request),
        Convention::Dxc => dxc::bind(module, request),
        Convention::Clang => clang::bind(module, request),
    }
}
