//! The order in which a body evaluates its uses, and in which its blocks are copied into a caller.
//!
//! An expression is evaluated where it ends: arguments before the enclosing call, an index before
//! the value that it indexes. In addition, the last argument of a call comes first, the right side
//! of an assignment before the left, and the step of a `for` after its body (measured with DXC
//! 1.7.2308, whose bindings of struct members depend on this order).
//!
//! DXC's inliner follows the last successor of each block first. So the code after an `if` comes
//! before its branch, the code after a loop before its body, and also before the second operand of
//! an `&&` in the condition of an `if` (measured with DXC 1.7.2308). This module treats `?:` and
//! `switch` as if they had no branches.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::{STATEMENT_TOKENS, statement_end};
use crate::module::{Life, Use};
use crate::parser::BracketedTokens;
use layoutproof_preprocess::lexer::TokenKind;

#[derive(Debug)]
pub(super) struct UseDraft {
    pub(super) used: Use,
    /// Its first token.
    pub(super) at: usize,
    /// The token after its last one, and after the `)` of a call.
    pub(super) end: usize,
    /// For each argument of a call that is a path, the first token of the path.
    pub(super) arguments: Vec<Option<usize>>,
}

/// Tokens from `start` to `middle`, which are evaluated after those from `middle` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationSwap {
    pub(super) start: usize,
    pub(super) middle: usize,
    pub(super) end: usize,
}

/// Maximum length of a swap (tokens), which keeps the time linear. A longer loop keeps the order of its text.
const LONGEST_SWAP: usize = 4096;

/// Returns the uses in the order of evaluation, and a map from each use's first token to its index.
pub(super) fn evaluated(
    mut drafts: Vec<UseDraft>,
    mut swaps: Vec<EvaluationSwap>,
) -> (Vec<Use>, BTreeMap<usize, usize>) {
    drafts.sort_by_key(|draft| (draft.end, std::cmp::Reverse(draft.at)));
    let ends: Vec<usize> = drafts.iter().map(|draft| draft.end).collect();
    // Inner swaps come first: a swap inside another one ends earlier or starts later.
    swaps.sort_by_key(|swap| (swap.end, std::cmp::Reverse(swap.start)));

    for swap in swaps.into_iter().filter(|swap| swap.end - swap.start <= LONGEST_SWAP) {
        // The tokens of a swap stay together, so the block keeps its place among the ends.
        let first = ends.partition_point(|end| *end <= swap.start);
        let behind = ends.partition_point(|end| *end <= swap.end);
        drafts[first..behind].sort_by_key(|draft| draft.at < swap.middle);
    }

    let indices: BTreeMap<usize, usize> = drafts.iter().enumerate().map(|(index, draft)| (draft.at, index)).collect();
    let index = |at: &Option<usize>| at.and_then(|at| indices.get(&at).copied());
    let uses = drafts
        .into_iter()
        .map(|draft| Use { arguments: draft.arguments.iter().map(index).collect(), ..draft.used })
        .collect();
    (uses, indices)
}

/// Returns the uses whose tokens are in `range`, in the order of evaluation.
pub(super) fn within(places: &BTreeMap<usize, usize>, range: Range<usize>) -> Vec<usize> {
    let mut found: Vec<usize> = places.range(range).map(|(_, index)| *index).collect();
    found.sort_unstable();
    found
}

/// Marks the uses that no path through the body reaches as dead.
pub(super) fn kill_the_rest(uses: &mut [Use], reached: &[usize]) {
    let reached: BTreeSet<usize> = reached.iter().copied().collect();
    for (index, used) in uses.iter_mut().enumerate() {
        if used.life == Life::Live && !reached.contains(&index) {
            used.life = Life::Dead;
        }
    }
}

/// Maximum number of statements. A longer body keeps the order of evaluation.
const MOST_STATEMENTS: usize = 1 << 14;

/// Maximum nesting of blocks, which keeps the stack small.
const DEEPEST: usize = 256;

/// Statements still to be executed, those of the innermost block first.
#[derive(Debug)]
struct PendingBlocks {
    range: Range<usize>,
    outer: Option<Rc<PendingBlocks>>,
    depth: usize,
}

type Continuation = Option<Rc<PendingBlocks>>;

#[derive(Debug)]
struct FlowWalk<'s, 't> {
    source: &'s BracketedTokens<'t>,
    order: Vec<Range<usize>>,
    /// Statements already in the order, by their first token.
    seen: HashSet<usize>,
    /// Paths to follow later, the next one last.
    later: Vec<Continuation>,
    /// True if a statement is too long for its end to be looked for.
    is_cut: bool,
}

