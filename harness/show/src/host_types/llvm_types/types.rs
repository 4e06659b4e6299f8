//! Makes the types of a block.
//!
//! As packed structs with padding as members, for constant buffers in Clang: members are in ascending order of
//! offset. An array with padding between its elements is a packed struct of all elements but the last, padded,
//! followed by the last one without padding, so that the next member can use the bytes after it. Source: Clang
//! 22.1.8, `-triple dxil-pc-shadermodel6.3-compute -emit-llvm`, except for matrices, which that version flattens;
//! for those, Clang's test of row-major and column-major matrices in constant buffers.
//!
//! As `target("dx.Layout", %type, size, offsets...)`, a type without padding, its size and the offsets of its
//! members, in bytes: members are in declared order, so an offset may be lower than the one before. Strides are
//! not part of it; the proposal leaves arrays to the consumer of the type. Source: wg-hlsl, Types with explicit
//! layouts in DXIL and SPIR-V.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, Component, LaidOut, LaidOutMember, LaidOutShape};

use super::{LlvmForm, has_own_members, target};
use crate::host_types::slots::{HostSlot, in_declared_order, slots, touched};
use crate::style::one_line;

/// The lines of one block: its types, each once. `definitions` has the types of earlier blocks.
pub(super) fn block_lines(
    form: LlvmForm,
    definitions: &mut Definitions,
    block: &BlockLayout,
    root: &LaidOut,
) -> Vec<String> {
    let mut printer = BlockPrinter { form, definitions, target: target(&block.rules), lines: Vec::new() };
    match (&root.shape, form) {
        (LaidOutShape::Struct(members), LlvmForm::Padded) if has_own_members(block.kind) => {
            printer.padded_struct(&format!("__cblayout_{}", block.name), members);
        }
        (LaidOutShape::Struct(members), LlvmForm::TargetLayout) if has_own_members(block.kind) => {
            let content = printer.content(members);
            let ty = printer.definitions.named(&content).map_or(content, str::to_owned);
            let layout = printer.layout(&ty, root, members);
            printer.lines.push(layout);
        }
        (shape, _) => {
            let ty = printer.ty(root);
            if !matches!(shape, LaidOutShape::Struct(_)) {
                printer.lines.push(format!("; {} is {ty}", one_line(&block.name)));
            }
        }
    }
    printer.lines
}

struct BlockPrinter<'a> {
    form: LlvmForm,
    definitions: &'a mut Definitions,
    target: &'static str,
    lines: Vec<String>,
}

impl BlockPrinter<'_> {
    fn ty(&mut self, layout: &LaidOut) -> String {
        match &layout.shape {
            LaidOutShape::Scalar(component) => scalar(*component),
            LaidOutShape::Vector { component, length } => vector(*component, *length),
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => integer(layout.size.finite().unwrap_or(0)),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let padding = self.padding_after(component.size.saturating_mul(length), *stride);
                self.repeated(&vector(*component, length), vectors, padding)
            }
            LaidOutShape::Array { element, count, stride } => {
                let ty = self.ty(element);
                let padding = self.padding_after(touched(element), *stride);
                match count {
                    Count::Finite(count) => self.repeated(&ty, *count, padding),
                    Count::Unbounded => format!("[0 x {}]", self.with_padding(&ty, padding)),
                }
            }
            LaidOutShape::Struct(members) => match self.form {
                LlvmForm::Padded => {
                    let name = if layout.type_name.is_empty() { "anon" } else { &layout.type_name };
                    let left_out = members.iter().any(|member| touched(&member.layout) == 0);
                    let name = if left_out { format!("__cblayout_{name}") } else { name.to_owned() };
                    self.padded_struct(&name, members)
                }
                LlvmForm::TargetLayout => self.target_struct(layout, members),
            },
        }
    }

    /// The bytes to write between elements of `size` bytes that are `stride` bytes apart.
    fn padding_after(&self, size: u32, stride: u32) -> u32 {
        match self.form {
            LlvmForm::Padded => stride.saturating_sub(size),
            LlvmForm::TargetLayout => 0,
        }
    }

    fn repeated(&self, element: &str, count: u32, padding: u32) -> String {
        match (count, padding) {
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
    fn padded_struct(&mut self, name: &str, members: &[LaidOutMember]) -> String {
        let place = self.lines.len();
        let mut end = 0;
        let mut parts = Vec::new();

        for slot in slots(members) {
            let HostSlot { name: member, offset, layout, .. } = &slot;
            let Some(padding) = offset.checked_sub(end) else {
                let (name, member) = (one_line(name), one_line(member));
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

    /// The layout of a struct. Adds one line for its definition and one for its layout, once.
    fn target_struct(&mut self, layout: &LaidOut, members: &[LaidOutMember]) -> String {
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

/// A number. A `bool` is an integer in memory.
fn scalar(component: Component) -> String {
    match (component.scalar.is_float(), component.size) {
        (false, size) => integer(size),
        (true, 0..=2) => "half".to_owned(),
        (true, 3..=4) => "float".to_owned(),
        (true, 5..) => "double".to_owned(),
    }
}

/// A vector. One component is a vector too, as in HLSL.
fn vector(component: Component, length: u32) -> String {
    format!("<{length} x {}>", scalar(component))
}

/// An integer of this many bytes; an address is one, too.
fn integer(size: u32) -> String {
    format!("i{}", size.saturating_mul(8))
}

#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    known: Vec<TypeDefinition>,
}

/// `%name = type content`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TypeDefinition {
    /// The requested name.
    wanted: String,
    /// The name with its sigil, in quotes if LLVM needs them.
    name: String,
    /// Right side of the definition.
    content: String,
}

impl Definitions {
    /// The name of the type with this content, and the line that defines it, or `None` if it is
    /// already defined.
    ///
    /// If the name already has other content, the new type gets a number, as in LLVM.
    pub(super) fn define(&mut self, wanted: &str, content: String) -> (String, Option<String>) {
        let same = |known: &&TypeDefinition| known.wanted == wanted && known.content == content;
        if let Some(known) = self.known.iter().find(same) {
            return (known.name.clone(), None);
        }
        let namesakes = self.known.iter().filter(|known| known.wanted == wanted).count();
        let name = match namesakes.checked_sub(1) {
            None => sigil(wanted),
            Some(number) => sigil(&format!("{wanted}.{number}")),
        };
        let line = format!("{name} = type {content}");
        self.known.push(TypeDefinition { wanted: wanted.to_owned(), name: name.clone(), content });
        (name, Some(line))
    }

    pub(super) fn named(&self, content: &str) -> Option<&str> {
        self.known.iter().find(|known| known.content == content).map(|known| known.name.as_str())
    }
}

/// `%name`, in quotes unless all characters are letters, digits, `$`, `.`, `_` or `-` (LLVM
/// Language Reference, Identifiers). LLVM's printer also quotes a dollar sign.
fn sigil(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(plain) { format!("%{name}") } else { format!("%\"{}\"", escaped(name)) }
}

/// Escapes characters that quotes cannot contain, as `\xx`.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => text = format!("{text}\\{byte:02X}"),
            _ => text.push(char::from(byte)),
        }
    }
    text
}
