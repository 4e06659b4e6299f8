//! The blocks of a file that declares their offsets, as its readers return them.

use layoutproof_layout::{BlockLayout, LayoutWarning, Span, join};
use layoutproof_readers::spirv::{DeclaredModule, SpecializedLength};
use layoutproof_source::diagnostics::{Code, Diagnostic};

use crate::front_ends::Purpose;
use crate::placements::DeclaredBindings;

#[derive(Clone, Debug, PartialEq)]
pub struct LaidOutFile {
    pub blocks: Vec<BlockLayout>,
    /// `None` for a file whose bindings are not read.
    pub bindings: Option<DeclaredBindings>,
    pub warnings: Vec<Diagnostic>,
}

impl LaidOutFile {
    /// The blocks of a file, with the warnings about their layouts at its `start`. Readers of such
    /// files do not report where a member is declared, so the warnings name the member.
    pub fn new(mut blocks: Vec<BlockLayout>, start: Span) -> Self {
        let mut warnings = Vec::new();
        for block in &mut blocks {
            block.warn_of_overlaps();
            for LayoutWarning { path, kind, message } in &block.warnings {
                let message = format!("`{}`: {message}", join(&block.name, path));
                warnings.push(Diagnostic::warning((*kind).into(), start, message));
            }
        }
        Self { blocks, bindings: None, warnings }
    }

    /// The blocks of a SPIR-V module. Warnings are at `start`, except those about specialization
    /// constants: `place` returns the place of the constant with a `SpecId`.
    pub fn of_module(module: DeclaredModule, start: Span, place: impl Fn(u32) -> Span) -> Self {
        let bindings = DeclaredBindings::of_spirv(&module.variables, start);
        let lengths = module.blocks.iter().flat_map(|block| {
            let lengths = block.specialized.iter();
            lengths.filter_map(|length| may_be_another(&block.layout.name, length, &place))
        });
        let unlisted = module.warnings.iter().map(|warning| Diagnostic::warning(Code::UncertainLayout, start, warning));
        let warnings: Vec<Diagnostic> = lengths.chain(unlisted).collect();

        let mut file = Self::new(module.blocks.into_iter().map(|block| block.layout).collect(), start);
        file.warnings.splice(0..0, warnings);
        Self { bindings: Some(bindings), ..file }
    }

    /// Checks that the file has blocks, or bindings where those are wanted.
    ///
    /// # Errors
    /// A file with nothing to show, at its `start`, with the warnings about it.
    pub fn with_content(self, purpose: Purpose, start: Span) -> Result<Self, Vec<Diagnostic>> {
        let has_bindings = self.bindings.as_ref().is_some_and(|bindings| !bindings.bindings.is_empty());
        if self.blocks.is_empty() && !(has_bindings && purpose == Purpose::Bindings) {
            let message = "this module has no buffer, so there is no layout";
            let error = Diagnostic::error(Code::NothingDeclared, start, message);
            return Err([vec![error], self.warnings].concat());
        }
        Ok(self)
    }
}

/// Warns that a pipeline may change the length of an array; `None` if none can.
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
    // `VUID-StandaloneSpirv-Function-04681`, which spirv-val 2026.4 does not check.
    let help = if length.is_computed {
        "these are the offsets that the module declares; glslang places the members after an array of a computed length \
         as if that length were 1, and Vulkan forbids such arrays in blocks"
    } else {
        "these are the offsets that the module declares; a pipeline that gives the constant another value does not \
         change them, and Vulkan forbids such arrays in blocks"
    };
    Some(Diagnostic::warning(Code::UncertainLayout, place(*first), message).with_help(help))
}
