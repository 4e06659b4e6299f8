//! The padding of blocks under all columns of `show`, and one order of members for each struct that
//! is good under all of them.

use std::collections::BTreeSet;

use layoutproof_layout::padding::{BlockPadding, Hole, padding};
use layoutproof_layout::reorder::{FoundOrder, LayoutInput, Reordering, declared_type, has_fixed_members};
use layoutproof_layout::shape::{StructType, Type};
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, LayoutOptions, MemberRow, RuleSet, Span, ViewId, find, lay_out,
};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::front_ends::TextFrontEnd;
use crate::layout_text::shown_columns::have_same_places;
use crate::reordered_text::{ReorderedText, body_around, body_named, reordered};
use crate::rule_set_layouts::RuleSetLayouts;
use crate::show_input::{InputContent, ShowInput};

#[derive(Clone, Debug, PartialEq)]
pub struct PaddedBlock {
    pub name: String,
    /// Columns with equal numbers together.
    pub columns: Vec<PaddedColumn>,
    /// True if members of the block have explicit offsets or bits, so that they stay.
    pub is_fixed: bool,
    /// Better orders of the block's members and of those of its structs.
    pub better: Vec<BetterOrder>,
}

/// Columns in which a block has the same padding.
#[derive(Clone, Debug, PartialEq)]
pub struct PaddedColumn {
    pub names: Vec<String>,
    pub size: u32,
    pub padding: u32,
    pub percent: u32,
    /// Padding within members, which no row of the table shows: between elements or rows.
    pub inside: Vec<Hole>,
}

/// An order of a struct's members that takes fewer bytes in some column and more in none.
#[derive(Clone, Debug, PartialEq)]
pub struct BetterOrder {
    /// The struct's name; empty for the members of the block itself.
    pub type_name: String,
    /// Names of the members in the new order.
    pub members: Vec<String>,
    pub sizes: Vec<ColumnSize>,
    /// True if no order takes fewer bytes in any column.
    pub is_minimal: bool,
    /// The order in the user's text; `None` if the declaration could not be split.
    pub edit: Option<ReorderedText>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSize {
    pub names: Vec<String>,
    pub declared: u32,
    pub reordered: u32,
    /// True if D3D gives the block whole registers, which its size does not fill.
    pub has_registers: bool,
}

impl ShowInput {
    /// The padding of every block, with better orders.
    pub fn padded_blocks(&self, layouts: &[RuleSetLayouts], sources: &SourceMap) -> Vec<PaddedBlock> {
        let mut named: Vec<BetterOrder> = Vec::new();
        let views: BTreeSet<ViewId> = layouts.iter().flat_map(RuleSetLayouts::present).map(|it| it.view).collect();
        views.into_iter().filter_map(|view| self.padded_block(view, layouts, sources, &mut named)).collect()
    }

