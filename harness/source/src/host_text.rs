//! Finds the shaders in the strings of a program's text, and the files that the program takes into itself.
//!
//! This is no parser of the four languages: it tells strings from comments and from the rest, and looks at the words next to
//! them. A string that the program joins with others, or fills in when it runs, is not whole, and only its line is
//! reported.

use std::ops::Range;
use std::path::Path;

use crate::shader_language::ShaderLanguage;

/// The language of a program's text, by its strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLanguage {
    /// C, C++ and Objective-C.
    C,
    Rust,
    Zig,
    /// JavaScript and TypeScript.
    JavaScript,
}

/// A shader that is a string, or several that the compiler of the program joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderString {
    pub language: ShaderLanguage,
    /// The line of the program on which it starts.
    pub line: u32,
    /// The shader after empty lines, so that its lines have the numbers that they have in the program's text. Where the
    /// program has several lines of a shader on one of its own, they stay one line if they can.
    pub text: String,
}

/// What a program's text has of shaders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostText {
    pub shaders: Vec<ShaderString>,
    /// The lines of strings that are parts of shaders: the program adds the rest when it runs.
    pub unfinished: Vec<u32>,
    /// Files that the program's compiler puts into the program: `include_str!("a.wgsl")`. Paths are relative to the text.
    pub included: Vec<String>,
}

impl ProgramLanguage {
    pub fn of(path: &Path) -> Option<Self> {
        let suffix = path.extension()?.to_string_lossy().to_lowercase();
        match suffix.as_str() {
            "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "inl" | "m" | "mm" => Some(Self::C),
            "rs" => Some(Self::Rust),
            "zig" => Some(Self::Zig),
            "cjs" | "cts" | "js" | "jsx" | "mjs" | "mts" | "ts" | "tsx" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

impl HostText {
    pub fn read(text: &str, language: ProgramLanguage) -> Self {
        let tokens = Lexer { text, at: 0, language, tokens: Vec::new() }.tokens();
        let mut found = Self::default();
        let mut open: Vec<&str> = Vec::new();
        let mut index = 0;
        while index < tokens.len() {
            match &tokens[index] {
                Token::Sign('(' | '[' | '{') => open.push(word_before(&tokens, index)),
                Token::Sign(')' | ']' | '}') => drop(open.pop()),
                Token::String(_) => {
                    let call = open.last().copied().unwrap_or_default();
                    let run = run_of(&tokens, index, language, call);
                    found.add(text, &tokens, index..run, language, call);
                    index = run;
                    continue;
                }
                _ => {}
            }
            index += 1;
        }
        found
    }

    /// Adds the strings of these tokens, inside of the brackets of `call`.
    fn add(&mut self, text: &str, tokens: &[Token<'_>], run: Range<usize>, language: ProgramLanguage, call: &str) {
        let strings: Vec<&StringToken> = tokens[run.clone()].iter().filter_map(Token::string).collect();
        let decoded = Lines::of(text, &strings);
        if let Some(name) = included_name(tokens, run.start, language, call, &decoded.text) {
            self.included.push(name);
        } else if let Some(shader) = language_of(&decoded.text) {
            let is_whole = strings.iter().all(|string| string.is_whole) && is_alone(tokens, run, language, call);
            // A program has thousands of strings, and few shaders: only for these is the text before them read again.
            let (text, line) = decoded.placed(text, &strings);
            if is_whole {
                self.shaders.push(ShaderString { language: shader, line, text });
            } else {
                self.unfinished.push(line);
            }
        }
    }
}

/// The language of a text that is a shader.
pub fn language_of(text: &str) -> Option<ShaderLanguage> {
    let has = |sign: &str| text.contains(sign);
    let has_any = |signs: &[&str]| signs.iter().any(|sign| has(sign));
    let is_wgsl = (has_any(&["var<uniform>", "var<storage", "var<push_constant>", "var<immediate>"]) && has("@"))
        || (has_any(&["@compute", "@vertex", "@fragment"]) && has("fn "));
    let is_glsl = has("void main") && (has("#version ") || (has("layout") && has_any(&["uniform ", "buffer "])));
    let has_buffer = has_any(&["cbuffer ", "StructuredBuffer<", "ConstantBuffer<", "ParameterBlock<"]);
    let is_hlsl = has_buffer && has_any(&[": SV_", ":SV_", "[numthreads(", "[shader("]);
    let is_slang = is_hlsl && has_any(&["ParameterBlock<", "import ", "[shader("]);
    match () {
        () if is_wgsl => Some(ShaderLanguage::Wgsl),
        () if is_glsl => Some(ShaderLanguage::Glsl),
        () if is_slang => Some(ShaderLanguage::Slang),
        () if is_hlsl => Some(ShaderLanguage::Hlsl),
        () => None,
    }
}

#[derive(Debug)]
enum Token<'t> {
    String(StringToken),
    Word(&'t str),
    Sign(char),
}

/// A string of the program.
#[derive(Debug)]
struct StringToken {
    /// With its quotes.
    range: Range<usize>,
    /// Between them.
    body: Range<usize>,
    form: StringForm,
    /// False if a value of the program goes into it.
    is_whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringForm {
    /// A backslash begins a character.
    Escaped,
    Raw,
    /// A line of one of Zig's strings, with the end of that line.
    Line,
}

impl Token<'_> {
    fn string(&self) -> Option<&StringToken> {
        match self {
            Self::String(string) => Some(string),
            Self::Word(_) | Self::Sign(_) => None,
        }
    }

    fn is(&self, sign: char) -> bool {
        matches!(self, Self::Sign(own) if *own == sign)
    }
}

fn is_sign(tokens: &[Token<'_>], index: usize, sign: char) -> bool {
    tokens.get(index).is_some_and(|token| token.is(sign))
}

fn word_at<'t>(tokens: &[Token<'t>], index: usize) -> Option<&'t str> {
    match tokens.get(index)? {
        Token::Word(word) => Some(word),
        Token::String(_) | Token::Sign(_) => None,
    }
}

/// The word before a bracket: the name of a function or, before `!`, of a macro.
fn word_before<'t>(tokens: &[Token<'t>], index: usize) -> &'t str {
    let before = |count| index.checked_sub(count);
    let is_macro = before(1).is_some_and(|sign| is_sign(tokens, sign, '!'));
    before(if is_macro { 2 } else { 1 }).and_then(|word| word_at(tokens, word)).unwrap_or_default()
}

