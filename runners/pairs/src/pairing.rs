//! Matches blocks with host types and compares them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexSet;
use layoutproof_hostcheck::matching::{
    BlockMatch, BlockNames, Candidates, Kinship, TypeMatch, UploadNames, has_candidate_name, has_name, has_own_name,
    is_generic, is_named_for_file, kinship, match_part, match_type, names_for_file,
};
use layoutproof_hostcheck::{
    BlockPart, Comparison, MemberFit, MemberSketch, Mismatch, MismatchKind, ProgramContract, ProgramField,
    ProgramShape, ProgramStruct, Remark, WrittenBy, WrittenRules, as_written, block_parts, has_data, has_members_of,
    part_of_host, part_path, shares_a_member,
};
use layoutproof_inputs::project_file::KnownMismatch;
use layoutproof_layout::{BlockKind, Count, LaidOut, LaidOutMember, LaidOutShape, Reach};
use layoutproof_report::host_check::{
    CheckedPair, HostCheck, HostPlace, HostProposal, PairOutcome, UnmatchedBlock, UnmatchedReason,
};

use crate::borrowed::{PairNearness, ShaderFolders, withdraw_borrowed};
use crate::comparisons::Comparisons;
use crate::debug_worker::DebugAnswer;
use crate::host_structs::{Candidate, HostStructs};
use crate::nearness::{StructsByName, definitions};
use crate::shader_blocks::{HostForm, TargetBlock};
use crate::shared_advice::share_advice;

/// Most structs to propose for a block: a longer list does not help the user to choose.
const MOST_PROPOSALS: usize = 2;

/// The user's settings for pairs.
#[derive(Clone, Copy, Debug)]
pub struct PairRules<'a> {
    /// Intended differences.
    pub known: &'a [KnownMismatch],
    /// What is compared already.
    pub comparisons: &'a Comparisons<'a>,
    /// True if a block without a host struct is an error.
    pub is_strict: bool,
}

/// A check, and the sides of its pairs.
#[derive(Debug)]
pub struct Pairing {
    /// The comparison.
    pub check: HostCheck,
    /// Block and host struct of each pair in `check.pairs`, in the same order.
    pub partners: Vec<PairPartners>,
}

/// The two sides of a pair.
#[derive(Debug)]
pub struct PairPartners {
    /// Index of the block.
    pub block: usize,
    /// The part of the block that the host struct describes, as an index into [`block_parts`].
    pub part: usize,
    pub host: Arc<ProgramStruct>,
}

/// Compares each block with its host type.
pub fn pair(blocks: &[TargetBlock], hosts: &[DebugAnswer], rules: PairRules<'_>) -> Pairing {
    let all = definitions(hosts);
    let mut check = HostCheck { is_strict: rules.is_strict, ..HostCheck::default() };
    let mut partners = Vec::new();
    let mut nearness: Vec<PairNearness> = Vec::new();
    let folders = ShaderFolders::new(blocks);
    let mut seen_by: Option<(&str, HostStructs<'_>)> = None;
    // Hundreds of shaders include the same block, and a program has thousands of names.
    let distinct: IndexSet<&BlockNames> = blocks.iter().map(|block| &block.names).collect();
    let candidates = Candidates::new(distinct.iter().copied());
    let mut names_for: HashMap<&BlockNames, Vec<&str>> = HashMap::new();
    for name in all.keys() {
        for block in candidates.blocks_of(name) {
            names_for.entry(distinct[block]).or_default().push(name);
        }
    }
    for (index, block) in blocks.iter().enumerate() {
        let names = names_for.get(&block.names).map(Vec::as_slice).unwrap_or_default();
        let structs = match seen_by.take() {
            Some((shader, structs)) if shader == block.shader => structs,
            _ => HostStructs::new(&all, hosts, &block.shader, rules.comparisons.vector_types),
        };
        let (_, structs) = seen_by.insert((&block.shader, structs));
        let mut found =
            PairsOfBlock { block, rules, structs, pairs: Vec::new(), unmatched: Vec::new(), rivals: Vec::new() };
        found.find(index, hosts, names);
        for mut unmatched in found.unmatched {
            // A user who built other samples has nothing to choose.
            if !unmatched.is_stated
                && let UnmatchedReason::Ambiguous(rivals) = &unmatched.reason
                && structs.nearest.is_none()
                && rivals.iter().all(|rival| {
                    structs.find(&rival.name).is_some_and(|host| folders.has_sample_of(&block.shader, host))
                })
            {
                let names = rivals.iter().map(|rival| rival.name.clone());
                unmatched.reason = UnmatchedReason::OfOtherSamples(names.collect());
            }
            check.unmatched.push(unmatched);
        }
        for BlockPair { pair, part, host } in found.pairs {
            let folders = structs.nearness(&host).folders;
            nearness.push(PairNearness { folders, is_without_program: structs.nearest.is_none() });
            check.pairs.push(pair);
            partners.push(PairPartners { block: index, part, host });
        }
    }
    // An entry about a pair that is withdrawn below still holds.
    let stale = rules.known.iter().filter(|known| !is_used(known, &check));
    let complain = |known: &KnownMismatch| {
        format!("the known difference of `{}` no longer occurs; remove it: {}", known.block, known.reason)
    };
    let complaints = stale.map(complain).collect();
    check.complaints = complaints;

    let mut pairing = Pairing { check, partners };
    withdraw_borrowed(&mut pairing, blocks, &nearness, &folders, rules);
    share_advice(&mut pairing, blocks, rules);
    pairing
}

/// The results for one block.
struct PairsOfBlock<'a> {
    block: &'a TargetBlock,
    rules: PairRules<'a>,
    structs: &'a HostStructs<'a>,
    pairs: Vec<BlockPair>,
    unmatched: Vec<UnmatchedBlock>,
    /// The other structs of the name, if only members tell which one is meant.
    rivals: Vec<&'a ProgramStruct>,
}

/// What was found for a block as a whole.
#[derive(Clone, Copy)]
struct WholeMatch<'a> {
    has_host: bool,
    /// The stated struct of the bytes before the elements, which is compared together with them.
    header: Option<&'a ProgramStruct>,
}

