//! Opens the cache of compiler answers for a command, and records how a run used it.

use std::sync::Arc;

use layoutproof_compilers::cache::{AnswerCache, CacheFolder, CacheUse};
use layoutproof_events::RecordedCacheUse;

use crate::args::CacheArgs;
use crate::output::warn;

/// The current user's cache. `None` with `--no-cache`, or, after a note, if no cache folder can be
/// used.
pub(crate) fn open(args: &CacheArgs) -> Option<Arc<AnswerCache>> {
    if args.no_cache {
        return None;
    }
    match CacheFolder::of_user() {
        Ok(folder) => Some(Arc::new(AnswerCache::new(folder))),
        Err(reason) => {
            warn(&format!("note: {reason}\n"));
            None
        }
    }
}

/// Prints a note for each reason why answers were not kept in the cache.
pub(crate) fn warn_of(cache: Option<&Arc<AnswerCache>>) {
    for sentence in cache.iter().flat_map(|cache| cache.notes()) {
        warn(&format!("note: {sentence}\n"));
    }
}

/// How the run used the cache, for its records. `None` without a cache, or if the run compiled and
/// validated nothing.
pub(crate) fn recorded(cache: Option<&Arc<AnswerCache>>) -> Option<Box<RecordedCacheUse>> {
    let CacheUse { compilations, validations } = cache?.usage();
    let used = RecordedCacheUse {
        compilations: compilations.needed,
        compilations_cached: compilations.cached,
        validations: validations.needed,
        validations_cached: validations.cached,
    };
    (!used.is_empty()).then(|| Box::new(used))
}
