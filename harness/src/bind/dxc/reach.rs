//! What an entry point reaches: the uses of global parameters in all functions that it calls, in order.
//!
//! Function bodies in, [`Reached`] out. Parameters and `this` are followed to what the caller passes. What an optimiser
//! finds out beyond `if (false)` is not known here; the request says it (`used`, `unused`).

use std::collections::BTreeMap;

use super::location::{Location, globals, holds_resources, is_resource, is_struct, member_of};
use crate::bind::Request;
use crate::diagnostics::{Code, Diagnostic};
use crate::module::{Function, Module, Step, Use};
use crate::shape::{StructType, Type};
use crate::sources::Span;

/// Uses after which the walk gives up; calls can double them at each level.
const MOST_USES: usize = 1 << 16;

/// How the code comes by what it uses; DXC's order depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    /// Through `this` of a method that is called on a global.
    Object,
    /// Through a struct parameter, or `this` of a method that is called on a local struct.
    Value,
    /// Through a local struct that renames a global one.
    Alias,
    /// By its own global name.
    Own,
    /// Through a resource parameter or a local resource.
    Copy,
}

/// One use of a resource or of data.
#[derive(Clone, Debug)]
pub(in crate::bind) struct Reached<'m> {
    /// What is used.
    pub(in crate::bind) location: Location<'m>,
    /// What is done with it: the resource type and the method or `[]`.
    pub(super) operation: String,
    pub(super) manner: Manner,
    /// How many steps lead to the object whose method it is, for [`Manner::Object`].
    pub(super) object: usize,
    /// Where the copy is made, for [`Manner::Copy`]: the place in the text, the place among the uses.
    pub(super) copied: (u32, usize),
    /// Which call of a function the use is in, counted in the order of calls; 0 is the entry point.
    pub(super) activation: usize,
    /// How many calls lead there from the entry point.
    pub(super) depth: usize,
    /// Where the body says so.
    pub(in crate::bind) span: Span,
}

impl Reached<'_> {
    /// Whether the use moves the counter of a structured buffer.
    pub(in crate::bind) fn counts(&self) -> bool {
        let counting = [".IncrementCounter", ".DecrementCounter", ".Append", ".Consume"];
        counting.iter().any(|method| self.operation.ends_with(method))
    }
}

/// Something that a body can name: a location with how the code comes by it.
#[derive(Clone, Debug)]
struct Held<'m> {
    location: Location<'m>,
    manner: Manner,
    object: usize,
    copied: (u32, usize),
    activation: usize,
}

/// What a called function knows.
#[derive(Clone, Debug, Default)]
struct Frame<'m> {
    this: Option<Held<'m>>,
    arguments: Vec<Option<Held<'m>>>,
    activation: usize,
}

#[derive(Debug)]
struct Walk<'m> {
    globals: BTreeMap<String, Location<'m>>,
    functions: BTreeMap<&'m str, Vec<&'m Function>>,
    reached: Vec<Reached<'m>>,
    activations: usize,
    /// Functions whose bodies are being walked.
    open: Vec<*const Function>,
    steps: usize,
}

/// Every use that the entry points `names` reach, in order. Without a body to look at everything counts as used.
///
/// # Errors
/// `TooLarge` for more uses than the walk follows.
pub(in crate::bind) fn reach<'m>(module: &'m Module, request: &Request) -> Result<Vec<Reached<'m>>, Vec<Diagnostic>> {
    let mut walk = Walk {
        globals: globals(module),
        functions: BTreeMap::new(),
        reached: Vec::new(),
        activations: 0,
        open: Vec::new(),
        steps: 0,
    };
    for function in &module.functions {
        walk.functions.entry(&function.name).or_default().push(function);
    }
    let entries = entries(module, request);
    if entries.is_empty() {
        walk.everything(module);
    }
    for entry in entries {
        let activation = walk.activations;
        walk.activations += 1;
        for function in walk.functions.get(entry).cloned().unwrap_or_default() {
            walk.function(function, &Frame { activation, ..Frame::default() });
        }
    }
    if walk.steps > MOST_USES {
        let span = module.entry_points.first().map(|entry| entry.span).unwrap_or_default();
        let message = format!("the entry point reaches more than {MOST_USES} uses of parameters");
        return Err(vec![Diagnostic::error(Code::TooLarge, span, message)]);
    }
    walk.asked(module, request);
    let is_unused = |reached: &Reached| request.unused.iter().any(|name| is_in(&reached.location.path(module), name));
    walk.reached.retain(|reached| !is_unused(reached));
    Ok(walk.reached)
}

