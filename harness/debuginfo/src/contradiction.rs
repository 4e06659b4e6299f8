//! Finds records whose members contradict each other. Damaged or forged debug information would
//! otherwise be compared as if a compiler had written it.

use crate::host_types::{HostMember, HostRecord, HostShape, HostTypes, RecordKind};

impl HostTypes {
    pub(crate) fn member_past_the_end(&self, record: &HostRecord, size: u32) -> Option<String> {
        let past = record.members.iter().find(|member| self.end(member) > u64::from(size))?;
        Some(format!("its {} ends at byte {}, but it has {size} bytes", named(past), self.end(past)))
    }

    /// What is wrong with two numbers of a struct that share bytes. Members that are structs may share
    /// some: C++ puts a member into the padding of another (`[[no_unique_address]]`).
    pub(crate) fn shared_bytes(&self, record: &HostRecord) -> Option<String> {
        if record.kind == RecordKind::Union || record.has_variants {
            return None;
        }
        let is_plain = |member: &&HostMember| {
            let is_record = matches!(self[self.resolve(member.ty)].shape, HostShape::Record(_));
            !is_record && member.bits.is_none() && self.size_of(member) > 0
        };
        let mut members: Vec<&HostMember> = record.members.iter().filter(is_plain).collect();
        members.sort_by_key(|member| member.offset);
        let pair = members.windows(2).find(|pair| self.end(pair[0]) > u64::from(pair[1].offset))?;
        Some(format!("its {} and its {} share bytes", named(pair[0]), named(pair[1])))
    }

    fn size_of(&self, member: &HostMember) -> u32 {
        self[self.resolve(member.ty)].size.unwrap_or(0)
    }

    /// One past the last byte of a member.
    fn end(&self, member: &HostMember) -> u64 {
        match member.bits {
            Some(bits) => (u64::from(bits.offset) + u64::from(bits.size)).div_ceil(8),
            None => u64::from(member.offset) + u64::from(self.size_of(member)),
        }
    }
}

fn named(member: &HostMember) -> String {
    member.name.as_ref().map_or_else(|| "unnamed member".to_owned(), |name| format!("member `{name}`"))
}
