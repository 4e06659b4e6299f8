//! Tokens of WGSL, with the `<` and `>` that enclose template arguments told from operators.
//!
//! Source: WebGPU Shading Language, 3 Textual Structure, and 3.9 Template Lists for the search.

use layoutproof_layout::{FileId, Span};
use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    Number,
    /// A single character. Operators of several are several adjacent tokens.
    Sign(char),
    TemplateStart,
    TemplateEnd,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub span: Span,
}

impl Token<'_> {
    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }
}

/// The tokens of `text`, without comments.
///
/// # Errors
/// A character that no token of WGSL starts with, or a comment without an end.
pub(super) fn tokens(text: &str, file: FileId) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let place = |length: usize| Span { file, start: byte(at), end: byte(at + length) };
        let mut push = |kind, length: usize| found.push(Token { kind, text: &rest[..length], span: place(length) });
        at += if rest.starts_with("//") {
            rest.find(is_line_break).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let message = "this comment has no end";
            block_comment(rest).ok_or_else(|| Diagnostic::error(Code::BadModule, place(2), message))?
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|next: char| next.is_ascii_digit()))
        {
            let length = number(rest);
            push(TokenKind::Number, length);
            length
        } else if is_word(first) {
            let length = rest.find(|part| !is_word(part)).unwrap_or(rest.len());
            push(TokenKind::Word, length);
            length
        } else if is_blank(first) {
            first.len_utf8()
        } else if "@&|^~!=<>+-*/%.,:;()[]{}".contains(first) {
            push(TokenKind::Sign(first), 1);
            1
        } else {
            return Err(unexpected(rest, first, place(first.len_utf8())));
        };
    }
    mark_templates(&mut found);
    Ok(found)
}

