//! The results for readers: the lines of the table, and the bytes of both sides for diagrams.

use std::collections::{BTreeMap, BTreeSet};

use super::comparer::{Comparer, MemberState, display_path};
use crate::comparison::{ByteRun, ComparedRow, RowSide, RowState, SideMember};
use crate::flat_struct::{FlatMember, FlatStruct, Lane};

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

/// Sides with more runs are not drawn.
const MOST_RUNS: usize = 4096;

/// The runs of both sides.
pub(super) struct ComparedSides {
    pub(super) shader: Vec<SideMember>,
    pub(super) host: Vec<SideMember>,
}

impl Comparer<'_> {
    /// The runs of both sides. A scalar differs if its member does and the scalar with the same
    /// number in the other side's member has other bytes.
    pub(super) fn byte_runs(&self) -> ComparedSides {
        let (shader, host) = (LanesByMember::of(&self.shader), LanesByMember::of(&self.host));
        let mut partners: BTreeMap<usize, usize> = BTreeMap::new();
        let mut unmet: Vec<&FlatMember> = Vec::new();
        for (index, member) in self.shader.members.iter().enumerate().filter(|(_, member)| !member.has_members) {
            let known = self.states.get(&index);
            match known.map_or_else(|| self.pairs.host_of(index), |known| known.host) {
                _ if known.is_some_and(|known| known.state == RowState::Agrees) => {}
                Some(partner) => drop(partners.insert(index, partner)),
                None => unmet.push(member),
            }
        }

        let of_shader = |lane: &MemberLane| match partners.get(&lane.member) {
            Some(partner) => !host.has_same_bytes(*partner, lane),
            None => unmet.iter().any(|member| shares_bytes(member, lane.bytes)),
        };
        let back: BTreeMap<usize, usize> = partners.iter().map(|(member, partner)| (*partner, *member)).collect();
        let of_host = |lane: &MemberLane| match back.get(&lane.member) {
            Some(partner) => !shader.has_same_bytes(*partner, lane),
            None => unmet.iter().any(|member| shares_bytes(member, lane.bytes)),
        };
        ComparedSides { shader: side(&self.shader, &shader, of_shader), host: side(&self.host, &host, of_host) }
    }
}

fn shares_bytes(member: &FlatMember, lane: Lane) -> bool {
    lane.offset < member.end() && lane.end() > member.offset
}

/// A scalar and its number in its member.
struct MemberLane {
    member: usize,
    number: usize,
    bytes: Lane,
}

/// The scalars of each member, by offset.
struct LanesByMember {
    lanes: BTreeMap<usize, Vec<Lane>>,
}

impl LanesByMember {
    fn of(side: &FlatStruct) -> Self {
        let mut lanes: BTreeMap<usize, Vec<Lane>> = BTreeMap::new();
        for lane in &side.lanes {
            lanes.entry(lane.member).or_default().push(*lane);
        }
        Self { lanes }
    }

    fn has_same_bytes(&self, member: usize, lane: &MemberLane) -> bool {
        let other = self.lanes.get(&member).and_then(|lanes| lanes.get(lane.number));
        other.is_some_and(|other| (other.offset, other.size) == (lane.bytes.offset, lane.bytes.size))
    }
}

/// The members of a side that have scalars, in declaration order.
fn side(flat: &FlatStruct, lanes: &LanesByMember, differs: impl Fn(&MemberLane) -> bool) -> Vec<SideMember> {
    let mut room = MOST_RUNS;
    let mut members = Vec::new();
    for (index, lanes) in &lanes.lanes {
        let Some(member) = flat.members.get(*index) else { continue };
        let mut runs: Vec<ByteRun> = Vec::new();
        for (number, lane) in lanes.iter().enumerate() {
            let label = element_label(member, *lane);
            let differs = differs(&MemberLane { member: *index, number, bytes: *lane });
            match runs.last_mut() {
                Some(last) if last.label == label && last.end() == lane.offset && last.differs == differs => {
                    last.size = last.size.saturating_add(lane.size);
                }
                Some(_) | None if room == 0 => return members,
                Some(_) | None => {
                    room -= 1;
                    runs.push(ByteRun { label, offset: lane.offset, size: lane.size, step: lane.size, differs });
                }
            }
        }
        members.push(SideMember {
            path: display_path(&member.path),
            type_name: member.type_name.clone(),
            offset: member.offset,
            size: member.size,
            runs,
        });
    }
    members
}

/// The array element and matrix vector of a scalar: `weights[1]`, `m vector 2`.
fn element_label(member: &FlatMember, lane: Lane) -> String {
    let mut label = member.path.clone();
    let mut rest = lane.offset.saturating_sub(member.offset);
    for array in member.arrays.iter().filter(|array| array.stride > 0) {
        label = format!("{label}[{}]", rest / array.stride);
        rest %= array.stride;
    }
    match member.vectors.filter(|vectors| vectors.stride > 0 && vectors.count > 1) {
        Some(vectors) => format!("{label} vector {}", rest / vectors.stride),
        None => label,
    }
}
