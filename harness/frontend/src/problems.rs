//! Collects the problems of one source, so that the user sees all of them at once.

use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};

/// More problems than this are counted, not kept: nobody reads them, and hostile input must not fill the memory.
const KEPT: usize = 100;

/// Problems in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct ProblemList {
    kept: Vec<Diagnostic>,
    dropped: usize,
    has_errors: bool,
}

impl ProblemList {
    /// Keeps `diagnostic`; where there are too many, an error takes the place of a warning, so that whoever is refused sees
    /// why.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.has_errors |= is_error;
        if !self.is_full() {
            return self.kept.push(diagnostic);
        }

        self.dropped += 1;
        let last_warning = self.kept.iter_mut().rfind(|kept| kept.severity == Severity::Warning);
        if let Some(warning) = last_warning.filter(|_| is_error) {
            *warning = diagnostic;
        }
    }

    /// Appends the problems of another stage.
    pub(super) fn absorb(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.has_errors |= other.has_errors;
        other.kept.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Makes warnings of the errors of these codes.
    pub(super) fn soften(&mut self, codes: &[Code]) {
        for diagnostic in self.kept.iter_mut().filter(|diagnostic| codes.contains(&diagnostic.code)) {
            diagnostic.severity = Severity::Warning;
        }
        // What was dropped may have been an error of another code.
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        self.has_errors &= self.dropped > 0 || self.kept.iter().any(is_error);
    }

    /// How many problems are kept.
    pub(super) fn count(&self) -> usize {
        self.kept.len()
    }

    /// The problems that were kept since there were `count`.
    pub(super) fn since(&self, count: usize) -> &[Diagnostic] {
        self.kept.get(count..).unwrap_or_default()
    }

    /// True if this problem is kept.
    pub(super) fn has(&self, problem: &Diagnostic) -> bool {
        self.kept.contains(problem)
    }

    /// Takes out the errors of these codes that were kept since there were `count`; none where some problems were
    /// dropped, which may be errors of any code.
    pub(super) fn take(&mut self, count: usize, codes: &[Code]) -> Vec<Diagnostic> {
        if self.dropped > 0 || self.kept.len() < count {
            return Vec::new();
        }
        let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
        let new = self.kept.split_off(count);
        let (taken, left): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|problem| is_error(problem) && codes.contains(&problem.code));
        self.kept.extend(left);
        self.has_errors = self.kept.iter().any(is_error);
        taken
    }

    /// True if further problems are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= KEPT
    }

    /// True if any of them is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// The problems by place; the last one knows how many were left out.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut kept = self.kept;
        kept.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
        // A generic struct is checked once for each use; what is wrong in all of them is said once.
        kept.dedup();
        if let Some(last) = kept.last_mut() {
            last.left_out = self.dropped;
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::Span;

    use super::*;

    #[test]
    fn an_error_behind_many_warnings_is_kept() {
        let mut problems = ProblemList::default();
        for start in 0..200 {
            problems.report(Diagnostic::warning(Code::Skipped, Span { start, ..Span::default() }, "a warning"));
        }
        problems.report(Diagnostic::error(Code::Unsupported, Span { start: 200, ..Span::default() }, "an error"));
        assert!(problems.has_errors());
        let kept = problems.finish();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(kept.last().map(|last| (last.severity, last.left_out)), Some((Severity::Error, 101)));
    }
}
