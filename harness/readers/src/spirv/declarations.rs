//! Reads only the part of a module that determines where data is.
//!
//! rspirv knows one version of SPIR-V and rejects everything else: an instruction of a newer
//! extension, a capability, an extended instruction outside of functions. Most of these do not
//! matter for a layout. So the words are filtered first: rspirv gets names, types, constants,
//! variables and the decorations that place data. An unknown word that matters is replaced by an
//! opaque type or noted, so that a reader can name it.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction", "Logical
//! Layout of a Module".

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{word_bytes, words_of};
use rspirv::binary::parse_words;
use rspirv::dr::Module;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::BadModule;
use super::load::{CountingLoader, HEADER_WORDS, instruction_starts};
use super::specialization::is_folded;

/// Most unknown opcodes to warn about per module.
const MOST_WARNINGS: usize = 8;

#[derive(Debug)]
pub(super) struct Declarations {
    /// Names, decorations, types, constants and global variables; no functions.
    pub(super) module: Module,
    /// Types that were replaced by opaque ones or that have no known size, by id: a noun phrase for
    /// messages.
    pub(super) unread: BTreeMap<Word, String>,
    /// Types of images, by id: true for one that no sampler reads.
    pub(super) images: BTreeMap<Word, bool>,
    /// Numbers of unknown decorations, by decorated id and member.
    pub(super) unknown_decorations: BTreeMap<(Word, Option<u32>), BTreeSet<u32>>,
    pub(super) entries: Vec<DeclaredEntry>,
    /// Sentences about parts of the module that may hold blocks but are not listed.
    pub(super) warnings: Vec<String>,
    /// Accesses of buffers in descriptor heaps, in the order of the code.
    pub(super) heap_accesses: Vec<HeapAccess>,
    /// Types of pointers that functions make of numbers.
    pub(super) made_pointers: BTreeSet<Word>,
}

/// A pointer into a buffer of a descriptor heap.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeapAccess {
    /// Its type.
    pub(super) pointer: Word,
    /// The type of the buffer's content; `None` if the type of the pointer has it.
    pub(super) content: Option<Word>,
    /// True for a pointer to the whole buffer through which a later one goes.
    pub(super) is_passed_on: bool,
}

/// An entry point with the variables of its interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredEntry {
    /// The number of its execution model.
    pub(super) model: u32,
    pub(super) name: String,
    pub(super) interface: Vec<Word>,
}

impl DeclaredEntry {
    /// `None` if the instruction is too short.
    fn of(instruction: &[u32]) -> Option<Self> {
        let [_, model, _, rest @ ..] = instruction else { return None };
        let words = rest.iter().position(|word| word.to_le_bytes().contains(&0))? + 1;
        let bytes = word_bytes(&rest[..words]);
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        Some(Self { model: *model, name, interface: rest[words..].to_vec() })
    }
}

impl Declarations {
    pub(super) fn read(words: &[u32]) -> Result<Self, BadModule> {
        let starts = instruction_starts(words)?;
        let mut filter = DeclarationFilter::default();
        filter.kept.extend_from_slice(&words[..HEADER_WORDS]);
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(words.len());
            filter.add(&words[*start..end], *start);
        }
        let truncated = |reason: &str| BadModule::new(words.len(), format!("{reason}: the module is truncated"));
        filter.check_complete().map_err(truncated)?;

        let mut counting = CountingLoader::new();
        if let Err(state) = parse_words(&filter.kept, &mut counting) {
            let word = filter.starts.get(counting.instructions).copied().unwrap_or(words.len());
            return Err(BadModule::new(word, state.to_string()));
        }
        Ok(filter.finish(counting.module()))
    }
}

/// The name of a storage class or opcode, or its number if the name is unknown.
fn named<T: std::fmt::Debug>(known: Option<T>, number: u32) -> String {
    known.map_or_else(|| number.to_string(), |known| format!("{known:?}"))
}

