//! Follows the accesses of a user's shader: of a SPIR-V module as it is, of a text through the compiler that programs
//! use for its language.
//!
//! GLSL goes through glslang, WGSL through naga, HLSL through DXC or slangc and Slang through slangc, with debug
//! information, so that places are those of the text. What a compiler leaves out is not followed.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use layoutproof_bindings::request::layout_flag;
use layoutproof_compilers::compiler::{Compiler, NoCompiler};
use layoutproof_compilers::user_files::{DxcOutput, ask_dxc, ask_slangc};
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{Argument, MatrixOrder, ShaderCompiler, Span};
use layoutproof_readers::container::ContainerReflection;
use layoutproof_readers::module_reader::FollowedCode;
use layoutproof_readers::spirv::accesses::SourcePlace;
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_show::InputContent;
use layoutproof_show::front_ends::{FrontEnd, InputTools as _, Purpose, ReadOptions, glsl_code, wgsl_code, words_of};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceFile, SourceMap};

use super::compiler_reading::RefusedFile;
use super::{CommandTools, ForeignRules, ShaderFile, TIME_LIMIT, find_compiler, limited_to, outside_of};
use crate::compile_args::CompileArguments;
use crate::compiler_builds::program_of;
use crate::declare::DeclareArgs;
use crate::files::{self, FileKind};

/// A module of a file.
#[derive(Debug)]
pub struct FollowedModule<T> {
    pub code: T,
    /// The compiler that made it, with its version; `None` for a file that is a module.
    pub compiler: Option<String>,
}

/// The compilers whose code is followed for a file; the first is the usual one. A file that is a module needs none.
pub fn compilers_for_code(front_end: FrontEnd) -> &'static [ShaderCompiler] {
    match front_end.language() {
        Some(ShaderLanguage::Hlsl) => &[ShaderCompiler::Dxc, ShaderCompiler::Slang],
        Some(ShaderLanguage::Slang) => &[ShaderCompiler::Slang],
        Some(ShaderLanguage::Glsl) => &[ShaderCompiler::Glslang],
        Some(ShaderLanguage::Wgsl) => &[ShaderCompiler::Naga],
        None => &[],
    }
}

/// The first DXC that may make SPIR-V of descriptor heaps. DXC 1.7.2308 dies of them, DXC 1.9.2602 compiles them.
const FIRST_WITH_HEAPS: &str = "1.8";

/// The first name of a descriptor heap in the texts of a shader, of which this file is the first. Only its place may be
/// that of code which does not run.
fn named_heap(files: &[SourceFile], first_file: usize) -> Option<Span> {
    for (number, file) in (first_file..).zip(files) {
        let names = ["ResourceDescriptorHeap", "SamplerDescriptorHeap"];
        let mut found = names.iter().flat_map(|name| file.text.match_indices(name));
        let is_code = |(at, _): &(usize, &str)| {
            let line = file.text[..*at].rfind('\n').map_or(0, |end| end + 1);
            !file.text[line..*at].contains("//")
        };
        if let Some((at, name)) = found.find(is_code) {
            let file = layoutproof_layout::FileId(u32::try_from(number).ok()?);
            let start = u32::try_from(at).ok()?;
            return Some(Span { file, start, end: start + u32::try_from(name.len()).ok()? });
        }
    }
    None
}

/// The profiles of DXC for a function whose stage is not known. One that takes fewer inputs comes first.
const STAGES: [&str; 7] = ["cs", "ps", "vs", "gs", "hs", "ds", "ms"];

/// The last shader model of which DXC 1.7 makes SPIR-V.
const MODEL: &str = "6_6";