fn byte(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The error for a character that starts no token; `#` starts a line of a preprocessor.
fn unexpected(rest: &str, first: char, place: Span) -> Diagnostic {
    if first != '#' {
        let message = format!("{first:?} is no character of WGSL outside comments");
        return Diagnostic::error(Code::BadModule, place, message);
    }
    let line = rest.lines().next().unwrap_or(rest).trim_end();
    let (written, what) = match line[1..].find(|part| !is_word(part)) {
        Some(0) => (line.find('}').map_or(line, |end| &line[..=end]), "a placeholder"),
        Some(end) => (&line[..=end], "a directive"),
        None => (line, "a directive"),
    };
    let message = format!("`{written}` is {what} of naga_oil, the preprocessor of Bevy's shaders, not WGSL");
    let help = "compose the shader with naga_oil (or the preprocessor that it is for) first, and pass the resulting \
                WGSL or SPIR-V";
    let place = Span { end: place.start.saturating_add(byte(line.len())), ..place };
    Diagnostic::error(Code::BadModule, place, message).with_help(help)
}

fn is_line_break(part: char) -> bool {
    matches!(part, '\n' | '\u{B}' | '\u{C}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// `Pattern_White_Space`, and the mark with which some editors begin a file.
fn is_blank(part: char) -> bool {
    is_line_break(part) || matches!(part, ' ' | '\t' | '\u{200E}' | '\u{200F}' | '\u{FEFF}')
}

fn is_word(part: char) -> bool {
    part.is_alphanumeric() || part == '_'
}

/// Length in bytes of the block comment at the start of the text, `None` without an end. Block
/// comments nest.
pub(super) fn block_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match text.as_bytes().get(at..)? {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth.saturating_sub(1), at + 2),
            [_, ..] => at += 1,
            [] => return None,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Length in bytes of the number at the start of the text, its suffix included: `0x1Fu`, `1.5e-3f`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hexadecimal = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let is_exponent = |byte: u8| matches!((is_hexadecimal, byte), (false, b'e' | b'E') | (true, b'p' | b'P'));
    let mut at = 1;
    while let Some(next) = bytes.get(at) {
        let is_sign = matches!(next, b'+' | b'-') && is_exponent(bytes[at - 1]);
        if !is_sign && !next.is_ascii_alphanumeric() && *next != b'.' {
            break;
        }
        at += 1;
    }
    at
}

/// Marks each `<` and `>` that encloses template arguments.
fn mark_templates(tokens: &mut [Token<'_>]) {
    let mut pending: Vec<(usize, usize)> = Vec::new();
    let mut nesting = 0_usize;
    let is_adjacent = |tokens: &[Token<'_>], index: usize, sign: char| {
        let next = tokens.get(index + 1);
        next.is_some_and(|next| next.is_sign(sign) && next.span.start == tokens[index].span.end)
    };
    let mut index = 0;
    while index < tokens.len() {
        match tokens[index].kind {
            TokenKind::Word if tokens.get(index + 1).is_some_and(|next| next.is_sign('<')) => {
                index += 1;
                if is_adjacent(tokens, index, '<') || is_adjacent(tokens, index, '=') {
                    index += 1;
                } else {
                    pending.push((index, nesting));
                }
            }
            TokenKind::Sign('>') => {
                if let Some((start, _)) = pending.pop_if(|(_, depth)| *depth == nesting) {
                    tokens[start].kind = TokenKind::TemplateStart;
                    tokens[index].kind = TokenKind::TemplateEnd;
                } else if is_adjacent(tokens, index, '=') {
                    index += 1;
                }
            }
            TokenKind::Sign('(' | '[') => nesting += 1,
            TokenKind::Sign(')' | ']') => {
                while pending.pop_if(|(_, depth)| *depth >= nesting).is_some() {}
                nesting = nesting.saturating_sub(1);
            }
            TokenKind::Sign('!' | '=') if is_adjacent(tokens, index, '=') => index += 1,
            // `a::b`, a path of WESL.
            TokenKind::Sign(':') if is_adjacent(tokens, index, ':') => index += 1,
            TokenKind::Sign('=' | ';' | '{' | ':') => {
                nesting = 0;
                pending.clear();
            }
            TokenKind::Sign(sign @ ('&' | '|')) if is_adjacent(tokens, index, sign) => {
                while pending.pop_if(|(_, depth)| *depth >= nesting).is_some() {}
                index += 1;
            }
            _ => {}
        }
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with template lists in `«»`.
    fn marked(text: &str) -> String {
        let words = tokens(text, FileId(0)).unwrap().into_iter().map(|token| match token.kind {
            TokenKind::TemplateStart => "«".to_owned(),
            TokenKind::TemplateEnd => "»".to_owned(),
            _ => token.text.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// WGSL, 3.9 Template Lists: its examples.
    #[test]
    fn template_lists_are_told_from_operators() {
        for (text, expected) in [
            ("A<B>(C)", "A « B » ( C )"),
            ("A<(B>C)>D", "A « ( B > C ) » D"),
            ("A[B<C]>D", "A [ B < C ] > D"),
            ("A<B<<C>", "A « B < < C »"),
            ("A<B<=C>", "A « B < = C »"),
            ("A<B||C>D", "A < B | | C > D"),
            ("array<array<f32,2>>", "array « array « f32 , 2 » »"),
            ("if (i < n) { x = y > z; }", "if ( i < n ) { x = y > z ; }"),
            ("a<(1>=2)>", "a « ( 1 > = 2 ) »"),
            ("array<u32, a::b>", "array « u32 , a : : b »"),
        ] {
            assert_eq!(marked(text), expected);
        }
    }

    #[test]
    fn numbers_and_comments_end_where_they_should() {
        assert_eq!(marked("0x1p-3f+1.5e+2h-.5/*a/*b*/c*/7u//d\n8"), "0x1p-3f + 1.5e+2h - .5 7u 8");
        assert_eq!(marked("a.x0 1e5-2"), "a . x0 1e5 - 2");
        assert!(tokens("/* /* */", FileId(0)).unwrap_err().message.contains("no end"));
    }
}
