//! Modules with words that rspirv does not know or does not expect there.
//!
//! Modules are put together by hand, word by word, because assemblers know no more than rspirv.
//! Expected offsets are the operands of the modules' own `OpMemberDecorate ... Offset`. The SPIR-V
//! specification, "Unknown extended instruction sets", and `SPV_KHR_non_semantic_info` define what
//! may be removed.

use layoutproof_device::Feature;
use layoutproof_layout::{BlockLayout, Reach};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

use super::types::SpirvTypes;
use super::{DeclaredModule, bound_variables, declared, features_of, for_devices, load};

/// Numbers that no version of SPIR-V defines.
const UNKNOWN: u32 = 65_000;

/// Ids of the module.
const VOID: u32 = 1;
const FUNCTION_TYPE: u32 = 2;
const MAIN: u32 = 3;
const LABEL: u32 = 4;
const FLOAT: u32 = 5;
const UINT: u32 = 6;
const BLOCK: u32 = 7;
const POINTER: u32 = 8;
const VARIABLE: u32 = 9;
/// The first free id.
const FREE: u32 = 10;

/// An instruction with these operand words.
fn instruction(op: u32, operands: &[u32]) -> Vec<u32> {
    let count = u32::try_from(operands.len() + 1).unwrap();
    [&[(count << 16) | op], operands].concat()
}

fn op(op: Op, operands: &[u32]) -> Vec<u32> {
    instruction(op as u32, operands)
}

/// A text as words.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn named(target: u32, name: &str) -> Vec<u32> {
    op(Op::Name, &[&[target], &*text(name)].concat())
}

/// A module with a uniform block `S` with the float members `a` at 0 and `b` at 16, and with more
/// instructions in each section.
#[derive(Default)]
struct HandMadeModule {
    capabilities: Vec<Vec<u32>>,
    annotations: Vec<Vec<u32>>,
    /// After the scalar types, before the block.
    types: Vec<Vec<u32>>,
    /// After the block's variable.
    globals: Vec<Vec<u32>>,
    body: Vec<Vec<u32>>,
    /// Type of the member `b`; a float if 0.
    second: u32,
}

impl HandMadeModule {
    fn words(&self) -> Vec<u32> {
        let second = if self.second == 0 { FLOAT } else { self.second };
        let offset = |member, offset| op(Op::MemberDecorate, &[BLOCK, member, Decoration::Offset as u32, offset]);
        let mut all = vec![vec![0x0723_0203, 0x0001_0600, 0, 100, 0], op(Op::Capability, &[Capability::Shader as u32])];
        all.extend(self.capabilities.clone());
        all.extend([
            op(Op::MemoryModel, &[0, 1]),
            op(Op::EntryPoint, &[&[5, MAIN], &*text("main")].concat()),
            op(Op::ExecutionMode, &[MAIN, 17, 1, 1, 1]),
            named(VARIABLE, "S"),
            op(Op::MemberName, &[&[BLOCK, 0], &*text("a")].concat()),
            op(Op::MemberName, &[&[BLOCK, 1], &*text("b")].concat()),
            op(Op::Decorate, &[BLOCK, Decoration::Block as u32]),
            offset(0, 0),
            offset(1, 16),
            op(Op::Decorate, &[VARIABLE, Decoration::DescriptorSet as u32, 3]),
            op(Op::Decorate, &[VARIABLE, Decoration::Binding as u32, 2]),
        ]);
        all.extend(self.annotations.clone());
        all.extend([
            op(Op::TypeVoid, &[VOID]),
            op(Op::TypeFunction, &[FUNCTION_TYPE, VOID]),
            op(Op::TypeFloat, &[FLOAT, 32]),
            op(Op::TypeInt, &[UINT, 32, 0]),
        ]);
        all.extend(self.types.clone());
        all.extend([
            op(Op::TypeStruct, &[BLOCK, FLOAT, second]),
            op(Op::TypePointer, &[POINTER, StorageClass::Uniform as u32, BLOCK]),
            op(Op::Variable, &[POINTER, VARIABLE, StorageClass::Uniform as u32]),
        ]);
        all.extend(self.globals.clone());
        all.extend([op(Op::Function, &[VOID, MAIN, 0, FUNCTION_TYPE]), op(Op::Label, &[LABEL])]);
        all.extend(self.body.clone());
        all.extend([op(Op::Return, &[]), op(Op::FunctionEnd, &[])]);
        all.concat()
    }

