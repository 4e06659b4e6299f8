//! From a record that differs to the smallest declaration that still does.

use layoutproof::random::declaration::{self, Declaration, DeclarationTree, SHRINK_CALLS};
use layoutproof::record::{CheckRecord, Culprit, Outcome};
use layoutproof::toolchain::Toolchain;
use proptest::strategy::ValueTree;

use super::round::Round;
use super::{Fuzz, spaces};

/// A difference, made smaller.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) number: u64,
    pub(super) toolchain: &'static Toolchain,
    pub(super) device: String,
    pub(super) outcome: Outcome,
    pub(super) culprit: Option<Culprit>,
    pub(super) declaration: Declaration,
    /// How often was asked.
    calls: u32,
    /// Members of all structs before and after.
    members: (usize, usize),
}

impl Difference {
    /// Whether a record tells the same again.
    pub(super) fn is_like(&self, record: &CheckRecord) -> bool {
        (self.toolchain.name, self.outcome, self.culprit) == (record.producer.as_str(), record.outcome, record.culprit)
    }

    /// What was found, for people.
    pub(super) fn sentence(&self) -> String {
        let culprit = self.culprit.map_or("nobody named", Culprit::as_str);
        let Self { number, toolchain, device, members: (before, after), calls, .. } = self;
        format!(
            "number {number}: {toolchain} on {device} {} ({culprit}); {before} members, {after} after {calls} tries\n\n{}",
            match self.outcome {
                Outcome::Broken => "breaks",
                Outcome::Differ | Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped => "differs",
            },
            self.declaration.text()
        )
    }
}

/// Makes the declaration of a record smaller: what it becomes must differ through the same toolchain, on the same device,
/// with the same culprit.
pub(super) fn shrink(fuzz: &Fuzz, tree: DeclarationTree, (number, record): (u64, CheckRecord)) -> Difference {
    let toolchain = fuzz.toolchains.iter().find(|toolchain| toolchain.name == record.producer);
    let toolchain = *toolchain.expect("the record is of one of these toolchains");
    let space = spaces::of(toolchain);
    let drawn = tree.current();
    let mut differs = |tried: &Declaration| {
        tried.fits(&space) && {
            let round = Round::new(fuzz, &[(number, tried.clone())]);
            let again = round.records_of((toolchain, &record.device), &fuzz.compilers);
            again.iter().any(|(_, other)| (other.outcome, other.culprit) == (record.outcome, record.culprit))
        }
    };
    let shrunk = declaration::shrink(tree, SHRINK_CALLS, &mut differs);
    Difference {
        number,
        toolchain,
        device: record.device,
        outcome: record.outcome,
        culprit: record.culprit,
        members: (drawn.member_count(), shrunk.declaration.member_count()),
        declaration: shrunk.declaration,
        calls: shrunk.calls,
    }
}
