//! The interpreter: runs the invocations of a workgroup over buffers, one after another.
//!
//! It follows branches, calls and phis within a budget of steps, so every module ends. For an
//! instruction that it does not model it returns an error with the instruction's name.

use std::collections::BTreeMap;

use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{BuiltIn, Op, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::descriptors::{DescriptorKey, DescriptorTable, NOWHERE};
use super::frame::{Call, Frame};
use super::memory::ModelMemory;
use super::misreading::Disturbance;
use super::model_error::ModelError;
use super::program::ModelProgram;
use super::value::{MemoryPlace, ModelDescriptor, ModelPointer, ModelValue, PointerTarget};
use layoutproof_device::Stage;
use layoutproof_readers::spirv::Operands;
use layoutproof_readers::spirv::types::SpirvVariable;

/// Maximum number of instructions and moved scalars in a run.
pub(super) const BUDGET: u64 = 1 << 22;

/// Maximum depth of nested calls. SPIR-V has no recursion.
pub(super) const MAX_CALLS: u32 = 32;

const MAX_INVOCATIONS: u32 = 1024;

pub(super) const MAX_SCALARS: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct ModelMachine<'a> {
    pub(super) program: &'a ModelProgram,
    pub(super) descriptors: DescriptorTable,
    /// The job's buffers and other bound ranges, then the push constants.
    pub(super) memories: Vec<ModelMemory>,
    /// Index of the push constants in `memories`.
    pub(super) push_constants: usize,
    /// The record of the running stage, by its place in the table.
    record: usize,
    /// The record that a ray generation reached.
    reached: Option<usize>,
    /// Index in `memories` of the workgroup memory with explicit layout, once it is used. It is after
    /// those of the job.
    workgroup: Option<usize>,
    /// Variables without layout.
    pub(super) cells: Vec<ModelValue>,
    pub(super) disturbance: Disturbance,
    constants: FxHashMap<Word, ModelValue>,
    /// The places of variables outside of functions.
    variables: FxHashMap<Word, ModelValue>,
    budget: u64,
    calls: u32,
    /// Invocations of the workgroup in x, y, z.
    size: [u32; 3],
    /// Index of the current invocation.
    invocation: u32,
}

/// The next step after an instruction.
enum ModelFlow {
    Next,
    Jump(Word),
    Return(Option<ModelValue>),
}

impl<'a> ModelMachine<'a> {
    /// Makes a machine and computes its constants. The last of `memories` holds the push constants.
    pub(super) fn new(
        program: &'a ModelProgram,
        descriptors: DescriptorTable,
        memories: Vec<ModelMemory>,
        disturbance: Disturbance,
    ) -> Self {
        let push_constants = memories.len().saturating_sub(1);
        Self {
            program,
            descriptors,
            memories,
            push_constants,
            record: 0,
            reached: None,
            workgroup: None,
            cells: Vec::new(),
            disturbance,
            constants: FxHashMap::default(),
            variables: FxHashMap::default(),
            budget: BUDGET,
            calls: 0,
            size: [1; 3],
            invocation: 0,
        }
    }

    /// Runs an entry point of a stage. `specialized` has the values of specialization constants, by
    /// `SpecId`.
    pub(super) fn run(
        &mut self,
        stage: Stage,
        entry: &str,
        specialized: &BTreeMap<u32, u32>,
    ) -> Result<(), ModelError> {
        let (entry, size) = self.program.entry_point(stage, entry)?;
        self.size = size;
        let count = size.iter().try_fold(1, |count: u32, size| count.checked_mul(*size));
        let count = count.filter(|count| *count <= MAX_INVOCATIONS);

        self.make_constants(specialized)?;

        for invocation in 0..count.ok_or_else(|| ModelError::not_modelled("local size ", &format!("{size:?}")))? {
            self.invocation = invocation;
            self.cells.clear();
            self.variables.clear();
            self.call(entry, &[])?;
        }
        Ok(())
    }

    /// Takes `cost` from the budget.
    pub(super) fn spend(&mut self, cost: u64) -> Result<(), ModelError> {
        self.budget = self.budget.checked_sub(cost).ok_or(ModelError::TooLong)?;
        Ok(())
    }

