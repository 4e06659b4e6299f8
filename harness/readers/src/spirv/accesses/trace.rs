//! Executes the code of a module over values that are known up to symbols.
//!
//! Memory of a function, parameters, results and phis are cells: what they hold follows from all stores, whatever the
//! order. The code is read until the contents of cells stay the same, and once more for the accesses. A cell that
//! never settles is open.

mod cells;
pub(super) mod dependence;
mod evaluate;
mod flow;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::spirv::{BuiltIn, MemoryAccess, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use self::flow::Reached;
use super::code::{Code, Function, Instruction};
use super::place::{Layouts, Place};
use super::value::{Sum, Symbol, SymbolId, SymbolKey, Symbols};
use super::{AccessKind, SourcePlace, ViewKind, Why};
use crate::spirv::types::{SpirvType, SpirvTypes, SpirvVariable};

/// Readings of the code until the contents of cells must stay the same.
const MOST_PASSES: usize = 16;

/// Operations with longer words are named by their ids.
const MOST_WORDS: usize = 60;

/// Pointers that lead to more places are open.
const MOST_TARGETS: usize = 8;

/// Values with more parts are not taken apart.
const MOST_PARTS: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct MemoryId(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    Variable(Word),
    /// What an address points to.
    Pointee(SymbolId),
}

#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) origin: Origin,
    pub(super) kind: ViewKind,
    /// The type that the module declares for its content; for a pointee that of the pointer in memory.
    pub(super) declared: Option<Word>,
    pub(super) set: Option<u32>,
    pub(super) binding: Option<u32>,
    /// Its name; empty if a view is named after its type.
    pub(super) name: String,
}

/// Something that holds a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum CellKey {
    /// A part of a variable with memory of its own.
    Local(Word, Vec<u32>),
    Parameter(Word),
    /// Of a function.
    Return(Word),
    /// A phi, a selection, or a load through a pointer to several variables.
    Joined(Word),
    Part(Box<CellKey>, u32),
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(Sum),
    Pointer(Rc<[Target]>),
    Composite(Rc<[Value]>),
    /// What is in memory there.
    Content(Rc<Place>),
    Open(Why),
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    Memory(Place),
    /// A variable of a function or of the invocation; `None` if the part is not known.
    Local {
        variable: Word,
        path: Option<Vec<u32>>,
        ty: Word,
    },
    /// An input.
    Builtin {
        builtin: BuiltIn,
        part: Option<u32>,
    },
}

/// An access in the trace.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    /// The word at which its instruction starts.
    pub(super) start: usize,
    pub(super) kind: AccessKind,
    pub(super) target: Result<Place, Why>,
    /// The type of the value; `None` for a region whose size follows from operands.
    pub(super) ty: Option<Word>,
    pub(super) promised: Option<u32>,
    pub(super) place: Option<SourcePlace>,
    pub(super) entries: BTreeSet<u32>,
}

#[derive(Debug)]
pub(super) struct Trace<'a> {
    pub(super) layouts: Layouts<'a>,
    pub(super) code: &'a Code<'a>,
    pub(super) symbols: Symbols,
    pub(super) memories: Vec<Memory>,
    by_origin: FxHashMap<Origin, MemoryId>,
    constants: FxHashMap<Word, Value>,
    values: FxHashMap<Word, Value>,
    /// The types of results.
    result_types: FxHashMap<Word, Word>,
    /// The operations that make results.
    operations: FxHashMap<Word, (Op, &'a [Word])>,
    stores: BTreeMap<CellKey, Vec<Value>>,
    /// Variables with a store at a place that is not known.
    blurred: FxHashSet<Word>,
    solutions: BTreeMap<CellKey, Value>,
    /// How many instructions store to a variable; `None` if others may.
    stores_in_code: FxHashMap<Word, usize>,
    stores_so_far: FxHashMap<Word, usize>,
    /// The functions that entry points reach, callers first, with the entry points.
    pub(super) reached: Vec<(&'a Function<'a>, BTreeSet<u32>)>,
    /// The code that nothing decides about.
    pub(super) certain: Reached,
    is_last: bool,
    pub(super) touches: Vec<Touch>,
}

