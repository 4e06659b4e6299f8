//! Collects the problems of one source, so that the user sees all of them at once.

use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};

/// Maximum number of problems to keep. Further ones are only counted, so that hostile input cannot
/// fill the memory.
const KEPT: usize = 100;

/// Problems in the order in which they were found.
#[derive(Debug, Default)]
pub struct ProblemList {
    kept: Vec<Diagnostic>,
    dropped: usize,
    has_errors: bool,
}

impl ProblemList {
    /// Keeps `diagnostic`. In a full list, an error replaces a warning, so that the user sees the reason for a refusal.
    pub fn report(&mut self, diagnostic: Diagnostic) {
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

    /// Reports a problem of something that then has no value.
    pub fn refuse<T>(&mut self, problem: Diagnostic) -> Option<T> {
        self.report(problem);
        None
    }

    /// Appends the problems of another stage.
    pub fn absorb(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.has_errors |= other.has_errors;
        other.kept.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Downgrades errors with these codes to warnings.
    pub fn soften(&mut self, codes: &[Code]) {
        for diagnostic in self.kept.iter_mut().filter(|diagnostic| codes.contains(&diagnostic.code)) {
            diagnostic.severity = Severity::Warning;
        }
        // A dropped problem may have been an error with another code.
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        self.has_errors &= self.dropped > 0 || self.kept.iter().any(is_error);
    }

    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// Returns the problems kept after the first `count`.
    pub fn since(&self, count: usize) -> &[Diagnostic] {
        self.kept.get(count..).unwrap_or_default()
    }

    pub fn has(&self, problem: &Diagnostic) -> bool {
        self.kept.contains(problem)
    }

    /// Removes and returns the errors with these codes kept after the first `count`. Does nothing
    /// if problems were dropped, because those may be errors with any code.
    pub fn take(&mut self, count: usize, codes: &[Code]) -> Vec<Diagnostic> {
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

    /// Returns true if further problems are only counted.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= KEPT
    }

    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// Returns the problems by place. The last one holds the number of dropped problems.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut kept = self.kept;
        kept.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
        // A generic struct is checked once per use; a problem common to all uses is reported once.
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