impl ShaderFile {
    /// Follows the accesses of the file's modules. The inner error holds the problems of its content.
    ///
    /// # Errors
    /// The file cannot be read, or the folder of tools is misnamed.
    pub fn follow<T: FollowedCode>(
        &self,
        declare: &DeclareArgs,
        arguments: &CompileArguments,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<Vec<FollowedModule<T>>, Vec<Diagnostic>>> {
        let tools = CommandTools::new(declare)?;
        let entry = declare.entry.as_deref();
        let whole = |code, compiler| vec![FollowedModule { code, compiler }];
        let followed = match self.front_end.language() {
            None => self.of_module(&tools, entry, sources)?.map(|code| whole(code, None)),
            Some(ShaderLanguage::Wgsl) => {
                let read =
                    |span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap| wgsl_code(span, options, sources);
                let code = self.with_text(declare, None, Purpose::Reflection, sources, &tools, read)?;
                code.map(|code| whole(code, Some(format!("naga {NAGA_VERSION}"))))
            }
            Some(ShaderLanguage::Glsl) => {
                let read = |span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap| match ForeignRules::of(
                    declare,
                    Some(ShaderLanguage::Glsl),
                ) {
                    Some(rules) => {
                        let message = format!("{rules}, which layoutproof does not follow");
                        Err(vec![Diagnostic::error(Code::NotFollowed, Span { end: span.start, ..span }, message)])
                    }
                    None => glsl_code(span, options, sources),
                };
                let code = self.with_text(declare, None, Purpose::Reflection, sources, &tools, read)?;
                let version = tools.glslang().map(|glslang| format!("glslang {}", glslang.version)).ok();
                code.map(|code| whole(code, version))
            }
            Some(ShaderLanguage::Hlsl | ShaderLanguage::Slang) => {
                self.of_declarations(declare, arguments, &tools, sources)?
            }
        };
        match tools.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(followed),
        }
    }

    /// The compiler of the file: the first that the user names and that compiles the language, or the
    /// usual one.
    fn compiler(&self, declare: &DeclareArgs) -> anyhow::Result<(ShaderCompiler, Result<Compiler, Arc<NoCompiler>>)> {
        let known = compilers_for_code(self.front_end);
        let named = declare.compilers.iter().find(|named| known.contains(&named.name.compiler));
        let compiler = named.map_or(known[0], |named| named.name.compiler);
        let found = match named.and_then(|named| named.file.as_ref()) {
            Some(build) => Ok(Compiler::of_file(compiler.as_str(), build)
                .with_context(|| format!("compiler `{compiler}={}`", build.display()))?),
            None => {
                let program = named.map(program_of).transpose()?.flatten().unwrap_or(compiler.as_str());
                find_compiler(program)?
            }
        };
        Ok((compiler, found))
    }

