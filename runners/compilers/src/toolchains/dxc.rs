//! DXC's command lines.

use std::path::Path;

use layoutproof::runner::Shader;
use layoutproof::scalar::SixteenBit;
use layoutproof::shape::MatrixOrder;
use layoutproof::toolchain::{Compilation, CompileRequest, Output, Report};

use super::{Call, SOURCE, made, preprocessing, spirv};
use crate::child::Finished;

const MODULE: &str = "probe.spv";

/// `-Vd` keeps DXC from withholding what its own validator refuses: what its code addresses is asked here, and validity
/// is spirv-val's to judge.
const ALWAYS: [&str; 5] = ["-T", "cs_6_6", "-HV", "2021", "-Vd"];

/// The target triple, which every module of DXIL names.
const TRIPLE: &str = "dxil-ms-dx";

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.hlsl");
    let mut arguments: Vec<String> = ALWAYS.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.extend(["-E".to_owned(), request.entry.to_owned()]);
    arguments.push(if request.options.matrix == MatrixOrder::Row { "-Zpr" } else { "-Zpc" }.to_owned());
    if request.options.sixteen_bit == SixteenBit::On {
        arguments.push("-enable-16bit-types".to_owned());
    }
    arguments.extend(preprocessing(&request.source));
    let read = match request.toolchain.output {
        Output::Dxil => read_listing,
        Output::Spirv => {
            arguments.extend(["-spirv", "-fspv-target-env=vulkan1.1", "-Fo", MODULE].map(str::to_owned));
            read_module
        }
    };
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(request.extra.iter().cloned());
    arguments.push(source.clone());
    Call { source, arguments, read }
}

fn read_listing(_: &Path, finished: &Finished) -> Result<Compilation, String> {
    let listing = finished.stdout.clone();
    if !listing.contains(TRIPLE) {
        return Err("it printed no listing of DXIL".to_owned());
    }
    Ok(made(Shader::Dxil(listing.clone()), Report::Listing(listing)))
}

fn read_module(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::None))
}
