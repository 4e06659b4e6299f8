//! The values of variables at one place of the code, and how those of several places join.

use std::collections::HashMap;

use super::Liveness;
use super::graph::NodeId;
use super::value::{Joining, Value};
use layoutproof_frontend::module::code::{Literal, StaticVariable};
use layoutproof_layout::shape::Type;

/// How far code that stops here is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    Continue,
    Break,
    Return,
}

/// The values of all variables at one place of the code.
#[derive(Clone, Debug, Default)]
pub(super) struct State<'m> {
    pub(super) locals: Vec<Value<'m>>,
    pub(super) this: Option<Value<'m>>,
    /// `static` variables, by number; `None` before the first use.
    pub(super) statics: Vec<Option<Value<'m>>>,
    /// Conditions under which the code does not come here, and how far they leave.
    pub(super) guards: Vec<(NodeId, Ending)>,
    pub(super) ended: Option<Ending>,
}

/// A place at which code is left.
#[derive(Debug)]
pub(super) struct Exit<'m> {
    pub(super) state: State<'m>,
    pub(super) conditions: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    Local(usize),
    This,
    Static(usize),
}

#[derive(Debug, Default)]
pub(super) struct LoopFrame<'m> {
    pub(super) base: usize,
    pub(super) is_switch: bool,
    pub(super) breaks: Vec<Exit<'m>>,
    pub(super) continues: Vec<Exit<'m>>,
}

/// A call that is being run.
#[derive(Debug, Default)]
pub(super) struct Frame<'m> {
    pub(super) base: usize,
    pub(super) returns: Vec<(Exit<'m>, Option<Value<'m>>)>,
    pub(super) loops: Vec<LoopFrame<'m>>,
    /// Types of local variables, by slot.
    pub(super) types: HashMap<usize, Type>,
    /// The slots of the parameters that are outputs of the entry point.
    pub(super) outputs: Vec<usize>,
}

impl<'m> Liveness<'m> {
    /// One state for several, of code that has made the nodes from `start` on.
    pub(super) fn merged_since(&mut self, start: NodeId, conditions: &[NodeId], states: Vec<State<'m>>) -> State<'m> {
        let before = std::mem::replace(&mut self.graph.branch_start, start);
        let merged = self.merged(conditions, states);
        self.graph.branch_start = before;
        merged
    }

    /// One state for several, of which those that have ended count only by their conditions.
    pub(super) fn merged(&mut self, conditions: &[NodeId], mut states: Vec<State<'m>>) -> State<'m> {
        if states.len() == 1 {
            return states.pop().unwrap_or_default();
        }
        let ended = states.iter().map(|state| state.ended).collect::<Vec<_>>();
        let mut guards: Vec<(NodeId, Ending)> = Vec::new();
        for state in &states {
            for guard in &state.guards {
                if !guards.contains(guard) {
                    guards.push(*guard);
                }
            }
        }
        let is_same = states.iter().all(|state| state.guards.len() == guards.len());
        let furthest = guards.iter().map(|guard| guard.1).chain(ended.iter().flatten().copied()).max();
        if let Some(furthest) = furthest.filter(|_| !is_same || ended.iter().any(Option::is_some)) {
            for condition in conditions {
                if !guards.contains(&(*condition, furthest)) {
                    guards.push((*condition, furthest));
                }
            }
        }

        if ended.iter().all(Option::is_some) {
            let mut state = states.pop().unwrap_or_default();
            state.ended = ended.into_iter().flatten().min();
            state.guards = guards;
            return state;
        }
        states.retain(|state| state.ended.is_none());
        if states.len() == 1 {
            let mut state = states.pop().unwrap_or_default();
            state.guards = guards;
            return state;
        }

        let mut result = State { guards, ..State::default() };
        let slots = states.iter().map(|state| state.locals.len()).max().unwrap_or(0);
        for slot in 0..slots {
            let values: Vec<Value<'m>> = states.iter().filter_map(|state| state.locals.get(slot).cloned()).collect();
            result.locals.push(self.graph.joined(Joining::Choice, conditions, &values));
        }
        let this: Vec<Value<'m>> = states.iter().filter_map(|state| state.this.clone()).collect();
        result.this = if this.is_empty() { None } else { Some(self.graph.joined(Joining::Choice, conditions, &this)) };
        let statics = states.iter().map(|state| state.statics.len()).max().unwrap_or(0);
        for number in 0..statics {
            if states.iter().all(|state| state.statics[number].is_none()) {
                result.statics.push(None);
                continue;
            }
            let values: Vec<Value<'m>> = states.iter().map(|state| self.static_value(number, state)).collect();
            result.statics.push(Some(self.graph.joined(Joining::Choice, conditions, &values)));
        }
        result
    }

    /// The value of a `static` variable: that of its initialiser before anything else is written.
    pub(super) fn static_value(&mut self, number: usize, state: &State<'m>) -> Value<'m> {
        if let Some(value) = state.statics.get(number).and_then(Option::as_ref) {
            return value.clone();
        }
        let variable: &'m StaticVariable = &self.module.variables[number];
        let found = match &variable.initial {
            Some(initial) => {
                let mut empty = State { statics: state.statics.clone(), ..State::default() };
                self.deeper(|liveness| liveness.initialised(variable.ty.as_ref(), initial, &mut empty))
            }
            None if variable.is_understood => {
                // `static float x;` is zero.
                let zero = self.graph.constant(Literal::Integer { value: 0, unsigned: false });
                variable.ty.as_ref().map(|ty| match ty.dimensions().0 {
                    Type::Resource(_) => self.graph.undefined_value(Some(ty)),
                    _ => self.graph.cast(ty, Value::Scalar(zero)),
                })
            }
            None => {
                self.give_up();
                None
            }
        };
        found.unwrap_or_else(|| Value::Opaque(self.graph.fresh(Vec::new()), variable.ty.clone()))
    }

    pub(super) fn variable(&mut self, variable: Variable, state: &State<'m>) -> Option<Value<'m>> {
        match variable {
            Variable::Local(slot) => state.locals.get(slot).cloned(),
            Variable::This => state.this.clone(),
            Variable::Static(number) => Some(self.static_value(number, state)),
        }
    }
}

pub(super) fn set_variable<'m>(variable: Variable, value: Value<'m>, state: &mut State<'m>) {
    match variable {
        Variable::Local(slot) => state.locals[slot] = value,
        Variable::This => state.this = Some(value),
        Variable::Static(number) => state.statics[number] = Some(value),
    }
}

pub(super) fn conditions(exits: &[Exit<'_>]) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = exits.iter().flat_map(|exit| exit.conditions.iter().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
