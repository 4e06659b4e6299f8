//! Drives glslang, from GLSL to SPIR-V.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileRequest, Stage, Toolchain};

use super::command_line::{CommandLine, MODULE, SOURCE, read_module, toolchain_flags};
use super::{CompileMethod, CompilerDriver};
use crate::cache::DecidingFiles;
use crate::compiler::Compiler;
use crate::programs::{FetchedProgram, PrivateProgram, ProgramLookup, ProgramName};

#[derive(Debug)]
pub(super) struct GlslangDriver;

impl CompilerDriver for GlslangDriver {
    fn name(&self) -> &'static str {
        "glslang"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[
            ProgramLookup {
                name: "glslang",
                named: Some(ProgramName { variable: "GLSLANG", program: "glslangValidator" }),
                fetched: FetchedProgram::Nothing,
                setup_name: "glslang",
            },
            ProgramLookup {
                name: "glslang-current",
                named: None,
                fetched: FetchedProgram::Rooted(PrivateProgram {
                    root: "tools/khronos-current",
                    program: "bin/glslang",
                }),
                setup_name: "khronos-current",
            },
        ]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::glsl()
    }

    fn deciding_files(&self, _: &Compiler) -> Option<DecidingFiles> {
        Some(DecidingFiles::default())
    }

    /// Source: `StandAlone/StandAlone.cpp` of glslang, `EFailCompile` and `EFailLink`.
    fn is_refusal(&self, status: i32) -> bool {
        [2, 3].contains(&status)
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    // Ray tracing and blocks in workgroup memory need SPIR-V 1.4.
    let has_workgroup = request.source.text.contains("GL_EXT_shared_memory_block");
    let (stage, environment) = match request.stage {
        Stage::Compute if has_workgroup => ("comp", "vulkan1.2"),
        Stage::Compute => ("comp", "vulkan1.1"),
        Stage::Vertex => ("vert", "vulkan1.1"),
        Stage::Fragment => ("frag", "vulkan1.1"),
        Stage::RayGeneration => ("rgen", "vulkan1.2"),
        Stage::Callable => ("rcall", "vulkan1.2"),
        Stage::Miss => ("rmiss", "vulkan1.2"),
        Stage::ClosestHit => ("rchit", "vulkan1.2"),
        Stage::AnyHit => ("rahit", "vulkan1.2"),
        Stage::Intersection => ("rint", "vulkan1.2"),
    };
    let source = format!("{SOURCE}.{stage}");
    let always = ["-V", "--target-env", environment, "-S", stage, "--source-entrypoint", "main"];
    let mut arguments: Vec<String> = always.map(str::to_owned).into();
    arguments.extend(["-e", request.entry, "-o", MODULE].map(str::to_owned));
    arguments.extend(toolchain_flags(request.toolchain));
    arguments.push(source.clone());
    CommandLine { source, arguments, header: None, second: None, read: read_module }
}