    fn read(&self) -> DeclaredModule {
        DeclaredModule::read(&self.words()).unwrap()
    }

    /// The only refusal of the block.
    #[track_caller]
    fn refusal(&self) -> String {
        let refusals = self.read().blocks[0].layout.result.clone().unwrap_err();
        let [refusal] = refusals.as_slice() else { panic!("{refusals:?}") };
        format!("{}: {}", refusal.path, refusal.message)
    }
}

/// Path and absolute offset of every member.
fn offsets(layout: &BlockLayout) -> Vec<(String, u32)> {
    layout.rows().into_iter().map(|row| (row.path, row.offset)).collect()
}

#[track_caller]
fn lists_the_block(module: &DeclaredModule) {
    let [block] = module.blocks.as_slice() else { panic!("{module:?}") };
    assert_eq!((block.layout.name.as_str(), block.set, block.binding), ("S", Some(3), Some(2)));
    assert_eq!(offsets(&block.layout), [("a".to_owned(), 0), ("b".to_owned(), 16)]);
}

#[test]
fn words_that_do_not_matter_for_a_layout_are_skipped() {
    let set = op(Op::ExtInstImport, &[&[FREE], &*text("Vendor.unknown")].concat());
    let module = HandMadeModule {
        capabilities: vec![
            op(Op::Capability, &[UNKNOWN]),
            op(Op::Extension, &text("SPV_VENDOR_unknown")),
            set,
            op(Op::ExtInstImport, &[&[FREE + 1], &*text("NonSemantic.Vendor")].concat()),
        ],
        // An unknown source language, as slangc's 11 once was; decorations of other ids.
        annotations: vec![op(Op::Source, &[UNKNOWN, 1]), op(Op::Decorate, &[MAIN, UNKNOWN, 1, 2])],
        types: vec![
            op(Op::ExtInst, &[VOID, FREE + 2, FREE + 1, 7, VOID]),
            op(Op::TypeImage, &[FREE + 3, FLOAT, UNKNOWN, 0, 0, 0, 1, UNKNOWN]),
            op(Op::TypeFloat, &[FREE + 4, 8, UNKNOWN]),
            op(Op::Constant, &[FREE + 4, FREE + 5, 0]),
        ],
        body: vec![instruction(UNKNOWN, &[1, 2, 3]), op(Op::ExtInst, &[VOID, FREE + 6, FREE, 1])],
        ..HandMadeModule::default()
    };
    let read = module.read();
    lists_the_block(&read);
    assert_eq!(read.warnings, Vec::<String>::new());
    assert_eq!(bound_variables(&module.words()).unwrap().len(), 1);
    assert_eq!(declared(&module.words()).unwrap(), read.blocks);
}

/// Also with the loader that reads all instructions, which is used for compiled probes.
#[test]
fn non_semantic_instructions_may_stand_anywhere() {
    let module = HandMadeModule {
        capabilities: vec![op(Op::ExtInstImport, &[&[FREE], &*text("NonSemantic.Shader.DebugInfo.100")].concat())],
        types: vec![op(Op::ExtInst, &[VOID, FREE + 1, FREE, 1, UINT])],
        ..HandMadeModule::default()
    };
    assert_eq!(features_of(&module.words()).unwrap(), [].into());
    let semantic = HandMadeModule {
        capabilities: vec![op(Op::ExtInstImport, &[&[FREE], &*text("GLSL.std.450")].concat())],
        ..module
    };
    assert!(features_of(&semantic.words()).unwrap_err().to_string().contains("not inside block"));
}

