//! Reads a user's shader files through the [front ends](layoutproof_show::front_ends).
//!
//! Third-party code parses in a separate process ([`reader_process`]); included files come from
//! [`included`]; a file that our reader refuses goes to a compiler ([`compiler_reading`]).

pub mod accesses;
pub mod compiler_reading;
mod confined;
mod glslang_builds;
pub mod included;
pub mod reader_process;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::bail;
use layoutproof_compilers::cache::{AnswerCache, CacheFolder};
use layoutproof_compilers::compiler::{Compiler, NoCompiler};
use layoutproof_compilers::user_files::{FileView, ask_for_listing, ask_for_metal, ask_for_module, glslang_takes};
use layoutproof_core::case::file::split_define;
use layoutproof_core::results::frozen::manifest::dotted_version;
use layoutproof_executor::tools::MachineTools;
use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{DECLARED, ShaderCompiler, Span};
use layoutproof_readers::glslang::{GlslAnswer, GlslCheck, GlslRequest};
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_show::InputContent;
use layoutproof_show::front_ends::{FrontEnd, Glslang, InputTools, NoGlslang, NoListing, Purpose, ReadOptions};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceFile, SourceMap};

use crate::declare::DeclareArgs;
use crate::files::{self, FileKind};
use crate::inputs::add_text;
use crate::named_compiler::NamedCompiler;
use crate::shader_file::glslang_builds::GlslangBuilds;
use crate::shader_file::included::IncludedFiles;
use crate::shader_file::reader_process::ReaderProcess;
use crate::shared_suffixes::{is_shared, language_of_file};

/// Time limit of glslang for one stage of one file, of DXC for listing a container, and of both
/// DXC and slangc for a file that our reader refuses.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A user's shader file, with the front end that reads it.
#[derive(Clone, Debug)]
pub struct ShaderFile {
    pub path: PathBuf,
    pub front_end: FrontEnd,
}

impl ShaderFile {
    /// `None` if neither `named`, the suffix nor the text of a file with a shared suffix tells a language or a kind of module.
    pub fn of(path: &Path, named: Option<ShaderLanguage>) -> Option<Self> {
        FrontEnd::of(language_of_file(named, path), path).map(|front_end| Self { path: path.to_owned(), front_end })
    }

    pub fn fixes_offsets(&self) -> bool {
        self.front_end.fixes_offsets()
    }

    /// True for the output of a compiler.
    pub fn is_module(&self) -> bool {
        matches!(self.front_end, FrontEnd::Module(_))
    }

    /// Checks that the user names no rule set except `declared` for a file that fixes its offsets.
    ///
    /// # Errors
    /// A message about the first other name.
    pub fn check_rules(&self, names: &[String]) -> anyhow::Result<()> {
        match names.iter().find(|name| *name != DECLARED) {
            Some(name) if self.fixes_offsets() => bail!(
                "{} declares its own offsets: it has them under `{DECLARED}`, not under `{name}`",
                self.path.display()
            ),
            _ => Ok(()),
        }
    }

    /// Reads the file, with a shader profile if one is named. The inner error holds the problems of
    /// its content.
    ///
    /// # Errors
    /// The file cannot be read, the folder of tools that it needs is misnamed, or a build that the user names is not
    /// here.
    pub fn read(
        &self,
        declare: &DeclareArgs,
        profile: Option<&str>,
        purpose: Purpose,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<InputContent, Vec<Diagnostic>>> {
        if let Some(rules) = ForeignRules::of(declare, self.front_end.language()) {
            let text = add_text(&self.path, sources)?;
            let message = format!("{rules}, which layoutproof does not compute for {}", self.path.display());
            let problem = Diagnostic::error(Code::CompilerLimit, Span { end: text.start, ..text }, message);
            return Ok(Err(vec![problem.with_help(rules.help())]));
        }
        let tools = CommandTools::new(declare)?;
        let content = match self.front_end {
            FrontEnd::Text(text) => {
                self.with_text(declare, profile, purpose, sources, &tools, |span, options, sources| {
                    text.read(span, options, sources)
                })?
            }
            FrontEnd::Module(module) => {
                let bytes = files::read(&self.path, FileKind::Shader)?;
                let file = sources.add(self.path.display().to_string(), "");
                module.read(&bytes, Span { file, ..Span::default() }, purpose, &tools)
            }
        };
        match tools.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(content),
        }
    }

