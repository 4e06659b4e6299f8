//! The order of resources that stand in structs and in cbuffers: DXC appends them to its lists as its passes come to
//! them, not as they are declared.
//!
//! Source: DXC 1.7.2308 (`-T cs_6_6`), measured; the proposal calls it "the order in which they are referenced" (wg-hlsl
//! 0024, implicit resource binding). What was found beyond that:
//!
//! * `$Globals` (which global structs belong to) comes before the cbuffers, each in declaration order.
//! * What is used in called functions comes first, the last call first, and in each the last use first.
//! * In the entry point structs come in declaration order; in each, what methods use, the last object first, then what
//!   is passed by value in declaration order, then what local structs rename, then what is used by name, then what is
//!   copied into local resources, the last copy first.
//! * Uses by name are taken operation by operation (`RWBuffer<float>[]`, `Texture2D.Load`), the operation that the
//!   function comes to last first.
//! * Resources that stand in a cbuffer directly come behind its structs, in reverse order of declaration.

use std::collections::{BTreeMap, BTreeSet};

use super::location::Location;
use super::reach::{Manner, Reached};
use crate::module::{Module, Step};

/// The places in `reached` that stand in structs or cbuffers, each once, in DXC's order.
pub(super) fn split_off<'m>(module: &'m Module, reached: &[Reached<'m>]) -> Vec<Location<'m>> {
    let operations = operations(reached);
    let mut blocks: BTreeMap<Option<usize>, Vec<&Reached<'m>>> = BTreeMap::new();
    for used in reached.iter().filter(|used| used.location.is_split_off(module)) {
        blocks.entry(used.location.member.map(|_| used.location.parameter)).or_default().push(used);
    }
    let mut seen = BTreeSet::new();
    let uses = blocks.into_values().flat_map(|uses| block(module, &uses, &operations));
    uses.filter(|used| seen.insert(used.location.path(module))).map(|used| used.location.clone()).collect()
}

/// For each operation of the entry point how many others it comes to first.
fn operations<'r>(reached: &'r [Reached<'_>]) -> BTreeMap<&'r str, usize> {
    let mut ranks = BTreeMap::new();
    for used in reached.iter().filter(|used| used.activation == 0 && matches!(used.manner, Manner::Own | Manner::Alias))
    {
        let rank = ranks.len();
        ranks.entry(used.operation.as_str()).or_insert(rank);
    }
    ranks
}

/// The uses of one cbuffer's resources, or of those of global structs.
fn block<'r, 'm>(
    module: &'m Module,
    uses: &[&'r Reached<'m>],
    operations: &BTreeMap<&str, usize>,
) -> Vec<&'r Reached<'m>> {
    let mut activations: BTreeMap<usize, Vec<&'r Reached<'m>>> = BTreeMap::new();
    for used in uses {
        activations.entry(used.activation).or_default().push(used);
    }
    let entry = activations.remove(&0).unwrap_or_default();
    let called = activations.into_values().rev().flat_map(called_function);
    called.chain(entry_point(module, entry, operations)).collect()
}

fn called_function<'r, 'm>(uses: Vec<&'r Reached<'m>>) -> Vec<&'r Reached<'m>> {
    let (direct, nested): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| is_direct(&used.location));
    let (whole, mut own): (Vec<_>, Vec<_>) =
        nested.into_iter().partition(|used| matches!(used.manner, Manner::Object | Manner::Alias | Manner::Value));
    own.reverse();
    whole.into_iter().chain(own).chain(backwards(direct)).collect()
}

fn entry_point<'r, 'm>(
    module: &'m Module,
    uses: Vec<&'r Reached<'m>>,
    operations: &BTreeMap<&str, usize>,
) -> Vec<&'r Reached<'m>> {
    let (direct, nested): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| is_direct(&used.location));
    let mut objects: Vec<(usize, &[Step])> = Vec::new();
    for used in nested.iter().filter(|used| used.manner == Manner::Object) {
        let object = object(used);
        if !objects.contains(&object) {
            objects.push(object);
        }
    }
    let mut ranked: Vec<(Rank, &'r Reached<'m>)> = Vec::new();
    for (place, used) in nested.iter().enumerate() {
        let within = match used.manner {
            Manner::Object => {
                (objects.len() - objects.iter().position(|seen| *seen == object(used)).unwrap_or(0), place)
            }
            Manner::Value => (0, used.location.leaf_index(module)),
            Manner::Alias | Manner::Own => {
                (operations.len() - operations.get(used.operation.as_str()).unwrap_or(&0), place)
            }
            Manner::Copy => (usize::MAX - used.copied.0 as usize, usize::MAX - used.copied.1),
        };
        ranked.push((Rank { constant: constant(&used.location), manner: used.manner, within }, used));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, used)| used).chain(backwards(direct)).collect()
}

/// Where a use stands among those of the entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The variable or the cbuffer's member.
    constant: usize,
    manner: Manner,
    within: (usize, usize),
}

fn constant(location: &Location<'_>) -> usize {
    location.member.unwrap_or(location.parameter)
}

fn object<'r>(used: &'r Reached<'_>) -> (usize, &'r [Step]) {
    (constant(&used.location), used.location.steps.get(..used.object).unwrap_or_default())
}

/// Whether this is a member of a cbuffer rather than a part of one.
fn is_direct(location: &Location<'_>) -> bool {
    location.member.is_some() && location.steps.is_empty()
}

fn backwards<'r, 'm>(mut direct: Vec<&'r Reached<'m>>) -> Vec<&'r Reached<'m>> {
    direct.sort_by_key(|used| std::cmp::Reverse(used.location.member));
    direct
}
