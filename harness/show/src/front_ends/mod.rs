//! The input languages: turns each kind of file into declarations, which rule sets lay out, or into
//! blocks whose offsets the file fixes.
//!
//! The command and the explorer read every file through a [`FrontEnd`], which its suffix or `--lang`
//! selects; messages list the suffixes of the same rows. A front end opens no file and starts no
//! process: files come from [`DeclareOptions::files`], third-party parsers from [`InputTools`].

mod declarations;
mod glsl;
mod glsl_declarations;
mod glsl_sections;
mod modules;
mod wgsl;

use std::fmt;
use std::path::Path;

pub use glsl::glsl_code;
pub use modules::{Truncated, words_of};
pub use wgsl::wgsl_code;

use layoutproof_bindings::Declarations;
use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{LayoutOptions, ShaderCompiler, ShaderTarget, Span};
use layoutproof_readers::glslang::{GlslAnswer, GlslCheck, GlslRequest};
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::show_input::InputContent;
use crate::show_input::LaidOutFile;

/// The reader of one kind of file.
#[derive(Clone, Copy, Debug)]
pub enum FrontEnd {
    /// A language that people write.
    Text(&'static TextFrontEnd),
    /// The output of a compiler.
    Module(&'static ModuleFrontEnd),
}

/// The reader of a language that people write. `--lang` or the suffix selects it.
#[derive(Debug)]
pub struct TextFrontEnd {
    pub language: ShaderLanguage,
    reads: TextReading,
}

/// Reads the text at a place.
#[derive(Debug)]
enum TextReading {
    /// The compiler decides the offsets, so rule sets lay the declarations out.
    Declarations {
        read: fn(Span, &ReadOptions<'_>, &mut SourceMap) -> Result<Declarations, Vec<Diagnostic>>,
        /// The targets that programs in the language ship for, as rows of the table of natives: the columns of
        /// `show`, four at most.
        ships: &'static [&'static str],
    },
    /// The text fixes all offsets.
    LaidOut { read: fn(Span, &ReadOptions<'_>, &mut SourceMap) -> ReadBlocks, fixes: FixedLayout },
}

/// The layout that the texts of a language fix.
#[derive(Debug)]
pub(crate) struct FixedLayout {
    /// Its row in the table of natives, which is the one column of `show`.
    pub(crate) native: &'static str,
    pub(crate) targets: &'static [ShaderTarget],
    /// The rule sets that may give it to declarations.
    pub(crate) rules: &'static [&'static str],
}

/// The reader of a compiler's output, which fixes all offsets. Its suffix selects it, whatever
/// `--lang` says.
#[derive(Debug)]
pub struct ModuleFrontEnd {
    /// The usual suffixes, which messages list.
    suffixes: &'static [&'static str],
    rare_suffixes: &'static [&'static str],
    /// Reads the bytes of a file; problems are at the given start of the file.
    read: fn(&[u8], Span, Purpose, &dyn InputTools) -> ReadBlocks,
}

/// The blocks of a file that fixes their offsets, or its problems.
type ReadBlocks = Result<LaidOutFile, Vec<Diagnostic>>;

/// The readers of compilers' output.
const MODULES: [&ModuleFrontEnd; 3] = [&modules::SPIRV, &modules::CONTAINER, &modules::METAL];

#[derive(Clone, Debug)]
pub struct ReadOptions<'a> {
    pub layout: LayoutOptions,
    pub declare: DeclareOptions,
    /// The macros as the user writes them: `NAME` without a value is 1 in HLSL, and empty in GLSL.
    pub macros: &'a [String],
    pub purpose: Purpose,
    pub tools: &'a dyn InputTools,
}

/// The use of the declarations, which decides whether a file may lack them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Layouts of what probes read; a file without any is an error.
    Layouts,
    /// All layouts, to look at them: a block that the language forbids is one of the answers.
    Display,
    /// Layouts of many files; one that cannot have any is not compiled, so that its other errors do not show.
    Comparison,
    /// Bindings; an entry point may have inputs and outputs only.
    Bindings,
    /// Bindings in OpenGL, which refuses what only Vulkan has.
    OpenGlBindings,
    /// Reflection; a file may declare nothing at all.
    Reflection,
}

impl Purpose {
    /// True if a block that the language forbids is no reason to refuse the others.
    pub fn shows_forbidden_blocks(self) -> bool {
        match self {
            Self::Display | Self::Bindings | Self::OpenGlBindings => true,
            Self::Layouts | Self::Comparison | Self::Reflection => false,
        }
    }
}

/// The third-party programs that front ends use.
pub trait InputTools: std::fmt::Debug {
    /// Runs naga and rspirv.
    fn reader(&self) -> &dyn ModuleReader;

    /// Runs glslang.
    fn glslang(&self) -> Result<Glslang, NoGlslang>;

    /// DXC's listing of a container of DXIL.
    fn list_container(&self, container: &[u8]) -> Result<String, NoListing>;

    /// Clang's IR of a text of the Metal Shading Language, with debug information.
    fn compile_metal(&self, text: &str) -> Result<String, NoListing>;
}

/// A build of glslang.
pub struct Glslang {
    /// Answers a request.
    pub ask: Box<dyn Fn(&GlslRequest<'_>) -> GlslAnswer>,
    pub takes: Box<dyn Fn(&GlslCheck<'_>) -> bool>,
    pub version: String,
    /// The newest build here, if it is not this one.
    pub newer: Option<NewerBuild>,
}

impl fmt::Debug for Glslang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "glslang {}", self.version)
    }
}

/// A build that may take what an older one refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewerBuild {
    pub compiler: ShaderCompiler,
    /// Its name for `--compiler`.
    pub name: String,
    pub version: String,
    /// True if it cannot read users' files: Wine runs it, which exceeds their memory limit.
    pub needs_wine: bool,
}