    fn of_module<T: FollowedCode>(
        &self,
        tools: &CommandTools<'_>,
        entry: Option<&str>,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<T, Vec<Diagnostic>>> {
        let bytes = files::read(&self.path, FileKind::Shader)?;
        let file = sources.add(self.path.display().to_string(), "");
        let start = Span { file, ..Span::default() };
        if bytes.starts_with(b"DXBC") {
            return Ok(of_container(&bytes, start, tools));
        }
        Ok(match words_of(&bytes) {
            Ok(words) => T::read(tools.reader(), words, entry, file),
            Err(bad) => Err(vec![Diagnostic::error(Code::BadModule, start, bad.to_string())]),
        })
    }

    /// Follows the modules that DXC or slangc makes of the file.
    fn of_declarations<T: FollowedCode>(
        &self,
        declare: &DeclareArgs,
        arguments: &CompileArguments,
        tools: &CommandTools<'_>,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<Vec<FollowedModule<T>>, Vec<Diagnostic>>> {
        let first_file = sources.files().len();
        let profile = arguments.profile.as_deref();
        let read = self.read(declare, profile, Purpose::Reflection, sources)?;
        let entries = match read {
            Ok(InputContent::Declared(source)) => entries(&source.module.entry_points),
            Ok(InputContent::LaidOut(_)) => Vec::new(),
            Err(problems) => {
                let path = &self.path;
                let file = RefusedFile { path, declare, profile, problems: &problems, sources, first_file };
                if !file.may_be_read() {
                    return Ok(Err(problems));
                }
                Vec::new()
            }
        };
        let start = Span { file: layoutproof_layout::FileId(u32::try_from(first_file)?), ..Span::default() };
        let refused = |reason: String, help: &str| {
            vec![Diagnostic::error(Code::CompilerLimit, start, reason).with_help(help.to_owned())]
        };
        let (compiler, found) = self.compiler(declare)?;
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                return Ok(Err(refused(reason.to_string(), &format!("`layoutproof setup {compiler}` installs one"))));
            }
        };
        let is_slang = compiler == ShaderCompiler::Slang;
        let version = format!("{} {}", compiler.title(), dotted_version(found.version()));
        let files = sources.files().get(first_file..).unwrap_or_default();
        if let Some(name) = outside_of(&self.path, declare, files) {
            let reason =
                format!("it names {name}, outside of the project, and nothing on this system keeps a compiler from it");
            return Ok(Err(refused(reason, "copy the file into the project")));
        }
        let is_early = !is_slang && version_order(&dotted_version(found.version())) < version_order(FIRST_WITH_HEAPS);
        let heap = is_early.then(|| named_heap(files, first_file)).flatten();
        let request = CompileForCode {
            path: &self.path,
            declare,
            arguments,
            compiler: &found,
            is_executed: T::IS_EXECUTED,
            heap,
        };
        let modules = if is_slang { request.by_slangc(&entries) } else { request.by_dxc(&entries) };
        let modules = match modules? {
            Ok(modules) => modules,
            Err(Refusal::Heap(span)) => {
                let reason = format!(
                    "{version} makes no SPIR-V of descriptor heaps, and layoutproof {} its SPIR-V",
                    if T::IS_EXECUTED { "executes" } else { "follows" },
                );
                let help = if T::IS_EXECUTED {
                    "DXC 1.9 makes it; `accesses` follows the `.dxil` that DXC makes without -spirv"
                } else {
                    "give the `.dxil` that DXC makes without -spirv, whose accesses are followed, or a DXC 1.9"
                };
                return Ok(Err(vec![Diagnostic::error(Code::CompilerLimit, span, reason).with_help(help.to_owned())]));
            }
            Err(Refusal::Words(reason)) => {
                let problem = Diagnostic::error(Code::CompilerLimit, start, reason);
                let help = "`--args` names the profile and the entry point as the build does: \"-T ps_6_6 -E main\"";
                let problem = if arguments.profile.is_none() { problem.with_help(help.to_owned()) } else { problem };
                return Ok(Err(vec![problem]));
            }
        };
        let mut followed = Vec::new();
        for bytes in modules {
            let words = match words_of(&bytes) {
                Ok(words) => words,
                Err(bad) => return Ok(Err(refused(bad.to_string(), "the compiler is broken"))),
            };
            // slangc names the entry point `main`.
            let entry = declare.entry.as_deref().filter(|_| !is_slang);
            match T::read(tools.reader(), words, entry, start.file) {
                Ok(mut code) => {
                    let own = std::path::absolute(&self.path).unwrap_or_default();
                    code.accesses().move_places(|place| Some(as_named(place, &own, &self.path)));
                    followed.push(FollowedModule { code, compiler: Some(version.clone()) });
                }
                Err(problems) => return Ok(Err(problems)),
            }
        }
        Ok(Ok(followed))
    }
}

/// The code of a container: DXIL, in the listing of DXC.
fn of_container<T: FollowedCode>(bytes: &[u8], start: Span, tools: &CommandTools<'_>) -> Result<T, Vec<Diagnostic>> {
    let refused = |code, message: String, help: String| vec![Diagnostic::error(code, start, message).with_help(help)];
    match ContainerReflection::find(bytes) {
        Ok(ContainerReflection::Dxil) => {
            let listing = tools
                .list_container(bytes)
                .map_err(|absent| refused(Code::ReaderFailed, absent.reason, absent.help))?;
            T::of_listing(&listing, start.file)
        }
        Ok(ContainerReflection::Rdef(_)) => {
            let message = "the code of FXC's containers is not followed";
            Err(refused(Code::NotFollowed, message.to_owned(), "pass the source: its SPIR-V is followed".to_owned()))
        }
        Err(error) => Err(vec![Diagnostic::error(Code::BadModule, start, error.to_string())]),
    }
}

