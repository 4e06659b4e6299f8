//! WGSL, whose layout the language defines: our own front end reads it, and naga is a witness. Modules of WESL and of
//! `naga_oil` are linked first.

use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{BlockLayout, ComponentReads, FileId, ShaderTarget, Span};
use layoutproof_readers::module_reader::{FollowedCode, ModuleReader, naga_wgsl_blocks, spirv_blocks, wgsl_module};
use layoutproof_readers::spirv::accesses::SourcePlace;
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_readers::wgsl_witness::{WitnessDifference, differences};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceFile, SourceMap};
use layoutproof_wgsl::{LinkSearch, LinkedText, WgslLayouts, WgslModule, WgslVariable, link, needs_linking};

use super::{FixedLayout, Purpose, ReadBlocks, ReadOptions, TextFrontEnd, TextReading, for_others, start_of};
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
    let linked = linked(span, options, sources)?;
    let layouts = match &linked {
        Some(linked) => WgslLayouts::read_linked(linked, sources)?,
        None => WgslLayouts::read(&sources.file(span.file).text, span.file)?,
    };
    // Only `show` prints them: no host fills the memory of a workgroup.
    let shared = if options.purpose == Purpose::Display { layouts.shared_blocks() } else { Vec::new() };
    let WgslLayouts { module, blocks, forbidden, restricted } = layouts;
    let forbidden = [forbidden, module.clashes.clone()].concat();
    let shows_forbidden = options.purpose.shows_forbidden_blocks();
    if !forbidden.is_empty() && !shows_forbidden {
        return Err([forbidden, restricted].concat());
    }
    let bindings = Some(DeclaredBindings::of_wgsl(&module));
    let mut warnings = module.warnings.clone();
    let text = linked.as_ref().map_or(&sources.file(span.file).text, |linked| &linked.text);
    let mut refused_by = None;
    if !blocks.is_empty() && module.clashes.is_empty() {
        match of_naga(options.tools.reader(), text, span.file, &module, &blocks) {
            Ok(found) => warnings.extend(found),
            Err(refusal) => {
                let refusal = linked.iter().fold(refusal, |refusal, linked| linked.in_files(refusal));
                let message = format!("naga {NAGA_VERSION} does not read this module: {}", refusal.message);
                let code = if refusal.code == Code::BadModule { Code::CompilerLimit } else { refusal.code };
                warnings.push(Diagnostic::warning(code, refusal.span(), message));
                refused_by = Some(CompilerRefusal { compiler: "naga".to_owned(), message: refusal.message });
            }
        }
    }
    warnings.extend(linked.iter().flat_map(|linked| linked.warnings.clone()));
    let file = LaidOutFile::new([blocks, shared].concat(), start_of(span));
    let is_for_others = module.entry_points.is_empty() && module.variables.is_empty() && file.blocks.is_empty();
    let is_for_others = is_for_others && !sources.text(span).trim().is_empty();
    let may_lack_blocks = !module.entry_points.is_empty() || is_for_others;
    if is_for_others && options.purpose == Purpose::Display {
        warnings.push(for_others(span));
    }
    let api = Some(ShaderTarget::Webgpu);
    let mut file = LaidOutFile {
        may_lack_blocks,
        bindings,
        refused_by,
        warnings: [warnings, file.warnings].concat(),
        forbidden,
        restricted,
        api,
        reads: reads(options, text, span.file),
        linked: linked.map(|linked| linked.text),
        ..file
    };
    if !shows_forbidden {
        file.warn_of_restricted();
    }
    Ok(file)
}

/// What the code reads of members, in naga's SPIR-V. It matters only for code that takes bits as another kind of number.
fn reads(options: &ReadOptions<'_>, text: &str, file: FileId) -> ComponentReads {
    if options.purpose != Purpose::Comparison || !text.contains("bitcast") {
        return ComponentReads::default();
    }
    let reader = options.tools.reader();
    let module = wgsl_module(reader, text, file).and_then(|words| spirv_blocks(reader, words, file));
    module.map(|module| module.reads).unwrap_or_default()
}

