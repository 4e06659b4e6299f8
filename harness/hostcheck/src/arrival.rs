//! Finds where the values of a host struct arrive in a shader, from the offsets at which a device
//! read each leaf of the block.
//!
//! The device gets bytes that encode their addresses, so the value that it returns for a leaf is
//! the offset that it read. The leaf of a real program would get the host member at that offset. No
//! other upload is needed.

use std::collections::BTreeSet;

use layoutproof_layout::{ElementChoice, without_indices};

use super::block_part::BlockPart;
use super::compare::{CompareOptions, ShaderBlock};
use super::comparison::{Comparison, RowState};
use super::flat_struct::{FlatMember, FlatStruct, Lane};
use super::flatten_block::flatten_block;
use super::flatten_program::flatten_program;
use super::member_pairs::MemberPairs;
use super::open_end::OpenEnd;
use super::program_struct::ProgramStruct;

/// Component names of vectors.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A leaf of a block, and the place from which a device read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedLeaf {
    /// Path in the block: `lights[1].color.y`.
    pub path: String,
    /// Bytes from the start of the block; `None` if the answer was no address in it.
    pub offset: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// The number of leaves that read their own host member.
    pub arrived: u32,
    /// The number of leaves at the right place where the host has no member.
    pub without_host: u32,
    /// The number of leaves that the device did not read.
    pub unread: u32,
    /// Leaves that read something else, in the order of their layout.
    pub strays: Vec<StrayLeaf>,
}

/// A leaf that reads something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayLeaf {
    pub path: String,
    /// The offset that the device read, in bytes; `None` if the answer was no address in the block.
    pub offset: Option<u32>,
    /// The host's value at that offset, in the host's terms: `weights[1].x`; `None` for padding.
    pub reads: Option<String>,
    /// The host's place of the value that the leaf should read; `None` if it has no such member.
    pub home: Option<LeafHome>,
    /// True if the comparison says that the leaf's member is elsewhere in the host.
    pub is_expected: bool,
}

/// The host's place of the value that a leaf should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafHome {
    /// The host's member, for example `exposure`.
    pub path: String,
    /// Bytes from the start of the host struct.
    pub offset: u32,
    /// The shader's leaf with this offset; `None` for padding.
    pub arrives_in: Option<String>,
}

/// Looks up every observed leaf in the host struct of `comparison`.
pub fn arrivals(
    block: ShaderBlock<'_>,
    host: &ProgramStruct,
    options: CompareOptions<'_>,
    comparison: &Comparison,
    observed: &[ObservedLeaf],
) -> Arrivals {
    let (places, ends) = (block.part_places(), OpenEnd::meet(block.part.root, host, options.renames));
    let start = first_element(&block.part.path);
    let observed = in_part(observed, block.part, &start);
    let parted = comparison.rows.iter().filter(|row| matches!(row.state, RowState::Differs | RowState::Follows));
    let shader = flatten_block(&ends.shader, &places);
    let host = flatten_program(&ends.host, comparison.host_start, options.vector_types);
    let lookup = ArrivalLookup {
        block,
        start: start.clone(),
        pairs: MemberPairs::new(&shader, &host, &ends.renames),
        shader,
        host,
        parted: parted.filter_map(|row| Some(without_indices(&row.shader.as_ref()?.path))).collect(),
    };

    let read: BTreeSet<&str> = observed.iter().map(|leaf| leaf.path.as_str()).collect();
    let leaves = block.layout.leaves_in(ElementChoice::Sample).into_iter();
    let unread = leaves.filter(|leaf| path_in_part(&leaf.path, &start).is_some_and(|path| !read.contains(path)));
    let mut arrivals = Arrivals { unread: u32::try_from(unread.count()).unwrap_or(u32::MAX), ..Arrivals::default() };

    let by_offset = observed.iter().filter_map(|leaf| Some((block.part.root.offset_of(&leaf.path)?, leaf)));
    let by_offset: BTreeSet<(u32, &ObservedLeaf)> = by_offset.collect();
    for (laid_out, leaf) in by_offset {
        let Some(lane) = lookup.shader_lane(&leaf.path, laid_out) else { continue };
        let home = lookup.home(lane);
        // If the comparison found no mismatch, bytes decide and not names.
        let should_read =
            if lookup.has_parted(lane) { home.as_ref().map(|home| home.offset) } else { Some(lane.offset) };
        let reads = leaf.offset.and_then(|offset| lookup.host_words(offset, lane.size));
        if should_read.is_none() || leaf.offset != should_read {
            arrivals.strays.push(StrayLeaf {
                path: leaf.path.clone(),
                offset: leaf.offset,
                reads,
                home,
                is_expected: lookup.has_parted(lane),
            });
        } else if reads.is_some() {
            arrivals.arrived += 1;
        } else {
            arrivals.without_host += 1;
        }
    }
    arrivals
}

/// The path of a part's first element: `particles[0]`.
fn first_element(part: &str) -> String {
    part.replace("[]", "[0]")
}

