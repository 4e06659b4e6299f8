//! Chooses the targets of a first project: those for which most blocks agree with their host structs.

use std::path::PathBuf;
use std::time::Duration;

use layoutproof_hostcheck::VectorTypes;
use layoutproof_pairs::comparisons::Comparisons;
use layoutproof_pairs::debug_worker::{DebugAnswer, WantedTypes, read_types};
use layoutproof_pairs::other_targets::note_other_targets;
use layoutproof_pairs::pairing::{PairRules, pair};
use layoutproof_pairs::parallel;
use layoutproof_pairs::shader_blocks::TargetBlock;
use layoutproof_report::host_check::{BetterTarget, better_targets};

use super::work_time::WorkTime;

/// Time after which no other host file is read. What is left has no say in the choice.
const HOST_TIME: Duration = Duration::from_secs(8);

/// The targets for which more blocks agree than for the usual ones of their languages.
///
/// # Errors
/// The threads cannot be started.
pub(super) fn targets_that_fit(blocks: &[TargetBlock], hosts: &[PathBuf]) -> anyhow::Result<Vec<BetterTarget>> {
    let time = WorkTime::start(HOST_TIME);
    if blocks.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = WantedTypes::new(blocks, &[]);
    let read = |host: &PathBuf| if time.is_left() { read_types(host, &wanted).ok() } else { None };
    let answers: Vec<DebugAnswer> = parallel::for_all(hosts, read)?.into_iter().flatten().collect();

    let comparisons = Comparisons::new(VectorTypes::built_in());
    let rules = PairRules { known: &[], comparisons: &comparisons, is_strict: false };
    let mut pairing = pair(blocks, &answers, rules);
    note_other_targets(&mut pairing, blocks, rules);
    Ok(better_targets(&pairing.check))
}
