//! Asks the system's loader for the libraries that it links to a program.
//!
//! Source: glibc's `ld.so(8)`, `--list`; musl's `ldso/dynlink.c` has the same option.

use std::io::{self, Error};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use object::read::elf::{ElfFile32, ElfFile64, FileHeader, ProgramHeader};
use object::{FileKind, ReadCache, ReadRef};

use crate::child::{ProcessEnd, run};

/// Time limit for the loader to list libraries.
const LIMIT: Duration = Duration::from_secs(10);

/// A file as the Linux loader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LoaderFile {
    /// A program or library for this kind of system.
    Program {
        /// The loader that the program names; `None` if it links no libraries.
        interpreter: Option<PathBuf>,
    },
    /// A script, or a file of another system.
    Other,
}

/// Reads the name of a program's loader.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub(super) fn interpreter_of(program: &Path) -> io::Result<LoaderFile> {
    let file = std::fs::File::open(program)?;
    let cache = ReadCache::new(file);
    let interpreter = match FileKind::parse(&cache) {
        Ok(FileKind::Elf64) => ElfFile64::<object::Endianness, _>::parse(&cache)
            .and_then(|elf| interpreter(elf.elf_header(), elf.endian(), &cache)),
        Ok(FileKind::Elf32) => ElfFile32::<object::Endianness, _>::parse(&cache)
            .and_then(|elf| interpreter(elf.elf_header(), elf.endian(), &cache)),
        Ok(_) | Err(_) => return Ok(LoaderFile::Other),
    };
    interpreter.map(|interpreter| LoaderFile::Program { interpreter }).map_err(Error::other)
}

fn interpreter<'data, Header: FileHeader>(
    header: &Header,
    endian: Header::Endian,
    data: impl ReadRef<'data>,
) -> object::Result<Option<PathBuf>> {
    for segment in header.program_headers(endian, data)? {
        if let Some(path) = segment.interpreter(endian, data)? {
            return Ok(Some(PathBuf::from(String::from_utf8_lossy(path).into_owned())));
        }
    }
    Ok(None)
}

/// The libraries that `loader` links to a file, and the loader itself. `None` if the loader does
/// not list them or misses one.
pub(super) fn linked_libraries(loader: &Path, file: &Path) -> Option<Vec<PathBuf>> {
    // Never starts a file from the working folder.
    if !loader.is_absolute() {
        return None;
    }
    let listed = run(Command::new(loader).arg("--list").arg(file), LIMIT).ok()?;
    if listed.end == ProcessEnd::Exited(0) { libraries_in(&listed.stdout) } else { None }
}

/// Parses the loader's list.
///
/// Source: glibc 2.36, lines like `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)`,
/// `linux-vdso.so.1 (0x…)`, `libx.so => not found` and `statically linked`, each after a tab.
fn libraries_in(listed: &str) -> Option<Vec<PathBuf>> {
    let mut libraries = Vec::new();
    for line in listed.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line == "statically linked" {
            continue;
        }
        let library = line.split_once(" => ").map_or(line, |(_, path)| path);
        let (path, _) = library.rsplit_once(" (0x")?;
        // The kernel's vdso is not a file.
        if path.starts_with('/') {
            libraries.push(PathBuf::from(path).canonicalize().ok()?);
        } else if !path.starts_with("linux-vdso") && !path.starts_with("linux-gate") {
            return None;
        }
    }
    Some(libraries)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A dynamically linked shell links at least the C library.
    #[test]
    fn a_program_of_the_system_lists_its_libraries() {
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        let LoaderFile::Program { interpreter } = interpreter_of(&shell).unwrap() else { panic!("a script") };
        if let Some(loader) = interpreter {
            let libraries = linked_libraries(&loader, &shell).unwrap();
            assert!(libraries.iter().any(|path| path.display().to_string().contains("libc")), "{libraries:?}");
            assert!(libraries.contains(&loader.canonicalize().unwrap()), "{libraries:?}");
        }
    }

    #[test]
    fn a_list_that_is_not_understood_is_none() {
        // The output of glibc 2.36 for glslangValidator 12.0.0, shortened, and for a program that
        // lacks a library.
        let listed = "\tlinux-vdso.so.1 (0x00007fd1d6e6f000)\n\t/bin/sh (0x00007fd1d6e71000)\n";
        assert_eq!(libraries_in(listed), Some(vec![PathBuf::from("/bin/sh").canonicalize().unwrap()]));
        assert_eq!(libraries_in("\tstatically linked\n"), Some(Vec::new()));
        assert_eq!(libraries_in("\tlibx.so => not found\n"), None);
        assert_eq!(libraries_in("\tlibx.so => /no/such/libx.so (0x00007fd1d6e71000)\n"), None);
        assert_eq!(libraries_in("usage: sh\n"), None);
    }

    #[test]
    fn scripts_and_other_systems_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("script", &b"#!/bin/sh\n"[..]), ("dll", b"MZ"), ("empty", b"")] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            assert_eq!(interpreter_of(&path).unwrap(), LoaderFile::Other, "{name}");
        }
        assert!(interpreter_of(&folder.path().join("absent")).is_err());
    }
}