    /// Calls `read` with the file's text and the options for it.
    ///
    /// # Errors
    /// The file cannot be read.
    fn with_text<Read>(
        &self,
        declare: &DeclareArgs,
        profile: Option<&str>,
        purpose: Purpose,
        sources: &mut SourceMap,
        tools: &CommandTools<'_>,
        read: impl FnOnce(Span, &ReadOptions<'_>, &mut SourceMap) -> Read,
    ) -> anyhow::Result<Read> {
        let options = ReadOptions {
            layout: declare.layout_options(),
            declare: DeclareOptions {
                entry: declare.entry.clone(),
                defines: declare.define.iter().map(|define| split_define(define)).collect(),
                include_paths: declare.include.clone(),
                files: Arc::new(IncludedFiles::of_shader(&self.path, &declare.include).with_texts(&declare.texts)),
                language: declare.lang.or(self.front_end.language().filter(|_| is_shared(&self.path))),
                profile: profile.map(str::to_owned),
                spirv: declare.spirv(),
                ..DeclareOptions::default()
            },
            macros: &declare.define,
            purpose,
            tools,
        };
        let name = self.path.display().to_string();
        let span = match declare.texts.get(&name) {
            Some(None) => bail!("{name}: the version to compare has no text in UTF-8"),
            Some(Some(text)) => {
                let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
                Span { file: sources.add(name, text.to_owned()), start: 0, end }
            }
            None => add_text(&self.path, sources)?,
        };
        Ok(read(span, &options, sources))
    }
}

/// A compiler that reads the language of a file as well as the compilers of that language do, and lays it out otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ForeignRules {
    /// slangc 2026.14.1: push constants have std140, arrays of scalars in them a stride of 16.
    #[error("slangc (-lang glsl -allow-glsl) lays out the blocks of GLSL by rules of its own")]
    SlangOfGlsl,
    /// glslang 16.6.0 without options: neither the offsets of DXC for D3D12 nor those for Vulkan.
    #[error("glslang's front end for HLSL (-D, -x hlsl) lays out blocks by rules of its own")]
    GlslangOfHlsl,
}

impl ForeignRules {
    /// The rules of the compiler that the user's arguments are for, or of all compilers that the user names.
    fn of(declare: &DeclareArgs, language: Option<ShaderLanguage>) -> Option<Self> {
        let is_all_slang = |named: &[NamedCompiler]| {
            !named.is_empty() && named.iter().all(|named| named.name.compiler == ShaderCompiler::Slang)
        };
        match (language?, declare.compiler) {
            (ShaderLanguage::Glsl, Some(ShaderCompiler::Slang)) => Some(Self::SlangOfGlsl),
            (ShaderLanguage::Glsl, None) if is_all_slang(&declare.compilers) => Some(Self::SlangOfGlsl),
            (ShaderLanguage::Hlsl, Some(ShaderCompiler::Glslang)) => Some(Self::GlslangOfHlsl),
            (ShaderLanguage::Glsl | ShaderLanguage::Hlsl | ShaderLanguage::Slang | ShaderLanguage::Wgsl, _) => None,
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::SlangOfGlsl => "leave out slangc for the offsets of GLSL, which glslang's code has",
            Self::GlslangOfHlsl => "leave out glslang for the offsets of DXC and slangc",
        }
    }
}

/// Third-party programs, which run in processes with the limits of a reader.
#[derive(Debug)]
struct CommandTools<'a> {
    reader: ReaderProcess,
    /// The compilers that the user names.
    compilers: &'a [NamedCompiler],
    /// Set once the user names something wrong: the folder of tools, or a build.
    failure: OnceCell<anyhow::Error>,
}

impl<'a> CommandTools<'a> {
    fn new(declare: &'a DeclareArgs) -> anyhow::Result<Self> {
        let reader = ReaderProcess::of_this_program()?;
        Ok(Self { reader, compilers: &declare.compilers, failure: OnceCell::new() })
    }

    /// The compiler of this name.
    fn find(&self, name: &str) -> Result<Compiler, NoProgram> {
        match find_compiler(name) {
            Ok(found) => Ok(found?),
            Err(error) => Err(self.misnamed(error)),
        }
    }

    fn misnamed(&self, error: anyhow::Error) -> NoProgram {
        let reason = error.to_string();
        // A second search would fail for the same reason.
        let _ = self.failure.set(error);
        NoProgram::Misnamed(reason)
    }
}

