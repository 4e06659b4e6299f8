//! Collects the arguments of a use of a function-like macro.
//!
//! Source: ISO C11, 6.10.3, paragraphs 10 to 12.

use super::Preprocessor;
use super::definition::Macro;
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The arguments of one use.
#[derive(Debug, Default)]
pub(super) struct MacroArguments<'a> {
    /// The tokens of each argument.
    pub(super) lists: Vec<Vec<Token<'a>>>,
    /// True if there is no variable argument, not even an empty one.
    pub(super) omits_variable: bool,
}

impl<'a> Preprocessor<'a> {
    /// Collects the arguments after the name `used`. Returns `Ok(None)` if no `(` follows.
    ///
    /// # Errors
    /// An unclosed list, or one with the wrong length.
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