/// DXC 1.7.2308 for a file with `Texture2D t[]` and a probe that does not use it.
#[test]
fn the_capability_of_an_array_that_is_gone_is_no_need() {
    let declared = [
        op(Op::Capability, &[Capability::RuntimeDescriptorArray as u32]),
        op(Op::Extension, &text("SPV_EXT_descriptor_indexing")),
    ];
    let gone = HandMadeModule { capabilities: declared.to_vec(), ..HandMadeModule::default() };
    assert_eq!(for_devices(&gone.words()), HandMadeModule::default().words());

    let (sampler, array, pointer, variable) = (FREE, FREE + 1, FREE + 2, FREE + 3);
    let class = StorageClass::UniformConstant as u32;
    let used = HandMadeModule {
        types: vec![
            op(Op::TypeSampler, &[sampler]),
            op(Op::TypeRuntimeArray, &[array, sampler]),
            op(Op::TypePointer, &[pointer, class, array]),
        ],
        globals: vec![op(Op::Variable, &[pointer, variable, class])],
        ..gone
    };
    assert_eq!(for_devices(&used.words()), used.words());
    // Another capability of the extension.
    let mut other = HandMadeModule { capabilities: declared.to_vec(), ..HandMadeModule::default() };
    other.capabilities.insert(0, op(Op::Capability, &[Capability::ShaderNonUniform as u32]));
    assert_eq!(for_devices(&other.words()), other.words());
}

/// Probes pass an address as a push constant, which is no pointer in a buffer.
#[test]
fn a_pointer_among_the_members_of_a_buffer_is_a_feature() {
    let pointer = op(Op::TypePointer, &[FREE, StorageClass::PhysicalStorageBuffer as u32, FLOAT]);
    let in_block = HandMadeModule { types: vec![pointer.clone()], second: FREE, ..HandMadeModule::default() };
    assert_eq!(features_of(&in_block.words()).unwrap(), [Feature::PointersInBuffers].into());
    let pushed = HandMadeModule {
        types: vec![
            pointer,
            op(Op::TypeStruct, &[FREE + 1, FREE]),
            op(Op::TypePointer, &[FREE + 2, StorageClass::PushConstant as u32, FREE + 1]),
        ],
        ..HandMadeModule::default()
    };
    assert_eq!(features_of(&pushed.words()).unwrap(), [].into());
}

#[test]
fn an_unknown_declaration_is_named() {
    let module = HandMadeModule { globals: vec![instruction(UNKNOWN, &[FREE, 1])], ..HandMadeModule::default() };
    let read = module.read();
    lists_the_block(&read);
    let warning = "an instruction of the unknown opcode 65000 is skipped: if it declares a block, that is not listed";
    assert_eq!(read.warnings, [warning]);
}

#[test]
fn a_member_of_an_unknown_type_is_refused_by_name() {
    let unknown =
        HandMadeModule { types: vec![instruction(UNKNOWN, &[FREE, FLOAT])], second: FREE, ..HandMadeModule::default() };
    assert_eq!(unknown.refusal(), "b: a type of the unknown opcode 65000");
    let encoded =
        HandMadeModule { types: vec![op(Op::TypeFloat, &[FREE, 16, 0])], second: FREE, ..HandMadeModule::default() };
    assert_eq!(encoded.refusal(), "b: a float of 16 bits with another encoding than IEEE 754");
    let far = HandMadeModule {
        types: vec![op(Op::TypePointer, &[FREE, UNKNOWN, FLOAT])],
        second: FREE,
        ..HandMadeModule::default()
    };
    assert_eq!(far.refusal(), "b: a pointer into the unknown storage class 65000");
    let computed = HandMadeModule {
        types: vec![op(Op::SpecConstantOp, &[UINT, FREE, UNKNOWN, FREE]), op(Op::TypeArray, &[FREE + 1, FLOAT, FREE])],
        second: FREE + 1,
        ..HandMadeModule::default()
    };
    assert_eq!(computed.refusal(), "b: an array whose length is the operation 65000 on constants");
}

#[test]
fn an_unknown_decoration_of_a_member_is_a_warning() {
    let module = HandMadeModule {
        annotations: vec![op(Op::MemberDecorate, &[BLOCK, 1, UNKNOWN, 4]), op(Op::Decorate, &[BLOCK, UNKNOWN + 1])],
        ..HandMadeModule::default()
    };
    let read = module.read();
    lists_the_block(&read);
    let warnings: Vec<_> = read.blocks[0].layout.warnings.iter().map(|it| (&*it.path, &*it.message)).collect();
    let shown = "the layout follows Offset, ArrayStride and MatrixStride";
    let (of_block, of_member) =
        (format!("has the unknown decoration 65001: {shown}"), format!("has the unknown decoration 65000: {shown}"));
    assert_eq!(warnings, [("", &*of_block), ("b", &*of_member)]);
    let rows = read.blocks[0].layout.rows();
    let uncertain: Vec<_> = rows.iter().map(|row| (&*row.path, row.uncertain.as_deref())).collect();
    assert!(!uncertain.is_empty() && uncertain.iter().all(|(_, reason)| *reason == Some(&*of_block)), "{uncertain:?}");
}

