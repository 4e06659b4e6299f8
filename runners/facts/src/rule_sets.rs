//! Lays out the worked example of each rule set, under that rule set and its nearest neighbours.

use layoutproof_core::check::Source;
use layoutproof_frontend::DeclareOptions;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::rules::HomeBuffer;
use layoutproof_layout::{LayoutOptions, RuleSet, Span, lay_out, table};
use layoutproof_show::shown_columns::{BlockPresence, ColumnName, ShownColumn};
use layoutproof_show::{LaidOutBlock, RuleSetLayouts};
use layoutproof_site::{RuleSetFacts, ShownNeighbour};
use layoutproof_source::sources::SourceMap;

/// The facts of every rule set, in the order of the table.
pub fn rule_set_facts() -> anyhow::Result<Vec<RuleSetFacts>> {
    table().iter().map(facts).collect()
}

fn facts(rules: &'static RuleSet) -> anyhow::Result<RuleSetFacts> {
    let source = example(rules)?;
    let neighbours = RuleSetFacts::nearest(rules);
    let neighbour = |other: &'static RuleSet| ShownNeighbour { rules: other, example: column_of(&source, other) };
    Ok(RuleSetFacts {
        rules,
        example: column_of(&source, rules),
        neighbours: neighbours.into_iter().map(neighbour).collect(),
    })
}

/// Parses the example. If it declares no buffer, adds one that holds its struct.
fn example(rules: &RuleSet) -> anyhow::Result<Source> {
    let declaration = rules.example.declaration;
    let buffer = match (declaration.contains("cbuffer"), rules.home) {
        (true, _) => "",
        (false, HomeBuffer::Uniform) => "ConstantBuffer<T> t;",
        (false, HomeBuffer::Storage) => "StructuredBuffer<T> t;",
    };

    let mut sources = SourceMap::default();
    let text = format!("{declaration} {buffer}");
    let end = u32::try_from(text.len())?;
    let span = Span { file: sources.add(rules.name, text), start: 0, end };
    Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources)
        .map_err(|diagnostics| RefusedInput { diagnostics, sources }.into())
}

/// Lays out all blocks of a source under a rule set.
fn column_of(source: &Source, rules: &RuleSet) -> ShownColumn {
    let block = |layout| LaidOutBlock { layout, presence: BlockPresence::Present, declared: None };
    let blocks = source.module.blocks.iter().map(|it| lay_out(it, rules, source.options)).map(block);
    RuleSetLayouts {
        name: ColumnName::of_rules(rules.name),
        choice: None,
        version: None,
        read_by: None,
        blocks: blocks.collect(),
        targets: Vec::new(),
    }
    .column()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers are those of the table, which the table's crate checks with its own
    /// parser of the examples.
    #[test]
    fn examples_are_laid_out_as_the_table_says() {
        for RuleSetFacts { rules, example, .. } in rule_set_facts().unwrap() {
            let [block] = &example.blocks[..] else { panic!("{} shows {} blocks", rules.name, example.blocks.len()) };
            let outermost = block.shown.members.iter().filter(|member| !member.path.contains(['.', '[']));
            let offsets: Vec<u32> = outermost.map(|member| member.offset).collect();
            assert_eq!(
                (&offsets[..], block.shown.size),
                (rules.example.offsets, Some(rules.example.size)),
                "{}",
                rules.name
            );
        }
    }
}
