//! Why a check, or a part of it, did not run.
//!
//! Producers and device jobs make reasons; the record keeps them. A reason becomes text only when it
//! is printed or saved, and only [`saved_text`](crate::saved_text) reads such a text.

use std::{fmt, iter};

use layoutproof_device::RunnerError;

use layoutproof_probes::AddressSpace;

use crate::compare_by::compare_by;
use crate::saved_text::kind_of_text;

/// One reason why a check, or a part of it, did not run.
#[derive(Clone, Debug)]
pub enum Reason {
    /// A compiler does not accept the declarations.
    RefusedBy {
        /// The name of the toolchain.
        compiler: String,
        /// The compiler's own words.
        message: String,
        /// The option with which it accepts a user's file; a saved reason has it in the words.
        option: Option<String>,
    },
    /// A compiler accepts the user's file, but not the shader in which we read it.
    ProbeRefusedBy {
        /// The name of the toolchain.
        compiler: String,
        /// The compiler's own words.
        message: String,
    },
    /// A shader with fewer forms of access exists, but one with all forms does not, for this reason.
    NotInEveryForm(Box<Reason>),
    /// The rule set does not allow the declarations.
    Forbidden { rules: String, message: String },
    /// The device lacks a feature, or its runner cannot do this.
    DeviceLacks(String),
    /// The block has more bytes than the device binds as a uniform buffer.
    UniformBufferTooSmall { has: u32, needed: usize },
    /// The block has more bytes than the device has for push constants.
    PushConstantsTooSmall { has: u32, needed: usize },
    /// The block has more bytes than probes put into memory of this kind, which each device has.
    SpaceTooSmall { space: AddressSpace, has: u64, needed: u64 },
    /// These probes gave no result.
    ProbesBroke {
        /// The names of their entry points; at least one.
        probes: Vec<String>,
        error: RunnerError,
    },
    /// The number of loads and stores whose promised alignment was not compared, since their addresses do not
    /// follow from the code.
    AlignmentsNotFollowed(u32),
    /// The runner failed, apart from any probe.
    Runner(RunnerError),
    /// A reason that nothing needs to tell apart, or one of a saved record that has none of the forms
    /// above.
    Other(String),
}