/// Keeps only instructions that declare something.
#[derive(Debug, Default)]
struct DeclarationFilter {
    kept: Vec<u32>,
    /// The first word in the module of each kept instruction.
    starts: Vec<usize>,
    names: BTreeMap<Word, String>,
    /// Structs that are decorated as blocks.
    blocks: BTreeSet<Word>,
    /// All types that are kept or replaced.
    types: BTreeSet<Word>,
    /// Widths of integer types. rspirv needs them to read constants.
    integers: BTreeMap<Word, u32>,
    elements: BTreeMap<Word, Word>,
    images: BTreeMap<Word, bool>,
    unread: BTreeMap<Word, String>,
    /// Constants whose value is unknown here, by id: a noun phrase for messages.
    unread_constants: BTreeMap<Word, String>,
    /// Possible result ids of unknown instructions, with the opcode.
    unknown_results: BTreeMap<Word, u32>,
    unknown_pointers: BTreeMap<Word, Word>,
    unknown_decorations: BTreeMap<(Word, Option<u32>), BTreeSet<u32>>,
    unknown_opcodes: BTreeSet<u32>,
    warnings: Vec<String>,
    heap_accesses: Vec<HeapAccess>,
    /// Pointers to buffers of descriptor heaps, by id, with their access.
    heap_pointers: BTreeMap<Word, usize>,
    made_pointers: BTreeSet<Word>,
    has_memory_model: bool,
    entry_points: BTreeSet<Word>,
    entries: Vec<DeclaredEntry>,
    functions: BTreeSet<Word>,
    in_function: bool,
}

impl DeclarationFilter {
    fn finish(self, module: Module) -> Declarations {
        Declarations {
            module,
            unread: self.unread,
            images: self.images,
            entries: self.entries,
            unknown_decorations: self.unknown_decorations,
            warnings: self.warnings,
            heap_accesses: self.heap_accesses,
            made_pointers: self.made_pointers,
        }
    }

