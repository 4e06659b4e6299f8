//! Finds the folder of the cache, and checks that only the user can change it.
//!
//! Anyone who can write to the folder decides which answers compilers seem to have given. So the
//! folder must belong to the user, be closed to all other users and not be a link, and no other
//! user may be able to replace it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder.
const VARIABLE: &str = "LAYOUTPROOF_CACHE";

/// Name of the folder in the user's cache folder.
const NAME: &str = "layoutproof";

/// The folder of the cache, which only the user can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheFolder {
    path: PathBuf,
}

/// The reason why nothing is cached, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCacheFolder {
    /// `LAYOUTPROOF_CACHE` is set to a path that depends on the working folder.
    #[error("nothing is cached: {VARIABLE} is `{0}`, which is not an absolute path")]
    Relative(String),
    /// No variable names the user's cache folder.
    #[error("nothing is cached: HOME is not set to an absolute path; set {VARIABLE} to the absolute path of a folder")]
    NoHome,
    /// The folder cannot be made or inspected.
    #[error("nothing is cached: {}: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
    /// Another user could change the content.
    #[error("nothing is cached: {} {reason}", path.display())]
    NotAlone { path: PathBuf, reason: String },
    /// This system does not report the owner of a folder.
    #[error("nothing is cached: this system does not report who can change a folder")]
    Platform,
}

impl CacheFolder {
    /// The folder of this user: the one that `LAYOUTPROOF_CACHE` names, else the one in the user's
    /// cache folder. Makes it if it is missing.
    pub fn of_user() -> Result<Self, NoCacheFolder> {
        Self::at(&chosen(|name| std::env::var_os(name))?)
    }

