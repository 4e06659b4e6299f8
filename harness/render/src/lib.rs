//! Renders diagnostics for people, as the command prints them.
//!
//! A crate of its own, because most readers of diagnostics draw none.
#![forbid(unsafe_code)]

mod excerpt;

use std::fmt;

use layoutproof_layout::Span;
use layoutproof_source::diagnostics::{Diagnostic, Severity, left_out};
use layoutproof_source::plain_text::escape_controls;
use layoutproof_source::sources::SourceMap;

use crate::excerpt::{Excerpt, drawn_labels};

/// Maximum number of problems to show. The rest are counted.
const SHOWN: usize = 20;

/// Renders diagnostics for people: file, line, column, the source line with a caret, the help.
///
/// Shows at most twenty, errors before warnings; a last line counts the rest. Control characters in
/// the sources appear as escapes, see [`layoutproof_source::plain_text`].
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, colour: bool) -> String {
    let mut theme = if colour { miette::GraphicalTheme::unicode() } else { miette::GraphicalTheme::unicode_nocolor() };
    // Editors and CI systems look for these words at the start of a line.
    "error:".clone_into(&mut theme.characters.error);
    "warning:".clone_into(&mut theme.characters.warning);
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_links(false).with_width(110);

    let mut text = String::new();
    let shown = shown(diagnostics);
    for diagnostic in &shown {
        let drawn = Excerpt::around(diagnostic, sources).is_some_and(|excerpt| {
            let place = PlacedDiagnostic { diagnostic, sources, excerpt };
            let mut report = String::new();
            let drawn = handler.render_report(&mut report, &place).is_ok();
            text += if drawn { report.trim_start() } else { "" };
            drawn
        });
        if !drawn {
            text += &diagnostic.line(sources);
            text.push('\n');
        }
    }

    let left_out = left_out(diagnostics) + (diagnostics.len() - shown.len());
    text + &match left_out {
        0 => String::new(),
        1 => "and 1 more problem not shown\n".to_owned(),
        more => format!("and {more} more problems not shown\n"),
    }
}

/// The problems to show, in their order: first as many errors as fit, then warnings.
fn shown(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    let (mut errors_left, mut warnings_left) = (SHOWN, SHOWN.saturating_sub(errors));
    let fits = |diagnostic: &&Diagnostic| {
        let left = match diagnostic.severity {
            Severity::Error => &mut errors_left,
            Severity::Warning => &mut warnings_left,
        };
        let fits = *left > 0;
        *left = left.saturating_sub(1);
        fits
    };
    diagnostics.iter().filter(fits).collect()
}

#[derive(Debug)]
struct PlacedDiagnostic<'a> {
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
    excerpt: Excerpt<'a>,
}

impl PlacedDiagnostic<'_> {
    fn text(&self) -> &str {
        &self.sources.file(self.diagnostic.span().file).text
    }
}

impl fmt::Display for PlacedDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", escape_controls(&self.diagnostic.message), self.diagnostic.code)
    }
}

impl std::error::Error for PlacedDiagnostic<'_> {}

impl miette::Diagnostic for PlacedDiagnostic<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    /// The help, and the places in this file that are too far away to draw.
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let main = self.diagnostic.span();
        let drawn: Vec<Span> = drawn_labels(self.diagnostic, self.text()).map(|label| label.span).collect();
        let far = self
            .diagnostic
            .labels
            .iter()
            .filter(|label| label.span.file == main.file && !label.text.is_empty() && !drawn.contains(&label.span));
        let far = far.map(|label| format!("{} at {}", escape_controls(&label.text), self.sources.place(label.span)));
        let said = self.diagnostic.help.iter().map(|help| escape_controls(help).into_owned());
        let lines: Vec<String> = said.chain(far).collect();
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let main = self.diagnostic.span();
        Some(Box::new(drawn_labels(self.diagnostic, self.text()).map(move |label| {
            let text = (!label.text.is_empty()).then(|| escape_controls(&label.text).into_owned());
            let start = self.excerpt.to_drawn(label.span.start as usize);
            let length = self.excerpt.to_drawn(label.span.end as usize).saturating_sub(start).max(1);
            // The heading names the primary place. Without one, miette would take the first place in the text.
            if label.span == main {
                miette::LabeledSpan::new_primary_with_span(text, (start, length))
            } else {
                miette::LabeledSpan::new_with_span(text, (start, length))
            }
        })))
    }
}

