//! One file with debug information: entry point of the crate.

use crate::debug_input::DebugInput;
use crate::indexing::make_index;
use crate::reading::read_types;
use crate::{DebugIndex, DebugInfoError, DebugLimits, FoundTypes, SiblingFiles, TypeName};

/// A file that may have debug information: an object, library, executable or PDB.
///
/// Nothing of it is copied but what is compressed or has to be relocated, and that only while it is read.
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
    /// Takes the bytes of a file, usually a memory map. Nothing is read yet.
    ///
    /// `name` stands in messages and in [`crate::HostUnit`]; it is not opened.
    pub fn new(name: &'data str, bytes: &'data [u8], siblings: &'data dyn SiblingFiles) -> Self {
        Self { input: DebugInput { name, bytes, siblings, limits: DebugLimits::default() } }
    }

    /// Sets other limits than the default ones.
    #[must_use]
    pub fn with_limits(self, limits: DebugLimits) -> Self {
        Self { input: DebugInput { limits, ..self.input } }
    }

    /// First pass: collects the names of all records and of typedefs of records.
    ///
    /// # Errors
    /// `UnknownFormat` or `DamagedContainer` if the file as a whole cannot be read, `TooMany...` at a limit. What else
    /// cannot be read is in [`DebugIndex::problems`].
    pub fn index(&self) -> Result<DebugIndex, DebugInfoError> {
        make_index(self.input)
    }

    /// Second pass: reads the types that `is_wanted` chooses from the index, with everything that their bytes are made
    /// of.
    ///
    /// # Errors
    /// As [`DebugFile::index`], and `TooManyTypes`. What else cannot be read is in [`FoundTypes::problems`].
    pub fn read(
        &self,
        index: &DebugIndex,
        is_wanted: impl Fn(&TypeName<'_>) -> bool,
    ) -> Result<FoundTypes, DebugInfoError> {
        let chosen = index.choose(is_wanted);
        read_types(self.input, index, &chosen)
    }
}
