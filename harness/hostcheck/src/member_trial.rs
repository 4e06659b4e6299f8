//! Tries a block against any struct of a program, by the names and offsets of their members.
//!
//! It is for blocks whose name no struct has. A struct that fits in all members may be taken if no
//! other comes close; all others are only proposed.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{LaidOut, LaidOutShape};
use serde::{Deserialize, Serialize};

use super::names::{SHORTEST_TELLING, is_common, is_filler, loose_key, without_common_word};
use super::program_struct::{ProgramField, ProgramShape, ProgramStruct, is_virtual_table};
use super::vector_types::VectorTypes;
use super::written::buffer_fields;

/// Fewest members with which a struct that has all of them at their places is taken.
const FEWEST_TO_TAKE: u32 = 2;

/// Fewest members with which half of the names are enough, if all members start at the same bytes.
const FEWEST_BY_BYTES: u32 = 3;

/// So many members of a block in a struct that one other member says nothing against it, and that their names say something
/// together, however short they are. Vectors and colours have four.
const MANY_MEMBERS: usize = 5;

/// The members of a block, of a struct in it, or of a host struct, as far as a trial looks at them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberSketch {
    members: Vec<SketchedMember>,
    /// The members without a word that all their names start with, if they have one.
    shortened: Option<Vec<SketchedMember>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SketchedMember {
    key: String,
    offset: u32,
}

/// The members with their keys, and the same without a first word that all names have: `bloomRadius` and
/// `bloomPower` may be the `radius` and `power` of the other side.
fn sketched(members: &[(&str, u32)]) -> (Vec<SketchedMember>, Option<Vec<SketchedMember>>) {
    let with_keys = |keys: Vec<String>| {
        let offsets = members.iter().map(|(_, offset)| *offset);
        keys.into_iter().zip(offsets).map(|(key, offset)| SketchedMember { key, offset }).collect()
    };
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let plain = with_keys(names.iter().map(|name| loose_key(name)).collect());
    (plain, without_common_word(&names).map(with_keys))
}

/// The share of a block's members that a host struct has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberFit {
    /// Members with the same name at the same offset.
    pub placed: u32,
    /// Members with the same name.
    pub named: u32,
    /// Members of the block.
    pub of: u32,
    /// True if the members of both start at the same bytes.
    pub has_same_offsets: bool,
    /// True if half of the members with the same name have a name that says something, not `x` or `r`, or if there are so
    /// many that they do together.
    pub has_telling_names: bool,
}

impl MemberSketch {
    /// The members of a struct; `None` if it has none.
    pub fn new(root: &LaidOut) -> Option<Self> {
        let LaidOutShape::Struct(members) = &root.shape else { return None };
        let real = members.iter().filter(|member| {
            // A struct of resources has no bytes either.
            let has_bytes =
                !matches!(member.layout.shape, LaidOutShape::Resource) && member.layout.size.finite() != Some(0);
            has_bytes && !is_filler(&member.name) && !is_made_up(&member.name)
        });
        let named: Vec<(&str, u32)> = real.map(|member| (member.name.as_str(), member.offset)).collect();
        let (members, shortened) = sketched(&named);
        (!members.is_empty()).then_some(Self { members, shortened })
    }

