//! The walk over function bodies: what each names, calls and passes on.
//!
//! [`super::reach`] starts it at the entry points. Each use is resolved to a location, and each call to functions with an
//! object and arguments. A `static` variable that is made of parameters counts as a call of its initialiser, before the
//! entry point begins (measured with DXC 1.7.2308, `-T cs_6_6`; a variable that nothing uses makes nothing used).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::Span;
use layoutproof_layout::shape::{StructType, Type};

use super::location::{Location, content, holds_resources, is_resource, is_struct};
use super::{CallPolicy, Doubt};
use layoutproof_frontend::module::{Callees, Function, Life, Module, Static, Step, Use};

/// Number of uses and calls after which the walk gives up. Calls can double them at each level.
pub(crate) const MOST_USES: usize = 1 << 16;

/// Depth of nested calls at which the walk gives up, because it recurses into them.
pub(crate) const DEEPEST_CALL: usize = 128;

/// The way in which the code gets to what it uses. DXC's order depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessManner {
    /// Through `this` of a method that is called on a global.
    Object,
    /// Through a struct parameter, or `this` of a method that is called on a local struct.
    Value,
    /// Through a local struct that renames a global one.
    Alias,
    /// Through a `static` struct that the entry point names.
    Static,
    /// By its global name.
    Own,
    /// Through a resource parameter or a local resource.
    Copy,
}

#[derive(Clone, Debug)]
pub struct ResourceUse<'m> {
    /// The resource or data that is used.
    pub location: Location<'m>,
    /// The resource type and the method or `[]`.
    pub operation: String,
    pub manner: AccessManner,
    /// The number of steps to the object of the method, for [`AccessManner::Object`], or to the copied struct, for
    /// [`AccessManner::Value`].
    pub object: usize,
    /// The place of the copy, for [`AccessManner::Copy`].
    pub copied: CopyPosition,
    /// The call of a function that contains the use, numbered in the order of calls; 0 is the entry
    /// point. `static` variables count as the first calls.
    pub activation: usize,
    /// The number of calls from the entry point to the use.
    pub depth: usize,
    /// The place of the use in the body.
    pub span: Span,
}

impl ResourceUse<'_> {
    /// True if the use moves the counter of a structured buffer.
    pub fn counts(&self) -> bool {
        let counting = [".IncrementCounter", ".DecrementCounter", ".Append", ".Consume"];
        counting.iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the use moves the counter and leaves the elements alone.
    pub fn only_counts(&self) -> bool {
        [".IncrementCounter", ".DecrementCounter"].iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the use names the resource without an operation.
    pub fn is_whole(&self) -> bool {
        self.operation.is_empty()
    }
}

/// The place where a resource is copied.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyPosition {
    /// The byte offset in the text.
    pub start: u32,
    /// Index of the copied argument among the uses of the function; 0 for a local variable.
    pub argument: usize,
    /// The number of copies of the struct, for [`AccessManner::Value`]. A chain of local copies, and of methods of one
    /// object, counts once.
    pub copies: usize,
    /// True if the last of them is a local copy or the object of a method.
    pub is_local: bool,
}

/// Something that a body can name: a location and the way in which the code gets to it.
#[derive(Clone, Debug)]
pub(crate) struct NamedLocation<'m> {
    pub(crate) location: Location<'m>,
    pub(crate) manner: AccessManner,
    pub(crate) object: usize,
    pub(crate) copied: CopyPosition,
    pub(crate) activation: usize,
}

