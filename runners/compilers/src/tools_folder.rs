//! The folder in which `layoutproof setup` (and `ci/setup.sh`, which does the same) puts what it
//! fetches: drivers, and the programs and libraries of compilers.
//!
//! Its content is run, so the folder never depends on the working folder or on the place of a
//! build, and nothing is loaded that other users can change ([`ToolsFolder::inspect`]).

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

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
    UserData,
}

impl ToolsFolderOrigin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Variable => "LAYOUTPROOF_TOOLS names it",
            Self::Installation => "of this installation",
            Self::UserData => "in your data folder",
        }
    }
}

/// The reason why something is not loaded from the tools folder.
#[derive(Debug, thiserror::Error)]
pub enum Untrusted {
    #[error(
        "{path} is not loaded: others can write {} (mode {mode:03o}); if its content is yours, `chmod go-w {}` allows it",
        writable.display(),
        writable.display(),
        path = loaded.display()
    )]
    Writable { loaded: PathBuf, writable: PathBuf, mode: u32 },
    #[error("{} is not loaded: {}: {error}", loaded.display(), path.display())]
    Unreadable { loaded: PathBuf, path: PathBuf, error: io::Error },
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
    #[error("no tools folder: {} is not there; `layoutproof setup` makes it", path.display())]
    Absent { path: PathBuf, origin: ToolsFolderOrigin },
}

/// The part of [`NoToolsFolder::NoHome`]'s message about the variables that could name the user's
/// data folder.
const HOME_VARIABLES: &str =
    if cfg!(windows) { "LOCALAPPDATA is not set to an absolute path" } else { "HOME is not set to an absolute path" };

impl ToolsFolder {
    /// Finds the folder of this machine: the one that [`VARIABLE`] names, else that of the running
    /// program's installation, else that in the user's data folder.
    pub fn find() -> Result<Self, NoToolsFolder> {
        let Self { path, origin } = Self::place()?;
        if path.is_dir() { Ok(Self { path, origin }) } else { Err(NoToolsFolder::Absent { path, origin }) }
    }

    /// The place of the folder as [`find`](Self::find) chooses it, even if the folder is still
    /// missing.
    pub fn place() -> Result<Self, NoToolsFolder> {
        let program = env::current_exe().ok();
        Self::choose(program.as_deref(), |variable| env::var_os(variable))
    }

