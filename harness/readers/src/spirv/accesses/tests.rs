//! Accesses of kernels that are put together here, whose bytes follow from their own decorations.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, LoopControl,
    MemoryAccess, MemoryModel, Op, SelectionControl, StorageClass, Word,
};

use super::instrument::OwnModule;
use super::{Access, AccessKind, ByteExpr, FaultKind, ModuleAccesses, SourcePlace, Stride, Why};

/// A kernel of 64 invocations with push constants `{ uint64_t addr; uint n; Item* items; }`, and the structs
/// `Item { float a; uint b; float4 c; }` at 0, 4 and 16, and `Other { uint a; uint b; float2 c; }` at 0, 4 and 8.
struct Kernel {
    builder: Builder,
    float: Word,
    uint: Word,
    long: Word,
    float4: Word,
    item: Word,
    other: Word,
    pushed: Word,
    invocation: Word,
    group: Word,
    storage: Vec<Word>,
    main: Word,
    file: Word,
}

const PHYSICAL: StorageClass = StorageClass::PhysicalStorageBuffer;

impl Kernel {
    fn new() -> Self {
        let mut builder = Builder::new();
        builder.set_version(1, 5);
        builder.capability(Capability::Shader);
        builder.capability(Capability::PhysicalStorageBufferAddresses);
        builder.memory_model(AddressingModel::PhysicalStorageBuffer64, MemoryModel::GLSL450);
        let file = builder.string("kernel.comp");
        let (void, uint, long) = (builder.type_void(), builder.type_int(32, 0), builder.type_int(64, 0));
        let float = builder.type_float(32, None);
        let (uint3, float2, float4) =
            (builder.type_vector(uint, 3), builder.type_vector(float, 2), builder.type_vector(float, 4));
        let mut kernel = Self {
            builder,
            float,
            uint,
            long,
            float4,
            item: 0,
            other: 0,
            pushed: 0,
            invocation: 0,
            group: 0,
            storage: Vec::new(),
            main: 0,
            file,
        };
        kernel.item = kernel.structure("Item", &[("a", float, 0), ("b", uint, 4), ("c", float4, 16)]);
        kernel.other = kernel.structure("Other", &[("a", uint, 0), ("b", uint, 4), ("c", float2, 8)]);
        let items = kernel.builder.type_pointer(None, PHYSICAL, kernel.item);
        kernel.builder.decorate(items, Decoration::ArrayStride, [Operand::LiteralBit32(32)]);
        let block = kernel.structure("Pushed", &[("addr", long, 0), ("n", uint, 8), ("items", items, 16)]);
        kernel.builder.decorate(block, Decoration::Block, []);
        kernel.pushed = kernel.variable("pushed", StorageClass::PushConstant, block);
        for (builtin, name) in [(BuiltIn::GlobalInvocationId, "global"), (BuiltIn::LocalInvocationId, "local")] {
            let variable = kernel.variable(name, StorageClass::Input, uint3);
            kernel.builder.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
            (kernel.invocation, kernel.group) = (kernel.group, variable);
        }
        let signature = kernel.builder.type_function(void, []);
        kernel.main = kernel.builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
        kernel.builder.begin_block(None).unwrap();
        kernel
    }

    fn structure(&mut self, name: &str, members: &[(&str, Word, u32)]) -> Word {
        let id = self.builder.id();
        self.builder.type_struct_id(Some(id), members.iter().map(|(_, ty, _)| *ty));
        self.builder.name(id, name);
        for (index, (name, _, offset)) in (0..).zip(members) {
            self.builder.member_name(id, index, *name);
            self.builder.member_decorate(id, index, Decoration::Offset, [Operand::LiteralBit32(*offset)]);
        }
        id
    }

    fn variable(&mut self, name: &str, class: StorageClass, ty: Word) -> Word {
        let pointer = self.builder.type_pointer(None, class, ty);
        let id = self.builder.id();
        let block = self.builder.selected_block();
        self.builder.select_block(None).unwrap();
        let function = self.builder.selected_function();
        self.builder.select_function(None).unwrap();
        self.builder.variable(pointer, Some(id), class, None);
        self.builder.select_function(function).unwrap();
        self.builder.select_block(block).unwrap();
        self.builder.name(id, name);
        id
    }

