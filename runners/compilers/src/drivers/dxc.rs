//! Drives DXC: its builds, of which two are programs for Windows, and its command lines.
//!
//! A build may be a library without its program; `layoutproof dxc-library` then replaces the
//! program.

use std::ffi::OsString;
use std::path::Path;

use layoutproof_device::Shader;
use layoutproof_device::ShaderForm;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_probes::Stage;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::{CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Report, Toolchain};

use super::command_line::{
    BadOutput, CommandLine, MODULE, SIXTEEN_BIT_TYPES, SOURCE, dxc_options, read_module, toolchain_flags,
};
use super::{CompileMethod, CompilerDriver, FamilyName};
use crate::cache::DecidingFiles;
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::compiler::{Compiler, Invocation, NoCompiler};
use crate::dxc_library::{self, dxc_service};
use crate::programs::{FetchedProgram, ProgramLookup, ProgramName, WindowsCompiler, own_program};
use crate::service::{CompileService, LineService};

/// Longest line of output in a message, in characters.
const LINE: usize = 80;

/// File of the DXIL container, which a device needs.
const OBJECT: &str = "probe.dxil";
/// File of the listing; dxc does not print a listing when it writes an object.
const LISTING: &str = "probe.ll";

/// `-Vd` turns off DXC's own validator, which would withhold invalid code. This program asks which
/// addresses the code uses, and leaves validity to spirv-val.
const ALWAYS: [&str; 3] = ["-HV", "2021", "-Vd"];

#[derive(Debug)]
pub(super) struct DxcDriver;

impl CompilerDriver for DxcDriver {
    fn name(&self) -> &'static str {
        "dxc"
    }

    fn build_names(&self, version: &[u32]) -> Vec<&'static str> {
        if version >= &[1, 9][..] { vec!["dxc-1.9"] } else { vec!["dxc", "dxc-old"] }
    }

    fn most_builds(&self) -> &'static str {
        "with one build from 1.9 on, and two before 1.9"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[
            ProgramLookup {
                name: "dxc",
                named: Some(ProgramName { variable: "DXC", program: "dxc" }),
                fetched: FetchedProgram::Library {
                    path: "tools/dxc-lib/libdxcompiler.so",
                    leading: &[dxc_library::COMMAND, "--library"],
                },
                setup_name: "dxc",
            },
            ProgramLookup {
                name: "dxc-old",
                named: Some(ProgramName { variable: "DXC_OLD", program: "dxc-old" }),
                fetched: FetchedProgram::Library {
                    path: "tools/dxc-lib-old/libdxcompiler.so",
                    leading: &[dxc_library::COMMAND, "--abi", "old", "--library"],
                },
                setup_name: "dxc-old",
            },
            ProgramLookup {
                name: "dxc-1.9",
                named: None,
                fetched: FetchedProgram::Windows(WindowsCompiler {
                    name: "dxc",
                    folder: "tools/dxc-1.9",
                    library: "dxcompiler.dll",
                }),
                setup_name: "wine",
            },
            ProgramLookup {
                name: "dxc-dev",
                named: None,
                fetched: FetchedProgram::Windows(WindowsCompiler {
                    name: "dxc",
                    folder: "tools/d3d",
                    library: "dxcompiler.dll",
                }),
                setup_name: "wine",
            },
        ]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::CommandLine(command_line)
    }

    fn type_space(&self, toolchain: &Toolchain) -> TypeSpace {
        if toolchain.output == ShaderForm::Spirv { TypeSpace::dxc_spirv() } else { TypeSpace::dxc_dxil() }
    }

    fn takes_minimum_precision(&self) -> bool {
        true
    }

    fn family(&self) -> Option<FamilyName> {
        Some(FamilyName { name: "dxc", decides_file: false })
    }

    fn service(&self, compiler: &Compiler) -> Option<Box<dyn CompileService>> {
        match LineService::of(compiler) {
            Some(service) => Some(Box::new(service)),
            None => Some(Box::new(dxc_service(compiler)?)),
        }
    }

    fn deciding_files(&self, _: &Compiler) -> Option<DecidingFiles> {
        Some(DecidingFiles { opened: &["libdxcompiler", "libdxil"], started_by_script: &[] })
    }

    /// A user's file is a program, or a library of either ABI for our driver.
    fn invocations(&self, file: &Path) -> Result<Vec<Invocation>, NoCompiler> {
        if !is_library(file) {
            return Ok(vec![Invocation::program(file.to_owned())]);
        }

        let driver = own_program().ok_or_else(|| NoCompiler::NoOwnProgram(file.to_owned()))?;
        // A driver for one ABI crashes on a library of the other.
        let of_abi = |abi| Invocation {
            leading: library_arguments(abi, file),
            library: Some(file.to_owned()),
            ..Invocation::program(driver.clone())
        };
        Ok(["new", "old"].map(of_abi).into())
    }
}

/// Matches `libdxcompiler.so`, also with a version suffix, `dxcompiler.dll` and
/// `libdxcompiler.dylib`.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    [".so", ".dll", ".dylib"].iter().any(|ending| name.ends_with(ending)) || name.contains(".so.")
}

