//! All blocks of an input under one rule set, and conversions for reports.

use layoutproof_layout::native::Native;
use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::{BlockKind, BlockLayout, DECLARED, LaidOut, LaidOutShape, RuleChoice, find, join};

use crate::layout_text::member_tree::split_dimensions;
use crate::layout_text::shown_columns::have_same_places;
use crate::show_json::{ShownBlock, ShownLayout};
use crate::shown_columns::{BlockPresence, ColumnName, PaddingShare, ResourceMember, ShownColumn, ShownColumnBlock};
use crate::style::one_line;

/// All blocks under one rule set, or as one compiler lays them out.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetLayouts {
    pub name: ColumnName,
    /// The rule set or the compiler's choice; `None` for a module that declares its own offsets.
    pub choice: Option<RuleChoice>,
    /// The compiler's build, where the user names one.
    pub version: Option<String>,
    /// The compiler with its version, if the layouts are its own answer and not those of our rules.
    pub read_by: Option<String>,
    /// In the order of the module's blocks.
    pub blocks: Vec<LaidOutBlock>,
    /// The compilers and targets with these layouts, whose limits apply.
    pub targets: Vec<&'static Native>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LaidOutBlock {
    pub layout: BlockLayout,
    /// Shown, absent or irrelevant in this column.
    pub presence: BlockPresence,
    /// The declaration in the user's words, where the text is at hand.
    pub declared: Option<String>,
}

/// The resources that are members of a type, each with the path of its struct.
fn resource_members(layout: &LaidOut, path: &str, found: &mut Vec<ResourceMember>) {
    let mut ty = layout;
    let mut path = path.to_owned();
    while let LaidOutShape::Array { element, .. } = &ty.shape {
        ty = element;
        path += "[]";
    }
    let LaidOutShape::Struct(members) = &ty.shape else { return };
    for member in members {
        if member.layout.is_resource() {
            let (base, dimensions) = split_dimensions(&member.layout.type_name);
            let declaration = one_line(&format!("{base} {}{dimensions}", member.name));
            found.push(ResourceMember { parent: path.clone(), name: member.name.clone(), declaration });
        } else {
            let inner = match (member.is_base, path.is_empty()) {
                (true, _) => path.clone(),
                (false, true) => member.name.clone(),
                (false, false) => join(&path, &member.name),
            };
            resource_members(&member.layout, &inner, found);
        }
    }
}

impl RuleSetLayouts {
    /// The blocks of a module that declares its own offsets, for a target if its language has one.
    pub fn declared(blocks: &[BlockLayout], target: Option<&'static Native>) -> Self {
        let present = |layout: &BlockLayout| LaidOutBlock {
            layout: layout.clone(),
            presence: if layout.has_no_offsets() { BlockPresence::Unplaced } else { BlockPresence::Present },
            declared: None,
        };
        let blocks = blocks.iter().map(present).collect();
        Self {
            name: ColumnName::DECLARED,
            choice: None,
            version: None,
            read_by: None,
            blocks,
            targets: target.into_iter().collect(),
        }
    }

    /// True if the column belongs to a compiler in which `half` always has 2 bytes.
    pub fn has_fixed_half(&self) -> bool {
        !self.targets.is_empty() && self.targets.iter().all(|target| target.has_fixed_half())
    }

    /// True if a block that both have is at other bytes.
    pub fn differs_from(&self, other: &Self) -> bool {
        self.present().any(|own| {
            let same = other.present().find(|layout| layout.view == own.view);
            same.is_some_and(|layout| !have_same_places(&own.rows(), &layout.rows()))
        })
    }

    pub fn copied(&self) -> impl Iterator<Item = BlockLayout> {
        self.blocks.iter().map(|block| block.layout.clone())
    }

    pub fn shown(&self) -> ShownLayout {
        let blocks = self.blocks.iter().map(|block| ShownBlock::new(&block.layout, block.layout.rows()));
        let rules = self.choice.map_or(DECLARED, RuleChoice::name).to_owned();
        let column = self.choice.and_then(RuleChoice::column);
        let target = column.map(|column| column.choice().to_string());
        let compiler = column.and_then(|column| column.compiler).map(|compiler| match &self.version {
            Some(version) => format!("{compiler}@{version}"),
            None => compiler.to_string(),
        });
        ShownLayout { rules, target, compiler, read_by: self.read_by.clone(), blocks: blocks.collect() }
    }

    pub fn column(&self) -> ShownColumn {
        let blocks = self.blocks.iter().map(|LaidOutBlock { layout, presence, declared }| {
            let share = |it: BlockPadding| PaddingShare { bytes: it.padding, percent: it.percent };
            let mut resources = Vec::new();
            if let Ok(root) = &layout.result {
                resource_members(root, "", &mut resources);
            }
            ShownColumnBlock {
                padding: padding(layout, None).map(share),
                declared: declared.clone(),
                has_registers: layout.kind != BlockKind::StructuredElement
                    && find(&layout.rules).is_some_and(|rules| rules.has_registers),
                resources,
                ..ShownColumnBlock::new(ShownBlock::new(layout, layout.rows()), *presence)
            }
        });
        ShownColumn { name: self.name.clone(), blocks: blocks.collect() }
    }

    pub fn present(&self) -> impl Iterator<Item = &BlockLayout> {
        let present = self.blocks.iter().filter(|block| block.presence == BlockPresence::Present);
        present.map(|block| &block.layout)
    }
}