    /// A storage buffer of this content at binding 0.
    fn buffer(&mut self, name: &str, block: Word) -> Word {
        self.builder.decorate(block, Decoration::Block, []);
        let buffer = self.variable(name, StorageClass::StorageBuffer, block);
        self.builder.decorate(buffer, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
        self.builder.decorate(buffer, Decoration::Binding, [Operand::LiteralBit32(0)]);
        self.storage.push(buffer);
        buffer
    }

    fn array(&mut self, element: Word, length: Option<u32>, stride: u32) -> Word {
        let id = match length {
            Some(length) => {
                let length = self.number(length);
                self.builder.type_array(element, length)
            }
            None => self.builder.type_runtime_array(element),
        };
        self.builder.decorate(id, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
        id
    }

    fn number(&mut self, number: u32) -> Word {
        self.builder.constant_bit32(self.uint, number)
    }

    fn part(&mut self, variable: Word, class: StorageClass, ty: Word, path: &[u32]) -> Word {
        let path: Vec<Word> = path.iter().map(|index| self.number(*index)).collect();
        let pointer = self.builder.type_pointer(None, class, ty);
        let pointer = self.builder.access_chain(pointer, None, variable, path).unwrap();
        self.builder.load(ty, None, pointer, None, []).unwrap()
    }

    /// The x of the global number of the invocation.
    fn global(&mut self) -> Word {
        self.part(self.invocation, StorageClass::Input, self.uint, &[0])
    }

    fn local(&mut self, component: u32) -> Word {
        self.part(self.group, StorageClass::Input, self.uint, &[component])
    }

    /// A number that the host passes.
    fn passed(&mut self) -> Word {
        self.part(self.pushed, StorageClass::PushConstant, self.uint, &[1])
    }

    fn times(&mut self, number: Word, factor: u32) -> Word {
        let factor = self.number(factor);
        self.builder.i_mul(self.uint, None, number, factor).unwrap()
    }

    fn plus(&mut self, number: Word, more: u32) -> Word {
        let more = self.number(more);
        self.builder.i_add(self.uint, None, number, more).unwrap()
    }

    /// A pointer to the address in the push constants plus so many bytes.
    fn at(&mut self, bytes: Word, ty: Word) -> Word {
        let address = self.part(self.pushed, StorageClass::PushConstant, self.long, &[0]);
        let bytes = self.builder.u_convert(self.long, None, bytes).unwrap();
        let sum = self.builder.i_add(self.long, None, address, bytes).unwrap();
        let pointer = self.builder.type_pointer(None, PHYSICAL, ty);
        self.builder.convert_u_to_ptr(pointer, None, sum).unwrap()
    }

    /// The pointer to items in the push constants.
    fn items(&mut self) -> Word {
        let items = self.builder.type_pointer(None, PHYSICAL, self.item);
        self.part(self.pushed, StorageClass::PushConstant, items, &[2])
    }

    fn load(&mut self, ty: Word, pointer: Word, promised: u32) -> Word {
        let aligned = Some(MemoryAccess::ALIGNED);
        self.builder.load(ty, None, pointer, aligned, [Operand::LiteralBit32(promised)]).unwrap()
    }

    fn member(&mut self, pointer: Word, class: StorageClass, ty: Word, path: &[Word]) -> Word {
        let pointer_type = self.builder.type_pointer(None, class, ty);
        self.builder.access_chain(pointer_type, None, pointer, path.iter().copied()).unwrap()
    }

    fn words(mut self) -> Vec<u32> {
        self.builder.ret().unwrap();
        self.builder.end_function().unwrap();
        let interface: Vec<Word> =
            [self.invocation, self.group, self.pushed].into_iter().chain(self.storage.iter().copied()).collect();
        self.builder.entry_point(ExecutionModel::GLCompute, self.main, "main", interface);
        self.builder.execution_mode(self.main, ExecutionMode::LocalSize, [64, 1, 1]);
        self.builder.module().assemble()
    }
}

/// The accesses of a kernel with this body.
fn followed(body: impl FnOnce(&mut Kernel)) -> ModuleAccesses {
    let mut kernel = Kernel::new();
    body(&mut kernel);
    ModuleAccesses::read(&kernel.words()).unwrap()
}

fn faults(body: impl FnOnce(&mut Kernel)) -> Vec<FaultKind> {
    followed(body).faults.into_iter().map(|fault| fault.kind).collect()
}

fn last(module: &ModuleAccesses) -> &Access {
    module.accesses.last().unwrap()
}

fn strided(base: i64, strides: &[(i64, &str)]) -> ByteExpr {
    let strides = strides.iter().map(|(bytes, index)| Stride { bytes: *bytes, index: (*index).to_owned() });
    ByteExpr::Strided { base, strides: strides.collect() }
}

/// The kind of `im2col.comp`: an index that takes every value, times less than the promise.
#[test]
fn a_stride_below_the_promise_is_a_fault() {
    let read = |factor, promised| {
        faults(|kernel| {
            let index = kernel.global();
            let bytes = kernel.times(index, factor);
            let pointer = kernel.at(bytes, kernel.float);
            kernel.load(kernel.float, pointer, promised);
        })
    };
    assert_eq!(read(4, 16), [FaultKind::Alignment { promised: 16, kept: 4 }]);
    assert_eq!(read(12, 8), [FaultKind::Alignment { promised: 8, kept: 4 }]);
    assert_eq!(read(4, 4), []);
    assert_eq!(read(48, 16), []);
}

/// The number of an invocation in its group is a part of its global number: their sum takes steps of 64 and 2.
#[test]
fn the_steps_of_dependent_numbers_are_added() {
    let read = |promised| {
        faults(|kernel| {
            let (global, local) = (kernel.global(), kernel.local(0));
            let sum = kernel.builder.i_add(kernel.uint, None, global, local).unwrap();
            let bytes = kernel.times(sum, 4);
            let pointer = kernel.at(bytes, kernel.float);
            kernel.load(kernel.float, pointer, promised);
        })
    };
    assert_eq!(read(8), []);
    assert_eq!(read(16), [FaultKind::Alignment { promised: 16, kept: 8 }]);
}

#[test]
fn a_constant_below_the_promise_is_a_fault() {
    let read = |bytes| {
        faults(|kernel| {
            let index = kernel.global();
            let index = kernel.times(index, 16);
            let bytes = kernel.plus(index, bytes);
            let pointer = kernel.at(bytes, kernel.float);
            kernel.load(kernel.float, pointer, 16);
        })
    };
    assert_eq!(read(24), [FaultKind::Alignment { promised: 16, kept: 8 }]);
    assert_eq!(read(32), []);
}

/// The host knows what it passes, so it may keep the promise.
#[test]
fn a_number_of_the_host_breaks_no_promise() {
    let found = faults(|kernel| {
        let bytes = kernel.passed();
        let bytes = kernel.plus(bytes, 4);
        let pointer = kernel.at(bytes, kernel.float);
        kernel.load(kernel.float, pointer, 16);
    });
    assert_eq!(found, []);
}

#[test]
fn bits_that_code_clears_keep_a_promise() {
    let read = |mask: u32| {
        faults(|kernel| {
            let index = kernel.global();
            let bytes = kernel.times(index, 4);
            let mask = kernel.number(mask);
            let bytes = kernel.builder.bitwise_and(kernel.uint, None, bytes, mask).unwrap();
            let pointer = kernel.at(bytes, kernel.float);
            kernel.load(kernel.float, pointer, 16);
        })
    };
    assert_eq!(read(!15), []);
    assert_eq!(read(!7), [FaultKind::Alignment { promised: 16, kept: 8 }]);
}

/// An address of `8 * n` and of `8 * i`, where `n` is the host's, with the low bits of a constant.
#[test]
fn low_bits_that_code_sets_break_a_promise() {
    let read = |op: Op, factor: u32, moved: u32, constant: u32, promised: u32, is_passed: bool| {
        faults(|kernel| {
            let index = if is_passed { kernel.passed() } else { kernel.global() };
            let (bytes, constant) = (kernel.times(index, factor), kernel.number(constant));
            let (bytes, uint) = (kernel.plus(bytes, moved), kernel.uint);
            let bytes = match op {
                Op::BitwiseOr => kernel.builder.bitwise_or(uint, None, constant, bytes),
                Op::BitwiseXor => kernel.builder.bitwise_xor(uint, None, bytes, constant),
                _ => kernel.builder.bitwise_and(uint, None, bytes, constant),
            };
            let pointer = kernel.at(bytes.unwrap(), kernel.float);
            kernel.load(kernel.float, pointer, promised);
        })
    };
    let kept = |promised, kept| vec![FaultKind::Alignment { promised, kept }];
    for is_passed in [false, true] {
        assert_eq!(read(Op::BitwiseOr, 8, 0, 2, 4, is_passed), kept(4, 2));
        assert_eq!(read(Op::BitwiseOr, 8, 4, 2, 4, is_passed), kept(4, 2));
        assert_eq!(read(Op::BitwiseOr, 8, 1, 2, 4, is_passed), kept(4, 1));
        assert_eq!(read(Op::BitwiseOr, 8, 0, 4, 4, is_passed), []);
        assert_eq!(read(Op::BitwiseOr, 8, 0, 0x102, 4, is_passed), kept(4, 2));
        assert_eq!(read(Op::BitwiseXor, 8, 7, 5, 4, is_passed), kept(4, 2));
        assert_eq!(read(Op::BitwiseXor, 8, 7, 3, 4, is_passed), []);
        assert_eq!(read(Op::BitwiseAnd, 8, 7, !1, 4, is_passed), kept(4, 2));
        assert_eq!(read(Op::BitwiseAnd, 8, 7, !3, 4, is_passed), []);
        // An odd number stays odd in steps of 2.
        assert_eq!(read(Op::BitwiseOr, 6, 0, 1, 4, is_passed), kept(4, 1));
    }
    // The host may pass what is missing.
    assert_eq!(read(Op::BitwiseOr, 4, 0, 2, 16, true), kept(16, 2));
    assert_eq!(read(Op::BitwiseAnd, 4, 8, !7, 16, true), []);
}

/// `for (i = start; i < n; i += step)`, once with a phi and once with a variable.
#[test]
fn loops_take_steps() {
    let with_phi = |step: u32| {
        followed(|kernel| {
            let (uint, limit, zero) = (kernel.uint, kernel.passed(), kernel.number(0));
            let step = kernel.number(step);
            let [header, body, next, end, before] = [0; 5].map(|_| kernel.builder.id());
            let [counter, sum] = [0; 2].map(|_| kernel.builder.id());
            kernel.builder.branch(before).unwrap();
            kernel.builder.begin_block(Some(before)).unwrap();
            kernel.builder.branch(header).unwrap();
            kernel.builder.begin_block(Some(header)).unwrap();
            kernel.builder.phi(uint, Some(counter), [(zero, before), (sum, next)]).unwrap();
            kernel.builder.name(counter, "i");
            let bool = kernel.builder.type_bool();
            let goes_on = kernel.builder.u_less_than(bool, None, counter, limit).unwrap();
            kernel.builder.loop_merge(end, next, LoopControl::NONE, []).unwrap();
            kernel.builder.branch_conditional(goes_on, body, end, []).unwrap();
            kernel.builder.begin_block(Some(body)).unwrap();
            let pointer = kernel.at(counter, kernel.float);
            kernel.load(kernel.float, pointer, 16);
            kernel.builder.branch(next).unwrap();
            kernel.builder.begin_block(Some(next)).unwrap();
            kernel.builder.i_add(uint, Some(sum), counter, step).unwrap();
            kernel.builder.branch(header).unwrap();
            kernel.builder.begin_block(Some(end)).unwrap();
        })
    };
    let kinds = |module: &ModuleAccesses| module.faults.iter().map(|fault| fault.kind.clone()).collect::<Vec<_>>();
    let small = with_phi(8);
    assert_eq!(kinds(&small), [FaultKind::Alignment { promised: 16, kept: 8 }]);
    assert_eq!(last(&small).at, strided(0, &[(8, "i")]));
    assert_eq!(kinds(&with_phi(16)), []);

    let with_variable = |step| {
        followed(|kernel| {
            let pointer = kernel.builder.type_pointer(None, StorageClass::Function, kernel.uint);
            let variable = kernel.builder.variable(pointer, None, StorageClass::Function, None);
            kernel.builder.name(variable, "i");
            let start = kernel.global();
            let start = kernel.times(start, 64);
            kernel.builder.store(variable, start, None, []).unwrap();
            let counter = kernel.builder.load(kernel.uint, None, variable, None, []).unwrap();
            let address = kernel.at(counter, kernel.float);
            kernel.load(kernel.float, address, 16);
            let sum = kernel.plus(counter, step);
            kernel.builder.store(variable, sum, None, []).unwrap();
        })
    };
    let small = with_variable(4);
    assert_eq!(kinds(&small), [FaultKind::Alignment { promised: 16, kept: 4 }]);
    assert_eq!(last(&small).at, strided(0, &[(64, "GlobalInvocationId.x"), (4, "i")]));
    assert_eq!(kinds(&with_variable(32)), []);
}

/// A driver unrolls a loop that asks for it, and code that logs is long.
#[test]
fn code_that_logs_unrolls_no_loop() {
    let mut kernel = Kernel::new();
    let (limit, before) = (kernel.passed(), kernel.builder.id());
    let [header, next, end] = [0; 3].map(|_| kernel.builder.id());
    kernel.builder.branch(before).unwrap();
    kernel.builder.begin_block(Some(before)).unwrap();
    kernel.builder.branch(header).unwrap();
    kernel.builder.begin_block(Some(header)).unwrap();
    let bool = kernel.builder.type_bool();
    let goes_on = kernel.builder.u_less_than(bool, None, limit, limit).unwrap();
    let hints = LoopControl::UNROLL | LoopControl::DEPENDENCY_LENGTH;
    kernel.builder.loop_merge(end, next, hints, [Operand::LiteralBit32(4)]).unwrap();
    kernel.builder.branch_conditional(goes_on, next, end, []).unwrap();
    kernel.builder.begin_block(Some(next)).unwrap();
    kernel.builder.branch(header).unwrap();
    kernel.builder.begin_block(Some(end)).unwrap();
    let words = kernel.words();
    let module = OwnModule::read(&words, None).unwrap();
    let merges = |words: &[u32]| {
        let loaded = rspirv::dr::load_words(words).unwrap();
        let all = loaded.all_inst_iter().filter(|it| it.class.opcode == Op::LoopMerge);
        all.map(|it| it.operands[2..].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(merges(&module.plain), [[Operand::LoopControl(hints), Operand::LiteralBit32(4)]]);
    assert_eq!(merges(&module.logging), [[Operand::LoopControl(LoopControl::DONT_UNROLL)]]);
}

#[test]
fn calls_pass_places() {
    let called_with = |factors: &[u32]| {
        let mut kernel = Kernel::new();
        let (void, uint) = (kernel.builder.type_void(), kernel.uint);
        let called = kernel.builder.id();
        for factor in factors {
            let index = kernel.global();
            let bytes = kernel.times(index, *factor);
            kernel.builder.function_call(void, None, called, [bytes]).unwrap();
        }
        let mut module = kernel;
        module.builder.ret().unwrap();
        module.builder.end_function().unwrap();
        let main = module.main;
        let signature = module.builder.type_function(void, [uint]);
        module.builder.begin_function(void, Some(called), FunctionControl::NONE, signature).unwrap();
        let parameter = module.builder.function_parameter(uint).unwrap();
        module.builder.begin_block(None).unwrap();
        let pointer = module.at(parameter, module.float);
        module.load(module.float, pointer, 16);
        module.main = main;
        let found = ModuleAccesses::read(&module.words()).unwrap();
        found.faults.into_iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    assert_eq!(called_with(&[16]), []);
    assert_eq!(called_with(&[16, 32]), []);
    assert_eq!(called_with(&[16, 4]), [FaultKind::Alignment { promised: 16, kept: 4 }]);
}

#[test]
fn members_have_their_places() {
    let module = followed(|kernel| {
        let (items, two) = (kernel.items(), kernel.number(2));
        let index = kernel.global();
        let items_type = kernel.builder.type_pointer(None, PHYSICAL, kernel.item);
        let element = kernel.builder.ptr_access_chain(items_type, None, items, index, []).unwrap();
        let component = kernel.number(3);
        let pointer = kernel.member(element, PHYSICAL, kernel.float, &[two, component]);
        kernel.builder.line(kernel.file, 7, 12);
        kernel.load(kernel.float, pointer, 4);
    });
    let access = last(&module);
    assert_eq!(module.views[access.view.unwrap() as usize].name, "Item(pushed.items)");
    assert_eq!((access.member.as_str(), access.type_name.as_str(), access.size), ("c.w", "float", Some(4)));
    assert_eq!(access.at, strided(28, &[(32, "GlobalInvocationId.x")]));
    assert_eq!(access.place, Some(SourcePlace { file: "kernel.comp".to_owned(), line: 7, column: Some(12) }));
    assert_eq!(module.faults, []);
    let untouched: Vec<&[String]> = module.views.iter().map(|view| view.untouched.as_slice()).collect();
    assert_eq!(untouched, [["addr".to_owned(), "n".to_owned()], ["a".to_owned(), "b".to_owned()]]);
}

#[test]
fn an_index_beyond_the_end_is_a_fault() {
    fn read(index: impl FnOnce(&mut Kernel) -> Word) -> Vec<FaultKind> {
        faults(|kernel| {
            let floats = kernel.array(kernel.float, Some(64), 4);
            let block = kernel.structure("Block", &[("values", floats, 0), ("more", floats, 256)]);
            let buffer = kernel.buffer("buffer", block);
            let (zero, index) = (kernel.number(0), index(kernel));
            let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.float, &[zero, index]);
            kernel.builder.load(kernel.float, None, pointer, None, []).unwrap();
        })
    }
    assert_eq!(read(|kernel| kernel.number(63)), []);
    assert_eq!(read(|kernel| kernel.number(64)), [FaultKind::BeyondEnd { least: 64, length: 64 }]);
    let moved = |kernel: &mut Kernel, by| {
        let index = kernel.local(0);
        kernel.plus(index, by)
    };
    assert_eq!(read(|kernel| moved(kernel, 64)), [FaultKind::BeyondEnd { least: 64, length: 64 }]);
    // The last invocation has 63.
    assert_eq!(read(|kernel| kernel.local(0)), []);
    assert_eq!(read(|kernel| moved(kernel, 1)), [FaultKind::Reaches { index: 64, length: 64 }]);
    // 0xFFFFFFFF is -1.
    assert_eq!(read(|kernel| moved(kernel, u32::MAX)), [FaultKind::Reaches { index: -1, length: 64 }]);
    let scaled = |kernel: &mut Kernel, factor| {
        let index = kernel.global();
        kernel.times(index, factor)
    };
    assert_eq!(read(|kernel| scaled(kernel, 1)), []);
    assert_eq!(read(|kernel| scaled(kernel, 2)), [FaultKind::Reaches { index: 126, length: 64 }]);
    let masked = |kernel: &mut Kernel, mask, factor| {
        let (index, mask) = (kernel.local(0), kernel.number(mask));
        let index = kernel.builder.bitwise_and(kernel.uint, None, index, mask).unwrap();
        kernel.times(index, factor)
    };
    assert_eq!(read(|kernel| masked(kernel, 31, 2)), []);
    assert_eq!(read(|kernel| masked(kernel, 31, 3)), [FaultKind::Reaches { index: 93, length: 64 }]);
    assert_eq!(read(|kernel| masked(kernel, 63, 3)), [FaultKind::Reaches { index: 189, length: 64 }]);
    // What the host passes may keep a sum below.
    let with_passed = |kernel: &mut Kernel| {
        let (index, passed) = (kernel.local(0), kernel.passed());
        kernel.builder.i_sub(kernel.uint, None, index, passed).unwrap()
    };
    assert_eq!(read(with_passed), []);
    assert_eq!(read(Kernel::passed), []);
}

/// A test of the index, or of anything else, may keep invocations from the bad place.
#[test]
fn an_index_behind_a_branch_reaches_nothing() {
    let read = |is_guarded: bool| {
        faults(|kernel| {
            let floats = kernel.array(kernel.float, Some(8), 4);
            let block = kernel.structure("Block", &[("values", floats, 0), ("more", floats, 32)]);
            let buffer = kernel.buffer("buffer", block);
            let (zero, eight, index) = (kernel.number(0), kernel.number(8), kernel.local(0));
            let bool = kernel.builder.type_bool();
            let [inner, end] = [0; 2].map(|_| kernel.builder.id());
            let is_below = kernel.builder.u_less_than(bool, None, index, eight).unwrap();
            kernel.builder.selection_merge(end, SelectionControl::NONE).unwrap();
            kernel.builder.branch_conditional(is_below, inner, end, []).unwrap();
            kernel.builder.begin_block(Some(inner)).unwrap();
            if !is_guarded {
                kernel.builder.branch(end).unwrap();
                kernel.builder.begin_block(Some(end)).unwrap();
            }
            let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.float, &[zero, index]);
            kernel.builder.load(kernel.float, None, pointer, None, []).unwrap();
            if is_guarded {
                kernel.builder.branch(end).unwrap();
                kernel.builder.begin_block(Some(end)).unwrap();
            }
        })
    };
    assert_eq!(read(true), []);
    assert_eq!(read(false), [FaultKind::Reaches { index: 63, length: 8 }]);
}

/// Numbers without a name are the operations that make them, over the names that the module has.
#[test]
fn a_number_without_a_name_is_its_operation() {
    fn index(of: impl FnOnce(&mut Kernel) -> Word) -> ByteExpr {
        let module = followed(|kernel| {
            let words = kernel.array(kernel.uint, None, 4);
            let block = kernel.structure("Block", &[("first", kernel.uint, 0), ("rest", words, 4)]);
            let buffer = kernel.buffer("buffer", block);
            let (one, index) = (kernel.number(1), of(kernel));
            let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.uint, &[one, index]);
            let zero = kernel.number(0);
            kernel.builder.store(pointer, zero, None, []).unwrap();
        });
        last(&module).at.clone()
    }
    /// A function of GLSL.std.450.
    fn call(kernel: &mut Kernel, function: u32, arguments: &[u32]) -> Word {
        let i = kernel.global();
        let set = kernel.builder.ext_inst_import("GLSL.std.450");
        let arguments: Vec<Word> = arguments.iter().map(|number| kernel.number(*number)).collect();
        let operands = std::iter::once(i).chain(arguments).map(Operand::IdRef);
        kernel.builder.ext_inst(kernel.uint, None, set, function, operands.collect::<Vec<_>>()).unwrap()
    }
    let i = "GlobalInvocationId.x";
    for (function, arguments, words) in [
        (38, &[15][..], format!("min({i}, 15)")),
        (41, &[3], format!("max({i}, 3)")),
        (44, &[2, 5], format!("clamp({i}, 2, 5)")),
    ] {
        assert_eq!(index(|kernel| call(kernel, function, arguments)), strided(4, &[(4, &words)]));
    }
    assert_eq!(index(|kernel| call(kernel, 44, &[3, 3])), ByteExpr::Constant(16));
    let by_two = |operation: fn(&mut Kernel, Word, Word) -> Word| {
        index(|kernel| {
            let (i, two) = (kernel.global(), kernel.number(2));
            operation(kernel, i, two)
        })
    };
    assert_eq!(
        by_two(|kernel, i, two| kernel.builder.u_div(kernel.uint, None, i, two).unwrap()),
        strided(4, &[(4, &format!("({i} / 2)"))])
    );
    assert_eq!(
        by_two(|kernel, i, two| kernel.builder.u_mod(kernel.uint, None, i, two).unwrap()),
        strided(4, &[(4, &format!("({i} % 2)"))])
    );
    let sum = index(|kernel| {
        let i = kernel.global();
        let (scaled, set) = (kernel.times(i, 6), kernel.builder.ext_inst_import("GLSL.std.450"));
        let (moved, most) = (kernel.plus(scaled, 1), kernel.number(13));
        kernel.builder.ext_inst(kernel.uint, None, set, 38, [moved, most].map(Operand::IdRef)).unwrap()
    });
    assert_eq!(sum, strided(8, &[(24, &format!("((min((6*{i} + 1), 13) - 1)/6)"))]));
    // What is not followed has its id, too, because two of them may differ.
    let converted = index(|kernel| {
        let i = kernel.global();
        let float = kernel.builder.convert_u_to_f(kernel.float, None, i).unwrap();
        kernel.builder.convert_f_to_u(kernel.uint, None, float).unwrap()
    });
    let ByteExpr::Strided { strides, .. } = converted else { panic!("{converted:?}") };
    assert!(strides[0].index.starts_with("ConvertFToU(%"), "{strides:?}");
}

/// The least of the numbers is known.
#[test]
fn an_index_of_at_least_the_length_is_a_fault() {
    let read = |least: u32| {
        faults(|kernel| {
            let floats = kernel.array(kernel.float, Some(64), 4);
            let block = kernel.structure("Block", &[("values", floats, 0), ("more", floats, 256)]);
            let buffer = kernel.buffer("buffer", block);
            let (zero, i, least) = (kernel.number(0), kernel.passed(), kernel.number(least));
            let set = kernel.builder.ext_inst_import("GLSL.std.450");
            let index = kernel.builder.ext_inst(kernel.uint, None, set, 41, [i, least].map(Operand::IdRef)).unwrap();
            let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.float, &[zero, index]);
            kernel.builder.load(kernel.float, None, pointer, None, []).unwrap();
        })
    };
    assert_eq!(read(63), []);
    assert_eq!(read(70), [FaultKind::BeyondEnd { least: 70, length: 64 }]);
}

/// Workgroups have one invocation in y, so this is always 0.
#[test]
fn a_dimension_of_one_invocation_takes_no_steps() {
    let read = |component| {
        faults(|kernel| {
            let index = kernel.local(component);
            let bytes = kernel.times(index, 4);
            let pointer = kernel.at(bytes, kernel.float);
            kernel.load(kernel.float, pointer, 16);
        })
    };
    assert_eq!(read(1), []);
    assert_eq!(read(0), [FaultKind::Alignment { promised: 16, kept: 4 }]);
}

#[test]
fn steps_below_the_struct_are_a_fault() {
    let read = |factor| {
        faults(|kernel| {
            let (index, two) = (kernel.global(), kernel.number(2));
            let bytes = kernel.times(index, factor);
            let pointer = kernel.at(bytes, kernel.item);
            let pointer = kernel.member(pointer, PHYSICAL, kernel.float4, &[two]);
            kernel.load(kernel.float4, pointer, 4);
        })
    };
    assert_eq!(read(20), [FaultKind::Stride { stride: 20, element: 32 }]);
    assert_eq!(read(32), []);
    // A record of which code reads the start.
    assert_eq!(read(48), []);
}

#[test]
fn elements_that_overlap_are_a_fault() {
    let found = faults(|kernel| {
        let items = kernel.array(kernel.item, None, 16);
        let block = kernel.structure("Block", &[("items", items, 0)]);
        let buffer = kernel.buffer("buffer", block);
        let path = [kernel.number(0), kernel.global(), kernel.number(1)];
        let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.uint, &path);
        kernel.builder.load(kernel.uint, None, pointer, None, []).unwrap();
    });
    assert_eq!(found, [FaultKind::Stride { stride: 16, element: 32 }]);
}

