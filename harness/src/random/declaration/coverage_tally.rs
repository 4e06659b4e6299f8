//! What a set of declarations holds: forms of blocks, features, and leaves by type and predecessor.

use std::collections::BTreeMap;

use layoutproof_layout::BlockLayout;
use serde::Serialize;

use super::feature::Feature;
use super::shape::{BlockForm, Declaration};
use crate::results::coverage::kind::{After, kinds};

/// How often each thing was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Declarations in all.
    pub declarations: u64,
    /// Declarations by form of block.
    pub blocks: BTreeMap<BlockForm, u64>,
    /// Declarations that have the feature.
    pub features: BTreeMap<Feature, u64>,
    /// Leaves.
    pub leaves: BTreeMap<SeenLeaf, u64>,
}

/// What leaves are counted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SeenLeaf {
    /// Type of the member that the leaf is in: `float3`, `row float2x3[]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// What lies before that member.
    pub after: After,
}

impl Seen {
    /// Counts a declaration with its layout under any rule set that does not refuse it.
    pub fn add(&mut self, declaration: &Declaration, layout: &BlockLayout) {
        self.declarations += 1;
        *self.blocks.entry(declaration.block).or_default() += 1;
        for feature in declaration.features() {
            *self.features.entry(feature).or_default() += 1;
        }
        for kind in kinds(layout).into_values() {
            *self.leaves.entry(SeenLeaf { ty: kind.ty, after: kind.after }).or_default() += 1;
        }
    }

    /// Counts what another set of declarations holds too.
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
