//! The walk over function bodies: its view of the module, its position, and its records.
//!
//! `reach` starts it at the entry points. `body` walks one function, `call` finds the functions
//! that a use calls, and `statics` follows `static` variables.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::Span;

use super::doubt::{CallPolicy, Doubt};
use super::location::Location;
use layoutproof_frontend::module::{Function, Module, Static, Step};

/// Number of uses and calls after which the walk gives up. Calls can double them at each level.
pub(super) const MOST_USES: usize = 1 << 16;

/// Depth of nested calls at which the walk gives up, because it recurses into them.
pub(super) const DEEPEST_CALL: usize = 128;

/// The way in which the code gets to what it uses. DXC's order depends on it.
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
    /// By its global name.
    Own,
    /// Through a resource parameter or a local resource.
    Copy,
}

/// One use of a resource or of data.
#[derive(Clone, Debug)]
pub(crate) struct ResourceUse<'m> {
    /// The resource or data that is used.
    pub(crate) location: Location<'m>,
    /// The resource type and the method or `[]`.
    pub(super) operation: String,
    pub(super) manner: AccessManner,
    /// The number of steps to the object of the method, for [`AccessManner::Object`], or to the copied struct, for
    /// [`AccessManner::Value`].
    pub(super) object: usize,
    /// The place of the copy, for [`AccessManner::Copy`].
    pub(super) copied: CopyPosition,
    /// The call of a function that contains the use, numbered in the order of calls; 0 is the entry
    /// point. `static` variables count as the first calls.
    pub(super) activation: usize,
    /// The number of calls from the entry point to the use.
    pub(super) depth: usize,
    /// The place of the use in the body.
    pub(crate) span: Span,
}

impl ResourceUse<'_> {
    /// True if the use moves the counter of a structured buffer.
    pub(crate) fn counts(&self) -> bool {
        let counting = [".IncrementCounter", ".DecrementCounter", ".Append", ".Consume"];
        counting.iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the use moves the counter and leaves the elements alone.
    pub(crate) fn only_counts(&self) -> bool {
        [".IncrementCounter", ".DecrementCounter"].iter().any(|method| self.operation.ends_with(method))
    }

    /// True if the use names the resource without an operation.
    pub(crate) fn is_whole(&self) -> bool {
        self.operation.is_empty()
    }
}

/// The place where a resource is copied.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyPosition {
    /// The byte offset in the text.
    pub(super) start: u32,
    /// Index of the copied argument among the uses of the function; 0 for a local variable.
    pub(super) argument: usize,
    /// The number of copies of the struct, for [`AccessManner::Value`]. A chain of local copies, and of methods of one
    /// object, counts once.
    pub(super) copies: usize,
    /// True if the last of them is a local copy or the object of a method.
    pub(super) is_local: bool,
}

/// Something that a body can name: a location and the way in which the code gets to it.
#[derive(Clone, Debug)]
pub(super) struct NamedLocation<'m> {
    pub(super) location: Location<'m>,
    pub(super) manner: AccessManner,
    pub(super) object: usize,
    pub(super) copied: CopyPosition,
    pub(super) activation: usize,
}

/// A walk over function bodies.
#[derive(Debug)]
pub(super) struct UseWalk<'m> {
    pub(super) globals: BTreeMap<String, Location<'m>>,
    /// The `static` variables, each with the number, from 1, of the call that it counts as.
    pub(super) statics: BTreeMap<&'m str, (usize, &'m Static)>,
    pub(super) functions: BTreeMap<&'m str, Vec<&'m Function>>,
    pub(super) module: &'m Module,
    pub(super) reached: Vec<ResourceUse<'m>>,
    /// The uncertain facts so far.
    pub(super) doubts: Vec<Doubt>,
    pub(super) following: CallPolicy,
    pub(super) activations: usize,
    /// Functions whose bodies are being walked.
    pub(super) open: Vec<*const Function>,
    /// Number of uses and calls that were visited.
    pub(super) steps: usize,
    /// The calls that represent `static` variables whose initialisers were walked.
    pub(super) made: BTreeSet<usize>,
    /// True if an optimiser drops dead code (always except with `-Od`).
    pub(super) optimises: bool,
    /// The objects and arguments with which functions need not be walked again, see
    /// [`Self::settle`].
    pub(super) settled: HashMap<*const Function, Vec<CallSubject<'m>>>,
    /// Number of calls that were not followed because their function was being walked.
    pub(super) cuts: usize,
    /// Number of nested collections of the uses of alternative functions.
    pub(super) collections: usize,
}

/// The object and arguments of a call, as far as the uses of the function depend on them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallSubject<'m> {
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
pub(super) struct CallFrame<'m> {
    pub(super) this: Option<NamedLocation<'m>>,
    /// The `static` variable whose method this is.
    pub(super) variable: Option<&'m str>,
    pub(super) arguments: Vec<Option<NamedLocation<'m>>>,
    pub(super) activation: usize,
}

/// The location that an access path names, and the steps that remain after it.
#[derive(Clone, Debug)]
pub(super) struct ResolvedPath<'m> {
    pub(super) held: NamedLocation<'m>,
    pub(super) rest: Vec<Step>,
}

impl<'m> UseWalk<'m> {
    /// True if another walk of `function` would find only recorded uses.
    pub(super) fn is_settled(&self, function: &'m Function, frame: &CallFrame<'m>) -> bool {
        let known = self.settled.get(&std::ptr::from_ref(function));
        self.collections == 0 && known.is_some_and(|known| known.contains(&CallSubject::from_frame(frame)))
    }

    /// Notes that `function` need not be walked again with the same object and arguments, unless
    /// the order of its uses matters. These uses are in `reached` from `first` on. Without this
    /// note, calls double the number of walked uses at each level.
    pub(super) fn settle(&mut self, function: &'m Function, frame: &CallFrame<'m>, first: usize) {
        let has_order = |used: &ResourceUse<'m>| used.counts() || used.location.is_split_off(self.module);
        if self.collections > 0 || self.reached[first..].iter().any(has_order) {
            return;
        }
        self.settled.entry(std::ptr::from_ref(function)).or_default().push(CallSubject::from_frame(frame));
    }

    /// Records a use of `held`. `rest` contains the operation.
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
