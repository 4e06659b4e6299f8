//! Drives FXC, whose DXBC vkd3d-compiler translates to SPIR-V. The probe's buffers get the same
//! bindings as with DXC.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use layoutproof_device::Shader;
use layoutproof_generators::hlsl::{INPUT, OUTPUT};
use layoutproof_probes::reserved::Reserved;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::fxc::FxcBinding;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, CompiledShader, Report, Toolchain};

use super::command_line::{SOURCE, first_error, matrix_option, preprocessing, toolchain_flags};
use super::{CompileMethod, CompilerDriver, DirectCompiler};
use crate::compiler::Compiler;
use crate::d3d::{D3dOutcome, D3dSource, Executable, Fxc, FxcProgram, SpirvSlot};
use crate::programs::{FetchedProgram, ProgramLookup, ProgramName, WindowsCompiler};

const FXC: &str = "fxc";
/// The program that makes FXC's code run on Vulkan devices.
const TRANSLATOR: &str = "vkd3d";
/// Microsoft's HLSL compiler before DXC.
#[derive(Debug)]
pub(super) struct FxcDriver;

impl CompilerDriver for FxcDriver {
    fn name(&self) -> &'static str {
        FXC
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[
            ProgramLookup {
                name: FXC,
                named: None,
                fetched: FetchedProgram::Windows(WindowsCompiler {
                    name: "fxc",
                    folder: "tools/d3d",
                    library: "d3dcompiler_47.dll",
                }),
                setup_name: "wine",
            },
            ProgramLookup {
                name: TRANSLATOR,
                named: Some(ProgramName { variable: "VKD3D_COMPILER", program: "vkd3d-compiler" }),
                fetched: FetchedProgram::Nothing,
                setup_name: "wine",
            },
        ]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::Calls(with_translator)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::fxc()
    }
}

fn with_translator(compilers: &[Compiler]) -> Option<Arc<dyn DirectCompiler>> {
    let named = |name: &str| compilers.iter().find(|compiler| compiler.name() == name).cloned();
    let fxc = Fxc::new(named(FXC)?, named(TRANSLATOR)?).ok()?;
    Some(Arc::new(fxc))
}

impl DirectCompiler for Fxc {
    fn compile(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<CompileOutcome> {
        let order = matrix_option(request.options.matrix);
        let options = [order].into_iter().chain(preprocessing(&request.source));
        let source = D3dSource {
            text: request.source.text.clone(),
            profile: "cs_5_1".to_owned(),
            entry: request.entry.to_owned(),
            options: options.chain(toolchain_flags(request.toolchain)).collect(),
        };
        fs::write(folder.join(format!("{SOURCE}.hlsl")), &source.text)?;

        match self.compile_all(std::slice::from_ref(&source)).pop() {
            Some(D3dOutcome::Made(made)) => {
                fs::write(folder.join(format!("{SOURCE}.dxbc")), &made.object.container)?;
                Ok(executable(made, request.entry))
            }
            Some(D3dOutcome::Refused(said)) => Ok(CompileOutcome::Rejected(first_error(&said, ""))),
            Some(D3dOutcome::Broken(how)) => Ok(CompileOutcome::Failed(how)),
            None => Ok(CompileOutcome::Failed("fxc did not run".to_owned())),
        }
    }
}

/// The slot of the probe's buffer with this number, as DXC assigns it.
fn probe_slot(buffer: u32) -> SpirvSlot {
    SpirvSlot { set: 0, binding: Reserved::BINDING + buffer }
}

/// Converts the output of FXC and vkd3d-compiler into a result for the checks.
fn executable(object: FxcProgram, entry: &str) -> CompileOutcome {
    let container = object.object.container;
    let executable = match object.executable {
        Ok(executable) => executable.moved(entry, &[(OUTPUT, probe_slot(0)), (INPUT, probe_slot(1))]),
        Err(reason) => return CompileOutcome::Rejected(reason.to_string()),
    };

    let mut listed = executable.places.iter().map(|place| &place.listed);
    match listed.find(|listed| Executable::has_texels(listed)) {
        Some(FxcBinding { binding, .. }) => {
            CompileOutcome::Rejected(format!("`{}`, at a `t` register, has texels and no bytes", binding.name))
        }
        None => CompileOutcome::Compiled(CompiledShader {
            shader: Shader::Spirv(executable.spirv),
            container: Some(container),
            report: Report::FxcListing(object.object.listing),
        }),
    }
}
