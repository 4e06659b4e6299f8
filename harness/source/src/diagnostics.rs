//! Diagnostics about the user's input: a code, a place and a sentence. `layoutproof-render` draws them for people.

use std::collections::BTreeSet;
use std::fmt;

use layoutproof_layout::{FileId, LayoutWarningKind, Span};
use serde::{Deserialize, Serialize};

use crate::plain_text::escape_controls;
use crate::sources::SourceMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The layout is certain all the same.
    Warning,
    /// No layout is computed.
    Error,
}

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $text:literal,)*) => {
        /// Every code that a diagnostic can carry. The text form is part of the command-line contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code { $($(#[$doc])+ $variant,)* }

        impl Code {
            /// The text form, in kebab case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

codes! {
    /// A character or token that cannot occur in a declaration.
    UnexpectedToken = "unexpected-token",
    /// An unclosed comment, string or bracket.
    Unterminated = "unterminated",
    /// Declarations or brackets nested deeper than the parser's limit.
    TooDeep = "too-deep",
    /// An undeclared name in the place of a type.
    UnknownType = "unknown-type",
    /// An undeclared name in the place of a constant.
    UnknownConstant = "unknown-constant",
    /// An expression that is not an integer constant.
    NotConstant = "not-constant",
    /// A constant that is out of range, divides by zero or overflows.
    BadConstant = "bad-constant",
    /// A name that is declared twice in one scope.
    Redefinition = "redefinition",
    /// A struct that contains itself.
    CyclicStruct = "cyclic-struct",
    /// A type larger than 2^31 bytes.
    TooLarge = "too-large",
    /// An invalid array length.
    BadArrayLength = "bad-array-length",
    /// An unsized array that is not the last member.
    UnsizedNotLast = "unsized-not-last",
    /// Wrong number or kind of generic arguments.
    GenericArguments = "generic-arguments",
    /// A bit-field wider than its type, or of a type that cannot be a bit-field.
    BadBitField = "bad-bit-field",
    /// A register annotation with a wrong letter or form.
    BadRegister = "bad-register",
    /// A packoffset that is not a `c` register with an optional component.
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
    /// An attribute with wrong arguments.
    BadAttribute = "bad-attribute",
    /// An attribute that is unknown here.
    UnknownAttribute = "unknown-attribute",
    /// A construct that the parser skips because it cannot change a layout.
    Skipped = "skipped",
    /// A block that another compiler or driver may lay out differently.
    UncertainLayout = "uncertain-layout",
    /// An alignment that code promises of an address that cannot always have it.
    BrokenAlignment = "broken-alignment",
    /// A compiler refuses the body of a function; the declarations were read without it.
    BodyNotChecked = "body-not-checked",
    /// A call that may run one of several functions.
    UncertainCall = "uncertain-call",
    /// A parameter that the compiler may or may not keep.
    UncertainUse = "uncertain-use",
    /// A parameter that a compiler places differently from its known rules.
    CompilerDiffers = "compiler-differs",
    /// An annotation that has no effect under a rule set.
    Ignored = "ignored",
    /// A block or parameter that the rules lay out, but that a compiler or API rejects.
    CompilerLimit = "compiler-limit",
    /// Code that layoutproof does not follow or execute.
    NotFollowed = "not-followed",
    /// A size of 16-bit types that the user did not choose.
    AssumedSixteenBit = "assumed-16bit",
    /// An unsupported construct that could change a layout.
    Unsupported = "unsupported",
    /// A block that the user's rule set forbids.
    RuleForbids = "rule-forbids",
    /// An entry-point parameter that counts as uniform without the keyword.
    ImplicitUniform = "implicit-uniform",
    /// An unsupported preprocessor directive.
    Preprocessor = "preprocessor",
    /// A case file that is not valid TOML, or has unknown keys or values.
    BadCase = "bad-case",
    /// A `layoutproof.toml` that is not valid TOML, or has unknown keys or values.
    BadProject = "bad-project",
    /// An expectation without an authority, or with an empty one.
    NoAuthority = "no-authority",
    /// An expectation that leaves out members or sizes without being marked partial.
    IncompleteExpectation = "incomplete-expectation",
    /// An expectation about a path that is missing from the declaration.
    UnknownPath = "unknown-path",
    /// A rule set that does not exist or cannot lay out the input.
    UnknownRules = "unknown-rules",
    /// A file that cannot be read, or a word that names neither a file nor exactly one case.
    Unreadable = "unreadable",
    /// A module that is not valid SPIR-V, WGSL or GLSL.
    BadModule = "bad-module",
    /// A module or text that exceeds a limit for third-party readers: tokens, operators, elements, bytes.
    LimitExceeded = "limit-exceeded",
    /// A third-party reader crashed, took too long or needed too much memory for a file.
    ReaderFailed = "reader-failed",
    /// Parameters whose registers, bindings or locations overlap.
    BindingOverlap = "binding-overlap",
    /// A parameter that no free range of registers or bindings can hold.
    BindingNotAllocated = "binding-not-allocated",
    /// Two unbounded arrays in one register space.
    UnboundedTwice = "unbounded-twice",
    /// A resource array in a struct, with an index that is not constant.
    DynamicResourceIndex = "dynamic-resource-index",
    /// A register without its letter, which counts as a binding.
    RegisterAsBinding = "register-as-binding",
    /// An array of parameter blocks, or of types that contain one.
    ArrayOfParameterBlocks = "array-of-parameter-blocks",
    /// A struct in which only some members or parameters have explicit locations.
    MixedLocations = "mixed-locations",
    /// An unsupported compiler option for bindings, or one with wrong values.
    BadOption = "bad-option",
    /// A target that a convention has no rules for.
    UnsupportedTarget = "unsupported-target",
    /// An unknown version of a convention's compiler.
    UnknownVersion = "unknown-version",
    /// A file whose declarations contain nothing to lay out.
    NothingDeclared = "nothing-declared",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place with a short text about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    pub span: Span,
    /// Names the code at the place; may be empty.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// Lowercase fragment that fits after "error: ", with the relevant numbers.
    pub message: String,
    /// Places, the main one first.
    pub labels: Vec<Label>,
    /// Advice on what to do next.
    pub help: Option<String>,
    /// Number of later problems that were counted but not kept.
    pub left_out: usize,
    /// Columns (target · compiler) that the problem concerns; empty for all.
    #[serde(default)]
    pub concerns: Vec<String>,
    /// What is not there and caused the problem. Boxed, because few problems have such a cause, and results carry them.
    #[serde(default)]
    pub missing: Option<Box<Missing>>,
}

/// What a text needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missing {
    Macros(Vec<String>),
    /// An included file.
    File(String),
}

impl From<LayoutWarningKind> for Code {
    fn from(kind: LayoutWarningKind) -> Self {
        match kind {
            LayoutWarningKind::Ignored => Self::Ignored,
            LayoutWarningKind::OffsetOverlap => Self::OffsetOverlap,
            LayoutWarningKind::UnknownDecoration
            | LayoutWarningKind::UncertainValue
            | LayoutWarningKind::LayoutOfDriver
            | LayoutWarningKind::OtherSteps => Self::UncertainLayout,
            LayoutWarningKind::BrokenAlignment => Self::BrokenAlignment,
            LayoutWarningKind::NeedsFeature => Self::CompilerLimit,
        }
    }
}

impl Diagnostic {
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    /// The same diagnostic after its files were appended to another map, where `first` is its first file.
    #[must_use]
    pub fn in_files_from(mut self, first: FileId) -> Self {
        for label in &mut self.labels {
            label.span.file.0 += first.0;
        }
        self
    }

    fn new(severity: Severity, code: Code, span: Span, message: String) -> Self {
        Self {
            severity,
            code,
            message,
            labels: vec![Label { span, text: String::new() }],
            help: None,
            left_out: 0,
            concerns: Vec::new(),
            missing: None,
        }
    }

    /// Adds a second place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds advice on what to do next.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names macros that the text needs, and advises to define them.
    #[must_use]
    pub fn with_missing_macros(mut self, names: &[&str]) -> Self {
        if !names.is_empty() {
            self.help = Some(macro_advice(names.iter().copied()));
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            self.missing = Some(Box::new(Missing::Macros(names)));
        }
        self
    }

    /// Names an included file that was not found.
    #[must_use]
    pub fn with_missing_file(mut self, name: &str) -> Self {
        self.missing = Some(Box::new(Missing::File(name.to_owned())));
        self
    }

    /// Macros whose absence caused the problem.
    pub fn missing_macros(&self) -> &[String] {
        match self.missing.as_deref() {
            Some(Missing::Macros(names)) => names,
            Some(Missing::File(_)) | None => &[],
        }
    }

    /// The included file whose absence caused the problem.
    pub fn missing_file(&self) -> Option<&str> {
        match self.missing.as_deref() {
            Some(Missing::File(name)) => Some(name),
            Some(Missing::Macros(_)) | None => None,
        }
    }

    /// The problem in one line, without the source text: `error: a.hlsl:2:8: unknown type `floot` [unknown-type]`.
    pub fn line(&self, sources: &SourceMap) -> String {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        format!("{severity}: {}: {} [{}]", sources.place(self.span()), escape_controls(&self.message), self.code)
    }

    pub fn span(&self) -> Span {
        self.labels.first().map(|label| label.span).unwrap_or_default()
    }
}

fn macro_advice<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let options: Vec<String> = names.map(|name| format!("-D {name}=VALUE")).collect();
    format!("give the values that your program defines: {}", options.join(" "))
}

/// What may help to read a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingAdvice {
    /// Help for the first problem; empty if nothing is known.
    pub help: String,
    /// The macros that the file asks for.
    pub macros: BTreeSet<String>,
}

/// In brackets. Macros are all named, because each of a shader's files asks for some.
impl fmt::Display for ReadingAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let macros = (!self.macros.is_empty()).then(|| macro_advice(self.macros.iter().map(String::as_str)));
        let help = Some(self.help.clone()).filter(|help| !help.is_empty());
        let parts: Vec<String> = help.into_iter().chain(macros).collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " ({})", parts.join("; ")) }
    }
}

/// Counts the problems that were dropped.
pub fn left_out(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().map(|diagnostic| diagnostic.left_out).sum()
}
