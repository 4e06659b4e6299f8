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
    pub host: String,
}

impl fmt::Display for MapEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, shader, host } = self;
        let shader = shader.as_ref().map_or_else(String::new, |shader| format!("shader = {shader:?}\n"));
        write!(f, "\n[[map]]\nblock = {block:?}\n{shader}host = {host:?}\n")
    }
}

/// The entries for the blocks with a best proposal that agrees. They change no block that has a struct already: other shaders
/// may have another block of the name.
pub fn map_entries(check: &HostCheck) -> Vec<MapEntry> {
    let mut hosts: BTreeMap<&str, BTreeMap<&str, BTreeSet<Option<&str>>>> = BTreeMap::new();
    for unmatched in &check.unmatched {
        let of_block = hosts.entry(&unmatched.block).or_default();
        of_block.entry(&unmatched.shader).or_default().insert(fitting_proposal(unmatched));
    }
    let paired: BTreeSet<(String, &str)> =
        check.pairs.iter().map(|pair| (pair.shader_name(), pair.shader.as_str())).collect();
    let mut found = Vec::new();
    for (block, by_shader) in hosts {
        let entry = |shader: Option<&str>, host: &str| MapEntry {
            block: block.to_owned(),
            shader: shader.map(str::to_owned),
            host: host.to_owned(),
        };
        let mut all = by_shader.values().flatten();
        let first = all.next().copied().flatten();
        let is_one = all.all(|other| *other == first) && !paired.iter().any(|(paired, _)| paired == block);
        if let Some(host) = first.filter(|_| is_one && by_shader.len() > MOST_SHADERS) {
            found.push(entry(None, host));
            continue;
        }
        for (shader, hosts) in by_shader.iter().filter(|(shader, _)| !paired.contains(&(block.to_owned(), **shader))) {
            // Each target of the shader needs the same.
            if let (Some(Some(host)), 1) = (hosts.first(), hosts.len()) {
                found.push(entry(Some(shader), host));
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
