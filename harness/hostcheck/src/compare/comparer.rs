//! Compares a host struct with a block: bytes before names.
//!
//! The comparison looks up each shader member in the host by its name. If the host has it at the
//! same offset, or has no namesake, it compares the lanes; if the namesake is elsewhere, the member
//! has moved. One insertion displaces everything after it, so members that moved by the same
//! distance as the previous one count only as its followers.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{BlockKind, BlockLayout, ComponentReads, ShaderTarget, without_indices};
use layoutproof_source::sources::LinePlace;

use super::shape::Namesakes;
use crate::advice::advise;
use crate::block_part::BlockPart;
use crate::comparison::{Comparison, RowState};
use crate::flat_struct::{FlatMember, FlatStruct};
use crate::flatten_block::flatten_block;
use crate::flatten_program::flatten_program;
use crate::member_pairs::MemberPairs;
use crate::mismatch::{Mismatch, MismatchKind, Remark, SizeContract};
use crate::names::is_filler;
use crate::open_end::OpenEnd;
use crate::program_struct::ProgramStruct;
use crate::repair::HostSyntax;
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
    /// The API that requires a size; `None` if only a rule set is known.
    pub api: Option<ShaderTarget>,
    /// What the shaders read of the block's members.
    pub reads: &'a ComponentReads,
}

/// Compares a host struct with a block. The mismatches have no repairs.
pub fn compare(block: ShaderBlock<'_>, host: &ProgramStruct, options: CompareOptions<'_>) -> Comparison {
    examine(block, host, options).comparison
}

/// Compares a host struct with a block, and finds the changes that mend what differs.
pub fn compare_and_advise(block: ShaderBlock<'_>, host: &ProgramStruct, options: CompareOptions<'_>) -> Comparison {
    let mut comparison = compare(block, host, options);
    advise(&mut comparison, block, host, options);
    comparison
}

/// A comparison with both sides.
#[derive(Debug)]
pub(crate) struct Examination {
    pub comparison: Comparison,
    pub shader: FlatStruct,
    pub host: FlatStruct,
    pub pairs: MemberPairs,
}

impl Examination {
    /// The shader's member of a mismatch.
    pub(crate) fn shader_member(&self, mismatch: &Mismatch) -> Option<usize> {
        let member = |path: &str| self.shader.members.iter().position(|member| display_path(&member.path) == path);
        // An array that is the whole block has no name in the shader.
        member(&mismatch.path).or_else(|| member("").filter(|_| mismatch.host_path.is_some()))
    }

    pub(crate) fn host_member(&self, path: &str) -> Option<usize> {
        self.host.members.iter().position(|member| display_path(&member.path) == path)
    }
}

pub(crate) fn examine(block: ShaderBlock<'_>, host: &ProgramStruct, options: CompareOptions<'_>) -> Examination {
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
        next: next_siblings(&shader),
        shader,
        host: flat_host,
        host_start,
        program: host,
        shader_size: block.part.root.size.finite(),
        block_place: places.get(""),
        reads: options.reads,
        has_row_major: options.api != Some(ShaderTarget::Webgpu),
        shift: 0,
        cause: None,
        mismatches: Vec::new(),
        remarks: BTreeSet::new(),
        pointers: Vec::new(),
        swapped: BTreeSet::new(),
        broken_arrays: Vec::new(),
        states: BTreeMap::new(),
        resized: None,
        reordered: BTreeSet::new(),
    };

    comparer.contract();
    comparer.members();
    comparer.sizes(block, &ends, options);
    comparer.unread_members(ends.shader.size.finite());
    comparer.stated_contract(block, options);
    comparer.matrix_orders();
    comparer.pointers();
    comparer.shape_first();
    let (members, members_by_bytes) = comparer.count_members();
    let rows = comparer.rows();
    let sides = comparer.byte_runs();
    let comparison = Comparison {
        rows,
        shader_members: sides.shader,
        host_members: sides.host,
        mismatches: comparer.mismatches,
        remarks: comparer.remarks.into_iter().collect(),
        shader_size: block.part.stride.or(block.part.root.size.finite()),
        host_size: host.size,
        host_syntax: HostSyntax::of(host.contract),
        host_start,
        members,
        members_by_bytes,
    };
    Examination { comparison, shader: comparer.shader, host: comparer.host, pairs: comparer.pairs }
}

