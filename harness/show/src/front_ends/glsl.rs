//! GLSL: glslang decorates each block with its offsets; naga reads a part of the language where there
//! is no glslang.
//!
//! glslang compiles the text to a SPIR-V module. It opens no other file: included text is inserted
//! here. The stage comes from the file's suffix or from `#pragma shader_stage(STAGE)`. Otherwise
//! stages are tried until glslang accepts one, beginning with those whose keywords the text
//! contains. A text that is not Vulkan's GLSL is tried as OpenGL's.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use layoutproof_frontend::IncludeSearch;
use layoutproof_frontend::glsl_text::GlslText;
use layoutproof_layout::{ShaderTarget, Span};
use layoutproof_readers::glslang::{GlslAnswer, GlslCheck, GlslDialect, GlslError, GlslRequest};
use layoutproof_readers::module_reader::{FollowedCode, glsl_blocks, spirv_blocks};
use layoutproof_readers::spirv::accesses::SourcePlace;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::shader_language::{SHORT_STAGES, STAGES, ShaderLanguage};
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::{check_text, glsl_tokens, glsl_words};

use super::glsl_declarations::declarations;
use super::glsl_sections::{BadSection, GlslSection, SectionStyle};
use super::modules::words_of;
use super::{FixedLayout, Glslang, Purpose, ReadBlocks, ReadOptions, TextFrontEnd, TextReading, start_of};
use crate::placements::DeclaredBindings;
use crate::show_input::{DriverText, LaidOutFile};

pub(super) static GLSL: TextFrontEnd = TextFrontEnd {
    language: ShaderLanguage::Glsl,
    reads: TextReading::LaidOut {
        read,
        fixes: FixedLayout {
            native: "native:glsl",
            targets: &[ShaderTarget::Vulkan, ShaderTarget::Opengl],
            rules: &["std140", "std430", "scalar"],
        },
    },
};

fn read(span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap) -> ReadBlocks {
    let advice = match options.tools.glslang() {
        Ok(glslang) => return compiled(&glslang, span, options, sources),
        Err(advice) => advice,
    };
    let explained = |problem: Diagnostic| match problem.code {
        Code::BadModule | Code::CompilerLimit => {
            problem.with_help(format!("naga parsed this, which supports a part of GLSL; {advice}"))
        }
        _ => problem,
    };
    let blocks = glsl_blocks(options.tools.reader(), &sources.file(span.file).text, span.file);
    let blocks = blocks.map_err(|problems| problems.into_iter().map(explained).collect::<Vec<_>>())?;
    Ok(LaidOutFile::new(blocks, start_of(span)))
}

/// The blocks of the module that glslang makes of the text at `span`.
///
/// # Errors
/// glslang reports errors, at their places; a file cannot be included; or the text exceeds the
/// limits.
fn compiled(glslang: &Glslang, span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap) -> ReadBlocks {
    let search = IncludeSearch { folders: &options.declare.include_paths, files: &*options.declare.files };
    let text = GlslText::read(span.file, &search, sources).map_err(|problem| vec![problem])?;
    check_text(&text.text, span.file, ShaderLanguage::Glsl).map_err(|problem| vec![text.in_files(problem)])?;

    let start = start_of(span);
    let style = SectionStyle::of(&text.text);
    if style.is_none() && !may_have_block(&text.text, options.macros, options.purpose) {
        let bindings = Some(DeclaredBindings::default());
        let file = LaidOutFile { bindings, may_lack_blocks: true, ..LaidOutFile::new(Vec::new(), start) };
        let file = file.with_content(options.purpose, start)?;
        let message = "bodies of functions are not checked: this text has no `main` and declares no parameter";
        return Ok(LaidOutFile { warnings: vec![Diagnostic::warning(Code::BodyNotChecked, start, message)], ..file });
    }

    let reading = GlslTextReading { glslang, options, start, style };
    if let Some(style) = style {
        return reading.of_sections(&text, style);
    }
    let path = sources.file(span.file).name.clone();
    let stages = GlslStages::of(Path::new(&path), &text.text);
    reading.blocks(&text, &stages)
}

/// Follows the accesses of the module that glslang makes of the text at `span`, to places in the user's files.
///
/// # Errors
/// glslang is not here or reports errors, a file cannot be included, or the text has several shaders.
pub fn glsl_code<T: FollowedCode>(
    span: Span,
    options: &ReadOptions<'_>,
    sources: &mut SourceMap,
) -> Result<T, Vec<Diagnostic>> {
    let start = start_of(span);
    let broken = |how: String| vec![Diagnostic::error(Code::ReaderFailed, start, how)];
    let glslang = options.tools.glslang().map_err(|advice| broken(format!("GLSL needs glslang: {advice}")))?;
    let search = IncludeSearch { folders: &options.declare.include_paths, files: &*options.declare.files };
    let text = GlslText::read(span.file, &search, sources).map_err(|problem| vec![problem])?;
    check_text(&text.text, span.file, ShaderLanguage::Glsl).map_err(|problem| vec![text.in_files(problem)])?;
    if SectionStyle::of(&text.text).is_some() {
        let message = "this file has several shaders, whose code is not followed";
        return Err(vec![Diagnostic::error(Code::NotFollowed, start, message)]);
    }
    let path = sources.file(span.file).name.clone();
    let stages = GlslStages::of(Path::new(&path), &text.text);
    let module =
        compile(&glslang, &readings(&text), &stages, options.macros, true).map_err(|no_module| match no_module {
            NoModule::Broken(how) => broken(how),
            NoModule::Refused { errors, .. } => refused(problems(&text, &errors, start, options.macros), &glslang, ""),
        })?;
    let entry = options.declare.entry.as_deref();
    let mut code = T::read(options.tools.reader(), module.words, entry, span.file)?;
    let lines: Vec<usize> = std::iter::once(0).chain(text.text.match_indices('\n').map(|(end, _)| end + 1)).collect();
    code.accesses().move_places(|place| {
        let line = (place.line as usize).checked_sub(module.added_lines + 1)?;
        let span = text.place(*lines.get(line)?);
        let at = sources.position(span);
        Some(SourcePlace { file: sources.file(span.file).name.clone(), line: at.line, column: place.column })
    });
    Ok(code)
}

