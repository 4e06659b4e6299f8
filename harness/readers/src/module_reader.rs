//! Reads untrusted modules and texts with third-party code.
//!
//! naga's front ends and rspirv's loader crash, overflow the stack or fill the memory on small
//! hostile files. Code that has such a file therefore calls a [`ModuleReader`]. The command's
//! implementation runs [`answer`] in a process with limits, and reports its death as a
//! [`ReaderFailure`]; [`InProcessReader`], for tests and for that process itself, just calls it.
//! Texts are checked first, so that most inputs that no reader survives are rejected with a place.
//!
//! Our generators' own texts do not come here: naga reads them in this process.

use std::fmt;

use layoutproof_layout::{BlockLayout, FileId, Span};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::naga::{read_glsl, read_wgsl};
use crate::naga_hlsl::hlsl_of_wgsl;
use crate::naga_offsets::{self, NagaError, WgslCode};
use crate::spirv::accesses::ModuleAccesses;
use crate::spirv::accesses::instrument::{NotExecutable, OwnModule};
use crate::spirv::{BadModule, BoundVariable, DeclaredModule};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::text_limits::check_text;

/// Most words of a SPIR-V module to read: 16 MiB.
const MOST_WORDS: usize = 1 << 22;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReadRequest {
    /// The blocks of a WGSL text as naga lays them out; `file` is for the places of diagnostics.
    WgslBlocks { text: String, file: FileId },
    /// The blocks of a GLSL text.
    GlslBlocks { text: String, file: FileId },
    /// Words in the byte order of this machine.
    SpirvBlocks { words: Vec<u32> },
    /// naga's SPIR-V for an entry point of WGSL.
    WgslCode { text: String, entry: String },
    /// naga's HLSL for an entry point of WGSL.
    WgslToHlsl { text: String, entry: String },
    /// The variables of a WGSL text that have bindings.
    WgslBindings { text: String },
    /// The accesses of a module.
    SpirvAccesses { words: Vec<u32> },
    /// naga's SPIR-V for all entry points of a WGSL text.
    WgslModule { text: String },
    /// A module that is to be executed, with a twin that logs its accesses.
    OwnModule { words: Vec<u32>, entry: Option<String> },
}