/// The end of the strings that the program's compiler joins, which start at `start`.
fn run_of(tokens: &[Token<'_>], start: usize, language: ProgramLanguage, call: &str) -> usize {
    let string = |index: usize| tokens.get(index).and_then(Token::string);
    let mut end = start + 1;
    loop {
        let joiners = match language {
            ProgramLanguage::C => 0,
            ProgramLanguage::Zig => match (string(end - 1), string(end)) {
                (Some(line), Some(next)) if line.form == StringForm::Line && next.form == StringForm::Line => 0,
                _ if is_sign(tokens, end, '+') && is_sign(tokens, end + 1, '+') => 2,
                _ => return end,
            },
            ProgramLanguage::JavaScript if is_sign(tokens, end, '+') => 1,
            ProgramLanguage::Rust if call == "concat" && is_sign(tokens, end, ',') => 1,
            ProgramLanguage::JavaScript | ProgramLanguage::Rust => return end,
        };
        if string(end + joiners).is_none() {
            return end;
        }
        end += joiners + 1;
    }
}

/// Words that may come directly before a string in C and C++ and are no macros.
const BEFORE_STRINGS: [&str; 5] = ["case", "co_return", "else", "return", "throw"];

/// True if the program uses these strings as they are, as far as the words next to them show.
fn is_alone(tokens: &[Token<'_>], run: Range<usize>, language: ProgramLanguage, call: &str) -> bool {
    let before = |count: usize| run.start.checked_sub(count);
    let is_before = |count: usize, sign: char| before(count).is_some_and(|index| is_sign(tokens, index, sign));
    let is_joined = is_before(1, '+')
        || (is_before(1, '=') && is_before(2, '+'))
        || (is_before(1, '<') && is_before(2, '<'))
        || (is_sign(tokens, run.end, '<') && is_sign(tokens, run.end + 1, '<'));
    let of_concat = call == "concat" && (!is_before(1, '(') || !is_end_of_list(tokens, run.end));
    let is_filled = ["format", "print", "write", "strcat"].iter().any(|word| call.to_lowercase().contains(word));
    let macro_before = before(1).and_then(|index| word_at(tokens, index));
    let macro_after = word_at(tokens, run.end).filter(|word| !["s", "sv"].contains(word));
    let has_macro = language == ProgramLanguage::C
        && (macro_before.is_some_and(|word| !BEFORE_STRINGS.contains(&word))
            || macro_after.is_some()
            || is_sign(tokens, run.end, '#'));
    !(is_joined || of_concat || is_filled || has_macro || is_changed_after(tokens, run.end))
}

/// True if a list of arguments ends here, maybe after a comma.
fn is_end_of_list(tokens: &[Token<'_>], index: usize) -> bool {
    is_sign(tokens, index + usize::from(is_sign(tokens, index, ',')), ')')
}

/// True if the program replaces a part of the string before these tokens, or adds to it.
fn is_changed_after(tokens: &[Token<'_>], mut index: usize) -> bool {
    loop {
        match tokens.get(index) {
            Some(Token::Sign('+')) => return true,
            Some(Token::Sign('.')) => {
                let method = word_at(tokens, index + 1).unwrap_or_default();
                if ["concat", "format", "replace"].iter().any(|word| method.starts_with(word)) {
                    return true;
                }
                index += 1 + usize::from(!method.is_empty());
            }
            Some(Token::Sign('(')) if is_sign(tokens, index + 1, ')') => index += 2,
            Some(Token::Sign(')')) => index += 1,
            _ => return false,
        }
    }
}

/// The path of a file that the program's compiler puts into the program in place of these words.
fn included_name(
    tokens: &[Token<'_>],
    string: usize,
    language: ProgramLanguage,
    call: &str,
    decoded: &str,
) -> Option<String> {
    let name = decoded.trim();
    let before = |count: usize| string.checked_sub(count).and_then(|index| word_at(tokens, index)).unwrap_or_default();
    let is_argument = string.checked_sub(1).is_some_and(|index| is_sign(tokens, index, '('));
    let is_it = match language {
        ProgramLanguage::C => before(1) == "embed",
        ProgramLanguage::Rust => {
            let macros = ["include_bytes", "include_spirv", "include_spirv_raw", "include_str", "include_wgsl"];
            is_argument && macros.contains(&call)
        }
        ProgramLanguage::Zig => is_argument && call == "embedFile",
        ProgramLanguage::JavaScript => {
            let is_import = ["from", "import"].contains(&before(1));
            is_import || (is_argument && ["import", "require", "URL"].contains(&call))
        }
    };
    let file = if language == ProgramLanguage::JavaScript { name.split('?').next().unwrap_or_default() } else { name };
    let is_relative = language != ProgramLanguage::JavaScript || file.starts_with('.');
    (is_it && is_relative && !file.is_empty()).then(|| file.to_owned())
}

/// Tells strings from comments and the rest.
struct Lexer<'t> {
    text: &'t str,
    at: usize,
    language: ProgramLanguage,
    tokens: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    fn tokens(mut self) -> Vec<Token<'t>> {
        while let Some(next) = self.rest().chars().next() {
            let start = self.at;
            if next.is_whitespace() {
                self.at += next.len_utf8();
            } else if self.skip_comment() {
            } else if let Some(string) = self.string() {
                self.at = string.range.end;
                self.tokens.push(Token::String(string));
            } else if next.is_alphanumeric() || next == '_' {
                let length = self.rest().find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                self.at = length.map_or(self.text.len(), |length| start + length);
                self.tokens.push(Token::Word(&self.text[start..self.at]));
            } else if next == '\'' {
                self.skip_character();
            } else if next == '/' && self.language == ProgramLanguage::JavaScript && self.may_be_pattern() {
                self.skip_pattern();
            } else {
                self.at += next.len_utf8();
                self.tokens.push(Token::Sign(next));
            }
        }
        self.tokens
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") && self.language != ProgramLanguage::Zig {
            self.at += 2;
            let mut depth = 1;
            while depth > 0 && !self.rest().is_empty() {
                let rest = self.rest();
                let nests = self.language == ProgramLanguage::Rust && rest.starts_with("/*");
                if nests || rest.starts_with("*/") {
                    depth = if nests { depth + 1 } else { depth - 1 };
                    self.at += 2;
                } else {
                    self.at += rest.chars().next().map_or(0, char::len_utf8);
                }
            }
        } else {
            return false;
        }
        true
    }

    /// The string that starts here.
    fn string(&self) -> Option<StringToken> {
        let rest = self.rest();
        let whole = |open: usize, length: usize, close: usize, form: StringForm| {
            let body = self.at + open..self.at + open + length;
            StringToken { range: self.at..(body.end + close).min(self.text.len()), body, form, is_whole: true }
        };
        let quoted = |prefixes: &[&str]| {
            let prefix =
                prefixes.iter().find(|prefix| rest.strip_prefix(**prefix).is_some_and(|it| it.starts_with('"')))?;
            Some(prefix.len() + 1)
        };
        let escaped = |open: usize, may_have_lines: bool| {
            let length = escaped_length(&rest[open..], '"', may_have_lines);
            whole(open, length, 1, StringForm::Escaped)
        };
        match self.language {
            ProgramLanguage::C => {
                if let Some(open) = quoted(&["R", "u8R", "uR", "UR", "LR"]) {
                    let (delimiter, body) = rest[open..].split_once('(')?;
                    let close = format!("){delimiter}\"");
                    let length = body.find(&close).unwrap_or(body.len());
                    return Some(whole(open + delimiter.len() + 1, length, close.len(), StringForm::Raw));
                }
                Some(escaped(quoted(&["", "u8", "u", "U", "L"])?, false))
            }
            ProgramLanguage::Rust => {
                let raw = ["r", "br", "cr"].iter().find_map(|prefix| {
                    let marks = rest.strip_prefix(prefix)?;
                    let count = marks.len() - marks.trim_start_matches('#').len();
                    marks[count..].starts_with('"').then_some((prefix.len() + count + 1, count))
                });
                if let Some((open, count)) = raw {
                    let close = format!("\"{}", "#".repeat(count));
                    let body = &rest[open..];
                    let length = body.find(&close).unwrap_or(body.len());
                    return Some(whole(open, length, close.len(), StringForm::Raw));
                }
                Some(escaped(quoted(&["", "b", "c"])?, true))
            }
            ProgramLanguage::Zig => {
                if let Some(line) = rest.strip_prefix("\\\\") {
                    let length = line.find('\n').unwrap_or(line.len());
                    return Some(whole(2, length, 0, StringForm::Line));
                }
                Some(escaped(quoted(&[""])?, false))
            }
            ProgramLanguage::JavaScript => {
                let quote = rest.chars().next().filter(|quote| ['"', '\'', '`'].contains(quote))?;
                if quote == '`' {
                    let (length, is_whole) = template_length(&rest[1..], 0);
                    return Some(StringToken { is_whole, ..whole(1, length, 1, StringForm::Escaped) });
                }
                Some(whole(1, escaped_length(&rest[1..], quote, false), 1, StringForm::Escaped))
            }
        }
    }

    /// Skips `'a'`, `'\n'` or the quote of a lifetime.
    fn skip_character(&mut self) {
        let body = &self.rest()[1..];
        let length = escaped_length(body, '\'', false);
        let is_lifetime =
            self.language == ProgramLanguage::Rust && !body.starts_with('\\') && body[..length].chars().count() != 1;
        self.at += if is_lifetime { 1 } else { (length + 2).min(self.rest().len()) };
    }

    /// True where a slash cannot be a division.
    fn may_be_pattern(&self) -> bool {
        match self.tokens.last() {
            Some(Token::String(_)) => false,
            Some(Token::Word(word)) => ["case", "return", "typeof"].contains(word),
            Some(Token::Sign(sign)) => ![')', ']', '}'].contains(sign),
            None => true,
        }
    }

    fn skip_pattern(&mut self) {
        let mut in_class = false;
        let mut is_escaped = false;
        for (length, letter) in self.rest().char_indices().skip(1) {
            match letter {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    self.at += length + 1;
                    return;
                }
                _ => {}
            }
        }
        self.at += 1;
        self.tokens.push(Token::Sign('/'));
    }
}

/// The length of a string up to its closing quote, or up to the end of the line if it may not have lines.
fn escaped_length(body: &str, quote: char, may_have_lines: bool) -> usize {
    let mut is_escaped = false;
    for (at, letter) in body.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = letter == '\r',
            '\\' => is_escaped = true,
            '\n' if !may_have_lines => return at,
            _ if letter == quote => return at,
            _ => {}
        }
    }
    body.len()
}

