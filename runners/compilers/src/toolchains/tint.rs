//! Tint's command lines.
//!
//! A user's own build can lack the writer of SPIR-V; its words are the refusal then.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Report};
use layoutproof_device::Shader;

use super::{Call, SOURCE, made, spirv};
use crate::child::Finished;

const MODULE: &str = "probe.spv";

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.wgsl");
    let mut arguments: Vec<String> = ["--format", "spirv", "-o", MODULE, "--entry-point"].map(str::to_owned).into();
    arguments.push(request.entry.to_owned());
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.push(source.clone());
    Call { source, arguments, header: None, read }
}

fn read(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::None))
}
