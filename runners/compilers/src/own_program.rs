//! Finds the `layoutproof` program, whose hidden commands load a compiler's library in a separate
//! process.

use std::path::PathBuf;

const NAME: &str = "layoutproof";

/// The running program if it is `layoutproof`; else the `layoutproof` in the same folder, or for a
/// test in cargo's `deps` the one in the folder above. `None` if there is none, for example when
/// another program uses this crate.
pub(crate) fn own_program() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let beside = this.parent()?;
    let is_of_test = beside.file_name().is_some_and(|folder| folder == "deps");
    if !is_of_test && this.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with(NAME)) {
        return Some(this);
    }

    let folder = if is_of_test { beside.parent()? } else { beside };
    Some(folder.join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX))).filter(|path| path.is_file())
}
