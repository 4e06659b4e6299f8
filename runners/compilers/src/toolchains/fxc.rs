//! FXC: its DXBC, made into SPIR-V whose probe buffers are where DXC's would be.

use std::path::Path;
use std::{fs, io};

use layoutproof_core::generate::hlsl::{BINDING, INPUT, OUTPUT};
use layoutproof_core::inspect::fxc::FxcBinding;
use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Report};
use layoutproof_device::Shader;
use layoutproof_layout::shape::MatrixOrder;

use super::{SOURCE, first_error, preprocessing};
use crate::d3d::{Compiled, Executable, Fxc, Made, Source};

/// Asks FXC, and leaves what it was asked and what it made in `folder`.
pub(super) fn compile(fxc: &Fxc, request: &CompileRequest<'_>, folder: &Path) -> io::Result<Compilation> {
    let order = if request.options.matrix == MatrixOrder::Row { "-Zpr" } else { "-Zpc" };
    let flags = request.toolchain.flags.iter().map(|flag| (*flag).to_owned());
    let source = Source {
        text: request.source.text.clone(),
        profile: "cs_5_1".to_owned(),
        entry: request.entry.to_owned(),
        options: [order.to_owned()].into_iter().chain(preprocessing(&request.source)).chain(flags).collect(),
    };
    fs::write(folder.join(format!("{SOURCE}.hlsl")), &source.text)?;
    match fxc.compile(std::slice::from_ref(&source)).pop() {
        Some(Compiled::Made(made)) => {
            fs::write(folder.join(format!("{SOURCE}.dxbc")), &made.object.container)?;
            Ok(executable(made, request.entry))
        }
        Some(Compiled::Refused(said)) => Ok(Compilation::Refused(first_error(&said, ""))),
        Some(Compiled::Broken(how)) => Ok(Compilation::Broken(how)),
        None => Ok(Compilation::Broken("fxc was not asked".to_owned())),
    }
}

fn executable(object: Made, entry: &str) -> Compilation {
    let container = object.object.container;
    let executable = match object.executable {
        Ok(executable) => executable.moved(entry, &[(OUTPUT, (0, BINDING)), (INPUT, (0, BINDING + 1))]),
        Err(reason) => return Compilation::Refused(reason),
    };
    let mut listed = executable.places.iter().map(|place| &place.listed);
    match listed.find(|listed| Executable::has_texels(listed)) {
        Some(FxcBinding { binding, .. }) => {
            Compilation::Refused(format!("`{}`, at a `t` register, has texels and no bytes", binding.name))
        }
        None => Compilation::Made(layoutproof_core::inspect::toolchain::Made {
            shader: Shader::Spirv(executable.spirv),
            container: Some(container),
            report: Report::FxcListing(object.object.listing),
        }),
    }
}
