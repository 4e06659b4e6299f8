//! Types that are not understood and that nothing uses: in Slang, where no binding depends on code, that is a warning.
//!
//! Every declared type is elaborated before anything uses it. What is wrong with it is kept, and reported again by each
//! parameter, buffer or entry point that has the type; what none of them reported has no part in any layout.

use std::rc::Rc;

use super::Elaborator;
use super::scope::TypeId;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Codes of errors that a type may have here although compilers accept it.
const NOT_UNDERSTOOD: [Code; 6] = [
    Code::Unsupported,
    Code::UnknownType,
    Code::UnknownConstant,
    Code::NotConstant,
    Code::GenericArguments,
    Code::BadBitField,
];

/// Problems that are kept of one type.
const KEPT: usize = 4;

/// A type with the arguments of its declaration.
pub(super) type TypeKey = (TypeId, Rc<str>);

impl Elaborator<'_> {
    /// Keeps what is wrong with a type: what was reported since there were `count` problems.
    pub(super) fn keep_problems(&mut self, key: &TypeKey, count: usize) {
        if self.is_slang {
            let problems = self.problems.since(count).iter().take(KEPT).cloned().collect();
            self.type_problems.insert(key.clone(), problems);
        }
    }

    /// Reports what is wrong with a type that was elaborated before.
    pub(super) fn report_again(&mut self, key: &TypeKey) {
        let problems = self.type_problems.get(key).into_iter().flatten().cloned();
        problems.collect::<Vec<_>>().into_iter().for_each(|problem| self.problems.report(problem));
    }

    /// Takes back what [`Self::check_types`] did not understand, in Slang: since there were `count` problems.
    pub(super) fn set_aside_what_is_not_understood(&mut self, count: usize) {
        if self.is_slang {
            self.not_understood = self.problems.take(count, &NOT_UNDERSTOOD);
        }
    }

    /// Warns of what was set aside and not reported again.
    pub(super) fn warn_of_unused(&mut self) {
        let mut unused = std::mem::take(&mut self.not_understood);
        unused.retain(|problem| !self.problems.has(problem));
        // One warning for each kind, at the first of them: a module may have hundreds.
        while let Some(first) = unused.first().cloned() {
            let before = unused.len();
            unused.retain(|problem| problem.code != first.code);
            let help = match before - unused.len() {
                1 => "no parameter has this type, so no layout depends on it".to_owned(),
                count => format!(
                    "no parameter has this type, nor any of {} others with such a problem, so no layout depends on them",
                    count - 1
                ),
            };
            let warning = Diagnostic::warning(first.code, first.span(), first.message.clone());
            self.problems.report(warning.with_help(help));
        }
    }
}
