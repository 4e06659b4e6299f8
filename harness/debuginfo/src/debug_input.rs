//! What both passes read: a file, the files beside it, and how much of them.

use crate::{DebugLimits, SiblingFiles};

/// What is read, and how.
#[derive(Clone, Copy)]
pub(crate) struct DebugInput<'data> {
    /// Name for messages.
    pub(crate) name: &'data str,
    pub(crate) bytes: &'data [u8],
    pub(crate) siblings: &'data dyn SiblingFiles,
    pub(crate) limits: DebugLimits,
}
