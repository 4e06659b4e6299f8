//! Calls of which it is not certain which function they run: what depends on them is found by following all functions
//! that each may run, then only what each runs in any case.

use std::collections::BTreeSet;

use layoutproof_layout::Span;

use crate::bindings::{Binding, BoundModule};
use crate::input::diagnostics::{Code, Diagnostic};

/// How calls are followed that may run several functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bindings) enum CallPolicy {
    /// Into every function that they may run.
    Everything,
    /// As far as all of those functions use the same.
    Least,
}

/// A call that may run several functions, or one or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bindings) struct UncertainCall {
    /// Where it stands.
    pub(in crate::bindings) span: Span,
    /// The name of one of the functions.
    pub(in crate::bindings) function: String,
}

/// A placement with the calls that it was in doubt about.
#[derive(Debug)]
pub(in crate::bindings) struct DoubtfulPlacement {
    pub(in crate::bindings) bound: BoundModule,
    pub(in crate::bindings) doubts: Vec<UncertainCall>,
}

/// The answer of `place`, with a warning for each doubt if the answer depends on them.
///
/// # Errors
/// Those of `place`.
pub(in crate::bindings) fn settle(
    place: impl Fn(CallPolicy) -> Result<DoubtfulPlacement, Vec<Diagnostic>>,
) -> Result<BoundModule, Vec<Diagnostic>> {
    let DoubtfulPlacement { mut bound, mut doubts } = match place(CallPolicy::Everything) {
        Ok(placed) => placed,
        Err(problems) if place(CallPolicy::Least).is_ok() => {
            let help = "whether this is so depends on a call of which it is not certain what it runs";
            return Err(problems.into_iter().map(|problem| problem.with_help(help)).collect());
        }
        Err(problems) => return Err(problems),
    };
    if doubts.is_empty() {
        return Ok(bound);
    }
    let least = place(CallPolicy::Least).map(|placed| placed.bound.bindings).unwrap_or_default();
    let depends = |one: &&Binding, others: &[Binding]| !others.contains(one);
    let more = bound.bindings.iter().filter(|row| depends(row, &least));
    let less = least.iter().filter(|row| depends(row, &bound.bindings));
    bound.uncertain = more.chain(less).map(|row| row.path.clone()).collect();
    if bound.uncertain.is_empty() {
        return Ok(bound);
    }

    doubts.sort_by_key(|doubt| (doubt.span.file, doubt.span.start));
    doubts.dedup();
    let paths = listed(&bound.uncertain);
    bound.warnings.extend(doubts.into_iter().map(|UncertainCall { span, function }| {
        let message = format!("it is not certain whether this runs `{function}`: where {paths} go depends on it");
        let help = "name what the compiler keeps or drops with --used and --unused";
        Diagnostic::warning(Code::UncertainCall, span, message).with_help(help)
    }));
    Ok(bound)
}

/// The first paths, and how many more there are.
fn listed(paths: &BTreeSet<String>) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = paths.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(SHOWN);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}
