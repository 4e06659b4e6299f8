//! Compares a host struct with a block: bytes before names.
//!
//! The comparison looks up each shader member in the host by its name. If the host has it at the
//! same offset, or has no namesake, it compares the lanes; if the namesake is elsewhere, the member
//! has moved. One insertion displaces everything after it, so members that moved by the same
//! distance as the previous one count only as its followers.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{BlockKind, BlockLayout, without_indices};
use layoutproof_source::sources::LinePlace;

use crate::block_part::BlockPart;
use crate::comparison::{Comparison, RowState};
use crate::flat_struct::{FlatMember, FlatStruct};
use crate::flatten_block::flatten_block;
use crate::flatten_program::flatten_program;
use crate::hint::{HintContext, moved_hint};
use crate::member_pairs::MemberPairs;
use crate::mismatch::{Mismatch, MismatchKind, Remark, SizeContract};
use crate::names::is_filler;
use crate::open_end::OpenEnd;
use crate::program_struct::{ProgramContract, ProgramStruct};
use crate::vector_types::VectorTypes;

/// A block, or a struct in it, with the places of its declarations.
#[derive(Clone, Copy, Debug)]
pub struct ShaderBlock<'a> {
    pub layout: &'a BlockLayout,
    /// The part that the host struct represents.
    pub part: &'a BlockPart<'a>,
    /// The declarations of members, by path in the block without indices; the empty path is the
    /// block.
    pub places: &'a BTreeMap<String, LinePlace>,
}

impl ShaderBlock<'_> {
    /// The declarations of the part's members, by path in the part.
    pub(crate) fn part_places(&self) -> BTreeMap<String, LinePlace> {
        let start = self.part.path.replace("[]", "");
        if start.is_empty() {
            return self.places.clone();
        }
        let inside = self.places.iter().filter_map(|(path, place)| {
            let rest = path.strip_prefix(&start)?;
            let rest = rest.strip_prefix('.').or(Some(rest).filter(|rest| rest.is_empty()))?;
            Some((rest.to_owned(), place.clone()))
        });
        let mut places: BTreeMap<String, LinePlace> = inside.collect();
        if let Some(block) = self.places.get("") {
            places.entry(String::new()).or_insert_with(|| block.clone());
        }
        places
    }
}

#[derive(Clone, Copy, Debug)]
pub struct CompareOptions<'a> {
    /// Host names by shader name, for members with different names.
    pub renames: &'a BTreeMap<String, String>,
    pub vector_types: &'a VectorTypes,
    /// The byte of the block at which the program puts the host struct; `None` if the user does not
    /// state it.
    pub host_start: Option<u32>,
    /// The user's contract for the host struct and the block.
    pub contract: Option<SizeContract>,
}

pub fn compare(block: ShaderBlock<'_>, host: &ProgramStruct, options: CompareOptions<'_>) -> Comparison {
    let places = block.part_places();
    let ends = OpenEnd::meet(block.part.root, host, options.renames);
    let shader = flatten_block(&ends.shader, &places);
    let mut flat_host = flatten_program(&ends.host, options.host_start.unwrap_or(0), options.vector_types);
    let mut pairs = MemberPairs::new(&shader, &flat_host, &ends.renames);
    let host_start = options.host_start.unwrap_or_else(|| pushed_at(block, &shader, &flat_host, &pairs));
    if options.host_start.is_none() && host_start > 0 {
        flat_host = flatten_program(&ends.host, host_start, options.vector_types);
        pairs = MemberPairs::new(&shader, &flat_host, &ends.renames);
    }
    let mut comparer = Comparer {
        pairs,
        shader,
        host: flat_host,
        host_start,
        program: host,
        shader_size: block.part.root.size.finite(),
        block_place: places.get(""),
        shift: 0,
        cause: None,
        mismatches: Vec::new(),
        remarks: BTreeSet::new(),
        swapped: BTreeSet::new(),
        broken_arrays: Vec::new(),
        states: BTreeMap::new(),
        resized: None,
        reordered: BTreeSet::new(),
    };

    comparer.contract();
    comparer.members();
    comparer.sizes(block.part, &ends, places.get(""));
    comparer.unread_members(ends.shader.size.finite());
    comparer.stated_contract(options.contract, block.part);
    comparer.matrix_orders();
    let (members, members_by_bytes) = comparer.count_members();
    let rows = comparer.rows();
    let sides = comparer.byte_runs();
    Comparison {
        rows,
        shader_members: sides.shader,
        host_members: sides.host,
        mismatches: comparer.mismatches,
        remarks: comparer.remarks.into_iter().collect(),
        shader_size: block.part.stride.or(block.part.root.size.finite()),
        host_size: host.size,
        host_start,
        members,
        members_by_bytes,
    }
}

