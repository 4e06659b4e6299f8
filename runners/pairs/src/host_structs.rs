//! The host structs as a shader sees them, and those among them that fit a block by their members.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use layoutproof_hostcheck::matching::{is_generic, is_named_after, is_of_graphics_api, kinship};
use layoutproof_hostcheck::{
    BlockPart, MemberFit, MemberSketch, ProgramContract, ProgramStruct, VectorTypes, element_of_collection,
    has_members_of,
};

use layoutproof_report::host_check::ByMembers;

use crate::debug_worker::DebugAnswer;
use crate::nearness::{Definitions, NearStruct, Nearness, ShaderPath, StructsByName, nearest_definitions};
use crate::writers::without_arguments;

/// The host structs as a shader sees them.
pub(crate) struct HostStructs<'a> {
    pub(crate) by_name: StructsByName<'a>,
    /// The number of folders that the nearest structs have in common with the shader; `None` if all
    /// structs are equally near. In a repository of samples, these are the structs of the shader's own sample.
    pub(crate) nearest: Option<usize>,
    /// The host files with such structs.
    nearest_files: BTreeSet<&'a str>,
    /// The names of types that programs pass to their buffers.
    passed: BTreeSet<&'a str>,
    /// The name of the shader's file.
    shader_name: String,
    pub(crate) vector_types: &'a VectorTypes,
}

/// A struct with this many members of the block for each other one is probably the block's with members that the block lacks.
const NAMED_PER_OTHER: u32 = 4;

/// What makes one of several structs that fit the likely one. Later fields decide where the earlier are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Evidence {
    is_named_after_shader: bool,
    is_passed: bool,
}

/// A host struct that fits a block by its members.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) host: &'a ProgramStruct,
    pub(crate) nearness: Nearness,
    /// The part of the block that it fits, as an index into its parts.
    pub(crate) part: usize,
    pub(crate) fit: MemberFit,
}

