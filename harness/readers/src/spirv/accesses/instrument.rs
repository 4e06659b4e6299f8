//! Rewrites a module so that its code writes where it reads and writes memory.
//!
//! Each access through a descriptor, in push constants or at an address appends an entry to a buffer of ours: which access,
//! its byte and its invocation. An index out of range is marked, and 0 takes its place; an address out of range becomes
//! one of ours. No block is split, so that the control flow stays that of the module, and an entry takes one atomic
//! operation and one store, because drivers compile all of them.
//!
//! The words of the module stay as they are, debug information included; only indices of access chains change. What this
//! does not follow is counted in [`OwnModule::not_logged`].
//!
//! Source: SPIR-V specification, "Logical Layout of a Module", "Universal Validation Rules", `OpAtomicIAdd`.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::Feature;
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionModel, LoopControl, MemoryModel, MemorySemantics, Op, Scope,
    StorageClass, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::code::{Code, Entry, Function, Instruction};
use super::faults::listed;
use super::own_buffers::{OwnBuffer, buffers, free_binding, pointees};
use super::own_images::{NoResource, OwnImage, images};
use super::own_log::{Expected, Factor, Limit, LogShape, Number, Site, Source};
use super::place::Place;
use super::trace::dependence::Dependence;
use super::trace::{MemoryId, Origin, Touch, Trace, is_atomic};
use super::value::{Sum, Symbol, SymbolId, SymbolKey, Symbols};
use super::{AccessKind, ModuleAccesses};
use crate::ReadError;
use crate::spirv::declarations::Declarations;
use crate::spirv::load::BadModule;
use crate::spirv::types::{SpirvType, SpirvTypes};
use crate::spirv::{features_of, without_unused_interface};

/// A module that can be executed, with a twin that logs its accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnModule {
    /// The module as it is.
    pub plain: Vec<u32>,
    /// The module whose code logs.
    pub logging: Vec<u32>,
    pub entry: String,
    pub local_size: [u32; 3],
    /// The features that both need.
    pub features: BTreeSet<Feature>,
    pub accesses: ModuleAccesses,
    pub buffers: Vec<OwnBuffer>,
    pub images: Vec<OwnImage>,
    pub log: LogShape,
    /// The descriptor of the log.
    pub log_set: u32,
    pub log_binding: u32,
    /// Accesses that the twin does not log, by the reason.
    pub not_logged: BTreeMap<NotLogged, u64>,
}

/// Why an access is not logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotLogged {
    /// The pointer is a parameter, a phi, a selection, or in another element of a buffer.
    VariablePointer,
    /// The address is not one that is in a buffer, a uniform or push constants at one place, a multiple of 8. Such an access
    /// goes to bytes that nothing else uses.
    Address,
    /// A part of the memory has no explicit layout.
    NoLayout,
    /// The instruction takes a region, such as a cooperative matrix.
    Region,
}

impl NotLogged {
    pub fn reason(self) -> &'static str {
        match self {
            Self::VariablePointer => "the pointer is not made by access chains alone",
            Self::Address => "its address is not made, so it goes to other bytes",
            Self::NoLayout => "a type on the way has no offsets",
            Self::Region => "the instruction touches a region",
        }
    }
}

/// Why a module cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum NotExecutable {
    #[error(transparent)]
    Bad(#[from] BadModule),
    #[error("{0}")]
    Features(String),
    #[error("it has no entry point `{0}`")]
    NoEntry(String),
    #[error("it has no compute shader: only compute shaders are executed")]
    NoCompute,
    #[error("it has several compute shaders: {0}; choose one with --entry")]
    ManyEntries(String),
    #[error("`{0}` is {what}, which is not executed", what = .1.what())]
    Resource(String, NoResource),
    #[error("the size of its workgroup is not known")]
    LocalSize,
    #[error("`{0}` has no explicit layout")]
    NoLayout(String),
    #[error("it has no access to a buffer, a uniform or push constants")]
    NoAccess,
}

impl From<ReadError> for NotExecutable {
    fn from(error: ReadError) -> Self {
        Self::Features(error.to_string())
    }
}

