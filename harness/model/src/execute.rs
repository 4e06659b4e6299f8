//! Instructions without control flow: memory access, composites, and the operands of arithmetic.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Op, StorageClass, Word};

use super::arithmetic;
use super::descriptors::at_address;
use super::frame::{Call, Frame};
use super::machine::ModelMachine;
use super::memory;
use super::model_error::ModelError;
use super::sampling::handle;
use super::value::{MemoryPlace, ModelPointer, ModelValue, PointerTarget};
use layoutproof_readers::spirv::Operands;
use layoutproof_readers::spirv::types::SpirvType;

impl ModelMachine<'_> {
    /// The result of an instruction; `None` if it has none, or if it is a phi whose value is
    /// already set.
    pub(super) fn execute(
        &mut self,
        frame: &Frame,
        instruction: &Instruction,
    ) -> Result<Option<ModelValue>, ModelError> {
        let call = Call { frame, instruction };
        let value = match instruction.class.opcode {
            Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::Phi
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::ControlBarrier
            | Op::MemoryBarrier => return Ok(None),
            Op::Variable => self.variable(call)?,
            Op::AccessChain | Op::InBoundsAccessChain => {
                let base = self.pointer(call, 0)?;
                ModelValue::Pointer(self.walk(call, base, 1)?)
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let element = self.element_behind_pointer(call)?;
                ModelValue::Pointer(self.walk(call, element, 2)?)
            }
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => self.untyped_access_chain(call)?,
            Op::BufferPointerEXT => self.buffer_pointer(call)?,
            // Invocations run one at a time, so every load is atomic.
            Op::Load | Op::AtomicLoad => {
                let pointer = self.pointer_to(call, 0, instruction.result_type.unwrap_or(0))?;
                self.load(&pointer)?
            }
            Op::Store => {
                let pointer = self.pointer_to(call, 0, self.type_of(call, 1))?;
                let value = self.operand(call, 1)?;
                self.store(&pointer, value)?;
                return Ok(None);
            }
            Op::CopyMemory => {
                let source = self.pointer(call, 1)?;
                let value = self.load(&source)?;
                let target = self.pointer(call, 0)?;
                self.store(&target, value)?;
                return Ok(None);
            }
            Op::ImageWrite => {
                self.write_image(call)?;
                return Ok(None);
            }
            Op::ArrayLength => {
                let block = self.pointer(call, 0)?;
                let member = call.literals(1).first().copied().unwrap_or(0);
                let not_counted = self.bytes_not_counted(&block, member);
                self.array_length(&block, member, not_counted)?
            }
            Op::UntypedArrayLengthKHR => {
                let (declared, block) = self.base(call)?;
                let member = call.literals(2).first().copied().unwrap_or(0);
                let followed = declared.and_then(|declared| self.array_length(&declared, member, 0).ok());
                followed.map_or_else(|| self.array_length(&block, member, 0), Ok)?
            }
            Op::FunctionCall => return self.call_function(call),
            Op::ExecuteCallableKHR => {
                let record = self.operand(call, 0)?.bits()?;
                self.reach(record);
                return Ok(None);
            }
            Op::TraceRayKHR => {
                let record = self.record_of_ray(call)?;
                self.reach(record);
                return Ok(None);
            }
            _ => self.compute(call)?,
        };
        Ok(Some(value))
    }

    /// The record that a ray reaches: of a stage of a miss if its mask selects nothing, else the one after
    /// its own in the table of hit groups, see [`RecordStage`](layoutproof_device::RecordStage).
    fn record_of_ray(&mut self, call: Call<'_>) -> Result<u64, ModelError> {
        let mask = self.operand(call, 2)?.bits()?;
        if mask == 0 { self.operand(call, 5)?.bits() } else { Ok(self.operand(call, 3)?.bits()? + 1) }
    }

    fn call_function(&mut self, call: Call<'_>) -> Result<Option<ModelValue>, ModelError> {
        let operands = &call.instruction.operands;
        let Some(Operand::IdRef(function)) = operands.first() else { return Err("a call of nothing".into()) };
        let arguments = (1..operands.len()).map(|index| self.operand(call, index)).collect::<Result<Vec<_>, _>>()?;
        self.call(*function, &arguments)
    }

    /// The result of an instruction without side effects.
    fn compute(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let instruction = call.instruction;
        let ty = instruction.result_type.unwrap_or(0);
        match instruction.class.opcode {
            // The model has no scene, so the address of one is as good as the scene.
            Op::CopyObject | Op::CopyLogical | Op::ConvertUToAccelerationStructureKHR => self.operand(call, 0),
            Op::Undef => self.zero(ty),
            Op::CompositeConstruct => {
                self.spend_value(ty)?;
                self.construct(call, ty)
            }
            Op::CompositeExtract => Ok(self.operand(call, 0)?.at(&call.literals(1))?.clone()),
            Op::CompositeInsert => {
                self.spend_value(ty)?;
                let object = self.operand(call, 0)?;
                let mut composite = self.operand(call, 1)?;
                composite.set(&call.literals(2), object)?;
                composite.checked(&self.program.types, ty)
            }
            Op::VectorExtractDynamic => {
                let index = low_word(&self.operand(call, 1)?)?;
                Ok(self.operand(call, 0)?.at(&[index])?.clone())
            }
            Op::VectorShuffle => self.shuffle(call),
            Op::Transpose => self.transpose(call),
            Op::Bitcast => {
                let from = self.type_of(call, 0);
                arithmetic::bitcast(&self.program.types, ty, from, &self.operand(call, 0)?)
            }
            Op::ExtInst => self.extended(call, ty),
            opcode => {
                if let Some(result) = self.sample(call) {
                    return result;
                }
                let operands = self.operands(call.frame, instruction)?;
                let operand_ty = self.type_of(call, 0);
                arithmetic::compute(&self.program.types, opcode, ty, operand_ty, &operands)
                    .unwrap_or_else(|| Err(ModelError::not_modelled("instruction Op", &instruction.class.opname)))
            }
        }
    }

    /// An instruction of `GLSL.std.450`. The model knows `unpackDouble2x32`, whose first result is
    /// the low word, its opposite, and `UMin` and `SClamp`, with which Tint and spirv-opt clamp indices of arrays.
    fn extended(&mut self, call: Call<'_>, ty: Word) -> Result<ModelValue, ModelError> {
        match call.instruction.operands.get(1) {
            Some(Operand::LiteralExtInstInteger(number))
                if [GlslStd450Op::UnpackDouble2x32, GlslStd450Op::PackDouble2x32]
                    .iter()
                    .any(|operation| *operation as u32 == *number) =>
            {
                let from = self.type_of(call, 2);
                arithmetic::bitcast(&self.program.types, ty, from, &self.operand(call, 2)?)
            }
            Some(Operand::LiteralExtInstInteger(number)) if *number == GlslStd450Op::UMin as u32 => {
                arithmetic::least(&[self.operand(call, 2)?, self.operand(call, 3)?])
            }
            Some(Operand::LiteralExtInstInteger(number)) if *number == GlslStd450Op::SClamp as u32 => {
                let operands = [self.operand(call, 2)?, self.operand(call, 3)?, self.operand(call, 4)?];
                arithmetic::clamped(&self.program.types, ty, &operands)
            }
            Some(Operand::LiteralExtInstInteger(number)) => {
                Err(ModelError::not_modelled("extended instruction ", number))
            }
            Some(_) | None => Err("an extended instruction without a number".into()),
        }
    }

    fn pointer(&mut self, call: Call<'_>, index: usize) -> Result<ModelPointer, ModelError> {
        match self.operand(call, index)? {
            ModelValue::Pointer(pointer) => Ok(pointer),
            ModelValue::Bits(address) => self.pointer_to_address(self.type_of(call, index), address),
            ModelValue::Parts(_) => Err(ModelError::Needed("a pointer")),
        }
    }

    /// The pointer in operand `index`, to a value of type `ty` if its own type does not say to what.
    fn pointer_to(&mut self, call: Call<'_>, index: usize, ty: Word) -> Result<ModelPointer, ModelError> {
        let pointer = self.pointer(call, index)?;
        let SpirvType::UntypedPointer { .. } = self.program.types.get(self.type_of(call, index)) else {
            return Ok(pointer);
        };
        let mut pointer = pointer.retyped(ty)?;
        if let PointerTarget::Memory { at, .. } = &mut pointer.place {
            at.matrix = self.disturbance.matrix_behind_untyped(&self.program.types, ty, at.matrix);
        }
        Ok(pointer)
    }

    /// The base of an instruction whose first operand is its type. The first result is the base with
    /// the type of its own declaration, for a device that follows that instead.
    fn base(&mut self, call: Call<'_>) -> Result<(Option<ModelPointer>, ModelPointer), ModelError> {
        let ty = Operands(call.instruction).id(0).ok_or("an operand is missing")?;
        let pointer = self.pointer(call, 1)?;
        let declared = self.disturbance.follows_declared_types().then(|| pointer.clone());
        Ok((declared, pointer.retyped(ty)?))
    }

    /// The pointer of type `ty` to a device address.
    fn pointer_to_address(&self, ty: Word, address: u64) -> Result<ModelPointer, ModelError> {
        let pointee = match *self.program.types.get(ty) {
            SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee, .. } => pointee,
            SpirvType::UntypedPointer { class: StorageClass::PhysicalStorageBuffer } => 0,
            _ => return Err(ModelError::Needed("a pointer")),
        };

        // The push constants have no address.
        let found = at_address(address).filter(|(memory, _)| *memory < self.push_constants);
        let (buffer, low) = found.ok_or(ModelError::Address(address))?;
        let low = self.disturbance.low_bits_of_address(low);
        let offset = low.wrapping_sub(self.memories[buffer].first.into());
        let at = MemoryPlace { offset, ..MemoryPlace::start() };
        Ok(ModelPointer { pointee, place: PointerTarget::Memory { buffer, at } })
    }

    /// The type of operand `index`; 0, which is no valid id, if it has none.
    fn type_of(&self, call: Call<'_>, index: usize) -> Word {
        let id = Operands(call.instruction).id(index).unwrap_or(0);
        self.program.result_type(id).unwrap_or(0)
    }

    fn variable(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let ty = call.instruction.result_type.unwrap_or(0);
        let &SpirvType::Pointer { pointee, .. } = self.program.types.get(ty) else {
            return Err("a variable that is no pointer".into());
        };
        let pointer = ModelPointer { pointee, place: self.new_cell(pointee)? };
        if call.instruction.operands.len() > 1 {
            let initializer = self.operand(call, 1)?;
            self.store(&pointer, initializer)?;
        }
        Ok(ModelValue::Pointer(pointer))
    }

    /// The pointer to the buffer of a descriptor in the heap.
    fn buffer_pointer(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let pointee = match *self.program.types.get(call.instruction.result_type.unwrap_or(0)) {
            SpirvType::Pointer { pointee, .. } => pointee,
            SpirvType::UntypedPointer { .. } => 0,
            _ => return Err(ModelError::Needed("a pointer")),
        };
        Ok(ModelValue::Pointer(self.pointer(call, 0)?.retyped(pointee)?))
    }

    fn untyped_access_chain(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let (declared, base) = self.base(call)?;
        let mut part = self.walk(call, base, 2)?;

        // A device that follows the declared type reaches another byte, where that type has the indices.
        let followed = declared.and_then(|declared| self.walk(call, declared, 2).ok());
        if let (PointerTarget::Memory { at, .. }, Some(followed)) = (&mut part.place, followed)
            && let PointerTarget::Memory { at: wrong, .. } = followed.place
        {
            at.offset = wrong.offset;
        }
        Ok(ModelValue::Pointer(part))
    }

    /// The element of a pointer's memory that the first index selects, counted from the pointer.
    fn element_behind_pointer(&mut self, call: Call<'_>) -> Result<ModelPointer, ModelError> {
        let mut pointer = self.pointer(call, 0)?;
        let &SpirvType::Pointer { stride: Some(stride), .. } = self.program.types.get(self.type_of(call, 0)) else {
            return Err("pointer arithmetic without ArrayStride".into());
        };
        let PointerTarget::Memory { buffer, at } = &mut pointer.place else {
            return Err("pointer arithmetic outside of a buffer".into());
        };
        let mut index = low_word(&self.operand(call, 1)?)?;
        if !Operands(call.instruction).id(1).is_some_and(|id| self.is_constant(id)) {
            let chain = call.instruction.result_id.unwrap_or(0);
            index = self.disturbance.index_from_memory(&self.memories[*buffer], chain, 1, index);
        }
        *at = at.plus(index, stride);
        Ok(pointer)
    }

    /// The part of what `pointer` points to at the indices of an access chain, which start at the operand
    /// `first`.
    fn walk(&mut self, call: Call<'_>, mut pointer: ModelPointer, first: usize) -> Result<ModelPointer, ModelError> {
        for operand in first..call.instruction.operands.len() {
            let mut index = low_word(&self.operand(call, operand)?)?;
            let types = &self.program.types;

            match &mut pointer.place {
                PointerTarget::Memory { buffer, at } => {
                    // An index that is not a constant may come from memory.
                    if !Operands(call.instruction).id(operand).is_some_and(|id| self.is_constant(id)) {
                        let memory = &self.memories[*buffer];
                        let chain = call.instruction.result_id.unwrap_or(0);
                        index = self.disturbance.index_from_memory(memory, chain, operand, index);
                    }
                    (pointer.pointee, *at) = memory::part(types, pointer.pointee, *at, index)?;
                }
                PointerTarget::Array { set, binding } => {
                    let part = types.part(pointer.pointee, index);
                    pointer.pointee = part.ok_or("an element of what is no array")?;
                    pointer.place = self.descriptor((*set, *binding, index))?;
                }
                PointerTarget::Handle(_) => return Err("a part of an image or a sampler".into()),
                PointerTarget::Cell { way, .. } => {
                    way.push(index);
                    let (array, part) = (pointer.pointee, types.part(pointer.pointee, index));
                    pointer.pointee = part.ok_or(ModelError::NoPartOf { part: "part", index, ty: array })?;
                    let is_constant = Operands(call.instruction).id(operand).is_some_and(|id| self.is_constant(id));
                    let is_beyond = self.program.default_length(array).is_some_and(|length| index >= length);
                    let is_lost = is_beyond && self.disturbance.ignores_specialization();
                    if is_lost || (!is_constant && self.disturbance.is_zero_in_copies(types, array)) {
                        pointer.place = self.new_cell(pointer.pointee)?;
                    }
                }
            }
        }
        Ok(pointer)
    }

    fn load(&mut self, pointer: &ModelPointer) -> Result<ModelValue, ModelError> {
        self.spend_value(pointer.pointee)?;
        match &pointer.place {
            PointerTarget::Memory { buffer, at } => {
                self.memories[*buffer].load(&self.program.types, pointer.pointee, *at)
            }
            PointerTarget::Handle(descriptor) => handle(*descriptor),
            PointerTarget::Array { .. } => Err("a load of a whole array of descriptors".into()),
            PointerTarget::Cell { cell, way } => self.cells[*cell].at(way).cloned(),
        }
    }

    fn store(&mut self, pointer: &ModelPointer, value: ModelValue) -> Result<(), ModelError> {
        self.spend_value(pointer.pointee)?;
        match &pointer.place {
            PointerTarget::Memory { buffer, at } => {
                let memory = &mut self.memories[*buffer];
                let Some(offset) = self.disturbance.place_of_store(memory, at.offset) else { return Ok(()) };

                let at = MemoryPlace { offset, ..*at };
                let end = memory.store(&self.program.types, pointer.pointee, at, &value)?;
                self.disturbance.after_store(memory, offset, end);
                Ok(())
            }
            PointerTarget::Array { .. } | PointerTarget::Handle(_) => Err("a store to a descriptor".into()),
            PointerTarget::Cell { cell, way } => {
                self.cells[*cell].set(way, value.checked(&self.program.types, pointer.pointee)?)
            }
        }
    }

    /// The bytes that a faulty device leaves out before it counts the elements of an array, which is the
    /// member `member` of the block at `pointer`.
    fn bytes_not_counted(&self, pointer: &ModelPointer, member: u32) -> u32 {
        let types = &self.program.types;
        types.part(pointer.pointee, member).map_or(0, |array| self.disturbance.bytes_not_counted(types, array))
    }

    /// The length of the array that is the member `member` of the block at `pointer`.
    fn array_length(
        &mut self,
        pointer: &ModelPointer,
        member: u32,
        not_counted: u32,
    ) -> Result<ModelValue, ModelError> {
        let PointerTarget::Memory { buffer, at } = pointer.place else {
            return Err("the length of an array that is in no buffer".into());
        };

        let (array, start) = memory::part(&self.program.types, pointer.pointee, at, member)?;
        let (_, second) = memory::part(&self.program.types, array, start, 1)?;

        let bytes = (self.memories[buffer].bytes.len() as u64).saturating_sub(start.offset + u64::from(not_counted));
        let stride = second.offset - start.offset;
        Ok(ModelValue::Bits(self.disturbance.length(bytes.checked_div(stride).unwrap_or(0))))
    }

    /// Constituents of a vector may themselves be vectors.
    fn construct(&mut self, call: Call<'_>, ty: Word) -> Result<ModelValue, ModelError> {
        let operands = self.operands(call.frame, call.instruction)?;
        let is_vector = matches!(self.program.types.get(ty), SpirvType::Vector { .. });
        let parts = operands.into_iter().flat_map(|operand| match operand {
            ModelValue::Parts(parts) if is_vector => parts.iter().cloned().collect(),
            operand @ (ModelValue::Parts(_) | ModelValue::Bits(_) | ModelValue::Pointer(_)) => vec![operand],
        });
        ModelValue::parts(parts.collect()).checked(&self.program.types, ty)
    }

    fn shuffle(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let mut components = Vec::new();
        for index in 0..2 {
            match self.operand(call, index)? {
                ModelValue::Parts(parts) => components.extend(parts.iter().cloned()),
                ModelValue::Bits(_) | ModelValue::Pointer(_) => return Err("a shuffle of what is no vector".into()),
            }
        }
        let chosen = call.literals(2).into_iter().map(|index| match components.get(index as usize) {
            Some(component) => Ok(component.clone()),
            // An index of all ones selects an undefined component (SPIR-V, `OpVectorShuffle`).
            None if index == u32::MAX => Ok(ModelValue::Bits(0)),
            None => Err(ModelError::Component(index)),
        });
        Ok(ModelValue::parts(chosen.collect::<Result<_, _>>()?))
    }

    fn transpose(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let ModelValue::Parts(columns) = self.operand(call, 0)? else {
            return Err("a transposition of no matrix".into());
        };
        let rows = match columns.first() {
            Some(ModelValue::Parts(column)) => column.len(),
            Some(ModelValue::Bits(_) | ModelValue::Pointer(_)) | None => {
                return Err("a transposition of no matrix".into());
            }
        };

        let rows = (0..).take(rows).map(|row| {
            let row: Result<Vec<ModelValue>, ModelError> =
                columns.iter().map(|column| column.at(&[row]).cloned()).collect();
            Ok(ModelValue::parts(row?))
        });
        Ok(ModelValue::parts(rows.collect::<Result<_, ModelError>>()?))
    }
}

/// An index, truncated to 32 bits. Negative indices become out of bounds.
fn low_word(value: &ModelValue) -> Result<u32, ModelError> {
    Ok(u32::try_from(value.bits()? & u64::from(u32::MAX)).unwrap_or(u32::MAX))
}
