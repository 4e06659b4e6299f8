//! Checks that a random declaration is valid and is in a type space.

use std::collections::BTreeSet;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;

use super::feature::{DeclarationFeature, matrix_feature};
use super::shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};
use super::space::TypeSpace;

/// Limit on the nesting of structs, without the block's own.
pub(super) const MOST_LEVELS: u32 = 3;

impl RandomDeclaration {
    pub fn features(&self) -> BTreeSet<DeclarationFeature> {
        let mut found = BTreeSet::new();
        self.content.visit_structs(&mut |structure| {
            let empty = structure.is_empty().then_some(DeclarationFeature::EmptyStruct);
            found.extend(structure.base.is_some().then_some(DeclarationFeature::BaseStruct).into_iter().chain(empty));
        });
        self.content.visit(&mut |member| {
            found.extend(type_features(&member.ty, |order| self.order(order)));
            found.extend(member_features(member));
        });
        found.extend(packoffset_features(&self.content.members));
        found
    }

    /// Returns true if the languages allow the declaration and the space has all of its types and
    /// features.
    pub fn fits(&self, space: &TypeSpace) -> bool {
        let scalars = space.scalars_with(self.options.sixteen_bit);
        let mut members_fit = true;
        self.content.visit(&mut |member| {
            members_fit &= member.ty.scalar().is_none_or(|scalar| scalars.contains(&scalar)) && bits_fit(member);
        });
        members_fit
            && self.is_well_formed()
            && space.blocks.contains(&self.block)
            && space.options().contains(&self.options)
            && self.features().is_subset(&space.features)
    }

    /// Returns true if members are in allowed places: bit-fields, bases and `[[vk::offset]]` in
    /// structs, packoffset in buffers.
    fn is_well_formed(&self) -> bool {
        let members = &self.content.members;
        let own = match self.block {
            BlockForm::Cbuffer | BlockForm::Tbuffer => {
                let direct = |member: &RandomMember| member.bit_width.is_none() && !is_vk_offset(member.place);
                self.content.base.is_none() && members.iter().all(direct) && packoffsets_are_apart(members)
            }
            BlockForm::ConstantBuffer | BlockForm::StructuredBuffer | BlockForm::PushConstant => {
                members.iter().all(|member| !is_packoffset(member.place))
            }
            BlockForm::StructuredElement => {
                let is_element = |member: &RandomMember| {
                    member.is_plain()
                        && match member.ty {
                            MemberType::Scalar(_) | MemberType::Vector { .. } | MemberType::Matrix { .. } => true,
                            MemberType::Enum(_) | MemberType::Struct(_) => false,
                        }
                };
                self.content.base.is_none() && members.len() == 1 && members.iter().all(is_element)
            }
        };

        own && !members.is_empty()
            && depth(&self.content) <= MOST_LEVELS
            && members.iter().filter_map(|member| member.ty.structure()).all(no_packoffset_inside)
            && self.content.base.as_deref().is_none_or(no_packoffset_inside)
    }
}

/// Returns true if a bit-field is a plain integer that is wide enough.
fn bits_fit(member: &RandomMember) -> bool {
    let is_alone = member.dimensions.is_empty() && member.place.is_none();
    member.bit_width.is_none_or(|width| is_alone && member.ty.bits().is_some_and(|bits| (1..=bits).contains(&width)))
}

/// Counts the levels of structs below this one.
fn depth(structure: &RandomStruct) -> u32 {
    let nested = structure.members.iter().filter_map(|member| member.ty.structure());
    structure.base.as_deref().into_iter().chain(nested).map(|inner| 1 + depth(inner)).max().unwrap_or(0)
}

fn no_packoffset_inside(structure: &RandomStruct) -> bool {
    let mut none = true;
    structure.visit(&mut |member| none &= !is_packoffset(member.place));
    none
}

fn is_packoffset(place: Option<ExplicitOffset>) -> bool {
    matches!(place, Some(ExplicitOffset::PackOffset { .. }))
}

fn is_vk_offset(place: Option<ExplicitOffset>) -> bool {
    place.is_some() && !is_packoffset(place)
}

/// Returns true if vectors stay in their registers and no two members begin at the same component.
/// The code that assigns the offsets keeps members from overlapping, and removing or shrinking a
/// member preserves that.
fn packoffsets_are_apart(members: &[RandomMember]) -> bool {
    let inside = |member: &RandomMember| match member.place {
        Some(ExplicitOffset::PackOffset { component: Some(component), .. }) if component > 0 => {
            let components = member.ty.packoffset_components().filter(|_| member.dimensions.is_empty());
            components.is_some_and(|count| component + count <= 4)
        }
        Some(ExplicitOffset::PackOffset { .. } | ExplicitOffset::VkOffset(_)) | None => true,
    };
    let starts: Vec<_> = members.iter().filter_map(packoffset).collect();
    let different: BTreeSet<_> = starts.iter().collect();
    members.iter().all(inside) && different.len() == starts.len()
}

/// Returns the register and component.
fn packoffset(member: &RandomMember) -> Option<(u32, u32)> {
    match member.place {
        Some(ExplicitOffset::PackOffset { register, component }) => Some((register, component.unwrap_or(0))),
        Some(ExplicitOffset::VkOffset(_)) | None => None,
    }
}

fn type_features(ty: &MemberType, order_of: impl Fn(Option<MatrixOrder>) -> MatrixOrder) -> Vec<DeclarationFeature> {
    match ty {
        MemberType::Scalar(_) => Vec::new(),
        MemberType::Vector { length: 1, .. } => vec![DeclarationFeature::OneVector],
        MemberType::Vector { .. } => vec![DeclarationFeature::Vector],
        MemberType::Matrix { scalar, rows, columns, order } => {
            let flat = (*rows == 1 || *columns == 1).then_some(DeclarationFeature::OneDimensionalMatrix);
            let written = order.is_some().then_some(DeclarationFeature::MatrixOrder);
            let by_scalar = matrix_feature(*scalar, order_of(*order));
            [Some(DeclarationFeature::Matrix), flat, written, by_scalar].into_iter().flatten().collect()
        }
        MemberType::Enum(underlying) => std::iter::once(DeclarationFeature::Enum)
            .chain(underlying.map(|_: Scalar| DeclarationFeature::TypedEnum))
            .collect(),
        MemberType::Struct(_) => vec![DeclarationFeature::Struct],
    }
}

fn member_features(member: &RandomMember) -> impl Iterator<Item = DeclarationFeature> {
    let array = (!member.dimensions.is_empty()).then_some(DeclarationFeature::Array);
    let nested = (member.dimensions.len() > 1).then_some(DeclarationFeature::NestedArray);
    let bits = member.bit_width.map(|_| DeclarationFeature::BitField);
    let offset = is_vk_offset(member.place).then_some(DeclarationFeature::VkOffset);
    let holds_nothing = member.ty.structure().is_some_and(RandomStruct::holds_nothing);
    let nothings = (holds_nothing && !member.dimensions.is_empty()).then_some(DeclarationFeature::EmptyStructArray);
    [array, nested, bits, offset, nothings].into_iter().flatten()
}

fn packoffset_features(members: &[RandomMember]) -> Vec<DeclarationFeature> {
    let places: Vec<_> = members.iter().filter_map(packoffset).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let any_order = (!places.is_sorted()).then_some(DeclarationFeature::PackOffsetAnyOrder);
    let mixed = (places.len() < members.len()).then_some(DeclarationFeature::PackOffsetMixed);
    std::iter::once(DeclarationFeature::PackOffset).chain(any_order).chain(mixed).collect()
}
