//! The classic surprises; each is a case.

use std::sync::Arc;

use anyhow::Context;
use layoutproof_core::check::Source;
use layoutproof_core::results::record::RecordedSource;
use layoutproof_layout::table;
use layoutproof_site::{ExplorerText, Surprise};

use super::rule_sets::column_of;

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

/// The case that the start page draws.
const OPENING: &str = "arrays/scalar_packs_behind_the_last_element";

/// The rule sets under which the start page draws it: one per API, and as many as fit next to each
/// other.
const OPENING_RULES: [&str; 3] = ["hlsl-cbuffer", "std140", "metal"];

/// The surprise of the start page, limited to [`OPENING_RULES`].
///
/// # Errors
/// The surprise does not exist.
pub(super) fn opening(surprises: &[Surprise]) -> anyhow::Result<Surprise> {
    let surprise = surprises.iter().find(|surprise| surprise.case.case == OPENING);
    let mut opening = surprise.with_context(|| format!("{OPENING} is none of the surprises"))?.clone();
    opening.columns.retain(|column| OPENING_RULES.contains(&column.name.as_str()));
    Ok(opening)
}

/// All surprises, each under every rule set. `recorded` has their declarations and authorities.
///
/// # Errors
/// A case does not exist.
pub(super) fn surprises(sources: &[Arc<Source>], recorded: &[RecordedSource]) -> anyhow::Result<Vec<Surprise>> {
    let surprise = |surprising: &SurprisingCase| {
        let SurprisingCase { title, case, words } = *surprising;
        let missing = || format!("no case {case}");
        let source = sources.iter().find(|source| source.id == case).with_context(missing)?;
        let recorded = recorded.iter().find(|source| source.case == case).with_context(missing)?;
        let columns = table().iter().map(|rules| column_of(source, rules)).collect();
        Ok(Surprise { title, words, case: recorded.clone(), columns, explored: ExplorerText::of(source) })
    };
    SURPRISES.iter().map(surprise).collect()
}
