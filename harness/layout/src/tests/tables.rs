//! Tests of the tables themselves: names, examples, and references between them.

use std::collections::BTreeSet;

use super::check::{DEFAULT, accepted, rules};
use super::declare::{Scope, block, of_type};
use crate::alignment::Alignment;
use crate::column::Column;
use crate::native::{Native, find_native, natives};
use crate::resource::DataLayout;
use crate::rules::{HomeBuffer, Platform};
use crate::{Block, BlockKind, BlockRules, RuleSet, table};

const KINDS: [BlockKind; 12] = [
    BlockKind::Cbuffer,
    BlockKind::ConstantBuffer,
    BlockKind::Tbuffer,
    BlockKind::TextureBuffer,
    BlockKind::ParameterBlock,
    BlockKind::StructuredElement,
    BlockKind::PushConstant,
    BlockKind::Globals,
    BlockKind::EntryUniforms,
    BlockKind::Pointee,
    BlockKind::UniformBlock,
    BlockKind::StorageBlock,
];

#[test]
fn names_are_unique_and_bare_names_come_first() {
    let names: BTreeSet<&str> = table().iter().map(|rules| rules.name).collect();
    assert_eq!(names.len(), table().len());
    for dialect in table().iter().filter(|rules| !rules.is_bare()) {
        let (bare, _) = dialect.name.split_once('@').unwrap();
        assert!(names.contains(bare), "{} is a dialect of nothing", dialect.name);
    }
    let bare: Vec<&str> = table().iter().filter(|rules| rules.is_bare()).map(|rules| rules.name).collect();
    assert_eq!(
        bare[..6],
        ["hlsl-cbuffer", "hlsl-cbuffer-struct", "slang-cbuffer", "hlsl-structured", "std140", "std430"]
    );
}

/// The columns that steer shader texts and reports, row by row.
#[test]
fn languages_and_platforms_have_rule_sets_of_their_own() {
    let named = |has: &dyn Fn(&RuleSet) -> bool| -> Vec<&str> {
        table().iter().filter(|rules| has(rules)).map(|rules| rules.name).collect()
    };
    let d3d = ["hlsl-cbuffer", "hlsl-cbuffer-struct", "slang-cbuffer", "hlsl-structured", "hlsl-structured@slang"];
    assert_eq!(named(&|rules| rules.platform == Platform::Direct3d), d3d);
    assert_eq!(named(&|rules| rules.platform == Platform::Webgpu), ["wgsl-uniform", "wgsl-storage"]);
    let registers = ["hlsl-cbuffer", "hlsl-cbuffer-struct", "slang-cbuffer", "dx-cbuffer"];
    assert_eq!(named(&|rules| rules.has_registers), registers);
    assert_eq!(named(&|rules| rules.glsl.is_some()), ["std140", "std430", "scalar"]);
    assert_eq!(named(&|rules| rules.glsl.is_some_and(|glsl| !glsl.in_uniform_blocks)), ["std430"]);
    assert_eq!(named(&|rules| rules.glsl.is_some_and(|glsl| glsl.extension.is_some())), ["scalar"]);
}

/// Rule sets that align arrays to registers, and WGSL's rule set for uniform buffers, are made for
/// uniform buffers.
#[test]
fn rule_sets_for_uniform_buffers_align_arrays() {
    for rules in table() {
        let is_uniform = rules.array_alignment == Alignment::REGISTER || rules.name == "wgsl-uniform";
        assert_eq!(rules.home == HomeBuffer::Uniform, is_uniform, "{}", rules.name);
    }
}

/// The expected examples are written by hand from each row's source.
#[test]
fn every_example_is_what_its_row_says() {
    for rules in table() {
        let layout = accepted(rules, &block(rules.example.declaration), DEFAULT);
        let own = |path: &str| !path.contains(['.', '[']);
        let offsets: Vec<u32> = layout.rows().iter().filter(|row| own(&row.path)).map(|row| row.offset).collect();
        let size = layout.result.unwrap().size.finite();
        assert_eq!((&offsets[..], size), (rules.example.offsets, Some(rules.example.size)), "{}", rules.name);
    }
}

#[test]
fn every_native_rule_set_exists() {
    for native in natives() {
        assert!(native.name.starts_with("native:"), "{}", native.name);
        let blocks = KINDS.map(|kind| of_type(kind, Scope::default().ty("float")));
        let named = [
            native.constants,
            native.parameter_blocks,
            native.texture_buffers,
            native.structured,
            native.byte_address,
            native.push_constants,
            native.shader_records,
            native.entry_uniforms,
            native.pointees,
            native.uniform_blocks,
            native.storage_blocks,
        ];
        named.into_iter().flatten().for_each(|name| assert_eq!(rules(name).name, name));
        assert!(blocks.iter().any(|block| native.rules(block).is_some()), "{} lays nothing out", native.name);
    }
}