/// A pointer to `Item` that code reads as `Other`.
#[test]
fn a_member_as_another_type_is_a_fault() {
    let read = |path: &[u32], ty: fn(&Kernel) -> Word| {
        faults(|kernel| {
            let items = kernel.items();
            let others = kernel.builder.type_pointer(None, PHYSICAL, kernel.other);
            let others = kernel.builder.bitcast(others, None, items).unwrap();
            let path: Vec<Word> = path.iter().map(|index| kernel.number(*index)).collect();
            let ty = ty(kernel);
            let pointer = kernel.member(others, PHYSICAL, ty, &path);
            kernel.load(ty, pointer, 4);
        })
    };
    let other_type = FaultKind::OtherType {
        at: 0,
        declared: "a".to_owned(),
        declared_type: "float".to_owned(),
        accessed: "uint".to_owned(),
    };
    assert_eq!(read(&[0], |kernel| kernel.uint), [other_type]);
    assert_eq!(read(&[1], |kernel| kernel.uint), []);
    let padding = FaultKind::Padding { at: 8, declared: "Item".to_owned() };
    assert_eq!(read(&[2, 0], |kernel| kernel.float), [padding]);
}

#[test]
fn a_matrix_of_the_other_order_is_a_fault() {
    let read = |order: Decoration| {
        faults(|kernel| {
            let float2 = kernel.builder.type_vector(kernel.float, 2);
            let matrix = kernel.builder.type_matrix(float2, 2);
            let [one, other] = ["One", "Another"].map(|name| {
                let members = [("turn", matrix, 0), ("count", kernel.uint, 32)];
                let ty = kernel.structure(name, &members);
                let own = if name == "One" { Decoration::ColMajor } else { order };
                kernel.builder.member_decorate(ty, 0, own, []);
                kernel.builder.member_decorate(ty, 0, Decoration::MatrixStride, [Operand::LiteralBit32(16)]);
                kernel.builder.type_pointer(None, PHYSICAL, ty)
            });
            let holder = kernel.structure("Holder", &[("one", one, 0)]);
            let holder = kernel.buffer("holder", holder);
            let pointer = kernel.part(holder, StorageClass::StorageBuffer, one, &[0]);
            let pointer = kernel.builder.bitcast(other, None, pointer).unwrap();
            let first = kernel.number(0);
            let pointer = kernel.member(pointer, PHYSICAL, matrix, &[first]);
            kernel.load(matrix, pointer, 16);
        })
    };
    let fault = FaultKind::OtherOrder { at: 0, declared: "turn".to_owned(), declared_is_row_major: false };
    assert_eq!(read(Decoration::RowMajor), [fault]);
    assert_eq!(read(Decoration::ColMajor), []);
}