/// The path in the part that starts at `start`; `None` for other paths.
fn path_in_part<'a>(path: &'a str, start: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(start)?;
    if start.is_empty() { Some(rest) } else { rest.strip_prefix('.').or(Some(rest).filter(|rest| rest.is_empty())) }
}

/// The leaves of a part with their places in it; if there are several elements, those of the first.
fn in_part(observed: &[ObservedLeaf], part: &BlockPart<'_>, start: &str) -> Vec<ObservedLeaf> {
    let inside = observed.iter().filter_map(|leaf| {
        let path = path_in_part(&leaf.path, start)?.to_owned();
        Some(ObservedLeaf { path, offset: leaf.offset.and_then(|offset| offset.checked_sub(part.offset)) })
    });
    inside.collect()
}

struct ArrivalLookup<'a> {
    block: ShaderBlock<'a>,
    /// The path in the block of the part's first element.
    start: String,
    shader: FlatStruct,
    host: FlatStruct,
    /// Members of both sides with the same name.
    pairs: MemberPairs,
    /// Paths without indices of shader members that the host has elsewhere.
    parted: BTreeSet<String>,
}

impl ArrivalLookup<'_> {
    /// The lane of a leaf. The path distinguishes members that share bytes.
    fn shader_lane(&self, path: &str, offset: u32) -> Option<Lane> {
        let mut lanes = self.shader.lanes_in(offset, offset.saturating_add(1)).filter(|lane| lane.offset == offset);
        lanes.find(|lane| path.starts_with(&self.shader.members[lane.member].path))
    }

    /// True if the comparison found the lane's member, or a member around it, elsewhere.
    fn has_parted(&self, lane: Lane) -> bool {
        let mut member = Some(lane.member);
        while let Some(index) = member {
            let flat = &self.shader.members[index];
            if self.parted.contains(&without_indices(&flat.path)) {
                return true;
            }
            member = flat.parent;
        }
        false
    }

    /// The host's place of a lane's member, by its name.
    fn home(&self, lane: Lane) -> Option<LeafHome> {
        let namesake = self.pairs.host_of(lane.member)?;
        let (own, hosts) = (self.shader.lanes_of(lane.member), self.host.lanes_of(namesake));
        let found = if own.len() == hosts.len() {
            // Both have the same number of scalars, so each has a counterpart, whatever the
            // distance between them.
            let index = own.iter().position(|found| found.offset == lane.offset)?;
            *hosts.get(index)?
        } else {
            self.by_stride(lane, &self.host.members[namesake])?
        };

        let in_block = found.offset.checked_add(self.block.part.offset)?;
        let arrives_in = self.block.layout.leaf_path_at(in_block).map(|path| {
            let in_part = path_in_part(&path, &self.start).map(str::to_owned);
            in_part.unwrap_or(path)
        });
        Some(LeafHome { path: words(&self.host, found), offset: found.offset, arrives_in })
    }

    /// The lane in the same element of a host member, at the same byte of the element.
    fn by_stride(&self, lane: Lane, host: &FlatMember) -> Option<Lane> {
        let member = &self.shader.members[lane.member];
        let within = lane.offset.checked_sub(member.offset)?;
        let within = match (member.outer_stride(), host.outer_stride()) {
            (Some(shader), Some(host)) if shader > 0 => (within / shader).checked_mul(host)? + within % shader,
            _ => within,
        };
        let offset = host.offset.checked_add(within)?;
        self.host.lanes_in(offset, offset.saturating_add(1)).find(|found| found.offset == offset)
    }

    /// The host's member at these bytes.
    fn host_words(&self, offset: u32, size: u32) -> Option<String> {
        let lanes = self.host.lanes_in(offset, offset.saturating_add(size));
        let in_words = lanes.map(|lane| match offset.checked_sub(lane.offset) {
            None | Some(0) => words(&self.host, lane),
            Some(inside) => format!("{} + {inside} bytes", words(&self.host, lane)),
        });
        let names: Vec<String> = in_words.collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// A lane in its side's terms: `weights[1].x`.
fn words(flat: &FlatStruct, lane: Lane) -> String {
    let member = &flat.members[lane.member];
    let mut path = member.path.clone();
    let mut within = lane.offset.saturating_sub(member.offset);

    let strides = member.arrays.iter().map(|array| array.stride).chain(member.vectors.map(|vectors| vectors.stride));
    for stride in strides.filter(|stride| *stride > 0) {
        path = format!("{path}[{}]", within / stride);
        within %= stride;
    }

    let innermost = member.arrays.last().map(|array| array.stride).or(member.size);
    let is_vector = member.vectors.is_some() || innermost.is_some_and(|bytes| bytes >= 2 * lane.size);
    let component = COMPONENTS.get((within / lane.size.max(1)) as usize).filter(|_| is_vector && member.bits.is_none());
    match component {
        Some(component) => format!("{path}.{component}"),
        None => path,
    }
}
