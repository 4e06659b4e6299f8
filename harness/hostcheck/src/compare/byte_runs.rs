//! The bytes of both sides for diagrams: runs of neighbouring scalars, marked if the other side has
//! them elsewhere.

use std::collections::BTreeMap;

use super::comparer::{Comparer, display_path};
use crate::comparison::{ByteRun, RowState, SideMember};
use crate::flat_struct::{FlatMember, FlatStruct, Lane};

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
