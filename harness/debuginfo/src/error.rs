//! What can go wrong with a file of debug information.

/// Why a file, a unit or a type could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DebugInfoError {
    /// The file is in no known format.
    #[error("{object}: not an object file, library, executable or PDB")]
    UnknownFormat {
        /// Name of the file.
        object: String,
    },
    /// A container is damaged.
    #[error("{object}: damaged {container}: {message}")]
    DamagedContainer {
        /// Name of the file, and of the member if it is in a library.
        object: String,
        /// Kind of container, such as "archive".
        container: &'static str,
        /// What the reader of the container says.
        message: String,
    },
    /// A section could not be decompressed or relocated.
    #[error("{object}: section `{section}`: {message}")]
    DamagedSection {
        /// Name of the file.
        object: String,
        /// Name of the section.
        section: String,
        /// What is wrong.
        message: String,
    },
    /// A section would become too large.
    #[error("{object}: section `{section}` would have {size} bytes; at most {limit} are read")]
    SectionTooLarge {
        /// Name of the file.
        object: String,
        /// Name of the section.
        section: String,
        /// Its size in bytes when decompressed.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// One compilation unit is damaged.
    #[error("{object}: unit at {offset:#x} of .debug_info: {message}")]
    DamagedUnit {
        /// Name of the file.
        object: String,
        /// Offset of the unit, in bytes.
        offset: u64,
        /// What is wrong.
        message: String,
    },
    /// One type is damaged.
    #[error("{object}: type `{name}` at {offset:#x}: {message}")]
    DamagedType {
        /// Name of the file.
        object: String,
        /// Name of the type; empty if it has none.
        name: String,
        /// Offset of its entry in `.debug_info` in bytes, or its number in a PDB.
        offset: u64,
        /// What is wrong.
        message: String,
    },
    /// Types contain each other without end, or too deeply.
    #[error("{object}: type `{name}` at {offset:#x} contains more than {limit} levels of types, or itself")]
    TooDeep {
        /// Name of the file.
        object: String,
        /// Name of the outermost type.
        name: String,
        /// Offset of its entry in bytes, or its number in a PDB.
        offset: u64,
        /// The limit.
        limit: u32,
    },
    /// Too many types.
    #[error("more than {limit} types would have to be read; choose fewer names")]
    TooManyTypes {
        /// The limit.
        limit: u32,
    },
    /// Too many names.
    #[error("{object}: more than {limit} names of types")]
    TooManyNames {
        /// Name of the file.
        object: String,
        /// The limit.
        limit: u32,
    },
    /// Too many object files in a library.
    #[error("{object}: more than {limit} object files")]
    TooManyObjects {
        /// Name of the library.
        object: String,
        /// The limit.
        limit: u32,
    },
    /// A sibling file with debug information was not found.
    #[error("{object}: its debug information is in `{sibling}`, which was not found")]
    SiblingMissing {
        /// Name of the file that refers to it.
        object: String,
        /// Path or name of the sibling.
        sibling: String,
    },
    /// A sibling file belongs to another build.
    #[error("{object}: `{sibling}` belongs to another build")]
    SiblingStale {
        /// Name of the file that refers to it.
        object: String,
        /// Path or name of the sibling.
        sibling: String,
    },
    /// The file keeps what it shares with others in a supplementary file (`dwz -m`), which is not read.
    #[error("{object}: types in the supplementary file `{sibling}` (made by dwz) are not read")]
    SupplementaryFile {
        /// Name of the file.
        object: String,
        /// Name of the supplementary file.
        sibling: String,
    },
    /// A feature of a format that this crate does not read.
    #[error("{object}: {feature} is not read")]
    Unsupported {
        /// Name of the file.
        object: String,
        /// The feature.
        feature: String,
    },
}
