//! The texts of issues: for makers of drivers, and of compilers after all builds ran on a reduced source.

use anyhow::Context;
use layoutproof_built_in::UPSTREAM_DRIVERS;
use layoutproof_core::results::known::ReducedSource;
use layoutproof_core::toml_table::{FileProblems, TomlTable, parse};
use layoutproof_events::shell::shell_word;
use layoutproof_layout::FileId;
use layoutproof_report::upstream::{BuildFinding, DifferenceRow, IssueNumbers, IssueOutput, UpstreamIssue};
use layoutproof_show::style::{TextLines, one_line};
use layoutproof_site::Mechanism;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use crate::builds::{BuildAnswer, BuildsAtHand, PastedSource, build_name, end_words, toolchain_named};
use crate::known_lists::read_all;

const SCHEMA: u32 = 1;

/// A shader that shows a known difference of a driver.
#[derive(Debug)]
pub struct DriverIssue {
    /// The file's name without the suffix.
    pub name: &'static str,
    /// The known difference.
    pub known: String,
    title: String,
    /// Device, driver and API, with the day.
    seen: String,
    /// The case of the suite that shows it.
    case: String,
    /// The language of the shader, as Markdown calls it.
    language: String,
    shader: String,
    /// The bindings, the contents of the buffers, and the dispatch.
    setup: String,
    actual: String,
    expected: String,
}

/// All of them, by name.
///
/// # Errors
/// A file has problems; only those of the first such file are returned.
pub fn driver_issues() -> anyhow::Result<Vec<DriverIssue>> {
    read_all("ci/upstream-drivers", UPSTREAM_DRIVERS, |file, id, sources| DriverIssue::read(file.name, id, sources))
}

impl DriverIssue {
    fn read(name: &'static str, file: FileId, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
        let root = parse(sources, &mut problems);
        let mut table = TomlTable::new(&root);
        table.expect_schema(SCHEMA, &mut problems);
        let mut required = |key| table.required_string(key, &mut problems).unwrap_or_default();
        let issue = Self {
            name,
            known: required("known"),
            title: required("title"),
            seen: required("seen"),
            case: required("case"),
            language: required("language"),
            shader: required("shader"),
            setup: required("setup"),
            actual: required("actual"),
            expected: required("expected"),
        };
        table.finish(&mut problems);
        if found.is_empty() { Ok(issue) } else { Err(found) }
    }

    pub fn markdown(&self) -> String {
        let mut text = TextLines::default();
        text.push(&format!("# {}", one_line(&self.title)));
        text.push("");
        text.push(&format!("Seen on {}, with shaders of this shape.", one_line(&self.seen)));
        text.append(&format!("\n## Steps to reproduce\n\n```{}\n{}\n```\n", self.language, self.shader.trim_end()));
        text.append(&format!("\n{}\n", self.setup.trim()));
        text.append("\nOr with layoutproof, whose shaders show it, too:\n");
        text.append(&format!(
            "\n```console\n$ layoutproof run {} --no-known\n```\n",
            one_line(&shell_word(&self.case))
        ));
        text.append(&format!("\n## Actual behaviour\n\n{}\n", self.actual.trim()));
        text.append(&format!("\n## Expected behaviour\n\n{}\n", self.expected.trim()));
        text.into_text()
    }
}

/// The text of an issue, or a reason for having none.
#[derive(Debug)]
pub enum IssueText {
    Written {
        text: String,
        /// The newest compiler of those that the text is about, where it is not at hand.
        newer: Option<&'static str>,
    },
    /// A message that the newest build at hand does not show the difference.
    NotShown(String),
    /// A message that no build was found.
    Missing(String),
}

/// Runs the newest build at hand and, if it shows the difference, all others.
pub fn issue_text(
    reduced: &ReducedSource,
    difference: &Mechanism<'_>,
    builds: &BuildsAtHand,
) -> anyhow::Result<IssueText> {
    let source = PastedSource::of(reduced)?;
    let mut toolchains = Vec::new();
    for name in &reduced.toolchains {
        toolchains.push(toolchain_named(name)?);
    }
    let at_hand = toolchains.iter().rev().find_map(|toolchain| Some((*toolchain, builds.compiler(toolchain)?)));
    let Some((newest, compiler)) = at_hand else {
        let names: Vec<String> = toolchains.iter().map(|toolchain| format!("`{}`", toolchain.compiler)).collect();
        let sentence = format!("no compiler with `{}` was found ({})", difference.id, names.join(", "));
        return Ok(IssueText::Missing(format!("{sentence}; `layoutproof doctor` says how to get one")));
    };
    let newer = toolchains.last().filter(|last| last.name != newest.name).map(|last| last.compiler);
    let answer = source.ask(compiler)?;
    let Some(lines) = source.shown_in(&answer) else {
        let (build, end) = (build_name(compiler), end_words(&answer.end));
        let sentence = format!("`{}` does not show in {build}, which {end}", difference.id);
        return Ok(IssueText::NotShown(format!("{sentence}; no text is written")));
    };

    let mut findings = Vec::new();
    for toolchain in &toolchains {
        let BuildAnswer { build, finding, shows } = builds.finding(&source, toolchain)?;
        findings.push(BuildFinding { build, finding, shows });
    }

    let header = if answer.has_stand_in_header {
        " (with a stand-in for its header `hlsl.h`, where its package has none)"
    } else {
        ""
    };
    let numbers = source.subject.as_ref().map(|subject| {
        let rows = builds.rows(subject, newest);
        let rows = rows.iter().map(DifferenceRow::from);
        let rows = rows.filter(|row| row.expected.is_some() || row.differs()).collect();
        IssueNumbers { authority: subject.authority.clone(), rows }
    });
    let issue = UpstreamIssue {
        title: reduced.title.clone(),
        link: difference.upstream_link().map(str::to_owned),
        source: source.text.clone(),
        language: newest.language().context("a translator reads no text")?,
        command: reduced.command.clone(),
        newest: build_name(compiler),
        actual: IssueOutput {
            end: format!("{}{header}", end_words(&answer.end)),
            lines: lines.into_iter().map(str::to_owned).collect(),
            means: reduced.means.clone(),
        },
        expected: reduced.expected.clone(),
        numbers,
        builds: findings,
    };
    Ok(IssueText::Written { text: issue.markdown(), newer })
}

#[cfg(test)]
mod tests {
    use layoutproof_built_in::CASES;
    use layoutproof_site::mechanisms;

    use super::*;
    use crate::known_lists::known_lists;

    #[test]
    fn each_is_about_a_known_difference_and_a_built_in_case() {
        let lists = known_lists().unwrap();
        let known = mechanisms(&lists);
        for issue in driver_issues().unwrap() {
            assert!(known.iter().any(|difference| difference.id == issue.known), "{}: {}", issue.name, issue.known);
            assert!(CASES.iter().any(|case| case.name == issue.case), "{}: {}", issue.name, issue.case);
        }
    }

    /// The committed texts are the current ones.
    #[test]
    fn each_text_is_written_again() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/upstream-drivers");
        for issue in driver_issues().unwrap() {
            let path = folder.join(format!("{}.md", issue.name));
            assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), issue.markdown(), "{}", path.display());
        }
    }
}
