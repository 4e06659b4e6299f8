//! Reads the layouts of buffers and the registers of resources from FXC's listing of DXBC.
//!
//! Both are in comments above the code, as `D3DDisassemble` prints it. They are FXC's report; its
//! code is a separate witness. An array with several dimensions is printed with one (`f[6]`), as in
//! DXC's listing.

use layoutproof_layout::join;
use layoutproof_layout::shape::Count;

use crate::ReadError;
use crate::dxil::{ListedBinding, ListedBuffer};
use crate::registers::register;

/// A row of `// Resource Bindings:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FxcBinding {
    /// Name and registers.
    pub binding: ListedBinding,
    /// True if code sees the raw bytes: a structured or byte-address buffer or a tbuffer, not
    /// texels of a format.
    pub is_raw: bool,
    /// The number in the column `ID`, by which the code of a 5.1 profile refers to the resource;
    /// other profiles have none.
    pub range: Option<u32>,
}

/// The buffers in the listing's order.
///
/// A constant buffer's size in bytes is the end of its last member, because FXC prints no size.
pub fn buffer_definitions(listing: &str) -> Result<Vec<ListedBuffer>, ReadError> {
    let section = comments(listing).skip_while(|line| *line != "Buffer Definitions:").skip(1);

    let mut buffers = Vec::new();
    let mut open = FxcBufferReader::default();
    for line in section.take_while(|line| *line != "Resource Bindings:") {
        if let Some(name) = head(line) {
            name.clone_into(&mut open.buffer.name);
        } else if line == "{" {
            open.pending.push(Vec::new());
        } else if line == "}" {
            let members = open.pending.pop().unwrap_or_default();
            buffers.push(ListedBuffer { members, ..std::mem::take(&mut open.buffer) });
        } else if let Some((declaration, numbers)) = line.split_once("// Offset:") {
            open.member(declaration.trim(), numbers).ok_or_else(|| ReadError::line("member", line))?;
        }
    }
    Ok(buffers)
}

/// The rows of the table in its order; empty if the listing has none.
pub fn resource_bindings(listing: &str) -> Result<Vec<FxcBinding>, ReadError> {
    let table = comments(listing).skip_while(|line| *line != "Resource Bindings:");
    let rows = table.skip_while(|line| !line.starts_with("---")).skip(1).take_while(|line| !line.is_empty());
    rows.map(|line| row(line).ok_or_else(|| ReadError::line("resource binding", line))).collect()
}

/// The text of every comment that fills a line.
fn comments(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter_map(|line| line.strip_prefix("//")).map(str::trim)
}

/// The name in `cbuffer S` or `Resource bind info for sb`; a `TextureBuffer<T> tb` is `$$tb`.
fn head(text: &str) -> Option<&str> {
    let name = ["cbuffer ", "tbuffer ", "Resource bind info for "].iter().find_map(|head| text.strip_prefix(head))?;
    Some(name.strip_prefix("$$").unwrap_or(name))
}

/// `inp  UAV  byte  r/w  U1  u7,space1000  1`.
fn row(text: &str) -> Option<FxcBinding> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, kind, id, place, count) = match words[..] {
        [name, kind, format, _dimension, place, count] => (name, [kind, format], None, place, count),
        [name, kind, format, _dimension, id, place, count] => (name, [kind, format], Some(id), place, count),
        _ => return None,
    };

    let is_raw = matches!(kind, ["tbuffer", _] | ["texture" | "UAV", "struct" | "byte"]);
    let range = match id {
        Some(id) => Some(id.trim_start_matches(|c: char| c.is_ascii_uppercase()).parse().ok()?),
        None => None,
    };
    let (unit, index, space) = register(place)?;
    let count = match count.parse().ok()? {
        u32::MAX => Count::Unbounded,
        finite => Count::Finite(finite),
    };

    Some(FxcBinding { binding: ListedBinding { name: name.to_owned(), unit, space, index, count }, is_raw, range })
}

#[derive(Default)]
struct FxcBufferReader {
    buffer: ListedBuffer,
    /// Members of the buffer and of each open struct; a struct's name comes after its members.
    pending: Vec<Vec<(String, u32)>>,
}

