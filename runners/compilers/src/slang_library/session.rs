//! The calls themselves: open, ask the version, compile as slangc does.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::{Library, Symbol};

/// An error of the library, or of a call to it. Errors in a source are not among them.
#[derive(Debug, thiserror::Error)]
pub enum SlangLibraryError {
    /// No such library, or one that lacks an entry point.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The library as named.
        path: String,
        /// What the loader said.
        reason: String,
    },
    /// The library made no session or request.
    #[error("{call} answered nothing")]
    Nothing {
        /// The function.
        call: &'static str,
    },
    /// An argument with a NUL in it, or more arguments than can be counted.
    #[error("arguments that no command line can hold")]
    Arguments,
}

/// A loaded `libslang-compiler` with a session, which holds the core module.
#[derive(Debug)]
pub struct SlangLibrary {
    library: Library,
    session: *mut c_void,
}

/// The outcome of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlangOutput {
    /// True if slangc would exit with 0.
    pub succeeded: bool,
    /// Its diagnostics.
    pub diagnostics: String,
}

/// `SlangResult`: negative is failure.
type SlangResult = c_int;
type CreateSession = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type CreateRequest = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type OnRequest = unsafe extern "C" fn(*mut c_void);
type ProcessArguments = unsafe extern "C" fn(*mut c_void, *const *const c_char, c_int) -> SlangResult;
type CompileSlangRequest = unsafe extern "C" fn(*mut c_void) -> SlangResult;
type GetText = unsafe extern "C" fn(*mut c_void) -> *const c_char;
type GetBuildTag = unsafe extern "C" fn() -> *const c_char;

/// Makes a request write its files itself. It is declared in C++, so its name is the compiler's: GCC's and Clang's here,
/// which the libraries for Linux and macOS have.
const COMMAND_LINE_MODE: &str = "_Z28spSetCommandLineCompilerModePN5slang15ICompileRequestE";

impl SlangLibrary {
    /// Loads the library and its core module.
    ///
    /// # Errors
    /// [`SlangLibraryError::Load`] if this machine cannot load the file as a library, or if it lacks a function.
    pub fn open(path: &Path) -> Result<Self, SlangLibraryError> {
        // SAFETY: Slang's initialisers do not depend on anything that this process has set up.
        let library = unsafe { Library::new(path) }.map_err(|error| load_error(path, &error))?;

        let session = {
            // SAFETY: `spCreateSession` takes a string that it ignores, and returns a session.
            let create: Symbol<'_, CreateSession> =
                unsafe { library.get(b"spCreateSession") }.map_err(|error| load_error(path, &error))?;
            // SAFETY: no string is allowed.
            unsafe { create(ptr::null()) }
        };
        if session.is_null() {
            return Err(SlangLibraryError::Nothing { call: "spCreateSession" });
        }
        Ok(Self { library, session })
    }

    /// The version, as `slangc -v` prints it.
    ///
    /// # Errors
    /// If the library lacks the function.
    pub fn version(&self) -> Result<String, SlangLibraryError> {
        let version: Symbol<'_, GetBuildTag> = self.function("spGetBuildTagString")?;
        // SAFETY: it takes nothing.
        let text = unsafe { version() };
        // SAFETY: the text is a constant of the library, which is loaded.
        Ok(unsafe { owned(text) })
    }

    /// Compiles as `slangc ARGUMENTS` would in this process's folder.
    ///
    /// # Errors
    /// If the library lacks a function, or the arguments cannot be passed.
    pub fn compile(&self, arguments: &[String]) -> Result<SlangOutput, SlangLibraryError> {
        let create: Symbol<'_, CreateRequest> = self.function("spCreateCompileRequest")?;
        let destroy: Symbol<'_, OnRequest> = self.function("spDestroyCompileRequest")?;
        // SAFETY: the session lives as long as the library.
        let request = unsafe { create(self.session) };
        if request.is_null() {
            return Err(SlangLibraryError::Nothing { call: "spCreateCompileRequest" });
        }
        let said = self.ask(request, arguments);
        // SAFETY: nothing of the request is used behind this.
        unsafe { destroy(request) };
        said
    }

    fn ask(&self, request: *mut c_void, arguments: &[String]) -> Result<SlangOutput, SlangLibraryError> {
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
        Ok(SlangOutput { succeeded: compiled >= 0, diagnostics: unsafe { owned(text) } })
    }

    fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, SlangLibraryError> {
        // SAFETY: callers name the function's own type, as Slang's header declares it.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|error| load_error(Path::new(name), &error))
    }
}

/// A copy of a C string; empty for none.
///
/// # Safety
/// `text` is null or a NUL-terminated string.
unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn load_error(path: &Path, error: &libloading::Error) -> SlangLibraryError {
    SlangLibraryError::Load { path: path.display().to_string(), reason: error.to_string() }
}
