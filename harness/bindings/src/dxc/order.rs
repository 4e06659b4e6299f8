//! The order of resources in structs and in cbuffers. DXC appends them to its lists in the order in
//! which its passes visit them, not in declaration order.
//!
//! Source: measurements of DXC 1.7.2308 (`-T cs_6_6`). The proposal calls the order "the order in
//! which they are referenced" (wg-hlsl 0024, implicit resource binding). The measurements show
//! more:
//!
//! * `$Globals` (which global structs belong to) comes before the cbuffers, each in declaration
//!   order.
//! * Uses in called functions come first: the last call first, and in each call the last use first.
//! * Uses by methods, arguments passed by value and resources renamed by local structs come before
//!   uses by name and copies into local resources; both groups take structs in declaration order.
//!   The first group has uses by methods, the last object first; then arguments passed by value,
//!   the last use first; then renamed resources. The second group has names, then copies, the last
//!   copy first.
//! * Uses by name go operation by operation (`RWBuffer<float>[]`, `Texture2D.Load`), starting with
//!   the operation that the function reaches last.
//! * `static` variables are made before the entry point begins, as if the entry point called a
//!   function for each; what it names through a static struct stays in order.
//! * Resources directly in a cbuffer come after its structs, in reverse order of declaration.
//! * Resources in a `ConstantBuffer<T>` or `TextureBuffer<T>` go by the calls, too, but uses by name go backwards in
//!   the entry point as well, whatever the operation.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use layoutproof_frontend::module::{Module, Step};
use layoutproof_usage::location::{Location, variable_class};
use layoutproof_usage::{AccessManner, ResourceUse};

