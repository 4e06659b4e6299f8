//! The strategies that make random declarations of a type space.
//!
//! They decide only how likely a declaration is. For shrinking, see [`super::reduce`].

use layoutproof_layout::LayoutOptions;
use layoutproof_layout::scalar::Scalar;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{SBoxedStrategy, Union};

use super::feature::DeclarationFeature;
use super::place::{PlacedMember, offset, pack, room};
use super::shape::{BlockForm, MemberType, RandomDeclaration, RandomMember, RandomStruct};
use super::space::TypeSpace;
use super::validity::MOST_LEVELS;

/// Limit on the members of a block.
const MOST_MEMBERS: usize = 7;

/// Limit on the members of a nested struct.
const MOST_INNER: usize = 4;

/// Limit on the elements of an array dimension.
const MOST_ELEMENTS: u32 = 3;

/// Limit on a declaration's size in bytes, to keep images, push constants and reports small.
const MOST_ROOM: u32 = 16 * 1024;

/// Limit on a declaration's leaves. Each leaf is read in several forms, and drivers take seconds
/// for the code of hundreds.
const MOST_LEAVES: u32 = 128;

/// The place of a member's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberPosition {
    /// In a buffer itself.
    Buffer,
    /// In a struct with up to this many levels of structs below it.
    Struct(u32),
}

pub(super) fn declarations(space: &TypeSpace) -> SBoxedStrategy<RandomDeclaration> {
    let owned = space.clone();
    let form = (select(space.options()), select(space.blocks.clone()));
    form.prop_flat_map(move |(options, block)| StrategyMaker { space: &owned, options }.declaration(block)).sboxed()
}

/// Makes strategies for one set of options.
struct StrategyMaker<'a> {
    space: &'a TypeSpace,
    options: LayoutOptions,
}

