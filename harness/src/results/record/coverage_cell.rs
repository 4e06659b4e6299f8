//! The cells in which leaves are counted together.

use serde::{Deserialize, Serialize};

use super::end::Proves;
use crate::probe::{AddressSpace, Direction, Form, Stage};
use crate::results::coverage::kind::After;

/// What is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CoverageCell {
    /// Rule set.
    pub rules: String,
    /// Type of the member that the leaf is in: `float3`, `row float2x3[]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// What lies before that member.
    pub after: After,
    /// Where the block lives.
    pub space: AddressSpace,
    /// In which stage the shader runs.
    pub stage: Stage,
    /// Which way bytes go.
    pub direction: Direction,
    /// How the shader reaches the leaf.
    pub form: Form,
    /// What agreement proves.
    pub proves: Proves,
}
