//! Reads containers of compiled HLSL. FXC's are parsed here; DXC lists its own, in a process with
//! the limits of a reader.

use std::path::Path;
use std::time::Duration;

use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::user_files::ask_for_listing;
use layoutproof_executor::tools::MachineTools;
use layoutproof_layout::{BlockLayout, Span};
use layoutproof_readers::container::{ContainerReflection, listed_blocks};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use crate::select::files::{self, FileKind};
use crate::select::shader_file::reader_process;

/// Suffixes of containers.
pub(crate) const SUFFIXES: [&str; 4] = ["dxil", "cso", "dxbc", "fxo"];

/// Time limit of DXC for listing a container.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The advice for a container whose reflection is missing or stripped.
const STRIPPED: &str = "compile without -Qstrip_reflect (fxc: /Qstrip_reflect), or pass the source with the build's \
                        arguments in --args, or the SPIR-V of the same shader";

/// The blocks of a container.
#[derive(Debug)]
pub(crate) struct ContainerBlocks {
    /// The blocks, in the container's order.
    pub(crate) blocks: Vec<BlockLayout>,
    /// The start of the file, for diagnostics.
    pub(crate) start: Span,
}

/// Reads the blocks of a container. The inner error is a problem of its content.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read(path: &Path, sources: &mut SourceMap) -> anyhow::Result<Result<ContainerBlocks, Vec<Diagnostic>>> {
    let bytes = files::read(path, FileKind::Shader)?;
    let file = sources.add(path.display().to_string(), "");
    let start = Span { file, ..Span::default() };

    let refused = |reason: String| Diagnostic::error(Code::BadModule, start, reason).with_help(STRIPPED);
    let blocks = match ContainerReflection::find(&bytes) {
        Ok(ContainerReflection::Rdef(blocks)) => Ok(blocks),
        Ok(ContainerReflection::Dxil) => {
            list(&bytes, start)?.and_then(|listing| listed_blocks(&listing).map_err(refused))
        }
        Err(reason) => Err(refused(reason)),
    };
    Ok(blocks.map(|blocks| ContainerBlocks { blocks, start }).map_err(|problem| vec![problem]))
}

/// DXC's listing of a container.
fn list(container: &[u8], start: Span) -> anyhow::Result<Result<String, Diagnostic>> {
    let tools = MachineTools::find()?;
    let dxc = match Compiler::named("dxc", tools.folder()).compiler {
        Ok(dxc) => dxc,
        Err(absent) => {
            let message = "this container holds DXIL, which only DXC can list";
            let help =
                format!("{absent}; `layoutproof setup dxc` installs one, and the variable DXC names one of your own");
            return Ok(Err(Diagnostic::error(Code::ReaderFailed, start, message).with_help(help)));
        }
    };

    let listed = ask_for_listing(&dxc, container, reader_process::limited, TIME_LIMIT);
    let help = format!(
        "the DXC in use is {}; the container is damaged, or needs a newer DXC, which the variable DXC can name",
        dxc.version()
    );
    Ok(listed.map_err(|how| Diagnostic::error(Code::ReaderFailed, start, how.to_string()).with_help(help)))
}
