//! The place of an object file's bytes: the input, a member of a library, or a sibling file.

use std::ops::Range;

use crate::{Sibling, SiblingBytes, SiblingFiles};

/// An object file or PDB of the input.
#[derive(Clone, Debug)]
pub(crate) struct ObjectSource {
    /// Name for messages and units.
    pub(crate) name: String,
    /// The file with its bytes.
    pub(crate) file: FileOrigin,
    /// Its bytes in that file.
    pub(crate) range: Range<usize>,
    pub(crate) format: ObjectFormat,
    /// The object whose skeleton units this one completes, by number; `None` except for split
    /// DWARF.
    pub(crate) skeleton: Option<u32>,
    /// The unit identity that a `.dwo` file must have.
    pub(crate) dwo_id: Option<u64>,
}

/// The file with the bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileOrigin {
    Input,
    Dwo { folder: String, name: String },
    Dwp,
    DebugLink { name: String },
    Pdb { path: String },
    Dsym,
}

/// The format of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectFormat {
    /// ELF, Mach-O, PE or COFF.
    Object,
    /// A program database.
    Pdb,
}

/// The bytes of an object, borrowed from the input or held open.
pub(crate) enum ObjectBytes<'data> {
    Input(&'data [u8]),
    Sibling { bytes: SiblingBytes, range: Range<usize> },
}

impl FileOrigin {
    /// The request to the caller; `None` for the input itself.
    pub(crate) fn sibling(&self) -> Option<Sibling<'_>> {
        match self {
            Self::Input => None,
            Self::Dwo { folder, name } => Some(Sibling::Dwo { folder, name }),
            Self::Dwp => Some(Sibling::Dwp),
            Self::DebugLink { name } => Some(Sibling::DebugLink { name }),
            Self::Pdb { path } => Some(Sibling::Pdb { path }),
            Self::Dsym => Some(Sibling::Dsym),
        }
    }

    /// The path or name of the file, for messages. `input` is the name of the input.
    pub(crate) fn label(&self, input: &str) -> String {
        match self {
            Self::Input => input.to_owned(),
            Self::Dwo { name, .. } | Self::DebugLink { name } => name.clone(),
            Self::Dwp => format!("{input}.dwp"),
            Self::Pdb { path } => path.clone(),
            Self::Dsym => format!("{input}.dSYM"),
        }
    }

    pub(crate) fn open<'data>(
        &self,
        input: &'data [u8],
        siblings: &dyn SiblingFiles,
        range: Option<Range<usize>>,
    ) -> Option<ObjectBytes<'data>> {
        let Some(sibling) = self.sibling() else {
            let range = range.unwrap_or(0..input.len());
            return input.get(range).map(ObjectBytes::Input);
        };
        let bytes = siblings.open_sibling(&sibling)?;
        let length = (*bytes).as_ref().len();
        let range = range.unwrap_or(0..length);
        (range.end <= length && range.start <= range.end).then_some(ObjectBytes::Sibling { bytes, range })
    }
}

impl ObjectBytes<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Input(bytes) => bytes,
            Self::Sibling { bytes, range } => (**bytes).as_ref().get(range.clone()).unwrap_or_default(),
        }
    }
}