    /// Rejects modules that end too early between two instructions.
    fn check_complete(&self) -> Result<(), &'static str> {
        if !self.has_memory_model {
            return Err("no memory model");
        }
        if self.in_function {
            return Err("a function without an end");
        }
        if self.entry_points.is_subset(&self.functions) { Ok(()) } else { Err("an entry point without its function") }
    }

    /// Handles an instruction whose first word in the module is `start`.
    fn add(&mut self, instruction: &[u32], start: usize) {
        let opcode = instruction[0] & 0xFFFF;
        let word = |index: usize| instruction.get(index).copied();
        let Some(op) = Op::from_u32(opcode) else {
            self.add_unknown(instruction, opcode);
            return;
        };

        match op {
            Op::Function => {
                self.in_function = true;
                self.functions.extend(word(2));
            }
            Op::FunctionEnd => self.in_function = false,
            _ if self.in_function => self.add_access(op, &instruction[1..]),
            Op::MemoryModel => self.has_memory_model = true,
            Op::EntryPoint => {
                self.entry_points.extend(word(2));
                self.entries.extend(DeclaredEntry::of(instruction));
            }
            Op::Name => self.add_name(instruction, 2, start),
            Op::MemberName => self.add_name(instruction, 3, start),
            Op::Decorate => self.add_decoration(instruction, (word(1), None), word(2), start),
            Op::MemberDecorate => self.add_decoration(instruction, (word(1), word(2)), word(3), start),
            Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse => self.keep(instruction, start),
            Op::Constant | Op::SpecConstant => self.add_constant(instruction, op, start),
            Op::SpecConstantOp => self.add_computation(instruction, start),
            Op::Variable | Op::UntypedVariableKHR => self.add_variable(instruction, op, start),
            Op::TypeStructContinuedINTEL => {
                self.warnings
                    .push("the members that OpTypeStructContinuedINTEL adds to a struct are not listed".to_owned());
            }
            op if op.is_type() => self.add_type(instruction, op, start),
            op if op.is_constant() => {
                if let Some(id) = word(2) {
                    self.unread_constants.insert(id, format!("Op{op:?}"));
                }
            }
            _ => {}
        }
    }

    /// Notes an access of memory that no variable holds.
    fn add_access(&mut self, op: Op, operands: &[u32]) {
        match (op, operands) {
            (Op::BufferPointerEXT, [pointer, result, ..]) => {
                self.heap_pointers.insert(*result, self.heap_accesses.len());
                self.heap_accesses.push(HeapAccess { pointer: *pointer, content: None, is_passed_on: false });
            }
            (
                Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR | Op::UntypedPtrAccessChainKHR,
                [pointer, _, content, base, ..],
            ) => {
                if let Some(whole) = self.heap_pointers.get(base) {
                    self.heap_accesses[*whole].is_passed_on = true;
                    self.heap_accesses.push(HeapAccess {
                        pointer: *pointer,
                        content: Some(*content),
                        is_passed_on: false,
                    });
                }
            }
            (Op::ConvertUToPtr | Op::Bitcast, [ty, ..]) => {
                self.made_pointers.insert(*ty);
            }
            _ => {}
        }
    }

    fn keep(&mut self, instruction: &[u32], start: usize) {
        self.kept.extend_from_slice(instruction);
        self.starts.push(start);
    }

    /// Notes an instruction with an unknown opcode. Its result id, if it has one, is its first or
    /// second operand.
    fn add_unknown(&mut self, instruction: &[u32], opcode: u32) {
        if self.in_function {
            return;
        }
        for id in instruction.iter().skip(1).take(2) {
            self.unknown_results.entry(*id).or_insert(opcode);
        }
        if self.unknown_opcodes.insert(opcode) && self.unknown_opcodes.len() <= MOST_WARNINGS {
            self.warnings.push(format!(
                "an instruction of the unknown opcode {opcode} is skipped: if it declares a block, that is not listed"
            ));
        }
    }

    /// Keeps the name that starts at operand word `text`. Compilers copy names from their source,
    /// so one may not be UTF-8; it is kept with replacement characters.
    fn add_name(&mut self, instruction: &[u32], text: usize, start: usize) {
        let bytes = word_bytes(instruction.get(text..).unwrap_or_default());
        let Some(end) = bytes.iter().position(|byte| *byte == 0) else {
            // rspirv reports the error.
            self.keep(instruction, start);
            return;
        };

        let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut padded = name.clone().into_bytes();
        padded.resize((padded.len() / 4 + 1) * 4, 0);
        let mut kept = [&instruction[..text], &words_of(&padded)].concat();
        kept[0] = (u32::try_from(kept.len()).unwrap_or(u32::MAX) << 16) | (instruction[0] & 0xFFFF);
        // Replacement characters may make a name too long for an instruction.
        if u16::try_from(kept.len()).is_err() {
            return;
        }
        if text == 2 {
            self.names.insert(instruction[1], name);
        }
        self.keep(&kept, start);
    }

    fn add_decoration(
        &mut self,
        instruction: &[u32],
        (target, member): (Option<Word>, Option<u32>),
        number: Option<u32>,
        start: usize,
    ) {
        let (Some(target), Some(number)) = (target, number) else {
            self.keep(instruction, start);
            return;
        };
        match Decoration::from_u32(number) {
            Some(decoration) if places_data(decoration) => {
                if matches!(decoration, Decoration::Block | Decoration::BufferBlock) {
                    self.blocks.insert(target);
                }
                self.keep(instruction, start);
            }
            Some(_) => {}
            None => {
                self.unknown_decorations.entry((target, member)).or_default().insert(number);
            }
        }
    }

    /// Keeps a constant of an integer type, because array lengths are such constants.
    fn add_constant(&mut self, instruction: &[u32], op: Op, start: usize) {
        let [_, ty, id, ..] = *instruction else {
            self.keep(instruction, start);
            return;
        };
        if matches!(self.integers.get(&ty), Some(8 | 16 | 32 | 64)) {
            self.keep(instruction, start);
        } else {
            self.unread_constants.insert(id, format!("Op{op:?} of a type that is no integer"));
        }
    }

    /// Keeps a computation on specialization constants if it is supported.
    fn add_computation(&mut self, instruction: &[u32], start: usize) {
        let [_, _, id, number, ..] = *instruction else {
            self.keep(instruction, start);
            return;
        };
        match Op::from_u32(number) {
            Some(op) if is_folded(op) => self.keep(instruction, start),
            op => {
                self.unread_constants.insert(id, format!("the operation {} on constants", named(op, number)));
            }
        }
    }

    fn add_type(&mut self, instruction: &[u32], op: Op, start: usize) {
        let word = |index: usize| instruction.get(index).copied();
        let Some(id) = word(1) else {
            self.keep(instruction, start);
            return;
        };

        // The types that it contains; an unknown instruction may declare them.
        let parts = match op {
            Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray => instruction.get(2..3),
            Op::TypeStruct => instruction.get(2..),
            _ => None,
        };
        for part in parts.unwrap_or_default() {
            if let Some(opcode) = self.unknown_results.get(part).filter(|_| !self.types.contains(part)).copied() {
                self.replace(*part, format!("a type of the unknown opcode {opcode}"), start);
            }
        }

        match op {
            // `Sampled` is 2 for an image that is read and written without a sampler.
            Op::TypeImage => drop(self.images.insert(id, word(7) == Some(2))),
            Op::TypeSampledImage => drop(self.images.insert(id, false)),
            _ => {}
        }
        match (op, word(2)) {
            (Op::TypeInt, width) => self.integers.extend(width.map(|width| (id, width))),
            // A further operand means that the encoding is not IEEE's for that width.
            (Op::TypeFloat, Some(width)) if instruction.len() > 3 => {
                return self.replace(id, format!("a float of {width} bits with another encoding than IEEE 754"), start);
            }
            (Op::TypeArray | Op::TypeRuntimeArray, element) => {
                self.elements.extend(element.map(|element| (id, element)));
                let length = word(3).filter(|_| op == Op::TypeArray);
                let reason = length.and_then(|length| self.unread_length(length));
                self.unread.extend(reason.map(|reason| (id, format!("an array whose length is {reason}"))));
            }
            (Op::TypePointer | Op::TypeUntypedPointerKHR, Some(class)) if StorageClass::from_u32(class).is_none() => {
                self.unknown_pointers.extend(word(3).map(|pointee| (id, pointee)));
                return self.replace(id, format!("a pointer into the unknown storage class {class}"), start);
            }
            // The pointer's own declaration follows.
            (Op::TypeForwardPointer, Some(class)) if StorageClass::from_u32(class).is_none() => return,
            (
                Op::TypeVoid
                | Op::TypeBool
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeMatrix
                | Op::TypeStruct
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeForwardPointer,
                _,
            ) => {}
            (
                Op::TypeImage
                | Op::TypeSampler
                | Op::TypeSampledImage
                | Op::TypeAccelerationStructureKHR
                | Op::TypeRayQueryKHR,
                _,
            ) => return self.replace(id, "a type that has no bytes in a block".to_owned(), start),
            _ => return self.replace(id, format!("Op{op:?}"), start),
        }
        self.types.insert(id);
        self.keep(instruction, start);
    }

    /// A phrase for the length of an array if its value is unknown here.
    fn unread_length(&self, length: Word) -> Option<String> {
        let unknown = || self.unknown_results.get(&length).map(|opcode| format!("of the unknown opcode {opcode}"));
        self.unread_constants.get(&length).cloned().or_else(unknown)
    }

    /// Declares an opaque type in place of one that has no layout here.
    fn replace(&mut self, id: Word, what: String, start: usize) {
        if self.types.insert(id) {
            self.keep(&[(3 << 16) | Op::TypeOpaque as u32, id, 0], start);
        }
        self.unread.insert(id, what);
    }

    fn add_variable(&mut self, instruction: &[u32], op: Op, start: usize) {
        let [_, ty, id, class, ref rest @ ..] = *instruction else {
            self.keep(instruction, start);
            return;
        };
        let is_known = StorageClass::from_u32(class).is_some() && !self.unknown_pointers.contains_key(&ty);
        if is_known {
            self.keep(instruction, start);
            return;
        }
        // An untyped pointer has no pointee, and the variable may have a data type.
        let data = rest.first().filter(|_| op == Op::UntypedVariableKHR);
        let pointee = self.unknown_pointers.get(&ty).or(data).copied();
        if pointee.is_none_or(|pointee| self.holds_block(pointee)) {
            let name = self.names.get(&id).filter(|name| !name.is_empty()).cloned();
            let name = name.unwrap_or_else(|| format!("%{id}"));
            self.warnings.push(format!("`{name}` is in the unknown storage class {class}, so it is not listed"));
        }
    }

    fn holds_block(&self, ty: Word) -> bool {
        let mut here = ty;
        // An element is declared before its array, so there are at most as many steps as arrays.
        for _ in 0..=self.elements.len() {
            match self.elements.get(&here) {
                Some(element) => here = *element,
                None => return self.blocks.contains(&here),
            }
        }
        false
    }
}

/// True if a decoration determines where data is, or its binding.
fn places_data(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::Block
            | Decoration::BufferBlock
            | Decoration::RowMajor
            | Decoration::ColMajor
            | Decoration::ArrayStride
            | Decoration::MatrixStride
            | Decoration::Offset
            | Decoration::SpecId
            | Decoration::DescriptorSet
            | Decoration::Binding
            | Decoration::Location
            | Decoration::Component
            | Decoration::Index
            | Decoration::Patch
            | Decoration::PerVertexKHR
            | Decoration::PerTaskNV
            | Decoration::BuiltIn
            | Decoration::XfbBuffer
            | Decoration::XfbStride
    )
}
