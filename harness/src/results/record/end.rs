//! The result of a check: its outcome, the culprit, and what agreement proves.

use serde::{Deserialize, Serialize};

/// What agreement in a check proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proves {
    /// The device obeys offsets that we wrote.
    Decorations,
    /// A compiler chose the offsets and its code uses them.
    Compiler,
    /// Direct3D code, followed by our own evaluator.
    Evaluated,
    /// Direct3D code, executed through a third party's translation.
    Translated,
    /// Native code on its native API, by the vendor's own stack.
    Native,
}

impl Proves {
    /// The word in records and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decorations => "decorations",
            Self::Compiler => "compiler",
            Self::Evaluated => "evaluated",
            Self::Translated => "translated",
            Self::Native => "native",
        }
    }

    /// The weakest first.
    pub const ALL: [Self; 5] = [Self::Decorations, Self::Compiler, Self::Evaluated, Self::Translated, Self::Native];

    /// True if a compiler chose the offsets, so that its code is an independent witness.
    pub fn is_of_compiler(self) -> bool {
        match self {
            Self::Compiler | Self::Evaluated | Self::Translated | Self::Native => true,
            Self::Decorations => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Agree,
    Differ,
    Known,
    Stale,
    Skipped,
    Broken,
}

impl Outcome {
    /// The word in records and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Differ => "differ",
            Self::Known => "known",
            Self::Stale => "stale",
            Self::Skipped => "skipped",
            Self::Broken => "broken",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipKind {
    /// The declarations, the rule set or the shading language rule it out, so no other machine
    /// could run it either.
    NotApplicable,
}

/// The witness that contradicts the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Culprit {
    /// Expected and computed differ and no compiler breaks the tie.
    CaseOrRules,
    /// The case's number is wrong.
    Case,
    /// Our rule is wrong.
    Rules,
    /// The compiler's code addresses different bytes.
    Compiler,
    /// The compiler's report differs from its code.
    Report,
    /// The shader module is invalid or not the requested one.
    Module,
    /// The device does not do what the shader specifies.
    Device,
    /// No single witness contradicts all others.
    Unclear,
}

impl Culprit {
    /// The word in records and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaseOrRules => "case-or-rules",
            Self::Case => "case",
            Self::Rules => "rules",
            Self::Compiler => "compiler",
            Self::Report => "report",
            Self::Module => "module",
            Self::Device => "device",
            Self::Unclear => "unclear",
        }
    }
}