/// The entry points that are compiled: the one asked for, all of a library, else the first.
fn entries<'m>(module: &'m Module, request: &Request) -> Vec<&'m str> {
    let all = module.entry_points.iter().map(|entry| entry.name.as_str());
    match &request.entry {
        Some(name) => all.filter(|entry| entry == name).collect(),
        None if super::is_library(request) => all.collect(),
        None => all.take(1).collect(),
    }
}

/// Whether `path` is `whole` or a part of it.
fn is_in(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl<'m> Walk<'m> {
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

    /// What the request says is used though no body names it.
    fn asked(&mut self, module: &'m Module, request: &Request) {
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
        let held = Held { location: place.clone(), manner: Manner::Own, object: 0, copied: (0, 0), activation: 0 };
        if !holds_resources(place.ty) {
            return self.record(held, &[], span);
        }
        for location in place.resources() {
            self.record(Held { location, ..held.clone() }, &[], span);
        }
    }

    fn record(&mut self, held: Held<'m>, rest: &[Step], span: Span) {
        let Held { location, manner, object, copied, activation } = held;
        let operation = match rest.first() {
            Some(Step::Name(name)) => format!("{}.{name}", location.ty),
            Some(Step::Index(_) | Step::DynamicIndex) => format!("{}[]", location.ty),
            Some(Step::Parameter(_) | Step::This) | None => String::new(),
        };
        let depth = self.open.len().saturating_sub(1);
        self.reached.push(Reached { location, operation, manner, object, copied, activation, depth, span });
    }

    fn function(&mut self, function: &'m Function, frame: &Frame<'m>) {
        let address = std::ptr::from_ref(function);
        if self.open.contains(&address) || self.steps > MOST_USES {
            return;
        }
        self.open.push(address);
        let places: Vec<_> = function.uses.iter().map(|used| self.resolve(used, frame)).collect();
        let calls: Vec<Vec<Call<'m>>> =
            function.uses.iter().zip(&places).map(|(used, place)| self.calls(used, place.as_ref(), frame)).collect();
        let known = function.uses.iter().zip(&calls).filter(|(_, calls)| !calls.is_empty());
        let passed: Vec<usize> = known.flat_map(|(used, _)| used.arguments.iter().flatten().copied()).collect();
        let evaluated: Vec<usize> = (0..function.uses.len()).collect();
        let order = if self.open.len() > 1 { &function.copied } else { &evaluated };
        for index in order.iter().copied() {
            let used = &function.uses[index];
            self.steps += 1;
            if used.dead || self.steps > MOST_USES {
                continue;
            }
            if calls[index].is_empty() {
                if let Some((held, rest)) = places[index].clone() {
                    if !(passed.contains(&index) && is_passed(&held, &rest)) {
                        self.used(held, &rest, used.span);
                    }
                }
            }
            let passed = |at: usize| passed_on(places.get(at)?.as_ref()?, (used.span.start, at));
            let arguments: Vec<Option<Held<'m>>> =
                used.arguments.iter().map(|argument| argument.and_then(passed)).collect();
            for call in &calls[index] {
                self.activations += 1;
                let activation = self.activations;
                let frame = Frame { this: call.this.clone(), arguments: arguments.clone(), activation };
                self.function(call.function, &frame);
            }
        }
        self.open.pop();
    }

    /// What a path names, and the steps that go on behind it.
    fn resolve(&self, used: &Use, frame: &Frame<'m>) -> Option<(Held<'m>, Vec<Step>)> {
        let (first, rest) = used.path.split_first()?;
        let mut held = match first {
            Step::Name(name) => self.member_of_this(name, frame).or_else(|| self.global(name, frame))?,
            Step::Parameter(index) => frame.arguments.get(*index)?.clone()?,
            Step::This => frame.this.clone()?,
            Step::Index(_) | Step::DynamicIndex => return None,
        };
        let mut taken = 0;
        if let Some(alias) = used.alias {
            taken = held.location.descend(&rest[..(alias.steps - 1).min(rest.len())]);
            if matches!(held.manner, Manner::Own | Manner::Object) {
                held.manner = if is_resource(held.location.ty) { Manner::Copy } else { Manner::Alias };
                held.copied = (alias.span.start, 0);
            }
        }
        taken += held.location.descend(&rest[taken..]);
        Some((held, rest[taken..].to_vec()))
    }

    fn global(&self, name: &str, frame: &Frame<'m>) -> Option<Held<'m>> {
        let location = self.globals.get(name)?.clone();
        Some(Held { location, manner: Manner::Own, object: 0, copied: (0, 0), activation: frame.activation })
    }

    /// The member `name`, which may be qualified by its struct, of the object whose method this is.
    fn member_of_this(&self, name: &str, frame: &Frame<'m>) -> Option<Held<'m>> {
        let mut held = frame.this.clone()?;
        let Type::Struct(ty) = held.location.ty else { return None };
        let bare = name.rsplit("::").next().unwrap_or(name);
        let is_member = member_of(ty, bare).is_some() && (bare == name || !self.globals.contains_key(name));
        let step = Step::Name(bare.to_owned());
        (is_member && held.location.descend(std::slice::from_ref(&step)) == 1).then_some(held)
    }

    /// A use of what `held` names: each resource in it, or data.
    fn used(&mut self, held: Held<'m>, rest: &[Step], span: Span) {
        if !holds_resources(held.location.ty) || is_resource(held.location.ty) {
            return self.record(held, rest, span);
        }
        let is_whole_array = held.location.steps.is_empty() && held.location.member.is_none();
        if is_whole_array && !is_struct(held.location.ty.dimensions().0) {
            return self.record(held, rest, span);
        }
        for location in held.location.resources() {
            self.record(Held { location, ..held.clone() }, rest, span);
        }
    }

    /// The functions that a use calls; more than one where they differ only in their parameters.
    fn calls(&self, used: &Use, place: Option<&(Held<'m>, Vec<Step>)>, frame: &Frame<'m>) -> Vec<Call<'m>> {
        if !used.call {
            return Vec::new();
        }
        if let Some((held, rest)) = place {
            if let (Type::Struct(ty), [Step::Name(method)]) = (held.location.ty, rest.as_slice()) {
                return self.method(ty, method, &as_this(held));
            }
        }
        let [Step::Name(name)] = used.path.as_slice() else { return Vec::new() };
        let bare = name.rsplit("::").next().unwrap_or(name);
        let own = frame.this.as_ref().and_then(|this| match this.location.ty {
            Type::Struct(ty) => Some(self.method(ty, bare, this)),
            _ => None,
        });
        own.filter(|found| !found.is_empty()).unwrap_or_else(|| self.plain(name, None))
    }

    /// The method `name` of `ty`, or else of one of its bases.
    fn method(&self, ty: &StructType, name: &str, this: &Held<'m>) -> Vec<Call<'m>> {
        let mut owners = std::iter::successors(Some(ty), |ty| ty.base.as_deref());
        let found = owners.find_map(|owner| {
            let generic = owner.name.split('<').next().unwrap_or(&owner.name);
            Some(self.plain(&format!("{generic}::{name}"), Some(this))).filter(|found| !found.is_empty())
        });
        found.unwrap_or_default()
    }

    fn plain(&self, name: &str, this: Option<&Held<'m>>) -> Vec<Call<'m>> {
        let found = self.functions.get(name).into_iter().flatten();
        found.map(|function| Call { function, this: this.cloned() }).collect()
    }
}

/// A call of a function with a body.
#[derive(Clone, Debug)]
struct Call<'m> {
    function: &'m Function,
    this: Option<Held<'m>>,
}

/// An object as its method sees it.
fn as_this<'m>(held: &Held<'m>) -> Held<'m> {
    let manner = match held.manner {
        Manner::Own | Manner::Object => Manner::Object,
        Manner::Alias | Manner::Value => Manner::Value,
        Manner::Copy => Manner::Copy,
    };
    Held { manner, object: held.location.steps.len(), ..held.clone() }
}

/// Whether an argument is resources rather than what is read from one.
fn is_passed(held: &Held<'_>, rest: &[Step]) -> bool {
    rest.is_empty() && holds_resources(held.location.ty)
}

/// An argument that holds resources, as the called function sees it.
fn passed_on<'m>((held, rest): &(Held<'m>, Vec<Step>), copied: (u32, usize)) -> Option<Held<'m>> {
    if !is_passed(held, rest) {
        return None;
    }
    match held.manner {
        Manner::Own | Manner::Object | Manner::Alias if is_resource(held.location.ty) => {
            Some(Held { manner: Manner::Copy, copied, ..held.clone() })
        }
        Manner::Own | Manner::Object | Manner::Alias => Some(Held { manner: Manner::Value, ..held.clone() }),
        Manner::Value | Manner::Copy => Some(held.clone()),
    }
}
