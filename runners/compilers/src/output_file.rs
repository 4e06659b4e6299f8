//! Writes the files that the user names as outputs. Every output of the program goes through here.
//!
//! A project may come from elsewhere, and its version control keeps links. So an output never follows a
//! link, neither the file itself nor a folder that leads out of the folder in which the user asked for it: the user
//! gets an error and can name the real place. A file is replaced as a whole, so that readers and a kill see
//! the old or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Folders of the system, whose links lead to the standard output and to pipes of the shell.
const OF_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Why a path is no output.
#[derive(Debug, thiserror::Error)]
pub enum NoOutput {
    #[error("it is a link to {}, and outputs do not follow links: name the file itself", .0.display())]
    Link(PathBuf),
    #[error("a link leads out of {} to {}: name that folder itself", folder.display(), real.display())]
    Outside { folder: PathBuf, real: PathBuf },
    #[error("it is not a path below the folder of the outputs")]
    NotBelow,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is at the path of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPlace {
    Nothing,
    File,
    /// A pipe, a terminal or another device, which is opened as it is.
    Stream,
}

impl OutputPlace {
    /// Looks at the path of an output, and changes nothing.
    ///
    /// # Errors
    /// It is a link or a folder, or a link leads to it from the working folder.
    pub fn of(path: &Path) -> Result<Self, NoOutput> {
        check_folder_of(path)?;
        let there = match fs::symlink_metadata(path) {
            Ok(there) if there.is_symlink() && is_of_system(path) => fs::metadata(path)?,
            Ok(there) if there.is_symlink() => return Err(NoOutput::Link(fs::read_link(path)?)),
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => return Err(error.into()),
        };
        match there {
            there if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
            there if there.is_file() => Ok(Self::File),
            _ => Ok(Self::Stream),
        }
    }
}

/// Opens a file in place: for one that grows or is locked, and for streams.
///
/// # Errors
/// See [`OutputPlace::of`]; it cannot be opened.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File, NoOutput> {
    OutputPlace::of(path)?;
    // Also if a link takes the place of the file meanwhile.
    #[cfg(unix)]
    if !is_of_system(path) {
        let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, no_follow);
    }
    Ok(options.open(path)?)
}

/// Writes a whole file.
///
/// # Errors
/// See [`OutputPlace::of`]; it cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<(), NoOutput> {
    let place = OutputPlace::of(path)?;
    if place == OutputPlace::Stream || is_of_system(path) {
        return Ok(open(path, OpenOptions::new().write(true))?.write_all(content)?);
    }
    if place == OutputPlace::File {
        // A file that the user may not change is not replaced either.
        open(path, OpenOptions::new().append(true))?;
    }
    let replaced = match begin(path) {
        Ok(mut new) => {
            new.write_all(content)?;
            new.persist(path).map(drop).map_err(|error| error.error)
        }
        Err(error) => Err(error),
    };
    match replaced {
        // The folder is read-only, or the file is a mount point.
        Err(_) if place == OutputPlace::File => {
            Ok(open(path, OpenOptions::new().write(true).truncate(true))?.write_all(content)?)
        }
        replaced => Ok(replaced?),
    }
}

/// Writes to the end of a file, which need not exist.
///
/// # Errors
/// See [`OutputPlace::of`]; it cannot be written.
pub fn append(path: &Path, content: &[u8]) -> Result<(), NoOutput> {
    Ok(open(path, OpenOptions::new().append(true).create(true))?.write_all(content)?)
}

/// Writes a file below a folder, and makes the folders that contain it.
///
/// # Errors
/// See [`folder_below`] and [`write()`].
pub fn write_below(root: &Path, name: &Path, content: &[u8]) -> Result<(), NoOutput> {
    folder_below(root, name.parent().unwrap_or(Path::new("")))?;
    write(&root.join(name), content)
}