/// How the text of a file is read.
struct GlslTextReading<'a> {
    glslang: &'a Glslang,
    options: &'a ReadOptions<'a>,
    /// The start of the file.
    start: Span,
    style: Option<SectionStyle>,
}

impl GlslTextReading<'_> {
    /// The blocks of all shaders in a text.
    fn of_sections(&self, text: &GlslText, style: SectionStyle) -> ReadBlocks {
        let sections = style.sections(&text.text).map_err(|BadSection { start, message }| {
            vec![Diagnostic::error(Code::BadModule, text.place(start), message)]
        })?;
        let mut whole = LaidOutFile::new(Vec::new(), self.start);
        for GlslSection { stage, text: section } in sections.shaders {
            let stages = GlslStages::only(stage);
            whole.merge(self.blocks(&text.with_text(section), &stages)?);
        }
        if let Some(versions) = sections.versions {
            let message = "the macros of `#[versions]` are not set: this is the shader without them";
            let warning = Diagnostic::warning(Code::UncertainLayout, text.place(versions), message);
            whole.warnings.push(warning.with_help("`-D NAME` sets the macro of a version"));
        }
        if style == SectionStyle::Sokol {
            // sokol-shdc counts the bindings of each class apart, and chooses those of each API itself.
            whole.bindings = None;
        }
        Ok(whole)
    }

    fn blocks(&self, text: &GlslText, stages: &GlslStages) -> ReadBlocks {
        let Self { glslang, options, start, style } = *self;
        let broken = |how: String| {
            let error = Diagnostic::error(Code::ReaderFailed, start, how);
            vec![error.with_help("layoutproof itself is unharmed; this reader cannot handle the file")]
        };
        let (module, refusal) = match compile(glslang, &readings(text), stages, options.macros, false) {
            Ok(module) => (module, None),
            Err(NoModule::Broken(how)) => return Err(broken(how)),
            // The conditions of a text for several stages hide each of its entry points.
            Err(NoModule::Refused { errors, .. }) if lacks_entry_point(&errors) && !text.text.ends_with(EMPTY_MAIN) => {
                return self.blocks(&text.with_text(format!("{}{EMPTY_MAIN}", text.text)), stages);
            }
            Err(NoModule::Refused { errors, in_all_forms }) => {
                let refusal = refused(problems(text, &errors, start, options.macros), glslang, "");
                let may_be_right = !in_all_forms && self.is_refused_for_spirv(text, stages, &errors);
                let declared = may_be_right.then(|| declarations(&text.text)).flatten();
                let declared = declared.map(|declared| text.with_text(declared));
                match declared.map(|declared| compile(glslang, &readings(&declared), stages, options.macros, false)) {
                    Some(Ok(module)) => (module, Some(refusal)),
                    Some(Err(NoModule::Broken(how))) => return Err(broken(how)),
                    Some(Err(NoModule::Refused { .. })) | None => return Err(refusal),
                }
            }
        };

        // Push constants, sets, separate textures: glslang writes SPIR-V of them for Vulkan alone.
        if (options.purpose, module.dialect) == (Purpose::OpenGlBindings, GlslDialect::Vulkan) {
            let readings = readings(text).into_iter().filter(|reading| reading.dialect == GlslDialect::OpenGl);
            if let Err(NoModule::Refused { errors, .. }) =
                compile(glslang, &readings.collect::<Vec<_>>(), &GlslStages::only(module.stage), options.macros, false)
            {
                return Err(refused(problems(text, &errors, start, options.macros), glslang, " for OpenGL"));
            }
        }

        let blocks = spirv_blocks(options.tools.reader(), module.words, start.file)?;
        let mut file = LaidOutFile::of_module(blocks, start, |number| constant_place(text, number, start));
        let placed = words_of_places(&text.text);
        if let Some(bindings) = &mut file.bindings {
            bindings.leave_open_in_opengl(|name, word| placed.contains(&(name, word)));
        }
        if let Some(refusal) = refusal {
            // Without a block, the errors are all that there is to say, unless OpenGL takes the shader.
            if file.blocks.is_empty() && !self.is_taken(text, stages) {
                return Err(refusal);
            }
            file.warnings.extend(refusal.into_iter().next().map(unchecked));
        }
        file.may_lack_blocks = true;
        file.without_layout = blocks_of_driver(&text.text);
        file.api = Some(match module.dialect {
            GlslDialect::Vulkan => ShaderTarget::Vulkan,
            GlslDialect::OpenGl => ShaderTarget::Opengl,
        });
        let text_for_driver = || DriverText { stage: module.stage, text: with_macros(&text.text, options.macros) };
        match module.dialect {
            // Vulkan has defaults: std140 for uniform blocks, std430 for the others (GL_KHR_vulkan_glsl).
            // It has neither `shared` nor `packed`.
            GlslDialect::Vulkan if names_vulkan(&text.text) && with_known_layouts(&text.text) == text.text => {}
            // sokol-shdc makes uniform blocks std140.
            GlslDialect::Vulkan | GlslDialect::OpenGl if style == Some(SectionStyle::Sokol) => {}
            GlslDialect::OpenGl if file.blocks.is_empty() && !options.purpose.shows_forbidden_blocks() => {
                let message = "this shader has no block, so there is no layout";
                let help = "uniforms outside of blocks have locations in OpenGL, and no offsets";
                return Err(vec![Diagnostic::error(Code::NothingDeclared, start, message).with_help(help)]);
            }
            // Vulkan demands the binding of each block, so a text without them is OpenGL's; glslang has made them up.
            GlslDialect::Vulkan | GlslDialect::OpenGl => {
                file.api = Some(ShaderTarget::Opengl);
                file.leave_to_driver(start);
                file.for_driver = Some(text_for_driver());
            }
        }
        Ok(file)
    }

    /// True if glslang takes the text when it writes no module, or if no glslang here can judge it, because none knows
    /// an extension.
    fn is_refused_for_spirv(&self, text: &GlslText, stages: &GlslStages, errors: &[GlslError]) -> bool {
        self.glslang.newer.is_none() && errors.iter().any(is_about_extension) || self.is_taken(text, stages)
    }

    /// True if glslang takes the text when it writes no module.
    fn is_taken(&self, text: &GlslText, stages: &GlslStages) -> bool {
        let text = with_macros(&text.text, self.options.macros);
        let check = |stage| GlslCheck { text: &text, stage };
        stages.likely.iter().chain(&stages.others).any(|stage| (self.glslang.takes)(&check(stage)))
    }
}

