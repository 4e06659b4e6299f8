//! Walks over one function body: resolves each use to a location, and each call to functions with arguments.

use std::collections::BTreeSet;

use layoutproof_layout::Span;
use layoutproof_layout::shape::Type;

use super::call::FunctionCall;
use super::doubt::{CallPolicy, Doubt};
use super::location::{holds_resources, is_resource, is_struct};
use super::use_walk::{
    AccessManner, CallFrame, CopyPosition, DEEPEST_CALL, MOST_USES, NamedLocation, ResolvedPath, ResourceUse, UseWalk,
};
use layoutproof_frontend::module::{Callees, Function, Life, Step, Use};

/// Locations and calls of the uses of one function.
#[derive(Debug)]
struct FunctionUses<'m> {
    places: Vec<Option<ResolvedPath<'m>>>,
    calls: Vec<Vec<FunctionCall<'m>>>,
    /// Uses that are arguments of calls of functions with a body.
    passed: BTreeSet<usize>,
}

impl<'m> UseWalk<'m> {
    /// Records the uses in `function` and walks the functions that it calls: those of the entry
    /// point in the order of evaluation, those of other functions block by block.
    pub(super) fn function(&mut self, function: &'m Function, frame: &CallFrame<'m>) {
        let address = std::ptr::from_ref(function);
        if self.open.contains(&address) {
            self.cuts += 1;
            return;
        }
        if self.open.len() >= DEEPEST_CALL {
            self.steps = MOST_USES + 1;
        }
        if self.steps > MOST_USES || self.is_settled(function, frame) {
            return;
        }

        let (first, cuts) = (self.reached.len(), self.cuts);
        let called = self.called(function, frame);
        self.steps += called.calls.iter().map(Vec::len).sum::<usize>();
        self.open.push(address);
        let evaluated: Vec<usize> = (0..function.uses.len()).collect();
        let order = if self.open.len() > 1 { &function.copied } else { &evaluated };

        for index in order.iter().copied() {
            self.steps += 1;
            if self.steps > MOST_USES {
                break;
            }
            if self.keeps(function.uses[index].life) {
                self.one(&function.uses[index], index, frame, &called);
            }
        }

        self.open.pop();
        if self.cuts == cuts {
            self.settle(function, frame, first);
        }
    }

    /// True if the compiler keeps code with this life.
    fn keeps(&self, life: Life) -> bool {
        match life {
            Life::Live => true,
            Life::Optimised => !self.optimises,
            Life::Dead => false,
        }
    }

