//! The coverage table of `layoutproof dev fuzz`: forms of blocks, features, and leaves by type and
//! predecessor, counted over the random or exhaustive declarations.

use super::coverage_table::by_type;
use layoutproof_random::declaration::{BlockForm, CoverageTally, DeclarationFeature, TypeSpace};
use layoutproof_show::style::{Style, TextLines, Tone, counted, grouped, pad, pad_left, width};

/// Columns of a number.
const NUMBER_COLUMNS: usize = 9;

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

/// Declarations by name.
fn list<'a>(corner: &str, counts: impl Iterator<Item = (&'a str, u64)>, text: &mut TextLines) {
    let counts: Vec<(&str, u64)> = counts.collect();
    let columns = counts.iter().map(|(name, _)| width(name)).chain([width(corner)]).max().unwrap_or(0);
    text.push(&format!("    {}{}", pad(corner, columns), pad_left("declared", NUMBER_COLUMNS)));
    for (name, count) in counts {
        text.push(&format!("    {}{}", pad(name, columns), pad_left(&grouped(count), NUMBER_COLUMNS)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_random::declaration::{MemberType, RandomDeclaration, RandomMember, RandomStruct};

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
}
