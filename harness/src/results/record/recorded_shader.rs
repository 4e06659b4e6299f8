//! A shader in the records, so that a report can show the shader of a check that differs.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedShader {
    /// The block that it reads or writes; for a proof of bindings, the parameters.
    pub block: String,
    /// Entry points that probe it.
    pub entries: Vec<String>,
    /// `HLSL`, `WGSL`, `SPIR-V (disassembly)` ...
    pub form: String,
    /// The text, or its start.
    pub text: String,
    /// Bytes of the text after `text` that are left out; absent if there are none.
    #[serde(default, skip_serializing_if = "super::are_none")]
    pub left_out: u64,
}
