//! Libraries and programs of a newer Debian that `ci/setup.sh` unpacked into folders of their own,
//! with the C library that they need.
//!
//! That C library is newer than the system's, so a program that uses such a folder must be started
//! through the loader in it. Then `/proc/self/exe` is that loader, and the program cannot find its
//! own path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools_folder::{ToolsFolder, Untrusted};

/// The libraries, relative to the folder.
pub(crate) const LIBRARIES: &str = "lib";

/// The loader, relative to the folder.
pub(crate) const LOADER: &str =
    if cfg!(target_arch = "aarch64") { "lib/ld-linux-aarch64.so.1" } else { "lib/ld-linux-x86-64.so.2" };

/// A file with the versions of the packages, relative to the folder.
const VERSIONS: &str = "versions";

/// The library folders of common systems, which another system's loader does not search.
const SYSTEM: [&str; 3] = [
    if cfg!(target_arch = "aarch64") { "/usr/lib/aarch64-linux-gnu" } else { "/usr/lib/x86_64-linux-gnu" },
    "/usr/lib64",
    "/usr/lib",
];

/// One such folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateRoot {
    folder: PathBuf,
    /// A sentence for the user if another user owns it.
    pub warning: Option<String>,
}

/// True if the folder has a loader that this system can start.
pub(crate) fn is_usable(root: &Path) -> bool {
    cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) && root.join(LOADER).is_file()
}

impl PrivateRoot {
    /// vkd3d, the libraries that implement Direct3D 12 on Vulkan; relative to the tools folder.
    pub const VKD3D: &str = "tools/vkd3d";

    /// A Mesa with lavapipe that is newer than the distribution's.
    pub const LAVAPIPE: &str = "tools/lavapipe-current";

    /// Finds a folder in the tools folder, if it is there and this system can use it.
    ///
    /// # Errors
    /// Other users can change it, so it is not loaded.
    pub fn find(tools: &ToolsFolder, folder: &str) -> Result<Option<Self>, Untrusted> {
        let path = tools.path().join(folder);
        if !is_usable(&path) {
            return Ok(None);
        }
        let warning = tools.inspect(folder)?;
        Ok(Some(Self { folder: path, warning }))
    }

    /// The command that starts `program` so that it can load these libraries.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.folder.join(LOADER));
        command.arg("--library-path").arg(self.library_path()).arg(program);
        command
    }

    /// A file or folder in it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.join(below)
    }

    /// The packages with their versions, one per line; empty without the file that lists them.
    pub fn versions(&self) -> String {
        std::fs::read_to_string(self.folder.join(VERSIONS)).unwrap_or_default()
    }

    /// These libraries, then those that the user names, then the system's.
    fn library_path(&self) -> OsString {
        let mut path = self.folder.join(LIBRARIES).into_os_string();
        let named = std::env::var_os("LD_LIBRARY_PATH").filter(|named| !named.is_empty());
        for folder in named.into_iter().chain(SYSTEM.map(OsString::from)) {
            path.push(":");
            path.push(folder);
        }
        path
    }
}