/// The text with macros after its version, which must come first.
fn with_macros(text: &str, macros: &[String]) -> String {
    let defines = macros.iter().map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        format!("#define {name} {value}\n")
    });
    let version = text.lines().position(|line| line.trim_start().starts_with("#version"));
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    let place = version.map_or(0, |line| line + 1);
    lines.splice(place..place, defines);
    lines.concat()
}

/// The place of the specialization constant with this number; `start` if the text does not
/// write the number in digits.
fn constant_place(text: &GlslText, number: u32, start: Span) -> Span {
    const QUALIFIER: &str = "constant_id";
    let is_it = |(place, _): &(usize, &str)| {
        let behind = text.text[place + QUALIFIER.len()..].trim_start().strip_prefix('=').unwrap_or("").trim_start();
        let digits = behind.find(|part: char| !part.is_ascii_digit()).unwrap_or(behind.len());
        behind[..digits].parse() == Ok(number)
    };
    let found = text.text.match_indices(QUALIFIER).find(is_it);
    found.map_or(start, |(place, _)| text.place(place))
}

/// False for a text without `main` that declares no parameter: glslang would refuse it in every
/// stage, which takes a second and a half.
fn may_have_block(text: &str, defines: &[String], purpose: Purpose) -> bool {
    let names: &[&str] = match purpose {
        Purpose::Comparison => &["uniform", "buffer", "xfb_offset"],
        Purpose::Layouts | Purpose::Display | Purpose::Bindings | Purpose::OpenGlBindings | Purpose::Reflection => {
            &["uniform", "buffer", "layout", "main"]
        }
    };
    let has_one = |text: &str| names.iter().any(|name| glsl_words(text).contains(name));
    has_one(text) || defines.iter().any(|define| has_one(define))
}

/// True for a text with a word that each block of Vulkan has.
fn names_vulkan(text: &str) -> bool {
    ["binding", "push_constant", "buffer_reference", "shaderRecord"].iter().any(|word| text.contains(word))
}

/// The blocks for which the text names no layout, by the name of their instance, or else their own: OpenGL's driver lays
/// them out. Macros count by the words of their definitions.
///
/// Source: OpenGL 4.6 (Core Profile), 7.6.2.1 and GLSL 4.60, 4.4.5: blocks are `shared` by default, a qualifier without a
/// block changes the default for the later ones, and the last of several counts.
fn blocks_of_driver(text: &str) -> Vec<String> {
    let mut macros: HashMap<&str, bool> = HashMap::new();
    let mut tokens: Vec<&str> = Vec::new();
    for token in glsl_tokens(text) {
        match token.strip_prefix('#') {
            Some(directive) => {
                let mut words = glsl_tokens(directive).skip_while(|word| *word == "define");
                let fixes = words.clone().filter_map(fixes_layout).last();
                macros.extend(words.next().zip(fixes));
            }
            None => tokens.push(token),
        }
    }

    let storages = ["uniform", "buffer"];
    let mut defaults = [false, false];
    let mut found = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(*token, ";" | "{" | "}") {
            continue;
        }
        let statement = &tokens[std::mem::replace(&mut start, at + 1)..at];
        let storage = storages.iter().position(|storage| statement.contains(storage));
        let (Some(storage), Some(last)) = (storage, statement.last()) else { continue };
        let named = statement.iter().rev().find_map(|word| fixes_layout(word).or_else(|| macros.get(word).copied()));
        match *token {
            ";" if storages.contains(last) => defaults[storage] = named.unwrap_or(defaults[storage]),
            "{" if !named.unwrap_or(defaults[storage]) => {
                let end = tokens[at..].iter().position(|token| *token == "}").map(|end| at + end + 1);
                let instance = end.and_then(|end| tokens.get(end)).filter(|name| !matches!(**name, ";" | "["));
                found.push((*instance.unwrap_or(last)).to_owned());
            }
            _ => {}
        }
    }
    found
}

