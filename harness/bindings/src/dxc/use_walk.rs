//! The walk over function bodies: what it knows of the module, where it stands, and what it has recorded.
//!
//! `reach` begins it at the entry points. `body` walks one function, `call` finds the functions that a use calls,
//! `statics` follows `static` variables.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::Span;

use super::doubt::{CallPolicy, Doubt};
use super::location::Location;
use layoutproof_frontend::module::{Function, Module, Static, Step};

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
pub(crate) struct ResourceUse<'m> {
    /// The resource or data that is used.
    pub(crate) location: Location<'m>,
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

    /// True if the resource is named without a word on what is done with it.
    pub(crate) fn is_whole(&self) -> bool {
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

/// Something that a body can name: a location with how the code comes by it.
#[derive(Clone, Debug)]
pub(super) struct NamedLocation<'m> {
    pub(super) location: Location<'m>,
    pub(super) manner: AccessManner,
    pub(super) object: usize,
    pub(super) copied: CopyPosition,
    pub(super) activation: usize,
}

/// The walk over the bodies.
#[derive(Debug)]
pub(super) struct UseWalk<'m> {
    pub(super) globals: BTreeMap<String, Location<'m>>,
    /// `static` variables, with the call of a function that each counts as, from 1.
    pub(super) statics: BTreeMap<&'m str, (usize, &'m Static)>,
    pub(super) functions: BTreeMap<&'m str, Vec<&'m Function>>,
    pub(super) module: &'m Module,
    pub(super) reached: Vec<ResourceUse<'m>>,
    /// What is not certain.
    pub(super) doubts: Vec<Doubt>,
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
    /// What functions were called with that need not be walked again, see [`Self::settle`].
    pub(super) settled: HashMap<*const Function, Vec<CallSubject<'m>>>,
    /// Calls that were not followed because their function was being walked.
    pub(super) cuts: usize,
    /// How many collections of what one of several functions uses are under way.
    pub(super) collections: usize,
}

/// What a function is called with, as far as its uses depend on it.
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

/// The object, arguments and activation of a function that is walked.
#[derive(Clone, Debug, Default)]
pub(super) struct CallFrame<'m> {
    pub(super) this: Option<NamedLocation<'m>>,
    /// The `static` variable whose method this is.
    pub(super) variable: Option<&'m str>,
    pub(super) arguments: Vec<Option<NamedLocation<'m>>>,
    pub(super) activation: usize,
}

/// The location that an access path names, and the steps that are left behind it.
#[derive(Clone, Debug)]
pub(super) struct ResolvedPath<'m> {
    pub(super) held: NamedLocation<'m>,
    pub(super) rest: Vec<Step>,
}

impl<'m> UseWalk<'m> {
    /// True if another walk of `function` would find what is recorded already.
    pub(super) fn is_settled(&self, function: &'m Function, frame: &CallFrame<'m>) -> bool {
        let known = self.settled.get(&std::ptr::from_ref(function));
        self.collections == 0 && known.is_some_and(|known| known.contains(&CallSubject::from_frame(frame)))
    }

    /// Notes that `function` need not be walked again with the same object and arguments, if the order of what it used, which
    /// is all behind `first` in `reached`, does not matter. Without this, calls double what is walked at each level.
    pub(super) fn settle(&mut self, function: &'m Function, frame: &CallFrame<'m>, first: usize) {
        let has_order = |used: &ResourceUse<'m>| used.counts() || used.location.is_split_off(self.module);
        if self.collections > 0 || self.reached[first..].iter().any(has_order) {
            return;
        }
        self.settled.entry(std::ptr::from_ref(function)).or_default().push(CallSubject::from_frame(frame));
    }

    /// Records a use of what `held` names; `rest` says what is done with it.
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
