//! The result of a read: the requested names, each with all its distinct layouts.

use crate::{DebugInfoError, DeclarationPlace, HostTypeId, HostTypes};

/// The types read, together with all types that make up their bytes.
#[derive(Debug, Default)]
pub struct FoundTypes {
    pub types: HostTypes,
    /// The requested names, in alphabetical order.
    pub named: Vec<NamedHostType>,
    /// The units that layouts refer to, by number.
    pub units: Vec<HostUnit>,
    /// Parts that could not be read. They do not affect the rest.
    pub problems: Vec<DebugInfoError>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedHostType {
    pub name: String,
    /// Its distinct layouts, the most frequent first. Empty if all units only declare the type.
    pub layouts: Vec<NamedLayout>,
    /// Units that declare the name without a definition.
    pub declared_in: Vec<HostUnitId>,
}

/// A layout of a name, and the units that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLayout {
    /// The type as the first of these units describes it.
    pub ty: HostTypeId,
    /// Units that have this layout, ascending.
    pub units: Vec<HostUnitId>,
    /// Distinct declaration places, ascending. There are several if equal structs are declared
    /// separately.
    pub places: Vec<DeclarationPlace>,
}

impl FoundTypes {
    pub fn find(&self, name: &str) -> Option<&NamedHostType> {
        let position = self.named.binary_search_by(|named| named.name.as_str().cmp(name)).ok()?;
        self.named.get(position)
    }

    /// # Panics
    /// If the number is from another read.
    pub fn unit(&self, id: HostUnitId) -> &HostUnit {
        &self.units[id.0 as usize]
    }
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostLanguage {
    /// C of any version.
    C,
    /// C++ of any version.
    Cpp,
    Rust,
    Zig,
    Other,
}