/// A walk over function bodies.
#[derive(Debug)]
pub(crate) struct UseWalk<'m> {
    pub(crate) globals: BTreeMap<String, Location<'m>>,
    /// The `static` variables, each with the number, from 1, of the call that it counts as.
    pub(crate) statics: BTreeMap<&'m str, (usize, &'m Static)>,
    pub(crate) functions: BTreeMap<&'m str, Vec<&'m Function>>,
    pub(crate) module: &'m Module,
    pub(crate) reached: Vec<ResourceUse<'m>>,
    /// The uncertain facts so far.
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) following: CallPolicy,
    pub(crate) activations: usize,
    /// Functions whose bodies are being walked.
    pub(crate) open: Vec<*const Function>,
    /// Number of uses and calls that were visited.
    pub(crate) steps: usize,
    /// The calls that represent `static` variables whose initialisers were walked.
    pub(crate) made: BTreeSet<usize>,
    /// True if an optimiser drops dead code (always except with `-Od`).
    pub(crate) optimises: bool,
    /// The objects and arguments with which functions need not be walked again, see
    /// [`Self::settle`].
    pub(crate) settled: HashMap<*const Function, Vec<CallSubject<'m>>>,
    /// Number of calls that were not followed because their function was being walked.
    pub(crate) cuts: usize,
    /// Number of nested collections of the uses of alternative functions.
    pub(crate) collections: usize,
}

/// The object and arguments of a call, as far as the uses of the function depend on them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallSubject<'m> {
    this: Option<Location<'m>>,
    variable: Option<&'m str>,
    arguments: Vec<Option<Location<'m>>>,
}

impl<'m> CallSubject<'m> {
    fn from_frame(frame: &CallFrame<'m>) -> Self {
        let location = |named: &Option<NamedLocation<'m>>| named.as_ref().map(|named| named.location.clone());
        let arguments = frame.arguments.iter().map(location).collect();
        Self { this: location(&frame.this), variable: frame.variable, arguments }
    }
}

/// The object, arguments and activation of the function that is being walked.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallFrame<'m> {
    pub(crate) this: Option<NamedLocation<'m>>,
    /// The `static` variable whose method this is.
    pub(crate) variable: Option<&'m str>,
    pub(crate) arguments: Vec<Option<NamedLocation<'m>>>,
    pub(crate) activation: usize,
}

/// The location that an access path names, and the steps that remain after it.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedPath<'m> {
    pub(crate) held: NamedLocation<'m>,
    pub(crate) rest: Vec<Step>,
}

impl<'m> UseWalk<'m> {
    /// True if another walk of `function` would find only recorded uses.
    pub(crate) fn is_settled(&self, function: &'m Function, frame: &CallFrame<'m>) -> bool {
        let known = self.settled.get(&std::ptr::from_ref(function));
        self.collections == 0 && known.is_some_and(|known| known.contains(&CallSubject::from_frame(frame)))
    }

    /// Notes that `function` need not be walked again with the same object and arguments, unless
    /// the order of its uses matters. These uses are in `reached` from `first` on. Without this
    /// note, calls double the number of walked uses at each level.
    pub(crate) fn settle(&mut self, function: &'m Function, frame: &CallFrame<'m>, first: usize) {
        let has_order = |used: &ResourceUse<'m>| used.counts() || used.location.is_split_off(self.module);
        if self.collections > 0 || self.reached[first..].iter().any(has_order) {
            return;
        }
        self.settled.entry(std::ptr::from_ref(function)).or_default().push(CallSubject::from_frame(frame));
    }