/// DXC's table has rules by kind and flag, Slang's has rule sets by target.
#[test]
fn natives_follow_kind_and_flag() {
    let rules_of = |native: &str, kind| {
        let block = of_type(kind, Scope::default().ty("float"));
        find_native(native).unwrap().rules(&block).map(|rules| rules.name)
    };
    assert_eq!(rules_of("native:dxc-dxil", BlockKind::Tbuffer), Some("hlsl-cbuffer"));
    assert_eq!(rules_of("native:dxc-spirv", BlockKind::Cbuffer), Some("relaxed140"));
    assert_eq!(rules_of("native:dxc-spirv", BlockKind::Tbuffer), Some("relaxed430"));
    assert_eq!(rules_of("native:dxc-spirv-dx", BlockKind::TextureBuffer), Some("dx-cbuffer"));
    assert_eq!(rules_of("native:dxc-spirv-dx", BlockKind::PushConstant), Some("dx-structured"));
    assert_eq!(rules_of("native:dxc-spirv", BlockKind::ShaderRecord), Some("relaxed430"));
    assert_eq!(rules_of("native:dxc-spirv", BlockKind::ParameterBlock), None);
    // Slang 2026.14.1, reflection and decorations of a closest-hit shader with `cbuffer` and with `ConstantBuffer`.
    assert_eq!(rules_of("native:slang-vulkan", BlockKind::ShaderRecord), Some("std140@slang"));
    assert_eq!(rules_of("native:slang-vulkan-c", BlockKind::ShaderRecord), Some("c"));
    assert_eq!(rules_of("native:slang-vulkan", BlockKind::EntryUniforms), Some("std430@slang"));
    assert_eq!(rules_of("native:slang-webgpu", BlockKind::EntryUniforms), Some("std140@slang"));
    assert_eq!(rules_of("native:slang-metal", BlockKind::StructuredElement), Some("c"));
    assert_eq!(rules_of("native:slang-metal", BlockKind::ParameterBlock), Some("metal"));
}

/// The rules for loads and stores of whole elements in byte-address buffers.
#[test]
fn natives_say_what_byte_address_buffers_hold() {
    let rules_of = |native: &str, kind| {
        let block = of_type(kind, Scope::default().ty("float"));
        find_native(native).unwrap().byte_address_rules(&block).map(|rules| rules.name)
    };
    assert_eq!(rules_of("native:dxc-spirv-dx", BlockKind::StructuredElement), Some("dx-structured"));
    assert_eq!(rules_of("native:dxc-spirv-dx", BlockKind::Cbuffer), None);
    assert_eq!(rules_of("native:fxc", BlockKind::StructuredElement), None);
    assert_eq!(rules_of("native:slang-vulkan", BlockKind::StructuredElement), Some("scalar@slang"));
    assert_eq!(rules_of("native:dxc-spirv", BlockKind::StructuredElement), Some("std430@dxc"));
    assert_eq!(rules_of("native:slang-d3d12", BlockKind::StructuredElement), Some("scalar@slang"));
}

/// `ConstantBuffer<T, ScalarDataLayout>` is scalar on Vulkan and ignored on D3D.
#[test]
fn explicit_data_layouts_count_on_vulkan() {
    let plain = of_type(BlockKind::ConstantBuffer, Scope::default().ty("float"));
    let scalar = Block { data_layout: Some(DataLayout::ScalarDataLayout), ..plain };
    let rules_of = |native: &str| find_native(native).unwrap().rules(&scalar).map(|rules| rules.name);
    assert_eq!(rules_of("native:slang-vulkan"), Some("scalar@slang"));
    assert_eq!(rules_of("native:slang-d3d12"), Some("slang-cbuffer"));
}

/// The level of Vulkan's rules that a module must satisfy because its option promises it. Source:
/// Vulkan specification, "Offset and Stride Assignment"; the options with which DXC 1.7 validates
/// its own modules (scalar for `-fvk-use-dx-layout` and `-fvk-use-scalar-layout`, relaxed by
/// default).
#[test]
fn rule_sets_say_what_they_promise_of_vulkan() {
    use BlockRules::{Relaxed, Scalar, UniformStandard};
    for (promised, names) in [
        (Relaxed, &["std140", "std140@dxc", "std140@slang", "relaxed140", "wgsl-uniform", "wgsl-storage"][..]),
        (UniformStandard, &["std430", "std430@dxc", "std430@slang", "relaxed430", "metal"]),
        (
            Scalar,
            &["scalar", "scalar@dxc", "scalar@dxc-1.9", "scalar@slang", "dx-cbuffer", "dx-structured", "c", "cuda"],
        ),
        (Scalar, &["slang-cbuffer", "hlsl-structured@slang", "hlsl-cbuffer", "hlsl-cbuffer-struct", "hlsl-structured"]),
    ] {
        for name in names {
            assert_eq!(rules(name).block_rules, promised, "{name}");
        }
    }
}

#[test]
fn a_column_names_the_rule_sets_of_its_compilers_version() {
    for native in natives() {
        assert_eq!(Native::of_column(native.column).map(|found| found.name), Some(native.name), "{}", native.column);
    }
    for (word, expected) in [
        ("d3d12.dxc@1.9.2602.17", Some("native:dxc-dxil")),
        ("vulkan.dxc@1.7.2308", Some("native:dxc-spirv")),
        ("vulkan.dxc@1.9.2602.17", Some("native:dxc-1.9-spirv")),
        ("vulkan/scalar.dxc@1.10", Some("native:dxc-1.9-spirv-scalar")),
        ("vulkan/scalar.dxc@old", Some("native:dxc-spirv-scalar")),
        ("vulkan/dx.dxc@1.9", Some("native:dxc-spirv-dx")),
        ("vulkan/c.slangc@2026.14.1", Some("native:slang-vulkan-c")),
        ("vulkan/c.dxc", None),
        ("metal.dxc", None),
    ] {
        let found = Native::of_column(Column::parse(word).unwrap());
        assert_eq!(found.map(|native| native.name), expected, "{word}");
    }
}
