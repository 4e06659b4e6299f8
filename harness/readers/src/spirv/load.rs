//! Parses the words of a SPIR-V module into instructions, and prints them.
//!
//! rspirv's parser trusts word counts and panics on some operands, so both are checked first.

use std::collections::BTreeSet;

use rspirv::binary::{Consumer, Disassemble, ParseAction, ParseState, parse_words};
use rspirv::dr::{Function, Instruction, Loader, Module, ModuleHeader, Operand};
use rspirv::spirv::{MAGIC_NUMBER, Op, Word};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Words that cannot be read as a SPIR-V module.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[error("word {word}: {reason}")]
pub struct BadModule {
    /// Index of the word at which reading fails, or of its instruction's first word.
    pub word: usize,
    /// Lowercase fragment.
    pub reason: String,
}

impl BadModule {
    pub(crate) fn new(word: usize, reason: impl Into<String>) -> Self {
        Self { word, reason: reason.into() }
    }
}

pub(super) const HEADER_WORDS: usize = 5;

/// The prefix of extended instruction sets that may be removed from every module.
///
/// Source: `SPV_KHR_non_semantic_info`.
const NON_SEMANTIC: &str = "NonSemantic.";

/// Reads the instructions of a module, except those of non-semantic sets (debug information,
/// printf), which may also be outside of functions.
pub fn load(words: &[u32]) -> Result<Module, BadModule> {
    let starts = instruction_starts(words)?;
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(words.len());
        check_operands(&words[*start..end], *start)?;
    }
    let mut counting = CountingLoader::new();
    match parse_words(words, &mut counting) {
        Ok(()) => complete(counting.functions, counting.module())
            .map_err(|reason| BadModule::new(words.len(), format!("{reason}: the module is truncated"))),
        Err(state) => {
            let word = starts.get(counting.instructions).copied().unwrap_or(words.len());
            Err(BadModule::new(word, state.to_string()))
        }
    }
}

/// Rejects modules that end too early between two instructions; `functions` is the number of
/// `OpFunction`.
fn complete(functions: usize, module: Module) -> Result<Module, &'static str> {
    if module.memory_model.is_none() {
        return Err("no memory model");
    }
    if functions > module.functions.len() {
        return Err("a function without an end");
    }
    let defined: BTreeSet<Word> = module.functions.iter().filter_map(Function::def_id).collect();
    let missing = module.entry_points.iter().find(|entry| match entry.operands.get(1) {
        Some(Operand::IdRef(id)) => !defined.contains(id),
        Some(_) | None => true,
    });
    if missing.is_some() { Err("an entry point without its function") } else { Ok(module) }
}

/// The first word of each instruction. Checks word counts.
pub(super) fn instruction_starts(words: &[u32]) -> Result<Vec<usize>, BadModule> {
    match words.first() {
        Some(&MAGIC_NUMBER) => {}
        Some(magic) if *magic == MAGIC_NUMBER.swap_bytes() => {
            return Err(BadModule::new(0, "the module is stored in the other byte order"));
        }
        Some(magic) => {
            return Err(BadModule::new(0, format!("magic number is {magic:#010X}, not {MAGIC_NUMBER:#010X}")));
        }
        None => return Err(BadModule::new(0, "the module is empty")),
    }
    if words.len() < HEADER_WORDS {
        let reason = format!("the header has {HEADER_WORDS} words, the module {}", words.len());
        return Err(BadModule::new(words.len(), reason));
    }

    let mut starts = Vec::new();
    let mut start = HEADER_WORDS;
    while let Some(&first) = words.get(start) {
        let count = (first >> 16) as usize;
        if count == 0 {
            return Err(BadModule::new(start, "an instruction of 0 words"));
        }
        if count > words.len() - start {
            let reason = format!("an instruction of {count} words, {} are left", words.len() - start);
            return Err(BadModule::new(start, reason));
        }
        starts.push(start);
        start += count;
    }
    Ok(starts)
}