/// Scalars of one kind look at bytes whatever they are.
#[test]
fn words_of_a_struct_are_no_fault() {
    let found = faults(|kernel| {
        let items = kernel.items();
        let words = kernel.builder.type_pointer(None, PHYSICAL, kernel.uint);
        let words = kernel.builder.bitcast(words, None, items).unwrap();
        kernel.load(kernel.uint, words, 4);
    });
    assert_eq!(found, []);
}

#[test]
fn views_of_one_memory_must_agree() {
    let read = |offset: u32, name: &str| {
        followed(|kernel| {
            let float = kernel.float;
            let one = kernel.structure("One", &[("count", float, 0), ("colour", float, 4)]);
            let other = kernel.structure("Other", &[("count", float, 0), (name, float, offset)]);
            for (block, buffer) in [(one, "one"), (other, "other")] {
                let buffer = kernel.buffer(buffer, block);
                let index = kernel.number(1);
                let pointer = kernel.member(buffer, StorageClass::StorageBuffer, float, &[index]);
                kernel.builder.load(float, None, pointer, None, []).unwrap();
            }
        })
    };
    let differ = read(16, "colour");
    let [fault] = differ.faults.as_slice() else { panic!("{:?}", differ.faults) };
    assert_eq!(fault.view, "other");
    let kind = FaultKind::Views {
        other: "one".to_owned(),
        member: "colour".to_owned(),
        is_stride: false,
        at: 16,
        other_at: 4,
    };
    assert_eq!(fault.kind, kind);
    assert_eq!(read(4, "colour").faults, []);
    assert_eq!(read(16, "extent").faults, []);
}

