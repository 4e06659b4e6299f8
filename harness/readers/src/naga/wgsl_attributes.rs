//! Reads the `@align` and `@size` attributes of WGSL's struct members from the text.
//!
//! naga applies them to the members that have them and then drops them. The alignment of a struct
//! depends on them, so they are needed again for everything that contains such a struct.
//!
//! naga has parsed the text before, so it is valid WGSL. Arguments that are not a number are
//! expressions, which naga evaluates: they are appended to the text as constants.
//!
//! Source: WebGPU Shading Language, 3.3 Comments, 3.9 Template Lists, 6.2.10 Structure Types, 12.1
//! `align`, 12.10 `size`.

use std::collections::BTreeMap;
use std::ops::Range;

use naga::front::wgsl;

/// The values of a member's attributes, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MemberAttributes {
    pub(super) name: String,
    pub(super) align: Option<u32>,
    pub(super) size: Option<u32>,
}

/// The members of a text's structs, by the name of the struct.
pub(super) type StructAttributes = BTreeMap<String, Vec<MemberAttributes>>;

/// An attribute whose value is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownValue {
    /// Bytes of the argument in the text.
    pub(super) argument: Range<usize>,
}

/// Reads the attributes of a text that naga accepts.
///
/// # Errors
/// The first attribute whose argument cannot be evaluated.
pub(super) fn struct_attributes(text: &str) -> Result<StructAttributes, UnknownValue> {
    let mut scanner = Scanner { tokens: tokens(text), text, next: 0 };
    let structs = scanner.structs();
    let written = structs.iter().flat_map(|(_, members)| members).flat_map(|member| [&member.align, &member.size]);
    let values = values(text, written.flatten())?;
    let value = |argument: Option<Range<usize>>| argument.and_then(|argument| values.get(&argument.start).copied());
    let members = |members: Vec<WrittenMember>| {
        let read = members.into_iter().map(|member| MemberAttributes {
            name: member.name,
            align: value(member.align),
            size: value(member.size),
        });
        read.collect()
    };
    Ok(structs.into_iter().map(|(name, written)| (name, members(written))).collect())
}

/// A member and the arguments of its attributes, as byte ranges of the text.
#[derive(Debug)]
struct WrittenMember {
    name: String,
    align: Option<Range<usize>>,
    size: Option<Range<usize>>,
}

/// The values of arguments, by the first byte of each.
fn values<'a>(
    text: &str,
    arguments: impl Iterator<Item = &'a Range<usize>>,
) -> Result<BTreeMap<usize, u32>, UnknownValue> {
    let mut values = BTreeMap::new();
    let mut expressions = Vec::new();
    for argument in arguments {
        match number(text[argument.clone()].trim()) {
            Some(value) => {
                values.insert(argument.start, value);
            }
            None => expressions.push(argument.clone()),
        }
    }
    let Some(first) = expressions.first() else { return Ok(values) };

    let mut with_constants = text.to_owned();
    for (index, argument) in expressions.iter().enumerate() {
        with_constants.extend(["\nconst ", &constant_name(index), " = u32(", &text[argument.clone()], "\n);"]);
    }
    let module = wgsl::parse_str(&with_constants).map_err(|_| UnknownValue { argument: first.clone() })?;
    for (index, argument) in expressions.into_iter().enumerate() {
        let name = constant_name(index);
        let constant = module.constants.iter().find(|(_, constant)| constant.name.as_ref() == Some(&name));
        let value = constant.map(|(_, constant)| &module.global_expressions[constant.init]);
        let Some(naga::Expression::Literal(naga::Literal::U32(value))) = value else {
            return Err(UnknownValue { argument });
        };
        values.insert(argument.start, *value);
    }
    Ok(values)
}

fn constant_name(index: usize) -> String {
    format!("layoutproof_attribute_{index}")
}

/// The value of an integer literal: `16`, `0x10`, `16u`, `16i`.
fn number(written: &str) -> Option<u32> {
    let digits = written.strip_suffix(['u', 'i']).unwrap_or(written);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        None => None,
    }
}

/// The bytes of each token: a word or number, or a single other character.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find(is_line_break).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if is_word(first) {
            let length = rest.find(|part| !is_word(part)).unwrap_or(rest.len());
            found.push(at..at + length);
            length
        } else {
            if !first.is_whitespace() {
                found.push(at..at + first.len_utf8());
            }
            first.len_utf8()
        };
        at += length;
    }
    found
}

