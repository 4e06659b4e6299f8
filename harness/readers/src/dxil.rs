//! Reads the tables in the comments of DXC's listing of DXIL: resource bindings, and the buffers
//! with the offsets of their members. [`crate::llvm`] reads the code.
//!
//! DXC's code may load from different offsets than its buffer definitions state.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, join};

use crate::ReadError;
use crate::registers::register;

/// Most bytes of joined paths. Each outer struct joins the paths of its inner structs again.
const PATH_BYTES: usize = 1 << 24;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedBuffer {
    pub name: String,
    /// Size in bytes of the constant buffer or of one element.
    pub size: u32,
    /// Path and offset of every member, children before their parents: `l[].p` in the first element
    /// of `l`. For a buffer of scalars or vectors, the element is the only member and has an empty
    /// path.
    pub members: Vec<(String, u32)>,
}

/// The buffers in the listing's order.
pub fn buffer_definitions(listing: &str) -> Result<Vec<ListedBuffer>, ReadError> {
    let section = listing.lines().skip_while(|line| line.trim_end() != "; Buffer Definitions:").skip(1);
    let lines = section.take_while(|line| line.starts_with(';') && !line.starts_with("; Resource Bindings:"));

    let mut buffers = Vec::new();
    let mut open = DxilBufferReader::default();
    for line in lines {
        let text = line.trim_start_matches(';').trim();
        if let Some(name) = head(text) {
            open.buffer = ListedBuffer { name: name.to_owned(), ..ListedBuffer::default() };
            open.pending.clear();
        } else if text == "{" {
            open.pending.push(Vec::new());
        } else if let Some((declaration, offset)) = text.split_once("; Offset:") {
            open.member(declaration, offset).ok_or_else(|| ReadError::line("member", text))?;
        } else if text == "}" {
            buffers.push(std::mem::take(&mut open.buffer));
        }
    }
    Ok(buffers)
}

/// The name in `cbuffer S` or `Resource bind info for sb`.
fn head(text: &str) -> Option<&str> {
    let heads = ["cbuffer ", "tbuffer ", "Resource bind info for "];
    heads.iter().find_map(|head| text.strip_prefix(head)).map(str::trim)
}

#[derive(Default)]
struct DxilBufferReader {
    buffer: ListedBuffer,
    /// Members of each open struct; a struct's name comes after its members.
    pending: Vec<Vec<(String, u32)>>,
    /// Bytes of paths so far, in all buffers.
    path_bytes: usize,
}

impl DxilBufferReader {
    /// `float3 a;`, `} l[2];` or, for the whole buffer, `} S;`, with the numbers after `Offset:`.
    fn member(&mut self, declaration: &str, numbers: &str) -> Option<()> {
        let mut numbers = numbers.split_whitespace();

        let offset: u32 = numbers.next()?.parse().ok()?;
        let size = match (numbers.next(), numbers.next()) {
            (Some("Size:"), Some(size)) => Some(size.parse().ok()?),
            _ => None,
        };

        let declaration = declaration.trim().trim_end_matches(';');
        let inner = if declaration.starts_with('}') { self.pending.pop()? } else { Vec::new() };

        if let Some(size) = size {
            self.buffer.size = size;
            self.buffer.members = if declaration.starts_with('}') { inner } else { vec![(String::new(), offset)] };
            return Some(());
        }

        let name = declaration.rsplit([' ', '}']).next()?;
        let path = match name.split_once('[') {
            Some((name, _)) => format!("{name}[]"),
            None => name.to_owned(),
        };
        self.path_bytes += path.len() + inner.iter().map(|(below, _)| path.len() + below.len() + 1).sum::<usize>();
        if self.path_bytes > PATH_BYTES {
            return None;
        }

        let rows = inner.into_iter().map(|(below, offset)| (join(&path, &below), offset));
        let level = self.pending.last_mut()?;
        level.extend(rows);
        level.push((path.trim_end_matches("[]").to_owned(), offset));
        Some(())
    }
}

/// One row of `; Resource Bindings:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBinding {
    /// Name as DXC writes it: `s.B.3`, `$Globals`; empty if the compiler dropped it.
    pub name: String,
    /// `b`, `t`, `u` or `s`.
    pub unit: LayoutUnit,
    pub space: u32,
    pub index: u32,
    pub count: Count,
}

/// The rows of the table in its order; empty if the listing has none.
pub fn resource_bindings(listing: &str) -> Result<Vec<ListedBinding>, ReadError> {
    let table = listing.lines().skip_while(|line| line.trim_end() != "; Resource Bindings:");
    let rows = table.skip(1).skip_while(|line| !line.starts_with("; ---")).skip(1);
    rows.map_while(|line| line.strip_prefix(';').map(str::trim).filter(|row| !row.is_empty())).map(row).collect()
}

