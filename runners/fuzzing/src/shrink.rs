//! Shrinks a declaration that differs to the smallest one that still does.

use std::collections::BTreeSet;

use layoutproof_compilers::drivers::full_type_space;
use layoutproof_events::ShaderMaker;
use layoutproof_events::{CheckRecord, Culprit, OutcomeKind};
use layoutproof_random::declaration::{DeclarationTree, RandomDeclaration};
use layoutproof_random::shrink;
use layoutproof_random::shrink::SHRINK_CALLS;
use layoutproof_readers::toolchain::Toolchain;
use layoutproof_show::counted;
use proptest::strategy::ValueTree;

use crate::Fuzz;
use crate::round::Round;

/// The kind of a difference. Records of the same kind are taken as the same defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceKind {
    producer: ShaderMaker,
    pub outcome: OutcomeKind,
    pub culprit: Option<Culprit>,
    /// The reason of a broken check, as a set of sentences without words that contain numbers or
    /// paths: no two crashes share addresses, lines and folders. A set, because several modules of
    /// one check may break in the same way.
    cause: BTreeSet<String>,
}

impl DifferenceKind {
    pub(crate) fn of(record: &CheckRecord) -> Self {
        let reasons = record.outcome.reasons().filter(|_| record.outcome.kind() == OutcomeKind::Broken);
        let reason = reasons.map(ToString::to_string).unwrap_or_default();
        Self {
            producer: record.id.producer.clone(),
            outcome: record.outcome.kind(),
            culprit: record.outcome.culprit(),
            cause: reason.split("; ").map(words).collect(),
        }
    }
}

/// The words of a sentence that contain neither digits nor slashes.
fn words(sentence: &str) -> String {
    let lasting = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '/');
    sentence.split_whitespace().filter(lasting).collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Debug)]
pub struct ShrunkDifference {
    pub number: u64,
    pub toolchain: &'static Toolchain,
    pub device: String,
    pub kind: DifferenceKind,
    /// The reason of a broken check, as recorded.
    pub reason: Option<String>,
    pub declaration: RandomDeclaration,
    calls: u32,
    /// Number of members of all structs in the drawn declaration.
    members_before: usize,
    /// Number of members of all structs in the shrunk declaration.
    members_after: usize,
}

impl ShrunkDifference {
    /// Names the toolchain, the device and the culprit, and how much the declaration shrank.
    pub fn heading(&self) -> String {
        let culprit = self.kind.culprit.map_or("no culprit", Culprit::as_str);
        let Self { number, toolchain, device, members_before, members_after, calls, .. } = self;
        let what = match self.kind.outcome {
            OutcomeKind::Broken => "breaks",
            OutcomeKind::Differ
            | OutcomeKind::Agree
            | OutcomeKind::Known
            | OutcomeKind::Stale
            | OutcomeKind::Skipped => "differs",
        };
        let (before, attempts) = (counted(*members_before as u64, "member"), counted(u64::from(*calls), "attempt"));
        format!(
            "number {number}: {toolchain} on {device} {what} ({culprit}); {before}, {members_after} after {attempts}"
        )
    }

    pub fn sentence(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!("\n  {reason}")).unwrap_or_default();
        format!("{}{reason}\n\n{}", self.heading(), self.declaration.text())
    }
}

/// Shrinks the declaration of a record. Each step must differ in the same way, through the same
/// toolchain and on the same device. `None` if a fault is planted but the declaration differs
/// without it too.
pub(crate) fn shrink(
    fuzz: &Fuzz,
    tree: DeclarationTree,
    number: u64,
    record: &CheckRecord,
) -> Option<ShrunkDifference> {
    let toolchain = fuzz.toolchains.iter().find(|toolchain| toolchain.name == record.id.producer.as_str());
    let toolchain = *toolchain.expect("the record is of one of these toolchains");
    let device = record.id.device.as_ref().expect("a declaration is checked on devices only").id.clone();
    let space = full_type_space(toolchain);
    let drawn = tree.current();
    let kind = DifferenceKind::of(record);

    let tells = |round: &Round<'_>| {
        let again = round.records_of(toolchain, &device, &fuzz.compilers);
        again.iter().any(|(_, other)| {
            let other = DifferenceKind::of(other);
            // A planted fault also changes the block's size, so the apparent culprit changes with
            // every member.
            other == kind || (fuzz.planted.is_some() && other.outcome == kind.outcome)
        })
    };
    let by_the_fault = |tried: &RandomDeclaration| {
        let drawn = [(number, tried.clone())];
        fuzz.planted.is_none() || !tells(&Round::new(fuzz, &drawn).without_fault())
    };
    let mut differs = |tried: &RandomDeclaration| {
        tried.fits(&space) && tells(&Round::new(fuzz, &[(number, tried.clone())])) && by_the_fault(tried)
    };
    if !by_the_fault(&drawn) {
        return None;
    }

    let shrunk = shrink::shrink(tree, SHRINK_CALLS, &mut differs);
    Some(ShrunkDifference {
        number,
        toolchain,
        device,
        reason: record.outcome.reasons().filter(|_| kind.outcome == OutcomeKind::Broken).map(ToString::to_string),
        kind,
        members_before: drawn.member_count(),
        members_after: shrunk.smallest.member_count(),
        declaration: shrunk.smallest,
        calls: shrunk.calls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(reason: &str) -> DifferenceKind {
        let line = serde_json::json!({
            "schema": 1, "case": "fuzz/1", "rules": "scalar", "producer": "dxc-spirv", "device": "lavapipe",
            "runner": "ash", "proves": "compiler", "outcome": "broken", "culprit": "compiler", "validation": "valid",
            "skip_reason": reason, "ms": 1, "leaves": 0, "rows": []
        });
        DifferenceKind::of(&serde_json::from_value(line).unwrap())
    }

    #[test]
    fn crashes_are_told_apart_by_words_and_not_by_numbers() {
        let first = broken("dxc died of SIGABRT; its last words: assertion at 0x7ffd01ab in line 12 failed");
        assert_eq!(first, broken("dxc died of SIGABRT; its last words: assertion at 0x55e0c9 in line 9 failed"));
        let end = "dxc died of SIGABRT; its last words: assertion at 0x1 in line 7 failed";
        assert_eq!(first, broken(&format!("{end}; {end}")));
        assert_ne!(first, broken("dxc died of SIGSEGV; its last words: assertion at 0x7ffd01ab in line 12 failed"));
    }
}
