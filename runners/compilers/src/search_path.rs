//! Finds programs on the `PATH`, without its relative entries, which would run programs from the
//! working folder.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program with this name in the first folder of `PATH` that has one.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    folders(&env::var_os("PATH")?).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

/// A program as the user names it: a word for the `PATH`, or a path, which is relative to the
/// user's working folder; compilers run in other folders. `None` if the `PATH` has no such word.
pub(crate) fn named(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() < 2 && path.is_relative() && !program.is_empty() {
        on_path(program.to_str()?)
    } else {
        std::path::absolute(path).ok()
    }
}

/// Removes the relative entries from the `PATH` of a child process, since programs look for other
/// programs there.
pub fn keep_absolute_path(command: &mut Command) {
    if let Some(absolute) = env::var_os("PATH").and_then(|path| without_relative(&path)) {
        command.env("PATH", absolute);
    }
}

/// The list without relative entries; `None` if it has none.
fn without_relative(path: &OsStr) -> Option<OsString> {
    let is_relative = |folder: PathBuf| !folder.is_absolute();
    env::split_paths(path).any(is_relative).then(|| env::join_paths(folders(path)).unwrap_or_default())
}

fn folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|folder| folder.is_absolute())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn relative_entries_are_left_out() {
        let kept = |path: &str| without_relative(OsStr::new(path)).map(|kept| kept.into_string().unwrap());
        assert_eq!(kept(".:/usr/bin::/bin:tools:"), Some("/usr/bin:/bin".to_owned()));
        assert_eq!(kept("."), Some(String::new()));
        assert_eq!(kept("/usr/bin:/bin"), None);
    }

    #[test]
    fn a_word_is_on_the_path_and_a_path_is_where_the_user_is() {
        assert!(named(OsStr::new("sh")).is_some_and(|program| program.is_absolute() && program.is_file()));
        assert_eq!(named(OsStr::new("no-such-program")), None);
        assert_eq!(named(OsStr::new("./a/b")), env::current_dir().ok().map(|folder| folder.join("a/b")));
        assert_eq!(named(OsStr::new("/a/b")), Some(PathBuf::from("/a/b")));
    }
}
