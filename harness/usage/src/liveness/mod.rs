//! Finds the parameters that an entry point needs: those on which something depends that a shader gives back.
//!
//! DXC drops what nothing depends on before it gives registers (at `-Od`, too), so that a value which is read and never
//! used moves all registers after it. The walk of [`super::reach`] lists what the code mentions; this one runs the code
//! with a graph node for each value ([`graph`]), calls inside calls as DXC's inliner has them, and marks backwards from
//! stores, outputs, `discard` and what else has an effect.
//!
//! Sources: LLVM's passes as DXC 1.7.2308 runs them, measured: dead loops are dropped, whatever their condition is; loads
//! of UAVs are dropped, wave intrinsics and barriers are not; stores to a `groupshared` variable are dropped if no code
//! reads it (not even in vain) and none stores a single element or component: arrays are always kept.

mod expressions;
mod graph;
mod integer;
mod intrinsics;
mod memory;
mod samples;
mod value;

use std::collections::{BTreeMap, HashMap};

use graph::{Graph, MOST_NODES, NodeId};
use memory::{Memory, MemoryRoot};
use value::{Joining, Value, all_leaves};

use super::UnfollowedCode;
use super::location::{Location, globals};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::module::code::{
    BinaryOperator, Code, Expression, Literal, Statement, StaticVariable, SwitchCase, Unrolling,
};
use layoutproof_layout::shape::Type;

/// Expressions and statements that are run before the analysis gives up.
const MOST_STEPS: usize = 1 << 20;

/// Steps of a loop that is run round by round.
const MOST_STEPS_OF_ROUNDS: usize = 1 << 14;

/// Rounds of a loop that is run round by round. DXC unrolls 60 rounds of a small body, no 16 of a larger one.
const MOST_ROUNDS: usize = 128;

/// Rounds of a loop with `[unroll]`.
const MOST_UNROLLED: usize = 256;

/// Calls, statements and expressions inside each other before the analysis gives up, which keeps the stack small.
const DEEPEST: usize = 256;

/// Times that a loop is run to find the variables that go around.
const MOST_PASSES: usize = 12;

/// The origin of a value that an entry point needs.
#[derive(Debug, Default)]
pub(super) struct NeededPlaces<'m> {
    /// All that may be needed.
    pub(super) all: Vec<Location<'m>>,
    /// The uses that are certainly needed.
    pub(super) certain: Vec<Location<'m>>,
    /// The function with code that the analysis does not follow; ignore the other fields then.
    pub(super) unfollowed: Option<UnfollowedCode>,
}

/// How far code that stops here is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Continue,
    Break,
    Return,
}

/// The values of all variables at one place of the code.
#[derive(Clone, Debug, Default)]
struct State<'m> {
    locals: Vec<Value<'m>>,
    this: Option<Value<'m>>,
    /// `static` variables, by number; `None` before the first use.
    statics: Vec<Option<Value<'m>>>,
    /// Conditions under which the code does not come here, and how far they leave.
    guards: Vec<(NodeId, Ending)>,
    ended: Option<Ending>,
}

/// A place at which code is left.
#[derive(Debug)]
struct Exit<'m> {
    state: State<'m>,
    conditions: Vec<NodeId>,
}

#[derive(Debug, Default)]
struct LoopFrame<'m> {
    base: usize,
    is_switch: bool,
    breaks: Vec<Exit<'m>>,
    continues: Vec<Exit<'m>>,
}

/// A call that is being run.
#[derive(Debug, Default)]
struct Frame<'m> {
    base: usize,
    returns: Vec<(Exit<'m>, Option<Value<'m>>)>,
    loops: Vec<LoopFrame<'m>>,
    /// Types of local variables, by slot.
    types: HashMap<usize, Type>,
}

/// The additions of an attempt to run a loop, to take them back.
#[derive(Clone, Copy, Debug)]
struct Mark {
    roots: usize,
    writes: usize,
    touched: usize,
    returns: usize,
}

/// A variable of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Local(usize),
    This,
    Static(usize),
}