/// Makes a folder below another one.
///
/// # Errors
/// The name has other parts than names, or a link leads out of the folder.
pub fn folder_below(root: &Path, name: &Path) -> Result<PathBuf, NoOutput> {
    if !name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(NoOutput::NotBelow);
    }
    check_folder(root)?;
    fs::create_dir_all(root)?;
    let real_root = root.canonicalize()?;
    let mut folder = root.to_path_buf();
    for part in name.components() {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let real = folder.canonicalize()?;
        if !real.starts_with(&real_root) {
            return Err(NoOutput::Outside { folder: root.to_path_buf(), real });
        }
    }
    Ok(folder)
}

/// Begins a new file next to the output, which takes its place with `persist`.
///
/// # Errors
/// The folder cannot be written.
pub fn begin(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".layoutproof-");
    // As a new file of any other program; the user's mask applies.
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    let new = builder.tempfile_in(folder_of(path))?;
    if let Ok(old) = fs::metadata(path) {
        new.as_file().set_permissions(old.permissions())?;
    }
    Ok(new)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_of_system(path: &Path) -> bool {
    let folder = folder_of(path).canonicalize();
    cfg!(unix) && folder.is_ok_and(|folder| OF_SYSTEM.iter().any(|own| folder.starts_with(own)))
}

fn check_folder_of(path: &Path) -> Result<(), NoOutput> {
    check_folder(folder_of(path))
}

/// Checks that no link leads out of the working folder to `folder`, which need not exist.
///
/// # Errors
/// A link does.
pub fn check_folder(folder: &Path) -> Result<(), NoOutput> {
    let working = std::env::current_dir()?;
    let named = working.join(folder);
    let has_parent = folder.components().any(|part| part == Component::ParentDir);
    if has_parent || !named.starts_with(&working) {
        // The user names a place elsewhere.
        return Ok(());
    }
    let there = named.ancestors().find_map(|above| above.canonicalize().ok());
    match (there, working.canonicalize()) {
        (Some(real), Ok(working)) if !real.starts_with(&working) => Err(NoOutput::Outside { folder: working, real }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        for content in ["one", "two", ""] {
            write(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        append(&path, b"more").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "more");
        assert_eq!(names(place.path()), ["a"]);
    }

    #[test]
    fn names_stay_below_their_folder() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("out");
        write_below(&root, Path::new("a/b/c"), b"x").unwrap();
        assert_eq!(fs::read(root.join("a/b/c")).unwrap(), b"x");
        for name in ["../a", "a/../../b", "/tmp/layoutproof-output-test"] {
            assert!(matches!(write_below(&root, Path::new(name), b"x"), Err(NoOutput::NotBelow)), "{name}");
        }
        assert_eq!(names(place.path()), ["out"]);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        use std::os::unix::fs::symlink;

        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::write(at("kept"), "kept").unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        fs::create_dir(at("out")).unwrap();
        for (target, link) in [("kept", "a"), ("nowhere", "b"), ("/dev/null", "c"), ("../elsewhere", "out/d")] {
            symlink(target, at(link)).unwrap();
        }
        for link in ["a", "b", "c"] {
            let path = at(link);
            assert!(matches!(write(&path, b"x"), Err(NoOutput::Link(_))), "{link}");
            assert!(matches!(append(&path, b"x"), Err(NoOutput::Link(_))), "{link}");
            assert!(open(&path, OpenOptions::new().write(true).create(true)).is_err(), "{link}");
        }
        assert!(matches!(write_below(&at("out"), Path::new("d/e"), b"x"), Err(NoOutput::Outside { .. })));
        assert_eq!(fs::read_to_string(at("kept")).unwrap(), "kept");
        assert_eq!(names(place.path()), ["a", "b", "c", "elsewhere", "kept", "out"]);
        assert!(names(&at("elsewhere")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_of_the_system_lead_to_streams() {
        assert_eq!(OutputPlace::of(Path::new("/dev/null")).unwrap(), OutputPlace::Stream);
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(OutputPlace::of(Path::new("/dev/fd/1")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;

        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"y").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
