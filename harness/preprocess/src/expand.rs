//! Expands macros: replaces each name until no macro is left, except inside its own replacement.
//!
//! Collects the arguments of a use, and fills them into the replacement: stringising, pasting, replacing. Sources: ISO
//! C11, 6.10.3, paragraphs 10 to 12, 6.10.3.1 "Argument substitution" to 6.10.3.4 "Rescanning and further replacement";
//! for `, ##__VA_ARGS__`, "Variadic Macros" of the GNU C preprocessor's manual.

use std::rc::Rc;

use super::budget::DEEPEST;
use super::definition::{Macro, Replacement, ReplacementPart};
use super::{Preprocessor, SourceProgress};
use crate::lexer::{SourcePiece, Token, TokenKind, single};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Tokens to read before anything else.
#[derive(Debug)]
pub(super) struct PendingTokens<'a> {
    tokens: std::vec::IntoIter<Token<'a>>,
    /// The macro whose replacement they are.
    of: Option<&'a str>,
}

/// Result of trying to expand a name.
enum NameExpansion<'a> {
    /// The name stays.
    Kept(Token<'a>),
    /// Its replacement is read next.
    Replaced,
}

#[derive(Debug, Default)]
pub(super) struct MacroArguments<'a> {
    pub(super) lists: Vec<Vec<Token<'a>>>,
    /// True if there is no variable argument, not even an empty one.
    pub(super) omits_variable: bool,
}

/// A use of a macro during substitution.
#[derive(Debug)]
struct Substitution<'a, 'm> {
    definition: &'m Macro<'a>,
    used: Token<'a>,
    arguments: MacroArguments<'a>,
    /// The arguments after expanding their own macros, as far as needed so far.
    expanded: Vec<Option<Vec<Token<'a>>>>,
    out: Vec<Token<'a>>,
    /// True if the last operand produced no token.
    last_is_empty: bool,
}

impl<'a> Preprocessor<'a> {
    /// Returns the next token after macro expansion.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let token = self.raw()?;
            if token.kind != TokenKind::Identifier {
                return Some(token);
            }
            if self.in_condition {
                if let Some(answer) = self.question(token) {
                    return Some(answer);
                }
            }

