//! Declares buffers in descriptor set 0.

use std::rc::Rc;

use layoutproof_layout::shape::Count;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::access::SpirvPlace;
use super::block::{SpirvField, SpirvNode};
use super::kind::ScalarKind;
use super::types::{EmittedType, TypeEmitter};
use layoutproof_probes::{AddressSpace, BLOCK_ELEMENT};

/// How to declare a block in an address space.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockStorage {
    /// The storage class of its variable, or of the pointer to it.
    pub(super) class: StorageClass,
    /// The index of the block if the variable is an array of buffers.
    pub(super) element: Option<u32>,
}

impl BlockStorage {
    /// Returns the declaration for a block in `space`.
    pub(super) fn of_space(space: AddressSpace) -> Self {
        let (class, element) = match space {
            AddressSpace::Uniform | AddressSpace::InlineUniform | AddressSpace::HeapUniform => {
                (StorageClass::Uniform, None)
            }
            AddressSpace::UniformElement => (StorageClass::Uniform, Some(BLOCK_ELEMENT)),
            AddressSpace::Storage | AddressSpace::HeapStorage => (StorageClass::StorageBuffer, None),
            AddressSpace::StorageElement => (StorageClass::StorageBuffer, Some(BLOCK_ELEMENT)),
            AddressSpace::PushConstant => (StorageClass::PushConstant, None),
            AddressSpace::Address => (StorageClass::PhysicalStorageBuffer, None),
            AddressSpace::ShaderRecord => (StorageClass::ShaderRecordBufferKHR, None),
            AddressSpace::Workgroup => (StorageClass::Workgroup, None),
        };
        Self { class, element }
    }
}

/// Declares a storage buffer of `uint` in set 0.
pub(super) fn word_buffer(types: &mut TypeEmitter, name: &str, binding: u32) -> SpirvPlace {
    let ty = word_block(types, &format!("{name}_block"), Count::Unbounded);
    let class = StorageClass::StorageBuffer;
    let pointer = types.block_variable(class, ty.id, None);
    types.builder.name(pointer, name);
    bind(types, pointer, binding);
    SpirvPlace::typed(pointer, class, Rc::new(ty))
}

/// Emits the type of a block of `uint`.
pub(super) fn word_block(types: &mut TypeEmitter, name: &str, count: Count) -> EmittedType {
    let uint = Box::new(SpirvNode::Scalar(ScalarKind::WORD));
    let words = SpirvNode::Array { element: uint, count, stride: 4 };
    let words = SpirvField { name: "words".into(), index: 0, offset: 0, node: words };
    let ty = types.emit(&SpirvNode::Struct { name: name.to_owned(), fields: vec![words] });
    types.builder.decorate(ty.id, Decoration::Block, []);
    ty
}

/// Binds a variable in set 0.
pub(super) fn bind(types: &mut TypeEmitter, variable: Word, binding: u32) {
    types.builder.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
    types.builder.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
}
