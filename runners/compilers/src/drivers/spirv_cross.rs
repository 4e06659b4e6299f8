//! Drives SPIRV-Cross, from SPIR-V to GLSL that glslang compiles, and to HLSL that DXC compiles.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileRequest, Toolchain};

use super::command_line::{CommandLine, SecondCommand, toolchain_flags};
use super::translation::{self, EntryName};
use super::{CompileMethod, CompilerDriver};
use crate::cache::DecidingFiles;
use crate::compiler::Compiler;
use crate::programs::{FetchedProgram, PrivateProgram, ProgramLookup, ProgramName};

/// The module that it reads.
pub(super) const INPUT: &str = "input.spv";

#[derive(Debug)]
pub(super) struct SpirvCrossDriver;

impl CompilerDriver for SpirvCrossDriver {
    fn name(&self) -> &'static str {
        "spirv-cross"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[ProgramLookup {
            name: "spirv-cross",
            named: Some(ProgramName { variable: "SPIRV_CROSS", program: "spirv-cross" }),
            fetched: FetchedProgram::Rooted(PrivateProgram { root: "tools/translators", program: "bin/spirv-cross" }),
            setup_name: "translators",
        }]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::glsl()
    }

    fn version_arguments(&self) -> &'static [&'static str] {
        &["--revision"]
    }

    fn deciding_files(&self, _: &Compiler) -> Option<DecidingFiles> {
        Some(DecidingFiles::default())
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let toolchain = request.toolchain;
    let second = translation::of_text(request, EntryName::Main).expect("its rows have a second compiler");
    let mut arguments: Vec<String> = [INPUT, "--entry", request.entry, "--stage", "comp"].map(str::to_owned).into();
    arguments.extend(toolchain_flags(toolchain));
    arguments.extend(["--output".to_owned(), second.source.clone()]);
    let compiler = toolchain.second_compiler().unwrap_or_default();
    let command = SecondCommand { compiler, arguments: second.arguments };
    CommandLine {
        source: INPUT.to_owned(),
        arguments,
        headers: second.headers,
        second: Some(command),
        read: second.read,
    }
}