#[test]
fn an_unknown_decoration_makes_only_its_member_uncertain() {
    let module = HandMadeModule {
        annotations: vec![op(Op::MemberDecorate, &[BLOCK, 1, UNKNOWN, 4])],
        ..HandMadeModule::default()
    };
    let rows = module.read().blocks[0].layout.rows();
    let uncertain: Vec<_> = rows.iter().filter(|row| row.uncertain.is_some()).map(|row| &*row.path).collect();
    assert_eq!(uncertain, ["b"]);
    assert!(rows.len() > 1);
}

#[test]
fn a_block_in_an_unknown_storage_class_is_named() {
    let module = HandMadeModule {
        annotations: vec![named(FREE + 1, "far")],
        globals: vec![
            op(Op::TypePointer, &[FREE, UNKNOWN, BLOCK]),
            op(Op::Variable, &[FREE, FREE + 1, UNKNOWN]),
            // A type without a block has no layout.
            op(Op::TypePointer, &[FREE + 2, UNKNOWN, FLOAT]),
            op(Op::Variable, &[FREE + 2, FREE + 3, UNKNOWN]),
        ],
        ..HandMadeModule::default()
    };
    let read = module.read();
    lists_the_block(&read);
    assert_eq!(read.warnings, ["`far` is in the unknown storage class 65000, so it is not listed"]);
}

/// SPIR-V, `OpGroupDecorate` and `OpGroupMemberDecorate`.
#[test]
fn groups_decorate_what_is_in_them() {
    let module = HandMadeModule {
        annotations: vec![
            op(Op::Decorate, &[FREE, Decoration::ArrayStride as u32, 48]),
            op(Op::DecorationGroup, &[FREE]),
            op(Op::GroupDecorate, &[FREE, FREE + 2]),
            op(Op::Decorate, &[FREE + 3, Decoration::Offset as u32, 8]),
            op(Op::DecorationGroup, &[FREE + 3]),
            op(Op::GroupMemberDecorate, &[FREE + 3, FREE + 4, 0]),
        ],
        types: vec![
            op(Op::Constant, &[UINT, FREE + 1, 2]),
            op(Op::TypeStruct, &[FREE + 4, FLOAT]),
            op(Op::TypeArray, &[FREE + 2, FREE + 4, FREE + 1]),
        ],
        second: FREE + 2,
        ..HandMadeModule::default()
    };
    let layout = &module.read().blocks[0].layout;
    let leaves: Vec<(String, u32)> = layout.leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    let expected = [("a", 0), ("b[0]._0", 24), ("b[1]._0", 72)];
    assert_eq!(leaves, expected.map(|(path, offset)| (path.to_owned(), offset)));
}

/// `SPV_KHR_untyped_pointers`: the data type is the fourth operand of `OpUntypedVariableKHR`.
#[test]
fn untyped_variables_hold_their_data_type() {
    let class = StorageClass::StorageBuffer as u32;
    let module = HandMadeModule {
        annotations: vec![named(FREE + 1, "untyped")],
        globals: vec![
            op(Op::TypeUntypedPointerKHR, &[FREE, class]),
            op(Op::UntypedVariableKHR, &[FREE, FREE + 1, class, BLOCK]),
        ],
        ..HandMadeModule::default()
    };
    let blocks = module.read().blocks;
    let names: Vec<&str> = blocks.iter().map(|block| block.layout.name.as_str()).collect();
    assert_eq!(names, ["S", "untyped"]);
    assert_eq!(offsets(&blocks[1].layout), [("a".to_owned(), 0), ("b".to_owned(), 16)]);
    // The loader of whole modules reads the same variables.
    let types = SpirvTypes::read(&load(&module.words()).unwrap()).unwrap();
    assert_eq!((types.variables.len(), types.variables[&(FREE + 1)].pointee), (2, BLOCK));
}

