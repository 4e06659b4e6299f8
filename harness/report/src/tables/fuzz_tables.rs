//! The tables of `layoutproof dev fuzz`: checks by toolchain and outcome with the reasons of skips; what the
//! declarations used; and how evenly each compiler was tested with pairs of adjacent member types.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use layoutproof_random::declaration::{
    BlockForm, CellTally, CountedCell, CoverageTally, DeclarationFeature, TypeSpace,
};
use layoutproof_show::style::{Style, TextLines, Tone, counted, grouped, one_line, pad, pad_left, width};

use super::coverage_table::by_type;

const NUMBER_COLUMNS: usize = 9;
/// Leaves are larger numbers than the others, and cells have longer heads.
const LEAVES_COLUMNS: usize = 11;
const CELL_COLUMNS: usize = 10;
/// Reasons to list; the others are summed up in one number.
const REASONS: usize = 12;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub agree: u64,
    /// The witnesses differ as a list of known differences states.
    pub known: u64,
    /// Not carried out, for a reason.
    pub skipped: u64,
    pub differ: u64,
    /// A compiler or a device returned no result.
    pub broken: u64,
    pub leaves: u64,
}

/// The totals in one line.
pub fn tally_sentence(tallies: &BTreeMap<String, Tally>) -> String {
    let failed: u64 = tallies.values().map(|tally| tally.broken + tally.differ).sum();
    let agreed = tallies.values().map(|tally| tally.agree).sum();
    format!("{} agreed, {} failed", counted(agreed, "check"), grouped(failed))
}

/// The totals, one line per toolchain, then the reasons of skips, the most frequent first.
pub fn tally_table(tallies: &BTreeMap<String, Tally>, skips: &BTreeMap<String, u64>, style: Style) -> String {
    let columns = tallies.keys().map(|name| width(name)).max().unwrap_or(0).max("toolchain".len());
    let mut text = TextLines::default();
    text.push(&format!("  {}", tally_sentence(tallies)));
    text.push("");
    let heads = ["agree", "known", "skipped", "differ", "broken"].map(|head| pad_left(head, NUMBER_COLUMNS)).concat();
    let heads = heads + &pad_left("leaves", LEAVES_COLUMNS);
    text.push(&style.paint(Tone::Strong, &format!("  {}{heads}", pad("toolchain", columns))));

    for (name, tally) in tallies {
        let Tally { agree, known, skipped, differ, broken, leaves } = *tally;
        let numbers = [agree, known, skipped, differ, broken];
        let numbers = numbers.map(|number| pad_left(&grouped(number), NUMBER_COLUMNS)).concat();
        text.push(&format!("  {}{numbers}{}", pad(name, columns), pad_left(&grouped(leaves), LEAVES_COLUMNS)));
    }

    let mut reasons: Vec<(&String, u64)> = skips.iter().map(|(reason, count)| (reason, *count)).collect();
    reasons.sort_by_key(|(reason, count)| (Reverse(*count), *reason));
    for (reason, count) in reasons.iter().take(REASONS) {
        text.push(&format!("  skipped {}  {}", pad_left(&grouped(*count), 7), one_line(reason)));
    }
    if reasons.len() > REASONS {
        let rest: u64 = reasons[REASONS..].iter().map(|(_, count)| count).sum();
        text.push(&format!("  skipped {}  for other reasons", pad_left(&grouped(rest), 7)));
    }
    text.into_text()
}

/// Counts what the declarations used of `space`; anything that never occurred is listed with a
/// zero.
pub fn seen_table(seen: &CoverageTally, space: &TypeSpace, style: Style) -> String {
    let mut text = TextLines::default();
    let leaves: u64 = seen.leaves.values().sum();
    let title = format!("{}, {} leaves", counted(seen.declarations, "declaration"), grouped(leaves));
    text.push(&format!("  {}", style.paint(Tone::Strong, &title)));
    let count = |form: &BlockForm| seen.blocks.get(form).copied().unwrap_or(0);
    list("form of block", space.blocks.iter().map(|form| (form.as_str(), count(form))), &mut text);
    let count = |feature: &DeclarationFeature| seen.features.get(feature).copied().unwrap_or(0);
    list("feature", space.features.iter().map(|feature| (feature.as_str(), count(feature))), &mut text);
    by_type(seen.leaves.iter().map(|((ty, after), count)| (ty.as_str(), *after, *count)), &mut text);
    text.into_text()
}

