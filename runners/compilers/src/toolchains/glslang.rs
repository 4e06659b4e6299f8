//! glslang's command lines.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Report};
use layoutproof_device::Shader;

use super::{Call, SOURCE, made, spirv};
use crate::child::Finished;

const MODULE: &str = "probe.spv";

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.comp");
    let always = ["-V", "--target-env", "vulkan1.1", "-S", "comp", "--source-entrypoint", "main"];
    let mut arguments: Vec<String> = always.map(str::to_owned).into();
    arguments.extend(["-e", request.entry, "-o", MODULE].map(str::to_owned));
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.push(source.clone());
    Call { source, arguments, header: None, read }
}

fn read(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::None))
}
