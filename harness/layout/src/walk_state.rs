//! The state of a walk over the types of a block: the rule set, where the walk is, and what it has found to say.
//!
//! [`super::walk`] drives it. The files that measure one kind of type or find one member's place take the rule set from
//! here, and leave their reasons against a layout here.

use super::alignment::{MAX_BYTES, TooLarge};
use super::rules::RuleSet;
use super::tree::{LayoutWarning, Refusals};
use super::{LayoutOptions, views};
use crate::BlockKind;

/// Why there is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A size beyond the cap, not yet reported.
    TooLarge,
    /// The reasons are among the refusals.
    Reported,
}

impl From<TooLarge> for Stop {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// Where a struct stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// It is the block itself.
    Block,
    /// It is a member, a base or an element.
    Inner,
}

/// State of a walk.
#[derive(Debug)]
pub(super) struct WalkState<'a> {
    /// The row.
    pub rules: &'a RuleSet,
    /// The options of the whole layout.
    pub options: LayoutOptions,
    /// Kind of the block.
    pub kind: BlockKind,
    /// Path of the type that is being measured.
    pub path: String,
    /// Reasons against a layout.
    pub refusals: Refusals,
    /// Notes to the user.
    pub warnings: Vec<LayoutWarning>,
    /// Types that were entered so far.
    pub types: u32,
}

impl<'a> WalkState<'a> {
    /// The state before the first type.
    pub(super) fn new(kind: BlockKind, rules: &'a RuleSet, options: LayoutOptions) -> Self {
        Self {
            rules,
            options,
            kind,
            path: String::new(),
            refusals: Refusals::default(),
            warnings: Vec::new(),
            types: 0,
        }
    }

    /// True if the members of a struct at `level` are declared directly in the block rather than in a struct type.
    pub(super) fn is_direct(&self, level: Level) -> bool {
        level == Level::Block && self.kind.has_direct_members()
    }

    /// Records a reason against a layout at the current path.
    pub(super) fn refuse(&mut self, message: impl Into<String>) -> Stop {
        self.refusals.push(&self.path, message);
        Stop::Reported
    }

    /// The path of a member of the struct that is being measured.
    pub(super) fn path_of(&self, member: &str) -> String {
        views::join(&self.path, member)
    }

    /// Does `work` at the path of a member, and turns a size beyond the cap into a refusal there.
    pub(super) fn inside<T>(
        &mut self,
        member: &str,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let path = self.path_of(member);
        self.at(path, work)
    }

    /// Does `work` at `path`, and turns a size beyond the cap into a refusal there.
    pub(super) fn at<T>(&mut self, path: String, work: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let outer = std::mem::replace(&mut self.path, path);
        let done = work(self).map_err(|stop| match stop {
            Stop::TooLarge => self.refuse(format!("is larger than {MAX_BYTES} bytes")),
            Stop::Reported => stop,
        });
        self.path = outer;
        done
    }
}
