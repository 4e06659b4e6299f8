//! Reads structs, classes and unions: members, bases, bit-fields and template parameters.

use super::entry::{Entry, MemberOffset, record_kind};
use super::object::TypeKey;
use super::type_reader::{CurrentEntry, TypeReader, UnitInUse};
use crate::{
    BitRange, DebugInfoError, HostBase, HostLanguage, HostMember, HostRecord, HostShape, HostTypeId, LayoutContract,
    TemplateParameter,
};

impl<'a> TypeReader<'a, '_> {
    pub(super) fn read_record(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let CurrentEntry { in_use, key, entry, .. } = at;
        if entry.is_declaration || entry.signature.is_some() {
            return self.read_declaration(at);
        }

        let mut record = HostRecord {
            kind: record_kind(entry.tag),
            bases: Vec::new(),
            members: Vec::new(),
            template_parameters: Vec::new(),
            contract: LayoutContract::OtherLanguage,
            has_variants: false,
        };
        for child in self.record_children(in_use, key)? {
            match child.tag {
                gimli::DW_TAG_inheritance => record.bases.push(self.read_base(at.child(&child))?),
                gimli::DW_TAG_variant_part => record.has_variants = true,
                gimli::DW_TAG_member => record.members.extend(self.read_member(at.child(&child))?),
                _ => record.template_parameters.push(self.read_template_parameter(at.child(&child))),
            }
        }
        record.contract = self.contract(in_use, &record);

        let size = entry.byte_size.map(|size| self.size(key, size)).transpose()?;
        let past_the_end = || self.types.member_past_the_end(&record, size?);
        if let Some(message) = past_the_end().or_else(|| self.types.shared_bytes(&record)) {
            return Err(self.damaged(key, message));
        }
        self.add(self.new_type(at, HostShape::Record(record), size))
    }

    fn record_children(&self, in_use: &UnitInUse<'a>, key: TypeKey) -> Result<Vec<Entry<'a>>, DebugInfoError> {
        let is_wanted = |tag| {
            matches!(
                tag,
                gimli::DW_TAG_member
                    | gimli::DW_TAG_inheritance
                    | gimli::DW_TAG_variant_part
                    | gimli::DW_TAG_template_type_parameter
                    | gimli::DW_TAG_template_value_parameter
            )
        };
        self.children(in_use, key, self.limits.members, "members", is_wanted)
    }

    fn read_base(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostBase, DebugInfoError> {
        let CurrentEntry { key, entry: child, .. } = at;
        let ty = self.read_target(at)?;
        let offset = match child.member_offset {
            MemberOffset::Bytes(offset) if !child.is_virtual => Some(self.size(key, offset)?),
            MemberOffset::Unstated if !child.is_virtual => Some(0),
            MemberOffset::Bytes(_) | MemberOffset::Unstated | MemberOffset::Computed => None,
        };
        Ok(HostBase { ty, offset })
    }

    /// Returns `None` for a static member.
    fn read_member(&mut self, at: CurrentEntry<'_, 'a>) -> Result<Option<HostMember>, DebugInfoError> {
        let CurrentEntry { key, entry: child, .. } = at;
        let has_offset = child.member_offset != MemberOffset::Unstated || child.data_bit_offset.is_some();
        let is_constant = child.constant.is_some() && !has_offset;
        if child.is_external || child.is_declaration || is_constant {
            return Ok(None);
        }

        let ty = self.read_target(at)?;
        let start = match child.member_offset {
            MemberOffset::Bytes(offset) => offset,
            MemberOffset::Unstated => 0,
            MemberOffset::Computed => {
                return Err(self.damaged(key, "the offset of a member depends on the running program"));
            }
        };
        let bits = self.bit_range(key, child, ty, start)?;
        let offset = match bits {
            Some(bits) => bits.offset / 8,
            None => self.size(key, start)?,
        };

        Ok(Some(HostMember {
            name: self.own_name(at).filter(|name| !name.is_empty()),
            ty,
            offset,
            bits,
            is_artificial: child.is_artificial,
            alignment: child.stated_alignment(),
            place: at.place(),
        }))
    }

    /// Returns the bits of a bit-field, counted from the start of the record.
    fn bit_range(
        &self,
        key: TypeKey,
        child: &Entry<'a>,
        ty: HostTypeId,
        start: u64,
    ) -> Result<Option<BitRange>, DebugInfoError> {
        let Some(size) = child.bit_size else { return Ok(None) };
        let overflow = || self.damaged(key, "the bits of a member are out of range");
        let start_bits = start.checked_mul(8).ok_or_else(overflow)?;

        let offset = match (child.data_bit_offset, child.old_bit_offset) {
            (Some(offset), _) => start_bits.checked_add(offset),
            (None, None) => Some(start_bits),
            (None, Some(from_top)) if self.is_big_endian() => start_bits.checked_add(from_top),
            (None, Some(from_top)) => {
                let unit = child.byte_size.or(self.types[ty].size.map(u64::from)).ok_or_else(overflow)?;
                // The old form counts from the highest bit of the storage unit.
                let end = start_bits.checked_add(unit.checked_mul(8).ok_or_else(overflow)?);
                end.and_then(|end| end.checked_sub(from_top)).and_then(|end| end.checked_sub(size))
            }
        };
        let offset = offset.and_then(|offset| u32::try_from(offset).ok()).ok_or_else(overflow)?;
        let size = u32::try_from(size).ok().filter(|size| offset.checked_add(*size).is_some()).ok_or_else(overflow)?;
        Ok(Some(BitRange { offset, size }))
    }

    fn read_template_parameter(&self, at: CurrentEntry<'_, 'a>) -> TemplateParameter {
        let CurrentEntry { key, entry: child, .. } = at;
        let name = self.own_name(at).unwrap_or_default();
        let argument = match child.tag {
            gimli::DW_TAG_template_value_parameter => child.constant.map(|value| value.to_string()),
            _ => child.ty.as_ref().and_then(|target| self.resolve(key.unit, target)).map(|ty| self.type_name(ty, 0)),
        };
        TemplateParameter { name, argument }
    }

    fn contract(&self, in_use: &UnitInUse<'a>, record: &HostRecord) -> LayoutContract {
        match in_use.language() {
            HostLanguage::C | HostLanguage::Cpp => LayoutContract::Fixed,
            HostLanguage::Rust if self.is_reordered(record) => LayoutContract::RustReordered,
            HostLanguage::Rust => LayoutContract::RustUnknown,
            HostLanguage::Zig => LayoutContract::ZigUnknown,
            HostLanguage::Other => LayoutContract::OtherLanguage,
        }
    }

    /// True if the members of a struct do not ascend. Members without a size may be anywhere.
    fn is_reordered(&self, record: &HostRecord) -> bool {
        let sized = record.members.iter().filter(|member| self.types[member.ty].size != Some(0));
        !sized.is_sorted_by_key(|member| member.offset)
    }

    fn is_big_endian(&self) -> bool {
        self.object.is_big_endian()
    }
}
