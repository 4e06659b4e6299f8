//! slangc's command lines.

use std::fs;
use std::path::Path;

use layoutproof::runner::Shader;
use layoutproof::shape::MatrixOrder;
use layoutproof::toolchain::{Compilation, CompileRequest, Report};

use super::{Call, SOURCE, made, preprocessing, spirv};
use crate::child::Finished;

const MODULE: &str = "probe.spv";
const REFLECTION: &str = "probe.json";

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.slang");
    let order = if request.options.matrix == MatrixOrder::Row { "row" } else { "column" };
    // Without -O0 slangc wants a library of its own for optimising, which packages leave out.
    let always = ["-target", "spirv", "-O0", "-fvk-use-entrypoint-name"];
    let mut arguments: Vec<String> = always.map(str::to_owned).into();
    for (option, usual) in [("-profile", "spirv_1_3"), ("-stage", "compute")] {
        // slangc refuses to be told twice.
        if !request.extra.iter().any(|argument| argument == option) {
            arguments.extend([option, usual].map(str::to_owned));
        }
    }
    arguments.extend(request.extra.iter().cloned());
    arguments.extend(["-entry".to_owned(), request.entry.to_owned(), format!("-matrix-layout-{order}-major")]);
    arguments.extend(preprocessing(&request.source));
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(["-o", MODULE, "-reflection-json", REFLECTION].map(str::to_owned));
    arguments.push(source.clone());
    Call { source, arguments, read }
}

fn read(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    let json =
        fs::read_to_string(folder.join(REFLECTION)).map_err(|error| format!("it wrote no reflection: {error}"))?;
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::SlangJson(json)))
}
