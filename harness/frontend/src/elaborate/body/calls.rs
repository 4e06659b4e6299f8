//! Chooses the function of the module that a call in a body runs. It resolves overloads, methods and operators, and
//! deduces generic arguments. Also records calls that no name in the text shows.
//!
//! Each function with a body has one entry in [`crate::module::Module::functions`]. A generic
//! function, or a method of a generic struct, has one more for each set of arguments that a call
//! uses. Default arguments are separate functions.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use layoutproof_layout::shape::{StructType, Type};

use super::names::Catalogue;
use super::order::UseDraft;
use super::value::{ArgumentFit, ValueType, fit};
use super::{BodyWalk, value};
use crate::ast::{FunctionParameter, GenericArgument, GenericParameter, PathPart, TypeExpression, TypeKind};
use crate::elaborate::Elaborator;
use crate::elaborate::entry::ScopedFunction;
use crate::elaborate::lookup::{GenericBinding, GenericValue, LookupContext};
use crate::elaborate::resolve::order;
use crate::elaborate::scope::ScopeId;
use crate::module::code::{element_of, is_transparent};
use crate::module::{Callees, Life, Step, Use};
use crate::parser::operator_name;

/// Maximum number of functions with generic arguments. Each one may call for new ones.
const MOST_INSTANCES: usize = 1 << 12;

/// The part of a function to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FunctionPiece {
    Body,
    /// The default arguments, starting at the parameter with this index.
    Defaults(usize),
}

#[derive(Clone, Debug)]
pub(super) struct FunctionInstance {
    /// Index into the functions of the source.
    pub(super) function: usize,
    pub(super) context: LookupContext,
    /// The struct that the method belongs to.
    pub(super) this: Option<Arc<StructType>>,
    pub(super) piece: FunctionPiece,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionCandidate {
    pub(super) function: usize,
    pub(super) context: LookupContext,
    pub(super) this: Option<Arc<StructType>>,
}

/// The explicit generic arguments at a call, and the context for their names.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenGenerics<'c, 't> {
    /// `None` if no `<` follows the name.
    pub(super) arguments: Option<&'c [GenericArgument<'t>]>,
    pub(super) context: &'c LookupContext,
}

/// The functions that a call can run, and the type of its result.
#[derive(Clone, Debug, Default)]
pub(super) struct CallChoice {
    pub(super) callees: Callees,
    /// The functions that evaluate default arguments.
    pub(super) defaults: Vec<usize>,
    pub(super) result: ValueType,
}

/// A candidate whose parameters fit the arguments of a call.
#[derive(Debug)]
struct ViableCandidate {
    instance: FunctionInstance,
    fits: Vec<ArgumentFit>,
    result: ValueType,
    /// True if it needs default arguments.
    is_short: bool,
}

#[derive(Debug)]
struct IndexedFunction {
    name: String,
    is_method: bool,
}

/// The functions of a module under construction.
#[derive(Debug)]
pub(super) struct Calls<'t> {
    pub(super) functions: Vec<ScopedFunction<'t>>,
    pub(super) catalogue: Catalogue<'t>,
    indices: HashMap<(usize, Rc<str>, FunctionPiece), usize>,
    /// The module's functions, by index.
    indexed: Vec<IndexedFunction>,
    /// Functions still to be walked, in the order of their indices.
    pub(super) queue: VecDeque<FunctionInstance>,
    /// The scopes for the parameters of generic functions.
    scopes: HashMap<usize, ScopeId>,
}

impl<'t> Calls<'t> {
    pub(super) fn new(functions: Vec<ScopedFunction<'t>>, catalogue: Catalogue<'t>) -> Self {
        Self {
            functions,
            catalogue,
            indices: HashMap::new(),
            indexed: Vec::new(),
            queue: VecDeque::new(),
            scopes: HashMap::new(),
        }
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.indexed[index].name
    }

    /// Returns the path of a call without an object: `this` is the object of a method.
    pub(super) fn bare_path(&self, index: usize, name: Step) -> Vec<Step> {
        if self.indexed[index].is_method { vec![Step::This, name] } else { vec![name] }
    }

