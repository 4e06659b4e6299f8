//! For each witness of a failed check, the scalars that it found at other bytes, as layers of a
//! byte map.

use crate::failure::byte_map::{MapSubject, Stray, strays};
use crate::failure::witness::deed;
use layoutproof_events::Witness;
use layoutproof_show::style::one_line;

/// Scalars that one witness has at other bytes than the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WitnessLayer {
    pub witness: Witness,
    /// Description of the layer for the legend.
    pub deed: &'static str,
    /// Neighbouring scalars form one run.
    pub runs: Vec<FoundRun>,
}

/// Bytes at which a witness found scalars of one vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundRun {
    /// Path of the scalar, or of the vector if there are several.
    pub label: String,
    /// First byte, from the start of the block.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A layer for each witness that has a scalar at other bytes.
pub(super) fn witness_layers(subject: MapSubject<'_>) -> Vec<WitnessLayer> {
    let mut layers = Vec::new();
    for witness in Witness::ALL {
        let strays = strays(subject, witness);
        if strays.is_empty() {
            continue;
        }
        let directions: Vec<_> = strays.iter().map(|stray| stray.direction).collect();
        layers.push(WitnessLayer { witness, deed: deed(witness, &directions), runs: runs(strays) });
    }
    layers
}

fn runs(mut strays: Vec<Stray>) -> Vec<FoundRun> {
    strays.sort_by(|a, b| (a.found, a.home, &a.path).cmp(&(b.found, b.home, &b.path)));
    // One scalar may have been accessed in several ways.
    strays.dedup_by(|a, b| (&a.path, a.found) == (&b.path, b.found));

    let mut runs: Vec<FoundRun> = Vec::new();
    for stray in strays {
        let end = stray.found.saturating_add(stray.size);
        let vector = vector_of(&stray.path);
        match runs.last_mut() {
            Some(last) if last.end == stray.found && vector_of(&last.label) == vector => {
                last.label = one_line(vector);
                last.end = end;
            }
            Some(_) | None => runs.push(FoundRun { label: one_line(&stray.path), start: stray.found, end }),
        }
    }
    runs
}

/// `d` of `d.x`; other paths unchanged.
fn vector_of(path: &str) -> &str {
    ["x", "y", "z", "w"].iter().find_map(|axis| path.strip_suffix(axis)?.strip_suffix('.')).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stray(path: &str, found: u32) -> Stray {
        Stray { path: path.into(), size: 4, home: found - 12, found, direction: None }
    }

    #[test]
    fn components_beside_each_other_are_one_run() {
        let found = runs(vec![stray("d.y", 56), stray("c", 48), stray("d.x", 52), stray("d.x", 52)]);
        let run = |label: &str, start, end| FoundRun { label: label.into(), start, end };
        assert_eq!(found, [run("c", 48, 52), run("d", 52, 60)]);
    }
}
