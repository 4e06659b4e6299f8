//! Patterns that choose cases by their ids.

use wildmatch::WildMatch;

/// True if a filter takes a case: a part of its id, or a pattern with `*` and `?` of all of it.
pub fn matches_filter(id: &str, filter: &str) -> bool {
    if filter.contains(['*', '?']) { WildMatch::new(filter).matches(id) } else { id.contains(filter) }
}