/// The data type of `OpUntypedVariableKHR` is optional: slangc leaves it out for descriptor heaps.
#[test]
fn an_untyped_variable_without_a_data_type_holds_no_block() {
    let class = StorageClass::UniformConstant as u32;
    let module = HandMadeModule {
        globals: vec![
            op(Op::TypeUntypedPointerKHR, &[FREE, class]),
            op(Op::UntypedVariableKHR, &[FREE, FREE + 1, class]),
        ],
        ..HandMadeModule::default()
    };
    lists_the_block(&module.read());
    assert!(load(&module.words()).is_ok());
}

#[test]
fn an_untyped_pointer_in_a_block_is_an_address() {
    let class = StorageClass::PhysicalStorageBuffer as u32;
    let module = HandMadeModule {
        types: vec![op(Op::TypeUntypedPointerKHR, &[FREE, class])],
        second: FREE,
        ..HandMadeModule::default()
    };
    let rows = module.read().blocks[0].layout.rows();
    let pointer = rows.iter().find(|row| row.path == "b").unwrap();
    assert_eq!((pointer.offset, pointer.size), (16, Some(8)));
}

#[test]
fn arrays_of_arrays_of_blocks_are_listed() {
    let module = HandMadeModule {
        globals: vec![
            op(Op::Constant, &[UINT, FREE, 3]),
            op(Op::TypeArray, &[FREE + 1, BLOCK, FREE]),
            op(Op::TypeArray, &[FREE + 2, FREE + 1, FREE]),
            op(Op::TypePointer, &[FREE + 3, StorageClass::Uniform as u32, FREE + 2]),
            op(Op::Variable, &[FREE + 3, FREE + 4, StorageClass::Uniform as u32]),
        ],
        ..HandMadeModule::default()
    };
    let blocks = module.read().blocks;
    assert_eq!(blocks[1].layout.count.to_string(), "9");
}

/// Modules of `cbuffer S { float3 a; float2 b[3]; float c; }` in three languages: DXC 1.7.2308 with
/// `-spirv -fspv-debug=vulkan-with-source`, glslang 12.0.0 with `-gVS`, slangc 2026.14.1 with `-g2
/// -O0`. The sources are next to the modules. Offsets of the first two are from `spirv-dis`, those
/// of the third from slangc's reflection.
#[test]
fn modules_with_debug_information_are_read() {
    for bytes in [
        &include_bytes!("../../../tests/debug_modules/dxc.spv")[..],
        &include_bytes!("../../../tests/debug_modules/glslang.spv")[..],
        &include_bytes!("../../../tests/debug_modules/slangc.spv")[..],
    ] {
        let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let read = DeclaredModule::read(&words).unwrap();
        let [block] = read.blocks.as_slice() else { panic!("{read:?}") };
        // slangc wraps each array in a struct.
        let mut found = offsets(&block.layout);
        found.retain(|(path, _)| !path.contains('.'));
        let expected = [("a", 0), ("b", 16), ("c", 64)];
        assert_eq!(found, expected.map(|(path, offset)| (path.to_owned(), offset)));
        assert_eq!(read.warnings, Vec::<String>::new());
        features_of(&words).unwrap();
    }
}

/// `SPV_EXT_descriptor_heap`: `OpBufferPointerEXT` makes the pointer to a buffer, whose type is that of the pointer, or of the
/// access chain that goes on from it.
#[test]
fn blocks_of_descriptor_heaps_are_listed() {
    let [untyped, heap, whole, part, content] = [FREE, FREE + 1, FREE + 2, FREE + 3, FREE + 4];
    let module = |chain: u32| HandMadeModule {
        annotations: vec![
            named(content, "Tint"),
            op(Op::Decorate, &[content, Decoration::Block as u32]),
            op(Op::MemberDecorate, &[content, 0, Decoration::Offset as u32, 0]),
            op(Op::MemberDecorate, &[content, 1, Decoration::Offset as u32, 12]),
        ],
        types: vec![
            op(Op::TypeStruct, &[content, FLOAT, FLOAT]),
            op(Op::TypeUntypedPointerKHR, &[untyped, StorageClass::Uniform as u32]),
        ],
        body: vec![
            op(Op::BufferPointerEXT, &[untyped, whole, heap]),
            op(Op::UntypedAccessChainKHR, &[untyped, part, chain, whole, UINT]),
        ],
        ..HandMadeModule::default()
    };
    let read = module(content).read();
    let names: Vec<_> = read.blocks.iter().map(|block| (&*block.layout.name, &block.layout.reach, block.set)).collect();
    assert_eq!(names, [("S", &Reach::Parameter, Some(3)), ("Tint", &Reach::DescriptorHeap, None)]);
    let offsets: Vec<_> = read.blocks[1].layout.rows().iter().map(|row| row.offset).collect();
    assert_eq!(offsets, [0, 12]);
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);

    let open = module(FLOAT).read();
    assert_eq!(open.blocks.len(), 1);
    assert_eq!(open.warnings, ["the content of a buffer in a descriptor heap is not listed: its type is no block"]);
}

