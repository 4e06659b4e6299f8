//! Diagnostics about what the user wrote: a code, a place, a sentence.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use layoutproof_layout::{LayoutWarningKind, Span};
use serde::{Deserialize, Serialize};

use crate::input::plain_text::{escape_controls, is_unsafe, push_escaped};
use crate::input::sources::{Position, SourceMap};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The layout is still certain.
    Warning,
    /// Nothing is laid out.
    Error,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)*) => {
        /// Every code that a diagnostic can carry; the text form is part of the command-line contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)* }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The text form, in kebab case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What the code means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc,)+).trim_ascii(),)* }
            }
        }
    };
}

codes! {
    /// A character or token that no declaration can hold.
    UnexpectedToken = "unexpected-token",
    /// A comment, string or bracket that is never closed.
    Unterminated = "unterminated",
    /// Declarations or brackets nested deeper than the parser follows.
    TooDeep = "too-deep",
    /// A name that is not declared where a type is needed.
    UnknownType = "unknown-type",
    /// A name that is not declared where a constant is needed.
    UnknownConstant = "unknown-constant",
    /// An expression that is no integer constant.
    NotConstant = "not-constant",
    /// A constant that is out of range, divides by zero or overflows.
    BadConstant = "bad-constant",
    /// A name that is declared twice in one scope.
    Redefinition = "redefinition",
    /// A struct that contains itself.
    CyclicStruct = "cyclic-struct",
    /// A type whose size is beyond 2^31 bytes.
    TooLarge = "too-large",
    /// An array of a length that no array has.
    BadArrayLength = "bad-array-length",
    /// An unsized array that is not the last member.
    UnsizedNotLast = "unsized-not-last",
    /// Wrong number or kind of generic arguments.
    GenericArguments = "generic-arguments",
    /// A bit-field wider than its type, or of a type that has no bit-fields.
    BadBitField = "bad-bit-field",
    /// A register annotation of the wrong letter or form.
    BadRegister = "bad-register",
    /// A packoffset that is no `c` register with a component.
    BadPackoffset = "bad-packoffset",
    /// A packoffset outside a constant buffer.
    PackoffsetOutsideCbuffer = "packoffset-outside-cbuffer",
    /// A vector whose packoffset makes it cross a 16-byte register.
    PackoffsetCrossesRegister = "packoffset-crosses-register",
    /// A struct, array or matrix with a packoffset component other than x.
    PackoffsetComponent = "packoffset-component",
    /// Members with and without packoffset in one constant buffer.
    PackoffsetMixed = "packoffset-mixed",
    /// Members whose explicit offsets overlap.
    OffsetOverlap = "offset-overlap",
    /// An attribute whose arguments are not what it takes.
    BadAttribute = "bad-attribute",
    /// An attribute that is not known.
    UnknownAttribute = "unknown-attribute",
    /// A construct that is skipped because it cannot change a layout.
    Skipped = "skipped",
    /// A block that another compiler or driver may lay out otherwise.
    UncertainLayout = "uncertain-layout",
    /// A call of which it is not certain which function it runs.
    UncertainCall = "uncertain-call",
    /// An annotation that has no meaning under a rule set.
    Ignored = "ignored",
    /// A construct that could change a layout and is not understood.
    Unsupported = "unsupported",
    /// A block that the rule set named by the user forbids.
    RuleForbids = "rule-forbids",
    /// An entry-point parameter that counts as uniform although the word is missing.
    ImplicitUniform = "implicit-uniform",
    /// A preprocessor directive that is not understood here.
    Preprocessor = "preprocessor",
    /// A case file that is no TOML, or has keys or values that the format does not know.
    BadCase = "bad-case",
    /// An expectation without an authority, or with one that says nothing.
    NoAuthority = "no-authority",
    /// An expectation that leaves out members or sizes and is not marked partial.
    IncompleteExpectation = "incomplete-expectation",
    /// An expectation about a path that the declaration does not have.
    UnknownPath = "unknown-path",
    /// A rule set that does not exist, or under which the input is not laid out.
    UnknownRules = "unknown-rules",
    /// A file that cannot be read, or a word that names no file and not exactly one case.
    Unreadable = "unreadable",
    /// A module that is not readable SPIR-V, WGSL or GLSL.
    BadModule = "bad-module",
    /// A module or a text that asks more of a third-party reader than it is given: tokens, operators, elements, bytes.
    LimitExceeded = "limit-exceeded",
    /// A third-party reader that crashed, took too long or needed too much memory for a file.
    ReaderFailed = "reader-failed",
    /// Parameters whose registers, bindings or locations overlap.
    BindingOverlap = "binding-overlap",
    /// A parameter for which no free range of registers or bindings is left.
    BindingNotAllocated = "binding-not-allocated",
    /// Two unbounded arrays in one register space.
    UnboundedTwice = "unbounded-twice",
    /// A resource array in a struct that is indexed by no constant.
    DynamicResourceIndex = "dynamic-resource-index",
    /// A register that is taken as a binding, without its letter.
    RegisterAsBinding = "register-as-binding",
    /// An array of parameter blocks, or of what holds one.
    ArrayOfParameterBlocks = "array-of-parameter-blocks",
    /// Members or parameters with and without explicit locations in one struct.
    MixedLocations = "mixed-locations",
    /// A compiler option for bindings that is not understood, or whose values are not what it takes.
    BadOption = "bad-option",
    /// A convention that does not speak of the target.
    UnsupportedTarget = "unsupported-target",
    /// A version of a convention's compiler that nothing is known of.
    UnknownVersion = "unknown-version",
    /// A file that declares nothing that could be laid out.
    NothingDeclared = "nothing-declared",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place with what is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The kind of problem.
    pub code: Code,
    /// Lowercase fragment that fits after "error: ", with the numbers that matter.
    pub message: String,
    /// Places; the first is the main one.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// Problems behind this one that were counted and not kept.
    pub left_out: usize,
}

