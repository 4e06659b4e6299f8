//! The resources of an entry point, found by following its code without buffers.

use std::collections::BTreeSet;

use layoutproof_layout::shape::Count;

use super::types::ClangType;
use crate::llvm::buffers::RegisterSite;

/// A resource for which an entry point makes a handle.
#[derive(Clone, Debug)]
pub(crate) struct IrResource {
    /// Name as Clang writes it: `B`, `$Globals`.
    pub(crate) name: String,
    pub(crate) site: RegisterSite,
    pub(crate) count: Count,
    /// True if a later pass chooses the register; the one in `site` has no meaning then.
    pub(crate) implicit: bool,
    /// Type of a structured buffer's element.
    pub(super) element: Option<ClangType>,
}

/// The resources that an entry point uses.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// In the order in which the entry point makes their handles.
    pub(crate) resources: Vec<IrResource>,
    /// The registers that it reads and writes if all reads give zeros.
    pub sites: BTreeSet<RegisterSite>,
    /// Why the code was not followed to its end.
    pub stopped: Option<String>,
}
