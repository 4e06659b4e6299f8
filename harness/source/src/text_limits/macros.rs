//! Counts the tokens that macros expand to, without expanding them.
//!
//! For a macro with several definitions the largest counts, and conditions are ignored. So the
//! count is an upper bound, except for macros that are pasted together from pieces.

use std::collections::{HashMap, HashSet};

use super::tokens::{LimitToken, LimitTokenKind};
use super::{FileText, MOST_TOKENS};
use crate::diagnostics::Diagnostic;

/// Maximum nesting depth of macros in macros.
const DEEPEST_MACRO: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Macros<'a> {
    definitions: HashMap<&'a str, Vec<MacroDefinition<'a>>>,
}

#[derive(Debug)]
struct MacroDefinition<'a> {
    /// Offset of its name in the text.
    start: usize,
    /// `None` for an object-like macro.
    parameters: Option<HashSet<&'a str>>,
    body: Vec<LimitToken<'a>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Expansion {
    /// Tokens of the body itself.
    tokens: u64,
    /// Maximum number of times that an argument is repeated.
    repeats: u64,
    takes_arguments: bool,
}

/// Progress of measuring one macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MacroState {
    /// In progress: inside its own body a macro is not expanded.
    Begun,
    Done(Expansion),
}

impl<'a> Macros<'a> {
    /// Records a directive if it is a `define`; ignores all others.
    pub(super) fn define(&mut self, directive: &[LimitToken<'a>]) {
        let [keyword, name, rest @ ..] = directive else { return };
        if keyword.text != "define" {
            return;
        }

        let is_function =
            rest.first().is_some_and(|next| next.text == "(" && next.start == name.start + name.text.len());
        let end = rest.iter().position(|token| token.text == ")").filter(|_| is_function);
        let parameters = end.map(|end| {
            let words = rest[..end].iter().filter(|token| token.kind == LimitTokenKind::Word);
            words.map(|token| token.text).collect()
        });

        let body = end.map_or(rest, |end| &rest[end + 1..]).to_vec();
        let definition = MacroDefinition { start: name.start, parameters, body };
        self.definitions.entry(name.text).or_default().push(definition);
    }

    pub(super) fn check_expansion(&self, code: &[LimitToken<'a>], place: FileText<'a>) -> Result<(), Diagnostic> {
        let mut measuring = MacroMeasurement { macros: self, known: HashMap::new(), place };
        let mut total = Counter::default();
        for (index, token) in code.iter().enumerate() {
            let expansion = measuring.expansion(token, 0)?;
            total.add(token, expansion, code.get(index + 1));
            if total.tokens > MOST_TOKENS {
                let message = format!("after macro expansion this has more than {MOST_TOKENS} tokens");
                return Err(place.exceeded(token.start, message));
            }
        }
        Ok(())
    }
}

/// Measures each macro once, on first use.
struct MacroMeasurement<'m, 'a> {
    macros: &'m Macros<'a>,
    known: HashMap<&'a str, MacroState>,
    place: FileText<'a>,
}

impl<'a> MacroMeasurement<'_, 'a> {
    /// Returns the size of a token if it is a macro. `depth` counts the macros around it.
    fn expansion(&mut self, token: &LimitToken<'a>, depth: usize) -> Result<Option<Expansion>, Diagnostic> {
        let definitions = self.macros.definitions.get(token.text).filter(|_| token.kind == LimitTokenKind::Word);
        let Some(definitions) = definitions else { return Ok(None) };
        match self.known.get(token.text) {
            Some(MacroState::Begun) => return Ok(None),
            Some(MacroState::Done(expansion)) => return Ok(Some(*expansion)),
            None => {}
        }
        if depth >= DEEPEST_MACRO {
            return Err(self.place.too_deep(definitions[0].start, "macros", DEEPEST_MACRO));
        }

        self.known.insert(token.text, MacroState::Begun);
        let mut largest = Expansion::default();
        for definition in definitions {
            let measured = self.measure(definition, depth + 1)?;
            largest.tokens = largest.tokens.max(measured.tokens);
            largest.repeats = largest.repeats.max(measured.repeats);
            largest.takes_arguments |= measured.takes_arguments;
        }
        self.known.insert(token.text, MacroState::Done(largest));
        Ok(Some(largest))
    }

    /// Measures one definition. Each use of a parameter counts as often as the macros around it repeat it.
    fn measure(&mut self, definition: &MacroDefinition<'a>, depth: usize) -> Result<Expansion, Diagnostic> {
        let mut uses: HashMap<&str, u64> = HashMap::new();
        let mut counter = Counter::default();

        for (index, token) in definition.body.iter().enumerate() {
            if definition.parameters.as_ref().is_some_and(|parameters| parameters.contains(token.text)) {
                let repeated = uses.entry(token.text).or_default();
                *repeated = repeated.saturating_add(counter.factor());
                continue;
            }
            let expansion = self.expansion(token, depth)?;
            counter.add(token, expansion, definition.body.get(index + 1));
        }

        Ok(Expansion {
            tokens: counter.tokens,
            repeats: uses.into_values().max().unwrap_or(0),
            takes_arguments: definition.parameters.is_some(),
        })
    }
}

/// Counts tokens. Those in arguments count as often as the macros around them repeat their arguments.
#[derive(Debug, Default)]
struct Counter {
    tokens: u64,
    /// For each open parenthesis, how often its contents count.
    factors: Vec<u64>,
    /// Repeat count for the next parenthesis if it holds a macro's arguments.
    of_arguments: u64,
}

impl Counter {
    fn factor(&self) -> u64 {
        self.factors.last().copied().unwrap_or(1)
    }

    /// Counts a token. A macro has an `expansion`, and `next` shows if arguments follow.
    fn add(&mut self, token: &LimitToken<'_>, expansion: Option<Expansion>, next: Option<&LimitToken<'_>>) {
        let factor = self.factor();
        let tokens = expansion.map_or(1, |expansion| expansion.tokens);
        self.tokens = self.tokens.saturating_add(factor.saturating_mul(tokens));

        match token.text {
            "(" => {
                self.factors.push(factor.saturating_mul(self.of_arguments.max(1)));
                self.of_arguments = 1;
            }
            ")" => {
                self.factors.pop();
            }
            _ => {}
        }

        let called = expansion.filter(|expansion| expansion.takes_arguments);
        if let (Some(called), Some("(")) = (called, next.map(|next| next.text)) {
            self.of_arguments = called.repeats;
        }
    }
}
