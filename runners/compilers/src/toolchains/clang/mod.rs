//! Clang's command lines.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Report};
use layoutproof_device::Shader;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;

use super::{Call, SOURCE, made, preprocessing};
use crate::child::{Finished, OUTPUT_LIMIT};
use crate::regular_file::read_text;

/// The IR.
const MODULE: &str = "probe.ll";

/// Some packages of Clang lack the header that every HLSL source includes. Ours stands in for it, in a folder that Clang
/// looks at after its own.
const HEADER: (&str, &str) = ("headers/hlsl.h", include_str!("hlsl.h"));

/// What the front end writes, before any pass: where Clang 22 asks for a member that a struct does not have, passes take the
/// offset that happens to lie in memory, with another answer in each build, or crash. Warnings, of which one stands in every
/// compilation, would hide the errors.
const ALWAYS: [&str; 10] = [
    "--driver-mode=dxc",
    "-fno-crash-diagnostics",
    "-T",
    "cs_6_6",
    "-Od",
    "-Wno-everything",
    "-Xclang",
    "-emit-llvm",
    "-Xclang",
    "-disable-llvm-passes",
];

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

/// What Clang, which catches its own crashes, says of one: `None` where it says something else.
pub(super) fn crash(said: &str) -> Option<String> {
    let report = said.lines().position(|line| line.starts_with("PLEASE submit a bug report"))?;
    let error = said.lines().find_map(|line| line.strip_prefix("LLVM ERROR: "));
    // The last line with number and full stop says what it was at. Those behind it have addresses, which change, and numbers
    // of their own where Clang finds no symbolizer.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = said.lines().skip(report).filter_map(|line| line.split_once(".\t"));
    let at = numbered.filter(|(number, _)| is_number(number)).last().map_or("an unknown place", |(_, at)| at);
    Some(format!("clang-dxc crashed ({}): {at}", error.unwrap_or("signal")))
}

fn read(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    let text = read_text(&folder.join(MODULE), OUTPUT_LIMIT).map_err(|error| format!("it wrote no IR: {error}"))?;
    Ok(made(Shader::ClangIr(text), Report::None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_told_without_addresses() {
        // Clang 22.1.8 about a struct without members in a cbuffer, shortened.
        let said = "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report to https://github.com/\n\
            Stack dump:\n0.\tProgram arguments: clang-dxc probe.hlsl\n\
            2.\tprobe.hlsl:9:6: Generating code for declaration 'main'\n";
        let told = "clang-dxc crashed (out of memory): probe.hlsl:9:6: Generating code for declaration 'main'";
        for addresses in [" #0 0x00007fc54f4b8786 llvm::sys\n", "0  libLLVM.so.22.1 0x00007fc54f4b8786 llvm::sys\n"] {
            assert_eq!(crash(&format!("{said}{addresses}")).as_deref(), Some(told));
        }
        assert_eq!(crash("probe.hlsl:1:1: error: unknown type name 'row_major'\n"), None);
    }
}
