//! Intended changes: which differences are accepted, why, and for which builds.
//!
//! An entry for the build under test that no longer explains any difference is stale, and that is a
//! failure.

use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use super::compare::BuildComparison;
use super::manifest::{FrozenFileError, SCHEMA, check_schema};

/// `accepted.toml` of a frozen set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntendedChanges {
    /// The version of the format.
    pub schema: u32,
    #[serde(default, rename = "accepted")]
    pub entries: Vec<AcceptedEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedEntry {
    /// Pattern (`*` and `?`) for [`BuildDifference::name`](super::BuildDifference::name).
    pub pattern: String,
    pub reason: String,
    /// Pattern for the dotted version of the builds that the entry covers: `1.7.4006`, `1.8.*`,
    /// `*`.
    pub versions: String,
}

impl Default for IntendedChanges {
    fn default() -> Self {
        Self { schema: SCHEMA, entries: Vec::new() }
    }
}

impl IntendedChanges {
    pub fn read(text: &str) -> Result<Self, FrozenFileError> {
        let list: Self = toml::from_str(text)?;
        check_schema(list.schema)?;
        Ok(list)
    }

    /// The list as text.
    ///
    /// # Errors
    /// None in practice: the fields are strings and numbers.
    pub fn write(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Marks the differences that an entry for this `version` explains, and returns the entries that
/// explain none. Does not return entries that may match a case of `left_out` or a case whose text
/// has changed.
pub fn accept<'a>(
    accepted: &'a IntendedChanges,
    version: &str,
    comparison: &mut BuildComparison,
    left_out: &[String],
) -> Vec<&'a AcceptedEntry> {
    let own = accepted.entries.iter().filter(|entry| WildMatch::new(&entry.versions).matches(version));
    let mut stale = Vec::new();

    for entry in own {
        let pattern = WildMatch::new(&entry.pattern);
        let mut explains = false;
        for difference in comparison.differences.iter_mut().filter(|it| pattern.matches(&it.name())) {
            explains = true;
            difference.accepted.get_or_insert_with(|| entry.reason.clone());
        }

        let mut unseen = left_out.iter().chain(&comparison.changed);
        if !explains && !unseen.any(|case| entry.may_be_about(case)) {
            stale.push(entry);
        }
    }

    stale
}

impl AcceptedEntry {
    /// True if the pattern can match a difference of this case.
    fn may_be_about(&self, case: &str) -> bool {
        let cases = self.pattern.split_once(':').map_or(self.pattern.as_str(), |(cases, _)| cases);
        WildMatch::new(cases).matches(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::frozen::{compare, text};

    fn entry(pattern: &str, versions: &str) -> AcceptedEntry {
        AcceptedEntry { pattern: pattern.to_owned(), reason: format!("{pattern} moved"), versions: versions.to_owned() }
    }

    #[test]
    fn entries_explain_differences_of_their_builds_or_are_stale() {
        let side = |offset: u32| {
            let text = format!("toolchain dxc-dxil\ncase a/b 1\nblock S\n  S.x offset {offset} code 0\n");
            text::read(&text).unwrap()
        };
        let mut found = compare(&side(0), &side(4));
        let entries = vec![entry("a/*:S.x:offset", "1.8.*"), entry("b/*", "*"), entry("c/*", "1.9.*")];
        let list = IntendedChanges { entries, ..IntendedChanges::default() };
        let stale: Vec<&str> =
            accept(&list, "1.8.2505", &mut found, &[]).iter().map(|entry| entry.pattern.as_str()).collect();
        assert_eq!(stale, ["b/*"]);
        assert_eq!(accept(&list, "1.8.2505", &mut found, &["b/left_out".to_owned()]), Vec::<&AcceptedEntry>::new());
        assert_eq!(found.differences[0].accepted.as_deref(), Some("a/*:S.x:offset moved"));
        assert_eq!(found.unaccepted().count(), 0);
    }

    #[test]
    fn lists_are_written_as_they_are_read() {
        let list = IntendedChanges { entries: vec![entry("a/*", "*")], ..IntendedChanges::default() };
        assert_eq!(IntendedChanges::read(&list.write().unwrap()).unwrap(), list);
        assert!(IntendedChanges::read("schema = 2").unwrap_err().to_string().contains("schema is 2"));
        assert!(IntendedChanges::read("schema = 1\nwhat = 3").unwrap_err().to_string().contains("unknown field"));
    }
}
