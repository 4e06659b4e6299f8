//! Compilation units: the compiler, source and language of a type.

/// Number of a unit in [`crate::FoundTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostUnitId(pub(crate) u32);

/// A compilation unit, or a PDB.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostUnit {
    /// Its object file: the name that the caller gave, followed by the archive member or the
    /// architecture of a universal binary in parentheses.
    pub object: String,
    /// Source file; empty if unknown.
    pub source: String,
    pub language: HostLanguage,
    /// The compiler and version as it reports them; empty if unknown.
    pub producer: String,
}

/// The language of a compilation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostLanguage {
    /// C of any version.
    C,
    /// C++ of any version.
    Cpp,
    Rust,
    /// Any other, or unknown.
    Other,
}
