//! Faults in layoutproof itself. `ci/faults` plants them one at a time to check that the tests
//! detect each.
//!
//! The code at each place asks [`is_planted`] about its own fault. Without the feature
//! `planted-faults`, which only `ci/faults` enables, the result is a constant; with it, the
//! environment variable [`VARIABLE`] selects the fault.

/// The environment variable that names the planted fault.
pub const VARIABLE: &str = "LAYOUTPROOF_PLANTED";

#[cfg(all(feature = "planted-faults", not(debug_assertions)))]
compile_error!("`planted-faults` is for tests; a build for release has no faults of its own");

/// A fault that can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// Drops answers that differ only in the exact range.
    ExactRangeDropped,
    /// Takes the offsets in naga's code from our own layout.
    NagaWitnessIsOurs,
    /// Counts a check as agreeing if no device answered for any leaf.
    UnansweredAgrees,
    /// Looks only at the first of the lanes that read a leaf.
    FirstLaneOnly,
    /// Counts a skip as agreement.
    SkipsAgree,
    /// Lets an entry for one range of drivers excuse every driver.
    KnownForEveryDriver,
    /// Lets an entry for one culprit excuse every culprit.
    KnownForEveryCulprit,
    /// Keeps known-difference entries that no longer differ.
    StaleEntriesKept,
    /// Generates no probe of the second element of structured buffers.
    SecondElementForgotten,
    /// Does not query compilers about the second element of structured buffers.
    CompiledSecondElementForgotten,
    /// Does not compare expected matrix strides.
    MatrixStridesNotCompared,
    /// Makes the Vulkan runner bind 256 bytes more than the buffer has.
    RangeTooLong,
    /// Makes the Vulkan runner bind the buffer 256 bytes too early.
    RangeTooEarly,
    /// Does not compare guards around buffers.
    GuardsNotCompared,
    /// Does not compare padding between written leaves.
    PaddingNotCompared,
    /// Counts a dispatch that stored no nonce.
    NonceNotChecked,
    /// Accepts written leaves wherever they are.
    WritesNotLookedFor,
    /// Lets a wrong hash answer for the cases of its module.
    ScreensAlwaysRight,
    /// Judges what a device does with an invalid module.
    InvalidModulesJudged,
    /// Validates a compiler's module under the rules that its offsets need, not those that it
    /// promises.
    PromiseIsWhatOffsetsNeed,
    /// Does not compare the code's offsets with the rules.
    CompiledNotCompared,
    /// Does not compare a compiler's report with its code.
    ReportNotCompared,
    /// Does not compare the case's expectations with the rules.
    ExpectedNotCompared,
    /// Does not compare a device's observations with the code.
    ObservedNotCompared,
    /// Ignores a broken probe in the check.
    BreaksIgnored,
    /// Accepts records that contradict themselves.
    ContradictionsBelieved,
    /// Treats every floor as reached.
    FloorsReached,
    /// Counts the leaves of the CPU model as those of a device.
    ModelCounts,
}

/// True if this fault is planted. Always false without the feature `planted-faults`.
#[cfg(not(feature = "planted-faults"))]
pub const fn is_planted(_: PlantedBug) -> bool {
    false
}

/// True if [`VARIABLE`] names this fault.
#[cfg(feature = "planted-faults")]
pub fn is_planted(fault: PlantedBug) -> bool {
    use std::sync::LazyLock;

    static PLANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var(VARIABLE).ok());
    PLANTED.as_deref() == Some(&*format!("{fault:?}"))
}
