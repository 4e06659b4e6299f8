//! Tests that every random declaration fits its space and that our parser accepts it, and that
//! shrinking ends where it should.

mod mutants;

use std::collections::BTreeSet;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{MatrixOrder, StructType, Type};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::shrink::{SHRINK_CALLS, Shrunk, shrink};

/// Every preset by name.
fn presets() -> Vec<(&'static str, TypeSpace)> {
    vec![
        ("everything", TypeSpace::everything()),
        ("minimum precision", TypeSpace::dxc_dxil().with_minimum_precision()),
        ("dxc to dxil", TypeSpace::dxc_dxil()),
        ("dxc to spir-v", TypeSpace::dxc_spirv()),
        ("slang", TypeSpace::slang()),
        ("slang to spir-v", TypeSpace::slang_spirv()),
        ("fxc", TypeSpace::fxc()),
        ("glsl", TypeSpace::glsl()),
        ("wgsl", TypeSpace::wgsl()),
    ]
}

/// Returns the names of the block's own members in order, those of bases first.
fn names(declaration: &RandomDeclaration) -> Vec<String> {
    (0..declaration.content.width()).map(|index| format!("m{index}")).collect()
}

/// Returns the same names from our parser's result.
fn read_names(ty: &Type) -> Vec<String> {
    fn of(structure: &StructType, names: &mut Vec<String>) {
        if let Some(base) = &structure.base {
            of(base, names);
        }
        names.extend(structure.members.iter().map(|member| member.name.clone()));
    }
    let mut names = Vec::new();
    if let Type::Struct(structure) = ty {
        of(structure, &mut names);
    } else {
        // The element of a structured buffer represents its single member.
        names.push("m0".to_owned());
    }
    names
}

#[test]
fn random_declarations_fit_their_space_and_are_read_as_written() {
    for (name, space) in presets() {
        let declarations = Declarations::new(space.clone());
        for index in 0..100 {
            let declaration = declarations.nth(1, index).current();
            let text = declaration.text();
            assert!(declaration.fits(&space), "{name}: {declaration:#?}");
            let module = declaration.module().unwrap_or_else(|problems| panic!("{name}: {problems:?}\n{text}"));
            let [block] = module.blocks.as_slice() else { panic!("{name}: one block\n{text}") };
            assert_eq!(block.name, "B");
            assert_eq!(read_names(&block.element), names(&declaration), "{text}");
        }
    }
}

#[test]
fn every_feature_and_form_of_a_space_comes_up() {
    for (name, space) in presets() {
        let declarations = Declarations::new(space.clone());
        let drawn: Vec<RandomDeclaration> = (0..250).map(|index| declarations.nth(2, index).current()).collect();
        let features: BTreeSet<DeclarationFeature> = drawn.iter().flat_map(RandomDeclaration::features).collect();
        assert_eq!(features, space.features, "{name}");
        let forms: BTreeSet<BlockForm> = drawn.iter().map(|declaration| declaration.block).collect();
        assert_eq!(forms, space.blocks.iter().copied().collect(), "{name}");
        let options: Vec<_> = drawn.iter().map(|declaration| declaration.options).collect();
        assert!(space.options().iter().all(|wanted| options.contains(wanted)), "{name}");
        let mut scalars = BTreeSet::new();
        for declaration in &drawn {
            declaration.content.visit(&mut |member| scalars.extend(member.ty.scalar()));
        }
        assert_eq!(scalars, space.scalars.iter().copied().collect(), "{name}");
    }
}

#[test]
fn a_declaration_depends_on_its_seed_and_number_alone() {
    let text = |seed, index| Declarations::new(TypeSpace::everything()).nth(seed, index).current().text();
    let declarations = &Declarations::new(TypeSpace::everything());
    let forward: Vec<String> = (0..20).map(|index| declarations.nth(7, index).current().text()).collect();
    let in_threads: Vec<String> = std::thread::scope(|scope| {
        let draw = |index| scope.spawn(move || declarations.nth(7, index).current().text());
        let threads: Vec<_> = (0..20).rev().map(draw).collect();
        threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(forward, in_threads);
    assert_eq!(forward[3], text(7, 3));
    assert_ne!(forward[3], text(8, 3));
    // Small declarations may occur twice.
    assert!(forward.iter().collect::<BTreeSet<_>>().len() > 15);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 30, ..ProptestConfig::default() })]

    /// Every shrinking step stays in the space and parses without error, and the steps end.
    #[test]
    fn shrinking_stays_in_the_space(seed in any::<u64>(), mut answers in any::<u64>()) {
        let space = TypeSpace::everything();
        let mut tree = Declarations::new(space.clone()).nth(seed, 0);
        let mut goes_on = tree.simplify();
        while goes_on {
            answers = answers.rotate_left(1);
            goes_on = if answers & 1 == 0 { tree.simplify() } else { tree.complicate() };
            let smaller = tree.current();
            prop_assert!(smaller.fits(&space), "{smaller:#?}");
            prop_assert!(smaller.module().is_ok(), "{}", smaller.text());
        }
    }

    #[test]
    fn the_smallest_of_all_is_one_float(seed in any::<u64>()) {
        let mut tree = Declarations::new(TypeSpace::everything()).nth(seed, 0);
        while tree.simplify() {}
        prop_assert_eq!(tree.current().text(), "cbuffer B {\n    float m0;\n};\n");
    }
}

