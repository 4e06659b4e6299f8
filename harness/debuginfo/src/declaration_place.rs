//! Where the source declares something.

/// Where something was declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationPlace {
    /// File as the debug information writes it: absolute where it says in which folder the compiler ran.
    pub file: String,
    /// Line, counted from 1; `None` if only the file is known.
    pub line: Option<u32>,
}
