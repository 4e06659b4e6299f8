//! Patterns that choose cases by their ids.

use wildmatch::WildMatch;

/// True if a filter takes a case: a part of its id, or a pattern with `*` and `?` of all of it. `::`, which stands between the
/// parts of an id in the names of checks, counts as `/`.
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