#[test]
fn conditions_that_are_constant_exclude_code() {
    let read = |is_taken: bool| {
        followed(|kernel| {
            let bool = kernel.builder.type_bool();
            let condition =
                if is_taken { kernel.builder.constant_true(bool) } else { kernel.builder.constant_false(bool) };
            let [inner, end] = [0; 2].map(|_| kernel.builder.id());
            kernel.builder.selection_merge(end, SelectionControl::NONE).unwrap();
            kernel.builder.branch_conditional(condition, inner, end, []).unwrap();
            kernel.builder.begin_block(Some(inner)).unwrap();
            kernel.passed();
            kernel.builder.branch(end).unwrap();
            kernel.builder.begin_block(Some(end)).unwrap();
        })
    };
    assert_eq!(read(true).accesses.len(), 1);
    assert_eq!(read(false).accesses, []);
}

/// A pointer from an instruction that is not followed is counted.
#[test]
fn what_is_not_followed_is_open() {
    let module = followed(|kernel| {
        let floats = kernel.array(kernel.float, None, 4);
        let block = kernel.structure("Block", &[("values", floats, 0)]);
        let buffer = kernel.buffer("buffer", block);
        let bool = kernel.builder.type_bool();
        let condition = kernel.builder.constant_true(bool);
        let (zero, index) = (kernel.number(0), kernel.global());
        let pointer = kernel.member(buffer, StorageClass::StorageBuffer, kernel.float, &[zero, index]);
        let pointer_type = kernel.builder.type_pointer(None, StorageClass::StorageBuffer, kernel.float);
        let unknown = kernel.builder.undef(pointer_type, None);
        let either = kernel.builder.select(pointer_type, None, condition, pointer, unknown).unwrap();
        kernel.builder.store(either, zero, None, []).unwrap();
    });
    assert_eq!((last(&module).kind, &last(&module).at), (AccessKind::Store, &ByteExpr::Unknown(Why::Pointer)));
    assert_eq!((module.resolved(), module.accesses.len()), (0, 1));
}

