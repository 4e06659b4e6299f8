//! Groups what a check says more than once: the same result of one host struct in many shaders is one
//! finding, which reports write at its first pair and with the number of the other shaders.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_hostcheck::{Comparison, Mismatch};

use super::{CheckedPair, HostCheck, PairOutcome, UnmatchedBlock, UnreadInput, others_are_compared, target_title};
use layoutproof_show::style::counted;
use layoutproof_source::diagnostics::ReadingAdvice;

/// Most shaders, targets or blocks to name after the first one.
const MOST_NAMED: usize = 3;

/// A result that several blocks may share, by the indices of what shares it; the first stands for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub members: Vec<usize>,
}

impl Finding {
    /// The index of the pair or block that stands for the others.
    pub(crate) fn first(&self) -> usize {
        self.members[0]
    }
}

/// The pairs of a check, grouped by result, in the order of their first pairs.
pub(crate) fn pair_findings(check: &HostCheck) -> Vec<Finding> {
    let key = |pair: &CheckedPair| (pair.host.clone(), pair.host_file.clone());
    group(&check.pairs, key, says_the_same)
}

/// The pairs that differ, grouped by result.
pub(super) fn differing_findings(check: &HostCheck) -> Vec<Finding> {
    let mut findings = pair_findings(check);
    findings.retain(|finding| check.pairs[finding.first()].outcome() == PairOutcome::Differ);
    findings
}

/// The blocks without a host struct, grouped by name and reason.
pub(crate) fn unmatched_findings(check: &HostCheck) -> Vec<Finding> {
    let is_same = |left: &UnmatchedBlock, right: &UnmatchedBlock| {
        left.reason == right.reason && left.is_stated == right.is_stated && left.proposals == right.proposals
    };
    group(&check.unmatched, |unmatched| unmatched.block.clone(), is_same)
}

/// Files that could not be read for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFinding<'a> {
    pub files: Vec<&'a UnreadInput>,
    /// What may help all of them.
    advice: ReadingAdvice,
}

impl UnreadFinding<'_> {
    /// The problem of the first file, and what may help.
    pub fn sentence(&self) -> String {
        let blocks = self.files.iter().map(|unread| unread.blocks_read).sum();
        format!("{}{}{}", self.files[0].problem, others_are_compared(blocks), self.advice)
    }

    /// The other files, such as `in 48 files: b.hlsl, c.hlsl, d.hlsl and 45 more`.
    pub fn also(&self) -> Option<String> {
        let others: BTreeSet<&str> = self.files[1..].iter().map(|unread| unread.file.as_str()).collect();
        let count = counted(others.len() as u64, "file");
        (!others.is_empty()).then(|| format!("in {count}: {}", some_of(&others)))
    }
}

/// The files that could not be read, grouped by their causes, the most frequent first. Files that include a faulty one
/// share its fault.
pub fn unread_findings(check: &HostCheck) -> Vec<UnreadFinding<'_>> {
    let groups = group(&check.unread, |unread| unread.cause.clone(), |_, _| true);
    let found = groups.into_iter().map(|finding| {
        let files: Vec<&UnreadInput> = finding.members.iter().map(|index| &check.unread[*index]).collect();
        let mut advice = files[0].advice.clone();
        advice.macros.extend(files.iter().flat_map(|unread| unread.advice.macros.iter().cloned()));
        UnreadFinding { files, advice }
    });
    let mut found: Vec<UnreadFinding<'_>> = found.collect();
    found.sort_by_key(|finding| Reverse(finding.files.len()));
    found
}

/// The other places of a finding, such as `in 12 shaders: b.hlsl, c.hlsl, d.hlsl and 9 more`.
pub(crate) fn also_of_pairs(check: &HostCheck, finding: &Finding) -> Option<String> {
    other_places_of_pairs(check, finding).map(|other| other.sentence(true))
}

/// The other places where a block has no host struct for the same reason.
pub(crate) fn also_of_unmatched(check: &HostCheck, finding: &Finding) -> Option<String> {
    other_places_of_unmatched(check, finding).map(|other| other.sentence(true))
}

