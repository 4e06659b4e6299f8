//! Restricts included files to the user's project and the folders that the user names.
//!
//! A shader from a stranger must not print the user's files into a log. So `#include` and `import`
//! read only below the project's root, below the shader's own folder, and below the folders of
//! `-I`. Paths are compared after resolving all links.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layoutproof_compilers::regular_file::ReadError;
use layoutproof_source::sources::{ReadRefusal, Sources};

use crate::files::{entries, read_included};
use crate::replaced_texts::{ReplacedTexts, real_path};

/// File or folder names that mark the root of a project.
const MARKS: [&str; 2] = [OF_VERSION_CONTROL, "layoutproof.toml"];

/// Version control's own folder, which may hold credentials.
const OF_VERSION_CONTROL: &str = ".git";

/// The files that a shader may include.
#[derive(Clone, Debug)]
pub struct IncludedFiles {
    /// The allowed folders, with all links resolved.
    roots: Vec<PathBuf>,
    texts: Arc<ReplacedTexts>,
}

impl IncludedFiles {
    /// The files for the shader at `main`, with the folders of `-I`.
    pub fn of_shader(main: &Path, folders: &[String]) -> Self {
        let own = main.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let own = own.canonicalize().ok();
        let project = own.as_deref().and_then(project).or_else(|| Path::new(".").canonicalize().ok());
        // The root of a file system is not a project, even if the shader or the working folder is
        // there.
        let implied = project.into_iter().chain(own).filter(|root| root.parent().is_some());
        let named = folders.iter().filter_map(|folder| Path::new(folder).canonicalize().ok());
        Self { roots: implied.chain(named).collect(), texts: Arc::default() }
    }

    /// The same files, some with these texts instead of their own.
    pub(super) fn with_texts(self, texts: &Arc<ReplacedTexts>) -> Self {
        Self { texts: Arc::clone(texts), ..self }
    }
}

/// The nearest parent folder with a mark.
fn project(folder: &Path) -> Option<PathBuf> {
    let has_mark = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(has_mark).map(Path::to_path_buf)
}

impl Sources for IncludedFiles {
    fn read(&self, path: &str) -> Result<String, ReadRefusal> {
        if let Some(text) = self.texts.get(path) {
            let text = text.filter(|_| real_path(Path::new(path)).is_some_and(|real| self.allows(&real)));
            return text.map(str::to_owned).ok_or(ReadRefusal::NotFound);
        }
        let real = match Path::new(path).canonicalize() {
            Ok(real) => real,
            Err(error) if is_nothing(&error) => return Err(ReadRefusal::NotFound),
            Err(error) => return Err(ReadRefusal::Refused { reason: error.to_string(), help: None }),
        };
        // As in compilers, a folder of that name does not count as the file.
        if real.is_dir() {
            return Err(ReadRefusal::NotFound);
        }
        if !self.allows(&real) {
            return Err(self.outside(&real));
        }
        read_included(&real).map_err(|error| match error {
            ReadError::Io(error) if is_nothing(&error) => ReadRefusal::NotFound,
            error => ReadRefusal::Refused { reason: error.to_string(), help: None },
        })
    }

    fn in_another_case(&self, path: &str) -> Option<String> {
        let mut found = PathBuf::new();
        for part in Path::new(path).components() {
            let exact = found.join(part);
            if exact.exists() {
                found = exact;
                continue;
            }
            let folder = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
            if !self.allows(&folder.canonicalize().ok()?) {
                return None;
            }
            let name = part.as_os_str().to_str()?.to_lowercase();
            let names =
                entries(folder).ok()?.into_iter().filter_map(|file| file.file_name()?.to_str().map(str::to_owned));
            found.push(names.into_iter().find(|other| other.to_lowercase() == name)?);
        }
        let is_read = found.is_file() && self.allows(&found.canonicalize().ok()?);
        is_read.then(|| found.to_str().map(str::to_owned)).flatten()
    }
}

impl IncludedFiles {
    /// True for a path, with all links resolved, of a file that may be read.
    fn allows(&self, real: &Path) -> bool {
        let inside = self.roots.iter().filter_map(|root| real.strip_prefix(root).ok());
        inside.into_iter().any(|below| below.iter().all(|part| part != OF_VERSION_CONTROL))
    }

