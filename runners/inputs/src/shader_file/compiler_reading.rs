//! Asks compilers for the blocks of an HLSL or Slang file that our own reader refuses.
//!
//! Our reader evaluates only a part of the languages: a length such as `Max<1, 4>.value` or
//! `sizeof(float4)` needs a compiler. Each column is the answer of its own compiler:
//!
//! - slangc's reflection has the offsets without the declarations' places and, where the size does not
//!   tell, without the order of matrices. It ignores what `UNREFLECTED` lists, which slangc's code
//!   honours.
//! - DXC's listing for D3D12 has the blocks that the code uses, so a function that reads the others is
//!   added. Their names come from its SPIR-V, which has every block as long as nothing optimises it.
//!
//! A file stays refused if the compiler of the first column refuses it for every target, or if we refuse it because it has no
//! sound layout. Columns of a compiler that is not installed are left out; if no compiler is
//! installed, the problems say so. GLSL needs none of this: its reader is glslang.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;
use layoutproof_compilers::compiler::{Compiler, NoCompiler};
use layoutproof_compilers::user_files::{DxcOutput, FileView, NoReflection, ask_dxc, ask_for_reflection};
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_device::words_of;
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{
    BlockKind, BlockLayout, Count, FileId, LaidOut, LaidOutShape, MatrixOrder, ShaderCompiler, ShaderTarget,
};
use layoutproof_readers::ReadError;
use layoutproof_readers::container::{ContainerError, listed_blocks};
use layoutproof_readers::module_reader::spirv_blocks;
use layoutproof_readers::reflection::{ReflectedPlaces, reflected_blocks, reflected_places};
use layoutproof_readers::spirv::as_hlsl;
use layoutproof_readers::toolchain::{AppliedRules, Toolchain, toolchains};
use layoutproof_show::front_ends::NewerBuild;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use thiserror::Error;

use super::reader_process::ReaderProcess;
use super::{TIME_LIMIT, find_compiler, limited_to, outside_of};
use crate::compiler_builds::{CompilerBuilds, program_of};
use crate::declare::DeclareArgs;
use crate::refused_input::first_problem;
use crate::shared_suffixes::language_of_file;

/// Words of declarations that slangc 2026.14.1 lays out in its code and not in its reflection:
/// `[[vk::offset(64)]]`, `StructuredBuffer<T, Std140DataLayout>`.
const UNREFLECTED: [&str; 2] = ["vk::offset", "DataLayout"];

/// Problems of constructs that our reader does not follow. Others, such as a vector across two registers, are
/// facts about the declarations, and a compiler that lays them out all the same has not noticed. Problems of the
/// preprocessor are not among them: a compiler would open the included file that we refuse to read.
const NOT_FOLLOWED: [Code; 8] = [
    Code::UnexpectedToken,
    Code::UnknownType,
    Code::UnknownConstant,
    Code::NotConstant,
    Code::BadConstant,
    Code::Redefinition,
    Code::GenericArguments,
    Code::Unsupported,
];

/// The library profile needs no choice of an entry point. Shader model 6.9 has long vectors.
fn library(dxc: &Compiler) -> [&'static str; 2] {
    let has_6_9 = version_order(&dotted_version(dxc.version())) >= vec![1, 9];
    ["-T", if has_6_9 { "lib_6_9" } else { "lib_6_6" }]
}

/// True for the languages of which compilers read what our reader refuses.
pub fn is_read_by_compilers(language: Option<ShaderLanguage>) -> bool {
    matches!(language, Some(ShaderLanguage::Hlsl | ShaderLanguage::Slang))
}

/// A file that our reader refuses.
#[derive(Clone, Copy, Debug)]
pub struct RefusedFile<'a> {
    pub path: &'a Path,
    pub declare: &'a DeclareArgs,
    pub profile: Option<&'a str>,
    /// The reasons.
    pub problems: &'a [Diagnostic],
    pub sources: &'a SourceMap,
    /// The index of its first text in `sources`.
    pub first_file: usize,
}

/// A file as compilers read it.
#[derive(Debug)]
pub struct CompilerReading {
    /// The columns with an answer, in the order of the request.
    pub columns: Vec<CompilersColumn>,
    /// Sentences about columns without an answer.
    pub left_out: Vec<String>,
    /// The compilers with their versions.
    pub compilers: String,
    /// A sentence that names them and the reason to ask them, and others about what they omit.
    pub notes: Vec<String>,
}

