//! Has Clang compile the Metal Shading Language that a translator writes, to IR that our evaluator follows.
//!
//! Apple's compiler runs on Macs alone. Our header defines Metal's types with Clang's vectors, and asserts the sizes and
//! alignments of the specification; Clang lays out the structs of the text, and the addresses in its IR are the bytes
//! that the code reads. It differs from Apple's compiler where the specification leaves a layout open: for structs that
//! hold textures, samplers or pointers, which our probes do not have.

use std::fs;
use std::io;
use std::path::Path;

use super::command_line::{BadOutput, CommandLine, HeaderFile, made};
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;

use layoutproof_device::Shader;
use layoutproof_readers::toolchain::{CompileOutcome, Report};

/// The text of a translator.
pub(super) const SOURCE: &str = "translated.metal";

pub(crate) const MODULE: &str = "translated.ll";

const HEADERS: &[HeaderFile] = &[
    HeaderFile { path: "headers/metal_stdlib", text: include_str!("metal.hpp") },
    HeaderFile { path: "headers/metal_math", text: "#pragma once\n" },
    HeaderFile { path: "headers/metal_texture", text: "#pragma once\n" },
    HeaderFile { path: "headers/simd/simd.h", text: "#pragma once\n" },
];

/// Clang as a compiler of C++ for a target whose vectors have Metal's alignments, without its passes, whose output has
/// operations that the evaluator does not follow.
const ARGUMENTS: [&str; 17] = [
    "--driver-mode=g++",
    "-fno-crash-diagnostics",
    "-x",
    "c++",
    "-std=c++20",
    "-Wno-everything",
    "--target=spir64-unknown-unknown",
    "-nostdinc",
    "-isystem",
    "headers",
    "-O0",
    "-S",
    "-emit-llvm",
    "-Xclang",
    "-disable-llvm-passes",
    "-o",
    MODULE,
];

pub(super) fn command_line() -> CommandLine {
    let arguments = ARGUMENTS.into_iter().chain([SOURCE]).map(str::to_owned).collect();
    CommandLine { source: SOURCE.to_owned(), arguments, headers: HEADERS, second: None, read }
}

/// Writes a user's text and the headers into a folder. Returns the arguments that compile it to IR with debug information.
pub(crate) fn write_inputs(folder: &Path, text: &str) -> io::Result<Vec<&'static str>> {
    for HeaderFile { path, text } in HEADERS {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)?;
    }
    fs::write(folder.join(SOURCE), text)?;
    // Metal's keywords need no header.
    Ok(ARGUMENTS.into_iter().chain(["-include", "metal_stdlib", "-g", SOURCE]).collect())
}

fn read(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    Ok(made(read_shader(folder)?, Report::None))
}

pub(super) fn read_shader(folder: &CompileFolder) -> Result<Shader, BadOutput> {
    folder.read_text(MODULE).map(Shader::ClangIr).map_err(|error| BadOutput::Missing { what: "IR", error })
}