/// For each member, the one after it in the struct around it, apart from padding. Sorted, because arrays have thousands of
/// members.
fn next_siblings(flat: &FlatStruct) -> Vec<Option<usize>> {
    let key = |index: &usize| (flat.members[*index].parent, flat.members[*index].offset);
    let mut named: Vec<usize> =
        (0..flat.members.len()).filter(|index| !is_filler(&flat.members[*index].path)).collect();
    named.sort_by_key(key);
    let next = |index: usize| {
        let later = named.partition_point(|other| key(other) <= key(&index));
        named.get(later).copied().filter(|next| flat.members[*next].parent == flat.members[index].parent)
    };
    (0..flat.members.len()).map(next).collect()
}

/// The byte at which the program pushes the host struct: push constants of one stage often start
/// after those of another, and the struct of the host has only the members of this stage.
fn pushed_at(block: ShaderBlock<'_>, shader: &FlatStruct, host: &FlatStruct, pairs: &MemberPairs) -> u32 {
    if block.layout.kind != BlockKind::PushConstant {
        return 0;
    }
    let first = shader.members.iter().enumerate().filter(|(_, member)| !is_filler(&member.path));
    let Some((index, first)) = first.min_by_key(|(_, member)| member.offset) else { return 0 };
    let namesake = pairs.host_of(index).map(|host_index| host.members[host_index].offset);
    if namesake == Some(0) { first.offset } else { 0 }
}