/// Returns the locations in `reached` that are in structs or cbuffers, each once, in DXC's order.
pub(super) fn split_off<'m>(module: &'m Module, reached: &[ResourceUse<'m>]) -> Vec<Location<'m>> {
    let operations = operations(reached);
    let is_buffer = |parameter: usize| variable_class(&module.parameters[parameter]).is_some();
    let mut blocks: BTreeMap<Option<usize>, Vec<&ResourceUse<'m>>> = BTreeMap::new();
    for used in reached.iter().filter(|used| used.location.is_split_off(module)) {
        let parameter = used.location.parameter;
        blocks.entry(is_buffer(parameter).then_some(parameter)).or_default().push(used);
    }

    let mut seen = BTreeSet::new();
    let uses = blocks.into_iter().flat_map(|(buffer, uses)| {
        let is_view = buffer.is_some() && uses.iter().all(|used| used.location.member.is_none());
        block(&uses, &operations, is_view)
    });
    uses.filter(|used| seen.insert(used.location.path(module))).map(|used| used.location.clone()).collect()
}

/// Returns, for each operation of the entry point, the number of operations that it reaches first.
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

/// Sorts the uses of one buffer's resources, or of those of global structs. `is_view` is true for a `ConstantBuffer<T>` or
/// `TextureBuffer<T>`.
fn block<'r, 'm>(
    uses: &[&'r ResourceUse<'m>],
    operations: &BTreeMap<&str, usize>,
    is_view: bool,
) -> Vec<&'r ResourceUse<'m>> {
    let mut activations: BTreeMap<usize, Vec<&'r ResourceUse<'m>>> = BTreeMap::new();
    for used in uses {
        activations.entry(used.activation).or_default().push(used);
    }
    let entry = activations.remove(&0).unwrap_or_default();
    let called = activations.into_values().rev().flat_map(|uses| called_function(uses, is_view));
    called.chain(entry_point(entry, operations, is_view)).collect()
}

/// Sorts the uses of one function call.
fn function<'r, 'm>(
    uses: Vec<&'r ResourceUse<'m>>,
    is_view: bool,
    rank_by_name: impl Fn(usize, &ResourceUse<'m>) -> UseRank,
) -> Vec<&'r ResourceUse<'m>> {
    let (mut direct, nested): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| is_direct(&used.location));
    let mut objects: Vec<(usize, &[Step])> = Vec::new();
    for used in nested.iter().filter(|used| used.manner == AccessManner::Object) {
        let object = object(used);
        if !objects.contains(&object) {
            objects.push(object);
        }
    }

    let values = (0..nested.len()).filter(|place| nested[*place].manner == AccessManner::Value).collect();
    let values: BTreeMap<usize, usize> = in_copies(&nested, values, is_view).into_iter().zip(0..).collect();
    let mut ranked: Vec<(UseRank, &'r ResourceUse<'m>)> = Vec::new();
    for (place, used) in nested.into_iter().enumerate() {
        let within = match used.manner {
            AccessManner::Object => {
                (objects.len() - objects.iter().position(|seen| *seen == object(used)).unwrap_or(0), place)
            }
            AccessManner::Value => (0, values.get(&place).copied().unwrap_or(values.len())),
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
    direct.sort_by_key(|used| std::cmp::Reverse(used.location.member));
    ranked.into_iter().map(|(_, used)| used).chain(direct).collect()
}

/// Sorts the places of uses through structs that are passed by value.
///
/// DXC 1.7.2308 takes apart one copy after another, the last one first, and one level of members after another. Each
/// time it turns the order around, and once more for the struct that it makes of a `ConstantBuffer<T>`.
fn in_copies(uses: &[&ResourceUse<'_>], values: Vec<usize>, is_view: bool) -> Vec<usize> {
    let mut groups: BTreeMap<(Reverse<usize>, usize), Vec<usize>> = BTreeMap::new();
    for place in values {
        let copied = uses[place].copied;
        groups.entry((Reverse(copied.copies), copied.argument)).or_default().push(place);
    }
    let mut found = Vec::new();
    for ((Reverse(copies), _), places) in groups {
        in_members(uses, places, 0, (copies % 2 == 1) != is_view, &mut found);
    }
    found
}

fn in_members(
    uses: &[&ResourceUse<'_>],
    mut places: Vec<usize>,
    level: usize,
    is_backwards: bool,
    found: &mut Vec<usize>,
) {
    if is_backwards {
        places.reverse();
    }
    let member = |place: usize| uses[place].location.steps.get(uses[place].object + level);
    while let Some(first) = places.first().copied() {
        let (mut same, rest): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|place| member(*place) == member(first));
        places = rest;
        same.sort_unstable();
        if member(first).is_none() {
            found.extend(same);
        } else {
            in_members(uses, same, level + 1, !is_backwards, found);
        }
    }
}

/// A called function takes uses by name backwards, whatever they belong to.
fn called_function<'r, 'm>(uses: Vec<&'r ResourceUse<'m>>, is_view: bool) -> Vec<&'r ResourceUse<'m>> {
    function(uses, is_view, |place, _| backwards(place))
}

fn backwards(place: usize) -> UseRank {
    UseRank { by_name: true, constant: 0, manner: AccessManner::Own, within: (usize::MAX - place, 0) }
}

/// The entry point takes uses by name struct by struct and operation by operation.
fn entry_point<'r, 'm>(
    uses: Vec<&'r ResourceUse<'m>>,
    operations: &BTreeMap<&str, usize>,
    is_view: bool,
) -> Vec<&'r ResourceUse<'m>> {
    function(uses, is_view, |place, used| {
        let within = match used.manner {
            AccessManner::Own | AccessManner::Copy if is_view => return backwards(place),
            AccessManner::Copy => (usize::MAX - used.copied.start as usize, usize::MAX - used.copied.argument),
            _ => (operations.len() - operations.get(used.operation.as_str()).unwrap_or(&0), place),
        };
        UseRank { by_name: true, constant: constant(&used.location), manner: used.manner, within }
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UseRank {
    /// True for a use by name or a copy, rather than through a method, a parameter or a local
    /// struct.
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

/// True for a member of a cbuffer, rather than a part of one.
fn is_direct(location: &Location<'_>) -> bool {
    location.member.is_some() && location.steps.is_empty()
}