pub(super) fn other_places_of_pairs(check: &HostCheck, finding: &Finding) -> Option<OtherPlaces> {
    OtherPlaces::of(finding.members.iter().map(|index| {
        let pair = &check.pairs[*index];
        (pair.shader.as_str(), target_title(&pair.target, &pair.shader), pair.shader_name())
    }))
}

pub(super) fn other_places_of_unmatched(check: &HostCheck, finding: &Finding) -> Option<OtherPlaces> {
    OtherPlaces::of(finding.members.iter().map(|index| {
        let unmatched = &check.unmatched[*index];
        (unmatched.shader.as_str(), target_title(&unmatched.target, &unmatched.shader), unmatched.block.clone())
    }))
}

fn group<T, K: Ord>(all: &[T], key: impl Fn(&T) -> K, is_same: impl Fn(&T, &T) -> bool) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut by_key: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (index, item) in all.iter().enumerate() {
        let candidates = by_key.entry(key(item)).or_default();
        match candidates.iter().find(|finding| is_same(&all[findings[**finding].first()], item)) {
            Some(finding) => findings[*finding].members.push(index),
            None => {
                candidates.push(findings.len());
                findings.push(Finding { members: vec![index] });
            }
        }
    }
    findings
}

/// True if two pairs of one host struct have the same result, wherever their shaders declare the block.
fn says_the_same(left: &CheckedPair, right: &CheckedPair) -> bool {
    let (one, other) = (&left.comparison, &right.comparison);
    left.part == right.part
        && left.known == right.known
        && left.by_members == right.by_members
        && left.alternatives == right.alternatives
        && left.proofs == right.proofs
        && (Arc::ptr_eq(one, other) || has_same_answer(one, other))
}

fn has_same_answer(one: &Comparison, other: &Comparison) -> bool {
    one.remarks == other.remarks
        && (one.shader_size, one.host_size, one.host_start) == (other.shader_size, other.host_size, other.host_start)
        && (one.members, one.members_by_bytes) == (other.members, other.members_by_bytes)
        && one.mismatches.len() == other.mismatches.len()
        && one.mismatches.iter().zip(&other.mismatches).all(|(left, right)| is_same_mismatch(left, right))
}

fn is_same_mismatch(left: &Mismatch, right: &Mismatch) -> bool {
    left.path == right.path
        && left.kind == right.kind
        && left.repairs == right.repairs
        && left.followers == right.followers
        && left.host_at == right.host_at
}

/// Where the shader declares what a pair compares, as well as it is known: two shaders that include one
/// declaration have the same one.
pub(super) fn declaration(pair: &CheckedPair) -> (String, Option<u32>, String) {
    let place = pair.comparison.rows.iter().find_map(|row| row.shader.as_ref()?.place.as_ref());
    let (file, line) = place.map_or((&pair.shader, None), |place| (&place.file, place.line));
    (file.clone(), line, pair.shader_name())
}

/// The declarations of one struct in several shaders, languages or programs, of which some differ and
/// some do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mirrors {
    name: String,
    count: u64,
    differing: usize,
    /// Those that agree: shaders, or structs of the host if there is one shader.
    agreeing: BTreeSet<String>,
    pub pairs: BTreeSet<usize>,
    /// True once a report has mentioned them.
    pub is_told: bool,
}

impl std::fmt::Display for Mirrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, count, differing, .. } = self;
        let mirrors = counted(*count, "mirror");
        let verb = if *differing == 1 { "differs" } else { "differ" };
        let agreeing = some_of(&self.agreeing);
        let agree = if self.agreeing.len() == 1 { "agrees" } else { "agree" };
        write!(f, "{mirrors} of `{name}`, {differing} {verb}; {agreeing} {agree}")
    }
}