impl OwnModule {
    /// Prepares a module for its execution.
    ///
    /// # Errors
    /// The words are no module, or it has what is not executed.
    pub fn read(words: &[u32], entry: Option<&str>) -> Result<Self, NotExecutable> {
        let words = &without_unused_interface(words);
        let declarations = Declarations::read(words)?;
        let types = SpirvTypes::read(&declarations.module).map_err(BadModule::from)?;
        let code = Code::read(words, &types)?;
        let trace = Trace::of(&types, &code);
        let entry = chosen_entry(&code, entry)?;
        let mut features = features_of(words)?;
        let local_size = code.default_size(entry, &types).ok_or(NotExecutable::LocalSize)?;
        let number = code.entries.iter().position(|known| known.start == entry.start).unwrap_or(0);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let reached: Vec<&Function<'_>> = trace
            .reached
            .iter()
            .filter(|(_, entries)| entries.contains(&number))
            .map(|(function, _)| *function)
            .collect();
        // Other entry points may have other resources at the same bindings. Numbers among the operands do no harm.
        let operands = reached.iter().flat_map(|function| &function.body).flat_map(|instruction| instruction.operands);
        let used: FxHashSet<Word> = operands.copied().collect();
        let mut buffers = buffers(&trace, &used)?;
        let images = images(words, &types, &reached, &used)?;

        let mut rewriting = Rewriting::new(words, &trace, &types);
        if types.has_addresses() {
            buffers.extend(pointees(&trace));
        }
        rewriting.dependence = Dependence::of(&trace, &buffers);
        if types.has_addresses() {
            let behind = buffers.iter().filter(|buffer| buffer.holder.is_some());
            rewriting.log.pointees = behind.map(|buffer| buffer.memory).collect();
            rewriting.declare_addresses();
            features.insert(Feature::Int64);
        }
        for function in reached {
            rewriting.function(function);
        }
        if rewriting.log.sites.is_empty() {
            return Err(NotExecutable::NoAccess);
        }
        let log_set = 0;
        let log_binding = free_binding(&types);
        let logging = rewriting.assemble(entry, (log_set, log_binding));
        let Rewriting { log, not_logged, .. } = rewriting;
        Ok(Self {
            plain: words.clone(),
            logging,
            entry: entry.name.clone(),
            local_size,
            features,
            accesses: listed(&trace),
            buffers,
            images,
            log,
            log_set,
            log_binding,
            not_logged,
        })
    }
}

fn chosen_entry<'a>(code: &'a Code<'_>, named: Option<&str>) -> Result<&'a Entry, NotExecutable> {
    let is_compute = |entry: &&Entry| entry.model == ExecutionModel::GLCompute as Word;
    let compute: Vec<&Entry> = code.entries.iter().filter(is_compute).collect();
    match (named, compute.as_slice()) {
        (Some(name), all) => {
            all.iter().find(|entry| entry.name == name).copied().ok_or_else(|| NotExecutable::NoEntry(name.to_owned()))
        }
        (None, [only]) => Ok(only),
        (None, []) => Err(NotExecutable::NoCompute),
        (None, many) => {
            let names: Vec<&str> = many.iter().map(|entry| entry.name.as_str()).collect();
            Err(NotExecutable::ManyEntries(names.join(", ")))
        }
    }
}

/// The memory of pointers that access chains make from an address: it is known where the address is used.
const BEHIND_ADDRESS: MemoryId = MemoryId(u32::MAX);

/// A pointer that access chains make, with the indices that are in range.
#[derive(Clone, Debug)]
struct KnownPointer {
    place: Place,
    /// Truths that all hold if no index leaves an array with a length.
    in_range: Vec<Word>,
    /// The same for arrays without one.
    in_buffer: Vec<Word>,
}

/// Words that go in front of a word of the module, or replace so many of them.
#[derive(Debug)]
struct Edit {
    at: usize,
    removed: usize,
    words: Vec<u32>,
}

struct Rewriting<'t, 'a> {
    words: &'t [u32],
    trace: &'t Trace<'a>,
    types: &'t SpirvTypes,
    edits: Vec<Edit>,
    next_id: Word,
    /// Types, constants and variables to declare.
    globals: Vec<u32>,
    decorations: Vec<u32>,
    numbers: FxHashMap<u32, Word>,
    common: Common,
    pointers: FxHashMap<Word, KnownPointer>,
    /// The factors of the indices in places.
    symbols: Symbols,
    /// The ids of indices as 32 bits, by their symbols.
    index_ids: FxHashMap<SymbolId, Word>,
    log: LogShape,
    dependence: Dependence,
    not_logged: BTreeMap<NotLogged, u64>,
    /// Address and size of the bytes for accesses that are caught, then of each pointee, in the current function.
    ranges: Vec<(Word, Word)>,
    /// The type of addresses; 0 if the module has none.
    long: Word,
    has_int64: bool,
    /// The number of the invocation in the current function.
    invocation: Word,
    /// How many entries the log has room for.
    room: Word,
    new_input: Option<Word>,
}

/// Ids that every function uses.
#[derive(Clone, Copy, Debug, Default)]
struct Common {
    uint: Word,
    truth: Word,
    /// The type of an entry of the log.
    entry: Word,
    to_word: Word,
    to_entry: Word,
    log: Word,
    /// The variable of the invocation's number, and the type of its vector and its components.
    global: (Word, Word, Word),
}

impl<'t, 'a> Rewriting<'t, 'a> {
    fn new(words: &'t [u32], trace: &'t Trace<'a>, types: &'t SpirvTypes) -> Self {
        let mut rewriting = Self {
            words,
            trace,
            types,
            edits: Vec::new(),
            next_id: words[3],
            globals: Vec::new(),
            decorations: Vec::new(),
            numbers: FxHashMap::default(),
            common: Common::default(),
            pointers: FxHashMap::default(),
            symbols: Symbols::default(),
            index_ids: FxHashMap::default(),
            log: LogShape::default(),
            dependence: Dependence::default(),
            not_logged: BTreeMap::new(),
            ranges: Vec::new(),
            long: 0,
            has_int64: false,
            invocation: 0,
            room: 0,
            new_input: None,
        };
        rewriting.declare();
        rewriting
    }

