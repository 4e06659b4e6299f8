//! The classic surprises; each is a case.

use std::sync::Arc;

use anyhow::Context;
use layoutproof_core::check::Source;
use layoutproof_events::RecordedSource;
use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{
    Block, BlockKind, LayoutOptions, RuleSet, ShaderCompiler, ShaderTarget, find, lay_out, table,
};
use layoutproof_show::shown_columns::{BlockPresence, ColumnName, ShownColumn};
use layoutproof_show::{LaidOutBlock, RuleSetLayouts};
use layoutproof_site::{ExplorerText, Surprise};

/// A case that surprises people.
struct SurprisingCase {
    title: &'static str,
    case: &'static str,
    words: &'static str,
}

const SURPRISES: [SurprisingCase; 18] = [
    SurprisingCase {
        title: "float3, then float",
        case: "vectors/scalar_shares_the_register_of_a_three_component_vector",
        words: "The float is in the fourth word of the float3, except in Metal, where a float3 takes sixteen bytes.",
    },
    SurprisingCase {
        title: "float, then float3",
        case: "vectors/three_component_vector_behind_a_scalar",
        words: "The other way round D3D, C and scalar layouts leave no hole. GLSL, WGSL and Metal align a float3 to sixteen bytes.",
    },
    SurprisingCase {
        title: "A vector at the edge of a register",
        case: "vectors/three_component_vector_would_straddle",
        words: "D3D moves a vector that would straddle sixteen bytes; layouts that align to a component leave it where it is.",
    },
    SurprisingCase {
        title: "An array in a cbuffer",
        case: "arrays/array_of_one_starts_a_register",
        words: "A float in an array of one is not a float: in constant buffers it starts a register of its own.",
    },
    SurprisingCase {
        title: "The tail of an array",
        case: "arrays/scalar_packs_behind_the_last_element",
        words: "Elements are sixteen bytes apart in constant buffers. D3D lets the next member into the last one, std140 does not.",
    },
    SurprisingCase {
        title: "The tail of a struct",
        case: "structs/tail_of_a_struct_is_free_in_d3d",
        words: "D3D puts the next member right after the last one of the struct. std140, std430, WGSL and Metal round the struct up first.",
    },
    SurprisingCase {
        title: "The tail of a struct with a double",
        case: "structs/tail_of_a_double_struct_is_rounded_or_not",
        words: "Rule sets of the same name disagree whether the struct ends at 12 or at 16.",
    },
    SurprisingCase {
        title: "A matrix of one row",
        case: "matrices/one_row_is_a_vector_in_spirv",
        words: "A float1x3 by columns is three columns of one component for D3D and GLSL, and a vector of three for SPIR-V from DXC.",
    },
    SurprisingCase {
        title: "Row-major",
        case: "matrices/row_major_turns_the_vectors",
        words: "row_major makes two rows of three columns, and what follows moves with them.",
    },
    SurprisingCase {
        title: "Arrays of row-major matrices",
        case: "matrices/arrays_of_row_major_matrices",
        words: "On an array of matrices Slang does not follow row_major, so its size and stride differ from DXC's.",
    },
    SurprisingCase {
        title: "float3x3, then float",
        case: "matrices/square_of_three_leaves_a_word",
        words: "The word after the last column is free in D3D, and belongs to the matrix in std140.",
    },
    SurprisingCase {
        title: "bool",
        case: "scalars/bools_among_numbers",
        words: "Four bytes in shaders, one in C, Metal and CUDA, and nothing that WGSL shares with the host.",
    },
    SurprisingCase {
        title: "half",
        case: "sixteen_bit/tail_of_a_half_matrix_counts_four_bytes",
        words: "After a half3x3 DXC counts four bytes for each component of the last column in DXIL, and two in SPIR-V.",
    },
    SurprisingCase {
        title: "double3",
        case: "sixty_four_bit/double3_takes_a_register_and_a_half",
        words: "A double3 takes a register and a half, and std140 aligns it to 32 bytes.",
    },
    SurprisingCase {
        title: "The empty struct",
        case: "structs/empty_struct_inside_a_struct_starts_a_register",
        words: "It has no bytes, and in a struct of a constant buffer DXC still lets it start a register.",
    },
    SurprisingCase {
        title: "packoffset on some members only",
        case: "packoffset/mixed_member_moves_in_dxil_alone",
        words: "The member without one goes after the others in DXIL, though it is declared first, and stays first in SPIR-V from DXC.",
    },
    SurprisingCase {
        title: "Bit-fields",
        case: "bit_fields/signedness_does_not_end_a_unit",
        words: "It depends on the compiler's target whether a signed and an unsigned field share their bytes.",
    },
    SurprisingCase {
        title: "Members after a base",
        case: "inheritance/members_pack_into_the_tail_of_the_base",
        words: "The members of a derived struct go into the tail of its base, or after the base's rounded size.",
    },
];

