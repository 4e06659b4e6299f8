//! Compilation units: who compiled a type, from which source, in which language.

/// Number of a unit in [`crate::FoundTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostUnitId(pub(crate) u32);

/// One compilation unit, or one PDB.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostUnit {
    /// Object file that has it: the name that the caller gave, and behind it the member of an archive or the
    /// architecture of a universal binary in parentheses.
    pub object: String,
    /// Source file that was compiled; empty if not told.
    pub source: String,
    /// Language of the source.
    pub language: HostLanguage,
    /// Compiler and version as it names itself; empty if not told.
    pub producer: String,
}

/// Language of a compilation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostLanguage {
    /// C of any year.
    C,
    /// C++ of any year.
    Cpp,
    /// Rust.
    Rust,
    /// Any other, or not told.
    Other,
}