impl Candidate<'_> {
    /// True if it is nearer than a struct with the block's name, or as near and fits better.
    pub(crate) fn is_better_than(
        &self,
        named: &ProgramStruct,
        structs: &HostStructs<'_>,
        all: &[Candidate<'_>],
    ) -> bool {
        let own = all.iter().find(|candidate| candidate.host.name == named.name);
        let of_named = (structs.nearness(named), own.map(|own| own.fit));
        let is_better = if is_generic(&named.name) {
            (self.nearness, Some(self.fit)) > of_named
        } else {
            self.nearness > of_named.0
        };
        self.host.name != named.name && is_better
    }

    /// True if it has all members, and a struct with the block's name is probably another one: that has few of
    /// them, or no library writes it.
    pub(crate) fn displaces(&self, named: &ProgramStruct, own: MemberFit) -> bool {
        let has_few = own.named * 2 < own.of;
        let is_unwritten = is_written_unlike(self.host, named) && own < self.fit;
        self.host.name != named.name && self.fit.is_whole() && (has_few || is_unwritten)
    }

    /// True if another is nearer and fits as well.
    fn is_beaten(&self, all: &[Candidate<'_>]) -> bool {
        all.iter().any(|other| other.nearness > self.nearness && other.fit >= self.fit)
    }
}

impl<'d> HostStructs<'d> {
    pub(crate) fn new(
        all: &Definitions<'d>,
        hosts: &'d [DebugAnswer],
        shader: &str,
        vector_types: &'d VectorTypes,
    ) -> Self {
        let by_name = nearest_definitions(all, &ShaderPath::new(shader));
        let folders = || by_name.values().map(|near| near.nearness.folders);
        let nearest = folders().max().filter(|most| folders().min() != Some(*most));
        let is_nearest = |near: &&NearStruct<'d>| Some(near.nearness.folders) == nearest;
        let nearest_files = by_name.values().filter(is_nearest).flat_map(|near| near.objects.clone()).collect();
        let passed = hosts.iter().flat_map(|host| &host.passed).map(String::as_str).collect();
        let shader_name = Path::new(shader).file_name().map(|name| name.to_string_lossy().into_owned());
        Self { by_name, nearest, nearest_files, passed, shader_name: shader_name.unwrap_or_default(), vector_types }
    }

    fn evidence(&self, host: &ProgramStruct) -> Evidence {
        let is_named_after_shader = self.is_named_after_shader(host);
        Evidence { is_named_after_shader, is_passed: self.passed.contains(host.name.as_str()) }
    }

    pub(crate) fn is_named_after_shader(&self, host: &ProgramStruct) -> bool {
        is_named_after(&host.name, &self.shader_name)
    }

    /// Why a candidate was taken: another one that fits as well leaves the choice to other evidence.
    pub(crate) fn why_taken(&self, taken: &Candidate<'_>, candidates: &[Candidate<'_>]) -> ByMembers {
        let is_equal = |other: &Candidate<'_>| {
            other.host.name != taken.host.name && other.fit >= taken.fit && other.nearness >= taken.nearness
        };
        let evidence = self.evidence(taken.host);
        if !taken.fit.is_whole() && !taken.fit.is_exact() {
            ByMembers::Most
        } else if !candidates.iter().any(is_equal) {
            ByMembers::Alone
        } else if evidence.is_named_after_shader {
            ByMembers::NamedAfterShader
        } else if evidence.is_passed {
            ByMembers::Passed
        } else {
            ByMembers::Alone
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&ProgramStruct> {
        self.by_name.get(name).map(|near| near.program.as_ref())
    }

    /// The struct of the elements, with the part of the block that they are, for a struct that a library writes and
    /// that has nothing but a collection of them.
    pub(crate) fn only_elements(
        &self,
        parts: &[BlockPart<'_>],
        host: &ProgramStruct,
    ) -> Option<(usize, &ProgramStruct)> {
        let [only] = host.fields.as_slice() else { return None };
        let element = self.find(element_of_collection(&only.type_name)?)?;
        let part = parts.iter().rposition(|part| part.stride.is_some() && !part.has_header)?;
        host.written_by.as_ref().map(|_| (part, element))
    }

    pub(crate) fn nearness(&self, host: &ProgramStruct) -> Nearness {
        self.by_name.get(host.name.as_str()).map(|near| near.nearness).unwrap_or_default()
    }

    /// True if other structs are farther from the shader, and none is nearer.
    pub(crate) fn is_nearest(&self, host: &ProgramStruct) -> bool {
        self.nearest == Some(self.nearness(host).folders)
    }

    /// True if no program has structs that are nearer to the shader than all of this struct's.
    pub(crate) fn is_of_nearest_program(&self, host: &ProgramStruct) -> bool {
        let near = self.by_name.get(host.name.as_str());
        self.nearest.is_none() || near.is_some_and(|near| !near.objects.is_disjoint(&self.nearest_files))
    }

    /// True if a struct with the name of a block may fill it, as far as other structs are nearer to the
    /// shader. One of the same program then needs half of the members, and one of another program, or with a
    /// name that many structs have, needs all.
    pub(crate) fn may_fill(&self, parts: &[BlockPart<'_>], host: &ProgramStruct) -> bool {
        if self.nearest.is_none() || self.is_nearest(host) {
            return true;
        }
        if self.is_of_nearest_program(host) && !is_generic(&host.name) {
            has_members_of(parts, host)
        } else {
            self.best_fit(parts, host).is_some_and(|(fit, _)| fit.is_exact())
        }
    }

    /// The struct with all members of the block, if no other comes near that is as near to the shader, or if of those
    /// that do the program passes this one alone to a buffer, or named it alone after the shader's file.
    /// A few members are enough for a struct of the shader's own program. If several have the block's name,
    /// any other that is as near counts, unless it has few of many members. One with the block's name that differs
    /// counts too, unless it has few of the members, or a library writes the chosen struct and not that one.
    pub(crate) fn only_fitting<'a, 'b>(
        &self,
        candidates: &'a [Candidate<'b>],
        displaced: Option<(&ProgramStruct, Option<MemberFit>)>,
        has_namesakes: bool,
    ) -> Option<&'a Candidate<'b>> {
        let has_all = |candidate: &&Candidate<'_>| {
            let is_own = candidate.fit.is_exact() && self.is_nearest(candidate.host);
            let is_named = || candidate.fit.is_equal() && self.evidence(candidate.host).is_named_after_shader;
            is_own || ((candidate.fit.is_whole() || is_named()) && self.is_of_nearest_program(candidate.host))
        };
        let first = candidates.iter().find(has_all)?;
        let is_rival = |other: &&Candidate<'_>| {
            let comes_near = if has_namesakes {
                !first.fit.is_all_of_many_against(other.fit)
            } else {
                other.fit.is_rival_of(first.fit)
            };
            let is_same = other.host.name == first.host.name || is_same_template(other.host, first.host);
            !is_same && other.nearness >= first.nearness && comes_near && !is_written_unlike(first.host, other.host)
        };
        let mut several: Vec<&Candidate<'_>> = candidates.iter().filter(is_rival).collect();
        several.push(first);
        let most = several.iter().map(|candidate| self.evidence(candidate.host)).max()?;
        let is_alone = several.len() == 1 || most > Evidence::default();
        several.retain(|candidate| self.evidence(candidate.host) == most);
        let [best] = several.as_slice() else { return None };
        // Members count more than names.
        let best = Some(*best).filter(|best| has_all(best) && best.fit >= first.fit)?;
        let is_meant = displaced.is_none_or(|(named, fit)| {
            let has_few = fit.is_some_and(|fit| fit.has_none() || best.fit.is_all_of_many_against(fit));
            has_few || is_written_unlike(best.host, named)
        });
        (is_alone && is_meant).then_some(best)
    }

    /// The struct that is probably the block's with a mistake: it alone comes near, has its members under their names
    /// but for one, and hardly any other.
    pub(crate) fn only_faulty<'a, 'b>(&self, candidates: &'a [Candidate<'b>]) -> Option<&'a Candidate<'b>> {
        let mut near = candidates.iter().filter(|candidate| candidate.fit.is_near());
        let only = near.next().filter(|_| near.next().is_none())?;
        let others = only.host.count_of_data().saturating_sub(only.fit.named);
        let has_few_others = others <= 1.max(only.fit.named / NAMED_PER_OTHER);
        let is_own = only.host.written_by.is_none() && self.is_of_nearest_program(only.host);
        let is_own = is_own && !is_of_graphics_api(&only.host.name);
        (is_own && has_few_others && only.fit.is_faulty()).then_some(only)
    }

    /// The struct of all host files that alone is probably the block's with a mistake, although its members are elsewhere or
    /// programs do not upload structs like it. No candidate may come near it.
    pub(crate) fn only_mistaken(
        &self,
        block: usize,
        hosts: &[DebugAnswer],
        candidates: &[Candidate<'_>],
        may_fill: impl Fn(usize) -> bool,
    ) -> Option<Candidate<'_>> {
        let mut only: Option<Candidate<'_>> = None;
        let all = hosts.iter().filter_map(|answer| answer.mistaken.get(block)).flatten();
        for mistaken in all.filter(|mistaken| may_fill(mistaken.part)) {
            let host = self.find(&mistaken.host)?;
            if only.is_some_and(|only| only.host.name != host.name) {
                return None;
            }
            only = only.or(Some(self.candidate(host, mistaken.part, mistaken.fit)));
        }
        let comes_near = |other: &Candidate<'_>, host: &ProgramStruct| {
            other.host.name != host.name && (other.fit.is_likely() || other.fit.is_whole())
        };
        only.filter(|only| {
            self.is_of_nearest_program(only.host)
                && !is_of_graphics_api(&only.host.name)
                && !candidates.iter().any(|other| comes_near(other, only.host))
        })
    }

    /// The structs of all host files that fit one of these parts of a block by their members, best first.
    pub(crate) fn candidates(
        &self,
        block: usize,
        hosts: &[DebugAnswer],
        may_fill: impl Fn(usize) -> bool,
    ) -> Vec<Candidate<'_>> {
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        for answer in hosts {
            let own = answer.proposals.get(block).into_iter().flatten();
            for proposal in own.filter(|proposal| may_fill(proposal.part)) {
                let Some(near) = self.by_name.get(proposal.host.as_str()) else { continue };
                let host = near.program.as_ref();
                let is_known = candidates.iter().any(|known| known.host.name == host.name);
                let proposed = answer.structs.iter().find(|program| program.name == proposal.host);
                // Another program's struct of this name may be nearer.
                let is_own = || proposed.is_some_and(|proposed| proposed.has_same_layout(host));
                if !is_known && (proposal.fit.is_near() || self.is_nearest(host)) && is_own() {
                    candidates.push(self.candidate(host, proposal.part, proposal.fit));
                }
            }
        }
        best_first(candidates)
    }

    /// The structs that fit by their members and those with similar names, best first.
    pub(crate) fn with_named<'a>(
        &'a self,
        parts: &[BlockPart<'_>],
        names: &[&str],
        mut fitting: Vec<Candidate<'a>>,
    ) -> Vec<Candidate<'a>> {
        for host in names.iter().filter_map(|name| self.find(name)) {
            let is_known = fitting.iter().any(|known| known.host.name == host.name);
            if let Some((fit, part)) = self.best_fit(parts, host).filter(|_| !is_known) {
                fitting.push(self.candidate(host, part, fit));
            }
        }
        best_first(fitting)
    }

    /// The structs that a program may upload instead of one with the block's name, best first.
    pub(crate) fn kin_of<'a>(&self, named: &ProgramStruct, all: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
        let is_kin = |other: &&Candidate<'_>| {
            kinship(&other.host.name, &named.name).is_some()
                && other.host.written_by.is_none()
                && !other.host.is_never_uploaded()
                && self.is_of_nearest_program(other.host)
        };
        all.iter().filter(is_kin).copied().collect()
    }

    /// The structs with the block's name and those that fit by their members, best first.
    pub(crate) fn rivals<'a>(
        &'a self,
        parts: &[BlockPart<'_>],
        names: &[String],
        fitting: Vec<Candidate<'a>>,
    ) -> Vec<Candidate<'a>> {
        let candidate = |name: &String| {
            let host = self.by_name.get(name.as_str())?.program.as_ref();
            let (fit, part) = self.best_fit(parts, host)?;
            Some(self.candidate(host, part, fit))
        };
        let mut rivals: Vec<Candidate<'a>> = names.iter().filter_map(candidate).collect();
        let best = rivals.iter().map(|rival| rival.nearness).max();
        let may_be_meant = |other: &Candidate<'_>| {
            Some(other.nearness) > best || (Some(other.nearness) == best && other.fit.is_whole())
        };
        rivals.extend(fitting.into_iter().filter(|other| may_be_meant(other) && !names.contains(&other.host.name)));
        best_first(rivals)
    }

    pub(crate) fn candidate<'a>(&self, host: &'a ProgramStruct, part: usize, fit: MemberFit) -> Candidate<'a> {
        Candidate { host, nearness: self.nearness(host), part, fit }
    }

    /// The part of a block that fits a struct best by its members, as an index into the parts.
    pub(crate) fn best_fit(&self, parts: &[BlockPart<'_>], host: &ProgramStruct) -> Option<(MemberFit, usize)> {
        let fits = parts
            .iter()
            .enumerate()
            .filter_map(|(part, found)| Some((MemberSketch::new(found.root)?.fit_of(host, self.vector_types), part)));
        fits.max()
    }

    /// The struct with members of the block that is nearer to the shader than all others.
    pub(crate) fn only_nearest(&self, parts: &[BlockPart<'_>], names: &[String]) -> Option<String> {
        let hosts = names.iter().filter_map(|name| self.by_name.get(name.as_str()));
        let near: Vec<(Nearness, &ProgramStruct)> = hosts.map(|near| (near.nearness, near.program.as_ref())).collect();
        let best = near.iter().map(|(nearness, _)| *nearness).max()?;
        let mut nearest = near.into_iter().filter(|(nearness, _)| *nearness == best).map(|(_, host)| host);
        match (nearest.next(), nearest.next()) {
            (Some(only), None) if has_members_of(parts, only) => Some(only.name.clone()),
            _ => None,
        }
    }
}

fn best_first(mut candidates: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    candidates.sort_by(|left, right| {
        let order = |candidate: &Candidate<'_>| Reverse((candidate.nearness, candidate.fit));
        order(left).cmp(&order(right)).then_with(|| left.host.name.cmp(&right.host.name))
    });
    let is_beaten: Vec<bool> = candidates.iter().map(|candidate| candidate.is_beaten(&candidates)).collect();
    let mut is_beaten = is_beaten.into_iter();
    candidates.retain(|_| !is_beaten.next().unwrap_or_default());
    candidates
}

/// True if a library writes the first struct into buffers and not the second, although both are Rust's.
pub(crate) fn is_written_unlike(written: &ProgramStruct, other: &ProgramStruct) -> bool {
    written.written_by.is_some() && other.written_by.is_none() && other.contract != ProgramContract::Fixed
}

/// True for two instances of a generic struct with the same bytes.
fn is_same_template(left: &ProgramStruct, right: &ProgramStruct) -> bool {
    let (own, other) = (without_arguments(&left.name), without_arguments(&right.name));
    own != left.name && own == other && left.has_same_layout(right)
}
