//! Errors in files of debug information.

/// The reason why a file, a unit or a type could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DebugInfoError {
    #[error("{object}: not an object file, library, executable, PDB or layout file")]
    UnknownFormat { object: String },
    #[error("{object}: damaged {container}: {message}")]
    DamagedContainer {
        /// Name of the file, followed by the member if it is in a library.
        object: String,
        /// Kind of container, for example "archive".
        container: &'static str,
        message: String,
    },
    /// A section could not be decompressed or relocated.
    #[error("{object}: section `{section}`: {message}")]
    DamagedSection { object: String, section: String, message: String },
    #[error("{object}: section `{section}` would have {size} bytes; at most {limit} are read")]
    SectionTooLarge { object: String, section: String, size: u64, limit: u64 },
    #[error(
        "{object}: section `{section}` unpacks to {size} bytes, of which at most {limit} are read; `objcopy \
         --decompress-debug-sections` makes an object that is read in place"
    )]
    UnpacksTooLarge { object: String, section: String, size: u64, limit: u64 },
    #[error("{object}: unit at {offset:#x} of .debug_info: {message}")]
    DamagedUnit { object: String, offset: u64, message: String },
    #[error("{object}: type `{name}` at {offset:#x}: {message}")]
    DamagedType {
        object: String,
        /// Name of the type; empty if it has none.
        name: String,
        /// Offset of its entry in `.debug_info` in bytes, or its number in a PDB.
        offset: u64,
        message: String,
    },
    /// Types contain each other endlessly or too deeply.
    #[error("{object}: type `{name}` at {offset:#x} contains more than {limit} levels of types, or itself")]
    TooDeep {
        object: String,
        name: String,
        /// Offset of its entry in bytes, or its number in a PDB.
        offset: u64,
        limit: u32,
    },
    #[error("more than {limit} types have to be read; choose fewer names")]
    TooManyTypes { limit: u32 },
    #[error("{object}: more than {limit} names of types")]
    TooManyNames { object: String, limit: u32 },
    #[error("{object}: more than {limit} object files")]
    TooManyObjects { object: String, limit: u32 },
    /// A sibling file with debug information was not found.
    #[error("{object}: its debug information is in `{sibling}`, which was not found")]
    SiblingMissing { object: String, sibling: String },
    /// A sibling file belongs to another build.
    #[error("{object}: `{sibling}` belongs to another build")]
    SiblingStale { object: String, sibling: String },
    /// The file shares types with others through a supplementary file (`dwz -m`), which this crate
    /// does not read.
    #[error("{object}: types in the supplementary file `{sibling}` (made by dwz) are not read")]
    SupplementaryFile { object: String, sibling: String },
    /// A feature of a format that this crate does not read.
    #[error("{object}: {feature} is not read")]
    Unsupported { object: String, feature: String },
}

impl DebugInfoError {
    pub fn type_name(&self) -> Option<&str> {
        match self {
            Self::DamagedType { name, .. } | Self::TooDeep { name, .. } => Some(name),
            _ => None,
        }
    }
}