/// The place with the file as the user names it.
fn as_named(place: &SourcePlace, absolute: &Path, named: &Path) -> SourcePlace {
    let file = if Path::new(&place.file) == absolute { named.display().to_string() } else { place.file.clone() };
    SourcePlace { file, ..place.clone() }
}

/// An entry point, and whether an attribute gives its stage; else it is a compute shader.
#[derive(Debug)]
struct Entry {
    name: String,
    has_stage: bool,
}

fn entries(all: &[layoutproof_frontend::module::EntryPoint]) -> Vec<Entry> {
    let entry = |entry: &layoutproof_frontend::module::EntryPoint| {
        let stage = entry.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
        let has_stage = matches!(stage, Some(Argument::Text(_)));
        let is_compute = entry.annotations.attribute(None, "numthreads").is_some();
        (has_stage || is_compute).then(|| Entry { name: entry.name.clone(), has_stage })
    };
    all.iter().filter_map(entry).collect()
}

/// How a compiler refused a file.
enum Refusal {
    /// As a sentence.
    Words(String),
    /// The compiler is known to die of a descriptor heap, which the text names here.
    Heap(Span),
}

type Modules = Result<Vec<Vec<u8>>, Refusal>;

/// A compilation of a user's file.
struct CompileForCode<'a> {
    path: &'a Path,
    declare: &'a DeclareArgs,
    arguments: &'a CompileArguments,
    compiler: &'a Compiler,
    /// See [`FollowedCode::IS_EXECUTED`].
    is_executed: bool,
    /// The first name of a descriptor heap, if the compiler dies of code that uses one.
    heap: Option<Span>,
}

