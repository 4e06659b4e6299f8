//! The input of a read: a file, the files next to it, and limits on the cost.
//!
//! Debug information is often separate from the program. This crate opens no files: it requests
//! siblings from the caller through [`SiblingFiles`], by the name that the program records.

#[derive(Clone, Copy)]
pub(crate) struct DebugInput<'data> {
    /// Name of the file, for messages.
    pub(crate) name: &'data str,
    pub(crate) bytes: &'data [u8],
    pub(crate) siblings: &'data dyn SiblingFiles,
    pub(crate) limits: DebugLimits,
}

/// Limits of one read. The defaults are far above the needs of real programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLimits {
    /// Maximum nesting of types.
    pub depth: u32,
    pub types: u32,
    pub members: u32,
    /// Maximum number of type names in the index.
    pub names: u32,
    /// Maximum size of a section, in bytes.
    pub section_bytes: u64,
    /// Maximum size of all compressed sections of an object, in bytes after decompression: those are in
    /// memory, while others stay in the file.
    pub unpacked_bytes: u64,
    /// Maximum number of object files in an archive.
    pub objects: u32,
    /// Maximum number of threads; 0 means one per core.
    pub threads: u32,
}

impl Default for DebugLimits {
    fn default() -> Self {
        Self {
            depth: 200,
            types: 1_000_000,
            members: 100_000,
            names: 20_000_000,
            section_bytes: 4 << 30,
            unpacked_bytes: 1 << 30,
            objects: 1_000_000,
            threads: 0,
        }
    }
}

/// The bytes of a sibling file, kept as long as this value lives: a memory map or a `Vec<u8>`.
pub type SiblingBytes = Box<dyn AsRef<[u8]> + Send + Sync>;

pub trait SiblingFiles: Sync {
    /// Returns the bytes of a sibling, or `None` if there is no such file.
    ///
    /// Several threads call this, possibly more than once for the same file.
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes>;
}

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
