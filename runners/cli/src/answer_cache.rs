//! Opens the cache of compilers' answers for a command, and says what it was to a run.

use std::sync::Arc;

use layoutproof_compilers::cache::{AnswerCache, CacheFolder, CacheUse};
use layoutproof_core::results::record::RecordedCacheUse;

use crate::args::CacheArgs;
use crate::output::warn;

/// The cache of this user; `None` where the arguments want none or there can be none, of which a note tells.
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

/// Tells in a note if answers could not be written to the cache.
pub(crate) fn warn_of(cache: Option<&Arc<AnswerCache>>) {
    if let Some(sentence) = cache.and_then(|cache| cache.note()) {
        warn(&format!("note: {sentence}\n"));
    }
}

/// What the cache was to the run, for its records; `None` where there was none, or nobody had anything to answer.
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