/// The byte at which the program pushes the host struct: push constants of one stage often start
/// after those of another, and the struct of the host has only the members of this stage.
fn pushed_at(block: ShaderBlock<'_>, shader: &FlatStruct, host: &FlatStruct, pairs: &MemberPairs) -> u32 {
    let first = shader.members.iter().enumerate().filter(|(_, member)| !is_filler(&member.path));
    let Some((index, first)) = first.min_by_key(|(_, member)| member.offset) else { return 0 };
    let namesake = pairs.host_of(index).map(|host_index| host.members[host_index].offset);
    if block.layout.kind == BlockKind::PushConstant && namesake == Some(0) { first.offset } else { 0 }
}

/// The two sides, and the results so far.
pub(super) struct Comparer<'a> {
    pub(super) shader: FlatStruct,
    pub(super) host: FlatStruct,
    /// The byte of the block with the host's first byte.
    pub(super) host_start: u32,
    pub(super) program: &'a ProgramStruct,
    /// Size of the block, in bytes; `None` if it is unbounded.
    pub(super) shader_size: Option<u32>,
    /// The shader's declaration of the whole.
    pub(super) block_place: Option<&'a LinePlace>,
    /// Members of both sides with the same name.
    pub(super) pairs: MemberPairs,
    /// The current distance in bytes by which the host's members come after the shader's.
    pub(super) shift: i64,
    /// The mismatch that started this shift.
    pub(super) cause: Option<usize>,
    pub(super) mismatches: Vec<Mismatch>,
    pub(super) remarks: BTreeSet<Remark>,
    /// Shader members reported as swapped.
    pub(super) swapped: BTreeSet<usize>,
    /// Arrays whose elements after the first are displaced.
    pub(super) broken_arrays: Vec<usize>,
    pub(super) states: BTreeMap<usize, MemberState>,
    /// The mismatch of a member with another size in the host, which displaces the members after
    /// it.
    pub(super) resized: Option<usize>,
    /// Shader members reported as being in another order.
    pub(super) reordered: BTreeSet<usize>,
}

/// The result for a member of the shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberState {
    pub(super) state: RowState,
    pub(super) mismatch: Option<usize>,
    pub(super) host: Option<usize>,
}

