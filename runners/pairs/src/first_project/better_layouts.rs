//! Chooses the targets and orders of matrices of a first project: those with which most blocks agree with their host
//! structs.

use std::cell::Cell;
use std::path::PathBuf;

use crate::comparisons::Comparisons;
use crate::debug_worker::{DebugAnswer, WantedTypes, read_types};
use crate::other_layouts::note_other_layouts;
use crate::pairing::{PairRules, pair};
use crate::parallel;
use crate::shader_blocks::TargetBlock;
use layoutproof_hostcheck::VectorTypes;
use layoutproof_report::host_check::{BetterLayout, better_layouts};

/// The size of all host files that `init` reads to choose layouts, in bytes. The first one is always read.
const MOST_BYTES: u64 = 1 << 30;

/// The number of starts of compilers, for files that only they read.
const MOST_COMPILATIONS: u32 = 64;

/// The layouts with which more blocks agree than with the usual ones of their languages.
#[derive(Debug, Default)]
pub struct BetterLayouts {
    pub better: Vec<BetterLayout>,
    /// The number of host files beyond the limit, so that the choice was made without them.
    pub unread_hosts: usize,
    /// The number of pairs that were not compared with all other layouts.
    pub untried_pairs: usize,
}

impl BetterLayouts {
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn find(blocks: &[TargetBlock], hosts: &[PathBuf]) -> anyhow::Result<Self> {
        if blocks.is_empty() {
            return Ok(Self::default());
        }
        let wanted = WantedTypes::new(blocks, &[]);
        // What is wrong with a file is for `check` to say.
        let mut size = 0;
        let fits = |host: &&PathBuf| {
            let is_first = size == 0;
            size += std::fs::metadata(host).map_or(0, |found| found.len());
            is_first || size <= MOST_BYTES
        };
        let chosen: Vec<&PathBuf> = hosts.iter().take_while(fits).collect();
        let unread_hosts = hosts.len() - chosen.len();
        let read = parallel::for_all(&chosen, |host| read_types(host, &wanted).ok())?;
        let answers: Vec<DebugAnswer> = read.into_iter().flatten().collect();

        let comparisons = Comparisons::new(VectorTypes::built_in(), blocks);
        let rules = PairRules { known: &[], comparisons: &comparisons, is_strict: false };
        let mut pairing = pair(blocks, &answers, rules);
        let started = Cell::new(0);
        let may_ask = || started.replace(started.get() + 1) < MOST_COMPILATIONS;
        let untried_pairs = note_other_layouts(&mut pairing, blocks, rules, may_ask);
        Ok(Self { better: better_layouts(&pairing.check), unread_hosts, untried_pairs })
    }
}
