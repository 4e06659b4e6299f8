//! Clang as a compiler of HLSL, to its IR for Direct3D.

use layoutproof_core::inspect::toolchain::{CompileOutcome, CompileRequest, Report, Toolchain};
use layoutproof_core::random::declaration::TypeSpace;
use layoutproof_device::Shader;

use super::command_line::{CommandLine, HeaderFile, SOURCE, StandInHeader, dxc_options, made, toolchain_flags};
use super::{CompileMethod, CompilerDriver, FamilyName};
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::program_lookup::{FetchedProgram, ProgramLookup, ProgramName};

const PROGRAMS: &[ProgramLookup] = &[ProgramLookup {
    name: "clang-dxc",
    named: Some(ProgramName { variable: "CLANG_DXC", program: "clang-dxc" }),
    fetched: FetchedProgram::Program("tools/clang/clang-dxc"),
    setup_name: "clang",
}];

/// The IR.
const MODULE: &str = "probe.ll";

/// Some packages of Clang lack the header that every HLSL source includes. Ours stands in for it, in a folder that Clang
/// looks at after its own.
const HEADER: StandInHeader = StandInHeader {
    file: HeaderFile { path: "headers/hlsl.h", text: include_str!("hlsl.h") },
    arguments: &["-Xclang", "-idirafter", "-Xclang", "headers"],
};

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

/// Clang as a compiler of HLSL.
#[derive(Debug)]
pub(super) struct ClangDriver;

impl CompilerDriver for ClangDriver {
    fn name(&self) -> &'static str {
        "clang-dxc"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        PROGRAMS
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::clang()
    }

    /// `clang-dxc`, Clang in DXC's place, has both families' names and is Clang.
    fn family(&self) -> Option<FamilyName> {
        Some(FamilyName { name: "clang", summary: "Clang as a compiler of HLSL", decides_file: true })
    }

    /// Under its plain name Clang does not compile HLSL, and without a profile it does not print its version.
    fn version_arguments(&self) -> &'static [&'static str] {
        &["--driver-mode=dxc", "-T", "cs_6_6", "--version"]
    }

    fn stand_in_header(&self) -> Option<StandInHeader> {
        Some(HEADER)
    }

    fn caught_crash(&self, stderr: &str, _: &str) -> Option<String> {
        crash(stderr)
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let source = format!("{SOURCE}.hlsl");
    let mut arguments: Vec<String> = ALWAYS.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.extend(HEADER.arguments.iter().map(|argument| (*argument).to_owned()));
    arguments.extend(dxc_options(request));
    arguments.extend(toolchain_flags(request.toolchain));
    arguments.extend(request.extra.iter().cloned());
    arguments.extend(["-Fo".to_owned(), MODULE.to_owned(), source.clone()]);
    CommandLine { source, arguments, header: Some(HEADER.file), second: None, read }
}

/// A sentence about a crash, which Clang catches and reports; `None` if `said` reports none.
fn crash(said: &str) -> Option<String> {
    let report = said.lines().position(|line| line.starts_with("PLEASE submit a bug report"))?;
    let error = said.lines().find_map(|line| line.strip_prefix("LLVM ERROR: "));

    // The last line with a number and a full stop says what Clang was doing. The lines behind it have addresses, which
    // change, and numbers of their own where Clang finds no symbolizer.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = said.lines().skip(report).filter_map(|line| line.split_once(".\t"));
    let at = numbered.filter(|(number, _)| is_number(number)).last().map_or("an unknown place", |(_, at)| at);
    Some(format!("clang-dxc crashed ({}): {at}", error.unwrap_or("signal")))
}

fn read(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, String> {
    let text = folder.read_text(MODULE).map_err(|error| format!("it wrote no IR: {error}"))?;
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
