//! The order of resources that stand in structs and in cbuffers: DXC appends them to its lists as its passes come to
//! them, not as they are declared.
//!
//! Source: DXC 1.7.2308 (`-T cs_6_6`), measured; the proposal calls it "the order in which they are referenced"
//! (wg-hlsl 0024, implicit resource binding). What was found beyond that:
//!
//! * `$Globals` (which global structs belong to) comes before the cbuffers, each in declaration order.
//! * What is used in called functions comes first, the last call first, and in each the last use first.
//! * What methods use, what is passed by value and what local structs rename comes before what is used by name or copied
//!   into local resources; structs come in declaration order in both. In each: what methods use, the last object first;
//!   what is passed by value, in declaration order; what is renamed. Then names, then copies, the last copy first.
//! * Uses by name are taken operation by operation (`RWBuffer<float>[]`, `Texture2D.Load`), the operation that the
//!   function comes to last first.
//! * `static` variables are made before the entry point begins, as if each were a function that is called there; what
//!   the entry point names through a static struct stays in order.
//! * Resources that stand in a cbuffer directly come behind its structs, in reverse order of declaration.

use std::collections::{BTreeMap, BTreeSet};

use super::location::Location;
use super::use_walk::{AccessManner, ResourceUse};
use layoutproof_frontend::module::{Module, Step};

/// The places in `reached` that stand in structs or cbuffers, each once, in DXC's order.
pub(super) fn split_off<'m>(module: &'m Module, reached: &[ResourceUse<'m>]) -> Vec<Location<'m>> {
    let operations = operations(reached);
    let mut blocks: BTreeMap<Option<usize>, Vec<&ResourceUse<'m>>> = BTreeMap::new();
    for used in reached.iter().filter(|used| used.location.is_split_off(module)) {
        blocks.entry(used.location.member.map(|_| used.location.parameter)).or_default().push(used);
    }

    let mut seen = BTreeSet::new();
    let uses = blocks.into_values().flat_map(|uses| block(module, &uses, &operations));
    uses.filter(|used| seen.insert(used.location.path(module))).map(|used| used.location.clone()).collect()
}

/// For each operation of the entry point how many others it comes to first.
fn operations<'r>(reached: &'r [ResourceUse<'_>]) -> BTreeMap<&'r str, usize> {
    let mut ranks = BTreeMap::new();
    for used in reached
        .iter()
        .filter(|used| used.activation == 0 && matches!(used.manner, AccessManner::Own | AccessManner::Alias))
    {
        let rank = ranks.len();
        ranks.entry(used.operation.as_str()).or_insert(rank);
    }
    ranks
}

/// The uses of one cbuffer's resources, or of those of global structs.
fn block<'r, 'm>(
    module: &'m Module,
    uses: &[&'r ResourceUse<'m>],
    operations: &BTreeMap<&str, usize>,
) -> Vec<&'r ResourceUse<'m>> {
    let mut activations: BTreeMap<usize, Vec<&'r ResourceUse<'m>>> = BTreeMap::new();
    for used in uses {
        activations.entry(used.activation).or_default().push(used);
    }
    let entry = activations.remove(&0).unwrap_or_default();
    let called = activations.into_values().rev().flat_map(|uses| called_function(module, uses));
    called.chain(entry_point(module, entry, operations)).collect()
}

/// The uses of one function call, in order.
fn function<'r, 'm>(
    module: &'m Module,
    uses: Vec<&'r ResourceUse<'m>>,
    rank_by_name: impl Fn(usize, &ResourceUse<'m>) -> UseRank,
) -> Vec<&'r ResourceUse<'m>> {
    let (direct, nested): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| is_direct(&used.location));
    let mut objects: Vec<(usize, &[Step])> = Vec::new();
    for used in nested.iter().filter(|used| used.manner == AccessManner::Object) {
        let object = object(used);
        if !objects.contains(&object) {
            objects.push(object);
        }
    }

    let mut ranked: Vec<(UseRank, &'r ResourceUse<'m>)> = Vec::new();
    for (place, used) in nested.into_iter().enumerate() {
        let within = match used.manner {
            AccessManner::Object => {
                (objects.len() - objects.iter().position(|seen| *seen == object(used)).unwrap_or(0), place)
            }
            AccessManner::Value => (0, used.location.leaf_index(module)),
            AccessManner::Static => (0, place),
            AccessManner::Alias => rank_by_name(place, used).within,
            AccessManner::Own | AccessManner::Copy => {
                ranked.push((rank_by_name(place, used), used));
                continue;
            }
        };
        let constant = constant(&used.location);
        ranked.push((UseRank { by_name: false, constant, manner: used.manner, within }, used));
    }

    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, used)| used).chain(backwards(direct)).collect()
}

/// In a called function what is used by name is taken backwards, whatever it belongs to.
fn called_function<'r, 'm>(module: &'m Module, uses: Vec<&'r ResourceUse<'m>>) -> Vec<&'r ResourceUse<'m>> {
    function(module, uses, |place, _| UseRank {
        by_name: true,
        constant: 0,
        manner: AccessManner::Own,
        within: (usize::MAX - place, 0),
    })
}

/// In the entry point it is taken struct by struct and operation by operation.
fn entry_point<'r, 'm>(
    module: &'m Module,
    uses: Vec<&'r ResourceUse<'m>>,
    operations: &BTreeMap<&str, usize>,
) -> Vec<&'r ResourceUse<'m>> {
    function(module, uses, |place, used| {
        let within = match used.manner {
            AccessManner::Copy => (usize::MAX - used.copied.start as usize, usize::MAX - used.copied.argument),
            AccessManner::Object
            | AccessManner::Value
            | AccessManner::Alias
            | AccessManner::Static
            | AccessManner::Own => (operations.len() - operations.get(used.operation.as_str()).unwrap_or(&0), place),
        };
        UseRank { by_name: true, constant: constant(&used.location), manner: used.manner, within }
    })
}

/// Where a use stands among those of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UseRank {
    /// True if it is used by name or copied, rather than through a method, a parameter or a local struct.
    by_name: bool,
    /// The variable or the cbuffer's member.
    constant: usize,
    manner: AccessManner,
    within: (usize, usize),
}

fn constant(location: &Location<'_>) -> usize {
    location.member.unwrap_or(location.parameter)
}

fn object<'r>(used: &'r ResourceUse<'_>) -> (usize, &'r [Step]) {
    (constant(&used.location), used.location.steps.get(..used.object).unwrap_or_default())
}

/// True if this is a member of a cbuffer rather than a part of one.
fn is_direct(location: &Location<'_>) -> bool {
    location.member.is_some() && location.steps.is_empty()
}

fn backwards<'r, 'm>(mut direct: Vec<&'r ResourceUse<'m>>) -> Vec<&'r ResourceUse<'m>> {
    direct.sort_by_key(|used| std::cmp::Reverse(used.location.member));
    direct
}
