//! The blocks of a file that declares their offsets, as its readers return them.
//!
//! [`explicit_layouts`](crate::select::shader_file::explicit_layouts) and [`glsl_file`](crate::select::shader_file::glsl_file) make them.

use layoutproof_core::input::diagnostics::{Code, Diagnostic};
use layoutproof_core::inspect::spirv::{DeclaredBlock, SpecializedLength};
use layoutproof_layout::{BlockLayout, Span, join};

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// The blocks of such a file.
#[derive(Debug)]
pub(crate) struct LaidOutFile {
    /// Its blocks.
    pub(crate) blocks: Vec<BlockLayout>,
    /// Warnings about them.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl From<Vec<BlockLayout>> for LaidOutFile {
    fn from(blocks: Vec<BlockLayout>) -> Self {
        Self { blocks, warnings: Vec::new() }
    }
}

impl LaidOutFile {
    /// Takes the blocks of a SPIR-V module; `place` tells where the specialization constant with a `SpecId` stands.
    pub(crate) fn of_module(blocks: Vec<DeclaredBlock>, place: impl Fn(u32) -> Span) -> Self {
        let warnings = blocks.iter().flat_map(|block| {
            let lengths = block.specialized.iter();
            lengths.filter_map(|length| may_be_another(&block.layout.name, length, &place))
        });
        Self { warnings: warnings.collect(), blocks: blocks.into_iter().map(|block| block.layout).collect() }
    }
}

/// The warning that a pipeline may give an array another length; `None` where none can.
fn may_be_another(block: &str, length: &SpecializedLength, place: impl Fn(u32) -> Span) -> Option<Diagnostic> {
    let first = length.constants.first()?;
    let path = join(block, &length.path);
    let named: Vec<String> = length.constants.iter().map(u32::to_string).collect();
    let plural = if named.len() == 1 { "" } else { "s" };

    let message = format!(
        "the length of `{path}` is {} by default, and depends on specialization constant{plural} {}",
        length.length,
        named.join(", ")
    );
    let help = if length.is_computed {
        "shown are the offsets that the module declares; glslang places what follows an array of a computed length as if \
         that were 1"
    } else {
        "shown are the offsets that the module declares; a pipeline that gives the constant another value leaves them as \
         they are"
    };
    Some(Diagnostic::warning(Code::UncertainLayout, place(*first), message).with_help(help))
}

/// The words of a SPIR-V file, which may be of either byte order.
pub(crate) fn words_of(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let swapped = words.clone().next().is_some_and(|first| u32::from_be_bytes(first) == SPIRV_MAGIC);
    let words: Vec<u32> = words.map(if swapped { u32::from_be_bytes } else { u32::from_le_bytes }).collect();
    if words.first().is_some_and(|first| *first == SPIRV_MAGIC) && !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes, expected a multiple of 4: the SPIR-V file is truncated", bytes.len()));
    }
    Ok(words)
}
