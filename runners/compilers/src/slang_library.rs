//! A slangc that keeps running: `layoutproof slang-library --library PATH` calls Slang's compiler
//! library with slangc's arguments.
//!
//! slangc spends nine tenths of a small compilation on loading its core module. A process of this
//! command loads it once, prints its version, then answers the requests of `slang_service`, and
//! writes the files that slangc would write. No other process may call the library, because Slang
//! crashes on some inputs.
//!
//! Source of the calls: `slang-deprecated.h` of Slang, and `main.cpp` of its slangc.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::ptr;

use libloading::{Library, Symbol};

use crate::compiler::Compiler;
use crate::programs::own_program;
use crate::service::{LibraryAnswer, LibraryService, serve};

const COMMAND: &str = "slang-library";

/// The service for this slangc; `None` if its library, or our program that loads it, is missing or
/// has another version.
pub(crate) fn slang_service(slangc: &Compiler) -> Option<LibraryService> {
    let library = library_beside(slangc.program())?;
    let arguments = vec![COMMAND.into(), "--library".into(), library.into_os_string()];
    let service = LibraryService::start(own_program()?, arguments, slangc.version())?;
    // The session that we create has no module for GLSL.
    Some(service.except("-allow-glsl"))
}

/// The compiler library of a `slangc` program, from its folder or from the `lib` folder next to it.
fn library_beside(slangc: &Path) -> Option<PathBuf> {
    let program = slangc.canonicalize().ok()?;
    let own = program.parent()?;
    let folders = [own.to_owned(), own.parent()?.join("lib")];
    folders.iter().find_map(|folder| {
        let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
        let is_library = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            ["libslang-compiler.so", "libslang-compiler.dylib"].iter().any(|start| name.starts_with(start))
        };
        entries.filter(is_library).min()
    })
}

