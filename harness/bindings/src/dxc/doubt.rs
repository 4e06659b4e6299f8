//! Uncertainty about a placement: which function a call runs, whether the compiler keeps a
//! resource. To find the rows that depend on it, the walk first places everything that may be used,
//! then only what is used in any case.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Binding, BoundModule};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::{CallPolicy, Doubt, UnfollowedCode};

#[derive(Debug)]
pub(crate) struct DoubtfulPlacement {
    pub(crate) bound: BoundModule,
    pub(crate) doubts: Vec<Doubt>,
    /// Paths with numbers in the source. These are certain if the paths are used.
    pub(crate) fixed: BTreeSet<String>,
}

/// Returns the placement by `place`, with a warning for each doubt if the placement depends on the
/// doubts.
pub(crate) fn settle(
    place: impl Fn(CallPolicy) -> Result<DoubtfulPlacement, Vec<Diagnostic>>,
) -> Result<BoundModule, Vec<Diagnostic>> {
    let DoubtfulPlacement { mut bound, mut doubts, fixed } = match place(CallPolicy::Everything) {
        Ok(placed) => placed,
        Err(problems) if place(CallPolicy::Least).is_ok() => {
            let help = "this error depends on what the compiler keeps, which is uncertain";
            return Err(problems.into_iter().map(|problem| problem.with_help(help)).collect());
        }
        Err(problems) => return Err(problems),
    };
    if doubts.is_empty() {
        return Ok(bound);
    }
    let least = place(CallPolicy::Least).map(|placed| placed.bound.bindings).unwrap_or_default();
    let depends = |one: &&Binding, others: &[Binding]| !others.contains(one) && !fixed.contains(&one.path);
    let more = bound.bindings.iter().filter(|row| depends(row, &least));
    let less = least.iter().filter(|row| depends(row, &bound.bindings));
    let uncertain: BTreeSet<String> = more.chain(less).map(|row| row.path.clone()).collect();
    if uncertain.is_empty() {
        return Ok(bound);
    }

    doubts.sort_by_key(|doubt| {
        let span = doubt.span();
        (span.file, span.start)
    });
    doubts.dedup();
    let reason = reason(&doubts);
    let paths = listed(uncertain.iter().map(String::as_str));
    bound.warnings.extend(doubts.iter().map(|doubt| warning(doubt, &paths)));
    bound.uncertain = uncertain.into_iter().map(|path| (path, reason.clone())).collect::<BTreeMap<_, _>>();
    Ok(bound)
}

/// Warns about a doubt that decides the places of `paths`.
fn warning(doubt: &Doubt, paths: &str) -> Diagnostic {
    let help = "use --used and --unused to name what the compiler keeps and drops";
    match doubt {
        Doubt::Call { span, function } => {
            let message = format!("this may or may not run `{function}`, which decides the places of {paths}");
            Diagnostic::warning(Code::UncertainCall, *span, message).with_help(help)
        }
        Doubt::Use { span, path } => {
            let message = format!("DXC may or may not keep `{path}`, which decides the places of {paths}");
            let help = format!(
                "pass `--used {path}` if it does, `--unused {path}` if not, or `--compiler dxc` to ask the compiler"
            );
            Diagnostic::warning(Code::UncertainUse, *span, message).with_help(help)
        }
        Doubt::Code(UnfollowedCode { span, function }) => {
            let message = format!(
                "layoutproof does not follow the code of `{function}`; what the compiler keeps of it decides the \
                     places of {paths}"
            );
            let help = format!("{help}, or pass `--compiler dxc` to ask the compiler");
            Diagnostic::warning(Code::UncertainUse, *span, message).with_help(help)
        }
    }
}

/// Returns the reason why a number is uncertain, in one line.
fn reason(doubts: &[Doubt]) -> String {
    let code = doubts.iter().find_map(|doubt| if let Doubt::Code(code) = doubt { Some(code) } else { None });
    if let Some(UnfollowedCode { function, .. }) = code {
        return format!("depends on what the compiler keeps of `{function}`, whose code layoutproof does not follow");
    }
    let uses: Vec<&str> = doubts
        .iter()
        .filter_map(|doubt| if let Doubt::Use { path, .. } = doubt { Some(path.as_str()) } else { None })
        .collect();
    let Some(first) = uses.first() else { return "depends on which function a call runs".to_owned() };
    let verb = if uses.len() == 1 { "is" } else { "are" };
    let all = listed(uses.iter().copied());
    format!("depends on whether {all} {verb} used; pass `--unused {first}`, or `--compiler dxc` to ask the compiler")
}

/// Lists the first paths and the number of the others.
fn listed<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    const SHOWN: usize = 8;
    let all: Vec<&str> = paths.collect();
    let shown: Vec<String> = all.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
    let more = all.len().saturating_sub(SHOWN);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}
