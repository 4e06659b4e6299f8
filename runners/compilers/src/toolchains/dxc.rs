//! DXC's command lines.

use std::path::Path;

use layoutproof_core::inspect::toolchain::{CodeTarget, Compilation, CompileRequest, Made, Output, Report};
use layoutproof_device::Shader;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;

use super::{Call, SOURCE, made, preprocessing, spirv};
use crate::child::{Finished, OUTPUT_LIMIT};
use crate::regular_file;

const MODULE: &str = "probe.spv";
/// Most characters of a line of output in a message.
const LINE: usize = 80;

/// Object of DXIL for a device.
const OBJECT: &str = "probe.dxil";
/// The listing beside it: dxc prints none where it writes an object.
const LISTING: &str = "probe.ll";

/// `-Vd` keeps DXC from withholding what its own validator refuses: what its code addresses is asked here, and validity
/// is spirv-val's to judge.
const ALWAYS: [&str; 3] = ["-HV", "2021", "-Vd"];

/// What the target asks: the profile, and for a device the files.
fn of_target(target: CodeTarget) -> Vec<String> {
    match target {
        CodeTarget::Newest => ["-T", "cs_6_6"].map(str::to_owned).to_vec(),
        CodeTarget::Direct3d { model, .. } => {
            let profile = format!("cs_{}_{}", model.major, model.minor);
            ["-T", &profile, "-Fo", OBJECT, "-Fc", LISTING].map(str::to_owned).to_vec()
        }
    }
}

pub(super) fn call(request: &CompileRequest<'_>) -> Call {
    let source = format!("{SOURCE}.hlsl");
    let mut arguments = match request.toolchain.output {
        Output::Dxil | Output::ClangIr | Output::SpirvOfDxbc | Output::Wgsl => of_target(request.target),
        Output::Spirv => of_target(CodeTarget::Newest),
    };
    arguments.extend(ALWAYS.map(str::to_owned));
    arguments.extend(["-E".to_owned(), request.entry.to_owned()]);
    arguments.push(if request.options.matrix == MatrixOrder::Row { "-Zpr" } else { "-Zpc" }.to_owned());
    if request.options.sixteen_bit == SixteenBit::On {
        arguments.push("-enable-16bit-types".to_owned());
    }
    arguments.extend(preprocessing(&request.source));
    let read = match request.toolchain.output {
        // Of DXBC there is FXC's alone, which is not asked here, and DXC writes neither WGSL nor what Clang writes.
        Output::Dxil | Output::ClangIr | Output::SpirvOfDxbc | Output::Wgsl => read_listing,
        Output::Spirv => {
            arguments.extend(["-spirv", "-fspv-target-env=vulkan1.1", "-Fo", MODULE].map(str::to_owned));
            read_module
        }
    };
    arguments.extend(request.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
    arguments.extend(request.extra.iter().cloned());
    arguments.push(source.clone());
    Call { source, arguments, header: None, read }
}

/// The arguments for HLSL that another compiler wrote, in which matrices say their order and types their size.
pub(super) fn translated(file: &str, request: &CompileRequest<'_>) -> Vec<String> {
    let mut arguments = of_target(request.target);
    arguments.extend(ALWAYS.map(str::to_owned));
    arguments.extend(["-E", request.entry].map(str::to_owned));
    match request.target {
        CodeTarget::Newest | CodeTarget::Direct3d { sixteen_bit: SixteenBit::On, .. } => {
            arguments.push("-enable-16bit-types".to_owned());
        }
        CodeTarget::Direct3d { sixteen_bit: SixteenBit::Off, .. } => {}
    }
    arguments.push(file.to_owned());
    arguments
}

fn read_listing(folder: &Path, finished: &Finished) -> Result<Compilation, String> {
    let (listing, container) = object(folder, finished)?;
    // Every listing names its entry points, and does so behind the code: nothing of that is missing then.
    if !listing.lines().any(|line| line.starts_with("!dx.entryPoints = ")) {
        return Err(format!("it printed no whole listing but {} bytes: {}", listing.len(), start(finished)));
    }
    let report = Report::Listing(listing.clone());
    Ok(Compilation::Made(Made { shader: Shader::DxilListing(listing), container, report }))
}

/// The listing, and the object where one was asked for. Our drivers of DXC's library print the listing all the same.
pub(super) fn object(folder: &Path, finished: &Finished) -> Result<(String, Option<Vec<u8>>), String> {
    let unreadable = |name: &str, error: &dyn std::fmt::Display| format!("its {name} cannot be read: {error}");
    let listing = match regular_file::read_text(&folder.join(LISTING), OUTPUT_LIMIT) {
        Ok(listing) => listing,
        Err(error) if error.is_not_found() => finished.stdout.clone(),
        Err(error) => return Err(unreadable(LISTING, &error)),
    };
    match regular_file::read(&folder.join(OBJECT), OUTPUT_LIMIT) {
        Ok(object) => Ok((listing, Some(object))),
        Err(error) if error.is_not_found() => Ok((listing, None)),
        Err(error) => Err(unreadable(OBJECT, &error)),
    }
}

fn read_module(folder: &Path, _: &Finished) -> Result<Compilation, String> {
    Ok(made(Shader::Spirv(spirv(&folder.join(MODULE))?), Report::None))
}

/// The first line that says something, for a message.
fn start(finished: &Finished) -> String {
    let line = finished.stdout.lines().map(str::trim).find(|line| line.contains(char::is_alphanumeric));
    line.unwrap_or("nothing").chars().filter(|c| !c.is_control()).take(LINE).collect()
}