/// The case that the start page draws, where it has no explorer.
const OPENING: &str = "arrays/scalar_packs_behind_the_last_element";

/// The compilers' columns before and after those of GLSL and WGSL.
const BEFORE_LANGUAGES: [&str; 3] = ["native:dxc-dxil", "native:dxc-spirv", "native:slang-vulkan"];
const AFTER_LANGUAGES: [&str; 1] = ["native:slang-metal"];

/// A language with rule sets of its own: for constant buffers, and for all other blocks.
struct LanguageRules {
    title: &'static str,
    uniform: &'static str,
    storage: &'static str,
}

const LANGUAGES: [LanguageRules; 2] = [
    LanguageRules { title: "GLSL", uniform: "std140", storage: "std430" },
    LanguageRules { title: ShaderTarget::Webgpu.title(), uniform: "wgsl-uniform", storage: "wgsl-storage" },
];

/// The surprise of the start page.
pub fn opening(surprises: &[Surprise]) -> anyhow::Result<&Surprise> {
    let surprise = surprises.iter().find(|surprise| surprise.case.case == OPENING);
    surprise.with_context(|| format!("{OPENING} is none of the surprises"))
}

/// All surprises, each for the targets of `target_columns`. `recorded` has their declarations and
/// authorities.
pub fn surprises(sources: &[Arc<Source>], recorded: &[RecordedSource]) -> anyhow::Result<Vec<Surprise>> {
    let surprise = |surprising: &SurprisingCase| {
        let SurprisingCase { title, case, words } = *surprising;
        let missing = || format!("no case {case}");
        let source = sources.iter().find(|source| source.id == case).with_context(missing)?;
        let recorded = recorded.iter().find(|source| source.case == case).with_context(missing)?;
        let columns = target_columns(source);
        Ok(Surprise { title, words, case: recorded.clone(), columns, explored: ExplorerText::of(source) })
    };
    SURPRISES.iter().map(surprise).collect()
}

/// The declarations as compilers lay them out for each target. GLSL and WGSL stand for what a
/// program that is written in them declares, so that their own rules apply.
fn target_columns(source: &Source) -> Vec<ShownColumn> {
    let compiled = |names: &'static [&str]| {
        names.iter().filter_map(|name| find_native(name)).map(|native| {
            // In slangc `half` always has two bytes.
            let is_slang = native.column.compiler == Some(ShaderCompiler::Slang);
            let sixteen_bit = if is_slang { SixteenBit::On } else { source.options.sixteen_bit };
            let options = LayoutOptions { sixteen_bit, ..source.options };
            column(source, ColumnName::of_target(native.column), options, |block| native.rules(block))
        })
    };
    let declared = LANGUAGES.iter().map(|LanguageRules { title, uniform, storage }| {
        let rules = |block: &Block| find(if is_constant(block.kind) { uniform } else { storage });
        column(source, ColumnName::of_rules(title), source.options, rules)
    });
    compiled(&BEFORE_LANGUAGES).chain(declared).chain(compiled(&AFTER_LANGUAGES)).collect()
}

fn is_constant(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Cbuffer | BlockKind::ConstantBuffer | BlockKind::Globals)
}

fn column(
    source: &Source,
    name: ColumnName,
    options: LayoutOptions,
    rules: impl Fn(&Block) -> Option<&'static RuleSet>,
) -> ShownColumn {
    let block = |block: &Block| {
        let (rules, presence) = match rules(block) {
            Some(rules) => (rules, BlockPresence::Present),
            // Without rules only the name of the block is shown.
            None => (&table()[0], BlockPresence::Absent),
        };
        LaidOutBlock { layout: lay_out(block, rules, options), presence, declared: None }
    };
    let blocks = source.module.blocks.iter().map(block).collect();
    RuleSetLayouts { name, choice: None, version: None, blocks, targets: Vec::new(), read_by: None }.column()
}
