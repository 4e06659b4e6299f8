//! Finds the parameters that an entry point needs: those on which something depends that a shader gives back.
//!
//! DXC drops what nothing depends on before it gives registers (at `-Od`, too), so that a value which is read and never
//! used moves all registers after it. The walk of [`super::reach`] lists what the code mentions; this one runs the code
//! with a graph node for each value ([`graph`]), calls inside calls as DXC's inliner has them, and marks backwards from
//! stores, outputs, `discard` and what else has an effect. `statements`, `loops` and `expressions` run code on a [`State`];
//! `facts` knows what holds there.
//!
//! Sources: LLVM's passes as DXC 1.7.2308 runs them, measured: dead loops are dropped, whatever their condition is; loads
//! of UAVs are dropped, wave intrinsics and barriers are not; stores to a `groupshared` variable are dropped if no code
//! reads it (not even in vain) and none stores a single element or component: arrays are always kept.

mod accesses;
mod calls;
mod comparisons;
mod expressions;
mod facts;
mod graph;
mod integer;
mod intrinsics;
mod literals;
mod loops;
mod memory;
mod operators;
mod samples;
mod state;
mod statements;
mod stores;
mod value;

use std::collections::{BTreeMap, HashMap};

use graph::{Graph, MOST_NODES, NodeId};
use loops::{LoopPass, RememberedLoop};
use memory::{Memory, MemoryRoot};
use state::{Exit, Frame, State, conditions};
use value::{Joining, Value, all_leaves};

use super::UnfollowedCode;
use super::location::{Location, globals};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::module::code::Code;

/// Expressions and statements that are run before the analysis gives up.
const MOST_STEPS: usize = 1 << 18;

/// Calls, statements and expressions inside each other before the analysis gives up, which keeps the stack small.
const DEEPEST: usize = 256;

/// The origin of a value that an entry point needs.
#[derive(Debug, Default)]
pub(super) struct NeededPlaces<'m> {
    /// All that may be needed.
    pub(super) all: Vec<Location<'m>>,
    pub(super) certain: Vec<Location<'m>>,
    /// The function with code that the analysis does not follow; ignore the other fields then.
    pub(super) unfollowed: Option<UnfollowedCode>,
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
    /// The passes of the loops that are being run, innermost last.
    passes: Vec<LoopPass<'m>>,
    /// The loops that ran in the rounds of a loop that were tried last.
    attempted: Vec<RememberedLoop<'m>>,
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
            passes: Vec::new(),
            attempted: Vec::new(),
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
        let outputs = code.parameters.iter().enumerate().filter(|(_, parameter)| parameter.is_out);
        let (result, outputs) = self.run(code, inputs, outputs.map(|(slot, _)| slot).collect(), &mut state);
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

    /// Records a store to an output of the entry point. DXC 1.7.2308 keeps it, though another follows, if nothing reads the
    /// output or writes some of its components.
    fn output(&mut self, slot: usize, value: &Value<'m>, state: &State<'m>) {
        if self.frames.last().is_some_and(|frame| frame.outputs.contains(&slot)) {
            let operands = self.dependencies(std::slice::from_ref(value));
            self.doubtful += 1;
            self.effect(operands, state);
            self.doubtful -= 1;
        }
    }

    /// Runs a body, of which the parameters `outputs` are outputs of the entry point. Returns its result, and the values of
    /// its parameters at the end.
    fn run(
        &mut self,
        code: &'m Code,
        arguments: Vec<Value<'m>>,
        outputs: Vec<usize>,
        state: &mut State<'m>,
    ) -> (Value<'m>, Vec<Value<'m>>) {
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
        self.frames.push(Frame { base: self.path.len(), types, outputs, ..Frame::default() });
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
}
