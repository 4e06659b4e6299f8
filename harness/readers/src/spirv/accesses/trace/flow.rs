//! Which branches decide whether code is reached.
//!
//! A block depends on a branch if one of the ways from it always leads to the block, and another one may not. Loops whose
//! counter goes from one constant to another are known: their code is reached with each value.
//!
//! Source: Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in Optimization", section 3.1.

use std::collections::BTreeSet;

use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use super::{CellKey, Trace, Value};
use crate::spirv::accesses::code::{Function, Instruction};
use crate::spirv::accesses::value::{Reach, Sum, SymbolId, SymbolKey};
use crate::spirv::types::SpirvType;

/// Functions with more dependences of blocks on branches are not looked at.
const MOST_DEPENDENCES: usize = 1 << 18;

/// A branch that decides, and which of the blocks after it.
pub(super) type Decision = (usize, usize);

/// A block of a function.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) label: Word,
    /// Its instructions in the function's body, without its label.
    pub(super) body: std::ops::Range<usize>,
    pub(super) successors: Vec<usize>,
    /// The number that decides between the successors.
    pub(super) condition: Option<Word>,
    /// The branches that the block depends on, as indices of blocks.
    pub(super) depends: Vec<Decision>,
}

/// The blocks of a function.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    /// False if the function is too large to look at.
    pub(super) is_known: bool,
}

impl Flow {
    pub(super) fn of(trace: &Trace<'_>, function: &Function<'_>) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        for (index, instruction) in function.body.iter().enumerate() {
            if instruction.op == Op::Label {
                blocks.push(Block {
                    label: instruction.result.unwrap_or(0),
                    body: index + 1..index + 1,
                    successors: Vec::new(),
                    condition: None,
                    depends: Vec::new(),
                });
            } else if let Some(block) = blocks.last_mut() {
                block.body.end = index + 1;
            }
        }
        let by_label: FxHashMap<Word, usize> =
            blocks.iter().enumerate().map(|(index, block)| (block.label, index)).collect();
        for block in &mut blocks {
            let Some(end) = function.body[block.body.clone()].last() else { continue };
            let (condition, labels) = trace.ways(end);
            for label in labels {
                if let Some(target) = by_label.get(&label).filter(|target| !block.successors.contains(*target)) {
                    block.successors.push(*target);
                }
            }
            block.condition = condition.filter(|_| block.successors.len() > 1);
        }
        let mut flow = Self { blocks, is_known: true };
        flow.add_dependences();
        flow
    }

    fn add_dependences(&mut self) {
        let exit = self.blocks.len();
        let next = post_dominators(&self.blocks);
        let mut count = 0;
        for from in 0..exit {
            if self.blocks[from].condition.is_none() {
                continue;
            }
            for way in 0..self.blocks[from].successors.len() {
                let mut runner = self.blocks[from].successors[way];
                while runner != next[from] && runner != exit {
                    count += 1;
                    if count > MOST_DEPENDENCES {
                        self.is_known = false;
                        return;
                    }
                    self.blocks[runner].depends.push((from, way));
                    runner = next[runner];
                }
            }
        }
    }

    pub(super) fn index_of(&self, label: Word) -> Option<usize> {
        self.blocks.iter().position(|block| block.label == label)
    }
}

/// The next block that each block always leads to; the number of blocks stands for the end of the function.
///
/// Source: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
fn post_dominators(blocks: &[Block]) -> Vec<usize> {
    let exit = blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (index, block) in blocks.iter().enumerate() {
        for target in &block.successors {
            before[*target].push(index);
        }
        if block.successors.is_empty() {
            before[exit].push(index);
        }
    }
    let mut order = Vec::new();
    let mut number = vec![usize::MAX; exit + 1];
    let mut is_seen = vec![false; exit + 1];
    // Code that never ends counts as leading to the end, from its last block on.
    let mut stack = vec![(exit, 0)];
    is_seen[exit] = true;
    let mut endless = (0..exit).rev();
    while let Some((block, child)) = stack.pop() {
        if let Some(previous) = before[block].get(child).copied() {
            stack.push((block, child + 1));
            if !std::mem::replace(&mut is_seen[previous], true) {
                stack.push((previous, 0));
            }
        } else if block == exit
            && let Some(start) = endless.find(|start| !is_seen[*start])
        {
            before[exit].push(start);
            stack.push((exit, child));
        } else {
            number[block] = order.len();
            order.push(block);
        }
    }
    let mut next = vec![usize::MAX; exit + 1];
    next[exit] = exit;
    let mut is_end: Vec<bool> = blocks.iter().map(|block| block.successors.is_empty()).collect();
    for start in &before[exit] {
        is_end[*start] = true;
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for block in order.iter().rev().copied().filter(|block| *block != exit) {
            let ends = is_end[block].then_some(exit);
            let known =
                blocks[block].successors.iter().copied().chain(ends).filter(|target| next[*target] != usize::MAX);
            let common = known.reduce(|mut one, mut other| {
                while one != other {
                    while number[one] < number[other] {
                        one = next[one];
                    }
                    while number[other] < number[one] {
                        other = next[other];
                    }
                }
                one
            });
            if let Some(common) = common.filter(|common| next[block] != *common) {
                next[block] = common;
                is_changed = true;
            }
        }
    }
    next
}

