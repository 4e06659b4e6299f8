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

/// The layout choices that no option, project file or comment makes for a block, so that others than the usual ones of
/// the language may be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenChoices {
    pub language: ShaderLanguage,
    /// True if the target is open.
    pub target: bool,
    /// True if the order of matrices is open.
    pub order: bool,
    /// The compared order of matrices.
    pub matrices: MatrixOrder,
}

/// The layouts that open choices allow besides the compared one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLayouts {
    pub open: OpenChoices,
    /// Those with which the pair agrees. For a pair that agrees already, only those with which a pair that differs
    /// agrees are tried.
    pub agreeing: Vec<OtherLayout>,
}

/// A choice with which more blocks of a language agree with their host structs than with the compared one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetterLayout {
    pub language: ShaderLanguage,
    pub choice: BetterChoice,
    /// The number of blocks that agree with it.
    pub agreeing: u64,
    /// The number of blocks that agree with what is compared.
    pub agreeing_now: u64,
    /// The number of blocks for which nothing makes this choice.
    pub of: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BetterChoice {
    /// A target, and the title of the usual one.
    Target { column: Column<'static>, usual: String },
    /// The other order of matrices. `column` is the better target, if the blocks are compared for that here.
    Order { matrices: MatrixOrder, column: Option<Column<'static>> },
}

/// One or two blocks that agree for another choice alone may as well be mistakes.
const FEWEST_LIKELY: u64 = 3;

impl OtherLayouts {
    /// True if the pair agrees for this target, `None` for the compared one, with this order of matrices.
    fn has(&self, pair: &CheckedPair, column: Option<Column<'static>>, matrices: MatrixOrder) -> bool {
        if column.is_none() && matrices == self.open.matrices {
            pair.comparison.agrees() || !pair.known.is_empty()
        } else {
            self.agreeing.contains(&OtherLayout { column, matrices })
        }
    }
}

impl BetterChoice {
    fn is_open(&self, open: OpenChoices) -> bool {
        match self {
            Self::Target { .. } => open.target,
            Self::Order { .. } => open.order,
        }
    }

    /// True if the pair agrees with this choice. A better target replaces the compared one only where that is open.
    fn is_right(&self, pair: &CheckedPair, others: &OtherLayouts) -> bool {
        match self {
            Self::Target { column, .. } => others.has(pair, Some(*column), others.open.matrices),
            Self::Order { matrices, column } => others.has(pair, column.filter(|_| others.open.target), *matrices),
        }
    }
}

impl BetterLayout {
    /// True if so many blocks agree with this choice alone that the program is likely to make it.
    pub fn is_likely(&self) -> bool {
        self.agreeing >= self.agreeing_now + FEWEST_LIKELY
    }

    /// The key of `layoutproof.toml` that makes the choice.
    pub fn setting(&self) -> String {
        match &self.choice {
            BetterChoice::Target { column, .. } => target_setting(column),
            BetterChoice::Order { matrices, .. } => order_setting(*matrices),
        }
    }

    /// The numbers, and how to make the choice.
    pub(super) fn advice(&self) -> String {
        let (compared, option) = match &self.choice {
            BetterChoice::Target { column, .. } => {
                ("which is compared because nothing names a target", format!("--target {}", column.choice()))
            }
            BetterChoice::Order { matrices, .. } => {
                ("which are compared because nothing names an order", format!("--matrix {}", matrices.as_str()))
            }
        };
        let (setting, language) = (self.setting(), self.language.title());
        format!("{self}, {compared}: set `{setting}` for {language} in layoutproof.toml, or pass `{option}`")
    }

    /// True if the pair is one of those that make this choice the better one.
    pub(super) fn explains(&self, pair: &CheckedPair) -> bool {
        pair.other_layouts.as_ref().is_some_and(|others| {
            others.open.language == self.language
                && self.choice.is_open(others.open)
                && self.choice.is_right(pair, others)
        })
    }
}

pub(super) fn target_setting(column: &Column<'static>) -> String {
    format!("target = \"{}\"", column.choice())
}

pub(super) fn order_setting(matrices: MatrixOrder) -> String {
    format!("matrix = \"{}\"", matrices.as_str())
}

/// `31 of 33 blocks agree for D3D12 · Slang, 9 for Vulkan · Slang`, and `33 of 33 blocks agree for D3D12 · Slang with
/// row-major matrices, 31 with column-major ones`.
impl fmt::Display for BetterLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agree = if self.agreeing == 1 { "agrees" } else { "agree" };
        write!(f, "{} of {} {agree}", self.agreeing, counted(self.of, "block"))?;
        match &self.choice {
            BetterChoice::Target { column, usual } => write!(f, " for {column}, {} for {usual}", self.agreeing_now),
            BetterChoice::Order { matrices, column } => {
                if let Some(column) = column {
                    write!(f, " for {column}")?;
                }
                let (better, now) = (matrices.as_str(), matrices.transposed().as_str());
                write!(f, " with {better}-major matrices, {} with {now}-major ones", self.agreeing_now)
            }
        }
    }
}