/// The parameters whose declarations have `binding` or `location`, by the names of the parameters and of their blocks, each
/// with the word. Macros count by the words of their definitions.
fn words_of_places(text: &str) -> BTreeSet<(&str, &'static str)> {
    let mut macros: HashMap<&str, Vec<&'static str>> = HashMap::new();
    let place = |word: &str| ["binding", "location"].into_iter().find(|place| *place == word);
    let mut found = BTreeSet::new();
    let mut depth = 0_usize;
    let mut in_varyings = false;
    let mut statement: Vec<&str> = Vec::new();
    for token in glsl_tokens(text) {
        if let Some(directive) = token.strip_prefix('#') {
            let mut words = glsl_tokens(directive).skip_while(|word| *word == "define");
            let places = words.clone().filter_map(place).collect();
            macros.extend(words.next().map(|name| (name, places)));
            continue;
        }
        match token {
            "{" => {
                let keyword = statement.len().checked_sub(2).map(|before_name| statement[before_name]);
                in_varyings = (depth == 0 && matches!(keyword, Some("in" | "out"))) || (depth > 0 && in_varyings);
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            // The locations of the members of `in Light { layout(location = 0) vec4 color; };`.
            "location" if depth == 1 && in_varyings => statement.push(token),
            ";" if depth == 0 => {
                let words = statement.iter().flat_map(|word| match place(word) {
                    Some(place) => vec![place],
                    None => macros.get(word).cloned().unwrap_or_default(),
                });
                let places: BTreeSet<&'static str> = words.collect();
                let pairs = places.iter().flat_map(|place| statement.iter().map(move |name| (*name, *place)));
                found.extend(pairs);
                statement.clear();
            }
            _ if depth == 0 => statement.push(token),
            _ => {}
        }
    }
    found
}

/// True for a word that fixes the layout of a block, false for one that leaves it to the driver.
fn fixes_layout(word: &str) -> Option<bool> {
    match word {
        "std140" | "std430" | "scalar" => Some(true),
        "shared" | "packed" => Some(false),
        _ => None,
    }
}

/// A module, and the dialect as which glslang accepted the text.
struct GlslModule {
    words: Vec<u32>,
    dialect: GlslDialect,
    stage: &'static str,
    /// Number of lines that the module's text has before those of the file.
    added_lines: usize,
}

/// Why glslang produced no module.
enum NoModule {
    Refused {
        errors: Vec<GlslError>,
        /// True if glslang would refuse the text in all stages and dialects, with SPIR-V or without.
        in_all_forms: bool,
    },
    Broken(String),
}

/// An entry point for a text that has none.
const EMPTY_MAIN: &str = "\nvoid main() {}\n";

/// True if glslang finds nothing wrong but that.
fn lacks_entry_point(errors: &[GlslError]) -> bool {
    errors.iter().any(|error| error.message.contains("Missing entry point"))
}

/// A form in which a text is passed to glslang.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GlslReading {
    dialect: GlslDialect,
    text: String,
    /// Number of lines inserted before the first one.
    added_lines: usize,
    /// Macros in addition to the user's.
    defines: &'static [&'static str],
}

/// Functions of old GLSL that glslang omits when it writes SPIR-V, as macros for their
/// replacements.
///
/// Source: GLSL 1.20, 8.7 Texture Lookup Functions; GLSL 1.30, 8.7. glslang 12, `TBuiltIns::add2ndGenerationSamplingImaging`.
const OLD_FUNCTIONS: [&str; 12] = [
    "texture1D=texture",
    "texture2D=texture",
    "texture3D=texture",
    "textureCube=texture",
    "texture1DProj=textureProj",
    "texture2DProj=textureProj",
    "texture3DProj=textureProj",
    "texture1DLod=textureLod",
    "texture2DLod=textureLod",
    "texture3DLod=textureLod",
    "textureCubeLod=textureLod",
    "texture2DProjLod=textureProjLod",
];

/// The forms in which a text is passed to glslang, in the order of the attempts.
///
/// glslang writes SPIR-V for GLSL ES from 3.10 on, and for OpenGL's GLSL from 3.30 on. An older
/// text is passed as one of these versions, which have all of its features (3.30 with the
/// compatibility profile) and lay out blocks in the same way. A text without a version is usually
/// one that others include, and is passed as the newest version. A text without `main` gets one.
///
/// Source: glslang 12, `TParseVersions` and `TIntermediate`; OpenGL ES 3.1 and OpenGL 3.3 specifications, "Versions".
fn readings(text: &GlslText) -> Vec<GlslReading> {
    let main = if glsl_words(&text.text).contains("main") { "" } else { EMPTY_MAIN };
    let text = &text.with_text(with_known_layouts(&text.text));

    let version = text.version();
    let as_written =
        |dialect| GlslReading { dialect, text: format!("{}{main}", text.text), added_lines: 0, defines: &[] };
    let as_version = |dialect, written: &str| {
        let (text, added_lines) = match &version {
            Some((_, range)) => {
                // A directive may continue over several lines.
                let lines = "\n".repeat(text.text[range.clone()].matches('\n').count());
                let (before, behind) = (&text.text[..range.start], &text.text[range.end..]);
                (format!("{before}#version {written}{lines}{behind}{main}"), 0)
            }
            None => (format!("#version {written}\n{}{main}", text.text), 1),
        };
        let defines: &[&str] = if written.ends_with("compatibility") { &OLD_FUNCTIONS } else { &[] };
        GlslReading { dialect, text, added_lines, defines }
    };

    let (vulkan, opengl) = (GlslDialect::Vulkan, GlslDialect::OpenGl);
    match version.as_ref().map(|(version, _)| (version.number, version.profile)) {
        None => vec![as_version(vulkan, "460"), as_version(opengl, "460 compatibility")],
        Some((300, Some("es"))) => vec![as_version(opengl, "310 es")],
        Some((..140, _)) => vec![as_version(opengl, "330 compatibility")],
        Some((140..330, None | Some("core" | "compatibility"))) => {
            vec![as_written(vulkan), as_version(opengl, "330 compatibility")]
        }
        Some((number, Some("compatibility"))) => vec![as_version(opengl, &format!("{number} compatibility"))],
        Some(_) => vec![as_written(vulkan), as_written(opengl)],
    }
}