/// Functions that call themselves and phis of themselves are invalid, and end all the same.
#[test]
fn circles_end() {
    let mut kernel = Kernel::new();
    let (void, uint, main) = (kernel.builder.type_void(), kernel.uint, kernel.main);
    let [phi, label] = [0; 2].map(|_| kernel.builder.id());
    kernel.builder.branch(label).unwrap();
    kernel.builder.begin_block(Some(label)).unwrap();
    kernel.builder.phi(uint, Some(phi), [(phi, label)]).unwrap();
    kernel.builder.function_call(void, None, main, []).unwrap();
    let doubled = kernel.builder.i_mul(uint, None, phi, phi).unwrap();
    let pointer = kernel.at(doubled, kernel.float);
    kernel.load(kernel.float, pointer, 16);
    let huge = kernel.builder.constant_bit64(kernel.long, u64::MAX / 2);
    let huge = kernel.builder.i_mul(kernel.long, None, huge, huge).unwrap();
    let pointer_type = kernel.builder.type_pointer(None, PHYSICAL, kernel.float);
    let pointer = kernel.builder.convert_u_to_ptr(pointer_type, None, huge).unwrap();
    kernel.load(kernel.float, pointer, 16);
    let module = ModuleAccesses::read(&kernel.words()).unwrap();
    assert_eq!(module.faults, []);
}
