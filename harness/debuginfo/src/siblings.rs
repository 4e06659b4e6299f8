//! Files beside the one that is read: debug information is often kept apart from the program.
//!
//! This crate opens no files. It asks the caller for them by [`SiblingFiles`], with the name that the program gives.

/// Bytes of a sibling file, kept as long as this value lives: a memory map or a `Vec<u8>`.
pub type SiblingBytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// Opens files beside the one that is read.
pub trait SiblingFiles: Sync {
    /// Returns the bytes of a sibling, or `None` if there is no such file.
    ///
    /// Called from several threads, and more than once for the same file.
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes>;
}

/// A file beside the one that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sibling<'a> {
    /// Debug information of one unit (`-gsplit-dwarf`).
    Dwo {
        /// Folder in which the compiler ran; empty if not told.
        folder: &'a str,
        /// File name, in that folder or absolute.
        name: &'a str,
    },
    /// Package of all `.dwo` files of a program: its file name with `.dwp` appended.
    Dwp,
    /// Debug information that was stripped into a file of its own (`.gnu_debuglink`).
    DebugLink {
        /// File name without folder.
        name: &'a str,
    },
    /// Program database of a Windows program.
    Pdb {
        /// Path as the linker wrote it; often one of another machine.
        path: &'a str,
    },
    /// Debug information of a Mac program, in the bundle that `dsymutil` makes:
    /// `NAME.dSYM/Contents/Resources/DWARF/NAME`.
    Dsym,
}

/// Opens nothing: for input that stands alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSiblings;

impl SiblingFiles for NoSiblings {
    fn open_sibling(&self, _: &Sibling<'_>) -> Option<SiblingBytes> {
        None
    }
}
