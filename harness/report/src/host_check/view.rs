//! How much of a check is shown to people, and in how many columns.

use layoutproof_show::Style;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub style: Style,
    /// Width of a line.
    pub columns: usize,
    pub amount: Amount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The sentence that says it all.
    Headline,
    /// What differs, with the members around it.
    Differences,
    /// Every member of every pair.
    All,
}

impl View {
    /// For files and other programs.
    pub const FILE: Self = Self { style: Style::PLAIN, columns: 80, amount: Amount::Differences };

    pub(super) fn is_whole(self) -> bool {
        self.amount == Amount::All
    }
}
