//! Enumerates every block of up to K members over a set of members.

use layoutproof_layout::LayoutOptions;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;

use super::shape::{BlockForm, MemberType, RandomDeclaration, RandomMember, RandomStruct};

/// Returns one member for each kind that a byte rule distinguishes: scalars of 2, 4 and 8 bytes,
/// vectors that fill a register, leave a component free or fit twice, matrices by rows and columns,
/// an array, and structs with and without a tail.
pub fn members() -> Vec<RandomMember> {
    let vector = |scalar, length| RandomMember::plain(MemberType::Vector { scalar, length });
    let float = RandomMember::plain(MemberType::FLOAT);
    let matrix = |rows, columns, order| {
        RandomMember::plain(MemberType::Matrix { scalar: Scalar::Float32, rows, columns, order: Some(order) })
    };
    let structure = |members: &[RandomMember]| {
        RandomMember::plain(MemberType::Struct(Box::new(RandomStruct { base: None, members: members.to_vec() })))
    };
    let float3 = vector(Scalar::Float32, 3);

    vec![
        float.clone(),
        RandomMember::plain(MemberType::Scalar(Scalar::Half)),
        RandomMember::plain(MemberType::Scalar(Scalar::Float64)),
        vector(Scalar::Float32, 2),
        float3.clone(),
        vector(Scalar::Float32, 4),
        vector(Scalar::Half, 3),
        matrix(2, 3, MatrixOrder::Row),
        matrix(2, 3, MatrixOrder::Column),
        float.clone().array(2),
        structure(std::slice::from_ref(&float3)),
        structure(&[float3, float]),
    ]
}

/// Returns the number of blocks of one to `most` members over a set of `kinds`; `None` beyond 2^64.
pub fn count(kinds: u64, most: u32) -> Option<u64> {
    (1..=most).try_fold(0_u64, |sum, length| sum.checked_add(kinds.checked_pow(length)?))
}

/// Enumerates every block of this form with one to `most` of these members, shorter blocks first; a
/// structured buffer of elements has one member. Each block can be made without the ones before it,
/// so shards can skip the blocks of other shards.
///
/// # Panics
///
/// If there are more than 2^64 of them.
pub fn exhaustive(
    most: u32,
    members: &[RandomMember],
    block: BlockForm,
    options: LayoutOptions,
) -> impl Iterator<Item = RandomDeclaration> {
    let kinds = members.len() as u64;
    let most = if block == BlockForm::StructuredElement { most.min(1) } else { most };
    let total = count(kinds, most).expect("fewer than 2^64 declarations");
    (0..total).map(move |number| {
        let content = RandomStruct { base: None, members: content(number, members) };
        RandomDeclaration { options, block, content }
    })
}

/// Returns the members of the block with this number: its digits in base `members.len()`, where
/// shorter blocks come first.
fn content(mut number: u64, members: &[RandomMember]) -> Vec<RandomMember> {
    let kinds = members.len() as u64;

    // Skip the shorter blocks. For each length, there are `kinds` to the power of that length.
    let mut blocks = kinds;
    let mut length = 1;
    while number >= blocks {
        number -= blocks;
        blocks *= kinds;
        length += 1;
    }

    let digit = |place: u32| {
        let digit = number / kinds.pow(place) % kinds;
        members[usize::try_from(digit).expect("a digit is below the number of members")].clone()
    };
    (0..length).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn texts(most: u32, members: &[RandomMember]) -> Vec<String> {
        exhaustive(most, members, BlockForm::Cbuffer, LayoutOptions::default()).map(|it| it.text()).collect()
    }

    #[test]
    fn there_are_as_many_as_arithmetic_says() {
        let all = texts(3, &members());
        // 12 + 12^2 + 12^3.
        assert_eq!(all.len(), 1884);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 1884);
        assert_eq!(count(12, 4), Some(22_620));
        assert_eq!(count(2, 64), None);
    }

    #[test]
    fn shorter_blocks_come_first_and_the_last_member_changes_fastest() {
        let members = members();
        let [float, half, ..] = &members[..] else { panic!("there are twelve") };
        let bodies = ["float m0;", "half m0;", "float m0; float m1;", "float m0; half m1;", "half m0; float m1;"];
        let found = texts(2, &[float.clone(), half.clone()]);
        let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found: Vec<String> = found.iter().map(words).collect();
        let wanted: Vec<String> = bodies.iter().map(|body| format!("cbuffer B {{ {body} }};")).collect();
        assert_eq!(found[..5], wanted);
        assert_eq!(found.len(), 6);
    }
}
