//! Reads GLSL files through glslang, which decorates each block with its offsets.
//!
//! glslang makes a SPIR-V module of the text, in a process with the limits of a reader, and opens no file beside it: what
//! the text includes is put in here. The stage is that of the file's suffix or of `#pragma shader_stage(STAGE)`; without
//! one, it is the first that glslang takes. A text that is not Vulkan's GLSL is tried as OpenGL's.

use std::path::Path;
use std::time::Duration;

use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::glslang_module::{GlslAnswer, GlslDialect, GlslError, GlslRequest, ask_for_module};
use layoutproof_core::declare::IncludeSearch;
use layoutproof_core::input::diagnostics::{Code, Diagnostic};
use layoutproof_core::input::glsl_text::GlslText;
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::input::text_limits::{TextLanguage, check_text};
use layoutproof_core::inspect::module_reader::spirv_blocks;
use layoutproof_core::show::{LaidOutFile, STAGES};
use layoutproof_layout::Span;

use crate::args::DeclareArgs;
use crate::select::shader_file::included::IncludedFiles;
use crate::select::shader_file::reader_process::{self, ReaderProcess};
use crate::select::shader_file::spirv_words::words_of;

/// How long glslang may take for one stage of one file.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The blocks of the text at `span`, which is the file at `path`.
///
/// # Errors
/// Errors of glslang at their places, files that cannot be included, and a text that exceeds the limits.
pub(crate) fn read(
    glslang: &Compiler,
    path: &Path,
    span: Span,
    declare: &DeclareArgs,
    sources: &mut SourceMap,
) -> Result<LaidOutFile, Vec<Diagnostic>> {
    let files = IncludedFiles::of_shader(path, &declare.include);
    let search = IncludeSearch { folders: &declare.include, files: &files };
    let text = GlslText::read(span.file, &search, sources).map_err(|problem| vec![problem])?;
    check_text(&text.text, span.file, TextLanguage::Glsl).map_err(|problem| vec![text.in_files(problem)])?;

    let module = module(glslang, &text, path, &declare.define).map_err(|refused| match refused {
        NoModule::Refused(errors) => problems(&text, &errors, span),
        NoModule::Broken(how) => vec![ended(&how, span)],
    })?;

    let reader = ReaderProcess::of_this_program().map_err(|error| vec![ended(&format!("{error:#}"), span)])?;
    let blocks = spirv_blocks(&reader, module.words, span.file)?;
    let mut file = LaidOutFile::of_module(blocks, |number| constant_place(&text, number, span));
    match module.dialect {
        GlslDialect::Vulkan => {}
        GlslDialect::OpenGl => file.warnings.extend(layout_of_driver(&text, file.blocks.len(), span)),
    }
    Ok(file)
}

/// Where the text declares the specialization constant of this number; the start of the file where it does not say it in
/// digits.
fn constant_place(text: &GlslText, number: u32, whole: Span) -> Span {
    const QUALIFIER: &str = "constant_id";
    let is_it = |(start, _): &(usize, &str)| {
        let behind = text.text[start + QUALIFIER.len()..].trim_start().strip_prefix('=').unwrap_or("").trim_start();
        let digits = behind.find(|part: char| !part.is_ascii_digit()).unwrap_or(behind.len());
        behind[..digits].parse() == Ok(number)
    };
    let found = text.text.match_indices(QUALIFIER).find(is_it);
    found.map_or(Span { end: whole.start, ..whole }, |(start, _)| text.place(start))
}

/// The warning that a block of OpenGL may be laid out otherwise: one that names no layout is its driver's affair.
///
/// Source: OpenGL 4.6 (Core Profile), 7.6.2.1: blocks are `shared` unless they say otherwise.
fn layout_of_driver(text: &GlslText, blocks: usize, whole: Span) -> Option<Diagnostic> {
    let words = text.text.split(|part: char| !part.is_alphanumeric());
    let named = words.filter(|word| ["std140", "std430"].contains(word)).count();
    let message = "OpenGL leaves the layout of a block that says neither std140 nor std430 to the driver";
    let warning = Diagnostic::warning(Code::UncertainLayout, Span { end: whole.start, ..whole }, message);
    (named < blocks)
        .then(|| warning.with_help("shown is what glslang takes: std140 for uniform, std430 for buffer blocks"))
}

/// A module, and as whose GLSL the text was read.
struct GlslModule {
    words: Vec<u32>,
    dialect: GlslDialect,
}

/// Why there is no module.
enum NoModule {
    Refused(Vec<GlslError>),
    Broken(String),
}

