//! Runs all builds on a reduced source, and writes the text of an issue about the result.

use layoutproof_core::results::known::ReducedSource;
use layoutproof_report::upstream::{BuildFinding, DifferenceRow, IssueNumbers, IssueOutput, UpstreamIssue};
use layoutproof_site::Mechanism;

use crate::builds::{BuildAnswer, BuildsAtHand, PastedSource, build_name, end_words, toolchain_named};

/// The text of an issue, or a reason for having none.
#[derive(Debug)]
pub enum IssueText {
    Written(String),
    /// A message that the newest build does not show the difference.
    NotShown(String),
    /// A message that the newest build was not found.
    Missing(String),
}

/// Runs the newest build and, if it shows the difference, all others.
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
    let newest = *toolchains.last().expect("a reduced source without toolchains is refused");

    let Some(compiler) = builds.compiler(newest) else {
        let name = newest.compiler;
        let sentence = format!("compiler `{name}`, the newest one with `{}`, was not found", difference.id);
        return Ok(IssueText::Missing(format!("{sentence}; `layoutproof doctor` says how to get it")));
    };
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
        language: newest.language(),
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
    Ok(IssueText::Written(issue.markdown()))
}