/// The analysis of one entry point.
struct Liveness<'m> {
    module: &'m Module,
    globals: BTreeMap<String, Location<'m>>,
    functions: HashMap<&'m str, Vec<usize>>,
    variables: HashMap<&'m str, usize>,
    graph: Graph,
    places: Vec<Location<'m>>,
    /// Nodes with an effect, and if the compiler may find out that they are never run.
    roots: Vec<(NodeId, bool)>,
    /// Parts of `groupshared` variables: the whole, the name of the part.
    shared: Vec<(Option<u32>, String)>,
    /// Nodes of the values that are written there, and if it is doubtful that they are.
    writes: Vec<(u32, NodeId, bool)>,
    /// Parts that are read, or of which an element is written: then the compiler keeps the writes.
    touched: Vec<u32>,
    /// True while the expression is evaluated of which a member or an element is taken.
    is_base: bool,
    /// Variables with an index that is not constant, and those that hold more than constants.
    dynamic: Vec<Memory>,
    varying: Vec<Memory>,
    /// Variables that may be kept in memory, with the node of all that is stored there.
    memories: Vec<(Memory, NodeId)>,
    path: Vec<NodeId>,
    facts: Vec<(NodeId, bool)>,
    /// Those of them that hold up to the end of a block, after a `break` or `continue` in it.
    block_facts: Vec<(NodeId, bool)>,
    /// Depth of code of which it is not certain whether it runs.
    doubtful: usize,
    open: Vec<usize>,
    frames: Vec<Frame<'m>>,
    steps: usize,
    depth: usize,
    failed: Option<UnfollowedCode>,
}

