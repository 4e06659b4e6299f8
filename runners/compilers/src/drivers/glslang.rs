//! Drives glslang, from GLSL to SPIR-V.

use layoutproof_device::{RecordStage, Stage};
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileRequest, TextLanguage, Toolchain};

use super::command_line::{CommandLine, MODULE, SOURCE, read_module, toolchain_flags};
use super::translation::EntryName;
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
    let environment = if request.needs_spirv_1_4() { "vulkan1.2" } else { "vulkan1.1" };
    let stage = match request.stage {
        Stage::Compute => "comp",
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
        Stage::RayGeneration => "rgen",
        Stage::Record(RecordStage::Callable) => "rcall",
        Stage::Record(RecordStage::Miss) => "rmiss",
        Stage::Record(RecordStage::ClosestHit) => "rchit",
        Stage::Record(RecordStage::AnyHit) => "rahit",
        Stage::Record(RecordStage::Intersection) => "rint",
    };
    let source = format!("{SOURCE}.{stage}");
    let mut arguments = arguments(environment, stage, "main", request.entry);
    arguments.extend(toolchain_flags(request.toolchain));
    arguments.push(source.clone());
    CommandLine { source, arguments, headers: &[], second: None, read: read_module }
}

fn arguments(environment: &str, stage: &str, named: &str, entry: &str) -> Vec<String> {
    let always = ["-V", "--target-env", environment, "-S", stage, "--source-entrypoint", named];
    always.into_iter().chain(["-e", entry, "-o", MODULE]).map(str::to_owned).collect()
}

/// The arguments for a compute shader that a translator wrote.
pub(super) fn translated(language: TextLanguage, named: EntryName, request: &CompileRequest<'_>) -> Vec<String> {
    let named = match named {
        EntryName::Main => "main",
        EntryName::Kept => request.entry,
    };
    let mut arguments = arguments("vulkan1.1", "comp", named, request.entry);
    if language == TextLanguage::Hlsl {
        arguments.push("-D".to_owned());
    }
    arguments
}