/// A pair with its block part and its host struct.
struct BlockPair {
    pair: CheckedPair,
    part: usize,
    host: Arc<ProgramStruct>,
}

impl<'a> PairsOfBlock<'a> {
    /// Finds the host struct of the block, and that of the elements after it if the first covers only the header.
    /// `type_names` are those that may be meant.
    fn find(&mut self, index: usize, hosts: &[DebugAnswer], type_names: &[&str]) {
        let (block, by_name) = (self.block, &self.structs.by_name);
        let (layout, names) = (&block.layout, &block.names);
        let parts = layout.result.as_ref().map(|root| block_parts(layout, root)).unwrap_or_default();
        let type_names: Vec<&str> = type_names.iter().copied().filter(|name| by_name.contains_key(name)).collect();

        let found = self.match_name(&parts, &type_names);
        let host = find_host(index, names.stated_for_all(), &found, hosts, by_name, |declared: &[&str]| {
            match_type(names, declared.iter().copied()).found
        });
        if let Err(reasons) = &layout.result {
            let forbidden = reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            let reason = host.err().unwrap_or(UnmatchedReason::Forbidden(forbidden));
            return self.unmatched.push(unmatched(block, layout.name.clone(), reason));
        }
        let named = host.and_then(|host| self.accept(&parts, &found, host));
        let whole = self.find_whole(index, hosts, &parts, named, &type_names);

        let is_compared = self.pairs.iter().any(|pair| !pair.pair.comparison.is_header());
        if !is_compared && let Some(part) = parts.iter().position(|part| part.has_header) {
            self.find_elements(index, hosts, &parts, part, &type_names, whole);
        }
    }