impl ReadRequest {
    /// Name of the code that reads it, for messages.
    pub fn reader_name(&self) -> &'static str {
        match self {
            Self::WgslBlocks { .. }
            | Self::WgslCode { .. }
            | Self::WgslToHlsl { .. }
            | Self::WgslBindings { .. }
            | Self::WgslModule { .. } => "naga's WGSL reader",
            Self::GlslBlocks { .. } => "naga's GLSL reader",
            Self::SpirvBlocks { .. } | Self::SpirvAccesses { .. } | Self::OwnModule { .. } => "rspirv's SPIR-V reader",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReadAnswer {
    /// For `WgslBlocks` and `GlslBlocks`: blocks in declaration order, or the errors in the text.
    TextBlocks(Result<Vec<BlockLayout>, Vec<Diagnostic>>),
    /// For `SpirvBlocks`: blocks in declaration order, or why the words are not a module.
    SpirvBlocks(Result<DeclaredModule, BadModule>),
    WgslCode(Result<WgslCode, NagaError>),
    WgslToHlsl(Result<String, NagaError>),
    /// For `WgslBindings`, in declaration order.
    WgslBindings(Result<Vec<BoundVariable>, NagaError>),
    SpirvAccesses(Result<ModuleAccesses, BadModule>),
    WgslModule(Result<Vec<u32>, NagaError>),
    OwnModule(Result<Box<OwnModule>, NotExecutable>),
}

/// Answers in this process and on this stack. A hostile file can crash the process.
pub fn answer(request: &ReadRequest) -> ReadAnswer {
    match request {
        ReadRequest::WgslBlocks { text, file } => ReadAnswer::TextBlocks(read_wgsl(text, *file)),
        ReadRequest::GlslBlocks { text, file } => ReadAnswer::TextBlocks(read_glsl(text, *file)),
        ReadRequest::SpirvBlocks { words } => ReadAnswer::SpirvBlocks(DeclaredModule::read(words)),
        ReadRequest::WgslCode { text, entry } => ReadAnswer::WgslCode(naga_offsets::wgsl_code(text, entry)),
        ReadRequest::WgslToHlsl { text, entry } => ReadAnswer::WgslToHlsl(hlsl_of_wgsl(text, entry)),
        ReadRequest::WgslBindings { text } => ReadAnswer::WgslBindings(naga_offsets::wgsl_bindings(text)),
        ReadRequest::SpirvAccesses { words } => ReadAnswer::SpirvAccesses(ModuleAccesses::read(words)),
        ReadRequest::WgslModule { text } => ReadAnswer::WgslModule(naga_offsets::wgsl_module(text)),
        ReadRequest::OwnModule { words, entry } => {
            ReadAnswer::OwnModule(OwnModule::read(words, entry.as_deref()).map(Box::new))
        }
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{reader} {end}")]
pub struct ReaderFailure {
    /// As [`ReadRequest::reader_name`].
    pub reader: &'static str,
    /// Verb phrase: `took more than 10 s`.
    pub end: String,
}

/// Answers a [`ReadRequest`].
pub trait ModuleReader: fmt::Debug + Send + Sync {
    /// Answers a request. May be called from many threads at once.
    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer, ReaderFailure>;
}

/// Answers in this process, for texts that are known to be harmless.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcessReader;

impl ModuleReader for InProcessReader {
    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer, ReaderFailure> {
        Ok(answer(request))
    }
}

/// The blocks of a WGSL text as naga lays them out, in declaration order.
///
/// # Errors
/// A limit that the text exceeds, naga's own errors at their places in `file`, or how the reader
/// ended.
pub fn naga_wgsl_blocks(
    reader: &dyn ModuleReader,
    text: &str,
    file: FileId,
) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    check_text(text, file, ShaderLanguage::Wgsl).map_err(|problem| vec![problem])?;
    text_blocks(reader, &ReadRequest::WgslBlocks { text: text.to_owned(), file }, file)
}

/// Reads the blocks of a GLSL text, in declaration order.
pub fn glsl_blocks(reader: &dyn ModuleReader, text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    check_text(text, file, ShaderLanguage::Glsl).map_err(|problem| vec![problem])?;
    text_blocks(reader, &ReadRequest::GlslBlocks { text: text.to_owned(), file }, file)
}

fn text_blocks(
    reader: &dyn ModuleReader,
    request: &ReadRequest,
    file: FileId,
) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    match reader.read(request) {
        Ok(ReadAnswer::TextBlocks(blocks)) => blocks,
        Ok(_) => Err(failed(&out_of_turn(request), file)),
        Err(failure) => Err(failed(&failure, file)),
    }
}

/// Reads the blocks of a SPIR-V module, in declaration order.
pub fn spirv_blocks(
    reader: &dyn ModuleReader,
    words: Vec<u32>,
    file: FileId,
) -> Result<DeclaredModule, Vec<Diagnostic>> {
    check_words(&words, file)?;
    let request = ReadRequest::SpirvBlocks { words };
    match reader.read(&request) {
        Ok(ReadAnswer::SpirvBlocks(blocks)) => {
            blocks.map_err(|bad| vec![Diagnostic::error(Code::BadModule, start_of(file), bad.to_string())])
        }
        Ok(_) => Err(failed(&out_of_turn(&request), file)),
        Err(failure) => Err(failed(&failure, file)),
    }
}

fn check_words(words: &[u32], file: FileId) -> Result<(), Vec<Diagnostic>> {
    if words.len() > MOST_WORDS {
        let message = format!("the module has {} words, more than {MOST_WORDS}", words.len());
        return Err(vec![Diagnostic::error(Code::LimitExceeded, start_of(file), message)]);
    }
    Ok(())
}

/// What is read of a module for `accesses` or for its execution.
pub trait FollowedCode: Sized {
    /// True if the code is executed, with a resource of its own at each binding.
    const IS_EXECUTED: bool;

    /// Reads a module. `entry` names the entry point of one that is executed, unless it has one.
    ///
    /// # Errors
    /// The words are no module, or the code cannot be followed.
    fn read(
        reader: &dyn ModuleReader,
        words: Vec<u32>,
        entry: Option<&str>,
        file: FileId,
    ) -> Result<Self, Vec<Diagnostic>>;

    /// Reads the code of a container in DXC's listing.
    ///
    /// # Errors
    /// The listing cannot be read, or the code cannot be followed.
    fn of_listing(listing: &str, file: FileId) -> Result<Self, Vec<Diagnostic>>;

    fn accesses(&mut self) -> &mut ModuleAccesses;
}

impl FollowedCode for ModuleAccesses {
    const IS_EXECUTED: bool = false;

    fn read(
        reader: &dyn ModuleReader,
        words: Vec<u32>,
        _: Option<&str>,
        file: FileId,
    ) -> Result<Self, Vec<Diagnostic>> {
        check_words(&words, file)?;
        let request = ReadRequest::SpirvAccesses { words };
        match reader.read(&request) {
            Ok(ReadAnswer::SpirvAccesses(accesses)) => accesses.map_err(|error| bad_module(file, &error)),
            Ok(_) => Err(failed(&out_of_turn(&request), file)),
            Err(failure) => Err(failed(&failure, file)),
        }
    }

    fn of_listing(listing: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        Self::of_dxil(listing).map_err(|error| bad_module(file, &error))
    }

    fn accesses(&mut self) -> &mut ModuleAccesses {
        self
    }
}

impl FollowedCode for OwnModule {
    const IS_EXECUTED: bool = true;

    fn read(
        reader: &dyn ModuleReader,
        words: Vec<u32>,
        entry: Option<&str>,
        file: FileId,
    ) -> Result<Self, Vec<Diagnostic>> {
        check_words(&words, file)?;
        let request = ReadRequest::OwnModule { words, entry: entry.map(str::to_owned) };
        match reader.read(&request) {
            Ok(ReadAnswer::OwnModule(Ok(module))) => Ok(*module),
            Ok(ReadAnswer::OwnModule(Err(NotExecutable::Bad(error)))) => Err(bad_module(file, &error)),
            Ok(ReadAnswer::OwnModule(Err(error))) => {
                let message = format!("this module is not executed: {error}");
                Err(vec![Diagnostic::error(Code::NotFollowed, start_of(file), message)])
            }
            Ok(_) => Err(failed(&out_of_turn(&request), file)),
            Err(failure) => Err(failed(&failure, file)),
        }
    }

    fn of_listing(_: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        let message = "the code of Direct3D is followed by `accesses`, and not executed";
        Err(vec![Diagnostic::error(Code::NotFollowed, start_of(file), message)])
    }

    fn accesses(&mut self) -> &mut ModuleAccesses {
        &mut self.accesses
    }
}

/// naga's SPIR-V for all entry points of a WGSL text. Its places have the empty name as their file.
pub fn wgsl_module(reader: &dyn ModuleReader, text: &str, file: FileId) -> Result<Vec<u32>, Vec<Diagnostic>> {
    check_text(text, file, ShaderLanguage::Wgsl).map_err(|problem| vec![problem])?;
    let request = ReadRequest::WgslModule { text: text.to_owned() };
    match reader.read(&request) {
        Ok(ReadAnswer::WgslModule(words)) => words.map_err(|error| bad_module(file, &error)),
        Ok(_) => Err(failed(&out_of_turn(&request), file)),
        Err(failure) => Err(failed(&failure, file)),
    }
}

fn bad_module(file: FileId, error: &dyn fmt::Display) -> Vec<Diagnostic> {
    vec![Diagnostic::error(Code::BadModule, start_of(file), error.to_string())]
}

/// naga's SPIR-V for an entry point of WGSL, with the sizes of its bound variables.
///
/// # Errors
/// The reader ended without an answer. The inner error is naga's.
pub fn wgsl_code(
    reader: &dyn ModuleReader,
    text: &str,
    entry: &str,
) -> Result<Result<WgslCode, NagaError>, ReaderFailure> {
    let request = ReadRequest::WgslCode { text: text.to_owned(), entry: entry.to_owned() };
    match reader.read(&request)? {
        ReadAnswer::WgslCode(code) => Ok(code),
        _ => Err(out_of_turn(&request)),
    }
}

/// naga's HLSL for an entry point of WGSL. Its registers are the numbers of groups and bindings.
pub fn wgsl_to_hlsl(
    reader: &dyn ModuleReader,
    text: &str,
    entry: &str,
) -> Result<Result<String, NagaError>, ReaderFailure> {
    let request = ReadRequest::WgslToHlsl { text: text.to_owned(), entry: entry.to_owned() };
    match reader.read(&request)? {
        ReadAnswer::WgslToHlsl(text) => Ok(text),
        _ => Err(out_of_turn(&request)),
    }
}

/// The variables of a WGSL text that have bindings, in declaration order.
pub fn wgsl_bindings(
    reader: &dyn ModuleReader,
    text: &str,
) -> Result<Result<Vec<BoundVariable>, NagaError>, ReaderFailure> {
    let request = ReadRequest::WgslBindings { text: text.to_owned() };
    match reader.read(&request)? {
        ReadAnswer::WgslBindings(bindings) => Ok(bindings),
        _ => Err(out_of_turn(&request)),
    }
}

fn out_of_turn(request: &ReadRequest) -> ReaderFailure {
    ReaderFailure { reader: request.reader_name(), end: "answered a different question".to_owned() }
}

fn failed(failure: &ReaderFailure, file: FileId) -> Vec<Diagnostic> {
    let diagnostic = Diagnostic::error(Code::ReaderFailed, start_of(file), failure.to_string());
    vec![diagnostic.with_help("layoutproof itself is unharmed; this reader cannot handle the file")]
}

fn start_of(file: FileId) -> Span {
    Span { file, ..Span::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the same answer to every request.
    #[derive(Debug)]
    struct Parrot(Result<ReadAnswer, ReaderFailure>);

    impl ModuleReader for Parrot {
        fn read(&self, _: &ReadRequest) -> Result<ReadAnswer, ReaderFailure> {
            self.0.clone()
        }
    }

    #[test]
    fn the_end_of_a_reader_is_a_diagnostic() {
        let failure = ReaderFailure { reader: "naga's GLSL reader", end: "took more than 10 s".to_owned() };
        let found = glsl_blocks(&Parrot(Err(failure)), "#version 450", FileId(3)).unwrap_err();
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.code, only.message.as_str()), (Code::ReaderFailed, "naga's GLSL reader took more than 10 s"));
        assert_eq!(only.span(), Span { file: FileId(3), start: 0, end: 0 });
    }

    #[test]
    fn an_answer_to_another_question_is_none() {
        let parrot = Parrot(Ok(ReadAnswer::WgslBindings(Ok(Vec::new()))));
        let end = "naga's WGSL reader answered a different question";
        assert_eq!(naga_wgsl_blocks(&parrot, "", FileId(0)).unwrap_err()[0].message, end);
        assert_eq!(wgsl_code(&parrot, "", "main").unwrap_err().to_string(), end);
        let end = "rspirv's SPIR-V reader answered a different question";
        assert_eq!(spirv_blocks(&parrot, Vec::new(), FileId(0)).unwrap_err()[0].message, end);
    }

    #[test]
    fn a_module_of_too_many_words_is_not_asked_about() {
        let found = spirv_blocks(&InProcessReader, vec![0; MOST_WORDS + 1], FileId(0)).unwrap_err();
        assert_eq!(found[0].code, Code::LimitExceeded);
        assert_eq!(found[0].message, "the module has 4194305 words, more than 4194304");
        assert_eq!(spirv_blocks(&InProcessReader, vec![0; 8], FileId(0)).unwrap_err()[0].code, Code::BadModule);
    }
}