            match self.name(token) {
                Ok(NameExpansion::Kept(token)) => return Some(token),
                Ok(NameExpansion::Replaced) => {}
                Err(problem) => {
                    self.report_incomplete(problem);
                    return Some(token);
                }
            }
        }
    }

    /// Returns the next token as written.
    pub(super) fn raw(&mut self) -> Option<Token<'a>> {
        if self.progress == SourceProgress::Stopped {
            return None;
        }
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.next() {
                return Some(token);
            }
            if let Some(name) = self.frames.pop().and_then(|frame| frame.of) {
                self.replacing.remove(name);
            }
        }
        if self.isolated > 0 { None } else { self.file_token() }
    }

    pub(super) fn unread(&mut self, token: Token<'a>) {
        self.frames.push(PendingTokens { tokens: vec![token].into_iter(), of: None });
    }

    /// Expands the macros in `tokens`, as if nothing followed.
    pub(super) fn expand_alone(&mut self, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
        if self.isolated >= DEEPEST {
            if let Some(first) = tokens.first() {
                self.give_up(first.span, format!("macros nest more than {DEEPEST} levels deep"));
            }
            return Vec::new();
        }
        let outer = std::mem::replace(&mut self.frames, vec![PendingTokens { tokens: tokens.into_iter(), of: None }]);
        self.isolated += 1;
        let expanded = std::iter::from_fn(|| self.next()).collect();
        self.isolated -= 1;
        self.frames = outer;
        expanded
    }

    /// Returns the next token of the open files, after processing the directives before it.
    fn file_token(&mut self) -> Option<Token<'a>> {
        while let Some(file) = self.open.last_mut() {
            let skipping = file.is_skipping();
            match file.pieces.next() {
                None if self.collecting => return None,
                None => self.close_file(),
                Some(SourcePiece::Directive(directive)) => self.directive(directive),
                // Skipped text may contain anything, not only valid tokens.
                Some(SourcePiece::Token(_) | SourcePiece::Problem(_)) if skipping => {}
                Some(SourcePiece::Token(token)) => return Some(token),
                Some(SourcePiece::Problem(problem)) => self.report(problem),
            }
            if self.progress == SourceProgress::Stopped {
                return None;
            }
        }

        None
    }

    fn name(&mut self, token: Token<'a>) -> Result<NameExpansion<'a>, Diagnostic> {
        let Some(definition) = self.macros.get(token.text).map(Rc::clone) else {
            return Ok(NameExpansion::Kept(token));
        };
        if self.replacing.contains(token.text) {
            return Ok(NameExpansion::Kept(Token { kind: TokenKind::Kept, ..token }));
        }
        let tokens = match &definition.replacement {
            Replacement::Parts(parts) => {
                let arguments = match definition.parameters {
                    Some(_) => match self.arguments(token, &definition)? {
                        Some(arguments) => arguments,
                        None => return Ok(NameExpansion::Kept(token)),
                    },
                    None => MacroArguments::default(),
                };
                self.spend_tokens(1, token.span);
                self.trace.used(token.span, definition.span);
                self.substitute(token, &definition, parts, arguments).unwrap_or_default()
            }
            Replacement::Line | Replacement::File | Replacement::Counter | Replacement::Unknown => {
                vec![self.built_in(token, &definition)?]
            }
        };

        self.replacing.insert(definition.name);
        self.frames.push(PendingTokens { tokens: tokens.into_iter(), of: Some(definition.name) });
        Ok(NameExpansion::Replaced)
    }

    fn built_in(&mut self, token: Token<'a>, definition: &Macro<'a>) -> Result<Token<'a>, Diagnostic> {
        let (kind, text) = match definition.replacement {
            Replacement::Line => {
                let line = self.open.last_mut().map_or(0, |file| file.line(token.span));
                (TokenKind::Integer, line.to_string())
            }
            Replacement::File => {
                let name = self.open.last().map_or("", |file| file.name());
                (TokenKind::Text, format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            Replacement::Counter => {
                self.counter += 1;
                (TokenKind::Integer, (self.counter - 1).to_string())
            }
            Replacement::Unknown | Replacement::Parts(_) => {
                let message = format!("`{}` depends on how the file is compiled", token.text);
                let help = format!("set the shader profile, or define the macro: -D {}=...", token.text);
                return Err(Diagnostic::error(Code::Preprocessor, token.span, message).with_help(help));
            }
        };

        if self.spend_tokens(1, token.span).and_then(|()| self.spend_bytes(text.len(), token.span)).is_none() {
            return Ok(token);
        }
        Ok(Token { kind, text: self.made.alloc_str(&text), ..token })
    }
}

impl<'a> Preprocessor<'a> {
    /// Collects the arguments after the name `used`. Returns `Ok(None)` if no `(` follows.
    pub(super) fn arguments(
        &mut self,
        used: Token<'a>,
        definition: &Macro<'a>,
    ) -> Result<Option<MacroArguments<'a>>, Diagnostic> {
        let outer = std::mem::replace(&mut self.collecting, true);
        let collected = self.collect_arguments(used, definition);
        self.collecting = outer;
        collected
    }

    fn collect_arguments(
        &mut self,
        used: Token<'a>,
        definition: &Macro<'a>,
    ) -> Result<Option<MacroArguments<'a>>, Diagnostic> {
        match self.raw() {
            Some(token) if token.kind == TokenKind::LeftParenthesis => {}
            Some(token) => {
                self.unread(token);
                return Ok(None);
            }
            None => return Ok(None),
        }

        let least = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_u32;
        loop {
            let Some(token) = self.raw() else {
                let message = format!("the arguments of `{}` are never closed", used.text);
                return Err(about(definition, used, message));
            };
            self.spend_tokens(1, used.span);
            match token.kind {
                TokenKind::RightParenthesis if depth == 0 => break,
                TokenKind::RightParenthesis => depth -= 1,
                TokenKind::LeftParenthesis => depth += 1,
                TokenKind::Comma if depth == 0 && !(definition.variadic && arguments.len() >= least) => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }

        counted(arguments, used, definition).map(Some)
    }
}

/// Creates an error at the use of a macro, with a label at its definition.
pub(super) fn about(definition: &Macro<'_>, used: Token<'_>, message: String) -> Diagnostic {
    Diagnostic::error(Code::Preprocessor, used.span, message).with_label(definition.span, "defined here")
}

/// Returns the arguments if their number matches the parameters.
fn counted<'a>(
    mut lists: Vec<Vec<Token<'a>>>,
    used: Token<'a>,
    definition: &Macro<'a>,
) -> Result<MacroArguments<'a>, Diagnostic> {
    let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
    let is_empty = matches!(lists.as_slice(), [only] if only.is_empty());

    // `F()` passes no argument to a macro without parameters, and one empty argument to any other.
    if wanted == 0 && is_empty {
        lists.clear();
    }

    let omits_variable = definition.variadic && (lists.len() + 1 == wanted || wanted == 1 && is_empty);
    if omits_variable && lists.len() < wanted {
        lists.push(Vec::new());
    }

    if lists.len() == wanted {
        return Ok(MacroArguments { lists, omits_variable });
    }
    let message = format!("macro `{}` takes {wanted} arguments, but {} were given", used.text, lists.len());
    Err(about(definition, used, message))
}

