//! Shared helpers: find compilers, run them, and let a compiler check the result.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use layoutproof_debuginfo::{
    DebugFile, DebugIndex, FoundTypes, HostShape, HostTypeId, HostTypes, Sibling, SiblingBytes, SiblingFiles,
};

/// The folder of one test, removed at its end.
pub(crate) struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Runs a tool in the folder; `None`, with a printed reason, if it is not installed. Panics if it fails.
    pub(crate) fn run<Argument: AsRef<OsStr>>(&self, tool: &str, arguments: &[Argument]) -> Option<String> {
        self.try_run(tool, arguments).map(|outcome| outcome.unwrap_or_else(|error| panic!("{error}")))
    }

    /// As `run`, but returns the output of a tool that fails.
    pub(crate) fn try_run<Argument: AsRef<OsStr>>(
        &self,
        tool: &str,
        arguments: &[Argument],
    ) -> Option<Result<String, String>> {
        let Some(program) = find_tool(tool) else {
            eprintln!("skipped: {tool} is not installed");
            return None;
        };
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments.iter().map(AsRef::as_ref));
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("{command:?} failed: {error}"))
        })
    }
}

/// Finds a tool, also under a versioned name such as `clang++-22` or in an LLVM folder.
pub(crate) fn find_tool(tool: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let versions = (13..40).rev().map(|version| format!("{tool}-{version}"));
    for name in std::iter::once(tool.to_owned()).chain(versions) {
        if let Some(folder) = folders.iter().find(|folder| folder.join(&name).is_file()) {
            return Some(folder.join(name));
        }
    }
    let llvm = (13..40).rev().map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/bin/{tool}")));
    llvm.into_iter().find(|path| path.is_file())
}

/// Finds siblings in the folder of the input file.
pub(crate) struct BesideFile {
    pub(crate) path: PathBuf,
}

impl SiblingFiles for BesideFile {
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let path = match sibling {
            Sibling::Dwo { folder: compiled_in, name } => folder.join(compiled_in).join(name),
            Sibling::Dwp => PathBuf::from(format!("{}.dwp", self.path.display())),
            Sibling::DebugLink { name } => folder.join(name),
            Sibling::Pdb { path } => folder.join(path.rsplit(['/', '\\']).next()?),
            Sibling::Dsym => {
                let bundle = PathBuf::from(format!("{}.dSYM", self.path.display()));
                bundle.join("Contents/Resources/DWARF").join(self.path.file_name()?)
            }
        };
        Some(Box::new(std::fs::read(path).ok()?))
    }
}

/// An index and the types of the chosen names.
pub(crate) struct Read {
    pub(crate) index: DebugIndex,
    pub(crate) found: FoundTypes,
}

/// Reads names from a file, and panics on any problem.
pub(crate) fn read_names(path: &Path, names: &[&str]) -> Read {
    let read = try_read_names(path, names);
    assert_eq!(read.index.problems(), &[], "{}", path.display());
    assert_eq!(read.found.problems, &[], "{}", path.display());
    read
}

/// Reads names from a file, with problems.
pub(crate) fn try_read_names(path: &Path, names: &[&str]) -> Read {
    let bytes = std::fs::read(path).unwrap();
    let siblings = BesideFile { path: path.to_owned() };
    let name = path.file_name().unwrap().to_str().unwrap();
    let file = DebugFile::new(name, &bytes, &siblings);
    let index = file.index().unwrap();
    let found = file.read(&index, |name| names.contains(&name.name)).unwrap();
    Read { index, found }
}

impl Read {
    /// The only layout of a name.
    pub(crate) fn only(&self, name: &str) -> HostTypeId {
        let named = self.found.find(name).unwrap_or_else(|| panic!("`{name}` is not in the index"));
        assert_eq!(named.layouts.len(), 1, "`{name}`: {named:?}");
        self.found.types.resolve(named.layouts[0].ty)
    }

    /// Member names and offsets, as `x@0 y@4`, bits as `a@0:0+3`, unnamed members as `?`.
    pub(crate) fn offsets(&self, name: &str) -> String {
        let members = self.found.types.all_members(self.only(name));
        let texts = members.iter().map(|placed| {
            let bits = placed.bits.map(|bits| format!(":{}+{}", bits.offset, bits.size)).unwrap_or_default();
            format!("{}@{}{bits}", placed.member.name.as_deref().unwrap_or("?"), placed.offset)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    /// Statements that a C++ compiler accepts only if it places the members of `name` as the reader
    /// reported.
    pub(crate) fn cpp_asserts(&self, name: &str) -> String {
        let ty = self.only(name);
        let mut text = String::new();
        let size = self.found.types[ty].size.unwrap();
        writeln!(text, "static_assert(sizeof({name}) == {size}, \"size\");").unwrap();
        assert_members(&self.found.types, name, ty, 0, &mut text);
        text
    }
}

fn assert_members(types: &HostTypes, name: &str, ty: HostTypeId, start: u32, text: &mut String) {
    for placed in types.all_members(ty) {
        let offset = start + placed.offset;
        match &placed.member.name {
            None => assert_members(types, name, placed.member.ty, offset, text),
            Some(_) if placed.member.is_artificial || placed.bits.is_some() => {}
            Some(member) => {
                let is_reference = matches!(&types[types.resolve(placed.member.ty)].shape, HostShape::Pointer { .. });
                writeln!(text, "static_assert(__builtin_offsetof({name}, {member}) == {offset}, \"{member}\");")
                    .unwrap();
                if let Some(size) = types[placed.member.ty].size.filter(|_| !is_reference) {
                    writeln!(text, "static_assert(sizeof({name}::{member}) == {size}, \"size of {member}\");").unwrap();
                }
            }
        }
    }
}
