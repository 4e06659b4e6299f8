//! The table of cells of `layoutproof dev fuzz`: how evenly each compiler was tested with pairs of
//! adjacent member types.

use std::collections::BTreeMap;

use layoutproof_random::declaration::{BlockForm, CellTally, CountedCell};
use layoutproof_show::style::{Style, TextLines, Tone, grouped, pad, pad_left, width};

/// Columns of a number.
const NUMBER_COLUMNS: usize = 10;

/// The cells of one compiler and form of block.
#[derive(Default)]
struct CellGroup {
    cells: u64,
    reached: u64,
    thinnest: Option<u64>,
}

/// A row per compiler and form of block: the cells that can be drawn (type of a member and of its
/// predecessor), the cells with an answer from the compiler, and the number of checks in the
/// thinnest cell.
pub fn cell_table(tally: &CellTally, style: Style) -> String {
    let mut groups: BTreeMap<(&str, BlockForm), CellGroup> = BTreeMap::new();
    for CountedCell { compiler, cell, checks } in tally.counted() {
        let group = groups.entry((compiler, cell.block)).or_default();
        group.cells += 1;
        group.reached += u64::from(checks > 0);
        group.thinnest = Some(group.thinnest.map_or(checks, |least| least.min(checks)));
    }

    let mut text = TextLines::default();
    let title = "cells: type of member, what lies before it, form of block, compiler";
    text.push(&format!("  {}", style.paint(Tone::Strong, title)));
    let columns = |corner: &str, words: &mut dyn Iterator<Item = &str>| {
        words.map(width).chain([width(corner)]).max().unwrap_or(0) + 2
    };
    let first = columns("compiler", &mut groups.keys().map(|(compiler, _)| *compiler));
    let second = columns("form of block", &mut groups.keys().map(|(_, block)| block.as_str()));
    let heads = ["cells", "reached", "thinnest"].map(|head| pad_left(head, NUMBER_COLUMNS)).concat();
    text.push(&format!("    {}{}{heads}", pad("compiler", first), pad("form of block", second)));
    for ((compiler, block), CellGroup { cells, reached, thinnest }) in &groups {
        let numbers = [*cells, *reached, thinnest.unwrap_or(0)];
        let numbers = numbers.map(|number| pad_left(&grouped(number), NUMBER_COLUMNS)).concat();
        text.push(&format!("    {}{}{numbers}", pad(compiler, first), pad(block.as_str(), second)));
    }
    text.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::LayoutOptions;
    use layoutproof_probes::leaf_kind::{After, MemberFamily};
    use layoutproof_random::declaration::{DeclarationCell, MemberType, RandomDeclaration, RandomMember, RandomStruct};

    #[test]
    fn a_row_counts_the_cells_of_a_compiler_and_form_of_block() {
        let content = RandomStruct { base: None, members: vec![RandomMember::plain(MemberType::FLOAT)] };
        let declaration = RandomDeclaration { options: LayoutOptions::default(), block: BlockForm::Cbuffer, content };
        let mut tally = CellTally::default();
        let never = DeclarationCell { block: BlockForm::Cbuffer, member: MemberFamily::Matrix, after: After::Array };
        tally.add_possible("dxc", [never].into_iter());
        tally.add("dxc", &declaration);
        tally.add("dxc", &declaration);
        tally.add("tint", &declaration);
        let wanted = "  cells: type of member, what lies before it, form of block, compiler
    compiler  form of block       cells   reached  thinnest
    dxc       cbuffer                 2         1         0
    tint      cbuffer                 1         1         1
";
        assert_eq!(cell_table(&tally, Style::PLAIN), wanted);
    }
}
