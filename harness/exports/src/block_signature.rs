//! The declaration of a block without its names, to find out whether a suite already tests the same
//! declaration.

use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Block, BlockKind, LayoutOptions, MemberRow, Span, find, lay_out};

use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

/// The members of a block by type and place. Blocks that differ only in names are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockSignature {
    /// True for the element of a structured buffer, which follows other rules than a constant
    /// buffer.
    is_element: bool,
    members: Vec<MemberSignature>,
}

/// A member that is not a struct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MemberSignature {
    /// HLSL spelling.
    type_name: String,
    /// Bytes from the start of the block.
    offset: u32,
    is_row_major: bool,
    bit_offset: Option<u32>,
}

impl BlockSignature {
    /// The signatures of the blocks that a text declares; `None` if the text cannot be read.
    pub fn of_text(text: &str, options: LayoutOptions) -> Option<Vec<Self>> {
        let mut sources = SourceMap::default();
        let file = sources.add("source.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).ok()? };
        let module = declare(&mut sources, span, &DeclareOptions::default()).ok()?;
        Some(module.blocks.iter().filter_map(|block| Self::of(block, options)).collect())
    }

    /// The signature of a block as DXC lays it out for Direct3D; `None` for blocks of other kinds,
    /// and if DXC's rules forbid the block.
    pub fn of(block: &Block, options: LayoutOptions) -> Option<Self> {
        let (is_element, rules) = match block.kind {
            BlockKind::Cbuffer | BlockKind::ConstantBuffer | BlockKind::Globals => (false, "hlsl-cbuffer"),
            BlockKind::StructuredElement => (true, "hlsl-structured"),
            BlockKind::Tbuffer
            | BlockKind::TextureBuffer
            | BlockKind::ParameterBlock
            | BlockKind::PushConstant
            | BlockKind::ShaderRecord
            | BlockKind::EntryUniforms
            | BlockKind::Pointee
            | BlockKind::UniformBlock
            | BlockKind::StorageBlock
            | BlockKind::Workgroup => return None,
        };

        let layout = lay_out(block, find(rules)?, options);
        layout.result.as_ref().ok()?;
        let rows = layout.rows();
        let members = rows.iter().filter(|row| !is_struct(row, &rows)).map(|row| MemberSignature {
            type_name: row.type_name.clone(),
            offset: row.offset,
            is_row_major: row.matrix_order == Some(MatrixOrder::Row),
            bit_offset: row.bit_offset,
        });
        Some(Self { is_element, members: members.collect() })
    }
}

/// True if the rows of the row's own members follow. The element of a structured buffer has an
/// empty path.
fn is_struct(row: &MemberRow, rows: &[MemberRow]) -> bool {
    rows.iter().any(|other| {
        let rest = other.path.strip_prefix(&row.path);
        rest.is_some_and(|rest| {
            rest.trim_start_matches("[]").starts_with('.') || (row.path.is_empty() && !rest.is_empty())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(text: &str) -> BlockSignature {
        BlockSignature::of_text(text, LayoutOptions::default()).unwrap().remove(0)
    }

    #[test]
    fn names_do_not_count_and_types_places_and_kinds_do() {
        let own = signature("struct P { float3 a; float b; }; cbuffer S { P p[2]; float4 c; };");
        assert_eq!(own, signature("struct Q { float3 x; float y; }; cbuffer T { Q q[2]; float4 z; };"));
        assert_eq!(
            signature("struct P { float3 a; }; ConstantBuffer<P> S;"),
            signature("cbuffer T { float3 x; };"),
            "a struct of direct members is laid out like them"
        );
        for other in [
            "struct P { float3 a; float b; }; cbuffer S { P p[2]; float3 c; };",
            "struct P { float3 a; float b; }; cbuffer S { P p[3]; float4 c; };",
            "struct P { float3 a; float b; }; struct E { P p[2]; float4 c; }; StructuredBuffer<E> S;",
        ] {
            assert_ne!(own, signature(other), "{other}");
        }
        assert_ne!(signature("cbuffer S { float3x3 m; };"), signature("cbuffer S { row_major float3x3 m; };"));
        assert_eq!(BlockSignature::of_text("cbuffer S { unknown m; };", LayoutOptions::default()), None);
    }
}
