//! Directives of `naga_oil`, the preprocessor of Bevy's shaders before 0.20.
//!
//! Bytes keep their places: lines that are no code become blanks. `#{NAME}` becomes a token with the macro's value.
//!
//! Source: `naga_oil` 0.23, `src/compose/preprocess.rs`.

use std::collections::BTreeMap;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};
use layoutproof_source::diagnostics::{Code, Diagnostic};

use super::imports::{Imports, OTHER_PREPROCESSORS};
use super::{LinkSearch, Piece};
use crate::tokens::TokenKind;

#[derive(Debug, Default)]
pub(super) struct Preprocessed {
    /// As long as the text in the file.
    pub text: String,
    pub placeholders: Vec<Piece>,
    pub imports: Imports,
    /// True for a text with a directive.
    pub is_naga_oil: bool,
    /// Names in the conditions of declarations that are not set, with a place.
    pub unset: BTreeMap<String, Span>,
}

/// The path in the `#define_import_path` of a text.
pub(super) fn own_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| Some(line.trim().strip_prefix("#define_import_path")?.trim()))
}

/// Follows the directives of a text.
pub(super) fn preprocess(text: &str, file: FileId, search: &LinkSearch<'_>) -> Result<Preprocessed, Diagnostic> {
    let mut found = Preprocessed { text: without_comments(text), ..Preprocessed::default() };
    if !found.text.contains('#') {
        return Ok(found);
    }
    let code = found.text.clone();
    let mut reader = Reader {
        file,
        search,
        defined: BTreeMap::new(),
        branches: Vec::new(),
        depth: 0,
        is_in_struct: false,
        blanks: Vec::new(),
        found: &mut found,
    };
    let mut at = 0;
    while at < code.len() {
        at = reader.line(&code, at)?;
    }
    if let Some(open) = reader.branches.last() {
        return Err(Diagnostic::error(Code::BadModule, open.span, "this condition has no `#endif`"));
    }
    let blanks = std::mem::take(&mut reader.blanks);
    let mut bytes = code.into_bytes();
    for range in blanks {
        blank(&mut bytes[range]);
    }
    found.text = String::from_utf8(bytes).expect("whole characters become blanks");
    Ok(found)
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// The text with blanks for comments. A block comment without an end stays, for the error.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at + 1 < bytes.len() {
        let end = match &bytes[at..at + 2] {
            b"//" => text[at..].find('\n').map_or(text.len(), |length| at + length),
            b"/*" => match crate::tokens::block_comment(&text[at..]) {
                Some(length) => at + length,
                None => break,
            },
            _ => {
                at += 1;
                continue;
            }
        };
        blank(&mut bytes[at..end]);
        at = end;
    }
    String::from_utf8(bytes).expect("whole characters become blanks")
}

/// A condition that is not ended.
struct Branch {
    span: Span,
    /// Code here counts.
    is_active: bool,
    /// An earlier branch counts, or the code around it does not.
    is_done: bool,
}

struct Reader<'a> {
    file: FileId,
    search: &'a LinkSearch<'a>,
    /// `#define`.
    defined: BTreeMap<String, String>,
    branches: Vec<Branch>,
    /// Open braces.
    depth: usize,
    is_in_struct: bool,
    blanks: Vec<Range<usize>>,
    found: &'a mut Preprocessed,
}