/// Most templates in the values of templates. What is deeper is part of the value.
const MOST_TEMPLATES: u32 = 64;

/// The length of a template up to its closing quote, and whether it has no `${value}`. `depth` is the number of templates
/// around it.
fn template_length(body: &str, depth: u32) -> (usize, bool) {
    let (mut at, mut is_whole) = (0, true);
    while let Some(letter) = body[at..].chars().next() {
        match letter {
            '`' => return (at, is_whole),
            '\\' => at += 1 + body[at + 1..].chars().next().map_or(0, char::len_utf8),
            '$' if body[at..].starts_with("${") => {
                is_whole = false;
                at += 2 + value_length(&body[at + 2..], depth);
            }
            _ => at += letter.len_utf8(),
        }
    }
    (body.len(), is_whole)
}

/// The length of a value in a template, with its closing brace.
fn value_length(body: &str, templates: u32) -> usize {
    let (mut at, mut depth) = (0, 1);
    while let Some(letter) = body[at..].chars().next() {
        at += letter.len_utf8();
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            '`' if templates < MOST_TEMPLATES => at += template_length(&body[at..], templates + 1).0 + 1,
            '"' | '\'' => at += escaped_length(&body[at..], letter, false) + 1,
            _ => {}
        }
        at = at.min(body.len());
        if depth == 0 {
            break;
        }
    }
    at
}

