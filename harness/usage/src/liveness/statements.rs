//! Statements: blocks, branches, and the places at which code is left.

use super::Liveness;
use super::graph::NodeId;
use super::loops::{LoopParts, MOST_UNROLLED};
use super::state::{Ending, Exit, LoopFrame, State, conditions};
use layoutproof_frontend::module::code::{BinaryOperator, Expression, Literal, Statement, SwitchCase, Unrolling};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

impl<'m> Liveness<'m> {
    pub(super) fn block(&mut self, statements: &'m [Statement], state: &mut State<'m>) {
        let (known, outer) = (self.facts.len(), self.block_facts.len());
        for statement in statements {
            if state.ended.is_some() || self.failed.is_some() {
                break;
            }
            self.deeper(|liveness| liveness.statement(statement, state));
        }
        let over = self.block_facts.split_off(outer);
        if !over.is_empty() {
            let found = self.facts.split_off(known);
            self.facts.extend(found.into_iter().filter(|fact| !over.contains(fact)));
        }
    }

    fn statement(&mut self, statement: &'m Statement, state: &mut State<'m>) {
        match statement {
            Statement::Expression(value) => {
                self.evaluate(value, state);
            }
            Statement::Local { slot, ty, initial } => {
                let value = match (initial, ty) {
                    (Some(initial), ty) => self.initialised(ty.as_ref(), initial, state),
                    (None, ty) => self.graph.undefined_value(ty.as_ref()),
                };
                if let (Some(memory), Some(_)) = (self.memory(&Expression::Local(*slot)), initial) {
                    self.remember(&memory, &value, state);
                }
                state.locals[*slot] = value;
                if let (Some(frame), Some(ty)) = (self.frames.last_mut(), ty) {
                    frame.types.insert(*slot, ty.clone());
                }
            }
            Statement::Block(statements) => self.block(statements, state),
            Statement::If { condition, then, otherwise } => {
                let condition = self.condition(condition, state);
                match self.graph.truth(condition) {
                    Some(true) => self.block(then, state),
                    Some(false) => self.block(otherwise, state),
                    None => self.branch(condition, then, otherwise, state),
                }
            }
            Statement::Loop { before, condition, step, body, tests_first, unrolling } => {
                self.block(before, state);
                let parts = LoopParts { condition: condition.as_ref(), step, body, tests_first: *tests_first };
                let known = self.facts.len();
                let skipped = self.may_be_skipped(parts, state).then(|| (state.clone(), self.left_places()));
                self.doubtful += usize::from(skipped.is_some());
                match unrolling {
                    Unrolling::Compiler => {
                        self.perhaps_unrolled(parts, state);
                        // In a loop, a value is another one in each round.
                        self.facts.truncate(known);
                    }
                    Unrolling::All => {
                        if !self.rounds(parts, (MOST_UNROLLED, None), state) {
                            self.facts.truncate(known);
                            self.around(parts, false, state);
                            self.facts.truncate(known);
                        }
                    }
                    Unrolling::Rounds(most) => {
                        // DXC 1.7.2308 cuts only loops with a step: `while (k < 6)` with `[unroll(3)]` has six rounds.
                        let most = *most as usize;
                        let limits = if step.is_empty() { (most, None) } else { (MOST_UNROLLED, Some(most)) };
                        if !self.rounds(parts, limits, state) {
                            self.give_up();
                        }
                        self.facts.truncate(known);
                    }
                }
                self.doubtful -= usize::from(skipped.is_some());
                if let Some((entry, left)) = skipped {
                    self.doubt(left, &entry, state);
                }
            }
            Statement::Switch { value, cases } => self.switch(value, cases, state),
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value, state));
                let base = self.frames.last().map_or(0, |frame| frame.base);
                let exit = self.exit(state, base);
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns.push((exit, value));
                }
                state.ended = Some(Ending::Return);
            }
            Statement::Break => {
                self.leave(Ending::Break, state);
            }
            Statement::Continue => {
                self.leave(Ending::Continue, state);
            }
            Statement::Discard => self.effect(Vec::new(), state),
        }
    }

    fn exit(&self, state: &State<'m>, base: usize) -> Exit<'m> {
        let mut conditions: Vec<NodeId> = self.path.get(base..).unwrap_or_default().to_vec();
        conditions.extend(state.guards.iter().map(|guard| guard.0));
        Exit { state: state.clone(), conditions }
    }

    fn leave(&mut self, ending: Ending, state: &mut State<'m>) {
        let is_target = |found: &LoopFrame<'_>| ending == Ending::Break || !found.is_switch;
        let loops = self.frames.last().map_or(&[][..], |frame| &frame.loops);
        if let Some(at) = loops.iter().rposition(is_target) {
            let exit = self.exit(state, loops[at].base);
            if let Some(frame) = self.frames.last_mut() {
                match ending {
                    Ending::Break => frame.loops[at].breaks.push(exit),
                    Ending::Continue | Ending::Return => frame.loops[at].continues.push(exit),
                }
            }
        }
        state.ended = Some(ending);
    }

    /// The node that decides a branch.
    pub(super) fn condition(&mut self, condition: &'m Expression, state: &mut State<'m>) -> NodeId {
        let value = self.evaluate(condition, state);
        let value = self.graph.cast(&Type::Scalar(Scalar::Bool), value);
        self.graph.whole(&value)
    }

    pub(super) fn branch(
        &mut self,
        condition: NodeId,
        then: &'m [Statement],
        otherwise: &'m [Statement],
        state: &mut State<'m>,
    ) {
        let start = self.graph.next();
        let mut other = state.clone();
        // An optimiser that follows ranges of integers may decide this.
        let is_doubtful = self.is_implied(condition) || self.may_be_known(condition);
        let decides = if is_doubtful { self.graph.perhaps_known(condition) } else { condition };
        self.doubtful += usize::from(is_doubtful);
        self.under(condition, true, |liveness| liveness.block(then, state));
        self.under(condition, false, |liveness| liveness.block(otherwise, &mut other));
        self.doubtful -= usize::from(is_doubtful);
        let one = std::mem::take(state);
        let ends = (one.ended, other.ended);
        self.graph.is_select = decides == condition;
        *state = self.merged_since(start, &[decides], vec![one, other]);
        self.graph.is_select = false;
        // Code after `if (c) return;` runs where `c` does not hold.
        let (ending, fact) = match ends {
            (Some(ending), None) => (ending, (condition, false)),
            (None, Some(ending)) => (ending, (condition, true)),
            (_, _) => return,
        };
        self.facts.push(fact);
        if ending != Ending::Return {
            self.block_facts.push(fact);
        }
    }

    fn switch(&mut self, value: &'m Expression, cases: &'m [SwitchCase], state: &mut State<'m>) {
        let value = self.evaluate(value, state);
        let selector = self.graph.whole(&value);
        let first = match self.graph.index(selector) {
            Some(number) => {
                let labelled = cases.iter().position(|case| {
                    case.labels.iter().flatten().any(|label| {
                        let label = self.evaluate(label, &mut State::default());
                        let label = self.graph.whole(&label);
                        self.graph.index(label) == Some(number)
                    })
                });
                let default = || cases.iter().position(|case| case.labels.contains(&None));
                match labelled.or_else(default) {
                    Some(first) => vec![first],
                    None => return,
                }
            }
            None => (0..cases.len()).collect(),
        };

        let outer = state.guards.clone();
        let start = self.graph.next();
        self.open_loop(true);
        let entry = state.clone();
        let mut states = Vec::new();
        let is_single = first.len() == 1 && self.graph.index(selector).is_some();
        let (mut leaving, mut is_certain) = (Vec::new(), false);
        for first in first {
            let (mut inner, left) = (entry.clone(), self.left_places());
            let mut run = |liveness: &mut Self| {
                for case in &cases[first..] {
                    liveness.block(&case.body, &mut inner);
                }
            };
            if is_single {
                run(self);
            } else {
                let fact = self.label_fact(selector, cases, first);
                let is_doubtful = self.is_implied(fact) || self.may_be_known(fact) || !self.graph.varies(fact);
                is_certain |= !is_doubtful;
                let decides = if is_doubtful { self.graph.perhaps_known(selector) } else { selector };
                self.doubtful += usize::from(is_doubtful);
                self.path.push(decides);
                let (known, equal) = (self.facts.len(), self.graph.equal.len());
                self.note_equal(fact, true);
                self.facts.push((fact, true));
                run(self);
                self.facts.truncate(known);
                self.graph.equal.truncate(equal);
                self.path.pop();
                self.doubtful -= usize::from(is_doubtful);
                if is_doubtful {
                    self.doubt(left, &entry, &mut inner);
                }
                leaving.extend(inner.ended.filter(|ended| *ended != Ending::Break).map(|ended| (fact, ended)));
            }
            states.push(inner);
        }
        if !is_single && !cases.iter().any(|case| case.labels.contains(&None)) {
            states.push(entry);
        }

        let frame = self.close_loop();
        let mut conditions = conditions(&frame.breaks);
        if is_certain && !conditions.contains(&selector) {
            conditions.push(selector);
        }
        for state in &mut states {
            // A `break` has been kept as an exit.
            if state.ended == Some(Ending::Break) {
                state.guards.clear();
            }
        }
        states.retain(|state| state.ended != Some(Ending::Break));
        states.extend(frame.breaks.into_iter().map(|exit| State { ended: None, ..exit.state }));
        *state = self.merged_since(start, &conditions, states);
        state.guards.retain(|guard| guard.1 != Ending::Break || outer.contains(guard));
        // Code after `case 1: return;` runs where the value is not 1.
        for (fact, ending) in leaving {
            self.facts.push((fact, false));
            if ending != Ending::Return {
                self.block_facts.push((fact, false));
            }
        }
    }

    /// The condition under which a `switch` goes to a case.
    fn label_fact(&mut self, selector: NodeId, cases: &'m [SwitchCase], at: usize) -> NodeId {
        use BinaryOperator as B;
        let is_default = cases[at].labels.contains(&None);
        let labels = cases.iter().enumerate().filter(|(other, _)| is_default != (*other == at));
        let mut found: Option<NodeId> = None;
        for label in labels.flat_map(|(_, case)| case.labels.iter().flatten()) {
            let label = self.evaluate(label, &mut State::default());
            let label = self.graph.whole(&label);
            let (compare, join) = if is_default { (B::NotEqual, B::And) } else { (B::Equal, B::Or) };
            let one = self.graph.binary(compare, selector, label);
            found = Some(found.map_or(one, |before| self.graph.binary(join, before, one)));
        }
        found.unwrap_or_else(|| self.graph.constant(Literal::Boolean(true)))
    }
}
