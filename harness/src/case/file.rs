//! Parses case files, and reports every problem with its place.
//!
//! `cases/README.md` describes the format, field by field.

use std::ops::Range;

use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Block, BlockKind, FileId, LayoutOptions, Quantity, Span};

use crate::case::authority::{Authority, authority};
use crate::case::diagnosed::{ExpectedDiagnostic, diagnosed};
use crate::case::placement::{BindExpectation, bindings, invocation};
use crate::toml_table::{FileProblems, TomlTable, TomlValue, number, parse, string};
use layoutproof_bindings::BindingInvocation;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// The only version of the format.
const SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Path of the file below the cases folder, without `.toml`.
    pub id: String,
    pub file: FileId,
    /// The claim, in a sentence.
    pub summary: String,
    /// The declaration, as a range of its file.
    pub declare: Span,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    /// Entry point, profile, used and unused parameters, and options of the compilers.
    pub invocation: BindingInvocation,
    /// Preprocessor macros.
    pub defines: Vec<(String, String)>,
    /// Links to the bugs that this case reproduces.
    pub bugs: Vec<String>,
    /// The numbers that hold today, by rule set.
    pub expect: Vec<Expectation>,
    /// The offsets that a compiler's loads access, if its listing differs.
    pub accessed: Vec<Expectation>,
    /// The numbers of a document that no compiler follows today. Reports show but do not judge
    /// them.
    pub documented: Vec<Expectation>,
    /// The expected places of parameters, by target and convention.
    pub bind: Vec<BindExpectation>,
    pub rejects: Vec<ExpectedDiagnostic>,
    pub warns: Vec<ExpectedDiagnostic>,
}

/// The numbers of one authority under one rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub rules: String,
    /// The authority of the table, in the case file.
    pub span: Span,
    pub authority: Authority,
    /// True if the expectation may leave out members.
    pub partial: bool,
    pub entries: Vec<ExpectedNumber>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedNumber {
    pub what: Quantity,
    /// Block name, followed by the path in the block.
    pub path: String,
    /// Bytes.
    pub value: u32,
    /// The number in the case file.
    pub span: Span,
}

impl Case {
    /// True if the case expects numbers of this block. A pointee has the name of its pointer, which is a member elsewhere.
    pub fn expects_of(&self, block: &Block) -> bool {
        let is_own = |rest: &str| rest.starts_with(['.', '[']) || (rest.is_empty() && block.kind != BlockKind::Pointee);
        let mut paths = self.expect.iter().flat_map(|expectation| &expectation.entries).map(|entry| &entry.path);
        paths.any(|path| path.strip_prefix(block.name.as_str()).is_some_and(is_own))
    }

    /// Reads a case file. `id` names it.
    ///
    /// # Errors
    /// All problems of the file.
    ///
    /// # Panics
    /// Never: a file without problems has all parts of a case.
    pub fn read(id: &str, file: FileId, sources: &mut SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let (case, escaped) = read_tables(id, file, sources, &mut found);
        if !found.is_empty() {
            return Err(found);
        }
        let mut case = case.expect("a case without problems has all its parts");
        if let Some(text) = escaped {
            let name = format!("{} (declare)", sources.file(file).name);
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            case.declare = Span { file: sources.add(name, text), start: 0, end: length };
        }
        Ok(case)
    }
}

