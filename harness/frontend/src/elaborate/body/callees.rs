//! Finds the functions that calls, methods and operators run. Also records calls that no name in the text shows.

use layoutproof_layout::shape::Type;

use super::BodyWalk;
use super::calls::{CallChoice, FunctionCandidate, WrittenGenerics};
use super::order::UseDraft;
use super::value::{self, ValueType};
use crate::ast::{GenericArgument, PathPart};
use crate::elaborate::lookup_context::LookupContext;
use crate::module::{Callees, Step, Use};
use crate::parser::operator_name;

impl<'t> BodyWalk<'_, 't> {
    /// Returns the result of the call of `name`, whose arguments begin at the bracket token `open`.
    pub(super) fn function(
        &mut self,
        at: usize,
        outer: &[PathPart<'t>],
        name: &str,
        written: Option<&[GenericArgument<'t>]>,
        open: usize,
        arguments: &[ValueType],
    ) -> ValueType {
        let candidates = if outer.is_empty() { self.candidates(name) } else { self.qualified_candidates(outer, name) };
        if candidates.is_empty() {
            if let Some((ty, end)) = self.is_type_name(at).then(|| self.written_type(at)).flatten() {
                return ty.filter(|_| end == open);
            }
            return value::intrinsic(name, arguments);
        }

        let choice = self.choose(&candidates, written, arguments);
        let close = self.source.closer(open);
        self.runs.insert(open, choice.callees.clone());
        self.draft_defaults(open, close + 1, &choice);
        if outer.iter().any(|part| part.arguments.is_some()) {
            // An access path cannot have generic arguments, so this call has no path.
            let arguments = self.arguments(open);
            self.draft(close, close + 1, &choice, arguments);
        } else {
            self.callees.insert(at, choice.callees);
        }
        choice.result
    }

    /// Returns the result of the method of `object` that the operator `symbol` calls.
    pub(super) fn called_operator(
        &mut self,
        object: &ValueType,
        symbol: &str,
        at: usize,
        end: usize,
        arguments: &[ValueType],
    ) -> ValueType {
        let name = operator_name(symbol)?;
        let choice = self.method(object, name, None, arguments);
        if !matches!(choice.callees, Callees::Named | Callees::BuiltIn) {
            self.runs.insert(at, choice.callees.clone());
        }
        self.draft(at, end, &choice, Vec::new());
        choice.result
    }

    /// Resolves the method `name` of `object`, or any method with that name if the type of the object is unknown.
    pub(super) fn method(
        &mut self,
        object: &ValueType,
        name: &str,
        written: Option<&[GenericArgument<'t>]>,
        arguments: &[ValueType],
    ) -> CallChoice {
        let object = match object {
            Some(Type::Resource(resource)) if value::is_transparent(resource) => value::element_of(resource),
            other => other.clone(),
        };
        let candidates = match &object {
            Some(Type::Struct(ty)) => self.methods_of(ty, name),
            Some(ty) => {
                let result = value::built_in_method(ty, name);
                return CallChoice { callees: Callees::BuiltIn, result, defaults: Vec::new() };
            }
            None => Vec::new(),
        };

        if !candidates.is_empty() {
            return self.choose(&candidates, written, arguments);
        }
        self.any_method(name, arguments)
    }

    /// Returns any method `name` of any struct, because the object may have another type after all.
    fn any_method(&mut self, name: &str, arguments: &[ValueType]) -> CallChoice {
        let all = self.calls.catalogue.methods(name).to_vec();
        let plain = |function: &usize| FunctionCandidate {
            function: *function,
            context: LookupContext::plain(self.calls.functions[*function].scope),
            this: None,
        };
        let candidates: Vec<FunctionCandidate> = all.iter().map(plain).collect();
        let CallChoice { callees, defaults, result } = self.choose(&candidates, None, arguments);

        let callees = match callees {
            Callees::Known(one) => Callees::Perhaps(vec![one]),
            Callees::OneOf(several) => Callees::Perhaps(several),
            Callees::Named | Callees::BuiltIn | Callees::Perhaps(_) => Callees::BuiltIn,
        };
        CallChoice { callees, defaults, result }
    }

    /// Chooses the best fits among `candidates`. `written` holds the generic arguments at the call.
    fn choose(
        &mut self,
        candidates: &[FunctionCandidate],
        written: Option<&[GenericArgument<'t>]>,
        arguments: &[ValueType],
    ) -> CallChoice {
        let context = self.context.clone();
        let written = WrittenGenerics { arguments: written, context: &context };
        self.elaborator.choose(self.calls, candidates, written, arguments)
    }

    /// Records the call of a function that no name in the text shows.
    pub(super) fn draft(&mut self, at: usize, end: usize, choice: &CallChoice, arguments: Vec<Option<usize>>) {
        let first = match &choice.callees {
            Callees::Known(index) => Some(*index),
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.first().copied(),
            Callees::Named | Callees::BuiltIn => None,
        };
        let Some(first) = first.filter(|_| self.drafted.insert(at)) else { return };

        let path = vec![Step::Name(self.calls.name(first).to_owned())];
        let callees = choice.callees.clone();
        let (life, span) = (self.life(at), self.source.token(at).span);
        let used = Use { path, alias: None, call: true, callees, arguments: Vec::new(), life, span };
        self.drafts.push(UseDraft { used, at, end, arguments });
    }

    /// Records that the call with its `(` at `open` evaluates default arguments.
    pub(super) fn draft_defaults(&mut self, open: usize, end: usize, choice: &CallChoice) {
        let callees = match choice.defaults.as_slice() {
            [] => return,
            [one] if matches!(choice.callees, Callees::Known(_)) => Callees::Known(*one),
            several => Callees::Perhaps(several.to_vec()),
        };
        self.draft(open, end, &CallChoice { callees, ..CallChoice::default() }, Vec::new());
    }
}
