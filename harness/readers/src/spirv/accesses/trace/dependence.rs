//! Which numbers of the host decide whether code gets to an access, and where that is.
//!
//! Each result has the sources that it is computed from, and that its code depends on. A variable has those of all stores
//! to it, whatever the order.

use std::collections::BTreeSet;

use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::{Touch, Trace, is_atomic};
use crate::spirv::accesses::code::{Function, Instruction};
use crate::spirv::accesses::own_buffers::OwnBuffer;

/// Where a number comes from that the code does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// What is in this memory.
    Content(u32),
    /// The address in other memory at which this one is.
    Address(u32),
    /// The size of this memory.
    Size(u32),
    Image,
    /// Something that is not followed.
    Unknown,
}

/// Sources as bits: a place in the list each; the last bit is for all that have no place.
type Sources = u64;

const OTHERS: Sources = 1 << 63;

/// Readings of the code until the sources must stay the same.
const MOST_PASSES: usize = 32;

/// The sources of all results and blocks.
#[derive(Debug, Default)]
pub(in crate::spirv::accesses) struct Dependence {
    sources: Vec<Source>,
    results: FxHashMap<Word, Sources>,
    /// Of what is in variables of functions, invocations and workgroups.
    variables: FxHashMap<Word, Sources>,
    /// Of the blocks, by their labels.
    blocks: FxHashMap<Word, Sources>,
    /// Of the calls of a function.
    functions: FxHashMap<Word, Sources>,
    returned: FxHashMap<Word, Sources>,
    /// The variables that a pointer may lead to.
    roots: FxHashMap<Word, BTreeSet<Word>>,
    /// The block of each instruction, by the word at which that starts.
    labels: FxHashMap<usize, Word>,
    is_changed: bool,
}