/// Returns the case. Also returns the declaration's text if escapes prevent it from being a plain
/// range of the file.
fn read_tables(
    id: &str,
    file: FileId,
    sources: &SourceMap,
    found: &mut Vec<Diagnostic>,
) -> (Option<Case>, Option<String>) {
    let mut problems = FileProblems::new(file, Code::BadCase, found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let problems = &mut problems;

    let schema = table.required("schema", problems).and_then(|value| number(value, problems));
    if let Some(schema) = schema.filter(|schema| *schema != SCHEMA) {
        problems.report(table.range(), format!("schema is {schema}, this version reads {SCHEMA}"));
    }

    let summary = table.required_string("summary", problems);
    let declare = table.required("declare", problems).and_then(|value| declaration(value, sources, problems));

    let options = options(&mut table, problems);
    let invocation = invocation(&mut table, problems);
    let defines = table.strings("defines", problems).iter().map(|define| split_define(define)).collect();
    let bugs = table.strings("bugs", problems);
    let [expect, accessed, documented] =
        ["expect", "accessed", "documented"].map(|key| expectations(&mut table, key, problems));
    let bind = bindings(&mut table, problems);
    let [rejects, warns] = ["reject", "warn"].map(|key| diagnosed(&mut table, key, problems));

    let claims_nothing = expect.is_empty() && bind.is_empty() && accessed.is_empty();
    if claims_nothing && rejects.is_empty() && warns.is_empty() {
        problems.report(0..0, "a case needs a claim: [expect.RULES], [bind.TARGET.CONVENTION], [[reject]] or [[warn]]");
    }

    table.finish(problems);
    let (Some(summary), Some((declare, escaped))) = (summary, declare) else { return (None, None) };

    let id = id.to_owned();
    let case = Case {
        id,
        file,
        summary,
        declare,
        options,
        invocation,
        defines,
        bugs,
        expect,
        accessed,
        documented,
        bind,
        rejects,
        warns,
    };

    (Some(case), escaped)
}

/// Splits `NAME=VALUE`. A bare `NAME` gets the value 1, as in compilers.
pub fn split_define(define: &str) -> (String, String) {
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    (name.to_owned(), value.to_owned())
}

/// The range of the declaration in the file, and its text if escapes prevent it from being a plain
/// range.
fn declaration(
    value: &TomlValue<'_>,
    sources: &SourceMap,
    problems: &mut FileProblems<'_>,
) -> Option<(Span, Option<String>)> {
    let text = string(value, problems)?;
    let range = value.span();
    let whole = problems.span(0..0);
    let raw = sources.file(whole.file).text.get(range.clone())?;

    // With escapes, the text between the quotes differs from the string's value.
    let inner = unquoted(raw).map(|inner| range.start + inner.start..range.start + inner.end);
    match inner {
        Some(inner) if sources.file(whole.file).text.get(inner.clone()) == Some(text.as_str()) => {
            Some((problems.span(inner), None))
        }
        Some(_) | None => Some((problems.span(range), Some(text))),
    }
}

/// The range between the quotes of a TOML string.
fn unquoted(raw: &str) -> Option<Range<usize>> {
    for quote in ["\"\"\"", "'''"] {
        if let Some(rest) = raw.strip_prefix(quote) {
            let newline = usize::from(rest.starts_with('\n')) + 2 * usize::from(rest.starts_with("\r\n"));
            return Some(3 + newline..raw.len().checked_sub(3)?);
        }
    }
    Some(1..raw.len().checked_sub(1)?)
}

fn options(table: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> LayoutOptions {
    let mut options = LayoutOptions::default();
    if let Some(matrix) = table.value("matrix") {
        match matrix.get_ref().as_str() {
            Some("row") => options.matrix = MatrixOrder::Row,
            Some("column") => options.matrix = MatrixOrder::Column,
            Some(_) | None => problems.report(matrix.span(), "`matrix` is \"row\" or \"column\""),
        }
    }
    if table.boolean("sixteen_bit", problems) == Some(false) {
        options.sixteen_bit = SixteenBit::Off;
    }
    options
}

fn expectations(table: &mut TomlTable<'_, '_>, key: &'static str, problems: &mut FileProblems<'_>) -> Vec<Expectation> {
    let Some(all) = table.value(key).and_then(|value| TomlTable::of(value, problems)) else { return Vec::new() };
    all.entries().filter_map(|(rules, place, value)| expectation(rules, place, value, problems)).collect()
}

fn expectation(
    rules: &str,
    place: Range<usize>,
    value: &TomlValue<'_>,
    problems: &mut FileProblems<'_>,
) -> Option<Expectation> {
    let mut table = TomlTable::of(value, problems)?;
    let span = problems.span(place.clone());

    let authority = if let Some(value) = table.value("authority") {
        authority(value, problems)
    } else {
        problems.report_as(Code::NoAuthority, place.clone(), format!("`{rules}` names no authority for its numbers"));
        Authority::default()
    };

    let partial = table.boolean("partial", problems).unwrap_or(false);
    let (mut entries, mut is_empty) = (Vec::new(), true);
    for (key, what) in [
        ("offsets", Quantity::Offset),
        ("strides", Quantity::ArrayStride),
        ("matrix_strides", Quantity::MatrixStride),
        ("sizes", Quantity::Size),
        ("alignments", Quantity::Alignment),
    ] {
        let Some(numbers) = table.value(key).and_then(|value| TomlTable::of(value, problems)) else { continue };
        for (path, _, value) in numbers.entries() {
            is_empty = false;
            let Some(number) = number(value, problems) else { continue };
            entries.push(ExpectedNumber {
                what,
                path: path.to_owned(),
                value: number,
                span: problems.span(value.span()),
            });
        }
    }

    table.finish(problems);
    if is_empty {
        problems.report_as(
            Code::IncompleteExpectation,
            place,
            format!("`{rules}` has no number, so it expects nothing"),
        );
    }

    Some(Expectation { rules: rules.to_owned(), span, authority, partial, entries })
}
