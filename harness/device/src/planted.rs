//! Faults in layoutproof itself that `ci/faults` plants, one at a time, to see that the tests notice each of them.
//!
//! Each place asks [`is_planted`] for its own fault. Without the feature `planted-faults`, which only `ci/faults` switches
//! on, the answer is a constant; with it, the environment variable [`VARIABLE`] names the fault.

/// The environment variable that names the planted fault.
pub const VARIABLE: &str = "LAYOUTPROOF_PLANTED";

#[cfg(all(feature = "planted-faults", not(debug_assertions)))]
compile_error!("`planted-faults` is for tests; a build for release has no faults of its own");

/// A fault that can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// Answers that differ in the exact range alone are dropped.
    ExactRangeDropped,
    /// What naga's code addresses is taken from our own layout.
    NagaWitnessIsOurs,
    /// A check of which no device answered a leaf agrees.
    UnansweredAgrees,
    /// Of the lanes that read a leaf, the first alone is looked at.
    FirstLaneOnly,
    /// A skip counts as agreement.
    SkipsAgree,
    /// An entry on one range of drivers excuses every driver.
    KnownForEveryDriver,
    /// An entry on one culprit excuses every culprit.
    KnownForEveryCulprit,
    /// Entries that no longer differ are kept.
    StaleEntriesKept,
    /// Our generator does not probe the second element of structured buffers.
    SecondElementForgotten,
    /// Compilers are not asked for the second element of structured buffers.
    CompiledSecondElementForgotten,
    /// Expected matrix strides are not compared.
    MatrixStridesNotCompared,
    /// The Vulkan runner binds 256 bytes more than the buffer has.
    RangeTooLong,
    /// The Vulkan runner binds 256 bytes from before the start of the buffer on.
    RangeTooEarly,
    /// Guards around buffers are not compared.
    GuardsNotCompared,
    /// Padding between written leaves is not compared.
    PaddingNotCompared,
    /// A dispatch that stored no nonce counts.
    NonceNotChecked,
    /// Written leaves are taken for right wherever they are.
    WritesNotLookedFor,
    /// A hash that is wrong answers for the cases of its module.
    ScreensAlwaysRight,
    /// What an invalid module makes a device do is judged.
    InvalidModulesJudged,
    /// A compiler's module is validated under the rules that its offsets need.
    PromiseIsWhatOffsetsNeed,
    /// What the code addresses is not compared with the rules.
    CompiledNotCompared,
    /// What a compiler reports is not compared with its code.
    ReportNotCompared,
    /// What the case expects is not compared with the rules.
    ExpectedNotCompared,
    /// What a device observed is not compared with the code.
    ObservedNotCompared,
    /// A probe that broke does not count in the check.
    BreaksIgnored,
    /// Records that contradict themselves are believed.
    ContradictionsBelieved,
    /// Every floor is reached.
    FloorsReached,
    /// The leaves of the model on the CPU count as a device's.
    ModelCounts,
}

/// True if this fault is planted: never, in a build without the feature `planted-faults`.
#[cfg(not(feature = "planted-faults"))]
pub const fn is_planted(_: PlantedBug) -> bool {
    false
}

/// True if this fault is planted: if [`VARIABLE`] has its name.
#[cfg(feature = "planted-faults")]
pub fn is_planted(fault: PlantedBug) -> bool {
    use std::sync::LazyLock;

    static PLANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var(VARIABLE).ok());
    PLANTED.as_deref() == Some(&*format!("{fault:?}"))
}
