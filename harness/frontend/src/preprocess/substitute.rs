//! Fills arguments into the replacement of a macro: stringising, pasting, replacing.
//!
//! Source: ISO C11, 6.10.3.1 "Argument substitution" to 6.10.3.3 "The ## operator"; for `, ##__VA_ARGS__`, "Variadic
//! Macros" of the GNU C preprocessor's manual.

use super::Preprocessor;
use super::arguments::{MacroArguments, about};
use super::definition::{Macro, ReplacementPart};
use crate::lexer::{Token, TokenKind, single};
use layoutproof_source::diagnostics::{Code, Diagnostic};

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

    /// Converts the argument to a string.
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
