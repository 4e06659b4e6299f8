//! What there is to say of an input's layouts beside the numbers: padding, blocks that are forbidden, warnings.

use std::collections::BTreeMap;

use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::reorder::LayoutInput;
use layoutproof_layout::{Block, BlockLayout, LayoutWarning, Span, find, join};

use super::dxc_spirv;
use super::rule_set_layouts::RuleSetLayouts;
use super::show_input::{InputContent, ShowInput};
use crate::input::diagnostics::{Code, Diagnostic};

impl ShowInput {
    /// Padding of every block; other orders are tried where there are declarations.
    pub fn padding(&self, layouts: &[RuleSetLayouts]) -> Vec<BlockPadding> {
        let declared = |index: usize, layout: &BlockLayout| match &self.content {
            InputContent::LaidOut(_) => None,
            InputContent::Declared(source) => {
                let block = &source.module.blocks[index];
                find(&layout.rules).map(|rules| LayoutInput { block, rules, options: source.options })
            }
        };
        let mut found: Vec<BlockPadding> = Vec::new();
        for (index, layout) in layouts.iter().flat_map(RuleSetLayouts::present) {
            let padding = padding(layout, declared(index, layout));
            // Two targets may take one rule set.
            found.extend(padding.filter(|padding| !found.contains(padding)));
        }
        found
    }

    /// Blocks that a rule set forbids.
    pub fn refusals(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        let InputContent::Declared(source) = &self.content else { return Vec::new() };
        let spans: Vec<Span> = source.module.blocks.iter().map(|block| block.span).collect();

        let mut found = Vec::new();
        for layout in layouts {
            for (index, block) in layout.present() {
                for refusal in block.result.as_ref().err().into_iter().flatten() {
                    let path = join(&block.name, &refusal.path);
                    let reason = if block.rules == layout.name && find(&block.rules).is_none() {
                        refusal.message.clone()
                    } else {
                        format!("{} forbids `{path}`: {}", block.rules, refusal.message)
                    };
                    found.push(Diagnostic::error(Code::RuleForbids, spans[index], reason));
                }
            }
        }
        found
    }

    /// Warnings of the declarations or of the file, then those of the layouts.
    pub fn warnings(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        match &self.content {
            InputContent::Declared(source) => {
                let declared = source.module.warnings.iter().cloned();
                let present = layouts.iter().flat_map(|layout| {
                    layout.present().map(|(index, block)| BlockUnderRules { index, rules: &layout.name, layout: block })
                });
                let own = layout_warnings(&source.module.blocks, present);
                declared.chain(own).chain(dxc_spirv::warnings(source, layouts)).collect()
            }
            InputContent::LaidOut(file) => file.warnings.clone(),
        }
    }
}

/// The layout of one of a source's blocks.
#[derive(Clone, Copy, Debug)]
struct BlockUnderRules<'a> {
    /// Of the block in its source.
    index: usize,
    rules: &'a str,
    layout: &'a BlockLayout,
}

/// What shares bytes in the layouts of a source's blocks: names of rule sets, each with the layouts of all blocks in order.
pub fn overlap_warnings<'a>(
    blocks: &[Block],
    layouts: impl Iterator<Item = (&'a str, &'a [BlockLayout])>,
) -> Vec<Diagnostic> {
    let each = layouts.flat_map(|(rules, layouts)| {
        layouts.iter().enumerate().map(move |(index, layout)| BlockUnderRules { index, rules, layout })
    });
    let mut found = layout_warnings(blocks, each);
    found.retain(|warning| warning.code == Code::OffsetOverlap);
    found
}

/// Each warning of a layout once, with the rule sets that it holds under; by block, then by path.
fn layout_warnings<'a>(blocks: &[Block], layouts: impl Iterator<Item = BlockUnderRules<'a>>) -> Vec<Diagnostic> {
    let mut found: BTreeMap<(usize, &LayoutWarning), Vec<&str>> = BTreeMap::new();
    for BlockUnderRules { index, rules, layout } in layouts.filter(|block| block.layout.result.is_ok()) {
        for warning in &layout.warnings {
            found.entry((index, warning)).or_default().push(rules);
        }
    }

    let told = found.into_iter().map(|((index, warning), rules)| {
        let path = join(&blocks[index].name, &warning.path);
        let message = format!("`{path}`: {} ({})", warning.message, rules.join(", "));
        Diagnostic::warning(warning.kind.into(), blocks[index].span, message)
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::LayoutOptions;

    use super::*;
    use crate::check::Source;
    use crate::declare::DeclareOptions;
    use crate::input::sources::SourceMap;
    use crate::show::{RuleChoice, ShownRules};

    /// What rule sets ignore or overlap, with the codes and the rule sets that say so.
    #[test]
    fn warnings_of_layouts_come_once_behind_those_of_declarations() {
        let text = "struct T { float4 a; [[vk::offset(64)]] float b; }; ConstantBuffer<T> S;\n\
            cbuffer C { float4 x : packoffset(c0); float y : packoffset(c0.w); float z; };";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let source = Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources).unwrap();
        let input = ShowInput { content: InputContent::Declared(Box::new(source)), language: None };
        let named = ["hlsl-cbuffer", "slang-cbuffer", "scalar"].map(|name| RuleChoice::Rules(find(name).unwrap()));
        let layouts = input.layouts(&ShownRules::Named(named.to_vec()));
        let warnings = input.warnings(&layouts);
        let found: Vec<_> = warnings.iter().map(|it| (it.code, sources.position(it.span()).line)).collect();
        assert_eq!(found, [(Code::PackoffsetMixed, 2), (Code::Ignored, 1), (Code::OffsetOverlap, 2)]);
        assert_eq!(warnings[1].message, "`S.b`: [[vk::offset]] is ignored (hlsl-cbuffer, slang-cbuffer)");
        let overlap = "`C.y`: at offset 12 overlaps `x`, which ends at 16 (hlsl-cbuffer, slang-cbuffer, scalar)";
        assert_eq!(warnings[2].message, overlap);
    }
}
