//! Checks that a command can write its files and folders before it begins, so that a wrong path is
//! reported at once and not after an hour.
//!
//! The check neither creates nor empties a file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

/// Checks that a file can be written or created.
pub fn check_file(path: &Path) -> anyhow::Result<()> {
    can_write_file(path).with_context(|| format!("writing {}", path.display()))
}

pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// Writes a file, and makes the folders that contain it.
pub fn write_below(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
    folders.and_then(|()| fs::write(path, content)).with_context(|| format!("writing {}", path.display()))
}

/// Writes to the end of a file, which need not exist.
pub fn append_to_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.and_then(|mut file| file.write_all(text.as_bytes())).with_context(|| format!("writing {}", path.display()))
}

/// Checks that files can be created in a folder, which need not exist yet.
pub fn check_folder(path: &Path) -> anyhow::Result<()> {
    can_make_files_in(path).with_context(|| format!("writing {}", path.display()))
}

fn can_write_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // Opening to append keeps the content.
        Ok(there) if there.is_file() => OpenOptions::new().append(true).open(path).map(drop),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // The reader of a pipe would take a trial open and close for its end.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            tempfile::tempfile_in(parent.unwrap_or(Path::new("."))).map(drop).map_err(plain)
        }
        Err(error) => Err(error),
    }
}

fn can_make_files_in(path: &Path) -> io::Result<()> {
    let mut folders =
        path.ancestors().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    match folders.find(|folder| fs::symlink_metadata(folder).is_ok()) {
        Some(there) => tempfile::tempfile_in(there).map(drop).map_err(plain),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

/// The error without the random name of the temporary file.
fn plain(error: io::Error) -> io::Error {
    match error.get_ref() {
        Some(_) => error.kind().into(),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_changes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::write(path("there"), "kept").unwrap();
        fs::create_dir(path("folder")).unwrap();

        for good in ["there", "new"] {
            check_file(&path(good)).unwrap();
        }
        for good in ["", "folder", "folder/new/newer"] {
            check_folder(&path(good)).unwrap();
        }

        // Windows reports the same error for a missing folder and for a file in its place.
        let below_a_file = if cfg!(windows) { io::ErrorKind::NotFound } else { io::ErrorKind::NotADirectory };
        for (wrong, kind) in
            [("folder", io::ErrorKind::IsADirectory), ("no/new", io::ErrorKind::NotFound), ("there/new", below_a_file)]
        {
            assert_eq!(can_write_file(&path(wrong)).unwrap_err().kind(), kind, "{wrong}");
        }
        let error = format!("{:#}", check_folder(&path("there/new")).unwrap_err());
        assert!(error.starts_with("writing "), "{error}");
        assert!(cfg!(windows) || error.to_lowercase().contains("not a directory"), "{error}");

        assert_eq!(fs::read_to_string(path("there")).unwrap(), "kept");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }
}
