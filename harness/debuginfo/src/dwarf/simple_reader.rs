//! Reads types without members: scalars, enumerations, pointers and typedefs.

use super::entry::Entry;
use super::type_key::TypeKey;
use super::type_reader::{TypeReader, UnitInUse};
use crate::type_table::NewType;
use crate::{DebugInfoError, HostScalar, HostShape, HostTypeId, ScalarClass};

impl<'a> TypeReader<'a, '_> {
    pub(super) fn read_alias(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        let target = self.read_target(key, entry, depth)?;
        self.add(NewType {
            name: self.name(in_use, key, entry),
            shape: HostShape::Alias(target),
            size: self.types[target].size,
            alignment: entry.stated_alignment().or(self.types[target].alignment),
            place: in_use.place(entry),
        })
    }

    pub(super) fn read_scalar(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
    ) -> Result<HostTypeId, DebugInfoError> {
        let bits = entry.bit_size.map(|bits| bits.div_ceil(8));
        let size = self.size(key, entry.byte_size.or(bits).unwrap_or(0))?;
        let class = entry.encoding.map_or(ScalarClass::Other, scalar_class);
        self.add(NewType {
            name: self.name(in_use, key, entry),
            shape: HostShape::Scalar(HostScalar { class, size }),
            size: Some(size),
            alignment: entry.stated_alignment(),
            place: None,
        })
    }

    pub(super) fn read_enum(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        if entry.is_declaration || entry.signature.is_some() {
            return self.read_declaration(in_use, key, entry, depth);
        }
        let integer = match &entry.ty {
            Some(_) => Some(self.read_target(key, entry, depth)?),
            None => None,
        };
        let integer = integer.map(|integer| &self.types[self.types.resolve(integer)]);
        let signed = match integer.map(|integer| &integer.shape) {
            Some(HostShape::Scalar(scalar)) => Some(scalar.is_signed()),
            _ => entry.encoding.map(|encoding| HostScalar { class: scalar_class(encoding), size: 0 }.is_signed()),
        };
        let integer_size = integer.and_then(|integer| integer.size);
        let size = match entry.byte_size {
            Some(size) => Some(self.size(key, size)?),
            None => integer_size,
        };
        self.add(NewType {
            name: self.name(in_use, key, entry),
            shape: HostShape::Enum { signed },
            size,
            alignment: entry.stated_alignment(),
            place: in_use.place(entry),
        })
    }

    pub(super) fn read_pointer(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
    ) -> Result<HostTypeId, DebugInfoError> {
        let target = entry.ty.as_ref().and_then(|target| self.resolve(key.unit, target));
        let target = match target {
            Some(target) => self.type_name(target, 0),
            None => "void".to_owned(),
        };
        // Only pointers to member functions differ in size, and compilers state it for them.
        let size = entry.byte_size.unwrap_or(u64::from(in_use.unit.header.address_size()));
        let size = self.size(key, size)?;
        self.add(NewType {
            name: self.type_name(key, 0),
            shape: HostShape::Pointer { target },
            size: Some(size),
            alignment: entry.stated_alignment(),
            place: None,
        })
    }
}

fn scalar_class(encoding: gimli::DwAte) -> ScalarClass {
    match encoding {
        gimli::DW_ATE_float => ScalarClass::Float,
        gimli::DW_ATE_signed => ScalarClass::Signed,
        gimli::DW_ATE_unsigned => ScalarClass::Unsigned,
        gimli::DW_ATE_boolean => ScalarClass::Bool,
        gimli::DW_ATE_signed_char => ScalarClass::Character { signed: true },
        gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF | gimli::DW_ATE_ASCII | gimli::DW_ATE_UCS => {
            ScalarClass::Character { signed: false }
        }
        _ => ScalarClass::Other,
    }
}
