//! The entries of `layoutproof.toml` that give blocks the host structs that fit them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{HostCheck, UnmatchedBlock};

/// Most shaders to name. The block of more, if it has no other struct anywhere, is one of an include.
const MOST_SHADERS: usize = 8;

/// An entry `[[map]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    pub block: String,
    /// `None` for all shaders.
    pub shader: Option<String>,
    /// The macros with which the shader has this block; empty if it does not depend on them.
    pub defines: Vec<String>,
    pub host: String,
}

impl fmt::Display for MapEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, shader, defines, host } = self;
        let shader = shader.as_ref().map_or_else(String::new, |shader| format!("shader = {shader:?}\n"));
        let defines = if defines.is_empty() { String::new() } else { format!("defines = {defines:?}\n") };
        write!(f, "\n[[map]]\nblock = {block:?}\n{shader}{defines}host = {host:?}\n")
    }
}

/// The structs that fit a block, by the macros with which its shader has it. Each target has the same ones.
type HostsByDefines<'a> = BTreeMap<&'a [String], BTreeSet<Option<&'a str>>>;

/// The entries for the blocks with a best proposal that agrees. They change no block that has a struct already: other shaders
/// may have another block of the name, and so may the same one with other macros.
pub fn map_entries(check: &HostCheck) -> Vec<MapEntry> {
    let mut hosts: BTreeMap<&str, BTreeMap<&str, HostsByDefines<'_>>> = BTreeMap::new();
    for unmatched in &check.unmatched {
        let of_block = hosts.entry(&unmatched.block).or_default().entry(&unmatched.shader).or_default();
        of_block.entry(&unmatched.compiled.defines).or_default().insert(fitting_proposal(unmatched));
    }
    let mut paired: BTreeMap<(String, &str), BTreeSet<&[String]>> = BTreeMap::new();
    for pair in &check.pairs {
        paired.entry((pair.shader_name(), &pair.shader)).or_default().insert(&pair.compiled.defines);
    }
    let mut found = Vec::new();
    for (block, by_shader) in hosts {
        let entry = |shader: Option<&str>, defines: &[String], host: &str| MapEntry {
            block: block.to_owned(),
            shader: shader.map(str::to_owned),
            defines: defines.to_vec(),
            host: host.to_owned(),
        };
        let mut all = by_shader.values().flat_map(BTreeMap::values).flatten();
        let first = all.next().copied().flatten();
        let is_one = all.all(|other| *other == first) && !paired.keys().any(|(paired, _)| paired == block);
        if let Some(host) = first.filter(|_| is_one && by_shader.len() > MOST_SHADERS) {
            found.push(entry(None, &[], host));
            continue;
        }
        for (shader, by_defines) in by_shader {
            let paired = paired.get(&(block.to_owned(), shader));
            let all: BTreeSet<Option<&str>> = by_defines.values().flatten().copied().collect();
            if let (Some(Some(host)), 1, None) = (all.first(), all.len(), paired) {
                found.push(entry(Some(shader), &[], host));
                continue;
            }
            // An entry also counts for a shader with more macros.
            let others = || by_defines.keys().chain(paired.into_iter().flatten());
            let is_free = |own: &[String]| {
                !others().any(|other| *other != own && own.iter().all(|define| other.contains(define)))
            };
            for (defines, hosts) in by_defines.iter().filter(|(defines, _)| is_free(defines)) {
                if let (Some(Some(host)), 1) = (hosts.first(), hosts.len()) {
                    found.push(entry(Some(shader), defines, host));
                }
            }
        }
    }
    found
}

/// The best proposal, if it would agree and has more than one member.
fn fitting_proposal(unmatched: &UnmatchedBlock) -> Option<&str> {
    let best = unmatched.best_proposal()?;
    let fits = best.difference.is_none() && best.fit.is_likely();
    fits.then_some(best.host.as_str())
}
