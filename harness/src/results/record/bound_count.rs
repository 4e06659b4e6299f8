//! Counts the bound resources that a device was to read back.

use serde::{Deserialize, Serialize};

use super::reason::Reason;

/// The bound resources that a device was to read back. Each array element and each location counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCount {
    /// Resources that were read back, correctly or not.
    pub read: u32,
    /// Number of parameters that were not read in full, by reason.
    pub not_read: std::collections::BTreeMap<Reason, u32>,
}