impl StrategyMaker<'_> {
    fn declaration(&self, block: BlockForm) -> SBoxedStrategy<RandomDeclaration> {
        let options = self.options;
        let content = match block {
            BlockForm::Cbuffer | BlockForm::Tbuffer => self.buffer(),
            BlockForm::ConstantBuffer | BlockForm::StructuredBuffer => self.structure(MOST_LEVELS, 1..=MOST_MEMBERS),
            BlockForm::PushConstant => self.push_constants(),
            BlockForm::StructuredElement => {
                let element = Union::new_weighted(self.plain_types()).prop_map(RandomMember::plain);
                element.prop_map(|member| RandomStruct { base: None, members: vec![member] }).sboxed()
            }
        };

        content
            .prop_filter("too large", |content| room(content) <= MOST_ROOM && content.leaves() <= MOST_LEAVES)
            .prop_map(move |content| RandomDeclaration { options, block, content })
            .sboxed()
    }

    /// Makes the struct of push constants, which ends in a wide vector in 20% of the declarations.
    /// NVIDIA's driver 580.159.04 reads the end of some of these wrong.
    fn push_constants(&self) -> SBoxedStrategy<RandomStruct> {
        // 128 bytes is the limit that every Vulkan device supports.
        let content = self.structure(1, 1..=3);
        let scalars = self.space.scalars_with(self.options.sixteen_bit).into_iter();
        let wide: Vec<Scalar> = scalars.filter(|scalar| scalar.size(self.options.sixteen_bit, 4) == 8).collect();
        if wide.is_empty() {
            return content;
        }
        let end = self.sometimes(DeclarationFeature::Vector, 0.2, (select(wide), 3..=4_u32));
        let with_end = (content, end).prop_map(|(mut content, end)| {
            let vector = end.map(|(scalar, length)| MemberType::Vector { scalar, length });
            content.members.extend(vector.map(RandomMember::plain));
            content
        });
        with_end.sboxed()
    }

    /// Makes the members of a `cbuffer`, with packoffset in 30% of the declarations.
    fn buffer(&self) -> SBoxedStrategy<RandomStruct> {
        let any_order = self.space.has(DeclarationFeature::PackOffsetAnyOrder);
        let mixed = self.space.has(DeclarationFeature::PackOffsetMixed);
        let wish = (prop::bool::weighted(0.7), 0..3_u32, 0..8_u32);
        let member = (self.member(MemberPosition::Buffer), wish);
        let plan = self.sometimes(DeclarationFeature::PackOffset, 0.3, (any::<bool>(), prop::bool::weighted(0.3)));

        (vec(member, 1..=MOST_MEMBERS), plan)
            .prop_map(move |(parts, plan)| {
                let (mut members, wishes): (Vec<RandomMember>, Vec<_>) = parts.into_iter().unzip();
                if let Some((in_any_order, is_mixed)) = plan {
                    let wish = |(packed, gap, rank)| PlacedMember {
                        packed: packed || !(mixed && is_mixed),
                        gap,
                        rank: if any_order && in_any_order { rank } else { 0 },
                    };
                    pack(&mut members, &wishes.into_iter().map(wish).collect::<Vec<_>>());
                }
                RandomStruct { base: None, members }
            })
            .sboxed()
    }

    /// Makes a struct with up to `levels` levels of structs below it. A gap before the first member is
    /// more frequent than elsewhere, because drivers treat it differently.
    fn structure(&self, levels: u32, count: std::ops::RangeInclusive<usize>) -> SBoxedStrategy<RandomStruct> {
        let gap = self.sometimes(DeclarationFeature::VkOffset, 0.08, 0..3_u32);
        let first_gap = self.sometimes(DeclarationFeature::VkOffset, 0.06, 1..3_u32);
        let members = vec((self.member(MemberPosition::Struct(levels)), gap), count);
        let base = match levels {
            0 => Just(None).sboxed(),
            1.. => self.sometimes(DeclarationFeature::BaseStruct, 0.15, self.structure(0, 1..=2)),
        };

        (base, members, first_gap)
            .prop_map(|(base, parts, first_gap)| {
                let (mut members, mut gaps): (Vec<RandomMember>, Vec<Option<u32>>) = parts.into_iter().unzip();
                if let Some(gap) = gaps.first_mut() {
                    *gap = first_gap.or(*gap);
                }
                offset(&mut members, &gaps, base.as_ref().map_or(0, room));
                RandomStruct { base: base.map(Box::new), members }
            })
            .sboxed()
    }

    fn member(&self, holder: MemberPosition) -> SBoxedStrategy<RandomMember> {
        let mut types = self.plain_types();
        if self.space.has(DeclarationFeature::Enum) {
            types.push((2, self.enumeration()));
        }
        let plain = (Union::new_weighted(types), self.dimensions());
        let plain = plain.prop_map(|(ty, dimensions)| RandomMember { dimensions, ..RandomMember::plain(ty) });
        let mut members = vec![(10, plain.sboxed())];
        let levels = match holder {
            MemberPosition::Buffer => MOST_LEVELS,
            MemberPosition::Struct(levels) => levels,
        };
        if levels > 0 && self.space.has(DeclarationFeature::Struct) {
            let least = usize::from(!self.space.has(DeclarationFeature::EmptyStruct));
            let structure = self.structure(levels - 1, least..=MOST_INNER);
            let ty = structure.prop_map(|structure| MemberType::Struct(Box::new(structure)));
            let empty_arrays = self.space.has(DeclarationFeature::EmptyStructArray);
            let member =
                (ty, self.sometimes(DeclarationFeature::Array, 0.3, 1..=2_u32)).prop_map(move |(ty, count)| {
                    let is_array = empty_arrays || !ty.structure().is_some_and(RandomStruct::holds_nothing);
                    let dimensions = count.into_iter().filter(|_| is_array).collect();
                    RandomMember { dimensions, ..RandomMember::plain(ty) }
                });
            members.push((2, member.sboxed()));
        }

        if matches!(holder, MemberPosition::Struct(_)) && self.space.has(DeclarationFeature::BitField) {
            members.push((2, self.bit_field()));
        }
        Union::new_weighted(members).sboxed()
    }

    /// Makes a value with this probability, if the space has the feature.
    fn sometimes<S>(&self, feature: DeclarationFeature, probability: f64, value: S) -> SBoxedStrategy<Option<S::Value>>
    where
        S: Strategy + Send + Sync + 'static,
        S::Value: Clone + Send + Sync + 'static,
    {
        if self.space.has(feature) { prop::option::weighted(probability, value).sboxed() } else { Just(None).sboxed() }
    }

    /// Returns the types that may be the element of a structured buffer, with the weight of each
    /// kind.
    fn plain_types(&self) -> Vec<(u32, SBoxedStrategy<MemberType>)> {
        let scalars = self.space.scalars_with(self.options.sixteen_bit);
        let scalar = select(scalars.clone());
        let mut types = vec![(4, scalar.clone().prop_map(MemberType::Scalar).sboxed())];
        if self.space.has(DeclarationFeature::Vector) {
            let least = if self.space.has(DeclarationFeature::OneVector) { 1 } else { 2 };
            let vector = (scalar, least..=4_u32);
            types.push((4, vector.prop_map(|(scalar, length)| MemberType::Vector { scalar, length }).sboxed()));
        }
        let matrices = self.space.matrices_with(self.options);
        if !matrices.is_empty() {
            let least = if self.space.has(DeclarationFeature::OneDimensionalMatrix) { 1 } else { 2 };
            let matrix = (select(matrices), least..=4_u32, least..=4_u32);
            let matrix =
                matrix.prop_map(|((scalar, order), rows, columns)| MemberType::Matrix { scalar, rows, columns, order });
            types.push((4, matrix.sboxed()));
        }

        types
    }

    fn enumeration(&self) -> SBoxedStrategy<MemberType> {
        let typed = if self.space.has(DeclarationFeature::TypedEnum) { self.integers() } else { Vec::new() };
        let underlying: Vec<_> = std::iter::once(None).chain(typed.into_iter().map(Some)).collect();
        select(underlying).prop_map(MemberType::Enum).sboxed()
    }

    fn bit_field(&self) -> SBoxedStrategy<RandomMember> {
        let width = 1..=32_u32;
        let field = (select(self.integers()), width).prop_map(|(scalar, width)| {
            let ty = MemberType::Scalar(scalar);
            RandomMember { bit_width: ty.bits().map(|bits| width.min(bits)), ..RandomMember::plain(ty) }
        });
        field.sboxed()
    }

    /// Returns the integers for enums and bit-fields.
    fn integers(&self) -> Vec<Scalar> {
        let scalars = self.space.scalars_with(self.options.sixteen_bit).into_iter();
        scalars.filter(|scalar| MemberType::Scalar(*scalar).bits().is_some()).collect()
    }

    /// Makes array dimensions, mostly none. Arrays of one element are frequent, because compilers and
    /// drivers treat them as special.
    fn dimensions(&self) -> SBoxedStrategy<Vec<u32>> {
        let count = 1..=MOST_ELEMENTS;
        let mut dimensions = vec![(6, Just(Vec::new()).sboxed())];
        if self.space.has(DeclarationFeature::Array) {
            dimensions.push((2, vec(count.clone(), 1).sboxed()));
            dimensions.push((1, Just(vec![1]).sboxed()));
            if self.space.has(DeclarationFeature::NestedArray) {
                dimensions.push((1, vec(count, 2).sboxed()));
            }
        }
        Union::new_weighted(dimensions).sboxed()
    }
}