/// The text with the modules that it imports; `None` if it is WGSL alone.
fn linked(
    span: Span,
    options: &ReadOptions<'_>,
    sources: &mut SourceMap,
) -> Result<Option<LinkedText>, Vec<Diagnostic>> {
    if !needs_linking(&sources.file(span.file).text) {
        return Ok(None);
    }
    let DeclareOptions { include_paths: folders, files, .. } = &options.declare;
    let search = LinkSearch { macros: options.macros, folders, files: &**files };
    link(span.file, &search, sources).map(Some).map_err(|problem| vec![problem])
}

/// Reads the code of naga's module for the text at `span`, with places in the user's files.
///
/// # Errors
/// A module cannot be linked, or naga refuses the text.
pub fn wgsl_code<T: FollowedCode>(
    span: Span,
    options: &ReadOptions<'_>,
    sources: &mut SourceMap,
) -> Result<T, Vec<Diagnostic>> {
    let linked = linked(span, options, sources)?;
    let reader = options.tools.reader();
    let entry = options.declare.entry.as_deref();
    let Some(linked) = linked else {
        let SourceFile { name, text } = sources.file(span.file);
        refuse_moved(reader, text, span.file)?;
        let mut code = T::read(reader, wgsl_module(reader, text, span.file)?, entry, span.file)?;
        code.accesses().move_places(|place| Some(SourcePlace { file: name.clone(), ..place.clone() }));
        return Ok(code);
    };
    let moved = |found: Vec<Diagnostic>| found.into_iter().map(|problem| linked.in_files(problem)).collect::<Vec<_>>();
    refuse_moved(reader, &linked.text, span.file).map_err(moved)?;
    let words = wgsl_module(reader, &linked.text, span.file).map_err(moved)?;
    let mut code = T::read(reader, words, entry, span.file)?;
    let starts: Vec<usize> =
        std::iter::once(0).chain(linked.text.match_indices('\n').map(|(end, _)| end + 1)).collect();
    code.accesses().move_places(|place| {
        let line = starts.get((place.line as usize).checked_sub(1)?)?;
        let start = u32::try_from(line + place.column.unwrap_or(1).saturating_sub(1) as usize).ok()?;
        let span = linked.place(Span { file: span.file, start, end: start });
        let at = sources.position(span);
        let file = sources.file(span.file).name.clone();
        Some(SourcePlace { file, line: at.line, column: place.column.map(|_| at.column) })
    });
    Ok(code)
}

/// Refuses a text in whose blocks naga has members elsewhere: what its code accesses is not what the code of others does.
fn refuse_moved(reader: &dyn ModuleReader, text: &str, file: FileId) -> Result<(), Vec<Diagnostic>> {
    // What our reader refuses, naga refuses in its own words.
    let Ok(WgslLayouts { module, blocks, .. }) = WgslLayouts::read(text, file) else { return Ok(()) };
    let moved = of_naga(reader, text, file, &module, &blocks).unwrap_or_default();
    let refusal = |warning: Diagnostic| {
        Diagnostic::error(warning.code, warning.span(), warning.message)
            .with_help("the code is followed in naga's module, so this would show naga's numbers")
    };
    if moved.is_empty() { Ok(()) } else { Err(moved.into_iter().map(refusal).collect()) }
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
        let variable = module.variables.iter().find(|variable| variable.name == difference.block);
        let place = variable.and_then(WgslVariable::block).map(|block| block.place_of(&difference.path));
        let message = difference.of_naga();
        let help = "programs that compile this with naga, such as wgpu's, use naga's number; with Tint they use WGSL's";
        Diagnostic::warning(Code::CompilerDiffers, place.unwrap_or_default(), message).with_help(help)
    };
    Ok(differences(ours, &naga).into_iter().map(warning).collect())
}
