//! Records the names that function bodies use: access paths in the order of evaluation, calls, and
//! code inside `if (false)`.
//!
//! A body is read twice. `tree` and `expression` read its statements, with the functions that calls run; a body that
//! they do not understand has no tree. The walk over the tokens, which understands every body, then records the names.
//! For it two names in a row look like the declaration of a local variable, and the second name counts as local, and is
//! left out, until the end of its block. A local that only renames a path (`S t = s;`) stands for that path.

mod calls;
mod expression;
mod names;
mod order;
mod path;
mod range;
mod tree;
mod value;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use calls::{Calls, FunctionInstance, FunctionPiece};
use layoutproof_layout::shape::StructType;
use names::Catalogue;
use order::{EvaluationSwap, UseDraft};
use path::{LocalMeaning, Locals};
use range::{LoopRange, ReturnedComparison};

use super::entry::ScopedFunction;
use super::lookup::LookupContext;
use super::scope::ScopeId;
use super::{BodyInstance, Elaborator, builtin};
use crate::ast::{ArgumentSyntax, FunctionDeclaration, FunctionParameter, Item, TypeKind};
use crate::module::{Callees, Function, Life};
use crate::parser::{BracketedTokens, ExpressionContext, Parser};
use layoutproof_preprocess::lexer::TokenKind;

/// Words that cannot be the type in a declaration.
const NO_TYPE: [&str; 12] =
    ["return", "else", "case", "in", "out", "inout", "new", "throw", "discard", "is", "as", "const"];

/// Words that use nothing.
const WORDS: [&str; 21] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "discard", "const",
    "static", "struct", "true", "false", "in", "out", "inout", "precise",
];

/// Maximum length of a statement without braces (tokens), which keeps the walk linear.
const STATEMENT_TOKENS: usize = 256;

/// Maximum number of steps in an aliased path, so that aliases of aliases do not grow without end.
const LONGEST_ALIAS: usize = 64;

#[derive(Debug)]
struct BodyWalk<'e, 't> {
    elaborator: &'e mut Elaborator<'t>,
    source: &'t BracketedTokens<'t>,
    context: LookupContext,
    locals: Locals<'t>,
    /// The path at this token is the target of an alias, and not a use itself.
    renamed: Option<usize>,
    /// Tokens before this one are dead code.
    dead_until: usize,
    /// Tokens before this one are dead code to an optimiser.
    optimised_until: usize,
    /// Token ranges that are dead once the walk reaches them, the next one last.
    dead_later: Vec<DeadRange>,
    drafts: Vec<UseDraft>,
    swaps: Vec<EvaluationSwap>,
    /// The enclosing loops with a known range.
    counted: Vec<LoopRange<'t>>,
    comparisons: &'e HashMap<&'t str, ReturnedComparison>,
    calls: &'e mut Calls<'t>,
    /// The struct that the method belongs to.
    this: Option<Arc<StructType>>,
    /// The functions that calls of access paths run, by the first token of the path.
    callees: HashMap<usize, Callees>,
    /// The functions that calls run, by the token of the call: `(`, `[` or an operator.
    runs: HashMap<usize, Callees>,
    /// Tokens of calls without a path.
    drafted: HashSet<usize>,
    /// Calls without a path, by their token, until the walk comes there; with the `(` before their arguments, if any.
    unplaced: BTreeMap<usize, Vec<(UseDraft, Option<usize>)>>,
    /// The token of the next name to be declared.
    declared: Option<usize>,
}

/// Tokens that never run.
#[derive(Clone, Copy, Debug)]
struct DeadRange {
    start: usize,
    end: usize,
    /// Dead in any case, or only to an optimiser.
    life: Life,
}

