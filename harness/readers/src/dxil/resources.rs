//! Reads `!dx.resources`: the resources of DXIL before shader model 6.6, which code refers to by
//! class and number.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "Metadata",
//! Resources.

use std::collections::BTreeMap;

use super::value::IndexUnit;
use crate::llvm::buffers::Class;

/// The kind number of structured buffers.
pub(super) const KIND_STRUCTURED: u64 = 12;

/// The kind number of `tbuffer`.
pub(super) const KIND_TBUFFER: u64 = 15;

/// A resource in the metadata. `createHandle` makes a handle to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DxilResource {
    pub class: Class,
    /// Number within the class.
    pub number: u32,
    pub space: u32,
    pub(super) view: IndexUnit,
}

/// Parses a class number.
///
/// # Errors
/// A class whose resources have no bytes.
pub(super) fn class(number: u64) -> Result<Class, String> {
    match number {
        0 => Ok(Class::ShaderResource),
        1 => Ok(Class::UnorderedAccess),
        2 => Ok(Class::ConstantBuffer),
        other => Err(format!("a resource of class {other}")),
    }
}

/// The rows of the metadata without samplers; empty if the listing has none.
pub(super) fn resources(listing: &str) -> Vec<DxilResource> {
    let nodes: BTreeMap<&str, Vec<&str>> = listing.lines().filter_map(node).collect();
    let children = |name: &str| nodes.get(name).cloned().unwrap_or_default();
    let Some(lists) = children("!dx.resources").first().map(|list| children(list)) else { return Vec::new() };

    let mut found = Vec::new();
    for (class, list) in (0..3).filter_map(|number| class(number).ok()).zip(lists) {
        let rows = children(list).into_iter().filter_map(|row| nodes.get(row));
        found.extend(rows.filter_map(|row| resource(class, row, &nodes)));
    }
    found
}

/// `number, type, name, space, first register, registers, kind`. Buffers have further fields, the
/// last of which is the list of properties.
fn resource(class: Class, row: &[&str], nodes: &BTreeMap<&str, Vec<&str>>) -> Option<DxilResource> {
    let number = |index: usize| row.get(index)?.rsplit(' ').next()?.parse::<u64>().ok();
    let kind = if class == Class::ConstantBuffer { 0 } else { number(6)? };
    let view = match kind {
        KIND_STRUCTURED => {
            // Tag 1 is the size of an element.
            let [tag, size] = nodes.get(row.last()?)?[..] else { return None };
            IndexUnit::Elements(size.strip_prefix("i32 ").filter(|_| tag == "i32 1")?.parse().ok()?)
        }
        KIND_TBUFFER => IndexUnit::Registers,
        _ => IndexUnit::Bytes,
    };
    let narrow = |index: usize| u32::try_from(number(index)?).ok();
    Some(DxilResource { class, number: narrow(0)?, space: narrow(3)?, view })
}

/// A line `!5 = !{!6, i32 1}`: its name and its parts.
fn node(line: &str) -> Option<(&str, Vec<&str>)> {
    let (name, parts) = line.split_once(" = !{")?;
    let parts = parts.trim_end().strip_suffix('}')?;
    name.starts_with('!').then(|| (name, split(parts)))
}

/// Splits at commas outside of quotes and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_quoted) = (Vec::new(), 0, 0_u32, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '(' | '{' | '[' | '<' if !is_quoted => depth += 1,
            ')' | '}' | ']' | '>' if !is_quoted => depth = depth.saturating_sub(1),
            ',' if !is_quoted && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortened from DXC 1.7.2308, `-T cs_6_2`.
    const LISTING: &str = "\
!dx.resources = !{!4}
!4 = !{!5, !9, !11, null}
!5 = !{!6, !8}
!6 = !{i32 0, %\"class.StructuredBuffer<vector<unsigned int, 3> >\"* undef, !\"s, t\", i32 1, i32 1, i32 1, i32 12, i32 0, !7}
!7 = !{i32 1, i32 12}
!8 = !{i32 1, %struct.ByteAddressBuffer* undef, !\"\", i32 2, i32 0, i32 -1, i32 11, i32 0, null}
!9 = !{!10}
!10 = !{i32 0, %struct.RWByteAddressBuffer* undef, !\"\", i32 1000, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!11 = !{!12}
!12 = !{i32 0, %S* undef, !\"\", i32 3, i32 5, i32 1, i32 48, null}
";

    #[test]
    fn every_buffer_is_read() {
        let row = |class, number, space, view| DxilResource { class, number, space, view };
        let expected = [
            row(Class::ShaderResource, 0, 1, IndexUnit::Elements(12)),
            row(Class::ShaderResource, 1, 2, IndexUnit::Bytes),
            row(Class::UnorderedAccess, 0, 1000, IndexUnit::Bytes),
            row(Class::ConstantBuffer, 0, 3, IndexUnit::Bytes),
        ];
        assert_eq!(resources(LISTING), expected);
        assert_eq!(resources("define void @main() {\n"), []);
    }
}
