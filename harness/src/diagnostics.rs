//! Problems in what the user wrote: a code, a place, a sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::sources::{Position, SourceMap, Span};

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
    /// A construct that is skipped because it cannot change a layout.
    Skipped = "skipped",
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
    /// What kind of problem.
    pub code: Code,
    /// Lowercase fragment that fits after "error: ", with the numbers that matter.
    pub message: String,
    /// Places; the first is the main one.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
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
        Self { severity, code, message, labels: vec![Label { span, text: String::new() }], help: None }
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

/// Renders diagnostics for people: file, line, column, the line itself with a caret, the help.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, colour: bool) -> String {
    let theme = if colour { miette::GraphicalTheme::unicode() } else { miette::GraphicalTheme::unicode_nocolor() };
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_links(false).with_width(110);
    diagnostics.iter().fold(String::new(), |mut text, diagnostic| {
        let place = Placed { diagnostic, sources };
        // A line that is no line for people (generated, hostile) is not shown; miette cannot draw beyond column 65535.
        if is_long_line(diagnostic.span(), sources) || handler.render_report(&mut text, &place).is_err() {
            text += &plain(diagnostic, sources);
        }
        text
    })
}

/// Bytes of a line, with the one before and the one behind it, that are still shown.
const LONGEST_LINE: usize = 4096;

/// Whether what is shown around `span`, its lines and one more on either side, is too long for that.
fn is_long_line(span: Span, sources: &SourceMap) -> bool {
    let text = sources.file(span.file).text.as_bytes();
    let start = (span.start as usize).min(text.len());
    let end = (span.end as usize).clamp(start, text.len());
    let to_second_newline = |newlines: &mut u32, byte: &u8| {
        *newlines += u32::from(*byte == b'\n');
        (*newlines < 2).then_some(())
    };
    let before = text[..start].iter().rev().take(LONGEST_LINE).scan(0, to_second_newline).count();
    let after = text[end..].iter().take(LONGEST_LINE).scan(0, to_second_newline).count();
    before + after + (end - start) >= LONGEST_LINE
}

/// The problem in one line, without the source text.
fn plain(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let Position { line, column } = sources.position(diagnostic.span());
    let name = &sources.file(diagnostic.span().file).name;
    format!("{}: {name}:{line}:{column}: {}\n", diagnostic.code, diagnostic.message)
}

#[derive(Debug)]
struct Placed<'a> {
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
}

impl fmt::Display for Placed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Placed<'_> {}

impl miette::Diagnostic for Placed<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let main = self.diagnostic.span();
        let shown = self.diagnostic.labels.iter().filter(move |label| label.span.file == main.file);
        Some(Box::new(shown.map(move |label| {
            let text = (!label.text.is_empty()).then(|| label.text.clone());
            let length = label.span.end.saturating_sub(label.span.start).max(1) as usize;
            let place = (label.span.start as usize, length);
            // The heading names the primary place, or else whichever comes first in the text.
            if label.span == main {
                miette::LabeledSpan::new_primary_with_span(text, place)
            } else {
                miette::LabeledSpan::new_with_span(text, place)
            }
        })))
    }
}

impl miette::SourceCode for Placed<'_> {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let file = self.sources.file(self.diagnostic.span().file);
        let contents = file.text.read_span(span, before, after)?;
        let start = contents.span().offset();
        let line_start = file.text.as_bytes()[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // miette counts columns in bytes; people and the JSON answer count characters.
        let column = file.text.get(line_start..start).map_or(0, |before| before.chars().count());
        Ok(Box::new(miette::MietteSpanContents::new_named(
            file.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line(),
            column,
            contents.line_count(),
        )))
    }
}