/// A text of the same length with `std140` and `std430` for the layouts that a driver chooses, `shared` and `packed`, which
/// glslang refuses for SPIR-V.
fn with_known_layouts(text: &str) -> String {
    let mut known = text.to_owned();
    for (start, _) in text.match_indices("layout") {
        let qualifiers = &text[start..];
        let (Some(open), Some(close)) = (qualifiers.find('('), qualifiers.find(')')) else { continue };
        if open > close || !qualifiers["layout".len()..open].trim().is_empty() {
            continue;
        }
        let declared = qualifiers[close..].split(['{', ';']).next().unwrap_or_default();
        let layout = if glsl_words(declared).contains("buffer") { "std430" } else { "std140" };
        for word in ["shared", "packed"] {
            let is_letter = |text: Option<char>| text.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            for (at, _) in qualifiers[open..close].match_indices(word) {
                let (first, end) = (start + open + at, start + open + at + word.len());
                // Not a part of a constant's name.
                if !is_letter(text[..first].chars().next_back()) && !is_letter(text[end..].chars().next()) {
                    known.replace_range(first..end, layout);
                }
            }
        }
    }
    known
}

/// The module of the first form and stage for which glslang accepts the text.
///
/// # Errors
/// If glslang refuses all, the errors of the attempt that got furthest.
fn compile(
    glslang: &Glslang,
    readings: &[GlslReading],
    stages: &GlslStages,
    defines: &[String],
    with_lines: bool,
) -> Result<GlslModule, NoModule> {
    let is_for_vulkan = |reading: &GlslReading| reading.dialect == GlslDialect::Vulkan;
    let is_of_vulkan =
        readings.iter().any(is_for_vulkan) && readings.iter().any(|reading| is_only_for_vulkan(&reading.text));
    let is_possible = |reading: &&GlslReading| !is_of_vulkan || is_for_vulkan(reading);
    let readings: Vec<&GlslReading> = readings.iter().filter(is_possible).collect();
    let mut furthest: Vec<GlslError> = Vec::new();
    let mut has_bad_syntax = vec![false; readings.len()];
    for stages in [&stages.likely, &stages.others] {
        for (reading, has_bad_syntax) in readings.iter().zip(&mut has_bad_syntax) {
            let own = reading.defines.iter().map(|define| (*define).to_owned());
            let defines: Vec<String> = own.chain(defines.iter().cloned()).collect();
            for stage in stages {
                if *has_bad_syntax {
                    break;
                }
                let (dialect, defines) = (reading.dialect, defines.as_slice());
                let request = GlslRequest { text: &reading.text, stage, dialect, defines, with_lines };
                match (glslang.ask)(&request) {
                    GlslAnswer::Module(bytes) => {
                        let words = words_of(&bytes).map_err(|bad| NoModule::Broken(bad.to_string()))?;
                        return Ok(GlslModule { words, dialect, stage, added_lines: reading.added_lines });
                    }
                    GlslAnswer::Broken(how) => return Err(NoModule::Broken(how)),
                    // All else is right, and no stage has one.
                    GlslAnswer::Refused(errors) if lacks_entry_point(&errors) => {
                        let errors = in_text(errors, reading.added_lines);
                        return Err(NoModule::Refused { errors, in_all_forms: false });
                    }
                    GlslAnswer::Refused(errors) => {
                        let errors = in_text(errors, reading.added_lines);
                        if is_of_the_text(&errors) && !asks_for_its_form(&reading.text) {
                            return Err(NoModule::Refused { errors, in_all_forms: true });
                        }
                        *has_bad_syntax = errors.iter().all(is_bad_syntax);
                        if furthest.is_empty() || first_line(&errors) > first_line(&furthest) {
                            furthest = errors;
                        }
                    }
                }
            }
        }
        // An attempt costs more than parsing the text, so an error that does not depend on the stage
        // ends the search.
        if !furthest.iter().any(is_about_stage) {
            break;
        }
    }

    let in_all_forms =
        has_bad_syntax.iter().all(|is_bad| *is_bad) || is_of_vulkan && !furthest.iter().any(is_about_extension);
    Err(NoModule::Refused { errors: furthest, in_all_forms })
}

/// True for a name where the grammar allows none, such as that of a missing macro for a type. It ends the text in every
/// stage, because keywords and types of GLSL depend on versions and extensions alone.
fn is_bad_syntax(error: &GlslError) -> bool {
    error.message.contains("syntax error, unexpected IDENTIFIER")
}

/// True for a name that nothing declares, such as that of a missing macro for a number, and for an `#error`, if no extension
/// could declare it. The names of GLSL's own variables and constants start with `gl_`, and a missing function has another
/// message (glslang 16.6.0).
fn is_of_the_text(errors: &[GlslError]) -> bool {
    let is_undeclared = |message: &str| message.contains("undeclared identifier") && !message.contains("'gl_");
    errors.first().is_some_and(|error| is_undeclared(&error.message) || error.message.starts_with("'#error'"))
        && !errors.iter().any(is_about_extension)
}

fn is_about_extension(error: &GlslError) -> bool {
    error.message.contains("extension not supported")
}

