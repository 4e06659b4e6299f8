//! Splits a text into words, numbers, single punctuation characters and whole directives. Drops comments.

use crate::shader_language::ShaderLanguage;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitTokenKind {
    /// A name or a keyword.
    Word,
    /// A number, with its suffix.
    Number,
    /// Any other single character.
    Sign,
    /// A line that begins with `#`, with its continuation lines.
    Directive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitToken<'a> {
    pub(crate) kind: LimitTokenKind,
    pub(crate) text: &'a str,
    /// Offset of the first byte in the whole text.
    pub(crate) start: usize,
}

/// The tokens of a text, in order.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    /// Offset of the next byte in `text`.
    next: usize,
    /// Start of `text` in the whole text; added to all offsets.
    offset: usize,
    /// All but WGSL have a preprocessor.
    language: ShaderLanguage,
    /// True if only blanks and comments precede `next` in its line.
    at_line_start: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, language: ShaderLanguage) -> Self {
        Self { text, next: 0, offset: 0, language, at_line_start: language != ShaderLanguage::Wgsl }
    }

    /// Splits a directive, starting after its `#`.
    pub(crate) fn of_directive(directive: LimitToken<'a>) -> Self {
        let text = directive.text.strip_prefix('#').unwrap_or(directive.text);
        let offset = directive.start + directive.text.len() - text.len();
        Self { text, next: 0, offset, language: ShaderLanguage::Glsl, at_line_start: false }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.next) {
            match (byte, bytes.get(self.next + 1)) {
                (b'\n', _) => {
                    self.at_line_start |= self.language != ShaderLanguage::Wgsl;
                    self.next += 1;
                }
                (b'/', Some(b'/')) => self.next = self.line_end(self.next),
                (b'/', Some(b'*')) => self.next = self.comment_end(self.next),
                (byte, _) if byte.is_ascii_whitespace() => self.next += 1,
                // A line continuation.
                (b'\\', Some(b'\n' | b'\r')) => self.next += 2,
                (_, _) => return,
            }
        }
    }

    /// Returns the end of the line that contains `start`, without its newline.
    fn line_end(&self, start: usize) -> usize {
        self.text[start..].find('\n').map_or(self.text.len(), |length| start + length)
    }

    /// Returns the end of the comment that begins at `start`. WGSL's comments nest.
    fn comment_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut at, mut depth) = (start + 2, 1);
        while depth > 0 {
            match (bytes.get(at), bytes.get(at + 1)) {
                (None, _) => return bytes.len(),
                (Some(b'*'), Some(b'/')) => (at, depth) = (at + 2, depth - 1),
                (Some(b'/'), Some(b'*')) if self.language == ShaderLanguage::Wgsl => (at, depth) = (at + 2, depth + 1),
                (Some(_), _) => at += 1,
            }
        }
        at
    }

    /// Returns the end of the directive that begins at `start`: the end of the first line without a continuing `\`.
    fn directive_end(&self, start: usize) -> usize {
        let mut end = self.line_end(start);
        while end < self.text.len() && self.text[start..end].trim_end_matches('\r').ends_with('\\') {
            end = self.line_end(end + 1);
        }
        end
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = LimitToken<'a>;

    fn next(&mut self) -> Option<LimitToken<'a>> {
        self.skip_blanks();
        let start = self.next;
        let first = self.text.get(start..)?.chars().next()?;
        let is_part = |part: char| part.is_alphanumeric() || part == '_';
        let run = |start: usize| {
            let rest = &self.text[start..];
            start + rest.find(|part| !is_part(part)).unwrap_or(rest.len())
        };

        let (kind, end) = match first {
            '#' if self.at_line_start => (LimitTokenKind::Directive, self.directive_end(start)),
            digit if digit.is_ascii_digit() => (LimitTokenKind::Number, run(start)),
            letter if is_part(letter) => (LimitTokenKind::Word, run(start)),
            other => (LimitTokenKind::Sign, start + other.len_utf8()),
        };

        self.next = end;
        self.at_line_start = false;
        Some(LimitToken { kind, text: &self.text[start..end], start: self.offset + start })
    }
}
