//! Containers of compiled HLSL. FXC's are parsed here; DXC lists its own.

use layoutproof_layout::Span;
use layoutproof_readers::container::{ContainerError, ContainerReflection, listed_blocks};
use layoutproof_source::diagnostics::{Code, Diagnostic};

use super::{InputTools, ModuleFrontEnd, ReadBlocks};
use crate::laid_out_file::LaidOutFile;

pub(super) static CONTAINER: ModuleFrontEnd =
    ModuleFrontEnd { suffixes: &["dxil", "cso"], rare_suffixes: &["dxbc", "fxo"], read };

/// The advice for a container whose reflection is missing or stripped.
const STRIPPED: &str = "compile without -Qstrip_reflect (fxc: /Qstrip_reflect), or pass the source with the build's \
                        arguments in --args, or the SPIR-V of the same shader";

fn read(bytes: &[u8], start: Span, tools: &dyn InputTools) -> ReadBlocks {
    let refused =
        |error: ContainerError| vec![Diagnostic::error(Code::BadModule, start, error.to_string()).with_help(STRIPPED)];
    let blocks = match ContainerReflection::find(bytes).map_err(refused)? {
        ContainerReflection::Rdef(blocks) => blocks,
        ContainerReflection::Dxil => {
            let listing = tools.list_container(bytes).map_err(|absent| {
                vec![Diagnostic::error(Code::ReaderFailed, start, absent.reason).with_help(absent.help)]
            })?;
            listed_blocks(&listing).map_err(refused)?
        }
    };
    Ok(LaidOutFile::new(blocks, start))
}