/// The code that every invocation reaches, whatever the host passes.
#[derive(Debug, Default)]
pub(in crate::spirv::accesses) struct Reached {
    /// The counters of the loops around each instruction, by the word at which that starts.
    counters: FxHashMap<usize, BTreeSet<SymbolId>>,
}

impl Reached {
    /// The counters that take all their values there; `None` if something decides whether code gets there.
    pub(in crate::spirv::accesses) fn counters_at(&self, start: usize) -> Option<&BTreeSet<SymbolId>> {
        self.counters.get(&start)
    }
}

impl<'a> Trace<'a> {
    /// The number that decides what comes after a block with this end, and the labels there.
    fn ways(&self, end: &Instruction<'_>) -> (Option<Word>, Vec<Word>) {
        match (end.op, end.operands) {
            (Op::Branch, [target, ..]) => (None, vec![*target]),
            (Op::BranchConditional, [condition, yes, no, ..]) => match self.known_number(*condition) {
                Some(sum) if sum.as_constant() == Some(0) => (None, vec![*no]),
                Some(sum) if sum.as_constant() == Some(1) => (None, vec![*yes]),
                _ => (Some(*condition), vec![*yes, *no]),
            },
            (Op::Switch, [selector, default, cases @ ..]) => {
                let ty = self.type_of(*selector).map(|ty| self.types().get(ty));
                let words = if let Some(SpirvType::Int { bits: 64, .. }) = ty { 2 } else { 1 };
                let labels = cases.chunks_exact(words + 1).map(|case| case[words]);
                (Some(*selector), std::iter::once(*default).chain(labels).collect())
            }
            _ => (None, Vec::new()),
        }
    }

    /// A number that the last pass found.
    fn known_number(&self, id: Word) -> Option<Sum> {
        let constant = || self.constant(id);
        match self.values.get(&id).cloned().unwrap_or_else(constant) {
            Value::Number(sum) => Some(sum),
            _ => None,
        }
    }

