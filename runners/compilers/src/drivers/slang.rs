//! Drives slangc, from Slang to SPIR-V, to WGSL, and to HLSL, GLSL and the Metal Shading Language, which other
//! compilers bring to code.

use layoutproof_device::Shader;
use layoutproof_device::ShaderForm;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{
    CompileOutcome, CompileRequest, CompiledShader, Report, SourceProfile, TextLanguage, Toolchain,
};

use super::command_line::{
    BadOutput, CommandLine, MODULE, SOURCE, SecondCommand, made, preprocessing, read_spirv, toolchain_flags,
};
use super::dxc::{self, DxilFiles};
use super::translation::{self, EntryName};
use super::{CompileMethod, CompilerDriver, FamilyName, metal};
use crate::cache::DecidingFiles;
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::compiler::Compiler;
use crate::programs::{FetchedProgram, ProgramLookup, ProgramName};
use crate::service::CompileService;
use crate::slang_library::slang_service;

const TEXT: &str = "probe.wgsl";
const REFLECTION: &str = "probe.json";

/// NOTE(driver): without -O0, slangc 2026.14.1 needs slang-glslang to optimise SPIR-V, and the wheel
/// of slangtorch 1.3.22 omits that library.
const TO_SPIRV: &[&str] = &["-target", "spirv", "-profile", "spirv_1_3", "-O0", "-fvk-use-entrypoint-name"];
const TO_HLSL: &[&str] = &["-target", "hlsl", "-line-directive-mode", "none"];

/// The default HLSL profile.
const NEWEST: &str = "sm_6_6";
const TO_GLSL: &[&str] = &["-target", "glsl", "-line-directive-mode", "none"];
const TO_MSL: &[&str] = &["-target", "metal", "-line-directive-mode", "none"];
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
            // slangc writes no DXBC.
            ShaderForm::Dxil | ShaderForm::Dxbc => TypeSpace::slang(),
            ShaderForm::Spirv => TypeSpace::slang_spirv(),
            // Metal has no doubles either.
            ShaderForm::Wgsl | ShaderForm::ClangIr => {
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
    let is_glsl = request.toolchain.text_language() == Some(TextLanguage::Glsl);
    let second = translation::of_text(request, if is_glsl { EntryName::Main } else { EntryName::Kept });
    let (target, artifact, read): (&[&str], _, fn(&CompileFolder, &ProcessOutput) -> _) =
        match (request.toolchain.text_language(), request.toolchain.output) {
            (Some(TextLanguage::Glsl), _) => (TO_GLSL, "translated.comp", read_module),
            (Some(TextLanguage::Msl), _) => (TO_MSL, metal::SOURCE, read_ir),
            (Some(TextLanguage::Hlsl), _) => (TO_HLSL, "translated.hlsl", read_listing),
            (_, ShaderForm::Wgsl) => (TO_WGSL, TEXT, read_text),
            _ => (TO_SPIRV, MODULE, read_module),
        };

    let mut arguments: Vec<String> = target.iter().map(|argument| (*argument).to_owned()).collect();
    let profile = match request.profile {
        SourceProfile::Newest => Some(NEWEST),
        SourceProfile::Named(profile) => Some(profile),
        SourceProfile::Unnamed => None,
    };
    // SPIR-V has its own profile, and WGSL has none.
    if let (true, Some(profile)) = (target == TO_HLSL, profile) {
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

    let headers = second.as_ref().map_or(&[][..], |second| second.headers);
    let compiler = request.toolchain.second_compiler().unwrap_or_default();
    let second = second.map(|second| SecondCommand { compiler, arguments: second.arguments });
    CommandLine { source, arguments, headers, second, read }
}

/// The arguments for a compute shader in HLSL that a translator wrote.
pub(super) fn translated(request: &CompileRequest<'_>) -> Vec<String> {
    let own = ["-stage", "compute", "-entry", request.entry, "-o", MODULE];
    TO_SPIRV.iter().copied().chain(own).map(str::to_owned).collect()
}

/// Reads Clang's IR of slangc's text for Metal, and slangc's own report.
fn read_ir(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    Ok(made(metal::read_shader(folder)?, Report::SlangJson(reflection(folder)?)))
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
