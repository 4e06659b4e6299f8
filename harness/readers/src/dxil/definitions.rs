//! Reads buffers and the offsets of their members from `; Buffer Definitions:` in DXC's listing of
//! DXIL.
//!
//! DXC's code may load from different offsets than this report states. An array with several
//! dimensions is printed with one (`a[6]`), and a bit-field's storage has no name.

use layoutproof_layout::join;

/// Most bytes of joined paths. Each outer struct joins the paths of its inner structs again.
const PATH_BYTES: usize = 1 << 24;

/// A buffer of the listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedBuffer {
    /// Name of the constant buffer or of the structured buffer.
    pub name: String,
    /// Size in bytes of the constant buffer or of one element.
    pub size: u32,
    /// Path and offset of every member, children before their parents: `l[].p` in the first element
    /// of `l`. For a buffer of scalars or vectors, the element is the only member and has an empty
    /// path.
    pub members: Vec<(String, u32)>,
}

/// The buffers in the listing's order.
///
/// # Errors
/// The first line that cannot be parsed.
pub fn buffer_definitions(listing: &str) -> Result<Vec<ListedBuffer>, String> {
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
            open.member(declaration, offset).ok_or_else(|| format!("no member: `{text}`"))?;
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

/// The current buffer.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by DXC 1.7.2308, `-T cs_6_6 -enable-16bit-types`, for
    /// `struct L { float3 p; half h; }; cbuffer S { float a; L l[2]; float b[2]; }; StructuredBuffer<float3> v;`.
    const LISTING: &str = "\
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
        assert_eq!(buffer_definitions(LISTING).unwrap(), expected);
    }

    #[test]
    fn what_is_no_member_is_named() {
        let broken = LISTING.replace("Offset:   28", "Offset: what");
        assert!(buffer_definitions(&broken).unwrap_err().contains("half h"));
        assert_eq!(buffer_definitions(""), Ok(Vec::new()));
    }
}
