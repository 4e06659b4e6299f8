//! Writes the GLSL expression that names a leaf.

use layoutproof_layout::Leaf;
use layoutproof_layout::shape::Type;
use layoutproof_layout::tree::LeafStep;

use super::{BLOCK, GlslDeclaration, VALUE};
use crate::names::member_name;
use layoutproof_probes::AddressSpace;

/// Returns the expression that reads `leaf`; `None` if the leaf is not part of the block.
pub(super) fn expression(declared: &GlslDeclaration<'_>, leaf: &Leaf) -> Option<String> {
    let element = &declared.block.element;
    let (steps, start) = match leaf.steps.as_slice() {
        [LeafStep::Element(index), rest @ ..] if declared.elements => (rest, element_of(declared, *index)),
        steps if matches!(element, Type::Struct(_)) => (steps, BLOCK.to_owned()),
        steps => (steps, format!("{BLOCK}.{VALUE}")),
    };
    follow(element, steps, start)
}

/// Returns the expression for an element of an array of blocks.
fn element_of(declared: &GlslDeclaration<'_>, index: u32) -> String {
    match (declared.space, &declared.block.element) {
        (AddressSpace::Address, Type::Struct(_)) => format!("{BLOCK}[{index}]"),
        (AddressSpace::Address, _) => format!("{BLOCK}[{index}].{VALUE}"),
        (_, _) => format!("{BLOCK}.{VALUE}[{index}]"),
    }
}

fn follow(ty: &Type, steps: &[LeafStep], path: String) -> Option<String> {
    match (ty, steps) {
        (Type::Struct(structure), [LeafStep::Member(index), rest @ ..]) => {
            let member = structure.members.get(*index as usize)?;
            follow(&member.ty, rest, format!("{path}.{}", member_name(*index, &member.name)))
        }
        (Type::Array { element, .. }, [LeafStep::Element(index), rest @ ..]) => {
            follow(element, rest, format!("{path}[{index}]"))
        }
        (Type::Scalar(_) | Type::Enum(_), []) | (Type::Vector { length: 1, .. }, [] | [LeafStep::Component(_)]) => {
            Some(path)
        }
        (Type::Vector { .. }, [LeafStep::Component(index)]) => Some(format!("{path}[{index}]")),
        (Type::Matrix { .. }, [LeafStep::Cell { row, column }]) => Some(format!("{path}[{column}][{row}]")),
        _ => None,
    }
}