    /// The struct with the name that the user states, or with the block's. One that is nearest to the shader and has
    /// members of the block comes first.
    fn match_name(&mut self, parts: &[BlockPart<'_>], type_names: &[&str]) -> BlockMatch {
        let (names, structs) = (&self.block.names, self.structs);
        if names.stated_for_all().is_some() {
            return match_type(names, type_names.iter().copied());
        }
        // A class with a pointer must not match a block just because its name is similar.
        let is_possible = |name: &str, host: &ProgramStruct| {
            let has_members = || has_members_of(parts, host);
            let is_uploaded = !host.is_never_uploaded() || (has_name(names, name) && has_members());
            is_uploaded && (!host.is_named_by_variable || has_members()) && may_be_unnamed(parts, host)
        };
        let candidates: Vec<(&str, &ProgramStruct)> = type_names
            .iter()
            .filter_map(|name| Some((*name, structs.find(name)?)))
            .filter(|(name, host)| is_possible(name, host))
            .collect();
        let near = candidates.iter().filter(|(_, host)| structs.is_nearest(host) && has_members_of(parts, host));
        let mut found = match_type(names, near.map(|(name, _)| *name));
        if let TypeMatch::None(_) | TypeMatch::StatedMissing { .. } = found.found {
            found = match_type(names, candidates.iter().map(|(name, _)| *name));
        }

        let rivals: Vec<String> = match &found.found {
            TypeMatch::Ambiguous(several) => several.clone(),
            // Whether the name is in a namespace counts less than whose it is.
            TypeMatch::Found(name) => {
                type_names.iter().filter(|other| is_namesake(other, name)).map(ToString::to_string).collect()
            }
            TypeMatch::None(_) | TypeMatch::StatedMissing { .. } => Vec::new(),
        };
        if rivals.len() > 1 {
            if let Some(name) = structs.only_nearest(parts, &rivals) {
                found.found = TypeMatch::Found(name);
            } else if let Some(only) = self.only_that_fits(parts, &rivals) {
                found.found = TypeMatch::Found(only.name.clone());
                let others = rivals.iter().filter_map(|name| structs.find(name));
                self.rivals = others.filter(|other| !other.has_same_layout(only)).collect();
            }
        }
        found
    }

    /// The struct among those of one name that agrees with the block and has all of its members, or alone has half of them
    /// and agrees. If none does, any of them if all have the same bytes, and a name that says something.
    fn only_that_fits(&self, parts: &[BlockPart<'_>], names: &[String]) -> Option<&'a ProgramStruct> {
        let structs = self.structs;
        let rivals: Vec<&ProgramStruct> = names.iter().filter_map(|name| structs.find(name)).collect();
        let mut in_a_row = rivals.iter().filter(|host| self.in_a_row(parts, host).is_some());
        if let (Some(only), None) = (in_a_row.next(), in_a_row.next()) {
            return Some(only);
        }
        let fit_if_agreeing = |host: &'a ProgramStruct| {
            let all = parts.iter().enumerate().filter(|(_, part)| !part.has_header);
            let all = all.filter_map(|(index, part)| Some((self.fit_of(part, host)?, index)));
            let (fit, part) = all.max()?;
            let pair = compare_pair(self.block, &parts[part], host, self.rules);
            pair.comparison.agrees().then_some((fit, host))
        };
        let agreeing: Vec<(MemberFit, &'a ProgramStruct)> =
            rivals.iter().filter_map(|host| fit_if_agreeing(host)).collect();
        let has_all = |fit: MemberFit| fit.placed == fit.of && (fit.of > 1 || fit.has_same_offsets);
        if let Some((_, fitting)) = agreeing.iter().find(|(fit, _)| has_all(*fit)) {
            return Some(fitting);
        }
        // Others may agree by their bytes alone.
        let mut half = agreeing.iter().filter(|(fit, _)| fit.is_half() && fit.placed > 1);
        if let (Some((_, only)), None) = (half.next(), half.next()) {
            return Some(only);
        }
        let first = rivals.first().filter(|first| !is_generic(&first.name))?;
        rivals.iter().all(|other| other.has_same_layout(first)).then_some(first)
    }

    /// The part of the block that a struct with its name describes, unless the name alone says too little.
    ///
    /// Bytes alone agree with many structs, so that a generic name needs a member's name too, and a similar one half of
    /// them. A generic name in a class or namespace needs their places or all of them: in a repository of samples, each
    /// has its own `PushConstants`.
    fn accept(
        &self,
        parts: &[BlockPart<'_>],
        found: &BlockMatch,
        host: &'a ProgramStruct,
    ) -> Result<(usize, &'a ProgramStruct), UnmatchedReason> {
        let (names, structs) = (&self.block.names, self.structs);
        let part = found.part.map_or_else(|| part_of_host(parts, host), |inner| inner + 1);
        if names.stated_for_all().is_some() {
            return Ok((part, host));
        }
        let own = parts.get(part).map(std::slice::from_ref).unwrap_or_default();
        let fit = structs.best_fit(own, host).map(|(fit, _)| fit);
        // `light_position` and `light_color` are the members of a `Light` with other names.
        let has_members = has_members_of(own, host) || fit.is_some_and(MemberFit::is_exact);
        let is_in_place = || fit.is_some_and(MemberFit::is_in_place);
        let is_named = if has_name(names, &host.name) && !own.iter().any(has_data) {
            true
        } else if self.in_a_row(parts, host).is_some() {
            return Ok((0, host));
        } else if is_generic(&host.name) && host.name.contains("::") {
            has_members && is_in_place()
        } else {
            has_members
                || has_own_name(names, &host.name)
                || (has_name(names, &host.name) && shares_a_member(parts, host))
        };
        if !is_named {
            Err(UnmatchedReason::OtherMembers(host.name.clone()))
        } else if structs.may_fill(parts, host) {
            Ok((part, host))
        } else {
            Err(UnmatchedReason::FartherAway(host.name.clone()))
        }
    }

    /// True if a struct with the block's name has many members, and none of the block's: a program's own `Camera` next to
    /// `uniform Camera { mat4 viewProj; }`.
    fn is_other_thing(&self, part: &BlockPart<'_>, host: &ProgramStruct) -> bool {
        let is_far = |fit: MemberFit| fit.has_none() && host.count_of_data() > 2 * fit.of;
        let agrees = || compare_pair(self.block, part, host, self.rules).comparison.agrees();
        let is_stated = self.block.names.stated_for_all().is_some();
        !is_stated && host.written_by.is_none() && self.fit_of(part, host).is_some_and(is_far) && !agrees()
    }

    /// Compares the block with its host struct, or with one that fits it better by its members.
    fn find_whole(
        &mut self,
        index: usize,
        hosts: &[DebugAnswer],
        parts: &[BlockPart<'_>],
        named: Result<(usize, &'a ProgramStruct), UnmatchedReason>,
        type_names: &[&str],
    ) -> WholeMatch<'a> {
        let (block, structs) = (self.block, self.structs);
        let mut kin: Vec<Candidate<'a>> = Vec::new();
        let fitting = || structs.candidates(index, hosts, |part| parts.get(part).is_some_and(|part| !part.has_header));
        let candidates = match &named {
            Ok(_) if block.names.stated_for_all().is_some() => Vec::new(),
            Ok((_, host)) if !is_generic(&host.name) => {
                // Others with a similar name may have all of the members.
                let all = structs.with_named(parts, type_names, fitting());
                kin = structs.kin_of(host, &all);
                let has_half = structs.best_fit(parts, host).is_some_and(|(fit, _)| fit.is_half());
                let may_replace = |other: &Candidate<'_>| {
                    other.fit.is_whole() && (!has_half || has_candidate_name(&block.names, &other.host.name))
                };
                all.into_iter().filter(may_replace).collect()
            }
            Err(UnmatchedReason::Ambiguous(rivals)) => {
                let names: Vec<String> = rivals.iter().map(|rival| rival.name.clone()).collect();
                structs.rivals(parts, &names, fitting())
            }
            Ok(_) | Err(_) => fitting(),
        };
        let named = named.and_then(|(part, host)| {
            if candidates.iter().any(|candidate| candidate.is_better_than(host, structs, &candidates)) {
                Err(UnmatchedReason::NoType(vec![host.name.clone()]))
            } else {
                Ok((part, host))
            }
        });
        let own = named.as_ref().ok().copied();
        let displaced = own.filter(|(part, host)| self.is_displaced(parts, *part, host, &candidates));
        let host = match displaced {
            Some((_, host)) => Err(UnmatchedReason::NoType(vec![host.name.clone()])),
            None => named.map(|(part, host)| structs.only_elements(parts, host).unwrap_or((part, host))),
        };
        let uploaded = host.as_ref().ok().map(|(part, host)| self.choose_uploaded(parts, (*part, host), &kin));
        let has_namesakes = matches!(host, Err(UnmatchedReason::Ambiguous(_)));
        let displaced_host = displaced.map(|(part, host)| (host, self.fit_of(&parts[part], host)));
        let only_fitting = structs.only_fitting(&candidates, displaced_host, has_namesakes);
        let only_fitting = only_fitting.filter(|only| self.is_evident(parts, only));
        // The struct that is only declared may be the one that fits, unless another has all names of many members.
        let is_declared = matches!(host, Err(UnmatchedReason::OnlyDeclared(_)));
        let may_be_meant = displaced.is_none() && !has_namesakes;
        let may_be_faulty = may_be_meant && !is_declared;
        let only_agreeing = self.only_agreeing(parts, &candidates).filter(|_| may_be_faulty);
        let only_faulty = structs.only_faulty(&candidates);
        let only_faulty = only_faulty.filter(|only| may_be_faulty || (may_be_meant && only.fit.has_all_of_many()));
        let is_whole = |part: usize| parts.get(part).is_some_and(|part| !part.has_header);
        let only_mistaken = structs.only_mistaken(index, hosts, &candidates, is_whole).filter(|_| may_be_faulty);

        let row = host.as_ref().ok().and_then(|(_, host)| self.in_a_row(parts, host));
        let host = match &uploaded {
            Some((part, chosen, _)) if row.is_none() && self.is_other_thing(&parts[*part], chosen) => {
                Err(UnmatchedReason::OtherMembers(chosen.name.clone()))
            }
            Some(_) | None => host,
        };

        let mut whole = WholeMatch { has_host: host.is_ok(), header: None };
        match host {
            Ok((part, host)) => match block.host_form {
                HostForm::One if let Some(row) = row => drop(self.compare(parts, 0, &row)),
                HostForm::One => {
                    let (part, host, alternatives) = uploaded.unwrap_or_else(|| (part, host, Vec::new()));
                    self.compare_next_to(parts, (part, host), &alternatives);
                }
                HostForm::Several(count) => match several(host, count, parts[0].root) {
                    Ok(joined) => drop(self.compare(parts, 0, &joined)),
                    Err(reason) => self.unmatched.push(unmatched(block, block.layout.name.clone(), reason)),
                },
                HostForm::HeaderAndElements => whole.header = Some(host),
            },
            Err(
                UnmatchedReason::NoType(_)
                | UnmatchedReason::OtherMembers(_)
                | UnmatchedReason::FartherAway(_)
                | UnmatchedReason::OnlyDeclared(_)
                | UnmatchedReason::Ambiguous(_),
            ) if let Some(only) = only_fitting.or(only_agreeing).or(only_faulty).or(only_mistaken.as_ref()) => {
                self.compare_by_members(parts, only, displaced, &candidates);
            }
            Err(UnmatchedReason::NoType(_) | UnmatchedReason::OtherMembers(_))
                if let Some((part, host)) = self.only_named_for_file(parts) =>
            {
                self.compare(parts, part, host);
            }
            Err(reason) if is_worth_listing(&self.block.layout.reach, parts, &reason) => {
                let mut proposals = self.proposals(parts, &candidates);
                if proposals.is_empty() {
                    proposals = self.proposals_by_name(parts);
                }
                let listed = unmatched(block, block.layout.name.clone(), reason);
                self.unmatched.push(UnmatchedBlock { proposals, ..listed });
            }
            Err(_) => {}
        }
        whole
    }

    /// The struct as often in a row as the block has what it describes: members of one struct type that has its members, or
    /// the elements of an array of vectors or matrices, for which only the host needs a struct and which must agree.
    fn in_a_row(&self, parts: &[BlockPart<'_>], host: &ProgramStruct) -> Option<ProgramStruct> {
        let root = parts.first()?.root;
        let LaidOutShape::Struct(members) = &root.shape else { return None };
        if self.block.names.stated_for_all().is_some() || host.written_by.is_some() {
            return None;
        }
        match members.as_slice() {
            [only] => {
                let LaidOutShape::Array { element, count, stride } = &only.layout.shape else { return None };
                let is_plain = !matches!(element.shape, LaidOutShape::Struct(_) | LaidOutShape::Array { .. });
                if !is_plain || *stride != host.size || host.count_of_data() != 1 {
                    return None;
                }
                let row = match count {
                    Count::Finite(0 | 1) => return None,
                    Count::Finite(count) => {
                        let mut row = several(host, *count, root).ok()?;
                        row.fields[0].name.clone_from(&only.name);
                        row
                    }
                    Count::Unbounded => {
                        let nothing = ProgramStruct { fields: Vec::new(), size: 0, ..host.clone() };
                        let elements = with_elements(&nothing, host, &only.name);
                        ProgramStruct { name: format!("{}[]", host.name), ..elements }
                    }
                };
                compare_pair(self.block, &parts[0], &row, self.rules).comparison.agrees().then_some(row)
            }
            [first, second, ..] => {
                let is_same = |member: &LaidOutMember| member.layout.type_name == first.layout.type_name;
                let fit = MemberSketch::new(&first.layout)?.fit_of(host, self.structs.vector_types);
                if second.offset != host.size || !members.iter().all(is_same) || !fit.is_near() {
                    return None;
                }
                several(host, u32::try_from(members.len()).ok()?, root).ok()
            }
            [] => None,
        }
    }

    /// The names that a struct of the program may have after the shader's file and the block's struct.
    fn names_for_file(&self) -> BTreeSet<String> {
        let file = Path::new(&self.block.shader).file_name().unwrap_or_default().to_string_lossy();
        names_for_file(&self.block.names, &file)
    }

    /// The struct that alone is named after the shader's file and the block's struct and agrees, with its part. Its members
    /// may be packed, so that the shader has none of their names.
    fn only_named_for_file(&self, parts: &[BlockPart<'_>]) -> Option<(usize, &'a ProgramStruct)> {
        let names = self.names_for_file();
        let mut agreeing = self.agreeing(parts, |name| is_named_for_file(&names, name));
        agreeing.next().filter(|_| agreeing.next().is_none())
    }

    /// The structs that agree, if few do, and whose names say that the program uploads them for something like the block, or
    /// that any block of the shader's own program may have. Without any, those that are named after the shader's file.
    fn proposals_by_name(&self, parts: &[BlockPart<'_>]) -> Vec<HostProposal> {
        let uploads = UploadNames::of([&self.block.names]);
        let similar = self.agreeing(parts, |name| uploads.has_similar(name));
        let generic = self.agreeing(parts, is_generic).filter(|(_, host)| self.structs.is_nearest(host));
        let proposal = |part: usize, host: &ProgramStruct, difference: Option<String>| {
            Some(HostProposal { host: host.name.clone(), fit: self.fit_of(&parts[part], host)?, difference })
        };
        let agreeing = similar.chain(generic).filter_map(|(part, host)| proposal(part, host, None));
        let mut found: Vec<HostProposal> = agreeing.collect();
        if let (true, Some(part)) = (found.is_empty(), parts.iter().rposition(|part| !part.has_header)) {
            let names = self.names_for_file();
            found.extend(self.named(|name| is_named_for_file(&names, name)).filter_map(|host| {
                let pair = compare_pair(self.block, &parts[part], host, self.rules);
                proposal(part, host, pair.comparison.mismatches.first().map(ToString::to_string))
            }));
        }
        if found.len() <= MOST_PROPOSALS { found } else { Vec::new() }
    }

    /// The structs with a name like this whose bytes are those in memory.
    fn named(&self, is_named: impl Fn(&str) -> bool) -> impl Iterator<Item = &'a ProgramStruct> {
        let structs = self.structs.by_name.values().map(|near| near.program.as_ref());
        structs.filter(move |host| is_named(&host.name) && host.written_by.is_none())
    }

    /// The structs with a name like this that agree with the block, with their parts.
    fn agreeing(
        &self,
        parts: &[BlockPart<'_>],
        is_named: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (usize, &'a ProgramStruct)> {
        self.named(is_named).filter_map(move |host| {
            let agrees = |part: &usize| compare_pair(self.block, &parts[*part], host, self.rules).comparison.agrees();
            (0..parts.len()).filter(|part| !parts[*part].has_header).find(agrees).map(|part| (part, host))
        })
    }

    /// The struct that alone has most of the block's members, each at its place, and agrees: the others have other names.
    fn only_agreeing<'c>(&self, parts: &[BlockPart<'_>], candidates: &'c [Candidate<'a>]) -> Option<&'c Candidate<'a>> {
        let only = candidates.iter().find(|candidate| candidate.fit.has_most() && candidate.fit.is_in_its_places())?;
        let is_rival = |other: &Candidate<'_>| other.host.name != only.host.name && other.fit.is_rival_of(only.fit);
        let is_own = self.structs.is_of_nearest_program(only.host) && only.host.written_by.is_none();
        let agrees = || compare_pair(self.block, &parts[only.part], only.host, self.rules).comparison.agrees();
        (is_own && !candidates.iter().any(is_rival) && agrees()).then_some(only)
    }

    /// Compares the elements of the block's unbounded array, which are `part`, with their struct, together with the header
    /// if that is stated.
    fn find_elements(
        &mut self,
        index: usize,
        hosts: &[DebugAnswer],
        parts: &[BlockPart<'_>],
        part: usize,
        type_names: &[&str],
        whole: WholeMatch<'a>,
    ) {
        let (block, structs) = (self.block, self.structs);
        let names = &block.names;
        let Some(names_of_part) = part.checked_sub(1).and_then(|inner| names.parts.get(inner)) else { return };
        let found = match_part(names, names_of_part, type_names.iter().copied());
        let found = BlockMatch { found, part: None };
        let host =
            find_host(index, names_of_part.stated.as_ref(), &found, hosts, &structs.by_name, |declared: &[&str]| {
                match_part(names, names_of_part, declared.iter().copied())
            });
        let candidates = match &host {
            Ok(_) if names_of_part.stated.is_some() => Vec::new(),
            Ok(_) | Err(_) => structs.candidates(index, hosts, |fitted| fitted == part),
        };
        let named = host.as_ref().ok().copied().filter(|_| whole.header.is_none());
        let displaced = named.filter(|host| self.is_displaced(parts, part, host, &candidates));
        let host = displaced.map_or(host, |host| Err(UnmatchedReason::NoType(vec![host.name.clone()])));
        let uploaded = host.as_ref().ok().map(|host| {
            let all = structs.candidates(index, hosts, |fitted| fitted == part);
            let all = structs.with_named(std::slice::from_ref(&parts[part]), type_names, all);
            let all: Vec<Candidate<'_>> = all.into_iter().map(|found| Candidate { part, ..found }).collect();
            self.choose_uploaded(parts, (part, host), &structs.kin_of(host, &all))
        });
        let displaced_host = displaced;
        let displaced = displaced.map(|host| (host, self.fit_of(&parts[part], host)));
        let only_fitting = structs.only_fitting(&candidates, displaced, false);
        let only_fitting = only_fitting.filter(|only| self.is_evident(parts, only));
        let only_mistaken = structs.only_mistaken(index, hosts, &candidates, |fitted| fitted == part);
        let only_mistaken = only_mistaken.filter(|_| displaced.is_none());
        match host {
            Ok(host) => match whole.header {
                Some(header) => drop(self.compare(parts, 0, &with_elements(header, host, parts[part].member()))),
                None => {
                    let (part, host, alternatives) = uploaded.unwrap_or_else(|| (part, host, Vec::new()));
                    self.compare_next_to(parts, (part, host), &alternatives);
                }
            },
            Err(UnmatchedReason::NoType(_))
                if let (Some(only), None) = (only_fitting.or(only_mistaken.as_ref()), whole.header) =>
            {
                self.compare_by_members(parts, only, displaced_host.map(|host| (part, host)), &candidates);
            }
            Err(reason) => {
                let near: Vec<Candidate<'_>> =
                    candidates.into_iter().filter(|candidate| candidate.fit.is_near()).collect();
                if whole.has_host || reason.is_error() || !near.is_empty() {
                    let proposals = self.proposals(parts, &near);
                    let listed = unmatched(block, part_path(&block.layout.name, &parts[part].path), reason);
                    self.unmatched.push(UnmatchedBlock { proposals, ..listed });
                }
            }
        }
    }

    /// True if a struct with the block's name differs, and another of the candidates is probably meant.
    fn is_displaced(
        &self,
        parts: &[BlockPart<'_>],
        part: usize,
        named: &ProgramStruct,
        candidates: &[Candidate<'_>],
    ) -> bool {
        let structs = self.structs;
        let own = self.fit_of(&parts[part], named);
        let is_displacing = |candidate: &Candidate<'_>| {
            candidate.nearness >= structs.nearness(named) && own.is_some_and(|own| candidate.displaces(named, own))
        };
        let differs = || match &named.written_by {
            Some(writer) => {
                let written = self.compare_as_written(&parts[part], named, writer);
                written.is_none_or(|(pair, _)| !pair.comparison.agrees())
            }
            None => !compare_pair(self.block, &parts[part], named, self.rules).comparison.agrees(),
        };
        // Without a member of the block, a struct agrees by accident.
        let agrees_by_accident = || own.is_some_and(MemberFit::has_none) && named.written_by.is_none();
        let is_stated = self.block.names.stated_for_all().is_some();
        !is_stated && candidates.iter().any(is_displacing) && (agrees_by_accident() || differs())
    }

    /// The struct to compare: the one with the block's name, or the one of its kin that the program probably uploads
    /// instead, because that fits and the other does not, or is as near and its name says so. Returns it with its part
    /// and with the structs that may be meant otherwise.
    fn choose_uploaded(
        &self,
        parts: &[BlockPart<'_>],
        named: (usize, &'a ProgramStruct),
        kin: &[Candidate<'a>],
    ) -> (usize, &'a ProgramStruct, Vec<Candidate<'a>>) {
        let (part, host) = named;
        let own = self.fit_of(&parts[part], host);
        let is_stated = self.block.names.stated_for_all().is_some();
        let Some(own) = own.filter(|_| !is_stated && host.written_by.is_none()) else {
            return (part, host, Vec::new());
        };
        let agrees = |part: usize, host: &ProgramStruct| {
            compare_pair(self.block, &parts[part], host, self.rules).comparison.agrees()
        };
        let is_uploaded = |other: &&Candidate<'_>| kinship(&other.host.name, &host.name) == Some(Kinship::UploadedForm);
        let rivals = || {
            let fit_of = |rival| self.fit_of(&parts[part], rival).filter(|fit| !fit.has_none());
            self.rivals.iter().filter_map(move |rival| Some(self.structs.candidate(rival, part, fit_of(rival)?)))
        };
        if agrees(part, host) {
            let differing = kin.iter().filter(is_uploaded).filter(|other| other.fit.is_likely());
            let differing = differing.filter(|other| !agrees(other.part, other.host)).copied();
            return (part, host, rivals().chain(differing).collect());
        }
        let fitting = kin.iter().filter(|other| other.fit.is_exact() && agrees(other.part, other.host));
        let fitting = fitting.max_by_key(|other| kinship(&other.host.name, &host.name));
        let distance = |fit: MemberFit, host: &ProgramStruct| fit.distance(host.count_of_data());
        let likely = || kin.iter().filter(|other| other.fit.is_likely() && is_uploaded(other));
        let nearest = || likely().find(|other| distance(other.fit, other.host) <= distance(own, host));
        // A struct with few of the members has only the name.
        let with_members = || {
            let has_half = |other: &&Candidate<'_>| own.named * 2 < own.of && other.fit.named * 2 >= other.fit.of;
            kin.iter().filter(has_half).filter(|other| other.fit.of > 1).max_by_key(|other| other.fit)
        };
        match fitting.or_else(nearest).or_else(with_members) {
            Some(other) => (other.part, other.host, vec![self.structs.candidate(host, part, own)]),
            None => (part, host, rivals().chain(likely().copied()).collect()),
        }
    }

    /// Compares a struct, and names the others that may be meant.
    fn compare_next_to(
        &mut self,
        parts: &[BlockPart<'_>],
        (part, host): (usize, &ProgramStruct),
        alternatives: &[Candidate<'_>],
    ) -> Option<&mut CheckedPair> {
        let proposals = self.proposals(parts, alternatives);
        let pair = self.compare(parts, part, host)?;
        pair.alternatives = proposals;
        // A struct that has no member at its place is not meant where another one agrees.
        if pair.comparison.agrees() {
            pair.alternatives.retain(|other| other.fit.placed > 0 || other.fit.is_likely());
        }
        Some(pair)
    }

    fn fit_of(&self, part: &BlockPart<'_>, host: &ProgramStruct) -> Option<MemberFit> {
        MemberSketch::new(part.root).map(|sketch| sketch.fit_of(host, self.structs.vector_types))
    }

    /// False for a struct of which the name of the only member is right, and nothing else.
    fn is_evident(&self, parts: &[BlockPart<'_>], only: &Candidate<'_>) -> bool {
        let agrees = || compare_pair(self.block, &parts[only.part], only.host, self.rules).comparison.agrees();
        !only.fit.is_only_member() || only.host.written_by.is_some() || agrees()
    }

    /// Compares a struct that only its members match with the block, instead of one with the block's name.
    fn compare_by_members(
        &mut self,
        parts: &[BlockPart<'_>],
        only: &Candidate<'_>,
        displaced: Option<(usize, &ProgramStruct)>,
        candidates: &[Candidate<'_>],
    ) {
        let why = self.structs.why_taken(only, candidates);
        let candidate = displaced
            .and_then(|(part, host)| Some(self.structs.candidate(host, part, self.fit_of(&parts[part], host)?)));
        if let Some(pair) = self.compare_next_to(parts, (only.part, only.host), candidate.as_slice()) {
            pair.by_members = Some(why);
        }
    }

    fn proposals(&self, parts: &[BlockPart<'_>], candidates: &[Candidate<'_>]) -> Vec<HostProposal> {
        let proposal = |found: &Candidate<'_>| HostProposal {
            host: found.host.name.clone(),
            fit: found.fit,
            difference: self.difference(parts, found),
        };
        // The only member of a block says less than the name of its file.
        let is_named = |found: &&Candidate<'_>| self.structs.is_named_after_shader(found.host);
        let has_named = candidates.iter().any(|found| is_named(&found));
        let meant = candidates.iter().filter(|found| !has_named || !found.fit.is_only_member() || is_named(found));
        meant.take(MOST_PROPOSALS).map(proposal).collect()
    }

    /// The first difference of a block and a struct that is only proposed. `None` for a struct that has too
    /// few of its members to be meant.
    fn difference(&self, parts: &[BlockPart<'_>], proposed: &Candidate<'_>) -> Option<String> {
        if !proposed.fit.is_likely() {
            return None;
        }
        let part = &parts[proposed.part];
        let pair = match &proposed.host.written_by {
            None => compare_pair(self.block, part, proposed.host, self.rules),
            Some(writer) => self.compare_as_written(part, proposed.host, writer)?.0,
        };
        pair.comparison.mismatches.first().map(ToString::to_string)
    }

    /// Compares a struct in the layout in which its library writes it; `None` if that is not known. A type of
    /// crevice may have both layouts, and its code decides for each buffer: one that agrees counts.
    fn compare_as_written(
        &self,
        part: &BlockPart<'_>,
        host: &ProgramStruct,
        writer: &WrittenBy,
    ) -> Option<(CheckedPair, ProgramStruct)> {
        let usual = usual_rules(self.block.layout.kind);
        let mut rules = writer.rules.clone();
        rules.sort_by_key(|rules| *rules != usual);
        let written = rules.into_iter().filter_map(|rules| {
            let written = as_written(host, rules, self.rules.comparisons.vector_types, |name| self.structs.find(name))?;
            Some((compare_pair(self.block, part, &written, self.rules), written))
        });
        written.min_by_key(|(pair, _)| !pair.comparison.agrees())
    }

    /// Adds the pair; `None` for a struct whose bytes in the buffer are not known, which is listed without a pair.
    fn compare(&mut self, parts: &[BlockPart<'_>], part: usize, host: &ProgramStruct) -> Option<&mut CheckedPair> {
        let Some(writer) = &host.written_by else {
            let pair = compare_pair(self.block, &parts[part], host, self.rules);
            let host = self.rules.comparisons.shared(host);
            return Some(self.add(BlockPair { pair, part, host }));
        };

        let mut difference = None;
        if let Some((mut pair, written)) = self.compare_as_written(&parts[part], host, writer) {
            let first = pair.comparison.mismatches.first();
            if first.is_none_or(|first| !may_follow_from_attributes(&first.kind)) {
                let remark = Remark::WrittenBy { library: writer.library.clone() };
                Arc::make_mut(&mut pair.comparison).remarks.insert(0, remark);
                return Some(self.add(BlockPair { pair, part, host: written.into() }));
            }
            difference = first.map(ToString::to_string);
        }
        let (host, library) = (host.name.clone(), writer.library.clone());
        let reason = UnmatchedReason::WrittenBy { host, library, difference };
        let name = part_path(&self.block.layout.name, &parts[part].path);
        self.unmatched.push(unmatched(self.block, name, reason));
        None
    }

    fn add(&mut self, pair: BlockPair) -> &mut CheckedPair {
        self.pairs.push(pair);
        &mut self.pairs.last_mut().expect("a pair was added").pair
    }
}

/// The rules that programs use for this kind of block.
fn usual_rules(kind: BlockKind) -> WrittenRules {
    match kind {
        BlockKind::StructuredElement | BlockKind::StorageBlock | BlockKind::PushConstant => WrittenRules::Natural,
        _ => WrittenRules::Std140,
    }
}

/// True for a difference in places. An attribute of the struct moves members, and changes neither their
/// types nor their order.
fn may_follow_from_attributes(kind: &MismatchKind) -> bool {
    match kind {
        MismatchKind::SwappedNames { .. }
        | MismatchKind::ClassDiffers { .. }
        | MismatchKind::MatrixOrder { .. }
        | MismatchKind::CountDiffers { .. } => false,
        MismatchKind::OffsetMoved { .. }
        | MismatchKind::SizeDiffers { .. }
        | MismatchKind::BoolSize { .. }
        | MismatchKind::StrideDiffers { .. }
        | MismatchKind::MissingInHost { .. }
        | MismatchKind::HostTooShort { .. }
        | MismatchKind::TooSmallForApi { .. }
        | MismatchKind::BitFieldOverMember { .. }
        | MismatchKind::BitsDiffer { .. }
        | MismatchKind::ContractBroken { .. }
        | MismatchKind::NoContract
        | MismatchKind::SeveralLayouts { .. } => true,
    }
}

/// A header and the elements right after it, as one struct. The array has its name in the shader, because
/// the host does not name it.
fn with_elements(header: &ProgramStruct, element: &ProgramStruct, array: &str) -> ProgramStruct {
    let name = format!("{} + {}[]", header.name, element.name);
    let elements = ProgramField {
        name: array.to_owned(),
        type_name: format!("{}[]", element.name),
        offset: header.size,
        shape: ProgramShape::Array {
            element: Box::new(ProgramShape::Struct { fields: element.fields.clone(), size: element.size }),
            element_name: element.name.clone(),
            count: None,
            stride: element.size,
        },
        bits: None,
        alignment: None,
        place: element.place.clone(),
    };
    let mut joined = ProgramStruct { name, ..header.clone() };
    joined.fields.push(elements);
    joined.other_layouts.extend(element.other_layouts.clone());
    if joined.contract == ProgramContract::Fixed || element.contract == ProgramContract::Reordered {
        joined.contract = element.contract;
    }
    joined
}

/// The structs of an array of the host, as one struct. Each has the name of the block's struct that it fills.
fn several(host: &ProgramStruct, count: u32, block: &LaidOut) -> Result<ProgramStruct, UnmatchedReason> {
    let name = format!("{}[{count}]", host.name);
    let host_size = u64::from(host.size) * u64::from(count);
    let size = match (u32::try_from(host_size), block.size.finite()) {
        (Ok(size), block_size) if block_size.is_none_or(|block_size| size <= block_size.next_multiple_of(16)) => size,
        (_, block_size) => {
            let block_size = block_size.unwrap_or(u32::MAX);
            return Err(UnmatchedReason::ExceedsBlock { stated: name, host_size, block_size });
        }
    };
    let element = || ProgramShape::Struct { fields: host.fields.clone(), size: host.size };
    let field = |name: String, type_name: String, offset: u32, shape: ProgramShape| ProgramField {
        name,
        type_name,
        offset,
        shape,
        bits: None,
        alignment: None,
        place: host.place.clone(),
    };
    let fields = match StructsInRow::of(block) {
        StructsInRow::Members(names) if names.len() >= count as usize => {
            let placed = names.into_iter().zip((0..count).map(|index| index.saturating_mul(host.size)));
            placed.map(|(name, offset)| field(name, host.name.clone(), offset, element())).collect()
        }
        found => {
            let array_name = if let StructsInRow::Array(name) = found { name } else { String::new() };
            let (element, element_name) = (Box::new(element()), host.name.clone());
            let array = ProgramShape::Array { element, element_name, count: Some(count), stride: host.size };
            vec![field(array_name, name.clone(), 0, array)]
        }
    };
    Ok(ProgramStruct { name, size, fields, ..host.clone() })
}

fn is_array_of_structs(layout: &LaidOut) -> bool {
    match &layout.shape {
        LaidOutShape::Array { element, .. } => {
            matches!(element.shape, LaidOutShape::Struct(_)) || is_array_of_structs(element)
        }
        _ => false,
    }
}

/// The structs in a row with which a block begins.
enum StructsInRow {
    /// The elements of its first member.
    Array(String),
    /// Members that are structs.
    Members(Vec<String>),
}

impl StructsInRow {
    fn of(block: &LaidOut) -> Self {
        let LaidOutShape::Struct(members) = &block.shape else { return Self::Members(Vec::new()) };
        match members.as_slice() {
            [only] if matches!(only.layout.shape, LaidOutShape::Struct(_)) => {
                // A struct around the structs has no counterpart in the host, unless it is the only one.
                match Self::of(&only.layout) {
                    Self::Members(names) if names.is_empty() => Self::Members(vec![only.name.clone()]),
                    inner => inner,
                }
            }
            [first, ..] if is_array_of_structs(&first.layout) => Self::Array(first.name.clone()),
            _ => {
                let is_struct = |member: &&LaidOutMember| matches!(member.layout.shape, LaidOutShape::Struct(_));
                Self::Members(members.iter().take_while(is_struct).map(|member| member.name.clone()).collect())
            }
        }
    }
}

/// True if two types have the same name, apart from their namespaces.
fn is_namesake(left: &str, right: &str) -> bool {
    left.rsplit("::").next() == right.rsplit("::").next()
}

/// False for a tuple of another size than the block: with members without names, only the size tells that
/// `Value::Object` of a library is not the block's `Object`.
fn may_be_unnamed(parts: &[BlockPart<'_>], host: &ProgramStruct) -> bool {
    let fields = host.named_fields();
    let is_made_up = |name: &str| name.trim_start_matches('_').chars().all(|letter| letter.is_ascii_digit());
    let has_names = fields.is_empty() || fields.iter().any(|(name, _)| !is_made_up(name));
    has_names || parts.iter().any(|part| part.root.size.finite() == Some(host.size))
}

/// The struct of a match, or the reason why it has none.
fn find_host<'a>(
    index: usize,
    stated: Option<&String>,
    found: &BlockMatch,
    hosts: &[DebugAnswer],
    by_name: &'a StructsByName<'_>,
    match_declared: impl Fn(&[&str]) -> TypeMatch,
) -> Result<&'a ProgramStruct, UnmatchedReason> {
    let nearest = || {
        let mut nearest: Vec<String> = Vec::new();
        for name in hosts.iter().filter_map(|host| host.nearest.get(index)).flatten() {
            if !nearest.contains(name) && nearest.len() < 3 {
                nearest.push(name.clone());
            }
        }
        nearest
    };
    match &found.found {
        TypeMatch::Found(name) => {
            by_name.get(name.as_str()).map(|near| near.program.as_ref()).ok_or(UnmatchedReason::NoType(Vec::new()))
        }
        TypeMatch::Ambiguous(names) => {
            let place = |name: &String| by_name.get(name.as_str()).and_then(|near| near.program.place.clone());
            let rivals = names.iter().map(|name| HostPlace { name: name.clone(), place: place(name) });
            Err(UnmatchedReason::Ambiguous(rivals.collect()))
        }
        TypeMatch::None(_) | TypeMatch::StatedMissing { .. } => {
            let declared: Vec<&str> = hosts.iter().flat_map(|host| &host.declared).map(String::as_str).collect();
            match (match_declared(&declared), stated) {
                (TypeMatch::Found(name), _) if hosts.iter().any(|host| host.damaged.contains(&name)) => {
                    Err(UnmatchedReason::Damaged(name))
                }
                (TypeMatch::Found(name), _) => Err(UnmatchedReason::OnlyDeclared(name)),
                (_, Some(stated)) => Err(UnmatchedReason::StatedMissing { stated: stated.clone(), nearest: nearest() }),
                (_, None) => Err(UnmatchedReason::NoType(nearest())),
            }
        }
    }
}

/// False for what no host fills with data: a block of resources, and data that one stage hands to another. An error is always
/// listed.
fn is_worth_listing(reach: &Reach, parts: &[BlockPart<'_>], reason: &UnmatchedReason) -> bool {
    let has_data = |part: &BlockPart<'_>| part.root.size.finite() != Some(0);
    (reach.is_of_host() && parts.iter().any(has_data)) || reason.is_error()
}

pub(super) fn unmatched(block: &TargetBlock, name: String, reason: UnmatchedReason) -> UnmatchedBlock {
    UnmatchedBlock {
        block: name,
        target: block.target.clone(),
        shader: block.shader.clone(),
        compiled: block.compiled.clone(),
        place: block.places.get("").cloned(),
        reason,
        is_stated: block.names.stated_for_all().is_some(),
        proposals: Vec::new(),
    }
}

pub(super) fn compare_pair(
    block: &TargetBlock,
    part: &BlockPart<'_>,
    host: &ProgramStruct,
    rules: PairRules<'_>,
) -> CheckedPair {
    let comparison = rules.comparisons.compare(block, part, host);

    let known = reasons(block, &comparison, rules).unwrap_or_default();
    CheckedPair {
        block: block.layout.name.clone(),
        part: part.path.clone(),
        kind: block.layout.kind,
        target: block.target.clone(),
        shader: block.shader.clone(),
        compiled: block.compiled.clone(),
        host: host.name.clone(),
        host_file: host.object.clone(),
        comparison,
        known,
        other_layouts: None,
        by_members: None,
        alternatives: Vec::new(),
        proofs: Vec::new(),
    }
}

/// The reasons of known differences for all mismatches; `None` if one of them is new.
fn reasons(block: &TargetBlock, comparison: &Comparison, rules: PairRules<'_>) -> Option<Vec<String>> {
    let reason_for = |mismatch: &Mismatch| {
        let entry = rules.known.iter().find(|known| covers(known, &block.layout.name, mismatch));
        entry.map(|known| known.reason.clone())
    };
    comparison.mismatches.iter().map(reason_for).collect()
}

/// True if known differences cover all mismatches.
pub(crate) fn is_known(block: &TargetBlock, comparison: &Comparison, rules: PairRules<'_>) -> bool {
    reasons(block, comparison, rules).is_some()
}

fn covers(known: &KnownMismatch, block: &str, mismatch: &Mismatch) -> bool {
    known.block == block
        && known.member.as_ref().is_none_or(|member| *member == mismatch.path)
        && known.kind.as_ref().is_none_or(|kind| kind == mismatch.kind.name())
}

/// True if a known difference still occurs.
fn is_used(known: &KnownMismatch, check: &HostCheck) -> bool {
    check.pairs.iter().any(|pair| {
        pair.outcome() != PairOutcome::Agree
            && pair.comparison.mismatches.iter().any(|mismatch| covers(known, &pair.block, mismatch))
    })
}
