//! A source, reduced by hand, that shows a known difference to the compiler's developers.
//!
//! `layoutproof bugs --issue` compiles it with each build that it finds, and writes an issue text from
//! the output of the newest one. All hand-written claims about that output are tied to lines of the
//! output: if a line is missing, no text is written.
//!
//! Source of the format: ci/upstream/README.md.

use layoutproof_layout::FileId;
use wildmatch::WildMatch;

use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use crate::toml_table::{FileProblems, TomlTable, parse};

/// The version of the format.
const SCHEMA: u32 = 1;

/// A source that shows a known difference with one run of a compiler.
#[derive(Clone, Debug)]
pub struct ReducedSource {
    /// Ids of the bugs that it shows: `DXC-3`.
    pub known: Vec<String>,
    /// The issue's title: what goes wrong.
    pub title: String,
    pub case: String,
    /// The rule set under which the case's numbers are compared; `None` if the source shows no
    /// numbers.
    pub rules: Option<String>,
    /// Toolchains with the same target, one for each build of the compiler, the oldest first.
    pub toolchains: Vec<String>,
    /// Declarations that replace those of the case.
    pub declare: Option<String>,
    /// The text after the declarations: the output buffer and the entry point.
    pub entry: String,
    /// The command line: the compiler's usual name, its options, the source's file.
    pub command: String,
    /// Files that the command writes and that are part of its output. Those that end in `.spv` are
    /// disassembled.
    pub outputs: Vec<String>,
    /// Patterns, each of which must match a line of the output.
    pub shows: Vec<WildMatch>,
    /// The meaning of these lines.
    pub means: String,
    /// What should happen, and according to which source.
    pub expected: String,
}

impl ReducedSource {
    /// True if it shows the bug with this id.
    pub fn is_about(&self, bug: &str) -> bool {
        self.known.iter().any(|known| known == bug)
    }

    pub fn read(file: FileId, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
        let root = parse(sources, &mut problems);
        let mut table = TomlTable::new(&root);

        table.expect_schema(SCHEMA, &mut problems);
        let [title, case, entry, command, means, expected] = ["title", "case", "entry", "command", "means", "expected"]
            .map(|key| table.required_string(key, &mut problems).unwrap_or_default());
        let rules = table.string("rules", &mut problems);
        let declare = table.string("declare", &mut problems);
        let [known, toolchains, outputs, shows] =
            ["known", "toolchains", "outputs", "shows"].map(|key| table.strings(key, &mut problems));

        if known.is_empty() {
            problems.report(table.range(), "`known` names the known difference");
        }
        if toolchains.is_empty() {
            problems.report(table.range(), "`toolchains` names one for each build, the oldest first");
        }
        if rules.is_some() && declare.is_some() {
            problems
                .report(table.range(), "`rules` compares the case's numbers, and `declare` replaces what they are of");
        }
        if shows.is_empty() {
            problems.report(table.range(), "`shows` names lines of the output");
        }
        if command.split_whitespace().count() < 2 {
            problems.report(table.range(), "`command` is the compiler, its options and the source's file");
        }
        table.finish(&mut problems);

        let shows = shows.iter().map(|line| WildMatch::new(line)).collect();
        let source =
            Self { known, title, case, rules, toolchains, declare, entry, command, outputs, shows, means, expected };
        if found.is_empty() { Ok(source) } else { Err(found) }
    }

    /// The file that the source is written to: the last word of the command line.
    pub fn file(&self) -> &str {
        self.command.split_whitespace().next_back().unwrap_or_default()
    }

    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.command.split_whitespace().skip(1)
    }

    /// The lines of an output that show the difference, trimmed; `None` if one is missing.
    pub fn shown_lines<'a>(&self, output: &'a str) -> Option<Vec<&'a str>> {
        let line_of = |pattern: &WildMatch| output.lines().map(str::trim).find(|line| pattern.matches(line));
        self.shows.iter().map(line_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
schema = 1
known = "dxc/it-lists"
title = "it lists 4 and reads 0"
case = "a/b"
rules = "hlsl-cbuffer"
toolchains = ["dxc-dxil", "dxc-dev-dxil"]
entry = "void main() {}"
command = "dxc -T cs_6_6 -E main shader.hlsl"
shows = ["*float a;*Offset:*4", "*, i32 0)*"]
means = "it reads register 0"
expected = "it reads register 1"
"#;

    fn read(text: &str) -> Result<ReducedSource, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("source.toml", text);
        ReducedSource::read(file, &sources)
            .map_err(|problems| problems.iter().map(|it| it.message.clone()).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn lines_are_found_or_nothing_is_shown() {
        let source = read(TEXT).unwrap();
        assert_eq!((source.file(), source.arguments().next()), ("shader.hlsl", Some("-T")));
        let listing = "; float a;  ; Offset:    4\n  %4 = load(%1, i32 0)  ; x\n";
        assert_eq!(source.shown_lines(listing).unwrap(), ["; float a;  ; Offset:    4", "%4 = load(%1, i32 0)  ; x"]);
        assert_eq!(source.shown_lines(&listing.replace("i32 0", "i32 1")), None);
    }

    #[test]
    fn what_is_missing_or_contradicts_is_told() {
        for (from, to, problem) in [
            ("title = \"it lists 4 and reads 0\"\n", "", "`title` is missing"),
            ("known = \"dxc/it-lists\"\n", "", "`known` names"),
            ("shows", "show", "`shows` names lines"),
            ("schema = 1", "schema = 2", "`schema` is not 1"),
            ("rules = ", "declare = \"float a;\"\nrules = ", "`rules` compares"),
            ("[\"dxc-dxil\", \"dxc-dev-dxil\"]", "[]", "`toolchains` names one"),
        ] {
            let problems = read(&TEXT.replace(from, to)).unwrap_err();
            assert!(problems.contains(problem), "{to}: {problems}");
        }
    }
}
