//! Finds the target and the order of matrices for which more blocks agree than for those that are compared because
//! nothing names others.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexSet;
use layoutproof_layout::{Column, MatrixOrder};
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;

use super::findings::declaration;
use super::{CheckedPair, HostCheck, target_title};

/// A target and an order of matrices that are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OtherLayout {
    /// `None` for the compared target.
    pub column: Option<Column<'static>>,
    pub matrices: MatrixOrder,
}

/// The alternative layouts of a pair whose target or order of matrices is not configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLayouts {
    pub language: ShaderLanguage,
    /// True if nothing names the target.
    pub is_target_open: bool,
    /// True if nothing names the order of matrices.
    pub is_order_open: bool,
    /// The compared order of matrices.
    pub matrices: MatrixOrder,
    /// Those with which the pair agrees. For a pair that agrees already, only those with which a pair that differs
    /// agrees are tried.
    pub agreeing: Vec<OtherLayout>,
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

/// The order of matrices with which more blocks of a language agree than with the compared one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetterOrder {
    pub language: ShaderLanguage,
    pub matrices: MatrixOrder,
    /// The better target, if the blocks are compared for that here.
    pub column: Option<Column<'static>>,
    /// The number of blocks that agree with it.
    pub agreeing: u64,
    /// The number of blocks that agree with the compared order.
    pub agreeing_now: u64,
    /// The number of blocks for which nothing names an order.
    pub of: u64,
}

/// One or two blocks that agree for another choice alone may as well be mistakes.
const FEWEST_LIKELY: u64 = 3;

impl OtherLayouts {
    /// True if the pair agrees for this target, `None` for the compared one, with this order of matrices.
    fn has(&self, pair: &CheckedPair, column: Option<Column<'static>>, matrices: MatrixOrder) -> bool {
        if column.is_none() && matrices == self.matrices {
            pair.comparison.agrees() || !pair.known.is_empty()
        } else {
            self.agreeing.contains(&OtherLayout { column, matrices })
        }
    }
}

impl BetterTarget {
    /// True if so many blocks agree for this target alone that the program is likely to ship for it.
    pub fn is_likely(&self) -> bool {
        self.agreeing >= self.usual.1 + FEWEST_LIKELY
    }

    /// The key of `layoutproof.toml` that chooses it.
    pub fn setting(&self) -> String {
        target_setting(&self.column)
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
        pair.other_layouts.as_ref().is_some_and(|others| {
            others.language == self.language && others.has(pair, Some(self.column), others.matrices)
        })
    }
}

impl BetterOrder {
    /// True if so many blocks agree with this order alone that the program is likely to compile with it.
    pub fn is_likely(&self) -> bool {
        self.agreeing >= self.agreeing_now + FEWEST_LIKELY
    }

    /// The key of `layoutproof.toml` that chooses it.
    pub fn setting(&self) -> String {
        order_setting(self.matrices)
    }

    /// The numbers, and how to choose the order.
    pub(super) fn advice(&self) -> String {
        format!(
            "{self}, which are compared because nothing names an order: set `{}` for {} in layoutproof.toml, or pass \
             `--matrix {}`",
            self.setting(),
            self.language.title(),
            self.matrices.as_str()
        )
    }

    /// True if the pair is one of those that make this order the better one.
    pub(super) fn explains(&self, pair: &CheckedPair) -> bool {
        pair.other_layouts
            .as_ref()
            .is_some_and(|others| others.language == self.language && others.has(pair, self.column, self.matrices))
    }
}

pub(super) fn target_setting(column: &Column<'static>) -> String {
    format!("target = \"{}\"", column.choice())
}

pub(super) fn order_setting(matrices: MatrixOrder) -> String {
    format!("matrix = \"{}\"", matrices.as_str())
}

/// `31 of 33 blocks agree for D3D12 · Slang, 9 for Vulkan · Slang`.
impl fmt::Display for BetterTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (usual, agreeing_now) = &self.usual;
        write!(f, "{} for {}, {agreeing_now} for {usual}", agreement(self.agreeing, self.of), self.column)
    }
}

