//! Finds the [`ResourceUse`]s that an entry point reaches: uses of global parameters in all functions that it calls, in
//! order.
//!
//! Parameters and `this` are followed to what the caller passes. What an optimiser
//! finds out beyond `if (false)` is not known here; the request says it (`used`, `unused`).

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{Argument, Span};

use super::body::CallFrame;
use super::doubt::{CallPolicy, UncertainCall};
use super::location::{Location, globals, holds_resources, is_struct};
use crate::bindings::BindingRequest;
use crate::bindings::options::{BindingOptions, UnusedResources};
use crate::input::diagnostics::{Code, Diagnostic};
use crate::module::{EntryPoint, Function, Module, Static, Step};

/// Uses and calls after which the walk gives up; calls can double them at each level.
pub(super) const MOST_USES: usize = 1 << 16;

/// Calls inside calls after which the walk gives up, since it walks them by recursion.
pub(super) const DEEPEST_CALL: usize = 128;

/// How the code comes by what it uses; DXC's order depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AccessManner {
    /// Through `this` of a method that is called on a global.
    Object,
    /// Through a struct parameter, or `this` of a method that is called on a local struct.
    Value,
    /// Through a local struct that renames a global one.
    Alias,
    /// Through a `static` struct that the entry point names.
    Static,
    /// By its own global name.
    Own,
    /// Through a resource parameter or a local resource.
    Copy,
}

/// One use of a resource or of data.
#[derive(Clone, Debug)]
pub(in crate::bindings) struct ResourceUse<'m> {
    /// The resource or data that is used.
    pub(in crate::bindings) location: Location<'m>,
    /// The operation: the resource type and the method or `[]`.
    pub(super) operation: String,
    pub(super) manner: AccessManner,
    /// How many steps lead to the object whose method it is, for [`AccessManner::Object`].
    pub(super) object: usize,
    /// Where the copy is made, for [`AccessManner::Copy`].
    pub(super) copied: CopyPosition,
    /// Which call of a function the use is in, counted in the order of calls; 0 is the entry point. `static` variables
    /// count as the first calls.
    pub(super) activation: usize,
    /// How many calls lead there from the entry point.
    pub(super) depth: usize,
    /// Where the body says so.
    pub(in crate::bindings) span: Span,
}

impl ResourceUse<'_> {
    /// True if the use moves the counter of a structured buffer.
    pub(in crate::bindings) fn counts(&self) -> bool {
        let counting = [".IncrementCounter", ".DecrementCounter", ".Append", ".Consume"];
        counting.iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the use moves the counter and leaves the elements alone.
    pub(in crate::bindings) fn only_counts(&self) -> bool {
        [".IncrementCounter", ".DecrementCounter"].iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the resource is named without a word on what is done with it.
    pub(in crate::bindings) fn is_whole(&self) -> bool {
        self.operation.is_empty()
    }
}

/// The place at which a resource is copied.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyPosition {
    /// Byte offset in the text.
    pub(super) start: u32,
    /// Index of the copied argument among the uses of the function; 0 for a local variable.
    pub(super) argument: usize,
}

/// Everything that is used, and the calls of which it is not certain what they run.
#[derive(Debug)]
pub(in crate::bindings) struct WalkResult<'m> {
    pub(in crate::bindings) reached: Vec<ResourceUse<'m>>,
    pub(in crate::bindings) doubts: Vec<UncertainCall>,
}

/// Something that a body can name: a location with how the code comes by it.
#[derive(Clone, Debug)]
pub(super) struct NamedLocation<'m> {
    pub(super) location: Location<'m>,
    pub(super) manner: AccessManner,
    pub(super) object: usize,
    pub(super) copied: CopyPosition,
    pub(super) activation: usize,
}

/// The walk over the bodies; `body` says how one is walked.
#[derive(Debug)]
pub(super) struct UseWalk<'m> {
    pub(super) globals: BTreeMap<String, Location<'m>>,
    /// `static` variables, with the call of a function that each counts as, from 1.
    pub(super) statics: BTreeMap<&'m str, (usize, &'m Static)>,
    pub(super) functions: BTreeMap<&'m str, Vec<&'m Function>>,
    /// The functions by index.
    pub(super) numbered: &'m [Function],
    pub(super) reached: Vec<ResourceUse<'m>>,
    /// Calls that may run several functions.
    pub(super) doubts: Vec<UncertainCall>,
    pub(super) following: CallPolicy,
    pub(super) activations: usize,
    /// Functions whose bodies are being walked.
    pub(super) open: Vec<*const Function>,
    /// Uses and calls that have been looked at.
    pub(super) steps: usize,
    /// Calls that stand for `static` variables whose initialisers have been walked.
    pub(super) made: BTreeSet<usize>,
    /// True if an optimiser drops what it finds dead (all but `-Od`).
    pub(super) optimises: bool,
}

