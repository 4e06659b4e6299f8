//! The result of a check: its outcome, the culprit, and what agreement proves.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::check::{KnownEntry, Story};
use crate::reason::Reasons;

/// The claim that agreement in a check proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The weakest first.
    pub const ALL: [Self; 5] = [Self::Decorations, Self::Compiler, Self::Evaluated, Self::Translated, Self::Native];

    /// True if a compiler chose the offsets, so that its code is an independent witness.
    pub fn is_of_compiler(self) -> bool {
        self != Self::Decorations
    }
}

/// The end of a check. Each variant has the data that only such an end has.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All witnesses agree.
    Agrees,
    /// The witnesses differ.
    Differs {
        culprit: Culprit,
        /// Why parts of the check broke as well.
        broke: Option<Reasons>,
        story: Option<Box<Story>>,
    },
    /// The check differs or broke, as a list of known differences says.
    Known {
        entry: KnownEntry,
        /// `None` if the check broke and no witness is to blame.
        culprit: Option<Culprit>,
        broke: Option<Reasons>,
        story: Option<Box<Story>>,
    },
    /// The check agrees, although this entry says that it differs.
    Stale(KnownEntry),
    /// Nothing was compared.
    Skipped {
        reasons: Reasons,
        /// `None` if there was just no result.
        kind: Option<SkipKind>,
    },
    /// A part of the check gave no result, and the rest agrees.
    Broken {
        reasons: Reasons,
        /// The compiler, if it broke.
        culprit: Option<Culprit>,
        story: Option<Box<Story>>,
    },
}

impl Outcome {
    pub fn kind(&self) -> OutcomeKind {
        match self {
            Self::Agrees => OutcomeKind::Agree,
            Self::Differs { .. } => OutcomeKind::Differ,
            Self::Known { .. } => OutcomeKind::Known,
            Self::Stale(_) => OutcomeKind::Stale,
            Self::Skipped { .. } => OutcomeKind::Skipped,
            Self::Broken { .. } => OutcomeKind::Broken,
        }
    }

    /// The witness that contradicts the others.
    pub fn culprit(&self) -> Option<Culprit> {
        match self {
            Self::Differs { culprit, .. } => Some(*culprit),
            Self::Known { culprit, .. } | Self::Broken { culprit, .. } => *culprit,
            Self::Agrees | Self::Stale(_) | Self::Skipped { .. } => None,
        }
    }

    /// Why the check, or a part of it, was skipped or broke.
    pub fn reasons(&self) -> Option<&Reasons> {
        match self {
            Self::Differs { broke, .. } | Self::Known { broke, .. } => broke.as_ref(),
            Self::Skipped { reasons, .. } | Self::Broken { reasons, .. } => Some(reasons),
            Self::Agrees | Self::Stale(_) => None,
        }
    }

    /// The entry of a list of known differences that covers the check.
    pub fn entry(&self) -> Option<&KnownEntry> {
        match self {
            Self::Known { entry, .. } | Self::Stale(entry) => Some(entry),
            Self::Agrees | Self::Differs { .. } | Self::Skipped { .. } | Self::Broken { .. } => None,
        }
    }

    /// Everything that a reporter needs to show a failure. Records of earlier versions may lack it.
    pub fn story(&self) -> Option<&Story> {
        match self {
            Self::Differs { story, .. } | Self::Known { story, .. } | Self::Broken { story, .. } => story.as_deref(),
            Self::Agrees | Self::Stale(_) | Self::Skipped { .. } => None,
        }
    }

    pub fn story_mut(&mut self) -> Option<&mut Story> {
        match self {
            Self::Differs { story, .. } | Self::Known { story, .. } | Self::Broken { story, .. } => {
                story.as_deref_mut()
            }
            Self::Agrees | Self::Stale(_) | Self::Skipped { .. } => None,
        }
    }

    /// The kind of a skip, unless there was just no result.
    pub fn skip_kind(&self) -> Option<SkipKind> {
        match self {
            Self::Skipped { kind, .. } => *kind,
            Self::Agrees | Self::Differs { .. } | Self::Known { .. } | Self::Stale(_) | Self::Broken { .. } => None,
        }
    }

    /// The same failure as a known one. Other outcomes stay.
    #[must_use]
    pub fn explained_by(self, entry: KnownEntry) -> Self {
        match self {
            Self::Differs { culprit, broke, story } => Self::Known { entry, culprit: Some(culprit), broke, story },
            Self::Broken { reasons, culprit, story } => Self::Known { entry, culprit, broke: Some(reasons), story },
            other @ (Self::Agrees | Self::Known { .. } | Self::Stale(_) | Self::Skipped { .. }) => other,
        }
    }
}

/// An outcome without its data, to count and sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    Agree,
    Differ,
    Known,
    Stale,
    Skipped,
    Broken,
}

impl OutcomeKind {
    /// In the order in which reports list checks: those that need a person come first.
    pub const BY_URGENCY: [Self; 6] =
        [Self::Differ, Self::Broken, Self::Stale, Self::Known, Self::Agree, Self::Skipped];

    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipKind {
    /// The declarations, the rule set or the shading language rule it out, so no other machine
    /// could run it either.
    NotApplicable,
    /// The device lacks what every probe needs, so it takes no part in the run.
    UnfitDevice,
}

/// The witness that contradicts the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
