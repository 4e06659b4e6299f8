//! Explains the columns of the rule table: the parameters of a rule set, and what describes it.

/// The meaning of a parameter; `None` for a name that no rule set has.
///
/// Source: the columns in `layoutproof_layout::rules`.
pub(super) fn meaning(parameter: &str) -> Option<&'static str> {
    if let Some(forbidden) = parameter.strip_prefix("forbids.") {
        return forbidden_words(forbidden);
    }
    // Members that are declared directly in a cbuffer have the same parameters as those of structs.
    let name = parameter.strip_prefix("members.").or(parameter.strip_prefix("direct.")).unwrap_or(parameter);
    Some(match name {
        "bool-size" => "bytes of a bool",
        "vectors" => {
            "alignment of vectors: of their component, or a power of two that holds them (float3 at multiples of 16)"
        }
        "array-alignment" => "least alignment of arrays in bytes, hence least stride",
        "array-stride" => "whether the distance of elements is rounded up to their alignment",
        "pad-arrays" => "whether the last element is as long as the stride, so that nothing follows in its tail",
        "unsized-arrays" => {
            "meaning of an array without a length: elements to the end, or a pointer of this many bytes"
        }
        "struct-alignment" => "least alignment of structs in bytes",
        "pad-structs" => {
            "whether the size of a struct is a multiple of its alignment, so that nothing follows in its tail"
        }
        "matrices" => "how the contiguous vectors of a matrix follow each other",
        "one-dimensional" => "whether a matrix of one row or one column is a vector",
        "array-order" => "whether row_major and column_major affect an array of matrices",
        "element-order" => "whether they affect a matrix that is the whole element of a buffer",
        "enums" => "the type of an enum in memory",
        "pointer-size" => "bytes of a pointer; 0 if it occupies none of the block",
        "bit-fields" => "which neighbouring bit-fields share a storage unit",
        "direct" => "whether members that are declared directly in a cbuffer follow separate rules",
        "straddle" => "which members may not straddle a 16-byte register",
        "straddle-size" => "the size of a matrix in the test for a straddle",
        "matrix-start" => "which order decides whether a matrix has more than one vector and so starts a register",
        "align-single-vectors" => "whether a matrix of one vector is aligned to its component",
        "enum-alignment" => "alignment of every enum in bytes, if it differs from that of its type",
        "empty" => "effect of a member without bytes on the members after it",
        "minimum-precision-rows" => "whether going from full to minimum precision starts a register (16-bit types off)",
        "minimum-precision-alignment" => "least alignment of minimum-precision types in bytes",
        "packoffset" => "place of members without packoffset if other members have one",
        "vk-offset" => {
            "whether [[vk::offset(N)]] has an effect, and whether it is rounded up to the alignment of the member"
        }
        "global-register" => "which letters of register() place a loose global",
        "home" => "the kind of buffer that the rule set is made for",
        "glsl" => {
            "the layout qualifier of GLSL for it: the extension that it needs, and whether uniform blocks may have it"
        }
        "platform" => "the only platform whose compilers apply it",
        "has-registers" => "whether blocks are also counted in registers of 16 bytes (c0.x)",
        "versions" => "the versions of a compiler that follow it, if not all do",
        "block-rules" => "the level of Vulkan's rules for blocks that it promises",
        "forbids" => "declarations that it does not allow",
        _ => return None,
    })
}

fn forbidden_words(name: &str) -> Option<&'static str> {
    Some(match name {
        "not-wgsl" => {
            "types that WGSL does not have or does not share with the host: bool, 64-bit and short integers ..."
        }
        "unsized" => "arrays without a length",
        "wgsl-uniform" => "WGSL's requirements for uniform buffers: strides, structs and arrays in steps of 16",
        "column-major-integers" => "column-major matrices of integers or bool",
        "long-vectors" => "vectors of more than four components",
        "pointers" => "pointers, which DXC has only for SPIR-V",
        "vk-offset-in-cbuffer" => "[[vk::offset]] on a member that is declared directly in a cbuffer",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::mutate::parameters;
    use layoutproof_layout::table;

    use super::*;

    #[test]
    fn every_parameter_has_words() {
        for parameter in table().iter().flat_map(parameters) {
            assert!(meaning(&parameter.name).is_some(), "{}", parameter.name);
        }
        assert_eq!(meaning("nonsense"), None);
    }
}
