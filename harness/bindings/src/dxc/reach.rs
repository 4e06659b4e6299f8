//! Finds the [`ResourceUse`]s that an entry point reaches: uses of global parameters in all
//! functions that it calls, in order.
//!
//! The walk follows parameters and `this` to the arguments of the caller. On D3D12, where registers
//! depend on it, the walk skips what DXC drops because nothing depends on it ([`super::liveness`]).
//! The request can correct this (`used`, `unused`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::{Argument, Span};

use super::doubt::{CallPolicy, Doubt};
use super::liveness::{self, NeededPlaces};
use super::location::{Location, globals, holds_resources, is_struct};
use super::use_walk::{AccessManner, CallFrame, CopyPosition, MOST_USES, NamedLocation, ResourceUse, UseWalk};
use crate::options::{BindingOptions, UnusedResources};
use crate::{BindingRequest, Convention, Target};
use layoutproof_frontend::module::{EntryPoint, Module, Static};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// All uses, and the uncertain facts about them.
#[derive(Debug)]
pub(crate) struct WalkResult<'m> {
    pub(crate) reached: Vec<ResourceUse<'m>>,
    pub(crate) doubts: Vec<Doubt>,
}

/// Returns every use that the entry points `names` reach, in order. Without a body, everything
/// counts as used.
///
/// # Errors
/// `TooLarge` for more uses than the walk follows.
pub(crate) fn reach<'m>(
    module: &'m Module,
    request: &BindingRequest,
    following: CallPolicy,
) -> Result<WalkResult<'m>, Vec<Diagnostic>> {
    let mut walk = UseWalk {
        globals: globals(module),
        statics: statics(module),
        functions: BTreeMap::new(),
        module,
        reached: Vec::new(),
        doubts: Vec::new(),
        following,
        activations: 0,
        open: Vec::new(),
        steps: 0,
        made: BTreeSet::new(),
        optimises: BindingOptions::parse(&request.options)?.unused == UnusedResources::Dropped,
        settled: HashMap::new(),
        cuts: 0,
        collections: 0,
    };

    for function in &module.functions {
        walk.functions.entry(&function.name).or_default().push(function);
    }

    let entries = entries(module, request);
    // A library without an entry point uses nothing. A source without functions does not show what
    // is used.
    let is_empty_library = super::is_library(request) && !module.functions.is_empty();
    if entries.is_empty() && !is_empty_library {
        walk.everything(module);
    }

    for entry in &entries {
        let activation = walk.activations;
        walk.activations = activation.max(module.statics.len()) + 1;
        for function in walk.functions.get(*entry).cloned().unwrap_or_default() {
            walk.function(function, &CallFrame { activation, ..CallFrame::default() });
        }
    }

    if walk.steps > MOST_USES {
        let span = module.entry_points.first().map(|entry| entry.span).unwrap_or_default();
        let message = format!("the entry point reaches more than {MOST_USES} uses and calls, or calls nested too deep");
        return Err(vec![Diagnostic::error(Code::TooLarge, span, message)]);
    }

    let depends_on_use = request.convention == Convention::Dxc && request.target == Target::D3d12;
    if depends_on_use && !entries.is_empty() {
        walk.keep_needed(module, &entries, following);
    }
    walk.asked(module, request);
    let is_unused =
        |reached: &ResourceUse| request.unused.iter().any(|name| is_in(&reached.location.path(module), name));
    walk.reached.retain(|reached| !is_unused(reached));
    let UseWalk { reached, doubts, .. } = walk;
    Ok(WalkResult { reached, doubts })
}

/// Returns the functions that are compiled: the requested entry point; for a library, all functions
/// with a stage and all exported ones; otherwise the first. Each comes with the function that
/// computes its patch constants.
pub(super) fn entries<'m>(module: &'m Module, request: &BindingRequest) -> Vec<&'m str> {
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

/// Returns the function that `[patchconstantfunc("name")]` names.
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

    /// Removes uses that the entry points mention but do not need.
    fn keep_needed(&mut self, module: &'m Module, entries: &[&'m str], following: CallPolicy) {
        let NeededPlaces { all, certain, unfollowed } = liveness::needed(module, entries);
        let keeps = |places: &[Location<'m>], used: &ResourceUse<'m>| {
            places.iter().any(|place| place.may_be(&used.location, module))
        };
        if let Some(unfollowed) = unfollowed {
            self.doubts.push(Doubt::Code(unfollowed));
            if following == CallPolicy::Least {
                self.reached.clear();
            }
            return;
        }

        // Without optimisation the compiler finds fewer dead uses.
        let is_kept = |used: &ResourceUse<'m>| !self.optimises || keeps(&all, used);
        let doubtful = self.reached.iter().filter(|used| is_kept(used) && !keeps(&certain, used));
        let mut doubts: Vec<Doubt> = Vec::new();
        for used in doubtful {
            let path = used.location.parameter_path(module);
            let doubt = Doubt::Use { path, span: module.parameters[used.location.parameter].span };
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
        self.doubts.extend(doubts);
        let optimises = self.optimises;
        self.reached.retain(|used| match following {
            CallPolicy::Everything => !optimises || keeps(&all, used),
            CallPolicy::Least => keeps(&certain, used),
        });
    }

    /// Adds the parameters that the request lists as used although no body names them.
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

    /// Adds every resource of `place`, and its data if there is any, by its own name.
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
}