impl<'a> Preprocessor<'a> {
    /// Returns the tokens that `used` stands for, or `None` beyond the budget.
    pub(super) fn substitute(
        &mut self,
        used: Token<'a>,
        definition: &Macro<'a>,
        parts: &[ReplacementPart<'a>],
        arguments: MacroArguments<'a>,
    ) -> Option<Vec<Token<'a>>> {
        let expanded = vec![None; arguments.lists.len()];
        let mut filling = Substitution { definition, used, arguments, expanded, out: Vec::new(), last_is_empty: true };
        for (index, part) in parts.iter().enumerate() {
            let pastes = |at: Option<usize>| at.and_then(|at| parts.get(at)) == Some(&ReplacementPart::Paste);
            let (is_right, is_left) = (pastes(index.checked_sub(1)), pastes(index.checked_add(1)));
            let tokens = self.operand(&mut filling, part, is_right, is_left)?;
            self.spend_tokens(tokens.len(), used.span)?;
            if *part == ReplacementPart::Paste {
                continue;
            }
            let joins = is_right && !filling.swallows_comma(part);
            self.append(&mut filling, tokens, joins)?;
        }

        // The first token takes the place of the name, for the white space before it.
        if let Some(first) = filling.out.first_mut() {
            first.spaced = used.spaced;
        }
        Some(filling.out)
    }

    /// Returns the tokens of one part of a replacement, which may be an operand of `##`.
    fn operand(
        &mut self,
        filling: &mut Substitution<'a, '_>,
        part: &ReplacementPart<'a>,
        is_right: bool,
        is_left: bool,
    ) -> Option<Vec<Token<'a>>> {
        let mut tokens = match *part {
            ReplacementPart::Paste => return Some(Vec::new()),
            ReplacementPart::Token(token) => return Some(vec![Token { span: filling.used.span, ..token }]),
            ReplacementPart::Stringised(hash, index) => {
                return self.stringise(hash, &filling.arguments.lists[index], filling.used).map(|text| vec![text]);
            }
            ReplacementPart::Parameter(_, index) if is_right && !is_left && filling.swallows_comma(part) => {
                if filling.arguments.omits_variable {
                    filling.out.pop();
                }
                self.expanded_argument(filling, index)
            }
            ReplacementPart::Parameter(_, index) if is_right || is_left => filling.arguments.lists[index].clone(),
            ReplacementPart::Parameter(_, index) => self.expanded_argument(filling, index),
        };

        if let (ReplacementPart::Parameter(parameter, _), Some(first)) = (part, tokens.first_mut()) {
            first.spaced = parameter.spaced;
        }
        Some(tokens)
    }

    fn expanded_argument(&mut self, filling: &mut Substitution<'a, '_>, index: usize) -> Vec<Token<'a>> {
        if let Some(expanded) = &filling.expanded[index] {
            return expanded.clone();
        }
        let expanded = self.expand_alone(filling.arguments.lists[index].clone());
        filling.expanded[index].insert(expanded).clone()
    }

    /// Appends the tokens of an operand. With `##`, pastes the first one to the last output token.
    fn append(&mut self, filling: &mut Substitution<'a, '_>, tokens: Vec<Token<'a>>, pasted: bool) -> Option<()> {
        if !pasted || filling.last_is_empty {
            filling.last_is_empty = tokens.is_empty();
            filling.out.extend(tokens);
            return Some(());
        }

        let mut tokens = tokens.into_iter();
        let (Some(right), Some(left)) = (tokens.next(), filling.out.last().copied()) else { return Some(()) };
        self.spend_bytes(left.text.len() + right.text.len(), filling.used.span)?;

        let text: &str = self.made.alloc_str(&[left.text, right.text].concat());
        if let Some(kind) = single(text) {
            filling.out.pop();
            filling.out.push(Token { kind, text, span: filling.used.span, spaced: left.spaced });
        } else {
            let message = format!("`{}` and `{}` do not form a token", left.text, right.text);
            self.report(about(filling.definition, filling.used, message));
            filling.out.push(right);
        }

        filling.out.extend(tokens);
        Some(())
    }

    fn stringise(&mut self, hash: Token<'a>, argument: &[Token<'a>], used: Token<'a>) -> Option<Token<'a>> {
        let mut text = String::from("\"");
        for (index, token) in argument.iter().enumerate() {
            if index > 0 && token.spaced {
                text.push(' ');
            }
            if token.kind == TokenKind::Text {
                text += &token.text.replace('\\', "\\\\").replace('"', "\\\"");
            } else {
                text += token.text;
            }
        }

        text.push('"');
        self.spend_bytes(text.len(), used.span)?;
        let made =
            Token { kind: TokenKind::Text, text: self.made.alloc_str(&text), span: used.span, spaced: hash.spaced };
        if single(made.text) != Some(TokenKind::Text) {
            self.report(Diagnostic::error(
                Code::Preprocessor,
                used.span,
                format!("{text} is not a valid string literal"),
            ));
        }
        Some(made)
    }
}

impl Substitution<'_, '_> {
    /// Returns true if `part` is the `__VA_ARGS__` of `, ##__VA_ARGS__`.
    fn swallows_comma(&self, part: &ReplacementPart<'_>) -> bool {
        let last = self.definition.parameters.as_ref().and_then(|names| names.len().checked_sub(1));
        let is_last = matches!(part, ReplacementPart::Parameter(_, index) if Some(*index) == last);
        is_last && self.definition.variadic && self.out.last().is_some_and(|token| token.kind == TokenKind::Comma)
    }
}
