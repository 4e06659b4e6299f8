//! Checks the nesting, chains and array sizes of a run of tokens, which decide naga's recursion depth and memory use.

use super::tokens::{LimitToken, LimitTokenKind};
use super::{DEEPEST, DEEPEST_TEMPLATE, FileText, MOST_ELEMENTS, MOST_ELSE_IFS, MOST_OPERATORS};
use crate::diagnostics::Diagnostic;

/// Checks that nothing in these tokens nests too deep, is chained too long or has too many elements.
pub(super) fn check_shape(tokens: &[LimitToken<'_>], place: FileText<'_>) -> Result<(), Diagnostic> {
    let mut shape = NestingState::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| tokens.get(index));
        match token.kind {
            LimitTokenKind::Sign => shape.add_sign(token, before, &tokens[index + 1..]),
            LimitTokenKind::Word => shape.add_word(token, before),
            LimitTokenKind::Number | LimitTokenKind::Directive => {}
        }
        shape.check(token, place)?;
    }
    Ok(())
}

/// The open brackets at a token, and the counts with limits.
#[derive(Debug)]
struct NestingState {
    /// The enclosing brackets, outermost first. The first entry is the text itself.
    open: Vec<OpenBracket>,
    /// Operators since the start of the expression.
    operators: usize,
    /// Number of `<` after a name without a matching `>`.
    templates: usize,
    /// Enclosing statements without braces around the next statement.
    unbraced: usize,
    /// Product of the dimensions so far.
    elements: u64,
}

#[derive(Clone, Copy, Debug)]
struct OpenBracket {
    is_brace: bool,
    /// Number of consecutive `else if` inside it.
    else_ifs: usize,
}

impl NestingState {
    fn new() -> Self {
        let text = OpenBracket { is_brace: true, else_ifs: 0 };
        Self { open: vec![text], operators: 0, templates: 0, unbraced: 0, elements: 1 }
    }

    fn add_sign(&mut self, sign: &LimitToken<'_>, before: Option<&LimitToken<'_>>, behind: &[LimitToken<'_>]) {
        match sign.text {
            "[" => {
                // `a[2][3]`: a further dimension follows directly after the one before.
                let goes_on = before.is_some_and(|before| before.text == "]");
                let outer = if goes_on { self.elements } else { 1 };
                self.elements = outer.saturating_mul(constant(behind));
                self.operators += 1;
                self.open.push(OpenBracket { is_brace: false, else_ifs: 0 });
            }
            "(" => self.open.push(OpenBracket { is_brace: false, else_ifs: 0 }),
            "{" => {
                self.end_statement();
                self.open.push(OpenBracket { is_brace: true, else_ifs: 0 });
            }
            ")" | "]" => self.close(),
            "}" => {
                self.close();
                self.end_statement();
            }
            // The two semicolons in a `for` header end no statement.
            ";" if self.innermost().is_brace => self.end_statement(),
            ";" => (self.operators, self.templates) = (0, 0),
            "," => self.operators = 0,
            other => {
                self.operators += 1;
                match other {
                    "<" if before.is_some_and(|before| before.kind == LimitTokenKind::Word) => self.templates += 1,
                    ">" => self.templates = self.templates.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    fn add_word(&mut self, word: &LimitToken<'_>, before: Option<&LimitToken<'_>>) {
        let behind_else = before.is_some_and(|before| before.text == "else");
        match word.text {
            "if" => {
                self.unbraced += 1;
                let else_ifs = &mut self.innermost().else_ifs;
                *else_ifs = if behind_else { *else_ifs + 1 } else { 0 };
            }
            "for" | "while" | "do" | "switch" | "loop" | "else" => self.unbraced += 1,
            _ => {}
        }
    }

    fn innermost(&mut self) -> &mut OpenBracket {
        self.open.last_mut().expect("the text itself is never closed")
    }

    fn close(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    fn end_statement(&mut self) {
        (self.operators, self.templates, self.unbraced) = (0, 0, 0);
    }

    fn check(&mut self, token: &LimitToken<'_>, place: FileText<'_>) -> Result<(), Diagnostic> {
        let start = token.start;
        let exceeded = |message: String| Err(place.exceeded(start, message));

        if self.open.len() > DEEPEST + 1 {
            return Err(place.too_deep(start, "brackets", DEEPEST));
        }
        if self.templates > DEEPEST_TEMPLATE {
            return Err(place.too_deep(start, "template arguments", DEEPEST_TEMPLATE));
        }
        if self.unbraced > DEEPEST {
            return Err(place.too_deep(start, "statements without braces", DEEPEST));
        }
        if self.operators > MOST_OPERATORS {
            return exceeded(format!("an expression of more than {MOST_OPERATORS} operators"));
        }
        if self.innermost().else_ifs > MOST_ELSE_IFS {
            return exceeded(format!("an `if` with more than {MOST_ELSE_IFS} `else if`"));
        }
        if self.elements > MOST_ELEMENTS {
            return exceeded(format!("an array of more than {MOST_ELEMENTS} elements"));
        }

        Ok(())
    }
}

/// Evaluates the constant before the next `]`: a number, or a number shifted by another. 1 for
/// anything else, which only naga can evaluate.
fn constant(tokens: &[LimitToken<'_>]) -> u64 {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    let number = |index: usize| tokens.get(index).and_then(|token| literal(token.text));
    let value = match (text(1), text(2), text(4)) {
        ("]", _, _) => number(0),
        ("<", "<", "]") => number(0).zip(number(3)).map(|(value, shift)| {
            let shift = u32::try_from(shift).unwrap_or(u32::MAX);
            value.saturating_mul(2_u64.saturating_pow(shift))
        }),
        _ => None,
    };
    value.unwrap_or(1)
}

/// Parses an integer literal of GLSL or WGSL.
fn literal(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['u', 'U', 'i']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}