    /// The members of a host struct, by name and offset.
    pub fn of_host<'a>(members: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let real: Vec<(&str, u32)> = members.into_iter().filter(|(name, _)| !is_filler(name)).collect();
        let (members, shortened) = sketched(&real);
        Self { members, shortened }
    }

    /// Compares the members with those of a host struct. If a library writes the struct, the layout that fits
    /// best counts, and not the one in memory.
    pub fn fit_of(&self, host: &ProgramStruct, vector_types: &VectorTypes) -> MemberFit {
        let layouts = buffer_fields(host, vector_types);
        let fit_of_layout = |fields: &Vec<(String, u32)>| {
            self.fit(&Self::of_host(fields.iter().map(|(name, offset)| (name.as_str(), *offset))))
        };
        layouts.iter().map(fit_of_layout).max().unwrap_or_else(|| self.fit(&Self::of_host([])))
    }

    /// True if a struct is probably the block's with a mistake, wherever its members are and whatever their types: it has
    /// all names of the block in their order, or all but one, and hardly any other. Members that it regroups in structs
    /// count as its own.
    pub fn is_mistaken(&self, host: &ProgramStruct) -> bool {
        let (mut found, mut others) = (BTreeMap::new(), 0);
        self.find_in(&host.fields, 0, &mut found, &mut others);
        let own = |place: &usize| self.members[*place].key.as_str();
        let weight: u32 = found.keys().map(|place| weight_of(own(place))).sum();
        let offsets: Vec<u32> = found.values().copied().collect();
        let (named, all) = (found.len(), self.members.len());
        let most_others = usize::from(named >= MANY_MEMBERS);
        named + 1 >= all && weight >= 2 * FEWEST_BY_BYTES && others <= most_others && in_order(&offsets) + 1 >= named
    }

    /// Looks for the members in the fields of a struct and in the structs that are its fields. `found` has the offset of each
    /// by its place in the block.
    fn find_in(&self, fields: &[ProgramField], start: u32, found: &mut BTreeMap<usize, u32>, others: &mut usize) {
        for field in fields {
            let (offset, key) = (start.saturating_add(field.offset), loose_key(&field.name));
            let place = self.members.iter().position(|member| member.key == key);
            if let Some(place) = place.filter(|place| !found.contains_key(place)) {
                found.insert(place, offset);
                continue;
            }
            let before = found.len();
            let mut inner_others = 0;
            if let ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } = &field.shape {
                self.find_in(fields, offset, found, &mut inner_others);
            }
            let is_data = !is_filler(&field.name) && !is_virtual_table(&field.name);
            *others += if found.len() > before || field.name.is_empty() { inner_others } else { usize::from(is_data) };
        }
    }

    /// Compares the members with those of a host struct.
    pub fn fit(&self, host: &MemberSketch) -> MemberFit {
        let plain = fit_of(&self.members, &host.members);
        let own_short = self.shortened.as_ref().map(|shortened| fit_of(shortened, &host.members));
        let host_short = host.shortened.as_ref().map(|shortened| fit_of(&self.members, shortened));
        [own_short, host_short].into_iter().flatten().fold(plain, MemberFit::max)
    }
}

fn fit_of(own: &[SketchedMember], host: &[SketchedMember]) -> MemberFit {
    let count = |is_common: &dyn Fn(&SketchedMember) -> bool| {
        let common = own.iter().filter(|member| is_common(member)).count();
        u32::try_from(common).unwrap_or(u32::MAX)
    };
    let offsets: BTreeSet<u32> = own.iter().map(|member| member.offset).collect();
    let host_offsets: BTreeSet<u32> = host.iter().map(|member| member.offset).collect();
    // Push constants of a later stage start where the program pushes the struct.
    let first = own.iter().map(|member| member.offset).min().unwrap_or(0);
    let placed_from = |start: u32| {
        count(&|member| {
            host.iter().any(|host| host.key == member.key && host.offset.saturating_add(start) == member.offset)
        })
    };
    let is_named = |member: &SketchedMember| host.iter().any(|host| host.key == member.key);
    let named = count(&is_named);
    let telling = count(&|member| is_named(member) && member.key.len() >= SHORTEST_TELLING);
    MemberFit {
        placed: placed_from(0).max(placed_from(first)),
        named,
        of: u32::try_from(own.len()).unwrap_or(u32::MAX),
        has_same_offsets: offsets == host_offsets,
        has_telling_names: (telling > 0 && telling * 2 >= named) || named as usize >= MANY_MEMBERS,
    }
}

/// The weight of a name as evidence: half for one that structs of many kinds have, and nothing for `x` or `r`.
fn weight_of(key: &str) -> u32 {
    if key.len() < SHORTEST_TELLING { 0 } else { 2 - u32::from(is_common(key)) }
}

/// The number of offsets in the longest part of the list that ascends, with gaps.
fn in_order(offsets: &[u32]) -> usize {
    let mut lengths: Vec<usize> = Vec::new();
    for (index, offset) in offsets.iter().enumerate() {
        let before = offsets[..index].iter().zip(&lengths).filter(|(before, _)| *before < offset);
        let longest = before.map(|(_, length)| *length).max().unwrap_or(0);
        lengths.push(longest + 1);
    }
    lengths.into_iter().max().unwrap_or(0)
}

/// True for names that no author wrote: those of tuples and of stripped modules.
fn is_made_up(name: &str) -> bool {
    let own = name.trim_start_matches('_');
    own.strip_prefix("member").unwrap_or(own).chars().all(|character| character.is_ascii_digit())
}

