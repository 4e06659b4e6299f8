//! Drives slangc, from Slang to SPIR-V, to WGSL, and to HLSL that DXC compiles.

use layoutproof_device::Shader;
use layoutproof_device::ShaderForm;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{
    CompileOutcome, CompileRequest, CompiledShader, Report, SourceProfile, Toolchain,
};

use super::command_line::{
    BadOutput, CommandLine, MODULE, SOURCE, SecondCommand, made, preprocessing, read_spirv, toolchain_flags,
};
use super::dxc::{self, DxilFiles};
use super::{CompileMethod, CompilerDriver, FamilyName};
use crate::cache::DecidingFiles;
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::compiler::Compiler;
use crate::programs::{FetchedProgram, ProgramLookup, ProgramName};
use crate::service::CompileService;
use crate::slang_library::slang_service;

const TEXT: &str = "probe.wgsl";
const REFLECTION: &str = "probe.json";

/// The file with slangc's HLSL for Direct3D.
const TRANSLATED: &str = "translated.hlsl";

/// NOTE(driver): without -O0, slangc 2026.14.1 needs slang-glslang to optimise SPIR-V, and the wheel
/// of slangtorch 1.3.22 omits that library.
const TO_SPIRV: &[&str] = &["-target", "spirv", "-profile", "spirv_1_3", "-O0", "-fvk-use-entrypoint-name"];
const TO_HLSL: &[&str] = &["-target", "hlsl", "-line-directive-mode", "none"];

/// The default HLSL profile.
const NEWEST: &str = "sm_6_6";
const TO_WGSL: &[&str] = &["-target", "wgsl", "-line-directive-mode", "none"];

/// Part of slangc's message after it catches an internal exception.
const EXCEPTION: &str = "aborted due to an exception";

#[derive(Debug)]
pub(super) struct SlangDriver;

impl CompilerDriver for SlangDriver {
    fn name(&self) -> &'static str {
        "slangc"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[ProgramLookup {
            name: "slangc",
            named: Some(ProgramName { variable: "SLANGC", program: "slangc" }),
            fetched: FetchedProgram::Program("tools/slang/bin/slangc"),
            setup_name: "slangc",
        }]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, toolchain: &Toolchain) -> TypeSpace {
        match toolchain.output {
            // slangc writes neither Clang's IR nor DXBC.
            ShaderForm::Dxil | ShaderForm::ClangIr | ShaderForm::Dxbc => TypeSpace::slang(),
            ShaderForm::Spirv => TypeSpace::slang_spirv(),
            ShaderForm::Wgsl => {
                let both = TypeSpace::slang().common(&TypeSpace::wgsl());
                both.expect("both have constant buffers, matrices by columns and 16-bit types")
            }
        }
    }

    fn family(&self) -> Option<FamilyName> {
        Some(FamilyName { name: "slang", decides_file: false })
    }

    fn version_arguments(&self) -> &'static [&'static str] {
        &["-v"]
    }

    fn service(&self, compiler: &Compiler) -> Option<Box<dyn CompileService>> {
        slang_service(compiler).map(|service| Box::new(service) as Box<dyn CompileService>)
    }

    fn deciding_files(&self, _: &Compiler) -> Option<DecidingFiles> {
        Some(DecidingFiles { opened: &["libslang", "libgfx", "slang"], started_by_script: &[] })
    }

    /// An exception inside slangc ends the compilation, and is no verdict on the source.
    fn caught_crash(&self, _: &str, _: &str, first_error: &str) -> Option<String> {
        first_error.contains(EXCEPTION).then(|| first_error.to_owned())
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let source = format!("{SOURCE}.slang");
    let order = if request.options.matrix == MatrixOrder::Row { "row" } else { "column" };
    let (target, artifact, read): (&[&str], _, fn(&CompileFolder, &ProcessOutput) -> _) = match request.toolchain.output
    {
        ShaderForm::Spirv | ShaderForm::Dxbc => (TO_SPIRV, MODULE, read_module),
        ShaderForm::Dxil | ShaderForm::ClangIr => (TO_HLSL, TRANSLATED, read_listing),
        ShaderForm::Wgsl => (TO_WGSL, TEXT, read_text),
    };

    let mut arguments: Vec<String> = target.iter().map(|argument| (*argument).to_owned()).collect();
    let profile = match request.profile {
        SourceProfile::Newest => Some(NEWEST),
        SourceProfile::Named(profile) => Some(profile),
        SourceProfile::Unnamed => None,
    };
    // SPIR-V has its own profile, and WGSL has none.
    if let (true, Some(profile)) = (artifact == TRANSLATED, profile) {
        arguments.extend(["-profile", profile].map(str::to_owned));
    }
    // slangc refuses a second `-stage`.
    if !request.extra.iter().any(|argument| argument == "-stage") {
        arguments.extend(["-stage", request.stage.as_str()].map(str::to_owned));
    }
    arguments.extend(request.extra.iter().cloned());
    arguments.extend(["-entry", request.entry].map(str::to_owned));
    arguments.push(format!("-matrix-layout-{order}-major"));
    arguments.extend(request.options.msvc_bit_fields.then(|| "-msvc-style-bitfield-packing".to_owned()));
    arguments.extend(preprocessing(&request.source));
    arguments.extend(toolchain_flags(request.toolchain));
    arguments.extend(["-o", artifact, "-reflection-json", REFLECTION].map(str::to_owned));
    arguments.push(source.clone());

    let second = request.toolchain.second_compiler;
    let second = second.map(|compiler| SecondCommand { compiler, arguments: dxc::translated(TRANSLATED, request) });
    CommandLine { source, arguments, headers: &[], second, read }
}

fn read_module(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    Ok(made(Shader::Spirv(read_spirv(folder)?), Report::SlangJson(reflection(folder)?)))
}

/// Reads DXC's listing of slangc's HLSL, and slangc's own report.
fn read_listing(folder: &CompileFolder, finished: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let DxilFiles { listing, container } = dxc::read_dxil(folder, finished)?;
    let report = Report::SlangJson(reflection(folder)?);
    Ok(CompileOutcome::Compiled(CompiledShader { shader: Shader::DxilListing(listing), container, report }))
}

fn read_text(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let text = folder.read_text(TEXT).map_err(|error| BadOutput::Missing { what: "text", error })?;
    Ok(made(Shader::Wgsl(text), Report::SlangJson(reflection(folder)?)))
}

fn reflection(folder: &CompileFolder) -> Result<String, BadOutput> {
    folder.read_text(REFLECTION).map_err(|error| BadOutput::Missing { what: "reflection", error })
}
