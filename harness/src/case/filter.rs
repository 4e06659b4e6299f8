//! Patterns that select cases by their ids.

use wildmatch::WildMatch;

/// True if a filter selects a case. A filter is a part of the id, or a pattern with `*` and `?` for
/// the whole id. `::`, which separates the parts of an id in the names of checks, counts as `/`.
pub fn matches_filter(id: &str, filter: &str) -> bool {
    let filter = filter.replace("::", "/");
    let filter = filter.as_str();
    if filter.contains(['*', '?']) { WildMatch::new(filter).matches(id) } else { id.contains(filter) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_take_ids_with_either_mark() {
        for (filter, expected) in [
            ("arrays/a", true),
            ("arrays::a", true),
            ("::a_", true),
            ("arrays::*", true),
            ("arrays:a", false),
            ("vectors::a", false),
        ] {
            assert_eq!(matches_filter("arrays/a_b", filter), expected, "{filter}");
        }
    }
}
