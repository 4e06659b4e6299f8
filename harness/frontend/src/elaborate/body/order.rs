//! Converts the order of the text to the order of evaluation.
//!
//! An expression is evaluated where it ends: arguments before the enclosing call, an index before
//! the value that it indexes. In addition, the last argument of a call comes first, the right side
//! of an assignment before the left, and the step of a `for` after its body (measured with DXC
//! 1.7.2308, whose bindings of struct members depend on this order).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::module::{Life, Use};

/// A use with its place.
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