impl miette::SourceCode for PlacedDiagnostic<'_> {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let file = self.sources.file(self.diagnostic.span().file);
        let contents = self.excerpt.drawn.read_span(span, before, after)?;
        let start = self.excerpt.to_file(contents.span().offset());
        let line_start = file.text.as_bytes()[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // miette counts columns in bytes; people and the JSON output count characters.
        let column = file.text.get(line_start..start).map_or(0, |before| before.chars().count());
        Ok(Box::new(miette::MietteSpanContents::new_named(
            escape_controls(&file.name).into_owned(),
            contents.data(),
            *contents.span(),
            self.excerpt.lines_before + contents.line(),
            column,
            contents.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_source::diagnostics::Code;
    use layoutproof_source::plain_text::is_unsafe;

    use super::*;
    use crate::excerpt::{FARTHEST_DRAWN, LONGEST_EXCERPT};

    /// Renders one error from `start` to `end` in `text`.
    fn drawn(text: &str, start: u32, end: u32) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("a\u{1b}.hlsl", text);
        render(&[Diagnostic::error(Code::UnexpectedToken, Span { file, start, end }, "not \u{7}this")], &sources, false)
    }

    #[test]
    fn control_characters_are_shown_and_places_stay() {
        let text = drawn("float a;\r\n\u{1b}]0;x\u{7} nope b;\r\n", 17, 21);
        assert!(text.starts_with("error: not \\u{7}this [unexpected-token]\n"), "{text}");
        assert!(text.contains("[a\\u{1b}.hlsl:2:8]"), "{text}");
        assert!(text.contains("2 │ \\u{1b}]0;x\\u{7} nope b;\n"), "{text}");
        assert!(text.contains(&format!("·{}────\n", " ".repeat(17))), "{text}");
        assert!(!text.contains(is_unsafe), "{text}");
    }

    #[test]
    fn the_lines_of_long_files_have_their_numbers() {
        let lines = 100_000;
        let text = "float a;\n".repeat(lines) + "nope";
        let start = u32::try_from(text.len() - 4).expect("a short text");
        let drawn = drawn(&text, start, start + 4);
        assert!(drawn.contains(&format!("{} │ nope", lines + 1)), "{drawn}");
        assert!(drawn.contains(&format!("{lines} │ float a;")), "{drawn}");
    }

    #[test]
    fn lines_that_nobody_reads_are_not_drawn() {
        let long = "x".repeat(LONGEST_EXCERPT);
        for text in [format!("{long} nope"), format!("{long}\nnope"), format!("nope\n{long}")] {
            let start = u32::try_from(text.find("nope").expect("it is there")).expect("a short text");
            assert_eq!(drawn(&text, start, start + 4).lines().count(), 1);
        }
    }

    #[test]
    fn a_place_far_away_is_named() {
        let text = format!("first\n{}second", "\n".repeat(FARTHEST_DRAWN));
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).expect("a short text");
        let file = sources.add("a.hlsl", text);
        let problem = Diagnostic::error(Code::Redefinition, Span { file, start: end - 6, end }, "again")
            .with_label(Span { file, start: 0, end: 5 }, "defined before");
        let drawn = render(&[problem], &sources, false);
        assert!(drawn.contains("defined before at a.hlsl:1:1") && drawn.contains("│ second"), "{drawn}");
    }

    #[test]
    fn errors_come_before_warnings_and_the_rest_is_counted() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", "x");
        let span = Span { file, start: 0, end: 1 };
        let mut problems: Vec<_> =
            (0..30).map(|n| Diagnostic::warning(Code::Skipped, span, format!("warning {n}."))).collect();
        problems.push(Diagnostic { left_out: 5, ..Diagnostic::error(Code::TooDeep, span, "the error") });
        let drawn = render(&problems, &sources, false);
        assert!(drawn.contains("the error") && drawn.contains("warning 18.") && !drawn.contains("warning 19."));
        assert!(drawn.ends_with("and 16 more problems not shown\n"), "{drawn}");
    }
}
