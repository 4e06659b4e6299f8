//! Loops: round by round where the number of rounds is known, otherwise with a node for each value that goes around.

use std::collections::{HashMap, VecDeque};

use super::Liveness;
use super::graph::NodeId;
use super::literals::is_true;
use super::state::{Ending, Exit, Frame, LoopFrame, State, Variable, conditions, set_variable};
use super::value::Value;
use layoutproof_frontend::module::code::{BinaryOperator, Expression, Literal, Statement};

pub(super) const MOST_STEPS_OF_ROUNDS: usize = 1 << 14;

/// Rounds of a loop that is run round by round. DXC unrolls 60 rounds of a small body, no 16 of a larger one.
pub(super) const MOST_ROUNDS: usize = 128;

/// Rounds of a loop with `[unroll]`.
pub(super) const MOST_UNROLLED: usize = 256;

static LEAVE: [Statement; 1] = [Statement::Break];

/// Times that a loop is run to find the variables that go around.
pub(super) const MOST_PASSES: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct LoopParts<'m> {
    pub(super) condition: Option<&'m Expression>,
    pub(super) step: &'m [Expression],
    pub(super) body: &'m [Statement],
    pub(super) tests_first: bool,
}

/// A variable that goes around in a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) variable: Variable,
    /// False if it depends on constants alone.
    pub(super) varies: bool,
    /// Its values, if it is a counter.
    pub(super) range: Option<(i64, i64)>,
}

/// A loop that was run, for the next time that the same code runs it: in the next pass of the loop around it. Without
/// this, each level of nested loops doubles the number of passes.
#[derive(Debug)]
pub(super) struct RememberedLoop<'m> {
    body: *const [Statement],
    /// The functions that were being run.
    open: Vec<usize>,
    /// The variables that went around, with their values before the loop.
    moving: Vec<(Moving, Option<Value<'m>>)>,
    /// True if the compiler may unroll it.
    is_unrolled: bool,
    /// The loops in its body, in the order of the last pass.
    inner: Vec<RememberedLoop<'m>>,
}

/// The loops that run in a pass of the loop around them, and those of the pass before it, which were not yet run again.
#[derive(Debug, Default)]
pub(super) struct LoopPass<'m> {
    before: VecDeque<RememberedLoop<'m>>,
    now: Vec<RememberedLoop<'m>>,
}

/// The additions of an attempt to run a loop, to take them back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) roots: usize,
    pub(super) writes: usize,
    pub(super) touched: usize,
    pub(super) returns: usize,
}

/// How often a function has returned so far, and how often its innermost loop or `switch` was left.
#[derive(Clone, Copy)]
pub(super) struct LeftPlaces {
    returns: usize,
    breaks: usize,
}

impl<'m> Liveness<'m> {
    fn mark(&self) -> Mark {
        let returns = self.frames.last().map_or(0, |frame| frame.returns.len());
        Mark { roots: self.roots.len(), writes: self.writes.len(), touched: self.touched.len(), returns }
    }

    fn take_back(&mut self, mark: Mark) {
        self.roots.truncate(mark.roots);
        self.writes.truncate(mark.writes);
        self.touched.truncate(mark.touched);
        if let Some(frame) = self.frames.last_mut() {
            frame.returns.truncate(mark.returns);
        }
    }

