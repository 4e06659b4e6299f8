//! Lists the next smaller declarations that shrinking tries, the largest steps first.
//!
//! Each step removes something: members, then the block's form and annotations, then types,
//! dimensions and widths, towards a single plain `float`.

use layoutproof_layout::LayoutOptions;
use layoutproof_layout::scalar::Scalar;

use super::place::{PlacedMember, pack};
use super::shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};
use super::space::TypeSpace;

/// Returns every next smaller declaration. Some do not fit the space; only the ones that are tried
/// get checked.
pub(super) fn reductions(declaration: &RandomDeclaration, space: &TypeSpace) -> Vec<RandomDeclaration> {
    let with = |content| RandomDeclaration { content, ..declaration.clone() };
    let mut found: Vec<RandomDeclaration> = fewer_members(&declaration.content).into_iter().map(with).collect();
    found.extend(forms(declaration, space));
    found.extend(options(declaration, space));
    found.extend(packed_tightly(declaration));
    found.extend(simpler_struct(&declaration.content).into_iter().map(with));
    found
}

/// Keeps one half of the members, one of them, two neighbours, all but one, or any two.
///
/// Pairs are tried because two members may differ only at offsets that removing a single one cannot
/// reach: a `float2` after one `float` has a different offset than after two, and again after
/// three.
fn fewer_members(structure: &RandomStruct) -> Vec<RandomStruct> {
    let count = structure.members.len();

    let half = count / 2;
    let halves = (count > 3).then(|| [(0..half).collect(), (half..count).collect()]).into_iter().flatten();
    let single = (0..count).map(|only| vec![only]);
    let neighbours = (1..count).map(|second| vec![second - 1, second]);
    let all_but_one = (0..count).rev().map(|left_out| (0..count).filter(|index| *index != left_out).collect());
    let pairs = (0..count).flat_map(|first| (first + 2..count).map(move |second| vec![first, second]));

    let all = halves.chain(single).chain(neighbours).chain(all_but_one).chain(pairs);
    let fewer = all.filter(|kept: &Vec<usize>| kept.len() < count);
    let with = |kept: Vec<usize>| RandomStruct {
        base: structure.base.clone(),
        members: kept.into_iter().map(|index| structure.members[index].clone()).collect(),
    };
    fewer.chain((count == 1).then(Vec::new)).map(with).collect()
}

/// Returns the block in simpler forms, with and without its explicit offsets.
fn forms(declaration: &RandomDeclaration, space: &TypeSpace) -> Vec<RandomDeclaration> {
    let place = |form: BlockForm| space.blocks.iter().position(|known| *known == form);
    let own = place(declaration.block);
    let simpler = space.blocks.iter().filter(|form| place(**form) < own);
    let all = simpler.flat_map(|form| {
        let bare = without_places(&declaration.content);
        let contents = [declaration.content.clone(), bare];
        contents.map(|content| RandomDeclaration { block: *form, content, ..*declaration })
    });
    all.collect()
}

fn options(declaration: &RandomDeclaration, space: &TypeSpace) -> Vec<RandomDeclaration> {
    let all = space.options();
    let own = all.iter().position(|options| *options == declaration.options).unwrap_or(0);
    let simpler = all[..own].iter().filter(|options| differ_once(**options, declaration.options));
    simpler.map(|options| RandomDeclaration { options: *options, ..declaration.clone() }).collect()
}

fn differ_once(one: LayoutOptions, other: LayoutOptions) -> bool {
    (one.matrix == other.matrix) != (one.sixteen_bit == other.sixteen_bit)
}

/// Removes the block's own packoffsets, or packs all of them in order and without gaps.
fn packed_tightly(declaration: &RandomDeclaration) -> Vec<RandomDeclaration> {
    let is_packed = |member: &RandomMember| matches!(member.place, Some(ExplicitOffset::PackOffset { .. }));
    if !declaration.content.members.iter().any(is_packed) {
        return Vec::new();
    }
    let mut tight = declaration.clone();
    let wish = |member: &RandomMember| PlacedMember { packed: is_packed(member), ..PlacedMember::TIGHT };
    let wishes: Vec<PlacedMember> = tight.content.members.iter().map(wish).collect();
    pack(&mut tight.content.members, &wishes);
    let bare = RandomDeclaration { content: without_places(&declaration.content), ..*declaration };
    let is_smaller = registers(&tight) < registers(declaration);
    std::iter::once(bare).chain(is_smaller.then_some(tight)).collect()
}

/// Returns the register and component of every member. Tight packing makes them smaller.
fn registers(declaration: &RandomDeclaration) -> Vec<(u32, u32)> {
    let places = declaration.content.members.iter().filter_map(|member| match member.place {
        Some(ExplicitOffset::PackOffset { register, component }) => Some((register, component.unwrap_or(0))),
        Some(ExplicitOffset::VkOffset(_)) | None => None,
    });
    places.collect()
}

/// Removes packoffset and `[[vk::offset]]` from the struct's own members.
fn without_places(structure: &RandomStruct) -> RandomStruct {
    let members = structure.members.iter().map(|member| RandomMember { place: None, ..member.clone() });
    RandomStruct { base: structure.base.clone(), members: members.collect() }
}