/// The blocks of a column, as its compiler describes them.
#[derive(Debug)]
pub struct CompilersColumn {
    pub native: &'static Native,
    /// The compiler's version.
    pub version: String,
    pub blocks: Vec<BlockLayout>,
    /// `None` for a compiler whose bindings are not read here.
    pub reflection: Option<Reflection>,
}

/// What slangc's reflection has beside blocks.
#[derive(Debug)]
pub struct Reflection {
    pub places: ReflectedPlaces,
    /// As slangc writes it.
    pub json: String,
}

impl CompilerReading {
    /// Asks the compiler of each column; `columns` are names of rule sets. The inner error holds the problems
    /// of the file, with what keeps compilers from reading it: there is no answer if the compiler of the first
    /// column refuses the file for every target, and for an unsound layout, another language or standard input.
    ///
    /// # Errors
    /// The folder of tools is misnamed, or the file has no absolute path.
    pub fn of<'a>(
        file: RefusedFile<'_>,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<Result<Self, Vec<Diagnostic>>> {
        if !file.may_be_read() {
            return Ok(Err(file.problems.to_vec()));
        }
        let word = file.path.display();
        let mut missing: Option<NoAnswer> = None;
        let mut refused: Option<(Option<ShaderCompiler>, NoAnswer)> = None;
        let mut read = Self { columns: Vec::new(), left_out: Vec::new(), compilers: String::new(), notes: Vec::new() };
        for name in columns {
            let title = find_native(name).map_or(name.to_owned(), |native| native.column.to_string());
            let compiler = find_native(name).and_then(|native| native.column.compiler);
            // What DXC refuses for one target, such as `vk::` for D3D12, it may take for the other.
            if refused.as_ref().is_some_and(|(by, _)| *by != compiler) && read.columns.is_empty() {
                break;
            }
            match file.column(name) {
                Ok((column, unlisted)) => {
                    read.columns.push(column);
                    let lack = match unlisted {
                        Some(names) if names.is_empty() => None,
                        Some(names) => Some(format!("is without {}", names.join(", "))),
                        None => Some("may be without blocks".to_owned()),
                    };
                    if let Some(lack) = lack {
                        read.notes.push(format!(
                            "{word}: {title} {lack}, because dxc lists only blocks that a function uses"
                        ));
                    }
                }
                Err(NoAnswer::Failed(error)) => return Err(error),
                Err(reason) if reason.is_refusal() && read.columns.is_empty() => {
                    let is_last = reason.is_for_every_target();
                    read.left_out.push(format!("{word}: {title} is left out: {reason}"));
                    refused.get_or_insert((compiler, reason));
                    if is_last {
                        break;
                    }
                }
                Err(reason) if reason.is_not_asked() && read.columns.is_empty() && missing.is_none() => {
                    return Ok(Err(file.problems_with(&format!("no compiler can read it instead: {reason}"))));
                }
                Err(reason) => {
                    read.left_out.push(format!("{word}: {title} is left out: {reason}"));
                    missing.get_or_insert(reason);
                }
            }
        }
        if read.columns.is_empty() {
            return Ok(Err(match refused.map(|(_, reason)| reason).or(missing) {
                Some(reason) if reason.is_refusal() => file.problems_with(&reason.to_string()),
                Some(reason) => file.problems_with(&format!("a compiler may read the file, but {reason}")),
                None => file.problems.to_vec(),
            }));
        }

        let mut compilers: Vec<String> = Vec::new();
        for column in &read.columns {
            let compiler = column.compiler();
            if !compilers.contains(&compiler) {
                compilers.push(compiler);
            }
        }
        let reason = first_problem(&word.to_string(), file.problems, file.sources).text;
        read.compilers = compilers.join(" and ");
        let first = format!("{word} is read by {}, because layoutproof refuses it: {reason}", read.compilers);
        read.notes.insert(0, first);
        let of_dxc = read.columns.iter().filter(|column| column.native.column.compiler == Some(ShaderCompiler::Dxc));
        let mut roots = of_dxc.flat_map(|column| &column.blocks).filter_map(|block| block.result.as_ref().ok());
        if file.declare.sixteen_bit.is_none() && roots.any(has_sixteen_bits) {
            read.notes
                .push(format!("{word}: `half` takes 2 bytes, as with -enable-16bit-types; --16bit off gives it 4"));
        }
        Ok(Ok(read))
    }
}

