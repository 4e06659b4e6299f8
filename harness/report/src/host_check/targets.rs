//! Finds the targets for which more blocks agree than for the one that is compared if nothing names a target.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexSet;
use layoutproof_layout::Column;
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;

use super::findings::declaration;
use super::{CheckedPair, HostCheck, target_title};

/// A pair under other targets than the usual one of its language. A pair whose target is named has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTargets {
    pub language: ShaderLanguage,
    /// Other targets for which the pair agrees. For a pair that agrees already, only targets for which a pair
    /// that differs agrees are tried.
    pub agreeing: Vec<Column<'static>>,
}

/// A target for which more blocks of a language agree with their host structs than for the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetterTarget {
    pub language: ShaderLanguage,
    pub column: Column<'static>,
    /// The number of blocks that agree for it.
    pub agreeing: u64,
    /// The title of the usual target, and the number of blocks that agree for that.
    pub usual: (String, u64),
    /// The number of blocks for which nothing names a target.
    pub of: u64,
}

/// One or two blocks that agree for another target alone may as well be mistakes.
const FEWEST_LIKELY: u64 = 3;

impl BetterTarget {
    /// True if so many blocks agree for this target alone that the program is likely to ship for it.
    pub fn is_likely(&self) -> bool {
        self.agreeing >= self.usual.1 + FEWEST_LIKELY
    }

    /// The key of `layoutproof.toml` that chooses it.
    pub fn setting(&self) -> String {
        format!("target = \"{}\"", self.column.choice())
    }

    /// The numbers, and how to choose the target.
    pub(super) fn advice(&self) -> String {
        format!(
            "{self}, which is compared because nothing names a target: set `{}` for {} in layoutproof.toml, or pass \
             `--target {}`",
            self.setting(),
            self.language.title(),
            self.column.choice()
        )
    }

    /// True if the pair is one of those that make this target the better one.
    pub(super) fn explains(&self, pair: &CheckedPair) -> bool {
        pair.other_targets
            .as_ref()
            .is_some_and(|others| others.language == self.language && others.agreeing.contains(&self.column))
    }
}

/// `31 of 33 blocks agree for D3D12 · Slang, 9 for Vulkan · Slang`.
impl fmt::Display for BetterTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (usual, agreeing_now) = &self.usual;
        let blocks = counted(self.of, "block");
        let verb = if self.agreeing == 1 { "agrees" } else { "agree" };
        write!(f, "{} of {blocks} {verb} for {}, {agreeing_now} for {usual}", self.agreeing, self.column)
    }
}

/// For each language the target for which most blocks agree, if it is not the usual one. Shaders that include one
/// declaration share its block.
pub fn better_targets(check: &HostCheck) -> Vec<BetterTarget> {
    ShaderLanguage::ALL.into_iter().filter_map(|language| better_target(check, language)).collect()
}

fn better_target(check: &HostCheck, language: ShaderLanguage) -> Option<BetterTarget> {
    let mut blocks: BTreeMap<_, Vec<(&CheckedPair, &OtherTargets)>> = BTreeMap::new();
    for pair in &check.pairs {
        if let Some(others) = pair.other_targets.as_ref().filter(|others| others.language == language) {
            blocks.entry((declaration(pair), &pair.host)).or_default().push((pair, others));
        }
    }
    let count = |agrees: &dyn Fn(&CheckedPair, &OtherTargets) -> bool| {
        blocks.values().filter(|pairs| pairs.iter().all(|(pair, others)| agrees(pair, others))).count() as u64
    };

    let columns: IndexSet<Column<'static>> =
        blocks.values().flatten().flat_map(|(_, others)| others.agreeing.iter().copied()).collect();
    let mut best: Option<(Column<'static>, u64)> = None;
    for column in columns {
        let agreeing = count(&|_, others| others.agreeing.contains(&column));
        if best.is_none_or(|(_, most)| agreeing > most) {
            best = Some((column, agreeing));
        }
    }
    let agreeing_now = count(&|pair, _| pair.comparison.agrees() || !pair.known.is_empty());
    let (column, agreeing) = best.filter(|(_, agreeing)| *agreeing > agreeing_now)?;
    let usual = target_title(&blocks.values().flatten().next()?.0.target);
    Some(BetterTarget { language, column, agreeing, usual: (usual, agreeing_now), of: blocks.len() as u64 })
}
