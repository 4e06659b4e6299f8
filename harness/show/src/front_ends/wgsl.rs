//! WGSL, whose layout the language defines: our own front end reads it, and naga is a witness.

use layoutproof_layout::{BlockLayout, FileId, ShaderTarget, Span, join};
use layoutproof_readers::module_reader::{ModuleReader, naga_wgsl_blocks};
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_readers::wgsl_layouts::{WgslLayouts, WitnessDifference, differences};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_wgsl::{WgslModule, WgslVariable};

use super::{FixedLayout, ReadBlocks, ReadOptions, TextFrontEnd, TextReading, start_of};
use crate::placements::DeclaredBindings;
use crate::show_input::{CompilerRefusal, LaidOutFile};

pub(super) static WGSL: TextFrontEnd = TextFrontEnd {
    language: ShaderLanguage::Wgsl,
    reads: TextReading::LaidOut {
        read,
        fixes: FixedLayout {
            native: "native:wgsl",
            targets: &[ShaderTarget::Webgpu],
            rules: &["wgsl-uniform", "wgsl-storage"],
        },
    },
};

fn read(span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap) -> ReadBlocks {
    let text = &sources.file(span.file).text;
    let layouts = WgslLayouts::read(text, span.file)?;
    let WgslLayouts { module, blocks, forbidden, restricted } = layouts;
    let shows_forbidden = options.purpose.shows_forbidden_blocks();
    if !forbidden.is_empty() && !shows_forbidden {
        return Err([forbidden, restricted].concat());
    }
    let bindings = Some(DeclaredBindings::of_wgsl(&module));
    let mut warnings = module.warnings.clone();
    let mut refused_by = None;
    if !blocks.is_empty() {
        match of_naga(options.tools.reader(), text, span.file, &module, &blocks) {
            Ok(found) => warnings.extend(found),
            Err(refusal) => {
                let message = format!("naga {NAGA_VERSION} does not read this module: {}", refusal.message);
                let code = if refusal.code == Code::BadModule { Code::CompilerLimit } else { refusal.code };
                warnings.push(Diagnostic::warning(code, refusal.span(), message));
                refused_by = Some(CompilerRefusal { compiler: "naga".to_owned(), message: refusal.message });
            }
        }
    }
    let file = LaidOutFile::new(blocks, start_of(span));
    let (api, may_lack_blocks) = (Some(ShaderTarget::Webgpu), !module.entry_points.is_empty());
    let mut file = LaidOutFile {
        may_lack_blocks,
        bindings,
        refused_by,
        warnings: [warnings, file.warnings].concat(),
        forbidden,
        restricted,
        api,
        ..file
    };
    if !shows_forbidden {
        file.warn_of_restricted();
    }
    Ok(file)
}

/// Warns where naga has members elsewhere.
///
/// # Errors
/// naga refuses the module.
fn of_naga(
    reader: &dyn ModuleReader,
    text: &str,
    file: FileId,
    module: &WgslModule,
    ours: &[BlockLayout],
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let naga = match naga_wgsl_blocks(reader, text, file) {
        Ok(naga) => naga,
        Err(found) => return found.into_iter().next().map_or(Ok(Vec::new()), Err),
    };
    let warning = |difference: WitnessDifference| {
        let WitnessDifference { block, path, what, ours, theirs } = difference;
        let variable = module.variables.iter().find(|variable| variable.name == block);
        let place = variable.and_then(WgslVariable::block).map(|block| block.place_of(&path));
        let path = join(&block, &path);
        let message = format!("naga {NAGA_VERSION} gives `{path}` the {what} {theirs}, WGSL {ours}");
        let help = "programs that compile this with naga, such as wgpu's, use naga's number; with Tint they use WGSL's";
        Diagnostic::warning(Code::CompilerDiffers, place.unwrap_or_default(), message).with_help(help)
    };
    Ok(differences(ours, &naga).into_iter().map(warning).collect())
}
