//! Sibling files of the input. Debug information is often separate from the program.
//!
//! This crate opens no files. It requests them from the caller through [`SiblingFiles`], by the
//! name that the program records.

/// The bytes of a sibling file, kept as long as this value lives: a memory map or a `Vec<u8>`.
pub type SiblingBytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// Opens the sibling files of the input.
pub trait SiblingFiles: Sync {
    /// Returns the bytes of a sibling, or `None` if there is no such file.
    ///
    /// Several threads call this, possibly more than once for the same file.
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes>;
}

/// A sibling file of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sibling<'a> {
    /// Debug information of one unit (`-gsplit-dwarf`).
    Dwo {
        /// Working folder of the compiler; empty if unknown.
        folder: &'a str,
        /// File name, relative to that folder or absolute.
        name: &'a str,
    },
    /// Package of all `.dwo` files of a program: its file name with `.dwp` appended.
    Dwp,
    /// Debug information that was stripped into a separate file (`.gnu_debuglink`).
    DebugLink {
        /// File name without folder.
        name: &'a str,
    },
    /// Program database of a Windows program.
    Pdb {
        /// Path as the linker wrote it, often from another machine.
        path: &'a str,
    },
    /// Debug information of a Mac program, in the bundle that `dsymutil` makes:
    /// `NAME.dSYM/Contents/Resources/DWARF/NAME`.
    Dsym,
}

/// Opens nothing, for input without siblings.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSiblings;

impl SiblingFiles for NoSiblings {
    fn open_sibling(&self, _: &Sibling<'_>) -> Option<SiblingBytes> {
        None
    }
}
