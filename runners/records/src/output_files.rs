//! Writes the output files of commands, and checks that they can be written before a command begins, so that a
//! wrong path is reported at once and not after an hour.
//!
//! The check neither creates nor empties a file. The rules for outputs are those of [`output_file`].

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use anyhow::Context;
use layoutproof_compilers::output_file::{self, NoOutput, OutputPlace};

/// Checks that a file can be written or created.
pub fn check_file(path: &Path) -> anyhow::Result<()> {
    can_write_file(path).with_context(|| format!("writing {}", path.display()))
}

/// Replaces a file as a whole.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    output_file::write(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

/// Writes a file below a folder, and makes the folders that contain it.
pub fn write_below(root: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let name = name.as_ref();
    let written = output_file::write_below(root, name, content.as_ref());
    written.with_context(|| format!("writing {}", root.join(name).display()))
}

/// Writes to the end of a file, which need not exist.
pub fn append_to_file(path: &Path, text: &str) -> anyhow::Result<()> {
    output_file::append(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

/// Checks that files can be created in a folder, which need not exist yet.
pub fn check_folder(path: &Path) -> anyhow::Result<()> {
    let checked = output_file::check_folder(path).and_then(|()| Ok(can_make_files_in(path)?));
    checked.with_context(|| format!("writing {}", path.display()))
}

fn can_write_file(path: &Path) -> Result<(), NoOutput> {
    match OutputPlace::of(path)? {
        // Opening to append keeps the content.
        OutputPlace::File => output_file::open(path, OpenOptions::new().append(true)).map(drop),
        // The reader of a pipe would take a trial open and close for its end.
        OutputPlace::Stream => Ok(()),
        OutputPlace::Nothing => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            Ok(tempfile::tempfile_in(parent.unwrap_or(Path::new("."))).map(drop).map_err(plain)?)
        }
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
            let error = can_write_file(&path(wrong)).unwrap_err();
            assert!(matches!(&error, NoOutput::Io(error) if error.kind() == kind), "{wrong}: {error}");
        }
        let error = format!("{:#}", check_folder(&path("there/new")).unwrap_err());
        assert!(error.starts_with("writing "), "{error}");
        assert!(cfg!(windows) || error.to_lowercase().contains("not a directory"), "{error}");

        assert_eq!(fs::read_to_string(path("there")).unwrap(), "kept");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }
}