impl<'a> Trace<'a> {
    pub(super) fn of(types: &'a SpirvTypes, code: &'a Code<'a>) -> Self {
        let mut trace = Self {
            layouts: Layouts::new(types),
            code,
            symbols: Symbols::default(),
            memories: Vec::new(),
            by_origin: FxHashMap::default(),
            constants: FxHashMap::default(),
            values: FxHashMap::default(),
            result_types: FxHashMap::default(),
            operations: operations(code),
            stores: BTreeMap::new(),
            blurred: FxHashSet::default(),
            solutions: BTreeMap::new(),
            stores_in_code: stores_in_code(types, code),
            stores_so_far: FxHashMap::default(),
            reached: reached(code),
            certain: Reached::default(),
            is_last: false,
            touches: Vec::new(),
        };
        for (id, variable) in &types.variables {
            trace.add_variable(*id, variable);
        }
        for composite in &code.composites {
            if let Some(id) = composite.result {
                let value = trace.constant_composite(composite);
                trace.constants.insert(id, value);
            }
        }
        let mut unsettled: Vec<CellKey> = Vec::new();
        for _ in 0..MOST_PASSES {
            trace.pass();
            let solutions = trace.solved();
            let changed = |(key, value): &(&CellKey, &Value)| trace.solutions.get(key) != Some(value);
            unsettled = solutions.iter().filter(changed).map(|(key, _)| key.clone()).collect();
            trace.solutions = solutions;
            if unsettled.is_empty() {
                break;
            }
        }
        for key in unsettled {
            trace.solutions.insert(key, Value::Open(Why::Pointer));
        }
        trace.find_reached();
        trace.is_last = true;
        trace.pass();
        trace
    }