impl Dependence {
    /// The sources of a module's code, whose addresses are at the holders of these buffers.
    pub(in crate::spirv::accesses) fn of(trace: &Trace<'_>, buffers: &[OwnBuffer]) -> Self {
        let mut touches: FxHashMap<usize, Vec<&Touch>> = FxHashMap::default();
        for touch in &trace.touches {
            touches.entry(touch.start).or_default().push(touch);
        }
        let mut found = Self { sources: vec![Source::Image], ..Self::default() };
        let flows: Vec<(&Function<'_>, Flow)> =
            trace.reached.iter().map(|(function, _)| (*function, Flow::of(trace, function))).collect();
        for _ in 0..MOST_PASSES {
            found.is_changed = false;
            for (function, flow) in &flows {
                found.read_function(trace, function, flow, &touches, buffers);
            }
            if !found.is_changed {
                return found;
            }
        }
        Self { results: FxHashMap::default(), labels: FxHashMap::default(), ..found }
    }

    /// The sources of an access through a pointer.
    pub(in crate::spirv::accesses) fn of_access(&self, start: usize, pointer: Word) -> BTreeSet<Source> {
        let Some(block) = self.labels.get(&start) else { return BTreeSet::from([Source::Unknown]) };
        let bits = self.result(pointer) | self.blocks.get(block).copied().unwrap_or(OTHERS);
        let listed = self.sources.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        let others = (bits & OTHERS != 0).then_some(Source::Unknown);
        listed.map(|(_, source)| *source).chain(others).collect()
    }

    fn bit(&mut self, source: Source) -> Sources {
        let place = self.sources.iter().position(|known| *known == source).unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        });
        if place < 63 { 1 << place } else { OTHERS }
    }

    fn result(&self, id: Word) -> Sources {
        self.results.get(&id).copied().unwrap_or(0)
    }

    fn all<'i>(&self, ids: impl IntoIterator<Item = &'i Word>) -> Sources {
        ids.into_iter().fold(0, |all, id| all | self.result(*id))
    }

    fn read_function(
        &mut self,
        trace: &Trace<'_>,
        function: &Function<'_>,
        flow: &Flow,
        touches: &FxHashMap<usize, Vec<&Touch>>,
        buffers: &[OwnBuffer],
    ) {
        let outer = self.functions.get(&function.id).copied().unwrap_or(0);
        for block in &flow.blocks {
            let decided = block.depends.iter().fold(outer, |all, (branch, _)| {
                let branch = &flow.blocks[*branch];
                let own = self.blocks.get(&branch.label).copied().unwrap_or(0);
                all | own | branch.condition.map_or(0, |condition| self.result(condition))
            });
            let decided = if flow.is_known { decided } else { OTHERS };
            add(&mut self.blocks, block.label, decided, &mut self.is_changed);
            for instruction in &function.body[block.body.clone()] {
                self.labels.insert(instruction.start, block.label);
                self.read(trace, function, flow, instruction, decided, touches, buffers);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all are of the instruction's place")]
    fn read(
        &mut self,
        trace: &Trace<'_>,
        function: &Function<'_>,
        flow: &Flow,
        instruction: &Instruction<'_>,
        decided: Sources,
        touches: &FxHashMap<usize, Vec<&Touch>>,
        buffers: &[OwnBuffer],
    ) {
        let operands = instruction.operands;
        let touched = touches.get(&instruction.start).map_or(&[][..], Vec::as_slice);
        let mut found = match (instruction.op, operands) {
            (Op::Load, [pointer, ..]) => self.result(*pointer) | self.content(trace, *pointer, touched, buffers),
            (Op::Store, [pointer, value, ..]) => {
                self.store(*pointer, self.all([pointer, value]) | decided);
                0
            }
            (Op::CopyMemory | Op::CopyMemorySized, [target, source, ..]) => {
                let content = self.content(trace, *source, touched, buffers);
                self.store(*target, content | self.all([target, source]) | decided);
                0
            }
            (Op::ArrayLength | Op::UntypedArrayLengthKHR, _) => {
                let roots: Vec<Word> = operands.iter().flat_map(|id| self.roots_of(trace, *id)).collect();
                let memory =
                    |root: &Word| trace.memories.iter().position(|it| it.origin == super::Origin::Variable(*root));
                match roots.iter().find_map(memory).and_then(|memory| u32::try_from(memory).ok()) {
                    Some(memory) => self.bit(Source::Size(memory)),
                    None => OTHERS,
                }
            }
            (Op::Phi, _) => operands.chunks_exact(2).fold(0, |all, incoming| {
                let before = self.blocks.get(&incoming[1]).copied().unwrap_or(0);
                let condition = flow.index_of(incoming[1]).and_then(|block| flow.blocks[block].condition);
                all | before | self.result(incoming[0]) | condition.map_or(0, |condition| self.result(condition))
            }),
            (Op::FunctionCall, [called, arguments @ ..]) => {
                add(&mut self.functions, *called, decided, &mut self.is_changed);
                let called_function = trace.code.functions.iter().find(|function| function.id == *called);
                for (argument, parameter) in
                    arguments.iter().zip(called_function.iter().flat_map(|function| &function.parameters))
                {
                    let passed = self.result(*argument);
                    add(&mut self.results, *parameter, passed, &mut self.is_changed);
                    let roots = self.roots_of(trace, *argument);
                    self.add_roots(*parameter, roots);
                }
                self.returned.get(called).copied().unwrap_or(0)
            }
            (Op::ReturnValue, [value, ..]) => {
                let returned = self.result(*value) | decided;
                add(&mut self.returned, function.id, returned, &mut self.is_changed);
                0
            }
            // The rest are numbers.
            (Op::CompositeExtract, [whole, ..]) => self.result(*whole),
            (Op::CompositeInsert | Op::VectorShuffle, [one, other, ..]) => self.all([one, other]),
            (Op::ExtInst, [_, _, arguments @ ..]) => self.all(arguments),
            (op, _) => {
                let mut all = self.all(operands);
                if let (true, Some(pointer)) = (is_atomic(op) || op == Op::AtomicStore, operands.first()) {
                    all |= self.content(trace, *pointer, touched, buffers);
                    self.store(*pointer, all | decided);
                }
                let name = format!("{op:?}");
                if name.starts_with("Image") {
                    all |= self.bit(Source::Image);
                }
                // Which invocations take part decides about the result.
                if name.starts_with("Group") || name.starts_with("Subgroup") {
                    all |= decided;
                }
                all
            }
        };
        let Some(id) = instruction.result else { return };
        if instruction.op == Op::Variable {
            let initial = self.all(operands.get(1..).unwrap_or_default());
            add(&mut self.variables, id, initial, &mut self.is_changed);
            found = 0;
        }
        add(&mut self.results, id, found, &mut self.is_changed);
        if !matches!(instruction.op, Op::Load | Op::FunctionCall | Op::Label) {
            let roots = operands.iter().flat_map(|operand| self.roots_of(trace, *operand)).collect();
            self.add_roots(id, roots);
        }
        if instruction.op == Op::Variable {
            self.add_roots(id, BTreeSet::from([id]));
        }
    }

    /// The sources of what is in memory.
    fn content(&mut self, trace: &Trace<'_>, pointer: Word, touched: &[&Touch], buffers: &[OwnBuffer]) -> Sources {
        if trace.is_covered(pointer) {
            let mut all = if touched.is_empty() { OTHERS } else { 0 };
            for touch in touched {
                let Ok(place) = &touch.target else { return OTHERS };
                let at = place.at.as_ref().ok().and_then(super::Sum::as_constant);
                // More bytes than those of an address have other numbers, too.
                let is_address = trace.layouts.size_at(place) == Some(8);
                let is_holder = |buffer: &&OwnBuffer| {
                    let is_it = |(memory, byte)| memory == place.memory.0 && Some(i64::from(byte)) == at;
                    is_address && buffer.holder.is_some_and(is_it)
                };
                all |= self.bit(match buffers.iter().find(is_holder) {
                    Some(pointee) => Source::Address(pointee.memory),
                    None => Source::Content(place.memory.0),
                });
            }
            return all;
        }
        match trace.class_of(pointer) {
            Some(StorageClass::Function | StorageClass::Private | StorageClass::Workgroup) => {
                let roots = self.roots_of(trace, pointer);
                if roots.is_empty() {
                    return OTHERS;
                }
                roots.iter().fold(0, |all, root| all | self.variables.get(root).copied().unwrap_or(0))
            }
            Some(StorageClass::Input | StorageClass::UniformConstant) => 0,
            _ => OTHERS,
        }
    }

    fn store(&mut self, pointer: Word, stored: Sources) {
        for root in self.roots.get(&pointer).cloned().unwrap_or_else(|| BTreeSet::from([pointer])) {
            add(&mut self.variables, root, stored, &mut self.is_changed);
        }
    }

    fn roots_of(&self, trace: &Trace<'_>, pointer: Word) -> BTreeSet<Word> {
        if trace.types().variables.contains_key(&pointer) {
            return BTreeSet::from([pointer]);
        }
        self.roots.get(&pointer).cloned().unwrap_or_default()
    }

    fn add_roots(&mut self, pointer: Word, roots: BTreeSet<Word>) {
        if roots.is_empty() {
            return;
        }
        let own = self.roots.entry(pointer).or_default();
        let before = own.len();
        own.extend(roots);
        self.is_changed |= own.len() > before;
    }
}

/// Adds sources, and notes whether there are more now.
fn add(to: &mut FxHashMap<Word, Sources>, id: Word, sources: Sources, is_changed: &mut bool) {
    let own = to.entry(id).or_default();
    *is_changed |= *own | sources != *own;
    *own |= sources;
}
