//! Drives Clang as a compiler from HLSL to LLVM IR for Direct3D.

use std::path::PathBuf;

use layoutproof_device::Shader;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Report, Toolchain};

use super::command_line::{
    BadOutput, CommandLine, HeaderFile, SOURCE, StandInHeader, dxc_options, made, toolchain_flags,
};
use super::{CompileMethod, CompilerDriver, FamilyName};
use crate::cache::DecidingFiles;
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::compiler::{Compiler, Invocation, NoCompiler, answering, query};
use crate::programs::{FetchedProgram, PrivateProgram, ProgramLookup, ProgramName};

const MODULE: &str = "probe.ll";

/// Some packages of Clang lack the header that every HLSL source includes. Our header replaces it,
/// in a folder that Clang searches after its own.
const HEADER: StandInHeader = StandInHeader {
    file: HeaderFile { path: "headers/hlsl.h", text: include_str!("hlsl.h") },
    arguments: &["-Xclang", "-idirafter", "-Xclang", "headers"],
};

/// Emit the front end's output, before any pass. Every compilation has warnings; they would hide the
/// errors.
///
/// NOTE(driver): if the code asks for a member that a struct lacks, the passes of Clang 22.1.8 use
/// whatever offset lies in memory, so that each build answers differently or crashes.
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

/// Makes Clang print its header search path. This works without the header of HLSL.
const SEARCH_QUESTION: [&str; 7] = ["--driver-mode=dxc", "-v", "-T", "cs_6_6", "-Xclang", "-fsyntax-only", "/dev/null"];

const HLSL_HEADER: &str = "hlsl.h";

#[derive(Debug)]
pub(super) struct ClangDriver;

impl CompilerDriver for ClangDriver {
    fn name(&self) -> &'static str {
        "clang-dxc"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[
            ProgramLookup {
                name: "clang-dxc",
                named: Some(ProgramName { variable: "CLANG_DXC", program: "clang-dxc" }),
                fetched: FetchedProgram::Program("tools/clang/clang-dxc"),
                setup_name: "clang",
            },
            ProgramLookup {
                name: "clang-23",
                named: None,
                fetched: FetchedProgram::Rooted(PrivateProgram { root: "tools/clang-23", program: "bin/clang-23" }),
                setup_name: "clang-23",
            },
        ]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::clang()
    }

    /// `clang-dxc` is Clang in DXC's mode. Its name contains both families' names, and it is Clang.
    fn family(&self) -> Option<FamilyName> {
        Some(FamilyName { name: "clang", decides_file: true })
    }

    /// Clang only compiles HLSL in DXC's mode, and prints its version there only if it gets a
    /// profile.
    fn version_arguments(&self) -> &'static [&'static str] {
        &["--driver-mode=dxc", "-T", "cs_6_6", "--version"]
    }

    fn identify(&self, name: &'static str, invocation: Invocation) -> Result<Compiler, NoCompiler> {
        let said = query(&invocation, &SEARCH_QUESTION);
        let headers = said.ok().and_then(|said| header_places(&said.stderr)).unwrap_or_default();
        answering(name, Invocation { headers, ..invocation }, self.version_arguments())
    }

    fn deciding_files(&self, compiler: &Compiler) -> Option<DecidingFiles> {
        (!compiler.headers().is_empty()).then(DecidingFiles::default)
    }

    fn stand_in_header(&self) -> Option<StandInHeader> {
        Some(HEADER)
    }

    fn caught_crash(&self, compiler: &str, stderr: &str, _: &str) -> Option<String> {
        crash(compiler, stderr)
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
    CommandLine { source, arguments, headers: &[HEADER.file], second: None, read }
}

/// The files and folders that decide the content of HLSL's header, according to the output of
/// `clang -v`; `None` if the output does not show all. The header may include any file in its
/// folder.
///
/// Source: Clang's user manual, "Configuration files"; `InitHeaderSearch.cpp` of Clang.
fn header_places(said: &str) -> Option<Vec<PathBuf>> {
    if said.lines().any(|line| line.starts_with("Configuration file:")) {
        return None;
    }
    let list = said.split_once("search starts here:")?.1.split_once("End of search list.")?.0;
    let folders = list.lines().filter_map(|line| line.strip_prefix(' ')).map(PathBuf::from);
    let places = folders.map(|folder| {
        let header = folder.join(HLSL_HEADER);
        if header.exists() { folder } else { header }
    });
    Some(places.collect())
}

/// A sentence about a crash that Clang catches and reports; `None` if the output reports none.
fn crash(compiler: &str, said: &str) -> Option<String> {
    let report = said.lines().position(|line| line.starts_with("PLEASE submit a bug report"))?;
    let error = said.lines().find_map(|line| line.strip_prefix("LLVM ERROR: "));

    // The last line with a number and a full stop describes what Clang was doing. The lines after
    // it contain addresses, which change from run to run, and their own numbers if Clang finds no
    // symbolizer.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = said.lines().skip(report).filter_map(|line| line.split_once(".\t"));
    let at = numbered.filter(|(number, _)| is_number(number)).last().map_or("an unknown place", |(_, at)| at);
    Some(format!("{compiler} crashed ({}): {at}", error.unwrap_or("signal")))
}

fn read(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let text = folder.read_text(MODULE).map_err(|error| BadOutput::Missing { what: "IR", error })?;
    Ok(made(Shader::ClangIr(text), Report::None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_where_clang_looks() {
        let place = tempfile::tempdir().unwrap();
        let (with, without) = (place.path().join("with"), place.path().join("without"));
        std::fs::create_dir(&with).unwrap();
        std::fs::write(with.join("hlsl.h"), "").unwrap();
        // The output of Clang 22.1.8, with other folders.
        let said = format!(
            "clang -cc1 version 22.1.8\n#include \"...\" search starts here:\n#include <...> search starts here:\n {}\n {}\n\
            End of search list.\n<built-in>:1:10: fatal error: 'hlsl.h' file not found\n    1 | #include \"hlsl.h\"\n",
            with.display(),
            without.display()
        );
        assert_eq!(header_places(&said), Some(vec![with, without.join("hlsl.h")]));
        assert_eq!(header_places(&format!("Configuration file: /etc/clang.cfg\n{said}")), None);
        assert_eq!(header_places("clang: error: unknown argument: '-v'\n"), None);
    }

    #[test]
    fn a_crash_is_told_without_addresses() {
        // The output of Clang 22.1.8 for a struct without members in a cbuffer, shortened.
        let said = "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report to https://github.com/\n\
            Stack dump:\n0.\tProgram arguments: clang-dxc probe.hlsl\n\
            2.\tprobe.hlsl:9:6: Generating code for declaration 'main'\n";
        let told = "clang-23 crashed (out of memory): probe.hlsl:9:6: Generating code for declaration 'main'";
        for addresses in [" #0 0x00007fc54f4b8786 llvm::sys\n", "0  libLLVM.so.22.1 0x00007fc54f4b8786 llvm::sys\n"] {
            assert_eq!(crash("clang-23", &format!("{said}{addresses}")).as_deref(), Some(told));
        }
        assert_eq!(crash("clang-23", "probe.hlsl:1:1: error: unknown type name 'row_major'\n"), None);
    }
}
