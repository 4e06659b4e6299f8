//! A shader as records keep it, so that a report can show what a check that differs was asked with.

use serde::{Deserialize, Serialize};

/// The text of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedShader {
    /// The block that it reads or writes; of a proof of bindings, the parameters.
    pub block: String,
    /// Entry points that probe it.
    pub entries: Vec<String>,
    /// `HLSL`, `WGSL`, `SPIR-V (disassembly)` ...
    pub form: String,
    /// The text, or its start.
    pub text: String,
    /// Bytes of the text that are left out behind that; absent where there are none.
    #[serde(default, skip_serializing_if = "super::are_none")]
    pub left_out: u64,
}