    /// Records a use of `held`. `rest` contains the operation.
    pub(crate) fn record(&mut self, held: NamedLocation<'m>, rest: &[Step], span: Span) {
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

/// Locations and calls of the uses of one function.
#[derive(Debug)]
struct FunctionUses<'m> {
    places: Vec<Option<ResolvedPath<'m>>>,
    calls: Vec<Vec<FunctionCall<'m>>>,
    /// Uses that are arguments of calls of functions with a body.
    passed: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct FunctionCall<'m> {
    pub(crate) function: &'m Function,
    pub(crate) this: Option<NamedLocation<'m>>,
    /// The `static` variable whose method this is.
    pub(crate) variable: Option<&'m str>,
}

impl<'m> UseWalk<'m> {
    /// Records the uses in `function` and walks the functions that it calls: those of the entry
    /// point in the order of evaluation, those of other functions block by block.
    pub(crate) fn function(&mut self, function: &'m Function, frame: &CallFrame<'m>) {
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

impl<'m> UseWalk<'m> {
    /// Returns the parameter, or the part of one, for which the `static` variable `name` is another
    /// name.
    pub(crate) fn renamed(&self, name: &str, frame: &CallFrame<'m>) -> Option<NamedLocation<'m>> {
        let (mut activation, mut variable) = *self.statics.get(name)?;
        let mut behind = Vec::new();
        loop {
            let (first, rest) = variable.path.as_deref()?.split_first()?;
            let Step::Name(name) = first else { return None };
            behind.push(rest);
            let Some((earlier, inner)) = self.statics.get(name.as_str()).copied() else {
                let mut location = self.globals.get(name)?.clone();
                // The walk found the steps nearest to the parameter last.
                let steps: Vec<Step> = behind.into_iter().rev().flatten().cloned().collect();
                let taken = location.descend(&steps);
                let manner = match (is_resource(location.ty), frame.activation) {
                    (true, _) => AccessManner::Copy,
                    (false, 0) => AccessManner::Static,
                    (false, _) => AccessManner::Own,
                };
                let held = NamedLocation { location, manner, object: 0, copied: CopyPosition::default(), activation };
                return Some(held).filter(|_| taken == steps.len());
            };
            // A variable can only depend on earlier ones, which also ends this loop.
            if earlier >= activation {
                return None;
            }
            (activation, variable) = (earlier, inner);
        }
    }

    /// Records the uses in the initialiser of the `static` variable that `used` names, once. In a
    /// method of a `static` variable, `this` names that variable.
    pub(crate) fn make(&mut self, used: &Use, frame: &CallFrame<'m>) {
        let name = match used.path.first() {
            Some(Step::Name(name)) => Some(name.as_str()),
            Some(Step::This) => frame.variable,
            Some(Step::Parameter(_) | Step::Index(_) | Step::DynamicIndex) | None => None,
        };
        let Some((activation, variable)) = name.and_then(|name| self.statics.get(name)).copied() else { return };
        if self.made.insert(activation) {
            self.function(&variable.initialiser, &CallFrame { activation, ..CallFrame::default() });
        }
    }
}

impl<'m> UseWalk<'m> {
    pub(crate) fn calls(
        &self,
        used: &'m Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> Vec<FunctionCall<'m>> {
        let indices = match &used.callees {
            Callees::Named if used.call => return self.calls_by_name(used, place, frame),
            Callees::Named | Callees::BuiltIn => return Vec::new(),
            Callees::Known(index) => std::slice::from_ref(index),
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.as_slice(),
        };

        let functions = indices.iter().filter_map(|index| self.module.functions.get(*index));
        let call = |function: &'m Function| {
            let (this, variable) = self.object(used, place, frame);
            FunctionCall { function, this, variable }
        };
        functions.map(call).collect()
    }

    /// Returns the object of the method that a use calls: a parameter or a part of one, or a
    /// `static` variable.
    fn object(
        &self,
        used: &'m Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> (Option<NamedLocation<'m>>, Option<&'m str>) {
        match (place, used.path.as_slice()) {
            // The method has the object of its caller, which may be a part that the walk does not tell from the whole: a
            // member of an element.
            (_, [Step::This, Step::Name(_)]) => (frame.this.clone(), frame.variable),
            (Some(ResolvedPath { held, rest }), _) => match (held.location.ty, rest.as_slice()) {
                (Type::Struct(_), [Step::Name(_)]) => (Some(as_this(held)), None),
                (Type::Resource(_), [_, ..]) => (Some(held.clone()), None),
                (_, _) => (None, None),
            },
            (None, [Step::Name(name), ..]) => {
                let known = self.statics.get_key_value(name.as_str());
                (None, known.map(|(name, _)| *name))
            }
            (None, [Step::This, ..]) => (None, frame.variable),
            (None, _) => (None, None),
        }
    }

    /// Returns the functions that the name of a use means. There is more than one if they differ
    /// only in their parameters.
    fn calls_by_name(
        &self,
        used: &Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> Vec<FunctionCall<'m>> {
        if let Some(ResolvedPath { held, rest }) = place {
            if let (Type::Struct(ty), [Step::Name(method)]) = (held.location.ty, rest.as_slice()) {
                return self.method(ty, method, &as_this(held));
            }
        }
        let [Step::Name(name)] = used.path.as_slice() else { return Vec::new() };
        if let Some(this) = &frame.this {
            if let Type::Struct(ty) = this.location.ty {
                let own = match name.rsplit_once("::") {
                    None => self.method(ty, name, this),
                    Some((outer, _)) if owners(ty).any(|owner| owner == outer) => self.plain(name, Some(this)),
                    Some(_) => Vec::new(),
                };
                if !own.is_empty() {
                    return own;
                }
            }
        }

        self.plain(name, None)
    }

    /// Returns the method `name` of `ty`, or else of one of its bases.
    fn method(&self, ty: &StructType, name: &str, this: &NamedLocation<'m>) -> Vec<FunctionCall<'m>> {
        let found = owners(ty).find_map(|owner| {
            Some(self.plain(&format!("{owner}::{name}"), Some(this))).filter(|found| !found.is_empty())
        });
        found.unwrap_or_default()
    }

    fn plain(&self, name: &str, this: Option<&NamedLocation<'m>>) -> Vec<FunctionCall<'m>> {
        let found = self.functions.get(name).into_iter().flatten();
        found.map(|function| FunctionCall { function, this: this.cloned(), variable: None }).collect()
    }
}

/// Returns the names of `ty` and its bases, without generic arguments.
fn owners(ty: &StructType) -> impl Iterator<Item = &str> {
    let structs = std::iter::successors(Some(ty), |ty| ty.base.as_deref());
    structs.map(|owner| owner.name.split('<').next().unwrap_or(&owner.name))
}

/// Returns an object as its method sees it.
fn as_this<'m>(held: &NamedLocation<'m>) -> NamedLocation<'m> {
    let manner = match held.manner {
        AccessManner::Own | AccessManner::Object => AccessManner::Object,
        AccessManner::Alias | AccessManner::Value => AccessManner::Value,
        AccessManner::Static => AccessManner::Own,
        AccessManner::Copy => AccessManner::Copy,
    };
    let object = held.location.steps.len();
    match manner {
        AccessManner::Value => NamedLocation { manner, object, ..held.copied_locally() },
        _ => NamedLocation { manner, object, ..held.clone() },
    }
}

impl NamedLocation<'_> {
    /// Returns a struct that was passed by value after another copy within the function.
    pub(crate) fn copied_locally(&self) -> Self {
        let copies = self.copied.copies + usize::from(!self.copied.is_local);
        let object = self.location.steps.len();
        Self { copied: CopyPosition { copies, is_local: true, ..self.copied }, object, ..self.clone() }
    }

    /// Returns a struct after it was passed by value.
    fn copied_by_call(&self, argument: usize) -> Self {
        let copied = CopyPosition { argument, copies: self.copied.copies + 1, is_local: false, ..self.copied };
        let object = self.location.steps.len();
        Self { manner: AccessManner::Value, copied, object, ..self.clone() }
    }
}

impl<'m> ResolvedPath<'m> {
    /// True if an argument is resources, rather than a value read from one.
    pub(crate) fn is_passed(&self) -> bool {
        self.rest.is_empty() && holds_resources(content(self.held.location.ty))
    }

    /// Returns an argument that holds resources, as the called function sees it.
    pub(crate) fn passed_on(&self, copied: CopyPosition) -> Option<NamedLocation<'m>> {
        if !self.is_passed() {
            return None;
        }

        let held = self.held.clone();
        match held.manner {
            AccessManner::Own | AccessManner::Object | AccessManner::Alias | AccessManner::Static
                if is_resource(held.location.ty) =>
            {
                Some(NamedLocation { manner: AccessManner::Copy, copied, ..held })
            }
            AccessManner::Static => Some(NamedLocation { manner: AccessManner::Own, ..held }),
            AccessManner::Own | AccessManner::Object | AccessManner::Alias => {
                // The struct that a local variable makes of a `ConstantBuffer<T>` is a copy, too.
                let is_view = matches!(held.location.ty, Type::Resource(_));
                let copies = usize::from(held.manner == AccessManner::Alias && is_view);
                let copied_before = CopyPosition { copies, ..CopyPosition::default() };
                Some(NamedLocation { copied: copied_before, ..held }.copied_by_call(copied.argument))
            }
            AccessManner::Value => Some(held.copied_by_call(copied.argument)),
            AccessManner::Copy => Some(held),
        }
    }
}
