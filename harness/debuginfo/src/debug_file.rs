//! A file with debug information; the entry point of the crate.

use crate::implementations::implementations;
use crate::indexing::make_index;
use crate::input::DebugInput;
use crate::reading::read_types;
use crate::{DebugIndex, DebugInfoError, DebugLimits, FoundTypes, Implementation, SiblingFiles, TypeName};

/// A file that may have debug information: an object, a library, an executable or a PDB.
///
/// Only sections that are compressed or need relocation are copied, and only while they are read.
#[derive(Clone, Copy)]
pub struct DebugFile<'data> {
    input: DebugInput<'data>,
}

impl std::fmt::Debug for DebugFile<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DebugFile")
            .field("name", &self.input.name)
            .field("bytes", &self.input.bytes.len())
            .finish()
    }
}

impl<'data> DebugFile<'data> {
    /// Wraps the bytes of a file, usually a memory map. This reads nothing yet.
    ///
    /// `name` appears in messages and in [`crate::HostUnit`]; it is never opened.
    pub fn new(name: &'data str, bytes: &'data [u8], siblings: &'data dyn SiblingFiles) -> Self {
        Self { input: DebugInput { name, bytes, siblings, limits: DebugLimits::default() } }
    }

    #[must_use]
    pub fn with_limits(self, limits: DebugLimits) -> Self {
        Self { input: DebugInput { limits, ..self.input } }
    }

    /// First pass: collects the names of all records and of typedefs of records.
    ///
    /// # Errors
    /// `UnknownFormat` or `DamagedContainer` if the file as a whole is unreadable, `TooMany...` at
    /// a limit. [`DebugIndex::problems`] lists all other problems.
    pub fn index(&self) -> Result<DebugIndex, DebugInfoError> {
        make_index(self.input)
    }

    /// Second pass: reads the types that `is_wanted` selects from the index, together with all
    /// types that make up their bytes.
    ///
    /// # Errors
    /// As [`DebugFile::index`], and `TooManyTypes`. [`FoundTypes::problems`] lists all other
    /// problems.
    pub fn read(
        &self,
        index: &DebugIndex,
        is_wanted: impl Fn(&TypeName<'_>) -> bool,
    ) -> Result<FoundTypes, DebugInfoError> {
        let chosen = index.choose(is_wanted);
        read_types(self.input, index, &chosen)
    }

    /// The traits of these crates that Rust types implement, as far as the file has symbols of their functions.
    pub fn implementations(&self, crates: &[&str]) -> Vec<Implementation> {
        implementations(self.input, crates)
    }
}
