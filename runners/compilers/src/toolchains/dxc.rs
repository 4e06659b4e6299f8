//! DXC's command lines.

use std::path::Path;

use layoutproof::runner::Shader;
use layoutproof::scalar::SixteenBit;
use layoutproof::shape::MatrixOrder;
use layoutproof::toolchain::{Compilation, CompileRequest, Output, Report};

use super::{Call, SOURCE, made, preprocessing, spirv};
use crate::child::Finished;

const MODULE: &str = "probe.spv";
/// Most characters of a line of output in a message.
const LINE: usize = 80;

/// `-Vd` keeps DXC from withholding what its own validator refuses: what its code addresses is asked here, and validity
/// is spirv-val's to judge.
const ALWAYS: [&str; 5] = ["-T", "cs_6_6", "-HV", "2021", "-Vd"];

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
        // Of DXBC there is FXC's alone, which is not asked here, and DXC writes neither WGSL nor what Clang writes.
        Output::Dxil | Output::ClangIr | Output::SpirvOfDxbc | Output::Wgsl => read_listing,
        Output::Spirv => {
            arguments.extend(["-spirv", "-fspv-target-env=vulkan1.1", "-Fo", MODULE].map(str::to_owned));
            read_module
        }
    };
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(request.extra.iter().cloned());
    arguments.push(source.clone());
    Call { source, arguments, header: None, read }
}

/// The arguments for HLSL that another compiler wrote, in which matrices say their order and types their size.
pub(super) fn translated(file: &str, entry: &str) -> Vec<String> {
    let arguments = ALWAYS.into_iter().chain(["-E", entry, "-enable-16bit-types", file]);
    arguments.map(str::to_owned).collect()
}

fn read_listing(_: &Path, finished: &Finished) -> Result<Compilation, String> {
    // Every listing names its entry points, and does so behind the code: nothing of that is missing then.
    if !finished.stdout.lines().any(|line| line.starts_with("!dx.entryPoints = ")) {
        return Err(format!("it printed no whole listing but {} bytes: {}", finished.stdout.len(), start(finished)));
    }
    let listing = finished.stdout.clone();
    Ok(made(Shader::Dxil(listing.clone()), Report::Listing(listing)))
}

fn read_module(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::None))
}

/// The first line that says something, for a message.
fn start(finished: &Finished) -> String {
    let line = finished.stdout.lines().map(str::trim).find(|line| line.contains(char::is_alphanumeric));
    line.unwrap_or("nothing").chars().filter(|c| !c.is_control()).take(LINE).collect()
}
