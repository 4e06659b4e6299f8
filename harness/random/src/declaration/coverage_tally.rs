//! Counts the coverage of a set of random declarations: forms of blocks, features, and leaves by
//! type and predecessor.

use std::collections::BTreeMap;

use layoutproof_layout::BlockLayout;
use serde::Serialize;

use super::feature::DeclarationFeature;
use super::shape::{BlockForm, RandomDeclaration};
use layoutproof_probes::leaf_kind::{After, kinds};

/// The coverage counts of a set of random declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageTally {
    /// The total number of declarations.
    pub declarations: u64,
    /// Declarations by form of block.
    pub blocks: BTreeMap<BlockForm, u64>,
    /// Declarations that have the feature.
    pub features: BTreeMap<DeclarationFeature, u64>,
    /// Leaves by category.
    pub leaves: BTreeMap<LeafCategory, u64>,
}

/// The properties that categorize leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LeafCategory {
    /// Type of the member that contains the leaf: `float3`, `row float2x3[]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The kind of member before that member.
    pub after: After,
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
            *self.leaves.entry(LeafCategory { ty: kind.ty, after: kind.after }).or_default() += 1;
        }
    }

    /// Adds the counts of another set of declarations.
    pub fn add_all(&mut self, other: &Self) {
        self.declarations += other.declarations;
        sum(&mut self.blocks, &other.blocks);
        sum(&mut self.features, &other.features);
        sum(&mut self.leaves, &other.leaves);
    }
}

fn sum<K: Clone + Ord>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *to.entry(key.clone()).or_default() += count;
    }
}
