//! Makes `target("dx.Layout", %type, size, offsets...)`: a type without padding, its size and the
//! offsets of its members, in bytes.
//!
//! Members are in declared order, so an offset may be lower than the one before. Strides are not
//! part of it; the proposal leaves arrays to the consumer of the type.
//!
//! Source: wg-hlsl, Types with explicit layouts in DXIL and SPIR-V.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutMember, LaidOutShape};

use super::definitions::Definitions;
use super::{has_own_members, primitive, target};
use crate::host_types::slots::in_declared_order;

/// The layout types named so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TargetLayouts {
    definitions: Definitions,
}

/// The lines of one block.
struct TargetLayoutBlock<'a> {
    definitions: &'a mut Definitions,
    target: &'static str,
    lines: Vec<String>,
}

impl TargetLayouts {
    /// The types of `block`, each with its layout; the block itself comes last.
    pub(super) fn block(&mut self, block: &BlockLayout, root: &LaidOut) -> Vec<String> {
        let mut printer =
            TargetLayoutBlock { definitions: &mut self.definitions, target: target(&block.rules), lines: Vec::new() };

        match &root.shape {
            LaidOutShape::Struct(members) if has_own_members(block.kind) => {
                let content = printer.content(members);
                let ty = printer.definitions.named(&content).map_or(content, str::to_owned);
                let layout = printer.layout(&ty, root, members);
                printer.lines.push(layout);
            }
            LaidOutShape::Struct(_) => {
                printer.ty(root);
            }
            _ => {
                let ty = printer.ty(root);
                printer.lines.push(format!("; {} is {ty}", block.name));
            }
        }
        printer.lines
    }
}

impl TargetLayoutBlock<'_> {
    fn ty(&mut self, layout: &LaidOut) -> String {
        match &layout.shape {
            LaidOutShape::Scalar(component) => primitive::scalar(*component),
            LaidOutShape::Vector { component, length } => primitive::vector(*component, *length),
            LaidOutShape::Pointer | LaidOutShape::Resource => primitive::address(layout.size.finite().unwrap_or(0)),
            LaidOutShape::Matrix { component, rows, columns, order, .. } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                format!("[{vectors} x {}]", primitive::vector(*component, length))
            }
            LaidOutShape::Array { element, count, .. } => {
                let count = match count {
                    Count::Finite(count) => *count,
                    Count::Unbounded => 0,
                };
                format!("[{count} x {}]", self.ty(element))
            }
            LaidOutShape::Struct(members) => self.structure(layout, members),
        }
    }

    /// The layout of a struct. Adds one line for its definition and one for its layout, once.
    fn structure(&mut self, layout: &LaidOut, members: &[LaidOutMember]) -> String {
        let content = self.content(members);
        let name = if layout.type_name.is_empty() { "anon" } else { &layout.type_name };
        let (name, line) = self.definitions.define(&format!("__hlsl_{name}"), content);
        self.lines.extend(line);
        let layout = self.layout(&name, layout, members);
        if !self.lines.contains(&layout) {
            self.lines.push(layout.clone());
        }
        layout
    }

    fn content(&mut self, members: &[LaidOutMember]) -> String {
        let parts: Vec<String> = in_declared_order(members).iter().map(|slot| self.ty(slot.layout)).collect();
        if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
    }

    fn layout(&self, ty: &str, layout: &LaidOut, members: &[LaidOutMember]) -> String {
        let size = layout.size.finite().unwrap_or(0);
        let offsets = in_declared_order(members);
        let numbers: Vec<String> = offsets.iter().map(|slot| format!(", {}", slot.offset)).collect();
        format!("target(\"{}.Layout\", {ty}, {size}{})", self.target, numbers.concat())
    }
}