    /// Returns the index of `instance` among the module's functions, and adds it under `name` if it
    /// is new. `None` for a function without a body, and beyond [`MOST_INSTANCES`].
    pub(super) fn index(&mut self, instance: FunctionInstance, name: impl FnOnce() -> String) -> Option<usize> {
        let FunctionInstance { function, ref context, piece, .. } = instance;
        self.functions[function].declaration.body.as_ref()?;
        let key = (function, Rc::clone(&context.key), piece);
        if let Some(index) = self.indices.get(&key) {
            return Some(*index);
        }

        let is_extra = !context.bindings.is_empty() || piece != FunctionPiece::Body;
        if is_extra && self.indexed.len() >= self.functions.len() + MOST_INSTANCES {
            return None;
        }

        let index = self.indexed.len();
        self.indices.insert(key, index);
        let is_method = self.catalogue.structure(self.functions[function].scope).is_some();
        self.indexed.push(IndexedFunction { name: name(), is_method });
        self.queue.push_back(instance);
        Some(index)
    }

    /// Returns the default argument of a parameter, from the function itself or from a declaration without a body.
    pub(super) fn default_of(&self, function: usize, parameter: usize) -> Option<&'t FunctionParameter<'t>> {
        let ScopedFunction { declaration: declared, scope } = self.functions[function];
        let count = declared.parameters.as_deref().unwrap_or_default().len();
        let same =
            self.catalogue.functions(scope, declared.name.text).iter().map(|index| self.functions[*index].declaration);
        let others = same.filter(|other| other.parameters.as_deref().is_ok_and(|found| found.len() == count));
        let mut found =
            std::iter::once(declared).chain(others).filter_map(|one| one.parameters.as_deref().ok()?.get(parameter));
        found.find(|parameter| !parameter.declarator.initialised.is_empty())
    }

    fn parameters(&self, function: usize) -> Option<&'t [FunctionParameter<'t>]> {
        self.functions[function].declaration.parameters.as_deref().ok()
    }
}

