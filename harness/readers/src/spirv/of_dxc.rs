//! Turns the blocks of a module that DXC made back into those of its HLSL: kinds, the element of a
//! structured buffer, and the orientation of matrices.
//!
//! DXC calls the type of a block `type.Frame` for `cbuffer Frame`, `type.ConstantBuffer.Frame`,
//! `type.StructuredBuffer.Light` and so on. A structured buffer is a struct with an unbounded array.
//!
//! Source: DXC's `docs/SPIR-V.rst`, "HLSL Types to SPIR-V Types"; DXC 1.7.2308, `-spirv -fcgl`.

use layoutproof_layout::{BlockKind, BlockLayout, Count, LaidOut, LaidOutMember, LaidOutShape};

/// The block as its HLSL declares it; `None` for a `ByteAddressBuffer`, which has no layout, and for the
/// hidden counter of an `AppendStructuredBuffer`.
pub fn as_hlsl(mut block: BlockLayout) -> Option<BlockLayout> {
    let Ok(root) = &mut block.result else { return Some(block) };
    turn_matrices(root);
    let Some(own) = root.type_name.strip_prefix("type.").map(str::to_owned) else { return Some(block) };
    let (container, element) = own.split_once('.').unwrap_or((&own, ""));
    block.kind = match (container, block.kind) {
        ("ACSBuffer" | "ByteAddressBuffer" | "RWByteAddressBuffer", _) => return None,
        (_, BlockKind::PushConstant | BlockKind::ShaderRecord) => block.kind,
        ("ConstantBuffer", _) => BlockKind::ConstantBuffer,
        ("TextureBuffer", _) => BlockKind::TextureBuffer,
        ("$Globals", _) => BlockKind::Globals,
        (name, _) if name.ends_with("StructuredBuffer") => BlockKind::StructuredElement,
        (_, BlockKind::UniformBlock) => BlockKind::Cbuffer,
        _ => BlockKind::Tbuffer,
    };
    let has_struct = !matches!(block.kind, BlockKind::Cbuffer | BlockKind::Tbuffer | BlockKind::Globals);
    root.type_name = if has_struct { element.to_owned() } else { String::new() };

    if block.kind == BlockKind::StructuredElement
        && let LaidOutShape::Struct(members) = &mut root.shape
        && let [LaidOutMember { layout, .. }] = members.as_mut_slice()
        && let LaidOutShape::Array { element, count: Count::Unbounded, stride } = &layout.shape
    {
        block.stride = Some(*stride);
        *root = LaidOut::clone(element);
    }
    Some(block)
}

/// DXC writes each matrix as its transpose, in the other order.
fn turn_matrices(ty: &mut LaidOut) {
    match &mut ty.shape {
        LaidOutShape::Matrix { component, rows, columns, order, .. } => {
            std::mem::swap(rows, columns);
            *order = order.transposed();
            ty.type_name = format!("{}{rows}x{columns}", component.scalar.spelling());
        }
        LaidOutShape::Array { element, .. } => {
            turn_matrices(element);
            let dimensions = ty.type_name.find('[').map_or("", |start| &ty.type_name[start..]).to_owned();
            let innermost = element.type_name.split('[').next().unwrap_or_default();
            ty.type_name = format!("{innermost}{dimensions}");
        }
        LaidOutShape::Struct(members) => members.iter_mut().for_each(|member| turn_matrices(&mut member.layout)),
        LaidOutShape::Scalar(_) | LaidOutShape::Vector { .. } | LaidOutShape::Pointer | LaidOutShape::Resource => {}
    }
}
