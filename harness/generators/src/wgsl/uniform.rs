//! WGSL's additional rules for the uniform address space, without the language feature
//! `uniform_buffer_standard_layout`. Finds the first rule that a type breaks.
//!
//! Source: WebGPU Shading Language, 14.4.6 Address Space Layout Constraints.

use super::NotExpressible;
use super::node::{NodeMember, NodeShape, WgslNode};

/// Checks that `node` may be a uniform block.
pub(super) fn check(node: &WgslNode) -> Result<(), NotExpressible> {
    match &node.shape {
        NodeShape::Scalar(_) | NodeShape::Vector { .. } | NodeShape::Matrix { .. } => Ok(()),
        NodeShape::Array { element, stride, .. } => {
            if !stride.is_multiple_of(16) {
                let reason = format!("an array stride in a uniform block is a multiple of 16 bytes, this is {stride}");
                return Err(NotExpressible::new(&node.path, reason));
            }
            check(element)
        }
        NodeShape::Struct(members) => {
            members.iter().try_for_each(check_member)?;
            members.windows(2).try_for_each(|pair| check_after_struct(&pair[0], &pair[1]))
        }
    }
}

fn check_member(member: &NodeMember) -> Result<(), NotExpressible> {
    let NodeMember { offset, node, .. } = member;
    let (what, required) = match node.shape {
        NodeShape::Scalar(_) | NodeShape::Vector { .. } | NodeShape::Matrix { .. } => return Ok(()),
        NodeShape::Array { .. } => ("an array", node.alignment.max(16)),
        NodeShape::Struct(_) => ("a struct", node.alignment.max(16)),
    };
    if !offset.is_multiple_of(required) {
        let reason =
            format!("the offset of {what} in a uniform block is a multiple of {required} bytes, this is {offset}");
        return Err(NotExpressible::new(&node.path, reason));
    }
    check(node)
}

/// Checks the distance from a nested struct to the next member: at least the struct's size, rounded
/// up to 16.
fn check_after_struct(member: &NodeMember, next: &NodeMember) -> Result<(), NotExpressible> {
    let NodeShape::Struct(_) = member.node.shape else { return Ok(()) };
    let (least, distance) = (member.node.size.next_multiple_of(16), next.offset - member.offset);
    if distance >= least {
        return Ok(());
    }
    let reason = format!(
        "a member after struct `{}` in a uniform block is at least {least} bytes from its start, this is {distance}",
        member.node.path
    );
    Err(NotExpressible::new(&next.node.path, reason))
}
