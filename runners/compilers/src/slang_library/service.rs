//! Finds the library that belongs to a slangc, and starts the processes that answer for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::compiler::Compiler;
use crate::library_service::LibraryService;
use crate::own_program::{SLANG_LIBRARY, own_program};

/// The service for this slangc; `None` if its library, or our program that loads it, is missing or
/// has another version.
pub fn slang_service(slangc: &Compiler) -> Option<LibraryService> {
    let library = library_beside(slangc.program())?;
    let arguments = [SLANG_LIBRARY, "--library"].map(OsString::from).into_iter().chain([library.into_os_string()]);
    LibraryService::start(own_program()?, arguments.collect(), slangc.version())
}

/// The compiler library of a `slangc` program, from its folder or from the `lib` folder next to it.
pub fn library_beside(slangc: &Path) -> Option<PathBuf> {
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