/// The module of the first stage and dialect in which glslang takes the text.
///
/// # Errors
/// Of what glslang refuses, the errors of the stage and the dialect in which it came furthest.
fn module(glslang: &Compiler, text: &GlslText, path: &Path, defines: &[String]) -> Result<GlslModule, NoModule> {
    let mut furthest: Vec<GlslError> = Vec::new();

    for dialect in [GlslDialect::Vulkan, GlslDialect::OpenGl] {
        for stage in stages(path, &text.text) {
            let request = GlslRequest { text: &text.text, stage, dialect, defines };
            match ask_for_module(glslang, &request, reader_process::limited, TIME_LIMIT) {
                GlslAnswer::Module(bytes) => {
                    let words = words_of(&bytes).map_err(NoModule::Broken)?;
                    return Ok(GlslModule { words, dialect });
                }
                GlslAnswer::Broken(how) => return Err(NoModule::Broken(how)),
                GlslAnswer::Refused(errors) => {
                    if furthest.is_empty() || first_line(&errors) > first_line(&furthest) {
                        furthest = errors;
                    }
                }
            }
        }
    }

    Err(NoModule::Refused(furthest))
}

fn first_line(errors: &[GlslError]) -> Option<usize> {
    errors.first().and_then(|error| error.line)
}

/// The stages that a text may be for, by the name of its file and what it says.
fn stages(path: &Path, text: &str) -> Vec<&'static str> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    // `a.vert` and `a.vert.glsl`.
    let parts: Vec<&str> = name.split('.').skip(1).collect();
    let of_name = || STAGES.into_iter().find(|stage| parts.iter().rev().take(2).any(|part| part == stage));

    let of_pragma = text.lines().find_map(|line| {
        let stage = line.trim().strip_prefix("#pragma shader_stage(")?.strip_suffix(')')?;
        of_shaderc(stage.trim())
    });
    of_pragma.or_else(of_name).map_or_else(|| possible_stages(text), |stage| vec![stage])
}

/// The stages of which a text has the words that no shader of the stage does without.
fn possible_stages(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let has_word = |stage: &&str| {
        let words: &[&str] = match *stage {
            "comp" | "vert" | "frag" => return true,
            "geom" => &["max_vertices"],
            "tesc" => &["vertices"],
            "tese" => &["triangles", "quads", "isolines"],
            "mesh" | "task" => &["mesh"],
            _ => &["ray", "hit", "callable"],
        };
        words.iter().any(|word| text.contains(word))
    };
    STAGES.into_iter().filter(has_word).collect()
}

/// The stage that `#pragma shader_stage(NAME)` means.
///
/// Source: shaderc's README, "Shader stage specification".
fn of_shaderc(name: &str) -> Option<&'static str> {
    let long = match name {
        "vertex" => "vert",
        "fragment" => "frag",
        "compute" => "comp",
        "geometry" => "geom",
        "tesscontrol" => "tesc",
        "tesseval" => "tese",
        "raygen" => "rgen",
        "intersect" => "rint",
        "anyhit" => "rahit",
        "closesthit" => "rchit",
        "miss" => "rmiss",
        "callable" => "rcall",
        other => other,
    };
    STAGES.into_iter().find(|stage| *stage == long)
}

fn problems(text: &GlslText, errors: &[GlslError], whole: Span) -> Vec<Diagnostic> {
    let start = Span { end: whole.start, ..whole };
    let placed = errors.iter().filter_map(|error| Some((error.line?, error.message.as_str())));
    let unplaced = errors.iter().filter(|error| error.line.is_none());
    let mut problems = text.problems(placed);
    problems.extend(unplaced.map(|error| Diagnostic::error(Code::BadModule, start, error.message.clone())));
    problems
}

/// glslang's end without an answer.
fn ended(how: &str, whole: Span) -> Diagnostic {
    Diagnostic::error(Code::ReaderFailed, Span { end: whole.start, ..whole }, how)
        .with_help("layoutproof itself is unharmed; the file is more than this reader can take")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_named_by_files_and_pragmas() {
        let of = |path: &str, text: &str| stages(Path::new(path), text);
        assert_eq!(of("a.vert", ""), ["vert"]);
        assert_eq!(of("x/a.RCHIT.glsl", ""), ["rchit"]);
        assert_eq!(of("a.glsl", "#pragma shader_stage(tesscontrol)\n"), ["tesc"]);
        assert_eq!(of("vert.glsl", ""), ["comp", "vert", "frag"]);
        assert_eq!(of("a.glsl", "layout(vertices = 3) out;"), ["comp", "vert", "frag", "tesc"]);
    }
}
