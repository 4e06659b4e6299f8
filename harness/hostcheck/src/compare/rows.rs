//! The lines of the table: each member of the shader next to the host's counterpart.

use std::collections::BTreeSet;

use super::comparer::{Comparer, MemberState, display_path};
use crate::comparison::{ComparedRow, RowSide, RowState};
use crate::flat_struct::{FlatMember, FlatStruct};

impl Comparer<'_> {
    /// The members of the shader by offset, and the host members without a counterpart.
    pub(super) fn rows(&mut self) -> Vec<ComparedRow> {
        let mut rows = Vec::new();
        let mut shown = BTreeSet::new();
        for (index, member) in self.shader.members.iter().enumerate().filter(|(_, member)| member.is_first_element) {
            let state = self.states.get(&index).copied();
            let state = state.unwrap_or(MemberState { state: RowState::Follows, mismatch: self.cause, host: None });
            let named = state.host.map(|host| {
                shown.insert(host);
                row_side(&self.host, host)
            });
            let host = named.or_else(|| self.covering(member, &mut shown));
            let shader = Some(row_side(&self.shader, index));
            rows.push(ComparedRow { shader, host, state: state.state, mismatch: state.mismatch });
        }

        for (index, host) in self.host.members.iter().enumerate() {
            let is_shown =
                || shown.iter().any(|outer| self.host.is_within(index, *outer) || self.host.is_within(*outer, index));
            if host.is_first_element && host.parent.is_none() && !is_shown() {
                let host = Some(row_side(&self.host, index));
                rows.push(ComparedRow { shader: None, host, state: RowState::OneSided, mismatch: None });
            }
        }
        rows.sort_by_key(|row| {
            let shader = row.shader.as_ref().map(|side| side.offset);
            shader.or(row.host.as_ref().map(|side| side.offset))
        });
        rows
    }

    /// The host's members in the bytes of a member, in one line.
    pub(super) fn covering(&self, member: &FlatMember, shown: &mut BTreeSet<usize>) -> Option<RowSide> {
        if member.has_members {
            return None;
        }
        let lanes = self.host.lanes_in(member.offset, member.end());
        let hosts: BTreeSet<usize> = lanes.map(|lane| self.outermost_within(lane.member, member)).collect();
        let first = hosts.first().copied()?;
        shown.extend(&hosts);
        let mut side = row_side(&self.host, first);
        let names: Vec<String> = hosts.iter().map(|host| display_path(&self.host.members[*host].path)).collect();
        if hosts.len() > 1 {
            side.path = names.join(", ");
            side.type_name = String::new();
            side.depth = 0;
            side.size = hosts.iter().map(|host| self.host.members[*host].end()).max().map(|end| end - side.offset);
        }
        Some(side)
    }
}

fn row_side(flat: &FlatStruct, index: usize) -> RowSide {
    let member = &flat.members[index];
    let mut depth = 0;
    let mut parent = member.parent;
    while let Some(outer) = parent {
        depth += 1;
        parent = flat.members[outer].parent;
    }
    RowSide {
        path: display_path(&member.path),
        type_name: member.type_name.clone(),
        offset: member.offset,
        size: member.size,
        depth,
        place: member.place.clone(),
    }
}
