//! Turns errors in unused, unsupported types into warnings. Only in Slang, where bindings do not depend on code.
//!
//! Every declared type is elaborated before anything uses it. Its problems are kept, and each
//! parameter, buffer or entry point with that type reports them again. Problems that are never
//! reported again have no effect on any layout.

use std::rc::Rc;

use super::Elaborator;
use super::scope::TypeId;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Codes of errors in types that compilers may nevertheless accept.
const NOT_UNDERSTOOD: [Code; 6] = [
    Code::Unsupported,
    Code::UnknownType,
    Code::UnknownConstant,
    Code::NotConstant,
    Code::GenericArguments,
    Code::BadBitField,
];

/// Maximum number of problems to keep per type.
const KEPT: usize = 4;

/// A type with the arguments of its declaration.
pub(super) type TypeKey = (TypeId, Rc<str>);

impl Elaborator<'_> {
    /// Keeps the problems of a type: those reported after the first `count`.
    pub(super) fn keep_problems(&mut self, key: &TypeKey, count: usize) {
        if self.is_slang {
            let problems = self.problems.since(count).iter().take(KEPT).cloned().collect();
            self.type_problems.insert(key.clone(), problems);
        }
    }

    pub(super) fn report_again(&mut self, key: &TypeKey) {
        let problems = self.type_problems.get(key).into_iter().flatten().cloned();
        problems.collect::<Vec<_>>().into_iter().for_each(|problem| self.problems.report(problem));
    }

    /// In Slang, takes back the problems with unsupported constructs that [`Self::check_types`]
    /// reported after the first `count`.
    pub(super) fn set_aside_what_is_not_understood(&mut self, count: usize) {
        if self.is_slang {
            self.not_understood = self.problems.take(count, &NOT_UNDERSTOOD);
        }
    }

    /// Warns of taken-back problems that nothing reported again.
    pub(super) fn warn_of_unused(&mut self) {
        let mut unused = std::mem::take(&mut self.not_understood);
        unused.retain(|problem| !self.problems.has(problem));
        // One warning per kind, at the first of them: a module may have hundreds.
        while let Some(first) = unused.first().cloned() {
            let before = unused.len();
            unused.retain(|problem| problem.code != first.code);
            let help = match before - unused.len() {
                1 => "no parameter has this type, so no layout depends on it".to_owned(),
                count => format!(
                    "no parameter has this type or any of {} others with the same problem, so no layout depends on them",
                    count - 1
                ),
            };
            let warning = Diagnostic::warning(first.code, first.span(), first.message.clone());
            self.problems.report(warning.with_help(help));
        }
    }
}