impl fmt::Display for NewerBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compiler, name, version, needs_wine } = self;
        write!(f, "{compiler} {version} is newer")?;
        match needs_wine {
            false => write!(f, ": `--compiler {name}` lets it read the file"),
            true => write!(f, ", but Wine runs it, which exceeds the memory limit for users' files"),
        }
    }
}

/// glslang was not found. The text advises a user whose GLSL naga refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoGlslang(pub String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoListing {
    pub reason: String,
    pub help: String,
}

impl TextFrontEnd {
    pub fn of(language: ShaderLanguage) -> &'static Self {
        match language {
            ShaderLanguage::Hlsl => &declarations::HLSL,
            ShaderLanguage::Slang => &declarations::SLANG,
            ShaderLanguage::Glsl => &glsl::GLSL,
            ShaderLanguage::Wgsl => &wgsl::WGSL,
        }
    }

    /// The targets that programs in the language ship for; empty if its texts fix all offsets.
    pub(crate) fn ships(&self) -> &'static [&'static str] {
        match self.reads {
            TextReading::Declarations { ships, .. } => ships,
            TextReading::LaidOut { .. } => &[],
        }
    }

    pub(crate) fn fixes(&self) -> Option<&FixedLayout> {
        match &self.reads {
            TextReading::Declarations { .. } => None,
            TextReading::LaidOut { fixes, .. } => Some(fixes),
        }
    }

    /// The targets whose layout its texts fix.
    pub fn own_targets(&self) -> &'static [ShaderTarget] {
        self.fixes().map_or(&[], |fixes| fixes.targets)
    }

    /// Reads the text at `span`.
    ///
    /// # Errors
    /// Every problem of the text, with its place. A text without blocks is an error.
    pub fn read(
        &self,
        span: Span,
        options: &ReadOptions<'_>,
        sources: &mut SourceMap,
    ) -> Result<InputContent, Vec<Diagnostic>> {
        match self.reads {
            TextReading::Declarations { read, .. } => {
                read(span, options, sources).map(|source| InputContent::Declared(Box::new(source)))
            }
            TextReading::LaidOut { read, .. } => {
                let file = read(span, options, sources)?.with_content(options.purpose, start_of(span))?;
                Ok(InputContent::LaidOut(file))
            }
        }
    }
}

impl ModuleFrontEnd {
    /// Reads the bytes of a file that starts at `start`.
    ///
    /// # Errors
    /// The problems of the file, at its start. A module without blocks is an error.
    pub fn read(
        &self,
        bytes: &[u8],
        start: Span,
        purpose: Purpose,
        tools: &dyn InputTools,
    ) -> Result<InputContent, Vec<Diagnostic>> {
        (self.read)(bytes, start, purpose, tools)?.with_content(purpose, start).map(InputContent::LaidOut)
    }
}

impl FrontEnd {
    /// The front end for the suffix of `path` or for the named language; `None` if both name none.
    pub fn of(named: Option<ShaderLanguage>, path: &Path) -> Option<Self> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase()).unwrap_or_default();
        let has_suffix =
            |module: &&ModuleFrontEnd| module.suffixes.iter().chain(module.rare_suffixes).any(|known| *known == suffix);
        let module = MODULES.into_iter().find(has_suffix).map(Self::Module);
        module.or_else(|| ShaderLanguage::of(named, path).map(|language| Self::Text(TextFrontEnd::of(language))))
    }

    /// True if its files fix all offsets.
    pub fn fixes_offsets(self) -> bool {
        match self {
            Self::Text(TextFrontEnd { reads: TextReading::Declarations { .. }, .. }) => false,
            Self::Text(TextFrontEnd { reads: TextReading::LaidOut { .. }, .. }) | Self::Module(_) => true,
        }
    }

    /// True for texts of the Metal Shading Language.
    pub fn is_metal(self) -> bool {
        matches!(self, Self::Module(module) if std::ptr::eq(module, &raw const modules::METAL))
    }

    /// The language of the text; `None` for a compiler's output.
    pub fn language(self) -> Option<ShaderLanguage> {
        match self {
            Self::Text(text) => Some(text.language),
            Self::Module(_) => None,
        }
    }

    /// All front ends, in the order in which messages list them.
    pub fn all() -> impl Iterator<Item = Self> {
        let texts = ShaderLanguage::ALL.into_iter().map(|language| Self::Text(TextFrontEnd::of(language)));
        texts.chain(MODULES.into_iter().map(Self::Module))
    }

    /// The usual suffixes of all files, for messages: `.hlsl`, `.slang` ...
    pub fn suffixes() -> Vec<String> {
        Self::all().flat_map(Self::usual_suffixes).collect()
    }

    /// The usual suffixes of the files that fix all offsets.
    pub fn suffixes_with_offsets() -> Vec<String> {
        Self::all().filter(|front_end| front_end.fixes_offsets()).flat_map(Self::usual_suffixes).collect()
    }

    fn usual_suffixes(self) -> Vec<String> {
        let suffixes = match self {
            Self::Text(text) => &text.language.suffixes()[..1],
            Self::Module(module) => module.suffixes,
        };
        suffixes.iter().map(|suffix| format!(".{suffix}")).collect()
    }
}

/// The warning about a text with neither parameters nor entry points.
fn for_others(span: Span) -> Diagnostic {
    let message = "this declares no parameter and no entry point: it is for other files to include";
    let help = "`layoutproof show FILE --type NAME` lays out a struct of it";
    Diagnostic::warning(Code::NothingDeclared, start_of(span), message).with_help(help)
}

fn start_of(span: Span) -> Span {
    Span { end: span.start, ..span }
}
