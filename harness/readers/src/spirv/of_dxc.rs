//! Turns the blocks of a module that DXC or slangc made back into those of its source: kinds, the element of a
//! structured buffer, and the orientation of matrices.
//!
//! DXC calls the type of a block `type.Frame` for `cbuffer Frame`, `type.ConstantBuffer.Frame`,
//! `type.StructuredBuffer.Light` and so on. A structured buffer is a struct with an unbounded array. slangc calls
//! that struct `StructuredBuffer`, and puts some arrays into structs of one member, `_Array_std140_float3 { data }`.
//!
//! Source: DXC's `docs/SPIR-V.rst`, "HLSL Types to SPIR-V Types"; DXC 1.7.2308, `-spirv -fcgl`; slangc 2026.14.1,
//! `-target spirv -O0`.

use layoutproof_layout::{BlockKind, BlockLayout, Count, LaidOut, LaidOutMember, LaidOutShape};
use rspirv::spirv::{Op, SourceLanguage};
use serde::{Deserialize, Serialize};

/// What a module says about the text that it was made of, as far as it tells the orientation of matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleSource {
    /// HLSL or Slang, whose matrices are transposed in the module: `column_major` ones are `RowMajor`.
    Hlsl,
    /// Another language, whose columns are those of the module.
    Other,
    /// The module does not say: its matrices may be transposed.
    #[default]
    Unknown,
}

impl ModuleSource {
    /// Reads `OpSource`, and where that is missing the generator.
    ///
    /// Source: SPIR-V 1.6, 2.3 and 3.2 (Source Language); Khronos' `spir-v.xml`: 14 is DXC, 23 Tint, 28 naga, 40 slangc.
    /// glslang, 8, reads both HLSL and GLSL.
    pub fn of_module(words: &[u32]) -> Self {
        const SLANG: u32 = 11;
        let mut rest = words.get(5..).unwrap_or_default();
        while let Some(first) = rest.first() {
            let language = rest.get(1).filter(|_| first & 0xffff == Op::Source as u32);
            match language {
                None | Some(0) => {}
                Some(language) if [SourceLanguage::HLSL as u32, SLANG].contains(language) => return Self::Hlsl,
                Some(_) => return Self::Other,
            }
            rest = rest.get((first >> 16).max(1) as usize..).unwrap_or_default();
        }
        match words.get(2).map(|generator| generator >> 16) {
            Some(14 | 40) => Self::Hlsl,
            Some(23 | 28) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

/// The block as its HLSL or Slang declares it; `None` for a `ByteAddressBuffer`, which has no layout, and for the
/// hidden counter of an `AppendStructuredBuffer`.
pub fn as_hlsl(mut block: BlockLayout) -> Option<BlockLayout> {
    let Ok(root) = &mut block.result else { return Some(block) };
    turn_matrices(root);
    let is_slangs = ["StructuredBuffer", "ByteAddressBuffer"].iter().any(|name| root.type_name.ends_with(name));
    let own = root.type_name.strip_prefix("type.").or_else(|| is_slangs.then_some(root.type_name.as_str()));
    let Some(own) = own.map(str::to_owned) else { return Some(block) };
    // slangc 2026.14.1 makes two of an `AppendStructuredBuffer`.
    if block.name.ends_with(".counter") {
        return None;
    }
    if let Some(name) = block.name.strip_suffix(".elements") {
        block.name.truncate(name.len());
    }
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

/// DXC and slangc write each matrix as its transpose, in the other order.
fn turn_matrices(ty: &mut LaidOut) {
    if let LaidOutShape::Struct(members) = &mut ty.shape
        && members.len() == 1
        && ty.type_name.starts_with("_Array_")
        && let Some(array) = members.pop_if(|member| member.name == "data")
    {
        *ty = array.layout;
    }
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
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => {}
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::scalar::Scalar;
    use layoutproof_layout::{Component, DECLARED, Extent, MatrixOrder, Reach, ViewId};

    use super::*;

    fn member(name: &str, offset: u32, type_name: &str, size: u32, shape: LaidOutShape) -> LaidOutMember {
        let layout = LaidOut { type_name: type_name.to_owned(), size: Extent::Finite(size), alignment: 4, shape };
        LaidOutMember { name: name.to_owned(), is_base: false, offset, bits: None, layout }
    }

    fn block(kind: BlockKind, type_name: &str, members: Vec<LaidOutMember>) -> BlockLayout {
        let shape = LaidOutShape::Struct(members);
        let root = LaidOut { type_name: type_name.to_owned(), size: Extent::Unbounded, alignment: 4, shape };
        let (rules, name) = (DECLARED.to_owned(), "b".to_owned());
        BlockLayout {
            view: ViewId::default(),
            rules,
            name,
            kind,
            reach: Reach::Parameter,
            has_global_members: false,
            count: Count::Finite(1),
            result: Ok(root),
            stride: None,
            warnings: Vec::new(),
        }
    }

    /// DXC 1.7.2308 names these types so, with `-spirv -fcgl`.
    #[test]
    fn blocks_are_those_of_the_source() {
        use BlockKind::{Cbuffer, ConstantBuffer, Globals, PushConstant, StorageBlock, StructuredElement, Tbuffer};
        for (kind, name, expected) in [
            (BlockKind::UniformBlock, "type.Frame", Some((Cbuffer, ""))),
            (BlockKind::UniformBlock, "type.ConstantBuffer.Frame", Some((ConstantBuffer, "Frame"))),
            (BlockKind::UniformBlock, "type.$Globals", Some((Globals, ""))),
            (StorageBlock, "type.Table", Some((Tbuffer, ""))),
            (StorageBlock, "type.RWStructuredBuffer.Light", Some((StructuredElement, "Light"))),
            (PushConstant, "type.PushConstant.Push", Some((PushConstant, "Push"))),
            (StorageBlock, "type.ACSBuffer.counter", None),
            (StorageBlock, "type.RWByteAddressBuffer", None),
        ] {
            let read = as_hlsl(block(kind, name, Vec::new()));
            let found = read.as_ref().map(|read| (read.kind, read.result.as_ref().unwrap().type_name.as_str()));
            assert_eq!(found, expected, "{name}");
        }
    }

    /// HLSL's `column_major float2x3` is a `RowMajor` matrix of 2 columns of 3 components.
    #[test]
    fn matrices_are_turned_and_elements_stand_alone() {
        let component = Component { scalar: Scalar::Float32, size: 4 };
        let matrix = LaidOutShape::Matrix { component, rows: 3, columns: 2, order: MatrixOrder::Row, stride: 16 };
        let element = member("m", 0, "float3x2", 40, matrix);
        let element =
            LaidOut { type_name: "T".to_owned(), shape: LaidOutShape::Struct(vec![element.clone()]), ..element.layout };
        let array = LaidOutShape::Array { element: Box::new(element), count: Count::Unbounded, stride: 48 };
        let buffer = block(BlockKind::StorageBlock, "type.StructuredBuffer.T", vec![member("_0", 0, "T[]", 0, array)]);
        let read = as_hlsl(buffer).unwrap();
        assert_eq!(read.stride, Some(48));
        let root = read.result.unwrap();
        let LaidOutShape::Struct(members) = &root.shape else { panic!("an element") };
        let LaidOutShape::Matrix { rows: 2, columns: 3, order: MatrixOrder::Column, stride: 16, .. } =
            members[0].layout.shape
        else {
            panic!("{:?}", members[0].layout)
        };
        assert_eq!(members[0].layout.type_name, "float2x3");
    }
}
