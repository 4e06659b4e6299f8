//! Diagnostics about what the user wrote: a code, a place, a sentence. [`render`] shows them to people.

use std::fmt;

use layoutproof_layout::{LayoutWarningKind, Span};
use serde::{Deserialize, Serialize};

pub use crate::render::render;

/// The weight of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The layout is still certain.
    Warning,
    /// Nothing is laid out.
    Error,
}

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $text:literal,)*) => {
        /// Every code that a diagnostic can carry; the text form is part of the command-line contract.
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
    /// An expression that is not an integer constant.
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
    /// A packoffset that is not a `c` register with a component.
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
    /// It is not certain that the compiler keeps a parameter.
    UncertainUse = "uncertain-use",
    /// A compiler places a parameter otherwise than the rules that are known of it.
    CompilerDiffers = "compiler-differs",
    /// An annotation that has no meaning under a rule set.
    Ignored = "ignored",
    /// A block or parameter that a compiler or API does not take, although the rules lay it out.
    CompilerLimit = "compiler-limit",
    /// A size of 16-bit types that nothing named.
    AssumedSixteenBit = "assumed-16bit",
    /// A construct that could change a layout and is not understood.
    Unsupported = "unsupported",
    /// A block that the rule set named by the user forbids.
    RuleForbids = "rule-forbids",
    /// An entry-point parameter that counts as uniform although the word is missing.
    ImplicitUniform = "implicit-uniform",
    /// A preprocessor directive that is not understood here.
    Preprocessor = "preprocessor",
    /// A case file that is not TOML, or has keys or values that the format does not know.
    BadCase = "bad-case",
    /// A `layoutproof.toml` that is no TOML, or has keys or values that it does not know.
    BadProject = "bad-project",
    /// An expectation without an authority, or with one that says nothing.
    NoAuthority = "no-authority",
    /// An expectation that leaves out members or sizes and is not marked partial.
    IncompleteExpectation = "incomplete-expectation",
    /// An expectation about a path that the declaration does not have.
    UnknownPath = "unknown-path",
    /// A rule set that does not exist, or under which the input is not laid out.
    UnknownRules = "unknown-rules",
    /// A file that cannot be read, or a word that names neither a file nor exactly one case.
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
    /// A resource array in a struct with an index that is not constant.
    DynamicResourceIndex = "dynamic-resource-index",
    /// A register that is taken as a binding, without its letter.
    RegisterAsBinding = "register-as-binding",
    /// An array of parameter blocks, or of what holds one.
    ArrayOfParameterBlocks = "array-of-parameter-blocks",
    /// Members or parameters with and without explicit locations in one struct.
    MixedLocations = "mixed-locations",
    /// A compiler option for bindings that is not understood, or whose values are not what it takes.
    BadOption = "bad-option",
    /// A convention that says nothing about the target.
    UnsupportedTarget = "unsupported-target",
    /// A version of a convention's compiler that is not known here.
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
    /// Names what is there; may be empty.
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
    /// Says what to do about it.
    pub help: Option<String>,
    /// Problems behind this one that were counted and not kept.
    pub left_out: usize,
    /// Columns (target · compiler) that it concerns; empty where it concerns all.
    #[serde(default)]
    pub concerns: Vec<String>,
}

impl From<LayoutWarningKind> for Code {
    fn from(kind: LayoutWarningKind) -> Self {
        match kind {
            LayoutWarningKind::Ignored => Self::Ignored,
            LayoutWarningKind::OffsetOverlap => Self::OffsetOverlap,
            LayoutWarningKind::UnknownDecoration | LayoutWarningKind::UncertainValue => Self::UncertainLayout,
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
        Self {
            severity,
            code,
            message,
            labels: vec![Label { span, text: String::new() }],
            help: None,
            left_out: 0,
            concerns: Vec::new(),
        }
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

/// Problems that were counted and not kept.
pub fn left_out(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().map(|diagnostic| diagnostic.left_out).sum()
}
