//! Checks that other users cannot change the files that are about to be loaded from the tools
//! folder.
//!
//! On Unix, nothing is loaded that group or others can write, and nothing in a folder that they can
//! write; a link is judged by its target. An owner who is neither the user nor root is only a
//! warning, since restored caches and containers look like that. Other systems check nothing.

use std::io;
use std::path::{Path, PathBuf};

use super::ToolsFolder;

/// The reason why something is not loaded from the tools folder.
#[derive(Debug, thiserror::Error)]
pub enum Untrusted {
    /// Group or others can write to it.
    #[error(
        "{path} is not loaded: others can write {} (mode {mode:03o}); if its content is yours, `chmod go-w {}` allows it",
        writable.display(),
        writable.display(),
        path = loaded.display()
    )]
    Writable {
        /// The path to load.
        loaded: PathBuf,
        /// The file or folder at fault.
        writable: PathBuf,
        mode: u32,
    },
    /// It could not be inspected.
    #[error("{} is not loaded: {}: {error}", loaded.display(), path.display())]
    Unreadable {
        /// The path to load.
        loaded: PathBuf,
        /// The file or folder at fault.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
}

impl ToolsFolder {
    /// True if this platform checks permissions.
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
        inspect(self.path(), below.as_ref(), InspectionExtent::Tree)
    }

    /// Checks only the file or folder itself, not the content of the folder.
    ///
    /// # Errors
    /// As for [`ToolsFolder::inspect`].
    pub fn inspect_alone(&self, below: impl AsRef<Path>) -> Result<Option<String>, Untrusted> {
        inspect(self.path(), below.as_ref(), InspectionExtent::Alone)
    }

    /// Checks a file at any path that something in the tools folder names, and the folders above
    /// it, except those above the tools folder.
    ///
    /// # Errors
    /// As for [`ToolsFolder::inspect`].
    pub fn inspect_named(&self, file: &Path) -> Result<Option<String>, Untrusted> {
        inspect_named(self.path(), file)
    }
}

/// The part of a folder to inspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InspectionExtent {
    Alone,
    Tree,
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the signature is that of Unix")]
fn inspect(_: &Path, _: &Path, _: InspectionExtent) -> Result<Option<String>, Untrusted> {
    Ok(None)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the signature is that of Unix")]
fn inspect_named(_: &Path, _: &Path) -> Result<Option<String>, Untrusted> {
    Ok(None)
}

#[cfg(unix)]
fn inspect(root: &Path, below: &Path, extent: InspectionExtent) -> Result<Option<String>, Untrusted> {
    let loaded = root.join(below);
    let mut inspection = unix::Inspection::begin(root, loaded.clone())?;
    let mut place = root.to_owned();
    for component in below.parent().into_iter().flat_map(Path::components) {
        place.push(component);
        inspection.entry(&place, InspectionExtent::Alone)?;
    }
    inspection.entry(&loaded, extent)?;
    Ok(inspection.warning())
}

#[cfg(unix)]
fn inspect_named(root: &Path, file: &Path) -> Result<Option<String>, Untrusted> {
    let mut inspection = unix::Inspection::begin(root, file.to_owned())?;
    inspection.named(file)?;
    Ok(inspection.warning())
}

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::fs::{self, Metadata};
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use super::{InspectionExtent, Untrusted};

    /// Longest chain of links, the same as in Linux.
    const LINKS: usize = 40;

    /// The write permission of group and others.
    const WRITABLE: u32 = 0o022;
    /// In a folder with this bit, users can only replace what they own.
    const STICKY: u32 = 0o1000;

    /// A walk over the files that are about to be loaded, with its findings so far.
    #[derive(Debug)]
    pub(super) struct Inspection {
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
        pub(super) fn begin(root: &Path, loaded: PathBuf) -> Result<Self, Untrusted> {
            let user = rustix::process::geteuid().as_raw();
            let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            let roots = [root.to_owned(), canonical];
            let mut inspection = Self { roots, loaded, user, foreign: None, targets: BTreeSet::new() };
            let metadata = inspection.io(root, fs::metadata(root))?;
            inspection.judge(root, &metadata, 0)?;
            Ok(inspection)
        }

        /// The warning about another owner, if there is one.
        pub(super) fn warning(self) -> Option<String> {
            let (path, owner) = self.foreign?;
            let path = path.display();
            Some(format!(
                "{path} belongs to user {owner}, who is neither you nor root and can change what is run; if its \
                 content is yours, `chown -R` it to your user"
            ))
        }

        /// Checks a file at any path, and the folders above it.
        pub(super) fn named(&mut self, file: &Path) -> Result<(), Untrusted> {
            let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
            let place = folder.zip(file.file_name()).map(|(folder, name)| folder.join(name));
            // A missing file cannot be loaded.
            let Some(place) = place else { return Ok(()) };
            self.folders_above(file)?;
            self.folders_above(&place)?;
            self.entry(&place, InspectionExtent::Alone)
        }

        /// Checks a file, a folder, or the target of a link.
        pub(super) fn entry(&mut self, path: &Path, extent: InspectionExtent) -> Result<(), Untrusted> {
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
            let mode = metadata.mode();
            if mode & WRITABLE != 0 && mode & excused == 0 {
                let (loaded, writable) = (self.loaded.clone(), path.to_owned());
                return Err(Untrusted::Writable { loaded, writable, mode: mode & 0o7777 });
            }

            let owner = metadata.uid();
            if owner != self.user && owner != 0 && self.foreign.is_none() {
                self.foreign = Some((path.to_owned(), owner));
            }
            Ok(())
        }

        fn io<T>(&self, path: &Path, result: io::Result<T>) -> Result<T, Untrusted> {
            let unreadable =
                |error| Untrusted::Unreadable { loaded: self.loaded.clone(), path: path.to_owned(), error };
            result.map_err(unreadable)
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
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