    /// True if something is at this path that may not be read.
    pub fn excludes(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| !self.allows(&real))
    }

    /// The folders and files for a compiler that reads the shader: the roots, without the folders of version
    /// control in them.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let mut places = BTreeSet::new();
        for root in &self.roots {
            if root.join(OF_VERSION_CONTROL).exists() {
                // A place counts with what its link leads to.
                let all = entries(root).unwrap_or_default().into_iter();
                places.extend(all.filter(|path| path.canonicalize().is_ok_and(|real| self.allows(&real))));
            } else {
                places.insert(root.clone());
            }
        }
        places.into_iter().collect()
    }

    fn outside(&self, real: &Path) -> ReadRefusal {
        let folder = real.parent().unwrap_or(real).display();
        let roots: Vec<String> = self.roots.iter().map(|root| root.display().to_string()).collect();
        ReadRefusal::Refused {
            reason: format!("it is outside of the project ({})", roots.join(", ")),
            help: Some(format!("-I {folder} allows it")),
        }
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn refused(files: &IncludedFiles, path: &Path) -> Option<String> {
        match files.read(&path.display().to_string()) {
            Err(ReadRefusal::Refused { reason, .. }) => Some(reason),
            Err(ReadRefusal::NotFound) => None,
            Ok(text) => panic!("{} was read: {text}", path.display()),
        }
    }

    #[test]
    fn files_of_the_project_are_read_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["project/.git", "project/shaders", "project/common", "other"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["project/shaders/a.hlsl", "project/common/b.h", "other/c.h"] {
            fs::write(at(name), "x").unwrap();
        }
        fs::write(at("project/.git/config"), "x").unwrap();
        let files = IncludedFiles::of_shader(&at("project/shaders/a.hlsl"), &[]);
        assert!(refused(&files, &at("project/.git/config")).is_some());
        assert_eq!(files.read(&at("project/shaders/../common/b.h").display().to_string()), Ok("x".to_owned()));
        let reason = refused(&files, &at("project/shaders/../../other/c.h")).unwrap();
        assert!(reason.starts_with("it is outside of the project"), "{reason}");
        assert_eq!(refused(&files, &at("project/none.h")), None);
        let other_case = |name: &str| files.in_another_case(&at(name).display().to_string()).map(PathBuf::from);
        assert_eq!(other_case("project/common/B.H"), Some(at("project/common/b.h")));
        assert_eq!(other_case("project/Common/B.H"), Some(at("project/common/b.h")), "folders too");
        assert_eq!(other_case("project/Common"), None, "a folder is no file");
        assert_eq!(other_case("other/C.h"), None, "outside of the project");
        assert_eq!(refused(&files, &at("project/common")), None);

        let named = IncludedFiles::of_shader(&at("project/shaders/a.hlsl"), &[at("other").display().to_string()]);
        assert_eq!(named.read(&at("other/c.h").display().to_string()), Ok("x".to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project/.git")).unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("project/a.h")).unwrap();
        fs::write(folder.path().join("project/a.hlsl"), "x").unwrap();
        let files = IncludedFiles::of_shader(&folder.path().join("project/a.hlsl"), &[]);
        assert!(refused(&files, &folder.path().join("project/a.h")).is_some());
        let root = folder.path().canonicalize().unwrap();
        assert_eq!(files.places(), [root.join("project/a.hlsl")], "neither the link nor version control");
    }

    #[test]
    fn only_files_are_included() {
        let folder = env!("CARGO_MANIFEST_DIR");
        let files = IncludedFiles::of_shader(&Path::new(folder).join("a.hlsl"), &["/dev".to_owned()]);
        assert!(files.read(&format!("{folder}/Cargo.toml")).is_ok());
        assert_eq!(files.read(folder), Err(ReadRefusal::NotFound));
        assert_eq!(files.read("/no/such/file.h"), Err(ReadRefusal::NotFound));
        if cfg!(unix) {
            assert_eq!(refused(&files, Path::new("/dev/zero")).as_deref(), Some("a device is not a regular file"));
        }
    }
}