    /// One block. `named` are the orders that earlier blocks gave to structs.
    fn padded_block(
        &self,
        view: ViewId,
        layouts: &[RuleSetLayouts],
        sources: &SourceMap,
        named: &mut Vec<BetterOrder>,
    ) -> Option<PaddedBlock> {
        let present = layouts.iter().filter_map(|column| {
            let layout = column.present().find(|layout| layout.view == view)?;
            Some((column.name.to_string(), layout, padding(layout, None)?))
        });
        let present: Vec<(String, &BlockLayout, BlockPadding)> = present.collect();
        let name = present.first()?.1.name.clone();

        let mut columns: Vec<PaddedColumn> = Vec::new();
        for (column, _, found) in &present {
            let inside = found.structs.first().filter(|it| it.path.is_empty());
            let inside: Vec<Hole> =
                inside.map(|it| it.holes.iter().filter(|hole| hole.is_inside()).cloned().collect()).unwrap_or_default();
            let own = PaddedColumn {
                names: Vec::new(),
                size: found.size,
                padding: found.padding,
                percent: found.percent,
                inside,
            };
            match columns.iter_mut().find(|other| PaddedColumn { names: Vec::new(), ..(*other).clone() } == own) {
                Some(other) => other.names.push(column.clone()),
                None => columns.push(PaddedColumn { names: vec![column.clone()], ..own }),
            }
        }

        // Structs of any column that lose bytes, the block itself first.
        let mut structs: Vec<(String, String)> = Vec::new();
        for padded in present.iter().flat_map(|(_, _, found)| &found.structs) {
            let own = (padded.path.clone(), padded.type_name.clone());
            if !structs.iter().any(|(_, type_name)| *type_name == own.1) {
                structs.push(own);
            }
        }
        let declared: Vec<(&str, Block, &RuleSet, LayoutOptions)> = present
            .iter()
            .filter_map(|(column, layout, _)| {
                self.declaration(layout).map(|(block, rules, options)| (column.as_str(), block, rules, options))
            })
            .collect();
        let mut better = Vec::new();
        for (path, type_name) in structs {
            let Some(found) = better_order(&declared, &path, &type_name) else { continue };
            if found.better.type_name.is_empty() || !named.contains(&found.better) {
                named.push(found.better.clone());
                let edit = self.edit(&found.structure, &name, &found.order, sources);
                better.push(BetterOrder { edit, ..found.better });
            }
        }
        let is_fixed = declared.first().is_some_and(|(_, block, ..)| match &block.element {
            Type::Struct(structure) => has_fixed_members(structure),
            _ => false,
        });
        Some(PaddedBlock { name, columns, is_fixed, better })
    }

    /// The declaration of a block, with the rule set of its layout. A file without declarations gets
    /// the one that gives exactly its offsets.
    fn declaration(&self, layout: &BlockLayout) -> Option<(Block, &'static RuleSet, LayoutOptions)> {
        match &self.content {
            InputContent::Declared(source) => {
                Some((source.module.block(layout.view)?.clone(), find(&layout.rules)?, source.options))
            }
            InputContent::LaidOut(_) => {
                let root = layout.result.as_ref().ok()?;
                let block =
                    Block { count: layout.count, ..Block::new(&layout.name, layout.kind, declared_type(root)?) };
                let names = TextFrontEnd::of(self.language?).fixes()?.rules;
                let options = LayoutOptions::default();
                let is_same = |rules: &&RuleSet| {
                    let own = lay_out(&block, rules, options);
                    own.result.is_ok() && have_same_places(&with_strides(&own), &with_strides(layout))
                };
                let rules = names.iter().filter_map(|name| find(name)).find(is_same)?;
                Some((block, rules, options))
            }
        }
    }

