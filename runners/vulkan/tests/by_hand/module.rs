//! Builds a small SPIR-V module: a compute shader that writes words to the buffer at set 0 binding
//! 1.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op,
    StorageClass, Word,
};

/// A module under construction; `builder` is inside the entry point `main`.
pub(crate) struct Module {
    pub(crate) builder: Builder,
    pub(crate) uint: Word,
    output: Word,
    main: Word,
}

impl Module {
    /// Begins a module of SPIR-V 1.0, whose entry points do not name buffers.
    pub(crate) fn begin(addressing: AddressingModel, capabilities: &[Capability]) -> Self {
        let mut builder = Builder::new();
        builder.set_version(1, 0);
        builder.capability(Capability::Shader);
        for capability in capabilities {
            builder.capability(*capability);
        }
        builder.extension("SPV_KHR_storage_buffer_storage_class");
        builder.memory_model(addressing, MemoryModel::GLSL450);
        let (void, uint) = (builder.type_void(), builder.type_int(32, 0));
        let words = words(&mut builder, uint);
        let output = variable(&mut builder, words, StorageClass::StorageBuffer);
        let function_type = builder.type_function(void, []);
        let main =
            builder.begin_function(void, None, FunctionControl::NONE, function_type).expect("outside of functions");
        builder.begin_block(None).expect("inside of a function");
        let mut module = Self { builder, uint, output, main };
        module.bind(output, 0, 1);
        module
    }

    /// Sets the descriptor set and binding of a variable.
    pub(crate) fn bind(&mut self, variable: Word, set: u32, binding: u32) {
        self.builder.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(set)]);
        self.builder.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
    }

    /// A pointer to the value at the indices.
    pub(crate) fn pointer(&mut self, base: Word, class: StorageClass, pointee: Word, indices: &[u32]) -> Word {
        let ty = self.builder.type_pointer(None, class, pointee);
        let indices: Vec<Word> = indices.iter().map(|index| self.number(*index)).collect();
        self.builder.access_chain(ty, None, base, indices).expect("inside of a block")
    }

    pub(crate) fn number(&mut self, value: u32) -> Word {
        self.builder.constant_bit32(self.uint, value)
    }

    /// Stores a 32-bit word at word `index` of the output.
    pub(crate) fn put(&mut self, index: u32, word: Word) {
        let target = self.pointer(self.output, StorageClass::StorageBuffer, self.uint, &[0, index]);
        self.builder.store(target, word, None, []).expect("inside of a block");
    }

    /// Stores the bits of a vector of four 32-bit components from word `index` of the output on; `scalar` is their type.
    pub(crate) fn put_texel(&mut self, index: u32, texel: Word, scalar: Word) {
        for component in 0..4 {
            let part = self.builder.composite_extract(scalar, None, texel, [component]).expect("inside of a block");
            let word = if scalar == self.uint {
                part
            } else {
                self.builder.bitcast(self.uint, None, part).expect("inside of a block")
            };
            self.put(index + component, word);
        }
    }

    /// The words of the finished module.
    pub(crate) fn end(mut self) -> Vec<u32> {
        self.builder.execution_mode(self.main, ExecutionMode::LocalSize, [1, 1, 1]);
        self.end_entry(ExecutionModel::GLCompute, Vec::new())
    }

    /// The words of the finished module of SPIR-V 1.4, with another execution model. Its entry point names
    /// all variables.
    pub(crate) fn end_as(self, model: ExecutionModel) -> Vec<u32> {
        let globals = &self.builder.module_ref().types_global_values;
        let variables = globals.iter().filter(|global| global.class.opcode == Op::Variable);
        let variables = variables.filter_map(|variable| variable.result_id).collect();
        self.end_entry(model, variables)
    }

    fn end_entry(mut self, model: ExecutionModel, interface: Vec<Word>) -> Vec<u32> {
        self.builder.ret().expect("inside of a block");
        self.builder.end_function().expect("inside of a function");
        self.builder.entry_point(model, self.main, "main", interface);
        self.builder.module().assemble()
    }
}

/// A block with an unsized array of words.
pub(crate) fn words(builder: &mut Builder, uint: Word) -> Word {
    let array_id = builder.id();
    let array = builder.type_runtime_array_id(Some(array_id), uint);
    builder.decorate(array, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
    block(builder, &[(array, 0)])
}

/// A block with these members and offsets.
pub(crate) fn block(builder: &mut Builder, members: &[(Word, u32)]) -> Word {
    let id = builder.id();
    let block = builder.type_struct_id(Some(id), members.iter().map(|(ty, _)| *ty));
    builder.decorate(block, Decoration::Block, []);
    for (index, (_, offset)) in (0..).zip(members) {
        builder.member_decorate(block, index, Decoration::Offset, [Operand::LiteralBit32(*offset)]);
    }
    block
}

/// A module-scope variable; the builder may be inside a function.
pub(crate) fn variable(builder: &mut Builder, ty: Word, class: StorageClass) -> Word {
    let pointer = builder.type_pointer(None, class, ty);
    let id = builder.id();
    let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), vec![Operand::StorageClass(class)]);
    builder.module_mut().types_global_values.push(variable);
    id
}