impl Reader<'_> {
    fn span(&self, range: &Range<usize>) -> Span {
        let byte = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Span { file: self.file, start: byte(range.start), end: byte(range.end) }
    }

    fn is_active(&self) -> bool {
        self.branches.last().is_none_or(|branch| branch.is_active)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.defined.get(name).map(String::as_str).or_else(|| self.search.value(name))
    }

    /// Follows the line at `start`. Returns the start of the next one.
    fn line(&mut self, code: &str, start: usize) -> Result<usize, Diagnostic> {
        let mut end = code[start..].find('\n').map_or(code.len(), |length| start + length + 1);
        let line = &code[start..end];
        let directive = line.trim();
        if !directive.starts_with('#') || directive.starts_with("#{") {
            if self.is_active() {
                self.code(code, start..end)?;
            } else {
                self.blanks.push(start..end);
            }
            return Ok(end);
        }
        let first = start + line.len() - line.trim_start().len();
        let (name, rest) = directive[1..].split_at(
            directive[1..].find(|part: char| !part.is_alphanumeric() && part != '_').unwrap_or(directive.len() - 1),
        );
        let span = self.span(&(first..first + directive.len()));
        let bad = |message: String| Err(Diagnostic::error(Code::BadModule, span, message));
        let rest = rest.trim();
        self.found.is_naga_oil = true;
        match name {
            "ifdef" | "ifndef" | "if" => {
                let outside = self.is_active();
                let holds = outside && self.condition(name, rest, span)?;
                self.branches.push(Branch { span, is_active: holds, is_done: holds || !outside });
            }
            "else" => {
                let Some(mut branch) = self.branches.pop() else { return bad("`#else` is in no condition".to_owned()) };
                let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                branch.is_active = !branch.is_done && (word.is_empty() || self.condition(word, rest.trim(), span)?);
                branch.is_done |= branch.is_active;
                self.branches.push(branch);
            }
            "endif" => {
                if self.branches.pop().is_none() {
                    return bad("`#endif` ends no condition".to_owned());
                }
            }
            "define" if self.is_active() => {
                let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.defined.insert(name.to_owned(), value.trim().to_owned());
            }
            "import" => {
                let text = &code[first + "#import".len()..];
                let mut depth = 0_i32;
                let length = text.find(|part: char| {
                    depth += i32::from(part == '{') - i32::from(part == '}');
                    part == '\n' && depth <= 0
                });
                let length = length.unwrap_or(text.len());
                end = (first + "#import".len() + length + 1).min(code.len());
                if self.is_active() {
                    self.found.imports.add_words(&import_words(&text[..length]), span)?;
                }
            }
            "define_import_path" | "define" => {}
            _ => {
                let message = "WESL and naga_oil have no such directive";
                return Err(Diagnostic::error(Code::BadModule, span, message).with_help(OTHER_PREPROCESSORS));
            }
        }
        self.blanks.push(start..end);
        Ok(end)
    }

    /// Replaces `#{NAME}` and `#NAME` in a line of code.
    fn code(&mut self, code: &str, range: Range<usize>) -> Result<(), Diagnostic> {
        let line = &code[range.clone()];
        if self.depth == 0 {
            self.is_in_struct = line.split_whitespace().any(|word| word == "struct");
        }
        self.depth = (self.depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        for (at, _) in line.match_indices('#') {
            let inside = &line[at + 1..];
            let (name, length) = match inside.strip_prefix('{') {
                Some(braced) => match braced.find('}') {
                    Some(end) => (braced[..end].trim(), end + 3),
                    None => ("", 1),
                },
                None => {
                    let end = inside.find(|part: char| !part.is_alphanumeric() && part != '_').unwrap_or(inside.len());
                    (&inside[..end], end + 1)
                }
            };
            if name.is_empty() {
                continue;
            }
            let place = range.start + at..range.start + at + length;
            let span = self.span(&place);
            let Some(value) = self.value(name) else {
                let message = format!("the placeholder `{}` has no value", &code[place]);
                return Err(Diagnostic::error(Code::BadModule, span, message).with_missing_macros(&[name]));
            };
            let text = if value.is_empty() { "true" } else { value };
            let kind = if text.starts_with(|first: char| first.is_ascii_digit()) {
                TokenKind::Number
            } else {
                TokenKind::Word
            };
            if !text.chars().all(|part| part.is_alphanumeric() || part == '_' || part == '.') {
                let message = format!("the value `{text}` of `{name}` is neither a number nor a name");
                return Err(Diagnostic::error(Code::BadModule, span, message));
            }
            let piece = Piece { kind, text: text.to_owned(), span };
            self.found.placeholders.push(piece);
            self.blanks.push(place);
        }
        Ok(())
    }

    /// The value of `ifdef NAME`, `ifndef NAME` and `if NAME == VALUE`.
    fn condition(&mut self, word: &str, rest: &str, span: Span) -> Result<bool, Diagnostic> {
        let name_end = rest.find(|part: char| !part.is_alphanumeric() && part != '_').unwrap_or(rest.len());
        let (name, test) = rest.split_at(name_end);
        let value = self.value(name).map(str::to_owned);
        if value.is_none() && (self.depth == 0 || self.is_in_struct) {
            self.found.unset.entry(name.to_owned()).or_insert(span);
        }
        let bad = || Diagnostic::error(Code::BadModule, span, format!("`{rest}` is no condition of naga_oil"));
        match word {
            _ if name.is_empty() => Err(bad()),
            "ifdef" => Ok(value.is_some()),
            "ifndef" => Ok(value.is_none()),
            "if" => {
                let test = test.trim();
                let Some(value) = value else { return Ok(false) };
                if test.is_empty() {
                    return Ok(value != "false");
                }
                let (operator, right) = test.split_at(test.find(|part| !"=!<>".contains(part)).unwrap_or(test.len()));
                let right = right.trim();
                let order = match (value.parse::<i64>(), right.parse::<i64>()) {
                    (Ok(left), Ok(right)) => Some(left.cmp(&right)),
                    _ => None,
                };
                let is_equal = order.map_or(value == right, std::cmp::Ordering::is_eq);
                Ok(match (operator, order) {
                    ("==", _) => is_equal,
                    ("!=", _) => !is_equal,
                    ("<", Some(order)) => order.is_lt(),
                    ("<=", Some(order)) => order.is_le(),
                    (">", Some(order)) => order.is_gt(),
                    (">=", Some(order)) => order.is_ge(),
                    _ => return Err(bad()),
                })
            }
            _ => Err(bad()),
        }
    }
}

/// The words and signs of an import: paths in quotes are one word each.
fn import_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim().trim_end_matches(';');
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            ':' if rest.starts_with("::") => 2,
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|part: char| !part.is_alphanumeric() && part != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if !word.trim().is_empty() {
            words.push(word);
        }
        rest = after;
    }
    words
}
