//! Writes a newly found difference as a case file and as a report for the authors of the compiler
//! or driver.
//!
//! For `layoutproof dev fuzz`, which writes both, and for `layoutproof bugs --issue`, which writes an
//! [`UpstreamIssue`]. The case expects the named authority's numbers, taken from its report or its
//! code. Our own rules' numbers appear in the report and are never written as an expectation.
//!
//! Source of the case format: cases/README.md.

mod issue;

use std::collections::BTreeMap;

use layoutproof_core::case::Authority;
use layoutproof_core::results::coverage::word;
use layoutproof_events::{RecordValue, Row};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{LayoutOptions, Quantity};
use layoutproof_show::style::{TextLines, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

pub use issue::{BuildFinding, IssueNumbers, IssueOutput, UpstreamIssue};

/// A declaration about which witnesses disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamDifference {
    /// The claim, one sentence without a full stop at the end.
    pub summary: String,
    pub declare: String,
    /// The compiler's input: the declarations with an entry point that reads them.
    pub source: String,
    pub language: ShaderLanguage,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    /// Rule set that the numbers belong to.
    pub rules: String,
    /// The compiler whose numbers the case expects: name, version, flags, and where they were read.
    pub authority: Authority,
    /// The compiler's whole command line, for the reader to repeat; empty for a built-in compiler.
    pub command_line: String,
    /// Name and version of everything else that took part: devices, drivers, other compilers.
    pub others: Vec<(String, String)>,
    pub rows: Vec<DifferenceRow>,
    /// True if the authority listed every member, so that the case may claim to be complete.
    pub is_complete: bool,
}

/// Names of a case's tables of numbers, in the order in which they are written.
const TABLES: [(Quantity, &str); 5] = [
    (Quantity::Offset, "offsets"),
    (Quantity::ArrayStride, "strides"),
    (Quantity::MatrixStride, "matrix_strides"),
    (Quantity::Size, "sizes"),
    (Quantity::Alignment, "alignments"),
];

/// The case file. It expects the numbers that the authority reports, and the addresses in its code
/// for numbers that it does not report. If its code differs from its report, the case has the
/// code's numbers under `accessed`.
pub fn case_file(difference: &UpstreamDifference) -> String {
    let UpstreamDifference { summary, declare, options, authority, .. } = difference;
    let mut text = TextLines::default();
    text.push("schema = 1");
    text.push(&format!("summary = {}", quoted(summary)));

    match options.matrix {
        MatrixOrder::Row => text.push("matrix = \"row\""),
        MatrixOrder::Column => {}
    }
    match options.sixteen_bit {
        SixteenBit::Off => text.push("sixteen_bit = false"),
        SixteenBit::On => {}
    }

    let declare = declare.trim_end().replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    text.append(&format!("declare = \"\"\"\n{declare}\n\"\"\"\n"));

    let said = numbers(difference, |row| row.reported.or(row.compiled));
    push_table("expect", &difference.rules, authority, &said, &mut text);
    if !difference.is_complete {
        text.push("partial = true");
    }

    let elsewhere = numbers(difference, |row| row.reported.and(row.compiled).filter(|it| Some(*it) != row.reported));
    if !elsewhere.is_empty() {
        let loads = Authority { from: Some("loads".to_owned()), ..authority.clone() };
        push_table("accessed", &difference.rules, &loads, &elsewhere, &mut text);
    }

    text.into_text()
}

/// True if the authority gave a number that a case can expect. A compiler that crashed gave none.
pub fn has_numbers(difference: &UpstreamDifference) -> bool {
    !numbers(difference, |row| row.reported.or(row.compiled)).is_empty()
}

/// The declarations as a shader file, with the options that they need as a comment.
pub fn shader_file(difference: &UpstreamDifference) -> String {
    let LayoutOptions { matrix, sixteen_bit, msvc_bit_fields: _ } = difference.options;
    let matrix = match matrix {
        MatrixOrder::Row => " --matrix row",
        MatrixOrder::Column => "",
    };
    let sixteen_bit = match sixteen_bit {
        SixteenBit::Off => " --16bit off",
        SixteenBit::On => "",
    };
    let options = format!("{matrix}{sixteen_bit}");
    let comment = if options.is_empty() { String::new() } else { format!("// Options:{options}\n") };
    format!("// {}\n{comment}{}\n", one_line(&difference.summary), difference.declare.trim_end())
}

/// Numbers by the index of their table, each with its path.
type TableNumbers<'a> = BTreeMap<usize, Vec<(&'a str, u32)>>;

/// The number that `of` finds in each row that a case can hold.
fn numbers(difference: &UpstreamDifference, of: impl Fn(&DifferenceRow) -> Option<u32>) -> TableNumbers<'_> {
    let mut found = TableNumbers::new();
    for row in &difference.rows {
        let place = TABLES.iter().position(|(what, _)| *what == row.what);
        if let (Some(place), Some(number)) = (place, of(row)) {
            let numbers = found.entry(place).or_default();
            if !numbers.iter().any(|(path, _)| *path == row.path) {
                numbers.push((&row.path, number));
            }
        }
    }
    found
}

