//! All types of one read. Equal types are stored once, and layouts have numbers so that comparing
//! two is cheap.

use std::collections::HashMap;
use std::ops::Index;

use crate::{
    BitRange, DebugInfoError, DebugLimits, DeclarationPlace, ElementCount, HostBase, HostLayoutId, HostMember,
    HostScalar, HostShape, HostType, HostTypeId, RecordKind,
};

/// Types by number, indexed with a [`HostTypeId`].
#[derive(Debug, Default)]
pub struct HostTypes {
    types: Vec<HostType>,
    numbers: HashMap<TypeKey, HostTypeId>,
    layouts: HashMap<LayoutKey, HostLayoutId>,
}

/// A type without a number yet.
#[derive(Clone, Debug)]
pub(crate) struct NewType {
    pub(crate) name: String,
    pub(crate) shape: HostShape,
    pub(crate) size: Option<u32>,
    pub(crate) alignment: Option<u32>,
    pub(crate) place: Option<DeclarationPlace>,
}

impl NewType {
    /// A type that is not described further.
    pub(crate) fn opaque(name: &str, reason: &str) -> Self {
        let shape = HostShape::Opaque { reason: reason.to_owned() };
        Self { name: name.to_owned(), shape, size: None, alignment: None, place: None }
    }
}

/// A member of a record or of one of its bases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMember<'a> {
    /// The member as its record declares it.
    pub member: &'a HostMember,
    /// Offset in bytes from the start of the requested record.
    pub offset: u32,
    /// Its bits, counted from the start of the requested record.
    pub bits: Option<BitRange>,
    /// The base class that declares it; `None` for the record's own members.
    pub inherited_from: Option<HostTypeId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TypeKey {
    name: String,
    shape: HostShape,
    size: Option<u32>,
    alignment: Option<u32>,
    place: Option<DeclarationPlace>,
}

/// The properties that two types of the same layout share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LayoutKey {
    Record { union: bool, size: Option<u32>, bases: Vec<BaseKey>, members: Vec<MemberKey>, variants: bool },
    Scalar(HostScalar),
    Enum { signed: Option<bool>, size: Option<u32> },
    Pointer { size: Option<u32> },
    Array { element: HostLayoutId, counts: Vec<ElementCount>, stride: Option<u32> },
    Vector { component: HostLayoutId, count: u32, size: Option<u32> },
    Incomplete { name: String, kind: RecordKind },
    Opaque { name: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BaseKey {
    layout: HostLayoutId,
    offset: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MemberKey {
    name: Option<String>,
    layout: HostLayoutId,
    offset: u32,
    bits: Option<BitRange>,
}

impl Index<HostTypeId> for HostTypes {
    type Output = HostType;

    fn index(&self, id: HostTypeId) -> &HostType {
        &self.types[id.0 as usize]
    }
}

impl HostTypes {
    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Follows typedefs to the type that they name.
    pub fn resolve(&self, mut id: HostTypeId) -> HostTypeId {
        // An alias refers to a type with a smaller number, so this ends.
        while let HostShape::Alias(target) = self[id].shape {
            id = target;
        }
        id
    }

    /// Lists the members of a record, those of its bases first, each at its offset in the record.
    ///
    /// Members of virtual bases are left out, because their offsets are known only at run time.
    /// Empty for a type that is not a record.
    pub fn all_members(&self, id: HostTypeId) -> Vec<PlacedMember<'_>> {
        let mut placed = Vec::new();
        self.place_members(id, 0, None, &mut placed);
        placed
    }

    fn place_members<'a>(
        &'a self,
        id: HostTypeId,
        start: u32,
        inherited_from: Option<HostTypeId>,
        placed: &mut Vec<PlacedMember<'a>>,
    ) {
        let id = self.resolve(id);
        let HostShape::Record(record) = &self[id].shape else { return };

        for base in &record.bases {
            if let Some(offset) = base.offset.and_then(|offset| start.checked_add(offset)) {
                self.place_members(base.ty, offset, Some(self.resolve(base.ty)), placed);
            }
        }

        for member in &record.members {
            let Some(offset) = start.checked_add(member.offset) else { continue };
            let bits = member.bits.and_then(|bits| {
                let offset = start.checked_mul(8)?.checked_add(bits.offset)?;
                Some(BitRange { offset, ..bits })
            });
            placed.push(PlacedMember { member, offset, bits, inherited_from });
        }
    }

    /// Numbers a type, or returns the number of an equal one.
    pub(crate) fn add(&mut self, new_type: NewType, limits: &DebugLimits) -> Result<HostTypeId, DebugInfoError> {
        let layout = self.number_layout(&new_type);
        let NewType { name, shape, size, alignment, place } = new_type;
        let key = TypeKey { name, shape, size, alignment, place };
        if let Some(&id) = self.numbers.get(&key) {
            return Ok(id);
        }

        let id = u32::try_from(self.types.len()).ok().filter(|&number| number < limits.types);
        let id = HostTypeId(id.ok_or(DebugInfoError::TooManyTypes { limit: limits.types })?);
        let TypeKey { name, shape, size, alignment, place } = key.clone();
        self.types.push(HostType { name, shape, size, alignment, place, layout });
        self.numbers.insert(key, id);
        Ok(id)
    }

    fn number_layout(&mut self, new_type: &NewType) -> HostLayoutId {
        let size = new_type.size;
        let key = match &new_type.shape {
            HostShape::Alias(target) => return self[*target].layout,
            HostShape::Record(record) => LayoutKey::Record {
                union: record.kind == RecordKind::Union,
                size,
                bases: record.bases.iter().map(|base| self.base_key(base)).collect(),
                members: record.members.iter().map(|member| self.member_key(member)).collect(),
                variants: record.has_variants,
            },
            HostShape::Scalar(scalar) => LayoutKey::Scalar(*scalar),
            HostShape::Enum { signed } => LayoutKey::Enum { signed: *signed, size },
            HostShape::Pointer { .. } => LayoutKey::Pointer { size },
            HostShape::Array(array) => LayoutKey::Array {
                element: self[array.element].layout,
                counts: array.counts.clone(),
                stride: array.stride,
            },
            HostShape::Vector { component, count } => {
                LayoutKey::Vector { component: self[*component].layout, count: *count, size }
            }
            HostShape::Incomplete(kind) => LayoutKey::Incomplete { name: new_type.name.clone(), kind: *kind },
            HostShape::Opaque { .. } => LayoutKey::Opaque { name: new_type.name.clone() },
        };

        let next = HostLayoutId(u32::try_from(self.layouts.len()).expect("there are no more layouts than types"));
        *self.layouts.entry(key).or_insert(next)
    }

    fn base_key(&self, base: &HostBase) -> BaseKey {
        BaseKey { layout: self[base.ty].layout, offset: base.offset }
    }

    fn member_key(&self, member: &HostMember) -> MemberKey {
        MemberKey {
            name: member.name.clone(),
            layout: self[member.ty].layout,
            offset: member.offset,
            bits: member.bits,
        }
    }
}
