//! The table of `layoutproof dev fuzz`: checks by toolchain and outcome, with the reasons of skips.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use layoutproof_show::style::{Style, TextLines, Tone, counted, grouped, one_line, pad, pad_left, width};

const NUMBER_COLUMNS: usize = 9;
/// Leaves are larger numbers than the others.
const LEAVES_COLUMNS: usize = 11;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_stand_below_their_heads() {
        let tally = Tally { agree: 12_345, known: 1, skipped: 2, differ: 3, broken: 4, leaves: 1_234_567 };
        let tallies = [("slang-vulkan-scalar".to_owned(), tally), ("dxc-dxil".to_owned(), Tally::default())].into();
        let skips = [("slang-vulkan-scalar: refused".to_owned(), 1), ("dxc-dxil: half".to_owned(), 2_000)].into();
        let wanted = "  12,345 checks agreed, 7 failed

  toolchain              agree    known  skipped   differ   broken     leaves
  dxc-dxil                   0        0        0        0        0          0
  slang-vulkan-scalar   12,345        1        2        3        4  1,234,567
  skipped   2,000  dxc-dxil: half
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
}