/// Removes the base, merges the base's members into the struct, or simplifies one member.
fn simpler_struct(structure: &RandomStruct) -> Vec<RandomStruct> {
    let mut found = Vec::new();
    if let Some(base) = structure.base.as_deref() {
        found.push(RandomStruct { base: None, members: structure.members.clone() });
        found.push(RandomStruct {
            base: base.base.clone(),
            members: [base.members.clone(), structure.members.clone()].concat(),
        });
        let simpler = fewer_members(base).into_iter().chain(simpler_struct(base));
        found.extend(
            simpler.map(|base| RandomStruct { base: Some(Box::new(base)), members: structure.members.clone() }),
        );
    }

    for (index, member) in structure.members.iter().enumerate() {
        for instead in simpler_member(member) {
            let (before, behind) = (&structure.members[..index], &structure.members[index + 1..]);
            let members = [before, &instead, behind].concat();
            found.push(RandomStruct { base: structure.base.clone(), members });
        }
    }

    found
}

/// Returns smaller replacements of a member. The members of a struct may replace it.
fn simpler_member(member: &RandomMember) -> Vec<Vec<RandomMember>> {
    let mut found = Vec::new();

    let float = RandomMember::plain(MemberType::FLOAT);
    if *member != float {
        found.push(vec![RandomMember { place: member.place, ..float.clone() }]);
        found.push(vec![float]);
    }

    if let Some(inner) = member.ty.structure() {
        found.push(without_places(inner).members);
    }
    found.extend(simpler_around(member).into_iter().map(|member| vec![member]));
    let types = simpler_type(&member.ty).into_iter();
    found.extend(types.map(|ty| vec![RandomMember { ty, ..member.clone() }]));
    found
}

/// Removes place and width, and removes or shortens dimensions.
fn simpler_around(member: &RandomMember) -> Vec<RandomMember> {
    let mut found = Vec::new();
    let with = |dimensions: &[u32]| RandomMember { dimensions: dimensions.to_vec(), ..member.clone() };
    if member.place.is_some() {
        found.push(RandomMember { place: None, ..member.clone() });
    }
    if let Some(width) = member.bit_width {
        found.push(RandomMember { bit_width: None, ..member.clone() });
        found.extend((width > 1).then(|| RandomMember { bit_width: Some(width / 2), ..member.clone() }));
    }
    if let [first, rest @ ..] = member.dimensions.as_slice() {
        found.extend([with(&[]), with(rest)]);
        found.extend((*first > 1).then(|| with(&[&[first - 1], rest].concat())));
        let shorter = rest.first().filter(|second| **second > 1).map(|second| with(&[*first, second - 1]));
        found.extend(shorter);
    }

    found
}

fn simpler_type(ty: &MemberType) -> Vec<MemberType> {
    match ty {
        MemberType::Scalar(scalar) => simpler_scalar(*scalar).map(MemberType::Scalar).collect(),
        MemberType::Vector { scalar, length } => {
            let shorter = (*length > 2).then(|| MemberType::Vector { scalar: *scalar, length: length - 1 });
            let scalars = simpler_scalar(*scalar).map(|scalar| MemberType::Vector { scalar, length: *length });
            std::iter::once(MemberType::Scalar(*scalar)).chain(scalars).chain(shorter).collect()
        }
        MemberType::Matrix { .. } => simpler_matrix(ty),
        MemberType::Enum(None) => Vec::new(),
        MemberType::Enum(Some(underlying)) => vec![MemberType::Enum(None), MemberType::Scalar(*underlying)],
        MemberType::Struct(structure) => {
            let all = fewer_members(structure).into_iter().chain(simpler_struct(structure));
            all.map(|structure| MemberType::Struct(Box::new(structure))).collect()
        }
    }
}

fn simpler_matrix(ty: &MemberType) -> Vec<MemberType> {
    let MemberType::Matrix { scalar, rows, columns, order } = ty else { return Vec::new() };
    let with = |rows, columns| MemberType::Matrix { scalar: *scalar, rows, columns, order: *order };
    let vector = MemberType::Vector { scalar: *scalar, length: (*rows).max(*columns) };
    let plain = order.map(|_| MemberType::Matrix { scalar: *scalar, rows: *rows, columns: *columns, order: None });
    let scalars = simpler_scalar(*scalar).map(|scalar| MemberType::Matrix {
        scalar,
        rows: *rows,
        columns: *columns,
        order: *order,
    });

    let least = (*rows > 2 || *columns > 2).then(|| with((*rows).min(2), (*columns).min(2)));
    let shorter = [(*rows > 1).then(|| with(rows - 1, *columns)), (*columns > 1).then(|| with(*rows, columns - 1))];
    let smaller = least.into_iter().chain(shorter.into_iter().flatten());
    std::iter::once(vector).chain(plain).chain(scalars).chain(smaller).collect()
}

/// Returns `float`, and for types of other sizes a 32-bit integer, too.
fn simpler_scalar(scalar: Scalar) -> impl Iterator<Item = Scalar> {
    let rank = |scalar: Scalar| match scalar {
        Scalar::Float32 => 0,
        Scalar::Int32 => 1,
        Scalar::Uint32 | Scalar::Bool | Scalar::Float64 => 2,
        _ => 3,
    };

    [Scalar::Float32, Scalar::Int32].into_iter().filter(move |simpler| rank(*simpler) < rank(scalar))
}