/// Every use that the entry points `names` reach, in order. Without a body to look at everything counts as used.
///
/// # Errors
/// `TooLarge` for more uses than the walk follows.
pub(in crate::bindings) fn reach<'m>(
    module: &'m Module,
    request: &BindingRequest,
    following: CallPolicy,
) -> Result<WalkResult<'m>, Vec<Diagnostic>> {
    let mut walk = UseWalk {
        globals: globals(module),
        statics: statics(module),
        functions: BTreeMap::new(),
        numbered: &module.functions,
        reached: Vec::new(),
        doubts: Vec::new(),
        following,
        activations: 0,
        open: Vec::new(),
        steps: 0,
        made: BTreeSet::new(),
        optimises: BindingOptions::parse(&request.options)?.unused == UnusedResources::Dropped,
    };

    for function in &module.functions {
        walk.functions.entry(&function.name).or_default().push(function);
    }

    let entries = entries(module, request);
    // A library without an entry point uses nothing; a source without functions says nothing about it.
    let is_empty_library = super::is_library(request) && !module.functions.is_empty();
    if entries.is_empty() && !is_empty_library {
        walk.everything(module);
    }

    for entry in entries {
        let activation = walk.activations;
        walk.activations = activation.max(module.statics.len()) + 1;
        for function in walk.functions.get(entry).cloned().unwrap_or_default() {
            walk.function(function, &CallFrame { activation, ..CallFrame::default() });
        }
    }

    if walk.steps > MOST_USES {
        let span = module.entry_points.first().map(|entry| entry.span).unwrap_or_default();
        let message = format!("the entry point reaches more than {MOST_USES} uses and calls, or calls nested too deep");
        return Err(vec![Diagnostic::error(Code::TooLarge, span, message)]);
    }
    walk.asked(module, request);
    let is_unused =
        |reached: &ResourceUse| request.unused.iter().any(|name| is_in(&reached.location.path(module), name));
    walk.reached.retain(|reached| !is_unused(reached));
    let UseWalk { reached, doubts, .. } = walk;
    Ok(WalkResult { reached, doubts })
}

/// The functions that are compiled: the entry point asked for, of a library all with a stage and all that are exported,
/// else the first; each with the function that computes its patch constants.
fn entries<'m>(module: &'m Module, request: &BindingRequest) -> Vec<&'m str> {
    let is_library = super::is_library(request);
    let is_compiled = |entry: &&EntryPoint| match &request.entry {
        Some(name) => entry.name == *name,
        None => !is_library || entry.annotations.attribute(None, "shader").is_some(),
    };
    let found = module.entry_points.iter().filter(is_compiled);
    let count = if request.entry.is_none() && !is_library { 1 } else { usize::MAX };
    let found =
        found.take(count).flat_map(|entry| std::iter::once(entry.name.as_str()).chain(patch_constants(module, entry)));
    let exported =
        module.functions.iter().filter(|function| function.exported && is_library && request.entry.is_none());
    let mut names: Vec<&str> = Vec::new();
    for name in found.chain(exported.map(|function| function.name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The function that `[patchconstantfunc("name")]` names.
fn patch_constants<'m>(module: &'m Module, entry: &'m EntryPoint) -> Option<&'m str> {
    match entry.annotations.attribute(None, "patchconstantfunc")?.arguments.first()? {
        Argument::Text(name) => {
            let found = module.functions.iter().find(|function| function.name == *name);
            found.map(|function| function.name.as_str())
        }
        Argument::Integer(_) | Argument::Other(_) => None,
    }
}

fn statics(module: &Module) -> BTreeMap<&str, (usize, &Static)> {
    let numbered = module.statics.iter().zip(1..);
    numbered.map(|(variable, number)| (variable.initialiser.name.as_str(), (number, variable))).collect()
}

/// True if `path` is `whole` or a part of it.
fn is_in(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl<'m> UseWalk<'m> {
    fn everything(&mut self, module: &'m Module) {
        for parameter in 0..module.parameters.len() {
            let places = self.globals.values().filter(|place| place.parameter == parameter);
            let mut places: Vec<Location<'m>> = places.cloned().collect();
            places.sort_by_key(|place| place.member);
            for place in places {
                self.whole(&place, module.parameters[parameter].span);
            }
        }
    }

    /// Parameters that the request lists as used although no body names them.
    fn asked(&mut self, module: &'m Module, request: &BindingRequest) {
        for name in &request.used {
            let places = self.globals.values().flat_map(|place| {
                let inside = if holds_resources(place.ty) { place.resources() } else { Vec::new() };
                let whole = Some(place.clone()).filter(|place| !is_struct(place.ty));
                whole.into_iter().chain(inside)
            });
            let meant = |place: &Location<'m>| {
                let block = place.member.map(|_| module.parameters[place.parameter].name.as_str());
                is_in(&place.path(module), name) || (block == Some(name) && !holds_resources(place.ty))
            };
            let places: Vec<Location<'m>> = places.filter(meant).collect();
            for place in places {
                if !self.reached.iter().any(|reached| reached.location == place) {
                    self.whole(&place, module.parameters[place.parameter].span);
                }
            }
        }
    }

    /// Every resource of `place`, and its data if it has some, by its own name.
    fn whole(&mut self, place: &Location<'m>, span: Span) {
        let held = NamedLocation {
            location: place.clone(),
            manner: AccessManner::Own,
            object: 0,
            copied: CopyPosition::default(),
            activation: 0,
        };
        if !holds_resources(place.ty) {
            return self.record(held, &[], span);
        }
        for location in place.resources() {
            self.record(NamedLocation { location, ..held.clone() }, &[], span);
        }
    }

    pub(super) fn record(&mut self, held: NamedLocation<'m>, rest: &[Step], span: Span) {
        let NamedLocation { location, manner, object, copied, activation } = held;
        let operation = match rest.first() {
            Some(Step::Name(name)) => format!("{}.{name}", location.ty),
            Some(Step::Index(_) | Step::DynamicIndex) => format!("{}[]", location.ty),
            Some(Step::Parameter(_) | Step::This) | None => String::new(),
        };
        let depth = self.open.len().saturating_sub(1);
        self.reached.push(ResourceUse { location, operation, manner, object, copied, activation, depth, span });
    }
}