/// Returns the tokens of a body in the order in which they are copied, without the code after a
/// `return`. `None` if the body is too long.
pub(super) fn copied(source: &BracketedTokens<'_>, body: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut flow = FlowWalk { source, order: Vec::new(), seen: HashSet::new(), later: Vec::new(), is_cut: false };
    flow.later.push(Some(before(body, &None)));

    let mut steps = 0;
    while let Some(path) = flow.later.pop() {
        let mut next = path;
        while let Some(rest) = next {
            steps += 1;
            if steps > MOST_STATEMENTS || rest.depth > DEEPEST {
                return None;
            }
            next = flow.statement(&rest);
        }
    }

    (!flow.is_cut).then_some(flow.order)
}

fn before(range: Range<usize>, outer: &Continuation) -> Rc<PendingBlocks> {
    let depth = outer.as_ref().map_or(0, |outer| outer.depth + 1);
    Rc::new(PendingBlocks { range, outer: outer.clone(), depth })
}

impl FlowWalk<'_, '_> {
    /// Visits the first statement of `rest`. Returns where the path continues.
    fn statement(&mut self, rest: &PendingBlocks) -> Continuation {
        let Range { start, end } = rest.range;
        if start >= end {
            return rest.outer.clone();
        }
        if self.source.token(start).kind == TokenKind::LeftBracket {
            // `[unroll]` and similar attributes.
            return Some(before(self.source.closer(start) + 1..end, &rest.outer));
        }
        let token = self.source.token(start);
        let close = self.source.closer(start + 1);
        let behind = |at: usize| Some(before(at..end, &rest.outer));
        if token.kind == TokenKind::LeftBrace {
            let close = self.source.closer(start);
            return Some(before(start + 1..close, &behind(close + 1)));
        }
        match token.text {
            // A path never returns to a condition, only to the statement after it.
            "if" => self.branch(start, close, rest),
            "while" => {
                let body = self.statement_end(close + 1);
                self.take(start, close + 1)?;
                self.later.push(Some(before(close + 1..body, &None)));
                behind(body)
            }
            "for" => self.counted(start, close, rest),
            "do" => {
                let body = self.statement_end(start + 1);
                Some(before(start + 1..body, &behind(body)))
            }
            _ => {
                let after = self.statement_end(start).clamp(start + 1, end);
                self.take(start, after)?;
                if matches!(token.text, "return" | "break" | "continue" | "discard") { None } else { behind(after) }
            }
        }
    }

    fn statement_end(&mut self, start: usize) -> usize {
        let end = statement_end(self.source, start);
        self.is_cut |= end == start;
        end
    }

    fn branch(&mut self, start: usize, close: usize, rest: &PendingBlocks) -> Continuation {
        let Range { end, .. } = rest.range;
        let branch = self.statement_end(close + 1);
        let operand = self.first_operand(start, close);
        self.take(start, operand)?;
        let has_else = branch < end && self.source.token(branch).text == "else";
        let after = if has_else { self.statement_end(branch + 1) } else { branch };
        let behind = Some(before(after..end, &rest.outer));
        let taken = Some(before(close + 1..branch, &behind));
        self.later.push(if operand < close { Some(before(operand..close, &taken)) } else { taken });
        if has_else { Some(before(branch + 1..after, &behind)) } else { behind }
    }

    /// Returns the end of the part that is always evaluated: the first operand of `&&`, or else the whole condition.
    fn first_operand(&self, start: usize, close: usize) -> usize {
        let mut at = start + 2;
        let mut first = None;
        for _ in 0..STATEMENT_TOKENS {
            if at >= close {
                break;
            }
            match self.source.token(at).kind {
                TokenKind::Or | TokenKind::Question => return close + 1,
                TokenKind::And => first = first.or(Some(at)),
                _ => {}
            }
            at = self.source.closer(at) + 1;
        }

        first.unwrap_or(close + 1)
    }

    /// Visits a `for`: first its initialiser and condition, then the code after it, later its body and step.
    fn counted(&mut self, start: usize, close: usize, rest: &PendingBlocks) -> Continuation {
        let body = self.statement_end(close + 1);
        let mut semicolons =
            (start..close).take(STATEMENT_TOKENS).filter(|at| self.source.token(*at).kind == TokenKind::Semicolon);
        let step = semicolons.nth(1).unwrap_or(close);
        self.take(start, step)?;
        let step = before(step + 1..close, &None);
        self.later.push(Some(before(close + 1..body, &Some(step))));
        Some(before(body..rest.range.end, &rest.outer))
    }

    /// Appends tokens to the order, or returns `None` if they are already in it.
    fn take(&mut self, start: usize, end: usize) -> Option<()> {
        self.seen.insert(start).then(|| self.order.push(start..end))
    }
}
