//! How many bound resources a device was asked for.

use serde::{Deserialize, Serialize};

/// How many bound resources a device was asked for. Elements of arrays and locations count each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCount {
    /// Read back, rightly or not.
    pub read: u32,
    /// Parameters of which some or all was not read, by the reason.
    pub not_read: std::collections::BTreeMap<String, u32>,
}
