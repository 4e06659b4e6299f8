//! Counts the coverage of a set of random declarations: forms of blocks, features, and leaves by
//! type and predecessor.

use std::collections::BTreeMap;

use layoutproof_layout::BlockLayout;

use super::feature::DeclarationFeature;
use super::shape::{BlockForm, RandomDeclaration};
use layoutproof_probes::leaf_kind::{After, kinds};

/// The coverage counts of a set of random declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageTally {
    /// The total number of declarations.
    pub declarations: u64,
    pub blocks: BTreeMap<BlockForm, u64>,
    pub features: BTreeMap<DeclarationFeature, u64>,
    /// Leaves by the type of their member (`float3`, `row float2x3[]`) and the kind of the member
    /// before it.
    pub leaves: BTreeMap<(String, After), u64>,
}

impl CoverageTally {
    /// Counts a declaration with its layout under any rule set that does not refuse it.
    pub fn add(&mut self, declaration: &RandomDeclaration, layout: &BlockLayout) {
        self.declarations += 1;
        *self.blocks.entry(declaration.block).or_default() += 1;
        for feature in declaration.features() {
            *self.features.entry(feature).or_default() += 1;
        }
        for kind in kinds(layout).into_values() {
            *self.leaves.entry((kind.ty, kind.after)).or_default() += 1;
        }
    }
}