/// Rejects operations in `OpSpecConstantOp` that SPIR-V does not allow there, because rspirv's
/// parser panics on them.
fn check_operands(instruction: &[u32], start: usize) -> Result<(), BadModule> {
    let is = |word: u32, op: Op| word & 0xFFFF == op as u32;
    let never = [Op::Constant, Op::SpecConstant, Op::SpecConstantOp, Op::Switch];
    let operation = instruction.get(3).copied().unwrap_or(0);
    if is(instruction[0], Op::SpecConstantOp) && never.into_iter().any(|op| operation == op as u32) {
        return Err(BadModule::new(start, format!("opcode {operation} in a specialization operation")));
    }
    Ok(())
}

/// A loader that counts its instructions, and those that start a function.
pub(super) struct CountingLoader {
    loader: Loader,
    pub(super) instructions: usize,
    functions: usize,
    non_semantic: BTreeSet<Word>,
    in_function: bool,
    /// Ids of the untyped variables outside of functions.
    untyped_variables: BTreeSet<Word>,
}

impl CountingLoader {
    pub(super) fn new() -> Self {
        Self {
            loader: Loader::new(),
            instructions: 0,
            functions: 0,
            non_semantic: BTreeSet::new(),
            in_function: false,
            untyped_variables: BTreeSet::new(),
        }
    }

    /// The loaded module.
    pub(super) fn module(self) -> Module {
        let mut module = self.loader.module();
        for global in &mut module.types_global_values {
            if global.result_id.is_some_and(|id| self.untyped_variables.contains(&id)) {
                *global = with_opcode(Op::UntypedVariableKHR, global.clone());
            }
        }
        module
    }

    /// Disguises an untyped variable outside of functions as a typed one with the same operands, because
    /// rspirv 0.13 rejects it there.
    fn disguised(&mut self, instruction: Instruction) -> Instruction {
        match instruction.class.opcode {
            Op::Function => self.in_function = true,
            Op::FunctionEnd => self.in_function = false,
            Op::UntypedVariableKHR if !self.in_function => {
                self.untyped_variables.extend(instruction.result_id);
                return with_opcode(Op::Variable, instruction);
            }
            _ => {}
        }
        instruction
    }

    fn is_non_semantic(&self, instruction: &Instruction) -> bool {
        match instruction.operands.first() {
            Some(Operand::IdRef(set)) => instruction.class.opcode == Op::ExtInst && self.non_semantic.contains(set),
            Some(_) | None => false,
        }
    }
}

fn with_opcode(op: Op, instruction: Instruction) -> Instruction {
    let Instruction { result_type, result_id, operands, .. } = instruction;
    Instruction::new(op, result_type, result_id, operands)
}

impl Consumer for CountingLoader {
    fn initialize(&mut self) -> ParseAction {
        self.loader.initialize()
    }

    fn finalize(&mut self) -> ParseAction {
        self.loader.finalize()
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.loader.consume_header(header)
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        if let (Op::ExtInstImport, Some(set), Some(Operand::LiteralString(name))) =
            (instruction.class.opcode, instruction.result_id, instruction.operands.first())
            && name.starts_with(NON_SEMANTIC)
        {
            self.non_semantic.insert(set);
        }
        if self.is_non_semantic(&instruction) {
            self.instructions += 1;
            return ParseAction::Continue;
        }

        self.functions += usize::from(instruction.class.opcode == Op::Function);
        let instruction = self.disguised(instruction);
        let action = self.loader.consume_instruction(instruction);
        if matches!(action, ParseAction::Continue) {
            self.instructions += 1;
        }
        action
    }
}

/// Typed access to the operands of an instruction: ids and literals.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a>(pub &'a Instruction);

impl Operands<'_> {
    pub fn id(self, index: usize) -> Option<Word> {
        match self.0.operands.get(index)? {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        }
    }

    pub fn number(self, index: usize) -> Option<u32> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        }
    }

    pub fn literal(self, index: usize) -> Option<u64> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some((*number).into()),
            Operand::LiteralBit64(number) => Some(*number),
            _ => None,
        }
    }
}

/// The instructions of a module, one per line. Ids are numbers without names.
pub fn disassembly(bytes: &[u8]) -> Result<String, ParseState> {
    Ok(rspirv::dr::load_bytes(bytes)?.disassemble())
}
