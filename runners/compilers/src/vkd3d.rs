//! The vkd3d that `ci/setup.sh` fetched: the libraries that implement Direct3D 12 on Vulkan, with
//! the C library that they need.
//!
//! They are newer than the system's C library, so a program that loads them must be started through
//! their own loader. Then `/proc/self/exe` is that loader, and the program cannot find its own
//! path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools_folder::{ToolsFolder, Untrusted};

const FOLDER: &str = "tools/vkd3d";

/// The loader, relative to `FOLDER`.
const LOADER: &str = "lib/ld-linux-x86-64.so.2";

/// A file with the versions of the packages, relative to `FOLDER`.
const VERSIONS: &str = "versions";

/// The library folders of common systems, which another system's loader does not search.
const SYSTEM: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedVkd3d {
    folder: PathBuf,
    /// A sentence for the user if another user owns it.
    pub warning: Option<String>,
}

impl FetchedVkd3d {
    /// Finds the vkd3d in the tools folder, if there is one for this system.
    ///
    /// # Errors
    /// Other users can change it, so it is not loaded.
    pub fn find(tools: &ToolsFolder) -> Result<Option<Self>, Untrusted> {
        let folder = tools.path().join(FOLDER);
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) || !folder.join(LOADER).is_file() {
            return Ok(None);
        }
        let warning = tools.inspect(FOLDER)?;
        Ok(Some(Self { folder, warning }))
    }

    /// The command that starts `program` so that it can load these libraries.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.folder.join(LOADER));
        command.arg("--library-path").arg(self.library_path()).arg(program);
        command
    }

    /// The packages with their versions, one per line; empty without the file that lists them.
    pub fn versions(&self) -> String {
        std::fs::read_to_string(self.folder.join(VERSIONS)).unwrap_or_default()
    }

    /// These libraries, then those that the user names, then the system's.
    fn library_path(&self) -> OsString {
        let mut path = self.folder.join("lib").into_os_string();
        let named = std::env::var_os("LD_LIBRARY_PATH").filter(|named| !named.is_empty());
        for folder in named.into_iter().chain(SYSTEM.map(OsString::from)) {
            path.push(":");
            path.push(folder);
        }
        path
    }
}
