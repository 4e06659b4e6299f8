//! The calls to the library: open, version, and compile like slangc.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::{Library, Symbol};

/// An error of the library, or of a call to it. Errors in a source do not belong here.
#[derive(Debug, thiserror::Error)]
pub enum SlangLibraryError {
    /// The library is missing, or lacks an entry point.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The path as the user gave it.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The library made no session or request.
    #[error("{call} returned nothing")]
    Nothing { call: &'static str },
    /// An argument contains a NUL, or there are more arguments than can be counted.
    #[error("arguments that no command line can hold")]
    Arguments,
}

/// A loaded `libslang-compiler` with a session, which holds the core module.
#[derive(Debug)]
pub struct SlangLibrary {
    library: Library,
    session: *mut c_void,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlangOutput {
    /// True if slangc would exit with 0.
    pub succeeded: bool,
    pub diagnostics: String,
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
    ///
    /// # Errors
    /// [`SlangLibraryError::Load`] if this machine cannot load the file as a library, or if it lacks a function.
    pub fn open(path: &Path) -> Result<Self, SlangLibraryError> {
        // SAFETY: Slang's initialisers do not depend on any state of this process.
        let library = unsafe { Library::new(path) }.map_err(|error| load_error(path, &error))?;

        let session = {
            // SAFETY: `spCreateSession` takes a string that it ignores, and returns a session.
            let create: Symbol<'_, CreateSession> =
                unsafe { library.get(b"spCreateSession") }.map_err(|error| load_error(path, &error))?;
            // SAFETY: the call accepts a null string.
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
    /// The library lacks the function.
    pub fn version(&self) -> Result<String, SlangLibraryError> {
        let version: Symbol<'_, GetBuildTag> = self.function("spGetBuildTagString")?;
        // SAFETY: the call takes no arguments.
        let text = unsafe { version() };
        // SAFETY: the text is a constant of the library, which is loaded.
        Ok(unsafe { owned(text) })
    }

    /// Compiles like `slangc ARGUMENTS` in this process's working folder.
    ///
    /// # Errors
    /// The library lacks a function, or the arguments cannot be passed.
    pub fn compile(&self, arguments: &[String]) -> Result<SlangOutput, SlangLibraryError> {
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
        // SAFETY: callers name the type of the function in Slang's header.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|error| load_error(Path::new(name), &error))
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

fn load_error(path: &Path, error: &libloading::Error) -> SlangLibraryError {
    SlangLibraryError::Load { path: path.display().to_string(), reason: error.to_string() }
}
