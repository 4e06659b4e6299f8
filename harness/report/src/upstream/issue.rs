//! Writes an issue for a compiler's tracker, about a known difference that this run reproduced.
//!
//! For `layoutproof bugs --issue`. Every claim about a build is its answer in this run, or comes from a
//! frozen set, and then the text says so.

use super::{DifferenceRow, numbers_table};
use layoutproof_show::style::{TextLines, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// A known difference, with the results of compiler builds for its reduced source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamIssue {
    /// What goes wrong, without a full stop at the end.
    pub title: String,
    /// The issue in which it is already reported.
    pub link: Option<String>,
    /// The compiler's input.
    pub source: String,
    pub language: ShaderLanguage,
    /// The command line, for the reader to repeat.
    pub command: String,
    /// Name and version of the newest build, which the text describes.
    pub newest: String,
    /// The result, output and meaning for that build.
    pub actual: IssueOutput,
    /// What should happen, and according to which source.
    pub expected: String,
    /// The case's numbers next to those of the newest build.
    pub numbers: Option<IssueNumbers>,
    /// All builds, the oldest first.
    pub builds: Vec<BuildFinding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueOutput {
    /// The result: `accepts the source`.
    pub end: String,
    pub lines: Vec<String>,
    /// The meaning of these lines.
    pub means: String,
}

/// Numbers of a case, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueNumbers {
    /// The source of the expected numbers.
    pub authority: String,
    /// One row per number that the case expects or that two witnesses disagree about.
    pub rows: Vec<DifferenceRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildFinding {
    /// Name and version.
    pub build: String,
    /// What it does with the source, or why that is unknown.
    pub finding: String,
    /// True if it shows the difference, false if it compiles the source without it; `None` if
    /// neither is known.
    pub shows: Option<bool>,
}

impl UpstreamIssue {
    pub fn markdown(&self) -> String {
        let mut text = TextLines::default();
        text.push(&format!("# {}", one_line(&self.title)));
        text.push("");
        if let Some(link) = &self.link {
            text.push(&format!("> This is reported already: <{link}>"));
            text.push("");
        }

        text.append(&format!(
            "## Steps to reproduce\n\n```{}\n{}\n```\n",
            self.language.as_str(),
            self.source.trim_end()
        ));
        text.append(&format!("\n```console\n$ {}\n```\n", one_line(&self.command)));

        self.push_actual(&mut text);
        self.push_expected(&mut text);

        self.push_builds(&mut text);
        text.into_text()
    }

    fn push_builds(&self, text: &mut TextLines) {
        text.append(&format!("\n## Builds\n\n{}\n\n| build | |\n|---|---|\n", self.since()));
        for BuildFinding { build, finding, .. } in &self.builds {
            text.push(&format!("| {} | {} |", cell(build), cell(finding)));
        }
    }

    /// The builds between which the difference appeared, as far as the results show it.
    fn since(&self) -> String {
        let known: Vec<&BuildFinding> = self.builds.iter().filter(|build| build.shows.is_some()).collect();
        let came = |pair: &&[&BuildFinding]| (pair[0].shows, pair[1].shows) == (Some(false), Some(true));

        match (known.windows(2).rev().find(came), known.as_slice()) {
            (Some([older, newer]), _) => format!("It came between {} and {}.", older.build, newer.build),
            (_, []) => "No build was tried.".to_owned(),
            (_, [_]) if self.builds.len() == 1 => "No other build was tried.".to_owned(),
            (_, [_]) => "No other build tells whether it does the same.".to_owned(),
            (_, [oldest, ..]) => format!("Every build that was tried shows it; the oldest is {}.", oldest.build),
        }
    }

    fn push_actual(&self, text: &mut TextLines) {
        let IssueOutput { end, lines, means } = &self.actual;
        text.append(&format!("\n## Actual behaviour\n\n{} {end}.", self.newest));
        if lines.is_empty() {
            text.append("\n");
        } else {
            text.append(&format!(" Among its output:\n\n```\n{}\n```\n", lines.join("\n")));
        }
        text.append(&format!("\n{}\n", means.trim()));
    }

    fn push_expected(&self, text: &mut TextLines) {
        text.append(&format!("\n## Expected behaviour\n\n{}\n", self.expected.trim()));
        let Some(IssueNumbers { authority, rows }) = &self.numbers else { return };

        text.append(&format!("\nNumbers are bytes from the start of the buffer. `expected`: {}.", one_line(authority)));
        text.append(&format!(" `reported` and `compiled`: what {} reports, and what its code addresses;", self.newest));
        text.append(" `computed`: what layoutproof computes.\n\n");
        numbers_table(rows, text);
    }
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::Quantity;

    use super::*;

    fn build(build: &str, finding: &str, shows: Option<bool>) -> BuildFinding {
        BuildFinding { build: build.to_owned(), finding: finding.to_owned(), shows }
    }

    fn issue() -> UpstreamIssue {
        let row = DifferenceRow {
            path: "S.a".to_owned(),
            what: Quantity::Offset,
            expected: Some(4),
            computed: None,
            reported: Some(4),
            compiled: Some(0),
            observed: None,
        };
        UpstreamIssue {
            title: "a double at c0.y is listed at 4 and read at 0".to_owned(),
            link: None,
            source: "cbuffer S { double a : packoffset(c0.y); };\n".to_owned(),
            language: ShaderLanguage::Hlsl,
            command: "dxc -T cs_6_6 -E main shader.hlsl".to_owned(),
            newest: "DXC 1.9".to_owned(),
            actual: IssueOutput {
                end: "accepts the source".to_owned(),
                lines: vec!["load(i32 0)".to_owned()],
                means: "It reads register 0.".to_owned(),
            },
            expected: "It reads byte 4.".to_owned(),
            numbers: Some(IssueNumbers { authority: "dxc 1.7 (listing)".to_owned(), rows: vec![row] }),
            builds: vec![build("DXC 1.7", "the same | worse", Some(true))],
        }
    }

    #[test]
    fn the_text_has_all_that_a_maintainer_needs() {
        let wanted = "\
# a double at c0.y is listed at 4 and read at 0

## Steps to reproduce

```hlsl
cbuffer S { double a : packoffset(c0.y); };
```

```console
$ dxc -T cs_6_6 -E main shader.hlsl
```

## Actual behaviour

DXC 1.9 accepts the source. Among its output:

```
load(i32 0)
```

It reads register 0.

## Expected behaviour

It reads byte 4.

Numbers are bytes from the start of the buffer. `expected`: dxc 1.7 (listing). `reported` and `compiled`: what DXC 1.9 reports, and what its code addresses; `computed`: what layoutproof computes.

| path | what | expected | reported | compiled | |
|---|---|---:|---:|---:|---|
| `S.a` | offset | 4 | 4 | 0 | differs |

## Builds

No other build was tried.

| build | |
|---|---|
| DXC 1.7 | the same \\| worse |
";
        assert_eq!(issue().markdown(), wanted);
    }

    #[test]
    fn builds_tell_between_which_it_came() {
        let [old, unknown, new] =
            [("A", Some(false)), ("B", None), ("C", Some(true))].map(|(name, it)| build(name, "", it));
        let since = |builds: &[&BuildFinding]| {
            UpstreamIssue { builds: builds.iter().map(|build| (*build).clone()).collect(), ..issue() }.since()
        };
        assert_eq!(since(&[&old, &unknown, &new]), "It came between A and C.");
        assert_eq!(since(&[&unknown, &new, &new]), "Every build that was tried shows it; the oldest is C.");
        assert_eq!(since(&[&unknown, &new]), "No other build tells whether it does the same.");
        assert_eq!(since(&[&new]), "No other build was tried.");
    }

    #[test]
    fn what_is_reported_says_so_first() {
        let link = Some("https://example.org/1".to_owned());
        let text = UpstreamIssue { link, numbers: None, ..issue() }.markdown();
        let second = text.lines().nth(2).unwrap();
        assert_eq!(second, "> This is reported already: <https://example.org/1>");
        assert!(!text.contains("| path |"), "{text}");
    }
}