impl<'t> Elaborator<'t> {
    /// Records the uses in every function body and in the initialisers of `static` variables.
    /// `roots` are the scopes of the `modules`.
    pub(super) fn bodies(&mut self, functions: &[ScopedFunction<'t>], modules: &[&'t [Item<'t>]], roots: &[ScopeId]) {
        let comparisons = range::comparisons(self.source, functions);
        let catalogue = Catalogue::new(self, functions, modules, roots);
        let mut calls = Calls::new(functions.to_vec(), catalogue);
        for (function, &ScopedFunction { declaration, scope }) in functions.iter().enumerate() {
            let context = LookupContext::plain(scope);
            let this = calls.catalogue.structure(scope).and_then(|id| self.finished_struct(id, &context));
            let instance = FunctionInstance { function, context, this, piece: FunctionPiece::Body };
            let name = self.symbols.qualified(scope, declaration.name.text);
            calls.index(instance, || name);
        }
        self.initialisers(&mut calls);
        self.static_variables(&mut calls);
        // Walking a function may add further ones to the queue.
        while let Some(instance) = calls.queue.pop_front() {
            let name = calls.name(self.module.functions.len()).to_owned();
            let function = self.function(&mut calls, &instance, name, &comparisons);
            self.module.functions.push(function);
        }

        let patch_constants = patch_constants(functions);
        for function in &mut self.module.functions {
            function.exported |= patch_constants.contains(function.name.as_str());
        }
    }

    fn function(
        &mut self,
        calls: &mut Calls<'t>,
        instance: &FunctionInstance,
        name: String,
        comparisons: &HashMap<&'t str, ReturnedComparison>,
    ) -> Function {
        let FunctionInstance { function, context, this, piece } = instance.clone();
        let declared = calls.functions[function].declaration;
        let parameters = declared.parameters.as_deref().unwrap_or_default();
        let (types, pieces) = match piece {
            FunctionPiece::Body => {
                let types = parameters.iter().map(|parameter| self.parameter_type(parameter, &context)).collect();
                (types, declared.body.iter().cloned().collect())
            }
            FunctionPiece::Defaults(first) => {
                let defaults = (first..parameters.len()).filter_map(|at| calls.default_of(function, at));
                (Vec::new(), defaults.map(|parameter| parameter.declarator.initialised.clone()).collect::<Vec<_>>())
            }
        };

        if let (FunctionPiece::Body, [body]) = (piece, pieces.as_slice()) {
            self.read_bodies.push(BodyInstance { tokens: body.clone(), context: context.clone() });
        }
        let mut walk = BodyWalk::new(self, calls, comparisons, context, this);
        for ((index, parameter), ty) in parameters.iter().enumerate().zip(types) {
            let local = if is_plain(parameter) { LocalMeaning::Variable } else { LocalMeaning::Parameter(index) };
            walk.locals.declare(parameter.declarator.name.text, local, ty);
        }
        let clipped = if piece == FunctionPiece::Body { clip_planes(declared) } else { 0..0 };
        let code = match piece {
            FunctionPiece::Body => walk.tree(function),
            FunctionPiece::Defaults(_) => {
                pieces.iter().cloned().for_each(|piece| drop(walk.reader().whole(piece)));
                None
            }
        };
        walk.run(clipped.clone());
        for piece in pieces.iter().cloned() {
            walk.run(piece);
        }
        let (mut uses, places) = order::evaluated(walk.drafts, walk.swaps);

        let flow = match (piece, pieces.as_slice()) {
            (FunctionPiece::Body, [body]) => order::copied(self.source, body.clone()),
            (FunctionPiece::Body | FunctionPiece::Defaults(_), _) => None,
        };
        let copied: Vec<usize> = match flow {
            Some(ranges) => {
                std::iter::once(clipped).chain(ranges).flat_map(|range| order::within(&places, range)).collect()
            }
            None => (0..uses.len()).collect(),
        };
        order::kill_the_rest(&mut uses, &copied);
        let exported = piece == FunctionPiece::Body && is_compiled_in_libraries(declared);
        Function { name, uses, copied, code, exported, span: declared.name.span }
    }
}

impl<'e, 't> BodyWalk<'e, 't> {
    fn new(
        elaborator: &'e mut Elaborator<'t>,
        calls: &'e mut Calls<'t>,
        comparisons: &'e HashMap<&'t str, ReturnedComparison>,
        context: LookupContext,
        this: Option<Arc<StructType>>,
    ) -> Self {
        let mut locals = Locals::default();
        locals.open();
        Self {
            source: elaborator.source,
            context,
            elaborator,
            locals,
            renamed: None,
            dead_until: 0,
            optimised_until: 0,
            dead_later: Vec::new(),
            drafts: Vec::new(),
            swaps: Vec::new(),
            counted: Vec::new(),
            comparisons,
            calls,
            this,
            callees: HashMap::new(),
            runs: HashMap::new(),
            drafted: HashSet::new(),
            unplaced: BTreeMap::new(),
            declared: None,
        }
    }
}

impl BodyWalk<'_, '_> {
    fn run(&mut self, body: Range<usize>) {
        let mut at = body.start;
        while at < body.end {
            while let Some(DeadRange { end, life, .. }) = self.dead_later.pop_if(|dead| dead.start <= at) {
                match life {
                    Life::Live => {}
                    Life::Optimised => self.optimised_until = self.optimised_until.max(end),
                    Life::Dead => self.dead_until = self.dead_until.max(end),
                }
            }

            for (mut draft, open) in self.unplaced.remove(&at).unwrap_or_default() {
                draft.used.life = self.life(at);
                draft.arguments = open.map_or_else(Vec::new, |open| self.arguments(open));
                self.drafts.push(draft);
            }
            let token = self.source.token(at);
            if token.text == "sizeof" && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
                // The operand of `sizeof` is not evaluated.
                at = self.source.closer(at + 1) + 1;
                continue;
            }

            self.declaration_ahead(at);
            match token.kind {
                TokenKind::LeftBrace => self.locals.open(),
                TokenKind::RightBrace => self.locals.close(),
                // An attribute such as `[unroll]`, not an index.
                TokenKind::LeftBracket if self.starts_statement(at) => at = self.source.closer(at),
                TokenKind::Identifier => self.word(at),
                _ => {}
            }
            at += 1;
        }
    }

    /// Notes the first name if a declaration of local variables begins at `at`.
    fn declaration_ahead(&mut self, at: usize) {
        let token = self.source.token(at);
        let before = self.source.token(at.saturating_sub(1));
        let is_header =
            || at >= 2 && before.kind == TokenKind::LeftParenthesis && self.source.token(at - 2).text == "for";
        let is_start = self.starts_statement(at) || before.kind == TokenKind::Colon || is_header();
        if token.kind != TokenKind::Identifier || !is_start {
            return;
        }

        let mut first = at;
        while matches!(self.source.token(first).text, "const" | "static" | "precise" | "uniform") {
            first += 1;
        }
        if self.source.token(first).kind != TokenKind::Identifier || !self.is_type_name(first) {
            return;
        }

        let written = self.written_type(first).map(|(_, name)| name);
        self.declared = written.filter(|name| self.is_declarator(*name)).or(self.declared);
    }

    /// Returns true if `at` is a name followed by a token that can follow the name of a variable.
    fn is_declarator(&self, at: usize) -> bool {
        let follows = self.source.token(at + 1).kind;
        self.source.token(at).kind == TokenKind::Identifier
            && matches!(follows, TokenKind::Assign | TokenKind::Semicolon | TokenKind::Comma | TokenKind::LeftBracket)
    }

    fn starts_statement(&self, at: usize) -> bool {
        let before = self.source.token(at.saturating_sub(1)).kind;
        matches!(before, TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Semicolon)
    }

    /// Handles the word at `at`: a condition, a loop, a declaration or the first name of an access path.
    fn word(&mut self, at: usize) {
        let token = self.source.token(at);
        let before = self.source.token(at.saturating_sub(1));
        if matches!(token.text, "if" | "while") && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            return self.condition(at + 1);
        }
        if token.text == "for" && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            self.counted_loop(at + 1);
            return self.loop_step(at + 1);
        }

