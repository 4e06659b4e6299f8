//! Output of compilers that fixes all offsets: SPIR-V by its decorations, containers of compiled HLSL, and texts of the
//! Metal Shading Language, which Clang lays out. FXC's containers are parsed here; DXC lists its own. Registers come from
//! the tables of the container itself.

use layoutproof_layout::{ShaderTarget, Span};
use layoutproof_readers::container::{ContainerError, ContainerReflection, ContainerTables, listed_blocks};
use layoutproof_readers::dxil::resource_bindings;
use layoutproof_readers::metal::metal_blocks;
use layoutproof_readers::module_reader::spirv_blocks;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use thiserror::Error;

use super::{InputTools, ModuleFrontEnd, Purpose, ReadBlocks};
use crate::placements::DeclaredBindings;
use crate::show_input::LaidOutFile;

pub(super) static SPIRV: ModuleFrontEnd = ModuleFrontEnd { suffixes: &["spv"], rare_suffixes: &[], read: read_spirv };

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

fn read_spirv(bytes: &[u8], start: Span, _: Purpose, tools: &dyn InputTools) -> ReadBlocks {
    let words = words_of(bytes).map_err(|bad| vec![Diagnostic::error(Code::BadModule, start, bad.to_string())])?;
    let module = spirv_blocks(tools.reader(), words, start.file)?;
    let (api, spirv) = (Some(ShaderTarget::Vulkan), Some(module.source));
    Ok(LaidOutFile { api, spirv, ..LaidOutFile::of_module(module, start, |_| start) })
}

/// The bytes of a file that ends within a word.
#[derive(Debug, Error)]
#[error("{0} bytes, expected a multiple of 4: the SPIR-V file is truncated")]
pub struct Truncated(usize);

/// The words of a SPIR-V file in either byte order.
pub fn words_of(bytes: &[u8]) -> Result<Vec<u32>, Truncated> {
    let mut words = layoutproof_device::words_of(bytes);
    if words.first().is_some_and(|first| first.swap_bytes() == SPIRV_MAGIC) {
        for word in &mut words {
            *word = word.swap_bytes();
        }
    }
    if words.first().is_some_and(|first| *first == SPIRV_MAGIC) && !bytes.len().is_multiple_of(4) {
        return Err(Truncated(bytes.len()));
    }
    Ok(words)
}

pub(super) static CONTAINER: ModuleFrontEnd =
    ModuleFrontEnd { suffixes: &["dxil", "cso"], rare_suffixes: &["dxbc", "fxo"], read: read_container };

/// The advice for a container whose reflection is missing or stripped.
const STRIPPED: &str = "compile without -Qstrip_reflect (fxc: /Qstrip_reflect), or pass the source with the build's \
                        arguments in --args, or the SPIR-V of the same shader";

fn read_container(bytes: &[u8], start: Span, purpose: Purpose, tools: &dyn InputTools) -> ReadBlocks {
    let refused =
        |error: ContainerError| vec![Diagnostic::error(Code::BadModule, start, error.to_string()).with_help(STRIPPED)];
    let mut tables = ContainerTables::read(bytes).map_err(refused)?;
    let blocks = match ContainerReflection::find(bytes) {
        Ok(ContainerReflection::Rdef(blocks)) => Ok(blocks),
        Ok(ContainerReflection::Dxil) => match tools.list_container(bytes) {
            Ok(listing) => {
                tables.name_by(&resource_bindings(&listing).map_err(|error| refused(error.into()))?);
                listed_blocks(&listing).map_err(refused)
            }
            Err(absent) => {
                Err(vec![Diagnostic::error(Code::ReaderFailed, start, absent.reason).with_help(absent.help)])
            }
        },
        Err(error) => Err(refused(error)),
    };
    let bindings = DeclaredBindings::of_container(&tables, start);
    // The tables of the runtime stay when reflection is stripped.
    let (blocks, unread) = match blocks {
        Ok(blocks) => (blocks, Vec::new()),
        Err(found) if purpose == Purpose::Bindings && !bindings.bindings.is_empty() => (Vec::new(), found),
        Err(found) => return Err(found),
    };
    let mut file = LaidOutFile::new(blocks, start);
    file.warnings.extend(unread.into_iter().map(|problem| Diagnostic { severity: Severity::Warning, ..problem }));
    let may_lack_blocks = !bindings.bindings.is_empty();
    Ok(LaidOutFile { api: Some(ShaderTarget::D3d12), bindings: Some(bindings), may_lack_blocks, ..file })
}

/// Texts that translators write; people write them too.
pub(super) static METAL: ModuleFrontEnd =
    ModuleFrontEnd { suffixes: &["metal"], rare_suffixes: &["msl"], read: read_metal };

fn read_metal(bytes: &[u8], start: Span, _: Purpose, tools: &dyn InputTools) -> ReadBlocks {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| vec![Diagnostic::error(Code::BadModule, start, format!("the file is no text: {error}"))])?;
    let ir = tools
        .compile_metal(text)
        .map_err(|absent| vec![Diagnostic::error(Code::ReaderFailed, start, absent.reason).with_help(absent.help)])?;
    Ok(LaidOutFile { api: Some(ShaderTarget::Metal), ..LaidOutFile::new(metal_blocks(text, &ir), start) })
}