/// `s.t  texture  f32  2d  T2  t0,space1  1`.
fn row(text: &str) -> Result<ListedBinding, ReadError> {
    let unreadable = || ReadError::line("resource binding", text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut columns = words.len();
    let (place, count) = match words.last() {
        Some(last) if last.ends_with("unbounded") => {
            let glued = last.trim_end_matches("unbounded");
            columns += usize::from(!glued.is_empty());
            let place = if glued.is_empty() { words.iter().rev().nth(1).copied() } else { Some(glued) };
            (place, Some(Count::Unbounded))
        }
        Some(last) => (words.iter().rev().nth(1).copied(), last.parse().ok().map(Count::Finite)),
        None => (None, None),
    };

    let (place, count) = place.zip(count).ok_or_else(unreadable)?;
    let (unit, index, space) = register(place).ok_or_else(unreadable)?;
    // A resource without a name has one of the seven columns less, the first.
    columns += usize::from(place.starts_with(|c: char| c.is_ascii_uppercase()));
    let name = words.first().filter(|_| columns >= 7).map_or_else(String::new, |name| (*name).to_owned());
    Ok(ListedBinding { name, unit, space, index, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by DXC 1.7.2308, `-T cs_6_6`.
    const BINDINGS: &str = "\
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; $Globals                          cbuffer      NA          NA     CB0            cb0     1
; smp                               sampler      NA          NA      S0             s0     1
; B                                 texture     f32          2d      T1      t4,space1     4
; s.t                               texture     f32          2d      T2             t0     1
; un                                    UAV     f32          2d      U1             u1unbounded
; far                               texture     f32          2d      T0t4294967295,space4294967295     1
;
target datalayout = \"e\"
";

    #[test]
    fn every_row_is_read() {
        use LayoutUnit::{ConstantBuffer, Sampler, ShaderResource, UnorderedAccess};
        let rows = resource_bindings(BINDINGS).unwrap();
        let told: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.unit, r.space, r.index, r.count)).collect();
        let expected = [
            ("$Globals", ConstantBuffer, 0, 0, Count::Finite(1)),
            ("smp", Sampler, 0, 0, Count::Finite(1)),
            ("B", ShaderResource, 1, 4, Count::Finite(4)),
            ("s.t", ShaderResource, 0, 0, Count::Finite(1)),
            ("un", UnorderedAccess, 0, 1, Count::Unbounded),
            ("far", ShaderResource, u32::MAX, u32::MAX, Count::Finite(1)),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_no_row_is_named() {
        let broken = BINDINGS.replace("cb0     1", "q0     1");
        assert!(resource_bindings(&broken).unwrap_err().to_string().contains("$Globals"));
        assert_eq!(resource_bindings("nothing of the kind").unwrap(), []);
    }

    /// Printed by DXC 1.7.2308, `-T cs_6_6 -enable-16bit-types`, for
    /// `struct L { float3 p; half h; }; cbuffer S { float a; L l[2]; float b[2]; }; StructuredBuffer<float3> v;`.
    const DEFINITIONS: &str = "\
; Buffer Definitions:
;
; cbuffer S
; {
;
;   struct S
;   {
;
;       float a;                                      ; Offset:    0
;       struct struct.L
;       {
;
;           float3 p;                                 ; Offset:   16
;           half h;                                   ; Offset:   28
;       
;       } l[2];;                                      ; Offset:   16
;
;       float b[2];                                   ; Offset:   48
;   
;   } S;                                              ; Offset:    0 Size:    68
;
; }
;
; Resource bind info for v
; {
;
;   float3 $Element;                                  ; Offset:    0 Size:    12
;
; }
;
; Resource Bindings:
";

    #[test]
    fn members_of_every_level_are_read() {
        let told = |paths: &[(&str, u32)]| paths.iter().map(|(path, offset)| ((*path).to_owned(), *offset)).collect();
        let s = [("a", 0), ("l[].p", 16), ("l[].h", 28), ("l", 16), ("b", 48)];
        let expected = [
            ListedBuffer { name: "S".to_owned(), size: 68, members: told(&s) },
            ListedBuffer { name: "v".to_owned(), size: 12, members: told(&[("", 0)]) },
        ];
        assert_eq!(buffer_definitions(DEFINITIONS).unwrap(), expected);
    }

    #[test]
    fn what_is_no_member_is_named() {
        let broken = DEFINITIONS.replace("Offset:   28", "Offset: what");
        assert!(buffer_definitions(&broken).unwrap_err().to_string().contains("half h"));
        assert_eq!(buffer_definitions("").unwrap(), []);
    }
}
