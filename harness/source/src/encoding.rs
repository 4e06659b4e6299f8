//! Decodes the bytes of a shader file.
//!
//! Like DXC and slangc, this accepts UTF-8 with or without a byte order mark, and UTF-16 with one.
//! Old files contain Latin-1 letters in comments and strings, where they cannot change a layout.
//! Each such byte becomes the letter that it encodes, so columns stay right. A Latin-1 byte
//! anywhere else is an error.
//!
//! Source: Unicode Standard, 23.8 Byte Order Mark; ISO/IEC 8859-1.

use thiserror::Error;

/// The first place that is not valid text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}, column {column}: {reason}")]
pub struct BadEncoding {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// Lowercase fragment.
    pub reason: String,
}

impl BadEncoding {
    /// Returns the problem that follows the text `before`.
    fn behind(before: &str, reason: String) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = count(before.matches('\n').count()).saturating_add(1);
        let column = count(before[line_start..].chars().count()).saturating_add(1);
        Self { line, column, reason }
    }
}

/// Decodes a shader file and removes its byte order mark.
///
/// # Errors
/// Bytes outside comments and strings that are neither UTF-8 nor UTF-16 with a byte order mark.
pub fn decode(bytes: Vec<u8>) -> Result<String, BadEncoding> {
    match bytes.as_slice() {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            Err(BadEncoding::behind("", "UTF-32 is not supported: save the file as UTF-8".to_owned()))
        }
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest.to_vec()),
        _ => decode_utf8(bytes),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, BadEncoding> {
    let units = bytes.chunks_exact(2);
    let is_odd = !units.remainder().is_empty();
    let mut text = String::with_capacity(bytes.len() / 2);
    for decoded in char::decode_utf16(units.map(|pair| unit([pair[0], pair[1]]))) {
        match decoded {
            Ok(letter) => text.push(letter),
            Err(error) => {
                let reason = format!("half of a UTF-16 pair, {:#06X}", error.unpaired_surrogate());
                return Err(BadEncoding::behind(&text, reason));
            }
        }
    }
    if is_odd { Err(BadEncoding::behind(&text, "half of a UTF-16 unit".to_owned())) } else { Ok(text) }
}

fn decode_utf8(bytes: Vec<u8>) -> Result<String, BadEncoding> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };

    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    // Offsets in `text` of the decoded Latin-1 letters.
    let mut replaced = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            replaced.push(text.len());
            text.push(char::from(*byte));
        }
    }

    let mut skipped = Skipped::new(&text);
    match replaced.into_iter().find(|at| !skipped.holds(*at)) {
        None => Ok(text),
        Some(at) => {
            let byte = text[at..].chars().next().map_or(0, u32::from);
            let reason = format!("byte {byte:#04X} is not valid UTF-8 and is outside comments and strings");
            Err(BadEncoding::behind(&text[..at], reason))
        }
    }
}

/// The comments and strings of a text, in a language with C's comment syntax.
struct Skipped<'a> {
    text: &'a str,
    /// First byte that has not been scanned yet.
    next: usize,
    /// Start and end of the comment or string that was found last.
    last: (usize, usize),
}

impl<'a> Skipped<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, next: 0, last: (0, 0) }
    }

    /// Returns true if the byte at `at` is in a comment or string. Callers must pass ascending offsets.
    fn holds(&mut self, at: usize) -> bool {
        while self.next <= at && self.next < self.text.len() {
            let rest = &self.text.as_bytes()[self.next..];
            let length = match rest {
                [b'/', b'/', ..] => line_end(rest, 2),
                [b'/', b'*', ..] => block_end(rest),
                [quote @ (b'"' | b'\''), ..] => string_end(rest, *quote),
                _ => {
                    self.next += 1;
                    continue;
                }
            };
            self.last = (self.next, self.next + length);
            self.next += length;
        }
        (self.last.0..self.last.1).contains(&at)
    }
}

/// Returns the offset of the end of the line. A backslash before it continues the line.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1), bytes.get(at + 2)) {
            (b'\\', Some(b'\r'), Some(b'\n')) => at += 3,
            (b'\\', Some(b'\n'), _) => at += 2,
            (b'\n', ..) => return at,
            _ => at += 1,
        }
    }
    at
}

/// Returns the length in bytes of a block comment.
///
/// WGSL's comments nest, but in the other languages code follows the first `*/`, so this takes the shortest comment.
fn block_end(bytes: &[u8]) -> usize {
    let end = bytes[2..].windows(2).position(|pair| pair == b"*/");
    end.map_or(bytes.len(), |end| end + 4)
}

/// Returns the length in bytes of a string, which ends with its line: the text of a directive may
/// contain an apostrophe.
fn string_end(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).unwrap()
    }

    fn refused(bytes: &[u8]) -> (u32, u32) {
        let bad = decode(bytes.to_vec()).unwrap_err();
        (bad.line, bad.column)
    }

    #[test]
    fn letters_of_latin_1_are_read_in_comments_and_strings() {
        assert_eq!(text(b"// \xA9 x\nfloat a;"), "// \u{A9} x\nfloat a;");
        assert_eq!(text(b"/* \xFC\n \xFC */ float a; // \xE4 \\\n\xF6"), "/* ü\n ü */ float a; // ä \\\nö");
        assert_eq!(text(b"[name(\"a\\\"\xFC\")] float a;"), "[name(\"a\\\"ü\")] float a;");
        // UTF-8 stays unchanged.
        assert_eq!(text("// ü \u{1F600}".as_bytes()), "// ü \u{1F600}");
        assert_eq!(text(b"// \xC3\xBC \xFC"), "// ü ü");
    }

    #[test]
    fn other_bytes_are_refused_at_their_place() {
        assert_eq!(refused(b"// \xA9\nfloat \xFC;"), (2, 7));
        // The column counts letters.
        assert_eq!(refused(b"/* \xFC\xFC */ \xFC"), (1, 10));
        assert_eq!(refused(b"/* /* */ \xFC */"), (1, 10));
        assert_eq!(refused(b"\"a\" \xFC \"b\""), (1, 5));
    }

    #[test]
    fn byte_order_marks_say_the_encoding() {
        assert_eq!(text(b"\xEF\xBB\xBFfloat a;"), "float a;");
        let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        let source = "\u{FEFF}// \u{1F600} ü\nfloat a;";
        assert_eq!(text(&utf16(source, u16::to_le_bytes)), source.trim_start_matches('\u{FEFF}'));
        assert_eq!(text(&utf16(source, u16::to_be_bytes)), source.trim_start_matches('\u{FEFF}'));
        assert_eq!(refused(b"\xFF\xFEa\0\n\0b\0\x00\xD8c\0"), (2, 2));
        assert_eq!(refused(b"\xFF\xFEa\0b"), (1, 2));
        assert_eq!(refused(b"\xFF\xFE\0\0a\0\0\0"), (1, 1));
    }
}