#[derive(Debug, thiserror::Error)]
enum NoProgram {
    #[error(transparent)]
    Absent(#[from] Arc<NoCompiler>),
    /// The user names the folder of tools or a build wrong, for this reason.
    #[error("{0}")]
    Misnamed(String),
}

/// The compiler of this name, or why it was not found. Each is looked for once, because it is started for its
/// version.
///
/// # Errors
/// The folder of tools is misnamed.
pub fn find_compiler(name: &str) -> anyhow::Result<Result<Compiler, Arc<NoCompiler>>> {
    static FOUND: Mutex<BTreeMap<String, Result<Compiler, Arc<NoCompiler>>>> = Mutex::new(BTreeMap::new());
    let tools = MachineTools::find()?;
    let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = found().get(name) {
        return Ok(known.clone());
    }
    // Other searches run meanwhile.
    let compiler = Compiler::named(name, tools.folder()).compiler.map_err(Arc::new);
    found().insert(name.to_owned(), compiler.clone());
    Ok(compiler)
}

/// Limits a compiler that opens a shader and its includes itself: in time, in memory and, where the system can do
/// that, to the files that the shader may include.
pub fn limited_to(path: &Path, declare: &DeclareArgs) -> impl Fn(&Command, FileView) -> io::Result<Command> {
    let mut places = IncludedFiles::of_shader(path, &declare.include).places();
    places.extend(std::path::absolute(path));
    move |command, mut view| {
        view.readable.extend(places.iter().cloned());
        reader_process::limited(command, view)
    }
}

/// A file outside of the project that the texts of a shader name, if nothing on this system keeps a compiler from
/// opening it.
pub fn outside_of(path: &Path, declare: &DeclareArgs, texts: &[SourceFile]) -> Option<String> {
    if confined::is_available() {
        return None;
    }
    confined::outside_name(&IncludedFiles::of_shader(path, &declare.include), texts.iter(), &declare.include)
}

/// Checks that the texts of a shader name no file outside of the project, in no branch and no macro: runs give them to
/// compilers that open files themselves.
///
/// # Errors
/// They name one.
pub fn inside_of_project(path: &Path, declare: &DeclareArgs, texts: &[SourceFile]) -> anyhow::Result<()> {
    let files = IncludedFiles::of_shader(path, &declare.include);
    match confined::outside_file(&files, texts.iter(), declare) {
        Some(outside) => bail!("{} {outside}", path.display()),
        None => Ok(()),
    }
}

/// The answers of glslang that are kept, also for the next command: `init` and `check` ask the same.
static ANSWERS: OnceLock<Option<AnswerCache>> = OnceLock::new();

/// Keeps no answers of glslang, and uses none.
pub fn use_no_cache() {
    let _ = ANSWERS.set(None);
}

/// `None` also if no folder can be used, which only costs time.
fn answers() -> Option<&'static AnswerCache> {
    ANSWERS.get_or_init(|| CacheFolder::of_user().ok().map(AnswerCache::new)).as_ref()
}

impl InputTools for CommandTools<'_> {
    fn reader(&self) -> &dyn ModuleReader {
        &self.reader
    }

    fn glslang(&self) -> Result<Glslang, NoGlslang> {
        let advice = |absent| NoGlslang(format!("glslang supports all of it, but {absent}"));
        let builds = GlslangBuilds::find().and_then(|found| found.chosen_by(self.compilers));
        let (glslang, newer) =
            builds.map_err(|error| advice(self.misnamed(error)))?.map_err(|absent| advice(absent.into()))?;
        let version = dotted_version(glslang.version());
        let glslang = Rc::new(glslang);
        let same = Rc::clone(&glslang);
        // A text that names a file elsewhere may be given to glslang only in confinement.
        let takes: Box<dyn Fn(&GlslCheck<'_>) -> bool> = Box::new(move |check| {
            (confined::is_available() || confined::distant_name(check.text).is_none())
                && glslang_takes(&same, check, answers(), reader_process::limited, TIME_LIMIT)
        });
        let ask: Box<dyn Fn(&GlslRequest<'_>) -> GlslAnswer> = Box::new(move |request| {
            // The text has its includes; glslang may open what it names in other branches.
            match confined::distant_name(request.text).filter(|_| !confined::is_available()) {
                Some(name) => GlslAnswer::Broken(format!(
                    "the text names {name}, and nothing on this system keeps glslang from opening that"
                )),
                None => ask_for_module(&glslang, request, answers(), reader_process::limited, TIME_LIMIT),
            }
        });
        Ok(Glslang { ask, takes, version, newer })
    }

    fn list_container(&self, container: &[u8]) -> Result<String, NoListing> {
        let dxc = self.find("dxc").map_err(|absent| NoListing {
            reason: "this container holds DXIL, which only DXC can list".to_owned(),
            help: format!("{absent}; `layoutproof setup dxc` installs one, and the variable DXC names one of your own"),
        })?;
        ask_for_listing(&dxc, container, reader_process::limited, TIME_LIMIT).map_err(|how| NoListing {
            reason: how.to_string(),
            help: format!(
                "the DXC in use is {}; the container is damaged, or needs a newer DXC, which the variable DXC can name",
                dxc.version()
            ),
        })
    }

    fn compile_metal(&self, text: &str) -> Result<String, NoListing> {
        let clang = self.find("clang-dxc").map_err(|absent| NoListing {
            reason: "Clang lays out the structs of a text for Metal".to_owned(),
            help: format!(
                "{absent}; `layoutproof setup clang` installs one, and the variable CLANG_DXC names one of your own"
            ),
        })?;
        if let Some(name) = confined::distant_name(text).filter(|_| !confined::is_available()) {
            return Err(NoListing {
                reason: format!("the text names {name}, and nothing on this system keeps Clang from opening that"),
                help: "put the text of the file into this one".to_owned(),
            });
        }
        ask_for_metal(&clang, text, reader_process::limited, TIME_LIMIT).map_err(|how| NoListing {
            reason: how.to_string(),
            help: "layoutproof's header has what translators write, and few other functions".to_owned(),
        })
    }
}
