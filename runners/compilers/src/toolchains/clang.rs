//! Clang's command lines.

use std::fs;
use std::path::Path;

use layoutproof::runner::Shader;
use layoutproof::scalar::SixteenBit;
use layoutproof::shape::MatrixOrder;
use layoutproof::toolchain::{Compilation, CompileRequest, Report};

use super::{Call, SOURCE, made, preprocessing};
use crate::child::Finished;

/// The IR.
const MODULE: &str = "probe.ll";

/// Some packages of Clang lack the header that every HLSL source includes. Ours stands in for it, in a folder that Clang
/// looks at after its own.
const HEADER: (&str, &str) = ("headers/hlsl.h", include_str!("clang/hlsl.h"));

/// Without optimisation: where Clang 22 asks for a member that a struct does not have, its optimiser takes the offset that
/// happens to lie in memory, and gives another answer in each run. Warnings, of which one stands in every compilation, would
/// hide the errors.
const ALWAYS: [&str; 7] = ["--driver-mode=dxc", "-T", "cs_6_6", "-Od", "-Wno-everything", "-Xclang", "-emit-llvm"];

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.hlsl");
    let mut arguments: Vec<String> = ALWAYS.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.extend(["-Xclang", "-idirafter", "-Xclang", "headers"].map(str::to_owned));
    arguments.extend(["-E".to_owned(), request.entry.to_owned()]);
    arguments.push(if request.options.matrix == MatrixOrder::Row { "-Zpr" } else { "-Zpc" }.to_owned());
    if request.options.sixteen_bit == SixteenBit::On {
        arguments.push("-enable-16bit-types".to_owned());
    }
    arguments.extend(preprocessing(&request.source));
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(request.extra.iter().cloned());
    arguments.extend(["-Fo".to_owned(), MODULE.to_owned(), source.clone()]);
    Call { source, arguments, header: Some(HEADER), read }
}

fn read(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    let text = fs::read_to_string(folder.join(MODULE)).map_err(|error| format!("it wrote no IR: {error}"))?;
    Ok(made(Shader::ClangIr(text), Report::None))
}