impl FxcBufferReader {
    /// `float3 a;` or `} l[2];`, with the numbers after `Offset:`.
    fn member(&mut self, declaration: &str, numbers: &str) -> Option<()> {
        let mut numbers = numbers.split_whitespace();
        let offset: u32 = numbers.next()?.parse().ok()?;
        let inner = if declaration.starts_with('}') { self.pending.pop()? } else { Vec::new() };
        if declaration.starts_with('}') && inner.is_empty() {
            // A struct without members has no offset: FXC prints -4 as an unsigned number.
            return Some(());
        }
        // Only members of the buffer itself have a size.
        if numbers.next() == Some("Size:") {
            let end = offset.checked_add(numbers.next()?.parse().ok()?)?;
            self.buffer.size = self.buffer.size.max(end);
        }

        let level = self.pending.last_mut()?;
        match declaration.trim_end_matches(';').rsplit([' ', '}']).next()? {
            "" => return None,
            "$Element" if inner.is_empty() => level.push((String::new(), offset)),
            // The members of a base class become members of the class.
            "$Element" | "$super" => level.extend(inner),
            name => {
                let (name, element) = match name.split_once('[') {
                    Some((name, _)) => (name, "[]"),
                    None => (name, ""),
                };
                let path = format!("{name}{element}");
                level.extend(inner.into_iter().map(|(below, offset)| (join(&path, &below), offset)));
                level.push((name.to_owned(), offset));
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::LayoutUnit;

    /// Printed by FXC 10.0.22621.2428, `cs_5_1`, for `./source.hlsl`.
    const LISTING: &str = include_str!("listing.txt");

    fn buffer(name: &str) -> ListedBuffer {
        buffer_definitions(LISTING).unwrap().into_iter().find(|buffer| buffer.name == name).unwrap()
    }

    fn told(members: &[(&str, u32)]) -> Vec<(String, u32)> {
        members.iter().map(|(path, offset)| ((*path).to_owned(), *offset)).collect()
    }

    #[test]
    fn members_of_every_level_are_read() {
        let values = [
            ("a", 0),
            ("c", 16),
            ("tail", 56),
            ("inherits.b", 64),
            ("inherits.d", 68),
            ("inherits", 64),
            ("big", 80),
            ("mu", 112),
            ("dd", 128),
        ];
        let expected = ListedBuffer { name: "Values".to_owned(), size: 136, members: told(&values) };
        assert_eq!(buffer("Values"), expected);
        let element = [("p", 0), ("deep[].i", 12), ("deep[].f", 16), ("deep", 12), ("m", 116)];
        let expected = ListedBuffer { name: "elements".to_owned(), size: 132, members: told(&element) };
        assert_eq!(buffer("elements"), expected);
    }

    /// Printed by FXC 10.0.22621.2428, `cs_5_0`, for `struct E {}; struct S { float q; E e; float a; };
    /// cbuffer C { float b; S s; };`.
    #[test]
    fn a_struct_without_members_is_nowhere() {
        let listing = "\
// Buffer Definitions: 
//
// cbuffer C
// {
//
//   float b;                           // Offset:    0 Size:     4 [unused]
//   
//   struct S
//   {
//       
//       float q;                       // Offset:   16
//       
//       struct E
//       {
//
//       } e;                           // Offset: 4294967292
//       
//       float a;                       // Offset:   32
//
//   } s;                               // Offset:   16 Size:    20
//
// }
";
        let members = told(&[("b", 0), ("s.q", 16), ("s.a", 32), ("s", 16)]);
        let expected = ListedBuffer { name: "C".to_owned(), size: 36, members };
        assert_eq!(buffer_definitions(listing).unwrap(), [expected]);
    }

    #[test]
    fn buffers_of_every_kind_are_read() {
        let names: Vec<_> = buffer_definitions(LISTING).unwrap().into_iter().map(|buffer| buffer.name).collect();
        assert_eq!(names, ["$Globals", "Values", "T", "block", "many", "scalars", "elements"]);
        assert_eq!((buffer("scalars").size, buffer("scalars").members), (8, told(&[("", 0)])));
        assert_eq!((buffer("many").size, buffer("many").members), (4, told(&[("many.b", 0), ("many", 0)])));
        assert_eq!(buffer("T").members, told(&[("tt", 0), ("tu", 4)]));
    }

    /// Printed by FXC 10.0.22621.2428, `cs_5_1`, for `struct Q { float3 x; uint y; }; TextureBuffer<Q> tq;`.
    #[test]
    fn a_texture_buffer_goes_by_its_own_name() {
        let listing = "\
// Buffer Definitions: 
//
// tbuffer $$tq
// {
//
//   struct Q
//   {
//       
//       float3 x;                      // Offset:    0
//       uint y;                        // Offset:   12
//
//   } tq;                              // Offset:    0 Size:    16
//
// }
";
        let expected =
            ListedBuffer { name: "tq".to_owned(), size: 16, members: told(&[("tq.x", 0), ("tq.y", 12), ("tq", 0)]) };
        assert_eq!(buffer_definitions(listing).unwrap(), [expected]);
    }

    #[test]
    fn registers_have_their_ranges_in_a_5_1_profile() {
        use LayoutUnit::{ConstantBuffer, ShaderResource, UnorderedAccess};
        let one = Count::Finite(1);
        let expected = [
            ("T", ShaderResource, 0, 0, one, 0),
            ("scalars", ShaderResource, 0, 3, one, 1),
            ("elements", UnorderedAccess, 1, 2, one, 0),
            ("words", UnorderedAccess, 1000, 7, one, 1),
            ("$Globals", ConstantBuffer, 0, 0, one, 0),
            ("Values", ConstantBuffer, 2, 3, one, 1),
            ("block", ConstantBuffer, 3, 9, one, 2),
            ("many", ConstantBuffer, 7, 20, Count::Unbounded, 3),
        ];
        let expected = expected.map(|(name, unit, space, index, count, range)| FxcBinding {
            binding: ListedBinding { name: name.to_owned(), unit, space, index, count },
            is_raw: unit != ConstantBuffer,
            range: Some(range),
        });
        assert_eq!(resource_bindings(LISTING).unwrap(), expected);
    }

    /// Printed by FXC 10.0.22621.2428, `cs_5_0`.
    #[test]
    fn registers_have_no_ranges_in_a_5_0_profile() {
        let listing = "\
// Resource Bindings:
//
// Name                                 Type  Format         Dim      HLSL Bind  Count
// ------------------------------ ---------- ------- ----------- -------------- ------
// tx[1]                             texture  float4          2d             t5      1 
//
";
        let rows = resource_bindings(listing).unwrap();
        let told: Vec<_> = rows.iter().map(|row| (row.binding.name.as_str(), row.binding.index, row.range)).collect();
        assert_eq!((told, rows[0].is_raw), (vec![("tx[1]", 5, None)], false));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let broken = LISTING.replace("Offset:   56", "Offset: what");
        assert!(buffer_definitions(&broken).unwrap_err().to_string().contains("float tail"));
        let broken = LISTING.replace("cb3,space2", "q3,space2");
        assert!(resource_bindings(&broken).unwrap_err().to_string().contains("Values"));
        assert!(buffer_definitions("").unwrap().is_empty() && resource_bindings("").unwrap().is_empty());
    }
}