/// `33 of 33 blocks agree for D3D12 · Slang with row-major matrices, 31 with column-major ones`.
impl fmt::Display for BetterOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&agreement(self.agreeing, self.of))?;
        if let Some(column) = &self.column {
            write!(f, " for {column}")?;
        }
        let (better, now) = (self.matrices.as_str(), self.matrices.transposed().as_str());
        write!(f, " with {better}-major matrices, {} with {now}-major ones", self.agreeing_now)
    }
}

fn agreement(agreeing: u64, of: u64) -> String {
    format!("{agreeing} of {} {}", counted(of, "block"), if agreeing == 1 { "agrees" } else { "agree" })
}

/// The blocks of a language for which nothing names a target or an order. Shaders that include one declaration share
/// its block, which agrees if it does in all of them.
struct OpenBlocks<'a> {
    language: ShaderLanguage,
    blocks: Vec<Vec<(&'a CheckedPair, &'a OtherLayouts)>>,
}

impl<'a> OpenBlocks<'a> {
    fn new(check: &'a HostCheck, language: ShaderLanguage, is_open: impl Fn(&OtherLayouts) -> bool) -> Self {
        let mut blocks: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pair in &check.pairs {
            let others = pair.other_layouts.as_ref();
            if let Some(others) = others.filter(|others| others.language == language && is_open(others)) {
                blocks.entry((declaration(pair), &pair.host)).or_default().push((pair, others));
            }
        }
        Self { language, blocks: blocks.into_values().collect() }
    }

    fn count(&self, agrees: impl Fn(&CheckedPair, &OtherLayouts) -> bool) -> u64 {
        self.blocks.iter().filter(|pairs| pairs.iter().all(|(pair, others)| agrees(pair, others))).count() as u64
    }

    fn better_target(&self) -> Option<BetterTarget> {
        let others = self.blocks.iter().flatten().flat_map(|(_, others)| &others.agreeing);
        let columns: IndexSet<Column<'static>> = others.filter_map(|other| other.column).collect();
        let mut best: Option<(Column<'static>, u64)> = None;
        for column in columns {
            let agreeing = self.count(|pair, others| others.has(pair, Some(column), others.matrices));
            if best.is_none_or(|(_, most)| agreeing > most) {
                best = Some((column, agreeing));
            }
        }
        let agreeing_now = self.count(|pair, others| others.has(pair, None, others.matrices));
        let (column, agreeing) = best.filter(|(_, agreeing)| *agreeing > agreeing_now)?;
        let usual = target_title(&self.blocks.first()?.first()?.0.target);
        let of = self.blocks.len() as u64;
        Some(BetterTarget { language: self.language, column, agreeing, usual: (usual, agreeing_now), of })
    }

    /// The order that is better for a target, or for the compared one.
    fn better_order(&self, column: Option<Column<'static>>) -> Option<BetterOrder> {
        let compared = self.blocks.first()?.first()?.1.matrices;
        let count =
            |matrices| self.count(|pair, others| others.has(pair, column.filter(|_| others.is_target_open), matrices));
        let (agreeing, agreeing_now) = (count(compared.transposed()), count(compared));
        (agreeing > agreeing_now).then(|| BetterOrder {
            language: self.language,
            matrices: compared.transposed(),
            column,
            agreeing,
            agreeing_now,
            of: self.blocks.len() as u64,
        })
    }
}

/// Better targets and orders with the reason and the way to choose them.
pub(crate) fn layout_advice(check: &HostCheck) -> Vec<String> {
    let targets = better_targets(check).into_iter().map(|better| better.advice());
    targets.chain(better_orders(check).into_iter().map(|better| better.advice())).collect()
}

/// For each language the target for which most blocks agree, if it is not the usual one.
pub fn better_targets(check: &HostCheck) -> Vec<BetterTarget> {
    let languages = ShaderLanguage::ALL.into_iter();
    languages
        .filter_map(|language| OpenBlocks::new(check, language, |others| others.is_target_open).better_target())
        .collect()
}

/// For each language the order of matrices with which most blocks agree, if it is not the compared one. If the blocks
/// probably ship for a better target, they are counted for that.
pub fn better_orders(check: &HostCheck) -> Vec<BetterOrder> {
    let targets = better_targets(check);
    let better = |language| {
        let target = targets.iter().find(|target| target.language == language && target.is_likely());
        OpenBlocks::new(check, language, |others| others.is_order_open).better_order(target.map(|target| target.column))
    };
    ShaderLanguage::ALL.into_iter().filter_map(better).collect()
}
