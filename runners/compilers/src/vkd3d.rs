//! vkd3d as `ci/setup.sh` fetched it: the libraries that make Direct3D 12 of Vulkan, with the C library that they need.
//!
//! They are newer than the system's C library, so a program that loads them must be started through their own loader.
//! Then `/proc/self/exe` is that loader, and the program cannot tell where it is itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools_folder::{ToolsFolder, Untrusted};

/// Its folder, below the tools folder.
const FOLDER: &str = "tools/vkd3d";

/// The loader, below that.
const LOADER: &str = "lib/ld-linux-x86-64.so.2";

/// A file with the versions of the packages, below that.
const VERSIONS: &str = "versions";

/// Folders in which systems keep their libraries, and which the loader of another system does not search.
const SYSTEM: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// The fetched vkd3d.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedVkd3d {
    folder: PathBuf,
    /// A sentence for the user about its owner, if that is somebody else.
    pub warning: Option<String>,
}

impl FetchedVkd3d {
    /// The one in the tools folder, if there is one for this system.
    ///
    /// # Errors
    /// If others can change it, so that it is not loaded.
    pub fn find(tools: &ToolsFolder) -> Result<Option<Self>, Untrusted> {
        let folder = tools.path().join(FOLDER);
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) || !folder.join(LOADER).is_file() {
            return Ok(None);
        }
        let warning = tools.inspect(FOLDER)?;
        Ok(Some(Self { folder, warning }))
    }

    /// Starts `program` so that it can load these libraries.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.folder.join(LOADER));
        command.arg("--library-path").arg(self.library_path()).arg(program);
        command
    }

    /// The packages with their versions, a line each; empty without the file that lists them.
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