/// The two sides, and the results so far.
pub(super) struct Comparer<'a> {
    pub(super) shader: FlatStruct,
    /// For each member of the shader, the next one in the struct around it that is no padding.
    pub(super) next: Vec<Option<usize>>,
    pub(super) host: FlatStruct,
    /// The byte of the block with the host's first byte.
    pub(super) host_start: u32,
    pub(super) program: &'a ProgramStruct,
    /// Size of the block, in bytes; `None` if it is unbounded.
    pub(super) shader_size: Option<u32>,
    /// The shader's declaration of the whole.
    pub(super) block_place: Option<&'a LinePlace>,
    /// What the shaders read.
    pub(super) reads: &'a ComponentReads,
    /// True if the shader's language has matrices by rows.
    pub(super) has_row_major: bool,
    /// Members of both sides with the same name.
    pub(super) pairs: MemberPairs,
    /// The current distance in bytes by which the host's members come after the shader's.
    pub(super) shift: i64,
    /// The mismatch that started this shift.
    pub(super) cause: Option<usize>,
    pub(super) mismatches: Vec<Mismatch>,
    pub(super) remarks: BTreeSet<Remark>,
    /// Members that are pointers in the host, by their paths in the shader and in the host.
    pub(super) pointers: Vec<(String, String)>,
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
            let state = match host.map(|host| self.host.members[host].clone()) {
                Some(host) if host.offset != member.offset => self.moved(index, &member, &host),
                Some(host) => self.same_place(index, &member, &host),
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
        if is_filler(&member.path) && !self.is_mentioned(member) {
            return RowState::OneSided;
        }
        let shift = i64::from(host.offset) - i64::from(member.offset);
        if let Some(state) = self.moved_shape(Namesakes::new(index, member, host)) {
            return state;
        }
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

        self.shift = shift;
        self.set_cause();
        self.reordered.extend(self.passed(member, host).and_then(|passed| self.pairs.shader_of(passed)));
        if self.broken_arrays.iter().any(|array| self.shader.is_within(index, *array)) {
            self.resized = self.cause;
        }
        let kind = MismatchKind::OffsetMoved { shader_offset: member.offset, host_offset: host.offset };
        self.report(member, Some(host), kind)
    }

    /// Reports the fault in the shape of a member that is elsewhere in the host, if it has one. It is the cause of
    /// what moves after it.
    fn moved_shape(&mut self, pair: Namesakes<'_>) -> Option<RowState> {
        if !pair.member.is_first_element {
            return None;
        }
        let fault = if pair.member.has_members {
            let fault = self.struct_fault(pair)?;
            self.broken_arrays.push(pair.index);
            fault.own
        } else {
            self.shape_fault(pair)
        }?;
        self.shift = pair.shift;
        self.set_cause();
        self.resized = self.cause;
        Some(self.report(pair.member, Some(pair.host), fault))
    }

    /// A host member that precedes `host`, and that the shader has after `member`.
    fn passed(&self, member: &FlatMember, host: &FlatMember) -> Option<usize> {
        passed(&self.shader, &self.host, &self.pairs, member, host)
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
        self.report(member, Some(host), MismatchKind::SwappedNames { other })
    }

    pub(super) fn report(&mut self, member: &FlatMember, host: Option<&FlatMember>, kind: MismatchKind) -> RowState {
        self.mismatches.push(Mismatch {
            // An array that is the whole block has no name in the shader.
            path: display_path(host.filter(|_| member.path.is_empty()).map_or(&member.path, |host| &host.path)),
            host_path: host.map(|host| display_path(&host.path)),
            kind,
            repairs: Vec::new(),
            followers: 0,
            shader_at: member.place.as_ref().or(self.block_place).cloned(),
            host_at: host.and_then(|host| host.place.clone()).or_else(|| self.program.place.clone()),
        });
        RowState::Differs
    }

    /// Reports a mismatch of the host struct as a whole.
    pub(super) fn report_whole(&mut self, path: &str, kind: MismatchKind) {
        self.mismatches.push(Mismatch {
            path: path.to_owned(),
            host_path: None,
            kind,
            repairs: Vec::new(),
            followers: 0,
            shader_at: self.block_place.cloned(),
            host_at: self.program.place.clone(),
        });
    }

    /// Puts faults of the definition first, and those of shape before those of place, which often follow from them.
    fn shape_first(&mut self) {
        let mut order: Vec<usize> = (0..self.mismatches.len()).collect();
        order.sort_by_key(|index| {
            let kind = &self.mismatches[*index].kind;
            (!kind.is_of_definition(), !kind.is_of_shape())
        });
        let mut sorted: Vec<Mismatch> = Vec::with_capacity(order.len());
        for index in &order {
            sorted.push(self.mismatches[*index].clone());
        }
        self.mismatches = sorted;
        let place_of = |old: usize| order.iter().position(|index| *index == old);
        for state in self.states.values_mut() {
            state.mismatch = state.mismatch.and_then(place_of);
        }
        self.cause = self.cause.and_then(place_of);
    }

    /// Handles a shader struct that the host does not have as one struct; its members are compared
    /// instead.
    pub(super) fn unnamed_struct(&self, member: &FlatMember) -> RowState {
        if self.shift == 0 && !self.is_after_the_host(member) { RowState::Agrees } else { RowState::Follows }
    }
}

/// A host member that precedes `host`, and that the shader has after `member`.
pub(crate) fn passed(
    shader: &FlatStruct,
    all: &FlatStruct,
    pairs: &MemberPairs,
    member: &FlatMember,
    host: &FlatMember,
) -> Option<usize> {
    let is_passed = |index: usize, other: &FlatMember| {
        let namesake = pairs.shader_of(index).map(|namesake| &shader.members[namesake]);
        other.parent == host.parent
            && other.offset < host.offset
            && namesake
                .is_some_and(|own| own.parent == member.parent && own.is_first_element && own.offset > member.offset)
    };
    let mut members = all.members.iter().enumerate();
    members.find(|(index, other)| is_passed(*index, other)).map(|(index, _)| index)
}

/// The path with empty brackets for first elements (`lights[].color`), as in the other commands.
pub(crate) fn display_path(path: &str) -> String {
    path.replace("[0]", "[]")
}
