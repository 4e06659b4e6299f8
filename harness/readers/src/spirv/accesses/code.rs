//! The functions of a module as instructions with places, read from the words.
//!
//! rspirv's loader rejects instructions that it does not know. Here such an instruction defines nothing and touches
//! nothing, and what depends on it is open.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction" and "Debug Instructions";
//! `NonSemantic.Shader.DebugInfo.100`.

use std::collections::BTreeSet;

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, Word};
use rustc_hash::FxHashMap;

use super::SourcePlace;
use crate::spirv::load::{BadModule, instruction_starts};
use crate::spirv::types::SpirvTypes;

/// The instructions of `NonSemantic.Shader.DebugInfo.100` that state places.
const DEBUG_SOURCE: Word = 35;
const DEBUG_LINE: Word = 103;
const DEBUG_NO_LINE: Word = 104;

#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction<'a> {
    /// The word at which it starts.
    pub(super) start: usize,
    pub(super) op: Op,
    /// The id of the result's type.
    pub(super) ty: Option<Word>,
    pub(super) result: Option<Word>,
    /// The words after the result.
    pub(super) operands: &'a [Word],
    pub(super) line: Option<SourceLine>,
}

impl Instruction<'_> {
    pub(super) fn operand(&self, index: usize) -> Option<Word> {
        self.operands.get(index).copied()
    }
}

/// A place, with the file as the id of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    file: Word,
    line: Word,
    column: Word,
}

#[derive(Clone, Debug)]
pub(super) struct Function<'a> {
    pub(super) id: Word,
    pub(super) parameters: Vec<Word>,
    /// In the order of the words: a block comes after those that dominate it.
    pub(super) body: Vec<Instruction<'a>>,
}

/// What the words of a workgroup's size are.
#[derive(Clone, Copy, Debug)]
enum SizeIs {
    Numbers,
    Ids,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The number of its execution model.
    pub(super) model: Word,
    /// The word at which its declaration starts.
    pub(super) start: usize,
    pub(super) function: Word,
}

/// The parts of a module that decide which bytes its code touches, besides its types.
#[derive(Debug, Default)]
pub(super) struct Code<'a> {
    pub(super) functions: Vec<Function<'a>>,
    pub(super) entries: Vec<Entry>,
    /// The built-in values of variables.
    pub(super) builtins: FxHashMap<Word, BuiltIn>,
    /// Constants that are made of others, or are zero.
    pub(super) composites: Vec<Instruction<'a>>,
    /// The types of constants.
    pub(super) constant_types: FxHashMap<Word, Word>,
    /// Bools by id; those that a pipeline may change are not among them.
    pub(super) bools: FxHashMap<Word, bool>,
    /// Invocations in a workgroup, if all entry points agree and no pipeline changes it.
    pub(super) local_size: Option<[u32; 3]>,
    /// The numbers, or the ids of the numbers, of an entry point's workgroup, by its function.
    sizes: FxHashMap<Word, ([Word; 3], SizeIs)>,
    pub(super) glsl_sets: BTreeSet<Word>,
    strings: FxHashMap<Word, String>,
    /// The names of files by the id of a `DebugSource`.
    sources: FxHashMap<Word, Word>,
}

