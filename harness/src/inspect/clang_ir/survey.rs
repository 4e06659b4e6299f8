//! The resources of an entry point, as they are found when it is followed without any buffer.

use std::collections::BTreeSet;

use layoutproof_layout::shape::Count;

use super::types::ClangType;
use crate::inspect::llvm::buffers::RegisterSite;

/// A resource that an entry point makes a handle of.
#[derive(Clone, Debug)]
pub(crate) struct IrResource {
    /// Name as Clang writes it: `B`, `$Globals`.
    pub(crate) name: String,
    pub(crate) site: RegisterSite,
    pub(crate) count: Count,
    /// True if a later pass finds the register; that of the site means nothing then.
    pub(crate) implicit: bool,
    /// Type of a structured buffer's element.
    pub(super) element: Option<ClangType>,
}

/// The resources that an entry point uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// Those that it makes handles of, in this order.
    pub(crate) resources: Vec<IrResource>,
    /// Where it reads and writes when all that it reads is zeros.
    pub(crate) sites: BTreeSet<RegisterSite>,
    /// Why it was not followed to its end.
    pub(crate) stopped: Option<String>,
}
