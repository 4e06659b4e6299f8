//! Reads TOML tables key by key, so that every problem of a file is found at once and each has its place.

use std::collections::BTreeSet;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostics::{Code, Diagnostic};
use crate::sources::SourceMap;

/// A TOML value with its place.
pub type TomlValue<'a> = Spanned<DeValue<'a>>;

/// More problems of a file than these are counted, not kept.
const KEPT: usize = 1000;

/// Where problems go, and the file that they are in.
#[derive(Debug)]
pub struct FileProblems<'a> {
    file: FileId,
    code: Code,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> FileProblems<'a> {
    /// Problems of `file`, all with `code` unless said otherwise.
    pub fn new(file: FileId, code: Code, found: &'a mut Vec<Diagnostic>) -> Self {
        Self { file, code, found }
    }

    /// True if none was found so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The range as a span of the file.
    pub fn span(&self, range: Range<usize>) -> Span {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file: self.file, start: at(range.start), end: at(range.end) }
    }

    /// True if further problems are only counted.
    fn is_full(&self) -> bool {
        self.found.len() >= KEPT
    }

    /// Reports a problem at `range`.
    pub fn report(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.report_as(self.code, range, message);
    }

    /// Reports a problem with a code of its own.
    pub fn report_as(&mut self, code: Code, range: Range<usize>, message: impl Into<String>) {
        if let (true, Some(last)) = (self.is_full(), self.found.last_mut()) {
            last.left_out += 1;
            return;
        }
        let span = self.span(range);
        self.found.push(Diagnostic::error(code, span, message));
    }
}

/// Parses a file into its root table; syntax errors become problems and the readable rest is returned.
pub fn parse<'a>(sources: &'a SourceMap, problems: &mut FileProblems<'_>) -> Spanned<DeTable<'a>> {
    let text = sources.file(problems.file).text.as_str();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        problems.report(error.span().unwrap_or(0..0), error.message().trim_end_matches('\n').replace('\n', ", "));
    }
    table
}

/// One table that is read key by key; keys that nobody asked for are reported by [`TomlTable::finish`].
#[derive(Debug)]
pub struct TomlTable<'t, 'a> {
    entries: &'t DeTable<'a>,
    range: Range<usize>,
    known: BTreeSet<&'static str>,
}

impl<'t, 'a> TomlTable<'t, 'a> {
    /// A table with its place.
    pub fn new(table: &'t Spanned<DeTable<'a>>) -> Self {
        Self { entries: table.get_ref(), range: table.span(), known: BTreeSet::new() }
    }

    /// A value that must be a table.
    pub fn of(value: &'t TomlValue<'a>, problems: &mut FileProblems<'_>) -> Option<Self> {
        let Some(entries) = value.get_ref().as_table() else {
            problems.report(value.span(), format!("expected a table, found {}", value.get_ref().type_str()));
            return None;
        };
        Some(Self { entries, range: value.span(), known: BTreeSet::new() })
    }

    /// Where the table is.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The value of `key`, as it is.
    pub fn value(&mut self, key: &'static str) -> Option<&'t TomlValue<'a>> {
        self.known.insert(key);
        self.entries.get(key)
    }

    /// The value of `key`, which must be there.
    pub fn required(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<&'t TomlValue<'a>> {
        let value = self.value(key);
        if value.is_none() {
            problems.report(self.range(), format!("`{key}` is missing"));
        }
        value
    }

    /// The string of `key`.
    pub fn string(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<String> {
        self.value(key).and_then(|value| string(value, problems))
    }

    /// The strings of `key`: an array, or one string.
    pub fn strings(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Vec<String> {
        let Some(value) = self.value(key) else { return Vec::new() };
        match value.get_ref().as_array() {
            Some(array) => array.iter().filter_map(|item| string(item, problems)).collect(),
            None => string(value, problems).into_iter().collect(),
        }
    }

    /// The truth value of `key`.
    pub fn boolean(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<bool> {
        let value = self.value(key)?;
        let found = value.get_ref().as_bool();
        if found.is_none() {
            problems.report(value.span(), format!("expected true or false, found {}", value.get_ref().type_str()));
        }
        found
    }

    /// The number of `key`.
    pub fn number(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Option<u32> {
        self.value(key).and_then(|value| number(value, problems))
    }

    /// The tables of an array of tables.
    pub fn tables(&mut self, key: &'static str, problems: &mut FileProblems<'_>) -> Vec<TomlTable<'t, 'a>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let Some(array) = value.get_ref().as_array() else {
            problems.report(value.span(), format!("expected [[{key}]], found {}", value.get_ref().type_str()));
            return Vec::new();
        };
        array.iter().filter_map(|item| TomlTable::of(item, problems)).collect()
    }

    /// All keys with their values, for tables whose keys are data.
    pub fn entries(&self) -> impl Iterator<Item = (&'t str, Range<usize>, &'t TomlValue<'a>)> + use<'t, 'a> {
        self.entries.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Reports every key that was not asked for.
    pub fn finish(self, problems: &mut FileProblems<'_>) {
        let known = self.known.iter().copied().collect::<Vec<_>>().join(", ");
        for (key, range, _) in self.entries().filter(|(key, ..)| !self.known.contains(key)) {
            problems.report(range, format!("unknown key `{key}` (known here: {known})"));
        }
    }
}

/// The string of a value.
pub fn string(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Option<String> {
    let found = value.get_ref().as_str().map(str::to_owned);
    if found.is_none() {
        problems.report(value.span(), format!("expected a string, found {}", value.get_ref().type_str()));
    }
    found
}

/// The unsigned 32-bit number of a value.
pub fn number(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Option<u32> {
    let integer = value.get_ref().as_integer();
    let found = integer.and_then(|integer| u32::from_str_radix(integer.as_str(), integer.radix()).ok());
    if found.is_none() {
        let what = integer.map_or(value.get_ref().type_str(), |integer| integer.as_str());
        problems.report(value.span(), format!("expected a number from 0 to {}, found {what}", u32::MAX));
    }
    found
}
