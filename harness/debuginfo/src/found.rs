//! What a read returns: the requested names, each with all its distinct layouts.

use crate::{DebugInfoError, DeclarationPlace, HostTypeId, HostTypes, HostUnit, HostUnitId};

/// Types that were read, with everything that their bytes are made of.
#[derive(Debug, Default)]
pub struct FoundTypes {
    /// All types, by number.
    pub types: HostTypes,
    /// The requested names in alphabetical order.
    pub named: Vec<NamedHostType>,
    /// Units that the layouts name, by number.
    pub units: Vec<HostUnit>,
    /// What could not be read. The rest was read all the same.
    pub problems: Vec<DebugInfoError>,
}

/// One requested name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedHostType {
    /// Qualified name.
    pub name: String,
    /// Its distinct layouts, the one of most units first. Empty if all units only declare the type.
    pub layouts: Vec<NamedLayout>,
    /// Units that declare the name without a definition.
    pub declared_in: Vec<HostUnitId>,
}

/// One layout of a name, and who has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLayout {
    /// The type as the first of the units describes it.
    pub ty: HostTypeId,
    /// Units that have this layout, ascending.
    pub units: Vec<HostUnitId>,
    /// Distinct declaration places, ascending: more than one if equal structs were declared apart.
    pub places: Vec<DeclarationPlace>,
}

impl FoundTypes {
    /// Returns the entry of a qualified name.
    pub fn find(&self, name: &str) -> Option<&NamedHostType> {
        let position = self.named.binary_search_by(|named| named.name.as_str().cmp(name)).ok()?;
        self.named.get(position)
    }

    /// Returns a unit.
    ///
    /// # Panics
    /// If the number is from another read.
    pub fn unit(&self, id: HostUnitId) -> &HostUnit {
        &self.units[id.0 as usize]
    }
}
