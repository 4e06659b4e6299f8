//! Finds the Vulkan rules for explicit layouts that a block obeys, and thus the features that a
//! device must have.
//!
//! Source: Vulkan specification, "Offset and Stride Assignment" (relaxed block layout, which Vulkan
//! 1.1 always allows, `uniformBufferStandardLayout`, `scalarBlockLayout` and
//! `workgroupMemoryExplicitLayoutScalarBlockLayout`), as SPIRV-Tools' `spirv-val` checks it.

use layoutproof_device::Feature;
use layoutproof_layout::BlockRules;
use layoutproof_layout::shape::{Count, MatrixOrder};

use super::block::{SpirvField, SpirvNode};
use super::kind::ScalarKind;
use layoutproof_probes::AddressSpace;

/// Returns the feature that a device needs for blocks under these rules in `space`.
pub fn required_feature(rules: BlockRules, space: AddressSpace) -> Option<Feature> {
    match rules {
        BlockRules::Relaxed => None,
        BlockRules::UniformStandard => Some(Feature::UniformBufferStandardLayout),
        BlockRules::Scalar if space == AddressSpace::Workgroup => Some(Feature::WorkgroupScalarLayout),
        BlockRules::Scalar => Some(Feature::ScalarBlockLayout),
    }
}

/// Returns the strictest rules that `block` obeys in `space`.
pub(super) fn needed(block: &SpirvNode, space: AddressSpace) -> BlockRules {
    let extended = match space {
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform => true,
        AddressSpace::Storage
        | AddressSpace::StorageElement
        | AddressSpace::HeapStorage
        | AddressSpace::Address
        | AddressSpace::ShaderRecord
        | AddressSpace::PushConstant
        | AddressSpace::Workgroup => false,
    };

    if obeys(block, 0, extended) {
        BlockRules::Relaxed
    } else if obeys(block, 0, false) {
        BlockRules::UniformStandard
    } else {
        BlockRules::Scalar
    }
}

/// Returns true if a struct at absolute byte `start` obeys the relaxed rules, under which nothing
/// may lie in the tail padding of an array or struct. `extended` adds the rule for uniform blocks:
/// matrices, arrays and structs are aligned to 16 bytes.
fn obeys(node: &SpirvNode, start: u32, extended: bool) -> bool {
    let SpirvNode::Struct { fields, .. } = node else { return true };
    let mut free = 0;
    fields.iter().all(|field| {
        let fits = field.offset >= free && field_obeys(field, start, extended);
        free = field.offset.saturating_add(size(&field.node));
        if matches!(field.node, SpirvNode::Array { .. } | SpirvNode::Struct { .. }) {
            free = free.next_multiple_of(alignment(&field.node, extended));
        }
        fits
    })
}

fn field_obeys(field: &SpirvField, start: u32, extended: bool) -> bool {
    let offset = start.saturating_add(field.offset);
    let aligned = offset.is_multiple_of(alignment(&field.node, extended));
    match &field.node {
        SpirvNode::Scalar(_) => aligned,
        SpirvNode::Vector { kind, length } => !straddles(offset, *kind, *length),
        SpirvNode::Matrix { .. } => aligned && strides_obey(&field.node, extended),
        SpirvNode::Array { .. } => {
            aligned && strides_obey(&field.node, extended) && elements_obey(&field.node, offset, extended)
        }
        SpirvNode::Struct { .. } => aligned && obeys(&field.node, offset, extended),
    }
}

/// Returns true if a vector violates the straddling rule: one of up to 16 bytes must not cross a
/// 16-byte line, and a larger one must start on such a line.
fn straddles(offset: u32, kind: ScalarKind, length: u32) -> bool {
    let size = length * kind.size();
    let crosses = if size > 16 { !offset.is_multiple_of(16) } else { offset % 16 + size > 16 };
    crosses || !offset.is_multiple_of(kind.size())
}

/// Returns true if array strides, and the stride of the matrix inside, are multiples of the
/// alignment.
fn strides_obey(node: &SpirvNode, extended: bool) -> bool {
    match node {
        SpirvNode::Array { element, stride, .. } => {
            stride.is_multiple_of(alignment(node, extended)) && strides_obey(element, extended)
        }
        SpirvNode::Matrix { stride, .. } => stride.is_multiple_of(alignment(node, extended)),
        SpirvNode::Scalar(_) | SpirvNode::Vector { .. } | SpirvNode::Struct { .. } => true,
    }
}

/// Returns true if the structs in an array obey the rules at each element's place. Places repeat
/// modulo 16.
fn elements_obey(node: &SpirvNode, offset: u32, extended: bool) -> bool {
    let SpirvNode::Array { element, count, stride } = node else { return obeys(node, offset, extended) };
    let places = match count {
        Count::Finite(count) => (*count).min(16),
        Count::Unbounded => 1,
    };
    (0..places).all(|place| elements_obey(element, offset.saturating_add(stride.saturating_mul(place)), extended))
}

/// Returns the base alignment in bytes. `extended` rounds matrices, arrays and structs up to 16.
fn alignment(node: &SpirvNode, extended: bool) -> u32 {
    let rounded = |alignment: u32| if extended { alignment.next_multiple_of(16) } else { alignment };
    match node {
        SpirvNode::Scalar(kind) => kind.size(),
        SpirvNode::Vector { kind, length } => vector_alignment(*kind, *length),
        SpirvNode::Matrix { kind, rows, columns, order, .. } => {
            rounded(vector_alignment(*kind, order.vectors_and_length(*rows, *columns).1))
        }
        SpirvNode::Array { element, .. } => rounded(alignment(element, extended)),
        SpirvNode::Struct { fields, .. } => {
            rounded(fields.iter().map(|field| alignment(&field.node, extended)).max().unwrap_or(1))
        }
    }
}

fn vector_alignment(kind: ScalarKind, length: u32) -> u32 {
    kind.size() * if length == 2 { 2 } else { 4 }
}

/// Returns the size in bytes as `spirv-val` computes it: a `ColMajor` matrix ends with its last
/// column's padding.
fn size(node: &SpirvNode) -> u32 {
    match node {
        SpirvNode::Scalar(kind) => kind.size(),
        SpirvNode::Vector { kind, length } => length * kind.size(),
        SpirvNode::Matrix { kind, rows, columns, order, stride } => match order {
            MatrixOrder::Column => stride.saturating_mul(*columns),
            MatrixOrder::Row => stride.saturating_mul(rows - 1).saturating_add(columns * kind.size()),
        },
        SpirvNode::Array { element, count, stride } => match count {
            Count::Finite(count) => stride.saturating_mul(count - 1).saturating_add(size(element)),
            Count::Unbounded => 0,
        },
        SpirvNode::Struct { fields, .. } => {
            fields.last().map_or(0, |field| field.offset.saturating_add(size(&field.node)))
        }
    }
}