    pub(super) fn open_loop(&mut self, is_switch: bool) {
        let base = self.path.len();
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(LoopFrame { base, is_switch, ..LoopFrame::default() });
        }
    }

    pub(super) fn close_loop(&mut self) -> LoopFrame<'m> {
        self.frames.last_mut().and_then(|frame| frame.loops.pop()).unwrap_or_default()
    }

    /// Runs a loop that the compiler may unroll: what is needed if it does is certain, the rest is not.
    ///
    /// DXC 1.7.2308 unrolls 16 rounds of `a += 1`, not 4 rounds with two `Load`, a `sin` and a `cos`; where it does not, it
    /// still computes integers that depend on constants alone, even with `[loop]`.
    pub(super) fn perhaps_unrolled(&mut self, parts: LoopParts<'m>, state: &mut State<'m>) {
        let (mut unrolled, known) = (state.clone(), self.facts.len());
        // What was not unrolled in the pass before is not in this one, in which less is known.
        let is_same = |before: &&RememberedLoop<'m>| self.is_again(before, parts);
        let before = self.passes.last().and_then(|pass| pass.before.iter().find(is_same));
        if before.is_some_and(|before| !before.is_unrolled) {
            return self.around(parts, false, state);
        }
        if !self.rounds(parts, (MOST_ROUNDS, None), &mut unrolled) {
            self.facts.truncate(known);
            return self.around(parts, false, state);
        }
        self.facts.truncate(known);
        let returns = self.frames.last().map_or(0, |frame| frame.returns.len());
        self.doubtful += 1;
        self.around(parts, true, state);
        self.doubtful -= 1;
        if self.failed.is_some() {
            return;
        }

        self.doubt_returns(returns);
        if state.ended.is_some() != unrolled.ended.is_some() {
            return self.give_up();
        }
        let around = std::mem::take(state);
        *state = self.both(&unrolled, &around);
    }

    /// Makes the results that were returned since then ones on which what is certain does not depend.
    pub(super) fn doubt_returns(&mut self, since: usize) {
        let found = self.frames.last_mut().map(|frame| frame.returns.split_off(since)).unwrap_or_default();
        for (exit, result) in found {
            let conditions = exit.conditions.iter().map(|condition| self.graph.doubtful(*condition)).collect();
            let result = result.map(|result| self.graph.mapped(&result, &mut |graph, node| graph.doubtful(node)));
            let state = self.both(&exit.state, &exit.state.clone());
            if let Some(frame) = self.frames.last_mut() {
                frame.returns.push((Exit { state, conditions }, result));
            }
        }
    }

    /// The same for the places at which the innermost loop or `switch` was left since then, in code that begins at `entry`.
    fn doubt_breaks(&mut self, since: usize, entry: &State<'m>) {
        let innermost = |frame: &mut Frame<'m>| frame.loops.last_mut().map(|found| found.breaks.split_off(since));
        for exit in self.frames.last_mut().and_then(innermost).unwrap_or_default() {
            let conditions = exit.conditions.iter().map(|condition| self.graph.doubtful(*condition)).collect();
            let state = State { ended: exit.state.ended, ..self.both(entry, &exit.state) };
            if let Some(found) = self.frames.last_mut().and_then(|frame| frame.loops.last_mut()) {
                found.breaks.push(Exit { state, conditions });
            }
        }
    }

    /// Makes all that code gave which began at `entry` and ended at `state` such that what is certain does not depend on it.
    pub(super) fn doubt(&mut self, left: LeftPlaces, entry: &State<'m>, state: &mut State<'m>) {
        self.doubt_returns(left.returns);
        self.doubt_breaks(left.breaks, entry);
        if state.ended.is_none() {
            *state = self.both(entry, state);
        }
    }

    /// The numbers of places at which code was left so far.
    pub(super) fn left_places(&self) -> LeftPlaces {
        let frame = self.frames.last();
        LeftPlaces {
            returns: frame.map_or(0, |frame| frame.returns.len()),
            breaks: frame.and_then(|frame| frame.loops.last()).map_or(0, |found| found.breaks.len()),
        }
    }

    /// True if what holds around a loop may exclude its first round.
    pub(super) fn may_be_skipped(&mut self, parts: LoopParts<'m>, state: &State<'m>) -> bool {
        let Some(condition) = parts.condition.filter(|_| parts.tests_first && !self.facts.is_empty()) else {
            return false;
        };
        let mark = self.mark();
        let first = self.condition(condition, &mut state.clone());
        self.take_back(mark);
        let is_never = self.graph.equal.iter().any(|(known, literal)| *known == first && !is_true(*literal));
        self.graph.literal(first).is_none() && (is_never || self.graph.outcomes(first, &self.facts) == [true, false])
    }

    /// The state after a loop that is unrolled or not.
    pub(super) fn both(&mut self, unrolled: &State<'m>, around: &State<'m>) -> State<'m> {
        let mut state = unrolled.clone();
        for (guard, ending) in &around.guards {
            if !unrolled.guards.contains(&(*guard, *ending)) {
                state.guards.push((self.graph.doubtful(*guard), *ending));
            }
        }
        let locals = (0..unrolled.locals.len()).map(Variable::Local);
        let statics = (0..unrolled.statics.len()).map(Variable::Static);
        let all: Vec<Variable> = locals.chain([Variable::This]).chain(statics).collect();
        for variable in all {
            let is_lazy = |state: &State<'m>| matches!(variable, Variable::Static(at) if state.statics[at].is_none());
            if is_lazy(unrolled) && is_lazy(around) {
                continue;
            }
            let (Some(one), Some(other)) = (self.variable(variable, unrolled), self.variable(variable, around)) else {
                continue;
            };
            if one.is(&other) {
                continue;
            }
            let opened = self.graph.open_all(&other);
            let mut others = Vec::new();
            opened.leaves(&mut others);
            let opened = self.graph.open_all(&one);
            let mut ones = Vec::new();
            opened.leaves(&mut ones);
            let mut at = 0;
            let is_paired = ones.len() == others.len();
            let whole = if is_paired { None } else { Some(self.graph.computed("whole", others.clone())) };
            let value = self.graph.mapped(&opened, &mut |graph, node| {
                at += 1;
                graph.perhaps_unrolled(node, whole.unwrap_or_else(|| others[at - 1]))
            });
            set_variable(variable, value, &mut state);
        }
        state
    }

    /// Runs a loop round by round, if its condition is known in each. Otherwise takes everything back: false.
    ///
    /// DXC 1.7.2308 leaves a loop with `[unroll(3)]` after 3 rounds, whatever its condition is.
    pub(super) fn rounds(
        &mut self,
        parts: LoopParts<'m>,
        (most, last): (usize, Option<usize>),
        state: &mut State<'m>,
    ) -> bool {
        let (mark, saved, start) = (self.mark(), state.clone(), self.steps);
        let pass = self.passes.last_mut().map(|pass| (std::mem::take(&mut pass.before), pass.now.len()));
        let outer: Vec<(NodeId, Ending)> = state.guards.clone();
        self.open_loop(false);
        let mut rounds = 0;
        let mut tests = parts.tests_first;
        let is_known = loop {
            if self.failed.is_some() || last == Some(rounds) {
                break true;
            }
            if tests {
                if let Some(condition) = parts.condition {
                    let condition = self.condition(condition, state);
                    match self.graph.truth(condition) {
                        Some(true) => {}
                        Some(false) => break true,
                        // At most this many rounds, each as code after code that may leave the loop.
                        None if last.is_some() => self.branch(condition, &[], &LEAVE, state),
                        None => break false,
                    }
                }
            }
            tests = true;
            rounds += 1;
            if rounds > most || self.steps - start > MOST_STEPS_OF_ROUNDS {
                break false;
            }
            self.round(parts, state);
            if state.ended.is_some() {
                break true;
            }
        };

        let frame = self.close_loop();
        if let (Some(pass), Some((before, count))) = (self.passes.last_mut(), pass) {
            pass.before = before;
            self.attempted = pass.now.split_off(count);
        }
        if !is_known {
            self.take_back(mark);
            *state = saved;
            return false;
        }
        let conditions = conditions(&frame.breaks);
        let mut states: Vec<State<'m>> =
            frame.breaks.into_iter().map(|exit| State { ended: None, ..exit.state }).collect();
        if state.ended.is_none() || states.is_empty() {
            states.push(std::mem::take(state));
        }
        *state = self.merged(&conditions, states);
        if state.ended == Some(Ending::Break) {
            state.ended = None;
        }
        state.guards.retain(|guard| guard.1 == Ending::Return || outer.contains(guard));
        true
    }

    /// The body of a loop and what follows it in a round.
    fn round(&mut self, parts: LoopParts<'m>, state: &mut State<'m>) {
        self.block(parts.body, state);
        let frame = self.frames.last_mut().and_then(|frame| frame.loops.last_mut());
        let continues = frame.map(|frame| std::mem::take(&mut frame.continues)).unwrap_or_default();
        if !continues.is_empty() {
            let conditions = conditions(&continues);
            let mut states: Vec<State<'m>> =
                continues.into_iter().map(|exit| State { ended: None, ..exit.state }).collect();
            if state.ended.is_none() {
                states.push(std::mem::take(state));
            }
            *state = self.merged(&conditions, states);
        }
        if state.ended == Some(Ending::Continue) {
            state.ended = None;
        }
        state.guards.retain(|guard| guard.1 > Ending::Continue);
        if state.ended.is_none() {
            for step in parts.step {
                self.evaluate(step, state);
            }
        }
    }

    /// Runs a loop once, with a node for each value that goes around.
    pub(super) fn around(&mut self, parts: LoopParts<'m>, is_unrolled: bool, state: &mut State<'m>) {
        let open = self.graph.open.len();
        let entry = state.clone();
        let attempted = std::mem::take(&mut self.attempted);
        let at = self.passes.last().and_then(|pass| pass.before.iter().position(|before| self.is_again(before, parts)));
        let before = at.and_then(|at| self.passes.last_mut()?.before.remove(at));
        let (mut expected, inner) = match before {
            Some(RememberedLoop { moving, inner, .. }) => (self.expected(moving, &entry), inner),
            None => (None, attempted),
        };
        self.passes.push(LoopPass { before: inner.into(), now: Vec::new() });
        let moving = loop {
            let is_expected = expected.is_some();
            match self.run_around(parts, expected.take().unwrap_or_default(), state) {
                Some(moving) => break moving,
                None if is_expected && self.failed.is_none() => *state = entry.clone(),
                None => break Vec::new(),
            }
        };
        let inner = self.passes.pop().map(|pass| pass.now).unwrap_or_default();
        let with_entry = |moving: Moving| (moving, self.variable(moving.variable, &entry));
        let moving = moving.into_iter().map(with_entry).collect();
        if let Some(pass) = self.passes.last_mut() {
            pass.now.push(RememberedLoop { body: parts.body, open: self.open.clone(), moving, is_unrolled, inner });
        }
        self.graph.open.truncate(open);
    }

    /// True if `before` is the same loop in the same calls.
    fn is_again(&self, before: &RememberedLoop<'m>, parts: LoopParts<'m>) -> bool {
        std::ptr::eq(before.body, parts.body) && before.open == self.open
    }

    /// The variables that are expected to go around again, if what depends on their values before the loop stays.
    fn expected(&mut self, moving: Vec<(Moving, Option<Value<'m>>)>, entry: &State<'m>) -> Option<Vec<Moving>> {
        moving
            .into_iter()
            .map(|(moving, before)| {
                let is_fixed = !moving.varies || moving.range.is_some();
                let stays = || Some(self.variable(moving.variable, entry)?.is(&before?));
                (!is_fixed || stays() == Some(true)).then_some(moving)
            })
            .collect()
    }

    /// Returns the variables that go around. `expected` are some of them; `None` if one of these does not, or where the
    /// analysis gives up.
    fn run_around(
        &mut self,
        parts: LoopParts<'m>,
        expected: Vec<Moving>,
        state: &mut State<'m>,
    ) -> Option<Vec<Moving>> {
        let (mark, entry, known) = (self.mark(), std::mem::take(state), self.facts.len());
        let start = self.graph.next();
        let expected_count = expected.len();
        let mut moving = expected;
        // The first test of `for (int i = 0; i < 100; i++)` is known to hold, so that the loop is left at later ones.
        let mut is_entered = false;
        if let (Some(condition), true, true) = (parts.condition, parts.tests_first, expected_count > 0) {
            let condition = self.condition(condition, &mut entry.clone());
            is_entered = self.graph.truth(condition) == Some(true);
        }
        for pass in 0..=MOST_PASSES {
            self.take_back(mark);
            self.facts.truncate(known);
            if let Some(inner) = self.passes.last_mut() {
                let now = std::mem::take(&mut inner.now);
                if !now.is_empty() {
                    inner.before = now.into();
                }
            }
            let mut header = entry.clone();
            header.guards = entry.guards.clone();
            let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
            for Moving { variable, varies, range } in &moving {
                if let Some(value) = self.variable(*variable, &entry) {
                    let opened = self.graph.open_all(&value);
                    let around = self.graph.mapped(&opened, &mut |graph, node| {
                        let around = graph.around(*varies);
                        graph.open.push(around);
                        graph.ranges.extend(range.map(|range| (around, range)));
                        pairs.push((around, node));
                        around
                    });
                    set_variable(*variable, around, &mut header);
                }
            }

            *state = header.clone();
            self.open_loop(false);
            let tested = match parts.condition {
                Some(condition) if parts.tests_first => Some(self.condition(condition, state)),
                _ => None,
            };
            let exit_at_test = state.clone();
            if pass == 0 && expected_count == 0 {
                is_entered = tested.is_some_and(|condition| self.graph.truth(condition) == Some(true));
            }
            let is_never = tested.is_some_and(|condition| self.graph.truth(condition) == Some(false));
            let mut deciding: Vec<NodeId> =
                tested.into_iter().filter(|node| self.graph.literal(*node).is_none()).collect();
            if !is_never {
                match tested.filter(|condition| self.graph.literal(*condition).is_none()) {
                    Some(condition) => self.under(condition, true, |liveness| liveness.round(parts, state)),
                    None => self.round(parts, state),
                }
                if let (Some(condition), false, None) = (parts.condition, parts.tests_first, state.ended) {
                    let condition = self.condition(condition, state);
                    deciding.extend(Some(condition).filter(|node| self.graph.literal(*node).is_none()));
                }
            }
            let frame = self.close_loop();
            if self.failed.is_some() {
                return None;
            }

            let back = state.clone();
            let changed = if back.ended.is_none() { self.changed(&header, &back) } else { Vec::new() };
            let is_counted = tested.is_some_and(|condition| !self.graph.varies(condition));
            let is_new = |variable: &Variable| !moving.iter().any(|known| known.variable == *variable);
            let new: Vec<Variable> = changed.iter().copied().filter(is_new).collect();
            let mut is_stable = new.is_empty();
            for known in &mut moving {
                if !known.varies && self.varies_at_end(known.variable, &back, is_counted) {
                    known.varies = true;
                    is_stable = false;
                }
            }
            for variable in new {
                let varies =
                    self.varies_at_end(variable, &entry, is_counted) || self.varies_at_end(variable, &back, is_counted);
                let range = if varies { None } else { self.range(variable, (&entry, &back), parts, is_counted) };
                moving.push(Moving { variable, varies, range });
            }
            if !is_stable {
                if pass == MOST_PASSES {
                    self.give_up();
                    return None;
                }
                continue;
            }
            let goes_around = |known: &Moving| back.ended.is_some() || changed.contains(&known.variable);
            if !moving[..expected_count].iter().all(goes_around) {
                self.take_back(mark);
                self.facts.truncate(known);
                return None;
            }
            let found = moving;
            let moving: Vec<Variable> = found.iter().map(|known| known.variable).collect();

            // The loop is as it stays.
            for exit in &frame.breaks {
                deciding.extend(&exit.conditions);
            }
            deciding.extend(back.guards.iter().map(|guard| guard.0));
            let returns = self.frames.last().map_or(0, |frame| frame.returns.len());
            if let Some(inner) = self.frames.last() {
                for (exit, _) in &inner.returns[mark.returns.min(returns)..] {
                    deciding.extend(&exit.conditions);
                }
            }
            deciding.sort_unstable();
            deciding.dedup();
            self.close_circle(&moving, &pairs, (&header, &back), &deciding);
            let roots = self.roots[mark.roots..].iter().map(|root| root.0);
            let written = self.writes[mark.writes..].iter().map(|write| write.1);
            for node in roots.chain(written) {
                self.graph.add_operands(node, deciding.iter().copied());
            }

            let mut states: Vec<State<'m>> =
                frame.breaks.into_iter().map(|exit| State { ended: None, ..exit.state }).collect();
            let is_endless = tested.is_some_and(|condition| self.graph.truth(condition) == Some(true));
            let is_left_at_end = if parts.tests_first { is_entered && !is_endless } else { parts.condition.is_some() };
            if parts.tests_first && parts.condition.is_some() && !is_endless && !is_entered {
                states.push(exit_at_test);
            } else if is_left_at_end && back.ended.is_none() {
                states.push(back.clone());
            }
            if states.is_empty() {
                let ended = back.ended.filter(|ended| *ended == Ending::Return);
                *state = State { ended: ended.or(Some(Ending::Return)), ..back };
            } else {
                *state = self.merged_since(start, &deciding, states);
            }
            if is_counted {
                // The compiler may know their last values.
                self.graph.ranges.retain(|node, _| !pairs.iter().any(|(around, _)| around == node));
            }
            state.guards.retain(|guard| guard.1 == Ending::Return || entry.guards.contains(guard));
            if returns > mark.returns {
                state.guards.extend(deciding.iter().map(|condition| (*condition, Ending::Return)));
            }
            return Some(found);
        }
        None
    }

    /// True if a value depends on more than constants. What a loop does to floating-point numbers is only computed if
    /// the number of rounds is known.
    fn varies_at_end(&mut self, variable: Variable, state: &State<'m>, is_counted: bool) -> bool {
        let Some(value) = self.variable(variable, state) else { return true };
        let mut leaves = Vec::new();
        value.leaves(&mut leaves);
        leaves.iter().any(|leaf| {
            let is_float = matches!(self.graph.literal(*leaf), Some(Literal::Float(_)));
            self.graph.varies(*leaf) || (is_float && !is_counted)
        })
    }

    /// The values that a counter takes, from its first two; `None` where it is no integer, or the compiler computes more.
    pub(super) fn range(
        &mut self,
        variable: Variable,
        (entry, back): (&State<'m>, &State<'m>),
        parts: LoopParts<'m>,
        is_counted: bool,
    ) -> Option<(i64, i64)> {
        let (first, second) = (self.variable(variable, entry)?, self.variable(variable, back)?);
        let (Value::Scalar(first), Value::Scalar(second)) = (self.graph.opened(first), self.graph.opened(second))
        else {
            return None;
        };
        let bound = match (parts.condition, variable) {
            (Some(Expression::Binary(BinaryOperator::Less, left, right)), Variable::Local(slot))
                if **left == Expression::Local(slot) =>
            {
                let right = self.evaluate(right, &mut back.clone());
                let right = self.graph.whole(&right);
                self.graph.index(right).map(|bound| bound - 1)
            }
            _ => None,
        };
        match (self.graph.literal(first)?, self.graph.literal(second)?) {
            (Literal::Boolean(first), Literal::Boolean(second)) if first != second => Some((0, 1)),
            (Literal::Integer { value: first, .. }, Literal::Integer { value: second, .. }) => match bound {
                Some(bound) => Some((first, bound)),
                None if is_counted => None,
                None if second > first => Some((first, i64::from(i32::MAX))),
                None => Some((i64::from(i32::MIN), first)),
            },
            (_, _) => None,
        }
    }

    /// Adds to the nodes that go around what they get at the end of a round.
    fn close_circle(
        &mut self,
        moving: &[Variable],
        pairs: &[(NodeId, NodeId)],
        (header, back): (&State<'m>, &State<'m>),
        deciding: &[NodeId],
    ) {
        let initial: HashMap<NodeId, NodeId> = pairs.iter().copied().collect();
        for variable in moving {
            let (Some(around), Some(value)) = (self.variable(*variable, header), self.variable(*variable, back)) else {
                continue;
            };
            let mut heads = Vec::new();
            around.leaves(&mut heads);
            let value = self.graph.open_all(&value);
            let mut ends = Vec::new();
            value.leaves(&mut ends);
            let is_paired = heads.len() == ends.len();
            for (at, head) in heads.iter().enumerate() {
                let Some(start) = initial.get(head) else { continue };
                self.graph.add_operands(*head, [*start]);
                let moved: Vec<NodeId> = if is_paired { vec![ends[at]] } else { ends.clone() };
                if back.ended.is_some() || moved.iter().all(|end| end == head || end == start) {
                    continue;
                }
                self.graph.add_operands(*head, moved);
                self.graph.add_operands(*head, deciding.iter().copied());
            }
        }
    }

    fn changed(&mut self, header: &State<'m>, back: &State<'m>) -> Vec<Variable> {
        let locals = (0..back.locals.len()).map(Variable::Local);
        let statics = (0..back.statics.len()).map(Variable::Static);
        let all: Vec<Variable> = locals.chain([Variable::This]).chain(statics).collect();
        let mut changed = Vec::new();
        for variable in all {
            let is_lazy = matches!(variable, Variable::Static(number) if back.statics[number].is_none());
            if is_lazy {
                continue;
            }
            let (Some(one), Some(other)) = (self.variable(variable, header), self.variable(variable, back)) else {
                continue;
            };
            if one.is(&other) {
                continue;
            }
            let (one, other) = (self.graph.open_all(&one), self.graph.open_all(&other));
            // A variable that the body declares does not go around.
            let is_new = matches!(one, Value::Opaque(node, None) if self.graph.is_undefined(node));
            if !one.is(&other) && !is_new {
                changed.push(variable);
            }
        }
        changed
    }
}