fn library_arguments(abi: &str, library: &Path) -> Vec<OsString> {
    let words = [dxc_library::COMMAND, "--abi", abi, "--library"].map(OsString::from);
    words.into_iter().chain([library.as_os_str().to_owned()]).collect()
}

/// The arguments for a target: the profile, and the output files if a device needs them.
fn target_arguments(target: CodeTarget, stage: Stage) -> Vec<String> {
    let stage = match stage {
        Stage::Compute => "cs",
        Stage::Vertex => "vs",
        Stage::Fragment => "ps",
        // Ray-tracing stages are parts of a library.
        Stage::RayGeneration | Stage::Record(_) => "lib",
    };
    match target {
        CodeTarget::Newest => ["-T", &format!("{stage}_6_6")].map(str::to_owned).to_vec(),
        CodeTarget::Direct3d { model, .. } => {
            let profile = format!("{stage}_{}_{}", model.major, model.minor);
            ["-T", &profile, "-Fo", OBJECT, "-Fc", LISTING].map(str::to_owned).to_vec()
        }
    }
}

fn command_line(request: &CompileRequest<'_>) -> CommandLine {
    let source = format!("{SOURCE}.hlsl");
    let to_spirv = request.toolchain.output == ShaderForm::Spirv;
    let target = if to_spirv { CodeTarget::Newest } else { request.target };
    let mut arguments = target_arguments(target, request.stage);
    arguments.extend(ALWAYS.map(str::to_owned));
    arguments.extend(dxc_options(request));
    if to_spirv {
        let environment =
            if request.needs_spirv_1_4() { "-fspv-target-env=vulkan1.2" } else { "-fspv-target-env=vulkan1.1" };
        arguments.extend(["-spirv", environment, "-Fo", MODULE].map(str::to_owned));
    }
    let read = if to_spirv { read_module } else { read_listing };

    arguments.extend(toolchain_flags(request.toolchain));
    arguments.extend(request.extra.iter().cloned());
    arguments.push(source.clone());
    CommandLine { source, arguments, headers: &[], second: None, read }
}

/// The arguments for HLSL that another compiler wrote. That text declares the order of its matrices
/// and the size of its types.
pub(super) fn translated(request: &CompileRequest<'_>) -> Vec<String> {
    let mut arguments = target_arguments(request.target, request.stage);
    arguments.extend(ALWAYS.map(str::to_owned));
    arguments.extend(["-E", request.entry].map(str::to_owned));
    match request.target {
        CodeTarget::Newest | CodeTarget::Direct3d { sixteen_bit: SixteenBit::On, .. } => {
            arguments.push(SIXTEEN_BIT_TYPES.to_owned());
        }
        CodeTarget::Direct3d { sixteen_bit: SixteenBit::Off, .. } => {}
    }
    arguments
}

/// The same for Vulkan, with the offsets of Direct3D, which `packoffset` is about.
pub(super) fn translated_to_spirv(request: &CompileRequest<'_>) -> Vec<String> {
    let mut arguments = translated(&CompileRequest { target: CodeTarget::Newest, ..request.clone() });
    let options = ["-spirv", "-fspv-target-env=vulkan1.1", "-fvk-use-dx-layout", "-Fo", MODULE];
    arguments.extend(options.map(str::to_owned));
    arguments
}

fn read_listing(folder: &CompileFolder, finished: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let DxilFiles { listing, container } = read_dxil(folder, finished)?;
    // Every listing names its entry points after the code, so a listing with that line has all of
    // the code.
    if !listing.lines().any(|line| line.starts_with("!dx.entryPoints = ")) {
        return Err(BadOutput::Listing { bytes: listing.len(), start: start(finished) });
    }
    let report = Report::Listing(listing.clone());
    Ok(CompileOutcome::Compiled(CompiledShader { shader: Shader::DxilListing(listing), container, report }))
}

pub(super) struct DxilFiles {
    pub(super) listing: String,
    /// The container, if one was requested.
    pub(super) container: Option<Vec<u8>>,
}

/// Reads the files for DXIL. Our drivers of DXC's library print the listing if no file was
/// requested.
pub(super) fn read_dxil(folder: &CompileFolder, finished: &ProcessOutput) -> Result<DxilFiles, BadOutput> {
    let listing = match folder.read_text(LISTING) {
        Ok(listing) => listing,
        Err(error) if error.is_not_found() => finished.stdout.clone(),
        Err(error) => return Err(BadOutput::Unreadable { file: LISTING, error }),
    };

    let container = match folder.read(OBJECT) {
        Ok(object) => Some(object),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(BadOutput::Unreadable { file: OBJECT, error }),
    };

    Ok(DxilFiles { listing, container })
}

/// The first line with a letter or digit, for a message.
fn start(finished: &ProcessOutput) -> String {
    let line = finished.stdout.lines().map(str::trim).find(|line| line.contains(char::is_alphanumeric));
    line.unwrap_or("nothing").chars().filter(|c| !c.is_control()).take(LINE).collect()
}
