//! All blocks of an input under one rule set, and conversions for reports.

use layoutproof_layout::native::Native;
use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::{BlockLayout, DECLARED};

use super::shipping::has_fixed_half;
use super::shown_rules::RuleChoice;
use crate::show_json::{ShownBlock, ShownLayout};
use crate::shown_columns::{BlockPresence, PaddingShare, ShownColumn, ShownColumnBlock};

/// All blocks under one rule set, or as one compiler lays them out.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetLayouts {
    /// The title: a rule set's name, or a column's.
    pub name: String,
    /// The rule set or the compiler's choice; `None` for a module that declares its own offsets.
    pub choice: Option<RuleChoice>,
    /// The compiler's build, where the user names one.
    pub version: Option<String>,
    /// In the order of the module's blocks.
    pub blocks: Vec<LaidOutBlock>,
    /// The compilers and targets with these layouts, whose limits apply.
    pub targets: Vec<&'static Native>,
}

/// A block in a column.
#[derive(Clone, Debug, PartialEq)]
pub struct LaidOutBlock {
    pub layout: BlockLayout,
    /// Shown, absent or irrelevant in this column.
    pub presence: BlockPresence,
}

impl RuleSetLayouts {
    /// The blocks of a module that declares its own offsets, for a target if its language has one.
    pub fn declared(blocks: &[BlockLayout], target: Option<&'static Native>) -> Self {
        let present = |layout: &BlockLayout| LaidOutBlock { layout: layout.clone(), presence: BlockPresence::Present };
        let blocks = blocks.iter().map(present).collect();
        Self { name: DECLARED.to_owned(), choice: None, version: None, blocks, targets: target.into_iter().collect() }
    }

    /// True if the column belongs to a compiler in which `half` always has 2 bytes.
    pub fn has_fixed_half(&self) -> bool {
        !self.targets.is_empty() && self.targets.iter().all(|target| has_fixed_half(target))
    }

    /// Copies of the layouts.
    pub fn copied(&self) -> impl Iterator<Item = BlockLayout> {
        self.blocks.iter().map(|block| block.layout.clone())
    }

    /// The layouts for the JSON output.
    pub fn shown(&self) -> ShownLayout {
        let blocks = self.blocks.iter().map(|block| ShownBlock::new(&block.layout, block.layout.rows()));
        let rules = self.choice.map_or(DECLARED, RuleChoice::name).to_owned();
        let column = self.choice.and_then(RuleChoice::column);
        let target = column.map(|column| column.choice().to_string());
        let compiler = column.and_then(|column| column.compiler).map(|compiler| match &self.version {
            Some(version) => format!("{compiler}@{version}"),
            None => compiler.to_string(),
        });
        ShownLayout { rules, target, compiler, blocks: blocks.collect() }
    }

    /// The layouts as a column of the text output.
    pub fn column(&self) -> ShownColumn {
        let blocks = self.blocks.iter().map(|LaidOutBlock { layout, presence }| {
            let share = |it: BlockPadding| PaddingShare { bytes: it.padding, percent: it.percent };
            let padding = padding(layout, None).map(share);
            ShownColumnBlock { shown: ShownBlock::new(layout, layout.rows()), padding, presence: *presence }
        });
        ShownColumn { name: self.name.clone(), blocks: blocks.collect() }
    }

    /// The blocks that the column has.
    pub fn present(&self) -> impl Iterator<Item = (usize, &BlockLayout)> {
        let present = self.blocks.iter().enumerate().filter(|(_, block)| block.presence == BlockPresence::Present);
        present.map(|(index, block)| (index, &block.layout))
    }
}