impl<'t> Elaborator<'t> {
    /// Runs `step` and discards the problems and pointees that it finds.
    pub(in crate::elaborate) fn quietly<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        let problems = std::mem::take(&mut self.problems);
        let pointees = std::mem::take(&mut self.pointees);
        let result = step(self);
        self.problems = problems;
        self.pointees = pointees;
        result
    }

    /// Chooses the function that a call of one of `candidates` runs. `written` holds the call's generic arguments.
    pub(super) fn choose(
        &mut self,
        calls: &mut Calls<'t>,
        candidates: &[FunctionCandidate],
        written: WrittenGenerics<'_, 't>,
        arguments: &[ValueType],
    ) -> CallChoice {
        let mut viable: Vec<ViableCandidate> = Vec::new();
        for candidate in candidates {
            if calls.functions[candidate.function].declaration.body.is_none() {
                continue;
            }
            viable.extend(self.viable(calls, candidate, written, arguments));
        }
        if viable.is_empty() {
            return CallChoice::default();
        }

        // If none is the best, the call may run any of them.
        let best: Vec<usize> = (0..viable.len()).filter(|one| is_best(&viable, *one)).collect();
        if let [best] = best.as_slice() {
            viable = vec![viable.swap_remove(*best)];
        }

        let (mut callees, mut defaults) = (Vec::new(), Vec::new());
        let result = viable[0].result.clone().filter(|_| viable.iter().all(|other| other.result == viable[0].result));
        for ViableCandidate { instance, is_short, .. } in viable {
            let name = self.instance_name(calls, &instance);
            if is_short {
                let piece = FunctionPiece::Defaults(arguments.len());
                let name = format!("{name}: default arguments from {}", arguments.len());
                defaults.extend(calls.index(FunctionInstance { piece, ..instance.clone() }, || name));
            }
            callees.extend(calls.index(instance, || name));
        }

        let callees = match callees.as_slice() {
            [] => Callees::Named,
            [one] => Callees::Known(*one),
            _ => Callees::OneOf(callees),
        };
        CallChoice { callees, defaults, result }
    }

    /// Tests if `candidate` accepts `arguments`.
    fn viable(
        &mut self,
        calls: &mut Calls<'t>,
        candidate: &FunctionCandidate,
        written: WrittenGenerics<'_, 't>,
        arguments: &[ValueType],
    ) -> Option<ViableCandidate> {
        let FunctionCandidate { function, this, .. } = candidate;
        let declared = calls.functions[*function].declaration;
        let parameters = calls.parameters(*function);
        if let Some(parameters) = parameters {
            let has_rest = (arguments.len()..parameters.len()).all(|at| calls.default_of(*function, at).is_some());
            if arguments.len() > parameters.len() || !has_rest {
                return None;
            }
        }

        let parameters = parameters.unwrap_or_default();
        let context = match declared.prefix.generics.as_deref() {
            Some(generics) => {
                let scope = *calls
                    .scopes
                    .entry(*function)
                    .or_insert_with(|| self.symbols.generic_scope(candidate.context.scope));
                let outer = LookupContext { scope, ..candidate.context.clone() };
                self.quietly(|elaborator| elaborator.deduced(generics, written, &outer, parameters, arguments))
            }
            None => Some(candidate.context.clone()),
        };

        let is_deduced = context.is_some();
        let context = context.unwrap_or_else(|| candidate.context.clone());
        let fits = parameters.iter().zip(arguments).map(|(parameter, argument)| {
            let ty = if is_deduced { self.parameter_type(parameter, &context) } else { None };
            fit(&ty, argument)
        });
        let fits: Vec<ArgumentFit> = fits.collect();
        if fits.contains(&ArgumentFit::Refused) {
            return None;
        }

        let result = declared.result.as_ref().filter(|_| is_deduced);
        let result =
            result.and_then(|ty| self.quietly(|elaborator| elaborator.resolve(ty, order(&declared.prefix), &context)));
        let instance =
            FunctionInstance { function: *function, context, this: this.clone(), piece: FunctionPiece::Body };
        Some(ViableCandidate { instance, fits, result, is_short: arguments.len() < parameters.len() })
    }

    pub(super) fn parameter_type(&mut self, parameter: &FunctionParameter<'t>, context: &LookupContext) -> ValueType {
        let FunctionParameter { prefix, ty, declarator, .. } = parameter;
        self.quietly(|elaborator| elaborator.declared(ty, order(prefix), declarator, context))
    }

    /// Returns the name of a function with its generic arguments: `N::f<float>`, `Pair<float>::first`.
    fn instance_name(&self, calls: &Calls<'t>, instance: &FunctionInstance) -> String {
        let ScopedFunction { declaration: declared, scope } = calls.functions[instance.function];
        let name = match &instance.this {
            Some(this) => format!("{}::{}", this.name, declared.name.text),
            None => self.symbols.qualified(scope, declared.name.text),
        };
        let own = calls.scopes.get(&instance.function);
        let bindings = instance.context.bindings.iter().filter(|binding| Some(&binding.scope) == own);
        let arguments: Vec<String> = bindings.map(|binding| binding.value.written()).collect();
        if arguments.is_empty() { name } else { format!("{name}<{}>", arguments.join(", ")) }
    }

    /// Returns the context inside a generic function. Its generic arguments are the explicit ones,
    /// or else those deduced from the types of the arguments.
    fn deduced(
        &mut self,
        generics: &'t [GenericParameter<'t>],
        written: WrittenGenerics<'_, 't>,
        outer: &LookupContext,
        parameters: &'t [FunctionParameter<'t>],
        arguments: &[ValueType],
    ) -> Option<LookupContext> {
        let mut bindings = outer.bindings.to_vec();
        for (index, generic) in generics.iter().enumerate() {
            let inside = LookupContext::new(outer.scope, bindings.clone());
            let value = if let Some(argument) = written.arguments.and_then(|arguments| arguments.get(index)) {
                self.argument(generic, argument, written.context)
            } else {
                match (self.deduced_value(generic.name.text, parameters, arguments), &generic.default) {
                    (None, Some(default)) => self.argument(generic, default, &inside),
                    (found, _) => found,
                }
            };
            bindings.push(GenericBinding { scope: outer.scope, name: generic.name.text.to_owned(), value: value? });
        }

        Some(LookupContext::new(outer.scope, bindings))
    }

    /// Deduces the generic parameter `name` from the first argument of a call whose type determines it.
    fn deduced_value(
        &self,
        name: &str,
        parameters: &'t [FunctionParameter<'t>],
        arguments: &[ValueType],
    ) -> Option<GenericValue> {
        parameters.iter().zip(arguments).find_map(|(parameter, argument)| {
            let mut ty = argument.as_ref()?;
            for _ in &parameter.declarator.dimensions {
                let Type::Array { element, .. } = ty else { return None };
                ty = element;
            }
            self.deduced_from(name, &parameter.ty, &GenericValue::Type(ty.clone()), 0)
        })
    }

    /// Deduces the generic parameter `name` from the written type `ty` and the argument's type `found`.
    fn deduced_from(
        &self,
        name: &str,
        ty: &TypeExpression<'t>,
        found: &GenericValue,
        depth: usize,
    ) -> Option<GenericValue> {
        const DEEPEST: usize = 16;
        let TypeKind::Path(path) = &ty.kind else { return None };
        let [part] = path.parts.as_slice() else { return None };
        let Some(written) = part.arguments.as_deref() else {
            return (part.name.text == name && ty.suffixes.is_empty()).then(|| found.clone());
        };

        let GenericValue::Type(found) = found else { return None };
        let values = self.generic_arguments_of(found);
        written.iter().zip(&values).find_map(|(argument, value)| match argument {
            GenericArgument::Type(ty) if depth < DEEPEST => self.deduced_from(name, ty, value, depth + 1),
            GenericArgument::Type(_) | GenericArgument::Value(_) => None,
        })
    }

    /// Returns the generic arguments that a type was made with; empty for a type without any.
    fn generic_arguments_of(&self, ty: &Type) -> Vec<GenericValue> {
        match ty {
            Type::Struct(ty) => {
                let Some(specialisation) = self.specialisations.get(&Arc::as_ptr(ty)) else { return Vec::new() };
                let own = |binding: &&GenericBinding| binding.scope == specialisation.context.scope;
                specialisation.context.bindings.iter().filter(own).map(|binding| binding.value.clone()).collect()
            }
            Type::Resource(resource) => {
                resource.element.iter().map(|element| GenericValue::Type((**element).clone())).collect()
            }
            Type::Vector { scalar, length } => {
                vec![GenericValue::Type(Type::Scalar(*scalar)), GenericValue::Integer(i64::from(*length))]
            }
            Type::Matrix { scalar, rows, columns, .. } => vec![
                GenericValue::Type(Type::Scalar(*scalar)),
                GenericValue::Integer(i64::from(*rows)),
                GenericValue::Integer(i64::from(*columns)),
            ],
            _ => Vec::new(),
        }
    }
}

