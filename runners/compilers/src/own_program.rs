//! Finds the programs of this project that load a compiler's library in a process of their own.

use std::path::PathBuf;

/// The program of this name beside the running one, or, for a test in cargo's `deps`, in the folder above.
pub(crate) fn own_program(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    let beside = this.parent()?;
    let is_of_test = beside.file_name().is_some_and(|folder| folder == "deps");
    let above = beside.parent().filter(|_| is_of_test);
    [Some(beside), above].into_iter().flatten().map(|folder| folder.join(&name)).find(|path| path.is_file())
}