        let is_part = matches!(before.kind, TokenKind::Dot | TokenKind::ColonColon | TokenKind::Arrow)
            || before.text == "template";
        if is_part || self.is_word(at) {
            return;
        }

        // `S s` and `vector<float, 3> v = ...` are declarations; any other name is a use.
        let follows_word = NO_TYPE.contains(&before.text) || (before.text != "struct" && self.is_word(at - 1));
        let follows_type = before.kind == TokenKind::Identifier && !follows_word;
        let follows_arguments =
            before.kind == TokenKind::Greater && self.source.token(at + 1).kind == TokenKind::Assign;
        if follows_type || follows_arguments || self.declared == Some(at) {
            self.declaration(at);
        } else if builtin::builtin(token.text).is_none() || self.is_value_name(token.text) || self.qualifies(at) {
            let end = self.path(at);
            self.assignment(at, end);
        }
    }

    /// Returns true if the token at `at` is a word that uses nothing. `precise` counts only before
    /// a type, since DXC also accepts it as a name.
    fn is_word(&self, at: usize) -> bool {
        let text = self.source.token(at).text;
        WORDS.contains(&text) && (text != "precise" || self.source.token(at + 1).kind == TokenKind::Identifier)
    }

    /// Returns true if `name` is a variable or function here, even if it is a type elsewhere. DXC
    /// and Slang also accept the names of built-in types for variables.
    fn is_value_name(&self, name: &str) -> bool {
        self.locals.find(name).is_some()
            || self.this.as_ref().is_some_and(|this| this.member(name).is_some())
            || self.is_declared_value(name)
    }

    /// Returns true if `::` follows the name at `at`, which is then a namespace or a type of the source.
    fn qualifies(&self, at: usize) -> bool {
        self.source.token(at + 1).kind == TokenKind::ColonColon
    }

    /// Returns true if an enclosing scope declares a variable or function with this name.
    fn is_declared_value(&self, name: &str) -> bool {
        let (symbols, catalogue) = (&self.elaborator.symbols, &self.calls.catalogue);
        let declares =
            |scope| catalogue.variable(scope, name).is_some() || !catalogue.functions(scope, name).is_empty();
        symbols.outwards(self.context.scope).any(declares)
    }

    /// Declares the local variable whose name is at `at`. A non-numeric variable initialised with
    /// an access path becomes an alias of that path.
    fn declaration(&mut self, at: usize) {
        let name = self.source.token(at);
        let is_initialised = self.source.token(at + 1).kind == TokenKind::Assign;
        let path = if is_initialised && !self.is_number(at) {
            self.whole_path(at + 2, self.expression_end(at + 2)).filter(|path| path.len() <= LONGEST_ALIAS)
        } else {
            None
        };
        self.renamed = path.as_ref().map(|_| at + 2);
        let local = path.map_or(LocalMeaning::Variable, |path| LocalMeaning::Alias(path, name.span));
        self.locals.declare(name.text, local, None);

        // `float a = 1, b;`: the next name is also a variable.
        let next = self.expression_end(at + 1) + 1;
        let is_another = self.source.token(next - 1).kind == TokenKind::Comma && self.is_declarator(next);
        let is_upcoming = self.declared.take() == Some(at);
        self.declared = Some(next).filter(|_| is_upcoming && is_another);
    }

    /// Returns true if the variable at `at` has a scalar, vector or matrix type.
    fn is_number(&self, at: usize) -> bool {
        let name = self.source.token(self.type_name(at)).text;
        builtin::numeric(name).is_some() || matches!(name, "vector" | "matrix")
    }

    /// Returns the token of the type name of the variable at `at`, before any generic arguments.
    fn type_name(&self, at: usize) -> usize {
        let first = at.saturating_sub(1);
        if self.source.token(first).kind != TokenKind::Greater {
            return first;
        }
        let start = at.saturating_sub(STATEMENT_TOKENS);
        let opening = (start..at).rev().find(|index| self.source.token(*index).kind == TokenKind::Less);
        opening.unwrap_or(at).saturating_sub(1)
    }

    /// Notes that the right side of an assignment is evaluated before the left side, which spans `start` to `end`.
    fn assignment(&mut self, start: usize, end: usize) {
        let operator = self.source.token(end);
        let is_compound = operator.kind == TokenKind::Other && operator.text.ends_with('=');
        if is_compound || operator.kind == TokenKind::Assign {
            self.swaps.push(EvaluationSwap { start, middle: end, end: self.expression_end(end + 1) });
        }
    }

    /// Notes that the step of the `for` with its `(` at `open` is evaluated after the body.
    fn loop_step(&mut self, open: usize) {
        let close = self.source.closer(open);
        let header = (open..close).take(STATEMENT_TOKENS);
        let mut semicolons = header.filter(|index| self.source.token(*index).kind == TokenKind::Semicolon);
        if let Some(second) = semicolons.nth(1) {
            let end = statement_end(self.source, close + 1);
            self.swaps.push(EvaluationSwap { start: second, middle: close, end });
        }
    }

    /// Marks the code under a condition that is always false, and the `else` of one that is always true.
    fn condition(&mut self, open: usize) {
        if open < self.dead_until {
            return;
        }

        let close = self.source.closer(open);
        let constant = self.constant(open + 1, close).map(|value| value != 0);
        let life = if constant.is_some() { Life::Dead } else { Life::Optimised };
        let Some(holds) = constant.or_else(|| self.decided(open + 1, close)) else { return };

        let first = statement_end(self.source, close + 1);
        if !holds {
            self.dead_later.push(DeadRange { start: close + 1, end: first, life });
        } else if self.source.token(first).text == "else" {
            let start = first + 1;
            self.dead_later.push(DeadRange { start, end: statement_end(self.source, start), life });
        }
    }

    /// Returns the reachability of the code at a token.
    fn life(&self, at: usize) -> Life {
        if at < self.dead_until {
            Life::Dead
        } else if at < self.optimised_until {
            Life::Optimised
        } else {
            Life::Live
        }
    }

    /// Returns the value of the tokens from `start` to `end`, if they form an integer constant.
    fn constant(&mut self, start: usize, end: usize) -> Option<i64> {
        let mut parser = Parser::new(self.source, start);
        let expression = parser.expression(ExpressionContext::Free).ok().filter(|_| parser.position() == end)?;
        let constant = self.elaborator.evaluate(&expression, &self.context).ok()?;
        Some(constant.value)
    }
}

