//! Finds addresses that cannot all have the alignment that accesses promise: those to which the steps of an invocation's
//! index lead, as in `D(base + gl_GlobalInvocationID.x * 4)` with a `buffer_reference_align` of 16.
//!
//! The address of the first invocation is not known, so a promise is broken only if two invocations whose indices are 1
//! apart cannot both keep it. Indices that are computed from memory, or by loops, are not followed.
//!
//! Source: SPIR-V specification, "Memory Operands", `Aligned`.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::{BuiltIn, MemoryAccess, Op, StorageClass, Word};

use super::BadModule;
use super::load::instruction_starts;
use super::types::{SpirvType, SpirvTypes};

/// Times that a module is read, so that functions know the arguments of calls after them. A chain of calls in reverse
/// order takes more, and its addresses are not followed.
const READINGS: usize = 4;

/// The largest step that is followed, in bytes.
const LARGEST_STEP: u32 = 1 << 16;

/// A promise that not every invocation can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SmallStep {
    /// The alignment that an access promises, in bytes.
    pub(super) promised: u32,
    /// The largest power of two that divides the step from one invocation to the next, in bytes.
    pub(super) step: u32,
}

/// How a value changes from one invocation to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Steps {
    /// A power of two that divides all differences; the differences of the next invocation are odd multiples of it.
    step: u32,
    /// The indices that it follows from, a bit for each component of a built-in value.
    indices: u32,
    /// The block that the value is an address of.
    pointee: Option<Word>,
}

/// The smallest step of each block behind an address, by the id of its struct.
pub(super) fn small_steps(words: &[u32], types: &SpirvTypes) -> Result<BTreeMap<Word, SmallStep>, BadModule> {
    let starts = instruction_starts(words)?;
    let mut reader = StepReader {
        types,
        known: BTreeMap::new(),
        set: BTreeSet::new(),
        locals: BTreeSet::new(),
        vectors: BTreeMap::new(),
        parameters: BTreeMap::new(),
        function: 0,
        found: BTreeMap::new(),
    };
    for _ in 0..READINGS {
        let before = reader.known.clone();
        reader.set.clear();
        for start in &starts {
            let length = (words[*start] >> 16) as usize;
            let Some(operands) = words.get(start + 1..start + length) else { continue };
            match (Op::from_u32(words[*start] & 0xFFFF), operands) {
                (Some(Op::Function), [_, id, ..]) => {
                    reader.function = *id;
                    reader.parameters.insert(*id, Vec::new());
                }
                (Some(Op::FunctionParameter), [_, id, ..]) => {
                    reader.parameters.entry(reader.function).or_default().push(*id);
                }
                (Some(op), operands) => reader.read(op, operands),
                (None, _) => {}
            }
        }
        if reader.known == before {
            break;
        }
    }
    Ok(reader.found)
}

struct StepReader<'a> {
    types: &'a SpirvTypes,
    /// By the id of a value, of a local variable that holds it, or of a function that returns it.
    known: BTreeMap<Word, Option<Steps>>,
    /// The variables, parameters and functions that got a value in this reading.
    set: BTreeSet<Word>,
    locals: BTreeSet<Word>,
    /// Loaded vectors of indices, by id.
    vectors: BTreeMap<Word, BuiltIn>,
    parameters: BTreeMap<Word, Vec<Word>>,
    /// The function whose body is read.
    function: Word,
    found: BTreeMap<Word, SmallStep>,
}