/// True if conditions of the text depend on the dialect, the version, the profile or the stage, in the names that glslang
/// defines.
fn asks_for_its_form(text: &str) -> bool {
    glsl_tokens(text).filter_map(|token| token.strip_prefix('#').map(str::trim_start)).any(|directive| {
        let is_of_glslang = |word: &&str| matches!(*word, "VULKAN" | "__VERSION__") || word.starts_with("GL_");
        (directive.starts_with("if") || directive.starts_with("elif"))
            && glsl_words(directive).iter().any(is_of_glslang)
    })
}

/// True if the text has what OpenGL lacks, whatever its macros are.
///
/// Source: `GL_KHR_vulkan_glsl`; glslang 16.6.0: `'push_constant' : only allowed when using GLSL for Vulkan`.
fn is_only_for_vulkan(text: &str) -> bool {
    let mut depth = 0_usize;
    glsl_tokens(text).any(|token| {
        let directive = token.strip_prefix('#').map(str::trim_start).unwrap_or_default();
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && ["push_constant", "buffer_reference"].contains(&token)
    })
}

/// The errors with line numbers of the text before `added_lines` lines were inserted.
fn in_text(errors: Vec<GlslError>, added_lines: usize) -> Vec<GlslError> {
    let moved = errors
        .into_iter()
        .map(|error| GlslError { line: error.line.map(|line| line.saturating_sub(added_lines).max(1)), ..error });
    moved.collect()
}

fn first_line(errors: &[GlslError]) -> Option<usize> {
    errors.first().and_then(|error| error.line)
}

/// True if the error may disappear in another stage.
fn is_about_stage(error: &GlslError) -> bool {
    error.message.contains("stage")
        || error.message.contains("'gl_")
        || error.message.contains("no matching overloaded")
}

#[derive(Debug, PartialEq, Eq)]
struct GlslStages {
    /// The stage of the file name or a pragma; otherwise the stages whose keywords the text
    /// contains; otherwise those that need no keyword.
    likely: Vec<&'static str>,
    /// Stages to try after an error about the stage.
    others: Vec<&'static str>,
}

/// Words that only shaders of a stage contain. A stage comes before the stages whose words its
/// shaders may contain too.
///
/// Source: GLSL 4.60, 7.1 Built-In Language Variables; `GLSL_EXT_mesh_shader`, `GLSL_EXT_ray_tracing`.
const STAGE_WORDS: [(&str, &str); 14] = [
    ("mesh", "SetMeshOutputsEXT max_primitives gl_MeshVerticesEXT gl_MeshVerticesNV gl_PrimitiveIndicesNV"),
    ("task", "EmitMeshTasksEXT gl_TaskCountNV"),
    ("rgen", "traceRayEXT traceNV rayPayloadEXT rayPayloadNV gl_LaunchIDEXT gl_LaunchIDNV"),
    ("rahit", "ignoreIntersectionEXT terminateRayEXT ignoreIntersectionNV terminateRayNV"),
    ("rchit", "hitAttributeEXT hitAttributeNV gl_HitTEXT gl_HitTNV"),
    ("rint", "reportIntersectionEXT reportIntersectionNV"),
    ("rmiss", "rayPayloadInEXT rayPayloadInNV"),
    ("rcall", "callableDataInEXT callableDataInNV"),
    ("geom", "max_vertices EmitVertex EndPrimitive gl_PrimitiveIDIn"),
    ("tese", "gl_TessCoord isolines fractional_even_spacing fractional_odd_spacing equal_spacing"),
    ("tesc", "gl_out patch"),
    (
        "comp",
        "local_size_x local_size_y local_size_z local_size_x_id gl_GlobalInvocationID gl_LocalInvocationID \
         gl_LocalInvocationIndex gl_WorkGroupID gl_NumWorkGroups",
    ),
    (
        "frag",
        "gl_FragCoord gl_FragColor gl_FragData gl_FragDepth gl_FrontFacing gl_PointCoord gl_SampleID discard \
         dFdx dFdy fwidth early_fragment_tests subpassLoad subpassInput",
    ),
    (
        "vert",
        "gl_VertexIndex gl_VertexID gl_InstanceIndex gl_InstanceID gl_BaseVertex gl_Position gl_Vertex \
         ftransform attribute",
    ),
];

impl GlslStages {
    fn only(stage: &'static str) -> Self {
        Self { likely: vec![stage], others: Vec::new() }
    }

    /// The stages for a file name and its text.
    fn of(path: &Path, text: &str) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        // `a.vert`, `a.vert.glsl` and `a.vs.glsl`.
        let long = |part| SHORT_STAGES.iter().find(|(short, _)| *short == part).map_or(part, |(_, long)| *long);
        let parts: Vec<&str> = name.split('.').skip(1).map(long).collect();
        let of_name = || STAGES.iter().copied().find(|stage| parts.iter().rev().take(2).any(|part| part == stage));

        let of_pragma = text.lines().find_map(|line| {
            let stage = line.trim().strip_prefix("#pragma shader_stage(")?.strip_suffix(')')?;
            of_shaderc(stage.trim())
        });
        match of_pragma.or_else(of_name) {
            Some(stage) => Self { likely: vec![stage], others: Vec::new() },
            None => Self::of_words(text),
        }
    }

    fn of_words(text: &str) -> Self {
        let words = glsl_words(text);
        // Conditions may hide the part of a text for mesh shaders, which need an extension.
        let has_mesh_shaders = text.contains("_mesh_shader");
        let has_word = |(stage, of_stage): &&(&str, &str)| {
            let is_allowed = has_mesh_shaders || !["mesh", "task"].contains(stage);
            is_allowed && of_stage.split(' ').any(|word| words.contains(word))
        };
        let likely: Vec<&str> = STAGE_WORDS.iter().filter(has_word).map(|(stage, _)| *stage).collect();
        let possible = possible_stages(text);
        if likely.is_empty() {
            return Self { likely: possible, others: Vec::new() };
        }
        let others = possible.into_iter().filter(|stage| !likely.contains(stage)).collect();
        Self { likely, others }
    }
}