/// slangc 2026.14.1 decorates the members of a pointee, and not the pointee as a block.
#[test]
fn pointees_of_members_are_listed() {
    let [inner, pointer] = [FREE, FREE + 1];
    let module = HandMadeModule {
        annotations: vec![named(inner, "Inner"), op(Op::MemberDecorate, &[inner, 0, Decoration::Offset as u32, 8])],
        types: vec![
            op(Op::TypeStruct, &[inner, FLOAT]),
            op(Op::TypePointer, &[pointer, StorageClass::PhysicalStorageBuffer as u32, inner]),
        ],
        second: pointer,
        ..HandMadeModule::default()
    };
    let read = module.read();
    let [_, pointee] = &read.blocks[..] else { panic!("{:?}", read.blocks) };
    assert_eq!((&*pointee.layout.name, pointee.layout.rows()[0].offset), ("Inner", 8));
}

/// Variables of stages have no Offset (SPIR-V specification, "Shader Validation"), but captured outputs do, with the stride of
/// their buffer.
#[test]
fn memory_of_stages_is_listed() {
    let [pay, of_pay, pay_variable, shared, shared_variable, of_float, output] =
        [FREE, FREE + 1, FREE + 2, FREE + 3, FREE + 4, FREE + 5, FREE + 6];
    let (payload, workgroup) = (StorageClass::IncomingRayPayloadKHR as u32, StorageClass::Workgroup as u32);
    let captured = |decoration: Decoration, number| op(Op::Decorate, &[output, decoration as u32, number]);
    let module = HandMadeModule {
        annotations: vec![
            named(pay, "Pay"),
            named(shared_variable, "tile"),
            named(output, "height"),
            captured(Decoration::XfbBuffer, 2),
            captured(Decoration::XfbStride, 24),
            captured(Decoration::Offset, 8),
        ],
        types: vec![op(Op::TypeStruct, &[pay, FLOAT, UINT])],
        globals: vec![
            op(Op::TypePointer, &[of_pay, payload, pay]),
            op(Op::Variable, &[of_pay, pay_variable, payload]),
            op(Op::TypePointer, &[shared, workgroup, pay]),
            op(Op::Variable, &[shared, shared_variable, workgroup]),
            op(Op::TypePointer, &[of_float, StorageClass::Output as u32, FLOAT]),
            op(Op::Variable, &[of_float, output, StorageClass::Output as u32]),
        ],
        ..HandMadeModule::default()
    };
    let read = module.read();
    let told: Vec<String> = read
        .blocks
        .iter()
        .map(|block| {
            let layout = &block.layout;
            let numbers = match &layout.result {
                Ok(_) => format!("{:?} stride {:?}", offsets(layout), layout.stride),
                Err(reasons) => reasons[0].message.clone(),
            };
            format!("{} {:?}: {numbers}", layout.name, layout.reach.word())
        })
        .collect();
    let reason = "no offsets (the driver chooses); 8 bytes of values (float, uint)";
    assert_eq!(
        told[1..],
        [
            format!("Pay Some(\"ray-payload\"): {reason}"),
            format!("tile Some(\"workgroup-memory\"): {reason}"),
            "xfb_buffer_2 Some(\"transform-feedback\"): [(\"height\", 8)] stride Some(24)".to_owned(),
        ]
    );
}
