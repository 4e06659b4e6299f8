//! Places of declarations in the source.

/// The place of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationPlace {
    /// The file as the debug information writes it; absolute if that also records the compiler's
    /// working folder.
    pub file: String,
    /// Line, counted from 1; `None` if only the file is known.
    pub line: Option<u32>,
}