/// Finds and shrinks the first of 200 declarations for which `differs` returns true. Returns it as
/// drawn and shrunk.
fn search(
    declarations: &Declarations,
    seed: u64,
    differs: &mut dyn FnMut(&RandomDeclaration) -> bool,
) -> Option<(RandomDeclaration, Shrunk<RandomDeclaration>)> {
    (0..200).find_map(|number| {
        let tree = declarations.nth(seed, number);
        let drawn = tree.current();
        differs(&drawn).then(|| (drawn, shrink(tree, SHRINK_CALLS, differs)))
    })
}

fn shrunk(differs: &mut dyn FnMut(&RandomDeclaration) -> bool) -> (RandomDeclaration, Shrunk<RandomDeclaration>) {
    search(&Declarations::new(TypeSpace::everything()), 3, differs).expect("found within 200 declarations")
}

/// Returns true if a member that satisfies `first` is followed by one that satisfies `second`.
fn behind(
    declaration: &RandomDeclaration,
    first: fn(&RandomMember) -> bool,
    second: fn(&RandomMember) -> bool,
) -> bool {
    declaration.content.members.windows(2).any(|pair| first(&pair[0]) && second(&pair[1]))
}

#[test]
fn a_row_major_matrix_behind_a_float_is_found_and_shrunk_to_both() {
    let is_float = |member: &RandomMember| member.ty == MemberType::FLOAT;
    let is_matrix = |member: &RandomMember| match member.ty {
        MemberType::Matrix { rows, order, .. } => rows > 1 && order == Some(MatrixOrder::Row),
        MemberType::Scalar(_) | MemberType::Vector { .. } | MemberType::Enum(_) | MemberType::Struct(_) => false,
    };
    let (drawn, found) = shrunk(&mut |it| behind(it, is_float, is_matrix));
    let text = "cbuffer B {\n    float m0;\n    row_major float2x1 m1;\n};\n";
    assert_eq!(found.smallest.text(), text, "from\n{}", drawn.text());
    assert!(found.is_smallest && found.calls <= SHRINK_CALLS);
}

#[test]
fn what_is_deep_inside_is_lifted_out_or_left_with_what_it_needs() {
    let has_double = |declaration: &RandomDeclaration| {
        let mut has = false;
        declaration.content.visit(&mut |member| has |= member.ty.scalar() == Some(Scalar::Float64));
        has
    };
    let nested = |declaration: &RandomDeclaration| {
        let mut has = false;
        let inner = declaration.content.members.iter().filter_map(|member| member.ty.structure());
        inner.for_each(|it| it.visit(&mut |member| has |= !member.dimensions.is_empty() && it.members.len() > 1));
        has
    };
    let (_, found) = shrunk(&mut |it| has_double(it));
    assert_eq!(found.smallest.text(), "cbuffer B {\n    double m0;\n};\n");
    let (_, found) = shrunk(&mut |it| nested(it));
    assert_eq!(found.smallest.member_count(), 1, "{}", found.smallest.text());
}

#[test]
fn annotations_stay_where_they_are_what_differs() {
    let is_placed = |member: &RandomMember| member.place.is_some();
    let (drawn, found) = shrunk(&mut |it| behind(it, is_placed, is_placed));
    let text = "cbuffer B {\n    float m0 : packoffset(c0);\n    float m1 : packoffset(c0.y);\n};\n";
    assert_eq!(found.smallest.text(), text, "from\n{}", drawn.text());
}

#[test]
fn shrinking_asks_no_more_often_than_it_may() {
    let tree = || Declarations::new(TypeSpace::everything()).nth(3, 0);
    for calls in [0, 1, 7] {
        let mut asked = 0;
        let shrunk = shrink(tree(), calls, &mut |_| {
            asked += 1;
            false
        });
        assert_eq!((shrunk.calls, asked, shrunk.is_smallest), (calls, calls, false));
        assert_eq!(shrunk.smallest, tree().current());
    }
}

#[test]
fn two_compilers_are_compared_on_what_both_take() {
    let both = TypeSpace::dxc_dxil().common(&TypeSpace::slang()).unwrap();
    assert!(
        both.has(DeclarationFeature::BitField)
            && !both.has(DeclarationFeature::VkOffset)
            && !both.has(DeclarationFeature::PackOffsetMixed)
    );
    assert_eq!(TypeSpace::fxc().common(&TypeSpace::slang()), None);
}
