//! Reads the members and bases of a `CodeView` record.

use ms_codeview::types::TypeData;
use ms_codeview::types::fields::Field;

use super::codeview_reader::CodeViewReader;
use crate::{BitRange, DebugInfoError, HostBase, HostMember, HostRecord};

/// The maximum number of lists that may continue each other; each has up to 64 KiB.
const MAX_LISTS: u32 = 4096;

impl CodeViewReader<'_, '_> {
    /// Adds the fields of a list, and of the lists that continue it, to a record.
    pub(super) fn read_field_list(
        &mut self,
        owner: u32,
        first_list: u32,
        record: &mut HostRecord,
        depth: u32,
    ) -> Result<(), DebugInfoError> {
        let types = self.types;
        let mut next = Some(first_list).filter(|&list| list != 0);
        for _ in 0..MAX_LISTS {
            let Some(list) = next.take() else { return Ok(()) };
            let TypeData::FieldList(fields) = types.parse(list)? else {
                return Err(types.damaged(owner, "its list of members is not a field list"));
            };
            let mut fields = fields.iter();
            for field in fields.by_ref() {
                if let Field::Index(continued) = field {
                    next = Some(continued.0);
                } else {
                    self.read_field(owner, &field, record, depth)?;
                }
            }
            // The decoder silently stops at records that it does not know; only padding may remain.
            if fields.bytes.iter().any(|&byte| byte < 0xf0) {
                return Err(types.damaged(owner, "its list of members is damaged"));
            }
        }
        Err(types.damaged(owner, "its list of members does not end"))
    }

    fn read_field(
        &mut self,
        owner: u32,
        field: &Field<'_>,
        record: &mut HostRecord,
        depth: u32,
    ) -> Result<(), DebugInfoError> {
        match field {
            Field::BaseClass(base) => {
                let ty = self.read(base.ty.0, depth + 1)?;
                record.bases.push(HostBase { ty, offset: Some(self.size(owner, base.offset)?) });
            }
            Field::DirectVirtualBaseClass(base) => {
                let ty = self.read(base.fixed.btype.get().0, depth + 1)?;
                record.bases.push(HostBase { ty, offset: None });
            }
            Field::Member(member) => {
                let bits = self.bit_field(member.ty.0);
                let ty = self.read(member.ty.0, depth + 1)?;
                let start = self.size(owner, member.offset)?;
                let bits = match bits {
                    Some(bits) => {
                        let offset = start.checked_mul(8).and_then(|start| start.checked_add(bits.position.into()));
                        let out_of_range = || self.types.damaged(owner, "the bits of a member are out of range");
                        Some(BitRange { offset: offset.ok_or_else(out_of_range)?, size: bits.length.into() })
                    }
                    None => None,
                };
                let name = member.name.to_string();
                let offset = bits.map_or(start, |bits| bits.offset / 8);
                let name = Some(name).filter(|name| !name.is_empty());
                let (alignment, place, is_artificial) = (None, None, false);
                record.members.push(HostMember { name, ty, offset, bits, is_artificial, alignment, place });
            }
            Field::VFuncTable(table) => {
                let ty = self.read(table.0, depth + 1)?;
                let name = Some("__vfptr".to_owned());
                let (bits, alignment, place) = (None, None, None);
                let member = HostMember { name, ty, offset: 0, bits, is_artificial: true, alignment, place };
                record.members.push(member);
            }
            _ => {}
        }
        if record.members.len() > self.limits.members as usize {
            return Err(self.types.damaged(owner, format!("it has more than {} members", self.limits.members)));
        }
        Ok(())
    }
}