/// Returns true if a parameter is a number, through which no resource is reachable.
fn is_plain(parameter: &FunctionParameter<'_>) -> bool {
    match &parameter.ty.kind {
        TypeKind::Path(path) => path.parts.last().is_some_and(|part| builtin::numeric(part.name.text).is_some()),
        TypeKind::Struct(_) | TypeKind::Enum(_) => false,
    }
}

/// Returns the index after the statement that begins at `start`. Excludes an `else` that belongs to an earlier `if`.
fn statement_end(source: &BracketedTokens<'_>, start: usize) -> usize {
    let (mut at, mut open_ifs) = (start, 0_usize);
    for _ in 0..STATEMENT_TOKENS {
        let token = source.token(at);
        let end = match token.kind {
            TokenKind::LeftBrace => source.closer(at) + 1,
            TokenKind::Semicolon => at + 1,
            TokenKind::RightBrace | TokenKind::End => return at,
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                at = source.closer(at) + 1;
                continue;
            }
            _ => {
                open_ifs += usize::from(token.text == "if");
                at += 1;
                continue;
            }
        };
        if open_ifs == 0 || source.token(end).text != "else" {
            return end;
        }
        open_ifs -= 1;
        at = end + 1;
    }

    start
}

/// Returns true if a library compiles the function although no `[shader]` gives its stage: it is
/// exported, or has an attribute for entry points (measured with DXC 1.7.2308).
fn is_compiled_in_libraries(function: &FunctionDeclaration<'_>) -> bool {
    const OF_ENTRY_POINTS: [&str; 4] = ["domain", "earlydepthstencil", "maxvertexcount", "numthreads"];
    let attributes = &function.prefix.attributes;
    function.prefix.has("export") || attributes.iter().any(|attribute| OF_ENTRY_POINTS.contains(&attribute.name))
}

/// Returns the tokens of the arguments of `[clipplanes(a, b)]`, which DXC reads in the entry point.
pub(super) fn clip_planes(function: &FunctionDeclaration<'_>) -> Range<usize> {
    let mut attributes = function.prefix.attributes.iter();
    attributes.find(|attribute| attribute.name == "clipplanes").map_or(0..0, |attribute| attribute.tokens.clone())
}

/// Returns the functions named by `[patchconstantfunc("name")]`.
fn patch_constants<'t>(functions: &[ScopedFunction<'t>]) -> HashSet<&'t str> {
    let attributes = functions.iter().flat_map(|function| &function.declaration.prefix.attributes);
    let named = attributes.filter(|attribute| attribute.name == "patchconstantfunc");
    let name = |argument: &ArgumentSyntax<'t>| match argument {
        ArgumentSyntax::Text(name) => Some(*name),
        ArgumentSyntax::Value(..) | ArgumentSyntax::Other(_) => None,
    };
    named.filter_map(|attribute| attribute.arguments.first().and_then(name)).collect()
}
