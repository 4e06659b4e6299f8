//! From the order of the text to the order in which the code evaluates.
//!
//! An expression is evaluated where it ends: arguments before the call around them, an index before what it indexes. On
//! top of that the last argument of a call comes first, the right side of an assignment before the left one, and the
//! step of a `for` behind its body (measured with DXC 1.7.2308, whose bindings of struct members depend on it).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::module::{Life, Use};

/// A use with its place.
#[derive(Debug)]
pub(super) struct UseDraft {
    pub(super) used: Use,
    /// Its first token.
    pub(super) at: usize,
    /// The token behind its last one, a call's `)` included.
    pub(super) end: usize,
    /// For each argument of a call the first token of the path that it is.
    pub(super) arguments: Vec<Option<usize>>,
}

/// Tokens from `start` to `middle` that are evaluated behind those from `middle` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationSwap {
    pub(super) start: usize,
    pub(super) middle: usize,
    pub(super) end: usize,
}

/// A longer loop keeps the order of its text, which keeps the time linear (tokens).
const LONGEST_SWAP: usize = 4096;

/// The uses in the order of evaluation, and for each its first token with its index, in the order of the text.
pub(super) fn evaluated(
    mut drafts: Vec<UseDraft>,
    mut swaps: Vec<EvaluationSwap>,
) -> (Vec<Use>, BTreeMap<usize, usize>) {
    drafts.sort_by_key(|draft| (draft.end, std::cmp::Reverse(draft.at)));
    let ends: Vec<usize> = drafts.iter().map(|draft| draft.end).collect();
    // Inner swaps come first: those that are inside another one end earlier or start later.
    swaps.sort_by_key(|swap| (swap.end, std::cmp::Reverse(swap.start)));

    for swap in swaps.into_iter().filter(|swap| swap.end - swap.start <= LONGEST_SWAP) {
        // What a swap moves stays together, so that the block keeps its place among the ends.
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

/// The uses among the tokens of `range`, in the order of evaluation.
pub(super) fn within(places: &BTreeMap<usize, usize>, range: Range<usize>) -> Vec<usize> {
    let mut found: Vec<usize> = places.range(range).map(|(_, index)| *index).collect();
    found.sort_unstable();
    found
}

/// Marks as dead what no path through the body comes to.
pub(super) fn kill_the_rest(uses: &mut [Use], reached: &[usize]) {
    let reached: BTreeSet<usize> = reached.iter().copied().collect();
    for (index, used) in uses.iter_mut().enumerate() {
        if used.life == Life::Live && !reached.contains(&index) {
            used.life = Life::Dead;
        }
    }
}