    /// Uses this folder, whatever the environment contains.
    pub fn at(path: PathBuf) -> Self {
        Self { path, origin: ToolsFolderOrigin::Variable }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn origin(&self) -> ToolsFolderOrigin {
        self.origin
    }

    /// True on systems whose permissions are checked.
    ///
    /// There, nothing is loaded that group or others can write, and nothing in a folder that they
    /// can write; a link is judged by its target. An owner who is neither the user nor root is only
    /// a warning, since restored caches and containers look like that.
    pub const INSPECTS: bool = cfg!(unix);

    /// Checks a file or folder at a path below the tools folder, everything in it, and the folders
    /// above it up to the tools folder itself. A missing path passes.
    ///
    /// Returns a warning, as a sentence, if something belongs to a user who is neither this one nor
    /// root.
    ///
    /// # Errors
    /// Other users can change something, or it could not be inspected.
    pub fn inspect(&self, below: impl AsRef<Path>) -> Result<Option<String>, Untrusted> {
        self.inspect_extent(below.as_ref(), InspectionExtent::Tree)
    }

    /// Checks only the file or folder itself, not the content of the folder.
    pub fn inspect_alone(&self, below: impl AsRef<Path>) -> Result<Option<String>, Untrusted> {
        self.inspect_extent(below.as_ref(), InspectionExtent::Alone)
    }

    /// Checks a file at any path that something in the tools folder names, and the folders above
    /// it, except those above the tools folder.
    pub fn inspect_named(&self, file: &Path) -> Result<Option<String>, Untrusted> {
        if !Self::INSPECTS {
            return Ok(None);
        }
        let mut inspection = Inspection::begin(self.path(), file.to_owned())?;
        inspection.named(file)?;
        Ok(inspection.warning())
    }

    fn inspect_extent(&self, below: &Path, extent: InspectionExtent) -> Result<Option<String>, Untrusted> {
        if !Self::INSPECTS {
            return Ok(None);
        }
        let loaded = self.path().join(below);
        let mut inspection = Inspection::begin(self.path(), loaded.clone())?;
        let mut place = self.path().to_owned();
        for component in below.parent().into_iter().flat_map(Path::components) {
            place.push(component);
            inspection.entry(&place, InspectionExtent::Alone)?;
        }
        inspection.entry(&loaded, extent)?;
        Ok(inspection.warning())
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InspectionExtent {
    Alone,
    Tree,
}

/// Longest chain of links, the same as in Linux.
const LINKS: usize = 40;

/// The write permission of group and others.
const WRITABLE: u32 = 0o022;
/// In a folder with this bit, users can only replace what they own.
const STICKY: u32 = 0o1000;

/// A walk over the files that are about to be loaded, with its findings so far.
#[derive(Debug)]
struct Inspection {
    /// The tools folder, as it is named and without links.
    roots: [PathBuf; 2],
    loaded: PathBuf,
    user: u32,
    /// The first path of another user, and that user's id.
    foreign: Option<(PathBuf, u32)>,
    /// The targets of the links that were followed, so that a circle of links ends.
    targets: BTreeSet<PathBuf>,
}

impl Inspection {
    /// Starts with the tools folder, from which `loaded` is to be loaded.
    fn begin(root: &Path, loaded: PathBuf) -> Result<Self, Untrusted> {
        let user = user();
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let roots = [root.to_owned(), canonical];
        let mut inspection = Self { roots, loaded, user, foreign: None, targets: BTreeSet::new() };
        let metadata = inspection.io(root, fs::metadata(root))?;
        inspection.judge(root, &metadata, 0)?;
        Ok(inspection)
    }

    /// The warning about another owner, if there is one.
    fn warning(self) -> Option<String> {
        let (path, owner) = self.foreign?;
        let path = path.display();
        Some(format!(
            "{path} belongs to user {owner}, who is neither you nor root and can change what is run; if its \
             content is yours, `chown -R` it to your user"
        ))
    }

    /// Checks a file at any path, and the folders above it.
    fn named(&mut self, file: &Path) -> Result<(), Untrusted> {
        let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
        let place = folder.zip(file.file_name()).map(|(folder, name)| folder.join(name));
        // A missing file cannot be loaded.
        let Some(place) = place else { return Ok(()) };
        self.folders_above(file)?;
        self.folders_above(&place)?;
        self.entry(&place, InspectionExtent::Alone)
    }

    /// Checks a file, a folder, or the target of a link.
    fn entry(&mut self, path: &Path, extent: InspectionExtent) -> Result<(), Untrusted> {
        let metadata = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => self.io(path, other)?,
        };
        if metadata.is_symlink() {
            return self.link(path, extent);
        }

        self.judge(path, &metadata, 0)?;
        if metadata.is_dir() && extent == InspectionExtent::Tree {
            for entry in self.io(path, fs::read_dir(path))? {
                let entry = self.io(path, entry)?;
                self.entry(&entry.path(), InspectionExtent::Tree)?;
            }
        }
        Ok(())
    }

    /// Checks that each link on the way, and the target of the last one, lies in folders that
    /// other users cannot write.
    fn link(&mut self, link: &Path, extent: InspectionExtent) -> Result<(), Untrusted> {
        let mut place = link.to_owned();
        for _ in 0..LINKS {
            let Ok(next) = fs::read_link(&place) else { break };
            place = place.parent().unwrap_or(Path::new("/")).join(next);
            self.folders_above(&place)?;
        }

        let target = match place.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => self.io(&place, other)?,
        };
        if !self.targets.insert(target.clone()) {
            return Ok(());
        }
        self.folders_above(&target)?;
        self.entry(&target, extent)
    }

    /// Checks the folders above, up to the tools folder or the root of the file system.
    fn folders_above(&mut self, path: &Path) -> Result<(), Untrusted> {
        let above = path.ancestors().skip(1);
        let roots = self.roots.clone();
        for folder in above.take_while(|folder| !roots.iter().any(|root| root == folder)) {
            match fs::metadata(folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => {
                    let metadata = self.io(folder, other)?;
                    self.judge(folder, &metadata, STICKY)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses a path that other users can write, unless it has one of the mode bits `excused`.
    fn judge(&mut self, path: &Path, metadata: &Metadata, excused: u32) -> Result<(), Untrusted> {
        let (owner, mode) = owner_and_mode(metadata);
        if mode & WRITABLE != 0 && mode & excused == 0 {
            let (loaded, writable) = (self.loaded.clone(), path.to_owned());
            return Err(Untrusted::Writable { loaded, writable, mode: mode & 0o7777 });
        }

        if owner != self.user && owner != 0 && self.foreign.is_none() {
            self.foreign = Some((path.to_owned(), owner));
        }
        Ok(())
    }

    fn io<T>(&self, path: &Path, result: io::Result<T>) -> Result<T, Untrusted> {
        let unreadable = |error| Untrusted::Unreadable { loaded: self.loaded.clone(), path: path.to_owned(), error };
        result.map_err(unreadable)
    }
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
fn owner_and_mode(metadata: &Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    (metadata.uid(), metadata.mode())
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

#[cfg(not(unix))]
fn owner_and_mode(_: &Metadata) -> (u32, u32) {
    (0, 0)
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

#[cfg(test)]
#[cfg(unix)]
mod inspection_tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::TempDir;

    use super::*;

    /// A tools folder with the file `tools/a/program`, which only the user can write.
    fn tools() -> (TempDir, ToolsFolder) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("tools/a/inner")).unwrap();
        for file in ["tools/a/program", "tools/a/inner/library"] {
            fs::write(root.join(file), "").unwrap();
            set_mode(&root.join(file), 0o755);
        }
        for folder in ["", "tools", "tools/a", "tools/a/inner"] {
            set_mode(&root.join(folder), 0o755);
        }
        (place, ToolsFolder::at(root))
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// The path at fault, relative to the tools folder.
    fn refused(tools: &ToolsFolder, below: &str) -> Option<String> {
        match tools.inspect(below) {
            Ok(_) => None,
            Err(Untrusted::Writable { writable, .. }) => {
                let inside = writable.strip_prefix(tools.path()).unwrap_or(&writable);
                Some(inside.display().to_string())
            }
            Err(error @ Untrusted::Unreadable { .. }) => panic!("{error}"),
        }
    }

    #[test]
    fn what_is_the_users_alone_is_trusted() {
        let (_place, tools) = tools();
        assert_eq!(tools.inspect("tools/a").unwrap(), None);
        assert_eq!(tools.inspect("tools/absent").unwrap(), None);
    }

    #[test]
    fn what_others_can_write_is_refused_wherever_it_is_on_the_way() {
        for writable in ["", "tools", "tools/a", "tools/a/program", "tools/a/inner", "tools/a/inner/library"] {
            for mode in [0o775, 0o757, 0o1777] {
                let (_place, tools) = tools();
                set_mode(&tools.path().join(writable), mode);
                assert_eq!(refused(&tools, "tools/a").as_deref(), Some(writable), "{mode:o}");
            }
        }
    }

    #[test]
    fn a_folder_alone_does_not_answer_for_what_is_in_it() {
        let (_place, tools) = tools();
        set_mode(&tools.path().join("tools/a/inner"), 0o777);
        assert!(tools.inspect_alone("tools/a").is_ok());
        set_mode(&tools.path().join("tools/a"), 0o777);
        assert!(tools.inspect_alone("tools/a").is_err());
    }

    #[test]
    fn the_sentence_names_the_path_and_the_command() {
        let (_place, tools) = tools();
        let program = tools.path().join("tools/a/program");
        set_mode(&program, 0o777);
        let sentence = tools.inspect("tools/a").unwrap_err().to_string();
        let program = program.display();
        assert!(sentence.contains(&format!("others can write {program} (mode 777)")), "{sentence}");
        assert!(sentence.contains(&format!("`chmod go-w {program}`")), "{sentence}");
    }

    /// The link is in a folder of the user, and leads to a folder that everybody can write, at once
    /// or through a second link.
    #[test]
    fn a_link_is_judged_by_what_it_leads_to() {
        let (place, tools) = tools();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("program"), "").unwrap();
        symlink(outside.join("program"), outside.join("second")).unwrap();
        for (name, target) in [("link", "program"), ("links", "second")] {
            symlink(outside.join(target), tools.path().join("tools").join(name)).unwrap();
            set_mode(&outside, 0o755);
            set_mode(&outside.join("program"), 0o755);
            assert_eq!(refused(&tools, &format!("tools/{name}")), None);
            set_mode(&outside, 0o777);
            assert_eq!(refused(&tools, &format!("tools/{name}")), Some(outside.display().to_string()));
            set_mode(&outside, 0o755);
            set_mode(&outside.join("program"), 0o775);
            let program = outside.join("program").canonicalize().unwrap().display().to_string();
            assert_eq!(refused(&tools, &format!("tools/{name}")), Some(program));
        }
    }

    /// Like the library in a driver's manifest: at a path relative to the manifest, or anywhere.
    #[test]
    fn a_file_that_is_named_may_be_anywhere() {
        let (place, tools) = tools();
        let outside = place.path().join("library");
        fs::write(&outside, "").unwrap();
        let named = [tools.path().join("tools/../tools/a/program"), outside];
        // Folders above the tools folder are not checked; for a file outside of it, all folders
        // above are.
        for file in &named {
            set_mode(file, 0o755);
            assert_eq!(tools.inspect_named(file).unwrap(), None);
            set_mode(file, 0o775);
            assert!(tools.inspect_named(file).is_err());
            set_mode(file, 0o755);
        }
        set_mode(place.path(), 0o777);
        assert_eq!(named.map(|file| tools.inspect_named(&file).is_ok()), [true, false]);
        assert!(tools.inspect_named(&tools.path().join("absent/library")).is_ok());
    }

    #[test]
    fn a_linked_folder_is_looked_into_and_circles_come_to_an_end() {
        let (place, tools) = tools();
        let outside = place.path().canonicalize().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        set_mode(&outside, 0o755);
        fs::write(outside.join("library"), "").unwrap();
        symlink(&outside, tools.path().join("tools/b")).unwrap();
        symlink(&outside, outside.join("circle")).unwrap();
        symlink(outside.join("nowhere"), outside.join("dangling")).unwrap();
        set_mode(&outside.join("library"), 0o644);
        assert_eq!(refused(&tools, "tools/b"), None);
        set_mode(&outside.join("library"), 0o666);
        assert_eq!(refused(&tools, "tools/b"), Some(outside.join("library").display().to_string()));
    }
}