    fn types(&self) -> &'a SpirvTypes {
        self.layouts.types
    }

    fn add_variable(&mut self, id: Word, variable: &SpirvVariable) {
        let types = self.types();
        let block = self.layouts.block(variable.pointee);
        let kind = match variable.class {
            StorageClass::Uniform if types.buffer_blocks.contains(&block) => ViewKind::Storage,
            StorageClass::Uniform => ViewKind::Uniform,
            StorageClass::StorageBuffer => ViewKind::Storage,
            StorageClass::PushConstant => ViewKind::PushConstant,
            StorageClass::ShaderRecordBufferKHR => ViewKind::ShaderRecord,
            StorageClass::Workgroup if types.is_workgroup_block(variable) => ViewKind::Workgroup,
            _ => return,
        };
        let named = variable.name.clone().filter(|name| !name.is_empty());
        self.memory(Memory {
            origin: Origin::Variable(id),
            kind,
            declared: Some(block).filter(|block| *block != 0),
            set: variable.set,
            binding: variable.binding,
            name: named.unwrap_or_default(),
        });
    }

    fn memory(&mut self, memory: Memory) -> MemoryId {
        if let Some(known) = self.by_origin.get(&memory.origin) {
            return *known;
        }
        let id = MemoryId(u32::try_from(self.memories.len()).unwrap_or(u32::MAX));
        self.by_origin.insert(memory.origin, id);
        self.memories.push(memory);
        id
    }

    pub(super) fn memory_of(&self, id: MemoryId) -> &Memory {
        &self.memories[id.0 as usize]
    }

    /// What an address points to.
    fn pointee(&mut self, address: SymbolId, declared: Option<Word>) -> MemoryId {
        self.memory(Memory {
            origin: Origin::Pointee(address),
            kind: ViewKind::Pointee,
            declared,
            set: None,
            binding: None,
            name: self.symbols.get(address).name.clone(),
        })
    }

    fn constant_composite(&self, instruction: &Instruction<'_>) -> Value {
        match instruction.op {
            Op::ConstantNull => instruction.ty.map_or(Value::Open(Why::Pointer), |ty| self.null(ty)),
            _ => composite(instruction.operands.iter().map(|part| self.constant(*part)).collect()),
        }
    }

    fn null(&self, ty: Word) -> Value {
        match self.types().get(ty) {
            SpirvType::Int { .. } | SpirvType::Bool => Value::Number(Sum::default()),
            SpirvType::Vector { component, length } if *length <= MOST_PARTS => {
                Value::Composite((0..*length).map(|_| self.null(*component)).collect())
            }
            _ => Value::Open(Why::Pointer),
        }
    }

    fn constant(&self, id: Word) -> Value {
        if let Some(composite) = self.constants.get(&id) {
            return composite.clone();
        }
        if let Some(truth) = self.code.bools.get(&id) {
            return Value::Number(Sum::constant((*truth).into()));
        }
        let constants = &self.types().constants;
        match constants.value(id).filter(|_| constants.specialized(id).is_none()) {
            Some(bits) => Value::Number(Sum::constant(self.signed(id, bits))),
            None => Value::Open(Why::Pointer),
        }
    }

    /// The bits of a constant as a signed number: code adds 0xFFFFFFFF to subtract 1.
    fn signed(&self, id: Word, bits: u64) -> i64 {
        let ty = self.code.constant_types.get(&id).map(|ty| self.types().get(*ty));
        match ty {
            Some(SpirvType::Int { bits: 32, .. }) => {
                u32::try_from(bits).map_or(bits.cast_signed(), |bits| bits.cast_signed().into())
            }
            _ => bits.cast_signed(),
        }
    }

    fn value(&mut self, id: Word) -> Value {
        if let Some(known) = self.values.get(&id) {
            return known.clone();
        }
        match self.constant(id) {
            Value::Open(_) => {}
            constant => return constant,
        }
        if let Some(variable) = self.types().variables.get(&id) {
            return self.variable(id, variable);
        }
        match self.code.constant_types.get(&id) {
            // A pipeline decides.
            Some(ty) => self.opaque(id, 0, *ty, false),
            None => Value::Open(Why::Pointer),
        }
    }

    /// The pointer to a global variable.
    fn variable(&self, id: Word, variable: &SpirvVariable) -> Value {
        let target = if let Some(memory) = self.by_origin.get(&Origin::Variable(id)) {
            Target::Memory(Place::start(*memory, variable.pointee))
        } else if let Some(builtin) = self.code.builtins.get(&id) {
            Target::Builtin { builtin: *builtin, part: None }
        } else if variable.class == StorageClass::Private {
            Target::Local { variable: id, path: Some(Vec::new()), ty: variable.pointee }
        } else {
            return Value::Open(Why::Pointer);
        };
        Value::Pointer([target].into())
    }

    /// A result that is not followed.
    fn opaque(&mut self, id: Word, part: u32, ty: Word, is_free: bool) -> Value {
        match *self.types().get(ty) {
            SpirvType::Int { bits, signed } => {
                Value::Number(Sum::symbol(self.result_symbol(id, part, (bits, signed), is_free)))
            }
            SpirvType::Vector { component, length } if length <= 4 => {
                Value::Composite((0..length).map(|part| self.opaque(id, part + 1, component, is_free)).collect())
            }
            _ if self.types().is_address(ty) => {
                let symbol = self.result_symbol(id, part, (64, false), false);
                self.pointer_to(symbol, ty, None)
            }
            _ => Value::Open(Why::Pointer),
        }
    }

    fn result_symbol(&mut self, id: Word, part: u32, (bits, signed): (u32, bool), is_free: bool) -> SymbolId {
        let name = self.id_name(id);
        let key = SymbolKey::Result(id, part);
        let symbol = self.symbols.symbol(key, || Symbol {
            name,
            is_free,
            least: (!signed).then_some(0),
            most: None,
            is_wide: bits == 64,
            reach: None,
        });
        self.symbols.get_mut(symbol).is_free = is_free;
        symbol
    }

    /// A symbol for a number between 0 and `most`. `words` are its name, unless the module has one.
    fn small(&mut self, id: Word, most: Option<i64>, is_free: bool, words: impl FnOnce(&Self) -> String) -> Sum {
        Sum::symbol(self.bounded(id, Some(0), most, is_free, words))
    }

    fn bounded(
        &mut self,
        id: Word,
        least: Option<i64>,
        most: Option<i64>,
        is_free: bool,
        words: impl FnOnce(&Self) -> String,
    ) -> SymbolId {
        let has_name = self.types().names.get(&id).is_some_and(|name| !name.is_empty());
        let is_new = self.symbols.known(&SymbolKey::Result(id, 0)).is_none();
        let words = (is_new && !has_name).then(|| words(self));
        let symbol = self.result_symbol(id, 0, (32, false), is_free);
        let own = self.symbols.get_mut(symbol);
        (own.least, own.most) = (least, most);
        if let Some(words) = words.filter(|words| words.len() <= MOST_WORDS) {
            own.name = words;
        }
        symbol
    }

    /// A pointer of type `ty` to what is at an address.
    fn pointer_to(&mut self, address: SymbolId, ty: Word, declared: Option<Word>) -> Value {
        let pointee = self.pointee_type(ty);
        let memory = self.pointee(address, declared);
        Value::Pointer([Target::Memory(Place::start(memory, pointee))].into())
    }

    fn pointee_type(&self, pointer: Word) -> Word {
        match self.types().get(pointer) {
            SpirvType::Pointer { pointee, .. } => *pointee,
            _ => 0,
        }
    }

    fn pass(&mut self) {
        self.values.clear();
        self.stores.clear();
        self.blurred.clear();
        self.stores_so_far.clear();
        for (id, variable) in &self.types().variables {
            if let (StorageClass::Private, Some(initializer)) = (variable.class, variable.initializer) {
                let value = self.constant(initializer);
                self.store(&Target::Local { variable: *id, path: Some(Vec::new()), ty: variable.pointee }, value);
            }
        }
        for (function, entries) in self.reached.clone() {
            self.read_function(function, &entries);
        }
    }

    fn read_function(&mut self, function: &Function<'a>, entries: &BTreeSet<u32>) {
        // Blocks that constant conditions exclude have no effect.
        let mut live: FxHashSet<Word> = FxHashSet::default();
        let mut is_live = true;
        let mut first = 0;
        for instruction in &function.body {
            if let (Some(id), Some(ty)) = (instruction.result, instruction.ty) {
                self.result_types.insert(id, ty);
            }
            match instruction.op {
                Op::Label => {
                    let label = instruction.result.unwrap_or(0);
                    is_live = first == 0 || live.contains(&label);
                    first = if first == 0 { label } else { first };
                    continue;
                }
                _ if !is_live => {
                    // The stores that never happen are counted.
                    if let (Op::Store, Some(pointer)) = (instruction.op, instruction.operand(0)) {
                        self.count_store(pointer);
                    }
                    continue;
                }
                _ => {}
            }
            self.read(function, instruction, entries);
            live.extend(self.successors(instruction));
        }
        // All incoming values are known now.
        for phi in function.body.iter().filter(|instruction| instruction.op == Op::Phi) {
            let Some(id) = phi.result else { continue };
            for incoming in phi.operands.chunks_exact(2).filter(|pair| live.contains(&pair[1]) || pair[1] == first) {
                let value = self.value(incoming[0]);
                self.add_store(CellKey::Joined(id), value);
            }
        }
    }

    /// The blocks that may follow a block with this end.
    fn successors(&mut self, end: &Instruction<'_>) -> Vec<Word> {
        match (end.op, end.operands) {
            (Op::Branch, [target, ..]) => vec![*target],
            (Op::BranchConditional, [condition, yes, no, ..]) => match self.value(*condition) {
                Value::Number(sum) if sum.as_constant() == Some(0) => vec![*no],
                Value::Number(sum) if sum.as_constant() == Some(1) => vec![*yes],
                _ => vec![*yes, *no],
            },
            // A literal may be taken for a label, which only keeps a block.
            (Op::Switch, [_, rest @ ..]) => rest.to_vec(),
            _ => Vec::new(),
        }
    }

    fn count_store(&mut self, pointer: Word) {
        if let Some(variable) = local_of(&self.values, pointer) {
            *self.stores_so_far.entry(variable).or_default() += 1;
        }
    }

    fn read(&mut self, function: &Function<'a>, instruction: &Instruction<'a>, entries: &BTreeSet<u32>) {
        let op = |index| instruction.operand(index);
        match (instruction.op, op(0)) {
            (Op::Store, Some(pointer)) => {
                let ty = op(1).and_then(|value| self.type_of(value));
                self.touch(instruction, AccessKind::Store, pointer, ty, 2, entries);
                let value = op(1).map_or(Value::Open(Why::Pointer), |value| self.value(value));
                self.count_store(pointer);
                self.store_through(pointer, &value);
            }
            (Op::CopyMemory | Op::CopyMemorySized, Some(target)) => {
                if let Some(source) = op(1) {
                    self.touch(instruction, AccessKind::Load, source, None, 2, entries);
                    let value = self.load(source, None, instruction);
                    self.touch(instruction, AccessKind::Store, target, None, 2, entries);
                    self.store_through(target, &value);
                }
            }
            (Op::ReturnValue, Some(value)) => {
                let value = self.value(value);
                self.add_store(CellKey::Return(function.id), value);
            }
            (Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV, Some(pointer)) => {
                self.touch(instruction, AccessKind::Store, pointer, None, usize::MAX, entries);
            }
            (Op::AtomicStore | Op::AtomicFlagClear, Some(pointer)) => {
                self.touch(instruction, AccessKind::Atomic, pointer, None, usize::MAX, entries);
            }
            _ => {}
        }
        let (Some(id), Some(ty)) = (instruction.result, instruction.ty) else { return };
        match (instruction.op, op(0)) {
            (Op::Load, Some(pointer)) => {
                self.touch(instruction, AccessKind::Load, pointer, Some(ty), 1, entries);
            }
            (Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV, Some(pointer)) => {
                self.touch(instruction, AccessKind::Load, pointer, None, usize::MAX, entries);
            }
            (atomic, Some(pointer)) if is_atomic(atomic) => {
                self.touch(instruction, AccessKind::Atomic, pointer, Some(ty), usize::MAX, entries);
            }
            _ => {}
        }
        let value = self.result(instruction, id, ty);
        self.values.insert(id, value);
    }

    pub(super) fn type_of(&self, id: Word) -> Option<Word> {
        self.result_types.get(&id).or_else(|| self.code.constant_types.get(&id)).copied()
    }

    /// The class of the memory that a pointer leads to.
    pub(super) fn class_of(&self, pointer: Word) -> Option<StorageClass> {
        if let Some(variable) = self.types().variables.get(&pointer) {
            return Some(variable.class);
        }
        match self.types().get(self.type_of(pointer)?) {
            SpirvType::Pointer { class, .. } | SpirvType::UntypedPointer { class } => Some(*class),
            _ => None,
        }
    }

    /// True for pointers to memory that the host fills.
    pub(super) fn is_covered(&self, pointer: Word) -> bool {
        matches!(
            self.class_of(pointer),
            Some(
                StorageClass::Uniform
                    | StorageClass::StorageBuffer
                    | StorageClass::PushConstant
                    | StorageClass::PhysicalStorageBuffer
                    | StorageClass::ShaderRecordBufferKHR
            )
        )
    }

    /// Notes an access. `memory_operands` is the index of its memory operands.
    fn touch(
        &mut self,
        instruction: &Instruction<'a>,
        kind: AccessKind,
        pointer: Word,
        ty: Option<Word>,
        memory_operands: usize,
        entries: &BTreeSet<u32>,
    ) {
        if !self.is_last {
            return;
        }
        let is_covered = self.is_covered(pointer);
        let (targets, why) = match self.value(pointer) {
            Value::Pointer(targets) => (targets.to_vec(), None),
            Value::Open(why) => (Vec::new(), Some(why)),
            _ => (Vec::new(), Some(Why::Pointer)),
        };
        let promised = instruction.operands.get(memory_operands..).and_then(|operands| {
            let access = MemoryAccess::from_bits(*operands.first()?)?;
            access.contains(MemoryAccess::ALIGNED).then(|| operands.get(1).copied())?
        });
        let is_region = matches!(
            instruction.op,
            Op::CooperativeMatrixLoadKHR
                | Op::CooperativeMatrixStoreKHR
                | Op::CooperativeMatrixLoadNV
                | Op::CooperativeMatrixStoreNV
        );
        let touch = |target: Result<Place, Why>, ty: Word| Touch {
            start: instruction.start,
            kind,
            target,
            ty: Some(ty).filter(|ty| *ty != 0 && !is_region),
            promised,
            place: instruction.line.and_then(|line| self.code.place(line)),
            entries: entries.clone(),
        };
        let mut found = Vec::new();
        for target in targets {
            if let Target::Memory(place) = target {
                let ty = ty.filter(|_| place.ty == 0).unwrap_or(place.ty);
                let place = if place.ty == 0 { place.cast(ty) } else { place };
                found.push(touch(Ok(place), ty));
            }
        }
        if let (Some(why), true) = (why, is_covered) {
            found.push(touch(Err(why), ty.unwrap_or(0)));
        }
        self.touches.extend(found);
    }
}