impl MemberFit {
    /// True if the struct is worth proposing: half of the members are there, and at least two or at the
    /// same bytes, or the only one is at its place.
    pub fn is_near(self) -> bool {
        let is_enough = self.named >= 2 || (self.named > 0 && self.has_same_offsets);
        (self.of >= 2 && is_enough && self.named * 2 >= self.of) || self.is_only_member()
    }

    /// True if the block has one member, and the struct has it. Many structs may have such a member.
    pub fn is_only_member(self) -> bool {
        self.of == 1 && self.placed == 1
    }

    /// True if the struct lacks one member at most, so that it is probably the block's with a mistake.
    pub fn is_likely(self) -> bool {
        self.named >= FEWEST_TO_TAKE && self.named + 1 >= self.of
    }

    /// True if the struct has so many members under their names that it is the block's with a mistake.
    pub fn is_faulty(self) -> bool {
        self.named >= FEWEST_BY_BYTES && self.named + 1 >= self.of && self.has_telling_names
    }

    /// True if the struct has three quarters of the members under their names, and so many that it is no accident.
    pub fn has_most(self) -> bool {
        self.named >= FEWEST_BY_BYTES && self.named * 4 >= self.of * 3 && self.has_telling_names
    }

    /// True if the struct has all names of a block with many members.
    pub fn has_all_of_many(self) -> bool {
        self.named == self.of && self.of as usize >= MANY_MEMBERS
    }

    /// True if each member that the struct has is at its place.
    pub fn is_in_its_places(self) -> bool {
        self.placed == self.named
    }

    /// True if the struct has all members at their places, and so many that it is no accident. If the
    /// members of both start at the same bytes, half of the names are enough.
    pub fn is_whole(self) -> bool {
        let has_all = self.placed == self.of && self.of >= FEWEST_TO_TAKE;
        let has_half = self.has_same_offsets && self.named * 2 >= self.of && self.of >= FEWEST_BY_BYTES;
        (has_all || has_half) && self.has_telling_names
    }

    /// True if the struct has all members at their places, however few they are.
    pub fn is_exact(self) -> bool {
        self.placed == self.of && (self.of > 1 || self.has_same_offsets) && self.has_telling_names
    }

    /// True if a member is at its place, or all of several are there.
    pub fn is_in_place(self) -> bool {
        self.placed > 0 || (self.named == self.of && self.of > 1)
    }

    /// True if half of the members are there, and half of them at their places: too many for a struct that only
    /// has the block's name.
    pub fn is_half(self) -> bool {
        self.named * 2 >= self.of && self.placed * 2 >= self.of
    }

    /// True if the struct has no member of the block.
    pub fn has_none(self) -> bool {
        self.named == 0
    }

    /// True if the struct has several members, all at their places, of which `other` has less than half.
    pub fn is_all_of_many_against(self, other: Self) -> bool {
        self.placed == self.of && self.of >= FEWEST_BY_BYTES && other.named * 2 < other.of
    }

    /// The number of the block's members that are not at their places, and of members that a struct with so many
    /// has besides.
    pub fn distance(self, members_of_struct: u32) -> u32 {
        (self.of - self.placed) + members_of_struct.saturating_sub(self.named)
    }

    /// True if the struct may be meant although `best` has all members: it has most of them, and not all in other places
    /// where each of several is in its place in `best`. Next to one that has all of several and no others it needs three
    /// quarters, as a struct with a mistake has.
    pub fn is_rival_of(self, best: Self) -> bool {
        let is_many_in_place = best.placed == best.of && best.of >= FEWEST_BY_BYTES;
        let is_elsewhere = self.placed == 0 && is_many_in_place;
        let has_most = if is_many_in_place && best.has_same_offsets {
            self.named * 4 >= self.of * 3
        } else {
            self.named * 2 > self.of
        };
        (has_most && !is_elsewhere) || self.is_whole()
    }

