//! Chooses the targets of a first project: those for which most blocks agree with their host structs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use layoutproof_hostcheck::VectorTypes;
use layoutproof_report::host_check::{BetterTarget, better_targets};
use layoutproof_source::sources::SourceMap;

use super::comparisons::Comparisons;
use super::debug_worker::{DebugAnswer, WantedTypes, read_types};
use super::other_targets::note_other_targets;
use super::pairing::{PairRules, pair};
use super::parallel;
use super::shader_blocks::{ShaderJob, TargetBlock, read_without_compilers};
use super::work_time::WorkTime;

/// Time for comparing. What is left has no say in the choice.
const COMPARING_TIME: Duration = Duration::from_secs(8);

/// The number of shaders to read before blocks that are known already are dropped: an engine's blocks in all of its
/// shaders take gigabytes.
const READ_AT_ONCE: usize = 64;

/// The targets for which more blocks agree than for the usual ones of their languages.
///
/// # Errors
/// The threads cannot be started.
pub(super) fn targets_that_fit(shaders: &[ShaderJob], hosts: &[PathBuf]) -> anyhow::Result<Vec<BetterTarget>> {
    let time = WorkTime::start(COMPARING_TIME);
    let has_time = || time.is_left();
    let blocks = distinct_blocks(shaders, has_time)?;
    if blocks.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = WantedTypes::new(&blocks, &[]);
    let read = |host: &PathBuf| if has_time() { read_types(host, &wanted).ok() } else { None };
    let answers: Vec<DebugAnswer> = parallel::for_all(hosts, read)?.into_iter().flatten().collect();

    let comparisons = Comparisons::new(VectorTypes::built_in());
    let rules = PairRules { known: &[], comparisons: &comparisons, is_strict: false };
    let mut pairing = pair(&blocks, &answers, rules);
    note_other_targets(&mut pairing, &blocks, rules);
    Ok(better_targets(&pairing.check))
}

/// The blocks whose layout depends on the target, each once for the shaders of a folder that include it.
fn distinct_blocks(shaders: &[ShaderJob], has_time: impl Fn() -> bool + Sync) -> anyhow::Result<Vec<TargetBlock>> {
    let mut known = HashSet::new();
    let mut blocks = Vec::new();
    for some in shaders.chunks(READ_AT_ONCE) {
        let read = parallel::for_all(some, |job| {
            let read = has_time().then(|| read_without_compilers(job, &mut SourceMap::default()));
            read?.ok()?.ok()
        })?;
        for block in read.into_iter().flatten().flat_map(|read| read.blocks) {
            let folder = Path::new(&block.shader).parent().map(Path::to_owned);
            if block.usual_of.is_some() && known.insert((block.names.clone(), folder)) {
                blocks.push(block);
            }
        }
    }
    Ok(blocks)
}