/// Adds the table `[NAME.RULES]` with its authority.
fn push_table(name: &str, rules: &str, authority: &Authority, numbers: &TableNumbers<'_>, text: &mut TextLines) {
    let is_bare = rules.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let rules = if is_bare { rules.to_owned() } else { quoted(rules) };
    text.push("");
    text.push(&format!("[{name}.{rules}]"));
    text.push(&format!("authority = {}", written(authority)));
    for (place, entries) in numbers {
        let entries: Vec<String> =
            entries.iter().map(|(path, number)| format!("{} = {number}", quoted(path))).collect();
        text.push(&format!("{} = {{ {} }}", TABLES[*place].1, entries.join(", ")));
    }
}

/// `{ compiler = "dxc", version = "1.7.2308", flags = "-T cs_6_6", from = "listing" }`.
fn written(authority: &Authority) -> String {
    let Authority { compiler, version, flags, from, spec, document, checked } = authority;
    let parts = [
        ("compiler", compiler),
        ("version", version),
        ("flags", flags),
        ("from", from),
        ("spec", spec),
        ("document", document),
        ("checked", checked),
    ];
    let said = parts.iter().filter_map(|(key, value)| Some(format!("{key} = {}", quoted(value.as_ref()?))));
    format!("{{ {} }}", said.collect::<Vec<_>>().join(", "))
}

/// A TOML string on one line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// The report in Markdown: what differs, the source, the command line, the numbers, the versions.
pub fn markdown(difference: &UpstreamDifference) -> String {
    let UpstreamDifference { summary, source, language, rules, authority, command_line, .. } = difference;
    let compiler = authority.compiler.as_deref().unwrap_or("the authority");
    let version = authority.version.as_deref().unwrap_or("of unknown version");

    let mut text = TextLines::default();
    text.push(&format!("# {}", one_line(summary)));
    text.push("");
    text.push(&format!("Seen with {compiler} {version}. Numbers are bytes."));
    text.push(&format!("`computed` is what layoutproof computes under its rule set `{rules}`."));

    text.append(&format!("\n## Source\n\n```{}\n{}\n```\n", language.as_str(), source.trim_end()));
    if !command_line.is_empty() {
        text.append(&format!("\n## Command line\n\n```\n{}\n```\n", one_line(command_line)));
    }

    text.append("\n## Numbers\n\n");
    numbers_table(&difference.rows, &mut text);

    text.append("\n## Versions\n\n");
    text.push(&format!("- {compiler}: {version}"));
    for (name, version) in &difference.others {
        text.push(&format!("- {}: {}", one_line(name), one_line(version)));
    }

    text.into_text()
}

#[cfg(test)]
mod tests;

/// One number of a difference, in bytes; `None` if a witness gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceRow {
    /// Path, block name first.
    pub path: String,
    pub what: Quantity,
    /// From a case, if there is one.
    pub expected: Option<u32>,
    /// From our rules.
    pub computed: Option<u32>,
    /// From the compiler's reflection, listing or decorations.
    pub reported: Option<u32>,
    /// The offset that the compiler's code addresses.
    pub compiled: Option<u32>,
    /// The offset that a device read.
    pub observed: Option<u32>,
}

impl From<&Row> for DifferenceRow {
    /// Converts a row. Bindings are dropped, because they are not numbers.
    fn from(row: &Row) -> Self {
        let number = |value: &Option<RecordValue>| match value {
            Some(RecordValue::Number(number)) => Some(*number),
            Some(RecordValue::Text(_)) | None => None,
        };
        Self {
            path: row.path.clone(),
            what: row.what,
            expected: number(&row.witnesses.expected),
            computed: number(&row.witnesses.computed),
            reported: number(&row.witnesses.reported),
            compiled: number(&row.witnesses.compiled),
            observed: number(&row.witnesses.observed),
        }
    }
}

impl DifferenceRow {
    /// The numbers in the order of the report's columns.
    pub fn numbers(&self) -> [Option<u32>; 5] {
        [self.expected, self.computed, self.reported, self.compiled, self.observed]
    }

    pub fn differs(&self) -> bool {
        let mut said = self.numbers().into_iter().flatten();
        let first = said.next();
        said.any(|number| Some(number) != first)
    }
}

/// Headings of the report's columns.
const WITNESSES: [&str; 5] = ["expected", "computed", "reported", "compiled", "observed"];

/// Rows with a disagreement come first and are marked; a witness without any number has no column.
pub(super) fn numbers_table(rows: &[DifferenceRow], text: &mut TextLines) {
    let speaks = |at: &usize| rows.iter().any(|row| row.numbers()[*at].is_some());
    let shown: Vec<usize> = (0..WITNESSES.len()).filter(speaks).collect();
    let heads: Vec<&str> = shown.iter().map(|at| WITNESSES[*at]).collect();
    text.push(&format!("| path | what | {} | |", heads.join(" | ")));
    text.push(&format!("|---|---|{}---|", "---:|".repeat(heads.len())));
    let (differing, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.differs());
    for row in differing.into_iter().chain(others) {
        let cell = |at: &usize| row.numbers()[*at].map_or_else(|| "-".to_owned(), |number| number.to_string());
        let cells: Vec<String> = shown.iter().map(cell).collect();
        let mark = if row.differs() { "differs" } else { "" };
        text.push(&format!("| `{}` | {} | {} | {mark} |", row.path, word(&row.what), cells.join(" | ")));
    }
}
