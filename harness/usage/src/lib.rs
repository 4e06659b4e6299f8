//! Finds what code uses: the global parameters that entry points reach, in the order in which DXC visits them.
//!
//! [`reach`] walks over all functions that an entry point calls (`walk`), following parameters and `this` to the
//! arguments of the caller. Where a compiler drops what nothing depends on before it places parameters, `liveness` runs
//! the code and leaves out those uses. The caller can correct the answer (`used`, `unused`). What a place is called, and
//! where it is bound, is not decided here.
#![forbid(unsafe_code)]

mod component_reads;
mod liveness;
pub mod location;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::{Argument, Span};

pub use component_reads::component_reads;
use layoutproof_frontend::module::{EntryPoint, Module, Static};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use liveness::NeededPlaces;
use location::{Location, globals, holds_resources, is_struct};
pub use walk::{AccessManner, CopyPosition, ResourceUse};
use walk::{CallFrame, MOST_USES, NamedLocation, UseWalk};

/// What is compiled, and how.
#[derive(Clone, Copy, Debug)]
pub struct UsageRequest<'r> {
    /// The entry point; `None` for all of a library, or else for the first one.
    pub entry: Option<&'r str>,
    /// True for the profile of a library, whose functions with a stage are all compiled.
    pub is_library: bool,
    /// Parameters that count as used although no body names them.
    pub used: &'r [String],
    /// Parameters that count as unused although a body names them.
    pub unused: &'r [String],
    pub policy: CallPolicy,
    /// True if an optimiser drops dead code: always except with `-Od`.
    pub optimises: bool,
    /// True if the compiler drops uses on which nothing depends before it places parameters, as DXC does for D3D12.
    pub drops_unneeded: bool,
}

/// The extent of a walk where something is uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPolicy {
    /// Into every function that a call may run, and to every resource that may be used.
    Everything,
    /// Only to the uses that all of those functions have in common, and to resources that are certainly used.
    Least,
}

/// All uses, and the uncertain facts about them.
#[derive(Debug)]
pub struct Usage<'m> {
    pub reached: Vec<ResourceUse<'m>>,
    pub doubts: Vec<Doubt>,
}

/// An uncertain fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The call at `span` may run `function`, another one or none.
    Call { span: Span, function: String },
    /// The compiler may find that the parameter declared at `span`, `path` for `--used` and `--unused`, is not needed.
    Use { span: Span, path: String },
    /// layoutproof does not follow the code of a function.
    Code(UnfollowedCode),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfollowedCode {
    pub span: Span,
    pub function: String,
}

impl Doubt {
    pub fn span(&self) -> Span {
        match self {
            Self::Call { span, .. } | Self::Use { span, .. } | Self::Code(UnfollowedCode { span, .. }) => *span,
        }
    }
}

/// Returns every use that the requested entry points reach, in order. Without a body, everything counts as used.
///
/// # Errors
/// `TooLarge` for more uses than the walk follows.
pub fn reach<'m>(module: &'m Module, request: &UsageRequest<'_>) -> Result<Usage<'m>, Vec<Diagnostic>> {
    let mut walk = UseWalk {
        globals: globals(module),
        statics: statics(module),
        functions: BTreeMap::new(),
        module,
        reached: Vec::new(),
        doubts: Vec::new(),
        following: request.policy,
        activations: 0,
        open: Vec::new(),
        steps: 0,
        made: BTreeSet::new(),
        optimises: request.optimises,
        settled: HashMap::new(),
        cuts: 0,
        collections: 0,
    };

    for function in &module.functions {
        walk.functions.entry(&function.name).or_default().push(function);
    }

    let entries = entries(module, request.entry, request.is_library);
    // A library without an entry point uses nothing. A source without functions does not show what is used.
    let is_empty_library = request.is_library && !module.functions.is_empty();
    if entries.is_empty() && !is_empty_library {
        walk.everything();
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

    if request.drops_unneeded && !entries.is_empty() {
        walk.keep_needed(&entries);
    }
    walk.add_requested(request.used);
    let is_unused =
        |reached: &ResourceUse| request.unused.iter().any(|name| is_in(&reached.location.path(module), name));
    walk.reached.retain(|reached| !is_unused(reached));
    let UseWalk { reached, doubts, .. } = walk;
    Ok(Usage { reached, doubts })
}

/// Returns the functions that are compiled: the requested entry point; for a library, all functions
/// with a stage and all exported ones; otherwise the first. Each comes with the function that
/// computes its patch constants.
pub fn entries<'m>(module: &'m Module, entry: Option<&str>, is_library: bool) -> Vec<&'m str> {
    let is_compiled = |declared: &&EntryPoint| match entry {
        Some(name) => declared.name == name,
        None => !is_library || declared.annotations.attribute(None, "shader").is_some(),
    };

    let found = module.entry_points.iter().filter(is_compiled);
    let count = if entry.is_none() && !is_library { 1 } else { usize::MAX };
    let found =
        found.take(count).flat_map(|entry| std::iter::once(entry.name.as_str()).chain(patch_constants(module, entry)));
    let exported = module.functions.iter().filter(|function| function.exported && is_library && entry.is_none());

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
    fn everything(&mut self) {
        let module = self.module;
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
    fn keep_needed(&mut self, entries: &[&'m str]) {
        let (module, following) = (self.module, self.following);
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

        // The two analyses read bodies independently. A place that one of them missed is not certain.
        let is_missed = |place: &&Location<'m>| !self.reached.iter().any(|used| place.may_be(&used.location, module));
        let missed: Vec<Location<'m>> = certain.iter().filter(is_missed).cloned().collect();
        for place in &missed {
            self.whole(place, module.parameters[place.parameter].span);
        }

        // Without optimisation the compiler finds fewer dead uses.
        let is_kept = |used: &ResourceUse<'m>| !self.optimises || keeps(&all, used);
        let is_certain = |used: &ResourceUse<'m>| keeps(&certain, used) && !keeps(&missed, used);
        let doubtful = self.reached.iter().filter(|used| is_kept(used) && !is_certain(used));
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
            CallPolicy::Least => keeps(&certain, used) && !keeps(&missed, used),
        });
    }

    /// Adds the parameters that the request lists as used although no body names them.
    fn add_requested(&mut self, used: &[String]) {
        let module = self.module;
        for name in used {
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
