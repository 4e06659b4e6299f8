//! Limits the work of one execution, so that any module ends.

/// Most work: instructions and, for an instruction with many parts, their number.
const MAX_STEPS: u64 = 1 << 20;

/// The remaining work.
#[derive(Debug)]
pub(super) struct StepBudget {
    left: u64,
}

impl StepBudget {
    pub(super) fn new() -> Self {
        Self { left: MAX_STEPS }
    }

    /// Takes work from the budget.
    ///
    /// # Errors
    /// More work than the code of any probe needs.
    pub(super) fn charge(&mut self, work: u64) -> Result<(), String> {
        let left = self.left.checked_sub(work);
        self.left = left.ok_or_else(|| format!("more than {MAX_STEPS} instructions"))?;
        Ok(())
    }
}