    /// Finds the loops whose counters go from one constant to another, and the code that nothing else decides about.
    pub(super) fn find_reached(&mut self) {
        let functions: Vec<&'a Function<'a>> = self.reached.iter().map(|(function, _)| *function).collect();
        let ends_invocation = |instruction: &Instruction<'_>| {
            matches!(
                instruction.op,
                Op::Kill | Op::TerminateInvocation | Op::IgnoreIntersectionKHR | Op::TerminateRayKHR
            )
        };
        // What ends an invocation in a function that is called decides about the code after the call.
        if functions.iter().flat_map(|function| &function.body).any(ends_invocation) {
            return;
        }
        let entries: BTreeSet<Word> = self.code.entries.iter().map(|entry| entry.function).collect();
        let mut called: FxHashMap<Word, BTreeSet<SymbolId>> =
            entries.into_iter().map(|entry| (entry, BTreeSet::new())).collect();
        let mut reached = Reached::default();
        // Callers come first.
        for function in functions {
            let flow = Flow::of(self, function);
            let Some(outer) = called.get(&function.id).cloned().filter(|_| flow.is_known) else { continue };
            let counters: Vec<Option<(usize, SymbolId)>> = (0..flow.blocks.len())
                .map(|block| {
                    let block = &flow.blocks[block];
                    let end = function.body[block.body.clone()].last()?;
                    let (counter, passes, is_no) = self.counted(block.condition?)?;
                    let label = end.operand(if is_no { 2 } else { 1 })?;
                    let stays = block.successors.iter().position(|target| flow.blocks[*target].label == label)?;
                    self.symbols.get_mut(counter).reach = Some(Reach { most: passes - 1, has_zero: true });
                    Some((stays, counter))
                })
                .collect();
            let mut all: Vec<Option<BTreeSet<SymbolId>>> = Vec::new();
            for index in 0..flow.blocks.len() {
                // The branches that this block depends on, and those that they depend on.
                let mut found = Some(outer.clone());
                let mut pending = vec![index];
                let mut seen = BTreeSet::from([index]);
                while let Some(block) = pending.pop() {
                    for (branch, way) in &flow.blocks[block].depends {
                        match counters[*branch].filter(|(stays, _)| stays == way) {
                            Some((_, counter)) => drop(found.as_mut().map(|found| found.insert(counter))),
                            None => found = None,
                        }
                        if seen.insert(*branch) {
                            pending.push(*branch);
                        }
                    }
                    if found.is_none() || seen.len() > 64 {
                        found = None;
                        break;
                    }
                }
                all.push(found);
            }
            for (block, counters) in flow.blocks.iter().zip(all) {
                let Some(counters) = counters else { continue };
                for instruction in &function.body[block.body.clone()] {
                    if let (Op::FunctionCall, Some(of)) = (instruction.op, instruction.operand(0)) {
                        called.entry(of).or_insert_with(|| counters.clone());
                    }
                    reached.counters.insert(instruction.start, counters.clone());
                }
            }
        }
        self.certain = reached;
    }

    /// The counter of a loop that goes on while a condition holds, how often it does, and whether it goes on while the
    /// condition does not hold.
    fn counted(&self, mut condition: Word) -> Option<(SymbolId, i64, bool)> {
        let mut is_no = false;
        let (mut op, mut operands) = *self.operations.get(&condition)?;
        while op == Op::LogicalNot {
            condition = *operands.first()?;
            (op, operands) = *self.operations.get(&condition)?;
            // Circles of code that is invalid end here.
            if is_no {
                return None;
            }
            is_no = true;
        }
        let [first, second] = operands else { return None };
        let (first, second) = (self.known_number(*first)?, self.known_number(*second)?);
        // `counter op limit`.
        let (counter, limit, op) = match (first.as_constant(), second.as_constant()) {
            (None, Some(limit)) => (first, limit, op),
            (Some(limit), None) => (second, limit, mirrored(op)?),
            _ => return None,
        };
        // The loop goes on below the limit, or up to it.
        let (limit, is_no) = match (op, is_no) {
            (Op::SLessThan | Op::ULessThan | Op::INotEqual, is_no) => (limit, is_no),
            (Op::SLessThanEqual | Op::ULessThanEqual, is_no) => (limit.checked_add(1)?, is_no),
            (Op::SGreaterThanEqual | Op::UGreaterThanEqual | Op::IEqual, is_no) => (limit, !is_no),
            (Op::SGreaterThan | Op::UGreaterThan, is_no) => (limit.checked_add(1)?, !is_no),
            _ => return None,
        };
        let [(symbol, step)] = counter.terms[..] else { return None };
        let SymbolKey::Steps(cell) = self.symbols.key(symbol) else { return None };
        let distance = limit.checked_sub(counter.base)?;
        let is_exact = !matches!(op, Op::INotEqual | Op::IEqual) || distance % step == 0;
        let is_counter =
            step > 0 && distance > 0 && counter.base >= 0 && is_exact && self.is_counter(cell, symbol, step);
        is_counter.then(|| (symbol, (distance - 1) / step + 1, is_no))
    }

    /// True for a cell that holds a constant at first, to which code adds this step and nothing else.
    fn is_counter(&self, cell: &CellKey, symbol: SymbolId, step: i64) -> bool {
        let stores_once = match cell {
            CellKey::Joined(id) => matches!(self.operations.get(id), Some((Op::Phi, _))),
            CellKey::Local(variable, path) if path.is_empty() => {
                let has_initializer =
                    matches!(self.operations.get(variable), Some((Op::Variable, operands)) if operands.len() > 1);
                let stores = self.stores_in_code.get(variable).copied();
                stores.is_some_and(|stores| stores + usize::from(has_initializer) == 2)
            }
            _ => false,
        };
        let Some([one, other]) = self.stores.get(cell).map(Vec::as_slice) else { return false };
        let (Value::Number(one), Value::Number(other)) = (one, other) else { return false };
        let (start, next) = if one.terms.is_empty() { (one, other) } else { (other, one) };
        let own = Sum::symbol(symbol).times(step);
        let is_next = own.and_then(|own| own.plus(start)?.plus(&Sum::constant(step))).as_ref() == Some(next);
        stores_once && start.terms.is_empty() && is_next
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::SLessThan => Op::SGreaterThan,
        Op::ULessThan => Op::UGreaterThan,
        Op::SLessThanEqual => Op::SGreaterThanEqual,
        Op::ULessThanEqual => Op::UGreaterThanEqual,
        Op::SGreaterThan => Op::SLessThan,
        Op::UGreaterThan => Op::ULessThan,
        Op::SGreaterThanEqual => Op::SLessThanEqual,
        Op::UGreaterThanEqual => Op::ULessThanEqual,
        Op::INotEqual | Op::IEqual => op,
        _ => return None,
    })
}
