//! The input of both passes: a file, the files next to it, and limits.

use crate::{DebugLimits, SiblingFiles};

/// The input of a pass.
#[derive(Clone, Copy)]
pub(crate) struct DebugInput<'data> {
    /// Name of the file, for messages.
    pub(crate) name: &'data str,
    pub(crate) bytes: &'data [u8],
    pub(crate) siblings: &'data dyn SiblingFiles,
    pub(crate) limits: DebugLimits,
}
