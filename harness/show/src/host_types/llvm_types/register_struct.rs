//! The struct that a `cbuffer` is equivalent to: members by ascending offset, padding as floats,
//! and the register of each member.
//!
//! Source: wg-hlsl INF-0003, packoffset, packoffset on layout struct.

use layoutproof_layout::{LaidOut, LaidOutShape};

use crate::host_types::slots::{HostSlot, slots};
use crate::layout_text::member_tree::split_dimensions;
use crate::style::one_line;

const REGISTER: u32 = 16;

/// The struct of the buffer `name`, as comments. Empty for a buffer that is not a struct.
pub(super) fn lines(name: &str, root: &LaidOut) -> Vec<String> {
    let LaidOutShape::Struct(members) = &root.shape else { return Vec::new() };
    let mut fields = RegisterFields::default();
    for slot in slots(members) {
        fields.member(&slot);
    }

    let columns = fields.0.iter().map(|field| field.declaration.len()).max().unwrap_or(0);
    let field = |field: &RegisterField| {
        format!(";   {:columns$}  // {}", field.declaration, registers(field.offset, field.size))
    };
    let head = format!("; struct {}Layout {{", one_line(name));
    [head].into_iter().chain(fields.0.iter().map(field)).chain(["; }".to_owned()]).collect()
}

#[derive(Clone, Debug)]
struct RegisterField {
    declaration: String,
    offset: u32,
    size: u32,
}

#[derive(Clone, Debug, Default)]
struct RegisterFields(Vec<RegisterField>);

impl RegisterFields {
    fn end(&self) -> u32 {
        self.0.iter().map(|field| field.offset.saturating_add(field.size)).max().unwrap_or(0)
    }

    fn member(&mut self, slot: &HostSlot<'_>) {
        while self.end() < slot.offset {
            self.padding(slot.offset);
        }
        let (ty, dimensions) = split_dimensions(&slot.layout.type_name);
        let shared = if slot.offset < self.end() { " /* shares bytes */" } else { "" };
        let declaration = format!("{} {}{dimensions};{shared}", one_line(ty), one_line(&slot.name));
        self.0.push(RegisterField { declaration, offset: slot.offset, size: slot.end().saturating_sub(slot.offset) });
    }

    /// One field of padding towards `to`: the rest of a register, all whole registers, or the start
    /// of the last one.
    fn padding(&mut self, to: u32) {
        let from = self.end();
        let room = to - from;
        let into_register = from % REGISTER;
        let number = self.0.iter().filter(|field| field.declaration.contains(" padding")).count();
        let (ty, size) = if into_register == 0 && room >= REGISTER {
            ("float4", room / REGISTER * REGISTER)
        } else {
            part(room.min(REGISTER - into_register))
        };
        let dimension = if size > REGISTER { format!("[{}]", size / REGISTER) } else { String::new() };
        self.0.push(RegisterField { declaration: format!("{ty} padding{number}{dimension};"), offset: from, size });
    }
}

/// A type for as many of `bytes` bytes as stay below a register. The two bytes that 16-bit members
/// leave come first.
fn part(bytes: u32) -> (&'static str, u32) {
    match (bytes % 4, bytes / 4) {
        (1 | 3, _) => ("int8_t", 1),
        (2, _) => ("half", 2),
        (_, 1) => ("float", 4),
        (_, 2) => ("float2", 8),
        (_, _) => ("float3", 12),
    }
}

/// `c2`, `c2.zw`, `c0/c1`, `c1 to c11`; bytes if a member starts inside a component.
fn registers(offset: u32, size: u32) -> String {
    let end = offset.saturating_add(size.max(1));
    let (first, last) = (offset / REGISTER, (end - 1) / REGISTER);
    let within = offset % REGISTER;

    match last - first {
        0 if size == REGISTER => format!("c{first}"),
        0 if offset.is_multiple_of(4) && size.is_multiple_of(4) => {
            let letters =
                ["x", "y", "z", "w"].into_iter().zip(0..).filter(|(_, at)| (within..within + size).contains(&(at * 4)));
            format!("c{first}.{}", letters.map(|(letter, _)| letter).collect::<String>())
        }
        0 => format!("c{first}, bytes {within} to {}", within + size.max(1) - 1),
        1 => format!("c{first}/c{last}"),
        _ => format!("c{first} to c{last}"),
    }
}