/// The pairs that share a struct on one side, where some of them differ.
pub(super) fn mirrors(check: &HostCheck) -> Vec<Mirrors> {
    let mut groups = Groups((0..check.pairs.len()).collect());
    let (mut by_host, mut by_block) = (BTreeMap::new(), BTreeMap::new());
    for (index, pair) in check.pairs.iter().enumerate() {
        let same_host = *by_host.entry((&pair.host, &pair.host_file)).or_insert(index);
        let same_block = *by_block.entry((&pair.shader, pair.shader_name(), &pair.target)).or_insert(index);
        groups.join(index, same_host);
        groups.join(index, same_block);
    }
    let mut members: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for index in 0..check.pairs.len() {
        members.entry(groups.first(index)).or_default().insert(index);
    }
    members.into_values().filter_map(|pairs| mirrors_of(check, pairs)).collect()
}

fn mirrors_of(check: &HostCheck, pairs: BTreeSet<usize>) -> Option<Mirrors> {
    let first = &check.pairs[*pairs.first()?];
    let has_one_shader = pairs.iter().all(|index| check.pairs[*index].shader == first.shader);
    let mut is_wrong: BTreeMap<_, bool> = BTreeMap::new();
    let mut agreeing = BTreeSet::new();
    for pair in pairs.iter().map(|index| &check.pairs[*index]) {
        let differs = pair.outcome() == PairOutcome::Differ;
        *is_wrong.entry((declaration(pair), &pair.host)).or_default() |= differs;
        agreeing.extend(Some(if has_one_shader { &pair.host } else { &pair.shader }).filter(|_| !differs).cloned());
    }
    let differing = is_wrong.values().filter(|is_wrong| **is_wrong).count();
    let is_mixed = differing > 0 && differing < is_wrong.len();
    let name = first.host.rsplit("::").next().unwrap_or(&first.host).to_owned();
    is_mixed.then_some(Mirrors { name, count: is_wrong.len() as u64, differing, agreeing, pairs, is_told: false })
}

/// Groups of indices: each index leads to another of its group, and the first of a group to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn first(&self, mut index: usize) -> usize {
        while self.0[index] != index {
            index = self.0[index];
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// The places of a finding after the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OtherPlaces {
    shaders: BTreeSet<String>,
    targets: BTreeSet<String>,
    blocks: BTreeSet<String>,
}

impl OtherPlaces {
    /// Takes shader, target and block of each place; `None` if there is only one.
    fn of<'a>(mut places: impl Iterator<Item = (&'a str, String, String)>) -> Option<Self> {
        let first = places.next()?;
        let mut other = Self { shaders: BTreeSet::new(), targets: BTreeSet::new(), blocks: BTreeSet::new() };
        let mut count = 0;
        for (shader, target, block) in places {
            count += 1;
            other.shaders.extend(Some(shader).filter(|shader| *shader != first.0).map(str::to_owned));
            other.targets.extend(Some(target).filter(|target| *target != first.1));
            other.blocks.extend(Some(format!("`{block}`")).filter(|_| block != first.2));
        }
        (count > 0).then_some(other)
    }

    /// The places in words. Without `names_shaders`, shaders are only counted.
    pub(super) fn sentence(&self, names_shaders: bool) -> String {
        let mut clauses = Vec::new();
        if !self.shaders.is_empty() {
            let count = counted(self.shaders.len() as u64, "shader");
            let names = if names_shaders { format!(": {}", some_of(&self.shaders)) } else { String::new() };
            clauses.push(format!("in {count}{names}"));
        }
        if !self.targets.is_empty() {
            clauses.push(format!("for {}", some_of(&self.targets)));
        }
        if !self.blocks.is_empty() {
            clauses.push(format!("as {}", some_of(&self.blocks)));
        }
        if clauses.is_empty() {
            clauses.push("elsewhere in the file or with other options".to_owned());
        }
        clauses.join(", ")
    }
}

fn some_of<T: AsRef<str>>(names: &BTreeSet<T>) -> String {
    let listed: Vec<&str> = names.iter().take(MOST_NAMED).map(AsRef::as_ref).collect();
    match names.len() - listed.len() {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
