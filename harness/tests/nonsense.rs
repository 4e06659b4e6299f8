//! Untrusted SPIR-V: refused with a reason, or run within a budget, never a panic.

use std::time::{Duration, Instant};

use layoutproof_device::{Batch, BufferKind, Job, JobBuffer, Runner, RunnerError, Shader};
use layoutproof_model::Model;
use layoutproof_readers::spirv::{bound_variables, declared, features_of};
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, LoopControl, MemoryModel,
    StorageClass, Word,
};

/// Time limit: far more than linear work needs unoptimised, far less than quadratic work at these
/// sizes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A module whose entry point `main` contains the output of `body` between its first label and its
/// end.
fn module(body: impl FnOnce(&mut Builder)) -> Vec<u32> {
    let mut builder = Builder::new();
    builder.set_version(1, 3);
    builder.capability(Capability::Shader);
    builder.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let void = builder.type_void();
    let signature = builder.type_function(void, []);
    let main = builder.begin_function(void, None, FunctionControl::NONE, signature).expect("no function is open");
    builder.begin_block(None).expect("no block is open");
    body(&mut builder);
    builder.end_function().expect("the function is open");
    builder.entry_point(ExecutionModel::GLCompute, main, "main", []);
    builder.execution_mode(main, ExecutionMode::LocalSize, [1, 1, 1]);
    builder.module().assemble()
}

fn refusal(words: Vec<u32>) -> String {
    let (kind, bytes) = (BufferKind::Storage, vec![0; 4]);
    let buffer = JobBuffer { set: 0, binding: 1, element: 0, kind, bytes, after: Vec::new(), before_word: 0 };
    let job = Job::compute(Shader::Spirv(words), "main", vec![buffer]);
    match Model::new().run(&Batch { jobs: vec![job] }).remove(0) {
        Err(RunnerError::ShaderRefused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn endless_loop_ends() {
    let words = module(|builder| {
        let (head, end) = (builder.id(), builder.id());
        builder.branch(head).unwrap();
        builder.begin_block(Some(head)).unwrap();
        builder.loop_merge(end, head, LoopControl::NONE, []).unwrap();
        builder.branch(head).unwrap();
        builder.begin_block(Some(end)).unwrap();
        builder.ret().unwrap();
    });
    assert_eq!(refusal(words), "not done after 4194304 steps");
}

#[test]
fn recursion_ends() {
    let words = module(|builder| {
        let void = builder.type_void();
        let own = builder.module_ref().functions[0].def_id().unwrap();
        builder.function_call(void, None, own, []).unwrap();
        builder.ret().unwrap();
    });
    assert_eq!(refusal(words), "calls nested more than 32 deep");
}

#[test]
fn value_that_fills_the_memory_is_refused() {
    let words = module(|builder| {
        let mut ty = builder.type_int(32, 0);
        let many = builder.constant_bit32(ty, 4096);
        for _ in 0..4 {
            ty = builder.type_array(ty, many);
        }
        let pointer = builder.type_pointer(None, StorageClass::Function, ty);
        builder.variable(pointer, None, StorageClass::Function, None);
        builder.ret().unwrap();
    });
    assert!(refusal(words).ends_with("which has more than 65536 scalars"));
}

#[test]
fn unmodelled_instruction_is_named() {
    let words = module(|builder| {
        let float = builder.type_float(32, None);
        let one = builder.constant_bit32(float, 0x3F80_0000);
        builder.f_add(float, None, one, one).unwrap();
        builder.ret().unwrap();
    });
    assert_eq!(refusal(words), "instruction OpFAdd is not modelled");
}

#[test]
fn very_large_workgroup_is_refused() {
    let mut words = module(|builder| builder.ret().unwrap());
    let mode = words.iter().position(|word| *word == 0x0006_0010).unwrap();
    words[mode + 3] = 2048;
    assert_eq!(refusal(words), "local size [2048, 1, 1] is not modelled");
}

/// Structs whose two members are both the previous struct: 2^20 parts.
fn doubling_struct(builder: &mut Builder) -> Word {
    let mut ty = builder.type_int(32, 0);
    for _ in 0..20 {
        let id = builder.id();
        builder.type_struct_id(Some(id), [ty, ty]);
        ty = id;
    }
    ty
}

#[test]
fn type_of_too_many_parts_is_refused() {
    let words = module(|builder| {
        let block = doubling_struct(builder);
        builder.decorate(block, Decoration::Block, []);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, block);
        builder.ret().unwrap();
        builder.variable(pointer, None, StorageClass::Uniform, None);
    });
    let bad = declared(&words).unwrap_err();
    assert!(bad.reason.ends_with("is nested more than 64 deep or has more than 65536 parts"), "{bad}");
}

#[test]
fn struct_in_itself_is_refused() {
    let words = module(|builder| {
        let id = builder.id();
        builder.type_struct_id(Some(id), [id]);
        builder.ret().unwrap();
    });
    let bad = declared(&words).unwrap_err();
    assert!(bad.reason.contains("which is not declared before"), "{bad}");
}

#[test]
fn block_without_offsets_is_listed_with_the_reason() {
    let words = module(|builder| {
        let uint = builder.type_int(32, 0);
        let two = builder.constant_bit32(uint, 2);
        let array = builder.type_array(uint, two);
        let block = builder.type_struct([uint, array]);
        builder.decorate(block, Decoration::Block, []);
        builder.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, block);
        builder.ret().unwrap();
        let variable = builder.variable(pointer, None, StorageClass::Uniform, None);
        builder.name(variable, "S");
    });
    let blocks = declared(&words).unwrap();
    let refusals = blocks[0].layout.result.clone().unwrap_err();
    let texts: Vec<String> = refusals.into_iter().map(|it| format!("{}: {}", it.path, it.message)).collect();
    assert_eq!(texts, ["_1: no ArrayStride", "_1: no Offset"]);
}

/// Two of them would end at byte 2^32, which no offset can express.
#[test]
fn block_that_ends_beyond_all_offsets_is_listed_with_the_reason() {
    for (offset, stride) in [(0x8000_0000, 4), (0, 0x7FFF_FFFE), (0xFFFF_FFFC, 0xFFFF_FFFF)] {
        let words = module(|builder| {
            let uint = builder.type_int(32, 0);
            let array = builder.type_runtime_array(uint);
            builder.decorate(array, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
            let block = builder.type_struct([array]);
            builder.decorate(block, Decoration::Block, []);
            builder.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(offset)]);
            let pointer = builder.type_pointer(None, StorageClass::StorageBuffer, block);
            builder.ret().unwrap();
            builder.variable(pointer, None, StorageClass::StorageBuffer, None);
        });
        let blocks = declared(&words).unwrap();
        let refusals = blocks[0].layout.result.clone().unwrap_err();
        assert_eq!(refusals[0].message, "it ends beyond 2147483648 bytes");
        assert!(blocks[0].layout.rows().is_empty() && blocks[0].layout.leaves().is_empty());
    }
}