/// The text of a shader whose lines keep the numbers that they have in the program.
#[derive(Default)]
struct Lines {
    text: String,
    line_start: usize,
    /// Lines of the program that the text lacks; negative for lines that it has besides.
    missing: i64,
    /// A line of the shader ends here, and the program's line does not.
    is_at_end: bool,
}

impl Lines {
    /// True if the line may be joined with the next.
    fn may_continue(&self) -> bool {
        let line = &self.text[self.line_start..];
        !line.trim_start().starts_with('#') && !line.contains("//")
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.line_start = self.text.len();
    }

    /// A line of the program ends between or in strings, and the shader's does not.
    fn end_of_host_line(&mut self) {
        if self.missing < 0 {
            self.missing += 1;
        } else if self.is_at_end || self.may_continue() {
            self.end_line();
        } else {
            self.missing += 1;
        }
        self.is_at_end = false;
    }

    /// A line of the shader ends inside of a line of the program.
    fn end_of_shader_line(&mut self) {
        if self.missing > 0 {
            for _ in 0..self.missing {
                self.end_line();
            }
            self.missing = 0;
        } else if self.may_continue() {
            self.is_at_end = true;
        } else {
            self.end_line();
            self.missing -= 1;
        }
    }

    /// Both end.
    fn end_of_line(&mut self) {
        if self.missing < 0 && self.may_continue() {
            self.missing += 1;
            self.text.push(' ');
            return;
        }
        for _ in 0..=self.missing.max(0) {
            self.end_line();
        }
        self.missing = self.missing.min(0);
        self.is_at_end = false;
    }

