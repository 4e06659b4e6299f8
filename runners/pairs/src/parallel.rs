//! Reads many files at once. Most of the time, compilers and readers in other processes work.

use anyhow::Context;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Stack of a thread in bytes: readers recurse as deep as a text nests.
const STACK: usize = 64 << 20;

/// The results of `work` for all items, in their order. As many items as the machine has processors are
/// worked on at once.
///
/// # Errors
/// The threads cannot be started.
pub fn for_all<Item: Sync, Outcome: Send>(
    items: &[Item],
    work: impl Fn(&Item) -> Outcome + Sync,
) -> anyhow::Result<Vec<Outcome>> {
    let threads = ThreadPoolBuilder::new().stack_size(STACK).build().context("starting threads")?;
    Ok(threads.install(|| items.par_iter().with_max_len(1).map(&work).collect()))
}
