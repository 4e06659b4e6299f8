//! Finds a block in the descriptor heap of resources.
//!
//! The heap is a built-in variable without a type. An access chain counts descriptors of buffers in it, whose size the
//! device chooses, and `OpBufferPointerEXT` turns the place of a descriptor into a pointer to its buffer. The block is
//! descriptor [`BLOCK_ELEMENT`]; output, input and copy keep their bindings.
//!
//! Source: `SPV_EXT_descriptor_heap`.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

use super::access::OPEN;
use super::buffers::BlockStorage;
use super::kind::ScalarKind;
use super::types::TypeEmitter;
use layoutproof_probes::{AddressSpace, BLOCK_ELEMENT};

/// The types on the way from the heap to a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeapPlace {
    /// The descriptors of all buffers of the block's storage class.
    descriptors: Word,
    /// The pointer to the block.
    block: Word,
}

/// The declarations of a module that has blocks in the heap.
#[derive(Debug, Default)]
pub(super) struct HeapDeclarations {
    variable: Option<Word>,
    uniform: Option<Word>,
    storage: Option<Word>,
}

impl TypeEmitter {
    /// Returns the variable of the heap.
    pub(super) fn heap_variable(&mut self) -> Word {
        if let Some(variable) = self.heap.variable {
            return variable;
        }
        let class = StorageClass::UniformConstant;
        let ty = self.untyped_pointer(class);
        let id = self.builder.id();
        let operands = vec![Operand::StorageClass(class)];
        // The builder's own method writes into a function.
        let variable = Instruction::new(Op::UntypedVariableKHR, Some(ty), Some(id), operands);
        self.builder.module_mut().types_global_values.push(variable);
        self.builder.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::ResourceHeapEXT)]);
        self.builder.name(id, "resource_heap");
        self.heap.variable = Some(id);
        id
    }

    /// Declares the types on the way to a block of type `block`; `None` in a space outside of the heap.
    pub(super) fn heap_place(&mut self, space: AddressSpace, block: Word) -> Option<HeapPlace> {
        let class = BlockStorage::of_space(space).class;
        let known = match space {
            AddressSpace::HeapUniform => self.heap.uniform,
            AddressSpace::HeapStorage => self.heap.storage,
            _ => return None,
        };
        let descriptors = known.unwrap_or_else(|| self.descriptors(class));
        if class == StorageClass::Uniform {
            self.heap.uniform = Some(descriptors);
        } else {
            self.heap.storage = Some(descriptors);
        }
        Some(HeapPlace { descriptors, block: self.pointer(class, block) })
    }

    /// Declares the array of all descriptors of buffers of `class`, which are as far apart as they are large.
    fn descriptors(&mut self, class: StorageClass) -> Word {
        let uint = self.scalar(ScalarKind::WORD);
        let descriptor = self.builder.type_buffer_ext(class);
        let size = self.builder.constant_size_of_ext(uint, descriptor);
        let id = self.builder.id();
        let array = self.builder.type_runtime_array_id(Some(id), descriptor);
        self.builder.decorate_id(array, Decoration::ArrayStrideIdEXT, [Operand::IdRef(size)]);
        array
    }

    /// Returns the pointer to the block of `heap`, in the open function.
    pub(super) fn take_from_heap(&mut self, variable: Word, heap: HeapPlace) -> Word {
        let pointer = self.untyped_pointer(StorageClass::UniformConstant);
        let number = self.constant(BLOCK_ELEMENT);
        let descriptor =
            self.builder.untyped_access_chain_khr(pointer, None, heap.descriptors, variable, [number]).expect(OPEN);
        self.builder.buffer_pointer_ext(heap.block, None, descriptor).expect(OPEN)
    }
}