fn is_line_break(part: char) -> bool {
    matches!(part, '\n' | '\u{B}' | '\u{C}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_word(part: char) -> bool {
    part.is_alphanumeric() || part == '_'
}

/// Length in bytes of the block comment at the start of the text. Block comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// Iterates over the tokens of a text.
struct Scanner<'a> {
    tokens: Vec<Range<usize>>,
    text: &'a str,
    next: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.next).map(|token| &self.text[token.clone()])
    }

    /// Skips the next token if it is this one, and returns true then.
    fn take(&mut self, token: &str) -> bool {
        let is_it = self.peek() == Some(token);
        self.next += usize::from(is_it);
        is_it
    }

    fn structs(&mut self) -> Vec<(String, Vec<WrittenMember>)> {
        let mut found = Vec::new();
        while self.next < self.tokens.len() {
            if !self.take("struct") {
                self.next += 1;
                continue;
            }
            let name = self.peek().unwrap_or_default().to_owned();
            self.next += 1;
            if self.take("{") {
                found.push((name, self.members()));
            }
        }
        found
    }

    /// The members after a `{`, up to and including the `}`.
    fn members(&mut self) -> Vec<WrittenMember> {
        let mut members = Vec::new();
        while self.next < self.tokens.len() && !self.take("}") {
            let (mut align, mut size) = (None, None);
            while self.take("@") {
                let name = self.peek().unwrap_or_default().to_owned();
                self.next += 1;
                let argument = if self.peek() == Some("(") { Some(self.parenthesised()) } else { None };
                match name.as_str() {
                    "align" => align = argument,
                    "size" => size = argument,
                    _ => {}
                }
            }
            let name = self.peek().unwrap_or_default().to_owned();
            members.push(WrittenMember { name, align, size });
            self.skip_type();
        }
        members
    }

    /// The bytes inside the parentheses that start here, without a trailing comma.
    fn parenthesised(&mut self) -> Range<usize> {
        let first = self.next + 1;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.next += 1;
            if depth == 0 {
                break;
            }
        }
        let mut end = self.next - 1;
        if end > first && &self.text[self.tokens[end - 1].clone()] == "," {
            end -= 1;
        }
        let start = self.tokens.get(first).map_or(self.text.len(), |token| token.start);
        let stop = if end > first { self.tokens[end - 1].end } else { start };
        start..stop
    }

    /// Skips a name with its type, and the comma.
    fn skip_type(&mut self) {
        // Commas in template lists and parentheses do not separate members; `<` in parentheses is
        // an operator.
        let (mut angles, mut brackets) = (0_usize, 0_usize);
        while let Some(token) = self.peek() {
            match token {
                "(" | "[" => brackets += 1,
                ")" | "]" => brackets = brackets.saturating_sub(1),
                "<" if brackets == 0 => angles += 1,
                ">" if brackets == 0 => angles = angles.saturating_sub(1),
                "," if angles == 0 && brackets == 0 => {
                    self.next += 1;
                    return;
                }
                "}" => return,
                _ => {}
            }
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Option<u32>, Option<u32>)> {
        let structs = struct_attributes(text).unwrap();
        structs.into_values().flatten().map(|member| (member.name, member.align, member.size)).collect()
    }

    #[test]
    fn attributes_are_read_wherever_wgsl_allows_them() {
        let text = "
            // struct No { @align(4) a: f32 }
            struct /* struct /* nested */ No { */ S {
                @align(16) a: array<vec4<f32>, 2>, @size(0x20u) @location(0) b : u32,
                @ size ( /* sixteen */ 16i , ) c: array<array<f32, (1 << 2)>, select(1, 2, 3 > 2)>,
                d: f32
            }
            struct T{@align(8)x:f32,}";
        let expected = [
            ("a", Some(16), None),
            ("b", None, Some(32)),
            ("c", None, Some(16)),
            ("d", None, None),
            ("x", Some(8), None),
        ];
        assert_eq!(read(text), expected.map(|(name, align, size)| (name.to_owned(), align, size)));
    }

    #[test]
    fn expressions_are_evaluated_by_naga() {
        let text = "const N = 4; const M: u32 = 8u; struct S { @align(N * 4) a: f32, @size(M + 24) b: f32 // c\n }";
        assert_eq!(read(text), [("a".to_owned(), Some(16), None), ("b".to_owned(), None, Some(32))]);
        let text = "struct S { @align(layoutproof_none) a: f32 }";
        let start = text.find("layoutproof_none").unwrap();
        assert_eq!(struct_attributes(text), Err(UnknownValue { argument: start..start + 16 }));
    }
}
