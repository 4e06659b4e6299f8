//! Finds the `layoutproof` program, whose hidden commands load a compiler's library in a process of their own.

use std::path::PathBuf;

/// The command of [`dxc_library`](crate::dxc_library).
pub(crate) const DXC_LIBRARY: &str = "dxc-library";

/// The command of [`slang_library`](crate::slang_library).
pub(crate) const SLANG_LIBRARY: &str = "slang-library";

/// The name of the program.
const NAME: &str = "layoutproof";

/// The running program, if that is `layoutproof`; else the `layoutproof` beside it, or, for a test in cargo's `deps`, in the
/// folder above. `None` where there is none, as for a program of others that uses this crate.
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