impl<'a> Code<'a> {
    pub(super) fn read(words: &'a [Word], types: &SpirvTypes) -> Result<Self, BadModule> {
        let mut code = Self::default();
        let mut forms = Forms::default();
        let mut debug_sets = BTreeSet::new();
        let mut local_sizes = BTreeSet::new();
        let mut has_other_size = false;
        let mut function: Option<Function<'a>> = None;
        let mut line = None;
        for start in instruction_starts(words)? {
            let count = (words[start] >> 16) as usize;
            let operands = &words[start + 1..start + count];
            let Some((op, ty, result, rest)) = forms.split(words[start] & 0xFFFF, operands) else { continue };
            let instruction = Instruction { start, op, ty, result, operands: rest, line };
            match (op, rest) {
                (Op::String, _) => code.strings.extend(result.map(|id| (id, text(rest)))),
                (Op::ExtInstImport, _) if text(rest).starts_with("NonSemantic.Shader.DebugInfo") => {
                    debug_sets.extend(result);
                }
                (Op::ExtInstImport, _) if text(rest) == "GLSL.std.450" => code.glsl_sets.extend(result),
                (Op::EntryPoint, [model, function, name @ ..]) => {
                    code.entries.push(Entry { name: text(name), model: *model, start, function: *function });
                }
                (Op::ExecutionMode, [entry, mode, x, y, z]) if *mode == ExecutionMode::LocalSize as Word => {
                    local_sizes.insert([*x, *y, *z]);
                    code.sizes.insert(*entry, ([*x, *y, *z], SizeIs::Numbers));
                }
                (Op::ExecutionModeId, [entry, mode, x, y, z]) if *mode == ExecutionMode::LocalSizeId as Word => {
                    has_other_size = true;
                    code.sizes.insert(*entry, ([*x, *y, *z], SizeIs::Ids));
                }
                (Op::Decorate, [target, decoration, value]) if *decoration == Decoration::BuiltIn as Word => {
                    if let Some(builtin) = BuiltIn::from_u32(*value) {
                        code.builtins.insert(*target, builtin);
                    }
                }
                (Op::ConstantComposite | Op::SpecConstantComposite | Op::ConstantNull, _) => {
                    code.composites.push(instruction);
                }
                (Op::Constant | Op::SpecConstant | Op::SpecConstantOp, _) => {
                    code.constant_types.extend(result.zip(ty));
                }
                (Op::ConstantTrue | Op::ConstantFalse, _) => {
                    code.bools.extend(result.map(|id| (id, op == Op::ConstantTrue)));
                }
                (Op::Line, [file, at, column]) => line = Some(SourceLine { file: *file, line: *at, column: *column }),
                (Op::NoLine, _) => line = None,
                (Op::ExtInst, [set, number, debug @ ..]) if debug_sets.contains(set) => {
                    match (*number, debug, result) {
                        (DEBUG_SOURCE, [file, ..], Some(id)) => drop(code.sources.insert(id, *file)),
                        (DEBUG_LINE, [source, at, _, column, ..], _) => {
                            let number = |id| types.constants.value(id).and_then(|value| u32::try_from(value).ok());
                            line = code.sources.get(source).zip(number(*at)).map(|(file, at)| SourceLine {
                                file: *file,
                                line: at,
                                column: number(*column).unwrap_or(0),
                            });
                        }
                        (DEBUG_NO_LINE, ..) => line = None,
                        _ => {}
                    }
                }
                (Op::Function, _) => {
                    function = result.map(|id| Function { id, parameters: Vec::new(), body: Vec::new() });
                }
                (Op::FunctionParameter, _) => {
                    if let Some(function) = &mut function {
                        function.parameters.extend(result);
                        function.body.push(instruction);
                    }
                }
                (Op::FunctionEnd, _) => {
                    code.functions.extend(function.take());
                    line = None;
                }
                _ => {
                    if let Some(function) = &mut function {
                        function.body.push(instruction);
                        // A line ends with its block.
                        if is_terminator(op) {
                            line = None;
                        }
                    }
                }
            }
        }
        code.local_size = local_sizes.pop_first().filter(|_| local_sizes.is_empty() && !has_other_size);
        // A constant with this decoration replaces `LocalSize`.
        if let Some((id, _)) = code.builtins.iter().find(|(_, builtin)| **builtin == BuiltIn::WorkgroupSize) {
            code.local_size = code.constant_size(*id, types);
        }
        Ok(code)
    }

    /// The workgroup of an entry point in a pipeline that changes no specialization constant.
    pub(super) fn default_size(&self, entry: &Entry, types: &SpirvTypes) -> Option<[u32; 3]> {
        let number = |id: Word| types.constants.value(id).and_then(|value| u32::try_from(value).ok());
        let builtin = self.builtins.iter().find(|(_, builtin)| **builtin == BuiltIn::WorkgroupSize);
        let (size, is) = match builtin {
            Some((id, _)) => {
                let size = self.composites.iter().find(|composite| composite.result == Some(*id))?;
                (size.operands.try_into().ok()?, SizeIs::Ids)
            }
            None => *self.sizes.get(&entry.function)?,
        };
        let [x, y, z]: [Word; 3] = size;
        match is {
            SizeIs::Numbers => Some(size),
            SizeIs::Ids => Some([number(x)?, number(y)?, number(z)?]),
        }
    }

    /// A size that no pipeline changes.
    fn constant_size(&self, id: Word, types: &SpirvTypes) -> Option<[u32; 3]> {
        let size = self.composites.iter().find(|composite| composite.result == Some(id))?;
        let number = |id: &Word| {
            let value = types.constants.value(*id).filter(|_| types.constants.specialized(*id).is_none())?;
            u32::try_from(value).ok()
        };
        let [x, y, z] = size.operands else { return None };
        Some([number(x)?, number(y)?, number(z)?])
    }

    pub(super) fn place(&self, line: SourceLine) -> Option<SourcePlace> {
        let file = self.strings.get(&line.file)?.clone();
        // Some compilers write line 0 for code of their own.
        (line.line > 0).then(|| SourcePlace {
            file,
            line: line.line,
            column: Some(line.column).filter(|column| *column > 0),
        })
    }
}

fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}

fn text(words: &[Word]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let text: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&text).into_owned()
}

/// An instruction's opcode, type, result and other operands.
type SplitInstruction<'a> = (Op, Option<Word>, Option<Word>, &'a [Word]);

/// Which opcodes have a result and its type.
#[derive(Debug, Default)]
struct Forms(FxHashMap<Word, Option<(Op, bool, bool)>>);

impl Forms {
    /// `None` if the opcode is unknown or words are missing.
    fn split<'a>(&mut self, opcode: Word, words: &'a [Word]) -> Option<SplitInstruction<'a>> {
        let form = self.0.entry(opcode).or_insert_with(|| {
            let known = INSTRUCTION_TABLE.lookup_opcode(opcode)?;
            let has = |kind| known.operands.iter().any(|operand| operand.kind == kind);
            Some((known.opcode, has(OperandKind::IdResultType), has(OperandKind::IdResult)))
        });
        let (op, has_type, has_result) = (*form)?;
        let own = usize::from(has_type) + usize::from(has_result);
        let rest = words.get(own..)?;
        let ty = has_type.then(|| words[0]);
        let result = has_result.then(|| words[usize::from(has_type)]);
        Some((op, ty, result, rest))
    }
}