    /// The text of strings that are joined.
    fn of(text: &str, strings: &[&StringToken]) -> Self {
        let mut lines = Self::default();
        let mut end = strings.first().map_or(0, |string| string.range.start);
        for string in strings {
            for _ in text[end..string.range.start].matches('\n') {
                lines.end_of_host_line();
            }
            end = string.range.end;
            lines.push_string(&text[string.body.clone()], string.form);
        }
        lines
    }

    fn push_string(&mut self, body: &str, form: StringForm) {
        let mut letters = body.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\r' => {}
                '\n' => self.end_of_line(),
                '\\' if form == StringForm::Escaped => match letters.next().unwrap_or_default() {
                    'n' => self.end_of_shader_line(),
                    '\n' => self.end_of_host_line(),
                    '\r' => {
                        letters.next_if_eq(&'\n');
                        self.end_of_host_line();
                    }
                    shown @ ('\\' | '"' | '\'' | '`' | '$' | '?') => self.push(shown),
                    // No token of a shader has other characters than these.
                    _ => self.push(' '),
                },
                letter => self.push(letter),
            }
        }
        if form == StringForm::Line {
            self.end_of_shader_line();
        }
    }

    /// The text after empty lines, and the line of the program on which it starts.
    fn placed(self, text: &str, strings: &[&StringToken]) -> (String, u32) {
        let first = strings.first();
        let start = first.map_or(0, |string| string.range.start);
        let before = text[..start].matches('\n').count();
        let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
        // Columns count characters.
        let column = text[line_start..first.map_or(0, |string| string.body.start)].chars().count();
        let besides = usize::try_from(-self.missing).unwrap_or(0);
        let empty = "\n".repeat(before.saturating_sub(besides));
        (format!("{empty}{}{}", " ".repeat(column), self.text), u32::try_from(before + 1).unwrap_or(u32::MAX))
    }

    fn push(&mut self, letter: char) {
        if self.is_at_end {
            self.is_at_end = false;
            if letter == '#' {
                self.end_line();
                self.missing -= 1;
            } else {
                self.text.push(' ');
            }
        }
        self.text.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type NumberedLines = Vec<(usize, String)>;

    /// The shaders of a text, each as its language, its first line and its lines that are not empty, with their numbers.
    fn shaders(text: &str, language: ProgramLanguage) -> Vec<(ShaderLanguage, u32, NumberedLines)> {
        let lines = |text: &str| {
            let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            numbered.map(|(index, line)| (index + 1, line.trim().to_owned())).collect()
        };
        let found = HostText::read(text, language);
        found.shaders.into_iter().map(|found| (found.language, found.line, lines(&found.text))).collect()
    }

    fn line(number: usize, text: &str) -> (usize, String) {
        (number, text.to_owned())
    }

    #[test]
    fn strings_that_c_joins_are_one_shader() {
        let text = "#include \"a.h\"\n// \"not a string\nconst char *shader =\n  \"#version 450\\n\"\n  /* \" */\n  \
                    \"layout(binding = 0) uniform U { vec4 a; };\\n\"\n  \"void main() {}\\n\";\nchar c = '\"';";
        let lines = vec![
            line(4, "#version 450"),
            line(6, "layout(binding = 0) uniform U { vec4 a; };"),
            line(7, "void main() {}"),
        ];
        assert_eq!(shaders(text, ProgramLanguage::C), [(ShaderLanguage::Glsl, 4, lines)]);
    }

    #[test]
    fn lines_of_one_line_of_the_program_stay_there() {
        let text = "auto s = \"@group(0) @binding(0) var<uniform> u: U;\\nstruct U { a: f32 }\\n\";";
        let joined = "@group(0) @binding(0) var<uniform> u: U; struct U { a: f32 }";
        assert_eq!(shaders(text, ProgramLanguage::C), [(ShaderLanguage::Wgsl, 1, vec![line(1, joined)])]);
        // A directive needs a line of its own.
        let text = "\n\n\nauto s = \"#version 450\\nlayout(binding = 0) uniform U { vec4 a; };\\nvoid main() {}\";";
        let lines = vec![line(3, "#version 450"), line(4, "layout(binding = 0) uniform U { vec4 a; }; void main() {}")];
        assert_eq!(shaders(text, ProgramLanguage::C), [(ShaderLanguage::Glsl, 4, lines)]);
        // So does a comment, and a directive that continues on the program's next line ends there.
        let text = "auto s = \"#version 450\\n\"\n\"#define COUNT \"\n\"4\\n\"\n\"// a\\n\"\n\"layout(binding = 0) uniform U { vec4 a[COUNT]; };\"\n\"void main() {}\";";
        let lines = vec![
            line(1, "#version 450"),
            line(2, "#define COUNT 4"),
            line(4, "// a"),
            line(5, "layout(binding = 0) uniform U { vec4 a[COUNT]; };"),
            line(6, "void main() {}"),
        ];
        assert_eq!(shaders(text, ProgramLanguage::C), [(ShaderLanguage::Glsl, 1, lines)]);
    }

    #[test]
    fn raw_strings_of_each_language_are_read() {
        let body = "\nstruct U { a: f32 }\n@group(0) @binding(0) var<uniform> u: U;\n";
        let lines = vec![line(2, "struct U { a: f32 }"), line(3, "@group(0) @binding(0) var<uniform> u: U;")];
        for (text, language) in [
            (format!("auto s = R\"x({body})x\";"), ProgramLanguage::C),
            (format!("let life: &'static str = r#\"{body}\"#;"), ProgramLanguage::Rust),
            (format!("let quote = '\"'; let s = \"{body}\";"), ProgramLanguage::Rust),
            (format!("const s = /* wgsl */ `{body}`;"), ProgramLanguage::JavaScript),
            (format!("const quote = /[`/]\"/g; const s = wgsl`{body}`;"), ProgramLanguage::JavaScript),
            (format!("const s ={}\n;", body.trim_end().replace('\n', "\n  \\\\")), ProgramLanguage::Zig),
        ] {
            assert_eq!(
                shaders(&text, language),
                [(ShaderLanguage::Wgsl, if language == ProgramLanguage::Zig { 2 } else { 1 }, lines.clone())],
                "{text}"
            );
        }
    }

    #[test]
    fn strings_that_the_program_completes_are_told_by_their_lines() {
        let shader = "@group(0) @binding(0) var<uniform> u: array<vec4f, COUNT>;";
        for (text, language) in [
            (format!("auto s = HEADER \"{shader}\";"), ProgramLanguage::C),
            (format!("auto s = \"{shader}\" FOOTER;"), ProgramLanguage::C),
            (format!("s += \"{shader}\";"), ProgramLanguage::C),
            (format!("s << \"{shader}\" << count;"), ProgramLanguage::C),
            (format!("auto s = std::string(\"{shader}\") + rest;"), ProgramLanguage::C),
            (format!("auto s = fmt::format(\"{shader}\", count);"), ProgramLanguage::C),
            (format!("let s = format!(\"{shader}\");"), ProgramLanguage::Rust),
            (format!("let s = concat!(\"{shader}\", env!(\"X\"));"), ProgramLanguage::Rust),
            (format!("let s = \"{shader}\".replace(\"COUNT\", \"4\");"), ProgramLanguage::Rust),
            (format!("let s = \"{shader}\".to_owned() + rest;"), ProgramLanguage::Rust),
            (format!("const s = \"{shader}\" ++ rest;"), ProgramLanguage::Zig),
            (format!("const s = `{shader}${{rest(`}}`)}}`;"), ProgramLanguage::JavaScript),
            (format!("const s = rest + '{shader}';"), ProgramLanguage::JavaScript),
        ] {
            let found = HostText::read(&text, language);
            assert_eq!((found.shaders.len(), found.unfinished), (0, vec![1]), "{text}");
        }
        for (text, language) in [
            (format!("let s = concat!(\"const COUNT = 4;\", \"{shader}\",);"), ProgramLanguage::Rust),
            (format!("const s = \"const COUNT = 4;\" ++ \"{shader}\";"), ProgramLanguage::Zig),
            (format!("const s = 'const COUNT = 4;' + '{shader}';"), ProgramLanguage::JavaScript),
            (format!("compile(\"{shader}\"sv);"), ProgramLanguage::C),
            (format!("return \"{shader}\";"), ProgramLanguage::C),
        ] {
            let found = HostText::read(&text, language);
            assert_eq!((found.shaders.len(), found.unfinished), (1, Vec::new()), "{text}");
        }
    }

    #[test]
    fn templates_in_templates_end() {
        let deep = format!("const s = {}`;", "`${".repeat(100_000));
        assert_eq!(HostText::read(&deep, ProgramLanguage::JavaScript).shaders, []);
    }

    #[test]
    fn files_that_become_a_part_of_the_program_are_named() {
        for (text, language) in [
            ("wgpu::ShaderSource::Wgsl(include_str!(\"a/b.wgsl\").into())", ProgramLanguage::Rust),
            ("wgpu::include_wgsl!(\"a/b.wgsl\")", ProgramLanguage::Rust),
            ("const s = @embedFile(\"a/b.wgsl\");", ProgramLanguage::Zig),
            ("const char s[] = {\n#embed \"a/b.wgsl\"\n};", ProgramLanguage::C),
        ] {
            assert_eq!(HostText::read(text, language).included, ["a/b.wgsl"], "{text}");
        }
        let text = "import shader from './b.wgsl?raw'; import * as THREE from 'three';";
        assert_eq!(HostText::read(text, ProgramLanguage::JavaScript).included, ["./b.wgsl"]);
    }
}