    fn id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Declares what the log needs, as far as the module does not have it.
    fn declare(&mut self) {
        let uint = self.type_id(&SpirvType::Int { bits: 32, signed: false }, Op::TypeInt, &[32, 0]);
        let truth = self.type_id(&SpirvType::Bool, Op::TypeBool, &[]);
        self.common = Common { uint, truth, ..Common::default() };
        let storage = StorageClass::StorageBuffer as Word;
        let vector = SpirvType::Vector { component: uint, length: 4 };
        let entry = self.type_id(&vector, Op::TypeVector, &[uint, 4]);
        let head_words = self.number(LogShape::HEAD_WORDS);
        let [head, array, block, to_block, to_word, to_entry, log] = [(); 7].map(|()| self.id());
        push(&mut self.globals, Op::TypeArray, &[head, uint, head_words]);
        push(&mut self.globals, Op::TypeRuntimeArray, &[array, entry]);
        push(&mut self.globals, Op::TypeStruct, &[block, head, array]);
        push(&mut self.globals, Op::TypePointer, &[to_block, storage, block]);
        push(&mut self.globals, Op::TypePointer, &[to_word, storage, uint]);
        push(&mut self.globals, Op::TypePointer, &[to_entry, storage, entry]);
        push(&mut self.globals, Op::Variable, &[to_block, log, storage]);
        push(&mut self.decorations, Op::Decorate, &[head, Decoration::ArrayStride as Word, 4]);
        push(&mut self.decorations, Op::Decorate, &[array, Decoration::ArrayStride as Word, 16]);
        push(&mut self.decorations, Op::Decorate, &[block, Decoration::Block as Word]);
        push(&mut self.decorations, Op::MemberDecorate, &[block, 0, Decoration::Offset as Word, 0]);
        let first = [block, 1, Decoration::Offset as Word, 4 * LogShape::HEAD_WORDS];
        push(&mut self.decorations, Op::MemberDecorate, &first);
        self.common = Common { uint, truth, entry, to_word, to_entry, log, global: self.global_number() };
    }

    fn declare_addresses(&mut self) {
        self.long = self.type_id(&SpirvType::Int { bits: 64, signed: false }, Op::TypeInt, &[64, 0]);
        self.has_int64 = self.operands_of(Op::Capability).any(|of| of.first() == Some(&(Capability::Int64 as u32)));
    }