    fn edit(&self, structure: &StructType, block: &str, order: &[usize], sources: &SourceMap) -> Option<ReorderedText> {
        let names: Vec<&str> = structure.members.iter().map(|member| member.name.as_str()).collect();
        let language = self.language.unwrap_or(ShaderLanguage::Hlsl);
        let spans: Vec<Span> = structure.members.iter().map(|member| member.span).collect();
        let first = *spans.first()?;
        if first == Span::default() {
            let name = if structure.name.is_empty() { block } else { &structure.name };
            let bodies = sources.files().iter().filter_map(|file| Some((file, body_named(&file.text, name)?)));
            return bodies
                .into_iter()
                .find_map(|(file, body)| reordered(&file.name, &file.text, body, &names, order, language));
        }
        let file = sources.file(first.file);
        let body = body_around(&file.text, first.start as usize)?;
        let is_inside = |span: &Span| span.file == first.file && body.contains(&(span.start as usize));
        if !spans.iter().all(is_inside) {
            return None;
        }
        reordered(&file.name, &file.text, body, &names, order, language)
    }
}

/// The rows of a block. An array has whole strides: whether its size has the padding of the last element differs between
/// compilers' modules and rule sets.
fn with_strides(layout: &BlockLayout) -> Vec<MemberRow> {
    let mut rows = layout.rows();
    rows.iter_mut().filter(|row| row.array_stride.is_some()).for_each(|row| row.size = None);
    rows
}

/// An order with the struct that it is for.
struct FoundBetter {
    structure: StructType,
    order: Vec<usize>,
    better: BetterOrder,
}

/// The best order under all columns: that of one of them which no other column loses by.
fn better_order(
    declared: &[(&str, Block, &'static RuleSet, LayoutOptions)],
    path: &str,
    type_name: &str,
) -> Option<FoundBetter> {
    let mut reorderings: Vec<(Vec<String>, &RuleSet, Reordering<'_>)> = Vec::new();
    for (column, block, rules, options) in declared {
        if let Some((names, ..)) = reorderings.iter_mut().find(|(_, other, _)| *other == *rules) {
            names.push((*column).to_owned());
            continue;
        }
        let input = LayoutInput { block, rules, options: *options };
        reorderings.push((vec![(*column).to_owned()], rules, Reordering::of(input, path, type_name)?));
    }

    let found: Vec<Option<FoundOrder>> = reorderings.iter().map(|(_, _, reordering)| reordering.best()).collect();
    let declared_sizes: Vec<u32> = reorderings.iter().map(|(_, _, reordering)| reordering.size()).collect();
    let sizes = |order: &[usize]| -> Option<Vec<u32>> {
        reorderings.iter().map(|(_, _, reordering)| reordering.size_of(order)).collect()
    };
    let candidates = found.iter().flatten().filter_map(|found| Some((sizes(&found.order)?, &found.order)));
    // A constant buffer takes whole registers, though its size ends with its last member.
    let taken = |sizes: &[u32]| -> Vec<u32> {
        let registers = |(size, (_, rules, _)): (&u32, &(Vec<String>, &RuleSet, Reordering<'_>))| {
            if path.is_empty() && rules.has_registers { size.next_multiple_of(16) } else { *size }
        };
        sizes.iter().zip(&reorderings).map(registers).collect()
    };
    let total = |sizes: &[u32]| taken(sizes).into_iter().map(u64::from).sum::<u64>();
    let is_good = |(sizes, _): &(Vec<u32>, &Vec<usize>)| {
        taken(sizes).iter().zip(taken(&declared_sizes)).all(|(new, old)| *new <= old)
            && total(sizes) < total(&declared_sizes)
    };
    let (sizes, order) = candidates.filter(is_good).min_by_key(|(sizes, _)| total(sizes))?;

    // What each column could have on its own.
    let least = found.iter().zip(&declared_sizes).map(|(found, declared)| match found {
        Some(found) => (found.size, found.is_minimal),
        None => (*declared, true),
    });
    let (least, proved): (Vec<u32>, Vec<bool>) = least.unzip();
    let is_minimal = proved.iter().all(|proved| *proved) && total(&sizes) == total(&least);

    let structure = reorderings.first()?.2.structure().clone();
    let members = order.iter().map(|index| structure.members[*index].name.clone()).collect();
    let mut columns: Vec<ColumnSize> = Vec::new();
    for (((names, rules, _), declared), reordered) in reorderings.iter().zip(&declared_sizes).zip(&sizes) {
        let has_registers = path.is_empty() && rules.has_registers;
        let own = ColumnSize { names: names.clone(), declared: *declared, reordered: *reordered, has_registers };
        match columns.iter_mut().find(|it| ColumnSize { names: names.clone(), ..(**it).clone() } == own) {
            Some(column) => column.names.extend(names.iter().cloned()),
            None => columns.push(own),
        }
    }
    let has_own_members = |kind: BlockKind| {
        kind.has_direct_members()
            || matches!(kind, BlockKind::UniformBlock | BlockKind::StorageBlock | BlockKind::Workgroup)
    };
    let is_block = path.is_empty() && declared.first().is_some_and(|(_, block, ..)| has_own_members(block.kind));
    let type_name = if is_block || structure.name.is_empty() { String::new() } else { type_name.to_owned() };
    let better = BetterOrder { type_name, members, sizes: columns, is_minimal, edit: None };
    Some(FoundBetter { structure, order: order.clone(), better })
}