/// The resources that the entry points need.
pub(super) fn needed<'m>(module: &'m Module, entries: &[&'m str]) -> NeededPlaces<'m> {
    let first = Liveness::run_entries(module, entries, Vec::new());
    let memories = first.dynamic_memories();
    if memories.is_empty() || first.failed.is_some() {
        return first.finish();
    }
    Liveness::run_entries(module, entries, memories).finish()
}

impl<'m> Liveness<'m> {
    /// Runs the code of the entry points.
    fn run_entries(module: &'m Module, entries: &[&'m str], memories: Vec<Memory>) -> Self {
        let mut functions: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, function) in module.functions.iter().enumerate() {
            functions.entry(&function.name).or_default().push(index);
        }
        let variables = module.variables.iter().enumerate();
        let mut liveness = Self {
            module,
            globals: globals(module),
            functions,
            variables: variables.map(|(index, variable)| (variable.name.as_str(), index)).collect(),
            graph: Graph::default(),
            places: Vec::new(),
            roots: Vec::new(),
            shared: Vec::new(),
            writes: Vec::new(),
            touched: Vec::new(),
            is_base: false,
            dynamic: Vec::new(),
            varying: Vec::new(),
            memories: Vec::new(),
            path: Vec::new(),
            facts: Vec::new(),
            block_facts: Vec::new(),
            doubtful: 0,
            open: Vec::new(),
            frames: Vec::new(),
            steps: 0,
            depth: 0,
            failed: None,
        };
        liveness.graph.branch_start = NodeId::MAX;
        for memory in memories {
            let node = liveness.graph.around(true);
            liveness.memories.push((memory, node));
        }
        for name in entries {
            for index in liveness.functions.get(name).cloned().unwrap_or_default() {
                liveness.entry(index);
            }
        }
        liveness
    }

    fn entry(&mut self, function: usize) {
        self.open.push(function);
        let Some(code) = &self.module.functions[function].code else { return self.give_up() };
        let mut state = State { statics: vec![None; self.module.variables.len()], ..State::default() };
        let inputs = code.parameters.iter().map(|parameter| {
            let node = if parameter.is_in { self.graph.fresh(Vec::new()) } else { self.graph.undefined() };
            Value::Opaque(node, parameter.ty.clone())
        });
        let inputs = inputs.collect();
        let planes: Vec<Value<'m>> = code.clip_planes.iter().map(|plane| self.evaluate(plane, &mut state)).collect();
        let planes = self.dependencies(&planes);
        let (result, outputs) = self.run(code, inputs, &mut state);
        self.open.pop();
        let outputs = outputs.iter().zip(&code.parameters).filter(|(_, parameter)| parameter.is_out);
        let outputs: Vec<Value<'m>> = outputs.map(|(output, _)| output.clone()).chain([result]).collect();
        let mut leaves = all_leaves(&outputs);
        leaves.extend(planes);
        self.effect(leaves, &State::default());
    }

    /// The live nodes, found from the end.
    fn finish(mut self) -> NeededPlaces<'m> {
        if self.failed.is_some() {
            return NeededPlaces { unfollowed: self.failed, ..NeededPlaces::default() };
        }
        for (written, node, is_doubtful) in std::mem::take(&mut self.writes) {
            let is_kept =
                self.touched.iter().any(|part| self.is_part_of(*part, written) || self.is_part_of(written, *part));
            if is_kept {
                self.roots.push((node, is_doubtful));
            }
        }

        let all: Vec<NodeId> = self.roots.iter().map(|(root, _)| *root).collect();
        let certain: Vec<NodeId> =
            self.roots.iter().filter(|(_, is_doubtful)| !is_doubtful).map(|root| root.0).collect();
        let (all, certain) = (self.live_places(&all, true), self.live_places(&certain, false));
        NeededPlaces { all, certain, unfollowed: None }
    }

    fn live_places(&self, roots: &[NodeId], is_doubtful_too: bool) -> Vec<Location<'m>> {
        let live = self.graph.live(roots, is_doubtful_too);
        let mut numbers: Vec<u32> = Vec::new();
        for (node, _) in self.graph.nodes.iter().zip(&live).filter(|(_, is_live)| **is_live) {
            if let graph::Operation::Access(place) = node.operation {
                numbers.push(place);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| self.places[number as usize].clone()).collect()
    }

    fn is_part_of(&self, part: u32, whole: u32) -> bool {
        let mut next = Some(part);
        while let Some(number) = next {
            if number == whole {
                return true;
            }
            next = self.shared[number as usize].0;
        }
        false
    }

    /// Goes one deeper; `None` where the analysis gives up.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth >= DEEPEST || self.graph.nodes.len() > MOST_NODES {
            self.give_up();
        }
        if self.failed.is_some() {
            return None;
        }
        self.depth += 1;
        let found = run(self);
        self.depth -= 1;
        Some(found)
    }

    /// Ends the analysis, because of the function that is being run.
    fn give_up(&mut self) {
        if self.failed.is_none() {
            let function = self.open.last().map(|function| &self.module.functions[*function]);
            let (span, function) = function.map(|function| (function.span, function.name.clone())).unwrap_or_default();
            self.failed = Some(UnfollowedCode { span, function });
        }
    }

    /// Records an effect of the code at `state`.
    fn effect(&mut self, mut operands: Vec<NodeId>, state: &State<'m>) {
        operands.extend(&self.path);
        operands.extend(state.guards.iter().map(|guard| guard.0));
        let node = self.graph.fresh(operands);
        self.roots.push((node, self.doubtful > 0));
    }

    /// Runs a body. Returns its result, and the values of its parameters at the end.
    fn run(&mut self, code: &'m Code, arguments: Vec<Value<'m>>, state: &mut State<'m>) -> (Value<'m>, Vec<Value<'m>>) {
        let mut inner = State {
            locals: arguments,
            this: state.this.take(),
            statics: std::mem::take(&mut state.statics),
            guards: Vec::new(),
            ended: None,
        };
        while inner.locals.len() < code.slots {
            inner.locals.push(self.graph.undefined_value(None));
        }

        let function = self.open.last().copied().unwrap_or_default();
        let parameter = |slot| Memory { variable: MemoryRoot::Local { function, slot }, members: Vec::new() };
        let object = Memory { variable: MemoryRoot::This { function }, members: Vec::new() };
        for (slot, argument) in inner.locals.clone().iter().enumerate().take(code.parameters.len()) {
            self.remember(&parameter(slot), argument, state);
        }
        if let Some(this) = &inner.this {
            self.remember(&object, this, state);
        }

        let outer = self.path.len();
        self.path.extend(state.guards.iter().map(|guard| guard.0));
        let types = code.parameters.iter().enumerate();
        let types = types.filter_map(|(slot, parameter)| Some((slot, parameter.ty.clone()?))).collect();
        self.frames.push(Frame { base: self.path.len(), types, ..Frame::default() });
        let known = self.facts.len();
        self.block(&code.body, &mut inner);
        self.facts.truncate(known);
        let frame = self.frames.pop().unwrap_or_default();
        self.path.truncate(outer);

        let (mut exits, mut results) = (Vec::new(), Vec::new());
        for (exit, result) in frame.returns {
            exits.push(exit);
            results.extend(result);
        }
        if inner.ended.is_none() {
            let conditions = inner.guards.iter().map(|guard| guard.0).collect();
            exits.push(Exit { state: inner, conditions });
        }
        let conditions = conditions(&exits);
        let result = self.graph.joined(Joining::Choice, &conditions, &results);
        let result = match &code.result {
            Some(ty) if !results.is_empty() => self.graph.cast(ty, result),
            _ => result,
        };
        let states = exits.into_iter().map(|exit| exit.state).collect();
        let mut merged = self.merged(&conditions, states);
        state.this = merged.this.take().map(|this| self.perhaps_in_memory(&object, this));
        state.statics = merged.statics;
        merged.locals.truncate(code.parameters.len());
        let outputs = merged.locals.into_iter().enumerate();
        let outputs = outputs.map(|(slot, output)| self.perhaps_in_memory(&parameter(slot), output)).collect();
        (result, outputs)
    }

    fn block(&mut self, statements: &'m [Statement], state: &mut State<'m>) {
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
                match self.truth(condition) {
                    Some(true) => self.block(then, state),
                    Some(false) => self.block(otherwise, state),
                    None => self.branch(condition, then, otherwise, state),
                }
            }
            Statement::Loop { before, condition, step, body, tests_first, unrolling } => {
                self.block(before, state);
                let parts = LoopParts { condition: condition.as_ref(), step, body, tests_first: *tests_first };
                let known = self.facts.len();
                match unrolling {
                    Unrolling::Compiler => {
                        self.perhaps_unrolled(parts, state);
                        // In a loop, a value is another one in each round.
                        self.facts.truncate(known);
                    }
                    Unrolling::All => {
                        if !self.rounds(parts, (MOST_UNROLLED, None), state) {
                            self.facts.truncate(known);
                            self.around(parts, state);
                            self.facts.truncate(known);
                        }
                    }
                    Unrolling::Rounds(most) => {
                        if !self.rounds(parts, (MOST_UNROLLED, Some(*most as usize)), state) {
                            self.give_up();
                        }
                    }
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
    fn condition(&mut self, condition: &'m Expression, state: &mut State<'m>) -> NodeId {
        let value = self.evaluate(condition, state);
        let value =
            self.graph.cast(&layoutproof_layout::shape::Type::Scalar(layoutproof_layout::scalar::Scalar::Bool), value);
        self.graph.whole(&value)
    }

    /// The known result of a condition here.
    fn truth(&self, condition: NodeId) -> Option<bool> {
        use layoutproof_frontend::module::code::PrefixOperator;
        if let Some(truth) = self.graph.truth(condition) {
            return Some(truth);
        }
        for (fact, holds) in self.facts.iter().rev() {
            if *fact == condition {
                return Some(*holds);
            }
            let is_opposite = |one: NodeId, other: NodeId| {
                let node = &self.graph.nodes[one as usize];
                node.operation == graph::Operation::Prefix(PrefixOperator::Not) && node.operands == [other]
            };
            if is_opposite(*fact, condition) || is_opposite(condition, *fact) {
                return Some(!holds);
            }
        }
        None
    }

    /// True if comparisons of the same value that hold here decide this one.
    fn is_implied(&self, condition: NodeId) -> bool {
        use layoutproof_frontend::module::code::BinaryOperator as B;
        let Some((value, operator, bound)) = self.graph.comparison(condition) else { return false };
        let mut range = (i64::MIN, i64::MAX);
        for (fact, holds) in &self.facts {
            for fact in self.graph.conjuncts(if *holds { B::And } else { B::Or }, &[*fact]) {
                if let Some((_, known, number)) = self.graph.comparison(fact).filter(|found| found.0 == value) {
                    graph::narrow(&mut range, known, *holds, number);
                }
            }
        }
        Graph::compared(operator, range, bound).is_some()
    }

    /// Runs `run` where `condition` is `holds`.
    fn under<T>(&mut self, condition: NodeId, holds: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        let is_doubtful = self.graph.may_be_computed(condition);
        self.path.push(condition);
        let equal = self.graph.equal.len();
        self.note_equal(condition, holds);
        let known = self.facts.len();
        self.facts.push((condition, holds));
        self.doubtful += usize::from(is_doubtful);
        let found = run(self);
        self.doubtful -= usize::from(is_doubtful);
        self.facts.truncate(known);
        self.graph.equal.truncate(equal);
        self.path.pop();
        found
    }

    /// Notes the values that are constants where `condition` is `holds`.
    fn note_equal(&mut self, condition: NodeId, holds: bool) {
        use BinaryOperator as B;
        self.graph.equal.push((condition, Literal::Boolean(holds)));
        for fact in self.graph.conjuncts(if holds { B::And } else { B::Or }, &[condition]) {
            let Some((value, known, number)) = self.graph.comparison(fact) else { continue };
            if known == if holds { B::Equal } else { B::NotEqual } {
                let literal = match self.graph.integer(value).and_then(|integer| integer.unsigned) {
                    Some(unsigned) => Literal::Integer { value: number, unsigned },
                    #[expect(clippy::cast_precision_loss, reason = "as in HLSL")]
                    None => Literal::Float(number as f64),
                };
                self.graph.equal.push((value, literal));
            }
        }
    }

    fn branch(&mut self, condition: NodeId, then: &'m [Statement], otherwise: &'m [Statement], state: &mut State<'m>) {
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

    /// True if the compiler may find out what a condition is from the conditions around it.
    pub(super) fn may_be_known(&self, condition: NodeId) -> bool {
        self.graph.varies(condition) && !self.graph.goes_either_way(condition, &self.facts)
    }

    /// One state for several, of code that has made the nodes from `start` on.
    fn merged_since(&mut self, start: NodeId, conditions: &[NodeId], states: Vec<State<'m>>) -> State<'m> {
        let before = std::mem::replace(&mut self.graph.branch_start, start);
        let merged = self.merged(conditions, states);
        self.graph.branch_start = before;
        merged
    }

    /// One state for several, of which those that have ended count only by their conditions.
    fn merged(&mut self, conditions: &[NodeId], mut states: Vec<State<'m>>) -> State<'m> {
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
    fn static_value(&mut self, number: usize, state: &State<'m>) -> Value<'m> {
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
                    layoutproof_layout::shape::Type::Resource(_) => self.graph.undefined_value(Some(ty)),
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

    fn open_loop(&mut self, is_switch: bool) {
        let base = self.path.len();
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(LoopFrame { base, is_switch, ..LoopFrame::default() });
        }
    }

    fn close_loop(&mut self) -> LoopFrame<'m> {
        self.frames.last_mut().and_then(|frame| frame.loops.pop()).unwrap_or_default()
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

    /// Runs a loop that the compiler may unroll: what is needed if it does is certain, the rest is not.
    ///
    /// DXC 1.7.2308 unrolls 16 rounds of `a += 1`, not 4 rounds with two `Load`, a `sin` and a `cos`; where it does not, it
    /// still computes integers that depend on constants alone, even with `[loop]`.
    fn perhaps_unrolled(&mut self, parts: LoopParts<'m>, state: &mut State<'m>) {
        let (mut unrolled, known) = (state.clone(), self.facts.len());
        if !self.rounds(parts, (MOST_ROUNDS, None), &mut unrolled) {
            self.facts.truncate(known);
            return self.around(parts, state);
        }
        self.facts.truncate(known);
        let returns = self.frames.last().map_or(0, |frame| frame.returns.len());
        self.doubtful += 1;
        self.around(parts, state);
        self.doubtful -= 1;
        if self.failed.is_some() {
            return;
        }

        let found = self.frames.last_mut().map(|frame| frame.returns.split_off(returns)).unwrap_or_default();
        for (exit, result) in found {
            let conditions = exit.conditions.iter().map(|condition| self.graph.doubtful(*condition)).collect();
            let result = result.map(|result| self.graph.mapped(&result, &mut |graph, node| graph.doubtful(node)));
            let state = self.both(&exit.state, &exit.state.clone());
            if let Some(frame) = self.frames.last_mut() {
                frame.returns.push((Exit { state, conditions }, result));
            }
        }
        if state.ended.is_some() != unrolled.ended.is_some() {
            return self.give_up();
        }
        let around = std::mem::take(state);
        *state = self.both(&unrolled, &around);
    }

    /// The state after a loop that is unrolled or not.
    fn both(&mut self, unrolled: &State<'m>, around: &State<'m>) -> State<'m> {
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
    fn rounds(&mut self, parts: LoopParts<'m>, (most, last): (usize, Option<usize>), state: &mut State<'m>) -> bool {
        let (mark, saved, start) = (self.mark(), state.clone(), self.steps);
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
                    match self.truth(condition) {
                        Some(true) => {}
                        Some(false) => break true,
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

    /// Runs a loop once, with a node for each value that goes around.
    fn around(&mut self, parts: LoopParts<'m>, state: &mut State<'m>) {
        let open = self.graph.open.len();
        self.run_around(parts, state);
        self.graph.open.truncate(open);
    }

    fn run_around(&mut self, parts: LoopParts<'m>, state: &mut State<'m>) {
        let (mark, entry, known) = (self.mark(), std::mem::take(state), self.facts.len());
        let start = self.graph.next();
        let mut moving: Vec<Moving> = Vec::new();
        // The first test of `for (int i = 0; i < 100; i++)` is known to hold, so that the loop is left at later ones.
        let mut is_entered = false;
        for pass in 0..=MOST_PASSES {
            self.take_back(mark);
            self.facts.truncate(known);
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
            if pass == 0 {
                is_entered = tested.is_some_and(|condition| self.truth(condition) == Some(true));
            }
            let is_never = tested.is_some_and(|condition| self.truth(condition) == Some(false));
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
                return;
            }

            let back = state.clone();
            let changed = if back.ended.is_none() { self.changed(&header, &back) } else { Vec::new() };
            let is_counted = tested.is_some_and(|condition| !self.graph.varies(condition));
            let is_new = |variable: &Variable| !moving.iter().any(|known| known.variable == *variable);
            let new: Vec<Variable> = changed.into_iter().filter(is_new).collect();
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
                    return self.give_up();
                }
                continue;
            }
            let moving: Vec<Variable> = moving.iter().map(|known| known.variable).collect();

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
            return;
        }
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
    fn range(
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

    /// The variables that a round changes.
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

    fn variable(&mut self, variable: Variable, state: &State<'m>) -> Option<Value<'m>> {
        match variable {
            Variable::Local(slot) => state.locals.get(slot).cloned(),
            Variable::This => state.this.clone(),
            Variable::Static(number) => Some(self.static_value(number, state)),
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
        for first in first {
            let mut inner = entry.clone();
            let mut run = |liveness: &mut Self| {
                for case in &cases[first..] {
                    liveness.block(&case.body, &mut inner);
                }
            };
            if is_single {
                run(self);
            } else {
                let fact = self.label_fact(selector, cases, first);
                self.path.push(selector);
                let (known, equal) = (self.facts.len(), self.graph.equal.len());
                self.note_equal(fact, true);
                self.facts.push((fact, true));
                run(self);
                self.facts.truncate(known);
                self.graph.equal.truncate(equal);
                self.path.pop();
            }
            states.push(inner);
        }
        if !is_single && !cases.iter().any(|case| case.labels.contains(&None)) {
            states.push(entry);
        }

        let frame = self.close_loop();
        let mut conditions = conditions(&frame.breaks);
        if !is_single && !conditions.contains(&selector) {
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
    }
}

/// A variable that goes around in a loop.
#[derive(Clone, Copy, Debug)]
struct Moving {
    variable: Variable,
    /// False if it depends on constants alone.
    varies: bool,
    /// Its values, if it is a counter.
    range: Option<(i64, i64)>,
}

#[derive(Clone, Copy, Debug)]
struct LoopParts<'m> {
    condition: Option<&'m Expression>,
    step: &'m [Expression],
    body: &'m [Statement],
    tests_first: bool,
}

fn set_variable<'m>(variable: Variable, value: Value<'m>, state: &mut State<'m>) {
    match variable {
        Variable::Local(slot) => state.locals[slot] = value,
        Variable::This => state.this = Some(value),
        Variable::Static(number) => state.statics[number] = Some(value),
    }
}

fn conditions(exits: &[Exit<'_>]) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = exits.iter().flat_map(|exit| exit.conditions.iter().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
