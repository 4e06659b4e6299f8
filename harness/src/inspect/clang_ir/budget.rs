//! The work that one execution may take, so that any module ends.

/// Most work: instructions, and what they have many of.
const MAX_STEPS: u64 = 1 << 20;

/// The work that is left.
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
    /// More than a probe has.
    pub(super) fn charge(&mut self, work: u64) -> Result<(), String> {
        let left = self.left.checked_sub(work);
        self.left = left.ok_or_else(|| format!("more than {MAX_STEPS} instructions"))?;
        Ok(())
    }
}