    /// The operands of all instructions of a kind.
    fn operands_of(&self, op: Op) -> impl Iterator<Item = &'t [Word]> + use<'t, 'a> {
        let mut rest = self.words.get(5..).unwrap_or_default();
        let instructions = std::iter::from_fn(move || {
            let length = ((rest.first()? >> 16) as usize).clamp(1, rest.len());
            let (first, after) = rest.split_at(length);
            rest = after;
            Some(first)
        });
        instructions.filter(move |words| words[0] & 0xFFFF == op as u32).map(|words| &words[1..])
    }

    /// The variable with the number of the invocation.
    fn global_number(&mut self) -> (Word, Word, Word) {
        let builtins = &self.trace.code.builtins;
        let is_global = |(id, builtin): &(&Word, &BuiltIn)| {
            **builtin == BuiltIn::GlobalInvocationId && self.types.variables.contains_key(id)
        };
        if let Some((id, _)) = builtins.iter().find(is_global) {
            let vector = self.types.variables[id].pointee;
            if let SpirvType::Vector { component, .. } = *self.types.get(vector) {
                return (*id, vector, component);
            }
        }
        let uint = self.common.uint;
        let vector = SpirvType::Vector { component: uint, length: 3 };
        let vector = self.type_id(&vector, Op::TypeVector, &[uint, 3]);
        let [pointer, variable] = [(); 2].map(|()| self.id());
        let input = StorageClass::Input as Word;
        push(&mut self.globals, Op::TypePointer, &[pointer, input, vector]);
        push(&mut self.globals, Op::Variable, &[pointer, variable, input]);
        let builtin = [variable, Decoration::BuiltIn as Word, BuiltIn::GlobalInvocationId as Word];
        push(&mut self.decorations, Op::Decorate, &builtin);
        self.new_input = Some(variable);
        (variable, vector, uint)
    }

    fn type_id(&mut self, ty: &SpirvType, op: Op, operands: &[Word]) -> Word {
        if let Some(known) = self.types.id_of(ty) {
            return known;
        }
        let id = self.id();
        push(&mut self.globals, op, &[&[id], operands].concat());
        id
    }

    fn number(&mut self, number: u32) -> Word {
        if let Some(known) = self.numbers.get(&number) {
            return *known;
        }
        let id = self.id();
        push(&mut self.globals, Op::Constant, &[self.common.uint, id, number]);
        self.numbers.insert(number, id);
        id
    }

    /// An instruction with a result of this type.
    fn result(&mut self, words: &mut Vec<u32>, op: Op, ty: Word, operands: &[Word]) -> Word {
        let id = self.id();
        push(words, op, &[&[ty, id], operands].concat());
        id
    }

    fn function(&mut self, function: &Function<'_>) {
        let is_start = |instruction: &&Instruction<'_>| {
            !matches!(instruction.op, Op::FunctionParameter | Op::Label | Op::Variable | Op::ExtInst | Op::Undef)
        };
        let Some(first) = function.body.iter().find(is_start) else { return };
        let mut words = Vec::new();
        self.invocation = self.linear_number(&mut words);
        self.room = self.load_word(&mut words, LogShape::ROOM);
        self.ranges = if self.long == 0 { Vec::new() } else { self.load_ranges(&mut words) };
        self.edits.push(Edit { at: first.start, removed: 0, words });
        for instruction in &function.body {
            match instruction.op {
                Op::AccessChain | Op::InBoundsAccessChain => self.chain(instruction),
                // NOTE(driver): Mesa 22.3 unrolls a loop of 256 passes that asks for it, and its compiler then takes minutes
                // for the code that logs.
                Op::LoopMerge
                    if instruction.operand(2).is_some_and(|hints| hints & LoopControl::UNROLL.bits() != 0) =>
                {
                    let [merge, next, ..] = *instruction.operands else { continue };
                    let mut words = Vec::new();
                    push(&mut words, Op::LoopMerge, &[merge, next, LoopControl::DONT_UNROLL.bits()]);
                    let removed = 1 + instruction.operands.len();
                    self.edits.push(Edit { at: instruction.start, removed, words });
                }
                Op::CopyObject => {
                    let known = instruction.operand(0).and_then(|base| self.pointer(base));
                    self.pointers.extend(instruction.result.zip(known));
                }
                op => self.accesses(instruction, &accessed(op)),
            }
        }
    }

    /// The number of the invocation: `x + y * width + z * width * height`, whose factors are in the log's header.
    fn linear_number(&mut self, words: &mut Vec<u32>) -> Word {
        let Common { uint, global: (variable, vector, component), .. } = self.common;
        let global = self.result(words, Op::Load, vector, &[variable]);
        let mut sum = 0;
        for index in 0..3 {
            let mut part = self.result(words, Op::CompositeExtract, component, &[global, index]);
            if component != uint {
                part = self.result(words, Op::Bitcast, uint, &[part]);
            }
            if index > 0 {
                let factor = self.load_word(words, LogShape::FACTORS + index - 1);
                part = self.result(words, Op::IMul, uint, &[part, factor]);
                part = self.result(words, Op::IAdd, uint, &[sum, part]);
            }
            sum = part;
        }
        sum
    }

    /// The addresses that are made, with their sizes.
    fn load_ranges(&mut self, words: &mut Vec<u32>) -> Vec<(Word, Word)> {
        let count = u32::try_from(self.log.pointees.len() + 1).unwrap_or(0);
        let long = self.long;
        let mut ranges = Vec::new();
        for row in 0..count {
            let first = LogShape::ADDRESSES + LogShape::WORDS_OF_ADDRESS * row;
            let parts = [0, 1, 2].map(|word| {
                let part = self.load_word(words, first + word);
                self.result(words, Op::UConvert, long, &[part])
            });
            let bits = self.number(32);
            let high = self.result(words, Op::ShiftLeftLogical, long, &[parts[1], bits]);
            let address = self.result(words, Op::BitwiseOr, long, &[high, parts[0]]);
            ranges.push((address, parts[2]));
        }
        ranges
    }

    /// A pointer to a word of the log.
    fn word(&mut self, words: &mut Vec<u32>, at: Word) -> Word {
        let Common { to_word, log, .. } = self.common;
        let zero = self.number(0);
        self.result(words, Op::AccessChain, to_word, &[log, zero, at])
    }

    fn load_word(&mut self, words: &mut Vec<u32>, at: u32) -> Word {
        let at = self.number(at);
        let pointer = self.word(words, at);
        self.result(words, Op::Load, self.common.uint, &[pointer])
    }

    fn pointer(&self, id: Word) -> Option<KnownPointer> {
        if let Some(known) = self.pointers.get(&id) {
            return Some(known.clone());
        }
        let variable = self.types.variables.get(&id)?;
        let is_own = |memory: &super::trace::Memory| memory.origin == Origin::Variable(id);
        let memory = self.trace.memories.iter().position(is_own)?;
        let memory = MemoryId(u32::try_from(memory).ok()?);
        Some(KnownPointer {
            place: Place::start(memory, variable.pointee),
            in_range: Vec::new(),
            in_buffer: Vec::new(),
        })
    }

    /// An address as a pointer whose indices are checked.
    fn address(&self, id: Word) -> Option<KnownPointer> {
        match *self.types.get(self.trace.type_of(id)?) {
            SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee, .. } => Some(KnownPointer {
                place: Place::start(BEHIND_ADDRESS, pointee),
                in_range: Vec::new(),
                in_buffer: Vec::new(),
            }),
            _ => None,
        }
    }

    /// Follows an access chain, and replaces its indices by those that are in range. A chain from an address keeps them,
    /// because the whole address is replaced where it is used.
    fn chain(&mut self, chain: &Instruction<'_>) {
        let [base, indices @ ..] = chain.operands else { return };
        let is_covered = chain.result.is_some_and(|id| self.trace.is_covered(id));
        let pointer = self.pointer(*base).or_else(|| self.address(*base));
        let Some(mut pointer) = pointer.filter(|_| is_covered) else { return };
        let is_address = pointer.place.memory == BEHIND_ADDRESS;
        let mut before = Vec::new();
        let mut replaced = chain.operands.to_vec();
        for (index, operand) in indices.iter().zip(&mut replaced[1..]) {
            let Some((part, limit)) = self.part(&pointer.place, *index, &mut before) else { return };
            if let (Some(limit), Some(own)) = (limit, self.as_word(*index, &mut before)) {
                let Common { uint, truth, .. } = self.common;
                let (limit, truths) = match limit {
                    Limit::Fixed(length) => (self.number(length), &mut pointer.in_range),
                    Limit::Table(at) => (self.load_word(&mut before, LogShape::LIMITS + at), &mut pointer.in_buffer),
                };
                let is_below = self.result(&mut before, Op::ULessThan, truth, &[own, limit]);
                if !is_address {
                    let zero = self.number(0);
                    *operand = self.result(&mut before, Op::Select, uint, &[is_below, own, zero]);
                }
                truths.push(is_below);
            }
            pointer.place = part;
        }
        let (Some(ty), Some(id)) = (chain.ty, chain.result) else { return };
        push(&mut before, chain.op, &[&[ty, id], replaced.as_slice()].concat());
        self.edits.push(Edit { at: chain.start, removed: 2 + 1 + chain.operands.len(), words: before });
        self.pointers.insert(id, pointer);
    }

    /// The place of a part, and the limit of the index unless it is known to be below.
    fn part(&mut self, place: &Place, index: Word, before: &mut Vec<u32>) -> Option<(Place, Option<Limit>)> {
        let constants = &self.types.constants;
        let constant = constants.value(index).filter(|_| constants.specialized(index).is_none());
        let sum = match constant.and_then(|value| i64::try_from(value).ok()) {
            Some(value) => Sum::constant(value),
            None => {
                let id = self.as_word(index, before)?;
                let make = || Symbol {
                    name: String::new(),
                    is_free: false,
                    least: None,
                    most: None,
                    is_wide: false,
                    reach: None,
                };
                let symbol = self.symbols.symbol(SymbolKey::Result(index, 0), make);
                self.index_ids.insert(symbol, id);
                Sum::symbol(symbol)
            }
        };
        let part = self.trace.layouts.part(place, &sum, &self.symbols)?;
        let is_below = |length: u32| constant.is_some_and(|value| value < length.into());
        let limit = match *self.types.get(place.ty) {
            SpirvType::Array { length, .. } if self.types.specialized_length(place.ty).is_none() => {
                Some(Limit::Fixed(length))
            }
            SpirvType::Matrix { columns: length, .. } | SpirvType::Vector { length, .. } => Some(Limit::Fixed(length)),
            SpirvType::RuntimeArray { stride, .. } if place.memory != BEHIND_ADDRESS => {
                let start = place.at.as_ref().ok().and_then(Sum::as_constant).and_then(|at| u32::try_from(at).ok());
                let stride = stride.zip(start).map(|(stride, start)| (start, stride));
                Some(Limit::Table(self.log.limit(place.memory.0, stride)))
            }
            _ => None,
        };
        Some((part, limit.filter(|limit| !matches!(limit, Limit::Fixed(length) if is_below(*length)))))
    }

    /// An index as 32 bits without a sign. Wider ones that do not fit have all bits set.
    fn as_word(&mut self, index: Word, words: &mut Vec<u32>) -> Option<Word> {
        let ty = self.trace.type_of(index)?;
        let Common { uint, truth, .. } = self.common;
        match *self.types.get(ty) {
            SpirvType::Int { bits: 32, signed: false } => Some(index),
            SpirvType::Int { bits: 32, signed: true } => Some(self.result(words, Op::Bitcast, uint, &[index])),
            SpirvType::Int { bits: 64, .. } => {
                let low = self.result(words, Op::UConvert, uint, &[index]);
                let bits = self.number(32);
                let high = self.result(words, Op::ShiftRightLogical, ty, &[index, bits]);
                let high = self.result(words, Op::UConvert, uint, &[high]);
                let [zero, all] = [0, u32::MAX].map(|number| self.number(number));
                let fits = self.result(words, Op::IEqual, truth, &[high, zero]);
                Some(self.result(words, Op::Select, uint, &[fits, low, all]))
            }
            SpirvType::Int { signed, .. } => {
                let op = if signed { Op::SConvert } else { Op::UConvert };
                Some(self.result(words, op, uint, &[index]))
            }
            _ => None,
        }
    }

    /// Logs the accesses of an instruction through these operands.
    fn accesses(&mut self, instruction: &Instruction<'_>, operands: &[(AccessKind, usize)]) {
        let mut words = Vec::new();
        let length = (self.words[instruction.start] >> 16) as usize;
        let mut own = self.words[instruction.start..instruction.start + length].to_vec();
        let first = length - instruction.operands.len();
        for (kind, operand) in operands {
            let Some(pointer) = instruction.operand(*operand) else { continue };
            if !self.trace.is_covered(pointer) {
                continue;
            }
            let made = if self.trace.class_of(pointer) == Some(StorageClass::PhysicalStorageBuffer) {
                self.at_address(&mut words, instruction, *kind, pointer).map(|safe| own[first + operand] = safe)
            } else {
                self.in_variable(&mut words, instruction, *kind, pointer)
            };
            if let Err(reason) = made {
                *self.not_logged.entry(reason).or_default() += 1;
            }
        }
        if !words.is_empty() {
            words.extend(own);
            self.edits.push(Edit { at: instruction.start, removed: length, words });
        }
    }

    fn in_variable(
        &mut self,
        words: &mut Vec<u32>,
        instruction: &Instruction<'_>,
        kind: AccessKind,
        pointer: Word,
    ) -> Result<(), NotLogged> {
        if is_region(instruction.op) {
            return Err(NotLogged::Region);
        }
        let KnownPointer { place, in_range, in_buffer } = self.pointer(pointer).ok_or(NotLogged::VariablePointer)?;
        let at = place.at.map_err(|_| NotLogged::NoLayout)?;
        let expected = self.expected(instruction, kind);
        let depends = self.dependence.of_access(instruction.start, pointer);
        let site = self.log.add(Site { memory: place.memory.0, expected, promised: None, depends });
        let offset = self.offset(words, &at);
        let [in_range, in_buffer] = [in_range, in_buffer].map(|truths| self.all(words, &truths));
        let faults = [(in_range, LogShape::BEYOND), (in_buffer, LogShape::LEFT)];
        self.log_access(words, site, offset, &faults);
        Ok(())
    }

    /// Logs an access at an address, and returns a pointer that leads into memory of ours in any case.
    fn at_address(
        &mut self,
        words: &mut Vec<u32>,
        instruction: &Instruction<'_>,
        kind: AccessKind,
        pointer: Word,
    ) -> Result<Word, NotLogged> {
        if is_region(instruction.op) {
            return Err(NotLogged::Region);
        }
        let Common { uint, truth, .. } = self.common;
        let (long, ranges) = (self.long, self.ranges.clone());
        let ty = self.trace.type_of(pointer).ok_or(NotLogged::VariablePointer)?;
        let touches: Vec<&Touch> = self.touches(instruction, kind).map(|(_, touch)| touch).collect();
        let places = || touches.iter().filter_map(|touch| touch.target.as_ref().ok());
        let row = |place: &Place| self.log.pointees.iter().position(|known| *known == place.memory.0);
        let rows: Vec<(u32, usize)> = places().filter_map(|place| Some((place.memory.0, row(place)? + 1))).collect();
        let size = places().filter_map(|place| self.trace.layouts.size_at(place)).max();
        let promised = touches.iter().filter_map(|touch| touch.promised).max();
        let (sink, _) = ranges[0];

        let size = self.long_number(size.unwrap_or(16));
        let address = self.result(words, Op::ConvertPtrToU, long, &[pointer]);
        let mut found: Option<(Word, Word)> = None;
        for (_, row) in &rows {
            let (start, length) = ranges[*row];
            let offset = self.result(words, Op::ISub, long, &[address, start]);
            let end = self.result(words, Op::IAdd, long, &[offset, size]);
            let starts = self.result(words, Op::ULessThan, truth, &[offset, length]);
            let ends = self.result(words, Op::ULessThanEqual, truth, &[end, length]);
            let is_in = self.result(words, Op::LogicalAnd, truth, &[starts, ends]);
            found = Some(match found {
                None => (offset, is_in),
                Some((known, is_known)) => (
                    self.result(words, Op::Select, long, &[is_known, known, offset]),
                    self.result(words, Op::LogicalOr, truth, &[is_known, is_in]),
                ),
            });
        }
        let Some((offset, is_within)) = found.filter(|_| rows.len() == touches.len()) else {
            *self.not_logged.entry(NotLogged::Address).or_default() += 1;
            return Ok(self.result(words, Op::ConvertUToPtr, ty, &[sink]));
        };
        let is_aligned = promised.filter(|promised| promised.is_power_of_two()).map(|promised| {
            let low = self.result(words, Op::UConvert, uint, &[address]);
            let [mask, zero] = [promised - 1, 0].map(|number| self.number(number));
            let rest = self.result(words, Op::BitwiseAnd, uint, &[low, mask]);
            self.result(words, Op::IEqual, truth, &[rest, zero])
        });
        let expected = self.expected(instruction, kind);
        // The run gives addresses of its own memory, as the host would.
        let mut depends = self.dependence.of_access(instruction.start, pointer);
        depends.retain(|source| !matches!(source, Source::Address(_)));
        let site = self.log.add(Site { memory: rows[0].0, expected, promised, depends });
        let offset = self.result(words, Op::UConvert, uint, &[offset]);
        let in_range = self.pointers.get(&pointer).map(|known| known.in_range.clone()).unwrap_or_default();
        let in_range = self.all(words, &in_range);
        let faults =
            [(in_range, LogShape::BEYOND), (Some(is_within), LogShape::LEFT), (is_aligned, LogShape::MISALIGNED)];
        self.log_access(words, site, offset, &faults);
        let truths: Vec<Word> = faults.iter().filter_map(|(truth, _)| *truth).collect();
        let is_good = self.all(words, &truths).unwrap_or(is_within);
        let safe = self.result(words, Op::Select, long, &[is_good, address, sink]);
        Ok(self.result(words, Op::ConvertUToPtr, ty, &[safe]))
    }

    fn long_number(&mut self, number: u32) -> Word {
        let id = self.id();
        push(&mut self.globals, Op::Constant, &[self.long, id, number, 0]);
        id
    }

    fn touches(&self, instruction: &Instruction<'_>, kind: AccessKind) -> impl Iterator<Item = (u32, &'t Touch)> {
        let start = instruction.start;
        (0..).zip(&self.trace.touches).filter(move |(_, touch)| touch.start == start && touch.kind == kind)
    }

    /// What the trace says about an access.
    fn expected(&self, instruction: &Instruction<'_>, kind: AccessKind) -> Vec<Expected> {
        let touches = self.touches(instruction, kind);
        let expected = touches.filter_map(|(access, touch)| {
            let at = touch.target.as_ref().ok()?.at.as_ref().ok()?;
            let factor =
                |(symbol, factor): &(SymbolId, i64)| Factor { number: self.number_of(*symbol), bytes: *factor };
            Some(Expected { access, base: at.base, factors: at.terms.iter().map(factor).collect() })
        });
        expected.collect()
    }

    fn number_of(&self, symbol: SymbolId) -> Number {
        match self.trace.symbols.key(symbol) {
            SymbolKey::Builtin(BuiltIn::GlobalInvocationId, part) => Number::Global(*part),
            SymbolKey::Builtin(BuiltIn::LocalInvocationId, part) => Number::Local(*part),
            SymbolKey::Builtin(BuiltIn::WorkgroupId, part) => Number::Group(*part),
            SymbolKey::Builtin(BuiltIn::LocalInvocationIndex, _) => Number::LocalIndex,
            _ => Number::Open(self.trace.symbols.get(symbol).name.clone()),
        }
    }

    /// The byte of a place.
    fn offset(&mut self, words: &mut Vec<u32>, at: &Sum) -> Word {
        let uint = self.common.uint;
        let low = |number: i64| u32::try_from(number & i64::from(u32::MAX)).unwrap_or(0);
        let mut offset = self.number(low(at.base));
        for (symbol, factor) in &at.terms {
            let Some(index) = self.index_ids.get(symbol).copied() else { continue };
            let factor = self.number(low(*factor));
            let bytes = self.result(words, Op::IMul, uint, &[index, factor]);
            offset = self.result(words, Op::IAdd, uint, &[offset, bytes]);
        }
        offset
    }

    /// True if all are.
    fn all(&mut self, words: &mut Vec<u32>, truths: &[Word]) -> Option<Word> {
        let truth = self.common.truth;
        truths.iter().copied().reduce(|all, more| self.result(words, Op::LogicalAnd, truth, &[all, more]))
    }

    /// Logs an access. `faults` has truths that hold unless something is wrong, with the bits that say that.
    fn log_access(&mut self, words: &mut Vec<u32>, site: u32, offset: Word, faults: &[(Option<Word>, u32)]) {
        let Common { uint, truth, entry, to_entry, log, .. } = self.common;
        let scope = if self.has_vulkan_memory() { Scope::QueueFamily } else { Scope::Device };
        let [scope, relaxed, zero, one] =
            [scope as u32, MemorySemantics::RELAXED.bits(), 0, 1].map(|number| self.number(number));
        let count = self.number(LogShape::COUNT);
        let count = self.word(words, count);
        let count = self.result(words, Op::AtomicIAdd, uint, &[count, scope, relaxed, one]);
        // The entry after the last is for all that have no room.
        let has_room = self.result(words, Op::ULessThan, truth, &[count, self.room]);
        let at = self.result(words, Op::Select, uint, &[has_room, count, self.room]);
        let mut tag = self.number(site);
        for (holds, bit) in faults {
            let Some(holds) = *holds else { continue };
            let bit = self.number(*bit);
            let bit = self.result(words, Op::Select, uint, &[holds, zero, bit]);
            tag = self.result(words, Op::BitwiseOr, uint, &[tag, bit]);
        }
        let own = self.result(words, Op::CompositeConstruct, entry, &[tag, offset, self.invocation, zero]);
        let pointer = self.result(words, Op::AccessChain, to_entry, &[log, one, at]);
        push(words, Op::Store, &[pointer, own]);
    }

    fn has_vulkan_memory(&self) -> bool {
        self.operands_of(Op::MemoryModel).any(|of| of.get(1) == Some(&(MemoryModel::Vulkan as u32)))
    }

    /// The words of the module with all edits.
    fn assemble(&mut self, entry: &Entry, (set, binding): (u32, u32)) -> Vec<u32> {
        let log = self.common.log;
        push(&mut self.decorations, Op::Decorate, &[log, Decoration::DescriptorSet as Word, set]);
        push(&mut self.decorations, Op::Decorate, &[log, Decoration::Binding as Word, binding]);
        let [_, major, minor, _] = self.words[1].to_be_bytes();
        let mut interface: Vec<Word> = self.new_input.into_iter().collect();
        let (global, ..) = self.common.global;
        let length = (self.words[entry.start] >> 16) as usize;
        let own = &self.words[entry.start..entry.start + length];
        // The name may have the same word, which only leaves the variable out of an interface that it needs not be in.
        if self.new_input.is_none() && !own.contains(&global) {
            interface.push(global);
        }
        // From 1.4 on, an interface has all variables.
        if (major, minor) >= (1, 4) {
            interface.push(log);
        }
        let mut words = own.to_vec();
        words[0] += u32::try_from(interface.len()).unwrap_or(0) << 16;
        words.extend(interface);
        self.edits.push(Edit { at: entry.start, removed: length, words });

        let is_declared = (major, minor) >= (1, 3);
        let (mut is_extended, mut is_decorated, mut is_in_code) = (is_declared, false, false);
        if self.long != 0 && !self.has_int64 {
            let words = vec![2 << 16 | Op::Capability as u32, Capability::Int64 as u32];
            self.edits.push(Edit { at: 5, removed: 0, words });
        }
        let mut at = 5;
        while let Some(first) = self.words.get(at) {
            let op = first & 0xFFFF;
            let is = |known: &[Op]| known.iter().any(|known| *known as u32 == op);
            let mut insert = |words: Vec<u32>| self.edits.push(Edit { at, removed: 0, words });
            if !is_extended && is(&[Op::ExtInstImport, Op::MemoryModel]) {
                insert(extension("SPV_KHR_storage_buffer_storage_class"));
                is_extended = true;
            }
            if !is_decorated && is(&[Op::Decorate, Op::MemberDecorate, Op::DecorationGroup, Op::DecorateId]) {
                insert(std::mem::take(&mut self.decorations));
                is_decorated = true;
            }
            if !is_in_code && is(&[Op::Function]) {
                insert(std::mem::take(&mut self.globals));
                is_in_code = true;
            }
            at += ((first >> 16) as usize).max(1);
        }
        self.edits.sort_by_key(|edit| edit.at);
        let mut made = Vec::with_capacity(self.words.len() * 2);
        let mut at = 0;
        for edit in &self.edits {
            made.extend_from_slice(&self.words[at..edit.at]);
            made.extend_from_slice(&edit.words);
            at = edit.at + edit.removed;
        }
        made.extend_from_slice(&self.words[at..]);
        made[3] = self.next_id;
        made
    }
}