    /// Resolves the uses of `function` to locations and calls.
    fn called(&self, function: &'m Function, frame: &CallFrame<'m>) -> FunctionUses<'m> {
        let places: Vec<Option<ResolvedPath<'m>>> =
            function.uses.iter().map(|used| self.resolve(used, frame)).collect();
        let calls = function.uses.iter().zip(&places);
        let calls: Vec<Vec<FunctionCall<'m>>> =
            calls.map(|(used, place)| self.calls(used, place.as_ref(), frame)).collect();
        let known = function.uses.iter().zip(&calls).filter(|(_, calls)| !calls.is_empty());
        let passed = known.flat_map(|(used, _)| used.arguments.iter().flatten().copied()).collect();
        FunctionUses { places, calls, passed }
    }

    /// Handles one use: follows it if it is a call, else records it.
    fn one(&mut self, used: &'m Use, index: usize, frame: &CallFrame<'m>, called: &FunctionUses<'m>) {
        let calls = &called.calls[index];
        let is_object = |call: &FunctionCall<'m>| call.this.is_some() || call.variable.is_some();
        let may_be_built_in = matches!(used.callees, Callees::Perhaps(_));
        if calls.is_empty() || may_be_built_in || !calls.iter().any(is_object) {
            match called.places[index].as_ref() {
                None => self.make(used, frame),
                Some(place) if called.passed.contains(&index) && place.is_passed() => {}
                Some(place) => self.used(place, used.span),
            }
        }

        let passed = |argument: usize| {
            let copied = CopyPosition { start: used.span.start, argument, ..CopyPosition::default() };
            called.places.get(argument)?.as_ref()?.passed_on(copied)
        };
        let arguments: Vec<Option<NamedLocation<'m>>> =
            used.arguments.iter().map(|argument| argument.and_then(passed)).collect();

        if let (Some(first), Callees::OneOf(_) | Callees::Perhaps(_)) = (calls.first(), &used.callees) {
            self.doubts.push(Doubt::Call { span: used.span, function: first.function.name.clone() });
        }

        match (&used.callees, self.following) {
            (Callees::Perhaps(_), CallPolicy::Least) => {}
            (Callees::OneOf(_), CallPolicy::Least) => self.common(calls, &arguments),
            (Callees::Named | Callees::Known(_) | Callees::BuiltIn, _) | (_, CallPolicy::Everything) => {
                for call in calls {
                    self.call(call, &arguments);
                }
            }
        }
    }

    fn call(&mut self, call: &FunctionCall<'m>, arguments: &[Option<NamedLocation<'m>>]) {
        self.activations += 1;
        let (this, variable, activation) = (call.this.clone(), call.variable, self.activations);
        self.function(call.function, &CallFrame { this, variable, arguments: arguments.to_vec(), activation });
    }

    /// Records the uses that all of `calls` have in common.
    fn common(&mut self, calls: &[FunctionCall<'m>], arguments: &[Option<NamedLocation<'m>>]) {
        let mut common: Option<Vec<ResourceUse<'m>>> = None;
        self.collections += 1;
        for call in calls {
            let before = self.reached.len();
            self.call(call, arguments);
            let found = self.reached.split_off(before);
            let is_common = |used: &ResourceUse<'m>| found.iter().any(|other| other.location == used.location);
            match &mut common {
                None => common = Some(found),
                Some(common) => common.retain(is_common),
            }
        }
        self.collections -= 1;
        self.reached.extend(common.unwrap_or_default());
    }

    /// Returns the location that an access path names, and the steps that remain after it.
    fn resolve(&self, used: &Use, frame: &CallFrame<'m>) -> Option<ResolvedPath<'m>> {
        let (first, rest) = used.path.split_first()?;
        let mut held = match first {
            Step::Name(name) => {
                let named = self.member_of_this(name, frame).or_else(|| self.global(name, frame));
                named.or_else(|| self.renamed(name, frame))?
            }
            Step::Parameter(index) => frame.arguments.get(*index)?.clone()?,
            Step::This => frame.this.clone()?,
            Step::Index(_) | Step::DynamicIndex => return None,
        };

        let mut taken = 0;
        if let Some(alias) = used.alias {
            taken = held.location.descend(&rest[..(alias.steps - 1).min(rest.len())]);
            if matches!(held.manner, AccessManner::Own | AccessManner::Object) {
                held.manner = if is_resource(held.location.ty) { AccessManner::Copy } else { AccessManner::Alias };
                held.copied = CopyPosition { start: alias.span.start, ..CopyPosition::default() };
            } else if held.manner == AccessManner::Value {
                held = held.copied_locally();
            }
        }

        taken += held.location.descend(&rest[taken..]);
        Some(ResolvedPath { held, rest: rest[taken..].to_vec() })
    }

    fn global(&self, name: &str, frame: &CallFrame<'m>) -> Option<NamedLocation<'m>> {
        let location = self.globals.get(name)?.clone();
        Some(NamedLocation {
            location,
            manner: AccessManner::Own,
            object: 0,
            copied: CopyPosition::default(),
            activation: frame.activation,
        })
    }

    /// Returns the member `name`, which may be qualified by its struct, of the object of this
    /// method.
    fn member_of_this(&self, name: &str, frame: &CallFrame<'m>) -> Option<NamedLocation<'m>> {
        let mut held = frame.this.clone()?;
        let Type::Struct(ty) = held.location.ty else { return None };
        let bare = name.rsplit("::").next().unwrap_or(name);
        let is_member = ty.member(bare).is_some() && (bare == name || !self.globals.contains_key(name));
        let step = Step::Name(bare.to_owned());
        (is_member && held.location.descend(std::slice::from_ref(&step)) == 1).then_some(held)
    }

    /// Records a use of `place`: each resource in it, or data.
    fn used(&mut self, ResolvedPath { held, rest }: &ResolvedPath<'m>, span: Span) {
        if !holds_resources(held.location.ty) || is_resource(held.location.ty) {
            return self.record(held.clone(), rest, span);
        }
        let is_whole_array = held.location.steps.is_empty() && held.location.member.is_none();
        if is_whole_array && !is_struct(held.location.ty.dimensions().0) {
            return self.record(held.clone(), rest, span);
        }
        for location in held.location.resources() {
            self.record(NamedLocation { location, ..held.clone() }, rest, span);
        }
    }
}