impl Reason {
    /// True if a compiler does not accept the declarations at all.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::RefusedBy { .. })
    }

    pub fn runner_error(&self) -> Option<&RunnerError> {
        match self {
            Self::ProbesBroke { error, .. } | Self::Runner(error) => Some(error),
            _ => None,
        }
    }

    /// The kind, which tables and groups count: the reason without sizes, names and paths.
    pub fn kind(&self) -> ReasonKind {
        match self {
            Self::RefusedBy { compiler, .. } => ReasonKind::RefusedBy(compiler.clone()),
            Self::ProbeRefusedBy { compiler, .. } => ReasonKind::Other(format!("our shader refused by {compiler}")),
            Self::NotInEveryForm(_) => ReasonKind::Other("not in every form".to_owned()),
            Self::Forbidden { rules, .. } => ReasonKind::Other(format!("{rules} forbids it")),
            Self::UniformBufferTooSmall { .. } => ReasonKind::Other("uniform buffers too small".to_owned()),
            Self::PushConstantsTooSmall { .. } => ReasonKind::Other("push constants too small".to_owned()),
            Self::SpaceTooSmall { space, .. } => ReasonKind::Other(format!("{} too small", space.as_str())),
            Self::ProbesBroke { probes, .. } => ReasonKind::Other(probes.join(", ")),
            Self::AlignmentsNotFollowed(_) => ReasonKind::Other("promised alignments not compared".to_owned()),
            Self::Runner(error) => ReasonKind::Other(kind_of_error(error)),
            Self::DeviceLacks(_) | Self::Other(_) => ReasonKind::Other(kind_of_text(&self.to_string()).to_owned()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefusedBy { compiler, message, option } => {
                write!(f, "refused by {compiler}: {message}")?;
                option.iter().try_for_each(|option| write!(f, " (pass `{option}`)"))
            }
            Self::ProbeRefusedBy { compiler, message } => write!(f, "our shader refused by {compiler}: {message}"),
            Self::NotInEveryForm(reason) => write!(f, "not in every form ({reason})"),
            Self::Forbidden { rules, message } => write!(f, "{rules} forbids it: {message}"),
            Self::DeviceLacks(what) => write!(f, "device lacks {what}"),
            Self::UniformBufferTooSmall { has, needed } => {
                write!(f, "device binds {has} bytes of uniform buffer, not {needed}")
            }
            Self::PushConstantsTooSmall { has, needed } => {
                write!(f, "device has {has} bytes of push constants, not {needed}")
            }
            Self::SpaceTooSmall { space, has, needed } => {
                write!(f, "probes hold {has} bytes in {}, not {needed}", space.as_str())
            }
            Self::ProbesBroke { probes, error } => write!(f, "{}: {error}", probes.join(", ")),
            Self::AlignmentsNotFollowed(count) => {
                write!(f, "promised alignments not compared ({count} at addresses that cannot be followed)")
            }
            Self::Runner(error) => error.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

impl From<RunnerError> for Reason {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Unsupported(what) => Self::DeviceLacks(what),
            error @ (RunnerError::DeviceLost(_)
            | RunnerError::Timeout(_)
            | RunnerError::Api { .. }
            | RunnerError::ShaderRefused(_)
            | RunnerError::NotRun(_)) => Self::Runner(error),
        }
    }
}

/// Why a check was skipped or broke: one or more reasons. Its text joins them with `; `.
#[derive(Clone, Debug)]
pub struct Reasons {
    /// The reason that tables count.
    pub first: Reason,
    pub others: Vec<Reason>,
}

impl Reasons {
    /// `None` if there is no reason.
    pub fn new(reasons: impl IntoIterator<Item = Reason>) -> Option<Self> {
        let mut reasons = reasons.into_iter();
        let first = reasons.next()?;
        Some(Self { first, others: reasons.collect() })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Reason> {
        iter::once(&self.first).chain(&self.others)
    }

    /// The kind of the first reason.
    pub fn kind(&self) -> ReasonKind {
        self.first.kind()
    }

    /// The reasons without the names of the first probes that broke: probes of one bug have many.
    pub fn without_first_probes(&self) -> String {
        match &self.first {
            Reason::ProbesBroke { error, .. } => {
                Self { first: Reason::Runner(error.clone()), others: self.others.clone() }.to_string()
            }
            _ => self.to_string(),
        }
    }
}

impl<R: Into<Reason>> From<R> for Reasons {
    fn from(reason: R) -> Self {
        Self { first: reason.into(), others: Vec::new() }
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        self.others.iter().try_for_each(|reason| write!(f, "; {reason}"))
    }
}

/// The kind of a reason: the reason without sizes, names and paths.
#[derive(Clone, Debug)]
pub enum ReasonKind {
    /// This compiler does not accept the declarations.
    RefusedBy(String),
    Other(String),
}

impl ReasonKind {
    /// True if a compiler does not accept the declarations.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::RefusedBy(_))
    }

    /// The kind of the reasons of a record; a record without any has a kind of its own.
    pub fn of(reasons: Option<&Reasons>) -> Self {
        reasons.map_or_else(|| Self::Other("no reason given".to_owned()), Reasons::kind)
    }
}

impl fmt::Display for ReasonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefusedBy(compiler) => write!(f, "refused by {compiler}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

// Two reasons are equal if they read the same: reasons of a saved record may have lost their variant, and
// lists of reasons are sorted as people read them.
compare_by!(to_string: Reason, Reasons, ReasonKind);

fn kind_of_error(error: &RunnerError) -> String {
    match error {
        RunnerError::DeviceLost(_) => "device lost".to_owned(),
        RunnerError::ShaderRefused(_) => "shader refused".to_owned(),
        RunnerError::NotRun(_) => "not run".to_owned(),
        RunnerError::Timeout(limit) => format!("no answer within {limit} ms"),
        RunnerError::Api { call, .. } => call.clone(),
        RunnerError::Unsupported(what) => format!("device lacks {what}"),
    }
}
