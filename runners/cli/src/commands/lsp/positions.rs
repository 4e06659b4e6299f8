//! Places as editors and files write them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::{ClientCapabilities, Position, PositionEncodingKind, Range, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What a `character` of a position counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// The default of the protocol.
    Utf16,
}

impl Encoding {
    /// UTF-8 if the editor has it.
    pub(super) fn chosen(client: &ClientCapabilities) -> Self {
        let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let has_utf8 = offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8));
        if has_utf8 { Self::Utf8 } else { Self::Utf16 }
    }

    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }

    /// The position of a byte of the text.
    pub(super) fn position(self, text: &str, byte: usize) -> Position {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(self.units(&before[start..])) }
    }

    pub(super) fn range(self, text: &str, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(text, bytes.start), end: self.position(text, bytes.end) }
    }

    /// The byte at a position; that of the end of its line if the line is shorter.
    pub(super) fn byte(self, text: &str, position: Position) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            match text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return text.len(),
            }
        }
        let line = text[start..].split(['\n', '\r']).next().unwrap_or_default();
        let is_behind = |(at, _): &(usize, char)| self.units(&line[..*at]) >= position.character as usize;
        start + line.char_indices().find(is_behind).map_or(line.len(), |(at, _)| at)
    }
}

impl From<Encoding> for PositionEncodingKind {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Utf8 => Self::UTF8,
            Encoding::Utf16 => Self::UTF16,
        }
    }
}

/// The range of a whole line, from 1.
pub(super) fn line_range(line: u32) -> Range {
    let line = line.saturating_sub(1);
    Range { start: Position { line, character: 0 }, end: Position { line: line + 1, character: 0 } }
}

/// The path of a `file:` URI; `None` for a text that is in no file.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    let path = percent_decode_str(&path[path.find('/')?..]).decode_utf8().ok()?.into_owned();
    // `/c:/shaders/a.hlsl`
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if has_drive { &path[1..] } else { &path }))
}

/// The characters that a path of a URI has as they are.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.to_str()?.replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    Uri::from_str(&format!("file://{slash}{}", utf8_percent_encode(&path, PATH))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // LSP 3.17, "Position": the offset of `b` in `a𐐀b` is 3 in UTF-16, since 𐐀 takes two units there; it takes four in UTF-8.
    #[test]
    fn characters_are_counted_in_the_units_of_the_editor() {
        let text = "x\na\u{10400}b";
        for (encoding, character) in [(Encoding::Utf16, 3), (Encoding::Utf8, 5)] {
            let position = Position { line: 1, character };
            assert_eq!(encoding.position(text, text.len() - 1), position);
            assert_eq!(encoding.byte(text, position), text.len() - 1);
        }
    }

    #[test]
    fn a_position_behind_its_line_is_the_end_of_the_line() {
        let far = Position { line: 0, character: 100 };
        assert_eq!(Encoding::Utf16.byte("ab\r\ncd", far), 2);
        assert_eq!(Encoding::Utf16.byte("ab\r\ncd", Position { line: 7, character: 0 }), 6);
    }

    #[test]
    fn paths_become_uris_and_come_back() {
        let path = Path::new("/shaders/a b#c%.hlsl");
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///shaders/a%20b%23c%25.hlsl");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        let drive = Uri::from_str("file:///c%3A/shaders/a.hlsl").unwrap();
        assert_eq!(path_of(&drive), Some(PathBuf::from("c:/shaders/a.hlsl")));
        assert_eq!(path_of(&Uri::from_str("untitled:Untitled-1").unwrap()), None);
    }
}