/// The operands through which an instruction reaches memory.
fn accessed(op: Op) -> Vec<(AccessKind, usize)> {
    match op {
        Op::Load | Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV => vec![(AccessKind::Load, 0)],
        Op::Store | Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV => vec![(AccessKind::Store, 0)],
        Op::CopyMemory | Op::CopyMemorySized => vec![(AccessKind::Load, 1), (AccessKind::Store, 0)],
        Op::AtomicStore | Op::AtomicFlagClear => vec![(AccessKind::Atomic, 0)],
        atomic if is_atomic(atomic) => vec![(AccessKind::Atomic, 0)],
        _ => Vec::new(),
    }
}

fn is_region(op: Op) -> bool {
    matches!(
        op,
        Op::CooperativeMatrixLoadKHR
            | Op::CooperativeMatrixStoreKHR
            | Op::CooperativeMatrixLoadNV
            | Op::CooperativeMatrixStoreNV
    )
}

fn push(words: &mut Vec<u32>, op: Op, operands: &[Word]) {
    let length = u32::try_from(operands.len() + 1).unwrap_or(u32::MAX);
    words.push(length << 16 | op as u32);
    words.extend_from_slice(operands);
}

fn extension(name: &str) -> Vec<u32> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let operands: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let mut words = Vec::new();
    push(&mut words, Op::Extension, &operands);
    words
}