fn list<'a>(corner: &str, counts: impl Iterator<Item = (&'a str, u64)>, text: &mut TextLines) {
    let counts: Vec<(&str, u64)> = counts.collect();
    let columns = counts.iter().map(|(name, _)| width(name)).chain([width(corner)]).max().unwrap_or(0);
    text.push(&format!("    {}{}", pad(corner, columns), pad_left("declared", NUMBER_COLUMNS)));
    for (name, count) in counts {
        text.push(&format!("    {}{}", pad(name, columns), pad_left(&grouped(count), NUMBER_COLUMNS)));
    }
}

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
    let heads = ["cells", "reached", "thinnest"].map(|head| pad_left(head, CELL_COLUMNS)).concat();
    text.push(&format!("    {}{}{heads}", pad("compiler", first), pad("form of block", second)));
    for ((compiler, block), CellGroup { cells, reached, thinnest }) in &groups {
        let numbers = [*cells, *reached, thinnest.unwrap_or(0)];
        let numbers = numbers.map(|number| pad_left(&grouped(number), CELL_COLUMNS)).concat();
        text.push(&format!("    {}{}{numbers}", pad(compiler, first), pad(block.as_str(), second)));
    }
    text.into_text()
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_probes::leaf_kind::{After, MemberFamily};
    use layoutproof_random::declaration::{DeclarationCell, MemberType, RandomDeclaration, RandomMember, RandomStruct};

    use super::*;

    #[test]
    fn numbers_are_grouped_and_stand_below_their_heads() {
        let tally = Tally { agree: 12_345, known: 1, skipped: 2, differ: 3, broken: 4, leaves: 1_234_567 };
        let tallies = [("slang-vulkan-scalar".to_owned(), tally), ("dxc-dxil".to_owned(), Tally::default())].into();
        let skips = [("slang-vulkan-scalar: refused".to_owned(), 1), ("dxc-dxil: half".to_owned(), 2_000)].into();
        let wanted = "  12 345 checks agreed, 7 failed

  toolchain              agree    known  skipped   differ   broken     leaves
  dxc-dxil                   0        0        0        0        0          0
  slang-vulkan-scalar   12 345        1        2        3        4  1 234 567
  skipped   2 000  dxc-dxil: half
  skipped       1  slang-vulkan-scalar: refused
";
        assert_eq!(tally_table(&tallies, &skips, Style { colour: false, ascii: true }), wanted);
    }

    #[test]
    fn of_many_reasons_the_rest_is_a_number() {
        let skips: BTreeMap<String, u64> = (0..14).map(|index| (format!("reason {index:02}"), 1)).collect();
        let text = tally_table(&BTreeMap::new(), &skips, Style { colour: false, ascii: true });
        assert!(text.contains("  skipped       1  reason 11\n  skipped       2  for other reasons\n"), "{text}");
    }

    /// `cbuffer B { float m0; float m1[2]; }`, counted by hand: a float at the start, two elements
    /// after a scalar.
    #[test]
    fn what_never_came_up_is_listed_with_a_zero() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let content = RandomStruct { base: None, members: vec![float.clone(), float.array(2)] };
        let declaration = RandomDeclaration { options: LayoutOptions::default(), block: BlockForm::Cbuffer, content };
        let module = declaration.module().unwrap();
        let layout = lay_out(&module.blocks[0], find("std140").unwrap(), declaration.options);
        let mut seen = CoverageTally::default();
        seen.add(&declaration, &layout);
        seen.add(&declaration, &layout);
        let space = TypeSpace {
            blocks: vec![BlockForm::Cbuffer, BlockForm::PushConstant],
            features: [DeclarationFeature::Array, DeclarationFeature::Struct].into(),
            ..TypeSpace::everything()
        };
        let wanted = "  2 declarations, 6 leaves
    form of block declared
    cbuffer              2
    push-constant        0
    feature declared
    array          2
    struct         0
    type, after a       start   scalar
    array of scalars        -        4
    scalar                  2        -
";
        assert_eq!(seen_table(&seen, &space, Style::PLAIN), wanted);
    }

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