impl Comparer<'_> {
    pub(super) fn members(&mut self) {
        let mut order: Vec<usize> = (0..self.shader.members.len()).collect();
        // A parent precedes its members, which may start at the same offset.
        order.sort_by_key(|index| self.shader.members[*index].offset);

        for index in order {
            let member = self.shader.members[index].clone();
            if self.is_in_broken_array(index) {
                continue;
            }
            let host = self.pairs.host_of(index);
            let before = self.mismatches.len();
            let state = match host.map(|host| (host, self.host.members[host].clone())) {
                Some((_, host)) if host.offset != member.offset => self.moved(index, &member, &host),
                Some((_, host)) => self.same_place(index, &member, &host),
                None if member.has_members => self.unnamed_struct(&member),
                None => self.by_bytes(index, &member),
            };
            let mismatch = match state {
                RowState::Agrees | RowState::OneSided => None,
                RowState::Differs if self.mismatches.len() > before => Some(before),
                RowState::Differs | RowState::Follows => self.cause,
            };
            self.states.insert(index, MemberState { state, mismatch, host });
        }
        for missing in self.mismatches.iter_mut().filter(|missing| missing.followers > 0) {
            if matches!(missing.kind, MismatchKind::HostTooShort { .. }) {
                missing.hint = format!("{}, and the {} after it", missing.hint, counted_members(missing.followers));
            }
        }
    }

    pub(super) fn is_in_broken_array(&self, index: usize) -> bool {
        let member = &self.shader.members[index];
        !member.is_first_element && self.broken_arrays.iter().any(|array| self.shader.is_within(index, *array))
    }

    /// Handles a member whose namesake is elsewhere.
    pub(super) fn moved(&mut self, index: usize, member: &FlatMember, host: &FlatMember) -> RowState {
        if self.swapped.contains(&index) {
            return RowState::Differs;
        }
        // The shader does not read padding.
        if is_filler(&member.path) {
            return RowState::OneSided;
        }
        let shift = i64::from(host.offset) - i64::from(member.offset);
        if shift == self.shift && self.cause.is_some() {
            return self.follow(member);
        }
        if self.is_aligned_after_shift(member, host) {
            self.shift = shift;
            return self.follow(member);
        }
        if self.reordered.contains(&index) {
            return self.follow(member);
        }
        if let Some(resized) = self.resized.take() {
            self.shift = shift;
            self.cause = Some(resized);
            return self.follow(member);
        }
        // The first element's mismatch covers the others.
        if !member.is_first_element && (self.cause.is_some() || self.is_swapped_in_first_element(member)) {
            return RowState::Follows;
        }
        if let Some(other) = self.swapped_with(member, host) {
            return self.report_swap(index, other, member, host);
        }

        let shift_before = if self.cause.is_some() { self.shift } else { 0 };
        self.shift = shift;
        self.cause = Some(self.mismatches.len());
        let context = HintContext {
            shader: &self.shader,
            host: &self.host,
            pairs: &self.pairs,
            is_rust: self.program.contract != ProgramContract::Fixed,
            shift_before,
        };
        let hint = moved_hint(&context, member, host);
        self.reordered.extend(context.passed(member, host).and_then(|passed| self.pairs.shader_of(passed)));
        if self.broken_arrays.iter().any(|array| self.shader.is_within(index, *array)) {
            self.resized = self.cause;
        }
        let kind = MismatchKind::OffsetMoved { shader_offset: member.offset, host_offset: host.offset };
        self.report(member, Some(host), kind, hint)
    }

    /// True if the host has a displaced member further on only because it aligns the member.
    fn is_aligned_after_shift(&self, member: &FlatMember, host: &FlatMember) -> bool {
        let Ok(displaced) = u32::try_from(i64::from(member.offset) + self.shift) else { return false };
        let is_it = |alignment: u32| {
            member.offset.is_multiple_of(alignment)
                && displaced.checked_next_multiple_of(alignment) == Some(host.offset)
        };
        self.cause.is_some() && self.shift != 0 && [8, 16].into_iter().any(is_it)
    }

    pub(super) fn follow(&mut self, member: &FlatMember) -> RowState {
        if let Some(cause) = self.cause.filter(|_| member.is_first_element && !member.has_members) {
            self.mismatches[cause].followers += 1;
        }
        RowState::Follows
    }

    fn is_swapped_in_first_element(&self, member: &FlatMember) -> bool {
        let plain = without_indices(&member.path);
        self.swapped.iter().any(|index| without_indices(&self.shader.members[*index].path) == plain)
    }

    /// The shader's member at whose place the host has `host`, if the host also has that member at
    /// the place of `member`.
    pub(super) fn swapped_with(&self, member: &FlatMember, host: &FlatMember) -> Option<usize> {
        let is_exchanged = |index: usize, other: &FlatMember| {
            other.offset == host.offset
                && other.type_name == member.type_name
                && other.parent == member.parent
                && self.pairs.host_of(index).is_some_and(|found| self.host.members[found].offset == member.offset)
        };
        let mut members = self.shader.members.iter().enumerate();
        members.find(|(index, other)| is_exchanged(*index, other)).map(|(index, _)| index)
    }

    pub(super) fn report_swap(
        &mut self,
        index: usize,
        other: usize,
        member: &FlatMember,
        host: &FlatMember,
    ) -> RowState {
        self.swapped.extend([index, other]);
        let other = display_path(&self.shader.members[other].path);
        let hint = format!("exchange `{}` and `{other}` on one side", display_path(&member.path));
        self.report(member, Some(host), MismatchKind::SwappedNames { other }, hint)
    }

    pub(super) fn report(
        &mut self,
        member: &FlatMember,
        host: Option<&FlatMember>,
        kind: MismatchKind,
        hint: String,
    ) -> RowState {
        self.mismatches.push(Mismatch {
            // An array that is the whole block has no name in the shader.
            path: display_path(host.filter(|_| member.path.is_empty()).map_or(&member.path, |host| &host.path)),
            kind,
            hint,
            followers: 0,
            shader_at: member.place.as_ref().or(self.block_place).cloned(),
            host_at: host.and_then(|host| host.place.clone()).or_else(|| self.program.place.clone()),
        });
        RowState::Differs
    }

    /// Handles a shader struct that the host does not have as one struct; its members are compared
    /// instead.
    pub(super) fn unnamed_struct(&self, member: &FlatMember) -> RowState {
        if self.shift == 0 && !self.is_after_the_host(member) { RowState::Agrees } else { RowState::Follows }
    }
}

fn counted_members(count: u32) -> String {
    if count == 1 { "member".to_owned() } else { format!("{count} members") }
}

/// The path with empty brackets for first elements (`lights[].color`), as in the other commands.
pub(super) fn display_path(path: &str) -> String {
    path.replace("[0]", "[]")
}