/// A value of these parts. One that is nested deeper than arrays of structs of vectors is not followed, because its parts
/// may share theirs, so that it is much larger than the code that makes it.
fn composite(parts: Vec<Value>) -> Value {
    fn is_nested(value: &Value, levels: u32) -> bool {
        match value {
            Value::Composite(parts) => levels == 0 || parts.iter().any(|part| is_nested(part, levels - 1)),
            Value::Number(_) | Value::Pointer(_) | Value::Content(_) | Value::Open(_) => false,
        }
    }
    if parts.iter().any(|part| is_nested(part, 2)) {
        return Value::Open(Why::Pointer);
    }
    Value::Composite(parts.into())
}

pub(super) fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
            | Op::AtomicFlagTestAndSet
    )
}

fn local_of(values: &FxHashMap<Word, Value>, pointer: Word) -> Option<Word> {
    match values.get(&pointer) {
        Some(Value::Pointer(targets)) => match &targets[..] {
            [Target::Local { variable, .. }] => Some(*variable),
            _ => None,
        },
        _ => None,
    }
}

/// The functions that entry points reach, callers before those that they call, each with its entry points.
fn reached<'a>(code: &'a Code<'a>) -> Vec<(&'a Function<'a>, BTreeSet<u32>)> {
    let by_id: FxHashMap<Word, usize> =
        code.functions.iter().enumerate().map(|(index, function)| (function.id, index)).collect();
    let calls: Vec<BTreeSet<usize>> = code
        .functions
        .iter()
        .map(|function| {
            let calls = function.body.iter().filter(|instruction| instruction.op == Op::FunctionCall);
            calls.filter_map(|call| by_id.get(&call.operand(0)?).copied()).collect()
        })
        .collect();
    let mut entries: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); code.functions.len()];
    let mut after: Vec<usize> = Vec::new();
    let mut visited = vec![false; code.functions.len()];
    for (number, entry) in (0..).zip(&code.entries) {
        let Some(first) = by_id.get(&entry.function).copied() else { continue };
        // Depth first, without recursion: a function comes after those that it calls. Recursion, which SPIR-V forbids,
        // ends at a visited function.
        let mut stack = vec![(first, false)];
        while let Some((function, is_done)) = stack.pop() {
            if is_done {
                after.push(function);
                continue;
            }
            if std::mem::replace(&mut visited[function], true) {
                continue;
            }
            stack.push((function, true));
            stack.extend(calls[function].iter().map(|called| (*called, false)));
        }
        let mut reach = vec![first];
        while let Some(function) = reach.pop() {
            if entries[function].insert(number) {
                reach.extend(calls[function].iter().copied());
            }
        }
    }
    after.reverse();
    after.into_iter().map(|function| (&code.functions[function], entries[function].clone())).collect()
}