    /// Takes the cost of moving a value of type `ty` from the budget.
    pub(super) fn spend_value(&mut self, ty: Word) -> Result<(), ModelError> {
        let scalars = self.program.types.scalars(ty);
        if scalars > MAX_SCALARS {
            return Err(ModelError::TooLarge(ty));
        }
        self.spend(scalars)
    }

    pub(super) fn value(&mut self, frame: &Frame, id: Word) -> Result<ModelValue, ModelError> {
        if let Some(value) =
            frame.values.get(&id).or_else(|| self.constants.get(&id)).or_else(|| self.variables.get(&id))
        {
            return Ok(value.clone());
        }

        let variable = self.program.types.variables.get(&id).ok_or(ModelError::Id { id, problem: "has no value" })?;
        let pointer = ModelPointer { pointee: variable.pointee, place: self.place_of(variable)? };
        let pointer = ModelValue::Pointer(pointer);
        self.variables.insert(id, pointer.clone());
        Ok(pointer)
    }

    /// The place of a variable outside of functions. Creates variables without a layout.
    fn place_of(&mut self, variable: &SpirvVariable) -> Result<PointerTarget, ModelError> {
        match variable.class {
            StorageClass::UniformConstant if variable.builtin == Some(BuiltIn::ResourceHeapEXT) => {
                Ok(PointerTarget::Array { set: NOWHERE, binding: NOWHERE })
            }
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
                let (set, binding) = (variable.set.unwrap_or(0), variable.binding.unwrap_or(0));
                let is_array = self.program.types.is_array(variable.pointee);
                if is_array { Ok(PointerTarget::Array { set, binding }) } else { self.descriptor((set, binding, 0)) }
            }
            StorageClass::PushConstant => {
                Ok(PointerTarget::Memory { buffer: self.push_constants, at: MemoryPlace::start() })
            }
            StorageClass::ShaderRecordBufferKHR => {
                let record = self.descriptors.records.get(self.record).ok_or(ModelError::NoRecord(self.record))?;
                Ok(PointerTarget::Memory { buffer: *record, at: MemoryPlace::start() })
            }
            StorageClass::Workgroup if self.size != [1; 3] => {
                Err(ModelError::not_modelled("memory that invocations share", &""))
            }
            StorageClass::Workgroup if self.program.types.is_workgroup_block(variable) => {
                let buffer = self.workgroup_memory(variable);
                Ok(PointerTarget::Memory { buffer, at: MemoryPlace::start() })
            }
            StorageClass::Private
            | StorageClass::Workgroup
            | StorageClass::Output
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR => {
                let place = self.new_cell(variable.pointee)?;
                let value = variable.initializer.and_then(|id| self.constants.get(&id)).cloned();
                if let (Some(value), PointerTarget::Cell { cell, .. }) = (value, &place) {
                    self.cells[*cell] = value;
                }
                Ok(place)
            }
            StorageClass::Input => {
                let place = self.new_cell(variable.pointee)?;
                self.set_builtin(variable, &place);
                Ok(place)
            }
            class => Err(ModelError::not_modelled("storage class ", &format!("{class:?}"))),
        }
    }

    /// The memory of a block with explicit layout in workgroup memory: the same for all blocks, as
    /// they are aliased.
    fn workgroup_memory(&mut self, variable: &SpirvVariable) -> usize {
        let is_shared = self.disturbance.shares_workgroup_memory(variable);
        if let Some(workgroup) = self.workgroup.filter(|_| is_shared) {
            return workgroup;
        }
        self.memories.push(ModelMemory::workgroup());
        let index = self.memories.len() - 1;
        if is_shared {
            self.workgroup = Some(index);
        }
        index
    }

    pub(super) fn descriptor(&self, at: DescriptorKey) -> Result<PointerTarget, ModelError> {
        match self.descriptors.at.get(&at) {
            Some(ModelDescriptor::Memory(buffer)) => {
                Ok(PointerTarget::Memory { buffer: *buffer, at: MemoryPlace::start() })
            }
            Some(
                descriptor @ (ModelDescriptor::Image(_) | ModelDescriptor::Combined(_) | ModelDescriptor::Sampler(_)),
            ) => Ok(PointerTarget::Handle(*descriptor)),
            None => {
                let (set, binding, element) = at;
                Err(ModelError::Unbound { set, binding, element })
            }
        }
    }

    /// Sets a built-in input for the current invocation. There is only one workgroup, so its ids
    /// are zero.
    fn set_builtin(&mut self, variable: &SpirvVariable, place: &PointerTarget) {
        let PointerTarget::Cell { cell, .. } = place else { return };
        let [x, y, _] = self.size;
        let index = self.invocation;
        match variable.builtin {
            Some(BuiltIn::LocalInvocationIndex) => self.cells[*cell] = ModelValue::Bits(index.into()),
            Some(BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId) => {
                let id = [index % x, index / x % y, index / x / y];
                self.cells[*cell] = ModelValue::parts(id.map(|id| ModelValue::Bits(id.into())).to_vec());
            }
            Some(_) | None => {}
        }
    }

    /// Makes a variable without a layout, with the value zero.
    pub(super) fn new_cell(&mut self, ty: Word) -> Result<PointerTarget, ModelError> {
        let zero = self.zero(ty)?;
        self.cells.push(zero);
        Ok(PointerTarget::Cell { cell: self.cells.len() - 1, way: Vec::new() })
    }

    pub(super) fn zero(&mut self, ty: Word) -> Result<ModelValue, ModelError> {
        self.spend_value(ty)?;
        Ok(self.zero_of(ty))
    }

    fn zero_of(&self, ty: Word) -> ModelValue {
        let types = &self.program.types;
        match types.part_count(ty) {
            None => ModelValue::Bits(0),
            Some(count) => {
                let parts = (0..count).filter_map(|index| types.part(ty, index));
                ModelValue::parts(parts.map(|part| self.zero_of(part)).collect())
            }
        }
    }

    /// Sets the value of each constant, from the job or else from the module.
    fn make_constants(&mut self, specialized: &BTreeMap<u32, u32>) -> Result<(), ModelError> {
        let program = self.program;
        let frame = Frame::default();
        for instruction in &program.module.types_global_values {
            let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) else { continue };
            let given = program.spec_id(id).and_then(|id| specialized.get(&id)).copied();

            let value = match (instruction.class.opcode, given) {
                (Op::SpecConstant, Some(given)) => ModelValue::Bits(given.into()),
                (Op::SpecConstantTrue | Op::SpecConstantFalse, Some(given)) => ModelValue::Bits(u64::from(given != 0)),
                (Op::Constant | Op::SpecConstant, _) => {
                    ModelValue::Bits(program.types.constants.value(id).unwrap_or(0))
                }
                (Op::ConstantTrue | Op::SpecConstantTrue, _) => ModelValue::Bits(1),
                (Op::ConstantFalse | Op::SpecConstantFalse, _) => ModelValue::Bits(0),
                (Op::ConstantNull | Op::Undef, _) => self.zero(ty)?,
                (Op::ConstantComposite | Op::SpecConstantComposite, _) => {
                    self.spend_value(ty)?;
                    ModelValue::parts(self.operands(&frame, instruction)?).checked(&program.types, ty)?
                }
                _ => continue,
            };

            self.constants.insert(id, value);
        }
        Ok(())
    }

    pub(super) fn is_constant(&self, id: Word) -> bool {
        self.constants.contains_key(&id)
    }

    pub(super) fn operand(&mut self, call: Call<'_>, index: usize) -> Result<ModelValue, ModelError> {
        let id = Operands(call.instruction).id(index).ok_or("an operand is missing")?;
        self.value(call.frame, id)
    }

    pub(super) fn operands(&mut self, frame: &Frame, instruction: &Instruction) -> Result<Vec<ModelValue>, ModelError> {
        let ids = instruction.operands.iter().filter_map(|operand| match operand {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        });
        ids.map(|id| self.value(frame, id)).collect()
    }

    /// Notes that a ray generation reached the shader record at `index`, whose stage is in another module.
    pub(super) fn reach(&mut self, index: u64) {
        self.reached = Some(usize::try_from(index).unwrap_or(usize::MAX));
    }

    /// Runs the ray generation `entry`, and returns the record that it reached.
    pub(super) fn run_generation(&mut self, entry: &str) -> Result<usize, ModelError> {
        self.run(Stage::RayGeneration, entry, &BTreeMap::new())?;
        self.reached.ok_or_else(|| "a ray generation that reaches no shader record".into())
    }

    /// Selects the shader record of the stage that runs next.
    pub(super) fn set_record(&mut self, index: usize) {
        self.record = index;
    }

    pub(super) fn call(&mut self, function: Word, arguments: &[ModelValue]) -> Result<Option<ModelValue>, ModelError> {
        if self.calls >= MAX_CALLS {
            return Err(ModelError::TooDeep);
        }

        let program = self.program;
        let function = program.function(function)?;
        let mut frame = Frame::of(function);
        if function.parameters.len() != arguments.len() {
            return Err("a call with the wrong number of arguments".into());
        }
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            frame.values.insert(parameter.result_id.unwrap_or(0), argument.clone());
        }

        self.calls += 1;
        let mut block = function.blocks.first().ok_or("a function without a body")?;
        let mut from = 0;
        let result = loop {
            match self.run_block(&mut frame, block, from)? {
                ModelFlow::Return(result) => break result,
                ModelFlow::Next => return Err("a block without an end".into()),
                ModelFlow::Jump(label) => {
                    from = block.label_id().unwrap_or(0);
                    let target = function.blocks.iter().find(|block| block.label_id() == Some(label));
                    block = target.ok_or(ModelError::NoBlock(label))?;
                }
            }
        };
        self.calls -= 1;
        Ok(result)
    }

    fn run_block(&mut self, frame: &mut Frame, block: &Block, from: Word) -> Result<ModelFlow, ModelError> {
        self.take_phis(frame, block, from)?;
        for instruction in &block.instructions {
            self.spend(1)?;
            match self.flow(frame, instruction)? {
                ModelFlow::Next => {}
                flow @ (ModelFlow::Jump(_) | ModelFlow::Return(_)) => return Ok(flow),
            }
        }
        Ok(ModelFlow::Next)
    }

    /// All phis of a block get their values at once.
    fn take_phis(&mut self, frame: &mut Frame, block: &Block, from: Word) -> Result<(), ModelError> {
        let mut taken = Vec::new();
        for phi in block.instructions.iter().filter(|instruction| instruction.class.opcode == Op::Phi) {
            let pairs = phi.operands.chunks_exact(2);
            let source = pairs.clone().find(|pair| pair[1] == Operand::IdRef(from));
            let Some(Operand::IdRef(source)) = source.map(|pair| &pair[0]) else {
                return Err(ModelError::NoValue(from));
            };
            taken.push((phi.result_id.unwrap_or(0), self.value(frame, *source)?));
        }
        frame.values.extend(taken);
        Ok(())
    }

    /// Executes an instruction and returns the next step.
    fn flow(&mut self, frame: &mut Frame, instruction: &Instruction) -> Result<ModelFlow, ModelError> {
        let ops = Operands(instruction);
        let id = |index: usize| ops.id(index).ok_or("a branch without a target");
        match instruction.class.opcode {
            Op::Branch => Ok(ModelFlow::Jump(id(0)?)),
            Op::BranchConditional => {
                let condition = self.value(frame, id(0)?)?.bits()?;
                Ok(ModelFlow::Jump(if condition == 0 { id(2)? } else { id(1)? }))
            }
            Op::Switch => {
                let selector = self.value(frame, id(0)?)?.bits()?;
                let mut cases = (2..instruction.operands.len()).step_by(2);
                let chosen = cases.find(|index| ops.literal(*index) == Some(selector));
                Ok(ModelFlow::Jump(id(chosen.map_or(1, |index| index + 1))?))
            }
            Op::Return => Ok(ModelFlow::Return(None)),
            Op::ReturnValue => Ok(ModelFlow::Return(Some(self.value(frame, id(0)?)?))),
            _ => {
                let value = self.execute(frame, instruction)?;
                if let (Some(id), Some(value)) = (instruction.result_id, value) {
                    frame.values.insert(id, value);
                }
                Ok(ModelFlow::Next)
            }
        }
    }
}