    /// Uses this folder, and makes it if it is missing.
    pub fn at(path: &Path) -> Result<Self, NoCacheFolder> {
        guarded(path).map(|path| Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Chooses the folder from the environment.
///
/// Source: XDG Base Directory Specification 0.8, Environment variables: a relative path is invalid and ignored.
fn chosen(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, NoCacheFolder> {
    if let Some(named) = variable(VARIABLE).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(&named);
        return if path.is_absolute() {
            Ok(path)
        } else {
            Err(NoCacheFolder::Relative(named.to_string_lossy().into_owned()))
        };
    }

    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library").join("Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    Ok(caches.ok_or(NoCacheFolder::NoHome)?.join(NAME))
}

#[cfg(not(unix))]
fn guarded(_: &Path) -> Result<PathBuf, NoCacheFolder> {
    Err(NoCacheFolder::Platform)
}

/// Makes the folder if it is missing, and checks that only the user can change it. Returns its path
/// without links.
#[cfg(unix)]
fn guarded(path: &Path) -> Result<PathBuf, NoCacheFolder> {
    use std::fs;
    use std::os::unix::fs::DirBuilderExt;

    let unusable = |path: &Path, error: &std::io::Error| NoCacheFolder::Unusable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // Inspects the last component itself: the maker of a link chooses its target.
    if fs::symlink_metadata(path).is_err() {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| unusable(path, &error))?;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        let reason = "is no folder of its own".to_owned();
        return Err(NoCacheFolder::NotAlone { path: path.to_owned(), reason });
    };
    let parent = parent.canonicalize().map_err(|error| unusable(parent, &error))?;
    let folder = parent.join(name);

    let user = rustix::process::geteuid().as_raw();
    let metadata = fs::symlink_metadata(&folder).map_err(|error| unusable(&folder, &error))?;
    check_alone(&folder, &metadata, user)?;
    for above in folder.ancestors().skip(1) {
        let metadata = fs::symlink_metadata(above).map_err(|error| unusable(above, &error))?;
        check_above(above, &metadata, user)?;
    }
    Ok(folder)
}

/// Checks that the folder belongs to the user and is closed to other users.
#[cfg(unix)]
fn check_alone(folder: &Path, metadata: &std::fs::Metadata, user: u32) -> Result<(), NoCacheFolder> {
    use std::os::unix::fs::MetadataExt;

    let mode = metadata.mode() & 0o7777;
    let reason = if !metadata.is_dir() {
        "is a link or a file, not a folder; remove it".to_owned()
    } else if metadata.uid() != user {
        format!("belongs to user {}, not to you; remove it, or set {VARIABLE} to another folder", metadata.uid())
    } else if mode & 0o077 != 0 {
        format!("is open to others (mode {mode:03o}), who may have written to it; remove it")
    } else {
        return Ok(());
    };
    Err(NoCacheFolder::NotAlone { path: folder.to_owned(), reason })
}

/// Checks that no other user can replace a folder in this one. In a folder with the sticky bit,
/// users can only replace what they own.
#[cfg(unix)]
fn check_above(folder: &Path, metadata: &std::fs::Metadata, user: u32) -> Result<(), NoCacheFolder> {
    use std::os::unix::fs::MetadataExt;

    let mode = metadata.mode() & 0o7777;
    let reason = if ![0, user].contains(&metadata.uid()) {
        format!("belongs to user {}, who can replace the cache; set {VARIABLE} to a folder elsewhere", metadata.uid())
    } else if mode & 0o022 != 0 && mode & 0o1000 == 0 {
        format!("can be written by others (mode {mode:03o}), who can replace the cache; `chmod go-w` closes it")
    } else {
        return Ok(());
    };
    Err(NoCacheFolder::NotAlone { path: folder.to_owned(), reason })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn place(variables: &[(&str, &str)]) -> Result<String, NoCacheFolder> {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        chosen(value).map(|path| path.display().to_string())
    }

    /// Returns the message about the folder `cache` in a folder with this mode, after `prepare`
    /// ran.
    fn told(mode: u32, prepare: impl Fn(&Path)) -> String {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("cache");
        prepare(&path);
        fs::set_permissions(above.path(), Permissions::from_mode(mode)).unwrap();
        CacheFolder::at(&path).map_or_else(|error| error.to_string(), |folder| folder.path().display().to_string())
    }

    #[test]
    fn the_variable_comes_first_and_must_be_absolute() {
        let all = [(VARIABLE, "/own"), ("XDG_CACHE_HOME", "/caches"), ("HOME", "/home/a")];
        assert_eq!(place(&all), Ok("/own".to_owned()));
        assert_eq!(place(&all[1..]), Ok("/caches/layoutproof".to_owned()));
        assert_eq!(place(&all[2..]), Ok("/home/a/.cache/layoutproof".to_owned()));
        assert_eq!(place(&[(VARIABLE, ""), ("HOME", "/home/a")]), Ok("/home/a/.cache/layoutproof".to_owned()));
        assert_eq!(place(&[(VARIABLE, "own")]), Err(NoCacheFolder::Relative("own".to_owned())));
        assert_eq!(place(&[("XDG_CACHE_HOME", "caches"), ("HOME", ".")]), Err(NoCacheFolder::NoHome));
    }

    #[test]
    fn a_folder_is_made_for_the_user_alone() {
        let above = tempfile::tempdir().unwrap();
        let folder = CacheFolder::at(&above.path().join("a/b/cache")).unwrap();
        for made in folder.path().ancestors().take(3) {
            assert_eq!(fs::metadata(made).unwrap().mode() & 0o777, 0o700, "{}", made.display());
        }
        assert_eq!(CacheFolder::at(folder.path()), Ok(folder));
    }

    #[test]
    fn a_folder_that_others_can_enter_or_replace_is_not_used() {
        let open_to = |mode| {
            move |path: &Path| {
                fs::create_dir(path).unwrap();
                fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            }
        };
        for mode in [0o755, 0o770, 0o701] {
            assert!(told(0o755, open_to(mode)).contains(&format!("is open to others (mode {mode:o})")), "{mode:o}");
        }
        assert!(told(0o755, open_to(0o700)).ends_with("/cache"));
        assert!(told(0o1777, open_to(0o700)).ends_with("/cache"));
        for mode in [0o775, 0o757] {
            assert!(told(mode, open_to(0o700)).contains("can be written by others"), "{mode:o}");
        }
    }

    #[test]
    fn a_link_or_a_file_in_its_place_is_not_used() {
        let elsewhere = tempfile::tempdir().unwrap();
        for target in [elsewhere.path().to_owned(), elsewhere.path().join("absent")] {
            assert!(told(0o755, |path| symlink(&target, path).unwrap()).contains("is a link or a file"));
        }
        assert!(told(0o755, |path| fs::write(path, "").unwrap()).contains("is a link or a file"));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    /// Judges the folder as another user would see it, since only root could give a folder away.
    #[test]
    fn a_folder_of_another_user_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let metadata = fs::symlink_metadata(folder.path()).unwrap();
        let other = metadata.uid() + 1;
        let told = check_alone(folder.path(), &metadata, other).unwrap_err().to_string();
        assert!(told.contains(&format!("belongs to user {}, not to you", metadata.uid())), "{told}");
        // Root may own the folders above.
        let is_roots = metadata.uid() == 0;
        assert_eq!(check_above(folder.path(), &metadata, other).is_ok(), is_roots);
    }
}
