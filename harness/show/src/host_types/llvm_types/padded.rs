//! Makes packed structs with padding as members: the types that Clang uses for constant buffers.
//!
//! Members are in ascending order of offset. An array with padding between its elements is a packed
//! struct of all elements but the last, padded, followed by the last one without padding, so that
//! the next member can use the bytes after it.
//!
//! Source: Clang 22.1.8, `-triple dxil-pc-shadermodel6.3-compute -emit-llvm`, except for matrices,
//! which that version flattens; for those, Clang's test of row-major and column-major matrices in
//! constant buffers.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutMember, LaidOutShape};

use super::definitions::Definitions;
use super::{has_own_members, primitive, target};
use crate::host_types::slots::{HostSlot, slots, touched};

/// The packed structs named so far.
#[derive(Clone, Debug, Default)]
pub(super) struct PaddedStructs {
    definitions: Definitions,
}

/// The lines of one block.
struct PaddedBlock<'a> {
    definitions: &'a mut Definitions,
    target: &'static str,
    lines: Vec<String>,
}

impl PaddedStructs {
    /// The types of `block`, starting with the block itself.
    pub(super) fn block(&mut self, block: &BlockLayout, root: &LaidOut) -> Vec<String> {
        let mut printer =
            PaddedBlock { definitions: &mut self.definitions, target: target(&block.rules), lines: Vec::new() };

        match &root.shape {
            LaidOutShape::Struct(members) if has_own_members(block.kind) => {
                let name = format!("__cblayout_{}", block.name);
                printer.structure(&name, members);
            }
            _ => {
                let ty = printer.ty(root);
                if !matches!(root.shape, LaidOutShape::Struct(_)) {
                    printer.lines.push(format!("; {} is {ty}", block.name));
                }
            }
        }
        printer.lines
    }
}

impl PaddedBlock<'_> {
    fn ty(&mut self, layout: &LaidOut) -> String {
        match &layout.shape {
            LaidOutShape::Scalar(component) => primitive::scalar(*component),
            LaidOutShape::Vector { component, length } => primitive::vector(*component, *length),
            LaidOutShape::Pointer | LaidOutShape::Resource => primitive::address(layout.size.finite().unwrap_or(0)),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let vector = primitive::vector(*component, length);
                self.repeated(&vector, component.size.saturating_mul(length), vectors, *stride)
            }
            LaidOutShape::Array { element, count, stride } => {
                let ty = self.ty(element);
                let size = touched(element);
                match count {
                    Count::Finite(count) => self.repeated(&ty, size, *count, *stride),
                    Count::Unbounded => format!("[0 x {}]", self.with_padding(&ty, stride.saturating_sub(size))),
                }
            }
            LaidOutShape::Struct(members) => {
                let name = if layout.type_name.is_empty() { "anon" } else { &layout.type_name };
                let left_out = members.iter().any(|member| touched(&member.layout) == 0);
                let name = if left_out { format!("__cblayout_{name}") } else { name.to_owned() };
                self.structure(&name, members)
            }
        }
    }

    /// `count` elements of `size` bytes, `stride` bytes apart.
    fn repeated(&self, element: &str, size: u32, count: u32, stride: u32) -> String {
        match (count, stride.saturating_sub(size)) {
            (0 | 1, _) | (_, 0) => format!("[{count} x {element}]"),
            (_, padding) => {
                format!("<{{ [{} x {}], {element} }}>", count - 1, self.with_padding(element, padding))
            }
        }
    }

    fn with_padding(&self, element: &str, padding: u32) -> String {
        if padding == 0 { element.to_owned() } else { format!("<{{ {element}, {} }}>", self.padding(padding)) }
    }

    fn padding(&self, bytes: u32) -> String {
        format!("target(\"{}.Padding\", {bytes})", self.target)
    }

    /// The name of a packed struct of `members`. Adds the lines that define it and its parts.
    fn structure(&mut self, name: &str, members: &[LaidOutMember]) -> String {
        let place = self.lines.len();
        let mut end = 0;
        let mut parts = Vec::new();

        for slot in slots(members) {
            let HostSlot { name: member, offset, layout, .. } = &slot;
            let Some(padding) = offset.checked_sub(end) else {
                let note =
                    format!("; `{name}`: `{member}` at byte {offset} shares bytes with another member and is left out");
                self.lines.push(note);
                continue;
            };
            if padding > 0 {
                parts.push(self.padding(padding));
            }
            parts.push(self.ty(layout));
            end = slot.end();
        }

        let content = if parts.is_empty() { "<{}>".to_owned() } else { format!("<{{ {} }}>", parts.join(", ")) };
        let (name, line) = self.definitions.define(name, content);
        if let Some(line) = line {
            self.lines.insert(place, line);
        }
        name
    }
}
