//! How a check ends: its outcome, the culprit, and what agreement proves.

use serde::{Deserialize, Serialize};

/// What agreement in a check proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proves {
    /// The device obeys offsets that we wrote.
    Decorations,
    /// A compiler chose the offsets and its code uses them.
    Compiler,
    /// Code for Direct3D, followed by an evaluator of ours.
    Evaluated,
    /// Code for Direct3D, executed by a third party's translation of it.
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

    /// All of them, the weakest first.
    pub const ALL: [Self; 5] = [Self::Decorations, Self::Compiler, Self::Evaluated, Self::Translated, Self::Native];

    /// True if a compiler chose the offsets, so that its code is a witness of its own.
    pub fn is_of_compiler(self) -> bool {
        match self {
            Self::Compiler | Self::Evaluated | Self::Translated | Self::Native => true,
            Self::Decorations => false,
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the contract's words")]
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

/// The kinds of skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipKind {
    /// The reason lies in the declarations, the rule set or the shading language: no other machine could answer.
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
    /// The compiler's code addresses other bytes.
    Compiler,
    /// The compiler's report differs from its code.
    Report,
    /// The shader module is invalid or not what was asked for.
    Module,
    /// The device did something else than the shader says.
    Device,
    /// No witness stands alone.
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