/// The stages whose mandatory words a text contains.
fn possible_stages(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let has_word = |stage: &&str| {
        let words: &[&str] = match *stage {
            "comp" | "vert" | "frag" => return true,
            "geom" => &["max_vertices"],
            "tesc" => &["vertices"],
            "tese" => &["triangles", "quads", "isolines"],
            // Extensions, which a text must enable: names of variables have these words, too.
            "mesh" | "task" => &["_mesh_shader"],
            _ => &["_ray_tracing"],
        };
        words.iter().any(|word| text.contains(word))
    };
    STAGES.iter().copied().filter(has_word).collect()
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
    STAGES.iter().copied().find(|stage| *stage == long)
}

fn problems(text: &GlslText, errors: &[GlslError], start: Span, macros: &[String]) -> Vec<Diagnostic> {
    let placed = errors.iter().filter_map(|error| Some((error.line?, error.message.as_str())));
    let unplaced = errors.iter().filter(|error| error.line.is_none());
    let mut problems = text.problems(placed, macros);
    problems.extend(unplaced.map(|error| Diagnostic::error(Code::BadModule, start, error.message.clone())));
    problems
}

/// That the bodies of a text were not checked, which glslang refuses for this reason.
fn unchecked(reason: Diagnostic) -> Diagnostic {
    let message = format!("bodies of functions are not checked: {}", reason.message);
    let help = reason.help.clone().unwrap_or_default();
    Diagnostic { severity: Severity::Warning, code: Code::BodyNotChecked, message, ..reason }
        .with_help(format!("{help}; its blocks are declarations, which were read without the bodies"))
}

/// The problems of a text that glslang refuses; the first one names the build.
fn refused(mut problems: Vec<Diagnostic>, glslang: &Glslang, target: &str) -> Vec<Diagnostic> {
    // A missing file is no word of glslang's.
    if let Some(first) = problems.first_mut().filter(|first| first.code == Code::BadModule) {
        let refusal = format!("glslang {} refuses the file{target}", glslang.version);
        first.help = Some(match &glslang.newer {
            Some(newer) => format!("{refusal}; {newer}"),
            None => refusal,
        });
    }
    problems
}

#[cfg(test)]
mod tests {
    use layoutproof_source::sources::{ReadRefusal, Sources};

    use super::*;

    #[test]
    fn only_the_words_of_a_layout_are_replaced() {
        let text =
            "layout (row_major, shared) uniform A { vec4 a; }; layout(packed) buffer B { vec4 b; }; shared float s;";
        let known =
            "layout (row_major, std140) uniform A { vec4 a; }; layout(std430) buffer B { vec4 b; }; shared float s;";
        assert_eq!(with_known_layouts(text), known);
        let text = "layout(std140, binding = shared_slot) uniform A { vec4 a; }; layout(binding = unpacked) uniform B { vec4 b; };";
        assert_eq!(with_known_layouts(text), text);
    }

    #[test]
    fn stages_are_named_by_files_and_pragmas() {
        let of = |path: &str, text: &str| GlslStages::of(Path::new(path), text).likely;
        assert_eq!(of("a.vert", ""), ["vert"]);
        assert_eq!(of("x/a.RCHIT.glsl", ""), ["rchit"]);
        assert_eq!(of("a.glsl", "#pragma shader_stage(tesscontrol)\n"), ["tesc"]);
        assert_eq!(of("vert.glsl", ""), ["comp", "vert", "frag"]);
        assert_eq!(of("a.glsl", "layout(vertices = 3) out;"), ["comp", "vert", "frag", "tesc"]);
    }

    /// GLSL 4.60, 4.4.5: `shared` is the default, which qualifiers without a block change.
    #[test]
    fn blocks_without_a_layout_are_the_drivers() {
        let of = |text: &str| blocks_of_driver(text).join(" ");
        assert_eq!(
            of("layout(std140) uniform A { vec3 a; } x; uniform B { vec3 b; }; buffer C { float c[2]; } y[3];"),
            "B y"
        );
        assert_eq!(
            of("layout(std140, binding = 1) uniform A { vec3 a; }; layout(binding = 2) uniform B { vec3 b; };"),
            "B"
        );
        assert_eq!(of("layout(std140) uniform; uniform A { vec3 a; }; buffer B { vec3 b; };"), "B");
        assert_eq!(of("layout(std140) uniform; layout(shared) uniform A { vec3 a; };"), "A");
        assert_eq!(
            of("layout(std140, packed) uniform A { vec3 a; }; layout(packed, std140) uniform B { vec3 b; };"),
            "A"
        );
        assert_eq!(of("#define UBO(n) layout(std140, \\\n binding = n)\nUBO(1) uniform A { vec3 a; };"), "");
        assert_eq!(of("#define UBO(n) layout(binding = n)\nUBO(1) uniform A { vec3 a; };"), "A");
        assert_eq!(of("uniform mat4 m; // layout(std140) uniform A\nuniform /* std140 */ A { vec3 a; };"), "A");
        assert_eq!(of("readonly restrict layout(std430) buffer A { vec3 a; }; void f() { if (x) { y = 1; } }"), "");
    }

