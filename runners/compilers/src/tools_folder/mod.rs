//! The folder in which `layoutproof setup` (and `ci/setup.sh`, which does the same) puts what it
//! fetches: drivers, and the programs and libraries of compilers.
//!
//! Its content is run, so the folder never depends on the working folder or on the place of a
//! build, and nothing is loaded that other users can change ([`ToolsFolder::inspect`]).

mod inspection;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use inspection::Untrusted;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "LAYOUTPROOF_TOOLS";

/// Name of the folder, inside the user's data folder and inside `share` of an installation.
const NAME: &str = "layoutproof";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsFolder {
    path: PathBuf,
    origin: ToolsFolderOrigin,
}

/// The reason for the place of the tools folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolsFolderOrigin {
    /// [`VARIABLE`] names it.
    Variable,
    /// It belongs to the installation of the running program: `../share/layoutproof` relative to
    /// its folder `bin`.
    Installation,
    /// It is in the user's data folder.
    UserData,
}

impl ToolsFolderOrigin {
    /// A short description for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Variable => "LAYOUTPROOF_TOOLS names it",
            Self::Installation => "of this installation",
            Self::UserData => "in your data folder",
        }
    }
}

/// The reason why there is no tools folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoToolsFolder {
    /// [`VARIABLE`] is set to a path that depends on the working folder.
    #[error("LAYOUTPROOF_TOOLS is `{0}`, which is not an absolute path; set it to one, or unset it")]
    Relative(String),
    /// No variable names the user's data folder.
    #[error("no tools folder: {HOME_VARIABLES}; set LAYOUTPROOF_TOOLS to the absolute path of the folder")]
    NoHome,
    /// Nothing was fetched yet.
    #[error("no tools folder: {} is not there; `layoutproof setup` makes it", path.display())]
    Absent {
        /// The place where it would be.
        path: PathBuf,
        /// The reason for that place.
        origin: ToolsFolderOrigin,
    },
}

/// The part of [`NoToolsFolder::NoHome`]'s message about the variables that could name the user's
/// data folder.
const HOME_VARIABLES: &str =
    if cfg!(windows) { "LOCALAPPDATA is not set to an absolute path" } else { "HOME is not set to an absolute path" };

impl ToolsFolder {
    /// Finds the folder of this machine: the one that [`VARIABLE`] names, else that of the running
    /// program's installation, else that in the user's data folder.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn find() -> Result<Self, NoToolsFolder> {
        let Self { path, origin } = Self::place()?;
        if path.is_dir() { Ok(Self { path, origin }) } else { Err(NoToolsFolder::Absent { path, origin }) }
    }

    /// The place of the folder as [`find`](Self::find) chooses it, even if the folder is still
    /// missing.
    ///
    /// # Errors
    /// Nothing determines the place.
    pub fn place() -> Result<Self, NoToolsFolder> {
        let program = env::current_exe().ok();
        Self::choose(program.as_deref(), |variable| env::var_os(variable))
    }

    /// Uses this folder, whatever the environment contains.
    pub fn at(path: PathBuf) -> Self {
        Self { path, origin: ToolsFolderOrigin::Variable }
    }

    /// An absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason for its place.
    pub fn origin(&self) -> ToolsFolderOrigin {
        self.origin
    }

    /// Chooses the place of the folder for this program in this environment.
    fn choose(program: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, NoToolsFolder> {
        if let Some(named) = variable(VARIABLE).filter(|value| !value.is_empty()) {
            let path = PathBuf::from(&named);
            if !path.is_absolute() {
                return Err(NoToolsFolder::Relative(named.to_string_lossy().into_owned()));
            }
            return Ok(Self { path, origin: ToolsFolderOrigin::Variable });
        }

        if let Some(path) = program.and_then(of_installation).filter(|path| path.is_dir()) {
            return Ok(Self { path, origin: ToolsFolderOrigin::Installation });
        }

        let data = user_data(|name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute()));
        let path = data.ok_or(NoToolsFolder::NoHome)?.join(NAME);
        Ok(Self { path, origin: ToolsFolderOrigin::UserData })
    }
}

/// The tools folder of an installation. A build in cargo's `target` folder is not an installation:
/// its repository may belong to anyone.
fn of_installation(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let is_installed = folder.file_name().is_some_and(|name| name == "bin");
    Some(folder.parent()?.join("share").join(NAME)).filter(|_| is_installed && program.is_absolute())
}

/// The user's data folder. `variable` returns absolute paths only.
///
/// Source: XDG Base Directory Specification 0.8, Environment variables: a relative path is invalid and ignored.
fn user_data(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local").join("share")))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The folder's place for a program at this path, with these variables.
    fn chosen(program: &str, variables: &[(&str, &str)]) -> Result<String, NoToolsFolder> {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        ToolsFolder::choose(Some(Path::new(program)), value).map(|folder| folder.path.display().to_string())
    }

    #[test]
    fn the_variable_comes_first_and_must_be_absolute() {
        let all = [(VARIABLE, "/tools"), ("XDG_DATA_HOME", "/data"), ("HOME", "/home/a")];
        assert_eq!(chosen("/x/layoutproof", &all), Ok("/tools".to_owned()));
        for relative in ["tools", "./tools", "../tools"] {
            let refused = chosen("/x/layoutproof", &[(VARIABLE, relative), ("HOME", "/home/a")]);
            assert_eq!(refused, Err(NoToolsFolder::Relative(relative.to_owned())));
        }
        // Shells cannot unset a variable for one command, so an empty one counts as unset.
        assert_eq!(
            chosen("/x/layoutproof", &[(VARIABLE, ""), ("HOME", "/home/a")]),
            Ok("/home/a/.local/share/layoutproof".to_owned())
        );
    }

    #[test]
    fn the_data_folder_is_that_of_the_user_and_never_relative() {
        let of = |variables: &[(&str, &str)]| chosen("/x/target/debug/layoutproof", variables);
        assert_eq!(of(&[("XDG_DATA_HOME", "/data"), ("HOME", "/home/a")]), Ok("/data/layoutproof".to_owned()));
        let of_home = Ok("/home/a/.local/share/layoutproof".to_owned());
        assert_eq!(of(&[("HOME", "/home/a")]), of_home);
        assert_eq!(of(&[("XDG_DATA_HOME", "data"), ("HOME", "/home/a")]), of_home);
        assert_eq!(of(&[("XDG_DATA_HOME", ""), ("HOME", "/home/a")]), of_home);
        assert_eq!(of(&[("HOME", ".")]), Err(NoToolsFolder::NoHome));
        assert_eq!(of(&[]), Err(NoToolsFolder::NoHome));
    }

    #[test]
    fn an_installation_has_its_own_and_a_build_has_none() {
        let place = tempfile::tempdir().unwrap();
        for folder in ["share/layoutproof", "target/share/layoutproof", "target/layoutproof", "target/debug"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        let at = |program: &str| chosen(place.path().join(program).to_str().unwrap(), &[("HOME", "/home/a")]);
        assert_eq!(at("bin/layoutproof"), Ok(place.path().join("share/layoutproof").display().to_string()));
        for build in ["target/debug/layoutproof", "target/layoutproof", "target/debug/deps/test", "layoutproof"] {
            assert_eq!(at(build), Ok("/home/a/.local/share/layoutproof".to_owned()), "{build}");
        }
    }
}
