//! Drives Tint, from WGSL to SPIR-V, and to GLSL, which glslang compiles.
//!
//! The program that `ci/setup.sh` installs as Tint prints its version. Tint itself has no such
//! option, but its help lists its output formats, because a user's own build may lack the SPIR-V
//! writer.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CompileRequest, Toolchain};

use super::command_line::{CommandLine, MODULE, SOURCE, SecondCommand, read_module, toolchain_flags};
use super::translation::{self, EntryName};
use super::{CompileMethod, CompilerDriver};
use crate::cache::DecidingFiles;
use crate::compiler::{Compiler, Invocation, NoCompiler, answering, query};
use crate::programs::{FetchedProgram, ProgramLookup, ProgramName};

/// Prefix of the help line that lists the output formats.
const FORMATS: &str = "--format ";

#[derive(Debug)]
pub(super) struct TintDriver;

impl CompilerDriver for TintDriver {
    fn name(&self) -> &'static str {
        "tint"
    }

    /// Dawn generates code for a Vulkan driver, so `dawn/tint.js` loads one, which is fetched too.
    fn programs(&self) -> &'static [ProgramLookup] {
        &[ProgramLookup {
            name: "tint",
            named: Some(ProgramName { variable: "TINT", program: "tint" }),
            fetched: FetchedProgram::Driven {
                program: "tools/tint/tint",
                library: "tools/tint/dawn.node",
                also_loads: &["drivers/swiftshader.json", "swiftshader"],
            },
            setup_name: "tint",
        }]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::tint()
    }

    /// The program that the set-up installs as Tint is a script.
    fn deciding_files(&self, _: &Compiler) -> Option<DecidingFiles> {
        Some(DecidingFiles { opened: &[], started_by_script: &["node", "spirv-as"] })
    }

    fn identify(&self, name: &'static str, invocation: Invocation) -> Result<Compiler, NoCompiler> {
        answering(name, invocation.clone(), self.version_arguments()).or_else(|reason| {
            let finished = query(&invocation, &["--help"])?;
            let mut lines = finished.stdout.lines().chain(finished.stderr.lines()).map(str::trim);
            match lines.find(|line| line.starts_with(FORMATS)) {
                None => Err(reason),
                Some(formats) if formats.contains("spirv") => Ok(Compiler::without_version(name, invocation)),
                Some(formats) => {
                    let formats = formats.split("  ").next().unwrap_or(formats).to_owned();
                    Err(NoCompiler::WritesNoSpirv { program: invocation.program, formats })
                }
            }
        })
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let source = format!("{SOURCE}.wgsl");
    let second = translation::of_text(request, EntryName::Main);
    let mut arguments = match &second {
        Some(second) => arguments("glsl", &second.source, request.entry),
        None => arguments("spirv", MODULE, request.entry),
    };
    arguments.extend(toolchain_flags(request.toolchain));
    arguments.push(source.clone());
    let compiler = request.toolchain.second_compiler().unwrap_or_default();
    let second = second.map(|second| SecondCommand { compiler, arguments: second.arguments });
    CommandLine { source, arguments, headers: &[], second, read: read_module }
}

fn arguments(format: &str, output: &str, entry: &str) -> Vec<String> {
    ["--format", format, "-o", output, "--entry-point", entry].map(str::to_owned).into()
}

/// The arguments for a compute shader that a translator wrote.
pub(super) fn translated(request: &CompileRequest<'_>) -> Vec<String> {
    arguments("spirv", MODULE, request.entry)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Identifies a shell script as Tint, and returns its version; `$0` is the version argument.
    fn asked(script: &str) -> Result<String, String> {
        let leading = vec!["-c".into(), script.into()];
        let found = TintDriver.identify("tint", Invocation { leading, ..Invocation::program("sh".into()) });
        found.map(|compiler| compiler.version().to_owned()).map_err(|reason| reason.to_string())
    }

    /// The lines come from the help of Tint builds with and without the writer.
    #[test]
    fn a_tint_of_use_tells_a_version_or_writes_spirv() {
        let help = |formats: &str| {
            asked(&format!("test $0 = --help && echo '--format <{formats}>      Output format.'; exit 1"))
        };
        assert_eq!(asked("echo Tint 7"), Ok("Tint 7".to_owned()));
        assert_eq!(help("none|spirv|spvasm|wgsl|ir"), Ok("prints no version".to_owned()));
        assert_eq!(help("none|wgsl|ir"), Err("sh writes no SPIR-V (--format <none|wgsl|ir>)".to_owned()));
        assert!(asked("exit 1").unwrap_err().contains("asked for its version"));
    }
}