    #[test]
    fn extensions_make_stages_possible() {
        let possible = |text: &str| possible_stages(text).join(" ");
        assert_eq!(possible("uniform Light meshes[2]; vec3 ray; bool hit;"), "comp vert frag");
        assert_eq!(possible("#extension GL_EXT_mesh_shader : require"), "comp vert frag mesh task");
        assert!(possible("#extension GL_EXT_ray_tracing : enable").contains("rgen"));
    }

    #[test]
    fn words_of_a_stage_come_before_the_other_stages() {
        let of = |text: &str| GlslStages::of(Path::new("a.glsl"), text);
        let found = of("void main() { if (gl_FragCoord.x > 3) discard; } // gl_Position");
        assert_eq!((found.likely, found.others), (vec!["frag"], vec!["comp", "vert"]));
        assert_eq!(of("layout(local_size_x = 1) in; buffer B { vec4 a; } vertices;").likely, ["comp"]);
        assert_eq!(
            of("layout(triangles, max_vertices = 3) out; void main() { gl_Position = a; }").likely,
            ["geom", "vert"]
        );
    }

    #[derive(Debug)]
    struct NoFiles;

    impl Sources for NoFiles {
        fn read(&self, _: &str) -> Result<String, ReadRefusal> {
            Err(ReadRefusal::NotFound)
        }
    }

    fn glsl_text(text: &str) -> GlslText {
        let mut sources = SourceMap::default();
        let file = sources.add("a.frag", text);
        let search = IncludeSearch { folders: &[], files: &NoFiles };
        GlslText::read(file, &search, &mut sources).unwrap()
    }

    /// The dialects and first lines of the forms in which a text is passed to glslang.
    fn first_lines(text: &str) -> Vec<(GlslDialect, String)> {
        let text = glsl_text(text);
        let line = |reading: GlslReading| (reading.dialect, reading.text.lines().next().unwrap_or_default().to_owned());
        readings(&text).into_iter().map(line).collect()
    }

    #[test]
    fn old_versions_are_given_as_the_oldest_that_becomes_spirv() {
        let (vulkan, opengl) = (GlslDialect::Vulkan, GlslDialect::OpenGl);
        for (text, expected) in [
            ("#version 450", vec![(vulkan, "#version 450"), (opengl, "#version 450")]),
            ("#version 310 es", vec![(vulkan, "#version 310 es"), (opengl, "#version 310 es")]),
            ("# version 300 es // old", vec![(opengl, "#version 310 es")]),
            ("#version 100", vec![(opengl, "#version 330 compatibility")]),
            ("#version 120", vec![(opengl, "#version 330 compatibility")]),
            ("#version 150 core", vec![(vulkan, "#version 150 core"), (opengl, "#version 330 compatibility")]),
            ("attribute vec3 a;", vec![(vulkan, "#version 460"), (opengl, "#version 460 compatibility")]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(dialect, line)| (dialect, line.to_owned())).collect();
            assert_eq!(first_lines(text), expected, "{text}");
        }
    }

    /// The requests for a text in the stage `comp`, if each is refused with this error, and whether the answer is the same in
    /// all forms.
    fn requests(text: &str, error: &str) -> (Vec<GlslDialect>, bool) {
        let asked = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let (own, error) = (std::rc::Rc::clone(&asked), error.to_owned());
        let ask = move |request: &GlslRequest<'_>| {
            own.borrow_mut().push(request.dialect);
            GlslAnswer::Refused(vec![GlslError { line: Some(2), message: error.clone() }])
        };
        let (ask, takes) = (Box::new(ask), Box::new(|_: &GlslCheck<'_>| false));
        let glslang = Glslang { ask, takes, version: String::new(), newer: None };
        let stages = GlslStages { likely: vec!["comp"], others: Vec::new() };
        let Err(NoModule::Refused { in_all_forms, .. }) =
            compile(&glslang, &readings(&glsl_text(text)), &stages, &[], false)
        else {
            panic!("{text}")
        };
        let found = asked.borrow().clone();
        (found, in_all_forms)
    }

    /// Each request starts glslang, which takes a tenth of a second.
    #[test]
    fn an_error_that_no_form_mends_ends_the_attempts() {
        let (vulkan, opengl) = (GlslDialect::Vulkan, GlslDialect::OpenGl);
        let syntax = "'' :  syntax error, unexpected IDENTIFIER";
        let pushed = "#version 450\nlayout(push_constant) uniform P { A_TYPE a; };\nvoid main() {}\n";
        assert_eq!(requests(pushed, syntax), (vec![vulkan], true));
        assert_eq!(requests(&pushed.replace("push_constant", "binding = 0"), syntax), (vec![vulkan, opengl], true));
        let hidden = pushed.replace("layout", "#ifdef VULKAN\nlayout").replace("void", "#endif\nvoid");
        assert_eq!(requests(&hidden, syntax), (vec![vulkan, opengl], true));
        assert_eq!(requests(pushed, "'gl_VertexID' : undeclared identifier"), (vec![vulkan], true));
        assert_eq!(requests(pushed, "'#extension' : extension not supported: GL_NEW"), (vec![vulkan], false));

        let bound = "#version 450\nlayout(binding = SLOT) uniform U { vec4 a; };\nvoid main() {}\n";
        for error in ["'SLOT' : undeclared identifier", "'#error' : SLOT is not set"] {
            assert_eq!(requests(bound, error), (vec![vulkan], true), "{error}");
            let stages = format!("{bound}#ifdef GL_FRAGMENT_SHADER\n#endif\n");
            assert_eq!(requests(&stages, error), (vec![vulkan, opengl], false), "{error}");
        }
        for error in ["'gl_VertexID' : undeclared identifier", "'f' : no matching overloaded function found"] {
            assert_eq!(requests(bound, error), (vec![vulkan, opengl], false), "{error}");
        }
    }
}