    /// True if the struct has all members at their places and no others, whatever their names say.
    pub fn is_equal(self) -> bool {
        self.placed == self.of && self.of > 1 && self.has_same_offsets
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::{LayoutOptions, Span, find, lay_out};

    use super::*;

    fn sketch(text: &str) -> Option<MemberSketch> {
        let mut sources = layoutproof_source::sources::SourceMap::default();
        let span = Span { file: sources.add("a.hlsl", text), start: 0, end: u32::try_from(text.len()).unwrap() };
        let module =
            layoutproof_frontend::declare(&mut sources, span, &layoutproof_frontend::DeclareOptions::default())
                .expect("a shader");
        let layout = lay_out(&module.blocks[0], find("hlsl-cbuffer").unwrap(), LayoutOptions::default());
        MemberSketch::new(&layout.result.unwrap())
    }

    /// DXC puts `view` at 0, `eye` at 64 and `t` at 76.
    #[test]
    fn members_are_counted_by_name_and_by_place() {
        let sketch = sketch("cbuffer A { float4x4 view; float3 eye; float t; float2 pad0; };").unwrap();
        let fit = |host: &[(&str, u32)]| sketch.fit(&MemberSketch::of_host(host.iter().copied()));
        assert_eq!(
            fit(&[("m_view", 0), ("eye", 64), ("t", 76)]),
            MemberFit { placed: 3, named: 3, of: 3, has_same_offsets: true, has_telling_names: true }
        );
        assert_eq!(
            fit(&[("view", 0), ("eye", 64), ("t", 80)]),
            MemberFit { placed: 2, named: 3, of: 3, has_same_offsets: false, has_telling_names: true }
        );
        let pushed = MemberSketch {
            members: [("roughness", 12), ("metallic", 16)]
                .map(|(key, offset)| SketchedMember { key: key.to_owned(), offset })
                .to_vec(),
            shortened: None,
        };
        assert_eq!(
            pushed.fit(&MemberSketch::of_host([("roughness", 0), ("metallic", 4)])),
            MemberFit { placed: 2, named: 2, of: 2, has_same_offsets: false, has_telling_names: true }
        );
        assert!(fit(&[("view", 0), ("eye", 64)]).is_near());
        assert!(!fit(&[("view", 0), ("proj", 64)]).is_near());
        assert!(fit(&[("view", 0), ("eye", 64), ("t", 76), ("more", 80)]).is_whole());
        assert!(fit(&[("view", 0), ("eyePos", 64), ("t", 76)]).is_whole());
        assert!(!fit(&[("view", 0), ("eyePos", 64), ("time", 76)]).is_whole());
    }

    /// The binding table of a ray tracer and `VkComponentMapping` have the same members at the same bytes.
    #[test]
    fn names_of_one_letter_say_nothing() {
        let sketch = sketch("cbuffer A { float r; float g; float b; };").unwrap();
        let fit = sketch.fit(&MemberSketch::of_host([("r", 0), ("g", 4), ("b", 8)]));
        assert!(fit.is_near() && !fit.is_whole() && !fit.is_exact());
    }

    #[test]
    fn a_block_of_one_member_needs_it_at_its_place() {
        let sketch = sketch("cbuffer A { float4x4 view; float4 pad; };").unwrap();
        let fit = |offset| sketch.fit(&MemberSketch::of_host([("view", offset)]));
        assert!(fit(0).is_near() && !fit(0).is_whole());
        assert!(!fit(16).is_near());
    }

    /// The spellings of types in names do not count.
    #[test]
    fn members_with_prefixes_for_types_are_found() {
        let sketch = sketch("cbuffer A { int iMesh; float fScale; };").unwrap();
        assert_eq!(sketch.fit(&MemberSketch::of_host([("mesh", 0), ("scale", 4)])).placed, 2);
    }

    /// The host's names are those of a shader of `FidelityFX` FSR2, whose block has none of the first words.
    #[test]
    fn a_word_that_all_members_start_with_does_not_count() {
        let placed = |block: &str, host: &[&str]| {
            let host = host.iter().zip((0..).step_by(4)).map(|(name, offset)| (*name, offset));
            sketch(block).unwrap().fit(&MemberSketch::of_host(host)).placed
        };
        let auto = ["autoTcThreshold", "autoTcScale", "autoReactiveScale", "autoReactiveMax"];
        assert_eq!(placed("cbuffer A { float fTcThreshold, fTcScale, fReactiveScale, fReactiveMax; };", &auto), 4);
        assert_eq!(placed("cbuffer A { float bloom_radius, bloom_power; };", &["radius", "power", "other"]), 2);
        // One name without the word, and a struct with only one name.
        assert_eq!(placed("cbuffer A { float radius, power; };", &["bloomRadius", "bloomPower", "time"]), 0);
        assert_eq!(placed("cbuffer A { float radius; };", &["bloomRadius"]), 0);
    }

    #[test]
    fn a_block_of_padding_is_not_tried() {
        assert_eq!(sketch("cbuffer A { float4 pad; };"), None);
    }
}
