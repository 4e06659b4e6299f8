//! The state of a walk over the types of a block: the rule set, the current path, and the findings
//! so far.
//!
//! [`super::walk`] drives it. The modules that measure one kind of type or place one member read
//! the rule set from here, and record their refusals here.

use super::alignment::{MAX_BYTES, TooLarge};
use super::rules::RuleSet;
use super::tree::{LayoutWarning, Refusals};
use super::{LayoutOptions, views};
use crate::BlockKind;

/// The reason that a walk has no layout to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A size exceeds the cap, and no refusal records it yet.
    TooLarge,
    /// The refusals hold the reasons.
    Reported,
}

impl From<TooLarge> for Stop {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// The position of a struct in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The struct is the block itself.
    Block,
    /// The struct is a member, a base or an element.
    Inner,
}

#[derive(Debug)]
pub(super) struct WalkState<'a> {
    pub rules: &'a RuleSet,
    pub options: LayoutOptions,
    pub kind: BlockKind,
    /// The path of the type that the walk is measuring.
    pub path: String,
    /// The reasons against a layout.
    pub refusals: Refusals,
    pub warnings: Vec<LayoutWarning>,
    /// The number of types entered so far.
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

    /// True if the source declares the members of a struct at `level` directly in the block rather
    /// than in a struct type.
    pub(super) fn is_direct(&self, level: Level) -> bool {
        level == Level::Block && self.kind.has_direct_members()
    }

    /// Records a reason against a layout at the current path.
    pub(super) fn refuse(&mut self, message: impl Into<String>) -> Stop {
        self.refusals.push(&self.path, message);
        Stop::Reported
    }

    pub(super) fn path_of(&self, member: &str) -> String {
        views::join(&self.path, member)
    }

    /// Runs `work` at the path of a member, and turns a size beyond the cap into a refusal there.
    pub(super) fn inside<T>(
        &mut self,
        member: &str,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let path = self.path_of(member);
        self.at(path, work)
    }

    /// Runs `work` at `path`, and turns a size beyond the cap into a refusal there.
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