/// The reason why the process ended before standard input did. Errors in a source do not belong
/// here.
#[derive(Debug, thiserror::Error)]
enum SlangLibraryError {
    #[error("usage: layoutproof slang-library --library PATH")]
    Usage,
    /// The library is missing, or lacks an entry point.
    #[error("cannot load {name}: {error}")]
    Load { name: String, error: libloading::Error },
    #[error("{call} returned nothing")]
    Nothing { call: &'static str },
    /// An argument contains a NUL, or there are more arguments than can be counted.
    #[error("arguments that no command line can hold")]
    Arguments,
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

/// Runs the command with these arguments: answers requests until standard input ends.
pub fn serve_requests(arguments: &[String]) -> ExitCode {
    match run(arguments.iter().cloned()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If stderr is closed, the error is lost.
            let _ = writeln!(io::stderr(), "layoutproof slang-library: error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), SlangLibraryError> {
    let (Some("--library"), Some(path)) = (arguments.next().as_deref(), arguments.next()) else {
        return Err(SlangLibraryError::Usage);
    };
    let library = SlangLibrary::open(&PathBuf::from(path))?;

    serve(&library.version()?, |arguments| library.compile(arguments))
}

/// A loaded `libslang-compiler` with a session, which holds the core module.
#[derive(Debug)]
struct SlangLibrary {
    library: Library,
    session: *mut c_void,
}

/// `SlangResult`: negative values are failures.
type SlangResult = c_int;
type CreateSession = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type CreateRequest = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type OnRequest = unsafe extern "C" fn(*mut c_void);
type ProcessArguments = unsafe extern "C" fn(*mut c_void, *const *const c_char, c_int) -> SlangResult;
type CompileSlangRequest = unsafe extern "C" fn(*mut c_void) -> SlangResult;
type GetText = unsafe extern "C" fn(*mut c_void) -> *const c_char;
type GetBuildTag = unsafe extern "C" fn() -> *const c_char;

/// Makes a request write its own files. The function is declared in C++, so this is its mangled
/// name, in the form of GCC and Clang, which the libraries for Linux and macOS use.
const COMMAND_LINE_MODE: &str = "_Z28spSetCommandLineCompilerModePN5slang15ICompileRequestE";

impl SlangLibrary {
    /// Loads the library and its core module.
    fn open(path: &Path) -> Result<Self, SlangLibraryError> {
        // SAFETY: Slang's initialisers do not depend on any state of this process.
        let library = unsafe { Library::new(path) }.map_err(|error| load_error(&path.to_string_lossy(), error))?;

        let session = {
            // SAFETY: `spCreateSession` takes a string that it ignores, and returns a session.
            let create: Symbol<'_, CreateSession> =
                unsafe { library.get(b"spCreateSession") }.map_err(|error| load_error("spCreateSession", error))?;
            // SAFETY: the call accepts a null string.
            unsafe { create(ptr::null()) }
        };
        if session.is_null() {
            return Err(SlangLibraryError::Nothing { call: "spCreateSession" });
        }
        Ok(Self { library, session })
    }

    /// The version, as `slangc -v` prints it.
    fn version(&self) -> Result<String, SlangLibraryError> {
        let version: Symbol<'_, GetBuildTag> = self.function("spGetBuildTagString")?;
        // SAFETY: the call takes no arguments.
        let text = unsafe { version() };
        // SAFETY: the text is a constant of the library, which is loaded.
        Ok(unsafe { owned(text) })
    }

    /// Compiles like `slangc ARGUMENTS` in this process's working folder.
    fn compile(&self, arguments: &[String]) -> Result<LibraryAnswer, SlangLibraryError> {
        let create: Symbol<'_, CreateRequest> = self.function("spCreateCompileRequest")?;
        let destroy: Symbol<'_, OnRequest> = self.function("spDestroyCompileRequest")?;
        // SAFETY: the session lives as long as the library.
        let request = unsafe { create(self.session) };
        if request.is_null() {
            return Err(SlangLibraryError::Nothing { call: "spCreateCompileRequest" });
        }
        let said = self.ask(request, arguments);
        // SAFETY: the request is not used after this call.
        unsafe { destroy(request) };
        said
    }

    fn ask(&self, request: *mut c_void, arguments: &[String]) -> Result<LibraryAnswer, SlangLibraryError> {
        let texts: Result<Vec<CString>, _> = arguments.iter().map(|text| CString::new(text.as_str())).collect();
        let texts = texts.map_err(|_| SlangLibraryError::Arguments)?;
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| SlangLibraryError::Arguments)?;

        let command_line: Symbol<'_, OnRequest> = self.function(COMMAND_LINE_MODE)?;
        let process: Symbol<'_, ProcessArguments> = self.function("spProcessCommandLineArguments")?;
        let compile: Symbol<'_, CompileSlangRequest> = self.function("spCompile")?;
        let diagnostics: Symbol<'_, GetText> = self.function("spGetDiagnosticOutput")?;

        // SAFETY: the request is live.
        unsafe { command_line(request) };
        // SAFETY: request and texts are live, and `count` counts `pointers`.
        let read = unsafe { process(request, pointers.as_ptr(), count) };
        // SAFETY: the request is live, and took its arguments.
        let compiled = if read < 0 { read } else { unsafe { compile(request) } };

        // SAFETY: the request is live.
        let text = unsafe { diagnostics(request) };
        // SAFETY: the text belongs to the request, which is live.
        Ok(LibraryAnswer { status: i32::from(compiled < 0), stdout: String::new(), stderr: unsafe { owned(text) } })
    }

    fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, SlangLibraryError> {
        // SAFETY: callers name the type of the function in Slang's header.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|error| load_error(name, error))
    }
}

/// A copy of a C string; empty for null.
///
/// # Safety
/// `text` is null or a NUL-terminated string.
unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees it.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn load_error(name: &str, error: libloading::Error) -> SlangLibraryError {
    SlangLibraryError::Load { name: name.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named() {
        let message = |line: &str| run(line.split_whitespace().map(str::to_owned)).unwrap_err().to_string();
        assert_eq!(message(""), "usage: layoutproof slang-library --library PATH");
        assert!(message("--library no/such.so").starts_with("cannot load no/such.so: "));
    }
}
