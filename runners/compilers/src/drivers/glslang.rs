//! glslang, from GLSL to SPIR-V.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{CompileOutcome, CompileRequest, Report, Toolchain};
use layoutproof_core::random::declaration::TypeSpace;
use layoutproof_device::Shader;

use super::command_line::{CommandLine, SOURCE, made, read_spirv};
use super::{CompileMethod, CompilerDriver};
use crate::child::ProcessOutput;
use crate::lookup::{FetchedProgram, ProgramLookup, ProgramName};

const PROGRAMS: &[ProgramLookup] = &[ProgramLookup {
    name: "glslang",
    named: Some(ProgramName { variable: "GLSLANG", program: "glslangValidator" }),
    fetched: FetchedProgram::Nothing,
    setup_option: None,
}];

const MODULE: &str = "probe.spv";

/// glslang.
#[derive(Debug)]
pub(super) struct GlslangDriver;

impl CompilerDriver for GlslangDriver {
    fn name(&self) -> &'static str {
        "glslang"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        PROGRAMS
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::glsl()
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let source = format!("{SOURCE}.comp");
    let always = ["-V", "--target-env", "vulkan1.1", "-S", "comp", "--source-entrypoint", "main"];
    let mut arguments: Vec<String> = always.map(str::to_owned).into();
    arguments.extend(["-e", request.entry, "-o", MODULE].map(str::to_owned));
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.push(source.clone());
    CommandLine { source, arguments, header: None, second: None, read }
}

fn read(folder: &Path, _: &ProcessOutput) -> Result<CompileOutcome, String> {
    Ok(made(Shader::Spirv(read_spirv(&folder.join(MODULE))?), Report::None))
}
