//! What is not certain about a placement: which function a call runs, whether the compiler keeps a resource. What depends
//! on it is found by placing all that may be used, then only what is used in any case.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::Span;

use crate::{Binding, BoundModule};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// How far a walk goes where something is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPolicy {
    /// Into every function that a call may run, to every resource that may be used.
    Everything,
    /// As far as all of those functions use the same, to what is used for certain.
    Least,
}

/// Something that is not certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A call may run this function, another one or none.
    Call {
        /// Where it stands.
        span: Span,
        /// The name of one of the functions.
        function: String,
    },
    /// The compiler may find out that the parameter is not needed.
    Use {
        /// Where it is declared.
        span: Span,
        /// Name that `--used` and `--unused` take.
        path: String,
    },
    /// The code of a function is not followed.
    Code(UnfollowedCode),
}

/// A function whose code is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnfollowedCode {
    pub(crate) span: Span,
    pub(crate) function: String,
}

/// A placement with what is not certain about it.
#[derive(Debug)]
pub(crate) struct DoubtfulPlacement {
    pub(crate) bound: BoundModule,
    pub(crate) doubts: Vec<Doubt>,
    /// Paths whose numbers are written in the source, and certain if they are used.
    pub(crate) fixed: BTreeSet<String>,
}

/// The answer of `place`, with a warning for each doubt if the answer depends on them.
///
/// # Errors
/// Those of `place`.
pub(crate) fn settle(
    place: impl Fn(CallPolicy) -> Result<DoubtfulPlacement, Vec<Diagnostic>>,
) -> Result<BoundModule, Vec<Diagnostic>> {
    let DoubtfulPlacement { mut bound, mut doubts, fixed } = match place(CallPolicy::Everything) {
        Ok(placed) => placed,
        Err(problems) if place(CallPolicy::Least).is_ok() => {
            let help = "whether this is so depends on what the compiler keeps, which is not certain";
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
    bound.warnings.extend(doubts.iter().map(|doubt| doubt.warning(&paths)));
    bound.uncertain = uncertain.into_iter().map(|path| (path, reason.clone())).collect::<BTreeMap<_, _>>();
    Ok(bound)
}

impl Doubt {
    fn span(&self) -> Span {
        match self {
            Self::Call { span, .. } | Self::Use { span, .. } | Self::Code(UnfollowedCode { span, .. }) => *span,
        }
    }

    fn warning(&self, paths: &str) -> Diagnostic {
        let help = "name what the compiler keeps or drops with --used and --unused";
        match self {
            Self::Call { span, function } => {
                let message =
                    format!("it is not certain whether this runs `{function}`: where {paths} go depends on it");
                Diagnostic::warning(Code::UncertainCall, *span, message).with_help(help)
            }
            Self::Use { span, path } => {
                let message = format!("it is not certain whether DXC keeps `{path}`: where {paths} go depends on it");
                let help = format!(
                    "`--unused {path}` if it does not, `--used {path}` if it does; `--compiler dxc` asks the compiler"
                );
                Diagnostic::warning(Code::UncertainUse, *span, message).with_help(help)
            }
            Self::Code(UnfollowedCode { span, function }) => {
                let message = format!(
                    "the code of `{function}` is not followed: where {paths} go depends on what of it the compiler keeps"
                );
                let help = format!("{help}; `--compiler dxc` asks the compiler");
                Diagnostic::warning(Code::UncertainUse, *span, message).with_help(help)
            }
        }
    }
}

/// Why a number is not certain, in one line.
fn reason(doubts: &[Doubt]) -> String {
    let code = doubts.iter().find_map(|doubt| if let Doubt::Code(code) = doubt { Some(code) } else { None });
    if let Some(UnfollowedCode { function, .. }) = code {
        return format!("depends on what the compiler keeps of `{function}`, which is not followed");
    }
    let uses: Vec<&str> = doubts
        .iter()
        .filter_map(|doubt| if let Doubt::Use { path, .. } = doubt { Some(path.as_str()) } else { None })
        .collect();
    let Some(first) = uses.first() else { return "depends on which function a call runs".to_owned() };
    let verb = if uses.len() == 1 { "is" } else { "are" };
    let all = listed(uses.iter().copied());
    format!("depends on whether {all} {verb} used; `--unused {first}`, or `--compiler dxc` asks the compiler")
}

/// The first paths, and how many more there are.
fn listed<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    const SHOWN: usize = 8;
    let all: Vec<&str> = paths.collect();
    let shown: Vec<String> = all.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
    let more = all.len().saturating_sub(SHOWN);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}