impl CompileForCode<'_> {
    fn by_dxc(&self, entries: &[Entry]) -> anyhow::Result<Modules> {
        let named = self.declare.entry.as_deref();
        let chosen = |entry: &&Entry| named.is_none_or(|named| entry.name == named);
        let own: Vec<&Entry> = entries.iter().filter(chosen).collect();
        let compute = own.iter().filter(|entry| !entry.has_stage);
        let wanted: Vec<(String, Option<&str>)> = match &self.arguments.profile {
            Some(profile) if profile.starts_with("lib") => vec![(profile.clone(), None)],
            Some(profile) => vec![(profile.clone(), Some(named.unwrap_or("main")))],
            // A library has all functions that name their stage.
            None if own.iter().any(|entry| entry.has_stage) => vec![(format!("lib_{MODEL}"), None)],
            None => compute.map(|entry| (format!("cs_{MODEL}"), Some(entry.name.as_str()))).collect(),
        };
        if !wanted.is_empty() {
            return wanted.into_iter().map(|(profile, entry)| self.dxc(&profile, entry)).collect::<anyhow::Result<_>>();
        }
        let mut refused = None;
        for stage in STAGES {
            match self.dxc(&format!("{stage}_{MODEL}"), Some(named.unwrap_or("main")))? {
                Ok(module) => return Ok(Ok(vec![module])),
                Err(Refusal::Heap(span)) => return Ok(Err(Refusal::Heap(span))),
                Err(reason) => refused = refused.or(Some(reason)),
            }
        }
        Ok(Err(refused.unwrap_or_else(|| Refusal::Words(String::new()))))
    }

    fn dxc(&self, profile: &str, entry: Option<&str>) -> anyhow::Result<Result<Vec<u8>, Refusal>> {
        let options = self.declare.layout_options();
        let order = match options.matrix {
            MatrixOrder::Row => "-Zpr",
            MatrixOrder::Column => "-Zpc",
        };
        let mut arguments: Vec<String> = ["-T", profile, "-HV", "2021", order].map(str::to_owned).to_vec();
        if let Some(entry) = entry {
            arguments.extend(["-E".to_owned(), entry.to_owned()]);
        }
        if options.sixteen_bit == SixteenBit::On {
            arguments.push("-enable-16bit-types".to_owned());
        }
        if let Some(span) = self.heap
            && self.reaches_heap(&arguments)?
        {
            return Ok(Err(Refusal::Heap(span)));
        }
        if self.is_executed && self.arguments.binding_options.is_empty() {
            // DXC gives `b0`, `t0`, `s0` and `u0` one binding, at which Vulkan has one resource.
            let shifts = ["-fvk-t-shift 10000 all", "-fvk-s-shift 20000 all", "-fvk-u-shift 30000 all"];
            arguments.extend(shifts.iter().flat_map(|shift| shift.split(' ')).map(str::to_owned));
        }
        self.add_layout(&mut arguments);
        self.add_file(&mut arguments)?;
        let made =
            ask_dxc(self.compiler, DxcOutput::Code, None, &arguments, limited_to(self.path, self.declare), TIME_LIMIT);
        Ok(made.map_err(|refusal| Refusal::Words(refusal.reason)))
    }

    /// True if the code uses a descriptor heap, in the DXIL that DXC makes of it. Code that does not run may name one.
    fn reaches_heap(&self, arguments: &[String]) -> anyhow::Result<bool> {
        let mut arguments = arguments.to_vec();
        self.add_file(&mut arguments)?;
        let limited = limited_to(self.path, self.declare);
        let listing = ask_dxc(self.compiler, DxcOutput::Listing, None, &arguments, limited, TIME_LIMIT);
        Ok(listing.is_ok_and(|listing| String::from_utf8_lossy(&listing).contains("@dx.op.createHandleFromHeap")))
    }

    fn by_slangc(&self, entries: &[Entry]) -> anyhow::Result<Modules> {
        let order = match self.declare.layout_options().matrix {
            MatrixOrder::Row => "-matrix-layout-row-major",
            MatrixOrder::Column => "-matrix-layout-column-major",
        };
        let mut arguments = vec![order.to_owned()];
        arguments.extend(self.arguments.profile.iter().flat_map(|profile| ["-profile".to_owned(), profile.clone()]));
        let mut entry = |name: &str| arguments.extend(["-entry".to_owned(), name.to_owned()]);
        match &self.declare.entry {
            Some(named) => entry(named),
            None if entries.iter().any(|entry| entry.has_stage) => {}
            None => {
                if let Some(first) = entries.first() {
                    entry(&first.name);
                    arguments.extend(["-stage", "compute"].map(str::to_owned));
                }
            }
        }
        self.add_layout(&mut arguments);
        self.add_file(&mut arguments)?;
        let made = ask_slangc(self.compiler, &arguments, limited_to(self.path, self.declare), TIME_LIMIT);
        Ok(made.map(|module| vec![module]).map_err(Refusal::Words))
    }

    /// Adds options of the layout and of bindings.
    fn add_layout(&self, arguments: &mut Vec<String>) {
        arguments.extend(self.arguments.layout.map(|layout| layout_flag(layout).to_owned()));
        let bindings = self.arguments.binding_options.iter().flat_map(|option| option.split_whitespace());
        arguments.extend(bindings.map(str::to_owned));
    }

    /// Adds macros, folders and the file.
    fn add_file(&self, arguments: &mut Vec<String>) -> anyhow::Result<()> {
        arguments.extend(self.declare.define.iter().map(|define| format!("-D{define}")));
        for folder in &self.declare.include {
            arguments.extend(["-I".to_owned(), absolute(Path::new(folder))?]);
        }
        arguments.push(absolute(self.path)?);
        Ok(())
    }
}

/// The path for a compiler in another folder.
fn absolute(path: &Path) -> anyhow::Result<String> {
    let path = std::path::absolute(path).with_context(|| format!("finding {}", path.display()))?;
    Ok(path.display().to_string())
}
