//! Reads TOML tables key by key, so that one pass finds every problem of a file, each with its place.

use std::collections::BTreeSet;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::sources::SourceMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub type TomlValue<'a> = Spanned<DeValue<'a>>;

/// Maximum number of problems to keep per file. Further ones are only counted.
const KEPT: usize = 1000;

#[derive(Debug)]
pub struct FileProblems<'a> {
    file: FileId,
    code: Code,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> FileProblems<'a> {
    /// Collects problems of `file` in `found`. Their code is `code` unless the caller passes another one.
    pub fn new(file: FileId, code: Code, found: &'a mut Vec<Diagnostic>) -> Self {
        Self { file, code, found }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file: self.file, start: at(range.start), end: at(range.end) }
    }

    /// Returns true if further problems are only counted.
    fn is_full(&self) -> bool {
        self.found.len() >= KEPT
    }

    pub fn report(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.report_as(self.code, range, message);
    }

    pub fn report_as(&mut self, code: Code, range: Range<usize>, message: impl Into<String>) {
        if let (true, Some(last)) = (self.is_full(), self.found.last_mut()) {
            last.left_out += 1;
            return;
        }
        let span = self.span(range);
        self.found.push(Diagnostic::error(code, span, message));
    }
}

/// Parses a file into its root table. Reports syntax errors and returns the readable rest.
pub fn parse<'a>(sources: &'a SourceMap, problems: &mut FileProblems<'_>) -> Spanned<DeTable<'a>> {
    let text = sources.file(problems.file).text.as_str();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        problems.report(error.span().unwrap_or(0..0), error.message().trim_end_matches('\n').replace('\n', ", "));
    }
    table
}

/// The most unknown keys of a table for which a message suggests another: a file of another kind may have a million.
const MOST_SUGGESTIONS: usize = 20;

/// A table that is read key by key. [`TomlTable::finish`] reports the keys that were never read.
#[derive(Debug)]
pub struct TomlTable<'t, 'a> {
    entries: &'t DeTable<'a>,
    range: Range<usize>,
    known: BTreeSet<&'static str>,
}

impl<'t, 'a> TomlTable<'t, 'a> {
    pub fn new(table: &'t Spanned<DeTable<'a>>) -> Self {
        Self { entries: table.get_ref(), range: table.span(), known: BTreeSet::new() }
    }

    /// Reads a value that must be a table.
    pub fn of(value: &'t TomlValue<'a>, problems: &mut FileProblems<'_>) -> Option<Self> {
        let Some(entries) = value.get_ref().as_table() else {
            problems.report(value.span(), format!("expected a table, found {}", value.get_ref().type_str()));
            return None;
        };
        Some(Self { entries, range: value.span(), known: BTreeSet::new() })
    }

    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the raw value of `key`.
    pub fn value(&mut self, key: &'static str) -> Option<&'t TomlValue<'a>> {
        self.known.insert(key);
        self.entries.get(key)
    }

    /// Returns the value of `key`, or reports that it is missing.
    pub fn required(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<&'t TomlValue<'a>> {
        let value = self.value(key);
        if value.is_none() {
            problems.report(self.range(), format!("`{key}` is missing"));
        }
        value
    }

    pub fn string(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<String> {
        self.value(key).and_then(|value| string(value, problems))
    }

    /// Returns the string of `key`, or reports that it is missing.
    pub fn required_string(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<String> {
        self.required(key, problems).and_then(|value| string(value, problems))
    }

    /// Reports a `schema` other than `version`. A file without the key has this version.
    pub fn expect_schema(&mut self, version: u32, problems: &mut FileProblems<'_>) {
        if self.number("schema", problems).is_some_and(|schema| schema != version) {
            problems.report(self.range(), format!("`schema` is not {version}"));
        }
    }

    /// Reads `key` as an array of strings, or one string.
    pub fn strings(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Vec<String> {
        let Some(value) = self.value(key) else { return Vec::new() };
        match value.get_ref().as_array() {
            Some(array) => array.iter().filter_map(|item| string(item, problems)).collect(),
            None => string(value, problems).into_iter().collect(),
        }
    }

    pub fn boolean(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<bool> {
        let value = self.value(key)?;
        let found = value.get_ref().as_bool();
        if found.is_none() {
            problems.report(value.span(), format!("expected true or false, found {}", value.get_ref().type_str()));
        }
        found
    }

    pub fn number(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<u32> {
        self.value(key).and_then(|value| number(value, problems))
    }

    /// Reads `key` as an array of tables.
    pub fn tables(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Vec<TomlTable<'t, 'a>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let Some(array) = value.get_ref().as_array() else {
            problems.report(value.span(), format!("expected [[{key}]], found {}", value.get_ref().type_str()));
            return Vec::new();
        };
        array.iter().filter_map(|item| TomlTable::of(item, problems)).collect()
    }

    /// Returns all keys with their values, for tables whose keys are data.
    pub fn entries(&self) -> impl Iterator<Item = (&'t str, Range<usize>, &'t TomlValue<'a>)> + use<'t, 'a> {
        self.entries.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Reports every key that was never read.
    pub fn finish(self, problems: &mut FileProblems<'_>) {
        let all = self.known.iter().copied().collect::<Vec<_>>().join(", ");
        let unknown = self.entries().filter(|(key, ..)| !self.known.contains(key));
        for (number, (key, range, _)) in unknown.enumerate() {
            let known = self.known.iter().copied().filter(|_| number < MOST_SUGGESTIONS);
            let meant = did_you_mean(key, known);
            let known = if meant.is_empty() { format!(" (known here: {all})") } else { meant };
            problems.report(range, format!("unknown key `{key}`{known}"));
        }
    }
}

pub fn string(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Option<String> {
    let found = value.get_ref().as_str().map(str::to_owned);
    if found.is_none() {
        problems.report(value.span(), format!("expected a string, found {}", value.get_ref().type_str()));
    }
    found
}

/// Reads a value as an unsigned 32-bit number.
pub fn number(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Option<u32> {
    let integer = value.get_ref().as_integer();
    let found = integer.and_then(|integer| u32::from_str_radix(integer.as_str(), integer.radix()).ok());
    if found.is_none() {
        let what = integer.map_or(value.get_ref().type_str(), |integer| integer.as_str());
        problems.report(value.span(), format!("expected a number from 0 to {}, found {what}", u32::MAX));
    }
    found
}