impl StepReader<'_> {
    fn read(&mut self, op: Op, operands: &[Word]) {
        match (op, operands) {
            (Op::Variable, [_, id, class, ..]) if *class == StorageClass::Function as Word => {
                self.locals.insert(*id);
            }
            (Op::Store, [pointer, value, access @ ..]) => {
                self.check(*pointer, access);
                let is_address = self.steps(*pointer).is_some_and(|steps| steps.pointee.is_some());
                if !is_address || self.locals.contains(pointer) {
                    let steps = self.steps(*value);
                    self.set(*pointer, steps);
                }
            }
            (Op::Load, [ty, result, pointer, access @ ..]) => {
                self.check(*pointer, access);
                match (self.builtin(*pointer), self.types.get(*ty)) {
                    (Some(builtin), SpirvType::Vector { .. }) => drop(self.vectors.insert(*result, builtin)),
                    (Some(builtin), _) => self.define(*result, Steps::of_index(builtin, 0)),
                    (None, _) => {
                        let steps = self.loaded(*ty, *pointer);
                        self.define(*result, steps);
                    }
                }
            }
            (Op::ReturnValue, [value]) => {
                let steps = self.steps(*value);
                self.set(self.function, steps);
            }
            (Op::FunctionCall, [_, result, function, arguments @ ..]) => {
                let parameters = self.parameters.get(function).cloned().unwrap_or_default();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    let steps = self.steps(*argument);
                    self.set(*parameter, steps);
                }
                let steps = self.steps(*function);
                self.define(*result, steps);
            }
            (_, [ty, result, inputs @ ..]) => {
                let steps = self.computed(op, *ty, inputs);
                if steps.is_some() {
                    self.define(*result, steps);
                }
            }
            _ => {}
        }
    }

    fn steps(&self, id: Word) -> Option<Steps> {
        self.known.get(&id).copied().flatten()
    }

    fn define(&mut self, id: Word, steps: Option<Steps>) {
        if steps.is_some() {
            self.known.insert(id, steps);
        }
    }

    /// Sets a variable; one that gets several values is not followed.
    fn set(&mut self, variable: Word, steps: Option<Steps>) {
        let is_other = !self.set.insert(variable) && self.steps(variable) != steps;
        self.known.insert(variable, steps.filter(|_| !is_other));
    }

    /// The built-in value in an input.
    fn builtin(&self, id: Word) -> Option<BuiltIn> {
        self.types.variables.get(&id).filter(|variable| variable.class == StorageClass::Input)?.builtin
    }

    /// The value at a pointer: that of a variable, or of memory.
    fn loaded(&self, ty: Word, pointer: Word) -> Option<Steps> {
        // What an address points to has no steps; a variable that holds an address has those of the address.
        let steps = self.steps(pointer)?;
        let is_address =
            matches!(self.types.get(ty), SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, .. });
        (steps.pointee.is_none() || is_address).then_some(steps)
    }

    fn computed(&self, op: Op, ty: Word, inputs: &[Word]) -> Option<Steps> {
        let constant = |id: Word| self.types.constants.value(id);
        let first = *inputs.first()?;
        let scaled = |steps: Steps, factor: u64| {
            let factor = 1_u64.checked_shl(factor.trailing_zeros())?;
            let step = u64::from(steps.step).checked_mul(factor)?.min(LARGEST_STEP.into());
            Some(Steps { step: u32::try_from(step).ok()?, ..steps })
        };
        match op {
            Op::AccessChain | Op::InBoundsAccessChain => self.part(first, inputs.get(1..)?),
            Op::CompositeExtract => Steps::of_index(*self.vectors.get(&first)?, *inputs.get(1)?),
            Op::UConvert | Op::SConvert | Op::Bitcast | Op::CopyObject | Op::ConvertPtrToU => self.steps(first),
            Op::ConvertUToPtr => {
                let SpirvType::Pointer { pointee, .. } = self.types.get(ty) else { return None };
                Some(Steps { pointee: Some(*pointee), ..self.steps(first)? })
            }
            Op::IAdd | Op::ISub => match (self.steps(first), self.steps(*inputs.get(1)?)) {
                (Some(one), Some(other)) => one.plus(other),
                (one, other) => one.or(other),
            },
            Op::IMul => {
                let second = *inputs.get(1)?;
                match (self.steps(first), self.steps(second)) {
                    (Some(steps), None) => scaled(steps, constant(second)?),
                    (None, Some(steps)) => scaled(steps, constant(first)?),
                    _ => None,
                }
            }
            Op::ShiftLeftLogical => {
                let shift = u32::try_from(constant(*inputs.get(1)?)?).ok()?;
                scaled(self.steps(first)?, 1_u64.checked_shl(shift)?)
            }
            _ => None,
        }
    }

    /// A part of the memory at an address, or the component of an index.
    fn part(&self, base: Word, indices: &[Word]) -> Option<Steps> {
        if let Some(builtin) = self.builtin(base) {
            let [index] = indices else { return None };
            return Steps::of_index(builtin, u32::try_from(self.types.constants.value(*index)?).ok()?);
        }
        // The place in the block may depend on the invocation, too; its members are where the first ones are.
        self.steps(base).filter(|steps| steps.pointee.is_some())
    }

    fn check(&mut self, pointer: Word, access: &[Word]) {
        let [mask, promised, ..] = *access else { return };
        let is_aligned = MemoryAccess::from_bits(mask).is_some_and(|access| access.contains(MemoryAccess::ALIGNED));
        let Some(Steps { step, pointee: Some(pointee), .. }) = self.steps(pointer).filter(|_| is_aligned) else {
            return;
        };
        if promised > step {
            let small = SmallStep { promised, step };
            self.found.entry(pointee).and_modify(|known| *known = (*known).max(small)).or_insert(small);
        }
    }
}

impl Steps {
    /// A component of a built-in value that differs by 1 from one invocation to the next.
    fn of_index(builtin: BuiltIn, component: u32) -> Option<Self> {
        let bit = |first: u32| 1 << (first + component.min(2));
        let indices = match builtin {
            BuiltIn::LocalInvocationId => bit(0),
            BuiltIn::LocalInvocationIndex => 0b111,
            BuiltIn::WorkgroupId => bit(3),
            // The sum of the two.
            BuiltIn::GlobalInvocationId => bit(0) | bit(3),
            BuiltIn::LaunchIdKHR => bit(6),
            BuiltIn::VertexIndex | BuiltIn::VertexId => 1 << 9,
            BuiltIn::InstanceIndex | BuiltIn::InstanceId => 1 << 10,
            BuiltIn::PrimitiveId => 1 << 11,
            _ => return None,
        };
        Some(Self { step: 1, indices, pointee: None })
    }

    /// The sum of two values, which is followed if different indices change them.
    fn plus(self, other: Self) -> Option<Self> {
        let is_independent = self.indices & other.indices == 0;
        let pointee = self.pointee.or(other.pointee);
        let indices = self.indices | other.indices;
        is_independent.then_some(Self { step: self.step.min(other.step), indices, pointee })
    }
}