impl From<LayoutWarningKind> for Code {
    fn from(kind: LayoutWarningKind) -> Self {
        match kind {
            LayoutWarningKind::Ignored => Self::Ignored,
            LayoutWarningKind::OffsetOverlap => Self::OffsetOverlap,
        }
    }
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: Code, span: Span, message: String) -> Self {
        Self { severity, code, message, labels: vec![Label { span, text: String::new() }], help: None, left_out: 0 }
    }

    /// Adds a second place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The main place.
    pub fn span(&self) -> Span {
        self.labels.first().map(|label| label.span).unwrap_or_default()
    }
}

/// Problems that are shown to people; the others are counted.
const SHOWN: usize = 20;

/// Bytes of the lines that are drawn around a place: three that people could read.
const LONGEST_EXCERPT: usize = 3 * 4096;

/// Bytes between a second place and the main one from which on the second is named and not drawn.
const FARTHEST_DRAWN: usize = 1 << 18;

/// Renders diagnostics for people: file, line, column, the line itself with a caret, the help.
///
/// At most twenty are shown, errors before warnings; a last line counts the others. Control characters of the sources are
/// shown as escapes, see [`crate::input::plain_text`].
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, colour: bool) -> String {
    let theme = if colour { miette::GraphicalTheme::unicode() } else { miette::GraphicalTheme::unicode_nocolor() };
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_links(false).with_width(110);

    let mut text = String::new();
    let shown = shown(diagnostics);
    for diagnostic in &shown {
        let drawn = Excerpt::around(diagnostic, sources).is_some_and(|excerpt| {
            let place = PlacedDiagnostic { diagnostic, sources, excerpt };
            let mut report = String::new();
            let drawn = handler.render_report(&mut report, &place).is_ok();
            text += if drawn { &report } else { "" };
            drawn
        });
        if !drawn {
            text += &plain(diagnostic, sources);
        }
    }

    let left_out = left_out(diagnostics) + (diagnostics.len() - shown.len());
    text + &match left_out {
        0 => String::new(),
        1 => "and 1 more problem that is not shown\n".to_owned(),
        more => format!("and {more} more problems that are not shown\n"),
    }
}

/// Problems that were counted and not kept.
pub fn left_out(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().map(|diagnostic| diagnostic.left_out).sum()
}

/// The problems that people see, in their order: errors as far as they fit, then warnings.
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

/// The problem in one line, without the source text.
fn plain(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = named_place(diagnostic.span(), sources);
    format!("{}: {place}: {}\n", diagnostic.code, escape_controls(&diagnostic.message))
}

/// `file:line:column`.
fn named_place(span: Span, sources: &SourceMap) -> String {
    let Position { line, column } = sources.position(span);
    format!("{}:{line}:{column}", escape_controls(&sources.file(span.file).name))
}

/// The lines of a file that a diagnostic is drawn with, as they are drawn.
///
/// Drawing costs as much as these lines, however long the file is.
#[derive(Debug)]
struct Excerpt<'a> {
    /// Bytes of the file.
    range: Range<usize>,
    /// Lines before it.
    lines_before: usize,
    /// The text with escapes in the place of unsafe characters.
    drawn: Cow<'a, str>,
    /// Where the two texts drift apart, ascending.
    shifts: Vec<EscapeShift>,
}

/// The end of an unsafe character, in bytes from the start of an excerpt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EscapeShift {
    in_file: usize,
    in_drawn: usize,
}

impl<'a> Excerpt<'a> {
    /// The lines of all places that are drawn; `None` where the main one is in lines that nobody could read (generated,
    /// hostile).
    fn around(diagnostic: &Diagnostic, sources: &'a SourceMap) -> Option<Self> {
        let main = diagnostic.span();
        let text = sources.file(main.file).text.as_str();
        let mut range = lines_around(text, main)?;
        for label in drawn_labels(diagnostic, text) {
            let lines = lines_around(text, label.span).unwrap_or(range.clone());
            range = range.start.min(lines.start)..range.end.max(lines.end);
        }

        let start = u32::try_from(range.start).ok()?;
        let lines_before = sources.position(Span { start, end: start, ..main }).line as usize - 1;
        let (drawn, shifts) = escape_excerpt(text.get(range.clone())?);
        Some(Self { range, lines_before, drawn, shifts })
    }