impl CompilersColumn {
    /// The compiler with its version.
    pub fn compiler(&self) -> String {
        let compiler = self.native.column.compiler.map_or(String::new(), |compiler| compiler.to_string());
        format!("{compiler} {}", self.version)
    }
}

/// Why a column has no answer.
#[derive(Debug, Error)]
enum NoAnswer {
    #[error("a compiler's answer is about its own layouts, not about a rule set")]
    RuleSet,
    #[error("only dxc and slangc describe blocks")]
    OtherCompiler,
    #[error("the options of {0} for it are not known")]
    UnknownOptions(ShaderCompiler),
    #[error("it names {0}, outside of the project, and nothing on this system keeps a compiler from opening that")]
    NotConfined(String),
    #[error("{reason}; `layoutproof setup {compiler}` installs one")]
    Absent { compiler: ShaderCompiler, reason: Arc<NoCompiler> },
    #[error("slangc's reflection ignores `{0}`, and its code does not")]
    Unreflected(&'static str),
    #[error("its reflection is not read for this target")]
    OtherTarget,
    #[error(transparent)]
    NoReflection(#[from] NoReflection),
    #[error(transparent)]
    BadReflection(#[from] ReadError),
    /// That DXC refuses the file, in a sentence.
    #[error("{0}")]
    Refused(String),
    #[error("{0} is a program for Windows, and Wine exceeds the memory limit for users' files")]
    NeedsWine(String),
    #[error("{refusal}; {newer}")]
    RefusedByOlder { refusal: Box<Self>, newer: NewerBuild },
    #[error("{0}")]
    BadModule(String),
    #[error(transparent)]
    BadListing(#[from] ContainerError),
    /// The whole reading fails: the file has no path, or the user names something wrong.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

impl NoAnswer {
    /// True if no compiler can answer for the column.
    fn is_not_asked(&self) -> bool {
        matches!(
            self,
            Self::RuleSet | Self::OtherCompiler | Self::UnknownOptions(_) | Self::NotConfined(_) | Self::NeedsWine(_)
        )
    }

    /// True if the compiler refuses the file, or its answer cannot be used.
    fn is_refusal(&self) -> bool {
        !self.is_not_asked() && !matches!(self, Self::Absent { .. } | Self::Failed(_))
    }

    /// True if the compiler's answer for another target would be the same refusal.
    fn is_for_every_target(&self) -> bool {
        match self {
            Self::NoReflection(reason) => reason.is_for_every_target(),
            Self::RefusedByOlder { refusal, .. } => refusal.is_for_every_target(),
            _ => false,
        }
    }
}

/// The blocks of a column, and the names of those that its compiler does not list, `None` if they are not
/// known.
type Listed<Blocks> = (Blocks, Option<Vec<String>>);

impl RefusedFile<'_> {
    /// True if a compiler may describe the file although our reader refuses it.
    pub fn may_be_read(&self) -> bool {
        let mut errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let is_unsound = errors.any(|problem| !NOT_FOLLOWED.contains(&problem.code));
        let has_compilers = is_read_by_compilers(self.language());
        // Compilers take their whole time limit for a file of zeros.
        let is_binary = self.sources.files().get(self.first_file).is_some_and(|own| own.text.contains('\0'));
        // Compilers open files themselves, so they cannot read texts in place of those.
        let is_file = self.path.is_file() && self.declare.texts.is_empty();
        !is_unsound && !is_binary && has_compilers && is_file
    }

    /// The problems, the first error with advice on compilers.
    pub fn problems_with(&self, advice: &str) -> Vec<Diagnostic> {
        let mut problems = self.problems.to_vec();
        if let Some(first) = problems.iter_mut().find(|problem| problem.severity == Severity::Error) {
            first.help = Some(first.help.take().map_or(advice.to_owned(), |help| format!("{help}\n{advice}")));
        }
        problems
    }

    fn language(&self) -> Option<ShaderLanguage> {
        language_of_file(self.declare.lang, self.path)
    }

    fn column(&self, name: &str) -> Result<Listed<CompilersColumn>, NoAnswer> {
        let native = find_native(name).ok_or(NoAnswer::RuleSet)?;
        let is_followed =
            |toolchain: &&Toolchain| matches!(toolchain.follows, AppliedRules::Native(own) if own == name);
        let toolchain = toolchains().iter().find(is_followed);
        let Some(compiler @ (ShaderCompiler::Dxc | ShaderCompiler::Slang)) = native.column.compiler else {
            return Err(NoAnswer::OtherCompiler);
        };
        // slangc's code for Metal is not run, so that it has no toolchain.
        if toolchain.is_none() && native.column.variant.is_some() {
            return Err(NoAnswer::UnknownOptions(compiler));
        }
        let files = self.sources.files().get(self.first_file..).unwrap_or_default();
        if let Some(name) = outside_of(self.path, self.declare, files) {
            return Err(NoAnswer::NotConfined(name));
        }
        let flags = toolchain.map_or(&[][..], |toolchain| toolchain.flags);
        let program = toolchain.map_or(compiler.as_str(), |toolchain| toolchain.compiler);
        let named = self.declare.compilers.iter().find(|named| named.name.compiler == compiler);
        let found = match named.and_then(|named| named.file.as_ref()) {
            Some(build) => Compiler::of_file(compiler.as_str(), build)
                .with_context(|| format!("compiler `{compiler}={}`", build.display()))?,
            None => {
                // Several builds share the rule sets of a column.
                let program = named.map(program_of).transpose()?.flatten().unwrap_or(program);
                find_compiler(program)?.map_err(|reason| NoAnswer::Absent { compiler, reason })?
            }
        };
        if found.needs_wine() {
            return Err(NoAnswer::NeedsWine(found.title()));
        }
        let answer = self.answer(native, flags, &found);
        match answer {
            Err(refusal @ (NoAnswer::Refused(_) | NoAnswer::NoReflection(_))) if named.is_none() => {
                let newer = CompilerBuilds::find(compiler)?.newer_than(&dotted_version(found.version()));
                Err(match newer {
                    Some(newer) => NoAnswer::RefusedByOlder { refusal: Box::new(refusal), newer },
                    None => refusal,
                })
            }
            answer => answer,
        }
    }

    /// What this build says about a column.
    fn answer(
        &self,
        native: &'static Native,
        flags: &[&str],
        found: &Compiler,
    ) -> Result<Listed<CompilersColumn>, NoAnswer> {
        let version = dotted_version(found.version());
        let column = |blocks, reflection| CompilersColumn { native, version, blocks, reflection };
        match (native.column.compiler, native.column.target) {
            (Some(ShaderCompiler::Slang), target) => {
                let (blocks, reflection) = self.reflected(found, target, flags)?;
                Ok((column(blocks, Some(reflection)), Some(Vec::new())))
            }
            (_, ShaderTarget::Vulkan) => Ok((column(self.decorated(found, flags)?, None), Some(Vec::new()))),
            _ => {
                let (blocks, unlisted) = self.listed(found)?;
                Ok((column(blocks, None), unlisted))
            }
        }
    }

    /// The blocks in slangc's reflection, and what else it has.
    fn reflected(
        &self,
        slangc: &Compiler,
        target: ShaderTarget,
        flags: &[&str],
    ) -> Result<(Vec<BlockLayout>, Reflection), NoAnswer> {
        let files = self.sources.files().iter().skip(self.first_file);
        let found = UNREFLECTED.iter().find(|word| files.clone().any(|file| file.text.contains(**word)));
        if let Some(word) = found {
            return Err(NoAnswer::Unreflected(word));
        }
        let code = match target {
            ShaderTarget::D3d12 => "hlsl",
            ShaderTarget::Vulkan => "spirv",
            ShaderTarget::Webgpu => "wgsl",
            ShaderTarget::Metal => "metal",
            ShaderTarget::Opengl | ShaderTarget::Cuda | ShaderTarget::Cpu => {
                return Err(NoAnswer::OtherTarget);
            }
        };
        let order = self.declare.layout_options().matrix;
        let order_option = match order {
            MatrixOrder::Row => "-matrix-layout-row-major",
            MatrixOrder::Column => "-matrix-layout-column-major",
        };
        let mut arguments: Vec<String> = std::iter::once(&order_option).chain(flags).map(ToString::to_string).collect();
        if self.declare.msvc_bit_fields {
            arguments.push("-msvc-style-bitfield-packing".to_owned());
        }
        arguments.extend(self.search_arguments()?);
        if let (Some(profile), "hlsl") = (self.profile, code) {
            arguments.extend(["-profile".to_owned(), profile.to_owned()]);
        }
        if self.language() == Some(ShaderLanguage::Hlsl) {
            arguments.extend(["-lang", "hlsl"].map(str::to_owned));
        }
        arguments.push(absolute(self.path)?);
        let json = ask_for_reflection(slangc, code, &arguments, self.limited(), TIME_LIMIT)?;
        let blocks = reflected_blocks(&json, order)?;
        Ok((blocks, Reflection { places: reflected_places(&json, target)?, json }))
    }

    /// The blocks in DXC's SPIR-V.
    fn decorated(&self, dxc: &Compiler, flags: &[&str]) -> Result<Vec<BlockLayout>, NoAnswer> {
        let bytes = self.compiled(dxc, DxcOutput::Module, flags)?;
        let module = spirv_blocks(&ReaderProcess::of_this_program()?, words_of(&bytes), FileId::default());
        let first = |problems: Vec<Diagnostic>| problems.first().map_or(String::new(), |first| first.message.clone());
        let module = module.map_err(|problems| NoAnswer::BadModule(first(problems)))?;
        Ok(module.blocks.into_iter().filter_map(|block| as_hlsl(block.layout)).collect())
    }

    /// DXC's output for the file, with the first profile that it accepts.
    fn compiled(&self, dxc: &Compiler, output: DxcOutput, flags: &[&str]) -> Result<Vec<u8>, NoAnswer> {
        let named = self.profile.zip(self.declare.entry.as_deref());
        let named = named.map(|(profile, entry)| vec!["-T", profile, "-E", entry]);
        let library = library(dxc);
        let plain = Some(library.to_vec());
        let profiles = match output {
            DxcOutput::Module | DxcOutput::Code => [plain, named, None],
            // Every function is an entry of the library, which DXC refuses if one takes a resource.
            DxcOutput::Listing => [Some([&library[..], &["-default-linkage", "external"]].concat()), named, plain],
        };
        let mut refused = String::new();
        for profile in profiles.into_iter().flatten() {
            let mut arguments = self.dxc_arguments(&[&profile[..], flags].concat())?;
            arguments.push(absolute(self.path)?);
            match ask_dxc(dxc, output, None, &arguments, self.limited(), TIME_LIMIT) {
                Ok(made) => return Ok(made),
                Err(refusal) if refused.is_empty() => refused = refusal.reason,
                Err(_) => {}
            }
        }
        Err(NoAnswer::Refused(refused))
    }

    /// The blocks in DXC's listing, and the names of those that it leaves out, if DXC makes SPIR-V of the
    /// file.
    fn listed(&self, dxc: &Compiler) -> Result<Listed<Vec<BlockLayout>>, NoAnswer> {
        let all = match self.decorated(dxc, &[]) {
            Err(NoAnswer::Failed(error)) => return Err(NoAnswer::Failed(error)),
            answer => answer.ok(),
        };
        let listing = match self.listing_with_reads(dxc, all.as_deref().unwrap_or_default())? {
            Some(listing) => listing,
            None => self.compiled(dxc, DxcOutput::Listing, &[])?,
        };
        let blocks = listed_blocks(&String::from_utf8_lossy(&listing))?;
        let unlisted = all.map(|all| unlisted(&all, &blocks));
        Ok((blocks, unlisted))
    }

    /// The listing of the file with a function that reads all blocks. Without those that the text of
    /// [`reads_of`] cannot read, such as blocks in a namespace. `None` if DXC refuses the file.
    fn listing_with_reads(&self, dxc: &Compiler, all: &[BlockLayout]) -> anyhow::Result<Option<Vec<u8>>> {
        if all.is_empty() {
            return Ok(None);
        }
        let text = format!("#include \"{}\"\n{}", absolute(self.path)?, reads_of(all));
        let arguments = self.dxc_arguments(&library(dxc))?;
        let ask = |text: &str| ask_dxc(dxc, DxcOutput::Listing, Some(text), &arguments, self.limited(), TIME_LIMIT);
        let listing = ask(&text).or_else(|refusal| {
            let lines = text.lines().enumerate();
            let readable = lines.filter(|(index, _)| !refusal.lines.contains(&(index + 1)));
            let readable: Vec<&str> = readable.map(|(_, line)| line).collect();
            if refusal.lines.is_empty() { Err(refusal) } else { ask(&readable.join("\n")) }
        });
        Ok(listing.ok())
    }

    fn dxc_arguments(&self, profile: &[&str]) -> anyhow::Result<Vec<String>> {
        let options = self.declare.layout_options();
        let order = match options.matrix {
            MatrixOrder::Row => "-Zpr",
            MatrixOrder::Column => "-Zpc",
        };
        let mut arguments: Vec<String> = profile.iter().map(ToString::to_string).collect();
        // Invalid code has a layout too.
        arguments.extend(["-HV", "2021", "-Vd", order].map(str::to_owned));
        if options.sixteen_bit == SixteenBit::On {
            arguments.push("-enable-16bit-types".to_owned());
        }
        arguments.extend(self.search_arguments()?);
        Ok(arguments)
    }

    /// Limits a compiler to what the file may include.
    fn limited(&self) -> impl Fn(&Command, FileView) -> io::Result<Command> {
        limited_to(self.path, self.declare)
    }

    /// Macros and folders.
    fn search_arguments(&self) -> anyhow::Result<Vec<String>> {
        let mut arguments: Vec<String> = self.declare.define.iter().map(|define| format!("-D{define}")).collect();
        for folder in &self.declare.include {
            arguments.extend(["-I".to_owned(), absolute(Path::new(folder))?]);
        }
        Ok(arguments)
    }
}

fn has_sixteen_bits(ty: &LaidOut) -> bool {
    match &ty.shape {
        LaidOutShape::Scalar(component)
        | LaidOutShape::Vector { component, .. }
        | LaidOutShape::Matrix { component, .. } => component.size == 2,
        LaidOutShape::Array { element, .. } => has_sixteen_bits(element),
        LaidOutShape::Struct(members) => members.iter().any(|member| has_sixteen_bits(&member.layout)),
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => false,
    }
}

/// The names of the blocks that a listing leaves out. Push constants are plain globals for D3D12.
fn unlisted(all: &[BlockLayout], listed: &[BlockLayout]) -> Vec<String> {
    let is_listed = |own: &BlockLayout| listed.iter().any(|block| block.name == own.name);
    let unlisted = all.iter().filter(|own| own.kind != BlockKind::PushConstant && !is_listed(own));
    unlisted.map(|own| format!("`{}`", own.name)).collect()
}

/// HLSL that reads something of each block, so that DXC lists it.
fn reads_of(blocks: &[BlockLayout]) -> String {
    let mut lines = vec!["RWByteAddressBuffer layoutproof_output;\nexport void layoutproof_reads()\n{".to_owned()];
    for block in blocks {
        let Ok(root) = &block.result else { continue };
        let element = if block.count == Count::Finite(1) { "" } else { "[0]" };
        let start = match block.kind {
            BlockKind::Cbuffer | BlockKind::Tbuffer | BlockKind::Globals => String::new(),
            BlockKind::StructuredElement => format!("{}{element}[0]", block.name),
            _ => format!("{}{element}", block.name),
        };
        let path = format!("{start}{}", first_leaf(root));
        lines.push(format!("    layoutproof_output.Store(0, {});", path.trim_start_matches('.')));
    }
    lines.push("}\n".to_owned());
    lines.join("\n")
}

/// The path of the first scalar, vector or matrix of a type.
fn first_leaf(ty: &LaidOut) -> String {
    match &ty.shape {
        LaidOutShape::Array { element, .. } => format!("[0]{}", first_leaf(element)),
        LaidOutShape::Struct(members) => {
            members.first().map_or(String::new(), |first| format!(".{}{}", first.name, first_leaf(&first.layout)))
        }
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => String::new(),
    }
}

/// The path for a compiler in another folder.
fn absolute(path: &Path) -> anyhow::Result<String> {
    let path = std::path::absolute(path).with_context(|| format!("finding {}", path.display()))?;
    Ok(path.display().to_string())
}
