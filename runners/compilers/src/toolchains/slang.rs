//! slangc's command lines.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Made, Output, Report};
use layoutproof_device::Shader;
use layoutproof_layout::shape::MatrixOrder;

use super::{Call, SOURCE, dxc, made, preprocessing, spirv};
use crate::child::{Finished, OUTPUT_LIMIT};
use crate::regular_file;

const MODULE: &str = "probe.spv";
const TEXT: &str = "probe.wgsl";
const REFLECTION: &str = "probe.json";

/// The HLSL that slangc writes for Direct3D.
pub(super) const TRANSLATED: &str = "translated.hlsl";

/// Without -O0 slangc wants a library of its own for optimising SPIR-V, which packages leave out.
const TO_SPIRV: &[&str] = &["-target", "spirv", "-profile", "spirv_1_3", "-O0", "-fvk-use-entrypoint-name"];
const TO_HLSL: &[&str] = &["-target", "hlsl", "-profile", "sm_6_6", "-line-directive-mode", "none"];
const TO_WGSL: &[&str] = &["-target", "wgsl", "-line-directive-mode", "none"];

/// What slangc says where it gives up by itself.
const EXCEPTION: &str = "aborted due to an exception";

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.slang");
    let order = if request.options.matrix == MatrixOrder::Row { "row" } else { "column" };
    let (target, artifact, read): (&[&str], _, fn(&Path, &Finished) -> _) = match request.toolchain.output {
        Output::Spirv | Output::SpirvOfDxbc => (TO_SPIRV, MODULE, read_module),
        Output::Dxil | Output::ClangIr => (TO_HLSL, TRANSLATED, read_listing),
        Output::Wgsl => (TO_WGSL, TEXT, read_text),
    };
    let mut arguments: Vec<String> = target.iter().map(|argument| (*argument).to_owned()).collect();
    // slangc refuses to be told twice.
    if !request.extra.iter().any(|argument| argument == "-stage") {
        arguments.extend(["-stage", "compute"].map(str::to_owned));
    }
    arguments.extend(request.extra.iter().cloned());
    arguments.extend(["-entry", request.entry].map(str::to_owned));
    arguments.push(format!("-matrix-layout-{order}-major"));
    arguments.extend(preprocessing(&request.source));
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(["-o", artifact, "-reflection-json", REFLECTION].map(str::to_owned));
    arguments.push(source.clone());
    Call { source, arguments, header: None, read }
}

/// Whether slangc's own exception ended the compilation, which is no word on the source.
pub(super) fn gave_up(words: &str) -> bool {
    words.contains(EXCEPTION)
}

fn read_module(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::SlangJson(reflection(folder)?)))
}

/// DXC's listing of what slangc wrote, beside slangc's own report.
fn read_listing(folder: &Path, finished: &Finished) -> Result<Compilation, String> {
    let (listing, container) = dxc::object(folder, finished)?;
    let report = Report::SlangJson(reflection(folder)?);
    Ok(Compilation::Made(Made { shader: Shader::DxilListing(listing), container, report }))
}

fn read_text(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    let text = regular_file::read_text(&folder.join(TEXT), OUTPUT_LIMIT)
        .map_err(|error| format!("it wrote no text: {error}"))?;
    Ok(made(Shader::Wgsl(text), Report::SlangJson(reflection(folder)?)))
}

fn reflection(folder: &Path) -> Result<String, String> {
    let text = regular_file::read_text(&folder.join(REFLECTION), OUTPUT_LIMIT);
    text.map_err(|error| format!("it wrote no reflection: {error}"))
}
