//! Paths as code hosts want them: from the root of the repository, without `..`.

use std::env;
use std::path::{Component, Path, PathBuf};

/// The folder from which a code host counts paths, and that from which this process does.
#[derive(Clone, Debug)]
pub struct SourceRoot {
    root: PathBuf,
    here: PathBuf,
}

impl SourceRoot {
    pub fn new(root: &Path, here: &Path) -> Self {
        // The working folder has no links in its path, while variables may.
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self { root: real(root), here: real(here) }
    }

    /// The folder that GitHub checks out, or else that of the repository, or else the working folder.
    pub fn find() -> Self {
        let here = env::current_dir().unwrap_or_default();
        let of_github = env::var_os("GITHUB_WORKSPACE").map(PathBuf::from).filter(|folder| here.starts_with(folder));
        let of_git = || here.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned);
        let root = of_github.or_else(of_git).unwrap_or_else(|| here.clone());
        Self::new(&root, &here)
    }

    /// The path from the root. A file that is not there, because its compiler wrote another folder, is looked for by the
    /// end of its path.
    pub fn path(&self, file: &str) -> String {
        let whole = without_dots(&self.here.join(file));
        let inside = whole.strip_prefix(&self.root).ok();
        if let Some(inside) = inside.filter(|_| whole.exists()) {
            return slashed(inside);
        }
        let names: Vec<Component<'_>> =
            whole.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        // A name alone may be that of another file.
        let ends = (0..names.len().saturating_sub(1)).map(|start| names[start..].iter().collect::<PathBuf>());
        let found = ends.into_iter().find(|end| self.root.join(end).is_file());
        slashed(found.as_deref().or(inside).unwrap_or(&whole))
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A build folder in a part of a repository, and the paths that compilers write there.
    #[test]
    fn paths_are_those_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for inner in ["engine/src", "engine/build"] {
            std::fs::create_dir_all(root.join(inner)).unwrap();
        }
        std::fs::write(root.join("engine/src/frame.cpp"), "").unwrap();
        let at = |here: &str| SourceRoot::new(&root, &root.join(here));
        let absolute = root.join("engine/build/../src/frame.cpp").display().to_string();
        for (here, file) in [
            ("engine/build", "../src/frame.cpp"),
            ("engine", "build/../src/frame.cpp"),
            ("engine", "src/frame.cpp"),
            ("", "engine/./src/frame.cpp"),
            ("engine", &absolute),
            // -ffile-prefix-map=ROOT=/src
            ("engine", "/src/engine/build/../src/frame.cpp"),
        ] {
            assert_eq!(at(here).path(file), "engine/src/frame.cpp", "{file} in {here}");
        }
        assert_eq!(at("engine").path("gone.hlsl"), "engine/gone.hlsl");
        assert_eq!(at("engine").path("/elsewhere/a/../frame.cpp"), "/elsewhere/frame.cpp");
    }
}
