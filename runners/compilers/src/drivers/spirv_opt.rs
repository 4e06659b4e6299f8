//! Drives spirv-opt, whose passes write modules again.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileRequest, Toolchain};

use super::command_line::{CommandLine, MODULE, read_module, toolchain_flags};
use super::spirv_cross::INPUT;
use super::{CompileMethod, CompilerDriver};
use crate::cache::DecidingFiles;
use crate::compiler::Compiler;
use crate::programs::{FetchedProgram, PrivateProgram, ProgramLookup};

#[derive(Debug)]
pub(super) struct SpirvOptDriver;

impl CompilerDriver for SpirvOptDriver {
    fn name(&self) -> &'static str {
        "spirv-opt"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[ProgramLookup {
            name: "spirv-opt",
            // That of the distribution may be years older.
            named: None,
            fetched: FetchedProgram::Rooted(PrivateProgram { root: "tools/translators", program: "bin/spirv-opt" }),
            setup_name: "translators",
        }]
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
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let mut arguments: Vec<String> = toolchain_flags(request.toolchain).collect();
    arguments.extend(request.extra.iter().cloned());
    arguments.extend([INPUT, "-o", MODULE].map(str::to_owned));
    CommandLine { source: INPUT.to_owned(), arguments, headers: &[], second: None, read: read_module }
}