/// The blocks of a language for which nothing names a target or an order. Shaders that include one declaration share
/// its block, which agrees if it does in all of them.
struct OpenBlocks<'a> {
    language: ShaderLanguage,
    blocks: Vec<Vec<(&'a CheckedPair, &'a OtherLayouts)>>,
}

impl<'a> OpenBlocks<'a> {
    fn new(check: &'a HostCheck, language: ShaderLanguage, is_open: impl Fn(OpenChoices) -> bool) -> Self {
        let mut blocks: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pair in &check.pairs {
            let others = pair.other_layouts.as_ref();
            if let Some(others) = others.filter(|others| others.open.language == language && is_open(others.open)) {
                blocks.entry((declaration(pair), &pair.host)).or_default().push((pair, others));
            }
        }
        Self { language, blocks: blocks.into_values().collect() }
    }

    fn count(&self, agrees: impl Fn(&CheckedPair, &OtherLayouts) -> bool) -> u64 {
        self.blocks.iter().filter(|pairs| pairs.iter().all(|(pair, others)| agrees(pair, others))).count() as u64
    }

    /// The choice, if more blocks agree with it than with what it replaces.
    fn better(&self, choice: BetterChoice, agreeing_now: u64) -> Option<BetterLayout> {
        let agreeing = self.count(|pair, others| choice.is_right(pair, others));
        let of = self.blocks.len() as u64;
        (agreeing > agreeing_now).then_some(BetterLayout {
            language: self.language,
            choice,
            agreeing,
            agreeing_now,
            of,
        })
    }

    /// The first of the targets for which most blocks agree.
    fn better_target(&self) -> Option<BetterLayout> {
        let others = self.blocks.iter().flatten().flat_map(|(_, others)| &others.agreeing);
        let columns: IndexSet<Column<'static>> = others.filter_map(|other| other.column).collect();
        let agreeing_now = self.count(|pair, others| others.has(pair, None, others.open.matrices));
        let usual = &self.blocks.first()?.first()?.0;
        let usual = target_title(&usual.target, &usual.shader);
        let better = columns
            .into_iter()
            .filter_map(|column| self.better(BetterChoice::Target { column, usual: usual.clone() }, agreeing_now));
        better.reduce(|best, other| if other.agreeing > best.agreeing { other } else { best })
    }

    /// The order that is better for a target, or for the compared one.
    fn better_order(&self, column: Option<Column<'static>>) -> Option<BetterLayout> {
        let compared = self.blocks.first()?.first()?.1.open.matrices;
        let now = BetterChoice::Order { matrices: compared, column };
        let agreeing_now = self.count(|pair, others| now.is_right(pair, others));
        self.better(BetterChoice::Order { matrices: compared.transposed(), column }, agreeing_now)
    }
}

/// For each language the target for which most blocks agree, if it is not the usual one, and the order of matrices, if
/// it is not the compared one. An order with which as many blocks agree explains them without another target. If the blocks
/// probably ship for a better target, orders are counted for that.
pub fn better_layouts(check: &HostCheck) -> Vec<BetterLayout> {
    let blocks = |language, is_open: fn(OpenChoices) -> bool| OpenBlocks::new(check, language, is_open);
    let order = |language, column| blocks(language, |open| open.order).better_order(column);
    let target = |language: ShaderLanguage| {
        let target = blocks(language, |open| open.target).better_target()?;
        let explains = |order: BetterLayout| order.agreeing >= target.agreeing;
        (!order(language, None).is_some_and(explains)).then_some(target)
    };
    let languages = ShaderLanguage::ALL.into_iter();
    let mut better: Vec<BetterLayout> = languages.clone().filter_map(target).collect();
    better.extend(languages.filter_map(|language| {
        let column = target(language).filter(BetterLayout::is_likely).and_then(|target| match target.choice {
            BetterChoice::Target { column, .. } => Some(column),
            BetterChoice::Order { .. } => None,
        });
        order(language, column)
    }));
    better
}

/// Better choices with the numbers and the way to make them.
pub(crate) fn layout_advice(check: &HostCheck) -> Vec<String> {
    better_layouts(check).iter().map(BetterLayout::advice).collect()
}