/// 8192 variables of one block whose type has a name of 4 KiB. A listing would copy the name for
/// each.
#[test]
fn long_name_that_many_blocks_share_is_refused() {
    let words = module(|builder| {
        let uint = builder.type_int(32, 0);
        let block = builder.type_struct([uint]);
        builder.name(block, "S".repeat(4096));
        builder.decorate(block, Decoration::Block, []);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, block);
        builder.ret().unwrap();
        for _ in 0..8192 {
            builder.variable(pointer, None, StorageClass::Uniform, None);
        }
    });
    assert_eq!(declared(&words).unwrap_err().reason, "its blocks take more than 16777216 bytes to list");
}

/// 2^15 parts, each at the end of a path of 15 names of 1 KiB.
#[test]
fn long_names_in_every_path_are_refused() {
    let words = module(|builder| {
        let mut ty = builder.type_int(32, 0);
        for _ in 0..15 {
            let id = builder.id();
            builder.type_struct_id(Some(id), [ty, ty]);
            builder.member_name(id, 0, "a".repeat(1024));
            builder.member_name(id, 1, "b".repeat(1024));
            ty = id;
        }
        builder.decorate(ty, Decoration::Block, []);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, ty);
        builder.ret().unwrap();
        builder.variable(pointer, None, StorageClass::Uniform, None);
    });
    assert_eq!(declared(&words).unwrap_err().reason, "its blocks take more than 16777216 bytes to list");
}

/// As many blocks of one name as fit. Numbering each once meant counting over all blocks before it.
#[test]
fn many_blocks_of_one_name_are_numbered_in_time() {
    let words = module(|builder| {
        let uint = builder.type_int(32, 0);
        let block = builder.type_struct([uint]);
        builder.decorate(block, Decoration::Block, []);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, block);
        builder.ret().unwrap();
        for _ in 0..40_000 {
            builder.variable(pointer, None, StorageClass::Uniform, None);
        }
    });
    let start = Instant::now();
    let blocks = declared(&words).unwrap();
    assert_eq!(blocks.last().unwrap().layout.name, "uniform-block#40000");
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

/// The module contains its name once; a listing would repeat it each time.
#[test]
fn variable_that_is_declared_twice_is_refused() {
    let words = module(|builder| {
        let uint = builder.type_int(32, 0);
        let pointer = builder.type_pointer(None, StorageClass::Uniform, uint);
        builder.ret().unwrap();
        let id = builder.variable(pointer, None, StorageClass::Uniform, None);
        builder.variable(pointer, Some(id), StorageClass::Uniform, None);
    });
    let bad = bound_variables(&words).unwrap_err();
    assert!(bad.reason.ends_with("is declared twice"), "{bad}");
}

#[test]
fn many_entry_points_are_found_in_time() {
    let words = module(|builder| {
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let void = builder.type_void();
        let signature = builder.type_function(void, []);
        for _ in 0..40_000 {
            let id = builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
            builder.entry_point(ExecutionModel::GLCompute, id, "", []);
            builder.end_function().unwrap();
        }
        builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
    });
    let start = Instant::now();
    assert_eq!(declared(&words), Ok(Vec::new()));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn broken_words_are_placed() {
    let header = [0x0723_0203, 0x0001_0300, 0, 10, 0];
    let table: [(&[u32], usize, &str); 2] = [
        (&[0x0000_0011], 5, "an instruction of 0 words"),
        (&[0x0002_0011, 1, 0x0004_0015, 2], 7, "an instruction of 4 words, 2 are left"),
    ];
    for (instructions, word, reason) in table {
        let bad = declared(&[&header[..], instructions].concat()).unwrap_err();
        assert_eq!((bad.word, bad.reason.as_str()), (word, reason));
    }
    let unknown = [&header[..], &[0x0001_FFF0]].concat();
    assert!(features_of(&unknown).unwrap_err().to_string().starts_with("word 5: "));
    assert_eq!(declared(&unknown).unwrap_err().reason, "no memory model: the module is truncated");
}

#[test]
fn value_in_itself_is_refused() {
    let words = module(|builder| {
        let uint = builder.type_int(32, 0);
        let one = builder.type_struct([uint]);
        let start = builder.undef(one, None);
        builder.composite_construct(one, None, [start]).unwrap();
        builder.ret().unwrap();
    });
    assert!(refusal(words).starts_with("a value that does not fit type"));
}
