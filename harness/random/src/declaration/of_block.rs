//! Finds the shapes of members in any block, as for random declarations. The lists of known shapes
//! thus also apply to users' files and to cases that no list names.

use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Block, BlockKind, LayoutOptions, Scalar};

use super::member_shape::MemberShape;
use super::shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};

/// Returns the shapes of all members and structs of a block with their paths, which start with the
/// block's name and have no indices.
pub fn shapes_of_block(block: &Block, options: LayoutOptions) -> Vec<(String, MemberShape)> {
    let (innermost, dimensions) = plain(&block.element);
    let is_struct = matches!(innermost, Type::Struct(_));
    let form = match (block.kind, is_struct) {
        (BlockKind::StructuredElement, true) => BlockForm::StructuredBuffer,
        (BlockKind::StructuredElement, false) => BlockForm::StructuredElement,
        (BlockKind::Cbuffer | BlockKind::Globals, _) => BlockForm::Cbuffer,
        (BlockKind::Tbuffer, _) => BlockForm::Tbuffer,
        (BlockKind::PushConstant, _) => BlockForm::PushConstant,
        (
            BlockKind::ConstantBuffer
            | BlockKind::TextureBuffer
            | BlockKind::ParameterBlock
            | BlockKind::ShaderRecord
            | BlockKind::EntryUniforms
            | BlockKind::Pointee
            | BlockKind::UniformBlock
            | BlockKind::StorageBlock,
            _,
        ) => BlockForm::ConstantBuffer,
    };

    let content = if let Type::Struct(structure) = innermost {
        content_of(structure)
    } else {
        let member = member_type(innermost).map(|ty| RandomMember { dimensions, ..RandomMember::plain(ty) });
        RandomStruct { base: None, members: member.into_iter().collect() }
    };
    let declaration = RandomDeclaration { options, block: form, content };
    let shapes = declaration.shapes().into_iter();
    shapes.filter_map(|(path, shape)| Some((declared_path(block, innermost, &path)?, shape))).collect()
}

/// Translates a path with numbered members, such as `B.m1.m0`, to the block's own names.
fn declared_path(block: &Block, element: &Type, numbered: &str) -> Option<String> {
    let mut path = block.name.clone();
    let mut ty = element;
    for step in numbered.split('.').skip(1) {
        let number: usize = step.strip_prefix('m')?.parse().ok()?;
        let Type::Struct(structure) = plain(ty).0 else { return Some(path) };
        let member = *all_members(structure).get(number)?;
        path = format!("{path}.{}", member.name);
        ty = &member.ty;
    }
    Some(path)
}

/// Returns the members that have bytes, those of bases first.
fn all_members(structure: &StructType) -> Vec<&Member> {
    let mut members = structure.base.as_deref().map(all_members).unwrap_or_default();
    members.extend(structure.members.iter().filter(|member| member_type(plain(&member.ty).0).is_some()));
    members
}

fn content_of(structure: &StructType) -> RandomStruct {
    let members = structure.members.iter().filter_map(|member| {
        let (innermost, dimensions) = plain(&member.ty);
        let packoffset = member
            .annotations
            .packoffset
            .map(|place| ExplicitOffset::PackOffset { register: place.register, component: place.component });
        let place = packoffset.or_else(|| member.annotations.vk_offset().map(ExplicitOffset::VkOffset));
        Some(RandomMember { ty: member_type(innermost)?, dimensions, bit_width: member.bit_width, place })
    });
    RandomStruct { base: structure.base.as_deref().map(|base| Box::new(content_of(base))), members: members.collect() }
}

/// Returns the innermost type with the lengths of its dimensions. An unbounded dimension counts as
/// two.
fn plain(ty: &Type) -> (&Type, Vec<u32>) {
    let (innermost, counts) = ty.dimensions();
    let length = |count: Count| match count {
        Count::Finite(count) => count,
        Count::Unbounded => 2,
    };
    (innermost, counts.into_iter().map(length).collect())
}

/// Converts the type to that of random declarations; `None` if it has no bytes.
fn member_type(ty: &Type) -> Option<MemberType> {
    Some(match ty {
        Type::Scalar(scalar) => MemberType::Scalar(*scalar),
        Type::Vector { scalar, length } => MemberType::Vector { scalar: *scalar, length: *length },
        Type::Matrix { scalar, rows, columns, order } => {
            MemberType::Matrix { scalar: *scalar, rows: *rows, columns: *columns, order: *order }
        }
        Type::Enum(declared) => MemberType::Enum(Some(declared.underlying)),
        Type::Struct(structure) => MemberType::Struct(Box::new(content_of(structure))),
        // No list mentions pointers and handles, so plain numbers represent them.
        Type::Pointer { .. } => MemberType::Scalar(Scalar::Uint64),
        Type::Handle { .. } => MemberType::Vector { scalar: Scalar::Uint32, length: 2 },
        // Random declarations never contain values of an interface.
        Type::Resource(_) | Type::Array { .. } | Type::Interface { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: u32, columns: u32) -> Type {
        Type::matrix(Scalar::Float32, rows, columns)
    }

    #[test]
    fn members_have_the_names_of_their_block() {
        let inner = StructType::new("I", [Member::new("flat", matrix(1, 3)), Member::new("tall", matrix(3, 2))]);
        let outer = StructType {
            base: Some(std::sync::Arc::new(StructType::new("Base", [Member::new("first", Scalar::Float32)]))),
            ..StructType::new("S", [Member::new("m", Type::array(matrix(3, 2), 2)), Member::new("i", inner)])
        };
        let shapes = shapes_of_block(&Block::new("Scene", BlockKind::Cbuffer, outer), LayoutOptions::default());
        for (path, shape) in [
            ("Scene.m", MemberShape::TallMatrix),
            ("Scene.m", MemberShape::MatrixInAnArray),
            ("Scene.i.flat", MemberShape::FlatMatrix),
            ("Scene.i.tall", MemberShape::TallMatrix),
            ("Scene.i", MemberShape::StructMember),
            ("Scene", MemberShape::DerivedBlock),
        ] {
            assert!(shapes.contains(&(path.to_owned(), shape)), "{path} {shape:?}: {shapes:?}");
        }
        assert!(!shapes.iter().any(|(path, _)| path == "Scene.first"), "{shapes:?}");
    }

    #[test]
    fn push_constants_have_a_shape_of_their_own() {
        let own = ("pc".to_owned(), MemberShape::PushConstants);
        let has = |kind| {
            let block = Block::new("pc", kind, StructType::new("P", [Member::new("a", Scalar::Float32)]));
            shapes_of_block(&block, LayoutOptions::default()).contains(&own)
        };
        assert!(has(BlockKind::PushConstant) && !has(BlockKind::ConstantBuffer));
    }

    #[test]
    fn an_element_is_its_buffers_own() {
        let block = Block::new("b", BlockKind::StructuredElement, matrix(3, 2));
        let shapes = shapes_of_block(&block, LayoutOptions::default());
        assert!(shapes.contains(&("b".to_owned(), MemberShape::TallMatrix)), "{shapes:?}");
    }
}