/// Returns true if `one` fits at least as well as every other candidate in each argument, and better in at least one.
fn is_best(viable: &[ViableCandidate], one: usize) -> bool {
    let beats = |other: &ViableCandidate| {
        let pairs = || viable[one].fits.iter().zip(&other.fits);
        let is_known = pairs().all(|(own, other)| *own != ArgumentFit::Unknown && *other != ArgumentFit::Unknown);
        is_known && pairs().all(|(own, other)| own <= other) && pairs().any(|(own, other)| own < other)
    };
    viable.iter().enumerate().all(|(index, other)| index == one || beats(other))
}

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
            if let Some(first) = choice.callees.first() {
                let path = self.calls.bare_path(first, Step::Name(self.calls.name(first).to_owned()));
                self.draft_path(close, close + 1, &choice, path, Some(open));
            }
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
        self.draft(at, end, &choice, None);
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
            Some(Type::Resource(resource)) if is_transparent(resource) => element_of(resource),
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
    pub(super) fn draft(&mut self, at: usize, end: usize, choice: &CallChoice, open: Option<usize>) {
        if let Some(first) = choice.callees.first() {
            let path = vec![Step::Name(self.calls.name(first).to_owned())];
            self.draft_path(at, end, choice, path, open);
        }
    }

    fn draft_path(&mut self, at: usize, end: usize, choice: &CallChoice, path: Vec<Step>, open: Option<usize>) {
        if !self.drafted.insert(at) {
            return;
        }
        let callees = choice.callees.clone();
        let (life, span) = (Life::Live, self.source.token(at).span);
        let used = Use { path, alias: None, call: true, callees, arguments: Vec::new(), life, span };
        self.unplaced.entry(at).or_default().push((UseDraft { used, at, end, arguments: Vec::new() }, open));
    }

    /// Records that the call with its `(` at `open` evaluates default arguments.
    pub(super) fn draft_defaults(&mut self, open: usize, end: usize, choice: &CallChoice) {
        let callees = match choice.defaults.as_slice() {
            [] => return,
            [one] if matches!(choice.callees, Callees::Known(_)) => Callees::Known(*one),
            several => Callees::Perhaps(several.to_vec()),
        };
        self.draft(open, end, &CallChoice { callees, ..CallChoice::default() }, None);
    }
}
