//! Reads GLSL, which naga parses.

use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{BlockLayout, LayoutOptions};
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_show::InputContent;
use layoutproof_show::front_ends::{Glslang, InputTools, NoGlslang, NoListing, Purpose, ReadOptions, TextFrontEnd};

use crate::Shader;
use crate::read::{BlockError, opened, unread};

/// The blocks of GLSL, with the offsets that their qualifiers give.
pub(crate) fn blocks(shader: Shader<'_>) -> Result<Vec<BlockLayout>, BlockError> {
    let mut text = shader.text.to_owned();
    define(&mut text, shader.defines);
    let (mut sources, span) = opened(shader.language, text);
    let options = ReadOptions {
        layout: LayoutOptions::default(),
        declare: DeclareOptions::default(),
        macros: &[],
        purpose: Purpose::Layouts,
        tools: &NoTools,
    };
    let read = TextFrontEnd::of(shader.language).read(span, &options, &mut sources);
    match read.map_err(|problems| unread(&problems, &sources))? {
        InputContent::LaidOut(file) => Ok(file.blocks),
        InputContent::Declared(_) => unreachable!("GLSL fixes all offsets"),
    }
}

/// Defines macros after the line with `#version`, which must be the first directive.
fn define(text: &mut String, defines: &[(&str, &str)]) {
    let lines: Vec<String> = defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let defines = lines.concat();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        start += line.len();
        if line.trim_start().starts_with("#version") {
            text.insert_str(start, &defines);
            return;
        }
    }
    text.insert_str(0, &defines);
}

/// No tools besides those that are linked into the test.
#[derive(Clone, Copy, Debug)]
struct NoTools;

impl InputTools for NoTools {
    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }

    fn glslang(&self) -> Result<Glslang, NoGlslang> {
        Err(NoGlslang("`layoutproof check` uses glslang, which supports all of it".to_owned()))
    }

    fn list_container(&self, _container: &[u8]) -> Result<String, NoListing> {
        Err(NoListing { reason: "a test reads texts only".to_owned(), help: "use `layoutproof check`".to_owned() })
    }

    fn compile_metal(&self, _text: &str) -> Result<String, NoListing> {
        Err(NoListing { reason: "a test starts no Clang".to_owned(), help: "use `layoutproof show`".to_owned() })
    }
}