fn operations<'a>(code: &Code<'a>) -> FxHashMap<Word, (Op, &'a [Word])> {
    let all = code.functions.iter().flat_map(|function| &function.body);
    all.filter_map(|instruction| Some((instruction.result?, (instruction.op, instruction.operands)))).collect()
}

/// How many instructions store to each variable. A variable that code passes to a function that may store to it is left
/// out.
fn stores_in_code(types: &SpirvTypes, code: &Code<'_>) -> FxHashMap<Word, usize> {
    // The variable or parameter from which a pointer comes.
    let mut bases: FxHashMap<Word, Word> = FxHashMap::default();
    let mut counts: FxHashMap<Word, usize> = FxHashMap::default();
    let mut passed: Vec<(Word, Word)> = Vec::new();
    let parameters: FxHashMap<Word, &[Word]> =
        code.functions.iter().map(|function| (function.id, function.parameters.as_slice())).collect();
    for (id, variable) in &types.variables {
        if variable.class == StorageClass::Private {
            bases.insert(*id, *id);
            counts.insert(*id, 0);
        }
    }
    let mut stored: FxHashSet<Word> = FxHashSet::default();
    for instruction in code.functions.iter().flat_map(|function| &function.body) {
        let first = instruction.operand(0).and_then(|id| bases.get(&id).copied());
        match (instruction.op, instruction.result, first) {
            (Op::Variable | Op::FunctionParameter, Some(id), _) => {
                bases.insert(id, id);
                counts.insert(id, 0);
            }
            (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject, Some(id), Some(base)) => {
                bases.insert(id, base);
            }
            (Op::Store, _, Some(base)) => {
                *counts.entry(base).or_default() += 1;
                stored.insert(base);
            }
            (Op::Load, _, _) => {}
            (Op::FunctionCall, _, _) => {
                let parameters = instruction.operand(0).and_then(|id| parameters.get(&id).copied());
                for (index, argument) in instruction.operands.iter().enumerate().skip(1) {
                    if let Some(base) = bases.get(argument) {
                        let parameter = parameters.and_then(|parameters| parameters.get(index - 1).copied());
                        passed.push((*base, parameter.unwrap_or(0)));
                    }
                }
            }
            // Other uses may store.
            _ => {
                for operand in instruction.operands {
                    if let Some(base) = bases.get(operand) {
                        stored.insert(*base);
                        counts.remove(base);
                    }
                }
            }
        }
    }
    // A parameter is stored to if what it is passed on to is. Calls form no circle, so this ends.
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for (base, parameter) in &passed {
            if *parameter == 0 || stored.contains(parameter) {
                counts.remove(base);
                is_changed |= stored.insert(*base);
            }
        }
    }
    counts
}