    /// The place in the drawn text of a byte of the file.
    fn to_drawn(&self, in_file: usize) -> usize {
        let inside = in_file.clamp(self.range.start, self.range.end) - self.range.start;
        let before = self.shifts.partition_point(|shift| shift.in_file <= inside);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        shift.in_drawn + (inside - shift.in_file)
    }

    /// The byte of the file that is drawn at this place.
    fn to_file(&self, in_drawn: usize) -> usize {
        let before = self.shifts.partition_point(|shift| shift.in_drawn <= in_drawn);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        self.range.start + shift.in_file + (in_drawn - shift.in_drawn)
    }
}

/// The text with escapes for what is unsafe and newlines for the ends of lines, and where the two drift apart.
fn escape_excerpt(text: &str) -> (Cow<'_, str>, Vec<EscapeShift>) {
    if !text.contains(is_unsafe) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut drawn = String::with_capacity(text.len() + 16);
    let mut shifts = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        let ends_line = letter == '\r' && letters.peek().is_some_and(|(_, next)| *next == '\n');
        if !ends_line {
            push_escaped(&mut drawn, letter);
        }
        if is_unsafe(letter) {
            shifts.push(EscapeShift { in_file: start + letter.len_utf8(), in_drawn: drawn.len() });
        }
    }
    (Cow::Owned(drawn), shifts)
}

/// The places of a diagnostic that are drawn: those in its file, not far from the main one, in lines that can be read.
fn drawn_labels<'d>(diagnostic: &'d Diagnostic, text: &str) -> impl Iterator<Item = &'d Label> {
    let main = diagnostic.span();
    let is_near = move |label: &&Label| (label.span.start.abs_diff(main.start) as usize) < FARTHEST_DRAWN;
    let in_file = diagnostic.labels.iter().filter(move |label| label.span.file == main.file).filter(is_near);
    in_file.filter(move |label| lines_around(text, label.span).is_some())
}

/// The bytes of the lines that `span` touches, of the one before and of the one behind; `None` if they are too many.
fn lines_around(text: &str, span: Span) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = (span.start as usize).min(bytes.len());
    let end = (span.end as usize).clamp(start, bytes.len());
    if end - start >= LONGEST_EXCERPT {
        return None;
    }
    let before = &bytes[start.saturating_sub(LONGEST_EXCERPT)..start];
    let behind = &bytes[end..(end + LONGEST_EXCERPT).min(bytes.len())];
    // The newline before the line before, and the one behind the line behind.
    let newline_before = before.iter().rposition(|byte| *byte == b'\n').map(|own| (own, &before[..own]));
    let before_start = newline_before.and_then(|(_, line)| line.iter().rposition(|byte| *byte == b'\n'));
    let first = match before_start {
        Some(newline) => start - before.len() + newline + 1,
        None if before.len() == start => 0,
        None => return None,
    };
    let newline_behind = behind.iter().position(|byte| *byte == b'\n');
    let behind_end = newline_behind
        .and_then(|own| behind[own + 1..].iter().position(|byte| *byte == b'\n').map(|next| own + next + 2));
    let last = match behind_end {
        Some(length) => end + length,
        None if end + behind.len() == bytes.len() => bytes.len(),
        None => return None,
    };
    (last - first < LONGEST_EXCERPT).then_some(first..last)
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
        f.write_str(&escape_controls(&self.diagnostic.message))
    }
}

impl std::error::Error for PlacedDiagnostic<'_> {}

impl miette::Diagnostic for PlacedDiagnostic<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    /// The help, and the places in this file that are too far away to be drawn.
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let main = self.diagnostic.span();
        let drawn: Vec<Span> = drawn_labels(self.diagnostic, self.text()).map(|label| label.span).collect();
        let far = self
            .diagnostic
            .labels
            .iter()
            .filter(|label| label.span.file == main.file && !label.text.is_empty() && !drawn.contains(&label.span));
        let far =
            far.map(|label| format!("{} at {}", escape_controls(&label.text), named_place(label.span, self.sources)));
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
            // The heading names the primary place, or else whichever comes first in the text.
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
        // miette counts columns in bytes; people and the JSON answer count characters.
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
    use super::*;

    /// Source, start and end of one error in it.
    fn drawn(text: &str, start: u32, end: u32) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("a\u{1b}.hlsl", text);
        render(&[Diagnostic::error(Code::UnexpectedToken, Span { file, start, end }, "not \u{7}this")], &sources, false)
    }

    #[test]
    fn control_characters_are_shown_and_places_stay() {
        let text = drawn("float a;\r\n\u{1b}]0;x\u{7} nope b;\r\n", 17, 21);
        assert!(text.contains("not \\u{7}this"), "{text}");
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
        assert!(drawn.ends_with("and 16 more problems that are not shown\n"), "{drawn}");
    }
}
