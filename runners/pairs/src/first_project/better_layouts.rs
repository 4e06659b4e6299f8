//! Chooses the targets and orders of matrices of a first project: those with which most blocks agree with their host
//! structs.

use std::path::PathBuf;
use std::time::Duration;

use crate::comparisons::Comparisons;
use crate::debug_worker::{DebugAnswer, WantedTypes, read_types};
use crate::other_layouts::note_other_layouts;
use crate::pairing::{PairRules, pair};
use crate::parallel;
use crate::shader_blocks::TargetBlock;
use layoutproof_hostcheck::VectorTypes;
use layoutproof_report::host_check::{BetterLayout, better_layouts};

use super::work_time::WorkTime;

/// After this time, `init` reads no more host files and starts no more compilers.
const HOST_TIME: Duration = Duration::from_secs(8);

/// The layouts with which more blocks agree than with the usual ones of their languages.
#[derive(Debug, Default)]
pub struct BetterLayouts {
    pub better: Vec<BetterLayout>,
    /// The number of host files that were not read in time, so that the choice was made without them.
    pub unread_hosts: usize,
    /// The number of pairs that were not compared with all other layouts in time.
    pub untried_pairs: usize,
    /// The time that was enough for the others.
    pub seconds: u64,
}

impl BetterLayouts {
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn find(blocks: &[TargetBlock], hosts: &[PathBuf]) -> anyhow::Result<Self> {
        let time = WorkTime::start(HOST_TIME);
        if blocks.is_empty() {
            return Ok(Self::default());
        }
        let wanted = WantedTypes::new(blocks, &[]);
        // What is wrong with a file is for `check` to say.
        let read = |host: &PathBuf| time.is_left().then(|| read_types(host, &wanted).ok());
        let read = parallel::for_all(hosts, read)?;
        let seconds = time.seconds();
        let unread_hosts = read.iter().filter(|answer| answer.is_none()).count();
        let answers: Vec<DebugAnswer> = read.into_iter().flatten().flatten().collect();

        let comparisons = Comparisons::new(VectorTypes::built_in());
        let rules = PairRules { known: &[], comparisons: &comparisons, is_strict: false };
        let mut pairing = pair(blocks, &answers, rules);
        let untried_pairs = note_other_layouts(&mut pairing, blocks, rules, || time.is_left());
        Ok(Self { better: better_layouts(&pairing.check), unread_hosts, untried_pairs, seconds })
    }
}
